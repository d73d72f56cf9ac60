"""Devices, arrays that lie on them, and what happens when they fail."""

import copy
import os
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

import gathernd as gnd
from checks import assert_same_bits
from gathernd import _core, dml

NAMES = [name for name, *_ in _core.devices()]
OUT_OF_MEMORY = 0x8007000E - 2**32
REMOVED = 0x887A0005 - 2**32

each_device = pytest.mark.parametrize("name", NAMES)
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
needs_long_double = pytest.mark.skipif(
    np.dtype("g").itemsize == 8, reason="a long double is a double here, and computed with"
)


def test_the_cpu_is_the_first_device():
    first = gnd.devices()[0]
    assert first == gnd.Device("cpu")
    assert first.name == "cpu"
    assert first.runtime == _core.cpu_target()
    assert repr(first) == "Device('cpu')"
    assert (first.memory, {first}) == (0, {gnd.Device("cpu")})
    others = [(d.name, d.description, d.runtime, d.memory) for d in gnd.devices()[1:]]
    assert others == _core.devices()


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_the_cpu_needs_no_drivers():
    code = """
import gathernd as gnd
gnd.gather_nd([1, 2], [[0]], device="cpu")
gnd.Device("cpu").asarray([1])
maps = open("/proc/self/maps").read()
assert "vkd3d" not in maps and "vulkan" not in maps
"""
    run(code)


def test_asarray_on_the_cpu_is_numpy():
    array = np.arange(3)
    assert gnd.Device("cpu").asarray(array) is array


@pytest.mark.parametrize(
    "name",
    ["cuda", "d3d12:", "d3d12:x", "d3d12:99", "d3d12:2147483648", "d3d12:9999999999", "", 3],
)
def test_unknown_devices(name):
    with pytest.raises(gnd.DeviceError, match=r"there is no|no D3D12"):
        gnd.Device(name)
    with pytest.raises(gnd.DeviceError, match=r"there is no|no D3D12"):
        gnd.gather_nd([1, 2], [[0]], device=name)


def test_a_device_of_a_device():
    for device in gnd.devices():
        assert gnd.Device(device) == device


def test_device_arrays_have_no_constructor():
    with pytest.raises(TypeError, match="asarray"):
        gnd.DeviceArray()


@each_device
def test_round_trip(name):
    device = gnd.Device(name)
    array = np.arange(24).reshape(2, 3, 4)[:, ::-1]
    x = device.asarray(array)
    assert (x.shape, x.dtype, x.nbytes, x.ndim) == (array.shape, array.dtype, 24 * 8, 3)
    assert x.device == device
    assert device.asarray(x) is x
    assert repr(x) == f"DeviceArray(shape=(2, 3, 4), dtype=int64, device='{name}')"
    assert_same_bits(x.numpy(), array)
    assert_same_bits(np.asarray(x), array)
    assert np.asarray(x, np.float32).dtype == np.float32
    with pytest.raises(ValueError, match="copy"):
        np.asarray(x, copy=False)
    assert_same_bits(gnd.Device("cpu").asarray(x), array)


@each_device
@pytest.mark.parametrize("copy_of", [copy.copy, copy.deepcopy])
def test_copies_are_apart(name, copy_of):
    for array in (np.arange(6).reshape(2, 3), np.array(5), np.zeros((0, 3)), np.zeros(2, "V3")):
        x = gnd.Device(name).asarray(array)
        y = copy_of(x)
        assert y.device == x.device
        assert_same_bits(y.numpy(), array)
    gnd.scatter_nd(x, np.zeros((1, 0), int), np.full((1, 2), b"abc", "V3"), out=x)
    assert_same_bits(y.numpy(), array)
    with pytest.raises(TypeError, match="a DeviceArray cannot be pickled"):
        pickle.dumps(x)


