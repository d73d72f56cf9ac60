"""The devices, and arrays that lie on them."""

import copy
import pickle
import sys

import numpy as np
import pytest

import gathernd as gnd
from checks import assert_same_bits
from conftest import each_device
from gathernd import _core, dml
from processes import run_quietly


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
    run_quietly(code)


def test_asarray_on_the_cpu_is_numpy():
    array = np.arange(3)
    assert gnd.Device("cpu").asarray(array) is array
    assert type(gnd.Device("cpu").asarray(np.ma.array(array))) is np.ndarray


NO_DEVICES = ("cuda", "d3d12:", "d3d12:x", "d3d12:99", "d3d12:2147483648", "d3d12:9999999999")


@pytest.mark.parametrize("name", [*NO_DEVICES, "gpu", "CPU ", "", 3])
def test_unknown_devices(name):
    with pytest.raises(gnd.DeviceError, match=r"there is no|no D3D12"):
        gnd.Device(name)
    with pytest.raises(gnd.DeviceError, match=r"gather_nd: .*(there is no|no D3D12)"):
        gnd.gather_nd([1, 2], [[0]], device=name)
    with pytest.raises(gnd.DeviceError, match=r"scatter_nd: .*(there is no|no D3D12)"):
        gnd.scatter_nd([1, 2], [[0]], [3], device=name)
    array = np.zeros((1, 1), int)
    with pytest.raises(gnd.DeviceError, match="gather_nd: "):
        gnd.gather_nd(array, array, device=name)
    with pytest.raises(gnd.DeviceError, match="scatter_nd: "):
        gnd.scatter_nd(array, array, array, device=name)


def test_a_device_of_a_device():
    for device in gnd.devices():
        assert gnd.Device(device) == device


def test_unknown_devices_are_named_in_short():
    for name in ("x" * 10_000, 10**5000):
        with pytest.raises(gnd.DeviceError, match=r'no device .*; the devices are "cpu"') as caught:
            gnd.Device(name)
        assert len(str(caught.value)) < 1000


@each_device
def test_the_first_device_by_its_short_name(name):
    assert gnd.Device("d3d12") == gnd.devices()[1] != gnd.devices()[0]
    assert gnd.Device(name) != name


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
    assert np.asarray(x, np.float32).dtype == x.__array__(np.float32).dtype == np.float32
    with pytest.raises(ValueError, match="copy"):
        np.asarray(x, copy=False)
    assert_same_bits(gnd.Device("cpu").asarray(x), array)


@each_device
@pytest.mark.parametrize("copy_of", [copy.copy, copy.deepcopy])
def test_copies_are_apart(name, copy_of):
    for array in (np.arange(6).reshape(2, 3), np.array(5), np.zeros((0, 3)), np.zeros(2, "V3")):
        x = gnd.Device(name).asarray(array)
        y = copy_of(x)
        assert (y.device, y.ndim) == (x.device, array.ndim)
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


@pytest.mark.parametrize("name", [device.name for device in gnd.devices()])
@pytest.mark.parametrize("shape", [(), 3, (2, 3), [4, 0], (np.int64(5),)])
@pytest.mark.parametrize("dtype", [None, np.int8, ">u4", "S3"])
def test_new_arrays_are_those_of_numpy(name, shape, dtype):
    device, dtype = gnd.Device(name), float if dtype is None else dtype
    assert_same_bits(np.asarray(device.zeros(shape, dtype)), np.zeros(shape, dtype))
    assert_same_bits(np.asarray(device.full(shape, 7, dtype)), np.full(shape, 7, dtype))
    empty = device.empty(shape, dtype)
    assert (np.asarray(empty).shape, empty.dtype) == (np.zeros(shape).shape, np.dtype(dtype))
    assert isinstance(empty, np.ndarray) == (name == "cpu")


@pytest.mark.parametrize("name", [device.name for device in gnd.devices()])
def test_new_arrays_say_what_is_wrong(name):
    device = gnd.Device(name)
    assert device.zeros(2).dtype == np.float64
    assert device.full(2, 7).dtype == np.dtype(int)
    for make in (device.zeros, device.empty, lambda shape: device.full(shape, 1)):
        with pytest.raises(ValueError, match="negative size"):
            make((2, -1))
        with pytest.raises(TypeError, match="shape must be a tuple of integers"):
            make(2.5)


