"""Other libraries in the tests: how to run them, random calls, and what the test_cases_* share."""

from __future__ import annotations

import importlib
import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from strategies import any_bits, generators, numbers, random_indices

TABLE = np.arange(24, dtype="f4").reshape(2, 3, 4)
DTYPES = [np.dtype(code) for code in ("f4", "f8", "i4", "i8", "u1", "i1", "i2")]
ORT_REDUCTIONS = ("none", "add", "mul", "min", "max")
# JAX compiles a program for each shape: few of them. Batch, outer, indexed and row sizes.
SHAPES = [((), (4,), (5,), ()), ((), (3, 2), (3, 4), (2,)), ((2,), (3,), (4, 2), (3,))]


def flat(values: Any, dtype: Any = "f4") -> np.ndarray:
    return np.array(values, dtype)


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


@cache
def jax() -> Any:
    module = peer("jax")
    module.config.update("jax_platforms", "cpu")
    module.config.update("jax_enable_x64", True)
    return module
