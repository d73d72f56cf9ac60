"""The pictures and tables of the documentation, from benchmarks/results/*.json.

python benchmarks/summary.py draws the pictures in docs/images again. The pages make the tables
when the site is built.
"""

from __future__ import annotations

import hashlib
import json
import statistics
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RESULTS, IMAGES = ROOT / "benchmarks/results", ROOT / "docs/images"

# Eight of the race's kinds of work, in words.
WORK = {
    "2^20 f32 from 2^16 (cache)": "a million floats from 256 KiB",
    "2^20 f32 from 2^26 (memory)": "a million floats from 256 MiB",
    "2^20 2-tuples, 2048^2 f32": "a million pixels of a picture",
    "2^20 RGB pixels, 2-tuples": "a million RGB pixels",
    "2^16 rows of 64 f32 from 2^20": "65,536 rows of 64 floats",
    "scatter 2^20 3-tuples, 256^3 u8": "set a million voxels",
    "add 2^20 into 2^16 f32": "add a million floats into 65,536",
    "add 2^16 rows of 64 into 2^16": "add 65,536 rows of 64 floats",
}
ELEMENT = "one element of 10"  # beside the 24 kinds: a call, and nothing else
# Each picture, and what it is drawn from.
PICTURES = {
    "speed": "race",
    "race": "race",
    "at_forms": "at_forms",
    "sweep_tuples": "sweep",
    "sweep_rows": "sweep",
    "sweep_depth": "sweep",
    "sweep_elements": "sweep",
    "sweep_table": "sweep",
    "sweep_threads": "sweep_16_threads",
    "sweep_duplicates": "sweep",
    "sweep_order": "sweep",
}


def record(name: str) -> dict[str, Any]:
    """Return what a benchmark wrote."""
    return dict(json.loads((RESULTS / f"{name}.json").read_text()))


def digest(name: str) -> str:
    """Return the SHA-256 of a benchmark's record."""
    return hashlib.sha256((RESULTS / f"{name}.json").read_bytes()).hexdigest()


def peers_among(times: dict[str, Any]) -> list[str]:
    """Return the libraries beside gathernd in a row of times."""
    return [name for name in times if name not in ("gathernd", "copy")]


def peers_of(found: dict[str, Any]) -> list[str]:
    """Return the libraries that took part beside gathernd, in the order of a row."""
    return peers_among(next(iter(found["microseconds"].values())))


def source(name: str = "race") -> str:
    """Return a sentence: machine, threads, versions and day of a record."""
    found = record(name)
    skipped = ("Python", "gathernd")
    versions = [f"{k} {v}" for k, v in found["versions"].items() if k not in skipped]
    threads = "1 thread" if found["threads"] == 1 else f"{found['threads']} threads"
    day = f", {found['date']}" if "date" in found else ""
    return f"{found['machine']}, {threads}, {', '.join(versions)}{day}"


def chart() -> Any:
    """Return a figure: how many times NumPy's time is gathernd's."""
    from matplotlib import pyplot

    found = record("race")
    times = found["microseconds"]
    ratios = [times[name]["NumPy"] / times[name]["gathernd"] for name in WORK]
    figure, axes = pyplot.subplots(figsize=(7, 2.9), layout="constrained")
    bars = axes.barh(list(WORK.values()), ratios, color="#2b6cb0", height=0.7)
    axes.bar_label(bars, [f"{ratio:.1f}" for ratio in ratios], padding=4)
    axes.axvline(1, color="black", linewidth=1)
    axes.invert_yaxis()
    axes.set_xlabel(f"times as fast as NumPy (1: the same), {found['threads']} threads")
    axes.set_xlim(0, 1.1 * max(ratios))
    axes.tick_params(left=False)
    axes.spines[["top", "right", "left"]].set_visible(False)
    return figure


