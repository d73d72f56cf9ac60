"""The functions over arrays that lie on a device, and what devices do in their own way."""

import numpy as np
import pytest

import gathernd as gnd
from checks import assert_same_bits
from conftest import each_device
from gathernd import _core

OUT_OF_MEMORY = 0x8007000E - 2**32

needs_long_double = pytest.mark.skipif(
    np.dtype("g").itemsize == 8, reason="a long double is a double here, and computed with"
)


@each_device
def test_objects_are_named_by_their_argument(name):
    x, objects = gnd.Device(name).asarray(np.zeros(2)), np.array([None])
    with pytest.raises(TypeError, match="updates must have input's dtype float64, not object"):
        gnd.scatter_nd(x, [[1]], objects)
    with pytest.raises(TypeError, match="scatter_nd: input has dtype object"):
        gnd.scatter_nd(objects, gnd.Device(name).asarray([[0]]), x)
    with pytest.raises(TypeError, match=r"gather_nd: indices must be int8 to .*, not object"):
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
@pytest.mark.parametrize("place", ["host", "device"])
@pytest.mark.parametrize("planned", [False, True])
def test_duplicates_among_any_number_of_slices_without_bytes(name, place, planned):
    """A device has no word for each of them."""
    for table in (np.empty((2**20, 2**20), "V0"), np.empty((2**40, 3, 0)), np.empty(5, "V0")):
        device = gnd.Device(name)
        x = device.asarray(table) if place == "device" else table

        def scatter(indices, x=x, table=table, device=device):
            indices = np.array(indices)
            rows = np.empty((len(indices), *table.shape[indices.shape[1] :]), table.dtype)
            if planned:
                plan = gnd.IndexPlan(table.shape, indices, device=device)
                return plan.scatter(x, rows, duplicates="error")
            return gnd.scatter_nd(x, indices, rows, duplicates="error", device=device)

        unique = [[1], [3], [2]] if table.ndim != 2 else [[1, 2], [2, 1], [0, 0]]
        assert scatter(unique).shape == table.shape
        with pytest.raises(ValueError, match=r"indices\[1\] and indices\[3\] address the same"):
            scatter([*unique, unique[1]])
        with pytest.raises(IndexError, match="is out of range for axis 0"):
            scatter([[2**41] * len(unique[0])])


@each_device
def test_bad_index_comes_before_a_limit_of_the_device(name):
    huge = np.broadcast_to(np.float32(1), (2**40, 2**20))
    with pytest.raises(IndexError, match=str(2**40)):
        gnd.gather_nd(huge, [[1], [2**40]], device=name)
    with pytest.raises(gnd.DeviceError):
        gnd.gather_nd(huge, [[1], [2]], device=name)


@each_device
@pytest.mark.parametrize("to", [np.asarray, gnd.Device.asarray])
def test_rules_come_before_a_lack_of_memory(name, to):
    device = gnd.Device(name)
    if to is not np.asarray:
        to = device.asarray
    table, row = to(np.zeros((5, 2**20), np.float32)), np.ones((1, 2**20), np.float32)
    for tuples, error in ([[[1], [5]], IndexError], [[[1], [1]], ValueError]):
        indices, rows = to(np.array(tuples)), to(np.repeat(row, 2, 0))
        for _ in range(2):  # memory is asked for twice
            _core.inject_device_fault("ID3D12Device::CreateCommittedResource", OUT_OF_MEMORY)
        try:
            with pytest.raises(error):
                gnd.scatter_nd(table, indices, rows, duplicates="error", device=name)
        finally:
            _core.inject_device_fault("", 0)


