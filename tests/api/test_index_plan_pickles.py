"""An IndexPlan pickles and copies: the loaded one gives what the first gives, on every backend."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import gathernd as gnd
import strategies
from checks import assert_same_bits
from conftest import each_device
from test_index_plan import MODES, make


def pickled(protocol: int) -> Callable[[Any], Any]:
    return lambda plan: pickle.loads(pickle.dumps(plan, protocol))


COPIES = {f"protocol {p}": pickled(p) for p in range(2, pickle.HIGHEST_PROTOCOL + 1)}
COPIES |= {"copy": copy.copy, "deepcopy": copy.deepcopy}


def assert_same_plans(plan: gnd.IndexPlan, other: gnd.IndexPlan, case: strategies.Case) -> None:
    """All that can be asked of them, and the results of both functions."""
    assert type(other) is type(plan)
    for name in ("shape", "updates_shape", "is_unique", "is_sorted"):
        assert getattr(other, name) == getattr(plan, name), name
    fill = strategies.any_bits(np.random.default_rng(3), (), case.input.dtype)
    args = (case.input, case.updates)
    gathered = [p.gather(case.input, fill_value=fill) for p in (plan, other)]
    assert_same_bits(gathered[1], gathered[0])
    for duplicates in ("last", "first"):
        scattered = [p.scatter(*args, duplicates=duplicates) for p in (plan, other)]
        assert_same_bits(scattered[1], scattered[0])


@given(way=st.sampled_from(sorted(COPIES)), case=strategies.cases(bad=True), rule=MODES)
def test_copies_give_the_same(nd, way, case, rule):
    """In all modes, of all index types, with batches, holes, no tuples, no components."""
    try:
        plan = make(nd, case, rule)
    except IndexError:
        return
    assert_same_plans(plan, COPIES[way](plan), case)


@pytest.mark.parametrize("way", COPIES)
def test_a_copy_does_not_see_indices_that_changed(nd, way):
    indices = np.array([[2, -1], [0, 1], [9, 0]])
    plan = nd.IndexPlan((3, 2), indices, mode="drop")
    indices[:] = 1
    table = np.arange(1, 7).reshape(3, 2)
    other = COPIES[way](COPIES[way](plan))
    assert_same_bits(other.gather(table), np.array([6, 2, 0]))
    assert_same_bits(other.scatter(table, [0, 0, 0]), np.array([[1, 0], [3, 4], [5, 0]]))


def test_a_loaded_plan_raises_as_the_first_does(nd):
    plan = pickle.loads(pickle.dumps(nd.IndexPlan((3,), [[2], [0], [2]])))
    with pytest.raises(ValueError, match=r"plan's shape \(3,\)"):
        plan.gather(np.zeros(4))
    with pytest.raises(ValueError, match=r"indices\[0\] and indices\[2\] address the same slice"):
        plan.scatter(np.zeros(3), np.ones(3), duplicates="error")


@pytest.mark.parametrize("wraps", [True, False])
def test_a_copy_keeps_its_options(nd, wraps):
    """A second copy is like the first, so what became of bad and negative indices is kept."""
    plan = nd.IndexPlan((3,), [[-1], [3], [0]], mode="fill", wrap_negative_indices=wraps)
    for _ in range(3):
        expected = [7 if wraps else -9, -9, 5]
        assert plan.gather([5, 6, 7], fill_value=-9).tolist() == expected
        plan = copy.deepcopy(plan)


@pytest.mark.parametrize(("shape", "last"), [((2**33,), 2**33 - 1), ((2**20, 2**20), 2**20 - 1)])
def test_offsets_past_32_bits(shape, last):
    """Of a table that is as large as one element."""
    indices = [[last] * len(shape), [0] * len(shape), [-1] * len(shape)]
    plan = gnd.IndexPlan(shape, indices)
    for make_copy in COPIES.values():
        other = make_copy(plan)
        assert (other.shape, other.is_unique, other.is_sorted) == (shape, False, False)
        table = np.broadcast_to(np.uint8(5), shape)
        assert_same_bits(other.gather(table), np.full(3, 5, np.uint8))


def test_a_pickle_is_as_small_as_its_tuples():
    """A byte per index of a small table, of whatever type; nothing that a scatter made."""
    plan = gnd.IndexPlan((200, 30), np.random.default_rng(5).integers(0, 30, (50_000, 2)))
    before = len(pickle.dumps(plan))
    assert before < 100_000 + 1000
    plan.scatter(np.zeros((200, 30)), np.ones(50_000), "add")
    assert plan.is_unique is False
    assert len(pickle.dumps(plan)) == before


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_what_the_core_makes_is_not_pickled(protocol):
    plan = gnd.at(np.zeros((3, 4)))[:, [0, 1]].plan()
    for made in (plan._plan, plan._at):
        with pytest.raises(TypeError, match="cannot pickle"):
            pickle.dumps(made, protocol)


class Named(gnd.IndexPlan):
    """A plan of a user's own, with an attribute."""

    name = "none"


def test_subclasses_keep_their_attributes():
    plan = Named((3,), [[2], [0]])
    plan.name = "edges"
    other = pickle.loads(pickle.dumps(plan))
    assert (type(other), other.name) == (Named, "edges")
    assert other.gather([5, 6, 7]).tolist() == [7, 5]


def gather_there(plan: gnd.IndexPlan, table: np.ndarray) -> np.ndarray:
    return plan.gather(table, fill_value=-1)


def test_a_plan_goes_to_a_spawned_worker():
    """As forkserver's, the default from Python 3.14 on, it gets its arguments by pickle."""
    plan = gnd.IndexPlan((3, 2), [[0], [2], [7]], mode="fill")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        result = pool.apply(gather_there, (plan, np.arange(6).reshape(3, 2)))
    assert result.tolist() == [[0, 1], [4, 5], [-1, -1]]


@each_device
def test_a_plan_of_a_device_is_made_there_again(name):
    """Also of indices that lie there; and where there is no such device, DeviceError."""
    device = gnd.Device(name)
    for indices in (np.array([[2], [0], [5]]), device.asarray(np.array([[2], [0], [5]]))):
        plan = gnd.IndexPlan((3,), indices, mode="drop", device=name)
        other = copy.deepcopy(plan)
        assert (other.is_unique, other.is_sorted) == (True, False)
        x = device.asarray(np.arange(3.0))
        for result in (other.gather(x), other.scatter(x, device.asarray(np.ones(3)), "add")):
            assert isinstance(result, gnd.DeviceArray)
        assert_same_bits(other.gather(x).numpy(), np.array([2.0, 0, 0]))
        state = plan.__getstate__()
        shape, tuples, batch_dims, mode, _, wraps = state["_plan"]
        state["_plan"] = (shape, tuples, batch_dims, mode, "d3d12:15", wraps)
        with pytest.raises(gnd.DeviceError, match="d3d12:15"):
            other.__setstate__(state)
