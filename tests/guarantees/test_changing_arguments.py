"""Python code that runs inside a call, and gives arrays another dtype, shape or memory meanwhile.

A call uses what the arrays are once that code has run, or raises: it never mixes the two.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gathernd
from checks import assert_same_bits
from gathernd import _core, dml

# NumPy 2.5 warns of an array that gets another dtype, shape or strides, and does it all the same.
pytestmark = pytest.mark.filterwarnings("ignore:Setting the:DeprecationWarning")

CHANGED = "changed its shape, dtype or memory during the call"


class Index:
    """An integer, 0, that does something when it is asked for."""

    def __init__(self, does: Callable[[], Any]) -> None:
        self.does = does

    def __index__(self) -> int:
        self.does()
        return 0


class Name(str):
    """A field's name that does something when dtypes are compared."""

    does: Callable[[], Any] = staticmethod(lambda: None)
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Name.does()
        return str.__eq__(self, other)


class Value:
    """An array_like that does something when it is converted."""

    def __init__(self, array: np.ndarray, does: Callable[[], Any]) -> None:
        self.array = array
        self.does = does
        self.dtype = array.dtype

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        self.does()
        return self.array


def gives(array: np.ndarray, name: str, value: Any) -> Callable[[], None]:
    return lambda: setattr(array, name, value)


def test_fill_value_of_a_dtype_that_the_input_had(nd):
    """The fill value has one byte, the input's elements eight by then."""
    table = np.zeros((4, 8), np.int8)
    with pytest.raises(TypeError, match=r"fill_value has dtype int8, but input now has \|V8"):
        nd.gather_nd(table, [[9]], Index(gives(table, "dtype", "V8")), mode="fill", fill_value=1)


def test_fill_value_that_changes_the_dtype(nd):
    plan = nd.IndexPlan((4, 1), np.array([[9]]), mode="fill")
    for call in (plan.gather, lambda *a, **o: nd.gather_nd(a[0], [[9]], mode="fill", **o)):
        table = np.zeros((4, 8), np.int8)
        fill = Value(np.array(7, np.int8), gives(table, "dtype", np.int64))
        with pytest.raises(TypeError, match="fill_value has dtype int8, but input now has int64"):
            call(table, fill_value=fill)


def test_fill_value_that_is_resized():
    fill = np.ones((), np.int64)
    shrink = Index(lambda: fill.resize((0,), refcheck=False))
    table = np.zeros(4, np.int64)
    with pytest.raises(ValueError, match="fill_value must be a single element"):
        _core.gather_nd(table, np.array([[9]]), shrink, "fill", fill, None)


@pytest.mark.parametrize(
    ("name", "value"), [("dtype", "V8"), ("shape", (8, 2)), ("strides", (-8, 0))], ids=str
)
def test_arrays_that_change_while_options_are_converted(nd, name, value):
    """What they are afterwards counts, for every argument."""
    table = np.arange(32, dtype=np.float32).reshape(4, 4, 2)[2:, :, 0]  # strides (32, 8)
    if name != "strides":
        table = np.arange(16, dtype=np.float32).reshape(4, 4)
    expected = table.copy()
    if name == "strides":
        expected = np.lib.stride_tricks.as_strided(table, strides=value).copy()
    else:
        setattr(expected, name, value)
    rows = expected[:1].copy()
    assert_same_bits(nd.gather_nd(table, [[0]], Index(gives(table, name, value))), rows)
    assert_same_bits(nd.gather_nd(table, np.array([[0]])), rows)


def test_updates_and_out_that_change_while_options_are_converted(nd):
    table, indices = np.zeros((4, 2)), np.array([[1], [2]])
    updates, out = np.arange(4.0), np.zeros(8)

    def change() -> None:
        updates.shape = (2, 2)
        out.shape = (4, 2)

    result = nd.scatter_nd(table, indices, updates, "none", Index(change), out=out)
    assert result is out
    assert_same_bits(result, np.array([[0.0, 0], [0, 1], [2, 3], [0, 0]]))
    wrong = Index(gives(updates, "dtype", np.int64))
    with pytest.raises(TypeError, match="updates must have input's dtype float64, not int64"):
        nd.scatter_nd(table, indices, updates, "none", wrong)
    wrong = Index(gives(indices, "dtype", np.float64))
    with pytest.raises(TypeError, match="indices must be int8 to int64"):
        nd.gather_nd(table, indices, wrong)