@each_device
def test_rules_come_before_arrays_of_the_host_go_to_the_device(name):
    """These would fill any device's memory."""
    device = gnd.Device(name)
    x, tuples = device.asarray(np.zeros((5, 3), np.float32)), device.asarray(np.array([[0]]))
    row = device.asarray(np.zeros((1, 3), np.float32))
    huge = np.broadcast_to(np.float32(0), (2**44, 3))
    huge_tuples = np.broadcast_to(0, (2**44, 1))
    plan = gnd.IndexPlan(x.shape, [[0]], device=name)
    shapes = pytest.raises(ValueError, match="shape")
    for raises, call in [
        (shapes, lambda: gnd.scatter_nd(x, tuples, huge)),
        (shapes, lambda: gnd.scatter_nd(x, huge_tuples, row)),
        (shapes, lambda: gnd.scatter_nd(x, huge_tuples, huge, out=device.asarray(huge[:1]))),
        (shapes, lambda: gnd.gather_nd(huge, tuples, out=x)),
        (shapes, lambda: plan.scatter(x, huge)),
        (shapes, lambda: plan.scatter(huge, row)),
        (shapes, lambda: plan.gather(huge, out=x)),
        (
            pytest.raises(ValueError, match="batch_dims"),
            lambda: gnd.gather_nd(x, huge_tuples, 2),
        ),
        (
            pytest.raises(TypeError, match=r"updates must have input.s dtype"),
            lambda: gnd.scatter_nd(x, huge_tuples, np.broadcast_to(0.0, (2**44, 3))),
        ),
        (
            pytest.raises(TypeError, match=r"reduction .* is not defined for"),
            lambda: gnd.scatter_nd(x, huge_tuples, huge, "and"),
        ),
        (
            pytest.raises(TypeError, match="out must be a DeviceArray"),
            lambda: gnd.gather_nd(x, huge_tuples, out=np.zeros((1, 3), np.float32)),
        ),
        (
            pytest.raises(TypeError, match="out must have input's dtype"),
            lambda: gnd.scatter_nd(x, huge_tuples, huge, out=device.asarray(np.zeros((5, 3)))),
        ),
    ]:
        with raises:
            call()
    assert not x.numpy().any()


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
    with pytest.raises(ValueError, match=r"out must have shape \(1,\), not \(2,\)"):
        gnd.gather_nd(x, [[1]], out=other)
    with pytest.raises(TypeError, match="input's dtype int64, not float64"):
        gnd.gather_nd(x, [[1], [2]], out=gnd.Device(name).asarray(np.zeros(2)))
    with pytest.raises(TypeError, match="DeviceArray"):
        gnd.gather_nd(x, [[1]], out=np.zeros(1, int))
    with pytest.raises(TypeError, match="DeviceArray where an argument is one, not ndarray"):
        gnd.gather_nd(table, gnd.Device(name).asarray([[1]]), out=np.zeros(1, int))


@each_device
def test_updates_on_the_device_of_another_dtype(name):
    table, updates = np.arange(3), np.array([9.0])
    device, plan = gnd.Device(name), gnd.IndexPlan((3,), [[1]], device=name)
    for scatter in (lambda u: gnd.scatter_nd(table, [[1]], u), lambda u: plan.scatter(table, u)):
        with pytest.raises(TypeError, match=r"input's dtype int64, not float64$"):
            scatter(device.asarray(updates))  # a DeviceArray has no astype to recommend
    with pytest.raises(TypeError, match=r"not float64; convert with updates\.astype"):
        gnd.scatter_nd(device.asarray(table), [[1]], updates)
    with pytest.raises(TypeError, match=r"not float64; convert with updates\.astype"):
        plan.scatter(device.asarray(table), updates)


@each_device
def test_out_of_a_scatter_is_not_its_input(name):
    table, indices, updates = np.arange(3), np.array([[1]]), np.array([9])
    device, plan = gnd.Device(name), gnd.IndexPlan((3,), indices, device=name)
    for scatter in (
        lambda x, **kw: gnd.scatter_nd(x, indices, updates, **kw),
        lambda x, **kw: plan.scatter(x, updates, **kw),
    ):
        x, out = device.asarray(table), device.asarray(table)
        assert scatter(x, out=out) is out
        assert_same_bits(out.numpy(), np.array([0, 9, 2]))
        scatter(out, out=out)
        assert_same_bits(x.numpy(), table)


