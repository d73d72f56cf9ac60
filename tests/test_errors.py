"""Every error of the contract: its type, what its message names, and that nothing was written.

`refuses` checks the operation's name and the bytes of every array argument, `out` included.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import gathernd
import strategies
from checks import assert_same_bits, names_bad_index, numbers, refuses
from reference import REDUCTIONS, reductions_of

TABLE = np.arange(12, dtype=np.float32).reshape(3, 4)
PAIRS = np.array([[2, 3], [0, 0]])
VALUES = np.array([7, 8], np.float32)


# Index values


@pytest.mark.parametrize("dtype", strategies.INDEX_DTYPES, ids=str)
@pytest.mark.parametrize("value", [4, 5, 127, -5, -128, 255, 2**31, 2**63 - 1, -(2**63), 2**64 - 1])
def test_index_out_of_range(nd, dtype, value):
    """The first bad tuple in C order is named, though a later one is bad too."""
    if not np.iinfo(dtype).min <= value <= np.iinfo(dtype).max:
        value = np.iinfo(dtype).max
    indices = np.zeros((5, 2, 2), dtype)
    indices[3, 1, 1] = value
    indices[4, 0, 0] = np.iinfo(dtype).max
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
    refuses(ValueError, nd.scatter_nd, table, [[1]], [1], reduction, duplicates=rule, match=rule)


# Options


@pytest.mark.parametrize("mode", ["drop", "", "Raise", "ignore"])
def test_unknown_mode_of_gather(nd, mode):
    message = refuses(ValueError, nd.gather_nd, TABLE, PAIRS, mode=mode)
    assert all(name in message for name in ("raise", "clip", "wrap", "fill"))


@pytest.mark.parametrize("mode", ["fill", "", "Raise", "ignore"])
def test_unknown_mode_of_scatter(nd, mode):
    message = refuses(ValueError, nd.scatter_nd, TABLE, PAIRS, VALUES, mode=mode)
    assert all(name in message for name in ("raise", "clip", "wrap", "drop"))


@pytest.mark.parametrize("reduction", ["", "sum", "Add", "multiply"])
def test_unknown_reduction(nd, reduction):
    message = refuses(ValueError, nd.scatter_nd, TABLE, PAIRS, VALUES, reduction)
    assert all(name in message for name in ("none", "add", "sub", "mul", "min", "max", "xor"))


@pytest.mark.parametrize("rule", ["", "raise", "Last"])
def test_unknown_duplicates(nd, rule):
    message = refuses(ValueError, nd.scatter_nd, TABLE, PAIRS, VALUES, duplicates=rule)
    assert all(name in message for name in ("last", "first", "error", "any"))


@pytest.mark.parametrize("batch_dims", [True, False, 1.0, "1", None, np.bool_(True)], ids=repr)
def test_batch_dims_is_not_an_integer(nd, batch_dims):
    refuses(TypeError, nd.gather_nd, TABLE, PAIRS, batch_dims, match="batch_dims")
    refuses(TypeError, nd.scatter_nd, TABLE, PAIRS, VALUES, "none", batch_dims, match="batch_dims")


@pytest.mark.parametrize("batch_dims", [-1, 2, 3, 2**40, -(2**31), 2**63, 2**70], ids=repr)
def test_batch_dims_out_of_range(nd, batch_dims):
    refuses(ValueError, nd.gather_nd, TABLE, PAIRS, batch_dims, match="batch_dims")
    refuses(ValueError, nd.scatter_nd, TABLE, PAIRS, VALUES, "none", batch_dims, match="batch_dims")


def test_batch_dims_may_be_a_numpy_integer(nd):
    assert_same_bits(nd.gather_nd(TABLE, [[1], [2], [3]], np.int8(1)), np.float32([1, 6, 11]))


# Shapes


@pytest.mark.parametrize(
    ("table", "indices", "batch_dims"),
    [
        ((3, 4), (2, 3), 0),  # K = rank + 1
        ((3, 4), (3, 2), 1),
        ((), (1,), 0),
        ((3, 4), (), 0),  # no tuples
        ((2, 4), (4, 1), 1),  # batches that differ, divisible and not
        ((4, 4), (2, 1), 1),
        ((3, 4), (2, 1), 1),
        ((1, 4), (2, 1), 1),  # no broadcasting
        ((2, 3, 4), (3, 2, 1), 2),
        ((2, 3), (2, 0), 2),
    ],
)
def test_shapes_that_do_not_fit(nd, table, indices, batch_dims):
    table, indices = np.zeros(table), np.zeros(indices, int)
    refuses(ValueError, nd.gather_nd, table, indices, batch_dims)
    refuses(ValueError, nd.scatter_nd, table, indices, np.zeros(2), "none", batch_dims)


@pytest.mark.parametrize("shape", [(), (2,), (1, 4), (4, 2), (8,), (2, 4, 1), (1, 2, 4), (0, 4)])
def test_updates_shape(nd, shape):
    """Neither broadcast nor reshaped; the message has the expected and the given shape."""
    for updates in (np.ones(shape, np.float32), np.ones(shape, np.float32).tolist()):
        message = refuses(ValueError, nd.scatter_nd, TABLE, [[0], [1]], updates)
        assert "(2, 4)" in message
        assert str(np.shape(updates)) in message


# Element types


@pytest.mark.parametrize("dtype", ["f4", "f8", "?", "O", "U1", "S1", "c8", "M8[s]", "m8[s]", "V4"])
@pytest.mark.parametrize("shape", [(2, 2), (0, 2), (2, 0)])
def test_indices_of_another_type(nd, dtype, shape):
    indices = np.zeros(shape, dtype)
    values = np.zeros((shape[0], 3, 4)[: 3 - shape[1]], np.float32)
    refuses(TypeError, nd.gather_nd, TABLE, indices, match="indices")
    refuses(TypeError, nd.scatter_nd, TABLE, indices, values, match="indices")


@pytest.mark.parametrize("indices", [[[1.0]], [[float("nan")]], [[True]], [["0"]], [[None]]])
def test_indices_of_another_type_in_a_list(nd, indices):
    refuses(TypeError, nd.gather_nd, TABLE, indices, match="indices")


@pytest.mark.parametrize(
    "dtype",
    [object, np.dtype([("a", object)]), np.dtypes.StringDType(), np.dtype(("O", 2))],
    ids=["object", "record", "string", "subarray"],
)
def test_elements_that_hold_objects(nd, dtype):
    table = np.zeros(4, dtype)
    refuses(TypeError, nd.gather_nd, table, [[1]], match="input")
    refuses(TypeError, nd.scatter_nd, table, [[1]], table[:1], match="input")


@pytest.mark.parametrize(
    ("dtype", "other"),
    [
        ("f4", "f8"),
        ("f8", "f4"),
        ("i4", "u4"),
        ("i8", "f8"),
        ("i1", "?"),
        ("<i4", ">i4"),
        ("M8[s]", "M8[ms]"),
        ("M8[s]", "i8"),
        ("S3", "S2"),
        ("V4", "i4"),
        ("f2", ml_dtypes.bfloat16),
        ("f4", "O"),
    ],
)
def test_updates_of_another_type(nd, dtype, other):
    table, updates = np.zeros(4, dtype), np.zeros(1, other)
    message = refuses(TypeError, nd.scatter_nd, table, [[1]], updates, match="updates")
    assert str(table.dtype) in message
    assert str(updates.dtype) in message


@pytest.mark.parametrize("dtype", strategies.DTYPES, ids=str)
def test_reductions_that_a_type_does_not_have(nd, dtype):
    table = strategies.any_bits(np.random.default_rng(0), (4,), dtype)
    updates = strategies.any_bits(np.random.default_rng(1), (2,), dtype)
    for reduction in set(REDUCTIONS) - set(reductions_of(dtype)):
        refuses(TypeError, nd.scatter_nd, table, [[1], [1]], updates, reduction, match=reduction)


def test_sum_of_bool_has_a_hint(nd):
    table = np.zeros(4, bool)
    refuses(TypeError, nd.scatter_nd, table, [[1]], [True], "add", match=r"\bor\b")


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


# Python numbers and lists take the input's dtype by NumPy 2's rules


@pytest.mark.parametrize(
    ("error", "dtype", "value"),
    [
        (OverflowError, "i1", 128),
        (OverflowError, "i1", -129),
        (OverflowError, "u1", -1),
        (OverflowError, "u8", 2**64),
        (OverflowError, "f2", 1e6),
        (OverflowError, "f2", 70000),
        (OverflowError, "f4", 1e300),
        (OverflowError, "f8", 10**400),
        (OverflowError, "c8", 1e300),
        (TypeError, "i4", 1.5),
        (TypeError, "i4", 1.0),
        (TypeError, "f4", 1j),
        (TypeError, "i4", 1j),
        (TypeError, "?", 1),
        (TypeError, "?", 0.5),
        (TypeError, "i4", "1"),
        (TypeError, "i4", None),
    ],
)
def test_number_that_does_not_fit(nd, error, dtype, value):
    table = np.zeros(4, dtype)
    refuses(error, nd.scatter_nd, table, [[1]], [value])
    refuses(error, nd.scatter_nd, table, [1], value)
    refuses(error, nd.gather_nd, table, [[9]], mode="fill", fill_value=value)


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("i1", -128),
        ("u8", 2**64 - 1),
        ("i4", True),
        ("f4", 3),
        ("f4", 0.1),
        ("f4", 2**24 + 1),
        ("f2", float("inf")),
        ("f2", float("nan")),
        ("f2", 65504),
        ("c8", 2),
        ("c16", 1 + 2j),
        ("?", True),
        ("g", 0.5),
        (ml_dtypes.bfloat16, 1.5),
    ],
)
def test_number_that_fits(nd, dtype, value):
    table = np.zeros(4, dtype)
    expected = np.array(value).astype(dtype)
    assert_same_bits(nd.scatter_nd(table, [[1]], [value])[1:2], expected.reshape(1))
    assert_same_bits(nd.scatter_nd(table, [1], value)[1:2], expected.reshape(1))
    filled = nd.gather_nd(table, [[9]], mode="fill", fill_value=value)
    assert_same_bits(filled, expected.reshape(1))


@pytest.mark.parametrize("fill_value", [np.zeros(2, np.float32), [0.0, 0.0], [[0.0]]], ids=repr)
def test_fill_value_is_one_element(nd, fill_value):
    refuses((ValueError, TypeError), nd.gather_nd, TABLE, PAIRS, mode="fill", fill_value=fill_value)


@pytest.mark.parametrize("fill_value", [np.int64(1), np.array(1j), np.array(1, object)])
def test_fill_value_array_of_another_type(nd, fill_value):
    refuses(TypeError, nd.gather_nd, TABLE, PAIRS, mode="fill", fill_value=fill_value)
