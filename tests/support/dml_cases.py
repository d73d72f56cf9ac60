"""DirectML's own answers, from tests/data: cases, their descs, their elements."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from gathernd import dml

DATA = Path(__file__).parents[1] / "data"
GAP = 0xCD
LEVEL = "6.4"

DESCS = {
    "GATHER_ND": dml.GatherNDOperatorDesc,
    "GATHER_ND1": dml.GatherND1OperatorDesc,
    "SCATTER_ND": dml.ScatterNDOperatorDesc,
}
Desc = dml.GatherNDOperatorDesc | dml.GatherND1OperatorDesc | dml.ScatterNDOperatorDesc


@dataclass(frozen=True, repr=False)
class DmlCase:
    id: int
    group: str
    op: str
    matches_definition: bool | None
    desc: Desc
    buffers: dict[str, np.ndarray]  # the output's is DirectML's answer

    def __repr__(self) -> str:
        return f"DmlCase({self.id}, {self.desc})"

    @property
    def arguments(self) -> list[np.ndarray]:
        return [buffer for name, buffer in self.buffers.items() if name != "output"]

    def elements(self, name: str, buffer: np.ndarray | None = None) -> np.ndarray:
        """A tensor's elements as unsigned integers (indices in their type), as a view."""
        tensor: dml.TensorDesc = getattr(self.desc, f"{name}_tensor")
        dtype = tensor.dtype if name == "indices" else np.dtype(f"u{tensor.dtype.itemsize}")
        flat = self.buffers[name] if buffer is None else buffer
        flat = flat[: len(flat) // dtype.itemsize * dtype.itemsize].view(dtype)
        steps = [s * dtype.itemsize for s in tensor.strides or packed(tensor.sizes)]
        return np.lib.stride_tricks.as_strided(flat, tensor.sizes, steps)

    def shape(self, name: str) -> tuple[int, ...]:
        """A tensor's sizes without the ignored leading 1s."""
        desc = self.desc
        sizes = getattr(desc, f"{name}_tensor").sizes
        batch = getattr(desc, "batch_dimension_count", 0)
        depth = desc.indices_tensor.sizes[-1]
        inputs, indices = desc.input_dimension_count, desc.indices_dimension_count
        rows = indices - 1 + inputs - batch - depth
        count = {"input": inputs, "indices": indices, "updates": rows, "output": rows}[name]
        if name == "output" and self.op == "SCATTER_ND":
            count = inputs
        return sizes[len(sizes) - count :]

    def logical(self, name: str) -> np.ndarray:
        return self.elements(name).reshape(self.shape(name))


def packed(sizes: tuple[int, ...]) -> list[int]:
    return [int(np.prod(sizes[i + 1 :])) for i in range(len(sizes))]


def make_desc(op: str, tensors: list[dml.TensorDesc], counts: dict[str, int]) -> Desc:
    names = ["input_dimension_count", "indices_dimension_count", "batch_dimension_count"]
    names = names if op == "GATHER_ND1" else names[:2]
    return DESCS[op](*tensors, *(counts[name] for name in names))


@cache
def load_vectors() -> tuple[DmlCase, ...]:
    with np.load(DATA / "dml_vectors.npz") as file:
        meta, data = json.loads(file["meta"].tobytes()), file["data"]
    data.flags.writeable = False
    return tuple(read_case(case, data) for case in meta["cases"])


def read_case(case: dict[str, Any], data: np.ndarray) -> DmlCase:
    buffers, tensors = {}, []
    for name in ("input", "indices", "updates", "output"):
        if f"{name}_bytes" in case:
            start, length = case[f"{name}_bytes"]
            buffers[name] = data[start : start + length]
            kind = case["index_type" if name == "indices" else "data_type"]
            sizes, strides = case[f"{name}_sizes"], case[f"{name}_strides"]
            tensors.append(dml.TensorDesc(kind, sizes, strides, length))
    desc = make_desc(case["op"], tensors, case)
    return DmlCase(case["id"], case["group"], case["op"], case["matches_definition"], desc, buffers)


def select(group: str, op: str | None = None) -> Iterator[DmlCase]:
    return (c for c in load_vectors() if c.group == group and op in (None, c.op))


def load_invalid() -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads((DATA / "dml_invalid.json").read_text())["cases"]
    return cases


def invalid_desc(case: dict[str, Any]) -> Desc:
    """The desc of a case of dml_invalid.json; raises as early as it can."""
    tensors: list[Any] = []
    for t in case["tensors"].values():
        null = t.get("null")
        if null in ("tensor", "Desc"):
            tensors.append(None)
            continue
        sizes = None if null == "Sizes" else t["sizes"]
        options = (t["total_bytes"], t.get("flags", 0), t.get("align", 0))
        tensors.append(dml.TensorDesc(t["type"], sizes, t["strides"], *options))
    return make_desc(case["op"], tensors, case)