@each_device
def test_lists_of_indices(name):
    x = gnd.Device(name).asarray(np.arange(3))
    assert_same_bits(gnd.gather_nd(x, []).numpy(), np.arange(3))
    assert_same_bits(gnd.scatter_nd(x, [], [4, 5, 6]).numpy(), np.array([4, 5, 6]))
    with pytest.raises(TypeError, match="scatter_nd: indices must be integers, not bool"):
        gnd.scatter_nd(x, [[True], [1]], [4, 5])


@each_device
@pytest.mark.parametrize("host", [np.asarray, np.ndarray.tolist], ids=["array", "list"])
@pytest.mark.parametrize("call", [gnd.gather_nd, gnd.scatter_nd])
def test_one_argument_on_the_device_is_enough(name, call, host):
    device = gnd.Device(name)
    arrays = [np.arange(2), np.array([[1], [0]]), np.array([5, 6])]
    arrays = arrays[: 2 if call is gnd.gather_nd else 3]
    expected = call(*arrays)
    for there in range(len(arrays)):
        args = [device.asarray(x) if i == there else host(x) for i, x in enumerate(arrays)]
        assert_same_bits(call(*args).numpy(), expected)
        with pytest.raises(ValueError, match=f"different devices: cpu, {name}"):
            call(*args, device="cpu")
    args, out = map(host, arrays), device.asarray(np.zeros(2, int))
    assert call(*args, out=out) is out
    assert_same_bits(out.numpy(), expected)


@each_device
@pytest.mark.parametrize("reduction", ["none", "add", "mul", "max"])
@pytest.mark.parametrize("slices", ["f4", "(40,)f4", "(6,)f2", "(3,)u1", "(2,)f8"])
@pytest.mark.parametrize("rows", [3, 500])
def test_a_bad_tuple_leaves_the_array_in_place(name, rows, slices, reduction):
    """It is the last one, of many to the first row and some to the others."""
    dtype, shape = np.dtype(slices).base, np.dtype(slices).shape
    table = np.ones((rows, *shape), dtype)
    x = gnd.Device(name).asarray(table)
    indices = np.concatenate([np.zeros(100, int), np.arange(100) % rows, [rows]])[:, None]
    with pytest.raises(IndexError, match=rf"index {rows} at indices\[200, 0\]"):
        gnd.scatter_nd(x, indices, np.full((201, *shape), 2, dtype), reduction, out=x)
    assert_same_bits(x.numpy(), table)


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
    added = gnd.IndexPlan((2, 2), [[1], [1]], device=name).scatter(
        square, square, "add", out=square
    )
    assert added is square
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
    with pytest.raises(TypeError, match=r"^gather_nd: input has dtype object"):
        plan.gather(np.full((3, 2), None), out=updates)
    with pytest.raises(TypeError, match=r"^scatter_nd: input has dtype object"):
        plan.scatter(np.full((3, 2), None), updates)
    host, ones = gnd.IndexPlan((3, 2), [[1], [1]]), np.ones((2, 2))
    with pytest.raises(ValueError, match=f"the plan's is cpu, an argument's {name}"):
        host.gather(x)
    with pytest.raises(ValueError, match=f"the plan's is cpu, an argument's {name}"):
        host.gather(np.ones((3, 2)), out=x)
    for target, rows, out in ((x, ones, None), (np.ones((3, 2)), updates, None), (ones, ones, x)):
        with pytest.raises(ValueError, match=f"the plan's is cpu, an argument's {name}"):
            host.scatter(target, rows, out=out)
    with pytest.raises(ValueError, match="different devices"):
        gnd.IndexPlan((3, 2), gnd.Device(name).asarray([[1]]), device="cpu")
    assert_same_bits(x.numpy(), np.zeros((3, 2)))


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
    ("dtype", "reduction"),
    [
        ("i1", "add"),
        ("i4", "mul"),
        ("f2", "add"),
        ("f4", "add"),
        ("f8", "add"),
        ("c8", "mul"),
        ("c16", "mul"),
    ],
)
def test_many_updates_of_one_element(name, dtype, reduction):
    """More than 65,535: some drivers end a loop there. Floats are denormals, the hardest sums."""
    rng = np.random.default_rng(0)
    n = 150_000
    factor = {"f4": 1e-40, "f8": 1e-310}.get(dtype, 1)
    updates = (rng.integers(1, 4, n) * factor).astype(dtype)
    if reduction == "mul":  # of which none can be left out unseen
        updates = rng.choice(np.array([1, -1] if dtype == "i4" else [1, 1j, -1, -1j], dtype), n)
    table, indices = np.ones(2, dtype), np.zeros((n, 1), np.int32)
    expected = gnd.scatter_nd(table, indices, updates, reduction)
    assert_same_bits(gnd.scatter_nd(table, indices, updates, reduction, device=name), expected)


