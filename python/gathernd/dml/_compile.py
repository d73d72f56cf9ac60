"""From a DirectML desc to an operator: the rules of DirectML, which are C++'s, on one device."""

from __future__ import annotations

from typing import overload

from gathernd import _core
from gathernd._arguments.convert import short_repr
from gathernd._devices import Device
from gathernd._devices.choice import find_device
from gathernd.dml._descs import (
    GatherND1OperatorDesc,
    GatherNDOperatorDesc,
    ScatterNDOperatorDesc,
)
from gathernd.dml._operators import GatherOperator, ScatterOperator
from gathernd.dml._tensors import describe

__all__ = ["compile"]

_NAMES = {
    GatherNDOperatorDesc: "GATHER_ND",
    GatherND1OperatorDesc: "GATHER_ND1",
    ScatterNDOperatorDesc: "SCATTER_ND",
}


@overload
def compile(
    desc: ScatterNDOperatorDesc, feature_level: str = "3.0", device: Device | str | None = None
) -> ScatterOperator: ...
@overload
def compile(
    desc: GatherNDOperatorDesc | GatherND1OperatorDesc,
    feature_level: str = "3.0",
    device: Device | str | None = None,
) -> GatherOperator: ...
def compile(
    desc: GatherNDOperatorDesc | GatherND1OperatorDesc | ScatterNDOperatorDesc,
    feature_level: str = "3.0",
    device: Device | str | None = None,
) -> GatherOperator | ScatterOperator:
    """Check a desc against DirectML's rules and make an operator of it.

    Parameters
    ----------
    desc : GatherNDOperatorDesc, GatherND1OperatorDesc or ScatterNDOperatorDesc
        What to compile.
    feature_level : str, default "3.0"
        From "2.0" to "6.4". At "2.1" tensors have 4 dimensions and indices are UINT32. From "3.0"
        there are GATHER_ND1, 1 to 8 dimensions, and indices of INT32, INT64 and UINT64 too, where
        negative ones count from the end. From "4.1" the data may be FLOAT64, INT64 and UINT64.
    device : str or Device, optional
        "cpu", the default, or "d3d12", "d3d12:0" ...: where the operator runs.

    Returns
    -------
    GatherOperator or ScatterOperator
        To be called with arrays or buffers.

    Raises
    ------
    ValueError
        A rule is broken; names the field, the rule and the values.
    TypeError
        `desc` is no operator desc, or `feature_level` no str.

    Examples
    --------
    >>> from gathernd import dml
    >>> tensor = dml.TensorDesc("FLOAT32", [8])
    >>> tuples = dml.TensorDesc("INT32", [4, 1])
    >>> updates = dml.TensorDesc("FLOAT32", [4])
    >>> op = dml.compile(dml.ScatterNDOperatorDesc(tensor, tuples, updates, tensor, 1, 2))
    >>> op([1, 2, 3, 4, 5, 6, 7, 8], [[4], [3], [1], [7]], [9, 10, 11, 12])
    array([ 1., 11.,  3., 10.,  9.,  6.,  7., 12.], dtype=float32)
    """
    if type(desc) not in _NAMES:
        raise TypeError(f"dml.compile: desc must be an operator desc, not {type(desc).__name__}")
    if not isinstance(feature_level, str):
        raise TypeError(
            f'dml.compile: feature_level must be a str like "3.0", not {short_repr(feature_level)}'
        )
    place, _ = find_device("dml.compile", device)
    fields = vars(desc).items()
    compiled = _core.dml_compile(
        _NAMES[type(desc)],
        [describe(value) for name, value in fields if name.endswith("_tensor")],
        [value for name, value in fields if name.endswith("_count")],
        feature_level,
        place,
    )
    if isinstance(desc, ScatterNDOperatorDesc):
        return ScatterOperator(desc, compiled)
    return GatherOperator(desc, compiled)
