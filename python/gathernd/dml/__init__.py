"""DirectML's GATHER_ND, GATHER_ND1 and SCATTER_ND as DirectML describes them.

The descs have the fields, the numbers and the rules of DirectML; a compiled operator computes what
DirectML would for indices in range, and raises IndexError where DirectML reads or writes astray.

Examples
--------
>>> import numpy as np
>>> from gathernd import dml
>>> table = dml.TensorDesc("FLOAT32", [2, 2])
>>> rows = dml.TensorDesc("UINT32", [2, 1])
>>> op = dml.compile(dml.GatherNDOperatorDesc(table, rows, table, 2, 2))
>>> op(np.array([[0, 1], [2, 3]], np.float32), np.array([[1], [0]], np.uint32))
array([[2., 3.],
       [0., 1.]], dtype=float32)
"""

# _tensors and _descs describe, _compile makes _operators of that. DirectML's rules are C++'s.
from gathernd.dml._compile import compile
from gathernd.dml._descs import (
    GatherND1OperatorDesc,
    GatherNDOperatorDesc,
    ScatterNDOperatorDesc,
)
from gathernd.dml._operators import GatherOperator, ScatterOperator
from gathernd.dml._tensors import DataType, TensorDesc

__all__ = [
    "DataType",
    "GatherND1OperatorDesc",
    "GatherNDOperatorDesc",
    "GatherOperator",
    "ScatterNDOperatorDesc",
    "ScatterOperator",
    "TensorDesc",
    "compile",
]
