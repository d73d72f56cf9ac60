"""DirectML's tensors. The rules on their values are C++'s; here are names, and the integers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import DTypeLike

from gathernd import _core
from gathernd._arguments.convert import as_integer, short_repr

__all__ = ["DataType", "TensorDesc", "describe", "uint"]


class DataType(IntEnum):
    """The element types, with the numbers of ``DML_TENSOR_DATA_TYPE``.

    Examples
    --------
    >>> from gathernd import dml
    >>> dml.DataType.FLOAT16.dtype, int(dml.DataType.FLOAT16)
    (dtype('float16'), 2)
    """

    FLOAT32 = 1
    FLOAT16 = 2
    UINT32 = 3
    UINT16 = 4
    UINT8 = 5
    INT32 = 6
    INT16 = 7
    INT8 = 8
    FLOAT64 = 9
    UINT64 = 10
    INT64 = 11

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype of the same elements."""
        return np.dtype(self.name.lower())


@dataclass(frozen=True, init=False)
class TensorDesc:
    """A tensor in a buffer: ``DML_BUFFER_TENSOR_DESC``.

    Parameters
    ----------
    data_type : DataType, int, str or dtype
        ``"FLOAT32"``, a `DataType` or its number, or a NumPy dtype.
    sizes : sequence of int
        From 1 to 8 sizes of at least 1; their number is DirectML's DimensionCount.
    strides : sequence of int, optional
        In elements, as many as sizes; packed if None. 0 repeats an input. The elements of an
        output, and of SCATTER_ND's indices, must not overlap.
    total_tensor_size_in_bytes : int, optional
        At least up to the last element, rounded up to a multiple of 4: the default.
    flags : int, default 0
        ``DML_TENSOR_FLAGS``: 0 or 1 (owned by DML); of no effect here.
    guaranteed_base_offset_alignment : int, default 0
        0 or a power of two that is not below the size of an element; of no effect here.

    Raises
    ------
    ValueError
        There is no such data type, or a number does not fit DirectML's unsigned field. The other
        rules are checked by `compile`.
    TypeError
        A number is not an integer.

    Examples
    --------
    >>> from gathernd import dml
    >>> dml.TensorDesc("UINT8", [3, 5], strides=[8, 1]).nbytes
    24
    """

    data_type: DataType
    sizes: tuple[int, ...]
    strides: tuple[int, ...] | None
    total_tensor_size_in_bytes: int | None
    flags: int
    guaranteed_base_offset_alignment: int

    def __init__(
        self,
        data_type: DataType | int | str | DTypeLike,
        sizes: Iterable[SupportsIndex],
        strides: Iterable[SupportsIndex] | None = None,
        total_tensor_size_in_bytes: SupportsIndex | None = None,
        flags: SupportsIndex = 0,
        guaranteed_base_offset_alignment: SupportsIndex = 0,
    ) -> None:
        total = total_tensor_size_in_bytes
        fields = {
            "data_type": _data_type(data_type),
            "sizes": _uints("sizes", sizes),
            "strides": None if strides is None else _uints("strides", strides),
            "total_tensor_size_in_bytes": (
                None if total is None else uint("total_tensor_size_in_bytes", total, 64)
            ),
            "flags": uint("flags", flags),
            "guaranteed_base_offset_alignment": uint(
                "guaranteed_base_offset_alignment", guaranteed_base_offset_alignment
            ),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype of the elements."""
        return self.data_type.dtype

    @property
    def nbytes(self) -> int:
        """What a buffer must hold: the total size, or ``DMLCalcBufferTensorSize`` if None."""
        total = self.total_tensor_size_in_bytes
        return _core.dml_buffer_size(describe(self)) if total is None else total


def describe(tensor: TensorDesc) -> _core.DmlTensor:
    """Return the tensor's fields as C++ takes them."""
    return (
        int(tensor.data_type),
        tensor.sizes,
        tensor.strides,
        tensor.total_tensor_size_in_bytes,
        tensor.flags,
        tensor.guaranteed_base_offset_alignment,
    )


def _data_type(value: Any) -> DataType:
    if isinstance(value, (int, np.integer, np.bool_)):
        number = uint("data_type", value)
        if number not in set(DataType):
            raise ValueError(f"data_type {number} is not the number of a data type (1 to 11)")
        return DataType(number)
    name = value.upper() if isinstance(value, str) else ""
    if name not in DataType.__members__ and value is not None:
        name = _dtype_name(value)
    if name not in DataType.__members__:
        names = ", ".join(DataType.__members__)
        raise ValueError(f"data_type {short_repr(value)} is none of {names}")
    return DataType[name]


def _dtype_name(value: Any) -> str:
    """Return a NumPy dtype's name in capitals, or "" where there is no such dtype here."""
    try:
        dtype = np.dtype(value)
    except (TypeError, ValueError, SyntaxError):
        return ""
    return dtype.name.upper() if dtype.isnative else ""


def uint(name: str, value: Any, bits: int = 32) -> int:
    """Return an unsigned field's value as a Python int: TypeError, ValueError."""
    number = as_integer(value, name)
    if not 0 <= number < 2**bits:
        raise ValueError(f"{name} must be from 0 to 2**{bits} - 1, not {short_repr(number)}")
    return number


def _uints(name: str, values: Iterable[SupportsIndex]) -> tuple[int, ...]:
    if not isinstance(values, Iterable):
        raise TypeError(f"{name} must be integers in a sequence, not {short_repr(values)}")
    return tuple(uint(name, value) for value in values)
