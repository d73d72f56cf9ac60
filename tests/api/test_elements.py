"""Python values for dtypes that are no numbers: nothing is cut, rounded or of another kind."""

from __future__ import annotations

import datetime
import re
from typing import Any

import numpy as np
import pytest

import gathernd
from checks import assert_same_bits, python_calls, refuses

RECORD = np.dtype([("a", "S2"), ("b", "i1")])
NESTED = np.dtype([("a", "<i4", (2,)), ("b", [("c", ">f4")])])
HOUR = datetime.timedelta(hours=1)


@pytest.mark.parametrize(
    ("error", "dtype", "value"),
    [
        (ValueError, "S2", b"abc"),
        (TypeError, "S2", "ab"),
        (TypeError, "U2", 5),
        (ValueError, "V4", b"abcdef"),
        (TypeError, "V4", 5),
        (ValueError, "M8[ns]", np.datetime64("2400-01-01")),
        (ValueError, "M8[D]", "2020-01-01T10:00:00"),
        (ValueError, "M8[D]", "no date"),
        (ValueError, "M8[s]", datetime.datetime(2020, 1, 1, 0, 0, 0, 1)),
        (TypeError, "M8[s]", np.timedelta64(1, "s")),
        (TypeError, "M8[s]", 5),
        (ValueError, "m8[D]", np.timedelta64(25, "h")),
        (ValueError, "m8[D]", HOUR),
        (TypeError, "m8[s]", np.datetime64("2020-01-01")),
        (ValueError, "m8[s]", datetime.timedelta(microseconds=1)),
        (ValueError, "m8[s]", np.timedelta64(-(2**62), "2s")),  # twice that is NaT
        (TypeError, "m8[s]", True),
        (OverflowError, "m8[s]", 2**70),
        (OverflowError, "m8[s]", -(2**63)),
        (OverflowError, "m8[s]", np.uint64(2**63)),
        (ValueError, RECORD, (b"abcd", 1)),
        (TypeError, RECORD, (b"ab", 1.5)),
        (OverflowError, RECORD, (b"ab", 128)),
        (TypeError, RECORD, (b"ab",)),
        (TypeError, RECORD, 7),
        (ValueError, NESTED, (1, (2,))),
    ],
    ids=repr,
)
def test_value_that_does_not_fit(nd, error, dtype, value):
    table = np.zeros(4, dtype)
    refuses(error, nd.scatter_nd, table, [[1]], [value])
    refuses(error, nd.gather_nd, table, [[9]], mode="fill", fill_value=value)


@pytest.mark.parametrize(
    ("dtype", "value", "same"),
    [
        ("S3", b"ab", b"ab"),
        ("U2", "ab", "ab"),
        ("V4", b"ab", b"ab"),
        ("V4", np.void(b"abcd"), b"abcd"),
        ("V4", np.void(b"ab"), b"ab"),
        ("M8[s]", "2020-01-01", "2020-01-01"),
        ("M8[s]", b"2020-01-01", "2020-01-01"),
        ("M8[D]", "2020-01-01T00:00:00", "2020-01-01"),
        ("M8[D]", "NaT", "NaT"),
        (">M8[s]", np.datetime64("2400-01-01"), "2400-01-01"),
        ("M8[s]", datetime.datetime(2020, 1, 1), "2020-01-01"),
        ("m8[D]", np.timedelta64(24, "h"), 1),
        ("m8[s]", HOUR, 3600),
        ("M8[s]", None, "NaT"),
        ("m8[s]", 5, 5),
        ("m8[25s]", np.int8(5), 5),
        ("m8[s]", None, "NaT"),
        (RECORD, (b"ab", -1), (b"ab", -1)),
        (RECORD, np.array((b"ab", -1), RECORD)[()], (b"ab", -1)),
        (NESTED, ([1, 2], (3,)), ([1, 2], (3,))),
    ],
    ids=repr,
)
def test_value_that_fits(nd, dtype, value, same):
    table = np.zeros(4, dtype)
    expected = np.array([same], dtype)
    assert_same_bits(nd.scatter_nd(table, [[1]], [value])[1:2], expected)
    assert_same_bits(nd.gather_nd(table, [[9]], mode="fill", fill_value=value), expected)
    nested = nd.scatter_nd(table, [[[1], [2]]], [[value, value]])
    assert_same_bits(nested[1:3], np.repeat(expected, 2))


