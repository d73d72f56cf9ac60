"""What DirectML itself computed, byte for byte, on every backend."""

from __future__ import annotations

import numpy as np
import pytest

import reference
from checks import unchanged
from conftest import Backend
from dml_cases import GAP, LEVEL, DmlCase, load_vectors, select
from gathernd import dml

DEFINED = ("gather", "gather1", "scatter", "strided", "bits")

# 7 of GATHER_ND1 have more batches in input than in indices: refused here, see docs/directml.md.
# 1 of SCATTER_ND has an answer of DirectML's that is not the definition's.
COUNTS = {"gather": 50, "gather1": 60, "scatter": 50, "strided": 48, "bits": 50}
COUNTS |= {"mixed": 24, "oob": 33, "dups": 22}


def compiled(nd: Backend, case: DmlCase) -> dml.GatherOperator | dml.ScatterOperator:
    return dml.compile(case.desc, LEVEL, **nd.options)


def run(nd: Backend, case: DmlCase) -> np.ndarray:
    """The output buffer after a run over one that held nothing but gaps."""
    output = np.full(case.buffers["output"].size, GAP, np.uint8)
    compiled(nd, case).run_buffers(*case.arguments, output)
    return output


def test_counts() -> None:
    found = [case.group for case in load_vectors()]
    assert {group: found.count(group) for group in found} == COUNTS


@pytest.mark.parametrize("group", DEFINED)
def test_buffers_equal_directml(nd: Backend, group: str) -> None:
    for case in select(group):
        assert case.matches_definition
        assert run(nd, case).tobytes() == case.buffers["output"].tobytes(), case


@pytest.mark.parametrize("group", DEFINED)
def test_arrays_equal_directml(nd: Backend, group: str) -> None:
    for case in select(group):
        names = [name for name in case.buffers if name != "output"]
        shown = [
            case.elements(name).view(getattr(case.desc, f"{name}_tensor").dtype) for name in names
        ]
        expected = case.elements("output")
        result = compiled(nd, case)(*shown)
        assert result.shape == expected.shape
        assert result.view(expected.dtype).tobytes() == expected.tobytes(), case

        short = [array.reshape(case.shape(name)) for name, array in zip(names, shown, strict=True)]
        out = np.empty(case.shape("output"), result.dtype)
        assert compiled(nd, case)(*short, out=out) is out
        assert out.tobytes() == expected.tobytes(), case


def test_other_dimension_counts_of_scatter(nd: Backend) -> None:
    for case in select("mixed", "SCATTER_ND"):
        output = run(nd, case)
        same = output.tobytes() == case.buffers["output"].tobytes()
        assert same == case.matches_definition, case
        parts = [case.logical(name) for name in ("input", "indices", "updates")]
        expected = reference.scatter_nd(*parts)
        assert case.elements("output", output).tobytes() == expected.tobytes(), case


def test_batches_must_be_equal() -> None:
    cases = list(select("mixed", "GATHER_ND1"))
    assert len(cases) == 7
    for case in cases:
        with pytest.raises(ValueError, match="must have the same batch"):
            dml.compile(case.desc, LEVEL)


def test_bad_indices_raise(nd: Backend) -> None:
    for case in select("oob"):
        output = np.full(case.buffers["output"].size, GAP, np.uint8)
        op = compiled(nd, case)
        with unchanged(output), pytest.raises(IndexError, match="out of range"):
            op.run_buffers(*case.arguments, output)


def test_last_of_duplicates_stays(nd: Backend) -> None:
    for case in select("dups"):
        table, tuples, updates = (case.logical(n) for n in ("input", "indices", "updates"))
        ours = case.elements("output", run(nd, case)).reshape(table.shape)
        assert ours.tobytes() == reference.scatter_nd(table, tuples, updates).tobytes(), case
        theirs = case.logical("output")
        for place, positions in reference.candidates(tuples, table.shape, 0, "raise").items():
            allowed = [updates[position].tobytes() for position in positions]
            assert ours[place].tobytes() == allowed[-1]
            # An element of DirectML's answer may come from another update than its neighbour.
            rows = np.array([updates[position] for position in positions])
            assert np.any(rows == theirs[place], axis=0).all(), case
