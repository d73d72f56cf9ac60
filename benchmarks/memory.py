"""The memory that a call takes beyond its result, on Linux: python benchmarks/memory.py.

Every call runs in a process of its own, whose peak is set back just before it. Prints the bytes a
tuple with 1, 2 and 16 threads, as far as the machine has so many processors, and writes bytes as
JSON.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import gathernd as gnd
from contest import introduce
from gathernd._cli.bench import processors

THREADS = (1, 2, 16)
TUPLES = 1 << 22
FEW = 1 << 10


Index = Callable[[Any], Any]  # of a permutation


def tuples(p: Any) -> Any:
    return p[:, np.newaxis]


def pairs(p: Any) -> Any:
    """The same elements of a square table, by row and column in arrays of their own."""
    return np.divmod(p, math.isqrt(len(p)))


def grid(p: Any) -> Any:
    """All elements of a square table."""
    side = math.isqrt(len(p))
    return np.ix_(p[p < side], p[p < side])


@dataclass(frozen=True)
class Job:
    """A call with a table, an index and updates, all of the same length.

    `new` says whether the call makes a result of the size of the table, which is not counted.
    Tables of pairs and grids are squares.
    """

    call: Callable[[Any, Any, Any], Any]
    dtype: str = "float32"
    new: bool = True
    index: Index = tuples


def gather_out(table: Any, indices: Any, rows: Any, mode: Any = "raise") -> None:
    gnd.gather_nd(table, indices, mode=mode, out=rows)


def error(table: Any, indices: Any, rows: Any) -> Any:
    return gnd.scatter_nd(table, indices, rows, duplicates="error")


def add(table: Any, indices: Any, rows: Any) -> Any:
    return gnd.scatter_nd(table, indices, rows, "add")


def get(table: Any, index: Any, rows: Any) -> Any:
    return gnd.at(table)[index].get()


def put(table: Any, index: Any, rows: Any) -> None:
    gnd.at(table)[index] = rows


def add_at(table: Any, index: Any, rows: Any) -> None:
    gnd.at(table)[index] += rows


JOBS = {
    "gather into a new array": Job(lambda t, i, r: gnd.gather_nd(t, i)),
    "gather into `out`": Job(gather_out, new=False),
    'gather into `out`, mode "clip"': Job(lambda *a: gather_out(*a, mode="clip"), new=False),
    "set, into a new array": Job(lambda t, i, r: gnd.scatter_nd(t, i, r)),
    "set, in place": Job(lambda t, i, r: gnd.scatter_nd(t, i, r, out=t), new=False),
    'set, `duplicates="error"`': Job(error),
    "add, into a new array": Job(add),
    "add of float16": Job(add, dtype="float16"),
    "`at`, add in place": Job(add_at, new=False, index=lambda p: p),
    "`at`, `x[i, j]`": Job(get, index=pairs),
    "`at`, set `x[i, j]`": Job(put, new=False, index=pairs),
    "`at`, add to `x[i, j]`": Job(add_at, new=False, index=pairs),
    "`at`, `x[np.ix_(i, j)]`": Job(get, index=grid),
    "`at`, set `x[np.ix_(i, j)]`": Job(put, new=False, index=grid),
    "`IndexPlan`": Job(lambda t, i, r: gnd.IndexPlan(t.shape, i), new=False),
    "`IndexPlan`, and its gather": Job(lambda t, i, r: gnd.IndexPlan(t.shape, i).gather(t)),
    "`IndexPlan`, and its add": Job(lambda t, i, r: gnd.IndexPlan(t.shape, i).scatter(t, r, "add")),
}


def status(field: str) -> int:
    """A field of the process's status, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field + ":"))


def arguments(job: Job, n: int) -> tuple[Any, Any, Any]:
    """A table of n elements, an index of all of them, and as many updates."""
    index = job.index(np.random.default_rng(2026).permutation(n))
    shape = (math.isqrt(n), -1) if isinstance(index, tuple) else (n,)
    shape_of_rows = shape if job.index is grid else (n,)
    table, rows = np.ones(n, job.dtype), np.ones(n, job.dtype)
    return table.reshape(shape), index, rows.reshape(shape_of_rows)


def scratch(job: Job, n: int) -> int:
    """The peak over what was there before and the result, in bytes."""
    few, many = (arguments(job, count) for count in (FEW, n))
    job.call(*few)  # code and threads are there
    Path("/proc/self/clear_refs").write_text("5")
    before = status("VmRSS")
    result = job.call(*many)
    return status("VmHWM") - before - (result.nbytes if job.new else 0)


def in_fresh_process(name: str, threads: int) -> int:
    command = [sys.executable, __file__, "--job", name, str(threads)]
    return int(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("benchmark_output"))
    parser.add_argument("--job", nargs=2, metavar=("NAME", "THREADS"), help="only one call")
    options = parser.parse_args()
    if options.job:
        gnd.set_num_threads(int(options.job[1]))
        print(scratch(JOBS[options.job[0]], TUPLES))
        return 0
    counts = [count for count in THREADS if count <= processors()]
    head = introduce(max(counts))
    table: dict[str, dict[int, int]] = {}
    print(f"{'bytes a tuple, beyond the result':36s}" + "".join(f"{n:>5d} threads" for n in counts))
    for name in JOBS:
        table[name] = {count: in_fresh_process(name, count) for count in counts}
        print(f"{name:36s}" + "".join(f"{n / TUPLES:13.2f}" for n in table[name].values()))
    options.output.mkdir(exist_ok=True)
    record = {**head, "tuples": TUPLES, "bytes": table}
    (options.output / "memory.json").write_text(json.dumps(record, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
