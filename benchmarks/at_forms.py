"""The forms of an index, `gnd.at` beside NumPy: benchmarks/at_forms.py [--only FORM] [--plot FILE].

Reads, sets and adds by each form, for 2^4 to 2^22 selected elements of float32; pairs beside
stacked tuples, too. All calls of a point run in one process, once a round in a new order, after
their results have been compared. Prints the medians in microseconds, writes them as JSON, and,
where matplotlib is installed, a picture of all forms; --plot draws that from the JSON.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import gathernd as gnd
from contest import introduce
from gathernd._cli.bench import Call, processors, race

OPERATIONS = ("get", "set", "add")
SIZES = tuple(4**i for i in range(2, 12))
Array = np.ndarray[Any, Any]
Draw = Callable[[int, int], Array]
Form = Callable[[int, Draw], tuple[tuple[int, ...], Any]]


def square(n: int) -> int:
    """The side of a square of about `n` elements."""
    return max(2, math.isqrt(n))


def cube(n: int) -> int:
    return max(4, round((4 * n) ** (1 / 3)))


def mask(shape: tuple[int, ...], share: float) -> Array:
    return np.random.default_rng(2026).random(shape) < share


# Of n selected elements and `draw(n, size)`, which draws indices: the shape of x, and the index.
# Tables have four times as many elements, at most 2^22.
FORMS: dict[str, Form] = {
    "x[i]": lambda n, draw: ((4 * n,), draw(n, 4 * n)),
    "x[i, j]": lambda n, draw: (
        (square(4 * n),) * 2,
        (draw(n, square(4 * n)), draw(n, square(4 * n))),
    ),
    "x[i, j], int32": lambda n, draw: (
        (square(4 * n),) * 2,
        tuple(draw(n, square(4 * n)).astype(np.int32) for _ in range(2)),
    ),
    "x[i, j, k]": lambda n, draw: ((cube(n),) * 3, tuple(draw(n, cube(n)) for _ in range(3))),
    "x[3, j]": lambda n, draw: ((4, n), (3, draw(n, n))),
    "x[np.ix_(i, j)]": lambda n, draw: (
        (2 * square(n),) * 2,
        np.ix_(draw(square(n), 2 * square(n)), draw(square(n), 2 * square(n))),
    ),
    "x[ogrid]": lambda n, draw: (
        (2 * square(n),) * 2,
        tuple(np.ogrid[: square(n), : square(n)]),
    ),
    "x[a:b, j]": lambda n, draw: (
        (2 * square(n),) * 2,
        (slice(1, square(n) + 1), draw(square(n), 2 * square(n))),
    ),
    "x[:, j]": lambda n, draw: ((8, n // 2), (slice(None), draw(n // 8, n // 2))),
    "x[i, :, j]": lambda n, draw: (
        (square(n // 4), 16, square(n // 4)),
        (draw(n // 16, square(n // 4)), slice(None), draw(n // 16, square(n // 4))),
    ),
    "x[mask], 10 %": lambda n, draw: ((square(10 * n),) * 2, mask((square(10 * n),) * 2, 0.1)),
    "x[mask], 50 %": lambda n, draw: ((square(2 * n),) * 2, mask((square(2 * n),) * 2, 0.5)),
    "x[mask of rows]": lambda n, draw: ((n // 8, 16), mask((n // 8,), 0.5)),
}
# Beside NumPy and gnd.at: the two functions, for the form whose tuples can be stacked.
STACKED = {"x[i, j]": "stacked tuples"}


def calls_of(form: str, n: int, operation: str) -> dict[str, Call]:
    """The calls of a point: each writes into a table of its own."""
    rng = np.random.default_rng(2026)
    shape, index = FORMS[form](n, lambda count, size: rng.integers(0, size, count))
    x = rng.integers(0, 8, shape).astype(np.float32)
    ours, numpys = x.copy(), x.copy()
    updates = rng.integers(0, 8, x[index].shape).astype(np.float32)

    def set_ours() -> None:
        gnd.at(ours)[index] = updates

    def set_numpys() -> None:
        numpys[index] = updates

    def add_ours() -> None:
        gnd.at(ours)[index] += updates

    def add_numpys() -> None:
        np.add.at(numpys, index, updates)

    calls: dict[str, dict[str, Call]] = {
        "get": {"gathernd": lambda: gnd.at(x)[index].get(), "NumPy": lambda: x[index]},
        "set": {"gathernd": set_ours, "NumPy": set_numpys},
        "add": {"gathernd": add_ours, "NumPy": add_numpys},
    }
    found = [call() for call in calls[operation].values()]
    pairs = found if operation == "get" else [ours, numpys]
    if not np.array_equal(*pairs):
        raise ValueError(f"{form}: the results differ")
    result = calls[operation]
    if form in STACKED:
        tuples, table = np.stack(index, axis=-1), x.copy()
        reduction: Any = "add" if operation == "add" else "none"
        result[STACKED[form]] = (
            (lambda: gnd.gather_nd(x, tuples))
            if operation == "get"
            else (lambda: gnd.scatter_nd(table, tuples, updates, reduction, out=table))
        )
    return result


def run(options: argparse.Namespace, record: dict[str, Any]) -> None:
    forms = [form for form in FORMS if options.only in ("", form)]
    points = [(form, operation, n) for form in forms for operation in OPERATIONS for n in SIZES]
    end = time.perf_counter() + options.budget
    for done, (form, operation, n) in enumerate(points):
        share = (end - time.perf_counter()) / (len(points) - done)
        times = race(calls_of(form, n, operation), options.rounds, max(0.0, share))
        record["points"].append(
            {"form": form, "operation": operation, "n": n, "microseconds": times}
        )
        cells = "".join(f"{name} {time:.1f}  " for name, time in times.items())
        ratio = times["NumPy"] / times["gathernd"]
        print(f"{form:16s} {operation} {n:8d}: {ratio:6.2f}  {cells}", flush=True)


def ratios_table(record: dict[str, Any]) -> str:
    """How many times as fast as NumPy, as Markdown: the columns of three sizes."""
    sizes = (4**5, 4**8, 4**10)
    heads = [f"{operation} 2^{n.bit_length() - 1}" for operation in OPERATIONS for n in sizes]
    lines = [f"| index | {' | '.join(heads)} |", f"{'|---' * (len(heads) + 1)}|"]
    times = {(p["form"], p["operation"], p["n"]): p["microseconds"] for p in record["points"]}
    for form in dict.fromkeys(p["form"] for p in record["points"]):
        found = [times[form, operation, n] for operation in OPERATIONS for n in sizes]
        cells = [f"{t['NumPy'] / t['gathernd']:.2g}" for t in found]
        lines.append(f"| `{form}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def figure_of(record: dict[str, Any]) -> Any:
    """NumPy's time over ours, a panel for each form."""
    from matplotlib import pyplot, ticker

    forms = list(dict.fromkeys(p["form"] for p in record["points"]))
    columns = min(5, len(forms))
    lines = -(-len(forms) // columns)
    figure, axes = pyplot.subplots(
        lines, columns, figsize=(2.6 * columns, 2.3 * lines + 0.8), layout="constrained",
        sharex=True, sharey=True, squeeze=False,
    )  # fmt: skip
    colours = dict(zip(OPERATIONS, ("black", "tab:blue", "tab:orange"), strict=True))
    for form, place in zip(forms, axes.flat, strict=False):
        for operation, colour in colours.items():
            points = [
                (p["n"], p["microseconds"])
                for p in record["points"]
                if (p["form"], p["operation"]) == (form, operation)
            ]
            ratios = [t["NumPy"] / t["gathernd"] for _, t in points]
            place.plot([n for n, _ in points], ratios, color=colour, marker="o", markersize=3,
                       label=operation)  # fmt: skip
        place.axhline(1, color="grey", linewidth=1)
        place.set_title(form, fontsize="medium", family="monospace")
        place.set_xscale("log", base=2)
        place.set_yscale("log")
        place.grid(alpha=0.3)
        place.yaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
    for place in axes.flat[len(forms) :]:
        place.remove()
    for place in axes.flat[max(0, len(forms) - columns) : len(forms)]:
        place.tick_params(labelbottom=True)  # nothing is below it
        place.set_xlabel("selected elements")
    figure.supylabel("NumPy's time / gathernd's", fontsize="medium")
    figure.suptitle(
        f"{record['machine']}; {record['threads']} threads; float32, int64 unless said",
        fontsize="medium",
    )
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return figure


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", choices=FORMS, help="one form")
    parser.add_argument("--threads", type=int, default=processors())
    parser.add_argument("--rounds", type=int, default=15, help="at most, for each point")
    parser.add_argument("--budget", type=float, default=120, help="seconds for all, about")
    parser.add_argument("--output", type=Path, default=Path("benchmark_output"))
    parser.add_argument("--plot", type=Path, metavar="FILE", help="only draw this JSON again")
    options = parser.parse_args()
    options.output.mkdir(exist_ok=True)
    if options.plot:
        record = json.loads(options.plot.read_text())
    else:
        gnd.set_num_threads(options.threads)
        record = {**introduce(options.threads), "points": []}
        run(options, record)
        (options.output / "at_forms.json").write_text(json.dumps(record, indent=1) + "\n")
    print(f"\n{ratios_table(record)}")
    if importlib.util.find_spec("matplotlib"):
        figure_of(record).savefig(options.output / "at_forms.png", dpi=110)
    return 0


if __name__ == "__main__":
    sys.exit(main())
