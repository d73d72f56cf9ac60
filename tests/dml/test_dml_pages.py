"""The examples of DirectML's pages for the two operators, in every data and index type."""

from __future__ import annotations

import itertools

import numpy as np

from checks import assert_same_bits
from strategies import INDEX_DTYPES

DATA_TYPES = ["f4", "f2", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
TYPES = list(itertools.product(DATA_TYPES, INDEX_DTYPES))


def test_rows_of_a_matrix(nd):
    for dtype, index_dtype in TYPES:
        table = np.array([[0, 1], [2, 3]], dtype)
        indices = np.array([[1], [0]], index_dtype)
        assert_same_bits(nd.gather_nd(table, indices), np.array([[2, 3], [0, 1]], dtype))


def test_slices_of_a_cube(nd):
    for dtype, index_dtype in TYPES:
        table = np.arange(8).astype(dtype).reshape(2, 2, 2)
        indices = np.array([[0, 1], [1, 0]], index_dtype)
        assert_same_bits(nd.gather_nd(table, indices), np.array([[2, 3], [4, 5]], dtype))


def test_scatter_into_a_vector(nd):
    for dtype, index_dtype in TYPES:
        table = np.arange(1, 9).astype(dtype)
        indices = np.array([[4], [3], [1], [7]], index_dtype)
        updates = np.array([9, 10, 11, 12], dtype)
        expected = np.array([1, 11, 3, 10, 9, 6, 7, 12], dtype)
        assert_same_bits(nd.scatter_nd(table, indices, updates), expected)
