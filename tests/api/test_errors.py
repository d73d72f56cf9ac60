"""Every error of the contract: its type, what its message names, and that nothing was written.

`refuses` checks the operation's name and the bytes of every array argument, `out` included.
"""

from __future__ import annotations

import numpy as np
import pytest

import gathernd
import strategies
from checks import assert_same_bits, names_bad_index, numbers, refuses

TABLE = np.arange(12, dtype=np.float32).reshape(3, 4)
PAIRS = np.array([[2, 3], [0, 0]])
VALUES = np.array([7, 8], np.float32)


# Index values


@pytest.mark.parametrize("dtype", strategies.INDEX_DTYPES, ids=str)
@pytest.mark.parametrize("value", [4, 5, 127, -5, -128, 255, 2**31, 2**63 - 1, -(2**63), 2**64 - 1])
def test_index_out_of_range(nd, dtype, value):
    """The first bad tuple in C order is named, though a later one is bad too."""
    limits = np.iinfo(dtype)
    if not limits.min <= value <= limits.max:
        value = limits.min if value < limits.min < 0 else limits.max
    indices = np.zeros((5, 2, 2), dtype)
    indices[3, 1, 1] = value
    indices[4, 0, 0] = limits.max
    updates = np.ones((5, 2), np.float32)
    for out in (None, np.full((5, 2), 5, np.float32)):
        message = refuses(IndexError, nd.gather_nd, TABLE, indices, out=out)
        names_bad_index(message, value, (3, 1, 1), 1, 4)
    for out in (None, np.full((3, 4), 5, np.float32)):
        message = refuses(IndexError, nd.scatter_nd, TABLE, indices, updates, out=out)
        names_bad_index(message, value, (3, 1, 1), 1, 4)
    inplace = TABLE.copy()
    refuses(IndexError, nd.scatter_nd, inplace, indices, updates, "add", out=inplace)


def test_index_message():
    """The whole message, as the documentation shows it."""
    with pytest.raises(IndexError) as caught:
        gathernd.gather_nd(TABLE, [[[0, 0], [0, 0]]] * 3 + [[[0, 7], [1, 1]]])
    expected = "gather_nd: index 7 at indices[3, 0, 1] is out of range for axis 1 of size 4"
    assert str(caught.value) == expected


def test_position_includes_the_batch_and_the_axis_counts_it(nd):
    table = np.zeros((2, 3, 4, 5))
    indices = np.zeros((2, 3, 6, 1), int)
    indices[1, 2, 5, 0] = -5
    message = refuses(IndexError, nd.gather_nd, table, indices, 2)
    names_bad_index(message, -5, (1, 2, 5, 0), 2, 4)


@pytest.mark.parametrize("mode", ["raise", "clip", "wrap"])
def test_dimension_of_size_zero(nd, mode):
    table = np.zeros((3, 0, 2))
    message = refuses(IndexError, nd.gather_nd, table, [[1, 0]], mode=mode)
    names_bad_index(message, 0, (0, 1), 1, 0)
    updates = np.ones((1, 2))
    message = refuses(IndexError, nd.scatter_nd, table, [[1, 0]], updates, mode=mode)
    names_bad_index(message, 0, (0, 1), 1, 0)


def test_bad_index_of_an_empty_slice(nd):
    """Nothing would be moved; the tuple is bad all the same."""
    message = refuses(IndexError, nd.gather_nd, np.zeros((3, 0)), [[0], [3]])
    names_bad_index(message, 3, (1, 0), 0, 3)
    refuses(IndexError, nd.scatter_nd, np.zeros((3, 0)), [[0], [3]], np.zeros((2, 0)))


# Duplicates


@pytest.mark.parametrize("out", [None, np.full(4, 5.0)], ids=["fresh", "out"])
def test_duplicates_error(nd, out):
    indices = np.array([[0], [1], [2], [3], [3], [-2]])
    message = refuses(
        ValueError,
        nd.scatter_nd,
        np.zeros(4),
        indices,
        np.ones(6),
        duplicates="error",
        out=out,
        match=r"address the same slice \(duplicates=\"error\"\)",
    )
    assert tuple(numbers(message)) in {(3, 4), (2, 5)}


def test_duplicates_error_between_batches_is_none(nd):
    table = np.zeros((2, 3))
    result = nd.scatter_nd(table, [[[1]], [[1]]], [[1.0], [2.0]], "none", 1, duplicates="error")
    assert_same_bits(result, np.array([[0.0, 1, 0], [0, 2, 0]]))


@pytest.mark.parametrize("rule", ["first", "error", "any"])
@pytest.mark.parametrize("reduction", ["add", "max", "xor"])
def test_duplicates_rule_of_a_reduction(nd, rule, reduction):
    table = np.zeros(4, int)
    args = (table, [[1]], [1], reduction)
    refuses(ValueError, nd.scatter_nd, *args, duplicates=rule, match="duplicates")


# out


@pytest.mark.parametrize(
    ("error", "out"),
    [
        (TypeError, [0.0, 0.0]),
        (TypeError, 1.0),
        (TypeError, np.zeros(2, np.float64)),
        (TypeError, np.zeros(2, ">f4")),
        (TypeError, np.zeros(2, object)),
        (ValueError, np.zeros(3, np.float32)),
        (ValueError, np.zeros((1, 2), np.float32)),
        (ValueError, np.zeros((), np.float32)),
        (ValueError, strategies.lay_out(np.zeros(2, np.float32), "readonly")),
    ],
)
def test_out_of_gather(nd, error, out):
    refuses(error, nd.gather_nd, TABLE, PAIRS, out=out, match="out")


@pytest.mark.parametrize(
    ("error", "out"),
    [
        (TypeError, TABLE.tolist()),
        (TypeError, np.zeros((3, 4), np.float64)),
        (ValueError, np.zeros((4, 3), np.float32)),
        (ValueError, np.zeros(12, np.float32)),
        (ValueError, strategies.lay_out(TABLE, "readonly")),
    ],
)
def test_out_of_scatter(nd, error, out):
    refuses(error, nd.scatter_nd, TABLE, PAIRS, VALUES, out=out, match="out")


@pytest.mark.parametrize("strides", [(0, 4), (4, 0), (4, 4), (8, 4), (-4, 4), (4, 2), (0, 0)])
def test_out_overlaps_itself(nd, strides):
    buffer = np.zeros(64, np.float32)
    out = np.lib.stride_tricks.as_strided(buffer[32:], (3, 4), strides)
    refuses(ValueError, nd.scatter_nd, TABLE, PAIRS, VALUES, out=out, match="out")
    refuses(ValueError, nd.gather_nd, TABLE, np.zeros((3, 4, 2), int), out=out, match="out")


@pytest.mark.parametrize("strides", [(16, 4), (4, 12), (-16, 4), (20, 4), (8, 24), (5, 15)])
def test_out_of_odd_strides(nd, strides):
    """Interleaved or with gaps: no two elements overlap, so it is legal."""
    buffer = np.zeros(512, np.uint8)
    out = np.lib.stride_tricks.as_strided(buffer[256:].view(np.float32), (3, 4), strides)
    nd.scatter_nd(TABLE, PAIRS, VALUES, out=out)
    assert_same_bits(out.copy(), nd.scatter_nd(TABLE, PAIRS, VALUES))
