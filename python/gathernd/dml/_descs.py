"""DirectML's descs of operators: tensors, and how many of their dimensions count."""

from __future__ import annotations

from dataclasses import dataclass

from gathernd.dml._tensors import TensorDesc, uint

__all__ = ["GatherND1OperatorDesc", "GatherNDOperatorDesc", "ScatterNDOperatorDesc"]


@dataclass(frozen=True)
class GatherNDOperatorDesc:
    """``DML_GATHER_ND_OPERATOR_DESC``: ``output[...] = input[indices[...]]``.

    Parameters
    ----------
    input_tensor, indices_tensor, output_tensor : TensorDesc
        All of as many dimensions. The output's sizes, right-aligned, are those of the tuples, then
        what a tuple leaves of the input.
    input_dimension_count, indices_dimension_count : int
        How many trailing dimensions of the tensor count, at least 1; the others have size 1. The
        last size of the indices is the tuple length, from 1 to `input_dimension_count`.

    Examples
    --------
    >>> from gathernd import dml
    >>> table, rows = dml.TensorDesc("INT32", [2, 2]), dml.TensorDesc("UINT32", [1, 1])
    >>> row = dml.TensorDesc("INT32", [1, 2])
    >>> op = dml.compile(dml.GatherNDOperatorDesc(table, rows, row, 2, 2))
    >>> op([[1, 2], [3, 4]], [[1]])
    array([[3, 4]], dtype=int32)
    """

    input_tensor: TensorDesc
    indices_tensor: TensorDesc
    output_tensor: TensorDesc
    input_dimension_count: int
    indices_dimension_count: int

    def __post_init__(self) -> None:
        _check_fields(self)


@dataclass(frozen=True)
class GatherND1OperatorDesc:
    """``DML_GATHER_ND1_OPERATOR_DESC``, with batches; from feature level 3.0.

    ``output[batch, ...] = input[batch, indices[batch, ...], ...]``

    Parameters
    ----------
    input_tensor, indices_tensor, output_tensor : TensorDesc
        As in `GatherNDOperatorDesc`.
    input_dimension_count, indices_dimension_count : int
        As in `GatherNDOperatorDesc`; the batch is part of what they count.
    batch_dimension_count : int
        How many of the counting dimensions, from the left, input and indices share. Less than both
        counts.

    Examples
    --------
    One number of each row:

    >>> from gathernd import dml
    >>> table, places = dml.TensorDesc("INT32", [2, 2]), dml.TensorDesc("INT32", [2, 1])
    >>> numbers = dml.TensorDesc("INT32", [1, 2])
    >>> op = dml.compile(dml.GatherND1OperatorDesc(table, places, numbers, 2, 2, 1))
    >>> op([[1, 2], [3, 4]], [[-1], [0]])
    array([[2, 3]], dtype=int32)
    """

    input_tensor: TensorDesc
    indices_tensor: TensorDesc
    output_tensor: TensorDesc
    input_dimension_count: int
    indices_dimension_count: int
    batch_dimension_count: int

    def __post_init__(self) -> None:
        _check_fields(self)


@dataclass(frozen=True)
class ScatterNDOperatorDesc:
    """``DML_SCATTER_ND_OPERATOR_DESC``: ``output = input; output[indices[...]] = updates[...]``.

    Where tuples are equal the last update in C order stays; DirectML promises none.

    Parameters
    ----------
    input_tensor, indices_tensor, updates_tensor, output_tensor : TensorDesc
        The output has the input's sizes. The updates', right-aligned, are those of the tuples, then
        what a tuple leaves of the input. Indices and updates may have dimensions of another number.
    input_dimension_count, indices_dimension_count : int
        As in `GatherNDOperatorDesc`.

    Examples
    --------
    >>> from gathernd import dml
    >>> table, places = dml.TensorDesc("INT32", [4]), dml.TensorDesc("UINT32", [2, 1])
    >>> numbers = dml.TensorDesc("INT32", [2])
    >>> op = dml.compile(dml.ScatterNDOperatorDesc(table, places, numbers, table, 1, 2))
    >>> op([1, 2, 3, 4], [[3], [0]], [9, 8])
    array([8, 2, 3, 9], dtype=int32)
    """

    input_tensor: TensorDesc
    indices_tensor: TensorDesc
    updates_tensor: TensorDesc
    output_tensor: TensorDesc
    input_dimension_count: int
    indices_dimension_count: int

    def __post_init__(self) -> None:
        _check_fields(self)


def _check_fields(
    desc: GatherNDOperatorDesc | GatherND1OperatorDesc | ScatterNDOperatorDesc,
) -> None:
    for name, value in vars(desc).items():
        if name.endswith("_count"):
            object.__setattr__(desc, name, uint(name, value))
        elif not isinstance(value, TensorDesc):
            raise TypeError(f"{name} must be a TensorDesc, not {type(value).__name__}")
