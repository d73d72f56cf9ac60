"""`at` over arrays that lie on a device: integers and integer arrays for the leading axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gathernd._arguments.convert import as_updates
from gathernd._arguments.index_expression import Selection, select
from gathernd._devices import DeviceArray
from gathernd._gather import gather_nd
from gathernd._scatter import scatter_nd

__all__ = ["get", "select_on_device", "update"]


def select_on_device(x: DeviceArray, index: Any) -> Selection:
    """Return what the index selects of the array: TypeError where that needs a view."""
    selection = select(np.broadcast_to(np.empty((), np.uint8), x.shape), index)
    if selection.leading_arrays is None:
        raise TypeError(
            f"at{selection.text}: on a device an index must be integers and integer arrays for "
            "the leading axes; x.numpy() brings the array to the host"
        )
    return selection


def get(selection: Selection, x: DeviceArray, **options: Any) -> DeviceArray:
    """Return x[index]; the options are those of gather_nd."""
    result: DeviceArray = gather_nd(x, _tuples(selection, options["mode"]), **options)
    return result


def update(
    selection: Selection, x: DeviceArray, updates: Any, reduction: Any, **options: Any
) -> DeviceArray:
    """Set x[index], or reduce into it; the options are those of scatter_nd."""
    rows = updates
    if not isinstance(updates, DeviceArray):
        shape = (*selection.outer, *x.shape[len(selection.sizes) :])
        rows = np.broadcast_to(as_updates(updates, x.dtype, "at: updates"), shape)
    tuples = _tuples(selection, options["mode"])
    result: DeviceArray = scatter_nd(x, tuples, rows, reduction, **options)
    return result


def _tuples(selection: Selection, mode: str) -> NDArray[Any]:
    """Return the index arrays as one array of tuples, which is what goes to the device."""
    arrays = selection.leading_arrays or ()
    tuples = np.empty((*selection.outer, len(arrays)), np.int64)
    for k, array in enumerate(arrays):
        tuples[..., k] = _as_int64(selection, k, array, mode)
    return tuples


def _as_int64(selection: Selection, k: int, array: NDArray[Any], mode: str) -> NDArray[Any]:
    """Return indices as int64; those of uint64 from 2**63 on stay as far out of range."""
    last = np.uint64(np.iinfo(np.int64).max)
    if array.dtype != np.uint64 or not np.any(array > last):
        return array
    if mode == "raise":
        place = np.unravel_index(int(np.argmax(array > last)), array.shape)
        raise IndexError(selection.describe_bad(k, list(map(int, place)), array[place]))
    if mode == "wrap":
        return np.asarray(array % np.uint64(selection.sizes[k] or 1))
    return np.asarray(np.minimum(array, last))
