"""IndexPlan gives what the two functions give, on every backend."""

from __future__ import annotations

import functools
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import gathernd
import reference
import strategies
from checks import assert_same_bits, assert_same_values, outcome, unchanged

MODES = strategies.rules("raise", "clip", "wrap", "fill", "drop")


def make(nd, case: strategies.Case, rule: dict[str, Any]) -> gathernd.IndexPlan:
    return nd.IndexPlan(case.input.shape, case.indices, case.batch_dims, **rule)


def instead(rule: dict[str, Any], mode: str, other: str) -> dict[str, Any]:
    return rule | {"mode": other} if rule["mode"] == mode else rule


@given(case=strategies.cases(bad=True), rule=MODES, data=st.data())
def test_gather(nd, case, rule, data):
    fill = strategies.any_bits(data.draw(strategies.generators()), (), case.input.dtype)
    args = (case.input, case.indices, case.batch_dims)
    expected = outcome(nd.gather_nd, *args, fill_value=fill, **instead(rule, "drop", "fill"))
    if isinstance(expected, IndexError):
        with pytest.raises(IndexError) as caught:
            make(nd, case, rule)
        assert str(caught.value) == str(expected).replace("gather_nd", "IndexPlan", 1)
        return
    plan = make(nd, case, rule)
    with unchanged(case.input):
        assert_same_bits(plan.gather(case.input, fill_value=fill), expected)
        out = np.empty_like(expected)
        assert plan.gather(case.input, fill_value=fill, out=out) is out
    assert_same_bits(out, expected)
    assert (plan.shape, plan.updates_shape) == (case.input.shape, expected.shape)


@given(
    case=strategies.cases(bad=True),
    rule=MODES,
    duplicates=st.sampled_from(["last", "first", "error"]),
)
def test_scatter(nd, case, rule, duplicates):
    check_scatter(nd, case, rule, "none", duplicates)


@given(
    case=strategies.cases(dtypes=strategies.REDUCIBLE, compute=True, bad=True),
    rule=MODES,
    data=st.data(),
)
def test_reductions(nd, case, rule, data):
    reduction = data.draw(strategies.reductions(case))
    hypothesis.assume(nd.can_reduce(case.input.dtype, reduction))
    check_scatter(nd, case, rule, reduction, "last")


def check_scatter(nd, case, rule, reduction, duplicates):
    args = (case.input, case.indices, case.updates, reduction, case.batch_dims)
    rules = instead(rule, "fill", "drop")
    expected = outcome(nd.scatter_nd, *args, duplicates=duplicates, **rules)
    if isinstance(expected, IndexError):
        assert isinstance(outcome(make, nd, case, rule), IndexError)
        return
    plan = make(nd, case, rule)
    if isinstance(expected, ValueError):
        with unchanged(case.input, case.updates), pytest.raises(ValueError, match="same slice"):
            plan.scatter(case.input, case.updates, reduction, duplicates=duplicates)
        assert not plan.is_unique
        return
    with unchanged(case.input, case.updates):
        result = plan.scatter(case.input, case.updates, reduction, duplicates=duplicates)
    same = assert_same_bits if reduction == "none" else assert_same_values
    same(result, expected)
    target = np.array(case.input)
    assert (
        plan.scatter(target, case.updates, reduction, duplicates=duplicates, out=target) is target
    )
    same(target, expected)


TUPLES = {
    "random": lambda rng, n: rng.integers(-40, 40, n),
    "sorted": lambda rng, n: np.sort(rng.integers(0, 40, n)),
    "sorted but for holes": lambda rng, n: np.where(
        rng.random(n) < 0.3, 99, np.sort(rng.integers(0, 40, n))
    ),
    "unique": lambda rng, n: rng.permutation(40),
    "one row": lambda rng, n: np.full(n, 33),
    "mostly one row": lambda rng, n: np.where(rng.random(n) < 0.9, 33, rng.integers(0, 60, n)),
}


@functools.cache
def scatters(tuples, length):
    """Arguments of a call, and what it should give."""
    rng = np.random.default_rng(length)
    indices = TUPLES[tuples](rng, 300 if length < 100 else 50)[:, np.newaxis]
    calls = []
    for dtype, reduction, duplicates in [
        ("f4", "add", "last"),
        ("f2", "mul", "last"),
        ("i2", "none", "last"),
        ("i2", "none", "first"),
    ]:
        table = rng.integers(1, 9, (40, length)).astype(dtype)
        updates = rng.integers(-9, 9, (len(indices), length)).astype(dtype)
        for view in (table, table[::-1]):
            expected = reference.scatter_nd(
                view, indices, updates, reduction, mode="drop", duplicates=duplicates
            )
            calls.append((view, indices, updates, reduction, duplicates, expected))
    return calls


