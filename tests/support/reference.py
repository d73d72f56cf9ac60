"""The oracle: gather_nd, scatter_nd and winners as plain loops, from the definition.

It takes valid shapes and types; index values may be bad. No care for speed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

Place = tuple[int, ...]

HALVES = (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16))
UFUNCS = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
REDUCTIONS = tuple(UFUNCS)


def bits(array: np.ndarray) -> np.ndarray:
    """The same memory with elements that are nothing but bytes."""
    return array.view(np.dtype((np.void, array.itemsize)))


def is_bfloat16(dtype: np.dtype) -> bool:
    return dtype == HALVES[1]


def reductions_of(dtype: np.dtype) -> tuple[str, ...]:
    """The reductions that a dtype has."""
    if not dtype.isnative:
        return ()
    if dtype.kind == "b":
        return ("min", "max", "and", "or", "xor")
    if dtype.kind in "iu":
        return REDUCTIONS
    if dtype.kind == "c":
        return ("add", "sub", "mul")
    if dtype.kind == "M":
        return ("min", "max")
    if dtype.kind == "m":
        return ("add", "sub", "min", "max")
    if dtype.char in "efdg" or is_bfloat16(dtype):
        return ("add", "sub", "mul", "min", "max")
    return ()


def place_of(
    indices: np.ndarray,
    position: Place,
    shape: Place,
    batch_dims: int,
    mode: str,
    wrap_negative_indices: bool = True,
) -> Place | None:
    """Where the tuple at `position` points in the table; None where it is filled or dropped."""
    place = list(position[:batch_dims])
    for component, given in enumerate(indices[position].tolist()):
        axis = batch_dims + component
        size = shape[axis]
        value = given
        if mode == "wrap" and size:
            value %= size
        elif value < 0 and wrap_negative_indices:
            value += size
        if mode == "clip" and size:
            value = min(max(value, 0), size - 1)
        if not 0 <= value < size:
            if mode in ("fill", "drop"):
                return None
            where = ", ".join(map(str, (*position, component)))
            raise IndexError(
                f"index {given} at indices[{where}] is out of range for axis {axis} of size {size}"
            )
        place.append(value)
    return tuple(place)


def places(
    indices: np.ndarray,
    shape: Place,
    batch_dims: int,
    mode: str,
    wrap_negative_indices: bool = True,
) -> Iterator[tuple[Place, Place | None]]:
    for position in np.ndindex(indices.shape[:-1]):
        yield position, place_of(indices, position, shape, batch_dims, mode, wrap_negative_indices)


def rows_shape(input: np.ndarray, indices: np.ndarray, batch_dims: int) -> Place:
    return indices.shape[:-1] + input.shape[batch_dims + indices.shape[-1] :]


def gather_nd(
    input: np.ndarray,
    indices: np.ndarray,
    batch_dims: int = 0,
    *,
    mode: str = "raise",
    fill_value: Any = 0,
    wrap_negative_indices: bool = True,
) -> np.ndarray:
    rows = np.empty(rows_shape(input, indices, batch_dims), input.dtype)
    for position, place in places(indices, input.shape, batch_dims, mode, wrap_negative_indices):
        row = np.array(fill_value, input.dtype) if place is None else input[(*place, ...)]
        bits(rows)[(*position, ...)] = bits(row)
    return rows


def scatter_nd(
    input: np.ndarray,
    indices: np.ndarray,
    updates: np.ndarray,
    reduction: str = "none",
    batch_dims: int = 0,
    *,
    mode: str = "raise",
    duplicates: str = "last",
    wrap_negative_indices: bool = True,
) -> np.ndarray:
    """duplicates="any" answers as "last" does: see candidates() for what else is allowed."""
    output = np.empty(input.shape, input.dtype)
    bits(output)[...] = bits(input)
    totals: dict[Place, np.ndarray] = {}
    for place, position in placed(indices, input.shape, batch_dims, mode, wrap_negative_indices):
        update = updates[(*position, ...)]
        if reduction == "none":
            if place not in totals or duplicates != "first":
                totals[place] = update
        else:
            total = totals.get(place)
            if total is None:
                total = widened(input[(*place, ...)])
            totals[place] = combine(reduction, total, widened(update))
    for place, total in totals.items():
        with np.errstate(all="ignore"):
            rounded = total.astype(input.dtype, copy=False)
        bits(output)[(*place, ...)] = bits(rounded)
    return output


def winners(
    input: np.ndarray,
    indices: np.ndarray,
    updates: np.ndarray,
    reduction: str = "none",
    batch_dims: int = 0,
    *,
    mode: str = "raise",
    duplicates: str = "last",
    wrap_negative_indices: bool = True,
) -> np.ndarray:
    """Of min and max the first update that is the result; duplicates="any" answers as "last"."""
    rules = {"mode": mode, "wrap_negative_indices": wrap_negative_indices}
    result = scatter_nd(input, indices, updates, reduction, batch_dims, **rules)
    found = np.full(input.shape, -1, np.int64)
    outer = indices.shape[:-1]
    for place, position in placed(indices, input.shape, batch_dims, **rules):
        number = np.ravel_multi_index(position, outer) if outer else 0
        slices, update = found[(*place, ...)], updates[(*position, ...)]
        for at in np.ndindex(slices.shape):
            if reduction == "none":
                stays = slices[at] < 0 or duplicates != "first"
            else:
                stays = slices[at] < 0 and value_of(update[at]) == value_of(result[(*place, *at)])
            if stays:
                slices[at] = number
    return found


def value_of(element: np.ndarray) -> Any:
    """What min and max tell apart: the value, the sign of zero, whether it is no number."""
    if element.dtype.kind in "mM":
        return int(element.view(np.int64))
    if element.dtype.kind in "biu":
        return int(element)
    with np.errstate(invalid="ignore"):  # of a signalling NaN
        number = element.astype(np.longdouble)
    return "nan" if np.isnan(number) else (number, bool(np.signbit(number)))


def placed(
    indices: np.ndarray,
    shape: Place,
    batch_dims: int,
    mode: str,
    wrap_negative_indices: bool = True,
) -> list[tuple[Place, Place]]:
    """(place, position) of every tuple that is not dropped; all are checked before any is used."""
    found = places(indices, shape, batch_dims, mode, wrap_negative_indices)
    return [(place, position) for position, place in found if place is not None]


def candidates(
    indices: np.ndarray,
    shape: Place,
    batch_dims: int,
    mode: str,
    wrap_negative_indices: bool = True,
) -> dict[Place, list[Place]]:
    """For each place that is written, the positions of the tuples that address it."""
    found: dict[Place, list[Place]] = {}
    for place, position in placed(indices, shape, batch_dims, mode, wrap_negative_indices):
        found.setdefault(place, []).append(position)
    return found


def widened(values: np.ndarray) -> np.ndarray:
    """float16 and bfloat16 are computed in float32, and rounded once at the end."""
    with np.errstate(all="ignore"):
        return values.astype(np.float32) if values.dtype in HALVES else values


def combine(reduction: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        if reduction == "mul" and a.dtype.kind == "c":
            return complex_product(a, b)
        if reduction in ("min", "max") and a.dtype.kind == "f":
            return extreme(reduction, a, b)
        if reduction in ("add", "sub") and a.dtype.kind == "m":
            return sum_of_times(reduction, a, b)
        return np.asarray(UFUNCS[reduction](a, b))


def sum_of_times(reduction: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """NaT where one is NaT; a sum wraps around, as NumPy's did before 2.5 made it an error."""
    ticks = np.asarray(UFUNCS[reduction](a.view(np.int64), b.view(np.int64)))
    nat = np.iinfo(np.int64).min
    return np.where(np.isnat(a) | np.isnat(b), nat, ticks).view(a.dtype)


def complex_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The textbook formula, each product rounded."""
    product = np.empty_like(a)
    product.real = a.real * b.real - a.imag * b.imag
    product.imag = a.real * b.imag + a.imag * b.real
    return product


def extreme(reduction: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """IEEE 754-2019's minimum and maximum: NaN propagates and -0.0 is below 0.0."""
    if reduction == "max":
        return -extreme("min", -a, -b)
    below = (b < a) | ((a == b) & np.signbit(b)) | np.isnan(b)
    return np.where(below & ~np.isnan(a), b, a)
