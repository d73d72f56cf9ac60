"""The operators without gradients: schemas, what they do on the CPU, shapes of their results.

Those of users, in `_gradients`, are made of these. One that is to do something else needs another
name: programs that torch.compile has cached call the old one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from gathernd import _core
from gathernd._devices.names import CPU
from gathernd.torch._arrays import fill_of, to_array, to_numbers, to_tensor

__all__ = ["LIBRARY", "ops", "rows_shape"]

LIBRARY = torch.library.Library("gathernd", "DEF")

# PyTorch cannot compile an operator that writes to an argument and has one of the name "mode".
_SCATTER = (
    "Tensor indices, Tensor updates, str reduction, int batch_dims, str index_mode, "
    "str duplicates, bool wrap_negative_indices"
)
LIBRARY.define(
    "_gather_nd(Tensor input, Tensor indices, int batch_dims, str index_mode, Scalar fill_value, "
    "bool wrap_negative_indices) -> Tensor"
)
LIBRARY.define(f"_scatter_nd(Tensor input, {_SCATTER}) -> Tensor")
LIBRARY.define(f"_scatter_nd_(Tensor(a!) input, {_SCATTER}) -> ()")
LIBRARY.define(f"_winners(Tensor result, {_SCATTER}) -> Tensor")

ops: Any = torch.ops.gathernd


def rows_shape(input: Any, indices: Any, batch_dims: int) -> tuple[Any, ...]:
    """Return the shape of gather's result and scatter's updates, of those of the arguments."""
    depth = int(indices[-1]) if len(indices) > 0 else 0
    if not 0 <= batch_dims < len(indices) or batch_dims + depth > len(input):
        raise ValueError(
            f"gathernd.torch: input of shape {tuple(input)} and indices of shape {tuple(indices)} "
            f"do not fit batch_dims={batch_dims}"
        )
    return (*indices[:-1], *input[batch_dims + depth :])


def _gather(
    input: torch.Tensor,
    indices: torch.Tensor,
    batch_dims: int,
    mode: str,
    fill_value: Any,
    wraps: bool,
) -> torch.Tensor:
    source = to_array(input)
    fill = fill_of(fill_value, source, input.dtype) if mode == "fill" else None
    result = _core.gather_nd(source, to_array(indices), batch_dims, mode, fill, None, CPU, wraps)
    return to_tensor(result, input.dtype)


def _scatter(
    input: torch.Tensor,
    indices: torch.Tensor,
    updates: torch.Tensor,
    reduction: str,
    batch_dims: int,
    mode: str,
    duplicates: str,
    wraps: bool,
) -> torch.Tensor:
    table, rows = _table_and_rows(input, updates, reduction)
    out = None
    if not table.flags.c_contiguous:  # the result is contiguous all the same
        if any(table.strides):
            out = np.empty(table.shape, table.dtype)
        else:
            table = out = _filled(table)
    result = _core.scatter_nd(
        table,
        to_array(indices),
        rows,
        reduction,
        batch_dims,
        mode,
        _settled(duplicates, reduction),
        out,
        CPU,
        wraps,
    )
    return to_tensor(result, input.dtype)


def _scatter_in_place(
    input: torch.Tensor,
    indices: torch.Tensor,
    updates: torch.Tensor,
    reduction: str,
    batch_dims: int,
    mode: str,
    duplicates: str,
    wraps: bool,
) -> None:
    table, rows = _table_and_rows(input, updates, reduction)
    _core.scatter_nd(
        table,
        to_array(indices),
        rows,
        reduction,
        batch_dims,
        mode,
        _settled(duplicates, reduction),
        table,
        CPU,
        wraps,
    )
    if not input.is_inference():
        torch.autograd.graph.increment_version(input)


def _winners(
    result: torch.Tensor,
    indices: torch.Tensor,
    updates: torch.Tensor,
    reduction: str,
    batch_dims: int,
    mode: str,
    duplicates: str,
    wraps: bool,
) -> torch.Tensor:
    """`gathernd.winners` of the scatter that had this result, but the number of tuples for -1."""
    table, rows = _table_and_rows(result, updates, reduction)
    none = math.prod(indices.shape[:-1])
    found = _core.winners(
        table, to_array(indices), rows, reduction, batch_dims, mode, duplicates, wraps, none
    )
    return torch.from_numpy(found)


def _table_and_rows(input: torch.Tensor, updates: torch.Tensor, reduction: str) -> Any:
    if input.dtype != updates.dtype:
        raise TypeError(
            f"scatter_nd: updates must have input's dtype {input.dtype}, not {updates.dtype}; "
            f"use updates.to({input.dtype})"
        )
    if reduction == "none":
        return to_array(input), to_array(updates)
    what = "scatter_nd"
    return to_numbers(input, what), to_numbers(updates, what)


def _filled(element: NDArray[Any]) -> NDArray[Any]:
    """Return a contiguous array of an element that is repeated; zeros take no time."""
    result = np.zeros(element.shape, element.dtype)
    if element.size > 0 and any(element[(0,) * element.ndim].tobytes()):
        result[...] = element
    return result


def _settled(duplicates: str, reduction: str) -> str:
    """Return "last" for "any": the gradient must go where the forward took the update from.

    With a reduction, "any" is an error, which the core raises.
    """
    return "last" if duplicates == "any" and reduction == "none" else duplicates


def _refuse(name: str) -> Callable[..., Any]:
    """Return what the operator does with tensors that are not of the CPU, or no plain ones."""

    def refuse(*arguments: Any) -> Any:
        for tensor in arguments:
            if not isinstance(tensor, torch.Tensor):
                continue
            if not tensor.is_cpu:
                raise TypeError(
                    f"{name}: tensors must lie on the CPU, not on {tensor.device}; use .cpu()"
                )
            if tensor.layout != torch.strided:
                raise TypeError(
                    f"{name}: tensors must be strided, not {tensor.layout}; use .to_dense()"
                )
        raise TypeError(f"{name}: there is no kernel for tensors of this kind")

    return refuse


for _name, _kernel in (
    ("_gather_nd", _gather),
    ("_scatter_nd", _scatter),
    ("_scatter_nd_", _scatter_in_place),
    ("_winners", _winners),
):
    LIBRARY.impl(_name, _kernel, "CPU")
    LIBRARY.impl(_name, _refuse(_name[1:]), "CompositeExplicitAutograd")


# The results as to shape and dtype, for torch.compile.


@torch.library.register_fake("gathernd::_gather_nd", lib=LIBRARY)
def _gather_fake(input: Any, indices: Any, batch_dims: int, *_: Any) -> Any:
    return input.new_empty(rows_shape(input.shape, indices.shape, batch_dims))


@torch.library.register_fake("gathernd::_scatter_nd", lib=LIBRARY)
def _scatter_fake(input: Any, *_: Any) -> Any:
    return input.new_empty(input.shape)


@torch.library.register_fake("gathernd::_scatter_nd_", lib=LIBRARY)
def _scatter_in_place_fake(*_: Any) -> None:
    return None


@torch.library.register_fake("gathernd::_winners", lib=LIBRARY)
def _winners_fake(result: Any, *_: Any) -> Any:
    return result.new_empty(result.shape, dtype=torch.int64)
