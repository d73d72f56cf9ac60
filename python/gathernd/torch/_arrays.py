"""Tensors of the CPU as arrays and back, in the same memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from gathernd._arguments.convert import as_fill

__all__ = ["fill_of", "to_array", "to_numbers", "to_tensor"]

_INTEGERS = {1: torch.uint8, 2: torch.int16, 4: torch.int32}
# Elements that NumPy has no type for: they move as integers.
_MOVED = {
    dtype: _INTEGERS[dtype.itemsize]
    for dtype in (getattr(torch, name) for name in dir(torch))
    if isinstance(dtype, torch.dtype)
    and (str(dtype).startswith(("torch.bfloat", "torch.float8")) or dtype is torch.complex32)
}


def to_array(tensor: torch.Tensor) -> NDArray[Any]:
    """Return the tensor's memory as an array; as integers if NumPy lacks the dtype."""
    if tensor.requires_grad:
        tensor = tensor.detach()
    integer = _MOVED.get(tensor.dtype)
    array: NDArray[Any] = (tensor if integer is None else tensor.view(integer)).numpy()
    return array


def to_numbers(tensor: torch.Tensor, what: str) -> NDArray[Any]:
    """Return the tensor's memory as an array to compute with; `what` is how messages begin."""
    array = to_array(tensor)
    if tensor.dtype not in _MOVED:
        return array
    name = str(tensor.dtype).removeprefix("torch.")
    try:
        import ml_dtypes
    except ModuleNotFoundError:
        raise TypeError(
            f"{what}: to compute with {name} needs the package ml_dtypes: pip install ml_dtypes"
        ) from None
    if not hasattr(ml_dtypes, name):
        raise TypeError(f"{what}: {name} elements can be moved, not computed with")
    return array.view(getattr(ml_dtypes, name))


def to_tensor(array: NDArray[Any], dtype: torch.dtype) -> torch.Tensor:
    """Return an array's memory as a tensor of the dtype whose elements it holds."""
    if dtype not in _MOVED:
        return torch.from_numpy(array)
    return torch.from_numpy(array.view(f"i{dtype.itemsize}")).view(dtype)


def fill_of(value: Any, source: NDArray[Any], dtype: torch.dtype) -> NDArray[Any] | None:
    """Return a fill value as an element of `source`, the array of a tensor of `dtype`."""
    if dtype not in _MOVED:
        return as_fill(True, value, source.dtype)
    return np.asarray(to_array(torch.tensor(value, dtype=dtype, device="cpu")))
