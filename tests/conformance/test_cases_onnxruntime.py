"""What ONNX Runtime's gather_nd_op_test.cc and scatter_nd_op_test.cc look at, with our own values.

Where the answers differ by contract the test says so, and docs/semantics.md gives the reason.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from checks import assert_same_bits
from conftest import Backend
from peers import TABLE, flat


@pytest.mark.parametrize("dtype", ["U5", "S5", "?", "i1", "i2", "u4", "i8", "f2", "f4", "f8"])
def test_gather_of_any_type(nd: Backend, dtype: str) -> None:
    table = np.array([[3, 1], [0, 2], [5, 4]]).astype(dtype)
    assert_same_bits(nd.gather_nd(table, [2, 1]), table[2:3, 1].reshape(()))
    assert_same_bits(nd.gather_nd(table, [[0], [-1]]), table[[0, 2]])
    assert_same_bits(nd.gather_nd(table, [[[1, -2]], [[2, 0]]]), table[[[1], [2]], [[0], [0]]])


@pytest.mark.parametrize(
    ("batch_dims", "indices", "expected"),
    [
        (0, [[[1, -1], [0, 0]]], [[TABLE[1, 2], TABLE[0, 0]]]),
        (1, [[[2, 3]], [[-3, -1]]], [[11], [15]]),
        (1, [[1], [-1]], [TABLE[0, 1], TABLE[1, 2]]),
        (2, [[[0], [1], [2]], [[-1], [-2], [-3]]], [[0, 5, 10], [15, 18, 21]]),
    ],
)
def test_batches(nd: Backend, batch_dims: int, indices: Any, expected: Any) -> None:
    assert_same_bits(nd.gather_nd(TABLE, indices, batch_dims), flat(expected))


def test_batches_must_be_equal(nd: Backend) -> None:
    with pytest.raises(ValueError, match="batch dimensions"):
        nd.gather_nd(np.zeros((3, 3)), [[1], [2]], 1)
    with pytest.raises(ValueError, match="batch dimensions"):
        nd.gather_nd(np.zeros((0, 3)), [[1], [2]], 1)
    # ONNX Runtime takes a batch that divides the indices' batch; here that is no broadcast.
    with pytest.raises(ValueError, match="batch dimensions"):
        nd.gather_nd(np.zeros((1, 3)), [[1], [2]], 1)


def test_no_index_into_a_dimension_of_size_0(nd: Backend) -> None:
    with pytest.raises(IndexError, match="axis 1 of size 0"):
        nd.gather_nd(np.zeros((2, 0, 3)), [[0, 0]])


def test_scatter_of_strings(nd: Backend) -> None:
    words = np.array([["ab", "c"], ["", "defg"]])
    result = nd.scatter_nd(words, [[-1, 0], [0, -1]], np.array(["hi", "you"], words.dtype))
    assert result.tolist() == [["ab", "you"], ["hi", "defg"]]
    result = nd.scatter_nd(words, [[0], [0]], [["x", "y"], ["z", "w"]])
    assert result.tolist() == [["z", "w"], ["", "defg"]]


def test_strings_are_not_added(nd: Backend) -> None:
    # ONNX Runtime and TensorFlow concatenate; elements of fixed size cannot grow.
    with pytest.raises(TypeError, match="not defined for str"):
        nd.scatter_nd(np.array(["a"]), [[0]], np.array(["b"]), "add")


@pytest.mark.parametrize(
    ("reduction", "expected"),
    [("add", [10.5, 4.5, 2]), ("mul", [24, 8, 2]), ("min", [0.5, 0.5, 2]), ("max", [8, 4, 2])],
)
def test_reductions_of_duplicates(nd: Backend, reduction: str, expected: Any) -> None:
    table = flat([0.5, 0.5, 2]) if reduction != "mul" else flat([1.5, 2, 2])
    result = nd.scatter_nd(table, [[0], [1], [0]], flat([2, 4, 8]), reduction)
    assert_same_bits(result, flat(expected))


def test_no_tuples(nd: Backend) -> None:
    result = nd.scatter_nd(TABLE, np.zeros((0, 1), int), np.zeros((0, 3, 4), "f4"))
    assert_same_bits(result, TABLE)


def test_tuples_of_length_0(nd: Backend) -> None:
    none = np.zeros((2, 0), int)
    updates = np.stack([TABLE + 1, TABLE + 2])
    assert_same_bits(nd.scatter_nd(TABLE, none, updates), TABLE + 2)
    assert_same_bits(nd.scatter_nd(TABLE, none, updates, "add"), 3 * TABLE + 3)
    empty = np.zeros((0, 3), "f4")
    assert_same_bits(nd.scatter_nd(empty, none, np.zeros((2, 0, 3), "f4")), empty)
