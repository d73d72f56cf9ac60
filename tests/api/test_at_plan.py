"""Plans of index expressions: at(x)[index].plan() gives what x[index] gives, on every backend."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import gathernd as gnd
from checks import assert_same_bits, unchanged
from conftest import each_device
from test_at import REDUCTIONS, cases, each_reduction, elements, layouts, long_forms, outcome

CORE_NAMES = {
    "subtract": "sub",
    "multiply": "mul",
    "bitwise_and": "and",
    "bitwise_or": "or",
    "bitwise_xor": "xor",
}
COPIES = {
    "itself": lambda plan: plan,
    "pickle": lambda plan: pickle.loads(pickle.dumps(plan)),
    "deepcopy": copy.deepcopy,
}
copies = st.sampled_from(sorted(COPIES))


@st.composite
def tables(draw: st.DrawFn, like: np.ndarray) -> np.ndarray:
    """Another array of that shape and dtype, in some layout: the plan was made for none."""
    if like.dtype.names:
        return elements(like.shape, "i2,f4", draw(st.integers(0, 99)))
    return draw(layouts(elements(like.shape, like.dtype.str, draw(st.integers(0, 99)))))


@given(case=cases(), way=copies, data=st.data())
def test_a_plan_gathers_what_numpy_selects(nd: Any, case: Any, way: str, data: Any) -> None:
    x, index, _ = case
    expected = outcome(lambda: x[index])
    plan = outcome(lambda: nd.at(x)[index].plan())
    if isinstance(expected, type):
        assert plan is expected
        return
    assert isinstance(plan, gnd.IndexPlan)
    plan = COPIES[way](plan)
    y = data.draw(tables(x))
    selected = np.asarray(y[index], y.dtype)  # else a scalar S3 becomes S1
    assert (plan.shape, plan.updates_shape) == (x.shape, selected.shape)
    with unchanged(x, y):
        assert_same_bits(plan.gather(y), selected)
        out = np.zeros_like(selected, order="F")
        assert plan.gather(y, out=out) is out
    assert_same_bits(out, selected)


@given(case=cases(), way=copies, data=st.data())
def test_a_plan_sets_what_numpy_assigns_to(nd: Any, case: Any, way: str, data: Any) -> None:
    x, index, updates = case
    plan = outcome(lambda: nd.at(x)[index].plan())
    if isinstance(plan, type):
        return
    check_scatter(COPIES[way](plan), data.draw(tables(x)), index, updates, "set")


@each_reduction
@given(way=copies, data=st.data())
def test_a_plan_reduces_as_ufunc_at(nd: Any, name: str, way: str, data: Any) -> None:
    kinds = (
        ("?", "i1", "u2", "i8") if name.startswith("bitwise") else ("i1", "u2", "i4", "f4", "f8")
    )
    x, index, updates = data.draw(cases(kinds))
    plan = outcome(lambda: nd.at(x)[index].plan())
    if isinstance(plan, type):
        return
    check_scatter(COPIES[way](plan), data.draw(tables(x)), index, updates, name)


def check_scatter(
    plan: gnd.IndexPlan, y: np.ndarray, index: Any, updates: np.ndarray, name: str
) -> None:
    """A new array, in place, and into another one; `updates` broadcast to y[index]."""
    expected = y.copy()
    rows = np.broadcast_to(updates, plan.updates_shape).copy()
    if name == "set":
        expected[index] = rows
    else:
        REDUCTIONS[name][0].at(expected, index, rows)
    reduction: Any = "none" if name == "set" else CORE_NAMES.get(name, name)
    with unchanged(y, updates):
        assert_same_bits(plan.scatter(y, updates, reduction), expected)
        out = np.zeros_like(y, order="F")
        assert plan.scatter(y, updates, reduction, out=out) is out
        assert_same_bits(out, expected)
    assert plan.scatter(y, updates, reduction, out=y) is y
    assert_same_bits(y, expected)


def test_extra_leading_dimensions_of_updates(nd: Any) -> None:
    """NumPy's assignment takes them, ufunc.at does not."""
    y, updates = np.zeros((3, 4), int), np.arange(2).reshape(1, 1, 2)
    for index in (([1, 2], 0), (slice(0, 2), [1]), (0, slice(2))):
        expected = y.copy()
        expected[index] = rows = updates if index[0] != slice(0, 2) else updates[..., :1]
        plan = nd.at(y)[index].plan()
        assert_same_bits(plan.scatter(y, rows), expected)
        assert_same_bits(nd.at(y)[index].set(rows), expected)
        with pytest.raises(ValueError, match="broadcast"):
            plan.scatter(y, rows, "add")
        with pytest.raises(ValueError, match="broadcast"):
            nd.at(y)[index].add(rows)


