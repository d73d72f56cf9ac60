"""What the tests of other libraries look at, with values of our own.

Where the answers differ by contract the test says so, and docs/semantics.md gives the reason.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from checks import assert_same_bits, unchanged
from conftest import Backend

TABLE = np.arange(24, dtype="f4").reshape(2, 3, 4)


def flat(values: Any, dtype: Any = "f4") -> np.ndarray:
    return np.array(values, dtype)


class TestOnnxRuntime:
    """gather_nd_op_test.cc and scatter_nd_op_test.cc."""

    @pytest.mark.parametrize("dtype", ["U5", "S5", "?", "i1", "i2", "u4", "i8", "f2", "f4", "f8"])
    def test_gather_of_any_type(self, nd: Backend, dtype: str) -> None:
        table = np.array([[3, 1], [0, 2], [5, 4]]).astype(dtype)
        assert_same_bits(nd.gather_nd(table, [2, 1]), table[2:3, 1].reshape(()))
        assert_same_bits(nd.gather_nd(table, [[0], [-1]]), table[[0, 2]])
        assert_same_bits(nd.gather_nd(table, [[[1, -2]], [[2, 0]]]), table[[[1], [2]], [[0], [0]]])

    @pytest.mark.parametrize(
        ("batch_dims", "indices", "expected"),
        [
            (0, [[[1, -1], [0, 0]]], [[TABLE[1, 2], TABLE[0, 0]]]),
            (1, [[[2, 3]], [[-3, -1]]], [[11], [15]]),
            (1, [[1], [-1]], [TABLE[0, 1], TABLE[1, 2]]),
            (2, [[[0], [1], [2]], [[-1], [-2], [-3]]], [[0, 5, 10], [15, 18, 21]]),
        ],
    )
    def test_batches(self, nd: Backend, batch_dims: int, indices: Any, expected: Any) -> None:
        assert_same_bits(nd.gather_nd(TABLE, indices, batch_dims), flat(expected))

    def test_batches_must_be_equal(self, nd: Backend) -> None:
        with pytest.raises(ValueError, match="batch dimensions"):
            nd.gather_nd(np.zeros((3, 3)), [[1], [2]], 1)
        with pytest.raises(ValueError, match="batch dimensions"):
            nd.gather_nd(np.zeros((0, 3)), [[1], [2]], 1)
        # ONNX Runtime takes a batch that divides the indices' batch; here that is no broadcast.
        with pytest.raises(ValueError, match="batch dimensions"):
            nd.gather_nd(np.zeros((1, 3)), [[1], [2]], 1)

    def test_no_index_into_a_dimension_of_size_0(self, nd: Backend) -> None:
        with pytest.raises(IndexError, match="axis 1 of size 0"):
            nd.gather_nd(np.zeros((2, 0, 3)), [[0, 0]])

    def test_scatter_of_strings(self, nd: Backend) -> None:
        words = np.array([["ab", "c"], ["", "defg"]])
        result = nd.scatter_nd(words, [[-1, 0], [0, -1]], np.array(["hi", "you"], words.dtype))
        assert result.tolist() == [["ab", "you"], ["hi", "defg"]]
        result = nd.scatter_nd(words, [[0], [0]], [["x", "y"], ["z", "w"]])
        assert result.tolist() == [["z", "w"], ["", "defg"]]

    def test_strings_are_not_added(self, nd: Backend) -> None:
        # ONNX Runtime and TensorFlow concatenate; elements of fixed size cannot grow.
        with pytest.raises(TypeError, match="not defined for str"):
            nd.scatter_nd(np.array(["a"]), [[0]], np.array(["b"]), "add")

    @pytest.mark.parametrize(
        ("reduction", "expected"),
        [("add", [10.5, 4.5, 2]), ("mul", [24, 8, 2]), ("min", [0.5, 0.5, 2]), ("max", [8, 4, 2])],
    )
    def test_reductions_of_duplicates(self, nd: Backend, reduction: str, expected: Any) -> None:
        table = flat([0.5, 0.5, 2]) if reduction != "mul" else flat([1.5, 2, 2])
        result = nd.scatter_nd(table, [[0], [1], [0]], flat([2, 4, 8]), reduction)
        assert_same_bits(result, flat(expected))

    def test_no_tuples(self, nd: Backend) -> None:
        result = nd.scatter_nd(TABLE, np.zeros((0, 1), int), np.zeros((0, 3, 4), "f4"))
        assert_same_bits(result, TABLE)

    def test_tuples_of_length_0(self, nd: Backend) -> None:
        none = np.zeros((2, 0), int)
        updates = np.stack([TABLE + 1, TABLE + 2])
        assert_same_bits(nd.scatter_nd(TABLE, none, updates), TABLE + 2)
        assert_same_bits(nd.scatter_nd(TABLE, none, updates, "add"), 3 * TABLE + 3)
        empty = np.zeros((0, 3), "f4")
        assert_same_bits(nd.scatter_nd(empty, none, np.zeros((2, 0, 3), "f4")), empty)


class TestTensorFlow:
    """gather_nd_op_test.py and scatter_nd_ops_test.py."""

    @pytest.mark.parametrize("index", ["i2", "i4", "i8"])
    @pytest.mark.parametrize("dtype", ["f2", "f4", "i2", "i8", "c8", "c16", "S3", "bfloat16"])
    def test_gather_of_any_type(self, nd: Backend, dtype: str, index: str) -> None:
        element = ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype
        table = np.array([6, 9, 2, 4]).astype(element)
        result = nd.gather_nd(table, np.array([[3], [3], [1]], index))
        assert_same_bits(result, table[[3, 3, 1]])

    def test_slices_and_scalars(self, nd: Backend) -> None:
        table = np.arange(12, dtype="f4").reshape(2, 2, 3).T
        assert_same_bits(nd.gather_nd(table, [2, 1]), np.ascontiguousarray(table[2, 1]))
        assert_same_bits(nd.gather_nd(table, [[1], [1], [0]]), table[[1, 1, 0]])
        assert_same_bits(nd.gather_nd(table, [[[2], [0]], [[1], [2]]]), table[[[2, 0], [1, 2]]])
        assert_same_bits(nd.gather_nd(table, [[], []]), np.stack([table, table]))

    def test_many_full_tuples(self, nd: Backend) -> None:
        rng = np.random.default_rng(5)
        table = rng.random((6, 11, 5, 1, 7))
        tuples = rng.integers(0, table.shape, (300, 5))
        expected = table[tuple(tuples.T)]
        assert_same_bits(nd.gather_nd(table, tuples), expected)
        shaped = nd.gather_nd(table, tuples.reshape(3, 10, 10, 5))
        assert_same_bits(shaped, expected.reshape(3, 10, 10))

    def test_empty_table(self, nd: Backend) -> None:
        table = np.zeros((0, 3), "f4")
        assert nd.gather_nd(table, np.zeros((0, 2), "i4")).shape == (0,)
        assert nd.gather_nd(table, np.zeros((0, 1), "i4")).shape == (0, 3)
        with pytest.raises(IndexError, match="axis 0 of size 0"):
            nd.gather_nd(table, [[0, 0]])
        with pytest.raises(IndexError, match="axis 0 of size 0"):
            nd.scatter_nd(np.zeros((0, 3, 2)), np.zeros((2, 2, 2), int), np.zeros((2, 2, 2)))
        whole = nd.scatter_nd(np.zeros(0), np.zeros(0, int), np.zeros(0))
        assert whole.shape == (0,)

    @pytest.mark.parametrize(
        ("table", "indices", "where"),
        [([0, 1, 2], [[[0], [7]]], r"0, 1, 0"), ([[0, 1, 2]], [[[0], [0], [1]]], r"0, 2, 0")],
    )
    def test_the_bad_tuple_is_named(
        self, nd: Backend, table: Any, indices: Any, where: str
    ) -> None:
        with pytest.raises(IndexError, match=rf"indices\[{where}\]"):
            nd.gather_nd(table, indices)

    def test_negative_indices_count_from_the_end(self, nd: Backend) -> None:
        # TensorFlow's CPU kernels raise for -1.
        result = nd.scatter_nd(flat([1, 2, 3]), [[-1], [0]], flat([8, 9]), "add")
        assert_same_bits(result, flat([10, 2, 11]))

    @pytest.mark.parametrize("dtype", ["i4", "i8", "f4", "f8", "c8"])
    @pytest.mark.parametrize(
        ("reduction", "expected"),
        [("none", [1, 7, 1, 5, 1]), ("add", [1, 8, 1, 6, 1]), ("sub", [1, -6, 1, -4, 1])],
    )
    def test_update_add_sub(self, nd: Backend, reduction: Any, expected: Any, dtype: str) -> None:
        ones = np.ones(5, dtype)
        result = nd.scatter_nd(ones, [[3], [1]], flat([5, 7], dtype), reduction)
        assert_same_bits(result, flat(expected, dtype))

    def test_min_max(self, nd: Backend) -> None:
        ones, tuples, updates = np.ones(5, "i4"), [[4], [3], [1]], flat([0, 2, -1], "i4")
        assert nd.scatter_nd(ones, tuples, updates, "min").tolist() == [1, -1, 1, 1, 0]
        assert nd.scatter_nd(ones, tuples, updates, "max").tolist() == [1, 1, 1, 2, 1]

    def test_bools_are_not_added(self, nd: Backend) -> None:
        # TensorFlow's scatter_nd of bools is "or".
        table, tuples, updates = np.zeros(4, bool), [[3], [0], [3]], np.array([True, False, True])
        with pytest.raises(TypeError, match='use "or"'):
            nd.scatter_nd(table, tuples, updates, "add")
        assert nd.scatter_nd(table, tuples, updates, "or").tolist() == [False] * 3 + [True]

    @pytest.mark.parametrize(
        ("table", "indices", "updates"),
        [
            ((2, 2, 2), (3, 2, 2), (2, 2, 2)),
            ((2, 2, 2), (2, 2, 1), (2, 2)),
            ((8,), (4, 1, 1), (4,)),
            ((1,), (1,), (1,)),
        ],
    )
    def test_wrong_shapes(self, nd: Backend, table: Any, indices: Any, updates: Any) -> None:
        with pytest.raises(ValueError, match="updates must have shape"):
            nd.scatter_nd(np.zeros(table), np.zeros(indices, int), np.zeros(updates))

    def test_scalar_table(self, nd: Backend) -> None:
        # TensorFlow wants at least one dimension.
        result = nd.scatter_nd(flat(3), np.zeros((2, 0), int), flat([4, 5]), "add")
        assert_same_bits(result, flat(12))

    def test_repeated_updates_are_deterministic(self, nd: Backend) -> None:
        values = np.random.default_rng(7).standard_normal(20_000).astype("f4")
        tuples = np.zeros((values.size, 1), int)
        assert nd.scatter_nd(np.zeros(1, "f4"), tuples, values)[0] == values[-1]
        total = np.zeros(1, "f4")
        np.add.at(total, tuples[:, 0], values)
        assert_same_bits(nd.scatter_nd(np.zeros(1, "f4"), tuples, values, "add"), total)

    def test_gradient_of_gather(self, nd: Backend) -> None:
        zeros = np.zeros((2, 1, 2, 3))
        tuples = np.array([[[0, 0, 1], [1, 0, 0]], [[0, 0, 1], [1, 0, 1]]])
        rows = np.arange(12.0).reshape(2, 2, 3)
        expected = zeros.copy()
        expected[0, 0, 1] = rows[0, 0] + rows[1, 0]
        expected[1, 0, 0], expected[1, 0, 1] = rows[0, 1], rows[1, 1]
        assert_same_bits(nd.scatter_nd(zeros, tuples, rows, "add"), expected)


class TestWebNN:
    """The conformance tests of gatherND and scatterND."""

    @pytest.mark.parametrize("index", ["i4", "u4", "i8"])
    @pytest.mark.parametrize("dtype", ["f2", "f4", "i1", "u1", "i4", "u4", "i8", "u8"])
    def test_one_tuple(self, nd: Backend, dtype: str, index: str) -> None:
        table = np.arange(36).reshape(3, 2, 2, 3).astype(dtype)
        assert_same_bits(nd.gather_nd(table, flat([2, 0, 1], index)), table[2, 0, 1])

    def test_least_and_greatest_indices(self, nd: Backend) -> None:
        assert_same_bits(nd.gather_nd(TABLE, [-2, -3]), TABLE[0, 0])
        assert_same_bits(nd.gather_nd(TABLE, [1, 2]), TABLE[1, 2])

    @pytest.mark.parametrize("shape", [(7,), (7, 1)])
    def test_out_of_bounds(self, nd: Backend, shape: tuple[int, ...]) -> None:
        # WebNN's tests expect the clamped index; that is mode="clip".
        table = np.arange(7, dtype="f4").reshape(shape)
        with pytest.raises(IndexError):
            nd.gather_nd(table, [[7], [20]])
        assert_same_bits(nd.gather_nd(table, [[7], [20]], mode="clip"), table[[6, 6]])

    def test_scatter_elements_and_slices(self, nd: Backend) -> None:
        result = nd.scatter_nd(np.zeros(6, "f4"), [[4], [0], [5]], flat([1, 2, 3]))
        assert_same_bits(result, flat([2, 0, 0, 0, 1, 3]))
        result = nd.scatter_nd(TABLE, flat([[1]], "i4"), -TABLE[:1])
        assert_same_bits(result, np.stack([TABLE[0], -TABLE[0]]))
        result = nd.scatter_nd(TABLE, flat([[1, 2], [0, 1]], "u4"), -TABLE[0, :2])
        expected = TABLE.copy()
        expected[1, 2], expected[0, 1] = -TABLE[0, 0], -TABLE[0, 1]
        assert_same_bits(result, expected)


class TestJax:
    """lax_numpy_indexing_test.py."""

    @pytest.mark.parametrize(
        ("reduction", "operation"),
        [
            ("none", lambda x, y: y),
            ("add", np.add),
            ("sub", np.subtract),
            ("mul", np.multiply),
            ("min", np.minimum),
            ("max", np.maximum),
        ],
    )
    def test_indexed_updates(self, nd: Backend, reduction: Any, operation: Any) -> None:
        updates = flat(range(8)).reshape(2, 4) - 3
        expected = TABLE.copy()
        expected[[1, 0], [0, 2]] = operation(TABLE[[1, 0], [0, 2]], updates)
        assert_same_bits(nd.scatter_nd(TABLE, [[1, 0], [0, 2]], updates, reduction), expected)

    def test_segment_sum(self, nd: Backend) -> None:
        ids, data = [[0], [0], [1], [3], [3], [3]], flat([4, 1, 6, 2, 3, 5])
        assert_same_bits(nd.scatter_nd(np.zeros(5, "f4"), ids, data, "add"), flat([5, 6, 0, 10, 0]))

    def test_segments_of_bools(self, nd: Backend) -> None:
        ids, data = [[0], [0], [1], [1]], np.array([True, False, True, True])
        assert nd.scatter_nd(np.ones(2, bool), ids, data, "min").tolist() == [False, True]
        assert nd.scatter_nd(np.zeros(2, bool), ids, data, "max").tolist() == [True, True]

    def test_out_of_bounds(self, nd: Backend) -> None:
        # JAX clamps reads and drops updates unless told otherwise; here a mode asks for that.
        table = flat([1, 2, 3])
        tuples = [[5], [-4], [1]]
        with unchanged(table), pytest.raises(IndexError, match="index 5"):
            nd.gather_nd(table, tuples)
        assert nd.gather_nd(table, tuples, mode="clip").tolist() == [3, 1, 2]
        assert nd.gather_nd(table, tuples, mode="fill", fill_value=9).tolist() == [9, 9, 2]
        dropped = nd.scatter_nd(table, tuples, flat([7, 8, 9]), "add", mode="drop")
        assert_same_bits(dropped, flat([1, 11, 3]))

    def test_updates_neither_broadcast_nor_cast(self, nd: Backend) -> None:
        # JAX does both.
        with pytest.raises(ValueError, match="updates must have shape"):
            nd.scatter_nd(TABLE, [[0], [1]], TABLE[0])
        with pytest.raises(TypeError, match="must have input's dtype"):
            nd.scatter_nd(TABLE, [[0]], TABLE[:1].astype("f8"))

    def test_an_update_may_come_from_the_table(self, nd: Backend) -> None:
        table = np.zeros(8)
        result = nd.scatter_nd(table, np.arange(1, 8)[:, None], table[:-1], out=table)
        assert result is table
        result = nd.scatter_nd(table, np.arange(1, 8)[:, None], 1 + table[:-1])
        assert result.tolist() == [0] + [1] * 7

    def test_the_greatest_uint32_is_kept(self, nd: Backend) -> None:
        top = 2**32 - 1
        assert nd.scatter_nd(np.zeros(1, "u4"), [[0]], [top]).tolist() == [top]
