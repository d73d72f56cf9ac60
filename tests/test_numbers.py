"""Python numbers and lists take the input's dtype by the rules of NumPy 2's weak scalars."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from checks import assert_same_bits, assert_same_values, refuses

TABLE = np.arange(12, dtype=np.float32).reshape(3, 4)
PAIRS = np.array([[2, 3], [0, 0]])
COMPLEX = [name for name in ("complex32", "bcomplex32") if hasattr(ml_dtypes, name)]


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
        pytest.param(OverflowError, "f8", 10**400, id="OverflowError-f8-10**400"),
        (OverflowError, "c8", 1e300),
        (TypeError, "i4", 1.5),
        (TypeError, "i4", 1.0),
        (TypeError, "f4", 1j),
        (TypeError, "i4", 1j),
        (TypeError, "?", 1),
        (TypeError, "?", 0.5),
        (TypeError, "i4", "1"),
        (TypeError, "i4", None),
        (OverflowError, ml_dtypes.int4, 8),
        (TypeError, ml_dtypes.int4, 1.5),
        (ValueError, "S2", b"abc"),
        (TypeError, "S2", "ab"),
        (TypeError, "U2", 5),
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
        (ml_dtypes.int4, -8),
        *((getattr(ml_dtypes, name), 1 + 2j) for name in COMPLEX),
        ("S3", b"ab"),
        ("U2", "ab"),
        ("M8[s]", "2020-01-01"),
    ],
)
def test_number_that_fits(nd, dtype, value):
    table = np.zeros(4, dtype)
    expected = np.array(value).astype(dtype)
    same = assert_same_values if dtype == "g" else assert_same_bits  # a longdouble has padding
    same(nd.scatter_nd(table, [[1]], [value])[1:2], expected.reshape(1))
    same(nd.scatter_nd(table, [1], value)[1:2], expected.reshape(1))
    filled = nd.gather_nd(table, [[9]], mode="fill", fill_value=value)
    same(filled, expected.reshape(1))


@pytest.mark.parametrize("fill_value", [np.zeros(2, np.float32), [0.0, 0.0], [[0.0]]], ids=repr)
def test_fill_value_is_one_element(nd, fill_value):
    refuses((ValueError, TypeError), nd.gather_nd, TABLE, PAIRS, mode="fill", fill_value=fill_value)


@pytest.mark.parametrize(
    ("error", "fill_value"),
    [
        (TypeError, np.float64(1.5)),
        (TypeError, np.array(1j)),
        (OverflowError, np.int64(300)),
        (TypeError, np.str_("1")),
    ],
    ids=repr,
)
def test_fill_value_array_that_does_not_fit(nd, error, fill_value):
    table = np.zeros(3, np.int8)
    refuses(error, nd.gather_nd, table, [[5]], mode="fill", fill_value=fill_value)


def test_fill_value_of_another_unit(nd):
    table, day = np.zeros(3, "M8[s]"), np.datetime64("2020-01-01")
    filled = nd.gather_nd(table, [[5]], mode="fill", fill_value=day)
    assert_same_bits(filled, np.array([day], "M8[s]"))
