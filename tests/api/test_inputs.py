"""What may be passed: NumPy arrays of all sorts, array-likes, DLPack. Results are plain arrays."""

from __future__ import annotations

import array
from collections import UserList, deque
from functools import partial
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import gathernd
from checks import assert_same_bits

TABLE = np.arange(12, dtype=np.float32).reshape(3, 4)
INDICES = np.array([[2, 3], [0, 0]])
PICKED = np.array([11, 0], np.float32)


class Exporter:
    """An ndarray's __dlpack__ and nothing else of it."""

    def __init__(self, held: np.ndarray) -> None:
        self.held = held

    def __dlpack__(self, **options: Any) -> Any:
        return self.held.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.held.__dlpack_device__()


class OldExporter(Exporter):
    """From before DLPack 1.0: __dlpack__ takes a stream and nothing else."""

    def __dlpack__(self, stream: None = None) -> Any:
        return self.held.__dlpack__()


class Interface:
    def __init__(self, held: np.ndarray) -> None:
        self.held = held
        self.__array_interface__ = held.__array_interface__


class Convertible:
    def __init__(self, held: np.ndarray) -> None:
        self.held = held

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.held


WRAPPERS = [Exporter, OldExporter, Interface, Convertible, memoryview]


@pytest.mark.parametrize("wrap", WRAPPERS)
def test_objects_that_hold_an_array(wrap):
    result = gathernd.gather_nd(wrap(TABLE), wrap(INDICES))
    assert_same_bits(result, PICKED)
    updates = np.array([7, 8], np.float32)
    expected = gathernd.scatter_nd(TABLE, INDICES, updates)
    assert_same_bits(gathernd.scatter_nd(wrap(TABLE), wrap(INDICES), wrap(updates)), expected)
    plan = gathernd.IndexPlan(TABLE.shape, wrap(INDICES))
    assert_same_bits(plan.gather(wrap(TABLE)), PICKED)
    assert_same_bits(plan.scatter(wrap(TABLE), updates), expected)
    assert_same_bits(plan.scatter(TABLE, wrap(updates)), expected)


@pytest.mark.parametrize("wrap", [Exporter, OldExporter, Interface, Convertible])
def test_no_copy_is_made(wrap, tmp_path):
    """An array of 64 GiB in a sparse file: a copy would take minutes."""
    path = tmp_path / "sparse"
    table = np.memmap(path, np.int32, "w+", shape=(2**34,))[::-3]
    table[[5, -1]] = 7, 8
    assert np.shares_memory(gathernd.Device("cpu").asarray(wrap(table[:9])), table)
    assert_same_bits(gathernd.gather_nd(wrap(table), [[5], [-1]]), np.array([7, 8], np.int32))
    path.unlink()


def test_lists_and_scalars():
    assert_same_bits(gathernd.gather_nd([[0, 1], [2, 3]], [[1], [0]]), np.array([[2, 3], [0, 1]]))
    assert_same_bits(gathernd.gather_nd(((0, 1), (2, 3)), (1, 0)), np.array(2))
    assert_same_bits(gathernd.gather_nd(5, []), np.array(5))
    assert_same_bits(gathernd.gather_nd(np.float32(5), []), np.array(5, np.float32))
    assert_same_bits(gathernd.scatter_nd([1, 2, 3], [[0]], [9]), np.array([9, 2, 3]))
    assert_same_bits(gathernd.scatter_nd(range(3), [[0]], (9,)), np.array([9, 1, 2]))
    assert_same_bits(gathernd.scatter_nd(5, [], 6), np.array(6))
    table = array.array("d", [1, 2, 3])
    assert_same_bits(gathernd.gather_nd(table, [[2]]), np.array([3.0]))


def test_empty_lists():
    table = np.arange(3)
    assert_same_bits(gathernd.gather_nd(table, []), table)
    assert_same_bits(gathernd.gather_nd(table, [[]]), table[None])
    assert_same_bits(gathernd.gather_nd([], []), np.array([]))
    empty = gathernd.gather_nd(table, np.zeros((0, 1), np.uint8))
    assert_same_bits(empty, table[:0])
    for same in (table, np.zeros(3, "S2"), np.zeros(3, "M8[s]"), np.zeros(3, "V3")):
        assert_same_bits(gathernd.scatter_nd(same, np.zeros((0, 1), int), []), same)


@pytest.mark.parametrize(
    "indices", [[], (), range(0), range(1), deque(), deque([1]), UserList(), UserList([1])]
)
def test_indices_by_any_sequence(indices):
    expected = gathernd.gather_nd(TABLE, np.array(indices, int))
    assert_same_bits(gathernd.gather_nd(TABLE, indices), expected)
    updates = np.zeros_like(expected)
    expected = gathernd.scatter_nd(TABLE, np.array(indices, int), updates)
    assert_same_bits(gathernd.scatter_nd(TABLE, indices, updates), expected)
    assert gathernd.IndexPlan((3, 4), indices).updates_shape == updates.shape