def test_errors_of_out_are_those_of_a_scatter(nd: Any) -> None:
    y = np.zeros((3, 4))
    read_only = np.zeros((3, 4))
    read_only.flags.writeable = False
    plan = nd.at(y)[1:, [0, 3, 0]].plan()
    for out in (np.zeros((4, 4)), np.zeros((3, 4), int), read_only):
        with pytest.raises((ValueError, TypeError), match=r"^scatter_nd: out "):
            plan.scatter(y, 1, out=out)


@pytest.mark.parametrize("n", [1, 33, 300])
def test_a_plan_takes_long_index_arrays_of_every_form(nd: Any, n: int) -> None:
    shape = (5, 6, 7)
    x = elements(shape, "f8", n)
    for index in (*long_forms(shape, n, 1).values(), x > 1, (slice(None), x[0] > 1)):
        plan = pickle.loads(pickle.dumps(nd.at(x)[index].plan()))
        for y in (x, np.asfortranarray(x), x[::-1, :, ::-1]):
            assert_same_bits(plan.gather(y), y[index])
            updates = elements(y[index].shape, "f8", 2)
            sums, set_ = y.copy(), y.copy()
            np.add.at(sums, index, updates)
            set_[index] = updates
            assert_same_bits(plan.scatter(y, updates, "add"), sums)
            assert_same_bits(plan.scatter(y, updates), set_)


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("wraps", [True, False])
@pytest.mark.parametrize("mode", ["clip", "wrap", "fill", "drop"])
def test_a_plan_keeps_what_becomes_of_bad_indices(
    nd: Any, mode: Any, wraps: bool, way: str
) -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    for index in (([0, 9, -1], [5, 1, -2]), (9, slice(None), [3, -4, 4]), (-1, ..., -9), (7,)):
        at = nd.at(x, mode=mode, wrap_negative_indices=wraps)[index]
        plan = COPIES[way](at.plan())
        found = at.get(fill_value=-7)
        assert_same_bits(plan.gather(x, fill_value=-7), found)
        assert_same_bits(plan.scatter(x, 1, "add"), at.add(1))


def test_a_plan_does_not_need_its_indices(nd: Any) -> None:
    x = np.arange(12.0).reshape(3, 4)
    i, j, mask = np.array([0, 2]), np.array([3, 1]), x > 5
    plans = [nd.at(x)[i, j].plan(), nd.at(x)[mask].plan(), nd.at(x)[:, j].plan()]
    expected = [x[i, j], x[mask], x[:, j]]
    i[:], j[:], mask[:] = 99, 99, False
    for plan, selected in zip(plans, expected, strict=True):
        assert_same_bits(plan.gather(x), selected)


def test_a_plan_of_slices_without_bytes_reads_each_index_in_its_type(nd: Any) -> None:
    x = np.arange(6, dtype=np.int8).reshape(3, 2, 1)
    index = (slice(0, 0), np.array([1, 0], ">i2"), np.array([0, -1], np.int8))
    plan = nd.at(x)[index].plan()
    assert_same_bits(plan.gather(x), x[index])
    assert_same_bits(plan.scatter(x, 1, "add"), x)


