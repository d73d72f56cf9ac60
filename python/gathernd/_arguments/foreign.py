"""Arrays of other packages that cannot be read: what they are, and what to do."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

__all__ = ["check_dense", "check_readable"]

# An attribute of PyTorch's tensors or JAX's arrays, and what it means where it is true.
_UNREADABLE: tuple[tuple[str, type[Exception], str], ...] = (
    # PyTorch exports it without its sign
    ("is_neg", BufferError, "a tensor with the negative bit set; use .resolve_neg()"),
    ("is_conj", BufferError, "a tensor with the conjugate bit set; use .resolve_conj()"),
    ("requires_grad", BufferError, "a tensor that requires grad; use .detach()"),
    ("is_sparse", TypeError, "a sparse tensor; use .to_dense()"),
    (
        "is_deleted",
        RuntimeError,
        "an array that was deleted or donated to a jitted function; use a copy made before",
    ),
)


def check_readable(value: Any, what: str) -> None:
    """Raise where an object with __dlpack__ exports no memory, or memory with other values."""
    for name, error, meaning in _UNREADABLE:
        flag = getattr(value, name, False)
        if (flag() if callable(flag) else flag) is True:
            raise error(f"{what}: {meaning}")


def check_dense(value: Any, array: NDArray[Any], what: str) -> None:
    """Raise TypeError where NumPy has wrapped a sparse array, such as SciPy's, as an object."""
    if array.dtype == object and array.ndim == 0 and hasattr(value, "toarray"):
        raise TypeError(f"{what} is a sparse {type(value).__name__}; use .toarray()")
