"""Each peer's way to do a case of `gathernd._cli.bench`, as its users write it.

A peer that cannot do a case (its operator is missing, or its answer is undefined) has no call.
"""

from __future__ import annotations

import functools
import importlib
import os
from collections.abc import Callable
from typing import Any

import numpy as np

import gathernd
from gathernd._cli.bench import Call, Case, numpy_call, our_call, start_of

PEERS = ("NumPy", "PyTorch", "ONNX Runtime", "JAX", "Numba", "gathernd")
_MODULES = {"PyTorch": "torch", "ONNX Runtime": "onnxruntime", "JAX": "jax", "Numba": "numba"}


def available() -> dict[str, str]:
    """The version of each peer that is installed."""
    versions = {"NumPy": np.__version__, "gathernd": gathernd.__version__}
    for peer, module in _MODULES.items():
        try:
            versions[peer] = importlib.import_module(module).__version__
        except ImportError:
            continue
    return versions


def set_threads(count: int) -> None:
    """The same number for all."""
    gathernd.set_num_threads(count)
    if "PyTorch" in available():
        import torch

        torch.set_num_threads(count)
    if "Numba" in available():
        import numba

        numba.set_num_threads(count)
    if "JAX" in available():
        start_jax(count)


def start_jax(threads: int) -> None:
    """JAX makes a thread for each processor that the process may use when it starts."""
    import jax

    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_enable_x64", True)
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(allowed)[:threads])
    jax.devices()
    os.sched_setaffinity(0, allowed)


def call_of(peer: str, case: Case, threads: int) -> Call | None:
    makers: dict[str, Callable[[], Call | None]] = {
        "NumPy": lambda: numpy_call(case),
        "gathernd": lambda: our_call(case),
        "PyTorch": lambda: torch_call(case),
        "ONNX Runtime": lambda: onnx_call(case, threads),
        "JAX": lambda: jax_call(case),
        "Numba": lambda: numba_call(case),
    }
    return makers[peer]()


def keys(case: Case, convert: Callable[[np.ndarray], Any]) -> tuple[Any, ...]:
    """The index arrays of fancy indexing, those of the batches included."""
    columns = [case.indices[..., k] for k in range(case.indices.shape[-1])]
    grid = np.meshgrid(*map(np.arange, case.indices.shape[:-1]), indexing="ij")
    return tuple(convert(np.ascontiguousarray(x)) for x in (*grid[: case.batch_dims], *columns))


def torch_call(case: Case) -> Call:
    import torch

    table = torch.from_numpy(case.input)
    key = keys(case, lambda x: torch.from_numpy(x.astype(np.int64)))
    if case.updates is None:
        if len(key) == 1:
            return lambda: torch.index_select(table, 0, key[0]).numpy()
        return lambda: table[key].numpy()
    rows, start = torch.from_numpy(case.updates), start_of(case, table.clone)
    if case.reduction == "max":
        return lambda: start().index_reduce_(0, key[0], rows, "amax").numpy()
    if case.reduction == "add" and len(key) == 1:
        return lambda: start().index_add_(0, key[0], rows).numpy()
    accumulate = case.reduction == "add"
    return lambda: start().index_put_(key, rows, accumulate=accumulate).numpy()


def onnx_call(case: Case, threads: int) -> Call | None:
    """The operators of opset 18. A session writes its result elsewhere than its input."""
    if case.in_place:
        return None
    import onnxruntime as ort
    from onnx import helper

    def info(name: str, array: np.ndarray) -> Any:
        kind = helper.np_dtype_to_tensor_dtype(array.dtype)
        return helper.make_tensor_value_info(name, kind, array.shape)

    inputs = {"data": case.input, "indices": case.indices.astype(np.int64)}
    if case.updates is None:
        node = helper.make_node("GatherND", list(inputs), ["out"], batch_dims=case.batch_dims)
    else:
        inputs["updates"] = case.updates
        node = helper.make_node("ScatterND", list(inputs), ["out"], reduction=case.reduction)
    output = helper.make_tensor_value_info(
        "out", helper.np_dtype_to_tensor_dtype(case.input.dtype), None
    )
    graph = helper.make_graph([node], "case", [info(*item) for item in inputs.items()], [output])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    session = ort.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    return lambda: session.run(None, inputs)[0]


def jax_call(case: Case) -> Call:
    import jax

    table, key = jax.device_put(case.input), keys(case, jax.device_put)
    if case.updates is None:
        gather = jax.jit(lambda table, key: table[key])
        return lambda: gather(table, key).block_until_ready()
    rows = jax.device_put(case.updates)
    method = {"none": "set", "add": "add", "max": "max"}[case.reduction]

    def scatter(table: Any, key: Any, rows: Any) -> Any:
        return getattr(table.at[key], method)(rows)

    if not case.in_place:
        compiled = jax.jit(scatter)
        return lambda: compiled(table, key, rows).block_until_ready()
    donating = jax.jit(scatter, donate_argnums=0)
    target = table.copy()

    def scatter_in_place() -> Any:
        nonlocal target
        target = donating(target, key, rows).block_until_ready()
        return target

    return scatter_in_place


@functools.cache
def numba_loop(kind: str, depth: int) -> Any:
    """A straight loop; scatters with duplicates would race, so they run in one thread."""
    import numba

    subscript = ", ".join(f"indices[t, {k}]" for k in range(depth))
    statement = {
        "gather": f"out[t] = table[{subscript}]",
        "none": f"out[{subscript}] = rows[t]",
        "add": f"out[{subscript}] += rows[t]",
        "max": f"out[{subscript}] = max(out[{subscript}], rows[t])",
    }[kind]
    parallel = kind == "gather"
    arguments = "table, indices, out" if parallel else "out, indices, rows"
    loop = "numba.prange" if parallel else "range"
    source = f"def f({arguments}):\n for t in {loop}(indices.shape[0]):\n  {statement}\n"
    namespace: dict[str, Any] = {"numba": numba}
    exec(source, namespace)
    return numba.njit(parallel=parallel)(namespace["f"])


def numba_call(case: Case) -> Call | None:
    depth = case.indices.shape[-1]
    if case.batch_dims:
        return None
    compiled = numba_loop("gather" if case.updates is None else case.reduction, depth)
    if case.updates is None:
        shape = case.indices.shape[:-1] + case.input.shape[depth:]

        def gather() -> np.ndarray:
            out = np.empty(shape, case.input.dtype)
            compiled(case.input, case.indices, out)
            return out

        return gather
    start = start_of(case, case.input.copy)

    def scatter() -> np.ndarray:
        out = start()
        compiled(out, case.indices, case.updates)
        return out

    return scatter