def test_a_plan_names_the_index_that_is_out_of_range(nd: Any) -> None:
    x = np.zeros((3, 4, 5))
    with pytest.raises(IndexError, match=r"^at\[i, :, j\]: index -6 in j\[1\] .* axis 2 of size 5"):
        nd.at(x)[[0, 2], :, [1, -6]].plan()
    with pytest.raises(IndexError, match=r"^at\[i, j\]: index 9 in j\[1\] .* axis 1 of size 4"):
        nd.at(x)[[0, 2], [1, 9]].plan()
    with pytest.raises(IndexError, match=r"^at\[7, :\]: index 7 is out of range for axis 0"):
        nd.at(x)[7, :].plan()
    with pytest.raises(IndexError, match="index 3 is out of range for axis 0"):
        nd.at(x)[3, [[]]].plan()


def test_a_plan_refuses_what_does_not_fit_it(nd: Any) -> None:
    x = np.zeros((3, 4))
    plan = nd.at(x)[:, [0, 1]].plan()
    assert repr(plan) == "IndexPlan(shape=(3, 4), index=[:, i])"
    for other in (np.zeros((4, 3)), np.zeros(3), np.zeros((3, 4, 1))):
        message = r"input must have the plan's shape \(3, 4\), not \("
        with pytest.raises(ValueError, match=f"^gather_nd: {message}"):
            plan.gather(other)
        with pytest.raises(ValueError, match=f"^scatter_nd: {message}"):
            plan.scatter(other, 1)
    with unchanged(x):
        with pytest.raises(ValueError, match=r"out must have shape \(3, 2\), not \(3, 4\)"):
            plan.gather(x, out=np.zeros((3, 4)))
        with pytest.raises(ValueError, match=r"out must have shape \(3, 4\), not \(3, 2\)"):
            plan.scatter(x, 1, out=np.zeros((3, 2)))
        with pytest.raises(ValueError, match=r"updates of shape \(4,\) .* to shape \(3, 2\)"):
            plan.scatter(x, np.ones(4))
        with pytest.raises(TypeError, match="cannot be cast to float64"):
            plan.scatter(x, np.array(["a", "b"]))
        with pytest.raises(TypeError, match="out must be"):
            plan.scatter(x, 1, out=x.tolist())
        with pytest.raises(ValueError, match=r"^at\[i\]: positions \[0\] and \[2\] .* same place"):
            nd.at(x)[[2, 0, 2]].plan().scatter(x, 1, duplicates="error", out=x)
    frozen = x.copy()
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        plan.scatter(frozen, 1, out=frozen)


@pytest.mark.parametrize("rule", ["first", "error", "any"])
def test_a_plan_takes_duplicates_where_it_scatters(nd: Any, rule: str) -> None:
    x = np.arange(3)
    with pytest.raises(ValueError, match="plan takes no duplicates; give them to its scatter"):
        nd.at(x, duplicates=rule)[[1, 2]].plan()
    assert nd.at(x)[[1, 2]].plan().scatter(x, 7, duplicates=rule).tolist() == [0, 7, 7]


def test_a_plan_writes_nothing_into_out_after_an_error(nd: Any) -> None:
    x, out = np.zeros((3, 4)), np.full((3, 4), 5.0)
    for index in ([1, 1], (slice(1, 3), [1, 1])):
        plan = nd.at(x)[index].plan()
        with unchanged(x, out), pytest.raises(ValueError, match="same place"):
            plan.scatter(x, 1, duplicates="error", out=out)


def test_a_plan_casts_updates_by_same_kind() -> None:
    plan = gnd.at(np.zeros(3))[[0, 0, 2]].plan()
    assert plan.scatter(np.zeros(3, np.float32), np.array([1, 2, 3.0]), "add").tolist() == [3, 0, 3]
    with pytest.raises(TypeError, match=r"updates of float64 cannot be cast to int64 .*astype"):
        plan.scatter(np.zeros(3, int), np.ones(3))


