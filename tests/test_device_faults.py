"""Devices that fail, that are interrupted, that a fork leaves behind, that are not there."""

import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

import gathernd as gnd
from checks import assert_same_bits
from conftest import DEVICES, each_device
from gathernd import _core
from processes import needs_fork, run_quietly

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
        with pytest.raises(gnd.DeviceError, match="a lost one"):
            plan.gather(table)
        with pytest.raises(gnd.DeviceError, match="a lost one"):
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


@each_device
def test_interrupt(name):
    """Ctrl-C ends the call, all or nothing is written, and the device keeps what lies there."""
    code = f"""
import _thread, signal, threading, time, numpy as np, gathernd as gnd
n = 2**22
table, out, indices = np.zeros(4), np.full(4, 7.0), np.zeros((n, 1), int)
kept = gnd.Device({name!r}).asarray(np.arange(3))
plan = gnd.IndexPlan((3,), [[2]], device={name!r})
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(0.2, _thread.interrupt_main).start()
try:
    gnd.scatter_nd(table, indices, np.ones(n), "add", device={name!r}, out=out)
    time.sleep(2)  # after a fast device
except KeyboardInterrupt:
    assert out.tolist() in ([7] * 4, [n, 0, 0, 0])
else:
    raise AssertionError
assert gnd.gather_nd([1, 2], [[1]], device={name!r})[0] == 2
assert kept.numpy().tolist() == [0, 1, 2]
assert plan.gather(kept).numpy().tolist() == [2]
"""
    run_quietly(code)


@needs_fork
@each_device
def test_interrupt_in_the_child_of_a_thread(name):
    """The thread that forks is the main thread there, which handles signals."""
    code = f"""
import os, signal, threading, time, numpy as np, gathernd as gnd
def child():
    n = 2**22
    out, indices, ones = np.full(4, 7.0), np.zeros((n, 1), int), np.ones(n)
    def stop(*_):
        raise TimeoutError
    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    start = time.monotonic()
    try:
        gnd.scatter_nd(np.zeros(4), indices, ones, "add", device={name!r}, out=out)
        time.sleep(2)  # after a fast device
    except TimeoutError:
        os._exit(0 if out.tolist() == [7] * 4 or time.monotonic() < start + 0.3 else 4)
    os._exit(3)
def fork():
    pid = os.fork()
    if pid == 0:
        child()
    codes.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
codes = []
thread = threading.Thread(target=fork)
thread.start()
thread.join()
assert codes == [0], codes
"""
    run_quietly(code)


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


@each_device
def test_signal_handler(name):
    """It is told that the device is at work for the call below it; that call ends as usual."""
    code = f"""
import _thread, signal, threading, time, numpy as np, gathernd as gnd
n, told = 2**22, []
table, updates = np.zeros(4, "f"), np.ones(n, "f")
def handler(*_):
    try:
        gnd.gather_nd([1, 2], [[1]], device={name!r})
    except gnd.DeviceError as error:
        told.append(str(error))
gnd.gather_nd([1], [[0]], device={name!r})
signal.signal(signal.SIGINT, handler)
threading.Timer(0.2, _thread.interrupt_main).start()
start = time.monotonic()
result = gnd.scatter_nd(table, np.zeros((n, 1), int), updates, "add", device={name!r})
assert result.tolist() == [n, 0, 0, 0]
assert time.monotonic() - start < 0.3 or "of this thread" in told[0], told
"""
    run_quietly(code)


@each_device
def test_daemon_thread_at_exit(name):
    """A thread that opens the device, or waits for its compiler, when the process ends."""
    code = f"""
import os, threading, time, numpy as np, gathernd as gnd
def work():
    for dtype in "fbdhliBHIL":
        table, indices = np.zeros(9, dtype), np.zeros((200, 1), int)
        gnd.scatter_nd(table, indices, np.zeros(200, dtype), "mul", device={name!r})
threading.Thread(target=work, daemon=True).start()
time.sleep(float(os.environ["DELAY"]))
"""
    for k in range(12):
        run_quietly(code, DELAY=str(0.03 * k), MESA_SHADER_CACHE_DISABLE="true")


