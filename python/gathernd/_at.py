"""`at`: NumPy's indexing on this engine."""

from __future__ import annotations

from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    TypeAlias,
    TypedDict,
    TypeVar,
    Unpack,
    cast,
    overload,
)

import numpy as np
from numpy.typing import NDArray

from gathernd._arguments.array_like import ArrayLike
from gathernd._arguments.convert import as_cast_updates, as_fill, as_input, short_repr
from gathernd._arguments.index_expression import Item, Selection, classify, select
from gathernd._arguments.operators import refuse_attributes, refuse_operators
from gathernd._arguments.options import Duplicates, Mode
from gathernd._core import at_entry, at_get, at_update, new_like
from gathernd._devices import Device, DeviceArray
from gathernd._devices.choice import find_device
from gathernd._devices.names import CPU
from gathernd._gather import Element
from gathernd._index_plan import IndexPlan

__all__ = ["At", "Indexed", "at"]

Array = TypeVar("Array")
Out = TypeVar("Out", bound=NDArray[Any] | DeviceArray)

# Of `at`, as they are given: mode, duplicates, wrap_negative_indices, device.
_Options: TypeAlias = tuple[Mode, Duplicates, bool, Device | str | None]
_DEFAULTS: _Options = ("raise", "last", True, None)

_NO_ARRAY = "at: an index expression is no array; call its .get()"
_NOT_INDEXED = "at: what at(x) returns is no array; index it, or use x"
_NOT_IN_PLACE = (
    "at: in place there are +=, -=, *=, &=, |= and ^=; for another operator, set what you "
    "compute from .get()"
)


class _AtOptions(TypedDict, total=False):
    mode: Mode
    duplicates: Duplicates
    wrap_negative_indices: bool
    device: Device | str | None


class _GetOptions(TypedDict, total=False):
    mode: Mode | None
    fill_value: Any
    wrap_negative_indices: bool | None
    device: Device | str | None


class _ReductionOptions(TypedDict, total=False):
    copy: bool
    mode: Mode
    wrap_negative_indices: bool
    device: Device | str | None


_REDUCTION_OPTIONS = _ReductionOptions.__optional_keys__ | {"duplicates"}


@overload
def at(x: DeviceArray, **options: Unpack[_AtOptions]) -> At[DeviceArray]: ...
@overload
def at(x: NDArray[Element], **options: Unpack[_AtOptions]) -> At[NDArray[Element]]: ...
@overload
def at(x: ArrayLike, **options: Unpack[_AtOptions]) -> At[NDArray[Any]]: ...
def at(
    x: Any,
    *,
    mode: Mode = "raise",
    duplicates: Duplicates = "last",
    wrap_negative_indices: bool = True,
    device: Device | str | None = None,
) -> At[Any]:
    """Index an array as NumPy does, to read, to set or to reduce into.

    ================================== =============================================
    expression                         what it does
    ================================== =============================================
    ``gnd.at(x)[idx].get()``           ``x[idx]``, as a new array
    ``gnd.at(x)[idx] = u``             ``x[idx] = u``, in place; the last update wins
    ``gnd.at(x)[idx] += u``            ``np.add.at(x, idx, u)``, in place
    ``y = gnd.at(x)[idx].add(u)``      the same in a new array
    ================================== =============================================

    Also ``-=``, ``*=``, ``&=``, ``|=``, ``^=``, and the methods of `Indexed`.

    Parameters
    ----------
    x : array_like or DeviceArray
        The array. To change it in place it must be an ndarray, or export writable memory by
        DLPack 1, as PyTorch's tensors do.
    mode : {"raise", "clip", "wrap", "fill", "drop"}, default "raise"
        How to treat an index out of range, as `gather_nd` and `scatter_nd` do. "fill" and "drop"
        are the same here: `get` takes ``fill_value``, updates are left out.
    duplicates : {"last", "first", "error", "any"}, default "last"
        Which update `set` keeps if several go to one place. Reductions take every update.
    wrap_negative_indices : bool, default True
        Whether negative indices count from the end. If false, they are out of range.
    device : str or Device, optional
        Where to compute: "cpu", the default, or a name from `devices`.

    Returns
    -------
    At
        An object to index in brackets. The methods of what that returns take the options, too.

    Notes
    -----
    The index is what NumPy takes: integers, integer arrays and sequences, which are broadcast
    together, slices, ``...``, ``None``, boolean arrays and booleans, in any mixture. The result has
    the shape and the bits of ``x[idx]``. Each index array has its own integer type. On the CPU,
    index arrays are read where they lie: they are neither stacked nor copied. To a device each is
    sent in its own type.

    Updates are broadcast to the indexed shape. They are cast to the dtype of `x` first, by the
    rule ``casting="same_kind"``; Python numbers and lists must fit it. The reductions are those of
    `scatter_nd`: every duplicate counts, in C order, and the result has the same bits at every
    number of threads. After an error `x` holds the bytes that it held before.

    Examples
    --------
    >>> import numpy as np
    >>> import gathernd as gnd
    >>> x = np.arange(12.0).reshape(3, 4)
    >>> i, j = np.array([0, 2, 0]), np.array([1, 3, 1])
    >>> gnd.at(x)[i, j].get()
    array([ 1., 11.,  1.])
    >>> gnd.at(x)[i, j].add(10)[0]
    array([ 0., 21.,  2.,  3.])
    >>> gnd.at(x)[x > 8] = 0
    >>> x[2]
    array([8., 0., 0., 0.])
    """
    return At(x, mode, duplicates, wrap_negative_indices, device)


