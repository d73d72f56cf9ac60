"""Lists of Python values by NumPy's own conversion, where that is exact: fast, without messages."""

from __future__ import annotations

import datetime
from itertools import filterfalse, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gathernd import _core
from gathernd._arguments.nested import flatten
from gathernd._arguments.numbers import number_kind, to_numbers

__all__ = ["has_unit", "to_array"]

# The types of which NumPy's conversion to a dtype of this kind is exact if they are short enough.
_TEXT: dict[str, set[type]] = {
    "S": {bytes, np.bytes_},
    "U": {str, np.str_},
    "V": {bytes, np.bytes_},
}

# The unit that NumPy gives to values of one type; where each has its own, the coarsest of all.
_UNITS = {
    ("M", datetime.datetime): "M8[us]",
    ("M", datetime.date): "M8[D]",
    ("m", datetime.timedelta): "m8[us]",
    ("m", int): "i8",
}
_COARSEST = {
    ("M", np.datetime64): "M8[Y]",
    ("M", str): "M8[Y]",
    ("m", np.timedelta64): "m8[W]",
}

_NATS = {"", *map("".join, product("Nn", "Aa", "Tt"))}  # what NumPy reads as NaT

_LONGEST = datetime.timedelta(microseconds=2**63 - 1)  # NumPy lets longer ones wrap around

_EXACT = 2**53  # up to it float64 has every integer


def to_array(value: Any, dtype: np.dtype[Any]) -> NDArray[Any] | None:
    """Return nested lists as an array of `dtype`, which holds no plain numbers.

    None where an element has to be looked at by itself, for there may be an error to raise.
    """
    nests: set[type] = {list} if dtype.names is not None else {list, tuple}
    flat = flatten(value, nests) if type(value) in nests else None
    if flat is None:
        return None
    elements, shape = flat
    try:
        array = _convert(elements, dtype)
    except (ArithmeticError, TypeError, ValueError):
        return None
    return None if array is None else array.reshape(shape)


def _convert(elements: list[Any], dtype: np.dtype[Any]) -> NDArray[Any] | None:
    types = _core.element_types(elements)
    if dtype.names is not None:
        return _records(elements, dtype) if types == {tuple} else None
    if dtype.kind in _TEXT:
        return _texts(elements, dtype) if types <= _TEXT[dtype.kind] else None
    if dtype.kind in "Mm" and len(types) == 1 and has_unit(dtype):
        return _times(elements, types.pop(), dtype)
    return None


def has_unit(dtype: np.dtype[Any]) -> bool:
    """Whether times of this dtype have a unit, unlike those of "M8" and "m8"."""
    return np.datetime_data(dtype)[0] != "generic"


def _records(elements: list[Any], dtype: np.dtype[Any]) -> NDArray[Any] | None:
    """Convert field by field."""
    names = dtype.names or ()
    if set(map(len, elements)) != {len(names)}:
        return None
    records = np.zeros(len(elements), dtype)
    for name, column in zip(names, zip(*elements, strict=True), strict=True):
        field = dtype[name]
        values = _column(column, field.base)
        if values is None or values.shape != (len(elements), *field.shape):
            return None
        records[name] = values
    return records


def _column(column: tuple[Any, ...], dtype: np.dtype[Any]) -> NDArray[Any] | None:
    kind = number_kind(dtype)
    if kind is None:
        return to_array(list(column), dtype)
    flat = flatten(column, {list, tuple})
    if flat is None:
        return None
    elements, shape = flat
    types = _core.element_types(elements)
    if not types <= {bool, int, float} and types != {complex}:
        return None
    numbers = np.array(elements)
    if numbers.dtype.kind not in "biufc":
        return None
    if numbers.dtype.kind == "f" and int in types and np.any(abs(numbers) > _EXACT):
        return None
    return to_numbers(numbers, dtype, kind, "a field").reshape(shape)


def _texts(elements: list[Any], dtype: np.dtype[Any]) -> NDArray[Any] | None:
    room = dtype.itemsize // (4 if dtype.kind == "U" else 1)
    if dtype.itemsize == 0 or _core.longest_text(elements) > room:
        return None
    if dtype.kind == "V":
        return np.array(elements, f"S{room}").view(dtype)
    return np.array(elements, dtype)


def _finest_unit(dates: list[str]) -> np.dtype[Any]:
    """Return the dtype of all dates; NumPy 2.5 warns if it has to look for the unit of NaT."""
    return np.array(["1970", *filterfalse(_NATS.__contains__, dates)], "M8").dtype


def _times(elements: list[Any], type_: type, dtype: np.dtype[Any]) -> NDArray[Any] | None:
    if type_ is datetime.timedelta and not -_LONGEST <= min(elements) <= max(elements) <= _LONGEST:
        return None
    if (dtype.kind, type_) in _UNITS:
        times = np.array(elements, _UNITS[dtype.kind, type_])
    elif (dtype.kind, type_) in _COARSEST:
        times = np.array(elements, _finest_unit(elements) if type_ is str else None)
        coarsest = _COARSEST[dtype.kind, type_]  # which holds whatever the finest unit may not
        if not _same(times.astype(coarsest), np.array(elements, coarsest)):
            return None
    else:
        return None
    result = times.astype(dtype)
    if times.dtype.kind == "i":
        return None if np.isnat(result).any() else result
    return result if _same(result.astype(times.dtype), times) else None


def _same(a: NDArray[Any], b: NDArray[Any]) -> bool:
    return bool(np.all((a == b) | (np.isnat(a) & np.isnat(b))))