def test_bools_in_any_sequence():
    for indices in (deque([True, 1]), UserList([True, 1])):
        with pytest.raises(TypeError, match="gather_nd: indices must be integers, not bool"):
            gathernd.gather_nd(TABLE, indices)


def test_results_are_arrays_never_scalars():
    for dtype in ("f8", "i4", "?", "M8[s]", "V3", ml_dtypes.bfloat16):
        table = np.zeros(3, dtype)
        for result in (
            gathernd.gather_nd(table, [1]),
            gathernd.gather_nd(table[0], []),
            gathernd.scatter_nd(table[0], [], table[1]),
        ):
            assert_same_bits(result, np.zeros((), dtype))
            assert result.flags.writeable


@pytest.mark.parametrize("dtype", ["S0", "U0", "V0"])
def test_elements_without_bytes(nd, dtype):
    """The fields of a record can have them; NumPy makes S1 of S0 elsewhere."""
    table = np.zeros((3, 2), [("a", "i4"), ("b", dtype)])["b"]
    for mode in ("raise", "fill"):
        assert_same_bits(nd.gather_nd(table, [[2], [0]], mode=mode), table[:2])
    with pytest.raises(IndexError, match="index 3 at"):
        nd.gather_nd(table, [[3]])
    for out in (None, table):
        assert_same_bits(nd.scatter_nd(table, [[2], [2]], table[:2], out=out), table)
    plan = nd.IndexPlan(table.shape, [[2], [0]])
    assert_same_bits(plan.gather(table), table[:2])
    assert_same_bits(plan.scatter(table, table[:2]), table)


@pytest.mark.parametrize("value", [None, {}, {1}, iter([1]), object()], ids=type)
def test_what_is_no_array_is_named(nd, value):
    name = type(value).__name__
    calls: list[Any] = [
        ("gather_nd: input", lambda: nd.gather_nd(value, [[0]])),
        ("scatter_nd: input", lambda: nd.scatter_nd(value, [[0]], TABLE[:1])),
        ("gather_nd: input", lambda: nd.IndexPlan((3, 4), [[0]]).gather(value)),
    ]
    if value is not None:  # which has no dtype of its own, as a number has none
        calls.append(("scatter_nd: updates", lambda: nd.scatter_nd(TABLE, [[0]], value)))
    for what, call in calls:
        with pytest.raises(TypeError, match=f"^{what} must be an array, not {name}$"):
            call()


@pytest.mark.parametrize("make", [range, lambda n: UserList(range(n)), lambda n: deque(range(n))])
def test_sequences_are_updates_as_lists_are(nd, make):
    table = np.zeros(3, np.int32)
    assert_same_bits(nd.scatter_nd(table, [[2], [1]], make(2)), np.array([0, 1, 0], np.int32))
    with pytest.raises(OverflowError, match="updates"):
        nd.scatter_nd(table.astype("i1"), np.zeros((300, 1), int), make(300))


def test_the_advice_for_strings_is_for_strings():
    strings, records = np.array(["a", None]), np.zeros(2, [("a", "O")])
    with pytest.raises(TypeError, match=r'strings by input\.astype\("U"\)$'):
        gathernd.gather_nd(strings, [[0]])
    with pytest.raises(TypeError, match=r"can be moved$"):
        gathernd.gather_nd(records, [[0]])


def test_results_are_new_arrays():
    """Also where nothing was updated or the whole input was gathered."""
    table = np.arange(3)
    for result in (
        gathernd.gather_nd(table, []),
        gathernd.scatter_nd(table, np.zeros((0, 1), int), []),
        gathernd.scatter_nd(table, [], table),
    ):
        assert not np.shares_memory(result, table)


class Subclass(np.ndarray):
    pass


@pytest.mark.parametrize("kind", [Subclass, np.matrix, np.recarray])
@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_subclasses_become_plain_arrays(kind):
    table = TABLE.view(kind)
    assert_same_bits(gathernd.gather_nd(table, INDICES.view(Subclass)), PICKED)
    assert type(gathernd.scatter_nd(table, INDICES, PICKED)) is np.ndarray


def test_masked_arrays_lose_their_mask():
    table = np.ma.masked_array(TABLE, mask=TABLE > 5)
    assert_same_bits(gathernd.gather_nd(table, INDICES), PICKED)


def test_out_of_a_subclass_is_returned():
    out = np.zeros(2, np.float32).view(Subclass)
    assert gathernd.gather_nd(TABLE, INDICES, out=out) is out
    assert out.tolist() == [11, 0]


