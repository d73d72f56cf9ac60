"""Points of a Zarr array that no process may hold in memory, and a histogram as large.

    pip install "gathernd[dask]" zarr
    python examples/dask_zarr.py /tmp/store

Each job is a process of its own on two threads, with a limit on its memory (on Linux) that is
smaller than the array; what it needed at most is shown.
"""

from __future__ import annotations

import argparse
import multiprocessing
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
import zarr
from dask.diagnostics import ProgressBar

import gathernd.dask

SHAPES = [(-1, 1, 1), (1, -1, 1), (1, 1, -1)]

try:
    import resource
except ImportError:  # not on Windows
    resource = None


def value(i: Any, j: Any, k: Any, size: int) -> Any:
    """Return what the table has at a place, as numbers that float32 holds."""
    return ((i * size + j) * size + k) % 2**24


def create(options: argparse.Namespace, name: str, dtype: str) -> zarr.Array:
    """Return a new Zarr array."""
    shape, chunks = (options.size,) * 3, (options.chunk,) * 3
    path = options.store / name
    return zarr.create_array(path, shape=shape, chunks=chunks, dtype=dtype, compressors=None)


def make(options: argparse.Namespace) -> None:
    """Write a table of which each element tells where it is."""
    index = [da.arange(options.size, chunks=options.chunk, dtype="i4") for _ in range(3)]
    i, j, k = (x.reshape(shape) for x, shape in zip(index, SHAPES, strict=True))
    table = da.map_blocks(value, i.astype("i8"), j, k, options.size, dtype="i8").astype("f4")
    da.store(table, create(options, "table", "f4"), lock=False)


def points_of(options: argparse.Namespace) -> np.ndarray:
    """Return the places to read."""
    rng = np.random.default_rng(0)
    return rng.integers(0, options.size, (options.points, 3), dtype=np.int32)


def check(options: argparse.Namespace, found: np.ndarray) -> None:
    """Look whether the points have the values that were written there."""
    i, j, k = points_of(options).astype("i8").T
    assert (found == value(i, j, k, options.size)).all()


def gather(options: argparse.Namespace) -> None:
    """Read the points by gather_nd."""
    table = da.from_zarr(zarr.open_array(options.store / "table"))
    check(options, gathernd.dask.gather_nd(table, points_of(options)).compute())


def vindex(options: argparse.Namespace) -> None:
    """Read the points by Dask's own way."""
    table = da.from_zarr(zarr.open_array(options.store / "table"))
    check(options, table.vindex[tuple(points_of(options).T)].compute())


def histogram(options: argparse.Namespace) -> None:
    """Count ten times as many lazy points, in cells as many as the table's elements."""
    rng = da.random.default_rng(1)
    count = 10 * options.points
    middle = rng.normal(options.size / 2, options.size / 8, (count, 3), chunks=(count // 10, 3))
    counts = da.zeros((options.size,) * 3, chunks=options.chunk, dtype="i4")
    ones = da.ones(count, chunks=count // 10, dtype="i4")
    counts = gathernd.dask.scatter_nd(counts, middle.astype("i4"), ones, "add", mode="drop")
    target = create(options, "counts", "i4")
    da.store(counts, target, lock=False)
    total = int(da.from_zarr(target).sum(dtype="i8").compute())
    assert 0.99 * count < total <= count


def measure(name: str, options: argparse.Namespace) -> None:
    """Do a job within the limit, and show what it took."""
    if resource is not None and hasattr(resource, "RLIMIT_DATA"):
        resource.setrlimit(resource.RLIMIT_DATA, (options.limit << 20,) * 2)
    start = time.perf_counter()
    with dask.config.set(scheduler="threads", num_workers=2), ProgressBar(dt=0.5):
        JOBS[name](options)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10 if resource else 0
    print(f"{name}: {seconds:.1f} s, at most {peak} MiB of memory")


JOBS: dict[str, Callable[[argparse.Namespace], None]] = {
    "make the table": make,
    "gather_nd": gather,
    "vindex": vindex,
    "histogram": histogram,
}


def main() -> None:
    """Do all jobs, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store", type=Path, help="a folder, which is made and then removed")
    parser.add_argument("--mib", type=int, default=2048, help="the size of the table")
    parser.add_argument("--chunk", type=int, default=128, help="the edge of a chunk")
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--limit", type=int, default=1024, help="MiB of memory for each job")
    options = parser.parse_args()
    options.size = options.chunk * max(1, round((options.mib * 2**18) ** (1 / 3) / options.chunk))
    options.store.mkdir(parents=True)
    print(f"a table of {options.size}^3 float32, {options.size**3 >> 18} MiB")
    failed: list[str] = []
    try:
        for name in JOBS:
            spawn = multiprocessing.get_context("spawn").Process
            process = spawn(target=measure, args=(name, options))
            process.start()
            process.join()
            if process.exitcode != 0:
                print(f"{name} failed, within {options.limit} MiB of memory")
                failed.append(name)
    finally:
        shutil.rmtree(options.store)
    if set(failed) - {"vindex"}:
        sys.exit(1)


if __name__ == "__main__":
    main()