@each_device
def test_device_arrays_are_not_for_dml(name):
    tensor, tuples = dml.TensorDesc("f4", [2]), dml.TensorDesc("i4", [1])
    op = dml.compile(dml.GatherNDOperatorDesc(tensor, tuples, dml.TensorDesc("f4", [1]), 1, 1))
    x = gnd.Device(name).asarray(np.zeros(2, "f4"))
    with pytest.raises(TypeError, match="input must be an array of the host, not a DeviceArray"):
        op(x, [0])
    with pytest.raises(TypeError, match="indices must be an array of the host"):
        op.run_buffers(np.zeros(8, "u1"), x, np.zeros(4, "u1"))


@each_device
def test_objects_are_named_by_their_argument(name):
    x, objects = gnd.Device(name).asarray(np.zeros(2)), np.array([None])
    with pytest.raises(TypeError, match="scatter_nd: updates has dtype object"):
        gnd.scatter_nd(x, [[1]], objects)
    with pytest.raises(TypeError, match="scatter_nd: input has dtype object"):
        gnd.scatter_nd(objects, gnd.Device(name).asarray([[0]]), x)
    with pytest.raises(TypeError, match="gather_nd: indices has dtype object"):
        gnd.gather_nd(x, objects)
    with pytest.raises(TypeError, match="gather_nd: indices must be integers, not NoneType"):
        gnd.gather_nd(x, None)
    with pytest.raises(TypeError, match="asarray: array has dtype object"):
        gnd.Device(name).asarray(objects)


@each_device
def test_elements_of_zero_bytes(name):
    table = np.zeros((3, 2), "V0")
    x = gnd.Device(name).asarray(table)
    assert x.nbytes == 0
    assert_same_bits(x.numpy(), table)
    assert_same_bits(gnd.gather_nd(x, [[2]]).numpy(), table[:1])
    assert_same_bits(gnd.scatter_nd(x, [[2]], table[:1], out=x).numpy(), table)


@each_device
def test_large_arrays_go_in_pieces(name):
    table = np.arange(6 << 20).reshape(3 << 10, 2 << 10)[::-1, ::2]  # 24 MiB, strided
    x = gnd.Device(name).asarray(table)
    assert_same_bits(x.numpy(), table)
    order = np.random.default_rng(1).permutation(len(table))
    assert_same_bits(gnd.gather_nd(table, order[:, None], device=name), table[order])
    out = np.zeros((len(table), 2 << 10), int)
    assert gnd.gather_nd(table, order[:, None], device=name, out=out[:, 1::2]).base is out
    assert_same_bits(out[:, 1::2], table[order])
    assert not out[:, ::2].any()


@each_device
def test_results_stay_on_the_device(name):
    table = np.arange(12.0).reshape(3, 4)
    x = gnd.Device(name).asarray(table)
    result = gnd.gather_nd(x, [[2], [0]])
    assert isinstance(result, gnd.DeviceArray)
    assert_same_bits(result.numpy(), table[[2, 0]])
    filled = gnd.gather_nd(x, [[5]], mode="fill", fill_value=7)
    assert_same_bits(filled.numpy(), np.full((1, 4), 7.0))
    scattered = gnd.scatter_nd(x, [[1], [1]], [[1, 2, 3, 4]] * 2, "add")
    assert_same_bits(
        scattered.numpy(), gnd.scatter_nd(table, [[1], [1]], [[1, 2, 3, 4]] * 2, "add")
    )
    assert_same_bits(x.numpy(), table)


@each_device
def test_out_on_the_device(name):
    table = np.arange(6)
    x = gnd.Device(name).asarray(table)
    assert gnd.scatter_nd(x, [[1]], [9], out=x) is x
    assert_same_bits(x.numpy(), np.array([0, 9, 2, 3, 4, 5]))
    with pytest.raises(IndexError, match="index 7 at"):
        gnd.scatter_nd(x, [[0], [7]], [1, 1], out=x)
    assert_same_bits(x.numpy(), np.array([0, 9, 2, 3, 4, 5]))
    other = gnd.Device(name).asarray(np.zeros(2, int))
    assert gnd.gather_nd(x, [[1], [5]], out=other) is other
    assert_same_bits(other.numpy(), np.array([9, 5]))
    with pytest.raises(ValueError, match="shape"):
        gnd.gather_nd(x, [[1]], out=other)
    with pytest.raises(TypeError, match="dtype"):
        gnd.gather_nd(x, [[1], [2]], out=gnd.Device(name).asarray(np.zeros(2)))
    with pytest.raises(TypeError, match="DeviceArray"):
        gnd.gather_nd(x, [[1]], out=np.zeros(1, int))
    with pytest.raises(TypeError, match="DeviceArray where an argument is one, not ndarray"):
        gnd.gather_nd(table, gnd.Device(name).asarray([[1]]), out=np.zeros(1, int))


