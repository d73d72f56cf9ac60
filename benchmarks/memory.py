"""The memory that a call takes beyond its result, on Linux: python benchmarks/memory.py.

Every call runs in a process of its own, whose peak is set back just before it. Prints the bytes a
tuple, and writes bytes as JSON.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import gathernd as gnd
from contest import introduce

SIZES = (1 << 16, 1 << 20, 1 << 24)


@dataclass(frozen=True)
class Job:
    """A call with a table, indices and updates, all of the same length."""

    call: Callable[[Any, Any, Any], Any]
    index: str = "int64"
    dtype: str = "float32"
    in_place: bool = False


def gather(table: Any, indices: Any, rows: Any) -> Any:
    return gnd.gather_nd(table, indices)


def add(table: Any, indices: Any, rows: Any) -> Any:
    return gnd.scatter_nd(table, indices, rows, "add")


JOBS = {
    "gather": Job(gather),
    "gather, int32 indices": Job(gather, index="int32"),
    "scatter": Job(lambda t, i, r: gnd.scatter_nd(t, i, r)),
    "scatter in place": Job(lambda t, i, r: gnd.scatter_nd(t, i, r, out=t), in_place=True),
    'scatter, duplicates="any"': Job(lambda t, i, r: gnd.scatter_nd(t, i, r, duplicates="any")),
    'scatter, duplicates="error"': Job(lambda t, i, r: gnd.scatter_nd(t, i, r, duplicates="error")),
    "add": Job(add),
    "add, int32 indices": Job(add, index="int32"),
    "add, float16": Job(add, dtype="float16"),
    "IndexPlan": Job(lambda t, i, r: gnd.IndexPlan(t.shape, i)),
    "IndexPlan and its gather": Job(lambda t, i, r: gnd.IndexPlan(t.shape, i).gather(t)),
    "IndexPlan and its add": Job(lambda t, i, r: gnd.IndexPlan(t.shape, i).scatter(t, r, "add")),
}


def status(field: str) -> int:
    """A field of the process's status, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field + ":"))


def scratch(job: Job, n: int) -> int:
    """The peak over what was there before and the result, in bytes."""
    rng = np.random.default_rng(2026)
    table = np.ones(n, job.dtype)
    rows = np.ones(n, job.dtype)
    indices = rng.permutation(n).astype(job.index)[:, np.newaxis]
    few = slice(1000)
    job.call(table[few], np.arange(1000)[:, np.newaxis], rows[few])  # code and threads are there
    Path("/proc/self/clear_refs").write_text("5")
    before = status("VmRSS")
    result = job.call(table, indices, rows)
    new = isinstance(result, np.ndarray) and not job.in_place
    return status("VmHWM") - before - (result.nbytes if new else 0)


def in_fresh_process(name: str, n: int) -> int:
    command = [sys.executable, __file__, "--job", name, str(n)]
    return int(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("benchmark_output"))
    parser.add_argument("--job", nargs=2, metavar=("NAME", "N"), help="print the bytes of one call")
    options = parser.parse_args()
    if options.job:
        print(scratch(JOBS[options.job[0]], int(options.job[1])))
        return 0
    record = {**introduce(gnd.get_num_threads()), "sizes": SIZES, "bytes": {}}
    print(f"{'bytes a tuple, beyond the result':36s}" + "".join(f"{n:>12d}" for n in SIZES))
    for name in JOBS:
        print(f"{name:36s}", end="", flush=True)
        record["bytes"][name] = []
        for n in SIZES:
            record["bytes"][name].append(in_fresh_process(name, n))
            print(f"{record['bytes'][name][-1] / n:12.2f}", end="", flush=True)
        print()
    options.output.mkdir(exist_ok=True)
    (options.output / "memory.json").write_text(json.dumps(record, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
