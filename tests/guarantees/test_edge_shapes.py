"""Shapes that broke other libraries: the right result where legal, else the error; no damage.

From published advisories. Shape arithmetic before validation, and degenerate shapes.
"""

from __future__ import annotations

import numpy as np
import pytest

from checks import assert_same_bits, refuses


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


@pytest.mark.parametrize("mode", ["raise", "clip", "wrap"])
def test_many_tuples_into_a_dimension_of_zero(nd, mode):
    """Elements, which are gathered as their tuples are resolved: nothing to clip to."""
    table, indices = np.zeros((2, 0), np.uint8), np.zeros((96, 2), int)
    refuses(IndexError, nd.gather_nd, table, indices, mode=mode, match=r"indices\[0, 1\]")


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


def test_indices_of_shape_zero(nd):
    """A tuple of length 0 addresses the whole input."""
    indices = np.zeros(0, int)
    table = np.arange(3)
    assert_same_bits(nd.gather_nd(table, indices), table)
    assert_same_bits(nd.gather_nd(table, []), table)
    refuses(ValueError, nd.scatter_nd, table, indices, np.zeros(0, int))
    empty = np.zeros(0, int)
    assert_same_bits(nd.scatter_nd(empty, indices, empty), empty)


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


@pytest.mark.parametrize("tuples", [5, 2**32, 2**58])
def test_tuples_of_no_number_to_slices_of_no_byte(nd, tuples):
    """There may be more of them than anybody can go through."""
    table = np.zeros((0, 3), np.uint8)
    indices, rows = np.zeros((tuples, 0), np.int8), np.zeros((tuples, 0, 3), np.uint8)
    assert nd.gather_nd(table, indices).shape == rows.shape
    assert nd.gather_nd(table, indices, mode="fill").shape == rows.shape
    for options in ({}, {"duplicates": "first"}, {"reduction": "add"}):
        assert nd.scatter_nd(table, indices, rows, **options).shape == table.shape
    refuses(
        ValueError,
        nd.scatter_nd,
        table,
        indices,
        rows,
        duplicates="error",
        match=r"\[0\] and .*\[1\]",
    )
    plan = nd.IndexPlan(table.shape, indices)
    assert plan.gather(table).shape == rows.shape
    assert plan.scatter(table, rows, "add").shape == table.shape
    assert plan.is_sorted
    assert not plan.is_unique


def test_duplicates_among_batches_of_slices_without_bytes(nd):
    """Only whether a batch has two tuples matters, however many batches and tuples there are."""
    for batches, tuples in [(1, 2**58), (2**58, 2), (2**29, 2**29)]:
        table = np.zeros((batches, 0))
        indices, updates = np.zeros((batches, tuples, 0), int), np.zeros((batches, tuples, 0))
        options = {"batch_dims": 1, "duplicates": "error"}
        refuses(ValueError, nd.scatter_nd, table, indices, updates, **options)
        once = nd.scatter_nd(table, indices[:, :1], updates[:, :1], **options)
        assert_same_bits(once, table)
        assert not nd.IndexPlan(table.shape, indices, batch_dims=1).is_unique
        assert nd.IndexPlan(table.shape, indices[:, :1], batch_dims=1).is_unique


def test_places_that_are_the_same_in_32_bits(nd):
    """Slices without bytes can be that many."""
    table, rows = np.zeros((2**32 + 8, 0)), np.zeros((3, 0))
    options = {"duplicates": "error"}
    assert_same_bits(nd.scatter_nd(table, [[5], [2**32 + 5], [2]], rows, **options), table)
    for at in (5, 2**32 + 5):
        refuses(ValueError, nd.scatter_nd, table, [[at], [2], [at]], rows, **options)
