"""What stands between the brackets of `at[...]`, by the rules of NumPy's indexing."""

from __future__ import annotations

import math
import operator
from types import EllipsisType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gathernd._arguments.convert import as_array

__all__ = ["Selection", "select"]

Shape: TypeAlias = tuple[int, ...]

_INT64 = np.iinfo(np.int64)


class Selection(NamedTuple):
    """The elements of an array that an index expression selects.

    First `basic` makes a view. Then tuple t of the arrays, broadcast to `outer`, picks from its
    `axes`. In the result, the dimensions of `outer` begin at `position`, among the other axes.
    """

    basic: tuple[slice | None, ...]
    merged: int  # dimensions that become one at axis axes[0] of the view, for a mask; 0: none
    axes: Shape
    arrays: tuple[NDArray[Any], ...]
    outer: Shape
    position: int
    names: tuple[str, ...]  # "i", ":", "j": of the items
    sources: Shape  # the axis of the array that each of `arrays` indexes
    sizes: Shape  # of those axes

    def view_of(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return the view whose `axes` the arrays index."""
        view = array[(*self.basic, ...)] if self.basic else array
        if self.merged == 0:
            return view
        first = self.axes[0]
        last = first + self.merged
        shape = view.shape
        return view.reshape(*shape[:first], math.prod(shape[first:last]), *shape[last:])

    @property
    def text(self) -> str:
        """The expression as messages show it: "[i, :, j]"."""
        return f"[{', '.join(self.names)}]"

    @property
    def covers(self) -> bool:
        """Whether the view has every element of the array."""
        return all(item is None or item == slice(None) for item in self.basic)

    def check_unused(self, wrap_negative_indices: bool) -> None:
        """Raise IndexError for an integer out of range where `outer` is empty, as NumPy does."""
        for k, (array, size) in enumerate(zip(self.arrays, self.sizes, strict=True)):
            least = -size if wrap_negative_indices else 0
            if array.ndim == 0 and not least <= array < size:
                raise IndexError(self._out_of_range(k, (), array))

    def describe_bad(self, position: int, component: int, bits: int) -> str:
        """Return the message for an index out of range; `bits`: its value as a signed integer."""
        array = self.arrays[component]
        value = bits + 2**64 if bits < 0 and array.dtype.kind == "u" else bits
        return self._out_of_range(component, self._place(position, array), value)

    def describe_value(self, component: int, array: NDArray[Any], position: int) -> str:
        """Return the message for an index out of range; `position`: in its own array."""
        place = np.unravel_index(position, array.shape)
        return self._out_of_range(component, place, array[place])

    def describe_duplicates(self, first: int, second: int) -> str:
        """Return the message for two positions that select one place."""
        places = (str(list(map(int, np.unravel_index(p, self.outer)))) for p in (first, second))
        return (
            f"at{self.text}: positions {' and '.join(places)} of the index select the same place "
            '(duplicates="error")'
        )

    def _place(self, position: int, array: NDArray[Any]) -> tuple[Any, ...]:
        """Return where in the array, before it was broadcast, a position of `outer` lies."""
        places = np.unravel_index(position, self.outer)[len(self.outer) - array.ndim :]
        return tuple(0 if n == 1 else p for p, n in zip(places, array.shape, strict=True))

    def _out_of_range(self, k: int, place: tuple[Any, ...], value: Any) -> str:
        where = f" in {_name(k)}{list(map(int, place))}" if place else ""
        return (
            f"at{self.text}: index {value}{where} is out of range for axis {self.sources[k]} of "
            f"size {self.sizes[k]}"
        )


def select(array: NDArray[Any], index: Any) -> Selection:
    """Return what `index` selects of the array: IndexError where NumPy raises it."""
    items = index if isinstance(index, tuple) else (index,)
    shape = array.shape
    if len(items) <= len(shape) and all(type(item) is int for item in items):
        count = len(items)
        axes = tuple(range(count))
        arrays = tuple(map(_integer, items, shape, axes))
        names = tuple(map(str, items))
        return Selection((), 0, axes, arrays, (), 0, names, axes, shape[:count])
    return _Parser(array, [_classify(item) for item in items]).selection()


# Items of an index expression: Ellipsis, None, slice, an integer or integer array, a mask, a bool.
_Item: TypeAlias = EllipsisType | slice | NDArray[Any] | bool | int | None


def _classify(item: Any) -> _Item:
    if item is None or item is Ellipsis or isinstance(item, slice):
        return item
    if isinstance(item, (bool, np.bool_)):
        return bool(item)
    if isinstance(item, (int, np.integer)):
        return int(item)
    if isinstance(item, (str, bytes)):
        raise IndexError(
            f"at: {item!r} is no index; of a structured array, take the field first: "
            f"gnd.at(x[{item!r}])"
        )
    if not isinstance(item, np.ndarray) and hasattr(item, "__index__") and not _has_shape(item):
        return operator.index(item)
    array = as_array(item, "at: an index")
    if array.size == 0 and not _has_shape(item):
        array = array.astype(np.int64)
    if array.dtype.kind == "b":
        return bool(array) if array.ndim == 0 else array
    if array.dtype.kind not in "iu":
        raise IndexError(
            f"at: an index must be an integer, an integer or boolean array, a slice, None or "
            f"..., not {_type_name(item, array)}"
        )
    return array


def _has_shape(item: Any) -> bool:
    return getattr(item, "shape", ()) != () or isinstance(item, np.ndarray)


def _type_name(item: Any, array: NDArray[Any]) -> str:
    if isinstance(item, (list, np.ndarray)):
        return f"an array of {array.dtype}"
    return type(item).__name__


def _integer(value: int, size: int, axis: int) -> NDArray[Any]:
    """Return a Python int as an index of 64 bits."""
    if not _INT64.min <= value <= _INT64.max:
        raise IndexError(f"at: index {value} is out of range for axis {axis} of size {size}")
    return np.array(value, np.int64)


class _Parser:
    """Walks over the items once, along the axes of the array."""

    def __init__(self, array: NDArray[Any], items: list[_Item]) -> None:
        self.array = array
        self.items = self._with_one_ellipsis(items)
        self.masks = sum(isinstance(item, np.ndarray) and item.dtype.kind == "b" for item in items)
        self.fancy = any(isinstance(item, (np.ndarray, bool)) for item in self.items)
        self.basic: list[slice | None] = []
        self.axes: list[int] = []
        self.arrays: list[NDArray[Any]] = []
        self.shapes: list[Shape] = []
        self.merged = 0
        self.names: list[str] = []
        self.sources: list[int] = []
        self.sizes: list[int] = []
        self.used = 0  # axes of the array

    def _with_one_ellipsis(self, items: list[_Item]) -> list[_Item]:
        count = sum(item is Ellipsis for item in items)
        if count > 1:
            raise IndexError("at: an index can only have a single ellipsis ('...')")
        used = sum(_consumed(item) for item in items)
        if used > self.array.ndim:
            raise IndexError(
                f"at: too many indices: the array has {self.array.ndim} dimensions, but {used} "
                "were indexed"
            )
        self.is_implied = count == 0
        return [*items, Ellipsis] if self.is_implied else items

    def selection(self) -> Selection:
        """Return what was parsed."""
        groups = 0  # runs of neighbouring array indices
        before = 0  # axes of the view ahead of the first of them that no array indexes
        inside = False
        for item in self.items:
            indexes = isinstance(item, (np.ndarray, bool, int))
            if indexes and not inside:
                groups += 1
                before = len(self.basic) - len(self.axes) if groups == 1 else before
            inside = indexes
            self._take(item)
        try:
            outer = np.broadcast_shapes(*self.shapes)
        except ValueError:
            shapes = " ".join(map(str, self.shapes))
            raise IndexError(
                f"at: shape mismatch: indexing arrays could not be broadcast together with shapes "
                f"{shapes}"
            ) from None
        if self.is_implied:
            self.names.pop()
        return Selection(
            tuple(self.basic),
            self.merged,
            tuple(self.axes),
            tuple(self.arrays),
            outer,
            before if groups == 1 else 0,
            tuple(self.names),
            tuple(self.sources),
            tuple(self.sizes),
        )

    def _take(self, item: _Item) -> None:
        if item is None:
            self.basic.append(None)
            self.names.append("None")
        elif item is Ellipsis:
            rest = self.array.ndim - sum(_consumed(other) for other in self.items)
            self.basic += [slice(None)] * rest
            self.used += rest
            self.names.append("...")
        elif isinstance(item, slice):
            self.basic.append(item)
            self.used += 1
            self.names.append(":")
        elif isinstance(item, bool):
            self.shapes.append((int(item),))
            self.names.append(str(item))
        elif isinstance(item, int):
            self._index(_integer(item, self.array.shape[self.used], self.used))
        elif item.dtype.kind == "b":
            self._mask(item)
        else:
            self._index(item)

    def _index(self, array: NDArray[Any], axes: int = 1) -> None:
        """Take an integer array for the next axis, or for several that are merged."""
        self.sources.append(self.used)
        self.sizes.append(math.prod(self.array.shape[self.used : self.used + axes]))
        self.axes.append(len(self.basic))
        self.arrays.append(array)
        self.shapes.append(array.shape)
        self.basic += [slice(None)] * axes
        self.used += axes
        self.names.append(_name(len(self.arrays) - 1) if array.ndim else str(array))

    def _mask(self, mask: NDArray[Any]) -> None:
        axes = range(self.used, self.used + mask.ndim)
        for axis, size in zip(axes, mask.shape, strict=True):
            if self.array.shape[axis] != size:
                raise IndexError(
                    f"at: boolean index did not match indexed array along axis {axis}; size of "
                    f"axis is {self.array.shape[axis]} but size of corresponding boolean axis is "
                    f"{size}"
                )
        if self.masks == 1 and not self.arrays and self._is_one_run(axes):
            self.merged = mask.ndim
            self._index(np.flatnonzero(mask), mask.ndim)
            return
        for array in np.nonzero(mask):
            self._index(array)

    def _is_one_run(self, axes: range) -> bool:
        """Whether the elements along the axes lie as along one: they can be counted as one."""
        others = [item for item in self.items if isinstance(item, (np.ndarray, int))]
        shape, strides = self.array.shape, self.array.strides
        return len(others) == 1 and all(
            strides[axis] == shape[axis + 1] * strides[axis + 1] for axis in axes[:-1]
        )


def _consumed(item: _Item) -> int:
    """Return how many axes an item indexes."""
    if isinstance(item, np.ndarray) and item.dtype.kind == "b":
        return item.ndim
    return int(isinstance(item, (slice, np.ndarray, int)) and not isinstance(item, bool))


def _name(k: int) -> str:
    """Return what messages call the k-th array."""
    letters = "ijklmnpqrstuvw"
    return letters[k] if k < len(letters) else f"i{k}"
