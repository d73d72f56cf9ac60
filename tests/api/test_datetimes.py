"""Reductions of datetime64 and timedelta64 have the bits of NumPy's ufunc.at, on every backend."""

from __future__ import annotations

import datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gathernd as gnd
import reference
import strategies
from checks import assert_same_bits, refuses
from conftest import each_device

UNITS = ("Y", "D", "s", "ns", "25us", "generic")
LEAST, MOST = np.iinfo(np.int64).min, np.iinfo(np.int64).max
NAT = LEAST
# What meets: NaT, its neighbours, what wraps around to it in one step or two, and others.
TICKS = np.array([NAT, LEAST + 1, LEAST + 2, -2, -1, 0, 1, 2, MOST - 1, MOST, MOST // 2 + 1])
WAYS = [("M8", "min"), ("M8", "max")] + [("m8", name) for name in ("min", "max", "add", "sub")]


def dtype_of(code: str, unit: str) -> np.dtype:
    return np.dtype(code if unit == "generic" else f"{code}[{unit}]")


def by_numpy(table: np.ndarray, indices: np.ndarray, rows: np.ndarray, name: str) -> np.ndarray:
    expected = table.copy()
    try:
        reference.UFUNCS[name].at(expected, indices[:, 0], rows)
    except OverflowError:  # from NumPy 2.5 on, where a sum wraps around
        expected = table.copy()
        for place, row in zip(indices[:, 0], rows, strict=True):
            expected[place] = reference.combine(name, expected[place], row)
    return expected


@pytest.mark.parametrize("way", range(len(WAYS)))
def test_every_pair_of_ticks(nd, way):
    """As the table's and an update's, alone and among many updates of a place; of each unit."""
    (code, reduction), unit = WAYS[way], UNITS[way]
    pairs = np.stack(np.meshgrid(TICKS, TICKS), -1).reshape(-1, 2)
    table, updates = pairs[:, 0].view(dtype_of(code, unit)), pairs[:, 1].view(dtype_of(code, unit))
    indices = np.arange(len(pairs))[:, np.newaxis]
    for times in (1, 2, 3, 40):
        args = (table, np.tile(indices, (times, 1)), np.tile(updates, times))
        assert_same_bits(nd.scatter_nd(*args, reduction), by_numpy(*args, reduction))


@pytest.mark.parametrize(("code", "reduction"), WAYS)
@settings(max_examples=5)
@given(seed=st.integers(0, 2**32 - 1), row=st.sampled_from([(), (1,), (2,), (3,), (17,), (64,)]))
def test_many_updates(nd, code, reduction, seed, row):
    """Small tables and large ones, in rows around the vector width; by a plan, and in place."""
    rng = np.random.default_rng(seed)
    dtype = dtype_of(code, "ms")
    for size, count in ((1, 1500), (16, 1500), (900, 700)):
        table = strategies.times(rng, (size, *row), dtype)
        indices = rng.integers(-size, size, (count, 1))
        updates = strategies.times(rng, (count, *row), dtype)
        if seed % 2:  # few NaTs, by which most of a long row would be one
            updates = (rng.integers(-5, 5, updates.shape) + 2**62 * (seed % 4 == 1)).view(dtype)
        expected = by_numpy(table, indices, updates, reduction)
        assert_same_bits(nd.scatter_nd(table, indices, updates, reduction), expected)
        plan = nd.IndexPlan(table.shape, indices)
        assert_same_bits(plan.scatter(table, updates, reduction), expected)
        target = table.copy()
        assert nd.scatter_nd(target, indices, updates, reduction, out=target) is target
        assert_same_bits(target, expected)


@pytest.mark.parametrize("count", [3, 5000])
def test_a_sum_that_wraps_around_to_nat_stays_nat(nd, count):
    """In the order of the updates: in another the sum would not pass NaT."""
    updates = np.zeros(count, "m8[s]")
    updates[:3] = np.array([MOST, 1, -7]).view("m8[s]")
    zeros, indices = np.zeros(2, "m8[s]"), np.zeros((count, 1), int)
    assert nd.scatter_nd(zeros, indices, updates, "add").view("i8").tolist() == [NAT, 0]
    updates[:3] = np.array([MOST, -7, 1]).view("m8[s]")
    assert nd.scatter_nd(zeros, indices, updates, "add").view("i8").tolist() == [MOST - 6, 0]
    assert nd.scatter_nd(zeros, indices, -updates, "sub").view("i8").tolist() == [MOST - 6, 0]


def test_nat_is_not_lost(nd):
    """Neither the table's nor an update's."""
    table = np.array(["NaT", "2020-01-01", "2020-01-01"], "M8[s]")
    updates = np.array(["2019-01-01", "NaT", "2021-01-01"], "M8[s]")
    indices = np.array([[0], [1], [2]])
    assert str(nd.scatter_nd(table, indices, updates, "max").tolist()[2]) == "2021-01-01 00:00:00"
    for reduction in ("min", "max"):
        result = nd.scatter_nd(table, indices, updates, reduction)
        assert np.isnat(result).tolist() == [True, True, False]
    spans = np.array(["NaT"], "m8[s]")
    assert np.isnat(nd.scatter_nd(spans, [[0]], np.array([5], "m8[s]"), "add"))[0]


def test_times_left_out_do_not_count(nd):
    table = np.arange(3).view("M8[D]")
    result = nd.scatter_nd(table, [[1], [9]], np.array([5, NAT]).view("M8[D]"), "max", mode="drop")
    assert_same_bits(result, np.array([0, 5, 2]).view("M8[D]"))


@each_device
def test_times_on_a_device(name):
    device = gnd.Device(name)
    table, updates = np.array([NAT, 3, 4]).view("m8[s]"), np.array([1, 2, NAT, 6]).view("m8[s]")
    indices = np.array([[0], [1], [2], [1]])
    for reduction in ("add", "sub", "min", "max"):
        args = [device.asarray(x) for x in (table, indices, updates)]
        result = gnd.scatter_nd(*args, reduction).numpy()
        assert_same_bits(result, by_numpy(table, indices, updates, reduction))


# What stays refused, and the way out of each error


TIMES, SPANS = np.array([0, NAT, 2]).view("M8[ms]"), np.array([1, 5]).view("m8[ms]")
AT = np.array([[0], [1]])


@pytest.mark.parametrize("reduction", ["mul", "and", "or", "xor"])
@pytest.mark.parametrize("dtype", ["M8[ms]", "m8[ms]"])
def test_reduction_of_ticks(nd, dtype, reduction):
    args = (TIMES.view(dtype), AT, SPANS.view(dtype), reduction)
    message = refuses(TypeError, nd.scatter_nd, *args)
    assert 'x.view("int64"), where NaT is the number -2**63' in message
    assert TIMES.view("int64")[1] == -(2**63)


@pytest.mark.parametrize("reduction", ["add", "sub"])
def test_spans_added_to_times(nd, reduction):
    """Both errors name the view as timedelta64, by which it works and NaT stays NaT."""
    message = refuses(TypeError, nd.scatter_nd, TIMES, AT, SPANS, reduction)
    assert "view input as timedelta64[ms]" in message
    message = refuses(TypeError, nd.scatter_nd, TIMES, AT, SPANS.view("M8[ms]"), reduction)
    assert "is not defined for datetime64; view it as timedelta64 of its unit" in message
    result = nd.scatter_nd(TIMES.view("m8[ms]"), AT, SPANS, reduction).view(TIMES.dtype)
    assert_same_bits(result, by_numpy(TIMES, AT, SPANS, reduction))
    assert np.isnat(result).tolist() == [False, True, False]


def test_spans_added_to_times_by_at():
    with pytest.raises(TypeError, match=r"view the array as timedelta64: x\.view\('m8\[ms\]'\)"):
        gnd.at(TIMES)[0] += np.timedelta64(1, "s")


def test_one_python_time_is_an_update(nd):
    days, day = np.array(["2020-01-01", "2021-01-01"], "M8[D]"), datetime.date(2022, 1, 1)
    for update, expected in ((day, "2022-01-01"), (None, "NaT")):
        result = np.array([expected, "2021-01-01"], "M8[D]")
        assert_same_bits(nd.scatter_nd(days, [0], update), result)
        assert_same_bits(nd.at(days)[0].set(update), result)
        assert_same_bits(gnd.at(days)[0].plan().scatter(days, update), result)
    spans, span = np.array([5, 7], "m8[s]"), datetime.timedelta(minutes=1)
    assert_same_bits(nd.at(spans)[0].add(span), np.array([65, 7], "m8[s]"))
    with pytest.raises(ValueError, match=r"cannot become .* without a loss"):
        nd.at(days)[0].set(datetime.datetime(2022, 1, 1, 12))


def test_units_that_differ(nd):
    says = r"updates must have input's dtype timedelta64\[s\], not timedelta64\[ms\]"
    refuses(TypeError, nd.scatter_nd, np.zeros(3, "m8[s]"), AT, SPANS, "add", match=says)


def test_times_in_the_other_byte_order(nd):
    swapped = [x.astype(x.dtype.newbyteorder()) for x in (TIMES, TIMES[:2])]
    says = "needs native byte order"
    refuses(TypeError, nd.scatter_nd, swapped[0], AT, swapped[1], "max", match=says)


class Timestamp(datetime.datetime):
    """As pandas' one: a datetime that has nanoseconds, too."""

    def to_datetime64(self) -> np.datetime64:
        return np.datetime64(self) + np.timedelta64(7, "ns")


class Timedelta(datetime.timedelta):
    def to_timedelta64(self) -> np.timedelta64:
        return np.timedelta64(self) + np.timedelta64(7, "ns")


class NotATime(datetime.datetime):
    def to_datetime64(self) -> np.datetime64:
        return np.datetime64("NaT", "ns")


@pytest.mark.parametrize(
    ("code", "value"), [("M8", Timestamp(2020, 1, 1)), ("m8", Timedelta(microseconds=1))]
)
def test_times_of_pandas_keep_their_nanoseconds(code, value):
    fine, coarse = np.zeros(2, f"{code}[ns]"), np.zeros(2, f"{code}[us]")
    expected = (value.to_datetime64 if code == "M8" else value.to_timedelta64)()
    assert gnd.scatter_nd(fine, [[0]], [value])[0] == expected
    assert gnd.at(fine)[0].set(value)[0] == expected
    assert gnd.gather_nd(fine, [[9]], mode="fill", fill_value=value)[0] == expected
    for call in (
        lambda: gnd.scatter_nd(coarse, [[0]], [value]),
        lambda: gnd.at(coarse)[0].set(value),
        lambda: gnd.gather_nd(coarse, [[9]], mode="fill", fill_value=value),
    ):
        with pytest.raises(ValueError, match="without a loss"):
            call()
    nat = NotATime(1, 1, 1)
    assert np.isnat(gnd.scatter_nd(coarse, [[0]], [nat])[0])


@pytest.mark.parametrize("code", ["M8", "m8"])
def test_times_without_a_unit(code):
    table = np.full(2, "NaT", code)
    value = "2020" if code == "M8" else datetime.timedelta(1)
    assert gnd.scatter_nd(table, [[0]], ["NaT"] if code == "M8" else [7])[0].dtype == table.dtype
    nat = np.datetime64("NaT", "s") if code == "M8" else np.timedelta64("NaT", "s")
    assert_same_bits(gnd.scatter_nd(table, [[0]], [nat]), table)
    for call in (
        lambda: gnd.scatter_nd(table, [[0]], [value]),
        lambda: gnd.at(table)[[0]].set([value]),
        lambda: gnd.gather_nd(table, [[9]], mode="fill", fill_value=value),
    ):
        with pytest.raises(ValueError, match="which has no unit"):
            call()
