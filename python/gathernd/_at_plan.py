"""Plans of an index expression: what `Indexed.plan` returns."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from gathernd import _core
from gathernd._arguments.convert import as_cast_updates, as_fill, as_input
from gathernd._arguments.index_expression import Selection, select
from gathernd._arguments.options import Duplicates, Mode, Reduction
from gathernd._at_device import spread
from gathernd._devices import DeviceArray
from gathernd._index_plan import IndexPlan
from gathernd._scatter import scatter_nd

__all__ = ["AtPlan"]


class AtPlan(IndexPlan):
    """An IndexPlan whose tuples and views come from an index expression."""

    def __init__(self, selection: Selection, mode: Mode, device: str, wraps: bool) -> None:
        self._device = device
        self._fills = mode in ("fill", "drop")
        self._at, self._plan = _core.make_at_plan(selection, mode, device, wraps)

    def _gather(self, input: Any, fill_value: Any, out: Any) -> NDArray[Any] | DeviceArray:
        if DeviceArray in (type(input), type(out)):
            self._check_plain()
            return super()._gather(input, fill_value, out)
        source = as_input(input, "gather_nd: input")
        return self._at.gather(
            self._plan, source, as_fill(self._fills, fill_value, source.dtype), out
        )

    def _scatter(
        self, input: Any, updates: Any, reduction: Reduction, duplicates: Duplicates, out: Any
    ) -> NDArray[Any] | DeviceArray:
        if DeviceArray in (type(input), type(updates), type(out)):
            self._check_plain()
            there = self._repeat(updates, input, reduction)
            return super()._scatter(input, there, reduction, duplicates, out)
        x = as_input(input, "scatter_nd: input")
        rows = as_cast_updates(updates, x.dtype, "scatter_nd: updates")
        if out is None:
            return self._make(x, rows, reduction, duplicates)
        if out is input or self._at.covers:
            source = None if out is input else x
            self._at.scatter(self._plan, source, out, False, rows, reduction, duplicates)
            return cast(NDArray[Any], out)
        y = self._make(x, rows, reduction, duplicates)
        nothing = np.empty((0, *y.shape), y.dtype)
        return cast(NDArray[Any], scatter_nd(y, np.empty((0, 0), np.int64), nothing, out=out))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the arrays that the plan is for."""
        return self._at.shape

    @property
    def updates_shape(self) -> tuple[int, ...]:
        """The shape of what the expression selects."""
        return self._at.updates_shape

    def __getstate__(self) -> dict[str, Any]:
        """Return what makes the plan again: the expression, with the indices that it resolved."""
        plan = self._plan
        narrow = np.min_scalar_type(max(self.shape, default=0))
        tuples = plan.restore_indices().astype(narrow, copy=False)
        index = self._at.expression([tuples[..., k] for k in range(tuples.shape[-1])])
        made = (self.shape, index, plan.mode, self._device, plan.wrap_negative_indices)
        state = self.__dict__ | {"_plan": made}
        del state["_at"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make the plan again, on the device of the same name."""
        shape, index, *options = state["_plan"]
        self.__dict__.update(state)
        self._at, self._plan = _core.make_at_plan(select_of_shape(shape, index), *options)

    def __repr__(self) -> str:
        return f"IndexPlan(shape={self.shape}, index={self._at.text})"

    def _make(
        self, x: NDArray[Any], rows: NDArray[Any], reduction: Reduction, duplicates: Duplicates
    ) -> NDArray[Any]:
        covers = self._at.covers
        y = _core.new_like(x, True, not covers)
        source = x if covers else None
        self._at.scatter(self._plan, source, y, True, rows, reduction, duplicates)
        return y

    def _check_plain(self) -> None:
        """Raise TypeError for an array on a device where the expression needs a view of it."""
        if not self._at.is_plain:
            raise TypeError(
                f"at{self._at.text}: on a device an index must be integers and integer arrays for "
                "the leading axes; x.numpy() brings the array to the host"
            )

    def _repeat(self, updates: Any, input: Any, reduction: str) -> Any:
        """Return updates of the full shape, if they lie on the host."""
        if isinstance(updates, DeviceArray):
            return updates
        dtype = input.dtype if hasattr(input, "dtype") else np.asarray(input).dtype
        rows = as_cast_updates(updates, dtype, "scatter_nd: updates")
        return spread(rows, self.updates_shape, reduction)


def select_of_shape(shape: tuple[int, ...], index: Any) -> Selection:
    """Return what the index selects of an array of that shape."""
    return select(np.broadcast_to(np.empty((), np.uint8), shape), index)
