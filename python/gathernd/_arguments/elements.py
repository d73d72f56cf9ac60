"""Python values to elements of any dtype: nothing is cut, rounded in time or of another kind."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gathernd._arguments.lists import has_unit, to_array
from gathernd._arguments.numbers import number_kind, to_numbers

__all__ = ["to_elements"]

# The kinds of what such a dtype takes, by np.asarray; "O" is where Python's datetimes are.
_TAKES = {"S": "S", "U": "U", "V": "SV", "M": "MSUO", "m": "miuO"}

_LONGEST = datetime.timedelta(microseconds=2**63 - 1)  # NumPy lets longer ones wrap around


def to_elements(value: Any, dtype: np.dtype[Any], what: str) -> NDArray[Any]:
    """Return a Python value, or nested lists of them, as an array of `dtype`.

    TypeError for another kind, OverflowError and ValueError for what does not fit.
    """
    kind = number_kind(dtype)
    if kind is not None:
        return to_numbers(value, dtype, kind, what)
    if dtype.itemsize == 0 and dtype.kind in "SUV" and dtype.names is None:
        return _empty(value, dtype, what)
    if isinstance(value, list) or (isinstance(value, tuple) and dtype.names is None):
        if (array := to_array(value, dtype)) is not None:
            return array
        return np.array([to_elements(x, dtype, what) for x in value], dtype)
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype == dtype:
        return np.asarray(value)
    if dtype.names is not None:
        return _record(value, dtype, what)
    if dtype.kind not in _TAKES:
        return np.asarray(value, dtype=dtype)
    natural = np.asarray(value)
    if natural.dtype.kind not in _TAKES[dtype.kind]:
        raise TypeError(f"{what} of type {natural.dtype} cannot become {dtype}")
    if dtype.kind in "Mm":
        return _time(value, natural, dtype, what)
    if natural.dtype.itemsize > dtype.itemsize:
        raise ValueError(f"{what}: {_thing(dtype)} is too long for {dtype}")
    return natural.astype(dtype)


def _empty(value: Any, dtype: np.dtype[Any], what: str) -> NDArray[Any]:
    """Return elements of S0, U0 or V0: only NumPy's low-level constructor makes no S1 of them."""
    natural = np.asarray(value)
    if natural.size > 0 and natural.dtype.kind not in _TAKES[dtype.kind]:
        raise TypeError(f"{what} of type {natural.dtype} cannot become {dtype}")
    if natural.dtype.itemsize > 0 and natural.any():
        raise ValueError(f"{what}: {_thing(dtype)} is too long for {dtype}")
    return np.ndarray(natural.shape, dtype)


def _thing(dtype: np.dtype[Any]) -> str:
    return "a string" if dtype.kind in "SU" else "a value"


def _time(value: Any, natural: NDArray[Any], dtype: np.dtype[Any], what: str) -> NDArray[Any]:
    try:
        if natural.dtype.kind != dtype.kind:
            natural = _time_of_its_unit(value, dtype)
    except (OverflowError, ValueError) as error:
        raise type(error)(f"{what}: {error}") from None
    if not has_unit(dtype) and has_unit(natural.dtype):  # NumPy would keep this unit
        if not np.all(np.isnat(natural)):
            raise ValueError(f"{what}: {value} cannot become {dtype}, which has no unit")
        return np.full(natural.shape, "NaT", dtype)
    try:
        result = natural.astype(dtype)
        back = result.astype(natural.dtype)
        fits = np.all((back == natural) | (np.isnat(back) & np.isnat(natural)))
    except OverflowError:  # from NumPy 2.5 on
        fits = np.False_
    if not fits:
        raise ValueError(f"{what}: {value} cannot become {dtype} without a loss")
    return result


def _time_of_its_unit(value: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return a Python value as a time in its own unit; numbers and NaT take that of `dtype`."""
    unit: Any = np.datetime_data(dtype)
    for way in ("to_datetime64", "to_timedelta64"):  # pandas', which have nanoseconds
        if hasattr(value, way):
            own = np.asarray(getattr(value, way)())
            return np.full((), "NaT", dtype) if np.isnat(own) else own
    if dtype.kind == "m":
        is_span = isinstance(value, datetime.timedelta)
        if is_span and not -_LONGEST <= value <= _LONGEST:
            raise OverflowError(f"{value} is out of bounds for timedelta64[us]")
        time = np.timedelta64(value) if is_span else np.timedelta64(value, unit)
        if np.isnat(time) and isinstance(value, int):
            raise OverflowError(f"{value} is out of bounds for {dtype}")
        return np.asarray(time)
    is_nat = np.isnat(np.datetime64(value, "Y"))
    return np.asarray(np.datetime64(value, unit) if is_nat else np.datetime64(value))


def _record(value: Any, dtype: np.dtype[Any], what: str) -> NDArray[Any]:
    names = dtype.names or ()
    if not isinstance(value, tuple) or len(value) != len(names):
        raise TypeError(f"{what}: an element of {dtype} is a tuple of {len(names)}, not {value!r}")
    record = np.zeros((), dtype)
    for name, part in zip(names, value, strict=True):
        field = dtype[name]
        elements = to_elements(part, field.base, what)
        if elements.shape != field.shape:
            raise ValueError(
                f"{what}: field {name!r} must have shape {field.shape}, not {elements.shape}"
            )
        record[name] = elements
    return record
