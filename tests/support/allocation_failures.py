"""Calls in which the n-th allocation fails: see test_allocation_failures.py.

Needs the library "allocations" of preload/ in the process. ``python allocation_failures.py`` lets
each n-th allocation of every kind of call fail: the answer is right, or MemoryError and no argument
has changed; the next call is right; the process lives.
"""

from __future__ import annotations

import ctypes
import gc
import os
import traceback
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

import gathernd as gnd
from gathernd import _core, dml

PRELOAD = ctypes.PyDLL(None)
fail_allocations = PRELOAD.fail_allocations
fail_allocations.argtypes = [ctypes.c_long, ctypes.c_long]
stop_failing = PRELOAD.stop_failing
stop_failing.restype = ctypes.c_long

Call = Callable[[], Any]
RNG = np.random.default_rng(0)
TUPLES = 5000
TABLE = RNG.standard_normal((300, 4))
INDICES = RNG.integers(0, 300, (TUPLES, 1))
BAD = np.where(np.arange(TUPLES)[:, None] == 4000, 300, INDICES)
UPDATES = RNG.standard_normal((TUPLES, 4))
OUT = np.full((300, 4), 7.0)
ROWS = np.full((TUPLES, 4), 7.0)
LARGE = np.zeros((1, 1 << 20), np.uint8)
ARGUMENTS = [TABLE, INDICES, BAD, UPDATES, LARGE]


def in_place(reduction: str) -> Callable[[np.ndarray], Any]:
    return lambda out: gnd.scatter_nd(out, INDICES, UPDATES, reduction, out=out)


def compiled_operator() -> Any:
    desc = dml.GatherNDOperatorDesc(
        dml.TensorDesc("UINT8", [1, 4]),
        dml.TensorDesc("UINT32", [1, 1]),
        dml.TensorDesc("UINT8", [1, 1]),
        1,
        2,
    )
    return dml.compile(desc)(np.uint8([[5, 6, 7, 8]]), np.uint32([[2]]))


def at_kinds() -> dict[str, Callable[[np.ndarray], Any]]:
    """Calls of `at`: with few elements and many, in the forms that take ways of their own."""
    calls: dict[str, Callable[[np.ndarray], Any]] = {
        "at a bad index": lambda out: add_at(out, BAD[:, 0], UPDATES),
        "at a list": lambda _: gnd.at(TABLE)[[3, 4], 1:].get(),
        "at a plan": lambda _: gnd.at(TABLE)[:, INDICES[:, 0] % 4].plan().gather(TABLE),
    }
    for name, index in {
        "few": (np.array([3, 4, 3]),),
        "many": (INDICES[:, 0], slice(1, 3)),
        "pairs": (INDICES[:, 0], INDICES[::-1, 0] % 4),
        "a mask": (TABLE > 0,),
        "a slice": slice(2, 200),
    }.items():
        rows = np.ones_like(TABLE[index])
        calls[f"at {name}, get"] = lambda _, i=index: gnd.at(TABLE)[i].get()
        calls[f"at {name}, set"] = lambda _, i=index, u=rows: gnd.at(TABLE)[i].set(u)
        calls[f"at {name}, set in place"] = lambda out, i=index, u=rows: set_at(out, i, u)
        calls[f"at {name}, add in place"] = lambda out, i=index, u=rows: add_at(out, i, u)
        calls[f"at {name}, add a number"] = lambda out, i=index: add_at(out, i, 1.5)
    return calls


def set_at(out: np.ndarray, index: Any, updates: Any) -> np.ndarray:
    gnd.at(out)[index] = updates
    return out


def add_at(out: np.ndarray, index: Any, updates: Any) -> np.ndarray:
    gnd.at(out)[index] += updates
    return out


