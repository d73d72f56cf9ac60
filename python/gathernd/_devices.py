"""Devices, and arrays that lie on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from gathernd import _core
from gathernd._convert import as_array, as_element, as_indices, as_updates

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

__all__ = [
    "CPU",
    "Device",
    "DeviceArray",
    "check_devices",
    "devices",
    "find_device",
    "gather",
    "gather_by",
    "scatter",
    "scatter_by",
]

CPU = -1  # the index of the CPU, which is no D3D12 device


class Device:
    """A device that gathers and scatters: the CPU, or one of Direct3D 12.

    Parameters
    ----------
    name : str
        "cpu", "d3d12:0", "d3d12:1" ...; "d3d12" is the first of them.

    Raises
    ------
    DeviceError
        There is no such device, or it cannot be opened.

    See Also
    --------
    devices : all of them.

    Examples
    --------
    >>> import gathernd as gnd
    >>> gnd.Device("cpu").asarray([1, 2])
    array([1, 2])
    """

    __slots__ = ("_index", "_info")

    def __init__(self, name: str) -> None:
        self._index = _parse(name)
        if self._index != CPU:
            _core.open_device(self._index)
        self._info = _infos()[self._index]

    @property
    def name(self) -> str:
        """What `device=` arguments take."""
        return self._info[0]

    @property
    def description(self) -> str:
        """The hardware, in the words of its driver."""
        return self._info[1]

    @property
    def runtime(self) -> str:
        """The shared library behind it; of the CPU, the instruction set in use."""
        return self._info[2]

    @property
    def memory(self) -> int:
        """Bytes of its own memory; 0 if unknown."""
        return self._info[3]

    def asarray(self, array: ArrayLike | DeviceArray) -> DeviceArray | NDArray[Any]:
        """Return the array on this device: a copy, unless it is there already."""
        if isinstance(array, DeviceArray):
            if array.device == self:
                return array
            array = array.numpy()
        host = as_array(array, "asarray: array")
        return host if self._index == CPU else DeviceArray._wrap(_core.upload(self._index, host))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"Device({self.name!r})"


class DeviceArray:
    """An array in a device's memory, in C order. Made by `Device.asarray` and by the functions.

    Examples
    --------
    >>> import gathernd as gnd
    >>> arrays = [device.asarray([1, 2]) for device in gnd.devices()[1:]]
    >>> all(isinstance(array, gnd.DeviceArray) for array in arrays)
    True
    """

    __slots__ = ("_data",)

    _data: _core.DeviceArray

    def __init__(self) -> None:
        raise TypeError("use Device.asarray to make a DeviceArray")

    @classmethod
    def _wrap(cls, data: _core.DeviceArray) -> DeviceArray:
        self = object.__new__(cls)
        self._data = data
        return self

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each dimension."""
        return self._data.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements."""
        return self._data.dtype

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self._data.nbytes

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def device(self) -> Device:
        """Where it lies."""
        return _device(self._data.device)

    def numpy(self) -> NDArray[Any]:
        """Return a copy in the memory of the host."""
        return self._data.numpy()

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("an array on a device cannot be seen by the host without a copy")
        array = self.numpy()
        return array if dtype is None else array.astype(dtype, copy=False)

    def __repr__(self) -> str:
        return f"DeviceArray(shape={self.shape}, dtype={self.dtype}, device={self.device.name!r})"


def devices() -> list[Device]:
    """Return the devices of this machine, the CPU first.

    Returns
    -------
    list of Device
        Only the CPU where there is no D3D12 runtime: on Windows it is there, on Linux it is
        vkd3d's (Debian and Ubuntu: libvkd3d-utils1) over a Vulkan driver, on WSL2 Microsoft's own.

    Examples
    --------
    >>> import gathernd as gnd
    >>> gnd.devices()[0]
    Device('cpu')
    """
    return [_device(index) for index in sorted(_infos())]


def find_device(what: str, device: Device | str | None, *arrays: object) -> tuple[int, bool]:
    """Return the index of the device that a call runs on, and whether its arrays lie there."""
    there = _devices_of(arrays)
    named = device.name if isinstance(device, Device) else device
    try:
        asked = None if named is None else _parse(named)
        if asked is not None and asked >= len(_core.devices()):
            _core.open_device(asked)  # says what is missing
    except _core.DeviceError as error:
        raise _core.DeviceError(f"{what}: {error}") from None
    if len(there | ({asked} - {None})) > 1:
        raise ValueError(f"{what}: the arguments are on different devices")
    index = next(iter(there), asked)
    return CPU if index is None else index, bool(there)


def check_devices(what: str, index: int, *arrays: object) -> None:
    """Raise ValueError where one of a plan's arguments lies on another device than the plan."""
    if _devices_of(arrays) - {index}:
        raise ValueError(f"{what}: the arguments and the plan are on different devices")