@each_device
def test_new_arrays_hold_no_objects(name):
    with pytest.raises(TypeError, match="object"):
        gnd.Device(name).zeros(2, object)


@each_device
def test_device_arrays_have_a_length(name):
    device = gnd.Device(name)
    assert (len(device.zeros((3, 2))), len(device.zeros(0))) == (3, 0)
    with pytest.raises(TypeError, match="without dimensions"):
        len(device.zeros(()))


@each_device
def test_reshaped_arrays_are_copies(name):
    array = np.arange(12).reshape(3, 4)
    x = gnd.Device(name).asarray(array)
    for shape in ((12,), (2, -1), (1, 3, 4), (-1,), (3, 4), (2, 2, 3, 1)):
        assert_same_bits(x.reshape(shape).numpy(), array.reshape(shape))
        assert_same_bits(x.reshape(*shape).numpy(), array.reshape(shape))
    y = x.reshape(-1)
    gnd.at(y)[0] = 9
    assert (x.numpy()[0, 0], y.numpy()[0]) == (0, 9)
    empty = gnd.Device(name).zeros((0, 3))
    assert empty.reshape(3, 0).shape == (3, 0)
    for shape in ((5,), (5, -1), (-1, -1), (-2, -6), (0, -1), (1 << 62, 4)):
        with pytest.raises(ValueError, match=r"reshape: \(3, 4\) cannot become"):
            x.reshape(shape)
    with pytest.raises(ValueError, match="cannot become"):
        empty.reshape(0, -1)
    with pytest.raises(ValueError, match="65 dimensions are too many"):
        x.reshape((12,) + (1,) * 64)
    with pytest.raises(TypeError, match="tuple of integers"):
        x.reshape("12")


@each_device
def test_write_replaces_the_elements(name):
    device = gnd.Device(name)
    x = device.zeros((2, 2), np.int16)
    array = np.array([[1, 2], [3, 4]], np.int16)
    for source in (array, device.asarray(array), array.T.copy().T, [[1, 2], [3, 4]]):
        x.write(np.zeros((2, 2), np.int16))
        x.write(source)
        assert_same_bits(x.numpy(), array)
    gnd.at(x)[0] = 0  # what was written is a copy
    assert array[0, 0] == 1
    for wrong in (array.astype(int), device.zeros((2, 2), int)):
        with pytest.raises(TypeError, match="must have dtype int16, not int64"):
            x.write(wrong)
    for wrong in (array[0], device.zeros(2, np.int16), 5):
        with pytest.raises(ValueError, match=r"must have shape \(2, 2\), not"):
            x.write(wrong)
    with pytest.raises(OverflowError):
        x.write([[1, 2], [3, 40_000]])
    assert_same_bits(x.numpy(), np.array([[0, 0], [3, 4]], np.int16))


REFUSED = [
    "x + 1", "1 + x", "x - y", "y * x", "x / 2", "x // y", "x % 2", "x ** 2", "x @ x", "-x",
    "abs(x)", "x == y", "x != x", "x < 1", "y > x", "x & x", "~x", "x << 1", "x[0]", "list(x)",
    "bool(x)", "divmod(x, 2)", "1 in x",
]  # fmt: skip


@each_device
@pytest.mark.parametrize("code", REFUSED)
def test_operators_say_what_to_do(name, code):
    names = {"x": gnd.Device(name).asarray([1, 2]), "y": np.array([1, 2])}
    with pytest.raises(TypeError, match=r"use the copy x\.numpy\(\); gnd\.at\(x\)"):
        eval(code, names)


@each_device
def test_operators_in_place_say_what_to_do(name):
    x = y = gnd.Device(name).asarray([1, 2])
    with pytest.raises(TypeError, match=r"gnd\.at\(x\)\[i\] \+= u"):
        x += 1
    with pytest.raises(TypeError, match=r"gnd\.at\(x\)"):
        x[0] = 1
    with pytest.raises(TypeError, match="ufunc"):
        np.add(x, 1)
    assert x is y
    assert {x} == {y}  # by identity


@each_device
def test_notebooks_show_a_table(name):
    html = gnd.Device(name).zeros((2, 3), "V3")._repr_html_()
    for text in ("(2, 3)", "|V3", "18", name):
        assert text in html
    record = gnd.Device(name).zeros(1, [("<b>", "i4")])._repr_html_()
    assert "&lt;b&gt;" in record
    assert "<b>" not in record
