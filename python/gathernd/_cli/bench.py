"""The kinds of work that the benchmarks time, and the race itself: `python -m gathernd bench`.

NumPy is the only peer here; the script in `benchmarks/` adds others.
"""

from __future__ import annotations

import json
import math
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from gathernd import _core
from gathernd._arguments.options import Reduction
from gathernd._config import config_text
from gathernd._devices import Device
from gathernd._gather import gather_nd
from gathernd._scatter import scatter_nd

__all__ = [
    "Case",
    "cases",
    "main",
    "numpy_call",
    "our_call",
    "processors",
    "race",
    "random_data",
    "random_tuples",
    "start_of",
    "where_and_what",
]

Array = np.ndarray[Any, Any]
Call = Callable[[], Array]
T = TypeVar("T")


@dataclass(frozen=True)
class Case:
    """One kind of work. Scatters have updates; `bar` is the wanted ratio to the best peer.

    What works in place has a copy of the input of its own, and writes into that at each call.
    """

    name: str
    bar: float
    input: Array
    indices: Array
    updates: Array | None = None
    reduction: Reduction = "none"
    batch_dims: int = 0
    in_place: bool = False
    device: str = "cpu"


def random_data(rng: np.random.Generator, *shape: int, dtype: Any = np.float32) -> Array:
    """Draw a table, or updates."""
    if np.dtype(dtype).kind in "iu":
        return rng.integers(0, 100, shape, dtype=dtype)
    return rng.random(shape, dtype=np.float32).astype(dtype, copy=False)


def random_tuples(
    rng: np.random.Generator, n: int | tuple[int, ...], *sizes: int, dtype: Any = np.int64
) -> Array:
    """Draw n tuples, or tuples in the shape n, of a number below each size."""
    shape = n if isinstance(n, tuple) else (n,)
    return np.stack([rng.integers(0, size, shape, dtype=dtype) for size in sizes], axis=-1)


def cases() -> Iterator[Case]:
    """Make the kinds of work one after the other; the largest takes 512 MiB."""
    rng = np.random.default_rng(2026)
    data, tuples = partial(random_data, rng), partial(random_tuples, rng)
    f64, f16, u8, i32 = np.float64, np.float16, np.uint8, np.int32
    m = 1 << 20
    yield Case("2^16 rows of 64 f32 from 2^20", 1.6, data(m, 64), tuples(1 << 16, m))
    yield Case("2^20 f32 from 2^16 (cache)", 1.4, data(1 << 16), tuples(m, 1 << 16))
    yield Case("2^20 f32 from 2^26 (memory)", 1.0, data(1 << 26), tuples(m, 1 << 26))
    yield Case("2^20 2-tuples, 2048^2 f32", 2, data(2048, 2048), tuples(m, 2048, 2048))
    yield Case("2^20 3-tuples, 256^3 u8", 2, data(256, 256, 256, dtype=u8), tuples(m, *[256] * 3))
    yield Case(
        "2^20 RGB pixels, 2-tuples", 1.3, data(2048, 2048, 3, dtype=u8), tuples(m, 2048, 2048)
    )
    yield Case(
        "32 batches: 256 rows of 64 of 4096", 1.3, data(32, 4096, 64), tuples((32, 256), 4096),
        batch_dims=1,
    )  # fmt: skip
    yield Case("1024 rows of 4096 f32", 1.0, data(4096, 4096), tuples(1024, 4096))
    yield Case("2^20 rows of 8 f16, i32", 1.4, data(m, 8, dtype=f16), tuples(m, m, dtype=i32))
    yield Case(
        "2^20 f64 from 2^22, i32", 1.3, data(1 << 22, dtype=f64), tuples(m, 1 << 22, dtype=i32)
    )
    yield Case("2^20 5-tuples, 16^5 f32", 1.5, data(*[16] * 5), tuples(m, *[16] * 5))
    yield Case(
        "scatter 2^15 rows of 64 into 2^18", 1.2, data(1 << 18, 64), tuples(1 << 15, 1 << 18),
        data(1 << 15, 64),
    )  # fmt: skip
    yield Case("scatter 2^20 f32 into 2^22", 1.2, data(1 << 22), tuples(m, 1 << 22), data(m))
    yield Case("scatter 2^20 2-tuples, 2048^2", 2, data(2048, 2048), tuples(m, 2048, 2048), data(m))
    yield Case(
        "scatter 2^20 3-tuples, 256^3 u8", 2, data(256, 256, 256, dtype=u8),
        tuples(m, *[256] * 3), data(m, dtype=u8),
    )  # fmt: skip
    yield Case("add 2^20 into 2^16 f32", 1.2, data(1 << 16), tuples(m, 1 << 16), data(m), "add")
    yield Case(
        "add 2^16 rows of 64 into 2^16", 1.3, data(1 << 16, 64), tuples(1 << 16, 1 << 16),
        data(1 << 16, 64), "add",
    )  # fmt: skip
    yield Case(
        "max 2^20 into 2^16 i32", 1.3, data(1 << 16, dtype=i32), tuples(m, 1 << 16),
        data(m, dtype=i32), "max",
    )  # fmt: skip


def start_of(case: Case, copy: Callable[[], T]) -> Callable[[], T]:
    """Return what gives a scatter its target: a new copy for each call, or in place always one."""
    if not case.in_place:
        return copy
    target = copy()
    return lambda: target


