"""gathernd.dask beside Dask's vindex and NumPy, and where the number of tasks ends it.

    pip install "gathernd[dask]"
    python benchmarks/dask_arrays.py              # all of these; or some:
    python benchmarks/dask_arrays.py pairs gather scatter tasks --pairs 100000000

Each number is the least of several runs; the two of a pair take turns, in one process. Prints
them, and writes them as JSON, in seconds.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
from dask.system import CPU_COUNT

import gathernd as gnd
import gathernd.dask as gnd_dask
from gathernd._cli.bench import where_and_what

Record = dict[str, dict[str, Any]]


def race(ways: dict[str, Callable[[], Any]], runs: int) -> dict[str, float]:
    """Return the least time of each way, by turns."""
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(runs):
        for name, way in ways.items():
            start = time.perf_counter()
            way()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def show(*cells: Any, widths: tuple[int, ...] = (48, 14, 14, 14)) -> None:
    print(
        "".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=False)), flush=True
    )


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.0f} ms"


def power(count: int) -> str:
    return f"10^{round(math.log10(count))}"


def bench_gather(runs: int) -> Record:
    """Build and compute, of known points: scalars of a table in three dimensions, and rows."""
    show("gather_nd beside vindex", "gather_nd", "vindex", "times faster")
    rng = np.random.default_rng(0)
    record: Record = {}
    for shape, chunk, depth in (((200,) * 3, 50, 3), ((200,) * 3, 20, 3), ((10**5, 64), 5000, 1)):
        table = da.random.default_rng(0).random(shape, chunks=chunk).persist()
        for count in (10**4, 10**5 if chunk == 20 else 10**6):  # vindex takes a minute for more
            points = rng.integers(0, shape[:depth], (count, depth))

            def build(points: np.ndarray = points, table: da.Array = table) -> da.Array:
                return gnd_dask.gather_nd(table, points)

            def vindex(points: np.ndarray = points, table: da.Array = table) -> da.Array:
                return table.vindex[tuple(points.T)]

            ours, theirs = build(), vindex()
            assert (ours.compute() == theirs.compute()).all()
            what = " of 200^3" if depth == 3 else " rows of 64"
            title = f"{power(count)}{what}, {table.npartitions} chunks"
            record[title] = {}
            for step, ways in {
                "build": {"gather_nd": build, "vindex": vindex},
                "compute": {"gather_nd": ours.compute, "vindex": theirs.compute},
            }.items():
                best = record[title][step] = race(ways, runs)
                times = f"{best['vindex'] / best['gather_nd']:.1f}"
                show(f"{title}: {step}", *map(milliseconds, best.values()), times)
    return record


def bench_scatter(runs: int) -> Record:
    """Sums of lazy updates at lazy points, beside the same in memory by NumPy and by this."""
    show("scatter_nd add", "in chunks", "np.add.at", "in memory")
    rng = np.random.default_rng(0)
    record: Record = {}
    for count in (10**6, 10**7):
        points, updates = rng.integers(0, count, (count, 1)), rng.random(count, "f4")
        table = np.zeros(count, "f4")
        lazily = gnd_dask.scatter_nd(
            da.zeros(count, chunks=count // 8, dtype="f4"),
            da.from_array(points, chunks=(count // 8, 1)),
            da.from_array(updates, chunks=count // 8),
            "add",
        )
        expected = gnd.scatter_nd(table, points, updates, "add")
        assert lazily.compute().tobytes() == expected.tobytes()
        ways = {
            "in chunks": lazily.compute,
            "np.add.at": lambda t=table, p=points, u=updates: np.add.at(t.copy(), p[:, 0], u),
            "in memory": lambda t=table, p=points, u=updates: gnd.scatter_nd(t, p, u, "add"),
        }
        best = record[power(count)] = race(ways, runs)
        show(f"{power(count)} updates, 8 x 8 blocks", *map(milliseconds, best.values()))
    return record


def bench_tasks(runs: int) -> Record:
    """Blocks times chunks: what each piece costs to plan and to run, with almost no work in it."""
    show("a lazy scatter_nd add", "tasks", "build", "compute")
    record: Record = {}
    for blocks, chunks in ((10, 100), (100, 100), (100, 1000), (300, 1000)):
        count = 1000 * blocks
        points = da.random.default_rng(0).integers(0, 100 * chunks, (count, 1), chunks=(1000, 1))

        def build(points: da.Array = points, chunks: int = chunks, n: int = count) -> da.Array:
            table = da.zeros(100 * chunks, chunks=100, dtype="i4")
            return gnd_dask.scatter_nd(table, points, da.ones(n, chunks=1000, dtype="i4"), "add")

        array = build()
        tasks = len(array.dask.layers[array.name])
        ways = {"build": build, "compute": array.sum().compute}
        best = race(ways, 1 if chunks > 100 else runs)
        record[f"{blocks} x {chunks}"] = {"tasks": tasks, **best}
        show(f"{blocks} blocks, {chunks} chunks", tasks, *map(milliseconds, best.values()))
    return record


def bench_pairs(count: int) -> Record:
    """Very many lazy pairs of a point and an update, into and out of a table of as many."""
    show(f"{power(count)} lazy pairs, two threads", "seconds", "MiB at most")
    rng = da.random.default_rng(0)
    block = min(count, 5 * 10**6)
    points = rng.integers(0, count, (count, 1), chunks=(block, 1), dtype="i8")
    table = da.zeros(count, chunks=count // 32, dtype="f4")
    updates = da.ones(count, chunks=block, dtype="f4")
    jobs = {
        'scatter_nd(..., "add")': lambda: gnd_dask.scatter_nd(table, points, updates, "add").sum(
            dtype="f8"
        ),
        "gather_nd": lambda: gnd_dask.gather_nd(table + 1, points).sum(dtype="f8"),
    }
    record: Record = {}
    for name, job in jobs.items():
        start = time.perf_counter()
        with dask.config.set(scheduler="threads", num_workers=2):
            total = job().compute()
        assert total == count
        seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        record[name] = {"pairs": count, "seconds": seconds, "MiB": peak}
        show(name, f"{seconds:.1f}", peak)
    return record


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = ["pairs", "gather", "scatter", "tasks"]  # pairs first: it shows the process's peak
    parser.add_argument("what", nargs="*", default=names, help=", ".join(names))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--pairs", type=int, default=10**7)
    parser.add_argument("--output", type=Path, default=Path("benchmark_output"))
    options = parser.parse_args()
    head = where_and_what()
    versions = {**head["versions"], "Dask": dask.__version__}
    record: dict[str, Any] = {**head, "threads": CPU_COUNT, "versions": versions}
    benches = {"gather": bench_gather, "scatter": bench_scatter, "tasks": bench_tasks}
    for name in options.what:
        if name == "pairs":
            record[name] = bench_pairs(options.pairs)
        else:
            record[name] = benches[name](options.runs)
        print()
    options.output.mkdir(exist_ok=True)
    (options.output / "dask_arrays.json").write_text(json.dumps(record, indent=1))


if __name__ == "__main__":
    main()
