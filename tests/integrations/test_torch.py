"""gathernd.torch gives what the two functions give: pip install "gathernd[torch]".

Run by pytest -m peers.
"""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import ml_dtypes
import numpy as np
import pytest
from hypothesis import given

import gathernd
import strategies
from checks import assert_same_bits, assert_same_values, outcome
from pages import DOCS, ROOT, code_blocks, run_block, run_examples, run_notebook
from torch_cases import REDUCED, as_array, cases, gt, tensor, torch

pytestmark = pytest.mark.peers
ZERO = torch.zeros(1, 1, dtype=torch.int64)


def expect(function: Any, name: str, case: strategies.Case, *args: Any, **options: Any) -> None:
    """The tensor function gives the array function's bits, or its error, and writes nothing."""
    arrays = (case.input, case.indices, case.updates)[: 2 if name == "gather_nd" else 3]
    tensors = [tensor(array) for array in arrays]
    before = [as_array(t).tobytes() for t in tensors]
    expected = outcome(getattr(gathernd, name), *map(as_array, tensors), *args, **options)
    actual = outcome(function, *tensors, *args, **options)
    assert [as_array(t).tobytes() for t in tensors] == before
    if isinstance(expected, Exception):
        assert type(actual) is type(expected)
        assert not isinstance(expected, IndexError) or str(actual) == str(expected)
        return
    assert actual.is_contiguous()
    assert actual.dtype == tensors[0].dtype
    same = assert_same_bits if args[0] == "none" or name == "gather_nd" else assert_same_values
    same(as_array(actual), expected)


GATHER_RULES = strategies.rules("raise", "clip", "wrap", "fill")
SCATTER_RULES = strategies.rules("raise", "clip", "wrap", "drop")


@given(case=cases(bad=True), rule=GATHER_RULES)
def test_gather(case, rule):
    expect(gt.gather_nd, "gather_nd", case, case.batch_dims, **rule)
    expect(torch.ops.gathernd.gather_nd, "gather_nd", case, case.batch_dims, **rule)


@given(
    case=cases(bad=True), rule=SCATTER_RULES, duplicates=st.sampled_from(["last", "first", "error"])
)
def test_sets(case, rule, duplicates):
    options = {"duplicates": duplicates, **rule}
    expect(gt.scatter_nd, "scatter_nd", case, "none", case.batch_dims, **options)
    expect(torch.ops.gathernd.scatter_nd, "scatter_nd", case, "none", case.batch_dims, **options)


@given(case=cases(bad=True, compute=True, dtypes=REDUCED), rule=SCATTER_RULES, data=st.data())
def test_reductions(case, rule, data):
    reduction = data.draw(strategies.reductions(case))
    expect(gt.scatter_nd, "scatter_nd", case, reduction, case.batch_dims, **rule)
    expect(in_place(gt.scatter_nd_), "scatter_nd", case, reduction, case.batch_dims, **rule)
    op = in_place(torch.ops.gathernd.scatter_nd_)
    expect(op, "scatter_nd", case, reduction, case.batch_dims, **rule)


def in_place(function: Any) -> Any:
    """A function that leaves its input alone, of one that changes it; it must return it."""

    def call(input: Any, *args: Any, **options: Any) -> Any:
        copy = input.clone(memory_format=torch.contiguous_format)
        assert function(copy, *args, **options).data_ptr() == copy.data_ptr()
        return copy

    return call


def test_any_is_last():
    zero, twice = torch.zeros(1), torch.zeros(2, 1, dtype=torch.int64)
    assert gt.scatter_nd(zero, twice, torch.tensor([1.0, 2.0]), duplicates="any").item() == 2


@pytest.mark.parametrize("rule", ["first", "error", "any"])
@pytest.mark.parametrize("scatter", [gt.scatter_nd, gt.scatter_nd_])
def test_reductions_refuse_duplicates(scatter, rule):
    zero, twice = torch.zeros(1), torch.zeros(2, 1, dtype=torch.int64)
    with pytest.raises(ValueError, match="duplicates goes with"):
        scatter(zero, twice, torch.tensor([1.0, 2.0]), "add", duplicates=rule)
    assert zero.item() == 0


