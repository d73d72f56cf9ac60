"""The plot of a race: each peer's time over gathernd's, a row for each kind of work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

COLOURS = {
    "gathernd": "black",
    "NumPy": "tab:blue",
    "PyTorch": "tab:red",
    "PyTorch deterministic": "tab:pink",
    "ONNX Runtime": "tab:purple",
    "CuPy": "tab:cyan",
    "JAX": "tab:green",
    "JAX unchecked": "tab:olive",
    "Numba": "tab:orange",
}


Rows = Mapping[str, Mapping[str, float | str]]


def plot(rows: Rows, peers: Iterable[str], path: Path, title: str) -> None:
    """Write the figure to a file."""
    figure_of_race(rows, peers, title).savefig(path, dpi=120)


def figure_of_race(rows: Rows, peers: Iterable[str], title: str) -> Any:
    """A row has times by peer, or why there is none; without gathernd's it is left out."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot, ticker

    rows = {name: row for name, row in rows.items() if isinstance(row.get("gathernd"), float)}
    figure, axes = pyplot.subplots(figsize=(9, 0.42 * len(rows) + 1.5), layout="constrained")
    names = list(peers)
    for peer in names:
        points = [
            (float(row[peer]) / float(row["gathernd"]), i)
            for i, row in enumerate(rows.values())
            if isinstance(row.get(peer), float)
        ]
        style = {"marker": "D" if peer == "gathernd" else "o", "color": COLOURS.get(peer, "grey")}
        if points:
            axes.plot(*zip(*points, strict=True), linestyle="", label=peer, alpha=0.8, **style)
    label = "time / gathernd's time: right of 1 the peer is slower"
    axes.set(xscale="log", xlabel=label, title=title, ylim=(len(rows) - 0.5, -0.5))
    axes.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.set_yticks(range(len(rows)), list(rows))
    axes.grid(axis="x", alpha=0.3)
    figure.legend(loc="outside lower center", ncols=len(axes.lines))
    return figure
