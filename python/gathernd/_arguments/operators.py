"""Operators that a class only seems to have: Python's own would compare objects, not elements."""

from __future__ import annotations

from typing import NoReturn

__all__ = ["refuse_operators"]

_REFUSED = "add and eq floordiv ge getitem gt le lshift lt matmul mod mul ne or pow rshift sub xor"
_REFUSED += " truediv radd rand rfloordiv rlshift rmatmul rmod rmul ror rpow rrshift rsub rxor"
_REFUSED += " rtruediv abs bool contains divmod rdivmod invert iter neg pos setitem"


def refuse_operators(cls: type, message: str) -> None:
    """Make the operators raise TypeError. To type checkers the class does not have them."""

    def refuse(self: object, *others: object) -> NoReturn:
        raise TypeError(message)

    for name in _REFUSED.split():
        setattr(cls, f"__{name}__", refuse)
