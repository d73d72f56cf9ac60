"""Tensors of the CPU as arrays and back, in the same memory."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from gathernd._arguments.convert import as_fill

__all__ = ["fill_number", "fill_of", "to_array", "to_numbers", "to_tensor"]

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


def fill_number(value: Any, dtype: torch.dtype) -> Any:
    """Return a fill value as a Python number, which the operators take; `fill_of` checks it."""
    if type(value) in (bool, float, complex):
        return value
    is_short = type(value) is int and value.bit_length() < 64
    return value if is_short else _element(value, dtype).item()


def fill_of(value: Any, source: NDArray[Any], dtype: torch.dtype) -> NDArray[Any] | None:
    """Return a fill value as an element of `source`, the array of a tensor of `dtype`."""
    if dtype not in _MOVED:
        return as_fill(True, value, source.dtype)
    number = _element(value, dtype).item()
    parts = (number.real, number.imag) if dtype.is_complex else (number,)
    is_zero = type(value) is int and value == 0  # bits of 0, though float8_e8m0fnu has no zero
    if not is_zero and not all(_fits(part, dtype.to_real()) for part in parts):
        name = str(dtype).removeprefix("torch.")
        raise OverflowError(f"gather_nd: fill_value: a number is out of bounds for {name}")
    return np.asarray(to_array(_convert(number, dtype)))


def _element(value: Any, dtype: torch.dtype) -> Any:
    """Return the fill value as an element of `dtype`, or of a wider one if NumPy lacks it."""
    name = str(dtype).removeprefix("torch.")
    if dtype not in _MOVED:
        return as_fill(True, value, np.dtype(name))
    wide = np.dtype("complex128" if dtype.is_complex else "float64")
    try:
        return as_fill(True, value, wide)
    except (OverflowError, TypeError) as error:
        raise type(error)(str(error).replace(str(wide), name)) from None


def _convert(number: complex, dtype: torch.dtype) -> torch.Tensor:
    return torch.tensor(number, dtype=dtype, device="cpu")


def _fits(number: float, dtype: torch.dtype) -> bool:
    """Whether PyTorch only rounds the number: to no NaN, infinity, other sign or greatest value."""
    made: float = _convert(number, dtype).item()
    if not math.isfinite(number):
        return str(made) == str(number)
    if not math.isfinite(made) or number <= 0 < made:
        return False
    # If PyTorch cut it to the greatest value, its half is too great for half of that.
    is_cut = abs(number) > torch.finfo(dtype).max and 2 * _convert(number / 2, dtype).item() != made
    return not is_cut
