"""What gathernd.dask builds: names, tasks, what is read, and what is refused before any work."""

from __future__ import annotations

import pickle
import re
import sys
import weakref
from collections import Counter
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest
from dask.tokenize import tokenize
from dask.utils import key_split

import gathernd as gnd
import gathernd.dask as gnd_dask
from checks import assert_same_bits
from gathernd.dask import _blocks
from pages import run_examples
from processes import run


class Source:
    """A table of which each element is its position in C order; it counts what is read and held."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape, self.ndim, self.dtype = shape, len(shape), np.dtype(np.int64)
        self.reads: list[tuple[int, ...]] = []
        self.held = self.peak = 0

    def __getitem__(self, window: tuple[slice, ...]) -> np.ndarray:
        axes = [np.arange(size)[at] for size, at in zip(self.shape, window, strict=True)]
        found = np.ravel_multi_index(np.meshgrid(*axes, indexing="ij"), self.shape)
        self.reads.append(tuple(at.start for at in window))
        self.held += 1
        self.peak = max(self.peak, self.held)
        weakref.finalize(found, self.let_go)
        return found

    def let_go(self) -> None:
        self.held -= 1

    def __dask_tokenize__(self) -> Any:
        return ("Source", self.shape)

    def lazy(self, chunks: Any) -> da.Array:
        return da.from_array(self, chunks, asarray=False, meta=np.empty((0,) * self.ndim, int))


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="sync"):
        yield


def tasks(array: da.Array) -> Counter[str]:
    """How many tasks of each kind the array has, its sources aside."""
    names = (key[0] for key in array.dask.layers[array.name])
    return Counter(key_split(name) for name in names)


INDICES = np.array([[0, 0], [5, 1], [3, 7], [-1, -1], [5, 1], [0, 2]])


def test_a_gather_reads_the_chunks_that_known_indices_address():
    source = Source((6, 8))
    result = gnd_dask.gather_nd(source.lazy((2, 4)), INDICES)
    assert source.reads == []
    assert tasks(result) == {"gather_nd-rows": 4, "gather_nd": 1}
    assert_same_bits(result.compute(), INDICES[:, 0] % 6 * 8 + INDICES[:, 1] % 8)
    assert sorted(source.reads) == [(0, 0), (2, 4), (4, 0), (4, 4)]


def test_a_scatter_passes_on_the_chunks_that_no_known_index_addresses():
    source = Source((6, 8))
    table = source.lazy((2, 4))
    result = gnd_dask.scatter_nd(table, [[0, 0], [1, 3]], [7, 8])
    assert tasks(result) == {"scatter_nd-part": 1, "scatter_nd": 6}
    assert source.reads == []
    result.blocks[0, 0].compute()
    assert source.reads == [(0, 0)]
    expected = np.arange(48).reshape(6, 8)
    expected[0, 0], expected[1, 3] = 7, 8
    assert_same_bits(result.compute(), expected)


def test_tasks_of_a_lazy_gather():
    """By block, because the result is larger than the table."""
    indices = da.from_array(np.tile(INDICES, (20, 1)), chunks=(40, 1))
    result = gnd_dask.gather_nd(Source((6, 8)).lazy((2, 4)), indices)
    assert tasks(result) == {"gather_nd-parts": 3, "gather_nd-rows": 3 * 6, "gather_nd": 3}


def test_tasks_of_a_lazy_gather_from_a_larger_table():
    result = gnd_dask.gather_nd(Source((6, 8)).lazy((2, 4)), da.from_array(INDICES, chunks=2))
    assert tasks(result) == {
        "gather_nd-parts": 3,
        "gather_nd-tuples": 3 * 6,
        "gather_nd-chunk": 6,
        "gather_nd-rows": 3 * 6,
        "gather_nd": 3,
    }


def test_tasks_of_blocks_that_share_no_chunk():
    """They take what they need by one task each, from a larger table too."""
    table = Source((64, 2)).lazy((8, 2))
    with dask.config.set({"array.chunk-size": "64B"}):
        result = gnd_dask.gather_nd(table, np.arange(0, 64, 8)[:, None])
    assert tasks(result) == {"gather_nd-rows": 8, "gather_nd": 2}
    assert_same_bits(result.compute(), np.arange(128).reshape(64, 2)[::8])
    indices = da.zeros((64, 3, 1), chunks=(8, 3, 1), dtype=int)
    batched = gnd_dask.gather_nd(table, indices, 1)
    assert tasks(batched) == {"gather_nd-parts": 8, "gather_nd-rows": 8, "gather_nd": 8}


def test_tasks_of_a_lazy_scatter():
    indices = da.from_array(INDICES, chunks=2)
    result = gnd_dask.scatter_nd(Source((6, 8)).lazy((2, 4)), indices, np.ones(6, int), "add")
    assert tasks(result) == {"scatter_nd-parts": 3, "scatter_nd-part": 3 * 6, "scatter_nd": 6}


@pytest.mark.parametrize("known", [True, False])
def test_a_gather_from_a_larger_table_holds_one_chunk_of_it(known):
    source = Source((100, 10))
    indices = np.random.default_rng(0).integers(0, 100, (60, 1))
    lazily = indices if known else da.from_array(indices, chunks=(10, 1))
    with dask.config.set({"array.chunk-size": "800B"}):  # blocks of 10 known tuples
        result = gnd_dask.gather_nd(source.lazy((4, 10)), lazily)
    assert result.numblocks == (6, 1)
    assert_same_bits(result.compute(), np.arange(1000).reshape(100, 10)[indices[:, 0]])
    assert len(source.reads) == len(set(source.reads)) == (22 if known else 25)
    assert source.peak == 1


def test_a_scatter_holds_one_chunk_of_the_table():
    source = Source((100, 10))
    indices = da.from_array(np.random.default_rng(0).integers(0, 100, (60, 1)), chunks=(10, 1))
    updates = da.ones((60, 10), chunks=(15, 10), dtype=int)
    result = gnd_dask.scatter_nd(source.lazy((4, 10)), indices, updates, "add").sum()
    assert result.compute() == 1000 * 999 // 2 + 600
    assert source.peak == 1


def test_a_block_of_the_result_takes_its_own_tasks():
    source = Source((64, 2))
    indices = da.from_array(np.arange(64)[:, None], chunks=(8, 1))
    gathered = gnd_dask.gather_nd(source.lazy((8, 2)), np.arange(64)[:, None])
    assert_same_bits(gathered[:8].compute(), np.arange(16).reshape(8, 2))
    scattered = gnd_dask.scatter_nd(source.lazy((8, 2)), indices, np.zeros((64, 2), int))
    source.reads.clear()
    assert_same_bits(scattered.blocks[1].compute(), np.zeros((8, 2), int))
    assert source.reads == [(8, 0)]


def test_many_blocks_are_merged(monkeypatch):
    """Lazy ones, where blocks times chunks are very many; never to more than a chunk's bytes."""
    monkeypatch.setattr(_blocks, "_MANY_PIECES", 50)
    table, indices = Source((100,)).lazy(10), np.arange(100)[:, None]
    lazily = da.from_array(indices, chunks=(1, 1))
    merged = gnd_dask.gather_nd(table, lazily)
    assert merged.chunks == ((20,) * 5,)
    assert_same_bits(merged.compute(), np.arange(100))
    with dask.config.set({"array.chunk-size": "80B"}):
        assert gnd_dask.gather_nd(table, lazily).chunks == ((10,) * 10,)
    scattered = gnd_dask.scatter_nd(table, lazily, da.ones(100, chunks=3, dtype=int))
    assert tasks(scattered) == {"scatter_nd-parts": 5, "scatter_nd-part": 50, "scatter_nd": 10}
    assert_same_bits(scattered.compute(), np.ones(100, int))


