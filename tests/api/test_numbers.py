"""Python numbers and lists take the input's dtype by the rules of NumPy 2's weak scalars."""

from __future__ import annotations

import array
from decimal import Decimal

import ml_dtypes
import numpy as np
import pytest

from checks import assert_same_bits, assert_same_values, refuses
from gathernd.dml import DataType

needs_long_double = pytest.mark.skipif(
    np.dtype("g").itemsize == 8, reason="a long double is a double here"
)
TABLE = np.arange(12, dtype=np.float32).reshape(3, 4)
PAIRS = np.array([[2, 3], [0, 0]])
VALUES = np.array([7, 8], np.float32)
COMPLEX = [
    getattr(ml_dtypes, name) for name in ("complex32", "bcomplex32") if hasattr(ml_dtypes, name)
]
TOO_LARGE = [1e300, complex(1e300, np.inf), complex(np.nan, -1e300), complex(-np.inf, 1e300)]


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
        *(
            pytest.param(OverflowError, dtype, 10**5000, id=f"OverflowError-{dtype}-10**5000")
            for dtype in ("i8", "f8", "g", "c16", "m8[s]")
        ),
        *((OverflowError, dtype, value) for dtype in ("c8", *COMPLEX) for value in TOO_LARGE),
        (TypeError, "i4", 1.5),
        (TypeError, "i4", 1.0),
        (TypeError, "i8", 1e30),
        (TypeError, "f4", 1j),
        (TypeError, "i4", 1j),
        (OverflowError, "?", 2),
        (OverflowError, "?", -1),
        (OverflowError, "?", 2**70),
        (TypeError, "?", 0.5),
        (TypeError, "i4", "1"),
        (TypeError, "i4", None),
        (OverflowError, ml_dtypes.int4, 8),
        (OverflowError, ml_dtypes.uint2, -1),
        (TypeError, ml_dtypes.int4, 1.5),
        (OverflowError, ml_dtypes.float4_e2m1fn, 100.0),
        (OverflowError, ml_dtypes.float4_e2m1fn, -7),
        (OverflowError, ml_dtypes.float4_e2m1fn, float("nan")),
        (OverflowError, ml_dtypes.float4_e2m1fn, float("inf")),
        (OverflowError, ml_dtypes.float6_e2m3fn, 100.0),
        (OverflowError, ml_dtypes.float8_e4m3fn, float("inf")),
        (OverflowError, ml_dtypes.float8_e4m3fn, 1000),
        (OverflowError, ml_dtypes.float8_e8m0fnu, 0.0),
        (OverflowError, ml_dtypes.bfloat16, 1e300),
        (ValueError, "S2", b"abc"),
        (TypeError, "S2", "ab"),
        (TypeError, "S2", False),
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
        ("?", 1),
        ("?", 0),
        ("g", 0.5),
        (ml_dtypes.bfloat16, 1.5),
        (ml_dtypes.int4, -8),
        *((dtype, 1 + 2j) for dtype in COMPLEX),
        *(
            (dtype, complex(*parts))
            for dtype in ("c8", "c16", *COMPLEX)
            for parts in ((np.inf, np.nan), (1, np.inf), (np.nan, 0), (-np.inf, -2))
        ),
        ("S3", b"ab"),
        ("U2", "ab"),
        ("U3", "ab"),
        (ml_dtypes.float4_e2m1fn, -6),
        (ml_dtypes.float8_e4m3fn, float("nan")),
        (ml_dtypes.float8_e5m2, float("-inf")),
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


