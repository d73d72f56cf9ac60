"""Inputs that broke other libraries: the right result where legal, else the error; no damage.

From published advisories. Shape arithmetic before validation, narrow types, degenerate shapes,
and a check that reads other memory than the use.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from checks import assert_same_bits, names_bad_index, refuses

INT32_MIN, INT64_MIN, INT64_MAX = -(2**31), -(2**63), 2**63 - 1


@pytest.mark.parametrize("mode", ["raise", "clip", "wrap"])
def test_zero_size_dimension(nd, mode):
    table = np.zeros((2, 0, 3), np.float32)
    indices = np.zeros((4, 2), int)
    refuses(IndexError, nd.gather_nd, table, indices, mode=mode)
    refuses(IndexError, nd.scatter_nd, table, indices, np.ones((4, 3), np.float32), mode=mode)
    none = nd.gather_nd(table, indices[:0], mode=mode)
    assert none.shape == (0, 3)
    result = nd.scatter_nd(table, indices[:0], np.ones((0, 3), np.float32), mode=mode)
    assert result.shape == table.shape


def test_zero_size_dimension_filled_and_dropped(nd):
    table = np.zeros((2, 0, 3), np.float32)
    indices = np.zeros((4, 2), int)
    filled = nd.gather_nd(table, indices, mode="fill", fill_value=7)
    assert_same_bits(filled, np.full((4, 3), 7, np.float32))
    result = nd.scatter_nd(table, indices, filled, mode="drop")
    assert result.shape == table.shape


@pytest.mark.parametrize("batch_dims", [0, 1, 2])
def test_batch_of_zero(nd, batch_dims):
    table = np.zeros((0, 0, 4, 2)[2 - batch_dims :])
    indices = np.zeros((0, 0, 5, 1)[2 - batch_dims :], int)
    result = nd.gather_nd(table, indices, batch_dims)
    assert result.shape == (*indices.shape[:-1], 2)
    updates = np.ones(result.shape)
    assert nd.scatter_nd(table, indices, updates, "add", batch_dims).shape == table.shape


@pytest.mark.parametrize("batch_dims", [3, 4, 2**40, -1, INT32_MIN])
def test_batch_dims_out_of_range(nd, batch_dims):
    table, indices = np.zeros((2, 2, 2)), np.zeros((2, 2, 2), int)
    refuses(ValueError, nd.gather_nd, table, indices, batch_dims)
    refuses(ValueError, nd.scatter_nd, table, indices, np.zeros((2, 2)), "none", batch_dims)


def test_batch_dims_equal_to_the_rank(nd):
    """Legal with tuples of length 0: each batch is one element."""
    table = np.arange(6).reshape(2, 3)
    result = nd.gather_nd(table, np.zeros((2, 3, 4, 0), int), 2)
    assert_same_bits(result, np.repeat(table, 4).reshape(2, 3, 4))
    refuses(ValueError, nd.gather_nd, table, np.zeros((2, 3, 4, 1), int), 2)


@pytest.mark.parametrize("batches", [(2, 4), (4, 2), (3, 4), (4, 3), (1, 4), (4, 1), (0, 4)])
def test_batch_sizes_that_differ(nd, batches):
    table, indices = np.zeros((batches[0], 3)), np.zeros((batches[1], 5, 1), int)
    refuses(ValueError, nd.gather_nd, table, indices, 1)
    for rows in batches:
        refuses(ValueError, nd.scatter_nd, table, indices, np.zeros((rows, 5)), "none", 1)


@pytest.mark.parametrize("shape", [(), (6,), (3, 2), (1, 3), (2, 1), (6, 1), (2, 3, 1), (1, 2, 3)])
def test_updates_of_another_shape(nd, shape):
    table, indices = np.zeros((4, 3)), np.array([[0], [1]])
    refuses(ValueError, nd.scatter_nd, table, indices, np.ones(shape))


def test_indices_of_shape_zero(nd):
    """A tuple of length 0 addresses the whole input."""
    indices = np.zeros(0, int)
    table = np.arange(3)
    assert_same_bits(nd.gather_nd(table, indices), table)
    assert_same_bits(nd.gather_nd(table, []), table)
    refuses(ValueError, nd.scatter_nd, table, indices, np.zeros(0, int))
    empty = np.zeros(0, int)
    assert_same_bits(nd.scatter_nd(empty, indices, empty), empty)


@pytest.mark.parametrize(
    "value",
    [
        *(5, 6, -6, INT32_MIN, INT64_MIN, 2**31, 2**32, 2**32 + 1, 2**62, INT64_MAX),
        *(2**61 - 1, 2**61, 2**61 + 1, -(2**61), -(2**62), 2**62 - 1, 2**62 + 1),
        *(2**60 - 1, 2**60, 2**60 + 1, 2**63 // 24 - 1, 2**63 // 24, 2**63 // 24 + 1),
        *(2**63, 2**63 + 1, 2**64 - 1, 2**64 - 5),
    ],
)
@pytest.mark.parametrize("width", [1, 4, 8, 24])
def test_index_whose_offset_wraps_around(nd, value, width):
    """2**62 over a stride of 4 is 2**64 = 0: only the index itself tells."""
    table = np.arange(5 * width, dtype=np.uint8).view(f"V{width}")
    indices = np.array([[0], [value]], np.uint64 if value > INT64_MAX else np.int64)
    updates = table[:2].copy()
    names_bad_index(refuses(IndexError, nd.gather_nd, table, indices), value, (1, 0), 0, 5)
    inplace = table.copy()
    refuses(IndexError, nd.scatter_nd, inplace, indices, updates, out=inplace)
    clipped = nd.gather_nd(table, indices, mode="clip")
    assert_same_bits(clipped, table[[0, 4 if value > 0 else 0]])
    assert_same_bits(nd.gather_nd(table, indices, mode="wrap"), table[[0, value % 5]])
    filled = nd.gather_nd(table, indices, mode="fill", fill_value=table[3])
    assert_same_bits(filled, table[[0, 3]])
    dropped = nd.scatter_nd(table, indices, table[3:5], mode="drop")
    assert_same_bits(dropped, table[[3, 1, 2, 3, 4]])


@pytest.mark.parametrize("pair", [[0, 5], [1, -5], [0, 4], [-3, 11], [2, -8]])
def test_flat_offset_in_range_but_component_not(nd, pair):
    refuses(IndexError, nd.gather_nd, np.zeros((3, 4)), [pair])
    refuses(IndexError, nd.scatter_nd, np.zeros((3, 4)), [pair], [1.0])


@pytest.mark.parametrize("tuples", [1, 2, 7, 64, 1000, 5000])
@pytest.mark.parametrize("where", [0.0, 0.34, 0.5, 0.99])
def test_the_only_bad_index(nd, tuples, where):
    """In the last component of the last batch or inside a thread's part: nothing is written."""
    table = np.zeros((2, 10, 10), np.float32)
    indices = np.ones((2, tuples, 2), np.int32)
    at = min(int(where * 2 * tuples + 0.5), 2 * tuples - 1)
    indices.reshape(-1, 2)[at, 1] = 10
    position = (*divmod(at, tuples), 1)
    out = np.full((2, tuples), 3, np.float32)
    message = refuses(IndexError, nd.gather_nd, table, indices, 1, out=out)
    names_bad_index(message, 10, position, 2, 10)
    for target in (table, None, np.full_like(table, 5)):
        args = (table, indices, np.ones((2, tuples), np.float32), "add", 1)
        names_bad_index(refuses(IndexError, nd.scatter_nd, *args, out=target), 10, position, 2, 10)