def test_known_tuples_are_cut_by_the_size_of_a_chunk():
    table = da.zeros((10, 4), chunks=(10, 2), dtype="f4")
    with dask.config.set({"array.chunk-size": "64B"}):
        result = gnd_dask.gather_nd(table, np.zeros((3, 20, 1), int))
    assert result.chunks == ((1, 1, 1), (8, 8, 4), (2, 2))


def test_chunks_of_the_result():
    table = da.zeros((6, 9, 7), chunks=(2, 4, 3))
    indices = da.zeros((6, 8, 5, 1), chunks=(3, 3, 2, 1), dtype=int)
    result = gnd_dask.gather_nd(table, indices, 1)
    assert result.chunks == ((2, 2, 2), (3, 3, 2), (2, 2, 1), (3, 3, 1))
    updates = da.zeros(result.shape, chunks=2)
    assert gnd_dask.scatter_nd(table, indices, updates, batch_dims=1).chunks == table.chunks


def calls() -> list[da.Array]:
    """The same call in every variation, first as it is."""
    table, lazily = da.arange(48, chunks=7).reshape(6, 8), da.from_array(INDICES, chunks=2)
    ones = np.ones(6, int)
    return [
        gnd_dask.gather_nd(table, INDICES),
        gnd_dask.gather_nd(table + 1, INDICES),
        gnd_dask.gather_nd(table, INDICES.astype("i4")),
        gnd_dask.gather_nd(table, INDICES + 0 * INDICES[::-1] - (INDICES == 7)),
        gnd_dask.gather_nd(table, lazily),
        gnd_dask.gather_nd(table, INDICES, mode="clip"),
        gnd_dask.gather_nd(table, INDICES, mode="fill"),
        gnd_dask.gather_nd(table, INDICES, mode="fill", fill_value=1),
        gnd_dask.gather_nd(table, INDICES, mode="clip", wrap_negative_indices=False),
        gnd_dask.scatter_nd(table, INDICES, ones),
        gnd_dask.scatter_nd(table, INDICES, ones * 2),
        gnd_dask.scatter_nd(table, lazily, ones),
        gnd_dask.scatter_nd(table, INDICES, ones, "add"),
        gnd_dask.scatter_nd(table, INDICES, ones, duplicates="first"),
    ]


