"""ONNX's node tests of GatherND and ScatterND, from the package onnx (extra "conformance")."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest

from checks import assert_same_bits
from conftest import Backend

NAMES = (
    "test_gathernd_example_float32",
    "test_gathernd_example_int32",
    "test_gathernd_example_int32_batch_dim1",
    "test_scatternd",
    "test_scatternd_add",
    "test_scatternd_max",
    "test_scatternd_max_with_element_indices",
    "test_scatternd_min",
    "test_scatternd_min_with_element_indices",
    "test_scatternd_multiply",
)


@cache
def node_tests() -> dict[str, Any]:
    pytest.importorskip("onnx", reason='needs onnx: pip install "gathernd[conformance]"')
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Not collect_testcases: it makes the cases of all operators, which takes seconds.
        from onnx.backend.test.case import node
        from onnx.backend.test.case.node import gathernd, scatternd  # noqa: F401
    return {case.name: case for case in node._NodeTestCases}


def attributes(node: Any) -> dict[str, Any]:
    from onnx.helper import get_attribute_value

    values = {a.name: get_attribute_value(a) for a in node.attribute}
    return {name: v.decode() if isinstance(v, bytes) else v for name, v in values.items()}


def test_the_names_are_all() -> None:
    assert sorted(node_tests()) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_node(nd: Backend, name: str) -> None:
    case = node_tests()[name]
    node = case.model.graph.node[0]
    function = nd.gather_nd if node.op_type == "GatherND" else nd.scatter_nd
    for inputs, outputs in case.data_sets:
        result = function(*(np.asarray(x) for x in inputs), **attributes(node))
        assert_same_bits(result, np.asarray(outputs[0]))
