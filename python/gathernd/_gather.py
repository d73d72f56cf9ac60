"""gather_nd: documentation, conversion of arguments, choice of the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex, TypedDict, TypeVar, Unpack, overload

from numpy import generic
from numpy.typing import NDArray

from gathernd import _core
from gathernd._arguments.array_like import ArrayLike
from gathernd._arguments.convert import as_fill, as_indices, as_input
from gathernd._arguments.options import GatherMode
from gathernd._devices import Device, DeviceArray
from gathernd._devices.choice import find_device
from gathernd._devices.names import CPU

__all__ = ["gather_nd"]

Element = TypeVar("Element", bound=generic)


class _GatherOptions(TypedDict, total=False):
    mode: GatherMode
    fill_value: Any
    device: Device | str | None
    wrap_negative_indices: bool


# Where an argument is a DeviceArray, the result is one; else it has the dtype of the input. None
# is for what may be either: with such an overload, mypy's result for NDArray[Any] would be Any.
@overload
def gather_nd(
    input: DeviceArray,
    indices: ArrayLike,
    batch_dims: SupportsIndex = 0,
    *,
    out: DeviceArray | None = None,
    **options: Unpack[_GatherOptions],
) -> DeviceArray: ...
@overload
def gather_nd(
    input: ArrayLike,
    indices: DeviceArray,
    batch_dims: SupportsIndex = 0,
    *,
    out: DeviceArray | None = None,
    **options: Unpack[_GatherOptions],
) -> DeviceArray: ...
@overload
def gather_nd(
    input: ArrayLike,
    indices: ArrayLike,
    batch_dims: SupportsIndex = 0,
    *,
    out: DeviceArray,
    **options: Unpack[_GatherOptions],
) -> DeviceArray: ...
@overload
def gather_nd(
    input: NDArray[Element],
    indices: ArrayLike,
    batch_dims: SupportsIndex = 0,
    *,
    out: NDArray[Element] | None = None,
    **options: Unpack[_GatherOptions],
) -> NDArray[Element]: ...
@overload
def gather_nd(
    input: ArrayLike,
    indices: ArrayLike,
    batch_dims: SupportsIndex = 0,
    *,
    out: NDArray[Any] | None = None,
    **options: Unpack[_GatherOptions],
) -> NDArray[Any]: ...
def gather_nd(
    input: ArrayLike,
    indices: ArrayLike,
    batch_dims: SupportsIndex = 0,
    *,
    mode: GatherMode = "raise",
    fill_value: Any = 0,
    out: NDArray[Any] | DeviceArray | None = None,
    device: Device | str | None = None,
    wrap_negative_indices: bool = True,
) -> NDArray[Any] | DeviceArray:
    """Gather slices of an array by index tuples.

    ``output[b, o, ...] = input[b, indices[b, o], ...]`` for each batch position `b` and each outer
    position `o`. With ``B = batch_dims`` and ``K = indices.shape[-1]``, the tuple length:

    ======== ==========================================
    array    shape
    ======== ==========================================
    input    batch (B) + indexed (K) + slice
    indices  batch (B) + outer + (K,)
    output   batch (B) + outer + slice
    ======== ==========================================

    Parameters
    ----------
    input : array_like
        The table to read from: any dtype of fixed size without objects. Strided arrays are read
        where they lie.
    indices : array_like of int8 to int64 or uint8 to uint64
        The tuples. Negative values count from the end, once (see `wrap_negative_indices`). K may
        be 0 (a tuple addresses a batch's whole block) to ``input.ndim - B``.
    batch_dims : int, default 0
        How many leading dimensions of `input` and `indices` go together, one to one.
    mode : {"raise", "clip", "wrap", "fill"}, default "raise"
        What becomes of an index out of range. "raise": IndexError, and nothing is written. "clip":
        the nearest end (after negative values have counted from the end; ``numpy.take`` sends them
        all to 0). "wrap": modulo the size. "fill": the slice is `fill_value`.
    fill_value : scalar, default 0
        For ``mode="fill"``; it takes the input's dtype, which it must fit.
    out : ndarray or DeviceArray, optional
        Where to put the result: exact shape and dtype, any strides under which no two elements
        overlap. It may overlap `input` and `indices`. Bytes between the fields of records stay.
    device : str or Device, optional
        Where to compute: "cpu", the default, or a name from `devices`, such as "d3d12:0". Where an
        argument is a `DeviceArray`, that is its device, and the result stays there.
    wrap_negative_indices : bool, default True
        False: a negative index is out of range, such as a -1 that stands for "none": "raise"
        raises, "fill" fills, "clip" gives 0 as ``numpy.take`` does, and "wrap" is modulo the size
        all the same.

    Returns
    -------
    ndarray or DeviceArray
        `out`, or a new C-contiguous array; 0-d results are arrays too. A `DeviceArray` where an
        argument is one.

    Raises
    ------
    IndexError
        An index is out of range; names the first one in C order. Also in modes "clip" and "wrap",
        where an axis has size 0.
    ValueError
        Shapes, `batch_dims` or an option do not fit; `out` is read-only or overlaps itself.
    TypeError
        `indices` are not integers, `input` holds objects, `out` has another dtype, `fill_value`
        is of another kind.
    OverflowError
        The number `fill_value` does not fit the dtype.
    DeviceError
        `device` is absent, or a device failed.

    See Also
    --------
    scatter_nd : the counterpart: write or accumulate slices.

    Notes
    -----
    After an error every argument holds the bytes that it held before. Moving an element never
    changes a bit of it. The semantics are those of DirectML's GATHER_ND and GATHER_ND1, ONNX's
    GatherND-13 and TensorFlow's ``gather_nd``; the modes follow ``numpy.take``.

    Examples
    --------
    >>> import numpy as np
    >>> import gathernd as gnd
    >>> table = np.array([[0, 1], [2, 3]])
    >>> gnd.gather_nd(table, [[1], [0]])
    array([[2, 3],
           [0, 1]])
    >>> gnd.gather_nd(table, [[0, 0], [1, -1]])
    array([0, 3])
    >>> gnd.gather_nd(table, [[1], [0]], batch_dims=1)
    array([1, 2])
    >>> gnd.gather_nd(table, [[0, 5]], mode="fill", fill_value=-1)
    array([-1])
    >>> gnd.gather_nd([5, 6, 7], [[2], [-1]], mode="fill", wrap_negative_indices=False)
    array([7, 0])
    """
    fills = isinstance(mode, str) and mode == "fill"  # type: ignore[redundant-expr]  # an array
    place = CPU
    if device is not None or DeviceArray in (type(input), type(indices), type(out)):
        place, on_device = find_device("gather_nd", device, input, indices, out)
        if on_device:
            from gathernd._devices.ops import gather

            return gather(
                place,
                input,
                indices,
                batch_dims,
                mode,
                fills,
                fill_value,
                out,
                wrap_negative_indices,
            )
    source = as_input(input, "gather_nd: input")
    tuples = as_indices(indices, "gather_nd: indices", mode, source.shape, batch_dims)
    fill = as_fill(fills, fill_value, source.dtype)
    return _core.gather_nd(
        source, tuples, batch_dims, mode, fill, out, place, wrap_negative_indices
    )


if not TYPE_CHECKING:
    gather_nd = _core.gather_entry(gather_nd)  # calls of plain arrays go straight to C++