def test_memmap(tmp_path: Path):
    np.save(tmp_path / "table.npy", TABLE)
    table = np.load(tmp_path / "table.npy", mmap_mode="r+")
    assert_same_bits(gathernd.gather_nd(table, INDICES), PICKED)
    gathernd.scatter_nd(table, INDICES, PICKED + 1, out=table)
    table.flush()
    assert np.load(tmp_path / "table.npy")[2, 3] == 12


def test_update_that_is_a_numpy_scalar():
    assert_same_bits(gathernd.scatter_nd(TABLE, [2, 3], np.float32(5))[2, 3:], np.float32([5]))
    with pytest.raises(TypeError, match="updates"):
        gathernd.scatter_nd(TABLE, [2, 3], np.float64(5))


@pytest.mark.parametrize("value", [None, object(), {1: 2}], ids=["None", "object", "dict"])
def test_things_that_are_no_arrays(value):
    for args in ((np.arange(3), value), (value, [[0]]), ([value], [[0]])):
        with pytest.raises(TypeError, match="gather_nd"):
            gathernd.gather_nd(*args)


def test_indices_of_another_type_in_a_buffer():
    for wrap in (partial(array.array, "d"), memoryview, Exporter, Interface, Convertible):
        for size in (1, 0):
            with pytest.raises(TypeError, match=r"indices must be int8 to int64 .*, not float64"):
                gathernd.gather_nd(TABLE, wrap(np.zeros(size)))


def test_ragged_lists():
    with pytest.raises(ValueError, match=r"gather_nd: indices: .*inhomogeneous"):
        gathernd.gather_nd(TABLE, [[0], [0, 1]])
    with pytest.raises(ValueError, match=r"gather_nd: input: .*inhomogeneous"):
        gathernd.gather_nd([[0], [0, 1]], [[0]])
    with pytest.raises(ValueError, match=r"scatter_nd: updates: .*inhomogeneous"):
        gathernd.scatter_nd(TABLE, [[0], [0]], [[1.0], [0.0, 1.0]])
    with pytest.raises(ValueError, match=r"gather_nd: fill_value: .*inhomogeneous"):
        gathernd.gather_nd(TABLE, [[9]], mode="fill", fill_value=[[1.0], [0.0, 1.0]])
    plan = gathernd.IndexPlan((2, 2), [[0]])
    with pytest.raises(ValueError, match=r"^gather_nd: input: .*inhomogeneous"):
        plan.gather([[0], [0, 1]])
    with pytest.raises(ValueError, match=r"^scatter_nd: input: .*inhomogeneous"):
        plan.scatter([[0], [0, 1]], [[1, 2]])


def test_out_where_arguments_are_lists(nd):
    table, indices, updates = [1, 2, 3], [[2], [0]], [5, 6]
    plan = nd.IndexPlan((3,), indices)
    for gather in (lambda **kw: nd.gather_nd(table, indices, **kw), partial(plan.gather, table)):
        out = np.zeros(2, int)
        assert gather(out=out) is out
        assert out.tolist() == [3, 1]
    for scatter in (
        lambda **kw: nd.scatter_nd(table, indices, updates, **kw),
        partial(plan.scatter, table, updates),
    ):
        out = np.zeros(3, int)
        assert scatter(out=out) is out
        assert out.tolist() == [6, 2, 5]


def foreign(kind: Any, held: np.ndarray) -> Any:
    array = kind(held)
    array.ndim = held.ndim
    return array


@pytest.mark.parametrize("kind", [None, Exporter, Convertible])
def test_a_tuple_of_arrays(nd, kind):
    """In x[i, j] they are columns; here its elements would be tuples."""
    i, j = np.array([0, 1]), np.array([3, 2])
    if kind is not None:
        i, j = foreign(kind, i), foreign(kind, j)
    says = r"must not be a tuple of arrays; for x\[i, j\] use np.stack\(.*\) or gnd.at\(x\)\[i, j\]"
    for pair in ((i, j), (i, [3, 2]), (i, 1), (i, j, i)):
        for call in (
            lambda pair=pair: nd.gather_nd(TABLE, pair),
            lambda pair=pair: nd.scatter_nd(TABLE, pair, TABLE),
            lambda pair=pair: nd.IndexPlan(TABLE.shape, pair),
        ):
            with pytest.raises(TypeError, match=says):
                call()


def test_tuples_of_numbers_and_lists_of_arrays(nd):
    i, j = np.array([0, 1]), np.array([2, 2])
    for indices in ([i, j], ((0, 1), (2, 2)), ([0, 1], [2, 2]), [(0, 1), j]):
        assert_same_bits(nd.gather_nd(TABLE, indices), TABLE[[0, 2], [1, 2]])
    for indices in ((2, 3), (np.int8(2), np.uint64(3)), (np.array(2), np.array(3)), (j[1], 3)):
        assert_same_bits(nd.gather_nd(TABLE, indices), np.array(TABLE[2, 3]))
    assert_same_bits(nd.gather_nd(TABLE, (j,)), TABLE[[2], [2]])
