"""scatter_nd against the oracle and against NumPy, on every backend."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given

import gathernd
import reference
import strategies
from checks import assert_same_bits, assert_same_values, check_call, numbers, outcome, refuses
from gathernd import _core
from strategies import Case
from test_gather import ROW_BYTES

MODES = strategies.rules("raise", "clip", "wrap", "drop")
DUPLICATES = st.sampled_from(["last", "first"])


def check(nd: Any, case: Case, reduction: str = "none", **kwargs: Any) -> None:
    args = (case.input, case.indices, case.updates, reduction, case.batch_dims)
    same = assert_same_bits if reduction == "none" else assert_same_values
    check_call(nd.scatter_nd, *args, same=same, **kwargs)


@given(case=strategies.cases(), duplicates=DUPLICATES)
def test_duplicates_last_and_first(nd, case, duplicates):
    check(nd, case, duplicates=duplicates)


@given(case=strategies.cases(bad=True), rule=MODES, duplicates=DUPLICATES)
def test_raise_clip_wrap_and_drop(nd, case, rule, duplicates):
    check(nd, case, duplicates=duplicates, **rule)


@given(
    case=strategies.cases(bad=True),
    rule=MODES,
    duplicates=DUPLICATES,
    layout=st.sampled_from(strategies.OUT_LAYOUTS),
)
def test_out(nd, case, rule, duplicates, layout):
    out = strategies.lay_out(np.zeros(case.input.shape, case.input.dtype), layout)
    check(nd, case, duplicates=duplicates, out=out, **rule)


@given(
    case=strategies.cases(bad=True),
    rule=MODES,
    layout=st.sampled_from(strategies.OUT_LAYOUTS),
    data=st.data(),
)
def test_in_place(nd, case, rule, layout, data):
    reduction = data.draw(st.sampled_from(("none", *reference.reductions_of(case.input.dtype))))
    assume(case.input.dtype.char not in "gG" or reduction == "none")
    target = strategies.lay_out(case.input, layout)
    args = (case.indices, case.updates, reduction, case.batch_dims)
    expected = outcome(reference.scatter_nd, target, *args, **rule)
    if isinstance(expected, IndexError):
        refuses(IndexError, nd.scatter_nd, target, *args, out=target, **rule)
        return
    assert nd.scatter_nd(target, *args, out=target, **rule) is target
    if reduction == "none":
        assert_same_bits(target, expected)
    else:
        assert_same_values(target, expected)


@given(case=strategies.cases(bad=True), rule=MODES)
def test_duplicates_any(nd, case, rule):
    """Each element written is that element of one of the updates to its place."""
    args = (case.indices, case.input.shape, case.batch_dims)
    written = outcome(reference.candidates, *args, **rule)
    assume(not isinstance(written, IndexError))
    result = nd.scatter_nd(
        case.input, case.indices, case.updates, "none", case.batch_dims, duplicates="any", **rule
    )
    rest, updates = reference.bits(case.input).copy(), reference.bits(case.updates)
    for place, positions in written.items():
        rows = np.array([updates[(*position, ...)] for position in positions])
        found = reference.bits(result)[(*place, ...)]
        assert (rows == found).any(axis=0).all()
        rest[(*place, ...)] = found
    assert_same_bits(reference.bits(result), rest)


@pytest.fixture
def _thresholds_of_users():
    before = _core.grain()
    _core.set_grain(0)
    yield
    _core.set_grain(before)


@pytest.mark.usefixtures("_thresholds_of_users")
@pytest.mark.parametrize("rule", ["last", "any"])
def test_few_updates_of_which_any_may_stay_need_no_plan(rule):
    table, indices = np.zeros(9), np.array([[3], [3], [0]])
    plan = gathernd.IndexPlan(table.shape, indices)
    for scatter in (
        lambda: gathernd.scatter_nd(table, indices, np.ones(3), duplicates=rule),
        lambda: plan.scatter(table, np.ones(3), duplicates=rule),
    ):
        assert _core.explain(scatter) == ["scatter: few tuples"]


@given(case=strategies.cases(bad=True), rule=strategies.rules("clip", "wrap", "drop"))
def test_duplicates_error(nd, case, rule):
    """No duplicates: the plain answer. Else an error which names two tuples that do collide."""
    args = (case.indices, case.input.shape, case.batch_dims)
    written = outcome(reference.candidates, *args, **rule)
    assume(not isinstance(written, IndexError))
    if all(len(positions) == 1 for positions in written.values()):
        check(nd, case, duplicates="error", **rule)
        return
    message = refuses(
        ValueError,
        nd.scatter_nd,
        case.input,
        case.indices,
        case.updates,
        batch_dims=case.batch_dims,
        duplicates="error",
        **rule,
        match=r"indices\[[\d, ]+\] and indices\[[\d, ]+\] address the same slice",
    )
    named = numbers(message)
    first, second = named[: len(named) // 2], named[len(named) // 2 :]
    assert first < second
    assert any({tuple(first), tuple(second)} <= set(group) for group in written.values())


def in_c_order(case: Case) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """NumPy's index with one dimension of positions, and the updates: it keeps their order."""
    index = tuple(axis.ravel() for axis in np.broadcast_arrays(*case.fancy()))
    row = case.updates.shape[case.indices.ndim - 1 :]
    return index, reference.bits(case.updates).reshape(index[0].size, *row)