def kinds() -> dict[str, Callable[[np.ndarray], Any]]:
    """Every kind of call, of an output that it may use."""
    half = TABLE.astype(np.float16)
    counts = RNG.integers(-9, 9, 300).astype(np.int32)
    plan = gnd.IndexPlan(TABLE.shape, INDICES)
    calls: dict[str, Callable[[np.ndarray], Any]] = {
        "gather": lambda _: gnd.gather_nd(TABLE, INDICES),
        "gather into out": lambda _: gnd.gather_nd(TABLE, INDICES, out=ROWS),
        "gather a bad tuple": lambda _: gnd.gather_nd(TABLE, BAD, out=ROWS),
        "gather fill": lambda _: gnd.gather_nd(TABLE, BAD, mode="fill", fill_value=2.5),
        "gather lists": lambda _: gnd.gather_nd([[1, 2], [3, 4]], [[0], [1]]),
        "gather a large result": lambda _: gnd.gather_nd(LARGE, np.zeros((33, 1), int)),
        "scatter halves": lambda _: gnd.scatter_nd(half, INDICES, UPDATES.astype("f2"), "add"),
        "scatter counts": lambda _: gnd.scatter_nd(counts, INDICES, np.ones(TUPLES, "i4"), "add"),
        "scatter lists": lambda _: gnd.scatter_nd([1.0, 2.0], [[0], [1]], [5, 6]),
        "scatter overlapping": lambda out: gnd.scatter_nd(
            out[::-1], INDICES, UPDATES, "add", out=out
        ),
        "make a plan": lambda _: gnd.IndexPlan(TABLE.shape, INDICES).updates_shape,
        "make a bad plan": lambda _: gnd.IndexPlan(TABLE.shape, BAD),
        "ask a plan": lambda _: (
            lambda p: (p.is_unique, p.is_sorted, p.nbytes)  # of a fresh one: it works them out
        )(gnd.IndexPlan(TABLE.shape, INDICES)),
        "gather by a plan": lambda _: plan.gather(TABLE),
        "compile an operator": lambda _: compiled_operator(),
        "settings": lambda _: (gnd.set_num_threads(3), gnd.get_num_threads()),
        **at_kinds(),
    }
    for reduction in ("none", "add", "min"):
        for duplicates in ("last", "first", "any", "error"):
            if reduction != "none" and duplicates != "last":
                continue
            options = {"reduction": reduction, "duplicates": duplicates}
            name = f"{reduction} {duplicates}"
            calls[f"scatter {name}"] = lambda _, o=options: gnd.scatter_nd(
                TABLE, INDICES, UPDATES, **o
            )
            calls[f"scatter {name} into out"] = lambda out, o=options: gnd.scatter_nd(
                TABLE, INDICES, UPDATES, out=out, **o
            )
            calls[f"scatter {name} by a plan"] = lambda out, o=options: gnd.IndexPlan(
                TABLE.shape, INDICES
            ).scatter(TABLE, UPDATES, out=out, **o)
        calls[f"scatter {reduction} in place"] = in_place(reduction)
    return calls


def failing(call: Call, number: int, count: int) -> tuple[Any, int]:
    """What the call returns or raises while allocations fail, and how many of those did."""
    try:
        fail_allocations(number, count)
        result = call()
    except SystemError as error:
        # NumPy 2.4's ufunc.reduce forgets to say that it found no memory.
        *_, last = traceback.walk_tb(error.__traceback__)
        is_numpys = last[0].f_globals["__name__"].startswith("numpy.")
        result = MemoryError(str(error)) if is_numpys else error
    except Exception as error:
        result = error.with_traceback(None)
    while True:
        try:
            return result, stop_failing()
        except MemoryError:  # of ctypes itself
            pass


def same(a: Any, b: Any) -> bool:
    if isinstance(a, Exception) or isinstance(b, Exception):
        return type(a) is type(b) and str(a) == str(b)
    return bool(np.array_equal(a, b))


def check(name: str, call: Callable[[np.ndarray], Any], outcomes: Counter[str]) -> None:
    """Fail each allocation that the call makes; AssertionError names what was wrong."""
    out = OUT.copy()
    ROWS[:] = 7
    expected, _ = failing(lambda: call(out), 1, 0)
    if isinstance(expected, np.ndarray):
        expected = expected.copy()  # it may be out
    after, rows = out.copy(), ROWS.copy()
    before = [argument.copy() for argument in ARGUMENTS]
    for count in (1, 2, 5):
        number = 1
        while True:
            out[:], ROWS[:] = OUT, 7
            got, failures = failing(lambda: call(out), number, count)
            where = f"{name}: allocation {number}, {count} in a row: {got!r}"
            if isinstance(got, MemoryError):
                assert (out == OUT).all(), where
                assert (ROWS == 7).all(), where
                outcomes["MemoryError"] += 1
            else:
                assert same(got, expected), where
                assert (out == after).all(), where
                assert (rows == ROWS).all(), where
                outcomes["right"] += 1
            assert all(map(np.array_equal, ARGUMENTS, before)), where
            again, _ = failing(lambda: call(OUT.copy()), 1, 0)
            assert same(again, expected), where
            if failures == 0:
                break
            number += 1


def check_first_call(name: str, call: Callable[[np.ndarray], Any]) -> None:
    """The same for the first call of a process."""
    for number in range(1, 200):
        child = os.fork()
        if child == 0:
            out = OUT.copy()
            got, failures = failing(lambda: call(out), number, 1)  # noqa: B023
            wrong = isinstance(got, MemoryError) and not (out == OUT).all()
            again, _ = failing(lambda: call(OUT.copy()), 1, 0)
            os._exit(1 if wrong or isinstance(again, MemoryError) else 2 if failures == 0 else 0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert status in (0, 2), f"{name}: first call, allocation {number}: exit status {status}"
        if status == 2:
            break


def main() -> None:
    gc.disable()
    gnd.set_num_threads(3)
    _core.set_grain(50)
    outcomes: Counter[str] = Counter()
    calls = kinds()
    first = ("gather", "scatter add last", "scatter none first", "make a plan", "gather lists")
    for name in (*first, "at few, get", "at few, add in place", "at a list", "at a plan"):
        check_first_call(name, calls[name])
    for name, call in calls.items():
        check(name, call, outcomes)
    print(f"{len(calls)} kinds of call: {dict(outcomes)}")


if __name__ == "__main__":
    main()
