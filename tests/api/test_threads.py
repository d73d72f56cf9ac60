"""The number of threads and the SIMD target: settings, environment, and the same bits."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterator

import ml_dtypes
import numpy as np
import pytest

import gathernd
from checks import assert_same_bits, assert_same_values
from conftest import each_device
from gathernd import _core
from processes import run
from reference import reductions_of
from strategies import numbers

has_affinity = pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity"), reason="this system has no affinity"
)

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


@has_affinity
def test_processors_that_the_process_may_not_use():
    """They do not count."""
    script = f"import os; os.sched_setaffinity(0, {{min(os.sched_getaffinity(0))}}); {SHOW}"
    environment = dict.fromkeys(("GATHERND_NUM_THREADS", "GATHERND_CPU_TARGET"), "")
    assert run(script, **environment).stdout.startswith("1 ")


SIGNALS = """
import os, signal
import numpy as np, gathernd as gnd

def blocked(thread):
    status = open(f"/proc/self/task/{thread}/status").read()
    return int(status.split("SigBlk:")[1].split()[0], 16)

before, mask = set(os.listdir("/proc/self/task")), signal.pthread_sigmask(signal.SIG_BLOCK, ())
WORK
assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == mask
made = set(os.listdir("/proc/self/task")) - before
for name in ("SIGINT", "SIGTERM", "SIGALRM", "SIGUSR1", "SIGUSR2", "SIGCHLD", "SIGHUP"):
    bit = 1 << (getattr(signal, name) - 1)
    assert all(blocked(thread) & bit for thread in made), name
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
os.kill(os.getpid(), signal.SIGUSR1)  # no other thread may take it: it would end the process
print(len(made), signal.sigwait({signal.SIGUSR1}) == signal.SIGUSR1)
"""

FAULTS = """
import time
faults = {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGTRAP}
while any(blocked(thread) >> (fault - 1) & 1 for thread in made for fault in faults):
    time.sleep(0.01)  # a new thread begins with all signals blocked
"""

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")


@on_linux
def test_signals_are_blocked_in_worker_threads():
    """A program that blocks a signal in its own threads and waits for it gets it."""
    work = "gnd._core.set_grain(1); gnd.gather_nd(np.arange(9), np.zeros((5000, 1), int))"
    environment = {"OPENBLAS_NUM_THREADS": "1", "GATHERND_NUM_THREADS": "4"}
    script = SIGNALS.replace("WORK", work) + FAULTS  # faulthandler tells of those
    assert run(script, **environment).stdout == "3 True\n"


@on_linux
@each_device
def test_signals_are_blocked_in_the_threads_of_drivers(name):
    work = f"gnd.gather_nd(np.arange(9), [[3]], device={name!r})"
    environment = {"OPENBLAS_NUM_THREADS": "1", "GATHERND_NUM_THREADS": "1"}
    assert run(SIGNALS.replace("WORK", work), **environment).stdout.endswith(" True\n")


AFFINITY = """
import os
import numpy as np, gathernd as gnd

def workers():
    return sorted(set(map(int, os.listdir("/proc/self/task"))) - before)

def call():
    gnd.gather_nd(np.arange(9), np.zeros((5000, 1), int))
    return [os.sched_getaffinity(thread) for thread in [0, *workers()]]

gnd._core.set_grain(1)
before = set(map(int, os.listdir("/proc/self/task")))
all, (first, last, *_) = os.sched_getaffinity(0), sorted(os.sched_getaffinity(0)) * 2
assert call() == [all] * 3
for chosen in ({last}, all - {first} or all, {first}, all):
    for thread in workers():
        os.sched_setaffinity(thread, chosen)
    for caller in ({first}, {last}, all):
        os.sched_setaffinity(0, caller)
        assert call() == [caller, chosen, chosen], (caller, chosen)
"""


@has_affinity
def test_the_affinity_of_threads_is_left_to_the_user():
    run(AFFINITY, GATHERND_NUM_THREADS="3", OPENBLAS_NUM_THREADS="1")


def test_no_more_threads_than_python_counts_processors():
    """By PYTHON_CPU_COUNT, say; a number in the environment stands."""
    script = f"import os; os.process_cpu_count = lambda: 1; {SHOW}"
    assert run(script, GATHERND_NUM_THREADS="").stdout.startswith("1 ")
    assert run(script, GATHERND_NUM_THREADS="3").stdout.startswith("3 ")
    more = f"import os; os.process_cpu_count = lambda: 1000; {SHOW}"
    assert run(more, GATHERND_NUM_THREADS="").stdout == run(SHOW, GATHERND_NUM_THREADS="").stdout
