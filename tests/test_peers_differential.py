"""The same random calls to other libraries: pip install "gathernd[peers]" torch; pytest -m peers.

Compared is what their contracts and ours have in common: see docs/semantics.md for the rest.
"""

from __future__ import annotations

import importlib
import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gathernd as gnd
from checks import assert_same_bits, outcome
from strategies import any_bits, generators, numbers, random_indices

pytestmark = pytest.mark.peers

DTYPES = [np.dtype(code) for code in ("f4", "f8", "i4", "i8", "u1", "i1", "i2")]
FLOATS = DTYPES[:2]
ORT_REDUCTIONS = ("none", "add", "mul", "min", "max")
# JAX compiles a program for each shape: few of them. Batch, outer, indexed and row sizes.
SHAPES = [((), (4,), (5,), ()), ((), (3, 2), (3, 4), (2,)), ((2,), (3,), (4, 2), (3,))]


def peer(name: str) -> Any:
    """The module, or a skip; whatever it warns about while loading is its own affair."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        how = 'pip install "gathernd[peers]" torch'
        return pytest.importorskip(name, reason=f"needs {name}: {how}")


@cache
def ort_session(op: str, dtypes: tuple[Any, ...], ranks: tuple[int, ...], attributes: Any) -> Any:
    helper = peer("onnx").helper
    ort = peer("onnxruntime")
    names = ("data", "indices", "updates")[: len(ranks)]
    types = [helper.np_dtype_to_tensor_dtype(dtype) for dtype in dtypes]
    values = [
        helper.make_tensor_value_info(name, kind, [None] * rank)
        for name, kind, rank in zip(names, types, ranks, strict=True)
    ]
    node = helper.make_node(op, names, ["result"], **dict(attributes))
    result = helper.make_tensor_value_info("result", types[0], None)
    graph = helper.make_graph([node], op, values, [result])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return ort.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def ort_run(op: str, *arrays: np.ndarray, **attributes: Any) -> np.ndarray | IndexError:
    """ONNX Runtime's answer; a refused index becomes an IndexError."""
    dtypes, ranks = tuple(a.dtype for a in arrays), tuple(a.ndim for a in arrays)
    session = ort_session(op, dtypes, ranks, tuple(attributes.items()))
    feed = dict(zip(("data", "indices", "updates"), arrays, strict=False))
    refused = importlib.import_module("onnxruntime.capi.onnxruntime_pybind11_state").InvalidArgument
    try:
        return np.asarray(session.run(None, feed)[0])
    except refused as error:
        if "invalid ind" not in str(error):
            raise
        return IndexError(str(error))


@st.composite
def calls(
    draw: st.DrawFn,
    *,
    bad: bool = False,
    unique: bool = False,
    batches: bool = True,
    index: str = "i8",
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """input, indices, updates and batch_dims; the numbers are finite and not 0."""
    rng = draw(generators())
    dtype = draw(st.sampled_from(DTYPES))
    batch, outer, sizes, row = draw(st.sampled_from(SHAPES if batches else SHAPES[:2]))
    table = small(rng, (*batch, *sizes, *row), dtype)
    count = draw(st.integers(0, 2)) if bad else 0
    indices = random_indices(rng, (*batch, *outer), sizes, np.dtype(index), count)
    if unique:
        flat = rng.permutation(int(np.prod(sizes)))[: int(np.prod(outer))]
        indices = np.stack(np.unravel_index(flat, sizes), -1).reshape(*outer, len(sizes))
        indices -= np.array(sizes) * rng.integers(0, 2, indices.shape)
    return table, indices, small(rng, (*batch, *outer, *row), dtype), len(batch)


def small(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    if dtype.kind != "f":
        return any_bits(rng, shape, dtype)
    values = numbers(rng, shape, dtype)
    return np.where(np.abs(np.nan_to_num(values, posinf=0, neginf=0)) > 1e-30, values, 1).astype(
        dtype
    )


def same(ours: np.ndarray | IndexError, theirs: np.ndarray | IndexError) -> None:
    if isinstance(ours, IndexError) or isinstance(theirs, IndexError):
        assert isinstance(ours, IndexError)
        assert isinstance(theirs, IndexError)
    else:
        assert_same_bits(theirs, ours)


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


def split(indices: np.ndarray, convert: Any) -> tuple[Any, ...]:
    return tuple(convert(np.ascontiguousarray(part)) for part in np.moveaxis(indices, -1, 0))


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


@cache
def jax() -> Any:
    module = peer("jax")
    module.config.update("jax_platforms", "cpu")
    module.config.update("jax_enable_x64", True)
    return module


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
    at = numpy.asarray(table).at[split(indices, np.asarray)]
    theirs = getattr(at, "set" if reduction == "none" else reduction)(updates)
    same(gnd.scatter_nd(table, indices, updates, reduction), np.asarray(theirs))


@given(calls(bad=True, batches=False, index="i4"))
def test_jax_drops_and_sums(call: Any) -> None:
    numpy = jax().numpy
    table, indices, updates, _ = call
    theirs = numpy.asarray(table).at[split(indices, np.asarray)].add(updates, mode="drop")
    ours = gnd.scatter_nd(table, indices, updates, "add", mode="drop")
    close(ours, np.asarray(theirs), table, updates)


def close(ours: np.ndarray, theirs: np.ndarray, table: np.ndarray, updates: np.ndarray) -> None:
    """Equal but for the order of a sum, where the numbers are floats."""
    if ours.dtype.kind != "f":
        return assert_same_bits(theirs, ours)
    bound = np.abs(table).max() + np.abs(updates).sum(dtype="f8")
    np.testing.assert_allclose(theirs, ours, rtol=0, atol=8 * np.finfo(ours.dtype).eps * bound)