def our_call(case: Case) -> Call:
    """Return the case as a call of gathernd."""
    if case.updates is None:
        return lambda: gather_nd(case.input, case.indices, case.batch_dims, device=case.device)
    target = case.input.copy() if case.in_place else case.input
    out = target if case.in_place else None
    updates, reduction = case.updates, case.reduction
    return lambda: scatter_nd(
        target, case.indices, updates, reduction, case.batch_dims, out=out, device=case.device
    )


def numpy_call(case: Case) -> Call:
    """Return the case as a NumPy user writes it."""
    key = tuple(case.indices[..., k] for k in range(case.indices.shape[-1]))
    if case.batch_dims:
        shape = case.indices.shape[:-1]
        grid = np.ogrid[tuple(slice(n) for n in shape)]
        key = (*grid[: case.batch_dims], *key)
    if case.updates is None:
        return lambda: case.input[key]
    updates = case.updates
    ufunc = {"add": np.add, "max": np.maximum, "none": None}[case.reduction]
    start = start_of(case, case.input.copy)

    def scatter() -> Array:
        result = start()
        if ufunc is None:
            result[key] = updates
        else:
            ufunc.at(result, key, updates)
        return result

    return scatter


def race(
    calls: Mapping[str, Callable[[], object]],
    rounds: int,
    seconds: float = math.inf,
    rest: float = 0.0,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Time warm calls, all in each round; return the medians in microseconds.

    Their order is new in each round: a peer's threads that keep spinning slow whoever comes next.
    A sample is as many calls as fill half a millisecond. Those under 10 ms run once more before it,
    untimed: caches become warm, and the threads with which the peer before waits fall asleep.
    There are no more rounds after `seconds`, and but two for what takes 20 times the least.
    With `rest`, so many seconds pass before each turn: all threads are asleep, as in a notebook.
    `clock`: time.process_time is for one thread on a machine that others keep busy.
    """

    def sample(call: Callable[[], object], repeats: int) -> float:
        start = clock()
        for _ in range(repeats):
            call()
        return (clock() - start) / repeats * 1e6

    end = time.perf_counter() + seconds
    first = {name: min(sample(call, 1), sample(call, 1)) for name, call in calls.items()}
    slow = 20 * min(first.values(), default=0)
    times: dict[str, list[float]] = {name: [] for name in calls}
    turns, order = random.Random(0), list(calls.items())
    for done in range(rounds):
        if done >= 3 and time.perf_counter() > end:
            break
        turns.shuffle(order)
        for name, call in order:
            if done >= 2 and first[name] > slow:
                continue
            repeats = math.ceil(500 / max(first[name], 0.1))
            time.sleep(rest)
            if first[name] < 10_000:
                sample(call, repeats)
            times[name].append(sample(call, repeats))
    return {name: statistics.median(values) for name, values in times.items()}


def processor() -> str:
    """Return the name of the processor, as far as the system tells."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def where_and_what() -> dict[str, Any]:
    """Return the head of a record: machine, day, SIMD target, threads and versions."""
    return {
        "machine": f"{processor()}, {processors()} processors",
        "date": date.today().isoformat(),
        "target": _core.cpu_target(),
        "threads": _core.num_threads(),
        "versions": {
            "Python": platform.python_version(),
            "NumPy": np.__version__,
            "gathernd": _core.__version__,
        },
    }


def main(rounds: int, rest: float, as_json: bool, device: str) -> int:
    """Race NumPy over all the cases; print the medians, and which way gathernd went.

    `rest` is in milliseconds; `device` is where gathernd works. JSON is printed at the end, in the
    form that `race.py` writes.
    """
    Device(device)  # raises before anything is printed
    microseconds: dict[str, dict[str, float]] = {}
    ways: dict[str, str] = {}
    if not as_json:
        print(config_text())
        title = f"microseconds, medians of {rounds}"
        print(f"\n{title:40s}{'NumPy':>10s}{'gathernd':>10s}{'ratio':>8s}  way")
    for on_cpu in cases():
        case = replace(on_cpu, device=device)
        ours, numpys = our_call(case), numpy_call(case)
        # NumPy promises no order of duplicates, so a scatter without reduction is not compared.
        ordered = case.updates is None or case.reduction != "none"
        if ordered and not np.array_equal(ours(), numpys()):
            print(f"{case.name}: the results differ", file=sys.stderr)
            return 1
        times = race({"NumPy": numpys, "gathernd": ours}, rounds, rest=rest / 1e3)
        way = ", ".join(went.partition(": ")[2] for went in _core.explain(ours))
        microseconds[case.name] = {name: round(time, 2) for name, time in times.items()}
        ways[case.name] = way
        if not as_json:
            ratio = times["NumPy"] / times["gathernd"]
            columns = f"{times['NumPy']:10.0f}{times['gathernd']:10.0f}{ratio:8.2f}"
            print(f"{case.name:40s}{columns}  {way}", flush=True)
    if as_json:
        settings = {"rounds": rounds, "rest": rest, "device": device}
        record = {**where_and_what(), **settings, "microseconds": microseconds, "ways": ways}
        print(json.dumps(record, indent=1))
    return 0