@needs_fork
@each_device
def test_forked_child(name):
    """No driver promises to survive a fork: the child is told so, and has the CPU."""
    code = f"""
import os, numpy as np, gathernd as gnd
device = next(device for device in gnd.devices() if device.name == {name!r})
x = device.asarray(np.arange(5))
gnd.gather_nd(x, [[3]])
plan = gnd.IndexPlan((5,), [[3], [3]], device=device)
assert plan.scatter(np.arange(5), [1, 1], "add")[3] == 5
pid = os.fork()
if pid == 0:
    try:
        gnd.gather_nd(np.arange(5), [[4]], device={name!r})
    except gnd.DeviceError as error:
        assert "forked" in str(error), error
        assert gnd.gather_nd(np.arange(5), [[4]])[0] == 4
        try:
            plan.gather(np.arange(5))
        except gnd.DeviceError as error:
            assert "forked" in str(error), error
            del x, plan
            os._exit(0)
    os._exit(3)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
assert gnd.gather_nd(x, [[2]]).numpy()[0] == 2
assert plan.gather(x).numpy()[0] == 3
"""
    run_quietly(code)


@needs_fork
@each_device
def test_child_forked_while_a_thread_looks_for_devices(name):
    """It waits for nothing: the search does not go on there."""
    code = f"""
import os, signal, threading, time, gathernd as gnd
thread = threading.Thread(target=gnd.devices)
thread.start()
time.sleep(float(os.environ["DELAY"]))
pid = os.fork()
if pid == 0:
    signal.alarm(30)
    names = [device.name for device in gnd.devices()]
    assert names[0] == "cpu", names
    try:
        assert gnd.gather_nd([1, 2], [[1]], device={name!r})[0] == 2
    except gnd.DeviceError as error:
        assert "forked" in str(error), error
    os._exit(0)
thread.join()
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
"""
    for delay in (0, 0.002, 0.01, 0.03, 0.1):
        run_quietly(code, DELAY=str(delay))


@each_device
def test_signal_handler_that_asks_the_plan_that_is_looked_at(name):
    code = f"""
import _thread, signal, threading, time, numpy as np, gathernd as gnd
n = 2**22
plan, told = gnd.IndexPlan((n,), np.arange(n)[:, None], device={name!r}), []
def handler(*_):
    try:
        told.append(plan.is_unique)
    except gnd.DeviceError as error:
        told.append(str(error))
signal.signal(signal.SIGINT, handler)
def keep_busy():
    gnd.scatter_nd(np.zeros(4), np.zeros((n, 1), int), np.ones(n), "add", device={name!r})
thread = threading.Thread(target=keep_busy)
thread.start()
time.sleep(0.1)
threading.Timer(0.1, _thread.interrupt_main).start()
assert plan.is_unique
thread.join()
"""
    run_quietly(code)


@pytest.mark.skipif(not DEVICES or sys.platform != "linux", reason="no vkd3d here")
def test_runtime_of_another_name(tmp_path):
    """A copy of vkd3d, whatever its name and its folder are called, is vkd3d."""
    runtime = gnd.devices()[1].runtime
    found = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    path = re.search(rf"{re.escape(runtime)} .*=> (\S+)", found)
    if path is None:
        pytest.skip(f"ldconfig does not know {runtime}")
    copy = tmp_path / "libd3d12.so"
    shutil.copy(path[1], copy)
    code = "import gathernd as gnd; assert gnd.gather_nd([5], [[0]], device='d3d12') == [5]"
    run_quietly(code, GATHERND_D3D12_RUNTIME=str(copy))


@pytest.mark.skipif(not DEVICES, reason="no D3D12 device here")
@pytest.mark.parametrize(
    ("library", "why"),
    [
        ("libnothing.so", ";"),
        (__file__, " (invalid ELF header);"),
        ("libc.so.6", " (has no D3D12CreateDevice);"),
    ],
)
def test_no_runtime(library, why):
    """Says what was looked for and why it cannot be used, and falls back to nothing."""
    if why != ";" and sys.platform != "linux":
        pytest.skip("a message of Linux")
    code = f"""
import gathernd as gnd
assert [d.name for d in gnd.devices()] == ["cpu"]
try:
    gnd.gather_nd([1], [[0]], device="d3d12")
except gnd.DeviceError as error:
    assert {f"no D3D12 runtime: looked for {library}{why}"!r} in str(error), error
else:
    raise AssertionError
"""
    run_quietly(code, GATHERND_D3D12_RUNTIME=library)
