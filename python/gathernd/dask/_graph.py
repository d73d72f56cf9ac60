"""Tasks as graphs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import dask.array as da
import numpy as np
from dask.highlevelgraph import HighLevelGraph
from dask.task_spec import GraphNode, Task, TaskRef
from numpy.typing import NDArray

from gathernd.dask._arguments import Chunks
from gathernd.dask._blocks import Block, Call

__all__ = ["group_task", "make_array"]


def group_task(call: Call, block: Block, name: str) -> Task:
    """Return the task that groups a block of lazy tuples by chunk."""
    assert isinstance(call.tuples, da.Array)
    source = TaskRef((call.tuples.name, *block.number, 0))
    return Task((name, *block.number), call.rules.group, source, block.corner)


def make_array(
    name: str,
    nodes: Iterable[GraphNode],
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
