"""The tables of docs/coming-from: what other libraries answer, we answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gathernd
from checks import assert_same_bits
from peers import peer

PAGES = Path(__file__).parents[2] / "docs" / "coming-from"


def rows_of(page: str, title: str) -> list[tuple[str, str]]:
    """The table with our column: every way of theirs, and ours."""
    after = (PAGES / f"{page}.md").read_text().partition(f"| {title} | gathernd |")[2]
    rows = [line.split(" | ") for line in after.partition("\n\n")[0].splitlines() if "`" in line]
    found = [(way, re.findall("`(.+?)`", ours)[0]) for their, ours in rows
             for way in re.findall("`(.+?)`", their)]  # fmt: skip
    assert len(found) >= 5
    return found


def names(*, duplicates: bool = False) -> dict[str, Any]:
    """What the expressions of the tables use."""
    x = np.arange(12.0, dtype=np.float32).reshape(3, 4)
    i, j = np.array([2, 0, 2 if duplicates else 1]), np.array([3, 1, 3 if duplicates else 0])
    return {
        "x": x,
        "i": i,
        "j": j,
        "k": np.array([[3], [0], [1]]),
        "t": np.stack((i, j), axis=-1),
        "u": np.array([5.5, 0.5, 2.5], np.float32),
        "n": 3,
        "far": np.array([2, 9, 1]),
        "mask": x % 5 == 0,
        "rows": np.arange(12.0, 24.0, dtype=np.float32).reshape(3, 4),
    }


def value_of(code: str, given: dict[str, Any]) -> Any:
    """Return what an expression gives, or what becomes of x."""
    found = {"np": np, "gnd": gathernd, **given}
    if "= " in code or code.startswith("np.add.at") or code.startswith("np.maximum.at"):
        exec(code, found)
        return found["x"]
    return eval(code, found)


def converted(convert: Callable[[np.ndarray], Any]) -> dict[str, Any]:
    """The same names, with another library's arrays."""
    return {
        name: convert(value) if isinstance(value, np.ndarray) else value
        for name, value in names().items()
    }


@pytest.mark.parametrize("duplicates", [False, True])
@pytest.mark.parametrize(("theirs", "ours"), rows_of("numpy", "NumPy"))
def test_numpy(theirs, ours, duplicates):
    def given() -> dict[str, Any]:
        found = names(duplicates=duplicates)
        return {**found, "x": found["x"].astype(float), "u": found["u"].astype(float)}

    assert_same_bits(value_of(theirs, given()), value_of(ours, given()))


@pytest.mark.peers
@pytest.mark.parametrize(("theirs", "ours"), rows_of("pytorch", "PyTorch"))
def test_pytorch(theirs, ours):
    torch = peer("torch")
    tensors = converted(lambda array: torch.from_numpy(array.copy()))
    np.testing.assert_array_equal(value_of(ours, tensors), value_of(theirs, tensors).numpy())


@pytest.mark.peers
@pytest.mark.parametrize(("theirs", "ours"), rows_of("jax", "JAX"))
def test_jax(theirs, ours):
    jax = peer("jax")
    theirs_value = value_of(theirs, converted(jax.numpy.asarray))
    np.testing.assert_array_equal(value_of(ours, names()), np.asarray(theirs_value))


@pytest.mark.parametrize(("theirs", "ours"), rows_of("onnx", "ONNX"))
def test_onnx(theirs, ours):
    onnx = peer("onnx")
    from onnx.reference import ReferenceEvaluator

    def operator(name: str) -> Callable[..., np.ndarray]:
        def run(*arrays: np.ndarray, **attributes: Any) -> np.ndarray:
            inputs = [f"input_{number}" for number in range(len(arrays))]
            node = onnx.helper.make_node(name, inputs, ["output"], **attributes)
            return ReferenceEvaluator(node).run(None, dict(zip(inputs, arrays, strict=True)))[0]

        return run

    operators = {name: operator(name) for name in re.findall(r"\b[A-Z]\w+(?=\()", theirs)}
    assert operators
    expected = value_of(theirs, {**names(), **operators})
    np.testing.assert_array_equal(value_of(ours, names()), expected)


@pytest.mark.parametrize(("theirs", "ours"), rows_of("tensorflow", "TensorFlow"))
def test_tensorflow(theirs, ours):
    """TensorFlow is not asked: its calls are done by NumPy, from its documentation."""

    class tf:  # noqa: N801
        @staticmethod
        def gather_nd(x, t, batch_dims=0):
            if batch_dims:
                return np.stack([row[tuple(index)] for row, index in zip(x, t, strict=True)])
            return x[tuple(t.T)]

        @staticmethod
        def gather(x, i):
            return x[i]

        @staticmethod
        def scatter_nd(t, u, shape):
            return tf.tensor_scatter_nd_add(np.zeros(shape), t, u)

        class math:  # noqa: N801
            @staticmethod
            def unsorted_segment_sum(rows, i, n):
                return tf.tensor_scatter_nd_add(np.zeros((n, *rows.shape[1:])), i[:, None], rows)

    def by(ufunc: np.ufunc) -> Callable[..., np.ndarray]:
        def scatter(x, t, u):
            result = x.copy()
            ufunc.at(result, tuple(t.T), u)
            return result

        return scatter

    def update(x, t, u):
        result = x.copy()
        result[tuple(t.T)] = u
        return result

    tf.tensor_scatter_nd_update = staticmethod(update)
    for name, ufunc in {"add": np.add, "sub": np.subtract, "max": np.maximum}.items():
        setattr(tf, f"tensor_scatter_nd_{name}", staticmethod(by(ufunc)))
    given = {**names(), "tf": tf}
    given["rows"] = given["rows"].astype(float) if "zeros" in ours else given["rows"]
    np.testing.assert_array_equal(value_of(ours, given), value_of(theirs, given))
