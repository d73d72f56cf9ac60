"""The device's time for one of many repetitions, without the host's time between them.

A way repeats a work so many times and returns its last answer; it need not wait for the device.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

Way = Callable[[int], Any]
Wait = Callable[[Any], Any]  # until an answer is there


def repeat(call: Callable[[], Any]) -> Way:
    def way(calls: int) -> Any:
        for _ in range(calls):
            answer = call()
        return answer

    return way


def seconds(way: Way, calls: int, wait: Wait) -> float:
    start = time.perf_counter()
    wait(way(calls))
    return time.perf_counter() - start


def calls_of(way: Way, wait: Wait) -> int:
    """How many last 5 ms."""
    seconds(way, 1, wait)
    return min(max(int(5e-3 / seconds(way, 1, wait)), 2), 25)


def median(batch: Callable[[], float]) -> float:
    """Of nine rounds, or as many as a second and a half hold; the clock rises only under load."""
    start = time.perf_counter()
    while time.perf_counter() - start < 0.1:
        batch()
    times: list[float] = []
    while len(times) < 3 or (len(times) < 9 and time.perf_counter() - start < 1.5):
        times.append(batch())
    return statistics.median(times)


def time_less_one(way: Way, wait: Wait) -> float:
    """Milliseconds: many repetitions less one, by the host's clock."""
    calls = calls_of(way, wait)
    seconds(way, calls, wait)  # compiles it
    return median(lambda: (seconds(way, calls, wait) - seconds(way, 1, wait)) * 1e3 / (calls - 1))


def time_graph(
    way: Way,
    wait: Wait,
    capture: Callable[[int], Callable[[], None]],
    event: Callable[[], Any],
    elapsed: Callable[[Any, Any], float],
) -> float:
    """Milliseconds: a CUDA graph of many repetitions between two events."""
    calls = calls_of(way, wait)
    replay = capture(calls)
    begin, end = event(), event()

    def batch() -> float:
        replay()  # keeps the device busy until the one that counts is queued
        begin.record()
        replay()
        end.record()
        end.synchronize()
        return elapsed(begin, end) / calls

    return median(batch)
