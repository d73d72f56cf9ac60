"""What a call costs by itself, by a plan, with few tuples, with a large target.

python benchmarks/calls.py [--threads 2]

Prints medians in microseconds, and writes them as JSON.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import gathernd as gnd
from contest import introduce
from gathernd._cli.bench import Call, Case, numpy_call, our_call, processors, race
from sweep import free_memory
from sweeps import cube, work

Table = dict[str, dict[str, float]]


def print_table(title: str, table: Table) -> None:
    columns = next(iter(table.values()))
    print(f"{title:34s}" + "".join(f"{column:>15s}" for column in columns))
    for name, times in table.items():
        print(f"{name:34s}" + "".join(f"{time:15.2f}" for time in times.values()))
    print(flush=True)


def overhead(rounds: int) -> Table:
    """A gather of two rows of two floats."""
    a = np.ones((2, 2), np.float32)
    i, indices, out = np.array([0, 1]), np.array([[0], [1]]), np.empty((2, 2), np.float32)
    plan = gnd.IndexPlan(a.shape, indices)
    calls: dict[str, Call] = {
        "a[i]": lambda: a[i],
        "a.take": lambda: a.take(i, axis=0),
        "gather_nd": lambda: gnd.gather_nd(a, indices),
        "with out": lambda: gnd.gather_nd(a, indices, out=out),
        "plan": lambda: plan.gather(a),
        "plan with out": lambda: plan.gather(a, out=out),
    }
    return {"two rows of two": race(calls, rounds)}


def few(rounds: int) -> Table:
    """Elements of 64 MiB by few tuples: the same ones at every call, then new ones each time."""
    table = np.ones(1 << 24, np.float32)
    rng = np.random.default_rng(2026)
    result = {}
    for n in (64, 256, 1024, 4096, 16384):
        for name, many in (("the same", 1), ("new", (1 << 20) // n)):
            indices = itertools.cycle(list(rng.integers(0, len(table), (many, n, 1))))
            calls: dict[str, Call] = {
                "x[i]": lambda indices=indices: table[next(indices)[:, 0]],
                "x.take": lambda indices=indices: table.take(next(indices)[:, 0]),
                "gather_nd": lambda indices=indices: gnd.gather_nd(table, next(indices)),
            }
            result[f"{n} elements, {name}"] = race(calls, rounds)
    return result


def targets(rounds: int) -> Table:
    """1000 rows of 16 floats, scattered in place into targets of many sizes."""
    result = {}
    for size in (1 << bits for bits in range(20, 33, 2)):
        name = f"1000 rows into {size >> 20} MiB"
        if 3 * size > free_memory():
            print(f"{name}: left out, it needs {3 * size / 2**30:.0f} GiB of memory")
            continue
        case = work(row=(16,), n=1000, size=size, kind="none")
        calls = {"NumPy": numpy_call(case), "gathernd": our_call(case)}
        result[name] = race(calls, rounds)
    return result


def one_and_plan(case: Case) -> tuple[Call, Call]:
    """The call and the same by a plan, of one target: its place in memory matters as much."""
    plan = gnd.IndexPlan(case.input.shape, case.indices)
    if case.updates is None:
        return our_call(case), lambda: plan.gather(case.input)
    target, updates, reduction = case.input.copy(), case.updates, case.reduction
    return (
        lambda: gnd.scatter_nd(target, case.indices, updates, reduction, out=target),
        lambda: plan.scatter(target, updates, reduction, out=target),  # type: ignore[arg-type]
    )


def plans(rounds: int) -> Table:
    """Calls by an IndexPlan beside those without; the time to make the plan."""
    result = {}
    kinds = (("gather", None, (1, 2, 3)), ("scatter", "none", (1, 2, 3)), ("add", "add", (1, 2, 3)))
    for what, kind, depths in kinds:
        for row, bits in (((), 22), ((16,), 18)):
            for depth in depths:
                case = work(table=cube(bits, depth), row=row, kind=kind)
                one, by_plan = one_and_plan(case)
                calls: dict[str, Any] = {
                    "one call": one,
                    "by plan": by_plan,
                    "making it": lambda case=case: gnd.IndexPlan(case.input.shape, case.indices),
                }
                times = race(calls, rounds)
                name = f"{what}, {'rows of 16' if row else 'elements'}, K = {depth}"
                result[name] = {**times, "ratio": times["one call"] / times["by plan"]}
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=processors())
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--output", type=Path, default=Path("benchmark_output"))
    options = parser.parse_args()
    gnd.set_num_threads(options.threads)
    record = introduce(options.threads)
    for part in (overhead, few, targets, plans):
        table = record[part.__name__] = part(options.rounds)
        print_table(f"{part.__name__}, microseconds", table)
    options.output.mkdir(exist_ok=True)
    (options.output / "calls.json").write_text(json.dumps(record, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
