"""The two grids of a call: the chunks of the table, and the blocks of the tuples."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, product
from typing import Any

import dask.array as da
from dask.task_spec import TaskRef
from dask.tokenize import tokenize
from numpy.typing import NDArray

from gathernd.dask._arguments import Chunks, chunk_bytes, rechunk
from gathernd.dask._tasks import Parts, Rules

__all__ = ["Block", "Call", "make_call"]

Place = tuple[int, ...]

# Above so many pieces of one block for one chunk, lazy blocks are merged: a scheduler takes from
# 0.1 to 1 ms for each.
_MANY_PIECES = 100_000


@dataclass(frozen=True)
class Block:
    """A block of the tuples: its number in each dimension, its first position, its shape."""

    number: Place
    corner: Place
    shape: Place


@dataclass(frozen=True)
class Call:
    """A call whose shapes and types are checked, and how it is cut.

    `positions` are the chunks of the tuples (batch + outer), those of the batch as the table's.
    """

    table: da.Array
    tuples: da.Array | NDArray[Any]
    positions: Chunks
    rules: Rules

    @property
    def batch_dims(self) -> int:
        """How many leading dimensions go together."""
        return self.rules.batch_dims

    @property
    def indexed(self) -> int:
        """How many dimensions of the table a tuple and its batch address."""
        return self.batch_dims + len(self.rules.bounds)

    @property
    def slice_chunks(self) -> Chunks:
        """The chunks of the dimensions that are moved whole."""
        chunks: Chunks = self.table.chunks[self.indexed :]
        return chunks

    @property
    def grid(self) -> Place:
        """How many chunks the table has in each dimension that a component indexes."""
        return tuple(map(len, self.table.chunks[self.batch_dims : self.indexed]))

    @property
    def count(self) -> int:
        """How many chunks that is, for one chunk of the batch and of the slices."""
        return math.prod(self.grid)

    @property
    def chunks(self) -> Chunks:
        """The chunks of what is gathered, and of updates."""
        return self.positions + self.slice_chunks

    @property
    def token(self) -> str:
        """What two calls have in common only if they are the same but for their options."""
        tuples = self.tuples
        known = tuples.name if isinstance(tuples, da.Array) else tuples
        return str(
            tokenize(self.table.name, known, self.positions, dataclasses.astuple(self.rules))
        )

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks in C order."""
        starts = [list(accumulate(sizes, initial=0)) for sizes in self.positions]
        for number in product(*map(range, map(len, self.positions))):
            shape = tuple(sizes[i] for sizes, i in zip(self.positions, number, strict=True))
            corner = tuple(axis[i] for axis, i in zip(starts, number, strict=True))
            yield Block(number, corner, shape)

    def slices(self) -> Iterator[tuple[Place, Place]]:
        """Yield the number and the shape of each chunk of a slice."""
        for number in product(*map(range, map(len, self.slice_chunks))):
            yield number, tuple(c[i] for c, i in zip(self.slice_chunks, number, strict=True))

    @cached_property
    def places(self) -> list[Place]:
        """The number in each indexed dimension of the chunks in C order."""
        return list(product(*map(range, self.grid)))

    def chunk(self, batch: Place, number: int, part: Place) -> TaskRef:
        """Return the chunk of the table that is so many in C order of the indexed dimensions."""
        return TaskRef((self.table.name, *batch, *self.places[number], *part))

    def known_parts(self, block: Block) -> Parts:
        """Return the parts of a block of tuples in memory."""
        window = tuple(
            slice(start, start + size)
            for start, size in zip(block.corner, block.shape, strict=True)
        )
        return self.rules.group(self.tuples[window], block.corner)

    def is_ordered(self) -> bool:
        """Whether the blocks of a batch follow each other in C order of the tuples."""
        outer = self.positions[self.batch_dims :]
        several = [axis for axis, sizes in enumerate(outer) if len(sizes) > 1]
        last = several[-1] if several else 0
        return all(max(sizes) <= 1 for sizes in outer[:last])


def make_call(
    table: da.Array,
    tuples: da.Array | NDArray[Any],
    updates: da.Array | NDArray[Any] | None,
    batch_dims: int,
    mode: str,
    wrap_negative_indices: bool,
) -> Call:
    """Return the call with its blocks: those of lazy arguments, merged where there are many."""
    end = tuples.ndim - 1
    depth = tuples.shape[end]
    batch = table.chunks[:batch_dims]
    row = table.dtype.itemsize * math.prod(map(max, table.chunks[batch_dims + depth :]))
    most = chunk_bytes() // max(1, row, depth * tuples.dtype.itemsize, 1)
    most = max(1, most // max(1, math.prod(map(max, batch))))
    if isinstance(tuples, da.Array):
        outer = tuples.chunks[batch_dims:end]
        pieces = math.prod(map(len, outer)) * math.prod(map(len, table.chunks))
        positions = batch + merge(outer, most, pieces / _MANY_PIECES)
        tuples = rechunk(tuples, (*positions, (depth,)))
    elif isinstance(updates, da.Array):
        positions = batch + updates.chunks[batch_dims:end]
    else:
        positions = batch + cut(tuples.shape[batch_dims:end], most)
    bounds = [
        list(accumulate(sizes, initial=0))
        for sizes in table.chunks[batch_dims : batch_dims + depth]
    ]
    rules = Rules(
        updates is not None, bounds, tuples.shape[:end], batch_dims, mode, wrap_negative_indices
    )
    return Call(table, tuples, positions, rules)


def cut(shape: Place, most: int) -> Chunks:
    """Return chunks of at most so many elements that follow each other in C order."""
    chunks: list[tuple[int, ...]] = []
    for size in reversed(shape):
        step = max(1, min(size, most))
        whole, rest = divmod(size, step)
        chunks.append((step,) * whole + (rest,) * (rest > 0 or size == 0))
        most = most // step if whole + (rest > 0) <= 1 else 1
    return tuple(reversed(chunks))


def merge(chunks: Chunks, most: int, times: float) -> Chunks:
    """Return chunks of which about so many times fewer are left, of at most `most` elements."""
    merged = list(chunks)
    for axis, sizes in enumerate(chunks):
        if times <= 1:
            break
        others = math.prod(max(c) for i, c in enumerate(merged) if i != axis)
        step = min(max(sizes) * math.ceil(times), most // max(1, others))
        if step <= max(sizes):
            continue
        groups: list[int] = []
        for size in sizes:
            if groups and groups[-1] + size <= step:
                groups[-1] += size
            else:
                groups.append(size)
        times *= len(groups) / len(sizes)
        merged[axis] = tuple(groups)
    return tuple(merged)
