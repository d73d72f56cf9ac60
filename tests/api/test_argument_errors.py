"""Options, shapes and element types that do not fit: ValueError or TypeError, nothing written."""

from __future__ import annotations

import re

import ml_dtypes
import numpy as np
import pytest

import strategies
from checks import assert_same_bits, refuses, unchanged
from reference import REDUCTIONS, reductions_of

TABLE = np.arange(12, dtype=np.float32).reshape(3, 4)
PAIRS = np.array([[2, 3], [0, 0]])
VALUES = np.array([7, 8], np.float32)


# Options


@pytest.mark.parametrize("mode", ["drop", "", "Raise", "ignore", None, 0])
def test_unknown_mode_of_gather(nd, mode):
    message = refuses(ValueError, nd.gather_nd, TABLE, PAIRS, mode=mode)
    assert all(name in message for name in ("raise", "clip", "wrap", "fill"))


@pytest.mark.parametrize("mode", ["fill", "", "Raise", "ignore", None, 0])
def test_unknown_mode_of_scatter(nd, mode):
    message = refuses(ValueError, nd.scatter_nd, TABLE, PAIRS, VALUES, mode=mode)
    assert all(name in message for name in ("raise", "clip", "wrap", "drop"))


def test_mode_that_is_an_array(nd):
    modes = np.array(["raise", "clip"])
    refuses(ValueError, nd.gather_nd, TABLE, PAIRS, mode=modes, match="mode must be .* not array")
    refuses(ValueError, nd.scatter_nd, TABLE, PAIRS, VALUES, mode=modes, match="mode must be")
    with pytest.raises(ValueError, match=r"IndexPlan: mode must be .* not array"):
        nd.IndexPlan(TABLE.shape, PAIRS, mode=modes)


@pytest.mark.parametrize("reduction", ["", "sum", "Add", "multiply", None, 1])
def test_unknown_reduction(nd, reduction):
    message = refuses(ValueError, nd.scatter_nd, TABLE, PAIRS, VALUES, reduction)
    assert all(name in message for name in ("none", "add", "sub", "mul", "min", "max", "xor"))


@pytest.mark.parametrize("rule", ["", "raise", "Last", None, True])
def test_unknown_duplicates(nd, rule):
    message = refuses(ValueError, nd.scatter_nd, TABLE, PAIRS, VALUES, duplicates=rule)
    assert all(name in message for name in ("last", "first", "error", "any"))


@pytest.mark.parametrize("batch_dims", [True, False, 1.0, "1", None, np.bool_(True)], ids=repr)
def test_batch_dims_is_not_an_integer(nd, batch_dims):
    refuses(TypeError, nd.gather_nd, TABLE, PAIRS, batch_dims, match="batch_dims")
    refuses(TypeError, nd.scatter_nd, TABLE, PAIRS, VALUES, "none", batch_dims, match="batch_dims")


@pytest.mark.parametrize("batch_dims", [-1, 2, 3, 2**40, -(2**31), 2**63, -(2**70)], ids=repr)
def test_batch_dims_out_of_range(nd, batch_dims):
    refuses(ValueError, nd.gather_nd, TABLE, PAIRS, batch_dims, match="batch_dims")
    refuses(ValueError, nd.scatter_nd, TABLE, PAIRS, VALUES, "none", batch_dims, match="batch_dims")


@pytest.mark.parametrize("batch_dims", [2**80, -(2**80)], ids=repr)
def test_batch_dims_of_more_than_64_bits(nd, batch_dims):
    says = "batch_dims must be from 0 to 64, not a number of more than 64 bits"
    refuses(ValueError, nd.gather_nd, TABLE, PAIRS, batch_dims, match=says)


class BadIndex:
    def __index__(self):
        raise LookupError("no index")


def test_batch_dims_whose_error_comes_through(nd):
    with unchanged(TABLE, PAIRS), pytest.raises(LookupError, match="no index"):
        nd.gather_nd(TABLE, PAIRS, BadIndex())


def test_batch_dims_that_is_an_array(nd):
    says = r"batch_dims must be an integer, not array\(\[1\]\)"
    refuses(TypeError, nd.gather_nd, TABLE, PAIRS, np.array([1]), match=says)


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


@pytest.mark.parametrize(
    "shape", [(), (2,), (1, 4), (2, 1), (4, 2), (8,), (8, 1), (2, 4, 1), (1, 2, 4), (0, 4)]
)
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


@pytest.mark.parametrize("name", ["int4", "uint2", "bfloat16", "float8_e5m2"])
def test_types_of_another_package_by_name(nd, name):
    dtype = np.dtype(getattr(ml_dtypes, name))
    refuses(TypeError, nd.gather_nd, TABLE, np.zeros((2, 2), dtype), match=f"uint64, not {name}$")
    table = np.zeros(4, dtype)
    refuses(
        TypeError, nd.scatter_nd, table, [[1]], table[:1], "and", match=f"not defined for {name}"
    )


@pytest.mark.parametrize("dtype", ["f8", "O", np.dtypes.StringDType()], ids=str)
def test_types_of_indices_by_name(nd, dtype):
    indices = np.ones((1, 2), dtype)
    says = (
        rf"indices must be int8 to int64 or uint8 to uint64, not {re.escape(str(indices.dtype))}$"
    )
    refuses(TypeError, nd.gather_nd, TABLE, indices, match=says)
    refuses(TypeError, nd.scatter_nd, TABLE, indices, VALUES[:1], match=says)
    with pytest.raises(TypeError, match="^IndexPlan: " + says):
        nd.IndexPlan(TABLE.shape, indices)


@pytest.mark.parametrize(
    "indices",
    [
        [[1.0]],
        [[np.nan]],
        [[True]],
        [[True, 0]],
        [[1], [np.True_]],
        [["0"]],
        [[None]],
        [[1j]],
        [[np.uint8(1)], [True]],
    ],
)
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
    refuses(TypeError, nd.scatter_nd, np.zeros(4), [[1]], table[:1], match="updates")
    refuses(TypeError, nd.gather_nd, table, [[9]], mode="fill", match="input")
    if dtype is object:
        refuses(TypeError, nd.scatter_nd, table, [[1]], [None], match="input")


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


@pytest.mark.parametrize(
    ("dtype", "element"),
    [("f4", "np.float32(x)"), ("M8[s]", "np.array(x, input.dtype)"), ("?", "np.bool(x)")],
)
def test_updates_that_repeat_one_element_of_another_dtype(nd, dtype, element):
    """updates.astype would make the whole array."""
    table = np.zeros((3, 4), dtype)
    ways = [(np.broadcast_to(0, (2,)), f"np.broadcast_to({element}, updates.shape)")]
    ways.append((np.arange(2), "updates.astype(input.dtype)"))
    for updates, way in ways:
        refuses(TypeError, nd.scatter_nd, table, PAIRS, updates, match=re.escape(way) + "$")
        with pytest.raises(TypeError, match=re.escape(way) + "$"):
            nd.IndexPlan(table.shape, PAIRS).scatter(table, updates)
