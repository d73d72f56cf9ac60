"""scatter_nd: documentation, conversion of arguments, choice of the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex, TypedDict, Unpack, overload

from numpy.typing import NDArray

from gathernd import _core
from gathernd._arguments.array_like import ArrayLike
from gathernd._arguments.convert import as_indices, as_input, as_updates
from gathernd._arguments.options import Duplicates, Reduction, ScatterMode
from gathernd._devices import Device, DeviceArray
from gathernd._devices.choice import find_device
from gathernd._devices.names import CPU
from gathernd._gather import Element

__all__ = ["scatter_nd"]


class _ScatterOptions(TypedDict, total=False):
    mode: ScatterMode
    duplicates: Duplicates
    device: Device | str | None
    wrap_negative_indices: bool


# Where an argument is a DeviceArray, the result is one; else it has the dtype of the input. None
# is for what may be either: with such an overload, mypy's result for NDArray[Any] would be Any.
@overload
def scatter_nd(
    input: DeviceArray,
    indices: ArrayLike,
    updates: ArrayLike,
    reduction: Reduction = "none",
    batch_dims: SupportsIndex = 0,
    *,
    out: DeviceArray | None = None,
    **options: Unpack[_ScatterOptions],
) -> DeviceArray: ...
@overload
def scatter_nd(
    input: ArrayLike,
    indices: DeviceArray,
    updates: ArrayLike,
    reduction: Reduction = "none",
    batch_dims: SupportsIndex = 0,
    *,
    out: DeviceArray | None = None,
    **options: Unpack[_ScatterOptions],
) -> DeviceArray: ...
@overload
def scatter_nd(
    input: ArrayLike,
    indices: ArrayLike,
    updates: DeviceArray,
    reduction: Reduction = "none",
    batch_dims: SupportsIndex = 0,
    *,
    out: DeviceArray | None = None,
    **options: Unpack[_ScatterOptions],
) -> DeviceArray: ...
@overload
def scatter_nd(
    input: ArrayLike,
    indices: ArrayLike,
    updates: ArrayLike,
    reduction: Reduction = "none",
    batch_dims: SupportsIndex = 0,
    *,
    out: DeviceArray,
    **options: Unpack[_ScatterOptions],
) -> DeviceArray: ...
@overload
def scatter_nd(
    input: NDArray[Element],
    indices: ArrayLike,
    updates: ArrayLike,
    reduction: Reduction = "none",
    batch_dims: SupportsIndex = 0,
    *,
    out: NDArray[Element] | None = None,
    **options: Unpack[_ScatterOptions],
) -> NDArray[Element]: ...
@overload
def scatter_nd(
    input: ArrayLike,
    indices: ArrayLike,
    updates: ArrayLike,
    reduction: Reduction = "none",
    batch_dims: SupportsIndex = 0,
    *,
    out: NDArray[Any] | None = None,
    **options: Unpack[_ScatterOptions],
) -> NDArray[Any]: ...
def scatter_nd(
    input: ArrayLike,
    indices: ArrayLike,
    updates: ArrayLike,
    reduction: Reduction = "none",
    batch_dims: SupportsIndex = 0,
    *,
    mode: ScatterMode = "raise",
    duplicates: Duplicates = "last",
    out: NDArray[Any] | DeviceArray | None = None,
    device: Device | str | None = None,
    wrap_negative_indices: bool = True,
) -> NDArray[Any] | DeviceArray:
    """Write or accumulate slices into a copy of an array, at index tuples.

    The result starts as `input`; then, one tuple after the other in C order of `indices`,
    ``output[b, indices[b, o], ...] = updates[b, o, ...]``, or the reduction of the two. With
    ``B = batch_dims`` and ``K = indices.shape[-1]``, the tuple length:

    ============== ==========================================
    array          shape
    ============== ==========================================
    input, output  batch (B) + indexed (K) + slice
    indices        batch (B) + outer + (K,)
    updates        batch (B) + outer + slice
    ============== ==========================================

    Parameters
    ----------
    input : array_like
        What the result starts as: any dtype of fixed size without objects.
    indices : array_like of int8 to int64 or uint8 to uint64
        The tuples. Negative values count from the end, once (see `wrap_negative_indices`).
    updates : array_like
        The slices to write, of the input's dtype and without broadcasting. Python lists and
        numbers take the input's dtype, which they must fit.
    reduction : {"none", "add", "sub", "mul", "min", "max", "and", "or", "xor"}, default "none"
        How an update is combined with the value that is there. The sequential order is kept, so
        the bits are the same at every number of threads. Integers wrap; NaN and NaT propagate.
        "min" and "max" are IEEE 754-2019's minimum and maximum: -0.0 is below 0.0. Sums and
        products of float16 and bfloat16 are accumulated in float32 and rounded once for each
        element of the result.
    batch_dims : int, default 0
        How many leading dimensions of `input`, `indices` and `updates` go together, one to one.
    mode : {"raise", "clip", "wrap", "drop"}, default "raise"
        What becomes of an index out of range. "raise": IndexError, and nothing is written. "clip":
        the nearest end (after negative values have counted from the end). "wrap": modulo the
        size. "drop": the update is left out.
    duplicates : {"last", "first", "error", "any"}, default "last"
        Which update stays where several tuples are equal, for ``reduction="none"``: always a whole
        slice. "error": ValueError naming both. "any": any one of them, which can be faster on a
        device.
    out : ndarray or DeviceArray, optional
        Where to put the result: exact shape and dtype, any strides under which no two elements
        overlap. ``out=input`` works in place and touches only what it updates, with `device` too.
        Where `out` overlaps an argument otherwise, the result is as if that had been copied first.
        Bytes between the fields of records stay.
    device : str or Device, optional
        Where to compute: "cpu", the default, or a name from `devices`, such as "d3d12:0". Where an
        argument is a `DeviceArray`, that is its device, and the result stays there.
    wrap_negative_indices : bool, default True
        False: a negative index is out of range, such as a -1 that stands for "none": "raise"
        raises, "drop" leaves its update out, "clip" gives 0, and "wrap" is modulo the size all the
        same.

    Returns
    -------
    ndarray or DeviceArray
        `out`, or a new array of input's shape. A `DeviceArray` where an argument is one. On the CPU
        the elements of a new array are in the order of input's memory, as by
        ``np.copy(input, order="K")``; except that it is C-contiguous if slices would lie in pieces
        and `updates` are more than a quarter of input, or if input repeats elements by 0 strides.

    Raises
    ------
    IndexError
        An index is out of range; names the first one in C order. Also in modes "clip" and "wrap",
        where an axis has size 0.
    ValueError
        Shapes, `batch_dims` or an option do not fit; duplicates, where they are an error; `out` is
        read-only or overlaps itself.
    TypeError
        `indices` are not integers, dtypes differ, or the dtype does not have the reduction.
    OverflowError
        A Python number in `updates` does not fit the dtype.
    DeviceError
        `device` is absent, or a device failed.

    See Also
    --------
    gather_nd : the counterpart: read slices.

    Notes
    -----
    After an error every argument, `out` included, holds the bytes that it held before. The
    semantics are those of DirectML's SCATTER_ND, ONNX's ScatterND-18 and TensorFlow's
    ``tensor_scatter_nd_*``; "add", "sub" and "mul" of float32, float64 and the integers have the
    bits of NumPy's ``ufunc.at``, those of a NaN aside. Complex products are the textbook formula,
    and nothing is contracted to fused multiply-adds.

    Integers have all reductions; floats, bfloat16 included, "add", "sub", "mul", "min" and "max";
    complex numbers "add", "sub" and "mul"; bool "min", "max", "and", "or" and "xor"; datetime64
    "min" and "max"; timedelta64 "add", "sub", "min" and "max". Other dtypes, and any in non-native
    byte order, are moved only. To add to times, view them as timedelta64, in which NaT stays NaT.

    Examples
    --------
    >>> import numpy as np
    >>> import gathernd as gnd
    >>> gnd.scatter_nd(np.arange(1, 9), [[4], [3], [1], [7]], [9, 10, 11, 12])
    array([ 1, 11,  3, 10,  9,  6,  7, 12])
    >>> counts = np.zeros(3, dtype=int)
    >>> gnd.scatter_nd(counts, [[0], [2], [2]], [1, 1, 1], "add", out=counts)
    array([1, 0, 2])
    >>> counts
    array([1, 0, 2])
    >>> gnd.scatter_nd([5, 6, 7], [[2], [-1]], [1, 1], mode="drop", wrap_negative_indices=False)
    array([5, 6, 1])
    """
    place = CPU
    kinds = (type(input), type(indices), type(updates), type(out))
    if device is not None or DeviceArray in kinds:
        place, on_device = find_device("scatter_nd", device, input, indices, updates, out)
        if on_device:
            from gathernd._devices.ops import scatter

            return scatter(
                place,
                input,
                indices,
                updates,
                reduction,
                batch_dims,
                mode,
                duplicates,
                out,
                wrap_negative_indices,
            )
    target = as_input(input, "scatter_nd: input")
    tuples = as_indices(indices, "scatter_nd: indices", mode, target.shape, batch_dims)
    rows = as_updates(updates, target.dtype, "scatter_nd: updates")
    return _core.scatter_nd(
        target,
        tuples,
        rows,
        reduction,
        batch_dims,
        mode,
        duplicates,
        out,
        place,
        wrap_negative_indices,
    )


if not TYPE_CHECKING:
    scatter_nd = _core.scatter_entry(scatter_nd)  # calls of plain arrays go straight to C++
