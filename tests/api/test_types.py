"""The types of results: they hold where this runs, and to `mypy --strict` of this file."""

from __future__ import annotations

from typing import Any, assert_type

import numpy as np
import pytest
from numpy.typing import NDArray

import gathernd as gnd

Floats = NDArray[np.float32]
TABLE: Floats = np.array([5, 6, 7], np.float32)
NAMES = [device.name for device in gnd.devices()]


class Exporter:
    """An array by DLPack alone, such as other packages have."""

    def __init__(self, held: NDArray[Any]) -> None:
        self.held = held

    def __dlpack__(self, *, stream: int | None = None) -> Any:
        return self.held.__dlpack__(stream=stream)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.held.__dlpack_device__()


def test_arrays_of_the_host() -> None:
    plan = gnd.IndexPlan((3,), [[0]])
    assert_type(gnd.gather_nd(TABLE, [[0]]), Floats)
    assert_type(gnd.scatter_nd(TABLE, [[0]], [1]), Floats)
    assert_type(plan.gather(TABLE), Floats)
    assert_type(plan.scatter(TABLE, [1]), Floats)
    assert_type(gnd.gather_nd([5, 6], [[0]]), NDArray[Any])
    assert_type(gnd.scatter_nd([5, 6], [[0]], [1]), NDArray[Any])
    assert_type(plan.gather([5, 6, 7]), NDArray[Any])
    assert_type(plan.scatter([5, 6, 7], [1]), NDArray[Any])
    assert_type(gnd.winners(TABLE, [[0]], [1]), NDArray[np.int64])


def test_at() -> None:
    out: Floats = np.empty(1, np.float32)
    assert_type(gnd.at(TABLE)[[0]].get(), Floats)
    assert_type(gnd.at(TABLE)[[0]].get(out=out), Floats)
    assert_type(gnd.at(TABLE)[[0]].add(1), Floats)
    assert_type(gnd.at([5, 6])[[0]].set(1), NDArray[Any])
    gnd.at(TABLE)[[0]] += 0
    gnd.at(TABLE)[TABLE > 9] = 1


def test_arrays_of_unknown_elements() -> None:
    table: NDArray[Any] = TABLE
    assert_type(gnd.gather_nd(table, [[0]]), NDArray[Any])
    assert_type(gnd.scatter_nd(table, [[0]], [1]), NDArray[Any])


@pytest.mark.parametrize("name", NAMES)
def test_arrays_that_are_told_apart(name: str) -> None:
    x: Floats | gnd.DeviceArray = gnd.Device(name).asarray(TABLE)
    if isinstance(x, gnd.DeviceArray):
        assert_type(gnd.gather_nd(x, [[0]]), gnd.DeviceArray)
    else:
        assert_type(gnd.gather_nd(x, [[0]]), Floats)


@pytest.mark.parametrize("name", NAMES[1:])
def test_arrays_on_a_device(name: str) -> None:
    x: gnd.DeviceArray = gnd.Device(name).asarray(TABLE)
    plan = gnd.IndexPlan((3,), [[0]], device=name)
    assert_type(gnd.gather_nd(x, [[0]]), gnd.DeviceArray)
    assert_type(gnd.scatter_nd(x, [[0]], [1]), gnd.DeviceArray)
    assert_type(gnd.winners(x, [[0]], [1]), gnd.DeviceArray)
    assert_type(gnd.at(x)[0].get(), gnd.DeviceArray)
    assert_type(gnd.at(x)[0].set(1), gnd.DeviceArray)
    assert_type(plan.gather(x), gnd.DeviceArray)
    assert_type(plan.scatter(x, [1]), gnd.DeviceArray)


def test_arrays_by_dlpack_alone() -> None:
    table, indices, updates = Exporter(TABLE), Exporter(np.array([[2]])), Exporter(TABLE[:1])
    plan = gnd.IndexPlan((3,), indices)
    assert_type(gnd.gather_nd(table, indices), NDArray[Any])
    assert_type(gnd.gather_nd(TABLE, indices), Floats)
    assert_type(gnd.scatter_nd(table, indices, updates), NDArray[Any])
    assert_type(plan.gather(table), NDArray[Any])
    assert_type(plan.scatter(TABLE, updates), Floats)
    gnd.Device("cpu").asarray(table)


def test_shapes() -> None:
    assert gnd.IndexPlan((np.int64(3),), [[0]]).shape == (3,)
    assert gnd.IndexPlan([np.int8(3), 2], [[0]]).shape == (3, 2)
    assert gnd.IndexPlan(np.array([3, 2]), [[0]]).shape == (3, 2)
