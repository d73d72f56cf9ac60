"""What `torch.vmap` makes of the operators: the mapped dimension is one more of the batch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from gathernd.torch._ops import LIBRARY, ops

__all__ = ["register_rules"]


def _add_batch(info: Any, in_dims: Any, *tensors: torch.Tensor) -> list[torch.Tensor]:
    return [
        tensor.expand(info.batch_size, *tensor.shape) if dim is None else tensor.movedim(dim, 0)
        for tensor, dim in zip(tensors, in_dims, strict=False)
    ]


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
        tensors = _add_batch(info, in_dims, input, indices)
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
        tensors = _add_batch(info, in_dims, input, indices, updates)
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
            torch.library.register_vmap(f"gathernd::{name}", rule, lib=LIBRARY)
