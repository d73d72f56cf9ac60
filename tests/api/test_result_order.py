"""The order of a new scatter_nd result in memory: input's, as np.copy keeps it, if it gains."""

from __future__ import annotations

import numpy as np
import pytest

import gathernd as gnd
from checks import assert_same_bits
from conftest import each_device

X = np.arange(2 * 3 * 4 * 5, dtype=np.float32).reshape(2, 3, 4, 5)
LAYOUTS = {
    "C": X,
    "F": np.asfortranarray(X),
    "transposed": X.transpose(2, 0, 3, 1),
    "reversed": X.transpose(1, 3, 0, 2)[::-1, :, ::-1],
    "gaps": np.asfortranarray(X)[:, ::2],
    "one element": np.asfortranarray(X)[:, :1],
    "0-d": np.array(1.5, np.float32),
    "one axis": X[0, 0, 0, ::-1],
}


def steps(array: np.ndarray) -> list[int]:
    """The strides that mean something."""
    return [step for step, n in zip(array.strides, array.shape, strict=True) if n > 1]


@pytest.mark.parametrize("x", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_a_few_updates_keep_the_order_of_input(nd, x):
    tuples, updates = np.zeros((2, x.ndim), int), np.float32([7, 8])
    result = nd.scatter_nd(x, tuples, updates)
    expected = np.array(x, order="C")
    expected[(0,) * x.ndim] = 8
    assert_same_bits(result, expected)
    by_plan = nd.IndexPlan(x.shape, tuples).scatter(x, updates)
    assert_same_bits(by_plan, expected)
    kept = expected if nd.options else x.copy(order="K")  # devices bring back C order
    assert steps(result) == steps(by_plan) == steps(kept)


@pytest.mark.parametrize("x", LAYOUTS.values(), ids=LAYOUTS.keys())
@pytest.mark.parametrize("reduction", ["none", "add", "max"])
def test_many_updates_of_any_order(nd, x, reduction):
    rng = np.random.default_rng(1)
    for depth in range(x.ndim + 1):
        shape, rest = x.shape[:depth], x.shape[depth:]
        tuples = np.stack([rng.integers(0, n, 40) for n in shape] or [np.zeros((40, 0), int)], -1)
        tuples = tuples.reshape(40, depth)
        updates = rng.standard_normal((40, *rest)).astype(np.float32)
        expected = gnd.scatter_nd(np.array(x, order="C"), tuples, updates, reduction)
        assert_same_bits(nd.scatter_nd(x, tuples, updates, reduction), expected)


def test_slices_that_would_lie_in_pieces_are_whole_where_most_are_written():
    x = np.asfortranarray(np.zeros((100, 8)))
    few, many = np.zeros((25, 1), int), np.zeros((26, 1), int)
    assert gnd.scatter_nd(x, few, np.ones((25, 8))).flags.f_contiguous
    assert gnd.scatter_nd(x, many, np.ones((26, 8))).flags.c_contiguous
    assert gnd.scatter_nd(x, np.zeros((999, 2), int), np.ones(999)).flags.f_contiguous
    runs = np.zeros((4, 5, 6)).transpose(1, 0, 2)  # slices of 6 are whole in this order too
    result = gnd.scatter_nd(runs, np.zeros((999, 2), int), np.ones((999, 6)))
    assert result.strides == runs.strides


def test_repeated_inputs_become_c_contiguous():
    for x in (np.broadcast_to(np.arange(5.0), (4, 5)), np.broadcast_to(1.0, (4, 5)).T):
        assert gnd.scatter_nd(x, [[0, 0]], [9.0]).flags.c_contiguous


@each_device
def test_results_of_devices_are_c_contiguous(name):
    x = np.asfortranarray(np.zeros((4, 5)))
    assert gnd.scatter_nd(x, [[0, 0]], [9.0], device=name).flags.c_contiguous
