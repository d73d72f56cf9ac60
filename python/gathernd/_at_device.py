"""`at` over arrays that lie on a device: integers and integer arrays for the leading axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gathernd._arguments.convert import as_cast_updates
from gathernd._arguments.index_expression import Selection, select
from gathernd._devices import Device, DeviceArray
from gathernd._devices.choice import find_device
from gathernd._devices.ops import gather_at, scatter_at

__all__ = ["get", "select_on_device", "spread", "update"]


def select_on_device(x: DeviceArray, index: Any) -> Selection:
    """Return what the index selects of the array: TypeError where that needs a view."""
    return _check_plain(select(np.broadcast_to(np.empty((), np.uint8), x.shape), index))


def get(
    selection: Selection,
    x: Any,
    *,
    mode: str,
    fill_value: Any,
    wrap_negative_indices: bool,
    out: Any,
    device: Device | str | None,
) -> DeviceArray:
    """Return x[index], where x or out is on a device."""
    place = find_device("at", device, x, out)[0]
    fills = mode == "fill"
    return gather_at(
        place,
        x,
        _check_plain(selection),
        mode,
        fills,
        fill_value,
        out,
        wrap_negative_indices,
    )


def update(
    selection: Selection,
    x: DeviceArray,
    updates: Any,
    reduction: str,
    *,
    mode: str,
    duplicates: str,
    wrap_negative_indices: bool,
    out: DeviceArray | None,
    device: Device | str | None,
) -> DeviceArray:
    """Set x[index], or reduce into it; out is x, or None for a new array."""
    place = find_device("at", device, x, updates)[0]
    rows = updates
    if not isinstance(updates, DeviceArray):
        shape = (*selection.outer, *x.shape[selection.depth :])
        rows = spread(as_cast_updates(updates, x.dtype, "at: updates"), shape, reduction)
    return scatter_at(
        place, x, selection, rows, reduction, mode, duplicates, out, wrap_negative_indices
    )


def spread(rows: NDArray[Any], shape: tuple[int, ...], reduction: str) -> NDArray[Any]:
    """Broadcast updates; NumPy's assignment accepts extra leading dimensions of size 1."""
    extra = max(rows.ndim - len(shape), 0)
    if reduction == "none" and rows.shape[:extra] == (1,) * extra:
        rows = rows.reshape(rows.shape[extra:])
    return np.broadcast_to(rows, shape)


def _check_plain(selection: Selection) -> Selection:
    if selection.is_plain:
        return selection
    raise TypeError(
        f"at{selection.text}: on a device an index must be integers and integer arrays for "
        "the leading axes; x.numpy() brings the array to the host"
    )
