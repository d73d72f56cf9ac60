"""The self test: both functions against plain loops and NumPy, on every SIMD target and device."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import gathernd
from gathernd import _core

__all__ = ["run"]

Array = NDArray[Any]
Check = Callable[[np.random.Generator, str], None]  # on a device

# Around the lanes of a vector, and enough for every thread and for blocked kernels.
COUNTS = (0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 33, 64, 65, 1000)
WIDE = 100_000
DTYPES = ("bool", "i1", "u2", "f2", "i4", "f4", "i8", "f8", "c16", "S3", "V24")
INDEX_DTYPES = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")


class CheckFailedError(Exception):
    """A result that is not the expected one."""


def run() -> int:
    """Check each SIMD target and each device of this machine, and print a line for each.

    Returns
    -------
    int
        0, or 1 where a check failed: the exit code.
    """
    before = _core.cpu_target()
    passed = True
    try:
        for target in _core.cpu_targets():
            _core.set_cpu_target(target)
            passed = passes(target, "cpu") and passed
    finally:
        _core.set_cpu_target(before)
    for device in gathernd.devices()[1:]:
        passed = passes(device.name, device.name) and passed
    return 0 if passed else 1


def passes(name: str, device: str) -> bool:
    """Return whether all checks pass, and print how many do."""
    failures = [text for check in CHECKS if (text := failure(check, device))]
    passed = f"{len(CHECKS) - len(failures)} of {len(CHECKS)} checks passed"
    print(f"{name:<10} {passed}{': FAILED' if failures else ''}")
    for text in failures:
        print(f"           {text}")
    return not failures


def failure(check: Check, device: str) -> str:
    """Return what went wrong in a check, or an empty text."""
    try:
        check(np.random.default_rng(0), device)
    except Exception as error:
        return f"{check.__name__}: {type(error).__name__}: {error}"
    return ""


# The definition, as plain loops over the tuples.


def loop_gather(table: Array, tuples: Array) -> Array:
    """Return the slices of a table, one after the other."""
    rows = np.empty(tuples.shape[:-1] + table.shape[tuples.shape[-1] :], table.dtype)
    for position in np.ndindex(tuples.shape[:-1]):
        rows[position] = table[tuple(tuples[position].tolist())]
    return rows


def loop_scatter(table: Array, tuples: Array, rows: Array) -> Array:
    """Return a copy of the table with the rows written, one after the other."""
    result = table.copy()
    for position in np.ndindex(tuples.shape[:-1]):
        result[tuple(tuples[position].tolist())] = rows[position]
    return result


# The checks.


def moves(rng: np.random.Generator, device: str) -> None:
    """Compare rows of every width, both ways, with plain loops."""
    for dtype in DTYPES:
        for slice_shape in ((), (3,), (40,)):
            table = elements(rng, (5, 7, *slice_shape), dtype)
            for count in COUNTS[:-1]:
                tuples = rng.integers(-5, 5, (count, 2))
                rows = loop_gather(table, tuples)
                expect(
                    gathernd.gather_nd(table, tuples, device=device),
                    rows,
                    f"gather of {count} {dtype}",
                )
                expect(
                    gathernd.scatter_nd(table, tuples, rows[::-1], device=device),
                    loop_scatter(table, tuples, rows[::-1]),
                    f"scatter of {count} {dtype}",
                )


def index_types(rng: np.random.Generator, device: str) -> None:
    """Compare every index type and count of tuples with plain loops, strided tables too."""
    table = elements(rng, (9, 20, 11), "i4")
    for view in (table, table[::-1, ::2]):
        for dtype in INDEX_DTYPES:
            for count in COUNTS:
                for depth in range(4):
                    low = -9 if dtype[0] == "i" else 0
                    tuples = rng.integers(low, 9, (count, depth)).astype(dtype)
                    expect(
                        gathernd.gather_nd(view, tuples, device=device),
                        loop_gather(view, tuples),
                        f"{count} tuples of {depth} {dtype}",
                    )


def many(rng: np.random.Generator, device: str) -> None:
    """Compare a big gather and a big scatter with NumPy's indexing."""
    table = elements(rng, (300, 500), "f4")
    tuples = rng.integers(0, 300, (WIDE, 2))
    expect(
        gathernd.gather_nd(table, tuples, device=device),
        table[tuples[:, 0], tuples[:, 1]],
        "gather",
    )
    rows = elements(rng, (WIDE, 8), "i2")
    places = rng.permutation(WIDE)[:, np.newaxis]
    expected = np.empty_like(rows)
    expected[places[:, 0]] = rows
    expect(
        gathernd.scatter_nd(np.zeros_like(rows), places, rows, device=device), expected, "scatter"
    )


