"""The three functions and their documentation."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from gathernd._arguments.convert import as_integer, short_repr
from gathernd._arguments.options import Duplicates, GatherMode, Reduction, ScatterMode
from gathernd.torch._arrays import fill_number
from gathernd.torch._gradients import gather, scatter, scatter_in_place
from gathernd.torch._ops import ops
from gathernd.torch._vmap import register_rules

__all__ = ["gather_nd", "scatter_nd", "scatter_nd_"]

register_rules()


def gather_nd(
    input: torch.Tensor,
    indices: torch.Tensor,
    batch_dims: int = 0,
    *,
    mode: GatherMode = "raise",
    fill_value: Any = 0,
    wrap_negative_indices: bool = True,
) -> torch.Tensor:
    """Gather slices of a tensor by index tuples: `gathernd.gather_nd` for PyTorch.

    Parameters
    ----------
    input : Tensor
        Of a dtype of NumPy, bfloat16, float8 or complex32, on the CPU. Its gradient is the sum of
        those of its copies, in C order: the same bits at every number of threads.
    indices : Tensor of int8 to int64 or uint8 to uint64
        The tuples, in the last dimension.
    batch_dims, mode, wrap_negative_indices
        As in `gathernd.gather_nd`.
    fill_value : number, default 0
        For ``mode="fill"``. No gradient goes to such slices.

    Returns
    -------
    Tensor
        A new one, contiguous.

    Raises
    ------
    IndexError, ValueError, TypeError, OverflowError
        As `gathernd.gather_nd`. TypeError for tensors that do not lie on the CPU.

    Examples
    --------
    >>> import torch
    >>> import gathernd.torch as gt
    >>> gt.gather_nd(torch.tensor([[1, 2], [3, 4]]), torch.tensor([[1, 0], [0, -1]]))
    tensor([3, 2])
    """
    _check_tensors("gather_nd", input=input, indices=indices)
    batch_dims, wraps = _check_options("gather_nd", batch_dims, wrap_negative_indices, mode=mode)
    if mode != "fill":
        fill_value = 0
    elif getattr(fill_value, "ndim", 1) == 0:  # of NumPy or PyTorch
        fill_value = fill_value.item()
    if not torch.compiler.is_compiling():
        fill_value = fill_number(fill_value, input.dtype)
        return gather(input, indices, batch_dims, mode, fill_value, wraps)
    result: torch.Tensor = ops.gather_nd.default(
        input,
        indices,
        batch_dims,
        mode=mode,
        fill_value=fill_value,
        wrap_negative_indices=wraps,
    )
    return result


def scatter_nd(
    input: torch.Tensor,
    indices: torch.Tensor,
    updates: torch.Tensor,
    reduction: Reduction = "none",
    batch_dims: int = 0,
    *,
    mode: ScatterMode = "raise",
    duplicates: Duplicates = "last",
    wrap_negative_indices: bool = True,
) -> torch.Tensor:
    """Write or accumulate slices into a copy of a tensor: `gathernd.scatter_nd` for PyTorch.

    Parameters
    ----------
    input : Tensor
        What the result starts as: of a dtype of NumPy, bfloat16, float8 or complex32, on the CPU.
    indices : Tensor of int8 to int64 or uint8 to uint64
        The tuples, in the last dimension.
    updates : Tensor
        Of input's dtype, without broadcasting.
    reduction : {"none", "add", "sub", "mul", "min", "max", "and", "or", "xor"}, default "none"
        As in `gathernd.scatter_nd`: sums of bfloat16 and float16 are rounded once.
    duplicates : {"last", "first", "error", "any"}, default "last"
        As in `gathernd.scatter_nd`; "any" is "last" here.
    batch_dims, mode, wrap_negative_indices
        As in `gathernd.scatter_nd`.

    Returns
    -------
    Tensor
        A new one of input's shape, contiguous.

    Raises
    ------
    IndexError, ValueError, TypeError
        As `gathernd.scatter_nd`. TypeError for tensors that do not lie on the CPU, and from the
        backward pass of reduction "mul".

    See Also
    --------
    gathernd.winners : which update stayed: argmin and argmax.

    Notes
    -----
    Gradients: of "add" and "sub", all of it goes to `input`, and to each update. Of "none", to the
    update that stayed. Of "min" and "max", to the first update that is the extreme value, in C
    order of the tuples, and to `input` if none is. Where no tuple points, to `input`.

    Examples
    --------
    >>> import torch
    >>> import gathernd.torch as gt
    >>> values = torch.tensor([3.0, 7.0, 5.0], requires_grad=True)
    >>> groups = torch.tensor([[0], [1], [0]])
    >>> top = gt.scatter_nd(torch.full((2,), -torch.inf), groups, values, "max")
    >>> top.sum().backward()
    >>> values.grad
    tensor([0., 1., 1.])
    """
    _check_tensors("scatter_nd", input=input, indices=indices, updates=updates)
    words = {"reduction": reduction, "mode": mode, "duplicates": duplicates}
    batch_dims, wraps = _check_options("scatter_nd", batch_dims, wrap_negative_indices, **words)
    if not torch.compiler.is_compiling():
        options = (reduction, batch_dims, mode, duplicates, wraps)
        return scatter(input, indices, updates, *options)
    result: torch.Tensor = ops.scatter_nd.default(
        input,
        indices,
        updates,
        reduction,
        batch_dims,
        mode=mode,
        duplicates=duplicates,
        wrap_negative_indices=wraps,
    )
    return result


def scatter_nd_(
    input: torch.Tensor,
    indices: torch.Tensor,
    updates: torch.Tensor,
    reduction: Reduction = "none",
    batch_dims: int = 0,
    *,
    mode: ScatterMode = "raise",
    duplicates: Duplicates = "last",
    wrap_negative_indices: bool = True,
) -> torch.Tensor:
    """Write or accumulate slices into a tensor in place: see `scatter_nd`.

    Parameters
    ----------
    input : Tensor
        The tensor to change: no two of its elements may share memory. Only what the tuples address
        is touched, unless a gradient is asked for: then all of it is copied once.
    indices, updates, reduction, batch_dims, mode, duplicates, wrap_negative_indices
        As in `scatter_nd`.

    Returns
    -------
    Tensor
        `input`.

    Raises
    ------
    IndexError, ValueError, TypeError
        As `scatter_nd`; `input` is as before then.
    RuntimeError
        `input` is a leaf that requires a gradient, or an inference tensor outside of
        `torch.inference_mode`, as of every operator in place.

    Examples
    --------
    >>> import torch
    >>> import gathernd.torch as gt
    >>> counts = torch.zeros(3)
    >>> gt.scatter_nd_(counts, torch.tensor([[0], [2], [2]]), torch.ones(3), "add")
    tensor([1., 0., 2.])
    """
    _check_tensors("scatter_nd_", input=input, indices=indices, updates=updates)
    words = {"reduction": reduction, "mode": mode, "duplicates": duplicates}
    batch_dims, wraps = _check_options("scatter_nd_", batch_dims, wrap_negative_indices, **words)
    if not torch.compiler.is_compiling():
        options = (reduction, batch_dims, mode, duplicates, wraps)
        return scatter_in_place(input, indices, updates, *options)
    result: torch.Tensor = ops.scatter_nd_.default(
        input,
        indices,
        updates,
        reduction,
        batch_dims,
        mode=mode,
        duplicates=duplicates,
        wrap_negative_indices=wraps,
    )
    return result


def _check_tensors(name: str, **arguments: Any) -> None:
    for argument, value in arguments.items():
        if not isinstance(value, torch.Tensor):
            raise TypeError(
                f"{name}: {argument} must be a tensor, not {type(value).__name__}; "
                f"use torch.as_tensor({argument})"
            )


def _check_options(
    name: str, batch_dims: Any, wrap_negative_indices: Any, **words: Any
) -> tuple[int, bool]:
    """Return batch_dims and wrap_negative_indices as an int and a bool.

    PyTorch would tell of types that are no part of the functions, and torch.compile takes a bool
    for an int.
    """
    for option, word in words.items():
        if not isinstance(word, str):
            raise ValueError(f"{name}: {option} must be a string, not {short_repr(word)}")
    if not isinstance(wrap_negative_indices, (bool, np.bool_)):
        raise TypeError(
            f"{name}: wrap_negative_indices must be a bool, not {short_repr(wrap_negative_indices)}"
        )
    number = as_integer(batch_dims, f"{name}: batch_dims")
    if not -(2**63) <= number < 2**63:
        raise ValueError(f"{name}: batch_dims must be from 0 to 64, not {short_repr(number)}")
    return number, bool(wrap_negative_indices)
