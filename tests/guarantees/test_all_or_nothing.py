"""What holds whatever happens: bytes nobody asked for stay, and errors change nothing."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import gathernd
from checks import assert_same_bits
from processes import run

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="limits memory by RLIMIT_AS")


@pytest.mark.skipif(sys.platform == "win32", reason="write-protects pages by mprotect")
@pytest.mark.parametrize("reduction", ["none", "add", "mul", "min", "max", "and", "or", "xor"])
def test_in_place_writes_only_what_is_updated(reduction):
    """The second half of the table is on pages that cannot be written."""
    code = f"""
import ctypes, mmap, numpy as np, gathernd as gnd
size = 2 * mmap.PAGESIZE
memory = mmap.mmap(-1, size)
table = np.frombuffer(memory, np.int64)
half = len(table) // 2
libc = ctypes.CDLL(None, use_errno=True)
address = ctypes.c_void_p(table.ctypes.data + size // 2)
assert libc.mprotect(address, ctypes.c_size_t(size // 2), 1) == 0
indices = np.arange(100 * half)[:, None] % half
updates = np.random.default_rng(0).integers(-9, 9, len(indices))
for threads in (1, 2, 4):
    gnd.set_num_threads(threads)
    wanted = gnd.scatter_nd(table.copy(), indices, updates, {reduction!r})
    gnd.scatter_nd(table, indices, updates, {reduction!r}, out=table)
    assert np.array_equal(table, wanted)
"""
    run(code)


@on_linux
@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize(("dtype", "hot"), [("f2", False), ("f2", True), ("f4", False)])
def test_out_of_memory_changes_nothing(dtype, hot, in_place):
    code = f"""
import resource, numpy as np, gathernd as gnd
n, size = 600_000, 400_000
indices = np.random.default_rng(0).integers(0, size, (n, 1))
if {hot}:
    indices[size:] = 7
table, updates = np.ones(size, {dtype!r}), np.ones(n, {dtype!r})
out = table if {in_place} else np.full(size, 7, {dtype!r})
before = out.copy()
gnd.set_num_threads(2)
gnd.gather_nd(table, indices)  # starts them
ends = []
for extra in range(0, 32 << 20, 1 << 20):
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + extra, resource.RLIM_INFINITY))
    try:
        gnd.scatter_nd(table, indices, updates, "add", out=out)
        ends.append("done")
    except MemoryError as error:
        assert str(error) == "gathernd: not enough memory in addition to the result's"
        ends.append("refused")
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert ends[-1] == "done" or np.array_equal(out, before), extra
    out[:] = before
assert ends[0] == "refused" and ends[-1] == "done", ends
"""
    run(code)


@on_linux
def test_empty_slices_need_no_memory():
    code = """
import resource, numpy as np, gathernd as gnd
indices = np.broadcast_to(np.int8([1]), (2**26, 1))
table = np.zeros((3, 0))
gnd.scatter_nd(table, [[1]], np.zeros((1, 0)))
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (100 << 20), resource.RLIM_INFINITY))
assert gnd.gather_nd(table, indices).shape == (2**26, 0)
assert gnd.scatter_nd(table, indices, np.zeros((2**26, 0))).shape == table.shape
"""
    run(code)


def test_fill_value_that_lies_in_out(nd):
    out = np.array([7.0, 0, 0, 0])
    args = {"mode": "fill", "fill_value": out[:1].reshape(())}
    result = nd.gather_nd(np.array([1.0, 2, 3]), [[0], [5], [5], [5]], out=out, **args)
    assert result is out
    assert result.tolist() == [1, 7, 7, 7]


def test_shape_changed_by_another_thread():
    """Its old shape may be in memory that is given away. NumPy itself needs the GIL there."""
    code = """
