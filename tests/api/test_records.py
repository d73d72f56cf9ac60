"""Results in records: a gap between fields may belong to other fields of the same memory."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gathernd as gnd
from checks import unchanged
from records import GAPPED, fields_and_gaps

each_dtype = pytest.mark.parametrize("dtype", GAPPED.values(), ids=GAPPED)


def random_records(rng: np.random.Generator, dtype: np.dtype[Any], *shape: int) -> np.ndarray:
    random = bytearray(rng.bytes(math.prod(shape) * dtype.itemsize))
    return np.frombuffer(random, dtype).reshape(shape)


def check_into(out: np.ndarray, expected: np.ndarray, call: Callable[[np.ndarray], Any]) -> None:
    before = fields_and_gaps(out)[1]
    assert call(out) is out
    fields, gaps = fields_and_gaps(out)
    np.testing.assert_array_equal(fields, fields_and_gaps(expected)[0])
    np.testing.assert_array_equal(gaps, before)


@each_dtype
def test_gathers_leave_gaps_of_out_as_they_are(nd: Any, dtype: np.dtype[Any]) -> None:
    rng = np.random.default_rng(3)
    x, i = random_records(rng, dtype, 9, 2), rng.integers(-9, 9, 7)
    tuples, expected = i[:, None], nd.gather_nd(x, i[:, None])
    for gather in (
        lambda out: nd.gather_nd(x, tuples, out=out),
        lambda out: nd.IndexPlan(x.shape, tuples).gather(x, out=out),
        lambda out: nd.at(x)[i].get(out=out),
        lambda out: nd.at(x)[i].plan().gather(x, out=out),
    ):
        check_into(random_records(rng, dtype, 7, 2), expected, gather)
        check_into(random_records(rng, dtype, 14, 2)[::2], expected, gather)


@each_dtype
@pytest.mark.parametrize("duplicates", ["last", "first", "any"])
def test_scatters_leave_gaps_of_out_as_they_are(
    nd: Any, dtype: np.dtype[Any], duplicates: str
) -> None:
    rng = np.random.default_rng(4)
    x, new, i = random_records(rng, dtype, 9, 2), random_records(rng, dtype, 7, 2), np.arange(7) % 4
    rule = {"duplicates": duplicates}
    tuples = i[:, None]
    latest = slice(None, None, -1 if duplicates == "first" else 1)
    expected = nd.scatter_nd(x, tuples[latest], new[latest])
    for scatter in (
        lambda y, out: nd.scatter_nd(y, tuples, new, **rule, out=out),
        lambda y, out: nd.IndexPlan(x.shape, tuples).scatter(y, new, **rule, out=out),
        lambda y, out: nd.at(x)[i].plan().scatter(y, new, **rule, out=out),
    ):
        own, other = x.copy(), random_records(rng, dtype, 9, 2)
        own_gaps, other_gaps = fields_and_gaps(own)[1], fields_and_gaps(other)[1]
        assert scatter(own, own) is own
        assert scatter(x, other) is other
        for out, gaps in ((own, own_gaps), (other, other_gaps)):
            fields, after = fields_and_gaps(out)
            np.testing.assert_array_equal(after, gaps)
            if duplicates != "any":
                np.testing.assert_array_equal(fields, fields_and_gaps(expected)[0])
                continue
            for k, slice_ in enumerate(fields):  # as a whole one update's
                choices = fields_and_gaps(new[i == k] if k < 4 else x[[k]])[0]
                assert any(np.array_equal(slice_, choice) for choice in choices)


@each_dtype
def test_a_scatter_of_records_into_themselves(nd: Any, dtype: np.dtype[Any]) -> None:
    x = random_records(np.random.default_rng(5), dtype, 6)
    turned = x[::-1].copy()
    tuples = np.arange(6)[::-1, None]
    check_into(x, turned, lambda out: nd.scatter_nd(x, tuples, x, out=out))


@each_dtype
def test_errors_leave_records_as_they_are(nd: Any, dtype: np.dtype[Any]) -> None:
    rng = np.random.default_rng(6)
    x, new = random_records(rng, dtype, 5), random_records(rng, dtype, 2)
    fixed = random_records(rng, dtype, 5)
    fixed.flags.writeable = False
    with unchanged(x), unchanged(new):
        for indices, updates, options, error in (
            ([[1], [5]], new, {}, IndexError),
            ([[1], [1]], new, {"duplicates": "error"}, ValueError),
            ([[1]], new, {}, ValueError),
            ([[1], [2]], new, {"reduction": "add"}, TypeError),
            ([[1], [2]], np.zeros(2), {}, TypeError),
        ):
            with pytest.raises(error, match="scatter_nd: "):
                nd.scatter_nd(x, indices, updates, out=x, **options)
        with pytest.raises(ValueError, match="scatter_nd: out is read-only"):
            nd.scatter_nd(fixed, [[1], [2]], new, out=fixed)
        with pytest.raises(IndexError, match="gather_nd: "):
            nd.gather_nd(x, [[1], [5]], out=new)
        with pytest.raises(ValueError, match="gather_nd: out must have shape"):
            nd.gather_nd(x, [[1]], out=new)


def test_fields_beside_those_of_a_view() -> None:
    x = np.zeros(4, [("a", "f4"), ("b", "i4")])
    x["b"] = 7
    view = x[["a"]]
    new = np.zeros(2, view.dtype)
    new["a"] = 1, 2
    gnd.scatter_nd(view, [[1], [3]], new, out=view)
    gnd.gather_nd(view, [[3], [1]], out=view[:2])
    assert x.tolist() == [(2, 7), (1, 7), (0, 7), (2, 7)]
    records = np.rec.array(x)[["a"]]
    assert gnd.gather_nd(view, [[0]] * 4, out=records) is records


def test_records_without_a_field_are_checked_and_not_written(nd: Any) -> None:
    x = np.array([(1, 2), (3, 4), (5, 6)], "i4,i4")
    none = np.ndarray(3, {"names": [], "formats": [], "itemsize": 8}, x)
    before = x.copy()
    for rule in ("last", "first", "any"):
        nd.scatter_nd(none, [[0], [0]], none[1:], duplicates=rule, out=none)
    nd.gather_nd(none, [[2], [1], [0]], out=none)
    with pytest.raises(ValueError, match="address the same slice"):
        nd.scatter_nd(none, [[0], [0]], none[1:], duplicates="error", out=none)
    with pytest.raises(IndexError):
        nd.scatter_nd(none, [[0], [3]], none[1:], out=none)
    assert x.tolist() == before.tolist()


def test_records_whose_fields_lie_in_gaps_of_others(nd: Any) -> None:
    """Fields of the source are in gaps of the result: it is as if copied first."""
    memory = np.arange(40, dtype=np.uint8)
    dtype = np.dtype({"names": ["a", "b"], "formats": ["u1", "u1"], "offsets": [0, 2]})
    source, out = (np.ndarray(9, dtype, memory, offset, (4,)) for offset in (0, 1))
    expected = source.tolist()[::-1]
    gaps = memory.copy()
    nd.gather_nd(source, np.arange(9)[::-1, None], out=out)
    assert out.tolist() == expected
    for k in (0, 2):
        np.testing.assert_array_equal(memory[k::4], gaps[k::4])


def test_records_that_overlap_are_refused_before_any_is_written(nd: Any) -> None:
    """Of which one field does not overlap."""
    memory = np.zeros(40, np.uint8)
    dtype = np.dtype({"names": ["a", "b"], "formats": ["u1", "V3"], "offsets": [0, 2]})
    out = np.ndarray(9, dtype, memory, 0, (2,))
    new = np.ones(9 * 5, np.uint8).view(dtype)
    for call in (
        lambda: nd.gather_nd(new, np.arange(9)[:, None], out=out),
        lambda: nd.scatter_nd(out, np.arange(9)[:, None], new, out=out),
        lambda: nd.at(out).__setitem__(..., new),
    ):
        with pytest.raises(ValueError, match=r"two elements of .* share memory"):
            call()
    assert not memory.any()


@pytest.mark.parametrize("mode", ["raise", "drop"])
@pytest.mark.parametrize("field", ["u1", "u2", "u4", "u8"])
def test_updates_that_overlap_each_other(nd: Any, field: str, mode: str) -> None:
    """The rows of the updates begin a field apart, while a slice has two records with gaps."""
    size = np.dtype(field).itemsize
    dtype = np.dtype({"names": ["a"], "formats": [field], "offsets": [0], "itemsize": 2 * size})
    rng = np.random.default_rng(6)
    places = rng.permutation(40)[:20]
    new = np.ndarray((20, 2), dtype, rng.bytes(25 * size), strides=(size, 2 * size))
    for x in (np.zeros((40, 2), dtype), np.zeros((80, 2), dtype)[::2]):
        nd.scatter_nd(x, places[:, None], new, mode=mode, out=x)
        expected = np.zeros((40, 2), field)
        expected[places] = new["a"]
        np.testing.assert_array_equal(x["a"], expected)
