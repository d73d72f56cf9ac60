"""The functions over arrays that lie on a device; the result stays there.

Arrays of the host go there too, once the rules on shapes and types are known to hold.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from gathernd import _core
from gathernd._arguments.convert import as_fill, as_indices, as_input, as_updates
from gathernd._devices.device import DeviceArray

__all__ = ["gather", "gather_at", "gather_by", "scatter", "scatter_at", "scatter_by", "winners"]


def gather(
    device: str,
    input: Any,
    indices: Any,
    batch_dims: Any,
    mode: str,
    fills: bool,
    fill_value: Any,
    out: Any,
    wrap_negative_indices: bool,
) -> DeviceArray:
    """gather_nd of arrays of which one at least is on a device."""
    source = _table(input, "gather_nd")
    tuples = _indices(indices, "gather_nd", mode, source, batch_dims)
    fill = as_fill(fills, fill_value, source.dtype)
    to = _out("gather_nd", out)
    result = _core.device_gather_nd(
        device, source, tuples, batch_dims, mode, fill, to, wrap_negative_indices
    )
    return _store(result, out)


def gather_at(
    device: str,
    x: Any,
    selection: _core.Selection,
    mode: str,
    fills: bool,
    fill_value: Any,
    out: Any,
    wrap_negative_indices: bool,
) -> DeviceArray:
    """Return what a selection of the leading axes selects; x or out is on the device."""
    source = _table(x, "at")
    fill = as_fill(fills, fill_value, source.dtype, "at: fill_value")
    result = _core.device_at_get(
        device, source, selection, mode, fill, _out("at", out), wrap_negative_indices
    )
    return _store(result, out)


def gather_by(
    plan: _core.IndexPlan, device: str, input: Any, fills: bool, fill_value: Any, out: Any
) -> DeviceArray:
    """IndexPlan.gather of arrays of which one at least is on a device."""
    source = _table(input, "gather_nd")
    fill = as_fill(fills, fill_value, source.dtype)
    return _store(plan.device_gather(device, source, fill, _out("gather_nd", out)), out)


def scatter(
    device: str,
    input: Any,
    indices: Any,
    updates: Any,
    reduction: str,
    batch_dims: Any,
    mode: str,
    duplicates: str,
    out: Any,
    wrap_negative_indices: bool,
) -> DeviceArray:
    """scatter_nd of arrays of which one at least is on a device."""
    target = _table(input, "scatter_nd")
    tuples = _indices(indices, "scatter_nd", mode, target, batch_dims)
    result = _core.device_scatter_nd(
        device,
        target,
        tuples,
        _updates(updates, target),
        reduction,
        batch_dims,
        mode,
        duplicates,
        _out("scatter_nd", out),
        _in_place(input, out),
        wrap_negative_indices,
    )
    return _store(result, out)


def scatter_at(
    device: str,
    x: DeviceArray,
    selection: _core.Selection,
    updates: Any,
    reduction: str,
    mode: str,
    duplicates: str,
    out: DeviceArray | None,
    wrap_negative_indices: bool,
) -> DeviceArray:
    """Set what a selection of the leading axes selects, or reduce into it."""
    rows = updates._data if isinstance(updates, DeviceArray) else updates
    result = _core.device_at_update(
        device,
        x._data,
        selection,
        rows,
        reduction,
        mode,
        duplicates,
        wrap_negative_indices,
        _in_place(x, out),
    )
    return _store(result, out)


def scatter_by(
    plan: _core.IndexPlan,
    device: str,
    input: Any,
    updates: Any,
    reduction: str,
    duplicates: str,
    out: Any,
) -> DeviceArray:
    """IndexPlan.scatter of arrays of which one at least is on a device."""
    target = _table(input, "scatter_nd")
    rows, to = _updates(updates, target), _out("scatter_nd", out)
    result = plan.device_scatter(
        device, target, rows, reduction, duplicates, to, _in_place(input, out)
    )
    return _store(result, out)


def winners(
    device: str,
    input: Any,
    indices: Any,
    updates: Any,
    reduction: str,
    batch_dims: Any,
    mode: str,
    duplicates: str,
    wrap_negative_indices: bool,
) -> DeviceArray:
    """Return gathernd.winners of arrays that lie anywhere."""
    table = _table(input, "scatter_nd")
    tuples = _indices(indices, "scatter_nd", mode, table, batch_dims)
    result = _core.device_winners(
        device,
        table,
        tuples,
        _updates(updates, table),
        reduction,
        batch_dims,
        mode,
        duplicates,
        wrap_negative_indices,
    )
    return DeviceArray._wrap(result)


def _table(input: Any, operation: str) -> _core.DeviceArray | NDArray[Any]:
    if isinstance(input, DeviceArray):
        return input._data
    return as_input(input, f"{operation}: input")


def _indices(
    indices: Any,
    operation: str,
    mode: Any,
    table: _core.DeviceArray | NDArray[Any],
    batch_dims: Any,
) -> _core.DeviceArray | NDArray[Any]:
    if isinstance(indices, DeviceArray):
        return indices._data
    return as_indices(indices, f"{operation}: indices", mode, table.shape, batch_dims)


def _updates(
    updates: Any, target: _core.DeviceArray | NDArray[Any]
) -> _core.DeviceArray | NDArray[Any]:
    if isinstance(updates, DeviceArray):
        return updates._data
    return as_updates(updates, target.dtype, "scatter_nd: updates")


def _in_place(input: Any, out: Any) -> bool:
    return out is not None and out is input


def _out(operation: str, out: Any) -> _core.DeviceArray | None:
    if out is None:
        return None
    if not isinstance(out, DeviceArray):
        raise TypeError(
            f"{operation}: out must be a DeviceArray where an argument is one, "
            f"not {type(out).__name__}"
        )
    return out._data


def _store(result: _core.DeviceArray, out: DeviceArray | None) -> DeviceArray:
    """Return the result, as `out` where one was given: it takes the result's memory over."""
    if out is None:
        return DeviceArray._wrap(result)
    out._data = result
    return out
