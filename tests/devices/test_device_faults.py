"""Devices that fail: nothing is written, and a fresh one takes over."""

import re
import sys
import time

import numpy as np
import pytest

import gathernd as gnd
from checks import assert_same_bits
from conftest import each_device
from gathernd import _core, dml
from processes import run, run_quietly

OUT_OF_MEMORY = 0x8007000E - 2**32
REMOVED = 0x887A0005 - 2**32


@each_device
def test_index_plans_of_a_lost_device(name):
    """The plan is lost with it; another one works."""
    table = np.arange(3.0)
    plan = gnd.IndexPlan((3,), [[2]], device=name)
    _core.inject_device_fault("ID3D12Fence::GetCompletedValue", -1)
    with pytest.raises(gnd.DeviceError, match="did not finish"):
        plan.gather(table)
    for _ in range(2):
        with pytest.raises(gnd.DeviceError, match="lost with its device"):
            plan.gather(table)
        with pytest.raises(gnd.DeviceError, match="lost with its device"):
            plan.scatter(table, table[:1], "add")
    assert gnd.IndexPlan((3,), [[2]], device=name).gather(table)[0] == 2


@each_device
@pytest.mark.parametrize(
    ("call", "result", "says"),
    [
        ("ID3D12Device::CreateCommittedResource", OUT_OF_MEMORY, r"0x8007000e \(out of memory\)"),
        ("ID3D12GraphicsCommandList::Close", OUT_OF_MEMORY, "0x8007000e"),
        ("ID3D12Device::GetDeviceRemovedReason", REMOVED, r"0x887a0005 \(device removed\)"),
        ("ID3D12Fence::GetCompletedValue", -1, "did not finish in time"),
    ],
)
def test_faults(name, call, result, says):
    """The error names the call; nothing is written; the next call works on a fresh device."""
    table = np.arange(50000.0)
    updates = np.ones(50000)
    indices = np.arange(50000)[:, None]
    out = np.full(50000, 7.0)
    gnd.gather_nd([1], [[0]], device=name)
    for _ in range(2 if "Create" in call else 1):  # memory is asked for twice
        _core.inject_device_fault(call, result)
    error = None
    while error is None:  # memory is only taken where that of earlier calls is not enough
        table, updates = np.tile(table, 2), np.tile(updates, 2)
        out = np.full(table.shape, 7.0)
        indices = np.arange(table.size)[:, None]
        try:
            gnd.scatter_nd(table, indices, updates, "add", device=name, out=out)
        except gnd.DeviceError as raised:
            error = str(raised)
    assert re.search(f"{call}.*{says}", error)
    assert (out == 7).all()
    assert_same_bits(gnd.scatter_nd(table, indices, updates, device=name), updates)


def call_until_it_fails(name):
    for _ in range(100):
        gnd.gather_nd([1], [[0]], device=name)


@each_device
@pytest.mark.parametrize(
    "call",
    [
        lambda plan, table, out: plan.gather(table, out=out),
        lambda plan, table, out: plan.scatter(table, table, out=out),
    ],
    ids=["gather", "scatter"],
)
def test_a_plan_whose_device_is_lost_writes_nothing(name, call):
    """Whichever of the waits for the device it is: the result comes back in several pieces."""
    table = np.zeros((1, 20 << 20), np.uint8)
    for after in range(100):
        plan = gnd.IndexPlan(table.shape, [[0]], device=name)
        out = np.full_like(table, 7)
        _core.inject_device_fault("ID3D12Fence::GetCompletedValue", -1, after)
        try:
            call(plan, table, out)
        except gnd.DeviceError:
            assert (out == 7).all()
        else:
            break
    assert (out == 0).all()
    assert after > 2
    with pytest.raises(gnd.DeviceError):  # the fault that is still to come
        call_until_it_fails(name)


@each_device
@pytest.mark.parametrize("host", [np.array, list], ids=["array", "list"])
def test_the_device_that_is_asked_for_does_the_work(name, host):
    table, indices, updates = host([1, 2]), host([[0]]), host([3])
    tensor, one = dml.TensorDesc("INT32", [2]), dml.TensorDesc("INT32", [1])
    desc = dml.GatherNDOperatorDesc(tensor, one, one, 1, 1)
    calls = (
        lambda: gnd.gather_nd(table, indices, device=name),
        lambda: gnd.scatter_nd(table, indices, updates, device=name),
        lambda: gnd.IndexPlan((2,), indices, device=name),
        lambda: dml.compile(desc, device=name)([1, 2], [0]),
    )
    for call in calls:
        _core.inject_device_fault("ID3D12GraphicsCommandList::Close", OUT_OF_MEMORY)
        with pytest.raises(gnd.DeviceError, match="Close"):
            call()