def markdown(head: list[str], rows: list[list[str]]) -> str:
    """Return a table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def cell(time: float | str | None, unit: float, digits: int) -> str:
    """Return a time in units, or why there is none; nothing where a library lacks the operator."""
    if isinstance(time, float):
        return f"{time / unit:.{digits}f}"
    return "wrong" if time == "wrong" else ""


def ratios_table() -> str:
    """Return the eight: the time of each library over gathernd's."""
    found = record("race")
    peers = peers_of(found)
    rows = []
    for name, words in WORK.items():
        times = found["microseconds"][name]
        rows.append([words, *(cell(times.get(peer), times["gathernd"], 1) for peer in peers)])
    return markdown(["work", *peers], rows)


def mean_ratio(name: str) -> str:
    """Return the geometric mean of the fastest peer's time over gathernd's, over all work."""
    ratios = [statistics.median(runs) for runs in record(name)["ratios"].values()]
    return f"{statistics.geometric_mean(ratios):.1f}"


def kinds_means_table(*names: str) -> str:
    """Return the means of records of the 24 kinds, in each run."""
    rows = []
    for name in names:
        found = record(name)
        rest = f"rests of {found['rest']:.0f} ms" if found["rest"] else "no rests"
        row = [f"{found['threads']} threads, {rest}"]
        for key in ("ratios_without_numba", "ratios"):
            ratios = found[key]
            for left_out in ({ELEMENT}, set()):
                means = [
                    statistics.geometric_mean(
                        runs[run] for work, runs in ratios.items() if work not in left_out
                    )
                    for run in range(found["runs"])
                ]
                row.append(", ".join(f"{mean:.2f}" for mean in means))
        rows.append(row)
    head = ["", "24 kinds", "and one element", "24 kinds, with Numba", "and one element"]
    return markdown(head, rows)


def race_table(name: str = "race") -> str:
    """Return all kinds of work: microseconds, and the ratios of each run."""
    found = record(name)
    columns = [*peers_of(found), "gathernd", "copy"]
    ratios = {"ratios": "ratio", "ratios_without_numba": "without Numba"}
    kept = [key for key in ratios if key in found]
    rows = [
        [
            work,
            *(
                cell(times.get(column), 1, 0 if times["gathernd"] >= 10 else 1)
                for column in columns
            ),
            *(", ".join(f"{ratio:.1f}" for ratio in found[key][work]) for key in kept),
        ]
        for work, times in found["microseconds"].items()
    ]
    return markdown(["work", *columns, *(ratios[key] for key in kept)], rows)


def fastest_peer(point: dict[str, Any]) -> str:
    """Return the name of the fastest peer at a point of a sweep."""
    times = point["microseconds"]
    return min(peers_among(times), key=times.__getitem__)


def over_limit(point: dict[str, Any]) -> float:
    """Return our time over the lesser of NumPy's and a tenth more than the fastest peer's."""
    times = point["microseconds"]
    return float(times["gathernd"] / min(times["NumPy"], times[fastest_peer(point)] / 0.9))


def cliffs(name: str) -> tuple[list[dict[str, Any]], int]:
    """Return the points of a sweep over the limit, and how many there are, from 2^10 tuples on."""
    points = [point for point in record(name)["points"] if point["tuples"] >= 1 << 10]
    return [point for point in points if over_limit(point) > 1], len(points)


def cliffs_count(name: str) -> str:
    """Return how many points of a sweep are cliffs, in words."""
    found, points = cliffs(name)
    return f"{len(found)} of {points} points"


def cliffs_table(name: str) -> str:
    """Return the cliffs of a sweep: microseconds, and our time over the fastest peer's."""
    rows = []
    for point in cliffs(name)[0]:
        peer, times = fastest_peer(point), point["microseconds"]
        row = [point["panel"], point["sweep"], str(point["x"]), peer]
        row += [cell(times[peer], 1, 1), cell(times["gathernd"], 1, 1)]
        rows.append([*row, cell(times["gathernd"], times[peer], 2), point["way"]])
    head = ["work", "sweep", "at", "fastest", "its time", "gathernd", "ratio", "way"]
    return markdown(head, rows)