@each_device
@pytest.mark.parametrize("reduction", ["none", "add", "max"])
@pytest.mark.parametrize(("dtype", "row"), [("u1", ()), ("u1", (3,)), ("i2", ()), ("f4", (4,))])
def test_few_updates_of_a_large_table_in_place(name, dtype, row, reduction):
    """A device goes through the tuples then, and not through the rows."""
    rng = np.random.default_rng(0)
    table = rng.integers(0, 100, (20_000, *row)).astype(dtype)
    indices = rng.integers(-25_000, 25_000, (200, 1))
    indices[:60] = 7
    updates = rng.integers(0, 100, (200, *row)).astype(dtype)
    device = gnd.Device(name)
    x = device.asarray(table)
    with pytest.raises(IndexError):
        gnd.scatter_nd(x, indices, updates, reduction, out=x)
    assert_same_bits(x.numpy(), table)
    gnd.scatter_nd(x, indices, updates, reduction, mode="drop", out=x)
    assert_same_bits(x.numpy(), gnd.scatter_nd(table, indices, updates, reduction, mode="drop"))


@pytest.fixture
def one_dispatch():
    """A scatter of few tuples is one dispatch, as on devices that are not lavapipe."""
    _core.force_device_scatter("few")
    yield
    _core.force_device_scatter("")


@each_device
@pytest.mark.parametrize("reduction", ["none", "add", "sub"])
@pytest.mark.parametrize(("dtype", "row"), [("f4", ()), ("f4", (16,)), ("f2", (6,)), ("c8", (2,))])
@pytest.mark.parametrize("rows", [1, 7, 5000])
@pytest.mark.parametrize("tuples", [1, 30, 1000])
def test_few_updates_in_one_dispatch(name, one_dispatch, dtype, row, reduction, rows, tuples):
    rng = np.random.default_rng(0)

    def numbers(n):
        """Return multiples of powers of 2: zeros and subnormal numbers among them."""
        shape = (n, *row)
        return np.ldexp(rng.integers(-3, 4, shape), rng.integers(-150, 10, shape)).astype(dtype)

    table, updates = numbers(rows), numbers(tuples)
    indices = rng.integers(-rows, rows, (tuples, 1))
    x = gnd.Device(name).asarray(table)

    def scatter(mode="raise"):
        gnd.scatter_nd(x, indices, updates, reduction, mode=mode, out=x)

    assert _core.explain(scatter) == ["scatter: few"]
    after = gnd.scatter_nd(table, indices, updates, reduction)
    assert_same_bits(x.numpy(), after)
    indices[tuples // 2] = rows
    with pytest.raises(IndexError, match=f"index {rows} "):
        scatter()
    assert_same_bits(x.numpy(), after)
    assert _core.explain(lambda: scatter("drop")) == ["scatter: few"]
    assert_same_bits(x.numpy(), gnd.scatter_nd(after, indices, updates, reduction, mode="drop"))