def test_a_plan_leaves_the_other_fields_of_records_alone() -> None:
    records = np.array([(1, 2, 3)] * 4, [("a", "i4"), ("b", "i4"), ("c", "i4")])
    view = records[["a", "c"]]
    new = np.array([(5, 6, 7)], records.dtype)[["a", "c"]]
    assert gnd.at(view)[[1, 3]].plan().scatter(view, new, out=view) is view
    assert records.tolist() == [(1, 2, 3), (5, 2, 7)] * 2


def test_a_plan_takes_overlapping_memory_as_if_it_were_copied(nd: Any) -> None:
    x = np.arange(10.0)
    plan = nd.at(x[1:])[::2].plan()
    expected = x[:9].copy()
    expected[::2] += 1
    assert_same_bits(plan.scatter(x[:9], 1, "add", out=x[1:]), expected)
    assert_same_bits(x[1:], expected)
    y = np.arange(8.0)
    expected = y[[1, 2, 3, 4]]
    nd.at(y)[[1, 2, 3, 4]].plan().gather(y, out=y[2:6])
    assert_same_bits(y[2:6], expected)


def test_a_plan_tells_whether_places_are_unique() -> None:
    x = np.zeros((4, 5))
    assert gnd.at(x)[:, [0, 3, 1]].plan().is_unique
    assert not gnd.at(x)[1:, [0, 3, 0]].plan().is_unique
    assert gnd.at(x)[x == 0].plan().is_sorted
    assert gnd.at(x)[x == 0].plan().nbytes >= 4 * x.size


def test_the_methods_of_the_class_take_plans_of_expressions() -> None:
    x = np.arange(9.0).reshape(3, 3)
    plan = gnd.at(x)[:, [0, 1]].plan()
    assert_same_bits(gnd.IndexPlan.gather(plan, x), x[:, [0, 1]])
    assert_same_bits(gnd.IndexPlan.scatter(plan, x, 5, "add"), plan.scatter(x, 5, "add"))
    assert_same_bits(plan.scatter(x, 5, "add"), x + np.array([5, 5, 0]))


def test_one_plan_of_an_expression_in_several_threads(nd: Any) -> None:
    rng = np.random.default_rng(5)
    x, j = np.zeros((4, 50)), rng.integers(0, 50, 3000)
    updates = rng.standard_normal((4, 3000))
    plan = nd.at(x)[:, j].plan()
    expected = gnd.at(x)[:, j].add(updates)
    with ThreadPoolExecutor(8) as pool:
        for result in pool.map(lambda _: plan.scatter(x, updates, "add"), range(32)):
            assert_same_bits(result, expected)


@each_device
def test_a_plan_takes_arrays_of_its_device(name: str) -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    there = gnd.Device(name).asarray(x)
    i, j = np.array([0, 2, 0]), np.array([1, -1, 1], np.int8)
    for source in (x, there):
        for index in ((i, j), i, (2, j), (1, -1)):
            plan = pickle.loads(pickle.dumps(gnd.at(source, device=name)[index].plan()))
            gathered = plan.gather(there)
            assert isinstance(gathered, gnd.DeviceArray)
            assert_same_bits(gathered.numpy(), x[index])
            sums = x.copy()
            np.add.at(sums, index, np.float32(2))
            assert_same_bits(plan.scatter(there, 2, "add").numpy(), sums)
            assert_same_bits(plan.gather(x), x[index])
    with pytest.raises(TypeError, match=r"at\[:, i\]: on a device an index must be integers"):
        gnd.at(x, device=name)[:, i].plan().gather(there)
    with pytest.raises(ValueError, match="different devices"):
        gnd.at(x)[i].plan().gather(there)
