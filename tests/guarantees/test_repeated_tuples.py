"""Index tuples that a view of stride 0 shows again and again: a call looks at each once."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from checks import assert_same_bits, outcome

MANY = [
    ((2**59,), "0", "1"),
    ((2**29, 2**30), "0, 0", "0, 1"),
    ((2**20, 3, 2**36), "0, 0, 0", "0, 0, 1"),
    ((2,) * 50, ", ".join("0" * 50), ", ".join("0" * 49 + "1")),
]
each_of_many = pytest.mark.parametrize(
    ("outer", "first", "second"), MANY, ids=[f"{len(outer)}d" for outer, *_ in MANY]
)


def show(outer: tuple[int, ...], depth: int = 1) -> tuple[NDArray[Any], NDArray[Any]]:
    """Indices of that outer shape, and the few that they show."""
    shown = np.zeros((3, 1, depth) if 3 in outer else (1, depth), np.int8)
    return np.broadcast_to(shown, (*outer, depth)), shown


@each_of_many
@pytest.mark.parametrize("mode", ["raise", "clip", "wrap", "drop"])
def test_slices_without_bytes(nd, outer, first, second, mode):
    table, updates = np.zeros((3, 0)), np.zeros((*outer, 0))
    indices, shown = show(outer)
    other = "fill" if mode == "drop" else mode
    for shown[-1] in (0, 3) if mode != "raise" else (0,):
        assert nd.gather_nd(table, indices, mode=other).shape == updates.shape
        for reduction in ("none", "add", "sub", "mul", "min", "max"):
            assert_same_bits(nd.scatter_nd(table, indices, updates, reduction, mode=mode), table)
    if mode != "raise":
        return
    shown[-1] = 3
    place = first.replace("0, 0, 0", "0, 2, 0") if 3 in outer else first
    for call in (
        lambda: nd.gather_nd(table, indices),
        lambda: nd.scatter_nd(table, indices, updates),
        lambda: nd.scatter_nd(table, indices, updates, "add"),
        lambda: nd.IndexPlan(table.shape, indices),
    ):
        with pytest.raises(IndexError, match=rf"index 3 at indices\[{place}, 0\]"):
            call()


@each_of_many
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_duplicates_among_slices_without_bytes(nd, outer, first, second, depth):
    table, updates = np.zeros((3, 4, 0)[2 - depth :]), np.zeros((*outer, 0))
    indices, shown = show(outer, depth)
    pair = rf"indices\[{first}\] and indices\[{second}\] address the same slice"
    with pytest.raises(ValueError, match=pair):
        nd.scatter_nd(table, indices, updates, duplicates="error")
    if depth > 0:
        shown[...] = 9
        options = {"mode": "drop", "duplicates": "error"}
        assert_same_bits(nd.scatter_nd(table, indices, updates, **options), table)


@each_of_many
def test_plans_of_slices_without_bytes(nd, outer, first, second):
    table, updates = np.zeros((3, 0)), np.zeros((*outer, 0))
    indices, shown = show(outer)
    plan = nd.IndexPlan(table.shape, indices)
    assert (plan.updates_shape, plan.is_unique, plan.is_sorted) == (updates.shape, False, True)
    assert plan.nbytes < 10_000
    assert plan.gather(table).shape == updates.shape
    assert_same_bits(plan.scatter(table, updates, "add"), table)
    pair = rf"indices\[{first}\] and indices\[{second}\] address the same slice"
    with pytest.raises(ValueError, match=pair):
        plan.scatter(table, updates, duplicates="error")
    shown[-1] = 1
    assert nd.IndexPlan(table.shape, indices).is_sorted == (3 not in outer)


@pytest.mark.parametrize("depth", [1, 2])
def test_components_that_repeat(nd, depth):
    """Each index array with dimensions of its own."""
    table = np.zeros((3, 4, 0)[2 - depth :])
    index = tuple(np.broadcast_to(np.int16(k), (2**20, 2**30)) for k in range(1, depth + 1))
    assert nd.at(table)[index].get().shape == (2**20, 2**30, 0)
    rows = np.zeros((2**20, 2**30, 0))
    with pytest.raises(ValueError, match=r"\[0, 0\].*\[0, 1\]"):
        nd.at(table, duplicates="error")[index].set(rows)
    bad = (*index[:-1], np.broadcast_to(np.int64(9), (2**20, 2**30)))
    with pytest.raises(IndexError, match="index 9"):
        nd.at(table)[bad].get()


@pytest.mark.parametrize("dtype", ["uint8", "int64"])
@pytest.mark.parametrize("reduction", ["none", "min", "max", "and", "or"])
def test_rows_that_repeat_as_their_tuples_do(nd, dtype, reduction):
    """One row that is combined again makes no difference."""
    table = np.arange(1, 9, dtype=dtype)
    shown, rows = np.array([[2], [5], [2]])[:, None], np.array([6, 3, 5], dtype)[:, None]
    expected = nd.scatter_nd(table, shown, rows, reduction)
    indices, updates = np.broadcast_to(shown, (3, 2**40, 1)), np.broadcast_to(rows, (3, 2**40))
    assert_same_bits(nd.scatter_nd(table, indices, updates, reduction), expected)
    for duplicates in ("first", "any") if reduction == "none" else ():
        found = nd.scatter_nd(table, indices, updates, duplicates=duplicates)
        assert found[2] in (6, 5) if duplicates == "any" else found[2] == 6
        assert found[5] == 3
    if reduction == "none":
        with pytest.raises(ValueError, match=r"indices\[0, 0\] and indices\[0, 1\] address"):
            nd.scatter_nd(table, indices, updates, duplicates="error")


# Views against copies of them.


@st.composite
def calls(draw: Any) -> dict[str, Any]:
    """A scatter whose indices and updates repeat along some dimensions."""
    outer = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    batch_dims = draw(st.integers(0, min(2, len(outer))))
    indexed = draw(st.lists(st.integers(0, 3), max_size=2))
    row = draw(st.sampled_from([(), (2,), (0,), (2, 0)]))
    repeats = [draw(st.booleans()) for _ in outer]
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))

    def repeat(values: Any) -> NDArray[Any]:
        few = values[tuple(slice(0, 1) if r else slice(None) for r in repeats)]
        return np.broadcast_to(few, values.shape)

    bad = draw(st.sampled_from([0, 0, 1]))
    tuples = rng.integers(-1, np.array(indexed, int) + bad, (*outer, len(indexed)))
    rows = rng.integers(0, 4, (*outer, *row)).astype(np.int16)
    reduction = draw(st.sampled_from(["none", "add", "sub", "mul", "min", "max", "and", "or"]))
    rules = ["last", "first", "error"] if reduction == "none" else ["last"]
    return {
        "table": rng.integers(0, 4, (*outer[:batch_dims], *indexed, *row)).astype(np.int16),
        "indices": repeat(tuples),
        "updates": draw(st.sampled_from([repeat(rows), rows])),
        "batch_dims": batch_dims,
        "mode": draw(st.sampled_from(["raise", "clip", "wrap", "drop"])),
        "reduction": reduction,
        "duplicates": draw(st.sampled_from(rules)),
    }


def assert_same_outcome(found: Any, expected: Any) -> None:
    if isinstance(expected, np.ndarray):
        assert_same_bits(found, expected)
    else:
        assert (type(found), str(found)) == (type(expected), str(expected))


@given(call=calls())
def test_views_and_copies_of_them_are_the_same(nd, call):
    table, batch_dims, mode = call["table"], call["batch_dims"], call["mode"]
    rules = {"duplicates": call["duplicates"]}

    def results(indices: NDArray[Any], updates: NDArray[Any]) -> list[Any]:
        other = "fill" if mode == "drop" else mode
        reduction = call["reduction"]
        options = {"mode": mode, **rules}
        plan = outcome(nd.IndexPlan, table.shape, indices, batch_dims, mode=mode)
        found = [
            plan if isinstance(plan, Exception) else None,
            outcome(nd.gather_nd, table, indices, batch_dims, mode=other),
            outcome(nd.scatter_nd, table, indices, updates, reduction, batch_dims, **options),
        ]
        for p in () if isinstance(plan, Exception) else (plan, pickle.loads(pickle.dumps(plan))):
            found += [p.is_unique, p.is_sorted, p.gather(table)]
            found.append(outcome(p.scatter, table, updates, reduction, **rules))
        return found

    views = results(call["indices"], call["updates"])
    copies = results(call["indices"].copy(), call["updates"].copy())
    for found, expected in zip(views, copies, strict=True):
        assert_same_outcome(found, expected)
