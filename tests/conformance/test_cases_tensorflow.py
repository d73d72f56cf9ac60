"""What TensorFlow's gather_nd_op_test.py and scatter_nd_ops_test.py look at, with our own values.

Where the answers differ by contract the test says so, and docs/semantics.md gives the reason.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from checks import assert_same_bits
from conftest import Backend
from peers import flat


@pytest.mark.parametrize("index", ["i2", "i4", "i8"])
@pytest.mark.parametrize("dtype", ["f2", "f4", "i2", "i8", "c8", "c16", "S3", "bfloat16"])
def test_gather_of_any_type(nd: Backend, dtype: str, index: str) -> None:
    element = ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype
    table = np.array([6, 9, 2, 4]).astype(element)
    result = nd.gather_nd(table, np.array([[3], [3], [1]], index))
    assert_same_bits(result, table[[3, 3, 1]])


def test_slices_and_scalars(nd: Backend) -> None:
    table = np.arange(12, dtype="f4").reshape(2, 2, 3).T
    assert_same_bits(nd.gather_nd(table, [2, 1]), np.ascontiguousarray(table[2, 1]))
    assert_same_bits(nd.gather_nd(table, [[1], [1], [0]]), table[[1, 1, 0]])
    assert_same_bits(nd.gather_nd(table, [[[2], [0]], [[1], [2]]]), table[[[2, 0], [1, 2]]])
    assert_same_bits(nd.gather_nd(table, [[], []]), np.stack([table, table]))


def test_many_full_tuples(nd: Backend) -> None:
    rng = np.random.default_rng(5)
    table = rng.random((6, 11, 5, 1, 7))
    tuples = rng.integers(0, table.shape, (300, 5))
    expected = table[tuple(tuples.T)]
    assert_same_bits(nd.gather_nd(table, tuples), expected)
    shaped = nd.gather_nd(table, tuples.reshape(3, 10, 10, 5))
    assert_same_bits(shaped, expected.reshape(3, 10, 10))


def test_empty_table(nd: Backend) -> None:
    table = np.zeros((0, 3), "f4")
    assert nd.gather_nd(table, np.zeros((0, 2), "i4")).shape == (0,)
    assert nd.gather_nd(table, np.zeros((0, 1), "i4")).shape == (0, 3)
    with pytest.raises(IndexError, match="axis 0 of size 0"):
        nd.gather_nd(table, [[0, 0]])
    with pytest.raises(IndexError, match="axis 0 of size 0"):
        nd.scatter_nd(np.zeros((0, 3, 2)), np.zeros((2, 2, 2), int), np.zeros((2, 2, 2)))
    whole = nd.scatter_nd(np.zeros(0), np.zeros(0, int), np.zeros(0))
    assert whole.shape == (0,)


@pytest.mark.parametrize(
    ("table", "indices", "where"),
    [([0, 1, 2], [[[0], [7]]], r"0, 1, 0"), ([[0, 1, 2]], [[[0], [0], [1]]], r"0, 2, 0")],
)
def test_the_bad_tuple_is_named(nd: Backend, table: Any, indices: Any, where: str) -> None:
    with pytest.raises(IndexError, match=rf"indices\[{where}\]"):
        nd.gather_nd(table, indices)


def test_negative_indices_count_from_the_end(nd: Backend) -> None:
    # TensorFlow's CPU kernels raise for -1.
    result = nd.scatter_nd(flat([1, 2, 3]), [[-1], [0]], flat([8, 9]), "add")
    assert_same_bits(result, flat([10, 2, 11]))


@pytest.mark.parametrize("dtype", ["i4", "i8", "f4", "f8", "c8"])
@pytest.mark.parametrize(
    ("reduction", "expected"),
    [("none", [1, 7, 1, 5, 1]), ("add", [1, 8, 1, 6, 1]), ("sub", [1, -6, 1, -4, 1])],
)
def test_update_add_sub(nd: Backend, reduction: Any, expected: Any, dtype: str) -> None:
    ones = np.ones(5, dtype)
    result = nd.scatter_nd(ones, [[3], [1]], flat([5, 7], dtype), reduction)
    assert_same_bits(result, flat(expected, dtype))


def test_min_max(nd: Backend) -> None:
    ones, tuples, updates = np.ones(5, "i4"), [[4], [3], [1]], flat([0, 2, -1], "i4")
    assert nd.scatter_nd(ones, tuples, updates, "min").tolist() == [1, -1, 1, 1, 0]
    assert nd.scatter_nd(ones, tuples, updates, "max").tolist() == [1, 1, 1, 2, 1]


def test_bools_are_not_added(nd: Backend) -> None:
    # TensorFlow's scatter_nd of bools is "or".
    table, tuples, updates = np.zeros(4, bool), [[3], [0], [3]], np.array([True, False, True])
    with pytest.raises(TypeError, match='use "or"'):
        nd.scatter_nd(table, tuples, updates, "add")
    assert nd.scatter_nd(table, tuples, updates, "or").tolist() == [False] * 3 + [True]


@pytest.mark.parametrize(
    ("table", "indices", "updates"),
    [
        ((2, 2, 2), (3, 2, 2), (2, 2, 2)),
        ((2, 2, 2), (2, 2, 1), (2, 2)),
        ((8,), (4, 1, 1), (4,)),
        ((1,), (1,), (1,)),
    ],
)
def test_wrong_shapes(nd: Backend, table: Any, indices: Any, updates: Any) -> None:
    with pytest.raises(ValueError, match="updates must have shape"):
        nd.scatter_nd(np.zeros(table), np.zeros(indices, int), np.zeros(updates))


def test_scalar_table(nd: Backend) -> None:
    # TensorFlow wants at least one dimension.
    result = nd.scatter_nd(flat(3), np.zeros((2, 0), int), flat([4, 5]), "add")
    assert_same_bits(result, flat(12))


def test_repeated_updates_are_deterministic(nd: Backend) -> None:
    values = np.random.default_rng(7).standard_normal(20_000).astype("f4")
    tuples = np.zeros((values.size, 1), int)
    assert nd.scatter_nd(np.zeros(1, "f4"), tuples, values)[0] == values[-1]
    total = np.zeros(1, "f4")
    np.add.at(total, tuples[:, 0], values)
    assert_same_bits(nd.scatter_nd(np.zeros(1, "f4"), tuples, values, "add"), total)


def test_gradient_of_gather(nd: Backend) -> None:
    zeros = np.zeros((2, 1, 2, 3))
    tuples = np.array([[[0, 0, 1], [1, 0, 0]], [[0, 0, 1], [1, 0, 1]]])
    rows = np.arange(12.0).reshape(2, 2, 3)
    expected = zeros.copy()
    expected[0, 0, 1] = rows[0, 0] + rows[1, 0]
    expected[1, 0, 0], expected[1, 0, 1] = rows[0, 1], rows[1, 1]
    assert_same_bits(nd.scatter_nd(zeros, tuples, rows, "add"), expected)