def _devices_of(arrays: tuple[object, ...]) -> set[int]:
    return {array._data.device for array in arrays if isinstance(array, DeviceArray)}


def gather(
    index: int,
    input: Any,
    indices: Any,
    batch_dims: Any,
    mode: str,
    fill_value: Any,
    out: Any,
) -> NDArray[Any]:
    """gather_nd of arrays on a device; those of the host go there first."""
    source = _on_device(index, input, "gather_nd: input")
    tuples = _on_device(index, indices, "gather_nd: indices")
    fill = _fill(mode == "fill", fill_value, source)
    result = _core.device_gather_nd(source, tuples, batch_dims, mode, fill)
    return _store("gather_nd", result, out)


def gather_by(
    plan: _core.IndexPlan, index: int, input: Any, fills: bool, fill_value: Any, out: Any
) -> NDArray[Any]:
    """IndexPlan.gather of arrays on a device."""
    source = _on_device(index, input, "gather_nd: input")
    result = plan.device_gather(source, _fill(fills, fill_value, source))
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
) -> NDArray[Any]:
    """scatter_nd of arrays on a device; those of the host go there first."""
    target = _on_device(index, input, "scatter_nd: input")
    tuples = _on_device(index, indices, "scatter_nd: indices")
    rows = _updates(index, updates, target, out)
    result = _core.device_scatter_nd(
        target, tuples, rows, reduction, batch_dims, mode, duplicates, _in_place(input, out)
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
) -> NDArray[Any]:
    """IndexPlan.scatter of arrays on a device."""
    target = _on_device(index, input, "scatter_nd: input")
    rows = _updates(index, updates, target, out)
    result = plan.device_scatter(target, rows, reduction, duplicates, _in_place(input, out))
    return _store("scatter_nd", result, out)


def _fill(fills: bool, value: Any, source: _core.DeviceArray) -> NDArray[Any] | None:
    return as_element(value, source.dtype, "gather_nd: fill_value") if fills else None


def _updates(index: int, updates: Any, target: _core.DeviceArray, out: Any) -> _core.DeviceArray:
    """Return the updates on the device; looks at `out` too, before it changes in place."""
    if not isinstance(updates, DeviceArray):
        updates = as_updates(updates, target.dtype, "scatter_nd: updates")
    rows = _on_device(index, updates, "scatter_nd: updates")
    if out is not None:
        _check_out("scatter_nd", target, out)
    return rows


def _in_place(input: Any, out: Any) -> bool:
    return out is not None and out is input


def _on_device(index: int, value: Any, what: str) -> _core.DeviceArray:
    if isinstance(value, DeviceArray):
        return value._data
    convert = as_indices if what.endswith("indices") else as_array
    return _core.upload(index, convert(value, what))


def _check_out(what: str, result: _core.DeviceArray, out: Any) -> None:
    if not isinstance(out, DeviceArray):
        raise TypeError(f"{what}: out must be a DeviceArray, as input is")
    if out.dtype != result.dtype:
        raise TypeError(f"{what}: out must have input's dtype {result.dtype}, not {out.dtype}")
    if out.shape != result.shape:
        raise ValueError(f"{what}: out must have shape {result.shape}, not {out.shape}")


def _store(what: str, result: _core.DeviceArray, out: Any) -> NDArray[Any]:
    """Return the result, as `out` where one was given: it takes the result's memory over.

    It is a DeviceArray; the annotations of the two functions name what calls without one get.
    """
    if out is None:
        return cast("NDArray[Any]", DeviceArray._wrap(result))
    _check_out(what, result, out)
    out._data = result
    return cast("NDArray[Any]", out)


def _parse(name: str) -> int:
    if name == "cpu":
        return CPU
    kind, colon, number = name.partition(":") if isinstance(name, str) else ("", "", "")
    if kind == "d3d12" and (not colon or (number.isascii() and number.isdigit())):
        return int(number or 0)
    known = ", ".join(f'"{info[0]}"' for _, info in sorted(_infos().items()))
    raise _core.DeviceError(f"there is no device {name!r}; the devices are {known}")


def _infos() -> dict[int, tuple[str, str, str, int]]:
    infos = dict(enumerate(_core.devices()))
    infos[CPU] = ("cpu", "the processors of this machine", _core.cpu_target(), 0)
    return infos


def _device(index: int) -> Device:
    device = object.__new__(Device)
    device._index = index
    device._info = _infos()[index]
    return device