def test_times_of_different_units_in_a_list(nd):
    """As one NumPy array they would be nanoseconds, which end in 2262."""
    days = [np.datetime64("2400-01-01"), np.datetime64(0, "ns")]
    for updates in (days, tuple(days)):
        result = nd.scatter_nd(np.zeros(2, "M8[D]"), [[0], [1]], updates)
        assert_same_bits(result, np.array(["2400-01-01", "1970-01-01"], "M8[D]"))


def test_nat_among_dates_in_text(nd):
    """However it is written, and without the warning that NumPy 2.5 gives for it."""
    dates = ["NaT", "nat", "NAT", "nAt", "", "2020-02-29T12:00", "1970", "NaT"]
    expected = np.array(dates, "M8[s]")
    result = nd.scatter_nd(np.zeros(8, "M8[s]"), np.arange(8)[:, None], dates)
    assert_same_bits(result, expected)
    assert_same_bits(
        nd.scatter_nd(np.zeros(1, "M8[D]"), [[0]], ["NaT"]), np.array(["NaT"], "M8[D]")
    )


@pytest.mark.parametrize("dtype", ["i1", ">i4", "u8"])
def test_time_by_an_array_of_no_dimension(nd, dtype):
    fill = np.array(5, dtype)
    result = nd.gather_nd(np.zeros(1, "m8[s]"), [[9]], mode="fill", fill_value=fill)
    assert_same_bits(result, np.array([5], "m8[s]"))


@pytest.mark.parametrize(("dtype", "name"), [("S2", "string"), ("U2", "string"), ("V2", "value")])
def test_what_is_too_long_is_named(nd, dtype, name):
    value = "abc" if dtype == "U2" else b"abc"
    says = f"updates: a {name} is too long for {re.escape(str(np.dtype(dtype)))}$"
    refuses(ValueError, nd.scatter_nd, np.zeros(2, dtype), [[0]], [value], match=says)


@pytest.mark.parametrize(
    ("dtype", "empty", "long"), [("S0", b"", b"a"), ("U0", "", "a"), ("V0", b"", b"a")]
)
def test_empty_strings(nd, dtype, empty, long):
    """They are all that an element without bytes takes."""
    records = np.zeros(3, [("a", "i4"), ("b", dtype)])
    table = records["b"]
    assert_same_bits(nd.gather_nd(table, [[9]], mode="fill", fill_value=empty), table[:1])
    assert_same_bits(nd.scatter_nd(table, [[0]], [empty]), table)
    assert_same_bits(nd.scatter_nd(table, [[[0], [1]]], [[empty] * 2]), table)
    assert_same_bits(nd.scatter_nd(table, np.zeros((0, 1), int), []), table)
    assert nd.scatter_nd(records, [1], (5, empty)).tolist() == [(0, empty), (5, empty), (0, empty)]
    for error, value in ((ValueError, long), (TypeError, 5), (TypeError, None)):
        refuses(error, nd.scatter_nd, table, [[0]], [value], match="updates")
        refuses(error, nd.gather_nd, table, [[9]], mode="fill", fill_value=value)


DAY = datetime.datetime(2020, 1, 1)
PAIR = np.dtype([("a", "i4"), ("b", "f8")])
DEEP = np.dtype([("s", "S4"), ("f", "f4", (2,)), ("n", [("i", "i2"), ("t", "M8[s]")]), ("b", "?")])
LISTS: list[tuple[Any, Any]] = [
    ("U6", lambda k: f"n{k % 9999}"),
    (">U6", lambda k: np.str_(k)),
    ("S6", lambda k: b"ab%d" % (k % 99)),
    ("V6", lambda k: b"a\0b"),
    ("M8[us]", lambda k: DAY + datetime.timedelta(microseconds=k)),
    ("M8[s]", lambda k: DAY + datetime.timedelta(seconds=k)),
    (">M8[D]", lambda k: datetime.date(2020, 1, 1) + datetime.timedelta(k)),
    ("M8[s]", lambda k: "2020-01-01T00:00" if k % 2 else "2020-01-02"),
    ("M8[D]", lambda k: np.datetime64(k, "D") if k % 2 else np.datetime64("2020-01-02", "s")),
    ("m8[ms]", lambda k: datetime.timedelta(milliseconds=k)),
    ("m8[s]", lambda k: k),
    ("m8[s]", lambda k: np.timedelta64(k, "h")),
    (PAIR, lambda k: (k, k * 0.5)),
    (PAIR, lambda k: (k, k if k % 2 else 0.5)),
    (DEEP, lambda k: (b"ab", [k, 1.5], (k % 99, DAY), 1)),
]