@given(case=strategies.cases(min_depth=1))
def test_numpy_fancy_assignment(nd, case):
    expected = np.array(case.input, order="C")
    index, updates = in_c_order(case)
    reference.bits(expected)[index] = updates
    args = (case.input, case.indices, case.updates, "none", case.batch_dims)
    assert_same_bits(nd.scatter_nd(*args), expected)


@given(data=st.data(), reduction=st.sampled_from(["none", "add", "max"]), duplicates=DUPLICATES)
def test_out_overlaps_anything(nd, data, reduction, duplicates):
    """All arrays lie anywhere in one buffer: the result is as if the arguments were copies."""
    rules = {"mode": "wrap", "duplicates": duplicates if reduction == "none" else "last"}
    buffer = data.draw(strategies.generators()).integers(0, 256, 96, np.uint8)
    index_dtype = data.draw(st.sampled_from(strategies.INDEX_DTYPES))
    table, out = data.draw(strategies.windows((5, 2))), data.draw(strategies.windows((5, 2)))
    if data.draw(st.booleans()):
        out = table
    indices = data.draw(strategies.windows((4, 1), index_dtype))(buffer)
    updates = data.draw(strategies.windows((4, 2)))(buffer)
    args = (table(buffer).copy(), indices.copy(), updates.copy(), reduction)
    expected = buffer.copy()
    out(expected)[...] = reference.scatter_nd(*args, **rules)
    nd.scatter_nd(table(buffer), indices, updates, reduction, **rules, out=out(buffer))
    assert_same_bits(buffer, expected)


@pytest.mark.parametrize("slices", [(), (3,)])
@pytest.mark.parametrize("reduction", ["none", "add", "max"])
@pytest.mark.parametrize("rows", [20, 5000])
def test_a_bad_tuple_after_many_leaves_out_as_it_was(nd, rows, reduction, slices):
    """Of a table that each thread may have for itself, and of one that is too large for it."""
    table, updates = np.zeros((rows, *slices), np.int32), np.ones((20_000, *slices), np.int32)
    indices = np.random.default_rng(1).integers(0, rows, (20_000, 1))
    indices[-1] = rows
    refuses(IndexError, nd.scatter_nd, table, indices, updates, reduction, out=table + 7)
    refuses(IndexError, nd.scatter_nd, table, indices, updates, reduction, out=table)


@pytest.mark.parametrize("mode", ["raise", "clip", "wrap", "drop"])
@pytest.mark.parametrize("reduction", ["none", "add"])
def test_many_indices_in_place(nd, mode, reduction):
    """Each index is read before the table of which it is an element changes, in every mode."""
    rng = np.random.default_rng(4)
    table = rng.integers(0, 9000, 9000, np.int32)
    rows = rng.integers(0, 3, 9000, np.int32)
    indices = table[:, None]
    expected = nd.scatter_nd(table, indices.copy(), rows, reduction, mode=mode)
    assert (expected != table).any()
    nd.scatter_nd(table, indices, rows, reduction, mode=mode, out=table)
    assert_same_bits(table, expected)


@pytest.mark.parametrize("tuples", [1023, 1024, 1025, 4097])
@pytest.mark.parametrize("sizes", [(257,), (17, 15)], ids=str)
def test_many_tuples_of_every_row_size(nd, tuples, sizes):
    """The last of many duplicates wins, the whole row; nothing outside of `out` is written."""
    rng = np.random.default_rng(tuples)
    row_bytes = ROW_BYTES if tuples != 1025 else (*ROW_BYTES, 5000)
    for size in row_bytes:
        dtype = np.dtype(f"V{size}")
        table = strategies.any_bits(rng, sizes, dtype)
        indices = strategies.random_indices(rng, (tuples,), sizes, np.dtype("i4"))
        updates = strategies.any_bits(rng, (tuples,), dtype)
        expected = last_wins(table, indices, updates)
        assert_same_bits(nd.scatter_nd(table, indices, updates), expected)
        first = nd.scatter_nd(table, indices[::-1], updates[::-1], duplicates="first")
        assert_same_bits(first, expected)
        out = np.full(table.nbytes + 2 * size + 1, 0xA5, np.uint8)
        middle = out[size + 1 : -size].view(dtype).reshape(sizes)
        nd.scatter_nd(table, indices, updates, out=middle)
        assert_same_bits(middle, expected)
        assert (out[: size + 1] == 0xA5).all()
        assert (out[-size:] == 0xA5).all()


