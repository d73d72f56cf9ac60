"""wrap_negative_indices=False: a negative index is out of range, on every backend."""

from __future__ import annotations

import numpy as np
import pytest

import gathernd as gnd
import reference
import strategies
from checks import assert_same_bits, names_bad_index, refuses
from conftest import each_device

SIGNED = [dtype for dtype in strategies.INDEX_DTYPES if dtype.kind == "i"]
COUNTS = (0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40)  # around the lanes of a vector
OUT = {"wrap_negative_indices": False}


def test_minus_one_means_none(nd):
    """-1 as "no neighbour": filled, and left out."""
    table, neighbours = np.array([10.0, 20.0, 30.0]), np.array([[2], [-1], [0]])
    found = nd.gather_nd(table, neighbours, mode="fill", fill_value=np.nan, **OUT)
    assert_same_bits(found, np.array([30, np.nan, 10]))
    counts = nd.scatter_nd(np.zeros(3), neighbours, np.ones(3), "add", mode="drop", **OUT)
    assert_same_bits(counts, np.array([1.0, 0, 1]))


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5, 7])
def test_negative_indices_at_every_lane(nd, depth):
    """Tuples of every depth and type, each mode, in and past whole vectors."""
    rng = np.random.default_rng(depth)
    table = rng.integers(0, 99, (3,) * depth)
    for i, count in enumerate(COUNTS):
        if nd.options and i % 4 != depth % 4:  # devices have no lanes
            continue
        dtype = SIGNED[(i + depth) % len(SIGNED)]
        indices = rng.integers(0, 3, (count, depth)).astype(dtype)
        low = np.iinfo(dtype).min
        for t in range(0, count, 3):
            indices[t, t % depth] = rng.choice([-1, -2, -3, -4, low])
        for mode in ("clip", "wrap", "fill"):
            expected = reference.gather_nd(table, indices, mode=mode, fill_value=-7, **OUT)
            result = nd.gather_nd(table, indices, mode=mode, fill_value=-7, **OUT)
            assert_same_bits(result, expected)
        updates = rng.integers(0, 99, count)
        for mode, reduction in (("clip", "add"), ("wrap", "none"), ("drop", "none")):
            args = (table, indices, updates, reduction)
            result = nd.scatter_nd(*args, mode=mode, **OUT)
            assert_same_bits(result, reference.scatter_nd(*args, mode=mode, **OUT))


@pytest.mark.parametrize("mode", ["clip", "wrap"])
def test_clip_is_that_of_numpy_take(nd, mode):
    """And "wrap" is the same in both cases."""
    table, indices = np.arange(5), np.arange(-12, 12)
    result = nd.gather_nd(table, indices[:, np.newaxis], mode=mode, **OUT)
    assert_same_bits(result, table.take(indices, mode=mode))


@pytest.mark.parametrize("dtype", SIGNED, ids=str)
@pytest.mark.parametrize("value", [-1, -3, -4, -128])
def test_negative_index_raises(nd, dtype, value):
    """The message names the value, and says why it is out of range."""
    table = np.arange(12).reshape(4, 3)
    indices = np.zeros((20, 2), dtype)
    indices[13, 1] = value
    for out in (None, np.full(20, 7)):
        message = refuses(IndexError, nd.gather_nd, table, indices, out=out, **OUT)
        names_bad_index(message, value, (13, 1), 1, 3)
        assert message.endswith("negative indices do not wrap (wrap_negative_indices=False)")
    target = table.copy()
    args = (target, indices, np.ones(20, int), "add")
    message = refuses(IndexError, nd.scatter_nd, *args, out=target, **OUT)
    assert "wrap_negative_indices=False" in message
    with pytest.raises(IndexError, match=rf"IndexPlan: index {value} at indices\[13, 1\] .*False"):
        nd.IndexPlan(table.shape, indices, **OUT)


def test_message_of_other_bad_indices_does_not_speak_of_negative_ones(nd):
    message = refuses(IndexError, nd.gather_nd, np.arange(3), [[3]], **OUT)
    assert message.endswith("is out of range for axis 0 of size 3")
    indices = np.array([[2**64 - 1]], np.uint64)
    message = refuses(IndexError, nd.gather_nd, np.arange(3), indices, **OUT)
    assert message.endswith(
        f"index {2**64 - 1} at indices[0, 0] is out of range for axis 0 of size 3"
    )
    message = refuses(IndexError, nd.gather_nd, np.arange(3), [[-4]])
    assert message.endswith("is out of range for axis 0 of size 3")


