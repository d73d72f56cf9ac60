"""Devices, and arrays that lie on them."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import DTypeLike, NDArray

from gathernd import _core
from gathernd._array_like import ArrayLike
from gathernd._convert import as_array
from gathernd._device_names import CPU, device_info, device_infos, find_index

__all__ = ["Device", "DeviceArray", "devices", "index_of"]


class Device:
    """A device that gathers and scatters: the CPU, or one of Direct3D 12.

    Parameters
    ----------
    name : str or Device
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

    def __init__(self, name: str | Device) -> None:
        self._index = index_of(name)
        if self._index != CPU:
            _core.open_device(self._index)
        self._info = device_info(self._index)

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

    def asarray(self, array: ArrayLike | DeviceArray) -> Any:
        """Return the array on this device: a copy, unless it is there already.

        Parameters
        ----------
        array : array_like or DeviceArray
            Of any dtype that the functions take.

        Returns
        -------
        DeviceArray or ndarray
            An ndarray where this is the CPU; so its type is Any to type checkers.

        Raises
        ------
        TypeError
            The elements are objects.
        DeviceError
            The device failed, or has no memory for them.

        Examples
        --------
        >>> import numpy as np
        >>> import gathernd as gnd
        >>> x = gnd.devices()[-1].asarray([5, 6])
        >>> np.asarray(gnd.gather_nd(x, [[1], [0]]))
        array([6, 5])
        """
        if isinstance(array, DeviceArray):
            if array.device == self:
                return array
            array = array.numpy()
        host = as_array(array, "asarray: array")
        if self._index == CPU:
            return host
        return DeviceArray._wrap(_core.upload(self._index, host, "asarray", "array"))

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
        """Return a copy in the memory of the host.

        Raises
        ------
        DeviceError
            The device failed, or was lost since the array was made.
        """
        return self._data.numpy()

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("an array on a device cannot be seen by the host without a copy")
        array = self.numpy()
        return array if dtype is None else array.astype(dtype, copy=False)

    def __copy__(self) -> DeviceArray:
        whole = _core.upload(self._data.device, np.zeros(0, np.int64), "copy", "indices")
        return self._wrap(_core.device_gather_nd(self._data, whole, 0, "raise", None))

    def __deepcopy__(self, memo: dict[int, Any]) -> DeviceArray:
        return self.__copy__()

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a DeviceArray cannot be pickled: its elements are on a device; see numpy()"
        )

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
    return [_device(index) for index in sorted(device_infos())]


def index_of(device: Device | str) -> int:
    """Return a device's index: DeviceError where there is none."""
    return device._index if isinstance(device, Device) else find_index(device)


def _device(index: int) -> Device:
    device = object.__new__(Device)
    device._index = index
    device._info = device_info(index)
    return device
