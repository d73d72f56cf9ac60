"""gather_nd of Dask arrays: documentation, and the graph."""

from __future__ import annotations

import math
import operator
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from typing import Any, SupportsIndex

import dask.array as da
from dask.task_spec import Task, TaskRef
from dask.tokenize import tokenize
from numpy.typing import NDArray

from gathernd import _core
from gathernd._arguments.array_like import ArrayLike
from gathernd._arguments.convert import as_fill
from gathernd._arguments.options import GatherMode
from gathernd.dask._arguments import as_table, as_tuples
from gathernd.dask._blocks import Call, Place, make_call
from gathernd.dask._graph import Group, group_blocks, make_array
from gathernd.dask._tasks import assemble, gather_all, gather_part, take

__all__ = ["gather_nd"]


def gather_nd(
    input: da.Array | ArrayLike,
    indices: da.Array | ArrayLike,
    batch_dims: SupportsIndex = 0,
    *,
    mode: GatherMode = "raise",
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
    nodes = make_nodes(call, fill, token)
    return make_array(f"gather_nd-{token}", nodes, call.chunks, table.dtype, table, call.tuples)


def make_nodes(call: Call, fill: NDArray[Any], token: str) -> Iterator[Task]:
    """Yield the tasks of a call."""
    groups = list(group_blocks(call, f"gather_nd-parts-{token}"))
    for group in groups:
        if isinstance(group.parts, Task):
            yield group.parts
    asking: defaultdict[tuple[Place, int], list[Group]] = defaultdict(list)  # by chunk
    for group in groups:
        for number in group.numbers:
            asking[group.batch, number].append(group)
    by_chunk = gathers_less(call, len(asking))
    rows: dict[Place, TaskRef] = {}
    for (batch, number), asked in asking.items():
        gather = gather_by_chunk if by_chunk and len(asked) > 1 else gather_by_block
        for node in gather(call, batch, number, asked, token):
            yield node
            if node.key[0] == f"gather_nd-rows-{token}":
                rows[node.key[1:]] = TaskRef(node.key)
    for group in groups:
        block = group.block
        for part, row in call.slices():
            pieces = [rows[(*block.number, number, *part)] for number in group.numbers]
            key = (f"gather_nd-{token}", *block.number, *part)
            yield Task(key, assemble, block.shape, row, fill, group.whole(), *pieces)


def gathers_less(call: Call, read: int) -> bool:
    """Whether the result has fewer bytes than so many chunks of the table."""
    chunks = math.prod(map(len, call.table.chunks[: call.indexed]))
    slice_bytes = call.table.dtype.itemsize * math.prod(call.table.shape[call.indexed :])
    return bool(math.prod(call.rules.whole) * slice_bytes * chunks < call.table.nbytes * read)


def gather_by_block(
    call: Call, batch: Place, number: int, asked: list[Group], token: str
) -> Iterator[Task]:
    """Yield a task for each block that asks for the chunk, which is held until the last is done."""
    for (part, _), group in product(call.slices(), asked):
        key = (f"gather_nd-rows-{token}", *group.block.number, number, *part)
        chunk = call.chunk(batch, number, part)
        yield Task(key, gather_part, chunk, *group.part(number, positions=False))


def gather_by_chunk(
    call: Call, batch: Place, number: int, asked: list[Group], token: str
) -> Iterator[Task]:
    """Yield one task, after which the chunk is done with, and those that divide what it found."""
    sources: list[Any] = []
    for group in asked:
        parts, at = group.part(number, positions=False)
        if isinstance(parts, TaskRef):
            key = (f"gather_nd-tuples-{token}", *group.block.number, number)
            yield Task(key, take, parts, at)
            sources.append(TaskRef(key))
        else:
            sources.append(parts.tuples)
    for part, _ in call.slices():
        key = (f"gather_nd-chunk-{token}", *batch, number, *part)
        yield Task(key, gather_all, call.chunk(batch, number, part), *sources)
        for at, group in enumerate(asked):
            rows = (f"gather_nd-rows-{token}", *group.block.number, number, *part)
            yield Task(rows, operator.getitem, TaskRef(key), at)
