"""Arguments to arrays: ndarrays, DLPack, array-likes, Python values."""

from __future__ import annotations

import datetime
import operator
import reprlib
from array import array as typed_array
from collections.abc import Sequence
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gathernd import _core
from gathernd._arguments.elements import to_elements
from gathernd._arguments.foreign import check_dense, check_readable
from gathernd._arguments.large_indices import exact_indices

__all__ = [
    "as_array",
    "as_cast_updates",
    "as_fill",
    "as_indices",
    "as_input",
    "as_integer",
    "as_shape",
    "as_updates",
    "check_integers",
    "is_python_value",
    "short_repr",
]

_TIMES = (datetime.date, datetime.timedelta)
_PYTHON_VALUES = (list, tuple, bool, int, float, complex, str, bytes, NoneType, *_TIMES)
_TYPED_SEQUENCES = (memoryview, typed_array)  # they have a dtype of their own, unlike lists


def as_array(value: Any, what: str) -> NDArray[Any]:
    """Return a view of the value's memory where it has one, else a new array.

    Here and below, `what` is how messages begin: "gather_nd: input".
    """
    if type(value) is np.ndarray:
        return value
    if not isinstance(value, np.ndarray) and hasattr(value, "__dlpack_device__"):
        check_readable(value, what)
        try:
            return _core.from_dlpack(value, what)
        except Exception as error:  # such as of an array in several pieces
            array = _by_numpy(value)
            if array is None:
                error.add_note(f"{what} was asked for its memory (DLPack)")
                raise
            return array
    try:
        array = np.asarray(value)  # JAX's tracers have no device, and say here what they are
    except ValueError as error:  # lists of different lengths
        raise ValueError(f"{what}: {error}") from None
    except Exception as error:
        error.add_note(f"{what} was converted to an array")
        raise
    check_dense(value, array, what)
    return array


def as_input(value: Any, what: str) -> NDArray[Any]:
    """Return the array that a call reads: TypeError for None, a dict and their like."""
    array = as_array(value, what)
    _check_array(value, array, what)
    return array


def as_indices(
    value: Any, what: str, mode: Any = "raise", shape: Any = (), batch_dims: Any = 0
) -> NDArray[Any]:
    """Return the indices as an array; an empty list has no dtype of its own and becomes int64.

    So does any other sequence of Python values, such as a range. The mode, and the shape that they
    are for, say what becomes of Python ints that no type holds.
    """
    if isinstance(value, tuple) and len(value) > 1 and any(map(_has_dimensions, value)):
        raise TypeError(
            f"{what} must not be a tuple of arrays; for x[i, j] use np.stack((i, j), axis=-1) or "
            "gnd.at(x)[i, j], for the rows of an array np.stack((i, j))"
        )
    array = as_array(value, what)
    is_list = isinstance(value, Sequence) and not isinstance(value, _TYPED_SEQUENCES)
    if array.size == 0:
        return array.astype(np.int64) if is_list else array
    if array.dtype.kind not in ("iufO" if is_list else "O") or hasattr(value, "dtype"):
        return array
    objects = check_integers(value, what)
    if array.dtype.kind in "iu":
        return array
    return exact_indices(objects, what, mode, shape, batch_dims)


def check_integers(value: Any, what: str) -> NDArray[Any]:
    """Return the elements of a list as objects: TypeError where one is no integer.

    NumPy makes 1 of True beside other numbers, float64 of [-1, 2**63], objects of None and 2**70.
    """
    objects = np.array(value, dtype=object)
    if _core.element_types(objects.ravel().tolist()) <= {int}:
        return objects
    for kind in {_element_type(x) for x in objects.flat if type(x) is not int}:
        if kind is bool or not issubclass(kind, (int, np.integer)):
            raise TypeError(f"{what} must be integers, not {kind.__name__}")
    return objects


def is_python_value(value: Any) -> bool:
    """Whether the value has no dtype of its own: a Python number, string, time, None, a list."""
    return isinstance(value, _PYTHON_VALUES) and not isinstance(value, np.generic)


def as_updates(value: Any, dtype: np.dtype[Any], what: str) -> NDArray[Any]:
    """Return the updates; lists and Python numbers take `dtype`, arrays keep their own."""
    if is_python_value(value):
        return _elements(value, dtype, what)
    array = as_array(value, what)
    if array.dtype == dtype or hasattr(value, "astype"):  # which C++ recommends
        return array
    if isinstance(value, Sequence) and not isinstance(value, _TYPED_SEQUENCES):
        return _elements(list(value), dtype, what)
    _check_array(value, array, what)
    raise TypeError(f"{what} must have dtype {dtype}, not {array.dtype}")


