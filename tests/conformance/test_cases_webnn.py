"""What WebNN's conformance tests of gatherND and scatterND look at, with our own values.

Where the answers differ by contract the test says so, and docs/semantics.md gives the reason.
"""

from __future__ import annotations

import numpy as np
import pytest

from checks import assert_same_bits
from conftest import Backend
from peers import TABLE, flat


@pytest.mark.parametrize("index", ["i4", "u4", "i8"])
@pytest.mark.parametrize("dtype", ["f2", "f4", "i1", "u1", "i4", "u4", "i8", "u8"])
def test_one_tuple(nd: Backend, dtype: str, index: str) -> None:
    table = np.arange(36).reshape(3, 2, 2, 3).astype(dtype)
    assert_same_bits(nd.gather_nd(table, flat([2, 0, 1], index)), table[2, 0, 1])


def test_least_and_greatest_indices(nd: Backend) -> None:
    assert_same_bits(nd.gather_nd(TABLE, [-2, -3]), TABLE[0, 0])
    assert_same_bits(nd.gather_nd(TABLE, [1, 2]), TABLE[1, 2])


@pytest.mark.parametrize("shape", [(7,), (7, 1)])
def test_out_of_bounds(nd: Backend, shape: tuple[int, ...]) -> None:
    # WebNN's tests expect the clamped index; that is mode="clip".
    table = np.arange(7, dtype="f4").reshape(shape)
    with pytest.raises(IndexError):
        nd.gather_nd(table, [[7], [20]])
    assert_same_bits(nd.gather_nd(table, [[7], [20]], mode="clip"), table[[6, 6]])


def test_scatter_elements_and_slices(nd: Backend) -> None:
    result = nd.scatter_nd(np.zeros(6, "f4"), [[4], [0], [5]], flat([1, 2, 3]))
    assert_same_bits(result, flat([2, 0, 0, 0, 1, 3]))
    result = nd.scatter_nd(TABLE, flat([[1]], "i4"), -TABLE[:1])
    assert_same_bits(result, np.stack([TABLE[0], -TABLE[0]]))
    result = nd.scatter_nd(TABLE, flat([[1, 2], [0, 1]], "u4"), -TABLE[0, :2])
    expected = TABLE.copy()
    expected[1, 2], expected[0, 1] = -TABLE[0, 0], -TABLE[0, 1]
    assert_same_bits(result, expected)
