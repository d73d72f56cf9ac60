"""What each way of the CPU gains: a call as it goes, and forced to go each other way.

    python benchmarks/strategies.py [--threads N] [--json FILE]

Times are medians of turns that alternate. A way that cannot do a call is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import gathernd as gnd
from gathernd import _core

SCATTER = ("private tables", "winners", "columns", "groups", "blocks")
GATHER = ("blocks", "kept rows", "rows", "columns")
TURNS, SECONDS = 9, 0.02  # per way: turns, and the least length of one


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=gnd.get_num_threads())
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    gnd.set_num_threads(options.threads)
    results = []
    for name, call in cases().items():
        [chosen] = _core.explain(call)
        op, _, way = chosen.partition(": ")
        times = race(op, call)
        results.append({"case": name, "goes": way, "milliseconds": times})
        row = "  ".join(f"{w} {t:.3f}" for w, t in times.items())
        print(f"{name:44} {way:44} {row}", flush=True)
    if options.json:
        machine = {"cpu": platform.processor() or platform.machine(), "cpus": os.cpu_count()}
        text = {"threads": options.threads, "target": _core.cpu_target(), **machine}
        options.json.write_text(json.dumps({**text, "results": results}, indent=1) + "\n")


def race(op: str, call: Callable[[], object]) -> dict[str, float]:
    """Milliseconds of the call, by each way that it can go: "" as it goes by itself."""
    force = _core.force_gather if op == "gather" else _core.force_scatter
    ways = {"": call}
    for way in GATHER if op == "gather" else SCATTER:
        force(way)
        [gone] = _core.explain(call)
        if gone.partition(": ")[2].partition(",")[0] == way:
            ways[way] = call
    force("")
    times: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(TURNS):
        for way in ways:
            force(way)
            times[way].append(time_of(call))
    force("")
    return {way or "as it goes": round(statistics.median(t) * 1e3, 4) for way, t in times.items()}


def time_of(call: Callable[[], object]) -> float:
    call()
    count, begin = 0, time.perf_counter()
    while (taken := time.perf_counter() - begin) < SECONDS:
        call()
        count += 1
    return taken / count


def cases() -> dict[str, Callable[[], object]]:
    rng = np.random.default_rng(1)
    many = 1 << 20

    def tuples(n: int, size: int) -> np.ndarray:
        return rng.integers(0, size, (n, 1))

    def scatter(
        size: int, n: int, row: int, dtype: str, reduction: str = "none", **options: str
    ) -> Callable[[], object]:
        table = np.zeros((size, row)[: 1 if row == 1 else 2], dtype)
        updates = np.ones((n, *table.shape[1:]), dtype)
        indices = tuples(n, size)
        return lambda: gnd.scatter_nd(table, indices, updates, reduction, out=table, **options)

    def scatter_by_plan(
        size: int, n: int, row: int, dtype: str, reduction: str, ascending: bool = False
    ) -> Callable[[], object]:
        table = np.zeros((size, row)[: 1 if row == 1 else 2], dtype)
        updates = np.ones((n, *table.shape[1:]), dtype)
        indices = np.sort(tuples(n, size), axis=0) if ascending else tuples(n, size)
        plan = gnd.IndexPlan(table.shape, indices)
        return lambda: plan.scatter(table, updates, reduction, out=table)

    def gather(
        size: int, n: int, row: int, dtype: str, *, into: bool = True, **options: str
    ) -> Callable[[], object]:
        table = np.zeros((size, row)[: 1 if row == 1 else 2], dtype)
        out = np.empty((n, *table.shape[1:]), dtype) if into else None
        indices = tuples(n, size)
        return lambda: gnd.gather_nd(table, indices, out=out, **options)

    return {
        "set 2^20 floats into 2^10": scatter(1 << 10, many, 1, "f4"),
        "set 2^20 floats into 2^16": scatter(1 << 16, many, 1, "f4"),
        "set 2^20 floats into 2^22": scatter(1 << 22, many, 1, "f4"),
        "set 2^16 rows of 64 into 2^12": scatter(1 << 12, 1 << 16, 64, "f4"),
        "set 2^16 rows of 64 into 2^18": scatter(1 << 18, 1 << 16, 64, "f4"),
        "set 2^20 floats into 2^22, drop": scatter(1 << 22, many, 1, "f4", mode="drop"),
        "count 2^20 int32 into 2^10": scatter(1 << 10, many, 1, "i4", "add"),
        "count 2^20 int32 into 2^16": scatter(1 << 16, many, 1, "i4", "add"),
        "max of 2^20 floats into 2^4": scatter(1 << 4, many, 1, "f4", "max"),
        "max of 2^20 floats into 2^16": scatter(1 << 16, many, 1, "f4", "max"),
        "add 2^20 halves into 2^12": scatter(1 << 12, many, 1, "f2", "add"),
        "add 2^20 floats into 2^10": scatter(1 << 10, many, 1, "f4", "add"),
        "add 2^20 floats into 2^16": scatter(1 << 16, many, 1, "f4", "add"),
        "add 2^20 floats into 2^22": scatter(1 << 22, many, 1, "f4", "add"),
        "add 2^20 floats into 2^22, drop": scatter(1 << 22, many, 1, "f4", "add", mode="drop"),
        "add 2^16 rows of 40 into 2^18": scatter(1 << 18, 1 << 16, 40, "f4", "add"),
        "add 16 rows of 2^20": scatter(64, 16, many, "f4", "add"),
        "add 2^10 rows of 2^11": scatter(1 << 10, 1 << 10, 1 << 11, "f4", "add"),
        "plan: set 2^20 floats into 2^16": scatter_by_plan(1 << 16, many, 1, "f4", "none"),
        "plan: add 2^20 floats into 2^16": scatter_by_plan(1 << 16, many, 1, "f4", "add"),
        "plan: add 2^20 floats into 2^22": scatter_by_plan(1 << 22, many, 1, "f4", "add"),
        "plan: add 2^20 floats into 2^22, ascending": scatter_by_plan(
            1 << 22, many, 1, "f4", "add", True
        ),
        "gather 2^20 floats of 2^22": gather(1 << 22, many, 1, "f4", into=False),
        "gather 2^20 floats of 2^22 into out": gather(1 << 22, many, 1, "f4"),
        "gather 2^20 floats of 2^22 into out, clip": gather(1 << 22, many, 1, "f4", mode="clip"),
        "gather 2^20 bytes of 2^16 into out": gather(1 << 16, many, 1, "u1"),
        "gather 2^20 bytes of 2^24 into out": gather(1 << 24, many, 1, "u1"),
        "gather 2^16 rows of 64 of 2^18 into out": gather(1 << 18, 1 << 16, 64, "f4"),
        "gather 2 rows of 2^22": gather(8, 2, 1 << 22, "f4"),
        "gather 6 rows of 2^20": gather(8, 6, 1 << 20, "f4"),
    }


if __name__ == "__main__":
    main()
