"""The operators with their gradients, which have gradients themselves."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import torch

from gathernd.torch._ops import LIBRARY, ops, rows_shape

__all__ = ["gather", "scatter", "scatter_in_place"]

_SCATTER = (
    "Tensor indices, Tensor updates, str reduction='none', int batch_dims=0, *, str mode='raise', "
    "str duplicates='last', bool wrap_negative_indices=True"
)
LIBRARY.define(
    "gather_nd(Tensor input, Tensor indices, int batch_dims=0, *, str mode='raise', "
    "Scalar fill_value=0, bool wrap_negative_indices=True) -> Tensor"
)
LIBRARY.define(f"scatter_nd(Tensor input, {_SCATTER}) -> Tensor")
LIBRARY.define(f"scatter_nd_(Tensor(a!) input, {_SCATTER}) -> Tensor(a!)")


class _Gather(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(*arguments: Any) -> Any:
        return ops._gather_nd.default(*arguments)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        table, indices, ctx.batch_dims, ctx.mode, _, ctx.wraps = inputs
        ctx.shape = table.shape
        ctx.save_for_backward(indices)
        ctx.save_for_forward(indices)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        (indices,) = ctx.saved_tensors
        mode = "drop" if ctx.mode == "fill" else ctx.mode
        table = grad.new_zeros(()).expand(ctx.shape)
        to_input = scatter(table, indices, grad, "add", ctx.batch_dims, mode, "last", ctx.wraps)
        return to_input, None, None, None, None, None

    @staticmethod
    def jvp(ctx: Any, tangent: torch.Tensor, *_: Any) -> torch.Tensor:
        (indices,) = ctx.saved_tensors
        return gather(tangent, indices, ctx.batch_dims, ctx.mode, 0, ctx.wraps)


class _Scatter(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(*arguments: Any) -> Any:
        return ops._scatter_nd.default(*arguments)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        _, indices, updates, ctx.reduction, *ctx.options = inputs
        extremes = [updates, output] if ctx.reduction in ("min", "max") else []
        ctx.save_for_backward(indices, *extremes)
        ctx.save_for_forward(indices, *extremes)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        _check_differentiable(ctx.reduction)
        winners = _find_winners(ctx) if ctx.reduction in ("min", "max") else None
        if ctx.reduction == "none" and ctx.needs_input_grad[2] and _has_few_slices(ctx, grad):
            winners = _find_rows(ctx, grad, _count(ctx.saved_tensors[0]))
        to_input = _to_input(ctx, grad, winners) if ctx.needs_input_grad[0] else None
        to_updates = _to_updates(ctx, grad, winners) if ctx.needs_input_grad[2] else None
        return to_input, None, to_updates, None, None, None, None, None

    @staticmethod
    def jvp(ctx: Any, to_input: Any, _: Any, to_updates: Any, *__: Any) -> torch.Tensor:
        _check_differentiable(ctx.reduction)
        return _push(ctx, to_input, to_updates)


# PyTorch asks for it in each call, and to work it out takes a quarter of the time of a small one.
for _function in (_Gather, _Scatter):
    _function.forward.__signature__ = inspect.signature(_function.forward)  # type: ignore[attr-defined]


def _check_differentiable(reduction: str) -> None:
    if reduction == "mul":
        raise TypeError('scatter_nd: reduction "mul" has no gradient')


def _to_input(ctx: Any, grad: torch.Tensor, winners: torch.Tensor | None) -> torch.Tensor:
    """Return the gradient of a scatter's input: of the elements that stayed."""
    if ctx.reduction in ("add", "sub"):
        return grad
    if winners is not None:
        is_input = winners == _count(ctx.saved_tensors[0])
        return torch.where(is_input.view(_with_slices(is_input, grad)), grad, 0)
    indices = ctx.saved_tensors[0]
    shape = rows_shape(grad.shape, indices.shape, ctx.options[0])
    zeros = grad.new_zeros(shape[indices.ndim - 1 :]).expand(shape)
    return scatter(grad, indices, zeros, "none", *ctx.options)


def _to_updates(ctx: Any, grad: torch.Tensor, winners: torch.Tensor | None) -> torch.Tensor:
    """Return the gradient of a scatter's updates: of those that stayed."""
    batch_dims, mode, duplicates, wraps = ctx.options
    indices = ctx.saved_tensors[0]
    count, shape = _count(indices), rows_shape(grad.shape, indices.shape, batch_dims)
    if winners is not None and ctx.reduction == "none":
        rows = grad.new_zeros(()).expand(count, *shape[indices.ndim - 1 :])
        slices = grad.reshape(math.prod(winners.shape), *rows.shape[1:])
        places = winners.reshape(-1, 1)
        return scatter(rows, places, slices, "none", 0, "drop", "last", False).view(shape)
    if winners is not None:
        # Each element of the result goes to one update, or beyond the last of them.
        places = _rows_of_slices(ctx, winners)
        rows = grad.new_zeros(count + 1, places.shape[1])
        rows.scatter_(0, places, _rows_of_slices(ctx, grad))
        return rows[:count].view(shape)
    read = "fill" if mode == "drop" else mode
    rows = gather(grad, indices, batch_dims, read, 0, wraps)
    if ctx.reduction in ("add", "sub"):
        return rows if ctx.reduction == "add" else -rows
    if duplicates == "error":
        return rows
    positions = torch.arange(count, device=grad.device).view(indices.shape[:-1])
    found = _find_rows(ctx, grad, 0)  # zeros take no time, and these are not read
    stays = gather(found, indices, batch_dims, read, -1, wraps) == positions
    return torch.where(stays.view(_with_slices(stays, rows)), rows, 0)


