"""The picture of a sweep: nanoseconds a tuple of every peer, a panel for each kind of call."""

from __future__ import annotations

from typing import Any

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from peers import PEERS
from plot import COLOURS
from sweeps import SWEEPS

# What a point has where its axis does not say otherwise: see sweeps.work.
USUAL = "float32 by int64, 2^20 tuples (long rows: 16 MiB)"
TABLES = {"rows": 64, "depth": 64, "order": 256}  # MiB; of others 16


def figure_of_sweep(sweep: str, record: dict[str, Any]) -> Figure:
    """Return the picture of one sweep of a record."""
    rows = [row for row in record["points"] if row["sweep"] == sweep]
    machine = f"{record['machine']}; {record['threads']} threads"
    panels = list(dict.fromkeys(row["panel"] for row in rows))
    columns = 2 if len(panels) == 4 else min(3, len(panels))
    lines = -(-len(panels) // columns)
    figure, axes = pyplot.subplots(
        lines, columns, figsize=(4.2 * columns, 3.6 * lines + 0.8), layout="constrained",
        sharey=True, squeeze=False,
    )  # fmt: skip
    for panel, place in zip(panels, axes.flat, strict=False):
        plot_panel(place, [row for row in rows if row["panel"] == panel])
        place.set(title=panel, xlabel=SWEEPS[sweep])
    for place in axes.flat[len(panels) :]:
        place.remove()
    for place in axes[:, 0]:
        place.set_ylabel("nanoseconds a tuple")
    if sweep == "threads":
        machine = machine.partition(";")[0]
    figure.suptitle(f"{machine}\n{USUAL}, {TABLES.get(sweep, 16)} MiB table", fontsize="medium")
    handles = {label: line for place in figure.axes for line, label in legend_of(place)}
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=len(handles))
    return figure


def legend_of(axes: Axes) -> list[tuple[Any, str]]:
    return list(zip(*axes.get_legend_handles_labels(), strict=True))


def plot_panel(axes: Axes, rows: list[dict[str, Any]]) -> None:
    for peer in (*PEERS, "copy"):
        times = [(row["x"], row["microseconds"].get(peer), row["tuples"]) for row in rows]
        found = [(x, time * 1000 / n) for x, time, n in times if time is not None]
        if not found:
            continue
        style: dict[str, Any] = {"color": COLOURS.get(peer, "grey"), "marker": "o", "markersize": 3}
        if peer == "gathernd":
            style |= {"linewidth": 2.2, "zorder": 3}
        if peer == "copy":
            style |= {"linestyle": ":", "marker": ""}
        axes.plot(*zip(*found, strict=True), label=peer, **style)
    xs = [row["x"] for row in rows]
    if isinstance(xs[0], str):
        axes.margins(x=0.15)
    elif max(xs) > 8:
        axes.set_xscale("log", base=2)
    else:
        axes.set_xticks(xs)
    axes.set_yscale("log")
    axes.grid(alpha=0.3)