@pytest.mark.parametrize("dtype", [np.dtype("V0"), np.dtype([])], ids=["V0", "no fields"])
def test_elements_of_zero_bytes(nd, dtype):
    """Nothing is moved; tuples are checked and compared all the same."""
    table = np.zeros((3, 2), dtype)
    assert_same_bits(nd.gather_nd(table, [[1], [0]]), table[:2])
    assert_same_bits(nd.gather_nd(table, [[1, 1], [0, 0]], out=table[:2, 0]), table[:2, 0])
    assert_same_bits(nd.gather_nd(table, [[5]], mode="fill"), table[:1])
    assert_same_bits(nd.scatter_nd(table, [[1], [1]], table[:2]), table)
    refuses(IndexError, nd.gather_nd, table, [[1], [3]])
    refuses(IndexError, nd.scatter_nd, table, [[1, 2]], table[0, :1])
    plan = nd.IndexPlan(table.shape, [[1], [0]])
    assert_same_bits(plan.gather(table), table[:2])
    for once, twice in [([[1], [0]], [[1], [1]]), ([[1, 1], [1, 0]], [[1, 1], [1, 1]])]:
        rows = nd.gather_nd(table, once)
        assert_same_bits(nd.scatter_nd(table, once, rows, duplicates="error"), table)
        plan = nd.IndexPlan(table.shape, once)
        assert_same_bits(plan.scatter(table, rows, duplicates="error"), table)
        refuses(ValueError, nd.scatter_nd, table, twice, rows, duplicates="error")


@pytest.mark.parametrize("rank", [1, 2, 3, 64])
def test_tuple_lengths(nd, rank):
    table = np.arange(4).reshape((4,) + (1,) * (rank - 1))
    if rank < 64:
        whole = nd.gather_nd(table, np.zeros((2, 0), int))
        assert_same_bits(whole, np.stack([table, table]))
    assert_same_bits(nd.gather_nd(table, [[3] + [0] * (rank - 1)]), np.array([3]))
    refuses(ValueError, nd.gather_nd, table, np.zeros((2, rank + 1), int))
    refuses(ValueError, nd.scatter_nd, table, np.zeros((2, rank + 1), int), np.zeros(2, int))