def last_wins(table: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
    """NumPy promises no order of assignment: assign the last of the duplicates only."""
    sizes = table.shape[: indices.shape[-1]]
    flat = np.ravel_multi_index(tuple(indices.T), sizes, mode="wrap")
    place, back = np.unique(flat[::-1], return_index=True)
    expected = table.copy()
    expected.reshape(-1)[place] = updates[flat.size - 1 - back]
    return expected


def test_device_cpu_is_the_default():
    table = np.arange(4.0)
    result = gathernd.scatter_nd(table, [[3]], [9.5], device="cpu")
    assert_same_bits(result, np.array([0, 1, 2, 9.5]))


@pytest.mark.parametrize("row", [(), (3,), (16,), (70,)], ids=str)
@pytest.mark.parametrize("rule", ["last", "first", "add", "max"])
def test_updates_in_any_order_of_memory(nd, row, rule):
    """Transposed ones, and those that repeat in any dimensions, write what packed ones write."""
    rng = np.random.default_rng(5)
    outer = (40, 60)
    table = rng.integers(-99, 99, (500, *row)).astype(np.float32)
    indices = rng.integers(0, 500, (*outer, 1))
    updates = rng.integers(-99, 99, (*outer, *row)).astype(np.float32)
    options = {"duplicates": rule} if rule in ("last", "first") else {"reduction": rule}
    layouts = [strategies.lay_out(updates, name) for name in ("F", "rolled", "reversed", "steps")]
    for some in (np.float32(7), updates[0, 0], updates[:, :1], updates[0]):
        layouts.append(np.broadcast_to(some, updates.shape))
    for rows in layouts:
        expected = nd.scatter_nd(table, indices, np.ascontiguousarray(rows), **options)
        for target in (table, strategies.lay_out(table, "F")):
            assert_same_bits(nd.scatter_nd(target, indices, rows, **options), expected)
        plan = nd.IndexPlan(table.shape, indices)
        assert_same_bits(plan.scatter(table, rows, **options), expected)


@pytest.mark.parametrize("layout", ["F", "rolled", "reversed", "steps"])
@pytest.mark.parametrize("row", [(5,), (70,), (3, 33)], ids=str)
@pytest.mark.parametrize("dtype", ["u1", "f4", "c16"])
def test_tables_in_any_order_of_memory(nd, layout, row, dtype):
    """Rows whose elements lie far apart are read and written as those of packed tables."""
    rng = np.random.default_rng(6)
    packed = rng.integers(0, 99, (400, *row)).astype(dtype)
    indices = rng.integers(-400, 400, (1100, 1))
    updates = rng.integers(0, 99, (1100, *row)).astype(dtype)
    table = strategies.lay_out(packed, layout)
    assert_same_bits(nd.gather_nd(table, indices), packed[indices[:, 0]])
    for reduction in ("none", "add"):
        for rows in (updates, np.asfortranarray(updates)):
            out = strategies.lay_out(packed, layout)
            nd.scatter_nd(out, indices, rows, reduction, out=out)
            expected = nd.scatter_nd(packed, indices, updates, reduction)
            assert_same_bits(np.ascontiguousarray(out), expected)


@pytest.mark.parametrize("reduction", ["none", "add"])
def test_short_slices_that_are_not_words(nd, reduction):
    """As long as a word, but with gaps in the table; and rows that begin an element apart."""
    rng = np.random.default_rng(3)
    indices = rng.integers(0, 500, (600, 1))
    apart = np.asfortranarray(rng.integers(0, 9, (500, 2), np.int16))
    padded = np.zeros((500, 3), np.int16)[:, :2]
    windows = np.lib.stride_tricks.sliding_window_view(np.arange(601, dtype=np.int16), 2)
    for table in (apart, padded):
        for updates in (windows, np.ascontiguousarray(windows), np.asfortranarray(windows)):
            expected = reference.scatter_nd(table, indices, updates, reduction)
            assert_same_bits(nd.scatter_nd(table, indices, updates, reduction), expected)
            out = table.copy(order="K") if table is apart else np.zeros((500, 3), np.int16)[:, :2]
            nd.scatter_nd(table, indices, updates, reduction, out=out)
            assert_same_bits(np.ascontiguousarray(out), expected)


@pytest.mark.parametrize("reduction", ["none", "add"])
def test_pairs_that_begin_an_element_apart(nd, reduction):
    """Slices of two elements whose offsets count single ones, as the updates' strides do."""
    memory = np.zeros((50, 5), np.int16)
    out = np.lib.stride_tricks.as_strided(memory, (50, 2, 2), (10, 4, 2))
    indices = np.random.default_rng(3).integers(0, (50, 2), (90, 2))
    updates = np.lib.stride_tricks.sliding_window_view(np.arange(91, dtype=np.int16), 2)
    expected = reference.scatter_nd(out.copy(), indices, updates, reduction)
    nd.scatter_nd(out, indices, updates, reduction, out=out)
    assert_same_bits(out.copy(), expected)
    assert not memory[:, 4].any()
