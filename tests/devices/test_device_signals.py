"""Signals, and the end of the process, while a device works."""

import pytest

from conftest import each_device
from processes import run_quietly


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


@each_device
@pytest.mark.parametrize(
    ("lies", "by_plan", "reduction"),
    [("device", False, "add"), ("device", True, "none"), ("host", True, "add")],
    ids=["device", "device-plan", "host-plan"],
)
def test_interrupt_in_place(name, lies, by_plan, reduction):
    """A handler that raises while the call is under way finds the array unchanged: to try again
    adds nothing twice. Once it changes, signals wait until the call has returned."""
    code = f"""
import os, signal, threading, time, numpy as np, gathernd as gnd
device = gnd.Device({name!r})
n = 2**20
table = np.arange(n, dtype="f4")
indices = np.random.default_rng(0).integers(0, n, (n, 1))
there = (lambda array: device.asarray(array)) if {lies!r} == "device" else np.copy
updates, tuples = there(table), there(indices)
plan = gnd.IndexPlan(table.shape, tuples, device=device)
def scatter(array):
    if {by_plan}:
        plan.scatter(array, updates, {reduction!r}, out=array)
    else:
        gnd.scatter_nd(array, tuples, updates, {reduction!r}, out=array, device=device)
probe, busy = device.asarray([1]), []
def handler(*_):
    try:
        probe.numpy()
    except gnd.DeviceError as error:  # the call is under way
        assert "of this thread" in str(error), error
        busy.append(True)
    raise KeyboardInterrupt
array = there(table)
start = time.monotonic()
scatter(array)
took = time.monotonic() - start
want = np.asarray(array).tobytes()
signal.signal(signal.SIGINT, handler)
outcomes = []
for turn in range(6):
    array, before = there(table), len(busy)
    try:
        threading.Timer(took * turn / 6, os.kill, (os.getpid(), signal.SIGINT)).start()
        scatter(array)
        time.sleep(5)  # the signal comes
    except KeyboardInterrupt:
        pass
    left = np.asarray(array).tobytes()
    outcomes.append("before" if left == table.tobytes() else "after" if left == want else "half")
    if len(busy) > before:
        assert outcomes[-1] == "before", outcomes
assert "half" not in outcomes, outcomes
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
def test_signal_handler_that_asks_the_plan_that_is_looked_at(name):
    """It gets the answer, or is told that the device is at work; nobody waits for ever."""
    code = f"""
import _thread, signal, threading, time, numpy as np, gathernd as gnd
n = 2**22
plan = gnd.IndexPlan((n,), np.arange(n)[:, None], device={name!r})
def handler(*_):
    try:
        assert plan.is_unique
    except gnd.DeviceError as error:
        assert "of this thread" in str(error), error
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
    for k in range(5):
        run_quietly(code, DELAY=str(0.08 * k), MESA_SHADER_CACHE_DISABLE="true")
