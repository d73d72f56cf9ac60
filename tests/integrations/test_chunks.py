"""The core's grouping of tuples by chunk, against NumPy; what does not fit is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from checks import numbers
from gathernd import _core
from reference import place_of


@st.composite
def bounds_of(draw: st.DrawFn, size: int) -> list[int]:
    """Where chunks begin, even ones too; a chunk may be empty."""
    if size and draw(st.booleans()):
        return [*range(0, size, draw(st.integers(1, size))), size]
    return [0, *sorted(draw(st.lists(st.integers(0, size), max_size=4))), size]


def grouped(
    indices: np.ndarray, shape: tuple[int, ...], batch: int, bounds: Any, rule: dict[str, Any]
) -> list[list[tuple[int, tuple[int, ...]]]]:
    """For each chunk its positions and the tuples inside it, by a plain loop."""
    counts = [len(axis) - 1 for axis in bounds]
    groups: list[Any] = [[] for _ in range(int(np.prod(counts, dtype=int)))]
    for at, position in enumerate(np.ndindex(indices.shape[:-1])):
        place = place_of(indices, position, shape, batch, **rule)
        if place is None:
            continue
        number, inside = 0, list(place[:batch])
        for index, axis in zip(place[batch:], bounds, strict=True):
            found = int(np.searchsorted(axis, index, side="right")) - 1
            number = number * (len(axis) - 1) + found
            inside.append(index - axis[found])
        groups[number].append((at, tuple(inside)))
    return groups


@given(
    case=strategies.cases(bad=True),
    rule=strategies.rules("raise", "clip", "wrap", "fill"),
    data=st.data(),
)
def test_groups(case, rule, data):
    batch, shape = case.batch_dims, case.indices.shape[:-1]
    indexed = case.input.shape[batch : batch + case.indices.shape[-1]]
    bounds = [data.draw(bounds_of(size)) for size in indexed]
    corner = tuple(data.draw(st.integers(0, 5)) for _ in shape)
    whole = tuple(a + b + 1 for a, b in zip(corner, shape, strict=True))
    args = (case.indices, bounds, whole, corner, batch, rule["mode"], rule["wrap_negative_indices"])
    try:
        expected = grouped(case.indices, case.input.shape, batch, bounds, rule)
    except IndexError as error:
        with pytest.raises(IndexError) as caught:
            _core.group_tuples(False, *args)
        value, *position, axis, size = numbers(str(error))
        moved = [a + b for a, b in zip(position, (*corner, 0), strict=True)]
        assert numbers(str(caught.value).partition(": ")[2]) == [value, *moved, axis, size]
        return
    positions, tuples, begins = _core.group_tuples(False, *args)
    assert positions.dtype == tuples.dtype == np.int32
    assert tuples.shape == (len(positions), batch + len(bounds))
    for number, group in enumerate(expected):
        window = slice(begins[number], begins[number + 1])
        found = zip(positions[window].tolist(), map(tuple, tuples[window].tolist()), strict=True)
        assert list(found) == group
    assert len(begins) == len(expected) + 1


@pytest.mark.parametrize("dtype", ["i8", ">i8", "u8"])
def test_indices_in_chunks_that_need_64_bits(dtype):
    size = 2**40
    indices = np.array([[size - 1], [3], [2**39], [2**39 - 1]], dtype)
    _, tuples, begins = _core.group_tuples(
        False, indices, [[0, 2**39, size]], (4,), (0,), 0, "raise", True
    )
    assert tuples.dtype == np.int64
    assert tuples.ravel().tolist() == [3, 2**39 - 1, 2**39 - 1, 0]
    assert begins.tolist() == [0, 2, 4]


BLOCK = np.zeros((2, 3, 1), int)
FITS = {"bounds": [[0, 4]], "whole": (2, 3), "corner": (0, 0), "batch": 1}


@pytest.mark.parametrize(
    "wrong",
    [
        {"bounds": []},
        {"bounds": [[0, 4]] * 2},
        {"bounds": [[0]]},
        {"bounds": [[]]},
        {"bounds": [[1, 4]]},
        {"bounds": [[0, 4, 3]]},
        {"bounds": [[0, -4]]},
        {"whole": (2,)},
        {"whole": (1, 3)},
        {"whole": (2**40, 2**40)},
        {"whole": (2, 3, 1)},
        {"whole": (1,) * 200},
        {"corner": (1, 0)},
        {"corner": (-1, 0)},
        {"corner": (2**63 - 1, 0)},
        {"corner": ()},
        {"corner": (0,) * 200},
        {"batch": 3},
        {"batch": -1},
    ],
    ids=str,
)
def test_what_does_not_fit(wrong):
    def group(bounds: Any, whole: Any, corner: Any, batch: int) -> Any:
        return _core.group_tuples(False, BLOCK, bounds, whole, corner, batch, "raise", True)

    assert group(**FITS)[2].tolist() == [0, 6]
    with pytest.raises(ValueError, match=r"^gather_nd: "):
        group(**FITS | wrong)


def test_very_many_chunks():
    bounds = [list(range(50_001))] * 2
    with pytest.raises(ValueError, match="more than 2\\*\\*31 - 1 chunks"):
        _core.group_tuples(True, np.zeros((1, 2), int), bounds, (1,), (0,), 0, "raise", True)


@pytest.mark.parametrize("indices", [np.zeros((2, 1)), np.zeros((2, 1), bool), np.array([[None]])])
def test_indices_of_other_types(indices):
    with pytest.raises(TypeError, match="scatter_nd: indices must be int8 to int64"):
        _core.group_tuples(True, indices, [[0, 4]], (2,), (0,), 0, "raise", True)