def test_names_are_deterministic():
    first, second = calls(), calls()
    assert [x.name for x in first] == [x.name for x in second]
    assert len({x.name for x in first}) == len(first)
    assert [set(x.dask) for x in first] == [set(x.dask) for x in second]
    assert [tokenize(x) for x in first] == [tokenize(x) for x in second]
    assert {key_split(x.name) for x in first} == {"gather_nd", "scatter_nd"}


@pytest.mark.parametrize("documented", [gnd_dask, gnd_dask.gather_nd, gnd_dask.scatter_nd])
def test_docstring(documented):
    assert run_examples(documented.__doc__, "gathernd.dask") > 0


def test_graphs_pickle():
    for array in calls():
        assert_same_bits(pickle.loads(pickle.dumps(array)).compute(), array.compute())


def test_fill_values_of_every_dtype_have_a_name():
    for dtype in ("V5", "S3", [("a", "i2"), ("b", ">f4")], "m8[s]", "?"):
        table = da.from_array(np.zeros(3, dtype), chunks=2)
        names = {gnd_dask.gather_nd(table, [[1]], mode="fill").name for _ in range(2)}
        assert len(names) == 1


@pytest.mark.parametrize("known", [True, False])
def test_a_bad_index_has_its_position_in_the_whole_array(known):
    indices = np.zeros((4, 5, 2), np.int16)
    indices[3, 2, 1] = 8
    lazily = indices if known else da.from_array(indices, chunks=(2, 2, 1))
    table = Source((6, 8)).lazy((2, 4))
    for call in (
        lambda: gnd_dask.gather_nd(table, lazily).compute(),
        lambda: gnd_dask.scatter_nd(table, lazily, np.zeros((4, 5), int)).compute(),
    ):
        with pytest.raises(IndexError, match=r"index 8 at indices\[3, 2, 1\] .* axis 1 of size 8"):
            call()


