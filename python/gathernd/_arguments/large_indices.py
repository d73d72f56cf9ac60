"""Python ints as indices, whatever their size: what a mode makes of them needs no type to hold."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["exact_indices"]


def exact_indices(
    objects: NDArray[Any], what: str, mode: Any, shape: tuple[int, ...], batch_dims: Any
) -> NDArray[Any]:
    """Return Python ints as int64, or as uint64 if none is negative.

    One that is in neither is out of range of every axis: IndexError if `mode` is "raise", else the
    int64 of which the mode makes the same.
    """
    objects = np.vectorize(int, otypes=[object])(objects)
    limits = np.iinfo(np.int64 if objects.min() < 0 else np.uint64)
    if objects.min() >= limits.min and objects.max() <= limits.max:
        return objects.astype(limits.dtype)
    sizes = _indexed_sizes(objects, shape, batch_dims)
    mode = mode if isinstance(mode, str) else ""
    if mode == "raise" or (mode in ("clip", "wrap") and 0 in sizes):
        raise IndexError(_first_outside(objects, limits, what))
    if mode == "wrap" and sizes:
        rest: NDArray[Any] = objects % np.array(sizes, dtype=object)
        return rest.astype(np.int64)
    ends = np.iinfo(np.int64)
    return np.array(np.clip(objects, ends.min, ends.max), np.int64)  # clip makes ints of 0-d arrays


def _indexed_sizes(
    objects: NDArray[Any], shape: tuple[int, ...], batch_dims: Any
) -> tuple[int, ...]:
    """Return the size that each component of a tuple indexes; none where a rule is broken."""
    depth = objects.shape[-1] if objects.ndim > 0 else 0
    try:
        first = operator.index(batch_dims)
    except TypeError:
        return ()
    sizes = shape[first : first + depth] if first >= 0 else ()
    return sizes if len(sizes) == depth else ()


def _first_outside(objects: NDArray[Any], limits: Any, what: str) -> str:
    operation, _, name = what.partition(": ")
    outside = (objects < limits.min) | (objects > limits.max)
    position = [int(i) for i in np.argwhere(outside)[0]]
    x = objects[tuple(position)]
    shown = x if x.bit_length() <= 128 else "of more than 128 bits"
    return f"{operation}: index {shown} at {name}{position} is out of range of {limits.dtype}"
