"""The number of threads and the SIMD target: settings, environment, and the same bits."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator

import ml_dtypes
import numpy as np
import pytest

import gathernd
from checks import assert_same_bits, assert_same_values
from gathernd import _core
from processes import run
from reference import reductions_of
from strategies import numbers

SHOW = "import gathernd as g; print(g.get_num_threads(), g._core.cpu_target())"


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16", "i8", ml_dtypes.bfloat16])
def test_the_same_sums_everywhere(nd, dtype):
    """Sums depend on the order. The same bits with one thread; NaN payloads aside, everywhere."""
    dtype = np.dtype(dtype)
    rng = np.random.default_rng(2)
    table, updates = numbers(rng, (50, 5), dtype), numbers(rng, (20000, 5), dtype)
    indices = rng.integers(-50, 50, (20000, 1))
    assert_same = assert_same_values if nd.options else assert_same_bits  # devices choose their NaN
    for reduction in reductions_of(dtype):
        result = nd.scatter_nd(table, indices, updates, reduction)
        with one_thread(_core.cpu_target()):
            assert_same(result, gathernd.scatter_nd(table, indices, updates, reduction))
        with one_thread(_core.cpu_targets()[-1]):
            assert_same_values(result, gathernd.scatter_nd(table, indices, updates, reduction))


@contextlib.contextmanager
def one_thread(target: str) -> Iterator[None]:
    before = gathernd.get_num_threads(), _core.cpu_target()
    gathernd.set_num_threads(1)
    _core.set_cpu_target(target)
    try:
        yield
    finally:
        gathernd.set_num_threads(before[0])
        _core.set_cpu_target(before[1])


@pytest.mark.parametrize("count", [0, -1, 1025, -(2**31), 2**31, 2**70, -(2**70)])
def test_bad_thread_count(count):
    before = gathernd.get_num_threads()
    with pytest.raises(ValueError, match=f"set_num_threads: {count} is refused: .* from 1 to 1024"):
        gathernd.set_num_threads(count)
    assert gathernd.get_num_threads() == before


def test_thread_count_of_more_digits_than_python_writes():
    with pytest.raises(ValueError, match="a number of more than 128 bits is refused"):
        gathernd.set_num_threads(10**5000)


@pytest.mark.parametrize("count", [True, 1.5, 2.0, "2", None], ids=repr)
def test_thread_count_that_is_no_integer(count):
    with pytest.raises(TypeError, match=f"set_num_threads: .* an integer, not {count!r}"):
        gathernd.set_num_threads(count)


@pytest.mark.parametrize("count", [1, 2, np.int16(5), 64, 1024])
def test_thread_count(count):
    before = gathernd.get_num_threads()
    try:
        gathernd.set_num_threads(count)
        assert gathernd.get_num_threads() == count
    finally:
        gathernd.set_num_threads(before)


def test_unknown_target():
    before = _core.cpu_target()
    with pytest.raises(ValueError, match="MMX") as caught:
        _core.set_cpu_target("MMX")
    assert all(target in str(caught.value) for target in _core.cpu_targets())
    assert _core.cpu_target() == before


@pytest.mark.parametrize("target", _core.cpu_targets())
def test_environment(target):
    shown = run(SHOW, GATHERND_NUM_THREADS="3", GATHERND_CPU_TARGET=target).stdout
    assert shown == f"3 {target}\n"


@pytest.mark.parametrize("value", ["0", "-1", "1.5", "many", "99999999999999999999"])
def test_bad_thread_count_in_the_environment(value):
    failed = run(SHOW, status=1, GATHERND_NUM_THREADS=value)
    last = failed.stderr.strip().splitlines()[-1]
    assert re.match(r"(ValueError|ImportError): .*GATHERND_NUM_THREADS", last)
    assert value in last


def test_bad_settings_in_the_environment_are_errors_of_the_import():
    for name in ("GATHERND_NUM_THREADS", "GATHERND_CPU_TARGET"):
        assert name in run("import gathernd", status=1, **{name: "x"}).stderr


def test_bad_target_in_the_environment():
    failed = run(SHOW, status=1, GATHERND_CPU_TARGET="MMX")
    last = failed.stderr.strip().splitlines()[-1]
    assert re.match(r"(ValueError|ImportError): .*GATHERND_CPU_TARGET", last)
    assert all(word in last for word in ("MMX", *_core.cpu_targets()))


QUIET = """
import numpy as np, gathernd as gnd
gnd.set_num_threads(4)
gnd._core.set_grain(1)
table = np.arange(100.0)
for mode in ("raise", "clip", "wrap", "fill"):
    gnd.gather_nd(table, np.zeros((1000, 1), int), mode=mode)
for reduction in ("none", "add", "max"):
    gnd.scatter_nd(table, [[1], [1]], [np.nan, np.inf], reduction)
try:
    gnd.gather_nd(table, [[100]])
except IndexError:
    pass
"""


def test_quiet():
    """Nothing is printed, and the process with its threads ends at once."""
    done = run(QUIET, "-W", "error", "-X", "dev")
    assert done.stdout == done.stderr == ""


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no affinity")
def test_processors_that_the_process_may_not_use():
    """They do not count."""
    script = f"import os; os.sched_setaffinity(0, {{min(os.sched_getaffinity(0))}}); {SHOW}"
    environment = dict.fromkeys(("GATHERND_NUM_THREADS", "GATHERND_CPU_TARGET"), "")
    assert run(script, **environment).stdout.startswith("1 ")