def test_lazy_indices_are_looked_at_on_compute():
    result = gnd_dask.gather_nd(Source((6, 8)).lazy((2, 4)), da.full((3, 1), 6, chunks=1))
    with pytest.raises(IndexError, match=r"gather_nd: index 6 at indices\[\d, 0\]"):
        result.compute()


def test_a_sum_of_halves_rounds_once():
    """The sum of the updates of all blocks, in float32."""
    table, indices = np.full(1, 2048, "f2"), np.zeros((64, 1), int)
    updates = np.ones(64, "f2")
    args = [da.from_array(x, chunks=1) for x in (table, indices, updates)]
    expected = gnd.scatter_nd(table, indices, updates, "add")
    assert expected == 2048 + 64
    assert_same_bits(gnd_dask.scatter_nd(*args, "add").compute(), expected)


@pytest.mark.parametrize("duplicates", ["last", "first"])
def test_order_over_two_outer_axes(duplicates):
    """Blocks that are cut along both do not follow each other in C order."""
    indices, updates = np.zeros((6, 6, 1), int), np.arange(36).reshape(6, 6)
    args = [da.from_array(indices, chunks=(2, 3, 1)), da.from_array(updates, chunks=(3, 2))]
    result = gnd_dask.scatter_nd(np.array([-1]), *args, duplicates=duplicates)
    assert result.compute() == (35 if duplicates == "last" else 0)
    floats = np.random.default_rng(0).standard_normal((6, 6)).astype("f4") * 1e4
    summed = gnd_dask.scatter_nd(np.zeros(1, "f4"), args[0], da.from_array(floats, chunks=4), "add")
    assert_same_bits(summed.compute(), gnd.scatter_nd(np.zeros(1, "f4"), indices, floats, "add"))


UNKNOWN = da.arange(9, chunks=3)[da.arange(9, chunks=3) > 1]
NOT_ALLOWED = {
    "unknown chunks of input": ((UNKNOWN, [[0]]), ValueError, "input has chunks of unknown size"),
    "unknown chunks of indices": (
        (np.arange(3), UNKNOWN[:, None]),
        ValueError,
        "indices has chunks of unknown size.*compute_chunk_sizes",
    ),
    "too long tuples": ((da.zeros(3), da.zeros((2, 2), dtype=int)), ValueError, "at most 1"),
    "float indices": ((da.zeros(3), da.zeros((2, 1))), TypeError, "not float64"),
    "objects": ((da.zeros(3, chunks=3, dtype=object), [[0]]), TypeError, "input has dtype object"),
    "batch_dims": ((da.zeros(3), [[0]], 2), ValueError, "batch_dims must be from 0 to 1"),
    "a bool": ((da.zeros(3), [[0]], True), TypeError, "batch_dims must be an integer"),
    "masked": ((da.ma.masked_equal(da.zeros(3), 1), [[0]]), TypeError, "consist of NumPy arrays"),
    "a tuple of arrays": ((da.zeros((3, 3)), (np.arange(2),) * 2), TypeError, "tuple of arrays"),
}


@pytest.mark.parametrize("case", NOT_ALLOWED)
def test_what_is_refused_before_any_work(case):
    args, error, message = NOT_ALLOWED[case]
    with pytest.raises(error, match=f"^gather_nd: .*{message}"):
        gnd_dask.gather_nd(*args)


