"""What `torch.vmap` makes of the operators: the mapped dimension is one more of the batch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from gathernd.torch._ops import LIBRARY, ops, rows_shape

__all__ = ["register_rules"]


def _add_batch(
    info: Any, in_dims: Any, batch_dims: int, *tensors: torch.Tensor
) -> list[torch.Tensor]:
    """Return input, indices and so on with the mapped dimension in front; check batch_dims."""
    batches = [
        tensor.expand(info.batch_size, *tensor.shape) if dim is None else tensor.movedim(dim, 0)
        for tensor, dim in zip(tensors, in_dims, strict=False)
    ]
    # The operator gets one more: a valid 0 of -1, and no number that a message should name.
    rows_shape(batches[0].shape[1:], batches[1].shape[1:], batch_dims)
    return batches


def _gather_rule(op: Any) -> Callable[..., Any]:
    def rule(
        info: Any,
        in_dims: Any,
        input: torch.Tensor,
        indices: torch.Tensor,
        batch_dims: int = 0,
        *options: Any,
        **keywords: Any,
    ) -> Any:
        tensors = _add_batch(info, in_dims, batch_dims, input, indices)
        return op(*tensors, batch_dims + 1, *options, **keywords), 0

    return rule


def _scatter_rule(op: Any) -> Callable[..., Any]:
    def rule(
        info: Any,
        in_dims: Any,
        input: torch.Tensor,
        indices: torch.Tensor,
        updates: torch.Tensor,
        reduction: str = "none",
        batch_dims: int = 0,
        *options: Any,
        **keywords: Any,
    ) -> Any:
        if op._schema.is_mutable and in_dims[0] is None:
            raise ValueError(
                "scatter_nd_: vmap maps indices or updates, but not input, which cannot hold the "
                "results: use scatter_nd"
            )
        tensors = _add_batch(info, in_dims, batch_dims, input, indices, updates)
        result = op(*tensors, reduction, batch_dims + 1, *options, **keywords)
        return result, None if result is None else 0

    return rule


def _winners_rule(op: Any) -> Callable[..., Any]:
    scatter_rule = _scatter_rule(op)

    def rule(info: Any, in_dims: Any, result: Any, indices: Any, *arguments: Any) -> Any:
        winners, _ = scatter_rule(info, in_dims, result, indices, *arguments)
        # They are counted over all batches; each mapped one is to begin at 0.
        positions = indices.shape if in_dims[1] is None else indices.select(in_dims[1], 0).shape
        count = math.prod(positions[:-1])
        starts = torch.arange(info.batch_size, device=winners.device) * count
        starts = starts.view(-1, *(1,) * (winners.ndim - 1))
        none = winners == info.batch_size * count
        return torch.where(none, count, winners - starts), 0

    return rule


def register_rules() -> None:
    """Register what `vmap` makes of the operators, all of which are there."""
    for names, make_rule in (
        (("_gather_nd", "gather_nd"), _gather_rule),
        (("_scatter_nd", "_scatter_nd_", "scatter_nd", "scatter_nd_"), _scatter_rule),
        (("_winners",), _winners_rule),
    ):
        for name in names:
            rule = make_rule(getattr(ops, name).default)
            _register(name, rule)


def _register(name: str, rule: Callable[..., Any]) -> None:
    if hasattr(torch.library, "register_vmap"):
        torch.library.register_vmap(f"gathernd::{name}", rule, lib=LIBRARY)
    else:
        kernel = _batched_kernel(getattr(ops, name).default, rule)
        LIBRARY.impl(name, kernel, "FuncTorchBatched", with_keyset=True)


def _batched_kernel(op: Any, rule: Callable[..., Any]) -> Callable[..., Any]:
    """Return what PyTorch 2.5's register_vmap makes of a rule: 2.4 does not have it."""
    from torch._functorch import autograd_function, pyfunctorch, vmap

    below = torch._C.DispatchKeySet(torch._C.DispatchKey.FuncTorchBatched)

    def kernel(_: Any, *arguments: Any, **keywords: Any) -> Any:
        interpreter: Any = pyfunctorch.retrieve_current_functorch_interpreter()
        level, size = interpreter.level(), interpreter.batch_size()
        info = autograd_function.VmapInfo(batch_size=size, randomness=interpreter.randomness())
        plain, in_dims = vmap.unwrap_batched(arguments, level)
        with torch._C._ExcludeDispatchKeyGuard(below):
            if all(dim is None for dim in in_dims):
                return op(*plain, **keywords)
            result, dim = rule(info, in_dims, *plain, **keywords)
        return result if dim is None else vmap._add_batch_dim(result, dim, level)

    return kernel