def _has_few_slices(ctx: Any, grad: torch.Tensor) -> bool:
    """Whether it is faster to go through the slices of a set's result than through its updates."""
    indices = ctx.saved_tensors[0]
    slices: int = math.prod(grad.shape[: ctx.options[0] + indices.shape[-1]])
    return bool(0 < slices <= _count(indices))


def _find_rows(ctx: Any, grad: torch.Tensor, none: int) -> torch.Tensor:
    """Return the update that each slice of a set's result came from; `none` stands for input."""
    indices = ctx.saved_tensors[0]
    positions = torch.arange(_count(indices), device=grad.device).view(indices.shape[:-1])
    shape = grad.shape[: ctx.options[0] + indices.shape[-1]]
    table = positions.new_full((), none).expand(shape)
    found: torch.Tensor = ops._scatter_nd.default(table, indices, positions, "none", *ctx.options)
    return found


def _with_slices(places: torch.Tensor, rows: torch.Tensor) -> tuple[int, ...]:
    """Return the shape in which what is known of each slice goes with the slices of `rows`."""
    return (*places.shape, *(1,) * (rows.ndim - places.ndim))


def _push(ctx: Any, to_input: torch.Tensor, to_updates: torch.Tensor) -> torch.Tensor:
    """Return the tangent of a scatter's result, of those of its arguments."""
    indices = ctx.saved_tensors[0]
    if ctx.reduction not in ("min", "max"):
        return scatter(to_input, indices, to_updates, ctx.reduction, *ctx.options)
    # Each element comes from an update, or from input: that is beyond the last of them.
    winners, count = _rows_of_slices(ctx, _find_winners(ctx)), _count(indices)
    if count == 0:
        return to_input.clone()
    rows = to_updates.reshape(count, winners.shape[1]).gather(0, winners.clamp(max=count - 1))
    return torch.where(winners == count, _rows_of_slices(ctx, to_input), rows).view(to_input.shape)


def _find_winners(ctx: Any) -> torch.Tensor:
    """Return the update that each element of a min's or max's result came from.

    The number of updates stands for input.
    """
    indices, updates, output = ctx.saved_tensors
    return ops._winners.default(output, indices, updates, ctx.reduction, *ctx.options)


def _count(indices: torch.Tensor) -> int:
    return math.prod(indices.shape[:-1])


def _rows_of_slices(ctx: Any, table: torch.Tensor) -> torch.Tensor:
    """Return the slices of a table as the rows of a matrix."""
    depth = ctx.options[0] + ctx.saved_tensors[0].shape[-1]
    return table.reshape(math.prod(table.shape[:depth]), math.prod(table.shape[depth:]))


def _is_tracked(*tensors: torch.Tensor) -> bool:
    """Whether anybody may ask for a gradient."""
    if torch._C._are_functorch_transforms_active() or torch.autograd.forward_ad._current_level >= 0:
        return True
    return torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)


def gather(
    input: torch.Tensor,
    indices: torch.Tensor,
    batch_dims: int = 0,
    mode: str = "raise",
    fill_value: Any = 0,
    wraps: bool = True,
) -> torch.Tensor:
    """gather_nd, with its gradient where one may be asked for."""
    run = _Gather.apply if _is_tracked(input) else ops._gather_nd.default
    result: torch.Tensor = run(input, indices, batch_dims, mode, fill_value, wraps)
    return result


def scatter(
    input: torch.Tensor,
    indices: torch.Tensor,
    updates: torch.Tensor,
    reduction: str = "none",
    batch_dims: int = 0,
    mode: str = "raise",
    duplicates: str = "last",
    wraps: bool = True,
) -> torch.Tensor:
    """scatter_nd, with its gradient where one may be asked for."""
    run = _Scatter.apply if _is_tracked(input, updates) else ops._scatter_nd.default
    result: torch.Tensor = run(
        input, indices, updates, reduction, batch_dims, mode, duplicates, wraps
    )
    return result


def scatter_in_place(
    input: torch.Tensor,
    indices: torch.Tensor,
    updates: torch.Tensor,
    reduction: str = "none",
    batch_dims: int = 0,
    mode: str = "raise",
    duplicates: str = "last",
    wraps: bool = True,
) -> torch.Tensor:
    """scatter_nd_: of `copy_` and scatter_nd where that has a gradient."""
    if input.is_inference() and not torch.is_inference_mode_enabled():
        raise RuntimeError(
            "scatter_nd_: input is an inference tensor, which cannot change outside of "
            "torch.inference_mode(); use input.clone()"
        )
    options = (reduction, batch_dims, mode, duplicates, wraps)
    if _is_tracked(input, updates) or input.is_conj() or input.is_neg():
        return input.copy_(scatter(input, indices, updates, *options))
    ops._scatter_nd_.default(input, indices, updates, *options)
    return input


# torch.ops.gathernd.gather_nd and so on: what torch.compile sees.


def _with_keywords(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """Return the function with the keywords of the schemas."""

    def kernel(
        *arguments: Any, mode: str = "raise", wrap_negative_indices: bool = True, **options: Any
    ) -> torch.Tensor:
        return function(*arguments, mode=mode, wraps=wrap_negative_indices, **options)

    return kernel


LIBRARY.impl("gather_nd", _with_keywords(gather), "CompositeImplicitAutograd")
LIBRARY.impl("scatter_nd", _with_keywords(scatter), "CompositeImplicitAutograd")
LIBRARY.impl("scatter_nd_", _with_keywords(scatter_in_place), "CompositeImplicitAutograd")