@pytest.mark.parametrize("number", [np.int8, np.uint64, np.array, np.bool, ml_dtypes.int4])
def test_integers_that_become_bool(nd, number):
    """0 and 1 lose nothing, of whatever type; other numbers would."""
    table = np.zeros(2, bool)
    for value in (0, 1):
        expected = np.array([value], bool)
        result = nd.scatter_nd(table, [[0]], [number(value)])
        assert_same_bits(result[:1], expected)
        filled = nd.gather_nd(table, [[9]], mode="fill", fill_value=number(value))
        assert_same_bits(filled, expected)
    if number is not np.bool:
        says = "2 is out of bounds for bool$"
        refuses(OverflowError, nd.scatter_nd, table, [[0]], [number(2)], match=says)
        options = {"mode": "fill", "fill_value": number(2)}
        refuses(OverflowError, nd.gather_nd, table, [[9]], match=says, **options)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", ml_dtypes.bfloat16], ids=str)
@pytest.mark.parametrize("value", [1e-50, -1e-50, np.longdouble("1e-320")], ids=repr)
def test_number_that_underflows(nd, dtype, value):
    """It is rounded, whatever NumPy is told to do where it computes."""
    with np.errstate(under="ignore"):
        expected = np.array([value]).astype(dtype)
    with np.errstate(all="raise"):
        for values in ([value], [[value]], [value, 1]):
            table = np.zeros(np.shape(values), dtype)
            result = nd.scatter_nd(table, np.zeros((1, 0), int), [values])
            assert_same_bits(result.ravel()[:1], expected)
        filled = nd.gather_nd(np.zeros(1, dtype), [[9]], mode="fill", fill_value=value)
        assert_same_bits(filled, expected)


def test_signalling_nan(nd):
    """It stays a NaN, whatever NumPy is told to do where it computes."""
    value = np.array(0x7FF0000000000001, np.uint64).view(np.float64).item()
    with np.errstate(all="raise"):
        assert np.isnan(nd.scatter_nd(np.zeros(1, np.float32), [[0]], [value])[0])


MIXED = [
    ("u8", [2**64 - 1, 1]),
    ("i8", [-(2**63), True]),
    (">u8", [True, 2**64 - 1]),
    ("f4", [10**30, 1.5]),
    ("f4", [-1, 2**63]),
    ("f4", [10**30, ml_dtypes.bfloat16(1.5)]),
    ("f8", [2**63, 0]),
    ("c8", [2**70, 1j]),
    ("g", [2**64 - 1, 1]),
    ("G", [2**64 - 1, 1]),
]


@pytest.mark.parametrize(("dtype", "values"), MIXED, ids=repr)
def test_lists_of_which_numpy_makes_floats_or_objects(nd, dtype, values):
    expected = np.zeros(2, dtype)
    for i, value in enumerate(values):
        expected[i] = np.longdouble(value) if dtype == "G" else value
    result = nd.scatter_nd(np.zeros(2, dtype), [[0], [1]], values)
    assert result.tolist() == expected.tolist()
    assert result.dtype == expected.dtype


@pytest.mark.parametrize(
    ("error", "dtype", "values", "says"),
    [
        (OverflowError, "i8", [2**63, 0], "9223372036854775808 is out of bounds for int64"),
        (OverflowError, "u8", [-1, 2**63], "-1 is out of bounds for uint64"),
        (OverflowError, "f2", [2**70, 1.5], "out of bounds for float16"),
        (OverflowError, "f4", [np.longdouble(1e300), 1], "out of bounds for float32"),
        pytest.param(
            *(OverflowError, "f8", [np.finfo("g").max, 1], "out of bounds for float64"),
            marks=needs_long_double,
        ),
        pytest.param(
            *(OverflowError, "f8", [np.finfo("g").max, 0.5], "out of bounds for float64"),
            marks=needs_long_double,
        ),
        (TypeError, "i8", [2**63, 0.5], "of type float cannot become int64"),
        (TypeError, "f4", [2**70, None], "of type NoneType cannot become float32"),
    ],
)
def test_lists_of_which_numpy_makes_floats_and_that_do_not_fit(nd, error, dtype, values, says):
    refuses(error, nd.scatter_nd, np.zeros(2, dtype), [[0], [1]], values, match=says)