@pytest.mark.parametrize(("dtype", "element"), LISTS, ids=[str(dtype) for dtype, _ in LISTS])
def test_lists_are_converted_by_numpy(dtype, element):
    """As fast: without a call of a Python function for each element; with the same result."""
    dtype = np.dtype(dtype)
    values = [element(k) for k in range(1000)]
    table, indices = np.zeros(1000, dtype), np.arange(1000)[:, None]
    result, calls = python_calls(lambda: gathernd.scatter_nd(table, indices, values))
    assert calls < 300
    expected = np.zeros(1000, dtype)
    for k, value in enumerate(values):
        expected[k : k + 1] = gathernd.scatter_nd(table[:1], [[0]], [value])
    assert_same_bits(result, expected)
    nested = [[[value] for value in values[:500]], [[value] for value in values[500:]]]
    shaped = gathernd.scatter_nd(table.reshape(2, 500, 1), np.zeros((1, 0), int), [nested])
    assert_same_bits(shaped.ravel(), expected)


@pytest.mark.parametrize(
    ("error", "dtype", "values", "says"),
    [
        (ValueError, "S2", [b"ab", b"abc"], "a string is too long"),
        (TypeError, "S2", [b"ab", "ab"], "cannot become"),
        (TypeError, "U2", ["ab", 1], "cannot become"),
        (ValueError, "U2", [["a", "b"], ["c"]], "inhomogeneous"),
        (ValueError, "M8[D]", [DAY, DAY + HOUR], "01:00:00 cannot become .* without a loss"),
        (ValueError, "M8[ns]", ["2020-01-01", "2400-01-01"], "2400-01-01 cannot become"),
        (OverflowError, "m8[us]", [HOUR, datetime.timedelta.max], "out of bounds"),
        (OverflowError, "m8[D]", [datetime.timedelta.min], "out of bounds"),
        (TypeError, "m8[s]", [1, True], "bool"),
        (TypeError, PAIR, [(1, 2.0), (1.5, 2.0)], "float64 cannot become int32"),
        (TypeError, PAIR, [(1, 2.0), (1,)], "a tuple of 2"),
        (TypeError, PAIR, [(1, 2.0), [1, 2.0]], "a tuple of 2"),
        (OverflowError, PAIR, [(1, 2.0), (2**31, 2.0)], "out of bounds for int32"),
        (ValueError, DEEP, [(b"ab", [1], (1, DAY), 1)], "field 'f' must have shape"),
        (ValueError, DEEP, [(b"abcde", [1, 2], (1, DAY), 1)], "too long"),
    ],
    ids=repr,
)
def test_lists_with_an_element_that_does_not_fit(nd, error, dtype, values, says):
    table = np.zeros(2, dtype)
    refuses(error, nd.scatter_nd, table, np.arange(len(values))[:, None], values, match=says)


@pytest.mark.parametrize("width", [1, 2])
def test_lists_that_contain_themselves(width):
    values: list[Any] = []
    values += [values] * width
    for dtype in ("U2", PAIR, "M8[s]"):
        with pytest.raises((RecursionError, ValueError, TypeError)):
            gathernd.scatter_nd(np.zeros(2, dtype), [[0]], values)


def test_integers_beside_floats_are_not_rounded_twice():
    """2**60 + 2**36 + 1 as float64 is a tie between two of float32."""
    number = 2**60 + 2**36 + 1
    dtype = np.dtype([("a", "f4")])
    result = gathernd.scatter_nd(np.zeros(2, dtype), [[0], [1]], [(number,), (0.5,)])
    assert result["a"][0] == np.array(number).astype(np.float32)


def test_records_without_fields(nd):
    table = np.zeros(2, np.dtype([]))
    assert_same_bits(nd.gather_nd(table, [[5]], mode="fill", fill_value=()), table[:1])
    assert_same_bits(nd.scatter_nd(table, [[0]], [()]), table)