@pytest.mark.parametrize(
    ("updates", "options", "error", "message"),
    [
        (da.zeros(3), {}, ValueError, r"updates must have shape \(2,\) .*, not \(3,\)"),
        (da.zeros(2, dtype="f4"), {}, TypeError, "input's dtype float64, not float32"),
        (UNKNOWN, {}, ValueError, "updates has chunks of unknown size"),
        (da.zeros(2), {"reduction": "and"}, TypeError, "not defined for float64"),
        (da.zeros(2), {"reduction": "plus"}, ValueError, "reduction must be one of"),
        (da.zeros(2), {"mode": "fill"}, ValueError, "mode must be one of"),
        (da.zeros(2), {"duplicates": "both"}, ValueError, "duplicates must be one of"),
        (da.zeros(2), {"reduction": "add", "duplicates": "any"}, ValueError, "duplicates goes"),
        (da.zeros(2), {"wrap_negative_indices": 1}, TypeError, "must be a bool"),
    ],
)
def test_scatters_that_are_refused_before_any_work(updates, options, error, message):
    with pytest.raises(error, match=f"^scatter_nd: .*{message}"):
        gnd_dask.scatter_nd(da.zeros(3), [[0], [1]], updates, **options)


def test_bad_options_of_a_gather():
    with pytest.raises(ValueError, match="gather_nd: mode must be one of"):
        gnd_dask.gather_nd(da.zeros(3), [[0]], mode="drop")
    with pytest.raises(TypeError, match="gather_nd: wrap_negative_indices must be a bool"):
        gnd_dask.gather_nd(da.zeros(3), [[0]], wrap_negative_indices=0)
    with pytest.raises(OverflowError, match="gather_nd: fill_value"):
        gnd_dask.gather_nd(da.zeros(3, dtype="u1"), [[0]], mode="fill", fill_value=256)


def test_lists_and_numbers_take_the_dtype_of_input():
    result = gnd_dask.scatter_nd(da.zeros(3, dtype="f4"), [[0], [2]], [1, 2.5])
    assert_same_bits(result.compute(), np.array([1, 0, 2.5], "f4"))


def test_chunks_that_are_scalars():
    """Dask's sums consist of them; results are arrays all the same."""
    total = da.arange(5, chunks=2).sum()
    for tuples in (np.zeros(0, int), np.zeros((0, 0), int), da.zeros(0, dtype=int)):
        updates = total + np.zeros(tuples.shape[:-1], int)
        result = gnd_dask.scatter_nd(total, tuples, updates, "add")
        assert_same_bits(result.compute(), np.array(20 if tuples.ndim == 1 else 10))
        assert_same_bits(gnd_dask.gather_nd(total, tuples).compute(), np.full(updates.shape, 10))


QUERY_PLANNING = """
import dask
dask.config.set({"array.query-planning": True})
import dask.array as da, gathernd.dask
try:
    gathernd.dask.gather_nd(da.zeros(3, chunks=1), [[0]])
except NotImplementedError as error:
    print(error)
"""


def test_query_planning_is_refused():
    assert re.match("gather_nd: .*query planning.*False", run(QUERY_PLANNING).stdout)


def test_a_machine_without_dask():
    script = "import sys; sys.modules['dask'] = None; import gathernd.dask"
    assert 'ImportError: gathernd.dask needs Dask\'s arrays: pip install "gathernd[dask]"' in (
        run(script, status=1).stderr
    )


def test_gathernd_alone_imports_no_dask():
    assert run("import sys, gathernd; print('dask' in sys.modules)").stdout == "False\n"


THREADS = """
import os, threading
import dask, dask.array as da, numpy as np
import gathernd as gnd, gathernd.dask

gnd._core.set_grain(1)
gnd.set_num_threads(4)
table = da.zeros(40000, chunks=10000)
indices = da.random.default_rng(0).integers(0, 40000, (40000, 1), chunks=(10000, 1))
gathered = gathernd.dask.gather_nd(table, indices)
scattered = gathernd.dask.scatter_nd(table, indices, gathered, "add")
dask.compute(gathered, scattered, scheduler="threads", num_workers=2)
print(len(os.listdir("/proc/self/task")) - threading.active_count())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_tasks_make_no_threads_of_their_own():
    """The two of Dask are all: Python knows of every thread that there is."""
    environment = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    assert run(THREADS, **environment).stdout == "0\n"