def reductions(rng: np.random.Generator, device: str) -> None:
    """Compare reductions with the ``at`` of NumPy's ufuncs."""
    ufuncs: dict[Any, np.ufunc] = {"add": np.add, "sub": np.subtract, "mul": np.multiply}
    extremes: dict[Any, np.ufunc] = {"min": np.minimum, "max": np.maximum}
    logic: dict[Any, np.ufunc] = {"and": np.bitwise_and, "or": np.bitwise_or}
    for dtype in ("i1", "u2", "i4", "u8", "f4", "f8"):
        more = {} if dtype[0] == "f" else logic
        for reduction, ufunc in {**ufuncs, **extremes, **more}.items():
            for count in (*COUNTS, 20_000):
                table = elements(rng, (50, 4), dtype, 1)  # devices choose the NaN of inf * 0
                tuples = rng.integers(0, 50, (count, 1))
                rows = elements(rng, (count, 4), dtype, 1)
                expected = table.copy()
                with np.errstate(all="ignore"):
                    ufunc.at(expected, tuples[:, 0], rows)
                result = gathernd.scatter_nd(table, tuples, rows, reduction, device=device)
                expect(result, expected, f"{reduction} of {count} rows of {dtype}")


def bad_indices(rng: np.random.Generator, device: str) -> None:
    """Look for a bad index at each position, and for an output that was touched."""
    table = np.arange(10)
    rows = np.arange(65)
    out = np.full(65, -1)
    for position in range(65):
        tuples = np.zeros((65, 1), np.int32)
        tuples[position] = rng.choice([10, -11, 2**31 - 1, -(2**31)])
        gather = partial(gathernd.gather_nd, table, tuples, out=out, device=device)
        scatter = partial(gathernd.scatter_nd, out[:10], tuples, rows, out=out[:10], device=device)
        for call in (gather, scatter):
            try:
                call()
            except IndexError as error:
                if f"[{position}, 0]" not in str(error):
                    raise CheckFailedError(f"position {position} is not in: {error}") from None
            else:
                raise CheckFailedError(f"no IndexError at position {position}")
            expect(out, np.full(65, -1), "an output after an IndexError")


CHECKS: tuple[Check, ...] = (moves, index_types, many, reductions, bad_indices)


def elements(rng: np.random.Generator, shape: tuple[int, ...], dtype: str, least: int = 0) -> Array:
    """Return random elements: any bytes, but for numbers only finite ones from `least` on."""
    kind = np.dtype(dtype)
    if kind.kind in "biufc":
        return rng.integers(least, 100, shape).astype(kind)
    return np.frombuffer(rng.bytes(int(np.prod(shape)) * kind.itemsize), kind).reshape(shape)


def expect(result: Array, expected: Array, what: str) -> None:
    """Raise where type, shape or any byte differs."""
    if (result.dtype, result.shape) != (expected.dtype, expected.shape):
        raise CheckFailedError(f"{what}: the dtype or the shape is wrong")
    if result.tobytes() != expected.tobytes():
        raise CheckFailedError(f"{what}: the bytes differ")