@each_device
@pytest.mark.parametrize("seconds", ["inf", "1e30", "nan", "-1", "", "x", "60"])
def test_time_limits(name, seconds):
    code = f"""
import numpy as np, gathernd as gnd
n = 2**20  # the device is waited for
assert gnd.gather_nd(np.arange(n), np.full((n, 1), 3), device={name!r})[7] == 3
"""
    run_quietly(code, GATHERND_D3D12_TIMEOUT=seconds)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@each_device
def test_the_memory_of_lost_devices_is_freed(name):
    """Once they are idle. A device on the processor has its memory in the process, and its driver
    may keep more of each: what an array adds to that is looked at."""
    code = f"""
import os, resource, numpy as np, gathernd as gnd
from gathernd import _core
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize() >> 20
def growth(table):
    sizes = []
    for _ in range(4):
        gnd.gather_nd(table, [[0]], device={name!r})  # leaves its memory for the next call
        sizes.append(resident())
        _core.inject_device_fault("ID3D12Fence::GetCompletedValue", -1)
        try:
            gnd.gather_nd([1], [[0]], device={name!r})
        except gnd.DeviceError as error:
            assert "did not finish" in str(error), error
        else:
            raise AssertionError
    return sizes[-1] - sizes[0]
small, large = growth(np.ones(1)), growth(np.ones(2**23))  # 64 MiB, and as much on the device
assert large < small + 100, (small, large)
"""
    run_quietly(code)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@each_device
def test_staging_of_a_large_element_is_freed(name):
    """A device on the processor has its memory in the process."""
    code = f"""
import resource, numpy as np, gathernd as gnd
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize() >> 20
device = gnd.Device({name!r})
device.asarray(np.arange(3)).numpy()
before = resident()
x = device.asarray(np.zeros(5, "V67108864"))
y = x.numpy()
del x, y
gnd.gather_nd(np.arange(9), [[1]], device=device)
assert resident() < before + 350, (before, resident())
"""
    run_quietly(code)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@each_device
def test_lost_devices_leave_nothing_behind(name):
    """No threads, and of their memory less than a device takes."""
    code = f"""
import gathernd as gnd
from gathernd import _core
def status(key):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key))
def lose():
    assert gnd.gather_nd([5], [[0]], device={name!r}) == 5
    _core.inject_device_fault("ID3D12Fence::GetCompletedValue", -1)
    try:
        gnd.gather_nd([1], [[0]], device={name!r})
    except gnd.DeviceError:
        return
    raise AssertionError
for _ in range(8):
    lose()
threads, memory = status("Threads"), status("VmRSS")
for _ in range(16):
    lose()
assert status("Threads") < threads + 8, (threads, status("Threads"))
assert status("VmRSS") < memory + 50_000, (memory, status("VmRSS"))
"""
    run_quietly(code)


@each_device
def test_the_end_of_a_process_does_not_wait_long_for_lost_devices(name):
    """Nor are drivers torn down while they work, such as Mesa's compiler while it compiles."""
    code = f"""
import sys, time, numpy as np, gathernd as gnd
from gathernd import _core
n = 2**19
table, indices, ones = np.zeros(4), np.zeros((n, 1), int), np.ones(n)
for _ in range(3):
    gnd.gather_nd([1], [[0]], device={name!r})
    _core.inject_device_fault("ID3D12Fence::GetCompletedValue", -1, 1)
    try:
        gnd.scatter_nd(table, indices, ones, "add", device={name!r})
    except gnd.DeviceError as error:
        assert "in time" in str(error), error
    else:
        raise AssertionError
print(time.time())
sys.exit(3)
"""
    for disabled in ("false", "true"):
        done = run(code, status=3, MESA_SHADER_CACHE_DISABLE=disabled)
        assert time.time() - float(done.stdout) < 3, "one second, and the end of Python"
