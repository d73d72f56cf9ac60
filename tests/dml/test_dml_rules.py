"""Each rule on descs has its own error; DirectML's own refusals are refused here too."""

from __future__ import annotations

from typing import Any

import pytest

from dml_cases import LEVEL, Desc, invalid_desc, load_invalid, make_desc
from gathernd import dml

TENSORS: dict[str, tuple[str, list[int]]] = {
    "input": ("FLOAT32", [1, 1, 3, 4]),
    "indices": ("UINT32", [1, 1, 2, 1]),
    "updates": ("FLOAT32", [1, 1, 2, 4]),
    "output": ("FLOAT32", [1, 1, 2, 4]),
}
COUNTS = ("input_dimension_count", "indices_dimension_count", "batch_dimension_count")
LEVELS = ["2.0", "2.1", "3.0", "3.1", "4.0", "4.1", "5.0", "5.1", "5.2"]
LEVELS += ["6.0", "6.1", "6.2", "6.3", "6.4"]


def desc(op: str, counts: tuple[int, ...] = (2, 2, 0), **changes: Any) -> Desc:
    """A valid desc, then the changes: a tensor's sizes, or all its arguments from the type on."""
    tensors: dict[str, tuple[Any, ...]] = dict(TENSORS)
    if op == "SCATTER_ND":
        tensors["output"] = tensors["input"]
    else:
        del tensors["updates"]
    for name, change in changes.items():
        given = change if isinstance(change, tuple) else (tensors[name][0], change)
        tensors[name] = given
    made = [dml.TensorDesc(*arguments) for arguments in tensors.values()]
    return make_desc(op, made, dict(zip(COUNTS, counts, strict=True)))


def refuses(match: str, desc: Desc, level: str = LEVEL) -> None:
    with pytest.raises(ValueError, match=match):
        dml.compile(desc, level)


# What DirectML takes and this library does not.
REFUSED_HERE = {793: "the same batch"}


@pytest.mark.parametrize("case", load_invalid(), ids=lambda case: str(case["id"]))
def test_directml_verdicts(case: dict[str, Any]) -> None:
    if case["result"] == "accepted" and case["id"] not in REFUSED_HERE:
        dml.compile(invalid_desc(case), LEVEL)
        return
    with pytest.raises((ValueError, TypeError), match=REFUSED_HERE.get(case["id"])):
        dml.compile(invalid_desc(case), LEVEL)


def test_a_tuple_that_crashes_directml() -> None:
    refuses("tuple length, must be at most 2, not 3", desc("SCATTER_ND", indices=[1, 1, 2, 3]))


@pytest.mark.parametrize("op", ["GATHER_ND", "GATHER_ND1", "SCATTER_ND"])
def test_operator_and_types_by_level(op: str) -> None:
    first = "3.0" if op == "GATHER_ND1" else "2.1"
    for level in LEVELS:
        if level < first:
            refuses(f"{op}: needs feature level {first}; this is {level}", desc(op), level)
            continue
        dml.compile(desc(op), level)
        for kind in ("INT32", "INT64", "UINT64"):
            signed = desc(op, indices=(kind, [1, 1, 2, 1]))
            if level == "2.1":
                refuses(f"indices_tensor.data_type must be one of UINT32 .* {kind}", signed, level)
            else:
                dml.compile(signed, level)
        for kind in ("FLOAT64", "INT64", "UINT64"):
            names = {"input", "output"} | ({"updates"} if op == "SCATTER_ND" else set())
            sizes = {name: desc(op).__dict__[f"{name}_tensor"].sizes for name in names}
            wide = desc(op, **{name: (kind, sizes[name]) for name in names})
            if level < "4.1":
                refuses(f"input_tensor.data_type {kind} needs feature level 4.1", wide, level)
            else:
                dml.compile(wide, level)


def test_dimension_counts_by_level() -> None:
    short = desc("GATHER_ND", input=[3, 4], indices=[2, 1], output=[2, 4])
    refuses("input_tensor.sizes must have 4 dimensions at feature level 2.1, not 2", short, "2.1")
    dml.compile(short, "3.0")


def test_level_by_default() -> None:
    dml.compile(desc("GATHER_ND1"))
    wide = desc("GATHER_ND", input=("FLOAT64", [1, 1, 3, 4]), output=("FLOAT64", [1, 1, 2, 4]))
    with pytest.raises(ValueError, match=r"needs feature level 4\.1; this is 3\.0"):
        dml.compile(wide)


def test_levels_by_name() -> None:
    refuses('feature_level must be one of "2.0", .*, "6.4", not "1.0"', desc("GATHER_ND"), "1.0")