@each_device
@pytest.mark.parametrize("same", ["updates", "indices", "updates indices"])
def test_arguments_that_are_the_array_in_place(name, same):
    table = np.array([[1], [0], [1]])
    x = gnd.Device(name).asarray(table)
    arguments = [x if argument in same else table for argument in ("indices", "updates")]
    assert gnd.scatter_nd(x, *arguments, "add", out=x) is x
    assert_same_bits(x.numpy(), gnd.scatter_nd(table, table, table, "add"))


@each_device
def test_results_of_index_plans_stay_on_the_device(name):
    device = gnd.Device(name)
    table = np.arange(12.0).reshape(3, 4)
    indices = np.array([[2], [0], [2]])
    there = device.asarray(indices)
    plan = gnd.IndexPlan((3, 4), there)
    gnd.scatter_nd(there, indices, indices + 90, out=there)  # the plan does not need them
    x, updates = device.asarray(table), device.asarray(np.ones((3, 4)))
    result = plan.gather(x)
    assert isinstance(result, gnd.DeviceArray)
    assert_same_bits(result.numpy(), table[[2, 0, 2]])
    assert_same_bits(plan.gather(table), table[[2, 0, 2]])
    assert plan.gather(table, out=result) is result
    expected = gnd.scatter_nd(table, indices, np.ones((3, 4)), "add")
    assert_same_bits(plan.scatter(x, np.ones((3, 4)), "add").numpy(), expected)
    assert_same_bits(plan.scatter(table, updates, "add").numpy(), expected)
    assert_same_bits(x.numpy(), table)
    assert plan.scatter(x, updates, "add", out=x) is x
    assert_same_bits(x.numpy(), expected)
    filled = gnd.IndexPlan((3, 4), [[7], [1]], mode="fill", device=name).gather(x, fill_value=5)
    assert_same_bits(filled.numpy(), np.array([[5.0] * 4, expected[1]]))
    square = device.asarray(np.array([[1, 2], [3, 4]]))
    assert gnd.IndexPlan((2, 2), [[1], [1]], device=name).scatter(square, square, "add", out=square)
    assert_same_bits(square.numpy(), np.array([[1, 2], [7, 10]]))


@each_device
def test_errors_of_index_plans(name):
    x = gnd.Device(name).asarray(np.zeros((3, 2)))
    updates = gnd.Device(name).asarray(np.ones((2, 2)))
    with pytest.raises(IndexError, match=r"index 3 at indices\[1, 0\]"):
        gnd.IndexPlan((3, 2), gnd.Device(name).asarray([[0], [3]]))
    plan = gnd.IndexPlan((3, 2), [[1], [1]], device=name)
    with pytest.raises(ValueError, match="same slice"):
        plan.scatter(x, updates, duplicates="error", out=x)
    with pytest.raises(ValueError, match=r"the plan's shape \(3, 2\), not \(2, 2\)"):
        plan.gather(updates)
    with pytest.raises(ValueError, match="updates must have shape"):
        plan.scatter(x, x)
    with pytest.raises(TypeError, match="DeviceArray"):
        plan.gather(x, out=np.zeros((2, 2)))
    with pytest.raises(ValueError, match=f"the plan's is cpu, an argument's {name}"):
        gnd.IndexPlan((3, 2), [[1], [1]]).gather(x)
    with pytest.raises(ValueError, match="different devices"):
        gnd.IndexPlan((3, 2), gnd.Device(name).asarray([[1]]), device="cpu")
    assert_same_bits(x.numpy(), np.zeros((3, 2)))


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
def test_arguments_on_different_devices(name):
    x = gnd.Device(name).asarray([1, 2])
    with pytest.raises(ValueError, match=f"gather_nd: different devices: cpu, {name}"):
        gnd.gather_nd(x, [[0]], device="cpu")