@pytest.mark.parametrize(("dtype", "size"), [("i1", 256), ("i2", 2**16), ("i4", 2**32)])
def test_negative_index_is_no_large_one(nd, dtype, size):
    """Its bits would be in range as those of an unsigned type."""
    table = np.zeros((size, 0))
    indices = np.full((40, 1), -1, dtype)
    message = refuses(IndexError, nd.gather_nd, table, indices, **OUT)
    names_bad_index(message, -1, (0, 0), 0, size)
    assert nd.gather_nd(table, indices).shape == (40, 0)


@pytest.mark.parametrize("mode", ["raise", "clip", "wrap", "fill"])
@pytest.mark.parametrize("dtype", strategies.INDEX_DTYPES, ids=str)
def test_indices_that_are_not_negative_are_the_same(nd, mode, dtype):
    table = np.arange(100)
    indices = np.arange(100 if mode == "raise" else 127)[:, np.newaxis].astype(dtype)
    expected = nd.gather_nd(table, indices, mode=mode)
    assert_same_bits(nd.gather_nd(table, indices, mode=mode, **OUT), expected)


def test_index_plan_leaves_out_negative_indices(nd):
    indices = np.array([[[2], [-1], [0]], [[-2], [1], [1]]], np.int16)
    plan = nd.IndexPlan((2, 3), indices, 1, mode="fill", **OUT)
    table = np.arange(6.0).reshape(2, 3)
    assert_same_bits(plan.gather(table, fill_value=-1), np.array([[2.0, -1, 0], [-1, 4, 4]]))
    result = plan.scatter(np.zeros((2, 3)), np.ones((2, 3)), "add")
    assert_same_bits(result, np.array([[1.0, 0, 1], [0, 2, 0]]))
    assert (plan.is_unique, plan.is_sorted) == (False, False)
    plan = nd.IndexPlan((3,), [[-1], [0], [-1], [2]], mode="drop", **OUT)
    assert (plan.is_unique, plan.is_sorted) == (True, True)


@each_device
def test_arrays_of_a_device(name):
    """Arrays that lie on a device, a plan there, and its facts."""
    device = gnd.Device(name)
    table, updates = np.arange(5.0), np.ones(4)
    indices = np.array([[4], [-1], [0], [-5]])
    for tuples in (device.asarray(indices), device.asarray(indices.astype("i4"))):
        found = gnd.gather_nd(device.asarray(table), tuples, mode="fill", fill_value=9, **OUT)
        assert_same_bits(found.numpy(), np.array([4.0, 9, 0, 9]))
        args = (device.asarray(table), tuples, device.asarray(updates), "add")
        for mode, expected in (("drop", [1.0, 1, 2, 3, 5]), ("clip", [3.0, 1, 2, 3, 5])):
            assert_same_bits(gnd.scatter_nd(*args, mode=mode, **OUT).numpy(), np.array(expected))
        with pytest.raises(IndexError, match=r"index -1 at indices\[1, 0\].*do not wrap"):
            gnd.scatter_nd(*args, **OUT)
        plan = gnd.IndexPlan((5,), tuples, mode="drop", **OUT)
        assert plan.is_unique
        assert_same_bits(plan.gather(args[0]).numpy(), np.array([4.0, 0, 0, 0]))


@pytest.mark.parametrize("given", [None, 0, 1, "True", [], np.array(True), np.int8(1)], ids=repr)
def test_wrap_negative_indices_must_be_a_bool(nd, given):
    table, says = np.arange(3), "wrap_negative_indices must be a bool, not "
    rule = {"wrap_negative_indices": given}
    assert says + repr(given) in refuses(TypeError, nd.gather_nd, table, [[0]], **rule)
    assert says in refuses(TypeError, nd.scatter_nd, table, [[0]], [1], **rule)
    with pytest.raises(TypeError, match=f"IndexPlan: {says}"):
        nd.IndexPlan((3,), [[0]], **rule)


@pytest.mark.parametrize("bool_type", [bool, np.bool_])
def test_both_bools_of_numpy_count(nd, bool_type):
    table = np.arange(3)
    assert nd.gather_nd(table, [[-1]], wrap_negative_indices=bool_type(True))[0] == 2
    refuses(IndexError, nd.gather_nd, table, [[-1]], wrap_negative_indices=bool_type(False))
