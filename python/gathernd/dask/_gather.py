"""gather_nd of Dask arrays: documentation, and the graph."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any, Literal, SupportsIndex

import dask.array as da
import numpy as np
from dask.task_spec import GraphNode, Task, TaskRef
from dask.tokenize import tokenize
from numpy.typing import NDArray

from gathernd import _core
from gathernd._array_like import ArrayLike
from gathernd._convert import as_fill
from gathernd.dask._arguments import as_table, as_tuples
from gathernd.dask._blocks import Block, Call, make_call
from gathernd.dask._graph import group_task, make_array
from gathernd.dask._tasks import Parts, assemble, gather_part, gather_rows

__all__ = ["gather_nd"]


def gather_nd(
    input: da.Array | ArrayLike,
    indices: da.Array | ArrayLike,
    batch_dims: SupportsIndex = 0,
    *,
    mode: Literal["raise", "clip", "wrap", "fill"] = "raise",
    fill_value: Any = 0,
    wrap_negative_indices: bool = True,
) -> da.Array:
    """Gather slices of a Dask array by index tuples, as `gathernd.gather_nd` does in memory.

    Parameters
    ----------
    input : dask.array.Array or array_like
        The table to read from, in chunks of any shape.
    indices : dask.array.Array or array_like
        The tuples, lazy or known. Of known ones it is found here which chunks they address: no
        other chunk is ever computed or read.
    batch_dims : int, default 0
        How many leading dimensions of `input` and `indices` go together, one to one.
    mode : {"raise", "clip", "wrap", "fill"}, default "raise"
        What becomes of an index out of range.
    fill_value : scalar, default 0
        For ``mode="fill"``.
    wrap_negative_indices : bool, default True
        False: a negative index is out of range.

    Returns
    -------
    dask.array.Array
        Its chunks are those of `indices`, then those of the slices of `input`. Known indices are
        cut into blocks of about the size that Dask's setting ``array.chunk-size`` says.

    Raises
    ------
    IndexError
        An index is out of range, named by its position in the whole array: on compute if `indices`
        are lazy, else at once.
    ValueError, TypeError, OverflowError
        As `gathernd.gather_nd`; chunks of unknown size, or not of NumPy arrays.
    NotImplementedError
        Dask's query planning for arrays is on.

    See Also
    --------
    scatter_nd : the counterpart: write or accumulate slices.

    Notes
    -----
    Each block of lazy tuples is checked and grouped by chunk in one task; then there is one task
    for each block and chunk, and one for each block of the result.

    Examples
    --------
    >>> import dask.array as da
    >>> import gathernd.dask
    >>> table = da.arange(12, chunks=4).reshape(3, 4)
    >>> indices = da.from_array([[0, 1], [2, -1]], chunks=1)
    >>> gathernd.dask.gather_nd(table, indices)
    dask.array<gather_nd, shape=(2,), dtype=int64, chunksize=(1,), chunktype=numpy.ndarray>
    >>> gathernd.dask.gather_nd(table, indices).compute()
    array([ 1, 11])
    """
    table = as_table(input, "gather_nd: input")
    tuples = as_tuples(indices, "gather_nd: indices", mode, table.shape, batch_dims)
    _core.check_call(
        False,
        table.shape,
        table.dtype,
        tuples.shape,
        tuples.dtype,
        None,
        None,
        "none",
        batch_dims,
        mode,
        "last",
        wrap_negative_indices,
    )
    fill = as_fill(True, fill_value if mode == "fill" else 0, table.dtype)
    assert fill is not None
    call = make_call(
        table, tuples, None, operator.index(batch_dims), mode, bool(wrap_negative_indices)
    )
    token = str(tokenize(call.token, fill.tobytes()))
    nodes = [node for block in call.blocks() for node in block_nodes(call, block, fill, token)]
    return make_array(f"gather_nd-{token}", nodes, call.chunks, table.dtype, table, call.tuples)


def block_nodes(call: Call, block: Block, fill: NDArray[Any], token: str) -> Iterator[GraphNode]:
    """Yield the tasks for one block of tuples."""
    lazy = isinstance(call.tuples, da.Array)
    numbers: list[int]
    if lazy:
        task = group_task(call, block, f"gather_nd-parts-{token}")
        yield task
        parts: Any = TaskRef(task.key)
        numbers = list(range(call.count))
    else:
        known = call.known_parts(block)
        numbers = [int(i) for i in np.flatnonzero(np.diff(known.begins))]
        begins = known.begins[[*numbers, -1]]
        parts = Parts(known.positions, known.tuples[:0], begins)
    batch = block.number[: call.batch_dims]
    for part, row in call.slices():
        pieces = []
        for number in numbers:
            chunk = TaskRef((call.table.name, *batch, *call.chunk_number(number), *part))
            key = (f"gather_nd-rows-{token}", *block.number, number, *part)
            if lazy:
                yield Task(key, gather_part, chunk, parts, number)
            else:
                yield Task(key, gather_rows, chunk, known.of(number)[1])
            pieces.append(TaskRef(key))
        key = (f"gather_nd-{token}", *block.number, *part)
        yield Task(key, assemble, block.shape, row, fill, parts, *pieces)