def test_zero_dimensional_arguments(nd):
    point = np.array(5.0)
    assert_same_bits(nd.gather_nd(point, []), point)
    assert_same_bits(nd.gather_nd(point, np.zeros((3, 0), int)), np.full(3, 5.0))
    assert_same_bits(nd.scatter_nd(point, [], 6.5), np.array(6.5))
    assert_same_bits(
        nd.scatter_nd(point, np.zeros((3, 0), int), [1.0, 2, 3], "add"), np.array(11.0)
    )
    assert_same_bits(nd.gather_nd(np.arange(3), [2]), np.array(2))
    refuses(ValueError, nd.gather_nd, point, np.array(0))
    refuses(ValueError, nd.gather_nd, np.arange(3), np.array(0))
    refuses(ValueError, nd.gather_nd, point, [0])


@pytest.mark.parametrize("rank", [31, 32, 33, 63, 64])
def test_high_ranks(nd, rank):
    shape = (3, *[1] * (rank - 2), 2)
    table = np.arange(6, dtype=np.int16).reshape(shape)
    last = [2, *[0] * (rank - 2), 1]
    assert_same_bits(nd.gather_nd(table, [2]), table[2])
    assert_same_bits(nd.gather_nd(table, last), np.array(5, np.int16))
    tuples = np.zeros([1] * rank, np.int8)
    assert_same_bits(nd.gather_nd(np.arange(5), tuples), np.zeros([1] * (rank - 1), int))
    expected = np.array([0, 1, 2, 3, 4, 9], np.int16).reshape(shape)
    assert_same_bits(nd.scatter_nd(table, last, 9), expected)
    batched = nd.gather_nd(table, np.zeros((*shape[:-1], 1), int), rank - 1)
    assert_same_bits(batched, table[..., 0].copy())


def test_result_of_rank_65(nd):
    table = np.zeros([1] * 64)
    refuses(ValueError, nd.gather_nd, table, np.zeros((1, 1, 1), int))
    refuses(ValueError, nd.gather_nd, table, np.zeros((1, 0), int))
    refuses(ValueError, nd.scatter_nd, table, np.zeros((1, 1, 1), int), np.zeros(1))


def test_a_million_duplicates_fifty_times(nd):
    indices = np.random.default_rng(3).integers(0, 8, (10**6, 1))
    target = np.zeros(8, np.float32)
    ones = np.ones(10**6, np.float32)
    for _ in range(50):
        nd.scatter_nd(target, indices, ones, "add", out=target)
    assert_same_bits(target, (50 * np.bincount(indices[:, 0])).astype(np.float32))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "g", ml_dtypes.bfloat16])
@pytest.mark.parametrize("reduction", ["min", "max"])
def test_nan_propagates(nd, dtype, reduction):
    if not nd.can_reduce(np.dtype(dtype), reduction):
        return  # test_device_ops.py: a TypeError
    table = np.array([np.nan, 1, 1, 1] * 20, dtype)
    updates = np.array([1, np.nan, 1, np.nan, 2] * 20, dtype)
    indices = np.array([4 * i + j for i in range(20) for j in (0, 1, 2, 3, 3)])[:, None]
    result = nd.scatter_nd(table, indices, updates, reduction)
    assert np.isnan(result).tolist() == [True, True, False, True] * 20


@pytest.mark.parametrize("dtype", ["f2", ml_dtypes.bfloat16], ids=["float16", "bfloat16"])
def test_4096_ones_in_half_precision(nd, dtype):
    ones = np.ones(4096, dtype)
    result = nd.scatter_nd(np.zeros(3, dtype), np.ones((4096, 1), int), ones, "add")
    assert result.astype(float).tolist() == [0, 4096, 0]
    result = nd.scatter_nd(np.zeros(3, dtype), np.ones((4096, 1), int), ones, "sub")
    assert result.astype(float).tolist() == [0, -4096, 0]


@pytest.mark.parametrize("dtype", ["i8", "u8", "i4"])
def test_wrap_takes_constant_time(nd, dtype):
    """10**9 steps of subtraction would take a second an element."""
    values = np.array([10**9, 2**31 - 1, 10**9 + 1] * 10000, dtype)[:, None]
    if dtype != "i4":
        values *= 4
    table = np.array([5, 6, 7])
    assert_same_bits(
        nd.gather_nd(table, values, mode="wrap"), table[(values % 3).astype(int)[:, 0]]
    )
    low = np.array([[10**10], [-(10**10)], [INT64_MIN], [INT64_MAX]])
    assert_same_bits(nd.gather_nd(table, low, mode="wrap"), table[(low % 3)[:, 0]])


@pytest.mark.parametrize("indices", [[[1.0]], [[np.nan]], [[True]], [["1"]], [[None]], [[1j]]])
def test_indices_that_are_not_integers(nd, indices):
    refuses(TypeError, nd.gather_nd, np.arange(3), indices)
    refuses(TypeError, nd.gather_nd, np.arange(3), np.array(indices))


def test_object_data_and_huge_float_updates(nd):
    refuses(TypeError, nd.gather_nd, np.array([1, None]), [[1]])
    refuses(TypeError, nd.scatter_nd, np.arange(3), [[1]], [1e30])
    refuses(TypeError, nd.scatter_nd, np.arange(3), [[1]], np.array([1e30]))
    refuses(TypeError, nd.scatter_nd, np.arange(3), [[1]], np.array([1], object))
