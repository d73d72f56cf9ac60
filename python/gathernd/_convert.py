"""Arguments to arrays: ndarrays, DLPack, array-likes, numbers by NumPy 2's weak rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from gathernd import _core

__all__ = ["as_array", "as_element", "as_indices", "as_updates"]

# What a Python value may become: its kind's rank must not be above the dtype's.
_RANK = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}


def as_array(value: Any, what: str) -> np.ndarray[Any, Any]:
    """Return a view of the value's memory where it has one, else a new array.

    Here and below, `what` is how messages begin: "gather_nd: input".
    """
    if type(value) is np.ndarray:
        return value
    if not isinstance(value, np.ndarray) and hasattr(value, "__dlpack__"):
        return _core.from_dlpack(value, what)
    return np.asarray(value)


def as_indices(value: Any, what: str) -> np.ndarray[Any, Any]:
    """Return the indices as an array; an empty list has no dtype of its own and becomes int64."""
    array = as_array(value, what)
    if array.size == 0 and isinstance(value, (list, tuple)):
        return array.astype(np.int64)
    return array


def as_updates(value: Any, dtype: np.dtype[Any], what: str) -> np.ndarray[Any, Any]:
    """Return the updates; lists and Python numbers take `dtype`, arrays keep their own."""
    if isinstance(value, (list, tuple, bool, int, float, complex, str, bytes)) and not isinstance(
        value, np.generic
    ):
        return _weak_array(value, dtype, what)
    return as_array(value, what)


def as_element(value: Any, dtype: np.dtype[Any], what: str) -> np.ndarray[Any, Any]:
    """Return the fill value as a 0-d array of `dtype`; what does not fit raises.

    The int 0, the default, is every dtype's zero.
    """
    if type(value) is int and value == 0:
        return np.zeros((), dtype)
    if isinstance(value, (np.ndarray, np.generic)) and value.ndim == 0:
        if value.dtype == dtype:
            return np.asarray(value)
        if value.dtype.kind in _RANK:
            value = value.item()
    array = _weak_array(value, dtype, what)
    if array.ndim != 0:
        raise ValueError(f"{what} must be a single element, not of shape {array.shape}")
    return array


def _weak_array(value: Any, dtype: np.dtype[Any], what: str) -> np.ndarray[Any, Any]:
    """Convert Python values to `dtype`: TypeError for another kind, OverflowError out of range."""
    kind = _number_kind(dtype)
    if kind is None:
        return _opaque_array(value, dtype, what)
    natural = np.asarray(value)
    if natural.dtype == dtype:
        return natural
    if natural.size == 0:
        return natural.astype(dtype)
    is_huge_int = natural.dtype.kind == "O" and all(type(x) is int for x in natural.flat)
    given = "i" if is_huge_int else natural.dtype.kind
    if _RANK.get(given, 4) > _RANK[kind]:
        raise TypeError(
            f"{what} of type {natural.dtype} cannot become {dtype}, input's dtype, without a loss"
        )
    if kind in "iu" and given in "iu":
        limits = _int_limits(dtype)
        for number in (natural.min(), natural.max()):
            if not limits[0] <= int(number) <= limits[1]:
                raise OverflowError(f"{what}: {number} is out of bounds for {dtype}")
    with np.errstate(over="ignore"):
        result = (natural.astype(np.longdouble) if is_huge_int else natural).astype(dtype)
    was_finite = is_huge_int or np.isfinite(natural)
    if kind in "fc" and np.any(was_finite & ~np.isfinite(result)):
        raise OverflowError(f"{what}: a number is out of bounds for {dtype}")
    return result


def _opaque_array(value: Any, dtype: np.dtype[Any], what: str) -> np.ndarray[Any, Any]:
    """Convert to a dtype that is no number; strings that would be cut short do not fit."""
    if dtype.kind in "SU":
        natural = np.asarray(value)
        if natural.size == 0:
            return natural.astype(dtype)
        if natural.dtype.kind != dtype.kind:
            raise TypeError(f"{what} of type {natural.dtype} cannot become {dtype}, input's dtype")
        if natural.dtype.itemsize > dtype.itemsize:
            raise ValueError(f"{what}: a string is too long for {dtype}")
    return np.asarray(value, dtype=dtype)


def _number_kind(dtype: np.dtype[Any]) -> str | None:
    """Return b, i, u, f or c for numbers, those of ml_dtypes included, else None."""
    if dtype.kind in _RANK and dtype.isbuiltin == 1:
        return dtype.kind
    if dtype.isbuiltin == 2:  # registered by another package, as ml_dtypes does
        return "i" if "int" in dtype.name else "c" if "complex" in dtype.name else "f"
    return dtype.kind if dtype.kind in _RANK else None


def _int_limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    if dtype.isbuiltin == 2:
        import ml_dtypes

        info = ml_dtypes.iinfo(dtype)  # type: ignore[no-untyped-call]
        return int(info.min), int(info.max)
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)
