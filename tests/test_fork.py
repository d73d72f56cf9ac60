"""Processes that fork: parent and children call, whatever the threads were at."""

from __future__ import annotations

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