@pytest.mark.parametrize("fill", [7, 2.5, True])
def test_fill_values_of_bfloat16_and_float8(fill):
    for dtype in (torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2):
        table = torch.ones(2).to(dtype)
        result = gt.gather_nd(table, torch.tensor([[1], [5]]), mode="fill", fill_value=fill)
        assert result.dtype == dtype
        assert result.float().tolist() == [1, fill]


FILLS = [None, "x", [1.0], 0, 7, True, 10**30, 10**400, 1j, 0.0, -1.0, 1e9, 1e39, -1e39]
FILLS += [torch.inf, -torch.inf, torch.nan, np.longdouble(3), np.ones(1), torch.ones(1)]
# Around the greatest values of float8_e4m3fnuz and e4m3fn, float8_e5m2 and float16, bfloat16.
FILLS += [247.0, 248.0, 464.0, 465.0, 61439.0, 61440.0, 65519.0, 65520.0, 3.3896e38, 3.4e38]
FLOATS = [name for name in dir(torch) if name.startswith(("bfloat16", "float8"))]


@pytest.mark.parametrize("name", [*FLOATS, "float64", "float16", "complex64", "int64", "bool"])
def test_fill_values_become_what_they_become_in_arrays(name):
    """They are rounded, and nothing else, or give the same error."""
    table = torch.ones(1).to(getattr(torch, name))
    array = np.ones(1, getattr(ml_dtypes, name) if name in FLOATS else name)
    for value in FILLS:
        expected = filled(gathernd.gather_nd, array, np.ones((1, 1), int), value)
        assert filled(gt.gather_nd, table, ZERO + 1, value) == expected
        if type(value) in (bool, float, complex):
            assert filled(torch.ops.gathernd.gather_nd, table, ZERO + 1, value) == expected


def filled(function: Any, table: Any, indices: Any, value: Any) -> tuple[type, str]:
    """What an index out of range gives: the element or the error, and what it says."""
    try:
        result = function(table, indices, mode="fill", fill_value=value).item()
    except (TypeError, ValueError, OverflowError) as error:
        result = error
    return type(result), str(result)


@pytest.mark.filterwarnings("ignore:ComplexHalf")
def test_fill_values_of_complex32():
    table = torch.ones(1, dtype=torch.complex32)
    for value in (1e6, 1e6j, complex(0, 65520), 1e39):
        with pytest.raises(OverflowError, match=r"gather_nd: fill_value: .* for complex32"):
            gt.gather_nd(table, ZERO + 1, mode="fill", fill_value=value)
    for value in (0, 2, 1.5 - 2j, 65504j, complex(0, torch.inf)):
        assert gt.gather_nd(table, ZERO + 1, mode="fill", fill_value=value).item() == value


def test_types_of_parts_of_a_byte_are_a_type_error():
    for name in ("float4_e2m1fn_x2", "uint4"):
        if hasattr(torch, name):
            with pytest.raises(TypeError, match="unsupported ScalarType"):
                gt.gather_nd(torch.empty(1, dtype=getattr(torch, name)), ZERO)


def test_elements_that_numpy_lacks_are_moved_bit_for_bit():
    bits = torch.arange(256, dtype=torch.uint8)
    order = torch.randperm(256)
    for name in dir(torch):
        if name.startswith("float8"):
            table = bits.view(getattr(torch, name))
            moved = gt.gather_nd(table, order[:, None])
            assert torch.equal(moved.view(torch.uint8), bits[order])
            back = gt.scatter_nd(torch.zeros_like(table), order[:, None], moved)
            assert torch.equal(back.view(torch.uint8), bits)


def test_a_sum_of_float8_is_a_type_error():
    table = torch.ones(1).to(torch.float8_e4m3fn)
    with pytest.raises(TypeError, match='"add" is not defined for float8_e4m3fn'):
        gt.scatter_nd(table, torch.zeros(1, 1, dtype=torch.int64), table, "add")


def test_a_sum_of_bfloat16_rounds_once():
    ones = torch.ones(4096, dtype=torch.bfloat16)
    zero, indices = torch.zeros(1, dtype=torch.bfloat16), torch.zeros(4096, 1, dtype=torch.int64)
    assert gt.scatter_nd(zero, indices, ones, "add").item() == 4096
    table = torch.zeros(1, dtype=torch.bfloat16, requires_grad=True)
    gt.gather_nd(table, indices).sum().backward()
    assert table.grad.item() == 4096


