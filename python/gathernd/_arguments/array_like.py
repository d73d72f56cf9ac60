"""What array arguments may be, for type checkers."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy.typing

__all__ = ["ArrayLike"]


class SupportsDLPack(Protocol):
    """What exports its memory by DLPack; not all of it is array_like to NumPy."""

    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __dlpack_device__(self) -> tuple[Any, Any]: ...


ArrayLike: TypeAlias = numpy.typing.ArrayLike | SupportsDLPack
