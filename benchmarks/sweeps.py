"""The sweeps: how the time of a call depends on one thing at a time."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gathernd._cli.bench import Case

# The label of each sweep's x axis.
SWEEPS = {
    "tuples": "tuples",
    "rows": "bytes a row",
    "depth": "K, the numbers in a tuple",
    "elements": "bytes an element",
    "table": "bytes of the table",
    "threads": "threads",
    "duplicates": "duplicates",
    "order": "order of the tuples",
}
# What the panels ask of `work`.
PANELS: dict[str, dict[str, Any]] = {
    "gather": {},
    "gather rows of 16": {"row": (16,)},
    "scatter": {"kind": "none", "in_place": False},
    "scatter in place": {"kind": "none"},
    "scatter rows of 16 in place": {"kind": "none", "row": (16,)},
    "add in place": {"kind": "add"},
    "add rows of 16 in place": {"kind": "add", "row": (16,)},
}
MIB = 1 << 20


@dataclass(frozen=True)
class Point:
    """A place on the x axis of one panel; `memory` is what its arrays need at most, in bytes."""

    sweep: str
    panel: str
    x: float | str
    make: Callable[[], Case]
    memory: int
    threads: int | None


def points(most_threads: int) -> Iterator[Point]:
    """All points, each sweep's together."""
    basic, targets = ("gather", "scatter in place"), tuple(PANELS)[3:]
    for n in (4**i for i in range(13)):
        yield from at("tuples", n, (*basic, "scatter"), n=n)
    for width in (1, 2, 3, 4, 8, 12, 16, 32, 64, 100, 256, 1024, 4096, 16384, 65536):
        yield from at("rows", width, basic, dtype="uint8", row=(width,), size=64 * MIB)
    for depth in range(1, 9):
        yield from at("depth", depth, basic, table=cube(24, depth))
    for name in ("uint8", "int16", "float32", "float64", "complex128"):
        yield from at("elements", np.dtype(name).itemsize, basic, dtype=name)
    for bits in (14, 17, 20, 23, 26, 29, 32, 33):
        yield from at("table", 1 << bits, (*basic, "gather rows of 16"), size=1 << bits)
    for threads in sorted({most_threads, *(1 << i for i in range(most_threads.bit_length()))}):
        yield from at("threads", threads, ("gather", *targets), threads=threads)
    for drawing in ("none", "uniform", "Zipf", "one row"):
        yield from at("duplicates", drawing, targets, drawing=drawing)
    for drawing in ("sorted", "uniform"):
        panels = ("gather", "gather rows of 16", *targets)
        yield from at("order", drawing, panels, size=256 * MIB, drawing=drawing)


def at(
    sweep: str, x: float | str, panels: Iterable[str], *, threads: int | None = None, **options: Any
) -> Iterator[Point]:
    """One point in each panel. In place every peer has a table of its own."""
    for panel in panels:
        tables = 7 if "in place" in panel else 2
        memory = tables * options.get("size", 64 * MIB)
        make = functools.partial(work, **PANELS[panel], **options)
        yield Point(sweep, panel, x, make, memory, threads)


def cube(bits: int, depth: int) -> tuple[int, ...]:
    """A shape of 2^bits elements whose dimensions differ little."""
    return tuple(2 ** (bits // depth + (k < bits % depth)) for k in range(depth))


def work(
    dtype: str = "float32",
    table: tuple[int, ...] = (),
    row: tuple[int, ...] = (),
    n: int = 0,
    size: int = 16 * MIB,
    kind: str | None = None,
    in_place: bool = True,
    drawing: str = "uniform",
) -> Case:
    """A gather where `kind` is None, else a scatter with that reduction.

    Without `table` it has `size` bytes. Without `n` there are at most 2^20 tuples and 16 MiB of
    rows. The elements are small whole numbers: their sums are exact in any order.
    """
    rng = np.random.default_rng(2026)
    row_bytes = np.dtype(dtype).itemsize * math.prod(row)
    table = table or (size // row_bytes,)
    n = n or min(1 << 20, 16 * MIB // row_bytes)
    indices = np.stack([draw(rng, length, n, drawing) for length in table], axis=-1)
    pattern = rng.integers(0, 8, MIB, dtype=np.uint8).astype(dtype)
    source = np.resize(pattern, table + row)
    if kind is None:
        return Case("", 0, source, indices)
    updates = rng.integers(0, 8, (n, *row), dtype=np.uint8).astype(dtype)
    return Case("", 0, source, indices, updates, kind, in_place=in_place)


def draw(rng: np.random.Generator, length: int, n: int, drawing: str) -> np.ndarray:
    """`n` numbers below `length`; "none" has no two that are equal."""
    if drawing == "none":
        return rng.permutation(length)[:n]
    if drawing == "Zipf":
        return rng.permutation(length)[(rng.zipf(1.2, n) - 1) % length]
    if drawing == "one row":
        return np.full(n, length // 2)
    numbers = rng.integers(0, length, n)
    return np.sort(numbers) if drawing == "sorted" else numbers
