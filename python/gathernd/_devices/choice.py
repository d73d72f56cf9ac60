"""Which device a call runs on: where its arrays lie, or the one asked for."""

from __future__ import annotations

from gathernd import _core
from gathernd._devices.device import Device, DeviceArray, name_of
from gathernd._devices.names import CPU

__all__ = ["check_devices", "find_device"]


def find_device(what: str, device: Device | str | None, *arrays: object) -> tuple[str, bool]:
    """Return the name of the device that a call runs on, and whether its arrays lie there."""
    there = _devices_of(arrays)
    try:
        asked = set() if device is None else {name_of(device)}
    except _core.DeviceError as error:
        raise _core.DeviceError(f"{what}: {error}") from None
    if len(there | asked) > 1:
        raise ValueError(
            f"{what}: different devices: {_names(there | asked)}; "
            "Device.asarray brings an array to another, x.numpy() to the host"
        )
    return next(iter(there | asked), CPU), bool(there)


def check_devices(what: str, name: str, *arrays: object) -> None:
    """Raise ValueError where one of a plan's arguments lies on another device than the plan."""
    others = _devices_of(arrays) - {name}
    if others:
        raise ValueError(
            f"{what}: different devices: the plan's is {name}, an argument's {_names(others)}"
        )


def _devices_of(arrays: tuple[object, ...]) -> set[str]:
    return {array._data.device for array in arrays if isinstance(array, DeviceArray)}


def _names(names: set[str]) -> str:
    return ", ".join(sorted(names))
