"""gathernd.dask over what arrays are kept in: memory maps, HDF5, Zarr, and xarray's names."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import dask.array as da
import h5py
import numpy as np
import pytest
import xarray as xr
import zarr

import gathernd as gnd
import gathernd.dask as gnd_dask
from checks import assert_same_bits
from pages import DOCS, ROOT, code_blocks
from processes import run_python

EXAMPLE = ROOT / "examples" / "dask_zarr.py"

TABLE = np.arange(60 * 40, dtype="f4").reshape(60, 40)
POINTS = np.array([[0, 0], [59, 39], [7, -1], [59, 39]])


def open_npy(path: Path) -> np.memmap:
    np.save(path.with_suffix(".npy"), TABLE)
    return np.load(path.with_suffix(".npy"), mmap_mode="r")


def open_h5py(path: Path) -> h5py.Dataset:
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=TABLE, chunks=(20, 20))
    return h5py.File(path)["x"]


def open_zarr(path: Path) -> zarr.Array:
    return zarr.create_array(path, data=TABLE, chunks=(20, 20))


OPENERS = [open_npy, open_h5py, open_zarr]


@pytest.mark.parametrize("opened", OPENERS)
def test_sources(opened, tmp_path):
    source = opened(tmp_path / "table")
    table = da.from_array(source, chunks=(20, 20))
    for indices in (POINTS, da.from_array(POINTS, chunks=2)):
        result = gnd_dask.gather_nd(table, indices)
        assert_same_bits(result.compute(scheduler="threads"), gnd.gather_nd(TABLE, POINTS))
        summed = gnd_dask.scatter_nd(table, indices, np.ones(4, "f4"), "add")
        expected = gnd.scatter_nd(TABLE, POINTS, np.ones(4, "f4"), "add")
        assert_same_bits(summed.compute(scheduler="threads"), expected)
    assert_same_bits(np.asarray(source), TABLE)


class ReadsOf:
    """What passes on to a store's array, and notes which chunks are read."""

    def __init__(self, array: Any) -> None:
        self.array, self.read = array, []
        self.shape, self.dtype, self.ndim = array.shape, array.dtype, array.ndim

    def __getitem__(self, window: tuple[slice, ...]) -> Any:
        self.read.append(tuple((at.start, at.stop) for at in window))
        return self.array[window]


@pytest.mark.parametrize("opened", OPENERS)
def test_bytes_that_are_read(opened, tmp_path):
    """Those of three chunks of six, once."""
    source = ReadsOf(opened(tmp_path / "table"))
    table = da.from_array(source, chunks=(20, 20), meta=TABLE[:0, :0])
    result = gnd_dask.gather_nd(table, POINTS)
    assert_same_bits(result.compute(scheduler="sync"), gnd.gather_nd(TABLE, POINTS))
    assert sorted(source.read) == [((0, 20), (0, 20)), ((0, 20), (20, 40)), ((40, 60), (20, 40))]


def test_into_zarr(tmp_path):
    """A histogram in chunks, from points in chunks."""
    points = np.random.default_rng(0).integers(0, 30, (1000, 2))
    counts = gnd_dask.scatter_nd(
        da.zeros((30, 30), chunks=10, dtype="i4"),
        da.from_array(points, chunks=(100, 2)),
        da.ones(1000, chunks=100, dtype="i4"),
        "add",
    )
    target = zarr.create_array(tmp_path / "counts", shape=(30, 30), chunks=(10, 10), dtype="i4")
    da.store(counts, target, lock=False, scheduler="threads")
    edges = np.arange(31)
    np.testing.assert_array_equal(target[:], np.histogram2d(*points.T, bins=(edges, edges))[0])


def test_xarray():
    """Named dimensions, as the documentation shows."""
    field = xr.DataArray(da.from_array(TABLE, chunks=20), dims=("y", "x"))
    places = xr.DataArray(da.from_array(POINTS, chunks=(2, 1)), dims=("station", "component"))
    found = xr.apply_ufunc(
        gnd_dask.gather_nd,
        field,
        places,
        input_core_dims=[["y", "x"], ["station", "component"]],
        output_core_dims=[["station"]],
        dask="allowed",
    )
    assert found.dims == ("station",)
    assert_same_bits(found.data.compute(scheduler="sync"), gnd.gather_nd(TABLE, POINTS))
    with pytest.raises(TypeError, match=r"gather_nd: input must be .* pass x\.data"):
        gnd_dask.gather_nd(field, POINTS)


def test_example(tmp_path):
    """It checks its results itself."""
    sizes = ("--mib", "8", "--chunk", "32", "--points", "20000", "--limit", "2048")
    shown = run_python(str(EXAMPLE), str(tmp_path / "store"), *sizes).stdout
    for job in ("make the table", "gather_nd", "vindex", "histogram"):
        assert f"{job}: " in shown


def test_documentation(tmp_path, monkeypatch):
    """The page's code runs, from the first block to the last; a worker finds its functions."""
    blocks = code_blocks(DOCS / "dask.md")
    assert blocks
    code = textwrap.indent("\n".join(blocks), "    ")
    script = tmp_path / "page.py"
    script.write_text(f'if __name__ == "__main__":\n{code}')
    monkeypatch.chdir(tmp_path)
    run_python("-W", "error", str(script))