@pytest.mark.parametrize("tuples", TUPLES)
@pytest.mark.parametrize("length", [1, 5, 32, 600])
def test_strategies_of_scatter(nd, tuples, length):
    """Grouped, sorted or as the tuples come, in rows of all lengths; at once and by a plan."""
    for table, indices, updates, reduction, duplicates, expected in scatters(tuples, length):
        result = nd.scatter_nd(
            table, indices, updates, reduction, mode="drop", duplicates=duplicates
        )
        assert_same_values(result, expected)
        plan = nd.IndexPlan(table.shape, indices, mode="drop")
        for _ in range(2):
            result = plan.scatter(table, updates, reduction, duplicates=duplicates)
            assert_same_values(result, expected)


@pytest.mark.parametrize("dtype", ["i1", "f2", "i4", "f8"])
@pytest.mark.parametrize(
    ("reduction", "duplicates"),
    [("none", "last"), ("none", "first"), ("none", "any"), ("add", "last"), ("max", "last")],
)
def test_updates_of_a_word(nd, dtype, reduction, duplicates):
    """Tuples of a large table, which many threads group; updates of any stride."""
    rng = np.random.default_rng(5)
    indices = rng.integers(-600, 600, (600, 1))
    if duplicates == "any":
        indices = rng.permutation(600)[:, np.newaxis]
    table = rng.integers(0, 9, 500).astype(dtype)
    updates = rng.integers(0, 9, (600, 3)).astype(dtype)
    plan = nd.IndexPlan(table.shape, indices, mode="drop")
    for rows in (updates[:, 1], updates[::-1, 2], np.ascontiguousarray(updates[:, 0])):
        result = plan.scatter(table, rows, reduction, duplicates=duplicates)
        expected = reference.scatter_nd(
            table, indices, rows, reduction, mode="drop", duplicates=duplicates
        )
        assert_same_bits(result, expected)


@pytest.mark.parametrize(
    ("shape", "strides"),
    [((2, 2), (2**33, 1)), ((2**33,), (1,)), ((2**33,), (0,))],
    ids=["of the call", "of both", "of the plan"],
)
def test_offsets_past_32_bits(shape, strides, tmp_path):
    """A sparse file: memory is used for the touched pages only."""
    path = tmp_path / "sparse"
    memory = np.memmap(path, np.uint8, "w+", shape=(2**33 + 2,))
    table = np.lib.stride_tricks.as_strided(memory, shape, strides)
    last, first = [size - 1 for size in shape], [0] * len(shape)
    memory[0], memory[sum(map(int.__mul__, last, strides))] = 5, 7
    plan = gathernd.IndexPlan(shape, [last, first, last])
    assert (plan.is_unique, plan.is_sorted) == (False, False)
    found = plan.gather(table)
    assert_same_bits(found, table[tuple(zip(last, first, last, strict=True))])
    if 0 not in strides:
        updates = np.array([1, 2, 3], np.uint8)
        for reduction, expected in (("none", [3, 2, 3]), ("add", [7, 4, 7])):
            plan.scatter(table, updates, reduction, out=table)
            assert plan.gather(table).tolist() == expected
    assert path.stat().st_blocks * 512 < 2**20
    path.unlink()


def test_a_plan_does_not_need_its_indices(nd):
    indices = np.array([[2], [0]])
    plan = nd.IndexPlan((3,), indices)
    indices[:] = 99
    assert_same_bits(plan.gather(np.arange(3)), np.array([2, 0]))


def test_one_plan_in_several_threads(nd):
    rng = np.random.default_rng(5)
    indices = rng.integers(0, 50, (3000, 1))
    updates = rng.standard_normal((3000, 4))
    plan = nd.IndexPlan((50, 4), indices)
    expected = gathernd.scatter_nd(np.zeros((50, 4)), indices, updates, "add")
    with ThreadPoolExecutor(8) as pool:
        for result in pool.map(
            lambda _: plan.scatter(np.zeros((50, 4)), updates, "add"), range(64)
        ):
            assert_same_bits(result, expected)
