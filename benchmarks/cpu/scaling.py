"""How calls scale with threads: alone, beside idle pools of threads, and beside a busy process.

    python benchmarks/cpu/scaling.py [--threads 1 2 4 8] [--company alone pools busy] [--json FILE]

Each company has a process of its own. `pools`: PyTorch and JAX, if installed, have started their
threads; `turns`: they also do some work before each turn of ours; `busy`: another process has as
many busy threads as there are processors. The numbers of threads take turns. Times are medians and
means of single calls, in microseconds.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import gathernd as gnd
from gathernd import _core

Call = Callable[[], object]

COMPANY = ("alone", "pools", "turns", "busy")
TURN = 0.01  # seconds; the least length of one


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def cases() -> dict[str, tuple[Call, Call | None]]:
    """The calls, and NumPy's where it has one of the same result."""
    rng = np.random.default_rng(2026)
    n, rows = 900_000, 60_000

    def tuples(count: int, *sizes: int) -> np.ndarray:
        return np.stack([rng.integers(0, size, count) for size in sizes], axis=-1)

    def scatter(
        size: int, count: int, row: tuple[int, ...], dtype: str, reduction: str
    ) -> tuple[Call, Call]:
        table = np.zeros((size, *row), dtype)
        updates = rng.integers(0, 100, (count, *row)).astype(dtype)
        indices = tuples(count, size)
        key = indices[:, 0]
        ufunc = {"add": np.add, "max": np.maximum, "none": None}[reduction]

        def numpy_scatter() -> None:
            if ufunc is None:
                table[key] = updates
            else:
                ufunc.at(table, key, updates)

        return (
            lambda: gnd.scatter_nd(table, indices, updates, reduction, out=table),
            numpy_scatter,
        )

    def gather(shape: tuple[int, ...], count: int, depth: int) -> tuple[Call, Call]:
        table = rng.random(shape, dtype=np.float32)
        indices = tuples(count, *shape[:depth])
        key = tuple(indices[:, k] for k in range(depth))
        return lambda: gnd.gather_nd(table, indices), lambda: table[key]

    return {
        "add 9*10^5 f32 into 70,000": scatter(70_000, n, (), "f4", "add"),
        "max 9*10^5 i32 into 70,000": scatter(70_000, n, (), "i4", "max"),
        "add 60,000 rows of 40 f32 into 30,000": scatter(30_000, rows, (40,), "f4", "add"),
        "set 9*10^5 f32 into 3*10^6": scatter(3_000_000, n, (), "f4", "none"),
        "gather 9*10^5 2-tuples of 1700 x 1900": gather((1700, 1900), n, 2),
        "gather 60,000 rows of 40 of 2^18": gather((1 << 18, 40), rows, 1),
    }


def start_pools() -> list[Call]:
    """Start the threads of PyTorch and JAX; return calls that use them."""
    work: list[Call] = []
    values = np.ones(1 << 22, np.float32)
    try:
        import torch

        tensor = torch.from_numpy(values)
        work.append(lambda: tensor.sqrt().sum().item())
    except ImportError:
        pass
    try:
        import jax

        jax.config.update("jax_platforms", "cpu")
        array = jax.numpy.asarray(values)
        compiled = jax.jit(lambda x: jax.numpy.sqrt(x).sum())
        work.append(lambda: compiled(array).block_until_ready())
    except ImportError:
        pass
    for call in work:
        for _ in range(3):
            call()
    return work


def burn(threads: int) -> None:
    """Keep threads busy until the process is ended."""

    def spin() -> None:
        while True:
            hashlib.pbkdf2_hmac("sha256", b"busy", b"thread", 1_000_000)  # without the GIL

    for _ in range(threads):
        threading.Thread(target=spin, daemon=True).start()
    while os.getppid() != 1:
        time.sleep(0.2)