@pytest.mark.parametrize("changes", ["shape", "memory"])
@pytest.mark.parametrize("argument", ["input", "indices", "updates", "out"])
def test_dtypes_that_change_arrays_when_they_are_compared(nd, monkeypatch, argument, changes):
    """Fields may have names with an __eq__ of their own."""

    def record() -> np.dtype[Any]:
        return np.dtype([(Name("a"), "i4"), (Name("b"), "i4")])

    def arrays() -> dict[str, np.ndarray]:
        return {
            "input": np.zeros(4, record()),
            "indices": np.zeros((2, 1), np.int64),
            "updates": np.ones(2, record()),
            "out": np.zeros(4, record()),
        }

    plan = nd.IndexPlan((4,), np.array([[0], [0]]))
    calls = [lambda table, indices, updates, out: nd.scatter_nd(table, indices, updates, out=out)]
    if argument != "indices":
        calls.append(lambda table, indices, updates, out: plan.scatter(table, updates, out=out))
    if argument in ("input", "indices"):
        calls.append(lambda table, indices, updates, out: nd.gather_nd(table, indices, out=out[:2]))
    for call in calls:
        given = arrays()
        array = given[argument]
        size = len(array)

        def change(array: np.ndarray = array, size: int = size) -> None:
            if changes == "shape":
                array.shape = (1, size) if array.ndim == 1 else (1, 1, size)
            else:
                array.resize((100 * size, *array.shape[1:]), refcheck=False)

        monkeypatch.setattr(Name, "does", change)
        with pytest.raises(
            (RuntimeError, ValueError), match=f"{CHANGED}|must have .*shape|last dim"
        ):
            call(*given.values())
        monkeypatch.setattr(Name, "does", lambda: None)
        assert not np.any(given["out"]["a"]), "an argument was written"


@pytest.mark.parametrize("argument", ["x", "updates", "index"])
def test_at_whose_arrays_change_when_dtypes_are_compared(nd, monkeypatch, argument):
    for turn in range(6):  # the comparison that changes the array

        def record() -> np.dtype[Any]:
            return np.dtype([(Name("a"), "i4"), (Name("b"), "i4")])

        index = np.array([2, 0])
        given = {"x": np.zeros(4, record()), "updates": np.ones(2, record()), "index": index}
        compared = []

        def change(
            array: np.ndarray = given[argument], turn: int = turn, seen: list[int] = compared
        ) -> None:
            seen.append(0)
            if len(seen) == turn + 1:
                array.resize((1000, 1), refcheck=False)

        indexed = nd.at(given["x"])
        monkeypatch.setattr(Name, "does", change)
        error: Any = None
        try:
            indexed[index] = given["updates"]
        except (RuntimeError, ValueError) as caught:
            error = caught
        monkeypatch.setattr(Name, "does", lambda: None)
        if error is None:
            if len(compared) <= turn:
                assert_same_bits(given["x"][[0, 2]], given["updates"])
        else:
            assert not np.any(given["x"]["a"]), "x was written"
            assert len(compared) > turn


def test_directml_operators_whose_arguments_change():
    table, places = dml.TensorDesc("UINT8", [4]), dml.TensorDesc("UINT32", [1, 1])
    rows = dml.TensorDesc("UINT8", [1])
    op = dml.compile(dml.ScatterNDOperatorDesc(table, places, rows, table, 1, 2))
    array = np.zeros(4, np.uint8)
    updates = Value(np.ones(1, np.uint8), gives(array, "dtype", "V4"))
    with pytest.raises(TypeError, match="input must have the desc's type uint8"):
        op(array, np.zeros((1, 1), np.uint32), updates)
    buffer = np.zeros(4, np.uint8)
    short = Value(np.zeros(4, np.uint8), lambda: buffer.resize(1, refcheck=False))
    with pytest.raises(ValueError, match="run_buffers: input"):
        op.run_buffers(buffer, short, np.zeros(4, np.uint8), np.zeros(4, np.uint8))


def test_another_thread_that_changes_the_dtype(nd):
    """Each call sees one of the two dtypes, whole, or raises."""
    memory = np.arange(64, dtype=np.int64)
    table = memory.view()
    indices = np.array([[3], [99]])
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            table.dtype = np.int8
            table.dtype = np.int64

    expected = {
        np.dtype(np.int64): [3, 1],
        np.dtype(np.int8): [memory.view(np.int8)[3], memory.view(np.int8)[99]],
    }
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    thread = threading.Thread(target=change)
    thread.start()
    seen = set()
    try:
        for _ in range(300):
            try:
                result = nd.gather_nd(table, indices, mode="fill", fill_value=1)
            except (TypeError, RuntimeError) as error:
                seen.add(type(error))
            else:
                assert result.tolist() == expected[result.dtype]
                seen.add(result.dtype)
    finally:
        stop.set()
        thread.join()
        sys.setswitchinterval(before)
    assert seen


@pytest.mark.parametrize("name", [name for name, *_ in _core.devices()][:1])
def test_upload_of_an_array_that_changes(name):
    """The array is what its __array__ left behind."""
    array = np.arange(8, dtype=np.int64)
    held = Value(array, gives(array, "shape", (2, 4)))
    assert_same_bits(gathernd.Device(name).asarray(held).numpy(), np.arange(8).reshape(2, 4))
