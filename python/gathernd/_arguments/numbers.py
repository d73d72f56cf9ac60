"""Python numbers to a dtype by the rules of NumPy 2's weak scalars: what does not fit raises."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gathernd import _core
from gathernd._arguments.nested import flatten

__all__ = ["number_kind", "to_numbers"]

# What a number may become: its kind's rank must not be above the dtype's. A bool is an integer
# from 0 to 1.
_RANK = {"b": 0, "i": 0, "u": 0, "f": 1, "c": 2}
_NO_NUMBER = 3

_WIDER = {"i": np.int64, "f": np.float64, "c": np.complex128}


def number_kind(dtype: np.dtype[Any]) -> str | None:
    """Return b, i, u, f or c for numbers, those of other packages included, else None."""
    if dtype.isbuiltin != 2:  # 2: registered by another package, as ml_dtypes does
        return dtype.kind if dtype.kind in _RANK else None
    return next((kind for kind, wider in _WIDER.items() if np.can_cast(dtype, wider)), None)


def to_numbers(value: Any, dtype: np.dtype[Any], kind: str, what: str) -> NDArray[Any]:
    """Convert to `dtype`, of that kind: TypeError for a higher one, OverflowError out of range."""
    if type(value) in (int, float) and _is_plain(value, dtype, kind):
        return np.array(value, dtype)
    natural = np.asarray(value)
    if natural.dtype == dtype or natural.size == 0:
        return natural.astype(dtype, copy=False)
    numbers = _unmixed(value, _builtin(natural))
    if (rank := _rank(numbers)) > _RANK[kind]:
        loss = " without a loss" if rank in _RANK.values() else ""
        raise TypeError(f"{what} of type {_type_name(numbers)} cannot become {dtype}{loss}")
    return _to_ints(numbers, dtype, what) if kind in "biu" else _to_floats(numbers, dtype, what)


def _is_plain(value: float, dtype: np.dtype[Any], kind: str) -> bool:
    """Whether NumPy's own conversion of a number only rounds it, once, and raises no flag."""
    is_wide = kind in "fc" and dtype.itemsize > 2 and dtype.isbuiltin != 2
    return is_wide and (value == 0 or 1e-30 < abs(value) < 1e15)


def _builtin(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return numbers of another package's type as NumPy's own."""
    kind = number_kind(numbers.dtype) if numbers.dtype.isbuiltin == 2 else None
    return numbers.astype(_WIDER[kind]) if kind is not None else numbers


def _type_name(numbers: NDArray[Any]) -> str:
    """Return what to call the type: of objects, Python's name of the one that is least a number."""
    is_object = numbers.dtype.kind == "O"
    return type(max(numbers.flat, key=_object_rank)).__name__ if is_object else str(numbers.dtype)


def _unmixed(value: Any, natural: NDArray[Any]) -> NDArray[Any]:
    """Return the ints of a list as objects where NumPy makes floats of them: [-1, 2**63]."""
    if natural.dtype.kind != "f" or value is natural:
        return natural
    flat = flatten(value, {list, tuple}) if type(value) in (list, tuple) else None
    if flat is not None and _core.element_types(flat[0]) <= {float, bool}:
        return natural
    objects = np.array(value, dtype=object)
    return objects if any(type(x) is int for x in objects.flat) else natural


def _rank(numbers: NDArray[Any]) -> int:
    if numbers.dtype.kind == "O":
        return max(map(_object_rank, numbers.flat))
    return _RANK.get(numbers.dtype.kind, _NO_NUMBER)


def _object_rank(x: Any) -> int:
    kind = "i" if type(x) is int else _builtin(np.asarray(x)).dtype.kind
    return _RANK.get(kind, _NO_NUMBER)


def _to_ints(numbers: NDArray[Any], dtype: np.dtype[Any], what: str) -> NDArray[Any]:
    ends = (numbers,) if numbers.ndim == 0 else (numbers.min(), numbers.max())
    for number in map(int, ends):
        if not _holds(dtype, number):
            shown = number if number.bit_length() <= 128 else "a number"
            raise OverflowError(f"{what}: {shown} is out of bounds for {dtype}")
    return numbers.astype(dtype)


@functools.cache
def _bounds(dtype: np.dtype[Any]) -> tuple[int, int] | None:
    """Return the least and the greatest integer of a dtype; None if another package has it."""
    if dtype.isbuiltin == 2:
        return None
    return (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))


def _holds(dtype: np.dtype[Any], number: int) -> bool:
    if (bounds := _bounds(dtype)) is not None:
        return bounds[0] <= number <= bounds[1]
    try:
        return int(np.array(number).astype(dtype)) == number
    except OverflowError:
        return False


def _to_floats(numbers: NDArray[Any], dtype: np.dtype[Any], what: str) -> NDArray[Any]:
    """Convert with rounding; neither the type's range nor its lack of an inf or NaN changes one."""
    is_numpys = dtype.isbuiltin != 2
    if numbers.dtype.kind in "biu" and is_numpys and dtype.itemsize > 2:
        return numbers.astype(dtype)  # of more than 16 bits: every integer of 64 bits is in range
    if numbers.dtype.kind == "O":
        is_long = dtype.type in (np.longdouble, np.clongdouble)
        is_complex = _rank(numbers) == _RANK["c"]
        try:
            with np.errstate(over="raise", under="ignore", invalid="ignore"):
                numbers = numbers.astype(("dD", "gG")[is_long][is_complex])
        except (ArithmeticError, ValueError):  # the latter of an int with more than 4300 digits
            raise _too_great(dtype, what) from None
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        result = numbers.astype(dtype)
        if is_numpys and not np.count_nonzero(np.isinf(result)):
            return result
        given, made = _parts(numbers), _parts(result)
        most = np.abs(_parts(np.array(np.inf).astype(dtype))[0])  # inf, NaN or the most
        changed = (np.isnan(given) != np.isnan(made)) | (np.isinf(given) != np.isinf(made))
        if np.any(changed | (np.abs(given) > most)):
            raise _too_great(dtype, what)
    return result


def _too_great(dtype: np.dtype[Any], what: str) -> OverflowError:
    return OverflowError(f"{what}: a number is out of bounds for {dtype}")


def _parts(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return the real parts and the imaginary ones."""
    wide = numbers.astype(np.result_type(_builtin(numbers), np.complex128))
    return np.stack((wide.real, wide.imag))