def test_conjugate_and_negative_views():
    x = torch.randn(5, 4, dtype=torch.complex64)
    i = torch.tensor([[1], [4], [1]])
    conjugate, negative = x.conj(), x.conj().imag
    assert conjugate.is_conj()
    assert negative.is_neg()
    assert torch.equal(gt.gather_nd(conjugate, i), x.conj_physical()[i[:, 0]])
    assert torch.equal(gt.gather_nd(negative, i), -x.imag[i[:, 0]])
    updates = torch.randn(3, 4, dtype=torch.complex64)
    expected = gt.scatter_nd(x.conj_physical(), i, updates.conj_physical(), "add")
    assert torch.equal(gt.scatter_nd(conjugate, i, updates.conj(), "add"), expected)
    changed = x.clone()
    gt.scatter_nd_(changed.conj(), i, updates.conj(), "add")
    assert torch.equal(changed.conj_physical(), expected)
    changed = x.clone()
    gt.scatter_nd_(changed.conj().imag, i, torch.zeros(3, 4))
    assert torch.equal(changed.imag[[1, 4]], torch.zeros(2, 4))


def test_strided_tensors_are_read_where_they_lie():
    table = torch.arange(20.0).reshape(4, 5)
    i = torch.tensor([[[1], [9]], [[0], [9]]], dtype=torch.uint8)[:, 0]
    assert gt.gather_nd(table.t(), i).tolist() == [[1, 6, 11, 16], [0, 5, 10, 15]]
    result = gt.scatter_nd(table.t(), i, torch.ones(1, 1).expand(2, 4), "add")
    assert torch.equal(result, table.t() + torch.tensor([1.0, 1, 0, 0, 0])[:, None])
    column = table[:, 1]
    assert gt.scatter_nd_(column, i, torch.zeros(2)) is column
    assert table[:2, 1].tolist() == [0, 0]


def test_a_repeated_element_is_a_table():
    i, ones = torch.tensor([[1], [1]]), torch.ones(2, 2)
    for value in (0.0, -0.0, 3.0):
        table = torch.tensor(value).expand(3, 2)
        result = gt.scatter_nd(table, i, ones, "add")
        expected = gt.scatter_nd(table.clone(), i, ones, "add")
        assert_same_bits(as_array(result), as_array(expected))
    assert gt.scatter_nd(torch.zeros(()).expand(0, 2), i[:0], ones[:0]).shape == (0, 2)


def test_in_place_counts_as_a_change():
    table = torch.zeros(3)
    before = table._version
    gt.scatter_nd_(table, torch.tensor([[0]]), torch.ones(1))
    assert table._version == before + 1
    with torch.inference_mode():
        assert gt.scatter_nd_(torch.zeros(2), torch.tensor([[0]]), torch.ones(1)).tolist() == [1, 0]


def test_inference_tensors_change_in_inference_mode_only():
    with torch.inference_mode():
        table = torch.zeros(1)
    for updates in (torch.ones(1), torch.ones(1, requires_grad=True)):
        for scatter in (gt.scatter_nd_, torch.ops.gathernd.scatter_nd_):
            with pytest.raises(RuntimeError, match=r"inference tensor.*; use input\.clone\(\)"):
                scatter(table, ZERO, updates)
    assert table.item() == 0


def test_a_change_between_forward_and_backward_is_an_error():
    x = torch.ones(3, requires_grad=True)
    y = x * 1
    z = y.square()
    gt.scatter_nd_(y.detach(), torch.tensor([[0]]), torch.ones(1))
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ((np.zeros(1), ZERO), TypeError, "input must be a tensor, not ndarray"),
        ((torch.zeros(1), [[0]]), TypeError, "indices must be a tensor, not list"),
        ((torch.zeros(1), ZERO.float()), TypeError, "not float32"),
        ((torch.zeros(1), ZERO + 1), IndexError, r"index 1 at indices\[0, 0\]"),
        ((torch.zeros(1).to_sparse(), ZERO), TypeError, r"\.to_dense\(\)"),
        ((torch.zeros(1), ZERO, 5), ValueError, "batch_dims"),
        ((torch.zeros(1), ZERO, -1), ValueError, "batch_dims must be from 0 to 1 .*, not -1"),
        ((torch.zeros(1), ZERO, 2**70), ValueError, "batch_dims must be from 0 to 64, not 11805"),
        ((torch.zeros(1), ZERO, True), TypeError, "batch_dims must be an integer, not True"),
        ((torch.zeros(1), ZERO, 1.0), TypeError, "batch_dims must be an integer, not 1.0"),
    ],
)
def test_errors(arguments, error, match):
    with pytest.raises(error, match=match):
        gt.gather_nd(*arguments)


