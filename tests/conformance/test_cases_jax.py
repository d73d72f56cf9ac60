"""What JAX's lax_numpy_indexing_test.py looks at, with our own values.

Where the answers differ by contract the test says so, and docs/semantics.md gives the reason.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from checks import assert_same_bits, unchanged
from conftest import Backend
from peers import TABLE, flat


@pytest.mark.parametrize(
    ("reduction", "operation"),
    [
        ("none", lambda x, y: y),
        ("add", np.add),
        ("sub", np.subtract),
        ("mul", np.multiply),
        ("min", np.minimum),
        ("max", np.maximum),
    ],
)
def test_indexed_updates(nd: Backend, reduction: Any, operation: Any) -> None:
    updates = flat(range(8)).reshape(2, 4) - 3
    expected = TABLE.copy()
    expected[[1, 0], [0, 2]] = operation(TABLE[[1, 0], [0, 2]], updates)
    assert_same_bits(nd.scatter_nd(TABLE, [[1, 0], [0, 2]], updates, reduction), expected)


def test_segment_sum(nd: Backend) -> None:
    ids, data = [[0], [0], [1], [3], [3], [3]], flat([4, 1, 6, 2, 3, 5])
    assert_same_bits(nd.scatter_nd(np.zeros(5, "f4"), ids, data, "add"), flat([5, 6, 0, 10, 0]))


def test_segments_of_bools(nd: Backend) -> None:
    ids, data = [[0], [0], [1], [1]], np.array([True, False, True, True])
    assert nd.scatter_nd(np.ones(2, bool), ids, data, "min").tolist() == [False, True]
    assert nd.scatter_nd(np.zeros(2, bool), ids, data, "max").tolist() == [True, True]


def test_out_of_bounds(nd: Backend) -> None:
    # JAX clamps reads and drops updates unless told otherwise; here a mode asks for that.
    table = flat([1, 2, 3])
    tuples = [[5], [-4], [1]]
    with unchanged(table), pytest.raises(IndexError, match="index 5"):
        nd.gather_nd(table, tuples)
    assert nd.gather_nd(table, tuples, mode="clip").tolist() == [3, 1, 2]
    assert nd.gather_nd(table, tuples, mode="fill", fill_value=9).tolist() == [9, 9, 2]
    dropped = nd.scatter_nd(table, tuples, flat([7, 8, 9]), "add", mode="drop")
    assert_same_bits(dropped, flat([1, 11, 3]))


def test_updates_neither_broadcast_nor_cast(nd: Backend) -> None:
    # JAX does both.
    with pytest.raises(ValueError, match="updates must have shape"):
        nd.scatter_nd(TABLE, [[0], [1]], TABLE[0])
    with pytest.raises(TypeError, match="must have input's dtype"):
        nd.scatter_nd(TABLE, [[0]], TABLE[:1].astype("f8"))


def test_an_update_may_come_from_the_table(nd: Backend) -> None:
    table, tuples = np.arange(8.0), np.arange(1, 8)[:, None]
    shifted = np.array([0.0, 0, 1, 2, 3, 4, 5, 6])
    assert_same_bits(nd.scatter_nd(table, tuples, table[:-1]), shifted)
    assert nd.scatter_nd(table, tuples, table[:-1], out=table) is table
    assert_same_bits(table, shifted)


def test_the_greatest_uint32_is_kept(nd: Backend) -> None:
    top = 2**32 - 1
    assert nd.scatter_nd(np.zeros(1, "u4"), [[0]], [top]).tolist() == [top]