@pytest.mark.parametrize(
    ("indices", "says"),
    [
        ([-1, 2**63], r"index 9223372036854775808 at indices\[1\] is out of range of int64"),
        ([[0], [2**70]], r"at indices\[1, 0\] is out of range of uint64"),
        pytest.param([10**5000], "more than 128 bits at", id="10**5000"),
    ],
)
def test_indices_that_no_type_holds(nd, indices, says):
    refuses(IndexError, nd.gather_nd, TABLE, indices, match=says)
    refuses(IndexError, nd.scatter_nd, TABLE, indices, 1.0, match=says)
    with pytest.raises(IndexError, match="IndexPlan: .*" + says):
        nd.IndexPlan(TABLE.shape, indices)
    for mode in ("clip", "wrap"):
        empty = np.zeros((0, 4), np.float32)
        refuses(IndexError, nd.gather_nd, empty, indices, mode=mode, match="out of range")


@pytest.mark.parametrize(
    "index", [2**63, 2**64, 2**70 + 5, -(2**63) - 1, -(2**70), 10**5000], ids=int.bit_length
)
@pytest.mark.parametrize("other", [0, -1, 2**63])
def test_indices_that_no_type_holds_in_modes_without_errors(nd, index, other):
    """As if they were Python's own: the nearest end, the rest of a division, no slice."""
    table = np.arange(14, dtype=np.float32).reshape(2, 7)
    pair = (index, other)
    within = [i + size if i < 0 else i for i, size in zip(pair, table.shape, strict=True)]
    ends = [min(max(i, 0), size - 1) for i, size in zip(within, table.shape, strict=True)]
    rest = [i % size for i, size in zip(pair, table.shape, strict=True)]
    for mode, place in (("clip", ends), ("wrap", rest)):
        expected = table[tuple(place)].reshape(1)
        plan = nd.IndexPlan(table.shape, [pair], mode=mode)
        assert_same_bits(nd.gather_nd(table, [pair], mode=mode), expected)
        assert_same_bits(plan.gather(table), expected)
        result = nd.scatter_nd(table, [pair], [99.0], mode=mode)
        assert result[tuple(place)] == 99
        rows = nd.gather_nd(table, [[[index]], [[other]]], 1, mode=mode)
        column = index % 7 if mode == "wrap" else 6 if index > 0 else 0
        assert rows[0, 0] == table[0, column]
    filled = nd.gather_nd(table, [pair], mode="fill", fill_value=-5.0)
    assert_same_bits(filled, np.array([-5], np.float32))
    assert_same_bits(nd.scatter_nd(table, [pair], [99.0], mode="drop"), table)


@pytest.mark.parametrize("mode", ["raise", "clip", "wrap"])
def test_an_index_that_no_type_holds_is_no_tuple(nd, mode):
    with pytest.raises((IndexError, ValueError), match="gather_nd: ind"):
        nd.gather_nd(TABLE, 2**70, mode=mode)
    with pytest.raises((IndexError, ValueError), match="IndexPlan: ind"):
        nd.IndexPlan(TABLE.shape, -(2**70), mode=mode)


@pytest.mark.parametrize("negative", [-1, np.int8(-1)], ids=type)
def test_indices_of_which_numpy_makes_floats(nd, negative):
    result = nd.gather_nd(np.arange(4), [[np.uint64(2)], [negative]])
    assert_same_bits(result, np.array([2, 3]))


def test_largest_indices_of_which_numpy_makes_floats(nd):
    for indices, expected in (
        ([[np.uint64(2)], [-1], [2**63 - 1]], [2, 3, 3]),
        ([[np.uint64(2)], [-1], [-(2**63)]], [2, 3, 0]),
        ([[np.uint64(2**63)], [0]], [3, 0]),
    ):
        result = nd.gather_nd(np.arange(4), indices, mode="clip")
        assert_same_bits(result, np.array(expected))


def test_indices_by_members_of_an_enumeration(nd):
    assert_same_bits(nd.gather_nd(np.arange(4), [[DataType.FLOAT16], [1]]), np.array([2, 1]))


