"""Sizes, strides and memory at the edge: past 31, 32 and 63 bits, wild views, read-only files."""

from __future__ import annotations

import mmap
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import gathernd
from checks import assert_same_bits, refuses
from strategies import lay_out


@pytest.mark.parametrize("shape", [(1, 46342, 46341), (1, 65536, 65535), (3, 2**29), (3, 2**33)])
def test_offsets_past_31_and_32_bits(nd, shape, tmp_path):
    """A sparse file: memory is used for the touched pages only."""
    if nd.options:
        pytest.skip("gigabytes go up to a device and back: tests/cpp/d3d12 has small windows")
    path = tmp_path / "sparse"
    table = np.memmap(path, np.uint8, "w+", shape=shape)
    last = tuple(size - 1 for size in shape)
    indices = np.array([last, (0,) * len(shape), [n // 2 for n in shape]], np.int64)
    if max(shape) < 2**31:
        indices = indices.astype(np.int32)
    table[last] = 77
    assert_same_bits(nd.gather_nd(table, indices), np.array([77, 0, 0], np.uint8))
    updates = np.array([1, 2, 3], np.uint8)
    assert nd.scatter_nd(table, indices, updates, "add", out=table) is table
    assert [int(table[tuple(t)]) for t in indices] == [78, 2, 3]
    indices[0, 0] = shape[0]
    with pytest.raises(IndexError):
        nd.gather_nd(table, indices)
    assert path.stat().st_blocks * 512 < 2**20
    path.unlink()


def test_int8_rows_past_32_bits(nd):
    """Index 3 of (3, 2**29): a row that would start at 1.5 GiB is refused, not read."""
    if nd.options:
        pytest.skip("gigabytes go up to a device: tests/cpp/d3d12 has small windows")
    table = np.broadcast_to(np.int8(1), (3, 2**29))
    for value in (3, -4, 2**31 - 1, -(2**31)):
        with pytest.raises(IndexError):
            nd.gather_nd(table, np.array([[value]], np.int32))


@pytest.mark.parametrize("n", [2**60, 2**61 - 1, 2**61, 2**62 - 1])
def test_more_tuples_than_scratch_can_hold(nd, n):
    """Bytes of offsets that wrap when they are rounded up to an alignment."""
    indices = np.broadcast_to(np.int8([[0]]), (n, 1))
    table, updates = np.zeros(4, np.uint8), np.broadcast_to(np.uint8(1), n)
    refused = (ValueError, MemoryError, gathernd.DeviceError)
    with pytest.raises(refused):
        nd.scatter_nd(table, indices, updates, "add")
    with pytest.raises(refused):
        nd.IndexPlan(table.shape, indices)
    assert not table.any()


def test_wrong_shapes_of_arguments_that_overlap_out(nd):
    """The rules come before the copies that overlap asks for, which no memory would hold."""
    table = np.zeros(8)
    updates = np.broadcast_to(table[:1], (2**44, 1))
    shapes = r"updates must have shape \(1,\).*not \(17592186044416, 1\)"
    with pytest.raises(ValueError, match=shapes):
        nd.scatter_nd(table, [[0]], updates, out=table)
    with pytest.raises(ValueError, match=shapes):
        nd.IndexPlan((8,), [[0]]).scatter(table, updates, out=table)
    with pytest.raises(TypeError, match="float64"):
        nd.scatter_nd(table, np.array([[0.5]]), updates[:, 0], out=table)


@pytest.mark.skipif(sys.platform != "linux", reason="maps memory that is not there")
def test_wrong_shapes_where_out_overlaps_input(nd):
    size = 2**44
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000  # MAP_NORESERVE
    memory = np.frombuffer(mmap.mmap(-1, size, flags=flags), np.uint8)
    with pytest.raises(ValueError, match=r"out must have shape \(1,\)"):
        nd.gather_nd(memory[:8], [[0]], out=memory)
    with pytest.raises(ValueError, match=r"out must have shape \(1,\)"):
        nd.IndexPlan((8,), [[0]]).gather(memory[:8], out=memory)
    for updates in (np.zeros(2, np.uint8), np.broadcast_to(memory[:1], size)):
        with pytest.raises(ValueError, match=r"updates must have shape \(1,\)"):
            nd.scatter_nd(memory[:-1], [[0]], updates, out=memory[1:])


def test_results_too_large_to_allocate(nd):
    """Element counts past 2**63 and byte counts past the address space, before any allocation."""
    huge = (ValueError, MemoryError)
    many = np.broadcast_to(np.zeros(1, np.int8), (2**50, 1))
    wide = np.broadcast_to(np.float64(1), (3, 2**58))
    for table, indices in [
        (np.zeros(3, np.uint8), many),
        (np.zeros((3, 5)), many),
        (wide, [[1]]),
        (wide, np.broadcast_to(np.int8([1]), (2**61, 1))),
        (wide, [[1]] * 64),
        (wide, np.broadcast_to(np.int8([1]), (2**30, 2**30, 1))),
    ]:
        with pytest.raises(huge):
            nd.gather_nd(table, indices)
    with pytest.raises(huge):
        nd.scatter_nd(wide, [[1, 1]], [2.0])


def test_result_past_32_bits():
    """One row of more than 2**32 bytes. Once: the result takes 4 GiB."""
    available = Path("/proc/meminfo").read_text().split("MemAvailable:")[1].split()[0]
    if int(available) < 6 * 2**20:
        pytest.skip("needs 6 GiB of memory")
    table = np.zeros((1, 2**32 + 9), np.uint8)
    table[0, -20:] = range(20)
    result = gathernd.gather_nd(table, [[0]])
    assert result.shape == table.shape
    assert result[0, -21:].tolist() == [0, *range(20)]


WILD = [(2**62, 8), (-(2**62), 8), (8, 2**62)]


def test_strides_of_62_bits_of_a_single_row(nd):
    """The stride of a dimension of size 1 means nothing."""
    x = np.arange(6.0)
    once = as_strided(x, (1, 6), (2**62, 8))
    assert_same_bits(nd.gather_nd(once, [[0, 4], [-1, 5]]), x[4:])
    expected = np.array([[0, 1, 2, 3, 9, 5.0]])
    assert_same_bits(nd.scatter_nd(once, [[0, 4]], [9.0]), expected)
    assert_same_bits(nd.scatter_nd(once, [[0, 4]], [9.0], out=once), once)
    assert_same_bits(x, expected[0])


@pytest.mark.parametrize("strides", WILD, ids=str)
def test_strides_of_62_bits(nd, strides):
    """The extent of the view overflows: refused before any of it is read or written."""
    view = as_strided(np.arange(6.0), (4, 4), strides)
    tuples = as_strided(np.zeros(6, int), (4, 4, 1), (*strides, 8))
    plain = np.zeros((4, 4))
    for call in (
        lambda: nd.gather_nd(view, [[0, 0]]),
        lambda: nd.gather_nd(plain[0], tuples),
        lambda: nd.gather_nd(plain, [[0]] * 4, out=view),
        lambda: nd.scatter_nd(view, [[0, 0]], [1.0]),
        lambda: nd.scatter_nd(plain[0], tuples, plain),
        lambda: nd.scatter_nd(plain, [[0], [1], [2], [3]], view),
        lambda: nd.scatter_nd(plain, [[0, 0]], [1.0], out=view),
    ):
        with pytest.raises(ValueError, match=r"^(gather|scatter)_nd: "):
            call()
    assert not plain.any()


def test_read_only_memmap(nd, tmp_path):
    path = tmp_path / "table"
    np.arange(6, dtype=np.int32).tofile(path)
    table = np.memmap(path, np.int32, "r")
    assert_same_bits(nd.gather_nd(table, [[4], [1]]), np.array([4, 1], np.int32))
    assert_same_bits(nd.scatter_nd(table, [[4]], [9])[4:], np.array([9, 5], np.int32))
    refuses(ValueError, nd.scatter_nd, table, [[4]], [9], out=table)
    refuses(ValueError, nd.gather_nd, table, np.zeros((6, 1), int), out=table)


@pytest.mark.parametrize("layout", ["F", "reversed", "steps", "unaligned", "rolled", "swapped"])
@pytest.mark.parametrize("argument", ["input", "indices", "updates", "out"])
def test_layout_of_one_argument(nd, layout, argument):
    plain = {
        "input": np.arange(60, dtype=np.int32).reshape(3, 4, 5),
        "indices": np.array([[0, 1], [2, 3], [-1, -4]]),
        "updates": -np.arange(15, dtype=np.int32).reshape(3, 5),
    }
    expected = plain["input"].copy()
    expected[tuple(plain["indices"].T)] = plain["updates"]
    args = {**plain, "out": np.zeros_like(expected)}
    if layout != "swapped":
        args[argument] = lay_out(args[argument], layout)
    elif argument == "indices":
        args["indices"] = args["indices"].astype(">i8")
    else:
        for name in ("input", "updates", "out"):
            args[name] = args[name].astype(">i4")
        expected = expected.astype(">i4")
    nd.scatter_nd(**args)
    assert_same_bits(args["out"].copy(), expected)
    rows = np.zeros_like(args["updates"])
    nd.gather_nd(args["out"], args["indices"], out=rows)
    assert_same_bits(rows.copy(order="C"), np.ascontiguousarray(args["updates"]))
