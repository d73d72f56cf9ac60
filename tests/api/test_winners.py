"""winners: which update of a scatter_nd stayed, against the oracle."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import gathernd
import reference
import strategies
from checks import assert_same_bits, outcome, refuses, unchanged
from conftest import Backend, each_device

REDUCTIONS = ("none", "min", "max")
ORDERED = [dtype for dtype in strategies.REDUCIBLE if "min" in reference.reductions_of(dtype)]


def check(nd: Backend, case: strategies.Case, reduction: str, **rule: Any) -> None:
    args = (case.input, case.indices, case.updates, reduction, case.batch_dims)
    expected = outcome(reference.winners, *args, **rule)
    with unchanged(*args):
        actual = outcome(nd.winners, *args, **rule)
    if isinstance(expected, IndexError):
        assert isinstance(actual, IndexError)
    else:
        assert_same_bits(actual, expected)


RULES = strategies.rules("raise", "clip", "wrap", "drop")


@given(
    case=strategies.cases(bad=True, compute=True, dtypes=ORDERED),
    reduction=st.sampled_from(["min", "max"]),
    rule=RULES,
)
def test_extremes(nd, case, reduction, rule):
    assume(nd.can_reduce(case.input.dtype, reduction))
    check(nd, case, reduction, **rule)


@given(
    case=strategies.cases(bad=True),
    duplicates=st.sampled_from(["last", "first", "any"]),
    rule=RULES,
)
def test_sets(nd, case, duplicates, rule):
    check(nd, case, "none", duplicates=duplicates, **rule)


@given(case=strategies.cases(bad=True))
def test_duplicates_that_are_an_error(nd, case):
    args = (case.input, case.indices, case.updates, "none", case.batch_dims)
    expected = outcome(nd.scatter_nd, *args, duplicates="error")
    actual = outcome(nd.winners, *args, duplicates="error")
    if isinstance(expected, np.ndarray):
        assert_same_bits(actual, reference.winners(*args))
    else:
        assert (type(actual), str(actual)) == (type(expected), str(expected))


@pytest.mark.parametrize("row", [(), (3,), (5000,)])
@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("dtype", ["f4", "i8", "?", "f2"])
def test_many_tuples(nd, row, reduction, dtype):
    """Enough of them for each way of sharing the work; few values, so that many are equal."""
    rng = np.random.default_rng(7)
    outer = 20 if row == (5000,) else 3000
    table = rng.integers(0, 2, (40, *row)).astype(dtype)
    updates = rng.integers(0, 3, (outer, *row)).astype(dtype)
    indices = rng.integers(0, 40, (outer, 1))
    result = gathernd.scatter_nd(table, indices, updates, reduction)
    winners = nd.winners(table, indices, updates, reduction)
    same = updates == result[indices[:, 0]]
    positions = np.arange(outer).reshape(outer, *(1,) * len(row))
    if reduction == "none":
        expected = np.full_like(winners, -1)
        np.maximum.at(expected, indices[:, 0], np.broadcast_to(positions, updates.shape))
    else:
        expected = np.full_like(winners, outer)
        np.minimum.at(expected, indices[:, 0], np.where(same, positions, outer))
        expected[expected == outer] = -1
    assert_same_bits(winners, expected)


@given(
    case=strategies.cases(compute=True, dtypes=ORDERED),
    reduction=st.sampled_from(REDUCTIONS),
)
def test_winners_make_the_result(case, reduction):
    """The result is made of the elements that they name, NaN payloads aside."""
    args = (case.input, case.indices, case.updates, reduction, case.batch_dims)
    winners, result = gathernd.winners(*args), gathernd.scatter_nd(*args)
    slices = case.input.shape[case.input.ndim - row_rank(case) :]
    rows = case.updates.reshape(math.prod(case.indices.shape[:-1]), *slices)
    for at in np.ndindex(winners.shape):
        slice_at = at[len(at) - row_rank(case) :]
        source = case.input[at] if winners[at] < 0 else rows[(winners[at], *slice_at)]
        assert reference.value_of(np.asarray(source)) == reference.value_of(np.asarray(result[at]))


def row_rank(case: strategies.Case) -> int:
    return case.input.ndim - case.batch_dims - case.indices.shape[-1]


def test_the_extreme_value_is_an_updates_even_where_it_is_the_inputs():
    assert gathernd.winners([5, 5], [[0], [0]], [5, 5], "max").tolist() == [0, -1]


def test_special_floats():
    nan, inf = np.nan, np.inf
    table = np.array([nan, nan, 0.0, -0.0, -inf])
    updates = np.array([1.0, nan, -nan, 0.0, -0.0, 0.0, -inf])
    indices = np.array([[0], [1], [1], [2], [3], [3], [4]])
    assert gathernd.winners(table, indices, updates, "max").tolist() == [-1, 1, 3, 5, 6]
    assert gathernd.winners(table, indices, updates, "min").tolist() == [-1, 1, 3, 4, 6]


def test_elements_without_bytes():
    table = np.zeros((2, 3), "V0")
    updates = np.zeros((2, 3), "V0")
    assert gathernd.winners(table, [[1], [1]], updates).tolist() == [[-1] * 3, [1] * 3]


def test_positions_count_over_all_batches():
    winners = gathernd.winners(np.zeros((2, 2)), [[[0]], [[1]]], [[1.0], [1.0]], "max", 1)
    assert winners.tolist() == [[0, -1], [-1, 1]]


@pytest.mark.parametrize(("reduction", "winner"), [("none", 5), ("min", 0), ("max", 0)])
def test_positions_count_repetitions_of_a_view(reduction, winner):
    """Both the tuples and the updates repeat along the first dimension."""
    indices = np.broadcast_to(np.array([[1], [1], [1]]), (2, 3, 1))
    updates = np.broadcast_to(np.ones(3), (2, 3))
    table = np.zeros(2) if reduction == "max" else np.full(2, 2.0)
    assert gathernd.winners(table, indices, updates, reduction).tolist() == [-1, winner]


@pytest.mark.parametrize(
    ("dtype", "reduction"), [("V0", "none"), *(("f8", reduction) for reduction in REDUCTIONS)]
)
def test_slices_without_elements_have_no_winner(dtype, reduction):
    """However often a view repeats a tuple, it is looked at once."""
    table = np.zeros((3, 0), dtype)
    updates = np.broadcast_to(np.zeros((1, 0), table.dtype), (2**40, 0))
    good, bad = (np.broadcast_to(np.array([[i]]), (2**40, 1)) for i in (2, 3))
    assert gathernd.winners(table, good, updates, reduction).shape == (3, 0)
    with pytest.raises(IndexError, match=r"index 3 at indices\[0, 0\]"):
        gathernd.winners(table, bad, updates, reduction)


def test_sums_have_no_winner():
    message = 'there is no winning update with reduction "add"'
    refuses(ValueError, gathernd.winners, [0.0], [[0]], [1.0], "add", match=message)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_errors_are_those_of_scatter(reduction):
    for arguments, error in (
        (([1.0], [[1]], [1.0]), IndexError),
        (([1.0], [[0]], [1.0, 2.0]), ValueError),
        (([1.0], [[0.5]], [1.0]), TypeError),
        ((np.zeros(1), [[0]], np.zeros(1, "f4")), TypeError),
    ):
        with pytest.raises(error, match=r"^scatter_nd: "):
            gathernd.winners(*arguments, reduction)


def test_types_that_have_no_order():
    with pytest.raises(TypeError, match="complex"):
        gathernd.winners([1j], [[0]], [1j], "max")


@each_device
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_arrays_on_a_device_stay_there(name, reduction):
    device = gathernd.Device(name)
    args = (np.array([[2, 2], [5, 5], [0, 0]]), np.array([[1], [0], [1]]))
    args += (np.array([[5, 7], [3, 1], [9, 7]]),)
    expected = gathernd.winners(*args, reduction)
    for there in range(1, 8):
        mixed = [device.asarray(a) if there >> i & 1 else a for i, a in enumerate(args)]
        before = [np.array(a) for a in mixed]
        found = gathernd.winners(*mixed, reduction)
        assert isinstance(found, gathernd.DeviceArray)
        assert found.device == device
        assert_same_bits(found.numpy(), expected)
        for array, same in zip(mixed, before, strict=True):
            assert_same_bits(np.array(array), same)


@each_device
def test_errors_are_those_of_scatter_on_a_device(name):
    refuses(
        ValueError, gathernd.winners, [0.0], [[0]], [1.0], "add", device=name, match="no winning"
    )
    for arguments, error in (
        (([0.0], [[0]], [[1.0]]), ValueError),
        ((np.zeros((0, 3)), [[0]], np.zeros((1, 3))), IndexError),
        (([1.0], [[0], [1]], [1.0, 1.0]), IndexError),
        (([1j], [[0]], [1j], "max"), TypeError),
        ((np.zeros(2, "g"), [[1]], np.zeros(1, "g"), "max"), TypeError),
    ):
        with pytest.raises(error, match=r"^scatter_nd: "):
            gathernd.winners(*arguments, device=name)


@each_device
def test_elements_of_any_size_can_be_set_on_a_device(name):
    for dtype in ("g", "V0", "S3", "c16"):
        table, updates = np.zeros((3, 2), dtype), np.zeros((2, 2), dtype)
        found = gathernd.winners(table, [[1], [1]], updates, device=name)
        assert found.tolist() == [[-1, -1], [1, 1], [-1, -1]]


def test_a_device_that_is_absent():
    refuses(gathernd.DeviceError, gathernd.winners, [0], [[0]], [1], device="x", match="winners: ")