@needs_long_double
@each_device
@pytest.mark.parametrize("dtype", ["g", "G"])
def test_long_doubles_are_moved_and_not_computed_with(name, dtype):
    table = np.arange(4).astype(dtype)
    assert_same_bits(gnd.gather_nd(table, [[3], [1]], device=name), table[[3, 1]])
    with pytest.raises(TypeError, match="longdouble"):
        gnd.scatter_nd(table, [[1]], table[:1], "add", device=name)
    plan = gnd.IndexPlan((4,), [[1]], device=name)
    assert_same_bits(plan.gather(table), table[[1]])
    with pytest.raises(TypeError, match="longdouble"):
        plan.scatter(table, table[:1], "add")


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
@pytest.mark.parametrize(
    ("dtype", "reduction"),
    [("i1", "add"), ("i4", "mul"), ("f2", "add"), ("f4", "add"), ("f8", "add"), ("c16", "mul")],
)
def test_many_updates_of_one_element(name, dtype, reduction):
    """More than 65,535: some drivers end a loop there. Floats are denormals, the hardest sums."""
    rng = np.random.default_rng(0)
    n = 150_000
    factor = {"f4": 1e-40, "f8": 1e-310}.get(dtype, 1)
    updates = (rng.integers(1, 4, n) * factor).astype(dtype)
    if reduction == "mul":
        updates[:-1] = 1
    table, indices = np.ones(2, dtype), np.zeros((n, 1), np.int32)
    expected = gnd.scatter_nd(table, indices, updates, reduction)
    assert_same_bits(gnd.scatter_nd(table, indices, updates, reduction, device=name), expected)


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
    run(code)


@each_device
@pytest.mark.parametrize("seconds", ["inf", "1e30", "nan", "-1", "", "x", "60"])
def test_time_limits(name, seconds):
    code = f"""
import numpy as np, gathernd as gnd
n = 2**20  # the device is waited for
assert gnd.gather_nd(np.arange(n), np.full((n, 1), 3), device={name!r})[7] == 3
"""
    run(code, GATHERND_D3D12_TIMEOUT=seconds)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@each_device
def test_the_memory_of_lost_devices_is_freed(name):
    """Once they are idle. A device on the processor has its memory in the process."""
    code = f"""
import os, resource, numpy as np, gathernd as gnd
from gathernd import _core
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize() >> 20
sizes, table = [], np.ones(2**23)
for _ in range(6):
    gnd.gather_nd(table, [[0]], device={name!r})  # leaves 64 MiB for the next call
    sizes.append(resident())
    _core.inject_device_fault("ID3D12Fence::GetCompletedValue", -1)
    try:
        gnd.gather_nd([1], [[0]], device={name!r})
    except gnd.DeviceError as error:
        assert "did not finish" in str(error), error
    else:
        raise AssertionError
assert sizes[-1] - sizes[1] < 100, sizes
"""
    run(code)


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
    run(code)


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
        run(code, DELAY=str(0.03 * k), MESA_SHADER_CACHE_DISABLE="true")


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
    run(code)


def test_no_runtime():
    """Says what was looked for, and falls back to nothing."""
    code = """
import gathernd as gnd
assert [d.name for d in gnd.devices()] == ["cpu"]
try:
    gnd.gather_nd([1], [[0]], device="d3d12")
except gnd.DeviceError as error:
    assert "no D3D12 runtime: looked for libnothing.so" in str(error), error
else:
    raise AssertionError
"""
    if NAMES:
        run(code, GATHERND_D3D12_RUNTIME="libnothing.so")


def run(code: str, **environment: str) -> None:
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
