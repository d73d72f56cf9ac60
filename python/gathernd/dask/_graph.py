"""Tasks as graphs, and what those of both functions have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import dask.array as da
import numpy as np
from dask.highlevelgraph import HighLevelGraph
from dask.task_spec import Task, TaskRef
from numpy.typing import NDArray

from gathernd.dask._arguments import Chunks
from gathernd.dask._blocks import Block, Call, Place
from gathernd.dask._tasks import Parts

__all__ = ["Group", "group_blocks", "make_array"]


@dataclass(frozen=True)
class Group:
    """A block of tuples that is grouped by chunk: when the graph is built, or by a task."""

    block: Block
    batch: Place  # the number of its chunk in each batch dimension
    parts: Parts | Task
    numbers: list[int]  # of the chunks that its tuples address, or may address

    def whole(self) -> Parts | TaskRef:
        """Return what says where the slices of each chunk belong, in the order of `numbers`."""
        if isinstance(self.parts, Task):
            return TaskRef(self.parts.key)
        begins = self.parts.begins[[*self.numbers, -1]]
        return Parts(self.parts.positions, self.parts.tuples[:0], begins)

    def part(self, number: int, positions: bool = True) -> tuple[Parts | TaskRef, int]:
        """Return parts that have the tuples for a chunk, and the number of these among them."""
        if isinstance(self.parts, Task):
            return TaskRef(self.parts.key), number
        found, tuples = self.parts.of(number)
        return Parts(found if positions else found[:0], tuples, np.array([0, len(tuples)])), 0


def group_blocks(call: Call, name: str) -> Iterator[Group]:
    """Yield the blocks in C order; `name` is that of the tasks which group lazy ones."""
    for block in call.blocks():
        batch = block.number[: call.batch_dims]
        if isinstance(call.tuples, da.Array):
            source = TaskRef((call.tuples.name, *block.number, 0))
            task = Task((name, *block.number), call.rules.group, source, block.corner)
            yield Group(block, batch, task, list(range(call.count)))
        else:
            parts = call.known_parts(block)
            touched = np.flatnonzero(np.diff(parts.begins))
            yield Group(block, batch, parts, [int(number) for number in touched])


def make_array(
    name: str,
    nodes: Iterable[Task],
    chunks: Chunks,
    dtype: np.dtype[Any],
    *sources: da.Array | NDArray[Any],
) -> da.Array:
    """Return the array of the tasks; the sources are what they may refer to."""
    layer = {node.key: node for node in nodes}
    names = {key[0] for node in layer.values() for key in node.dependencies}
    lazy = [source for source in sources if isinstance(source, da.Array) and source.name in names]
    graph = HighLevelGraph.from_collections(name, layer, dependencies=lazy)
    return da.Array(graph, name, chunks, meta=np.ndarray((0,) * len(chunks), dtype))
