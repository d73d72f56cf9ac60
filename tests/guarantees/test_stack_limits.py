"""Threads with less stack than musl's, 128 KiB: what passes its end may write into other memory."""

from __future__ import annotations

import pytest

from gathernd import _core
from processes import run

CALLS = """
import tempfile
import threading
import numpy as np
import gathernd as gnd

def check(n, depth, index_type):
    shape = (70_000,) if depth == 1 else (2,) * depth
    table = np.zeros(shape, "f4")
    indices = np.random.default_rng(n).integers(0, 2, (n, depth)).astype(index_type)
    updates = np.ones(n, "f4")
    for mode in ("raise", "fill"):
        gnd.gather_nd(table, indices, mode=mode)
    for reduction in ("none", "add", "max"):
        for mode in ("raise", "drop"):
            gnd.scatter_nd(table, indices, updates, reduction, mode=mode)
        gnd.scatter_nd(table.copy(), indices, updates, reduction, out=np.zeros(shape, "f4"))
        gnd.scatter_nd(table, indices, updates, reduction, out=table)
    gnd.scatter_nd(table, indices, updates, duplicates="first")
    gnd.scatter_nd(np.zeros((*shape, 3), "f2"), indices, np.ones((n, 3), "f2"), "add")
    plan = gnd.IndexPlan(shape, indices)
    plan.gather(table)
    plan.scatter(table, updates, "add")

def check_wide(n, file):  # offsets of 64 bits
    table = np.memmap(file, "u1", "r+", shape=(2, 2**32))
    indices = np.random.default_rng(n).integers(0, 2, (n, 2))
    gnd.gather_nd(table, indices)
    for reduction in ("none", "add"):
        for mode in ("raise", "drop"):
            gnd.scatter_nd(table, indices, np.ones(n, "u1"), reduction, mode=mode, out=table)

def check_all():
    with tempfile.TemporaryFile() as file:
        file.truncate(2**33)
        for n in (1, 1000, 20_000):
            for depth in (1, 3, 9):
                check(n, depth, "i2")
                check(n, depth, "i8")
            check_wide(n, file)
    print("done")

for threads in (1, 3):
    gnd.set_num_threads(threads)
    threading.stack_size(112 * 1024)
    thread = threading.Thread(target=check_all)
    thread.start()
    thread.join()
"""


@pytest.mark.parametrize("target", _core.cpu_targets())
def test_calls_from_threads_with_small_stacks(target):
    assert run(CALLS, GATHERND_CPU_TARGET=target).stdout == "done\n" * 2
