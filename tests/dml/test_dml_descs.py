"""The fields of DirectML's descs: what they take, and what they make of it."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from gathernd import dml

FIELDS = [field.name for field in dataclasses.fields(dml.TensorDesc)]


def test_descs_do_not_change() -> None:
    tensor = dml.TensorDesc("f4", [3])
    assert len({tensor, dml.TensorDesc("f4", [3])}) == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        tensor.flags = 1  # type: ignore[misc]


def test_tensor_desc_is_normalised() -> None:
    tensor = dml.TensorDesc(np.float32, np.array([2, 3]), [8, 1])
    assert tensor == dml.TensorDesc(dml.DataType.FLOAT32, (2, 3), (8, 1))
    assert (tensor.data_type, tensor.sizes, tensor.dtype) == (1, (2, 3), np.dtype("f4"))
    assert tensor.nbytes == 44
    assert dml.TensorDesc("uint8", [3]).nbytes == 4
    for total in (9, 0, 2**40):
        assert dml.TensorDesc("uint8", [3], total_tensor_size_in_bytes=total).nbytes == total
    assert [kind.dtype.name.upper() for kind in dml.DataType] == [k.name for k in dml.DataType]


@pytest.mark.parametrize(
    ("error", "arguments"),
    [
        (ValueError, (0, [1])),
        (ValueError, (12, [1])),
        (ValueError, ("complex64", [1])),
        (ValueError, (">f4", [1])),
        (ValueError, (None, [1])),
        (ValueError, (3.0, [1])),
        (ValueError, (np.int64(12), [1])),
        (TypeError, (True, [1])),
        (TypeError, (np.True_, [1])),
        (ValueError, ("f4", [-1])),
        (ValueError, ("f4", [2**32])),
        (ValueError, ("f4", [1], [-1])),
        (ValueError, ("f4", [1], None, -4)),
        (ValueError, ("f4", [1], None, 2**64)),
        (TypeError, ("f4", None)),
        (TypeError, ("f4", [1.0])),
        (TypeError, ("f4", [True])),
        (TypeError, ("f4", 3)),
        (ValueError, ("f4", [10**5000])),
        (TypeError, ("f4", [1], None, None, True)),
        (TypeError, ("f4", [1], None, None, 0, 1.0)),
    ],
)
def test_fields_of_a_tensor(error: type[Exception], arguments: tuple[Any, ...]) -> None:
    with pytest.raises(error, match=f"^({'|'.join(FIELDS)}) .*"):
        dml.TensorDesc(*arguments)


def test_data_types() -> None:
    for given in (np.int64(1), 1, "float32", "Float32", "f4", np.float32, dml.DataType.FLOAT32):
        assert dml.TensorDesc(given, [1]).data_type is dml.DataType.FLOAT32
    with pytest.raises(ValueError, match="data_type 'FLOAT31' is none of FLOAT32, FLOAT16"):
        dml.TensorDesc("FLOAT31", [1])
    for wrong in ("f4,,", "(2,", [("a", "f4"), ("a", "f4")], "x" * 10**5):
        with pytest.raises(ValueError, match=r"^data_type .* is none of FLOAT32") as caught:
            dml.TensorDesc(wrong, [1])
        assert len(str(caught.value)) < 500


def test_fields_of_a_desc() -> None:
    tensor = dml.TensorDesc("f4", [3])
    desc = dml.GatherNDOperatorDesc(tensor, tensor, tensor, 1, 1)
    with pytest.raises(TypeError, match="indices_tensor must be a TensorDesc, not list"):
        dml.GatherNDOperatorDesc(tensor, [3], tensor, 1, 1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="input_dimension_count must be from 0"):
        dml.GatherNDOperatorDesc(tensor, tensor, tensor, -1, 1)
    says = r"^dml\.compile: desc must be an operator desc, not TensorDesc$"
    with pytest.raises(TypeError, match=says):
        dml.compile(tensor)  # type: ignore[call-overload]
    says = r'^dml\.compile: feature_level must be a str like "3\.0", not 3\.0$'
    with pytest.raises(TypeError, match=says):
        dml.compile(desc, 3.0)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="not a number of more than 128 bits"):
        dml.compile(desc, 10**5000)  # type: ignore[call-overload]

    class Derived(dml.GatherNDOperatorDesc):
        pass

    with pytest.raises(TypeError, match="must be an operator desc, not Derived"):
        dml.compile(Derived(tensor, tensor, tensor, 1, 1))
