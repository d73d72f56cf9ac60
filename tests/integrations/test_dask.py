"""gathernd.dask: whatever the chunks, the bits of the one call in memory."""

from __future__ import annotations

import re
from typing import Any

import dask.array as da
import hypothesis.strategies as st
import numpy as np
import pytest
from dask.array.utils import assert_eq
from hypothesis import given

import gathernd as gnd
import gathernd.dask as gnd_dask
import reference
import strategies
from checks import assert_same_bits, assert_same_values, numbers, outcome
from strategies import Case

SCHEDULERS = st.sampled_from(["sync", "sync", "sync", "threads"])


@st.composite
def chunks_of(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Any cuts of each dimension; a chunk may be empty."""
    return tuple(draw(cuts(size)) for size in shape)


@st.composite
def cuts(draw: st.DrawFn, size: int) -> tuple[int, ...]:
    inner = sorted(draw(st.lists(st.integers(0, size), max_size=3)))
    return tuple(int(n) for n in np.diff([0, *inner, size]))


@st.composite
def lazy(draw: st.DrawFn, array: np.ndarray, always: bool = False) -> da.Array | np.ndarray:
    """The array in chunks, or as it is."""
    if not always and draw(st.booleans()):
        return array
    return da.from_array(
        array, draw(chunks_of(array.shape)), meta=array[(slice(0, 0),) * array.ndim]
    )


def assert_lazy(
    result: da.Array, expected: np.ndarray, scheduler: str, same: Any = assert_same_bits
) -> None:
    """The meta, dtype and chunks are right before anything is computed; then the bits are."""
    assert type(result) is da.Array
    assert result.shape == expected.shape
    assert result.dtype == result._meta.dtype == expected.dtype
    assert type(result._meta) is np.ndarray
    assert result._meta.ndim == expected.ndim
    same(result.compute(scheduler=scheduler), expected)
    if expected.dtype.kind in "biufc" and expected.dtype.isnative:
        assert_eq(result, expected, scheduler="sync", equal_nan=True)


def assert_bad_index(message: str, case: Case, wraps: bool) -> None:
    """It names a tuple of the whole array that is out of range, as the call in memory would."""
    value, *position, axis, size = numbers(message)
    assert case.indices[tuple(position)] == value
    assert axis == case.batch_dims + position[-1]
    assert case.input.shape[axis] == size
    assert not (-size if wraps else 0) <= value < size or size == 0


def check(
    call: Any, expected: Any, case: Case, rule: dict[str, Any], scheduler: str, **same: Any
) -> None:
    """The lazy call gives what the other gave: an array, or its error."""
    if isinstance(expected, IndexError):
        with pytest.raises(IndexError) as caught:
            call().compute(scheduler=scheduler)
        assert_bad_index(str(caught.value).partition(": ")[2], case, rule["wrap_negative_indices"])
    else:
        assert_lazy(call(), expected, scheduler, **same)


@given(
    case=strategies.cases(bad=True),
    rule=strategies.rules("raise", "clip", "wrap", "fill"),
    scheduler=SCHEDULERS,
    data=st.data(),
)
def test_gather(case, rule, scheduler, data):
    options = dict(rule)
    if rule["mode"] == "fill":
        rng = data.draw(strategies.generators())
        options["fill_value"] = strategies.any_bits(rng, (), case.input.dtype)
    expected = outcome(gnd.gather_nd, case.input, case.indices, case.batch_dims, **options)
    args = data.draw(lazy(case.input)), data.draw(lazy(case.indices))
    check(
        lambda: gnd_dask.gather_nd(*args, case.batch_dims, **options),
        expected,
        case,
        rule,
        scheduler,
    )


@given(
    case=strategies.cases(bad=True),
    rule=strategies.rules("raise", "clip", "wrap", "drop"),
    duplicates=st.sampled_from(["last", "first"]),
    scheduler=SCHEDULERS,
    data=st.data(),
)
def test_scatter(case, rule, duplicates, scheduler, data):
    check_scatter(case, rule, scheduler, data, duplicates=duplicates)


@given(
    case=strategies.cases(bad=True, compute=True, dtypes=strategies.REDUCIBLE),
    rule=strategies.rules("raise", "clip", "wrap", "drop"),
    scheduler=SCHEDULERS,
    data=st.data(),
)
def test_reductions(case, rule, scheduler, data):
    """Which of two NaN a sum keeps depends on the length of a slice, in memory as well."""
    check_scatter(case, rule, scheduler, data, reduction=data.draw(strategies.reductions(case)))


def check_scatter(
    case: Case, rule: dict[str, Any], scheduler: str, data: st.DataObject, **options: Any
) -> None:
    options |= rule | {"batch_dims": case.batch_dims}
    expected = outcome(gnd.scatter_nd, case.input, case.indices, case.updates, **options)
    args = [data.draw(lazy(x)) for x in (case.input, case.indices, case.updates)]
    same = assert_same_values if options.get("reduction") else assert_same_bits

    def call() -> da.Array:
        return gnd_dask.scatter_nd(*args, **options)

    check(call, expected, case, rule, scheduler, same=same)


@given(case=strategies.cases(), data=st.data())
def test_duplicates_that_are_an_error(case, data):
    """Both positions are those of the whole array, the one before the other in C order."""
    expected = outcome(
        gnd.scatter_nd,
        case.input,
        case.indices,
        case.updates,
        batch_dims=case.batch_dims,
        duplicates="error",
    )
    args = [data.draw(lazy(x)) for x in (case.input, case.indices, case.updates)]

    def call() -> np.ndarray:
        lazily = gnd_dask.scatter_nd(*args, batch_dims=case.batch_dims, duplicates="error")
        return lazily.compute(scheduler="sync")

    if not isinstance(expected, ValueError):
        assert_same_bits(call(), expected)
        return
    with pytest.raises(ValueError, match="address the same slice") as caught:
        call()
    first, second = (tuple(numbers(text)) for text in re.findall(r"\[(.*?)\]", str(caught.value)))
    assert first < second
    places = dict(reference.places(case.indices, case.input.shape, case.batch_dims, "raise"))
    assert places[first] == places[second]


@given(case=strategies.cases(), data=st.data())
def test_duplicates_any(case, data):
    args = [data.draw(lazy(x)) for x in (case.input, case.indices, case.updates)]
    result = gnd_dask.scatter_nd(*args, batch_dims=case.batch_dims, duplicates="any")
    found = reference.bits(result.compute(scheduler="sync"))
    expected = reference.bits(case.input).copy()
    allowed = reference.candidates(case.indices, case.input.shape, case.batch_dims, "raise")
    for place, positions in allowed.items():
        updates = [case.updates[(*position, ...)].tobytes() for position in positions]
        assert found[(*place, ...)].tobytes() in updates
        expected[(*place, ...)] = found[(*place, ...)]
    assert_same_bits(found, expected)
