"""The names of the devices, and what the C++ core knows of them."""

from __future__ import annotations

import functools

from gathernd import _core
from gathernd._arguments.convert import short_repr

__all__ = ["CPU", "device_info", "device_infos", "find_name"]

CPU = "cpu"

Info = tuple[str, str, str, int]  # name, description, runtime, memory


def find_name(device: object) -> str:
    """Return the full name of a device, "d3d12:0" for "d3d12": DeviceError where there is none."""
    if isinstance(device, str) and device.isascii():
        if device == CPU:
            return CPU
        if found := _find(device):
            return found
    known = ", ".join(f'"{info[0]}"' for info in device_infos())
    raise _core.DeviceError(f"there is no device {short_repr(device)}; the devices are {known}")


@functools.lru_cache(maxsize=16)
def _find(name: str) -> str | None:
    """Look for a device: what a process finds never changes, and a call asks twice otherwise."""
    return _core.find_device(name)


def device_infos() -> list[Info]:
    """Return what Device shows, of all of them, the CPU first."""
    return [device_info(CPU), *_core.devices()]


def device_info(name: str) -> Info:
    """Return what Device shows; the CPU's without a look for others, which loads drivers."""
    if name == CPU:
        return CPU, "the processors of this machine", _core.cpu_target(), 0
    return next(info for info in _core.devices() if info[0] == name)
