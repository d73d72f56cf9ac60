"""Large results: arrays like any other, whose memory the next one of their size gets."""

from __future__ import annotations

import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gathernd as gnd
from conftest import each_device
from processes import run

MIB = 1 << 20
ROW = 1 << 15  # bytes

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="results are kept on Linux only")


def result(mib: int, value: int = 1) -> np.ndarray:
    """An array of as many MiB, every byte of it `value`."""
    rows = np.full((1, ROW), value, np.uint8)
    return gnd.gather_nd(rows, np.zeros((mib * MIB // ROW, 1), np.int64))


def address(array: np.ndarray) -> int:
    return array.ctypes.data


def test_a_large_result_is_an_array_of_its_own():
    a = result(32)
    assert a.flags.owndata
    assert a.flags.writeable
    assert a.flags.c_contiguous
    assert (a == 1).all()


def test_the_next_array_is_numpys_own():
    result(32)
    handler = np._core.multiarray.get_handler_name
    assert handler(np.empty(1 << 25, np.uint8)) == "default_allocator"
    assert handler(result(1)) == "default_allocator"


@on_linux
def test_memory_is_used_again():
    a = result(40)
    assert np._core.multiarray.get_handler_name(a) == "gathernd"
    before = address(a)
    del a
    b = result(40, 2)
    assert address(b) == before
    assert (b == 2).all()


@pytest.mark.parametrize("other", [40, 36])
def test_what_is_alive_is_not_given_again(other):
    a = result(40)
    view = a[-1:]
    del a
    b = result(other, 2)
    c = result(other, 3)
    assert (view == 1).all()
    assert (b == 2).all()
    assert (c == 3).all()


@on_linux
def test_no_small_result_takes_a_large_block():
    a = result(128)
    before = address(a)
    del a
    assert address(result(40)) != before


@pytest.mark.parametrize("mib", [33, 48])
def test_resize(mib):
    a = result(32, 5)
    a.resize(mib * MIB, refcheck=False)
    assert (a[: 32 * MIB] == 5).all()
    assert not a[32 * MIB :].any()
    a.resize(7, refcheck=False)
    assert a.tolist() == [5] * 7


def test_tracemalloc_sees_it():
    tracemalloc.start()
    try:
        a = result(32)
        assert tracemalloc.get_traced_memory()[0] >= a.nbytes
        del a
        assert tracemalloc.get_traced_memory()[0] < 32 * MIB
    finally:
        tracemalloc.stop()


def test_threads():
    def work(value: int) -> bool:
        results = [result(32 + value % 3 * 8, value + i) for i in range(4)]
        return all((a == value + i).all() for i, a in enumerate(results))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(0, 64, 4)))


SIZE_OF_PROCESS = """
import numpy as np
import gathernd as gnd
from gathernd import _core

def resident():
    pages = open("/proc/self/statm").read().split()[1]
    return int(pages) * 4096 >> 20

def result(mib):
    return gnd.gather_nd(np.ones((1, 1 << 20), np.uint8), np.zeros((mib, 1), np.int64))

before = resident()
for mib in (600, 40, 64, 96, 126, 200, 120, 60, 60, 500):
    result(mib)
    assert _core.kept_memory() <= _core.keep_limit() == LIMIT << 20
assert resident() - before <= LIMIT + 32, resident() - before
"""


@on_linux
@pytest.mark.parametrize("limit", ["128", "100", "32", "0"])
def test_no_more_than_the_limit_is_kept(limit):
    """128 MiB by default."""
    setting = "" if limit == "128" else f"{limit}MiB"
    run(SIZE_OF_PROCESS.replace("LIMIT", limit), GATHERND_KEEP_MEMORY=setting)


GROWING_RESULTS = """
before = resident()
for _ in range(16):
    result(32).resize(80 << 20, refcheck=False)  # which no block for 32 MiB holds
assert resident() - before <= 256, resident() - before
"""


@on_linux
def test_a_result_that_grows_gives_its_memory_back():
    run(SIZE_OF_PROCESS.replace("LIMIT", "128") + GROWING_RESULTS)


SHORT_MEMORY = """
import resource
import numpy as np
import gathernd as gnd

table, indices = np.ones((1, 1 << 20), np.uint8), np.zeros((512, 1), np.int64)
resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))
try:
    gnd.gather_nd(table, indices)
except MemoryError as error:
    print(error)
assert np._core.multiarray.get_handler_name() == "default_allocator"
"""


@on_linux
def test_short_memory():
    """NumPy's own error, and NumPy's own memory from then on."""
    assert "Unable to allocate 512. MiB" in run(SHORT_MEMORY, OPENBLAS_NUM_THREADS="1").stdout


KEPT_MEMORY = """
import resource
import numpy as np
import gathernd as gnd

table, indices = np.ones((1, 1 << 20), np.uint8), np.zeros((500, 1), np.int64)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
for _ in range(2):
    a, b = gnd.gather_nd(table, indices[:200]), gnd.gather_nd(table, indices[:200])
    del a, b
resource.setrlimit(resource.RLIMIT_AS, (used + (600 << 20), resource.RLIM_INFINITY))
assert gnd.gather_nd(table, indices).all()
"""


@on_linux
def test_kept_memory_is_given_up_where_memory_is_short():
    run(KEPT_MEMORY, GATHERND_NUM_THREADS="1", GATHERND_KEEP_MEMORY="1GiB")


RELEASED = """
import numpy as np
import gathernd as gnd
from gathernd import _core

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096 >> 20

table, indices = np.ones((1, 1 << 20), np.uint8), np.zeros((100, 1), np.int64)
gnd.gather_nd(table, indices[:1])
before = resident()
gnd.gather_nd(table, indices)
gnd.scatter_nd(np.zeros(1 << 20), np.zeros((1 << 20, 1), int), np.ones(1 << 20))  # with scratch
kept = _core.kept_memory()
assert resident() - before >= kept >> 20 >= 100
assert f"kept memory   {kept / 2**20:.1f} MiB, at most 128.0 MiB" in gnd._config.config_text()
held = resident()
assert gnd.release_memory() == kept
assert _core.kept_memory() == gnd.release_memory() == 0
assert held - resident() >= 100
"""


@on_linux
def test_release_memory():
    run(RELEASED, GATHERND_KEEP_MEMORY="")


@pytest.mark.parametrize(
    ("text", "limit"),
    [("0", 0), ("12345", 12345), ("10KiB", 10 << 10), ("64MiB", 64 << 20), ("2GiB", 2 << 30)],
)
def test_limit_in_the_environment(text, limit):
    script = "from gathernd import _core; print(_core.keep_limit())"
    assert int(run(script, GATHERND_KEEP_MEMORY=text).stdout) == limit


@pytest.mark.parametrize("text", ["-1", "1.5", "64MB", "64 MiB", "MiB", "much", "99999999999GiB"])
def test_bad_limit_in_the_environment_is_an_error_of_the_import(text):
    failed = run("import gathernd", status=1, GATHERND_KEEP_MEMORY=text)
    assert f"ValueError: GATHERND_KEEP_MEMORY={text} is refused" in failed.stderr


SHORT = """
import resource
import numpy as np
import gathernd as gnd
from gathernd import _core

def limit(mib):
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (mib << 20), resource.RLIM_INFINITY))

table, n = np.zeros((4, 9), np.int8)[:, ::9], 20_000_000
indices, out = np.broadcast_to(np.int32(1), (n, 1)), np.empty((n, 1), np.int8)
large = gnd.gather_nd(np.ones((1, 1 << 20), np.uint8), np.zeros((200, 1), int))
del large
assert _core.kept_memory() >= 200 << 20
limit(16)
"""


@on_linux
@pytest.mark.parametrize(
    "call",
    [
        "gnd.gather_nd(table, indices, out=out)",  # scratch of 76 MiB
        "gnd.gather_nd(table, indices)",  # a result of 19 MiB, in NumPy's own memory
        "gnd.IndexPlan((4,), indices)",
        "gnd.scatter_nd(np.zeros(4, np.int8), indices, np.broadcast_to(np.int8(1), (n,)), 'add')",
        "gnd.gather_nd(np.ones((1, 1 << 20), np.uint8), np.zeros((205, 1), int))",
        "gnd.release_memory(), np.empty(200 << 20, np.uint8)",
    ],
)
def test_kept_memory_is_given_up_by_each_call_that_finds_none(call):
    environment = {"GATHERND_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    run(SHORT + call, GATHERND_KEEP_MEMORY="1GiB", **environment)


NUMPY_BESIDE = """
import resource
import numpy as np
import gathernd as gnd

indices = np.broadcast_to(np.int32(1), (33_000_000, 1))
resource.setrlimit(resource.RLIMIT_AS, (800 << 20, resource.RLIM_INFINITY))
a, b = gnd.gather_nd(np.arange(4.0), indices), gnd.gather_nd(np.arange(4.0), indices)
del a, b
np.empty(400 << 20, np.int8)
"""


@on_linux
def test_what_is_kept_leaves_memory_to_numpy():
    environment = {"GATHERND_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    run(NUMPY_BESIDE, GATHERND_KEEP_MEMORY="", **environment)


@each_device
def test_release_memory_of_a_device(name):
    x = gnd.Device(name).asarray(np.arange(1 << 20))
    result = gnd.gather_nd(x, [[5], [7]])
    del x
    assert gnd.release_memory() > 0
    assert result.numpy().tolist() == [5, 7]
    assert gnd.gather_nd(np.arange(9), [[8]], device=name)[0] == 8
