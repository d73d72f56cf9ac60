"""gathernd.dask on two worker processes with less memory than the whole table."""

from __future__ import annotations

import os
from collections.abc import Iterator

import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster

import gathernd as gnd
import gathernd.dask as gnd_dask
from checks import assert_same_bits

MEMORY = 400 * 2**20  # of a worker, of which Python and its libraries take a third
SHAPE, CHUNKS = (64, 2048, 1024), (1, 2048, 1024)  # 1 GiB, in chunks of 16 MiB
POINTS = 50_000


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            memory_limit=MEMORY,
            dashboard_address=":0",  # two processes may run these tests at once
        ) as cluster,
        Client(cluster) as connected,
    ):
        yield connected


def numbers_of(block_info: dict[int | None, dict], flag: str | None) -> np.ndarray:
    """A chunk whose elements tell their places; the first to meet the flag's file dies with it."""
    at = block_info[None]["chunk-location"][0]
    if at == SHAPE[0] // 2 and flag is not None and os.path.exists(flag):
        os.remove(flag)
        os._exit(1)
    rows = np.arange(SHAPE[1], dtype="f8")[:, None]
    return (at * 1e7 + rows * 1e4 + np.arange(SHAPE[2])).reshape(CHUNKS)


def make_table(flag: str | None = None) -> da.Array:
    chunks = tuple((step,) * (size // step) for size, step in zip(SHAPE, CHUNKS, strict=True))
    return da.map_blocks(numbers_of, flag=flag, chunks=chunks, dtype="f8", meta=np.empty((0,) * 3))


def points(rng: np.random.Generator) -> np.ndarray:
    return rng.integers(0, SHAPE, (POINTS, 3), dtype=np.int32)


def at(points: np.ndarray) -> np.ndarray:
    return points[:, 0] * 1e7 + points[:, 1] * 1e4 + points[:, 2]


@pytest.mark.parametrize("killed", [False, True])
def test_gather(client, tmp_path, killed):
    flag = tmp_path / "flag"
    if killed:
        flag.touch()
    table = make_table(str(flag) if killed else None)
    assert table.nbytes > 2 * MEMORY
    indices = points(np.random.default_rng(0))
    lazily = da.from_array(indices, chunks=(POINTS // 4, 3))
    assert_same_bits(gnd_dask.gather_nd(table, lazily).compute(), at(indices))
    assert not flag.exists()


def test_gather_of_few_known_points(client):
    indices = points(np.random.default_rng(1))[:3]
    result = gnd_dask.gather_nd(make_table(), indices)
    assert_same_bits(result.compute(), at(indices))


@pytest.mark.parametrize("killed", [False, True])
def test_scatter(client, tmp_path, killed):
    """The sums of a histogram: read again at its points, and all in all."""
    flag = tmp_path / "flag"
    if killed:
        flag.touch()
    rng = np.random.default_rng(2)
    indices = points(rng)
    indices[::7] = indices[0]
    updates = rng.standard_normal(POINTS).astype("f4")
    table = make_table(str(flag) if killed else None).astype("f4")
    lazily = [da.from_array(x, chunks=POINTS // 3) for x in (indices, updates)]
    result = gnd_dask.scatter_nd(table, *lazily, "add")
    found = gnd_dask.gather_nd(result, indices[:500]).compute()

    places, inverse = np.unique(indices, axis=0, return_inverse=True)
    expected = at(places).astype("f4")
    expected = gnd.scatter_nd(expected, inverse.reshape(-1, 1), updates, "add")
    assert_same_bits(found, expected[inverse.ravel()[:500]])
    assert not flag.exists()


def test_a_bad_index(client):
    indices = np.zeros((100, 3), int)
    indices[63, 1] = SHAPE[1]
    lazily = da.from_array(indices, chunks=(10, 3))
    with pytest.raises(IndexError, match=r"gather_nd: index 2048 at indices\[63, 1\] is out"):
        gnd_dask.gather_nd(make_table(), lazily).compute()
