"""out=input through a device: only the rows that tuples address are written."""

import os
import threading
import time

import numpy as np
import pytest

import gathernd as gnd
from checks import assert_same_bits
from conftest import each_device
from gathernd import dml
from processes import run_quietly

# (shape, strides of out) of tables that arrive in one piece, and in several with gaps between.
SHAPES = [(40,), (7, 5), (300, 3), (3 << 20,), (5, 3 << 18), (1 << 18, 12)]


def table_of(shape, strided):
    whole = np.arange(2 * np.prod(shape), dtype=np.int32).reshape(*shape[:-1], -1)
    return whole, whole[..., ::2] if strided else np.ascontiguousarray(whole[..., ::2])


@each_device
@pytest.mark.parametrize("reduction", ["none", "add", "mul"])
@pytest.mark.parametrize("strided", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_in_place_equals_the_cpu(name, shape, strided, reduction):
    rng = np.random.default_rng(1)
    for tuples in (1, 5, 3 * shape[0] // 4):
        whole, table = table_of(shape, strided)
        expected_whole, expected = table_of(shape, strided)
        indices = rng.integers(-shape[0] - 1, shape[0] + 1, (tuples, 1))
        updates = rng.integers(-9, 9, (tuples, *shape[1:]), np.int32)
        for device, array in (("cpu", expected), (name, table)):
            result = gnd.scatter_nd(
                array, indices, updates, reduction, mode="drop", out=array, device=device
            )
            assert result is array
        assert_same_bits(table, expected)
        assert_same_bits(whole, expected_whole)


def others_write(table, column, run):
    """Run while another thread writes to a column of its own: how often a write was undone."""
    undone, stop = [], threading.Event()

    def write():
        count = 0
        while not stop.is_set():
            count += 1
            table[column] = count
            for _ in range(10):
                time.sleep(0.00005)
                if table[column] != count:
                    undone.append(count)
                    break

    thread = threading.Thread(target=write)
    thread.start()
    try:
        run()
    finally:
        stop.set()
        thread.join()
    return undone


@each_device
@pytest.mark.parametrize("planned", [False, True])
@pytest.mark.parametrize("size", [1 << 10, 1 << 20])
def test_writes_of_another_thread_to_other_rows_stay(name, size, planned):
    table = np.zeros(size, np.int32)
    one, indices = np.ones(1, np.int32), np.array([[5]])
    plan = gnd.IndexPlan(table.shape, indices, device=name)

    def run():
        for _ in range(60):
            if planned:
                plan.scatter(table, one, "add", out=table)
            else:
                gnd.scatter_nd(table, indices, one, "add", out=table, device=name)

    assert not others_write(table, 0, run)
    assert table[5] == 60


@each_device
def test_dml_in_place_leaves_the_other_elements_to_others(name):
    size = 1 << 18
    sizes = dml.TensorDesc("INT32", [size]), dml.TensorDesc("INT32", [1])
    desc = dml.ScatterNDOperatorDesc(
        sizes[0], dml.TensorDesc("INT32", [1, 1]), sizes[1], sizes[0], 1, 2
    )
    op = dml.compile(desc, device=name)
    table, place, one = np.zeros(size, np.int32), np.int32([[5]]), np.ones(1, np.int32)
    buffers = [array.view(np.uint8).reshape(-1) for array in (table, place, one)]

    def run():
        for _ in range(30):
            op(table, place, one, out=table)
            op.run_buffers(*buffers, buffers[0])

    assert not others_write(table, 0, run)
    assert table[5] == 1


@each_device
@pytest.mark.skipif(os.name != "posix", reason="protects pages by POSIX's call")
def test_pages_without_an_addressed_row_may_be_read_only(name):
    code = f"""if True:
        import ctypes, mmap
        import numpy as np, gathernd as gnd
        table = np.frombuffer(mmap.mmap(-1, 3 << 20), np.int32)
        rows = np.array([[1 << 19], [(1 << 19) + 3]])  # 2 MiB from the start
        protect = ctypes.CDLL(None).mprotect
        for first, count in ((0, 2 << 20), ((2 << 20) + 4096, (1 << 20) - 4096)):
            at = ctypes.c_void_p(table.ctypes.data + first)
            assert protect(at, ctypes.c_size_t(count), 1) == 0
        gnd.scatter_nd(table, rows, np.int32([7, 8]), "add", out=table, device={name!r})
        assert table[1 << 19] == 7 and table[(1 << 19) + 3] == 8
    """
    run_quietly(code)
