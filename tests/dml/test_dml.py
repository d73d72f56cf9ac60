"""gathernd.dml: the pages' examples, and calls with arrays and buffers."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

import gathernd
from checks import assert_same_bits, unchanged
from conftest import Backend
from gathernd import dml

F32, U32 = "FLOAT32", "UINT32"


def gather(
    input: list[int], indices: list[int], output: list[int], *counts: int
) -> dml.GatherNDOperatorDesc | dml.GatherND1OperatorDesc:
    kind = dml.GatherND1OperatorDesc if len(counts) == 3 else dml.GatherNDOperatorDesc
    tensors = (dml.TensorDesc(*t) for t in ((F32, input), (U32, indices), (F32, output)))
    return kind(*tensors, *counts)


def scatter(input: list[int], indices: list[int], updates: list[int]) -> dml.ScatterNDOperatorDesc:
    table, rows = dml.TensorDesc(F32, input), dml.TensorDesc(F32, updates)
    tuples = dml.TensorDesc("INT32", indices)
    return dml.ScatterNDOperatorDesc(table, tuples, rows, table, len(input), len(indices))


def array(values: npt.ArrayLike, shape: list[int], dtype: npt.DTypeLike = "f4") -> np.ndarray:
    return np.array(values, dtype).reshape(shape)


# GATHER_ND's two examples, GATHER_ND1's second (its first is GATHER_ND's), and the text's sizes.
EXAMPLES = [
    ([2, 2], [2, 1], [2, 2], (2, 2), range(4), [1, 0], [2, 3, 0, 1]),
    ([1, 2, 2, 2], [1, 1, 2, 2], [1, 1, 2, 2], (3, 2), range(8), [0, 1, 1, 0], [2, 3, 4, 5]),
    (
        [1, 3, 2, 2],
        [1, 3, 2, 2],
        [1, 1, 3, 2],
        (3, 3, 1),
        range(12),
        [0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 0],
        [0, 3, 7, 4, 9, 10],
    ),
    (
        [3, 4, 5, 6, 7],
        [1, 1, 1, 2, 3],
        [1, 1, 2, 6, 7],
        (5, 3),
        range(2520),
        [0, 0, 1, 2, 3, 4],
        [*range(42, 84), *range(2478, 2520)],
    ),
]


@pytest.mark.parametrize(("input", "indices", "output", "counts", "x", "i", "y"), EXAMPLES)
def test_gather_examples(
    nd: Backend, input: Any, indices: Any, output: Any, counts: Any, x: Any, i: Any, y: Any
) -> None:
    op = dml.compile(gather(input, indices, output, *counts), **nd.options)
    result = op(array(x, input), array(i, indices, "u4"))
    assert_same_bits(result, array(y, output))
    short = op(array(x, input[-counts[0] :]), array(i, indices[-counts[1] :], "u4"))
    assert_same_bits(short, result)


def test_scatter_example(nd: Backend) -> None:
    op = dml.compile(scatter([8], [4, 1], [4]), **nd.options)
    result = op(array(range(1, 9), [8]), [[4], [3], [1], [7]], array([9, 10, 11, 12], [4]))
    assert_same_bits(result, array([1, 11, 3, 10, 9, 6, 7, 12], [8]))


def test_negative_indices_of_signed_types_count_from_the_end(nd: Backend) -> None:
    op = dml.compile(scatter([8], [2, 1], [2]), **nd.options)
    result = op(np.zeros(8, "f4"), [[-1], [-8]], np.ones(2, "f4"))
    assert result.nonzero()[0].tolist() == [0, 7]


def test_out_is_returned_and_may_be_the_input(nd: Backend) -> None:
    op = dml.compile(scatter([8], [2, 1], [2]), **nd.options)
    table = np.zeros(8, "f4")
    assert op(table, [[1], [2]], [5, 6], out=table) is table
    assert table.tolist() == [0, 5, 6, 0, 0, 0, 0, 0]
    gathers, out = dml.compile(gather([1, 8], [2, 1], [1, 2], 1, 2), **nd.options), np.ones((1, 2))
    out = out.astype("f4")
    assert gathers(table, [[2], [0]], out=out) is out
    assert out.tolist() == [[6, 0]]


def test_updates_by_lists_of_floats() -> None:
    op = dml.compile(scatter([3], [2, 1], [2]))
    assert op([0, 0, 0], [[2], [0]], [1.5, 2.5]).tolist() == [2.5, 0, 1.5]


def test_buffers_that_are_no_ndarrays() -> None:
    op, output = dml.compile(gather([2, 2], [2, 1], [2, 2], 2, 2)), np.zeros(16, np.uint8)
    table: Any = memoryview(bytes(range(16)))
    tuples: Any = bytearray([1, 0, 0, 0, 0, 0, 0, 0])
    op.run_buffers(table, tuples, output)
    assert output.tolist() == [*range(8, 16), *range(8)]


def test_errors_leave_out_as_it_was(nd: Backend) -> None:
    op = dml.compile(scatter([8], [2, 1], [2]), **nd.options)
    table, updates = np.zeros(8, "f4"), np.ones(2, "f4")
    with unchanged(table), pytest.raises(IndexError, match="index 8"):
        op(table, [[1], [8]], updates, out=table)


@pytest.mark.parametrize(
    ("table", "tuples", "updates", "match"),
    [
        ((3, 2), (2, 1), (2,), r"input must have the desc's sizes \[8\]"),
        ((8,), (2,), (2,), r"indices must have the desc's sizes \[2, 1\]"),
        ((8,), (2, 1), (2, 1), r"updates must have the desc's sizes \[2\]"),
    ],
)
def test_arrays_of_other_sizes(table: Any, tuples: Any, updates: Any, match: str) -> None:
    op = dml.compile(scatter([8], [2, 1], [2]))
    with pytest.raises(ValueError, match=match):
        op(np.zeros(table, "f4"), np.zeros(tuples, "i4"), np.zeros(updates, "f4"))


def test_an_array_of_more_than_32_bits_of_elements() -> None:
    op = dml.compile(scatter([1], [1, 1], [1]))
    many = np.broadcast_to(np.float32(0), (2**32 + 1,))
    with pytest.raises(ValueError, match=r"the desc's sizes \[1\], not \[4294967297\]"):
        op(many, np.zeros((1, 1), "i4"), np.zeros(1, "f4"))


def test_arrays_of_other_sizes_where_leading_ones_are_ignored() -> None:
    op = dml.compile(gather([1, 2, 2, 2], [1, 1, 2, 2], [1, 1, 2, 2], 3, 2))
    sizes = r"the desc's sizes \[1, 2, 2, 2\] or \[2, 2, 2\], not \[2, 4\]"
    with pytest.raises(ValueError, match=sizes):
        op(np.zeros((2, 4), "f4"), np.zeros((2, 2), "u4"))


def test_arrays_of_other_types() -> None:
    op = dml.compile(scatter([8], [2, 1], [2]))
    table, tuples, updates = np.zeros(8, "f4"), np.zeros((2, 1), "i4"), np.zeros(2, "f4")
    for bad in ("f8", "i4", ">f4", ml_dtypes.bfloat16):
        with pytest.raises(TypeError, match=r"input must have the desc's type float32"):
            op(table.astype(bad), tuples, updates)
        with pytest.raises(TypeError, match=r"updates must have the desc's type float32"):
            op(table, tuples, updates.astype(bad))
    with pytest.raises(TypeError, match=r"indices must have the desc's type int32, not int64"):
        op(table, tuples.astype("i8"), updates)
    with pytest.raises(TypeError, match=r"indices must be int8 to int64 .*, not object"):
        op(table, tuples.astype(object), updates)
    with pytest.raises(TypeError, match="op: out must have"):
        op(table, tuples, updates, out=table.astype("f8"))
    with pytest.raises(TypeError, match=r"op: out must be a numpy\.ndarray, not list"):
        op(table, tuples, updates, out=[0] * 8)
    with pytest.raises(ValueError, match=r"output must have the desc's sizes \[8\], not \[9\]"):
        op(table, tuples, updates, out=np.zeros(9, "f4"))
    with pytest.raises(TypeError, match="input"):
        op([1j] * 8, tuples, updates)


@pytest.mark.parametrize(
    "bools", [[[True], [False]], [[True], [0]], ([1], [np.False_]), [np.array([True]), [0]], True]
)
def test_bools_are_no_indices(bools: Any) -> None:
    says = "op: indices must be integers, not bool"
    with pytest.raises(TypeError, match=says):
        dml.compile(gather([2, 2], [2, 1], [2, 2], 2, 2))([[0, 1], [2, 3]], bools)
    with pytest.raises(TypeError, match=says):
        dml.compile(scatter([8], [2, 1], [2]))([0] * 8, bools, [5, 6])


def test_integers_of_any_sort_are_indices() -> None:
    op = dml.compile(gather([1, 8], [2, 1], [1, 2], 1, 2))
    expected = array([[7, 0]], [1, 2])
    for last in (7, np.int8(7), np.array(7)):
        assert_same_bits(op([*range(8)], [[last], [0]]), expected)
    assert_same_bits(op([*range(8)], memoryview(np.uint32([[7], [0]]))), expected)
    with pytest.raises(OverflowError, match="op: indices: -1 is out of bounds for uint32"):
        op([*range(8)], [[-1], [0]])


def test_buffers_of_wrong_kinds() -> None:
    op = dml.compile(gather([2, 2], [2, 1], [2, 2], 2, 2))
    table, tuples, output = (np.zeros(n, np.uint8) for n in (16, 8, 16))
    op.run_buffers(table, tuples, output)
    op.run_buffers(np.zeros(99, np.uint8), tuples, output)
    with pytest.raises(ValueError, match="input must have at least 16 bytes, not 15"):
        op.run_buffers(table[:15], tuples, output)
    with pytest.raises(ValueError, match="output must have at least 16 bytes, not 12"):
        op.run_buffers(table, tuples, output[:12])
    for bad in (table.view("f4"), table.reshape(4, 4), np.zeros(32, np.uint8)[::2]):
        with pytest.raises(TypeError, match="input must be a contiguous one-dimensional array"):
            op.run_buffers(bad, tuples, output)
    with pytest.raises(TypeError, match=r"output must be a contiguous .* not float32"):
        op.run_buffers(table, tuples, output.view("f4"))
    with pytest.raises(TypeError, match=r"output must be a numpy.ndarray, not bytearray"):
        op.run_buffers(table, tuples, bytearray(16))  # type: ignore[arg-type]
    output.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        op.run_buffers(table, tuples, output)


def test_unaligned_and_overlapping_buffers(nd: Backend) -> None:
    op = dml.compile(gather([2, 2], [2, 1], [2, 2], 2, 2), **nd.options)
    buffer = np.zeros(17, np.uint8)
    buffer[1:] = np.arange(4, dtype="f4").view(np.uint8)
    op.run_buffers(buffer[1:], np.array([1, 0], "u4").view(np.uint8), buffer[1:])
    assert buffer[1:].copy().view("f4").tolist() == [2, 3, 0, 1]


def test_unknown_device() -> None:
    with pytest.raises(gathernd.DeviceError, match=r"^dml.compile: .*no device 'tpu'"):
        dml.compile(gather([2, 2], [2, 1], [2, 2], 2, 2), device="tpu")


def test_names() -> None:
    op = dml.compile(gather([2, 2], [2, 1], [2, 2], 2, 2))
    assert repr(op).startswith("<compiled GatherNDOperatorDesc(")
    assert repr(dml.compile(scatter([8], [4, 1], [4]))).startswith("<compiled ScatterND")
    assert gathernd.dml is dml


def test_messages_name_the_argument() -> None:
    op = dml.compile(gather([1, 8], [2, 1], [1, 2], 1, 2))
    with pytest.raises(TypeError, match="op: indices of type float cannot become uint32 without"):
        op([0] * 8, [[1.5], [2]])
    with pytest.raises(TypeError, match="op: input of type NoneType cannot become float32"):
        op(None, [[1], [2]])  # type: ignore[arg-type]


@pytest.mark.parametrize("use", [pickle.dumps, copy.copy, copy.deepcopy])
def test_operators_are_neither_copied_nor_pickled(use: Any) -> None:
    with pytest.raises(TypeError, match="a GatherOperator cannot be copied or pickled"):
        use(dml.compile(gather([1, 8], [2, 1], [1, 2], 1, 2)))
    with pytest.raises(TypeError, match="a ScatterOperator cannot be copied or pickled"):
        use(dml.compile(scatter([8], [2, 1], [2])))
