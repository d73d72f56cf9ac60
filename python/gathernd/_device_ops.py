"""The functions over arrays that lie on a device; the result stays there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from gathernd import _core
from gathernd._convert import as_array, as_fill, as_indices, as_updates
from gathernd._devices import DeviceArray

__all__ = ["gather", "gather_by", "scatter", "scatter_by"]


def gather(
    index: int,
    input: Any,
    indices: Any,
    batch_dims: Any,
    mode: str,
    fills: bool,
    fill_value: Any,
    out: Any,
    wrap_negative_indices: bool,
) -> DeviceArray:
    """gather_nd of arrays on a device; those of the host go there first."""
    source = _on_device(index, input, "gather_nd", "input")
    tuples = _indices(index, indices, "gather_nd", mode, source, batch_dims)
    fill = as_fill(fills, fill_value, source.dtype)
    result = _core.device_gather_nd(source, tuples, batch_dims, mode, fill, wrap_negative_indices)
    return _store("gather_nd", result, out)


def gather_by(
    plan: _core.IndexPlan, index: int, input: Any, fills: bool, fill_value: Any, out: Any
) -> DeviceArray:
    """IndexPlan.gather of arrays on a device."""
    source = _on_device(index, input, "gather_nd", "input")
    result = plan.device_gather(source, as_fill(fills, fill_value, source.dtype))
    return _store("gather_nd", result, out)


def scatter(
    index: int,
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
    """scatter_nd of arrays on a device; those of the host go there first."""
    target = _on_device(index, input, "scatter_nd", "input")
    tuples = _indices(index, indices, "scatter_nd", mode, target, batch_dims)
    rows = _updates(index, updates, target, out)
    result = _core.device_scatter_nd(
        target,
        tuples,
        rows,
        reduction,
        batch_dims,
        mode,
        duplicates,
        _in_place(input, out),
        wrap_negative_indices,
    )
    return _store("scatter_nd", result, out)


def scatter_by(
    plan: _core.IndexPlan,
    index: int,
    input: Any,
    updates: Any,
    reduction: str,
    duplicates: str,
    out: Any,
) -> DeviceArray:
    """IndexPlan.scatter of arrays on a device."""
    target = _on_device(index, input, "scatter_nd", "input")
    rows = _updates(index, updates, target, out)
    result = plan.device_scatter(target, rows, reduction, duplicates, _in_place(input, out))
    return _store("scatter_nd", result, out)


def _updates(index: int, updates: Any, target: _core.DeviceArray, out: Any) -> _core.DeviceArray:
    """Return the updates on the device; looks at `out` too, before it changes in place."""

    def convert(value: Any, what: str) -> NDArray[Any]:
        rows = as_updates(value, target.dtype, what)
        _core.check_updates(rows, target.dtype)
        return rows

    rows = _on_device(index, updates, "scatter_nd", "updates", convert)
    if out is not None:
        _check_out("scatter_nd", target, out)
    return rows


def _indices(
    index: int, indices: Any, operation: str, mode: Any, table: _core.DeviceArray, batch_dims: Any
) -> _core.DeviceArray:
    def convert(value: Any, what: str) -> NDArray[Any]:
        return as_indices(value, what, mode, table.shape, batch_dims)

    return _on_device(index, indices, operation, "indices", convert)


def _in_place(input: Any, out: Any) -> bool:
    return out is not None and out is input


def _on_device(
    index: int,
    value: Any,
    operation: str,
    argument: str,
    convert: Callable[[Any, str], NDArray[Any]] = as_array,
) -> _core.DeviceArray:
    if isinstance(value, DeviceArray):
        return value._data
    host = convert(value, f"{operation}: {argument}")
    return _core.upload(index, host, operation, argument)


def _check_out(what: str, result: _core.DeviceArray, out: Any) -> DeviceArray:
    if not isinstance(out, DeviceArray):
        raise TypeError(
            f"{what}: out must be a DeviceArray where an argument is one, not {type(out).__name__}"
        )
    if out.dtype != result.dtype:
        raise TypeError(f"{what}: out must have input's dtype {result.dtype}, not {out.dtype}")
    if out.shape != result.shape:
        raise ValueError(f"{what}: out must have shape {result.shape}, not {out.shape}")
    return out


def _store(what: str, result: _core.DeviceArray, out: Any) -> DeviceArray:
    """Return the result, as `out` where one was given: it takes the result's memory over."""
    if out is None:
        return DeviceArray._wrap(result)
    array = _check_out(what, result, out)
    array._data = result
    return array
