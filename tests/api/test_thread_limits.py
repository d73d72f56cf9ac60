"""Limits of threads: of one thread by `threads`, of the process by threadpoolctl."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import gathernd as gnd
import gathernd._threadpoolctl  # as importing it before does
from processes import run


@pytest.fixture(autouse=True)
def five_threads():
    before = gnd.get_num_threads()
    gnd.set_num_threads(5)
    yield
    gnd.set_num_threads(before)


def test_threads_limits_within_its_block():
    with gnd.threads(2):
        assert gnd.get_num_threads() == 2
    assert gnd.get_num_threads() == 5


def test_threads_is_no_more_than_what_is_set():
    with gnd.threads(9):
        assert gnd.get_num_threads() == 5
        gnd.set_num_threads(7)
        assert gnd.get_num_threads() == 7
        gnd.set_num_threads(20)
        assert gnd.get_num_threads() == 9


@pytest.mark.parametrize(("outer", "inner"), [(2, 3), (3, 2), (1, 1)])
def test_the_least_of_nested_threads_counts(outer, inner):
    with gnd.threads(outer):
        with gnd.threads(inner):
            assert gnd.get_num_threads() == min(outer, inner)
        assert gnd.get_num_threads() == outer
    assert gnd.get_num_threads() == 5


def test_blocks_of_threads_that_overlap():
    """As of coroutines, which end in any order."""
    first, second = gnd.threads(1), gnd.threads(2)
    first.__enter__()
    second.__enter__()
    assert gnd.get_num_threads() == 1
    first.__exit__(None, None, None)
    assert gnd.get_num_threads() == 2
    second.__exit__(None, None, None)
    assert gnd.get_num_threads() == 5


def test_one_limit_may_be_entered_often():
    limit = gnd.threads(2)
    with limit, limit:
        assert gnd.get_num_threads() == 2
    with limit:
        assert gnd.get_num_threads() == 2
    assert limit(gnd.get_num_threads)() == 2
    assert gnd.get_num_threads() == 5


def test_a_limit_that_ends_in_another_thread_is_not_that_threads_own():
    def generate():
        with gnd.threads(1):
            yield

    there = generate()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(next, there).result()
        with gnd.threads(1):
            there.close()
            assert gnd.get_num_threads() == 1


def test_threads_decorates_only_what_runs_when_it_is_called():
    async def coroutine():
        pass

    async def both():
        yield

    def generate():
        yield

    for function in (coroutine, both, generate):
        with pytest.raises(TypeError, match="threads: decorates no generator and no coroutine"):
            gnd.threads(1)(function)


def test_threads_checks_its_argument_at_once():
    with pytest.raises(ValueError, match="threads: 0 is refused"):
        gnd.threads(0)


def test_threads_ends_by_an_exception():
    with pytest.raises(KeyError), gnd.threads(1):
        raise KeyError
    assert gnd.get_num_threads() == 5


def test_threads_leaves_other_threads_alone():
    with gnd.threads(1), ThreadPoolExecutor(1) as pool:
        assert pool.submit(gnd.get_num_threads).result() == 5


@pytest.mark.parametrize("count", [0, -1, 1025, 2**31, -(2**70)])
def test_threads_out_of_range(count):
    with pytest.raises(ValueError, match=r"threads: .* is refused: .* from 1 to 1024"):
        gnd.threads(count).__enter__()
    assert gnd.get_num_threads() == 5


@pytest.mark.parametrize("count", [True, 1.5, "2", None], ids=repr)
def test_threads_that_is_no_integer(count):
    with pytest.raises(TypeError, match=f"threads: .* an integer, not {count!r}"):
        gnd.threads(count).__enter__()


POOL = """
import os
import numpy as np, gathernd as gnd

def tasks():
    return len(os.listdir("/proc/self/task"))

gnd._core.set_grain(1)
gnd.set_num_threads(4)
before, table, indices = tasks(), np.arange(9.0), np.zeros((5000, 1), int)
with gnd.threads(1):
    gnd.gather_nd(table, indices)
    gnd.scatter_nd(table, indices, np.ones(5000), "add")
    gnd.IndexPlan((9,), indices).gather(table)
    print(tasks() - before)
with gnd.threads(3):
    gnd.gather_nd(table, indices)
    print(tasks() - before)
gnd.gather_nd(table, indices)
print(tasks() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_threads_makes_no_more_of_them():
    assert run(POOL, OPENBLAS_NUM_THREADS="1").stdout.split() == ["0", "2", "3"]


def of_gathernd(info):
    return [library for library in info if library["user_api"] == "gathernd"]


def test_threadpoolctl_finds_the_library():
    [found] = of_gathernd(threadpool_info())
    assert found["num_threads"] == 5
    assert found["version"] == gnd.__version__
    assert os.path.samefile(found["filepath"], gnd._core.__file__)


@pytest.mark.parametrize("limits", [1, {"gathernd": 1}], ids=repr)
def test_threadpoolctl_limits_the_library(limits):
    with threadpool_limits(limits):
        assert gnd.get_num_threads() == 1
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(gnd.get_num_threads).result() == 1
    assert gnd.get_num_threads() == 5


def test_threadpoolctl_inside_threads_gives_back_what_was_set():
    with gnd.threads(1), threadpool_limits({"gathernd": 3}):
        assert gnd.get_num_threads() == 1
    assert gnd.get_num_threads() == 5


@pytest.mark.parametrize(("order", "count"), [("threadpoolctl, gathernd", 1), ("gathernd", 0)])
def test_threadpoolctl_that_is_imported_before(order, count):
    """It is not imported for the library, nor waited for."""
    script = f"import {order}; from threadpoolctl import threadpool_info as f; "
    script += "print(sum(x['user_api'] == 'gathernd' for x in f()))"
    assert run(script).stdout == f"{count}\n"


def test_the_same_sums_within_threads():
    rng = np.random.default_rng(0)
    args = rng.standard_normal(100), rng.integers(0, 100, (20000, 1)), rng.standard_normal(20000)
    expected = gnd.scatter_nd(*args, "add")
    with gnd.threads(1):
        assert gnd.scatter_nd(*args, "add").tobytes() == expected.tobytes()
