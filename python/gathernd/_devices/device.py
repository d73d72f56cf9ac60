"""Devices, and arrays that lie on them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NoReturn, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from gathernd import _core
from gathernd._arguments.array_like import ArrayLike
from gathernd._arguments.convert import as_input, as_integer, as_shape, as_updates, short_repr
from gathernd._arguments.operators import refuse_operators
from gathernd._devices.names import CPU, Info, device_info, device_infos, find_name

__all__ = ["Device", "DeviceArray", "devices", "name_of"]

Shape: TypeAlias = SupportsIndex | Iterable[SupportsIndex]


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

    __slots__ = ("_info",)

    def __init__(self, name: str | Device) -> None:
        found = name_of(name)
        if found != CPU:
            _core.open_device(found)
        self._info = device_info(found)

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        """Return the slots, which pickle finds by itself from protocol 2 on."""
        return None, {"_info": self._info}

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
        host = as_input(array, "asarray: array")
        if self.name == CPU:
            return host
        return DeviceArray._wrap(_core.upload(self.name, host, "asarray", "array"))

    def zeros(self, shape: Shape, dtype: DTypeLike = float) -> Any:
        """Return a new array of zeros on this device.

        Parameters
        ----------
        shape : int or tuple of int
            The size of each dimension.
        dtype : data-type, default float64
            The type of the elements.

        Returns
        -------
        DeviceArray or ndarray
            An ndarray where this is the CPU.

        Examples
        --------
        >>> import numpy as np
        >>> import gathernd as gnd
        >>> np.asarray(gnd.devices()[-1].zeros((2, 3), np.int8))
        array([[0, 0, 0],
               [0, 0, 0]], dtype=int8)
        """
        return self._repeat(np.zeros((), dtype), shape, "zeros")

    def empty(self, shape: Shape, dtype: DTypeLike = float) -> Any:
        """Return a new, uninitialized array on this device.

        It is for `out`, or to `DeviceArray.write` to. Parameters and result are those of `zeros`.

        Examples
        --------
        >>> import gathernd as gnd
        >>> gnd.devices()[-1].empty(3).shape
        (3,)
        """
        return self._repeat(np.zeros((), dtype), shape, "empty")

    def full(self, shape: Shape, fill_value: Any, dtype: DTypeLike | None = None) -> Any:
        """Return a new array on this device whose elements are all the same.

        Parameters
        ----------
        shape : int or tuple of int
            The size of each dimension.
        fill_value : scalar
            The element.
        dtype : data-type, optional
            The type of the elements; by default that of `fill_value`.

        Returns
        -------
        DeviceArray or ndarray
            An ndarray where this is the CPU.

        Examples
        --------
        >>> import numpy as np
        >>> import gathernd as gnd
        >>> np.asarray(gnd.devices()[-1].full(3, 7))
        array([7, 7, 7])
        """
        return self._repeat(np.full((), fill_value, dtype), shape, "full")

    def _repeat(self, element: NDArray[Any], shape: Shape, operation: str) -> Any:
        what = f"{operation}: shape"
        sizes = (as_integer(shape, what),) if hasattr(shape, "__index__") else as_shape(shape, what)
        if any(size < 0 for size in sizes):
            raise ValueError(f"{what} has a negative size: {short_repr(sizes)}")
        if self.name == CPU:
            return np.full(sizes, element, element.dtype)
        repeated = np.broadcast_to(element, sizes)
        return DeviceArray._wrap(_core.upload(self.name, repeated, operation, "array"))

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
        return _device(device_info(self._data.device))

    def numpy(self) -> NDArray[Any]:
        """Return a copy in the memory of the host.

        Raises
        ------
        DeviceError
            The device failed, or was lost since the array was made.
        """
        return self._data.numpy()

    def copy(self) -> DeviceArray:
        """Return a copy on the same device.

        Examples
        --------
        >>> import gathernd as gnd
        >>> copies = [device.asarray([1, 2]).copy() for device in gnd.devices()]
        """
        data = self._data
        whole = np.zeros(0, np.int64)  # one tuple of no indices
        return self._wrap(_core.device_gather_nd(data.device, data, whole, 0, "raise", None, None))

    def reshape(self, *shape: Any) -> DeviceArray:
        """Return a copy of another shape, on the same device.

        Parameters
        ----------
        *shape : int, or one tuple of int
            The size of each dimension; one of them may be -1: what the others leave.

        Raises
        ------
        ValueError
            The shape has another number of elements.

        Examples
        --------
        >>> import gathernd as gnd
        >>> arrays = [device.asarray([[1, 2], [3, 4]]) for device in gnd.devices()]
        >>> [array.reshape(-1).shape for array in arrays] == [(4,)] * len(arrays)
        True
        """
        asked = shape[0] if len(shape) == 1 and not hasattr(shape[0], "__index__") else shape
        sizes = as_shape(asked, "reshape: shape")
        count, known = math.prod(self.shape), math.prod(size for size in sizes if size != -1)
        if sizes.count(-1) == 1 and known > 0:
            sizes = tuple(count // known if size == -1 else size for size in sizes)
        if any(size < 0 for size in sizes) or math.prod(sizes) != count:
            raise ValueError(f"reshape: {self.shape} cannot become {short_repr(asked)}")
        if len(sizes) > 64:
            raise ValueError(f"reshape: {len(sizes)} dimensions are too many: the limit is 64")
        return self._wrap(self.copy()._data.reshape(sizes))

    def write(self, array: ArrayLike | DeviceArray) -> None:
        """Replace the elements by those of an array.

        Parameters
        ----------
        array : array_like or DeviceArray
            Of the same shape and dtype. Python lists and numbers take the dtype, which they must
            fit.

        Raises
        ------
        ValueError
            The shape is another one.
        TypeError
            The dtype is another one.
        DeviceError
            The device failed, or has no memory for them; the elements are as before.

        Examples
        --------
        >>> import gathernd as gnd
        >>> arrays = [device.empty(2, int) for device in gnd.devices()[1:]]
        >>> for array in arrays:
        ...     array.write([1, 2])
        """
        name = self._data.device
        if isinstance(array, DeviceArray):
            self._check_like(array)
            there = array._data.device == name
            data = (
                array.copy()._data if there else _core.upload(name, array.numpy(), "write", "array")
            )
        else:
            host = as_updates(array, self.dtype, "write: array")
            self._check_like(host)
            data = _core.upload(name, host, "write", "array")
        self._data = data

    def _check_like(self, array: DeviceArray | NDArray[Any]) -> None:
        if array.dtype != self.dtype:
            raise TypeError(f"write: array must have dtype {self.dtype}, not {array.dtype}")
        if array.shape != self.shape:
            raise ValueError(f"write: array must have shape {self.shape}, not {array.shape}")

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("an array on a device cannot be seen by the host without a copy")
        array = self.numpy()
        return array if dtype is None else array.astype(dtype, copy=False)

    __array_ufunc__ = None  # NumPy's operators leave it to those of this class, which refuse

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a DeviceArray without dimensions")
        return self.shape[0]

    def __copy__(self) -> DeviceArray:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> DeviceArray:
        return self.copy()

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a DeviceArray cannot be pickled: its elements are on a device; see numpy()"
        )

    def __repr__(self) -> str:
        return f"DeviceArray(shape={self.shape}, dtype={self.dtype}, device={self.device.name!r})"

    def _repr_html_(self) -> str:
        from html import escape

        device = self.device
        facts = {
            "shape": self.shape,
            "dtype": self.dtype,
            "bytes": f"{self.nbytes:,}",
            "device": f"{device.name}, {device.description}",
        }
        rows = "".join(f"<tr><th>{k}</th><td>{escape(str(v))}</td></tr>" for k, v in facts.items())
        return f"<table><caption>DeviceArray</caption>{rows}</table>"


refuse_operators(
    DeviceArray,
    "a DeviceArray has no arithmetic, comparisons or iteration: use the copy x.numpy(); "
    "gnd.at(x)[i].get() and gnd.at(x)[i] += u work on the device",
)


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
    return [_device(info) for info in device_infos()]


def name_of(device: Device | str) -> str:
    """Return a device's name: DeviceError where there is none."""
    return device.name if isinstance(device, Device) else find_name(device)


def _device(info: Info) -> Device:
    device = object.__new__(Device)
    device._info = info
    return device