@pytest.mark.parametrize(
    ("match", "changes"),
    [
        (r"input_tensor.sizes must have 1 to 8 dimensions, not 0", {"input": []}),
        (r"output_tensor.sizes must have 1 to 8 dimensions, not 9", {"output": [1] * 9}),
        (
            r"input_tensor.sizes must be at least 1 each, not \[1, 1, 0, 4\]",
            {"input": [1, 1, 0, 4]},
        ),
        (r"fewer than 2\*\*32 elements", {"input": [1, 1, 65536, 65536]}),
        (
            r"input_tensor.sizes must be 1 before the last 2 .*\[2, 1, 3, 4\]",
            {"input": [2, 1, 3, 4]},
        ),
        (r"indices_tensor.sizes must be 1 before the last 2", {"indices": [1, 2, 2, 1]}),
        (r"indices_tensor.sizes must have as many .*\(4\), not 3", {"indices": [1, 2, 1]}),
        (r"output_tensor.sizes must be \[2, 4\] after leading 1s", {"output": [1, 1, 2, 5]}),
        (r"output_tensor.sizes must be \[2, 4\] after leading 1s", {"output": [2, 1, 2, 4]}),
        (r"tuple length, must be at most 2, not 3", {"indices": [1, 1, 2, 3]}),
        (r"must be input_tensor's, FLOAT32, not INT32", {"output": ("INT32", [1, 1, 2, 4])}),
        (r"indices_tensor.data_type must be one of", {"indices": ("INT16", [1, 1, 2, 1])}),
        (
            r"strides must have one number per size \(4\), not \[4, 1\]",
            {"input": ("f4", [1, 1, 3, 4], [4, 1])},
        ),
        (r"strides must have .* \(4\), not \[\]", {"input": ("f4", [1, 1, 3, 4], [])}),
        (r"at least 48, .* not 47", {"input": ("f4", [1, 1, 3, 4], None, 47)}),
        (r"at least 12, .* rounded up to 4, not 11", {"input": ("u1", [1, 1, 3, 4], None, 11)}),
        (r"output_tensor.strides must not make", {"output": ("f4", [1, 1, 2, 4], [0, 0, 0, 1])}),
        (r"output_tensor.strides must not make", {"output": ("f4", [1, 1, 2, 4], [0, 0, 3, 1])}),
        (
            r"reach past any address space",
            {"input": ("f4", [1, 1, 2**31, 1], [0, 0, 2**32 - 1, 1])},
        ),
        (r"flags must be 0 .* not 2", {"input": ("f4", [1, 1, 3, 4], None, None, 2)}),
        (
            r"alignment must be .* at least 4, .* not 2",
            {"input": ("f4", [1, 1, 3, 4], None, None, 0, 2)},
        ),
    ],
)
def test_rules_on_tensors(match: str, changes: dict[str, Any]) -> None:
    refuses("^GATHER_ND: .*" + match, desc("GATHER_ND", **changes))


@pytest.mark.parametrize(
    ("match", "op", "counts"),
    [
        ("input_dimension_count must be from 1 to 4, .* not 0", "GATHER_ND", (0, 2, 0)),
        ("input_dimension_count must be from 1 to 4, .* not 5", "SCATTER_ND", (5, 2, 0)),
        ("indices_dimension_count must be from 1 to 4, .* not 0", "GATHER_ND1", (2, 0, 0)),
        (r"batch_dimension_count must be less than .* \(2\), not 2", "GATHER_ND1", (2, 3, 2)),
        (r"must have the same batch: \[3\] is not \[2\]", "GATHER_ND1", (2, 2, 1)),
        (r"must be \[2, 3, 4\] after leading 1s, not \[1, 1, 2, 4\]", "GATHER_ND", (3, 2, 0)),
    ],
)
def test_rules_on_counts(match: str, op: str, counts: tuple[int, ...]) -> None:
    refuses(f"^{op}: .*{match}", desc(op, counts))


def test_rules_of_scatter() -> None:
    refuses("output_tensor.sizes must be input_tensor's", desc("SCATTER_ND", output=[1, 1, 4, 3]))
    refuses("updates_tensor.sizes must be", desc("SCATTER_ND", updates=[1, 1, 1, 8]))
    refuses("its 1 dimensions are too few", desc("SCATTER_ND", updates=[8]))
    repeated = ("UINT32", [1, 1, 2, 1], [0, 0, 0, 0])
    refuses("indices_tensor.strides must not make", desc("SCATTER_ND", indices=repeated))
    dml.compile(desc("GATHER_ND", indices=repeated), LEVEL)
    dml.compile(desc("SCATTER_ND", indices=[2, 1], updates=[2, 4]), LEVEL)


def test_outputs_that_interleave_without_an_overlap() -> None:
    dml.compile(desc("GATHER_ND", output=("f4", [1, 1, 2, 4], [0, 0, 3, 2])))
    far = 2**31
    dml.compile(desc("GATHER_ND", output=("f4", [1, 1, 2, 4], [0, 0, far + 1, far])))
    same = desc("GATHER_ND", output=("f4", [1, 1, 2, 4], [0, 0, 2 * (far - 1), far - 1]))
    refuses("output_tensor.strides must not make", same)
