"""Nested lists: their shape and their elements, by loops that are C's."""

from __future__ import annotations

from itertools import chain
from math import prod
from typing import Any

from gathernd import _core

__all__ = ["flatten"]

_MAX_RANK = 64


def flatten(value: Any, nests: set[type]) -> tuple[list[Any], tuple[int, ...]] | None:
    """Return the elements in C order and the shape of nested lists; None if they are ragged.

    `nests` has the types of the lists; what is of another type is an element.
    """
    depth, first = 0, value
    while type(first) in nests and len(first) > 0:  # a list can contain itself
        depth, first = depth + 1, first[0]
        if depth > _MAX_RANK:
            return None
    shape, level = [len(value)], list(value)
    while level and _core.element_types(level) <= nests:
        sizes = set(map(len, level))
        if len(sizes) != 1 or len(shape) == _MAX_RANK:
            return None
        shape.append(sizes.pop())
        level = list(chain.from_iterable(level))
    return (level, tuple(shape)) if len(level) == prod(shape) else None
