"""`at` over arrays that lie on a device: integers and integer arrays for the leading axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gathernd._arguments.convert import as_cast_updates
from gathernd._arguments.index_expression import Item, Selection, classify, select
from gathernd._devices import Device, DeviceArray
from gathernd._devices.choice import find_device
from gathernd._devices.ops import gather_at, scatter_at

__all__ = ["get", "select_on_device", "spread", "update"]


def select_on_device(x: DeviceArray, index: Any) -> Selection:
    """Return what the index selects of the array: TypeError where that needs a view."""
    like_x = np.broadcast_to(np.empty((), np.uint8), x.shape)
    return _check_plain(select(like_x, index, _classify))


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
    x: Any,
    updates: Any,
    reduction: str,
    *,
    mode: str,
    duplicates: str,
    wrap_negative_indices: bool,
    copy: bool,
    device: Device | str | None,
) -> DeviceArray:
    """Set x[index], or reduce into it, or into a copy; x or updates are on a device."""
    place = find_device("at", device, x, updates)[0]
    if not isinstance(x, DeviceArray):
        if not copy:
            raise TypeError(
                "at: updates on a device cannot change an array of the host in place; "
                "updates.numpy() brings them to the host"
            )
        _check_plain(selection)
        x, copy = Device(place).asarray(x), False
    rows = updates
    if not isinstance(updates, DeviceArray):
        shape = (*selection.outer, *x.shape[selection.depth :])
        rows = spread(as_cast_updates(updates, x.dtype, "at: updates"), shape, reduction)
    out = None if copy else x
    return scatter_at(
        place, x, selection, rows, reduction, mode, duplicates, out, wrap_negative_indices
    )


def spread(rows: NDArray[Any], shape: tuple[int, ...], reduction: str) -> NDArray[Any]:
    """Broadcast updates; NumPy's assignment accepts extra leading dimensions of size 1."""
    extra = max(rows.ndim - len(shape), 0)
    if reduction == "none" and rows.shape[:extra] == (1,) * extra:
        rows = rows.reshape(rows.shape[extra:])
    return np.broadcast_to(rows, shape)


def _classify(item: Any) -> Item:
    return classify(item.numpy() if isinstance(item, DeviceArray) else item)


def _check_plain(selection: Selection) -> Selection:
    if selection.is_plain:
        return selection
    raise TypeError(
        f"at{selection.text}: on a device an index must be integers and integer arrays for "
        "the leading axes; x.numpy() brings the array to the host"
    )
