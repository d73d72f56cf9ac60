"""winners: which update stayed, for each element of a scatter_nd's result."""

from __future__ import annotations

from typing import Literal, SupportsIndex, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from gathernd import _core
from gathernd._arguments.array_like import ArrayLike
from gathernd._arguments.convert import as_indices, as_input, as_updates
from gathernd._arguments.options import Duplicates, ScatterMode
from gathernd._devices import Device, DeviceArray
from gathernd._devices.choice import find_device
from gathernd._devices.names import CPU

__all__ = ["winners"]


class _Options(TypedDict, total=False):
    mode: ScatterMode
    duplicates: Duplicates
    wrap_negative_indices: bool
    device: Device | str | None


@overload
def winners(
    input: DeviceArray,
    indices: ArrayLike,
    updates: ArrayLike,
    reduction: Literal["none", "min", "max"] = "none",
    batch_dims: SupportsIndex = 0,
    **options: Unpack[_Options],
) -> DeviceArray: ...
@overload
def winners(
    input: ArrayLike,
    indices: DeviceArray,
    updates: ArrayLike,
    reduction: Literal["none", "min", "max"] = "none",
    batch_dims: SupportsIndex = 0,
    **options: Unpack[_Options],
) -> DeviceArray: ...
@overload
def winners(
    input: ArrayLike,
    indices: ArrayLike,
    updates: DeviceArray,
    reduction: Literal["none", "min", "max"] = "none",
    batch_dims: SupportsIndex = 0,
    **options: Unpack[_Options],
) -> DeviceArray: ...
@overload
def winners(
    input: ArrayLike,
    indices: ArrayLike,
    updates: ArrayLike,
    reduction: Literal["none", "min", "max"] = "none",
    batch_dims: SupportsIndex = 0,
    **options: Unpack[_Options],
) -> NDArray[np.int64]: ...
def winners(
    input: ArrayLike,
    indices: ArrayLike,
    updates: ArrayLike,
    reduction: Literal["none", "min", "max"] = "none",
    batch_dims: SupportsIndex = 0,
    *,
    mode: ScatterMode = "raise",
    duplicates: Duplicates = "last",
    wrap_negative_indices: bool = True,
    device: Device | str | None = None,
) -> NDArray[np.int64] | DeviceArray:
    """Find which update stayed, for each element of `scatter_nd`'s result.

    This is the argmin or argmax of a grouped minimum or maximum: the update to which the gradient
    of an element goes.

    Parameters
    ----------
    input, indices, updates, batch_dims, mode, wrap_negative_indices, device
        As in `scatter_nd`.
    reduction : {"none", "min", "max"}, default "none"
        As in `scatter_nd`. "min", "max": the first update, in C order, that is the extreme value,
        even if the element of `input` is the same value. NaN is extreme, and any NaN is the same.
    duplicates : {"last", "first", "error", "any"}, default "last"
        As in `scatter_nd`, for reduction "none". "any" answers as "last" does, which
        `scatter_nd` may not.

    Returns
    -------
    ndarray or DeviceArray of int64
        Of input's shape; on the device if an argument is. The position of the update among the
        tuples, in C order: a row of ``indices.reshape(-1, K)``. -1 if the element of `input`
        stayed.

    Raises
    ------
    IndexError, ValueError, TypeError, OverflowError
        As `scatter_nd`, whose name their messages begin with. ValueError for other reductions.
    DeviceError
        `device` is absent, or a device failed.

    See Also
    --------
    scatter_nd : the result itself.

    Notes
    -----
    For the winners of the updates alone, let `input` hold the value that no update can lose to:
    -inf or the least integer for "max". Then -1 stands where there are none.

    The answer is the same at every number of threads and on every device.

    Examples
    --------
    >>> import numpy as np
    >>> import gathernd as gnd
    >>> groups = np.array([[0], [2], [0], [2]])
    >>> values = np.array([3.0, 7.0, 5.0, 7.0])
    >>> lowest = np.full(3, -np.inf)
    >>> gnd.scatter_nd(lowest, groups, values, "max")
    array([  5., -inf,   7.])
    >>> gnd.winners(lowest, groups, values, "max")
    array([ 2, -1,  1])
    """
    if device is not None or DeviceArray in (type(input), type(indices), type(updates)):
        there, on_device = find_device("winners", device, input, indices, updates)
        if there != CPU:
            from gathernd._devices.ops import winners as device_winners

            found = device_winners(
                there,
                input,
                indices,
                updates,
                reduction,
                batch_dims,
                mode,
                duplicates,
                wrap_negative_indices,
            )
            return found if on_device else found.numpy()
    table = as_input(input, "scatter_nd: input")
    tuples = as_indices(indices, "scatter_nd: indices", mode, table.shape, batch_dims)
    rows = as_updates(updates, table.dtype, "scatter_nd: updates")
    rules = (batch_dims, mode, duplicates)
    if reduction in ("min", "max"):
        table = _core.scatter_nd(
            table, tuples, rows, reduction, *rules, None, CPU, wrap_negative_indices
        )
    return _core.winners(table, tuples, rows, reduction, *rules, wrap_negative_indices)
