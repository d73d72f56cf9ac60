"""Compiled DirectML operators: arrays or flat buffers in, the output tensor out."""

from __future__ import annotations

from typing import Any, Generic, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from gathernd import _core
from gathernd._arguments.array_like import ArrayLike
from gathernd._arguments.convert import as_array, as_updates, check_integers
from gathernd._devices import DeviceArray
from gathernd.dml._descs import (
    GatherND1OperatorDesc,
    GatherNDOperatorDesc,
    ScatterNDOperatorDesc,
)

__all__ = ["GatherOperator", "ScatterOperator"]

GatherDesc = GatherNDOperatorDesc | GatherND1OperatorDesc
Desc = TypeVar("Desc", bound=GatherDesc | ScatterNDOperatorDesc)


def _host(value: Any, dtype: np.dtype[Any], what: str) -> NDArray[Any]:
    _check_host(value, what)
    return as_updates(value, dtype, what)


def _host_indices(value: Any, dtype: np.dtype[Any], what: str) -> NDArray[Any]:
    array = _host(value, dtype, what)
    if isinstance(value, (list, tuple, bool)):
        check_integers(value, what)
    return array


def _buffer(value: Any, what: str) -> NDArray[Any]:
    _check_host(value, what)
    return as_array(value, what)


def _check_host(value: Any, what: str) -> None:
    if isinstance(value, DeviceArray):
        raise TypeError(f"{what} must be an array of the host, not a DeviceArray; use x.numpy()")


class _Operator(Generic[Desc]):
    def __init__(self, desc: Desc, compiled: _core.DmlOperator) -> None:
        self.desc = desc
        self._compiled = compiled

    def __repr__(self) -> str:
        return f"<compiled {self.desc!r}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"a {type(self).__name__} cannot be copied or pickled: compile its desc again"
        )


class GatherOperator(_Operator[GatherDesc]):
    """A compiled GATHER_ND or GATHER_ND1; made by `compile`, usable any number of times.

    Attributes
    ----------
    desc : GatherNDOperatorDesc or GatherND1OperatorDesc
        What was compiled.

    Examples
    --------
    >>> import numpy as np
    >>> from gathernd import dml
    >>> table, places = dml.TensorDesc("UINT8", [1, 4]), dml.TensorDesc("UINT32", [1, 1])
    >>> rows = dml.TensorDesc("UINT8", [1, 1])
    >>> op = dml.compile(dml.GatherNDOperatorDesc(table, places, rows, 1, 2))
    >>> op([5, 6, 7, 8], [[2]])
    array([[7]], dtype=uint8)
    >>> output = np.zeros(4, np.uint8)
    >>> op.run_buffers(np.uint8([5, 6, 7, 8]), np.uint8([2, 0, 0, 0]), output)
    >>> output
    array([7, 0, 0, 0], dtype=uint8)
    """

    def __call__(
        self, input: ArrayLike, indices: ArrayLike, out: NDArray[Any] | None = None
    ) -> NDArray[Any]:
        """Gather from an array; the strides of the descs do not matter here.

        Parameters
        ----------
        input, indices : array_like
            Of the desc's types, and of its sizes with or without the ignored leading 1s.
        out : ndarray, optional
            Where to put the result, of the output tensor's type and sizes.

        Returns
        -------
        ndarray
            `out`, or a new array of the output tensor's sizes, leading 1s included.

        Raises
        ------
        IndexError
            An index is out of range; its position and axis count from the first dimension that is
            not ignored. Nothing was written.
        ValueError
            An array has other sizes; `out` is read-only or overlaps itself.
        TypeError
            An array has another type, or lies on a device.
        OverflowError
            A Python number does not fit its tensor's type.
        """
        desc = self.desc
        source = _host(input, desc.input_tensor.dtype, "op: input")
        tuples = _host_indices(indices, desc.indices_tensor.dtype, "op: indices")
        return self._compiled.run(source, tuples, None, out)

    def run_buffers(self, input: NDArray[Any], indices: NDArray[Any], output: NDArray[Any]) -> None:
        """Gather between buffers that are laid out as the descs say.

        Parameters
        ----------
        input, indices, output : ndarray of uint8
            One-dimensional and contiguous, of at least the tensors' `TensorDesc.nbytes`. Bytes of
            `output` that belong to no element stay as they are.

        Raises
        ------
        IndexError
            An index is out of range. Nothing was written.
        ValueError
            A buffer is too short or read-only.
        TypeError
            A buffer is not a one-dimensional array of uint8.
        """
        self._compiled.run_buffers(
            _buffer(input, "run_buffers: input"),
            _buffer(indices, "run_buffers: indices"),
            None,
            output,
        )


class ScatterOperator(_Operator[ScatterNDOperatorDesc]):
    """A compiled SCATTER_ND; made by `compile`, usable any number of times.

    Attributes
    ----------
    desc : ScatterNDOperatorDesc
        What was compiled.

    Examples
    --------
    >>> import numpy as np
    >>> from gathernd import dml
    >>> table, places = dml.TensorDesc("UINT8", [4]), dml.TensorDesc("UINT32", [1, 1])
    >>> rows = dml.TensorDesc("UINT8", [1])
    >>> op = dml.compile(dml.ScatterNDOperatorDesc(table, places, rows, table, 1, 2))
    >>> op([5, 6, 7, 8], [[2]], [9])
    array([5, 6, 9, 8], dtype=uint8)
    >>> table, places = np.uint8([5, 6, 7, 8]), np.uint8([2, 0, 0, 0])
    >>> op.run_buffers(table, places, np.uint8([9, 0, 0, 0]), table)
    >>> table
    array([5, 6, 9, 8], dtype=uint8)
    """

    def __call__(
        self,
        input: ArrayLike,
        indices: ArrayLike,
        updates: ArrayLike,
        out: NDArray[Any] | None = None,
    ) -> NDArray[Any]:
        """Scatter into a copy of an array; the strides of the descs do not matter here.

        Parameters
        ----------
        input, indices, updates : array_like
            Of the desc's types, and of its sizes with or without the ignored leading 1s.
        out : ndarray, optional
            Where to put the result, of the output tensor's type and sizes. ``out=input`` works in
            place.

        Returns
        -------
        ndarray
            `out`, or a new array of the output tensor's sizes, leading 1s included.

        Raises
        ------
        IndexError, ValueError, TypeError, OverflowError
            As in `GatherOperator`.
        """
        desc = self.desc
        target = _host(input, desc.input_tensor.dtype, "op: input")
        tuples = _host_indices(indices, desc.indices_tensor.dtype, "op: indices")
        rows = _host(updates, desc.updates_tensor.dtype, "op: updates")
        return self._compiled.run(target, tuples, rows, out)

    def run_buffers(
        self,
        input: NDArray[Any],
        indices: NDArray[Any],
        updates: NDArray[Any],
        output: NDArray[Any],
    ) -> None:
        """Scatter between buffers that are laid out as the descs say.

        Parameters
        ----------
        input, indices, updates, output : ndarray of uint8
            One-dimensional and contiguous, of at least the tensors' `TensorDesc.nbytes`. Bytes of
            `output` that belong to no element stay as they are.

        Raises
        ------
        IndexError, ValueError, TypeError
            As in `GatherOperator.run_buffers`.
        """
        self._compiled.run_buffers(
            _buffer(input, "run_buffers: input"),
            _buffer(indices, "run_buffers: indices"),
            _buffer(updates, "run_buffers: updates"),
            output,
        )
