"""scatter_nd of Dask arrays: documentation, and the graph."""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from typing import SupportsIndex

import dask.array as da
from dask.task_spec import Task, TaskRef
from dask.tokenize import tokenize

from gathernd import _core
from gathernd._arguments.array_like import ArrayLike
from gathernd._arguments.options import Duplicates, Reduction, ScatterMode
from gathernd.dask._arguments import as_table, as_tuples, as_update_rows, rechunk
from gathernd.dask._blocks import Call, Place, make_call
from gathernd.dask._graph import group_blocks, make_array
from gathernd.dask._tasks import Numbering, scatter_chunk, select

__all__ = ["scatter_nd"]


def scatter_nd(
    input: da.Array | ArrayLike,
    indices: da.Array | ArrayLike,
    updates: da.Array | ArrayLike,
    reduction: Reduction = "none",
    batch_dims: SupportsIndex = 0,
    *,
    mode: ScatterMode = "raise",
    duplicates: Duplicates = "last",
    wrap_negative_indices: bool = True,
) -> da.Array:
    """Write or accumulate slices of a Dask array, as `gathernd.scatter_nd` does in memory.

    Parameters
    ----------
    input : dask.array.Array or array_like
        What the result starts as, in chunks of any shape.
    indices : dask.array.Array or array_like
        The tuples, lazy or known. Chunks of `input` that no known one addresses are passed on.
    updates : dask.array.Array or array_like
        A slice for each tuple, lazy or not, of the input's dtype.
    reduction : {"none", "add", "sub", "mul", "min", "max", "and", "or", "xor"}
        What happens to a slice and its update; "none" sets it.
    batch_dims : int, default 0
        How many leading dimensions of all arguments go together, one to one.
    mode : {"raise", "clip", "wrap", "drop"}, default "raise"
        What becomes of an index out of range.
    duplicates : {"last", "first", "error", "any"}, default "last"
        For reduction "none": which update stays where several have the same tuple.
    wrap_negative_indices : bool, default True
        False: a negative index is out of range.

    Returns
    -------
    dask.array.Array
        With the shape and the chunks of `input`.

    Raises
    ------
    IndexError
        An index is out of range, named by its position in the whole array: on compute if `indices`
        are lazy, else at once.
    ValueError, TypeError, OverflowError
        As `gathernd.scatter_nd`; chunks of unknown size, or not of NumPy arrays. Duplicates, where
        they are an error, are found on compute.
    NotImplementedError
        Dask's query planning for arrays is on.

    See Also
    --------
    gather_nd : the counterpart: read slices.

    Notes
    -----
    Each block of lazy tuples is checked and grouped by chunk in one task; then there is one task
    for each block and chunk, which takes its updates, and one for each chunk of `input`. That one
    has all updates of its chunk at once, in C order of the tuples.

    Examples
    --------
    >>> import dask.array as da
    >>> import gathernd.dask
    >>> counts = da.zeros(6, chunks=3, dtype=int)
    >>> indices = da.from_array([[1], [5], [1]], chunks=2)
    >>> gathernd.dask.scatter_nd(counts, indices, [1, 1, 1], "add").compute()
    array([0, 2, 0, 0, 0, 1])
    """
    table = as_table(input, "scatter_nd: input")
    tuples = as_tuples(indices, "scatter_nd: indices", mode, table.shape, batch_dims)
    rows = as_update_rows(updates, "scatter_nd: updates", table.dtype)
    _core.check_call(
        True,
        table.shape,
        table.dtype,
        tuples.shape,
        tuples.dtype,
        rows.shape,
        rows.dtype,
        reduction,
        batch_dims,
        mode,
        duplicates,
        wrap_negative_indices,
    )
    call = make_call(
        table, tuples, rows, operator.index(batch_dims), mode, bool(wrap_negative_indices)
    )
    rows = rechunk(rows, call.chunks)
    token = str(tokenize(call.token, rows.name, reduction, duplicates))
    nodes = make_nodes(call, rows, reduction, duplicates, token)
    return make_array(
        f"scatter_nd-{token}", nodes, table.chunks, table.dtype, table, call.tuples, rows
    )


def make_nodes(
    call: Call, updates: da.Array, reduction: Reduction, duplicates: Duplicates, token: str
) -> Iterator[Task]:
    """Yield the tasks of a call."""
    numbered = duplicates == "error" or not call.is_ordered()
    pieces: defaultdict[Place, list[TaskRef]] = defaultdict(list)  # by the chunk's number
    for group in group_blocks(call, f"scatter_nd-parts-{token}"):
        if isinstance(group.parts, Task):
            yield group.parts
        block = group.block
        numbering = Numbering(block.corner, block.shape, call.rules.whole) if numbered else None
        for (part, _), number in product(call.slices(), group.numbers):
            key = (f"scatter_nd-part-{token}", *block.number, number, *part)
            source = TaskRef((updates.name, *block.number, *part))
            yield Task(key, select, source, len(block.shape), *group.part(number), numbering)
            pieces[(*group.batch, *call.places[number], *part)].append(TaskRef(key))
    for place in product(*map(range, map(len, call.table.chunks))):
        key = (f"scatter_nd-{token}", *place)
        source = TaskRef((call.table.name, *place))
        options = (reduction, duplicates, call.rules.whole)
        yield Task(key, scatter_chunk, source, *options, *pieces.get(place, ()))