import threading, time, numpy as np, gathernd as gnd
n = 1000
table = np.zeros((n, n), np.int32)
indices = np.random.default_rng(0).integers(0, 4, (100_000, 2))
updates, stop = np.zeros(len(indices), np.int32), threading.Event()
def reshape():
    while not stop.is_set():
        table.shape = (n * n // 4, 4)
        junk = [np.empty((1, 3 + k)) for k in range(20)]
        table.shape = (n, n)
thread = threading.Thread(target=reshape)
thread.start()
end = time.monotonic() + 2
while time.monotonic() < end:
    assert gnd.scatter_nd(table, indices, updates, "or").size == n * n
stop.set()
thread.join()
"""
    run(code, "-W", "ignore::DeprecationWarning", "-X", "gil=1")


@pytest.mark.parametrize("call", ["gather_nd(t, i)", "scatter_nd(t, i, u, 'add')"])
def test_daemon_thread_at_exit(call):
    """A thread that is inside a call when the interpreter ends does not abort the process."""
    code = f"""
import threading, time, numpy as np, gathernd as gnd
t, i, u = np.zeros(1000), np.zeros((2**21, 1), int), np.zeros(2**21)
def work():
    while True:
        gnd.{call}
threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
"""
    assert run(code, MALLOC_PERTURB_="165").stderr == ""  # glibc: memory that is freed changes


def test_wild_strides_of_out_are_refused_soon(tmp_path):
    """To tell whether elements overlap can take longer than anybody waits."""
    base = np.memmap(tmp_path / "sparse", np.uint8, "w+", shape=2**40)
    strides = np.random.default_rng(0).integers(2**34, 2**35, 22)
    out = as_strided(base, (2,) * 22, sorted(map(int, strides)))
    with pytest.raises(ValueError, match="two elements of out share memory, or might"):
        gathernd.gather_nd(np.zeros(1, np.uint8), np.zeros((*out.shape, 1), np.int8), out=out)


@pytest.mark.parametrize("dtype", ["g", "G"])
@pytest.mark.parametrize("reduction", ["add", "sub", "mul"])
def test_padding_of_long_doubles(dtype, reduction):
    """Bytes of no meaning are the same at every number of threads, too."""
    rng = np.random.default_rng(0)
    table, updates = np.ones(50, dtype), rng.random(9000).astype(dtype)
    indices = rng.integers(0, 50, (9000, 1))
    threads = gathernd.get_num_threads()
    results = []
    for count in (1, 2, 4):
        gathernd.set_num_threads(count)
        results.append(gathernd.scatter_nd(table, indices, updates, reduction))
        plan = gathernd.IndexPlan(table.shape, indices)
        results.append(plan.scatter(table, updates, reduction))
    gathernd.set_num_threads(threads)
    for result in results[1:]:
        assert_same_bits(result.view(np.uint8), results[0].view(np.uint8))


RECORDS = np.zeros(4, np.dtype([("a", "i1"), ("b", "i8"), ("c", "i1"), ("d", "i8")], align=True))
NEW = np.array([(1, 2, 3, 4), (5, 6, 7, 8)], RECORDS.dtype)


def add_to(x):
    gathernd.at(x)[[0, 2, 0]] += [1, 2, 3]


def scatter_by_plan(x):
    gathernd.at(x)[[0, 2]].plan().scatter(x, NEW, out=x)


@pytest.mark.parametrize(
    ("table", "call"),
    [
        (RECORDS, lambda x: gathernd.at(x).__setitem__([0, 2], NEW)),
        (RECORDS, scatter_by_plan),
        (RECORDS, lambda x: gathernd.scatter_nd(x, [[0], [2]], NEW, out=x)),
        (np.zeros(4), add_to),
        (np.zeros(4), lambda x: gathernd.at(x).__setitem__([True, False, True, False], [1, 2])),
    ],
    ids=["at, records", "plan, records", "scatter, records", "at, numbers", "at, a mask"],
)
def test_interrupts_between_any_two_steps_of_python(table, call):
    """KeyboardInterrupt, at each call and return of a Python or C function."""
    done = table.copy()
    call(done)
    ends, events, number = set(), 0, 0
    while events == number:  # else the call came to its end
        number += 1
        x, events = table.copy(), 0

        def interrupt(*_, number=number):
            nonlocal events
            events += 1
            if events == number:
                raise KeyboardInterrupt  # after which Python calls no profiler

        try:
            try:
                sys.setprofile(interrupt)
                call(x)
            finally:
                sys.setprofile(None)
        except KeyboardInterrupt:
            pass
        ends.add("all" if (x == done).all() else "nothing" if (x == table).all() else "a part")
    assert number > 10
    assert ends == {"all", "nothing"}
