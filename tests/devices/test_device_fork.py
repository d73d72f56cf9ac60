"""Devices that a fork leaves behind: the child is told so, and waits for nothing."""

from conftest import each_device
from preloaded import needs_preload, preload
from processes import needs_fork, run_quietly


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
            gnd.at(x)[[4]].get()
            os._exit(4)
        except gnd.DeviceError as error:
            assert "forked" in str(error), error
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


@needs_fork
@needs_preload
@each_device
def test_child_forked_while_a_thread_opens_its_first_device(name):
    """The locks that the thread holds meanwhile are not waited for."""
    code = f"""
import os, signal, threading, time, numpy as np, gathernd as gnd
thread = threading.Thread(target=lambda: gnd.gather_nd(np.arange(3), [[1]], device={name!r}))
thread.start()
for delay in (0, 0.001, 0.05, 0.05, 0.1, 0.1, 0.1):
    time.sleep(delay)
    pid = os.fork()
    if pid == 0:
        signal.alarm(30)
        try:
            assert gnd.gather_nd([1, 2], [[1]], device={name!r})[0] == 2
        except gnd.DeviceError as error:
            assert "forked" in str(error), error
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
thread.join()
"""
    run_quietly(code, LD_PRELOAD=preload("guards"))


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
