"""Indices that are analysed once and used often."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

import numpy as np
from numpy import ndarray
from numpy.typing import NDArray

from gathernd import _core
from gathernd._arguments.array_like import ArrayLike
from gathernd._arguments.convert import as_fill, as_indices, as_input, as_shape, as_updates
from gathernd._arguments.options import Duplicates, Mode, Reduction
from gathernd._devices import Device, DeviceArray
from gathernd._devices.choice import check_devices, find_device
from gathernd._gather import Element

__all__ = ["IndexPlan"]


class IndexPlan:
    """Index tuples that are checked and resolved once, to gather and scatter with often.

    Parameters
    ----------
    shape : tuple of int
        The shape of the arrays that the tuples will address.
    indices : array_like of int8 to int64 or uint8 to uint64
        The tuples, as in `gather_nd`. They are read here and not kept.
    batch_dims : int, default 0
        How many leading dimensions of `shape` and `indices` go together, one to one.
    mode : {"raise", "clip", "wrap", "fill", "drop"}, default "raise"
        What becomes of an index out of range. "fill" and "drop" are the same: `gather` gives such
        tuples the fill value, `scatter` leaves their updates out.
    device : str or Device, optional
        Where the plan is, and works: "cpu", the default, or a name from `devices`, such as
        "d3d12:0". Where `indices` is a `DeviceArray`, it is its device.
    wrap_negative_indices : bool, default True
        False: a negative index is out of range, as in `gather_nd`.

    Raises
    ------
    IndexError, ValueError, TypeError, DeviceError
        As `gather_nd`.

    See Also
    --------
    gather_nd, scatter_nd : the same for one use.
    at : ``at(x)[index].plan()`` is the plan of an index expression.

    Notes
    -----
    What makes `scatter` faster is worked out when it is first needed: the tuples grouped by
    destination, and whether they are unique. A plan may be used by several threads at once.

    A plan on a device keeps what it knows in the device's memory. It takes arrays of the host,
    whose result comes back, and those that lie there, whose result stays there.

    A plan can be pickled and copied: by its tuples, its options and the name of its device. It is
    made anew when it is loaded.

    Examples
    --------
    The gradient of a gather is a scatter add by the same plan:

    >>> import numpy as np
    >>> import gathernd as gnd
    >>> plan = gnd.IndexPlan((3, 2), [[0], [2], [0]])
    >>> x = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> plan.gather(x)
    array([[1., 2.],
           [5., 6.],
           [1., 2.]])
    >>> plan.scatter(np.zeros(plan.shape), np.ones(plan.updates_shape), "add")
    array([[2., 2.],
           [0., 0.],
           [1., 1.]])
    """

    def __init__(
        self,
        shape: Iterable[SupportsIndex],
        indices: ArrayLike,
        batch_dims: SupportsIndex = 0,
        *,
        mode: Mode = "raise",
        device: Device | str | None = None,
        wrap_negative_indices: bool = True,
    ) -> None:
        sizes = as_shape(shape, "IndexPlan: shape")
        self._device, _ = find_device("IndexPlan", device, indices)
        if isinstance(indices, DeviceArray):
            self._plan = _core.make_device_plan(
                sizes, indices._data, batch_dims, mode, wrap_negative_indices
            )
        else:
            tuples = as_indices(indices, "IndexPlan: indices", mode, sizes, batch_dims)
            self._plan = _core.make_index_plan(
                sizes, tuples, batch_dims, mode, self._device, wrap_negative_indices
            )
        self._fills = mode in ("fill", "drop")

    @overload
    def gather(
        self, input: DeviceArray, *, fill_value: Any = 0, out: DeviceArray | None = None
    ) -> DeviceArray: ...
    @overload
    def gather(self, input: ArrayLike, *, fill_value: Any = 0, out: DeviceArray) -> DeviceArray: ...
    @overload
    def gather(
        self, input: NDArray[Element], *, fill_value: Any = 0, out: NDArray[Element] | None = None
    ) -> NDArray[Element]: ...
    @overload
    def gather(
        self, input: ArrayLike, *, fill_value: Any = 0, out: NDArray[Any] | None = None
    ) -> NDArray[Any]: ...
    def gather(
        self,
        input: ArrayLike,
        *,
        fill_value: Any = 0,
        out: NDArray[Any] | DeviceArray | None = None,
    ) -> NDArray[Any] | DeviceArray:
        """Gather as `gather_nd` would with the plan's tuples.

        Parameters
        ----------
        input : array_like
            Of the plan's shape.
        fill_value : scalar, default 0
            For the modes "fill" and "drop".
        out : ndarray or DeviceArray, optional
            Where to put the result, as in `gather_nd`.

        Returns
        -------
        ndarray or DeviceArray
            Of shape `updates_shape`. A `DeviceArray` where an argument is one.

        Raises
        ------
        ValueError, TypeError, OverflowError, DeviceError
            As `gather_nd`.

        Examples
        --------
        >>> import gathernd as gnd
        >>> gnd.IndexPlan((3,), [[2], [0]]).gather([5, 6, 7])
        array([7, 5])
        """
        return self._gather(input, fill_value, out)

    @overload
    def scatter(
        self,
        input: DeviceArray,
        updates: ArrayLike,
        reduction: Reduction = "none",
        *,
        duplicates: Duplicates = "last",
        out: DeviceArray | None = None,
    ) -> DeviceArray: ...
    @overload
    def scatter(
        self,
        input: ArrayLike,
        updates: DeviceArray,
        reduction: Reduction = "none",
        *,
        duplicates: Duplicates = "last",
        out: DeviceArray | None = None,
    ) -> DeviceArray: ...
    @overload
    def scatter(
        self,
        input: ArrayLike,
        updates: ArrayLike,
        reduction: Reduction = "none",
        *,
        duplicates: Duplicates = "last",
        out: DeviceArray,
    ) -> DeviceArray: ...
    @overload
    def scatter(
        self,
        input: NDArray[Element],
        updates: ArrayLike,
        reduction: Reduction = "none",
        *,
        duplicates: Duplicates = "last",
        out: NDArray[Element] | None = None,
    ) -> NDArray[Element]: ...
    @overload
    def scatter(
        self,
        input: ArrayLike,
        updates: ArrayLike,
        reduction: Reduction = "none",
        *,
        duplicates: Duplicates = "last",
        out: NDArray[Any] | None = None,
    ) -> NDArray[Any]: ...
    def scatter(
        self,
        input: ArrayLike,
        updates: ArrayLike,
        reduction: Reduction = "none",
        *,
        duplicates: Duplicates = "last",
        out: NDArray[Any] | DeviceArray | None = None,
    ) -> NDArray[Any] | DeviceArray:
        """Scatter as `scatter_nd` would with the plan's tuples.

        Parameters
        ----------
        input : array_like
            Of the plan's shape.
        updates : array_like
            Of shape `updates_shape` and the input's dtype.
        reduction : {"none", "add", "sub", "mul", "min", "max", "and", "or", "xor"}
            As in `scatter_nd`; the same bits.
        duplicates : {"last", "first", "error", "any"}, default "last"
            As in `scatter_nd`.
        out : ndarray or DeviceArray, optional
            Where to put the result, as in `scatter_nd`; ``out=input`` works in place.

        Returns
        -------
        ndarray or DeviceArray
            Of the plan's shape. A `DeviceArray` where an argument is one.

        Raises
        ------
        ValueError, TypeError, OverflowError, DeviceError
            As `scatter_nd`.

        Examples
        --------
        >>> import gathernd as gnd
        >>> gnd.IndexPlan((3,), [[2], [0]]).scatter([5, 6, 7], [1, 2], "add")
        array([7, 6, 8])
        """
        return self._scatter(input, updates, reduction, duplicates, out)

    def _gather(self, input: Any, fill_value: Any, out: Any) -> NDArray[Any] | DeviceArray:
        if DeviceArray in (type(input), type(out)):
            check_devices("gather_nd", self._device, input, out)
            from gathernd._devices.ops import gather_by

            return gather_by(self._plan, self._device, input, self._fills, fill_value, out)
        if type(input) is ndarray and not self._fills:
            return self._plan.gather(input, None, out)
        source = as_input(input, "gather_nd: input")
        fill = as_fill(self._fills, fill_value, source.dtype)
        return self._plan.gather(source, fill, out)

    def _scatter(
        self, input: Any, updates: Any, reduction: Reduction, duplicates: Duplicates, out: Any
    ) -> NDArray[Any] | DeviceArray:
        if DeviceArray in (type(input), type(updates), type(out)):
            check_devices("scatter_nd", self._device, input, updates, out)
            from gathernd._devices.ops import scatter_by

            return scatter_by(self._plan, self._device, input, updates, reduction, duplicates, out)
        if type(input) is type(updates) is ndarray:
            return self._plan.scatter(input, updates, reduction, duplicates, out)
        target = as_input(input, "scatter_nd: input")
        rows = as_updates(updates, target.dtype, "scatter_nd: updates")
        return self._plan.scatter(target, rows, reduction, duplicates, out)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the arrays that the plan is for."""
        return self._plan.shape

    @property
    def updates_shape(self) -> tuple[int, ...]:
        """The shape of `gather`'s result and of `scatter`'s updates."""
        return self._plan.updates_shape

    @property
    def is_unique(self) -> bool:
        """Whether no slice is addressed twice."""
        return self._plan.is_unique

    @property
    def is_sorted(self) -> bool:
        """Whether the tuples address slices in C order; equal ones may follow one another.

        Tuples that address no slice, in modes "fill" and "drop", do not matter.
        """
        return self._plan.is_sorted

    @property
    def nbytes(self) -> int:
        """The bytes of memory that the plan holds, a device's too; more once it has been used.

        It then knows the order of its tuples, or which updates stay where most are replaced.
        """
        return self._plan.nbytes

    def __getstate__(self) -> dict[str, Any]:
        """Return what makes the plan again: its tuples come from what it has resolved."""
        plan = self._plan
        narrow = np.min_scalar_type(max(plan.shape, default=0))
        indices = plan.restore_indices().astype(narrow, copy=False)
        options = (plan.batch_dims, plan.mode, self._device, plan.wrap_negative_indices)
        return self.__dict__ | {"_plan": (plan.shape, indices, *options)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make the plan again, on the device of the same name."""
        self.__dict__.update(state, _plan=_core.make_index_plan(*state["_plan"]))

    def __repr__(self) -> str:
        return f"IndexPlan(shape={self.shape}, updates_shape={self.updates_shape})"


if not TYPE_CHECKING:
    _core.plan_entry(IndexPlan)  # calls of plain arrays go straight to C++
