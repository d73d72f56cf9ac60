"""Threads that change arguments during a call, many callers, and the GIL."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gathernd
from checks import assert_same_bits
from whole_writes import write_whole

BAD = (10**6, -(10**6), 2**62, -(2**63), 1000)


@contextlib.contextmanager
def rewriting(indices: np.ndarray, bad: tuple[int, ...]) -> Iterator[None]:
    """Another thread overwrites parts of `indices` with good and bad values all the while."""
    stop = threading.Event()
    rng = np.random.default_rng(0)
    values = rng.integers(-1000, 1000, (64, indices.size))
    for row in values[:32] if bad else ():
        row[rng.integers(indices.size, size=2)] = rng.choice(bad, 2)

    def rewrite() -> None:
        while not stop.is_set():
            for row in values:
                write_whole(row, indices.reshape(-1))

    thread = threading.Thread(target=rewrite)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("mode", ["raise", "clip", "wrap", "fill"])
def test_gather_while_indices_change(nd, mode):
    """Every element comes from the table, or an error leaves `out` alone."""
    table = np.arange(1, 1001) * 3
    allowed = {*table.tolist(), 0}
    indices = np.zeros((20000, 1), np.int64)
    out = np.full(20000, -7)
    with rewriting(indices, BAD):
        for _ in range(20):
            out[:] = -7
            try:
                nd.gather_nd(table, indices, mode=mode, out=out)
            except IndexError:
                assert mode == "raise"
                assert (out == -7).all()
            else:
                assert set(out.tolist()) <= allowed


@pytest.mark.parametrize("reduction", ["none", "add", "max"])
@pytest.mark.parametrize("mode", ["raise", "drop"])
def test_scatter_in_place_while_indices_change(nd, mode, reduction):
    """Updates come whole, the gaps around the target stay; an error leaves it as it was."""
    buffer = np.full(3000, 5, np.int64)
    target = buffer[1000:2000]
    indices = np.zeros((20000, 1), np.int64)
    updates = np.full(20000, 6)
    with rewriting(indices, BAD):
        for _ in range(20):
            before = target.copy()
            try:
                nd.scatter_nd(target, indices, updates, reduction, mode=mode, out=target)
            except IndexError:
                assert mode == "raise"
                assert (target == before).all()
            else:
                added = target - before
                if reduction == "add":
                    assert (added % 6 == 0).all()
                    assert 0 <= added.sum() <= 6 * indices.size
                else:
                    assert set(target.tolist()) <= {5, 6}
    assert (buffer[:1000] == 5).all()
    assert (buffer[2000:] == 5).all()


@pytest.mark.parametrize("rule", ["last", "first", "any", "error"])
def test_duplicates_rules_while_indices_change(nd, rule):
    """Each update is written or not; five to a slice are duplicates at every moment."""
    table = np.zeros(1000, np.int64)
    indices = np.zeros((5000, 1), np.int64)
    updates = np.ones(5000, np.int64)
    with rewriting(indices, ()):
        for _ in range(5):
            try:
                result = nd.scatter_nd(table, indices, updates, duplicates=rule)
            except ValueError as error:
                assert rule == "error", error  # noqa: PT017
            else:
                assert rule != "error"
                assert np.unique(result).tolist() in ([0, 1], [1])


def test_eight_callers_at_once(nd):
    rng = np.random.default_rng(1)
    table = rng.standard_normal((300, 20))
    indices = rng.integers(-300, 300, (5000, 1))
    updates = rng.standard_normal((5000, 20))
    rows = nd.gather_nd(table, indices)
    sums = nd.scatter_nd(table, indices, updates, "add")

    def work(_: int) -> None:
        for _ in range(5):
            assert_same_bits(nd.gather_nd(table, indices), rows)
            assert_same_bits(nd.scatter_nd(table, indices, updates, "add"), sums)
            with pytest.raises(IndexError):
                nd.gather_nd(table, [[300]])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))


def test_other_threads_run_during_a_call():
    """This thread stamps the time while another one is inside of a long call."""
    table = np.zeros(64)
    indices = np.zeros((2**24, 1), np.int8)
    updates = np.ones(2**24)

    def stamps_inside() -> bool:
        span: list[float] = []

        def call() -> None:
            span.append(time.perf_counter())
            gathernd.scatter_nd(table, indices, updates, "add")
            span.append(time.perf_counter())

        thread = threading.Thread(target=call)
        thread.start()
        stamps = []
        while thread.is_alive():
            stamps.append(time.perf_counter())
            time.sleep(0.0005)
        thread.join()
        quarter = (span[1] - span[0]) / 4
        return any(span[0] + quarter < stamp < span[1] - quarter for stamp in stamps)

    assert any(stamps_inside() for _ in range(20))  # a busy machine may let this thread sleep long


def test_thread_counts_can_change_during_calls():
    before = gathernd.get_num_threads()
    table, indices = np.arange(1000), np.arange(1000)[::-1, None].copy()

    def work(_: int) -> None:
        for count in (1, 2, 5, 3):
            gathernd.set_num_threads(count)
            assert_same_bits(gathernd.gather_nd(table, indices), table[::-1].copy())

    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(work, range(8)))
    finally:
        gathernd.set_num_threads(before)