def test_indices_by_arrays_of_no_dimension(nd):
    two, minus, big = np.array(2), np.array(-1, np.int8), np.array(2**63, np.uint64)
    for pair in ([two, minus], [two, 3], [2, minus], [np.uint64(2), minus]):
        result = nd.gather_nd(np.arange(4), [[index] for index in pair])
        assert_same_bits(result, np.array([2, 3]))
    for pair in ([minus, 2**63], [minus, big], [-1, big]):
        refuses(IndexError, nd.gather_nd, TABLE, pair, match="9223372036854775808 at .* of int64")


@pytest.mark.parametrize(("value", "name"), [(True, "bool"), (1.5, "float64"), (None, "object_")])
def test_arrays_of_no_dimension_that_are_no_integers(nd, value, name):
    says = f"indices must be integers, not {name}$"
    for indices in ([[np.array(value)], [1]], [[1], [np.array(value)]]):
        refuses(TypeError, nd.gather_nd, TABLE, indices, match=says)
        refuses(TypeError, nd.scatter_nd, TABLE, indices, VALUES, match=says)


@pytest.mark.parametrize("indices", [None, slice(3), [[0], [None]], [[0], [0.5]], {1: 2}], ids=repr)
def test_indices_that_are_no_integers(nd, indices):
    says = "indices must be integers, not (NoneType|slice|float|dict)$"
    refuses(TypeError, nd.gather_nd, TABLE, indices, match=says)
    refuses(TypeError, nd.scatter_nd, TABLE, indices, VALUES, match=says)


@pytest.mark.parametrize("updates", [memoryview(b"a"), array.array("i", [1])], ids=type)
def test_updates_that_have_no_astype(nd, updates):
    message = refuses(
        TypeError, nd.scatter_nd, TABLE, [[0, 0]], updates, match="dtype float32, not"
    )
    assert "astype" not in message


def test_none_is_no_number(nd):
    says = "scatter_nd: updates of type NoneType cannot become float32"
    assert refuses(TypeError, nd.scatter_nd, TABLE, [[0, 0]], None) == says


@pytest.mark.parametrize(
    "fill_value", [np.zeros(2, np.float32), np.zeros(1, np.int8), [0.0, 0.0], [[0.0]]], ids=repr
)
def test_fill_value_is_one_element(nd, fill_value):
    args = (ValueError, nd.gather_nd, TABLE, PAIRS)
    refuses(*args, mode="fill", fill_value=fill_value, match="fill_value must be a single element")


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


@pytest.mark.parametrize("mode", ["raise", "clip", "wrap"])
def test_fill_value_of_other_modes_is_not_looked_at(nd, mode):
    plan = nd.IndexPlan((3,), [[2]], mode=mode)
    for table in (np.arange(3), [0, 1, 2]):
        assert_same_bits(nd.gather_nd(table, [[2]], mode=mode, fill_value="?"), np.array([2]))
        assert_same_bits(plan.gather(table, fill_value="?"), np.array([2]))


@pytest.mark.parametrize(("number", "dtype"), [("bfloat16", "f4"), ("int4", "i4"), ("int4", "f8")])
def test_numbers_of_another_package(nd, number, dtype):
    value = getattr(ml_dtypes, number)(3)
    filled = nd.gather_nd(np.zeros(2, dtype), [[9]], mode="fill", fill_value=value)
    assert_same_bits(filled, np.full(1, 3, dtype))
    result = nd.scatter_nd(np.zeros(2, dtype), [[0]], [value])
    assert_same_bits(result, np.array([3, 0], dtype))


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (None, "NoneType cannot become int32$"),
        (Decimal(1), "Decimal cannot become int32$"),
        (1.5, "float64 cannot become int32 without a loss$"),
        (ml_dtypes.bfloat16(1.5), "float64 cannot become int32 without a loss$"),
    ],
    ids=repr,
)
def test_what_is_no_number_is_named(nd, value, says):
    refuses(TypeError, nd.scatter_nd, np.zeros(2, "i4"), [[0]], [value], match=says)
