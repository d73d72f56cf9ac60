"""What stands between the brackets of `at[...]`, by the rules of NumPy's indexing."""

from __future__ import annotations

import operator
from collections.abc import Callable
from types import EllipsisType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gathernd import _core
from gathernd._arguments.convert import as_array

__all__ = ["Item", "Selection", "classify", "select"]

Selection: TypeAlias = _core.Selection

# Items of an index expression: Ellipsis, None, slice, an integer or integer array, a mask, a bool.
Item: TypeAlias = EllipsisType | slice | NDArray[Any] | bool | int | None


def classify(item: Any) -> Item:
    """Return an item as one of the few types that the core knows."""
    if item is None or item is Ellipsis or isinstance(item, slice):
        return item
    if isinstance(item, (bool, np.bool_)):
        return bool(item)
    if isinstance(item, (int, np.integer)):
        return int(item)
    if isinstance(item, (str, bytes)) or (isinstance(item, list) and _has_names(item)):
        raise IndexError(
            f"at: {item!r} is no index; of a structured array, take the field first: "
            f"gnd.at(x[{item!r}])"
        )
    if not isinstance(item, np.ndarray) and hasattr(item, "__index__") and not _has_shape(item):
        return operator.index(item)
    array = as_array(item, "at: an index")
    if array.size == 0 and not _has_shape(item):
        array = array.astype(np.int64)
    if array.dtype.kind == "b":
        return bool(array) if array.ndim == 0 else array
    if array.dtype.kind in "fO" and isinstance(item, list) and _has_only_ints(item):
        raise IndexError(
            "at: the integers of a list must fit int64, or uint64; gather_nd and scatter_nd take "
            "larger ones"
        )
    if array.dtype.kind not in "iu":
        raise IndexError(
            f"at: an index must be an integer, an integer or boolean array, a slice, None or "
            f"..., not {_type_name(item, array)}"
        )
    return array


def select(
    x: NDArray[Any], index: Any, classify_item: Callable[[Any], Item] = classify
) -> Selection:
    """Return what `index` selects of the array: IndexError where NumPy raises it."""
    return _core.select(x, index, classify_item)


def _has_only_ints(item: list[Any]) -> bool:
    return _core.element_types(np.array(item, dtype=object).ravel().tolist()) == {int}


def _has_names(item: list[Any]) -> bool:
    return len(item) > 0 and isinstance(item[0], str)


def _has_shape(item: Any) -> bool:
    return getattr(item, "shape", ()) != () or isinstance(item, np.ndarray)


def _type_name(item: Any, array: NDArray[Any]) -> str:
    if isinstance(item, (list, np.ndarray)):
        return f"an array of {array.dtype}"
    return type(item).__name__
