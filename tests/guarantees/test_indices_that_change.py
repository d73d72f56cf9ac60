"""Indices that another thread rewrites during a call: each is read once.

So every tuple is applied exactly once, with a value that its index had at some moment of the call,
and an error names the value that was read. GATHERND_TEST_SECONDS=60 runs each way for a minute.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import gathernd
from gathernd import _core
from whole_writes import write_whole

SECONDS = float(os.environ.get("GATHERND_TEST_SECONDS", "0.01"))
TUPLES, SLOTS = 12_000, 3_000


@contextlib.contextmanager
def switching(indices: np.ndarray, *states: np.ndarray) -> Iterator[None]:
    """Another thread fills `indices` with one state after the other all the while."""
    stop = threading.Event()

    def switch() -> None:
        while not stop.is_set():
            for state in states:
                write_whole(state, indices)

    thread = threading.Thread(target=switch)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        sys.setswitchinterval(before)


def repeats(seconds: float = SECONDS) -> Iterator[int]:
    """Numbers for so long."""
    end = time.monotonic() + seconds
    count = 0
    while count == 0 or time.monotonic() < end:
        yield count
        count += 1


def two_states(shape: tuple[int, ...], size: int, dtype: type = np.int64) -> list[np.ndarray]:
    rng = np.random.default_rng(sum(shape))
    return [rng.integers(0, size, shape).astype(dtype) for _ in range(2)]


def weights(shape: tuple[int, ...], dtype: type) -> np.ndarray:
    """Of which every sum of TUPLES is exact."""
    return np.random.default_rng(1).integers(1, 100, shape).astype(dtype)


Layout = Callable[[np.ndarray], np.ndarray]
LAYOUTS: dict[str, Layout] = {
    "int64": lambda x: x.copy(),
    "int32": lambda x: x.astype(np.int32),
    "strided int16": lambda x: np.zeros((*x.shape, 2), np.int16)[..., 0],
    "backwards uint64": lambda x: x.astype(np.uint64)[::-1],
}


@pytest.mark.parametrize(
    ("mode", "layout"), [*zip(["raise", "clip", "wrap", "drop"], LAYOUTS, strict=True)]
)
def test_each_tuple_is_added_exactly_once(nd, mode, layout):
    states = two_states((TUPLES, 1), SLOTS)
    indices = LAYOUTS[layout](states[0])
    updates = weights((TUPLES,), np.float64)
    with switching(indices, *states):
        for count in repeats():
            table = np.zeros(SLOTS)
            out = table if count % 2 else None
            result = nd.scatter_nd(table, indices, updates, "add", mode=mode, out=out)
            assert result.sum() == updates.sum()


WAYS: dict[str, tuple[Any, tuple[int, ...], int, tuple[int, ...], dict[str, str]]] = {
    # dtype, shape of the tuples, their length, shape of a slice, options
    "small integers": (np.int32, (TUPLES,), 1, (), {"reduction": "add"}),
    "float16": (np.float16, (900,), 1, (), {"reduction": "add"}),
    "three components": (np.float32, (4000,), 3, (), {"reduction": "add"}),
    "six components": (np.float32, (2000,), 6, (), {"reduction": "add"}),
    "rows": (np.float32, (3000,), 1, (5,), {"reduction": "add"}),
    "long rows": (np.float32, (8,), 1, (40_000,), {"reduction": "add"}),
    "batches": (np.float64, (3, 1500), 1, (), {"reduction": "add"}),
}


@pytest.mark.parametrize("way", WAYS)
def test_each_tuple_is_added_exactly_once_whatever_the_way(nd, way):
    dtype, tuples, depth, row, options = WAYS[way]
    batches = tuples[:-1]
    sizes = {1: (60,), 3: (20, 30, 40), 6: (5,) * 6}[depth]
    states = two_states((*tuples, depth), min(sizes))
    indices = states[0].copy()
    table = np.zeros((*batches, *sizes, *row), dtype)
    updates = np.ones((*tuples, *row), dtype)
    with switching(indices, *states):
        for _ in repeats():
            result = nd.scatter_nd(table, indices, updates, batch_dims=len(batches), **options)
            assert result.sum(dtype=np.float64) == updates.size


@pytest.mark.parametrize("threads", [2, 7])
def test_threads_that_need_the_same_tuples_read_them_once(threads):
    """Long tuples take longer to resolve than their rows to add: the threads meet at each block."""
    before = gathernd.get_num_threads(), _core.grain()
    depth, tuples = 45, 16_384
    states = two_states((tuples, depth), 2, np.int8)
    for state in states:
        state[:, : depth - 15] = 0
    indices = states[0].copy()
    table = np.zeros((1,) * (depth - 15) + (2,) * 15 + (16,), np.float32)
    updates = np.ones((tuples, 16), np.float32)
    gathernd.set_num_threads(threads)
    _core.set_grain(0)
    try:
        with switching(indices, *states):
            for _ in repeats(max(0.5, SECONDS)):
                result = gathernd.scatter_nd(table, indices, updates, "add")
                assert result.sum(dtype=np.float64) == updates.size
    finally:
        gathernd.set_num_threads(before[0])
        _core.set_grain(before[1])


@pytest.mark.parametrize(("slots", "duplicates"), [(60, "last"), (60, "first"), (SLOTS, "any")])
def test_each_slice_holds_an_update_that_pointed_there(nd, slots, duplicates):
    states = two_states((TUPLES, 1), slots)
    indices = states[0].copy()
    updates = np.arange(TUPLES)
    table = np.full(slots, -1)
    with switching(indices, *states):
        for _ in repeats():
            result = nd.scatter_nd(table, indices, updates, duplicates=duplicates)
            slot = np.flatnonzero(result >= 0)
            pointed = [state[result[slot], 0] == slot for state in states]
            assert np.logical_or(*pointed).all()


@pytest.mark.parametrize(
    ("mode", "row"), [("raise", ()), ("clip", (3,)), ("wrap", (40,)), ("fill", ())]
)
def test_each_row_is_one_that_its_tuple_pointed_to(nd, mode, row):
    states = two_states((TUPLES, 1), SLOTS)
    indices = states[0].copy()
    table = np.broadcast_to(np.arange(SLOTS).reshape(-1, *(1 for _ in row)), (SLOTS, *row)).copy()
    with switching(indices, *states):
        for count in repeats():
            out = np.full((TUPLES, *row), -1) if count % 2 else None
            result = nd.gather_nd(table, indices, mode=mode, fill_value=-1, out=out)
            rows = result.reshape(TUPLES, -1)
            assert (rows == rows[:, :1]).all()
            assert np.logical_or(*(rows[:, 0] == state[:, 0] for state in states)).all()


@pytest.mark.parametrize("bad", [0, 5, 2**62])
@pytest.mark.parametrize("depth", [1, 2, 6])
def test_few_tuples_are_read_once(nd, depth, bad):
    """Those that need no plan: all of them are applied once, or none if one was out of range."""
    states = two_states((900, depth), 5)
    states[1][850, -1] = bad
    indices = states[0].copy()
    table = np.arange(5**depth).reshape((5,) * depth)
    sums, updates = np.zeros(table.shape), weights((900,), np.float64)
    with switching(indices, *states):
        for count in repeats():
            out = np.full(900, -1) if count % 2 else None
            before = sums.sum()
            with contextlib.suppress(IndexError):
                nd.scatter_nd(sums, indices, updates, "add", out=sums)
                before += updates.sum()
            assert sums.sum() == before
            try:
                rows = nd.gather_nd(table, indices, out=out)
            except IndexError:
                assert bad != 0
                assert out is None or (out == -1).all()
            else:
                assert depth > 1 or np.logical_or(*(rows == state[:, 0] for state in states)).all()


def test_a_plan_holds_each_tuple_once(nd):
    states = two_states((TUPLES, 1), SLOTS)
    indices = states[0].copy()
    table, updates = np.arange(SLOTS), np.ones(TUPLES)
    with switching(indices, *states):
        for _ in repeats():
            plan = nd.IndexPlan((SLOTS,), indices)
            rows = plan.gather(table)
            assert np.logical_or(*(rows == state[:, 0] for state in states)).all()
            counts = plan.scatter(np.zeros(SLOTS), updates, "add")
            assert (counts == np.bincount(rows, minlength=SLOTS)).all()


@pytest.mark.parametrize(("depth", "bad"), [(1, SLOTS), (2, -SLOTS - 1), (5, 2**62)])
def test_an_error_names_the_value_that_was_read(nd, bad, depth):
    """Never a value that is in range, as the index may be again when the message is made."""
    sizes = (SLOTS,) + (1,) * (depth - 1)
    good = np.zeros((TUPLES, depth), np.int64)
    good[:, 0] = two_states((TUPLES,), SLOTS)[0]
    other = good.copy()
    other[TUPLES // 3, 0] = bad
    indices = good.copy()
    table, updates = np.zeros(sizes), np.ones(TUPLES)
    message = f"index {bad} at indices[{TUPLES // 3}, 0] is out of range for axis 0 of size {SLOTS}"
    with switching(indices, good, other):
        for count in repeats():
            out = table if count % 2 else None
            try:
                if count % 3:
                    nd.scatter_nd(table, indices, updates, "add", out=out)
                else:
                    nd.gather_nd(table, indices)
            except IndexError as error:
                assert message in str(error)  # noqa: PT017
