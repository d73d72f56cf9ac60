"""The values of the options, for type checkers; the C++ core checks them."""

from __future__ import annotations

from typing import Literal, TypeAlias

__all__ = ["Duplicates", "GatherMode", "Mode", "Reduction", "ScatterMode"]

GatherMode: TypeAlias = Literal["raise", "clip", "wrap", "fill"]
ScatterMode: TypeAlias = Literal["raise", "clip", "wrap", "drop"]
Mode: TypeAlias = GatherMode | ScatterMode
Reduction: TypeAlias = Literal["none", "add", "sub", "mul", "min", "max", "and", "or", "xor"]
Duplicates: TypeAlias = Literal["last", "first", "error", "any"]
