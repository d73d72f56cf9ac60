"""The names of the devices, and what the C++ core knows of them by their index."""

from __future__ import annotations

from gathernd import _core
from gathernd._arguments.convert import short_repr

__all__ = ["CPU", "device_info", "device_infos", "find_index"]

CPU = -1  # the index of the CPU, which is no D3D12 device

Info = tuple[str, str, str, int]  # name, description, runtime, memory


def find_index(device: object) -> int:
    """Return the index of the device of a name: DeviceError where there is none."""
    name = device if isinstance(device, str) else ""
    if name == "cpu":
        return CPU
    found = {info[0]: index for index, info in sorted(device_infos().items())}
    if name.startswith("d3d12") and len(found) == 1:
        _core.open_device(0)  # says what is missing
    if name not in {*found, "d3d12"}:
        known = ", ".join(f'"{known}"' for known in found)
        raise _core.DeviceError(f"there is no device {short_repr(device)}; the devices are {known}")
    return found.get(name, 0)


def device_infos() -> dict[int, Info]:
    """Return what Device shows, of all of them by their index."""
    return {CPU: device_info(CPU), **dict(enumerate(_core.devices()))}


def device_info(index: int) -> Info:
    """Return what Device shows; the CPU's without a look for others, which loads drivers."""
    if index == CPU:
        return "cpu", "the processors of this machine", _core.cpu_target(), 0
    return _core.devices()[index]