def as_cast_updates(value: Any, dtype: np.dtype[Any], what: str) -> NDArray[Any]:
    """Return the updates; arrays are cast to `dtype` by the rule "same_kind", too."""
    if is_python_value(value):
        return as_updates(value, dtype, what)
    rows = as_array(value, what)
    if rows.dtype == dtype:
        return rows
    if not np.can_cast(rows.dtype, dtype, "same_kind"):
        if not hasattr(value, "astype"):  # a set, for example
            raise TypeError(f"{what} of type {type(value).__name__} cannot become {dtype}")
        way = f"convert them yourself: updates.astype({str(dtype)!r})"
        if dtype.kind == "M" and rows.dtype.kind == "m":
            span = dtype.str[1:].replace("M", "m")
            way = f"to add to times, view the array as timedelta64: x.view({span!r})"
        raise TypeError(
            f"{what} of {rows.dtype} cannot be cast to {dtype} by the rule 'same_kind'; {way}"
        )
    return rows.astype(dtype)


def as_fill(
    fills: bool, value: Any, dtype: np.dtype[Any], what: str = "gather_nd: fill_value"
) -> NDArray[Any] | None:
    """Return the fill value as a 0-d array of `dtype`, None where the mode does not fill.

    What does not fit raises. The int 0, the default, is every dtype's zero.
    """
    if not fills:
        return None
    if type(value) is int and value == 0:
        # NumPy makes S1 of S0, except by its low-level constructor
        return np.zeros((), dtype) if dtype.itemsize > 0 else np.ndarray((), dtype)
    if isinstance(value, (np.ndarray, np.generic)) and value.ndim == 0 and value.dtype != dtype:
        value = value.item() if value.dtype.kind in "biufc" else value
    if not isinstance(value, np.ndarray) and hasattr(value, "__dlpack_device__"):
        value = as_array(value, what)
    array = _elements(value, dtype, what)
    if array.ndim != 0:
        raise ValueError(f"{what} must be a single element, not of shape {array.shape}")
    return array


def as_shape(value: Any, what: str) -> tuple[int, ...]:
    """Return the shape as Python ints: TypeError, ValueError."""
    try:
        if isinstance(value, (bytes, str)):
            raise TypeError
        sizes = tuple(as_integer(size, what) for size in value)
    except TypeError:
        raise TypeError(f"{what} must be a tuple of integers, not {short_repr(value)}") from None
    operation, _, name = what.partition(": ")
    for size in sizes:
        if size.bit_length() > 63:
            raise ValueError(
                f"{operation}: the sizes of {name} must be below 2**63, not {short_repr(value)}"
            )
    return sizes


def as_integer(value: Any, what: str) -> int:
    """Return an integer, which a bool is not, as a Python int: TypeError."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{what} must be an integer, not {short_repr(value)}") from None


class _Short(reprlib.Repr):
    def repr_int(self, x: int, level: int) -> str:
        """Leave out the digits of a long int: above 4300 of them Python raises ValueError."""
        return repr(x) if x.bit_length() <= 128 else "a number of more than 128 bits"


short_repr = _Short().repr  # for messages, which do not grow with the value


def _elements(value: Any, dtype: np.dtype[Any], what: str) -> NDArray[Any]:
    try:
        return to_elements(value, dtype, what)
    except ValueError as error:
        if str(error).startswith(what):
            raise
        raise ValueError(f"{what}: {error}") from None  # lists of different lengths


def _check_array(value: Any, array: NDArray[Any], what: str) -> None:
    if array.dtype == object and array.ndim == 0 and not isinstance(value, np.ndarray):
        raise TypeError(f"{what} must be an array, not {type(value).__name__}")


def _by_numpy(value: Any) -> NDArray[Any] | None:
    """Return a read-only array: it may be a copy, where no update would reach `value`."""
    try:
        array = np.asarray(value).view() if hasattr(value, "__array__") else None
    except Exception:
        return None
    if array is not None:
        array.flags.writeable = False
    return array


def _element_type(x: Any) -> type:
    """Return the type of a list's element: of a 0-d array, the type of its own element."""
    return np.asarray(x).dtype.type if hasattr(x, "__array__") else type(x)


def _has_dimensions(x: Any) -> bool:
    """Tell arrays from numbers, which arrays of no dimension are, too."""
    if isinstance(x, np.ndarray):
        return x.ndim > 0
    ndim = getattr(x, "ndim", 0) if hasattr(x, "__array__") or hasattr(x, "__dlpack__") else 0
    return isinstance(ndim, int) and ndim > 0
