"""How fast each SIMD target of this machine is: python benchmarks/targets.py [--only TEXT].

Every kind of work runs on each target, on one thread and tables in the cache, once a round in a new
order. Prints medians in nanoseconds a tuple, names the work at which a target is slower than a
narrower one by more than a sixth, and writes all as JSON.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import gathernd as gnd
from contest import introduce
from gathernd import _core
from gathernd._cli.bench import Call, race

N = 1 << 13  # tuples
ROWS = 1000  # of a table
Work = Callable[[], Any]


def gathers(rng: np.random.Generator) -> Iterator[tuple[str, Work]]:
    """Elements by tuples of each length and type, in each mode, and packed otherwise."""
    for depth, side in ((1, 120), (2, 64), (3, 16), (4, 8), (5, 5), (6, 4)):
        table = np.zeros((side,) * depth, np.float32)
        indices = rng.integers(0, side, (N, depth))
        for dtype in (np.uint8, np.int32, np.int64):
            tuples = indices.astype(dtype)
            name = f"gather by {depth}-tuples, {np.dtype(dtype).name}"
            yield name, functools.partial(gnd.gather_nd, table, tuples)
    indices, table = rng.integers(0, 64, (N, 2)), np.zeros((64, 64), np.float32)
    columns = np.asfortranarray(indices)
    yield "gather by 2-tuples in columns", functools.partial(gnd.gather_nd, table, columns)
    for mode in ("clip", "wrap", "fill"):
        call = functools.partial(gnd.gather_nd, table, indices, mode=mode)
        yield f"gather by 2-tuples, {mode}", call


def rows(rng: np.random.Generator) -> Iterator[tuple[str, Work]]:
    indices = rng.integers(0, ROWS, (N, 1))
    for size in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 100, 256):
        table, updates = np.zeros((ROWS, size), np.uint8), np.zeros((N, size), np.uint8)
        yield f"gather rows of {size} bytes", functools.partial(gnd.gather_nd, table, indices)
        call = functools.partial(gnd.scatter_nd, table, indices, updates, out=table)
        yield f"set rows of {size} bytes", call


def reductions(rng: np.random.Generator) -> Iterator[tuple[str, Work]]:
    indices = rng.integers(0, ROWS, (N, 1))
    for kind in ("add", "mul", "max"):
        for dtype in ("int8", "int32", "int64", "float16", "float32", "float64", "complex64"):
            for length in (1, 3, 16):
                if kind == "max" and dtype == "complex64":
                    continue
                # Larger than what each thread would have a table of its own for.
                table, updates = np.zeros((1 << 17, length), dtype), np.zeros((N, length), dtype)
                call = functools.partial(gnd.scatter_nd, table, indices, updates, kind, out=table)
                yield f"{kind} rows of {length} {dtype}", call


def on_target(target: str, work: Work) -> Call:
    def call() -> Any:
        _core.set_cpu_target(target)
        return work()

    return call


def slow_ones(targets: list[str], times: list[float]) -> str:
    slow = [
        target
        for i, target in enumerate(targets)
        if times[i] > 7 / 6 * min(times[i + 1 :], default=times[i])
    ]
    return f"slow: {', '.join(slow)}" if slow else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="", help="work whose name has this text")
    parser.add_argument("--output", type=Path, default=Path("benchmark_output"))
    options = parser.parse_args()
    gnd.set_num_threads(1)
    head = introduce(1)
    targets = _core.cpu_targets()
    print(f"{'nanoseconds a tuple':34s}" + "".join(f"{target:>9s}" for target in targets))
    table: dict[str, list[float]] = {}
    for kind in (gathers, rows, reductions):
        for name, work in kind(np.random.default_rng(0)):
            if options.only not in name:
                continue
            times = race({target: on_target(target, work) for target in targets}, options.rounds)
            table[name] = [times[target] * 1e3 / N for target in targets]
            cells = "".join(f"{time:9.2f}" for time in table[name])
            print(f"{name:34s}{cells}  {slow_ones(targets, table[name])}", flush=True)
    options.output.mkdir(exist_ok=True)
    record = {**head, "targets": targets, "nanoseconds": table}
    (options.output / "targets.json").write_text(json.dumps(record, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
