"""What an IndexPlan says of itself, and what it refuses, on every backend."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import gathernd
import reference
import strategies
from checks import assert_same_bits, unchanged


def test_memory_of_a_plan(nd):
    """The offsets; and the order, once a call needs it: on a device with where each slice's is, for
    many threads with where each tuple's is, for one thread never. And the tuples that stay where
    most are set again."""
    indices = np.random.default_rng(1).integers(0, 1000, (5000, 1))
    plan = nd.IndexPlan((1000,), indices)
    before = plan.nbytes
    assert 5000 * 4 <= before < 5000 * 6
    assert not plan.is_unique
    plan.scatter(np.zeros(1000), np.ones(5000), "add")
    of_device, of_cpu = (5000 + 1001) * 4, {1: 0, 7: 5000 * 12}.get(nd.threads, 5000 * 8)
    order = of_device if nd.options else of_cpu
    assert plan.nbytes == before + order
    plan.scatter(np.zeros(1000), np.ones(5000))
    stay = 0 if nd.options else 1000 * 8
    assert plan.nbytes == before + order + stay


@pytest.mark.parametrize(
    ("indices", "unique", "ordered"),
    [
        ([[0], [2], [3]], True, True),
        ([[3], [0]], True, False),
        ([[1], [1]], False, True),
        ([[1], [-3]], False, True),
        ([[2], [0], [2]], False, False),
        (np.zeros((0, 1), int), True, True),
    ],
)
@pytest.mark.parametrize("length", [5, 0])
def test_properties(nd, indices, unique, ordered, length):
    plan = nd.IndexPlan((4, length), indices)
    assert (plan.is_unique, plan.is_sorted) == (unique, ordered)
    assert plan.nbytes > 0
    assert repr(plan) == f"IndexPlan(shape=(4, {length}), updates_shape={plan.updates_shape})"


@pytest.mark.parametrize(
    ("indices", "ordered"),
    [([[0], [1], [9]], True), ([[9], [0], [1]], True), ([[1], [9], [0]], False)],
)
def test_tuples_that_address_no_slice_have_no_order(nd, indices, ordered):
    plan = nd.IndexPlan((3,), indices, mode="drop")
    assert (plan.is_unique, plan.is_sorted) == (True, ordered)
    updates = np.arange(1.0, 4.0)
    expected = nd.scatter_nd(np.zeros(3), indices, updates, "add", mode="drop")
    assert_same_bits(plan.scatter(np.zeros(3), updates, "add"), expected)


def test_a_plan_for_more_rows_than_32_bits_number(nd):
    last = 2**33 - 1
    plan = nd.IndexPlan((2**33,), [[0], [last], [2**32], [last]])
    assert (plan.is_unique, plan.is_sorted) == (False, False)
    assert nd.IndexPlan((2**33,), [[0], [2**32], [last]]).is_sorted
    with pytest.raises(IndexError, match=rf"index {last + 1} at indices\[1, 0\]"):
        nd.IndexPlan((2**33,), [[last], [last + 1]])


@given(data=st.data())
def test_out_of_gather_overlaps_anything(nd, data):
    """All arrays lie anywhere in one buffer: the result is as if the arguments were copies."""
    buffer = data.draw(strategies.generators()).integers(0, 256, 96, np.uint8)
    indices = data.draw(strategies.windows((4, 1)))(buffer)
    table, out = data.draw(strategies.windows((5, 2))), data.draw(strategies.windows((4, 2)))
    plan = nd.IndexPlan((5, 2), indices, mode="wrap")
    expected = buffer.copy()
    out(expected)[...] = reference.gather_nd(table(buffer).copy(), indices.copy(), mode="wrap")
    plan.gather(table(buffer), out=out(buffer))
    assert_same_bits(buffer, expected)


@given(data=st.data(), reduction=st.sampled_from(["none", "add", "max"]))
def test_out_of_scatter_overlaps_anything(nd, data, reduction):
    buffer = data.draw(strategies.generators()).integers(0, 256, 96, np.uint8)
    indices = data.draw(strategies.windows((4, 1)))(buffer)
    table, out = data.draw(strategies.windows((5, 2))), data.draw(strategies.windows((5, 2)))
    if data.draw(st.booleans()):
        out = table
    updates = data.draw(strategies.windows((4, 2)))(buffer)
    plan = nd.IndexPlan((5, 2), indices, mode="wrap")
    args = (table(buffer).copy(), indices.copy(), updates.copy(), reduction)
    expected = buffer.copy()
    out(expected)[...] = reference.scatter_nd(*args, mode="wrap")
    plan.scatter(table(buffer), updates, reduction, out=out(buffer))
    assert_same_bits(buffer, expected)


def test_another_shape_is_refused(nd):
    plan = nd.IndexPlan((3, 2), [[0]])
    with pytest.raises(ValueError, match=r"the plan's shape \(3, 2\), not \(2, 3\)"):
        plan.gather(np.zeros((2, 3)))
    with pytest.raises(ValueError, match=r"the plan's shape \(3, 2\), not \(3,\)"):
        plan.scatter(np.zeros(3), np.zeros(1))
    with pytest.raises(ValueError, match="updates must have shape"):
        plan.scatter(np.zeros((3, 2)), np.zeros((2, 2)))
    with pytest.raises(ValueError, match="IndexPlan: shape has 10000 dimensions; the limit is 64"):
        nd.IndexPlan((1,) * 10000, [[0]])
    with pytest.raises(TypeError, match="dtype"):
        plan.scatter(np.zeros((3, 2)), np.zeros((1, 2), np.float32))
    with pytest.raises(gathernd.DeviceError):
        gathernd.IndexPlan((3,), [[0]], device="no such device")


@pytest.mark.parametrize(
    ("error", "shape"),
    [
        (ValueError, (-1,)),
        (ValueError, (2, -5)),
        (ValueError, (2**63,)),
        (ValueError, (2**70,)),
        (ValueError, (-(2**70),)),
        (TypeError, (3.0,)),
        (TypeError, ("ab",)),
        (TypeError, "ab"),
        (TypeError, ""),
        (TypeError, b"ab"),
        (TypeError, (None,)),
        (TypeError, (True,)),
        (TypeError, (np.True_,)),
        (TypeError, 3),
        (TypeError, None),
        (TypeError, np.array([[3]])),
    ],
    ids=repr,
)
def test_shapes_that_are_none(nd, error, shape):
    with pytest.raises(error, match=r"^IndexPlan: .*shape must be .*, not ") as caught:
        nd.IndexPlan(shape, [[0], [5]])
    assert repr(shape) in str(caught.value)


@pytest.mark.parametrize("value", [[0.0], [0]], ids=repr)
def test_an_array_in_place_of_a_shape(nd, value):
    """The message does not grow with it."""
    with pytest.raises(TypeError, match=r"shape must be a tuple of integers, not \[\[") as caught:
        nd.IndexPlan([value] * 200_000, [[0]])
    assert len(str(caught.value)) < 200


def test_a_size_of_more_digits_than_python_writes(nd):
    with pytest.raises(
        ValueError, match=r"shape must be below .* not .a number of more than 128 bits,"
    ):
        nd.IndexPlan((10**5000,), [[0]])


@pytest.mark.parametrize(
    "shape", [[3, 2], np.array([3, 2]), (np.int8(3), 2), range(3, 1, -1)], ids=repr
)
def test_shapes_by_other_integers(nd, shape):
    assert nd.IndexPlan(shape, [[0]]).shape == (3, 2)


@pytest.mark.parametrize(
    "out", [np.zeros(2), np.zeros(5), np.zeros((4, 1)), np.zeros(4, np.float32)], ids=np.shape
)
def test_out_of_another_shape_or_type(nd, out):
    plan = nd.IndexPlan((4,), [[3]])
    with (
        unchanged(out),
        pytest.raises((ValueError, TypeError), match=r"^scatter_nd: out must have"),
    ):
        plan.scatter(np.zeros(4), [1.0], out=out)


def test_a_shape_that_no_memory_holds(nd):
    says = r"IndexPlan: an array of shape \(\d+,\) reaches past the address space"
    for size in (2**58, 2**63 - 1):
        with pytest.raises(ValueError, match=says):
            nd.IndexPlan((size,), [[0]])


def test_a_shape_that_can_be_read_once(nd):
    assert nd.IndexPlan(iter([3, 2]), [[0]]).shape == (3, 2)


def test_errors_name_the_plan(nd):
    with pytest.raises(ValueError, match=r'^IndexPlan: mode must be .* "fill", "drop", not \'x\''):
        nd.IndexPlan((3,), [[0]], mode="x")
    with pytest.raises(ValueError, match=r"^IndexPlan: batch_dims must be from 0 to 1 .* not 5"):
        nd.IndexPlan((3,), [[0]], 5)
    with pytest.raises(TypeError, match=r"^IndexPlan: indices must be .*, not float64"):
        nd.IndexPlan((3,), np.zeros((1, 1)))
