"""Operators and attributes that a class only seems to have: Python's own errors would not help."""

from __future__ import annotations

from typing import NoReturn

__all__ = ["refuse_attributes", "refuse_operators"]

_REFUSED = "add and eq floordiv ge getitem gt le lshift lt matmul mod mul ne or pow rshift sub xor"
_REFUSED += " truediv radd rand rfloordiv rlshift rmatmul rmod rmul ror rpow rrshift rsub rxor"
_REFUSED += " rtruediv abs bool contains divmod rdivmod invert iter neg pos setitem"


def refuse_operators(cls: type, message: str, names: str = _REFUSED) -> None:
    """Make the operators raise TypeError. To type checkers the class does not have them."""

    def refuse(self: object, *others: object) -> NoReturn:
        raise TypeError(message)

    for name in names.split():
        setattr(cls, f"__{name}__", refuse)


def refuse_attributes(cls: type, message: str, names: str) -> None:
    """Make the attributes raise AttributeError. To `dir` and type checkers they are not there."""
    refused = set(names.split())

    def refuse(self: object) -> NoReturn:
        raise AttributeError(message)

    def list_others(self: object) -> list[str]:
        return sorted(set(object.__dir__(self)) - refused)

    found = dict.fromkeys(refused, property(refuse))
    for name, value in {**found, "__dir__": list_others}.items():
        setattr(cls, name, value)
