"""Processes that fork: parent and children call, whatever the threads were at."""

from __future__ import annotations

from preloaded import needs_preload, preload
from processes import needs_fork, run

FORK = """
import os
import numpy as np
import gathernd as gnd
from gathernd import _core
gnd.set_num_threads(4)
_core.set_grain(1)
table = np.arange(50000.0)
indices = np.random.default_rng(0).integers(0, 50000, (200000, 1))
ones = np.ones(200000)

def answers():
    return gnd.gather_nd(table, indices), gnd.scatter_nd(table, indices, ones, "add")

parent = answers()
for _ in range(3):
    child = os.fork()
    if child == 0:
        same = all(map(np.array_equal, answers(), parent))
        grandchild = os.fork()
        if grandchild == 0:
            os._exit(0 if all(map(np.array_equal, answers(), parent)) else 1)
        os._exit(0 if same and os.waitpid(grandchild, 0)[1] == 0 else 1)
    answers()
    assert os.waitpid(child, 0)[1] == 0
print("forked")
"""


@needs_fork
def test_fork():
    """Parent, child and grandchild all call; a hang runs into the timeout."""
    assert run(FORK, "-W", "ignore::DeprecationWarning").stdout == "forked\n"


FORK_DURING_CALLS = """
import os, threading
import numpy as np
import gathernd as gnd
gnd.set_num_threads(3)
table = np.arange(50000.0)
indices = np.random.default_rng(0).integers(0, 50000, (300000, 1))
expected = gnd.gather_nd(table, indices)
stop = threading.Event()

def work():
    while not stop.is_set():
        gnd.gather_nd(table, indices)

threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
for _ in range(20):
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(gnd.gather_nd(table, indices), expected) else 1)
    assert os.waitpid(child, 0)[1] == 0
stop.set()
for thread in threads:
    thread.join()
print("forked")
"""


@needs_fork
def test_fork_while_other_threads_call():
    assert run(FORK_DURING_CALLS, "-W", "ignore::DeprecationWarning").stdout == "forked\n"


FIRST_CALLS = """
import ctypes, os, signal, threading, time
import numpy as np
import gathernd as gnd
from gathernd import _core
guards_taken = ctypes.CDLL(None).guards_taken
before = guards_taken()
_core.set_grain(1)

def calls():
    table, indices = np.arange(20000.0).reshape(5000, 4), np.arange(6000).reshape(6000, 1) % 5000
    gnd.gather_nd(table, indices)
    gnd.gather_nd(table, indices, mode="fill", fill_value=2)
    for reduction in ("none", "add", "min"):
        gnd.scatter_nd(table, indices, np.ones((6000, 4)), reduction)
    gnd.scatter_nd(table[:, 0].copy(), indices, np.ones(6000), duplicates="first")
    gnd.scatter_nd(np.zeros(9, np.float16), indices % 9, np.ones(6000, np.float16), "add")
    plan = gnd.IndexPlan(table.shape, indices)
    plan.gather(table), plan.scatter(table, np.ones((6000, 4)), "add"), plan.is_unique
    try:
        gnd.gather_nd(table, [[5000]])
    except IndexError:
        pass

thread = threading.Thread(target=calls)
thread.start()
for delay in (0, 0.001, 0.02, 0.05, 0.15, 0.15, 0.15):
    time.sleep(delay)
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # ends a child that hangs
        calls()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
thread.join()
print(guards_taken() - before)
"""


@needs_fork
@needs_preload
def test_fork_while_another_thread_makes_the_first_calls():
    """No call takes the lock of a static variable, which the child would find taken for ever."""
    done = run(FIRST_CALLS, "-W", "ignore", LD_PRELOAD=preload("guards"), GATHERND_NUM_THREADS="3")
    assert done.stdout == "0\n"
