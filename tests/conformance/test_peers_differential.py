"""The same random calls to other libraries: pip install "gathernd[peers]" torch; pytest -m peers.

Compared is what their contracts and ours have in common: see docs/semantics.md for the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gathernd as gnd
from checks import assert_same_bits, outcome
from peers import ORT_REDUCTIONS, calls, jax, ort_run, peer

pytestmark = pytest.mark.peers


def same(ours: np.ndarray | IndexError, theirs: np.ndarray | IndexError) -> None:
    if isinstance(ours, IndexError) or isinstance(theirs, IndexError):
        assert isinstance(ours, IndexError)
        assert isinstance(theirs, IndexError)
    else:
        assert_same_bits(theirs, ours)


def flushed(array: np.ndarray) -> np.ndarray:
    """Zeros for subnormal numbers, which XLA may take for zeros."""
    if array.dtype.kind != "f":
        return array
    is_subnormal = np.abs(array) < np.finfo(array.dtype).smallest_normal
    return np.where(is_subnormal, np.copysign(array.dtype.type(0), array), array)


def split(indices: np.ndarray, convert: Any) -> tuple[Any, ...]:
    return tuple(convert(np.ascontiguousarray(part)) for part in np.moveaxis(indices, -1, 0))


def close(ours: np.ndarray, theirs: np.ndarray, table: np.ndarray, updates: np.ndarray) -> None:
    """Equal but for the order of a sum, where the numbers are floats."""
    if ours.dtype.kind != "f":
        return assert_same_bits(theirs, ours)
    bound = np.abs(table).max() + np.abs(updates).sum(dtype="f8")
    np.testing.assert_allclose(theirs, ours, rtol=0, atol=8 * np.finfo(ours.dtype).eps * bound)


@given(calls(bad=True))
def test_onnxruntime_gather(call: Any) -> None:
    table, indices, _, batch_dims = call
    theirs = ort_run("GatherND", table, indices, batch_dims=batch_dims)
    same(outcome(gnd.gather_nd, table, indices, batch_dims), theirs)


@given(calls(bad=True, batches=False), st.sampled_from(ORT_REDUCTIONS))
def test_onnxruntime_scatter(call: Any, reduction: Any) -> None:
    table, indices, updates, _ = call
    theirs = ort_run("ScatterND", table, indices, updates, reduction=reduction)
    same(outcome(gnd.scatter_nd, table, indices, updates, reduction), theirs)


@given(calls(bad=True, batches=False))
def test_torch_gather(call: Any) -> None:
    torch = peer("torch")
    table, indices, _, _ = call
    theirs = outcome(lambda: torch.from_numpy(table)[split(indices, torch.from_numpy)].numpy())
    same(outcome(gnd.gather_nd, table, indices), theirs)


@given(calls(unique=True, batches=False), st.booleans())
def test_torch_scatter(call: Any, accumulate: bool) -> None:
    torch = peer("torch")
    table, indices, updates, _ = call
    target = torch.from_numpy(table.copy())
    places = split(indices, torch.from_numpy)
    target.index_put_(places, torch.from_numpy(updates), accumulate=accumulate)
    reduction = "add" if accumulate else "none"
    same(gnd.scatter_nd(table, indices, updates, reduction), target.numpy())


@given(calls(batches=False))
def test_torch_sums(call: Any) -> None:
    torch = peer("torch")
    table, indices, updates, _ = call
    target = torch.from_numpy(table.copy())
    places = split(indices, torch.from_numpy)
    target.index_put_(places, torch.from_numpy(updates), accumulate=True)
    close(gnd.scatter_nd(table, indices, updates, "add"), target.numpy(), table, updates)


@given(calls(batches=False))
def test_jax_gather(call: Any) -> None:
    numpy = jax().numpy
    table, indices, _, _ = call
    same(
        gnd.gather_nd(table, indices), np.asarray(numpy.asarray(table)[split(indices, np.asarray)])
    )


# JAX may narrow int64 indices to int32 before it looks at them: these have no more.
@given(calls(bad=True, batches=False, index="i4"))
def test_jax_modes(call: Any) -> None:
    numpy = jax().numpy
    table, indices, _, _ = call
    at = numpy.asarray(table).at[split(indices, np.asarray)]
    for mode, fill in (("clip", None), ("fill", 7)):
        theirs = np.asarray(at.get(mode=mode, fill_value=fill))
        same(gnd.gather_nd(table, indices, mode=mode, fill_value=fill or 0), theirs)


@given(calls(unique=True, batches=False), st.sampled_from(ORT_REDUCTIONS))
def test_jax_scatter(call: Any, reduction: Any) -> None:
    numpy = jax().numpy
    table, indices, updates, _ = call
    if reduction != "none":
        table, updates = flushed(table), flushed(updates)
    at = numpy.asarray(table).at[split(indices, np.asarray)]
    theirs = np.asarray(getattr(at, "set" if reduction == "none" else reduction)(updates))
    ours = gnd.scatter_nd(table, indices, updates, reduction)
    if reduction != "none":
        ours, theirs = flushed(ours), flushed(theirs)
    same(ours, theirs)


@given(calls(bad=True, batches=False, index="i4"))
def test_jax_drops_and_sums(call: Any) -> None:
    numpy = jax().numpy
    table, indices, updates, _ = call
    theirs = numpy.asarray(table).at[split(indices, np.asarray)].add(updates, mode="drop")
    ours = gnd.scatter_nd(table, indices, updates, "add", mode="drop")
    close(ours, np.asarray(theirs), table, updates)