def memory_table() -> str:
    """Return the bytes for each tuple beyond the result, by the number of threads."""
    found = record("memory")
    counts = list(next(iter(found["bytes"].values())))
    rows = [
        [name, *(f"{max(0, measured[count] / found['tuples']):.0f}" for count in counts)]
        for name, measured in found["bytes"].items()
    ]
    heads = ["1 thread" if count == "1" else f"{count} threads" for count in counts]
    return markdown(["call", *heads], rows)


def torch_table() -> str:
    """Return all works of gathernd.torch and PyTorch's ways: milliseconds of each size."""
    sizes = {  # elements of a row, tuples, rows of the table
        "1048576 of 1 float32, 65536 rows": "2^20 elements into 2^16",
        "65536 of 64 float32, 65536 rows": "2^16 rows of 64 into 2^16",
        "1048576 of 16 float32, 10000 rows": "2^20 rows of 16 into 10,000",
    }
    rows: dict[str, list[str]] = {}
    for title, ways in record("torch_ops")["works"].items():
        kind, size = title.split(": ")
        assert size in sizes
        peers = [way for way in ways if way != "gathernd"]
        row = rows.setdefault(kind, [f"{kind} ({', '.join(f'`{way}`' for way in peers)})"])
        times = {way: cell(found["microseconds"], 1000, 1) for way, found in ways.items()}
        row += [times["gathernd"], ", ".join(times[way] for way in peers)]
    heads = [head for size in sizes.values() for head in (size, "")]
    return markdown(["", *heads], [["", *["gathernd", "PyTorch"] * len(sizes)], *rows.values()])


def dask_gather_table() -> str:
    """Return gathernd.dask.gather_nd beside vindex: milliseconds to build and to compute."""
    rows = [
        [title, *(milliseconds(steps[s][w]) for s in steps for w in ("gather_nd", "vindex"))]
        for title, steps in record("dask_arrays")["gather"].items()
    ]
    heads = ["build: `gather_nd`", "`vindex`", "compute: `gather_nd`", "`vindex`"]
    return markdown(["points, table", *heads], rows)


def dask_scatter_table() -> str:
    """Return the sums of gathernd.dask.scatter_nd beside those of arrays in memory."""
    found = record("dask_arrays")["scatter"]
    rows = [[count, *map(milliseconds, times.values())] for count, times in found.items()]
    return markdown(["updates", "`gathernd.dask`", "`np.add.at`", "`gathernd.scatter_nd`"], rows)


def dask_tasks_table() -> str:
    """Return what the tasks of gathernd.dask.scatter_nd take, with almost no work in each."""
    rows = [
        [blocks, f"{found['tasks']:,}", *(milliseconds(found[s]) for s in ("build", "compute"))]
        for blocks, found in record("dask_arrays")["tasks"].items()
    ]
    return markdown(["blocks x chunks", "tasks", "build", "compute"], rows)


def milliseconds(seconds: float) -> str:
    """Return a time in milliseconds; from ten seconds on in seconds."""
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds * 1e3:.0f} ms"


def draw() -> None:
    """Write the pictures; each names the record that it shows."""
    from matplotlib import pyplot

    from at_forms import figure_of
    from plot import figure_of_race
    from sweep_plot import figure_of_sweep

    race = record("race")
    title = f"{race['machine']}: {race['threads']} threads, medians"
    peers = [*peers_of(race), "gathernd"]
    figures = {
        "speed": (chart(), 160),
        "race": (figure_of_race(race["microseconds"], peers, title), 120),
        "at_forms": (figure_of(record("at_forms")), 110),
    }
    for picture, shown in PICTURES.items():
        if picture.startswith("sweep_"):
            sweep = picture.removeprefix("sweep_")
            figures[picture] = (figure_of_sweep(sweep, record(shown)), 110)
    for name, (figure, dpi) in figures.items():
        figure.savefig(IMAGES / f"{name}.png", dpi=dpi, metadata={"Source": digest(PICTURES[name])})
        pyplot.close(figure)


if __name__ == "__main__":
    draw()