@contextmanager
def busy_process(threads: int) -> Iterator[None]:
    process = subprocess.Popen([sys.executable, __file__, "--burn", str(threads)])
    time.sleep(0.5)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def time_calls(call: Call, seconds: float) -> list[float]:
    """Microseconds of single calls, after one that is not timed."""
    call()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        begin = time.perf_counter()
        call()
        times.append((time.perf_counter() - begin) * 1e6)
    return times


def measure(calls: dict[str, Call], seconds: float, before: list[Call]) -> dict[str, Any]:
    """The calls in turns of a new order each time."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    names = list(calls)
    for _ in range(max(3, round(seconds / TURN))):
        random.shuffle(names)
        for name in names:
            for work in before:
                work()
            times[name] += time_calls(calls[name], TURN)
    return {
        name: {
            "median": round(statistics.median(each), 1),
            "mean": round(statistics.fmean(each), 1),
            "least": round(min(each), 1),
        }
        for name, each in times.items()
    }


def run(
    threads: list[int], company: str, seconds: float, forced: str, only: str
) -> list[dict[str, Any]]:
    pools = start_pools() if company in ("pools", "turns") else []
    before = pools if company == "turns" else []
    results = []
    for name, (call, numpy_call) in cases().items():
        ways: dict[str, str] = {}
        if only not in name:
            continue

        def with_threads(count: int, call: Call = call) -> Call:
            def limited() -> None:
                gnd.set_num_threads(count)
                call()

            return limited

        if forced and not name.startswith("gather"):
            _core.force_scatter(forced)
        calls = {str(count): with_threads(count) for count in threads}
        for count in threads:
            gnd.set_num_threads(count)
            [ways[str(count)]] = _core.explain(call)
        if numpy_call is not None and not forced:
            calls["NumPy"] = numpy_call
        times = measure(calls, seconds, before)
        _core.force_scatter("")
        results.append({"company": company, "case": name, "ways": ways, "microseconds": times})
        print_result(results[-1])
    return results


def print_result(result: dict[str, Any]) -> None:
    times = result["microseconds"]
    print(f"{result['company']:6} {result['case']}")
    for statistic in ("median", "mean", "least"):
        row = "".join(f"{name:>7} {each[statistic]:8.0f}" for name, each in times.items())
        print(f"    {statistic:7}{row}")
    ways = [way.partition(": ")[2] for way in result["ways"].values()]
    print("    " + "; ".join(dict.fromkeys(ways)), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    most = processors()
    counts = sorted({1, 2, 4, 7, 8, 12, 16} & set(range(most)) | {most})
    parser.add_argument("--threads", type=int, nargs="+", default=counts)
    parser.add_argument("--company", nargs="+", choices=COMPANY, default=COMPANY)
    parser.add_argument("--seconds", type=float, default=0.1, help="of each number of threads")
    parser.add_argument("--way", default="", help="force scatters to go this way")
    parser.add_argument("--only", default="", help="cases whose name has this")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--burn", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.burn:
        burn(options.burn)
        return
    if options.child:
        [company] = options.company
        results = run(options.threads, company, options.seconds, options.way, options.only)
        options.json.write_text(json.dumps(results))
        return
    results = []
    for company in options.company:
        part = Path(f"{options.json or 'scaling'}.{company}.part")
        command = [sys.executable, __file__, "--child", "--company", company, "--json", str(part)]
        command += ["--seconds", str(options.seconds), "--way", options.way]
        command += ["--only", options.only]
        command += ["--threads", *map(str, options.threads)]
        if company == "busy":
            with busy_process(most):
                subprocess.run(command, check=True)
        else:
            subprocess.run(command, check=True)
        results += json.loads(part.read_text())
        part.unlink()
    if options.json:
        machine = {"cpu": platform.processor() or platform.machine(), "cpus": most}
        text = {"target": _core.cpu_target(), "version": gnd.__version__, **machine}
        options.json.write_text(json.dumps({**text, "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
