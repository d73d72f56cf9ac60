"""What the tasks do: each on one thread, because Dask has a thread for each task."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gathernd import _core
from gathernd._arguments.options import Duplicates, Reduction
from gathernd._config import threads
from gathernd._gather import gather_nd
from gathernd._scatter import scatter_nd

__all__ = [
    "Numbering",
    "Parts",
    "Rules",
    "assemble",
    "gather_all",
    "gather_part",
    "scatter_chunk",
    "select",
    "take",
]

Array = NDArray[Any]


class Parts(NamedTuple):
    """The tuples of a block, grouped by chunk; in each they stay in C order."""

    positions: Array  # of each in the block
    tuples: Array  # inside the chunk: the position in the batch's chunk, then the index
    begins: Array  # where each chunk's begin, and the end

    def of(self, chunk: int) -> tuple[Array, Array]:
        """Return the positions and the tuples of one chunk."""
        begin, end = self.begins[chunk : chunk + 2]
        return self.positions[begin:end], self.tuples[begin:end]


@dataclass(frozen=True)
class Rules:
    """What becomes of an index, and the chunks that it is to be found in."""

    scatters: bool
    bounds: list[list[int]]  # of each indexed dimension: where its chunks begin; its size
    whole: tuple[int, ...]  # the shape of all positions
    batch_dims: int
    mode: str
    wrap_negative_indices: bool

    def group(self, block: Array, corner: tuple[int, ...]) -> Parts:
        """Check a block of indices and group it; `corner` is its first position."""
        positions, tuples, begins = _core.group_tuples(
            self.scatters,
            np.asarray(block),
            self.bounds,
            self.whole,
            corner,
            self.batch_dims,
            self.mode,
            self.wrap_negative_indices,
        )
        count = begins[-1]
        return Parts(positions[:count], tuples[:count], begins)


def gather_rows(chunk: Array, tuples: Array) -> Array:
    """Return the slices that the tuples address in one chunk."""
    with threads(1):
        return gather_nd(chunk, tuples)


def gather_part(chunk: Array, parts: Parts, number: int) -> Array:
    """Return the slices that a block's tuples address in the chunk of that number."""
    return gather_rows(chunk, parts.of(number)[1])


def take(parts: Parts, number: int) -> Array:
    """Return a copy of the tuples for the chunk of that number: a view would hold all of them."""
    return parts.of(number)[1].copy()


def gather_all(chunk: Array, *tuples: Array) -> list[Array]:
    """Return the slices that the tuples of several blocks address in one chunk."""
    return [gather_rows(chunk, of_block) for of_block in tuples]


def assemble(
    outer: tuple[int, ...], row: tuple[int, ...], fill: Array, parts: Parts, *pieces: Array
) -> Array:
    """Return a block of the result, of shape outer + row, from the slices of each group.

    What no tuple addresses has the element `fill`.
    """
    count = math.prod(outer)
    if len(pieces) == 1 and len(parts.positions) == count:
        return pieces[0].reshape(outer + row)
    result: Array = np.ndarray((count, *row), fill.dtype)  # np.empty makes S1 of S0
    if len(parts.positions) < count:
        as_bytes(result)[...] = as_bytes(fill)
    with threads(1):
        for number, piece in enumerate(pieces):
            positions = parts.of(number)[0][:, np.newaxis]
            scatter_nd(result, positions, piece, duplicates="any", out=result)
    return result.reshape(outer + row)


@dataclass(frozen=True)
class Numbering:
    """What makes a position in a block one in the whole indices."""

    corner: tuple[int, ...]
    shape: tuple[int, ...]
    whole: tuple[int, ...]

    def __call__(self, positions: Array) -> Array:
        """Return the positions in C order of the whole, as int64."""
        if not self.shape:
            return np.zeros(len(positions), np.int64)
        places = np.unravel_index(positions, self.shape)
        moved = [at + first for at, first in zip(places, self.corner, strict=True)]
        return np.asarray(np.ravel_multi_index(moved, self.whole), np.int64)


class Piece(NamedTuple):
    """What one block has for one chunk."""

    tuples: Array
    rows: Array
    places: Array | None  # in the whole indices, where these are needed


def select(
    updates: Array, outer: int, parts: Parts, number: int, numbering: Numbering | None
) -> Piece:
    """Return what a block has for the chunk of that number; it has `outer` dimensions of tuples."""
    positions, tuples = parts.of(number)
    updates = np.asarray(updates)  # of no dimension, Dask has NumPy's scalars
    shape = (math.prod(updates.shape[:outer]), *updates.shape[outer:])
    rows = as_bytes(updates).reshape(shape).view(updates.dtype)
    places = None if numbering is None else numbering(positions)
    return Piece(tuples.copy(), gather_rows(rows, positions[:, np.newaxis]), places)


def scatter_chunk(
    chunk: Array, reduction: Reduction, duplicates: Duplicates, whole: tuple[int, ...], *args: Piece
) -> Array:
    """Return the chunk with the updates of all blocks, in C order of the tuples."""
    pieces = [piece for piece in args if len(piece.tuples) > 0]
    if not pieces:
        return np.asarray(chunk)
    tuples = np.concatenate([piece.tuples for piece in pieces])
    rows = join([piece.rows for piece in pieces])
    places = None
    if all(piece.places is not None for piece in pieces):
        places = np.concatenate([piece.places for piece in pieces])
        if (places[1:] < places[:-1]).any():
            order = np.argsort(places)
            tuples, places = tuples[order], places[order]
            rows = gather_rows(rows, order[:, np.newaxis])
    with threads(1):
        try:
            return scatter_nd(chunk, tuples, rows, reduction, duplicates=duplicates)
        except ValueError:
            if places is None or duplicates != "error":
                raise
            raise ValueError(name_duplicates(tuples, places, whole)) from None


def as_bytes(array: Array) -> Array:
    """Return a view whose elements NumPy copies as they are: of others it may change bytes."""
    return array.view((np.void, array.itemsize)) if array.itemsize else array


def join(arrays: list[Array]) -> Array:
    """Return the arrays one after the other; np.concatenate would change some dtypes."""
    if len(arrays) == 1:
        return arrays[0]
    first = arrays[0]
    result: Array = np.ndarray((sum(map(len, arrays)), *first.shape[1:]), first.dtype)
    if first.itemsize:
        np.concatenate([as_bytes(array) for array in arrays], out=as_bytes(result))
    return result


def name_duplicates(tuples: Array, places: Array, whole: tuple[int, ...]) -> str:
    """Return the message that names the first position that repeats any, and which."""
    _, first, inverse = np.unique(tuples, axis=0, return_index=True, return_inverse=True)
    earlier = first[inverse.ravel()]
    second = int(np.flatnonzero(earlier != np.arange(len(tuples)))[0])
    shown = [
        ", ".join(str(i) for i in np.unravel_index(places[at], whole))
        for at in (int(earlier[second]), second)
    ]
    return (
        f"scatter_nd: indices[{shown[0]}] and indices[{shown[1]}] address the same slice "
        '(duplicates="error")'
    )
