"""Devices and their arrays: which there are, which one a call runs on, the functions there.

`names` finds devices by their name, `device` has the public classes, `choice` finds the device of
a call, and `ops` has the functions over a device's arrays; it is imported at the first such call.
Arguments of the host are converted by `_arguments`, and Direct3D 12 is the core's alone.
"""

from gathernd._devices.device import Device, DeviceArray, devices

__all__ = ["Device", "DeviceArray", "devices"]
