"""Which device a call runs on: where its arrays lie, or the one asked for."""

from __future__ import annotations

from gathernd import _core
from gathernd._devices.device import Device, DeviceArray, index_of
from gathernd._devices.names import CPU, device_info

__all__ = ["check_devices", "find_device"]


def find_device(what: str, device: Device | str | None, *arrays: object) -> tuple[int, bool]:
    """Return the index of the device that a call runs on, and whether its arrays lie there."""
    there = _devices_of(arrays)
    try:
        asked = set() if device is None else {index_of(device)}
    except _core.DeviceError as error:
        raise _core.DeviceError(f"{what}: {error}") from None
    if len(there | asked) > 1:
        raise ValueError(
            f"{what}: different devices: {_names(there | asked)}; "
            "Device.asarray brings an array to another, x.numpy() to the host"
        )
    return next(iter(there | asked), CPU), bool(there)


def check_devices(what: str, index: int, *arrays: object) -> None:
    """Raise ValueError where one of a plan's arguments lies on another device than the plan."""
    others = _devices_of(arrays) - {index}
    if others:
        raise ValueError(
            f"{what}: different devices: the plan's is {_names({index})}, "
            f"an argument's {_names(others)}"
        )


def _devices_of(arrays: tuple[object, ...]) -> set[int]:
    return {array._data.device for array in arrays if isinstance(array, DeviceArray)}


def _names(indices: set[int]) -> str:
    return ", ".join(device_info(index)[0] for index in sorted(indices))