class At(Generic[Array]):
    """An array, and how to index it: what `at` returns."""

    __slots__ = ("_array", "_options", "_target")

    __iter__ = None  # Python would iterate by __getitem__, which finds no end

    def __init__(
        self,
        x: Array,
        mode: Mode,
        duplicates: Duplicates,
        wrap_negative_indices: bool,
        device: Device | str | None,
    ) -> None:
        self._target = x
        self._array: Any = x if type(x) is np.ndarray else _as_target(x)
        self._options: _Options = (mode, duplicates, wrap_negative_indices, device)

    def __getitem__(self, index: Any) -> Indexed[Array]:
        return Indexed(self, index)

    def __setitem__(self, index: Any, updates: Any) -> None:
        if isinstance(updates, Indexed):  # and not the end of x[index] += ...
            raise TypeError(_NO_ARRAY)
        Indexed(self, index)._update("none", updates, False)

    def __array__(self, *args: Any, **kwargs: Any) -> NDArray[Any]:
        raise TypeError(_NOT_INDEXED)

    def __reduce__(self) -> tuple[Any, ...]:
        return At, (self._target, *self._options)

    def __repr__(self) -> str:
        return f"gathernd.at({self._target!r})"


class Indexed(Generic[Array]):
    """The elements of an array that an index expression selects: ``at(x)[index]``."""

    # What is selected is None until it is needed, where each call of C++ can find it anew.
    __slots__ = ("_at", "_index", "_selected", "_updated")

    def __init__(self, at: At[Array], index: Any) -> None:
        self._at = at
        self._index = index
        self._updated = False
        self._selected: Selection | None = self._select()

    @overload
    def get(self, *, out: None = None, **options: Unpack[_GetOptions]) -> Array: ...
    @overload
    def get(self, *, out: Out, **options: Unpack[_GetOptions]) -> Out: ...
    def get(
        self,
        *,
        mode: Mode | None = None,
        fill_value: Any = 0,
        wrap_negative_indices: bool | None = None,
        out: Any = None,
        device: Device | str | None = None,
    ) -> Any:
        """Return ``x[index]`` as a new array, or in `out`.

        Parameters
        ----------
        mode, wrap_negative_indices, device
            As in `at`, whose values are the defaults.
        fill_value : scalar, default 0
            What an index out of range selects in modes "fill" and "drop"; it must fit the dtype of
            `x`.
        out : ndarray, optional
            Where to put the result: of its exact shape and dtype.

        Returns
        -------
        ndarray or DeviceArray
            `out`, or a new array. It is an array even where NumPy returns a scalar.

        Raises
        ------
        IndexError
            An index is out of range; names the first one.
        ValueError
            `out` or an option does not fit.
        TypeError
            `fill_value` is of another kind, or x holds objects.
        """
        at = self._at
        x = at._array
        mode, _, wraps, device = _choose(at._options, mode, None, wrap_negative_indices, device)
        if type(x) is not np.ndarray or (out is not None and isinstance(out, DeviceArray)):
            from gathernd import _at_device

            mode = "fill" if mode == "drop" else mode
            return _at_device.get(
                self._selection, x,
                mode=mode, fill_value=fill_value, wrap_negative_indices=wraps, out=out,
                device=device,
            )  # fmt: skip
        fill = None
        if mode == "fill" or mode == "drop":
            mode, fill = "fill", as_fill(True, fill_value, x.dtype, "at: fill_value")
        place = CPU if device is None else find_device("at", device, x)[0]
        return at_get(x, self._selection, mode, fill, wraps, out, place)

    def plan(
        self,
        *,
        mode: Mode | None = None,
        wrap_negative_indices: bool | None = None,
        device: Device | str | None = None,
    ) -> IndexPlan:
        """Return an `IndexPlan`: the index checked and resolved once, to use often.

        For ``p = gnd.at(x)[index].plan()`` and any ``y`` of the shape of x:

        ============================= =================================================
        call                          what it does
        ============================= =================================================
        ``p.gather(y)``               ``y[index]``, as a new array
        ``p.scatter(y, u)``           a copy of ``y`` after ``y[index] = u``
        ``p.scatter(y, u, "add")``    a copy of ``y`` after ``np.add.at(y, index, u)``
        ``p.scatter(y, u, out=y)``    the first of the two in place
        ============================= =================================================

        Of x only the shape matters; the index arrays are read here and not kept. Updates are
        broadcast to ``p.updates_shape``, which is the shape of ``x[index]``, and cast by the rule
        "same_kind". All else is as `IndexPlan` has it.

        Parameters
        ----------
        mode, wrap_negative_indices, device
            As in `at`, whose values are the defaults. For arrays that lie on a device the index
            must be integers and integer arrays for the leading axes.

        Returns
        -------
        IndexPlan
            It can be pickled and copied, and used by several threads at once.

        Raises
        ------
        IndexError
            An index is out of range; names the first one.
        ValueError
            `at` was given `duplicates`, which is an argument of ``p.scatter``.

        Examples
        --------
        >>> import numpy as np
        >>> import gathernd as gnd
        >>> x = np.arange(12.0).reshape(3, 4)
        >>> i, j = np.array([0, 2, 0]), np.array([1, 3, 1])
        >>> plan = gnd.at(x)[i, j].plan()
        >>> plan.gather(10 * x)
        array([ 10., 110.,  10.])
        >>> plan.scatter(np.zeros(plan.shape), 1, "add")[0]
        array([0., 2., 0., 0.])
        """
        from gathernd._at_plan import AtPlan

        at = self._at
        mode, duplicates, wraps, device = _choose(
            at._options, mode, None, wrap_negative_indices, device
        )
        if duplicates != "last":
            raise ValueError("at: plan takes no duplicates; give them to its scatter")
        place, _ = find_device("at", device, at._array)
        return AtPlan(self._selection, mode, place, wraps)

    def set(
        self,
        updates: Any,
        *,
        copy: bool = True,
        mode: Mode | None = None,
        duplicates: Duplicates | None = None,
        wrap_negative_indices: bool | None = None,
        device: Device | str | None = None,
    ) -> Array:
        """Return a copy of x after ``x[index] = updates``.

        Parameters
        ----------
        updates : array_like
            The new values, broadcast to the indexed shape.
        copy : bool, default True
            Whether to leave x as it is and to return a copy. If false, x itself is changed and
            returned.
        mode, duplicates, wrap_negative_indices, device
            As in `at`, whose values are the defaults.

        Returns
        -------
        ndarray or DeviceArray
            The copy, or x.

        Raises
        ------
        IndexError
            An index is out of range; names the first one.
        ValueError
            `updates` cannot be broadcast; x is read-only; duplicates, where they are an error.
        TypeError
            `updates` cannot be cast by the rule "same_kind", or x holds objects.
        OverflowError
            A Python number in `updates` does not fit the dtype of x.
        """
        return self._update("none", updates, copy, mode, wrap_negative_indices, device, duplicates)

    def add(self, updates: Any, **options: Unpack[_ReductionOptions]) -> Array:
        """Return a copy of x with the updates added: ``np.add.at(x, index, updates)``.

        Every duplicate counts: another `duplicates` than "last" is a ValueError, as in
        `scatter_nd`. Other parameters, the result and the errors are those of `set`.
        """
        return self._reduce("add", updates, options)

    def subtract(self, updates: Any, **options: Unpack[_ReductionOptions]) -> Array:
        """Return a copy of x with the updates subtracted; see `add`."""
        return self._reduce("sub", updates, options)

    def multiply(self, updates: Any, **options: Unpack[_ReductionOptions]) -> Array:
        """Return a copy of x multiplied by the updates; see `add`."""
        return self._reduce("mul", updates, options)

    def min(self, updates: Any, **options: Unpack[_ReductionOptions]) -> Array:
        """Return a copy of x with the least of x and the updates; see `add`.

        NaN propagates, and -0.0 is below 0.0.
        """
        return self._reduce("min", updates, options)

    def max(self, updates: Any, **options: Unpack[_ReductionOptions]) -> Array:
        """Return a copy of x with the greatest of x and the updates; see `min`."""
        return self._reduce("max", updates, options)

    def bitwise_and(self, updates: Any, **options: Unpack[_ReductionOptions]) -> Array:
        """Return a copy of x with the bitwise "and" of x and the updates; see `add`."""
        return self._reduce("and", updates, options)

    def bitwise_or(self, updates: Any, **options: Unpack[_ReductionOptions]) -> Array:
        """Return a copy of x with the bitwise "or" of x and the updates; see `add`."""
        return self._reduce("or", updates, options)

    def bitwise_xor(self, updates: Any, **options: Unpack[_ReductionOptions]) -> Array:
        """Return a copy of x with the bitwise "xor" of x and the updates; see `add`."""
        return self._reduce("xor", updates, options)

    def __iadd__(self, updates: Any) -> Indexed[Array]:
        return self._update_in_place("add", updates)

    def __isub__(self, updates: Any) -> Indexed[Array]:
        return self._update_in_place("sub", updates)

    def __imul__(self, updates: Any) -> Indexed[Array]:
        return self._update_in_place("mul", updates)

    def __iand__(self, updates: Any) -> Indexed[Array]:
        return self._update_in_place("and", updates)

    def __ior__(self, updates: Any) -> Indexed[Array]:
        return self._update_in_place("or", updates)

    def __ixor__(self, updates: Any) -> Indexed[Array]:
        return self._update_in_place("xor", updates)

    def __array__(self, *args: Any, **kwargs: Any) -> NDArray[Any]:
        raise TypeError(_NO_ARRAY)

    def __reduce__(self) -> tuple[Any, ...]:
        return Indexed, (self._at, self._index)

    def __repr__(self) -> str:
        return f"{self._at!r}{self._selection.text}"

    @property
    def _selection(self) -> Selection:
        if self._selected is None:
            self._selected = self._select()
        return self._selected

    def _select(self) -> Selection:
        x = self._at._array
        if type(x) is np.ndarray:
            return select(x, self._index, _classify)
        from gathernd import _at_device

        return _at_device.select_on_device(x, self._index)

    def _update_in_place(self, reduction: str, updates: Any) -> Indexed[Array]:
        self._update(reduction, updates, copy=False)
        self._updated = True
        return self

    def _reduce(self, reduction: str, updates: Any, options: _ReductionOptions) -> Array:
        for name in options:
            if name not in _REDUCTION_OPTIONS:
                raise TypeError(f"at: an update has no option {name!r}")
        return self._update(reduction, updates, **options)

    def _update(
        self,
        reduction: str,
        updates: Any,
        copy: bool = True,
        mode: Mode | None = None,
        wrap_negative_indices: bool | None = None,
        device: Device | str | None = None,
        duplicates: Duplicates | None = None,
    ) -> Array:
        at = self._at
        x = at._array
        if not isinstance(copy, (bool, np.bool_)):
            raise TypeError(f"at: copy must be a bool, not {short_repr(copy)}")
        if reduction != "none" and duplicates is None:
            duplicates = "last"  # what `at` was given is for sets
        mode, duplicates, wraps, device = _choose(
            at._options, mode, duplicates, wrap_negative_indices, device
        )
        if mode == "fill":
            mode = "drop"
        s = self._selection
        if type(x) is not np.ndarray or isinstance(updates, DeviceArray):
            from gathernd import _at_device

            result: Any = _at_device.update(
                s,
                x,
                updates,
                reduction,
                mode=mode,
                duplicates=duplicates,
                wrap_negative_indices=wraps,
                copy=bool(copy),
                device=device,
            )
            return cast(Array, result)
        dtype = x.dtype
        is_ready = type(updates) is np.ndarray and updates.dtype is dtype
        rows = updates if is_ready else as_cast_updates(updates, dtype, "at: updates")
        place = CPU if device is None else find_device("at", device, x, rows)[0]
        if not copy:
            if x is not at._target:
                _check_writable(at._target)
            at_update(None, x, False, s, rows, reduction, mode, duplicates, wraps, place)
            return at._target
        y = new_like(x, not s.merges, not s.covers)  # what is merged lies in C order
        source = x if s.covers else None
        at_update(source, y, True, s, rows, reduction, mode, duplicates, wraps, place)
        return cast(Array, y)


