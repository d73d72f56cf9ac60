"""Arguments to Dask arrays, or to arrays in memory; what cannot be computed with is refused."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import dask
import dask.array as da
import numpy as np
from dask.utils import parse_bytes
from numpy.typing import NDArray

from gathernd._arguments.convert import as_array, as_indices, as_updates

__all__ = ["Chunks", "as_table", "as_tuples", "as_update_rows", "chunk_bytes", "rechunk"]

Chunks = tuple[tuple[int, ...], ...]


def as_table(value: Any, what: str) -> da.Array:
    """Return the input as a Dask array. Here and below, `what` is how messages begin."""
    if is_lazy(value, what):
        return value
    array = as_array(value, what)
    whole = array.nbytes == 0 or array.dtype.hasobject  # which Dask cannot divide
    return to_chunks(array, -1 if whole else "auto")


def as_tuples(
    value: Any, what: str, mode: Any, shape: tuple[int, ...], batch_dims: Any
) -> da.Array | NDArray[Any]:
    """Return lazy indices as they are, known ones as an array in memory."""
    return value if is_lazy(value, what) else as_indices(value, what, mode, shape, batch_dims)


def as_update_rows(value: Any, what: str, dtype: np.dtype[Any]) -> da.Array | NDArray[Any]:
    """Return lazy updates as they are, others as an array; lists take `dtype`."""
    return value if is_lazy(value, what) else as_updates(value, dtype, what)


def to_chunks(array: NDArray[Any], chunks: Any) -> da.Array:
    """Return an array in memory as a Dask array."""
    return da.from_array(array, chunks, meta=array[(slice(0, 0),) * array.ndim])


def rechunk(array: da.Array | NDArray[Any], chunks: Chunks) -> da.Array:
    """Return the array in these chunks. Dask cannot rechunk what has no bytes."""
    if isinstance(array, da.Array) and array.nbytes > 0:
        return array.rechunk(chunks)
    known = np.ndarray(array.shape, array.dtype) if isinstance(array, da.Array) else array
    return to_chunks(known, chunks)


def chunk_bytes() -> int:
    """Return the bytes that a chunk should have, by Dask's configuration."""
    return max(1, int(parse_bytes(dask.config.get("array.chunk-size"))))


def is_lazy(value: Any, what: str) -> bool:
    """Whether the value is a Dask array: TypeError, ValueError for one that will not do."""
    if da.Array is not dask.array.core.Array:
        raise NotImplementedError(
            f"{what} cannot be used with Dask's query planning for arrays: set "
            '"array.query-planning" to False before dask.array is imported'
        )
    if not isinstance(value, da.Array):
        if dask.is_dask_collection(value):
            raise TypeError(
                f"{what} must be a dask.array.Array or an array in memory, not {type(value)}; of "
                "an xarray.DataArray pass x.data"
            )
        return False
    if any(map(math.isnan, _sizes(value.chunks))):
        raise ValueError(
            f"{what} has chunks of unknown size; compute them first: x.compute_chunk_sizes()"
        )
    meta = value._meta
    if not isinstance(meta, np.ndarray) or isinstance(meta, np.ma.MaskedArray):
        raise TypeError(f"{what} must consist of NumPy arrays, not of {type(meta)}")
    return True


def _sizes(chunks: Sequence[Sequence[float]]) -> list[float]:
    return [size for sizes in chunks for size in sizes]