@pytest.mark.parametrize("scatter", [gt.scatter_nd, gt.scatter_nd_])
def test_options_of_other_types(scatter):
    arguments = torch.zeros(1), ZERO, torch.ones(1)
    for option in ("reduction", "mode", "duplicates"):
        with pytest.raises(ValueError, match=f"{scatter.__name__}: {option} must be a string"):
            scatter(*arguments, **{option: None})
    with pytest.raises(ValueError, match="gather_nd: mode must be a string, not 3"):
        gt.gather_nd(*arguments[:2], mode=3)
    for call in (
        lambda **option: gt.gather_nd(*arguments[:2], **option),
        lambda **option: scatter(*arguments, **option),
    ):
        with pytest.raises(TypeError, match="batch_dims must be an integer, not False"):
            call(batch_dims=False)
        with pytest.raises(TypeError, match="wrap_negative_indices must be a bool, not 1"):
            call(wrap_negative_indices=1)
        assert call(wrap_negative_indices=np.True_).shape == (1,)


@pytest.mark.parametrize("value", [np.float32(2), np.int8(2), torch.tensor(2.0), np.array(2)])
def test_fill_values_of_numpy_and_pytorch(value):
    fill = gt.gather_nd(torch.zeros(1), ZERO + 1, mode="fill", fill_value=value)
    assert fill.tolist() == [2]
    assert gt.gather_nd(torch.zeros(1), ZERO, fill_value="unused").tolist() == [0]


def test_errors_of_scatter():
    with pytest.raises(TypeError, match=r"updates\.to\(torch\.float32\)"):
        gt.scatter_nd(torch.zeros(1), ZERO, torch.zeros(1, dtype=torch.float64))
    with pytest.raises(ValueError, match="share memory"):
        gt.scatter_nd_(torch.zeros(1).expand(3), ZERO, torch.zeros(1))
    with pytest.raises(TypeError, match="updates must be a tensor, not float"):
        gt.scatter_nd_(torch.zeros(1), ZERO, 1.0)
    with pytest.raises(RuntimeError, match="leaf Variable"):
        gt.scatter_nd_(torch.zeros(1, requires_grad=True), ZERO, torch.zeros(1))


def test_tensors_elsewhere_are_a_type_error():
    """No other device is here: what the operators do there is asked of them directly."""
    from gathernd.torch._ops import _refuse

    elsewhere = torch.zeros(1, device="meta")
    with pytest.raises(TypeError, match=r"on the CPU, not on meta; use \.cpu\(\)"):
        _refuse("gather_nd")(torch.zeros(1), elsewhere, 0)
    for name in ("_gather_nd", "_scatter_nd", "_scatter_nd_", "_winners"):
        for key in ("CUDA", "MPS", "XPU"):
            assert torch._C._dispatch_has_computed_kernel_for_dispatch_key(f"gathernd::{name}", key)


@pytest.mark.parametrize("name", ["", *gt.__all__])
def test_docstring(name):
    documented = getattr(gt, name) if name else gt
    assert run_examples(documented.__doc__, name or "gathernd.torch")


def test_page():
    assert sum(map(run_block, code_blocks(DOCS / "pytorch.md"))) == 1


@pytest.mark.filterwarnings("ignore::UserWarning")  # of caches that these tests turn off
def test_notebook():
    """What its cells print is that of PyTorch; what they compare is true."""
    before = gathernd.get_num_threads()
    try:
        assert run_notebook(ROOT / "examples" / "pytorch.ipynb") >= 8
    finally:
        gathernd.set_num_threads(before)