refuse_operators(Indexed, _NO_ARRAY)
refuse_operators(Indexed, _NO_ARRAY, "complex float int len")
refuse_attributes(Indexed, _NO_ARRAY, "T all any astype copy dtype item mean ndim shape size sum")
refuse_operators(Indexed, _NOT_IN_PLACE, "ifloordiv ilshift imatmul imod ipow irshift itruediv")


def _choose(
    defaults: _Options,
    mode: Mode | None,
    duplicates: Duplicates | None,
    wrap_negative_indices: bool | None,
    device: Device | str | None,
) -> _Options:
    """Return the options of a call, which are those of `at` where it is given none."""
    return (
        defaults[0] if mode is None else mode,
        defaults[1] if duplicates is None else duplicates,
        defaults[2] if wrap_negative_indices is None else wrap_negative_indices,
        defaults[3] if device is None else device,
    )


def _classify(item: Any) -> Item:
    """Return an item of an index for an array of the host."""
    if isinstance(item, DeviceArray):
        raise TypeError(
            f"at: an index on {item.device.name} needs an array there; Device.asarray brings x to "
            "a device, i.numpy() the index to the host"
        )
    return classify(item)


def _as_target(x: Any) -> Any:
    if isinstance(x, (At, Indexed)):
        raise TypeError(_NO_ARRAY)
    if isinstance(x, DeviceArray):
        return x
    return as_input(x, "at: x")


def _check_writable(target: Any) -> None:
    """Raise TypeError for what is no memory that others can see, such as a list."""
    if not isinstance(target, np.ndarray) and not hasattr(target, "__dlpack_device__"):
        raise TypeError(
            f"at: an object of type {type(target).__name__} cannot be changed in place; make an "
            "array of it"
        )


if not TYPE_CHECKING:
    # Calls of plain arrays go straight to C++.
    at = at_entry(at, At, Indexed, _classify, _DEFAULTS)
