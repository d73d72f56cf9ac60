"""gathernd.at against NumPy's own indexing: get, set and the reductions, on every backend."""

from __future__ import annotations

import copy
import functools
import operator
import pickle
import re
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import gathernd as gnd
from checks import assert_same_bits, unchanged
from records import GAPPED, bytes_of_fields

DTYPES = ("?", "i1", "u2", "i4", "i8", "f2", "f4", "f8", "c8", "M8[s]", "S3", "i2,f4")
REDUCTIONS = {
    "add": (np.add, operator.iadd),
    "subtract": (np.subtract, operator.isub),
    "multiply": (np.multiply, operator.imul),
    "min": (np.minimum, None),
    "max": (np.maximum, None),
    "bitwise_and": (np.bitwise_and, operator.iand),
    "bitwise_or": (np.bitwise_or, operator.ior),
    "bitwise_xor": (np.bitwise_xor, operator.ixor),
}
each_reduction = pytest.mark.parametrize("name", REDUCTIONS)


def outcome(call: Any) -> Any:
    """Return what the call returns, or the type of its error."""
    try:
        return call()
    except (IndexError, ValueError) as error:
        return type(error)


def elements(shape: tuple[int, ...], dtype: str, seed: int) -> np.ndarray:
    """Return an array of small numbers: exact in every dtype, whatever is added to them."""
    numbers = np.random.default_rng(seed).integers(0, 4, shape)
    if dtype == "i2,f4":
        return np.array([(n, n / 2) for n in numbers.flat], dtype).reshape(shape)
    return np.asarray(numbers).astype(dtype)


@st.composite
def layouts(draw: st.DrawFn, array: np.ndarray) -> np.ndarray:
    """The same array in another layout."""
    how = draw(st.sampled_from(("C", "F", "reversed", "every second")))
    if how == "F" or array.ndim == 0:
        return np.asfortranarray(array)
    if how == "reversed":
        return array[::-1].copy()[::-1]
    if how == "every second":
        return np.repeat(array, 2, axis=-1)[..., ::2]
    return array.copy()


@st.composite
def indices(draw: st.DrawFn, shape: tuple[int, ...]) -> Any:
    """An index expression of any kind; few of its numbers are out of range."""
    outer = draw(st.sampled_from(((2,), (3,), (3, 2), (1,), (), (0,))))
    items: list[Any] = []
    axis = 0
    for _ in range(draw(st.integers(1, len(shape) + 1))):
        kinds = ["...", "None", "bool"]
        if axis < len(shape):
            kinds += ["slice", "integer", "array", "array", "mask", "list"]
        kind = draw(st.sampled_from(kinds))
        size = shape[axis] if axis < len(shape) else 1
        numbers = st.integers(-size, size if draw(st.integers(0, 19)) == 0 else max(size - 1, 0))
        if kind == "...":
            items.append(Ellipsis)
            continue
        if kind == "None":
            items.append(None)
            continue
        if kind == "bool":
            items.append(draw(st.sampled_from((True, False, np.True_, np.array(True)))))
            continue
        if kind == "slice":
            items.append(draw(st.slices(size)))
        elif kind == "integer":
            items.append(draw(numbers))
        elif kind == "list":
            items.append(draw(st.lists(numbers, min_size=1, max_size=2)))
        elif kind == "array":
            ones = [draw(st.sampled_from((n, 1))) for n in outer][draw(st.integers(0, 1)) :]
            count = int(np.prod(ones))
            values = draw(st.lists(numbers, min_size=count, max_size=count))
            dtype = draw(st.sampled_from(("i1", "i4", "i8", ">i2")))
            items.append(np.array(values, np.int64).reshape(ones).astype(dtype))
        else:
            rank = draw(st.integers(1, len(shape) - axis))
            seed = draw(st.integers(0, 99))
            items.append(np.random.default_rng(seed).random(shape[axis : axis + rank]) < 0.5)
            axis += rank - 1
        axis += 1
    return tuple(items) if len(items) > 1 or draw(st.booleans()) else items[0]


@st.composite
def cases(draw: st.DrawFn, dtypes: tuple[str, ...] = DTYPES) -> tuple[np.ndarray, Any, np.ndarray]:
    """An array, an index expression, and updates that broadcast to what it selects."""
    shape = tuple(draw(st.lists(st.integers(1, 4), max_size=4)))
    dtype = draw(st.sampled_from(dtypes))
    x = draw(layouts(elements(shape, dtype, draw(st.integers(0, 99)))))
    index = draw(indices(shape))
    try:
        selected = x[index].shape
    except IndexError:
        selected = ()
    kept = draw(st.integers(0, len(selected)))
    thin = [n if draw(st.booleans()) else 1 for n in selected[kept:]]
    return x, index, elements(tuple(thin), dtype, draw(st.integers(0, 99)))


@given(case=cases())
def test_at_gets_what_numpy_selects(nd: Any, case: Any) -> None:
    x, index, _ = case
    expected = outcome(lambda: np.asarray(x[index], x.dtype))  # else a scalar S3 becomes S1
    with unchanged(x):
        actual = outcome(lambda: nd.at(x)[index].get())
    if isinstance(expected, type):
        assert actual is expected
        return
    assert_same_bits(actual, expected)


@given(case=cases())
def test_at_sets_what_numpy_assigns_to(nd: Any, case: Any) -> None:
    x, index, updates = case
    expected = x.copy()

    def assign() -> np.ndarray:
        expected[index] = updates
        return expected

    if isinstance(error := outcome(assign), type):
        assert outcome(lambda: nd.at(x)[index].set(updates)) is error
        return
    with unchanged(x, updates):
        assert_same_bits(nd.at(x)[index].set(updates), expected)
    nd.at(x)[index] = updates
    assert_same_bits(x, expected)


@each_reduction
@given(data=st.data())
def test_at_reduces_as_ufunc_at(nd: Any, name: str, data: Any) -> None:
    kinds = (
        ("?", "i1", "u2", "i8") if name.startswith("bitwise") else ("i1", "u2", "i4", "f4", "f8")
    )
    x, index, updates = data.draw(cases(kinds))
    ufunc, in_place = REDUCTIONS[name]
    expected = x.copy()

    def reduce() -> np.ndarray:
        # Broadcast first: NumPy 2.4's ufunc.at reads past the end of updates that it must repeat.
        rows = np.broadcast_to(updates, expected[index].shape).copy()
        ufunc.at(expected, index, rows)
        return expected

    if isinstance(error := outcome(reduce), type):
        assert outcome(lambda: getattr(nd.at(x)[index], name)(updates)) is error
        return
    with unchanged(x, updates):
        assert_same_bits(getattr(nd.at(x)[index], name)(updates), expected)
    if in_place is not None:
        indexed = nd.at(x)
        indexed[index] = in_place(indexed[index], updates)
    else:
        assert getattr(nd.at(x)[index], name)(updates, copy=False) is x
    assert_same_bits(x, expected)


def long_forms(shape: tuple[int, int, int], n: int, seed: int) -> dict[str, Any]:
    """Index expressions whose arrays have `n` elements, with duplicates and negative numbers."""
    rng = np.random.default_rng(seed)
    i, j, k = (rng.integers(-size, size, n) for size in shape)
    return {
        "x[i]": i,
        "x[i, j]": (i, j),
        "x[i, j, k]": (i, j.astype(np.int32), k.astype(np.int8)),
        "x[:, j]": (slice(None), j),
        "x[..., k]": (..., k),
        "x[::-2, j, 1:]": (slice(None, None, -2), j, slice(1, None)),
        "x[i, :, k]": (i, slice(None), k),
        "x[i, None, 1]": (i, None, 1),
        "x[-1, j]": (-1, j),
        "np.ix_": np.ix_(i[:20], j[:20], k),
        "x[i column, j row]": (i[:30, None], j),
        "x[i column, :, k row]": (i[:30, None], slice(None), k[::-1]),
    }


@pytest.mark.parametrize("n", [1, 7, 8, 33, 300])
@pytest.mark.parametrize("dtype", ["u1", "i2", "f4", "f8", "c16", "S3"])
def test_at_takes_long_index_arrays_of_every_form(nd: Any, dtype: str, n: int) -> None:
    shape = (5, 6, 7)
    for layout in (np.ascontiguousarray, np.asfortranarray, lambda a: a[::-1, :, ::-1]):
        x = layout(elements(shape, dtype, n))
        for index in long_forms(shape, n, 1).values():
            assert_same_bits(nd.at(x)[index].get(), x[index])
            updates = elements(x[index].shape, dtype, 2)
            expected = x.copy()
            expected[index] = updates
            assert_same_bits(nd.at(x)[index].set(updates), expected)
            if dtype in ("i2", "f8"):
                sums = x.copy()
                np.add.at(sums, index, updates)
                assert_same_bits(nd.at(x)[index].add(updates), sums)


@pytest.mark.parametrize("mode", ["raise", "clip", "wrap", "fill"])
@pytest.mark.parametrize("wraps", [True, False])
def test_at_checks_long_grids_as_tuples(nd: Any, mode: str, wraps: bool) -> None:
    x = np.arange(35.0).reshape(5, 7)
    i, j = np.arange(40)[:, None] % 5, np.arange(50) % 7
    for bad in (0, -1, -5, -6, 5, 1000, -(2**62), 2**63 - 1):
        i[31] = bad
        tuples = np.stack(np.broadcast_arrays(i, j), axis=-1)
        options: Any = {"mode": mode, "wrap_negative_indices": wraps}
        try:
            expected = nd.gather_nd(x, tuples, **options)
        except IndexError:
            with pytest.raises(IndexError, match=rf"index {bad} in i\[31, 0\] is out of range"):
                nd.at(x)[i, j].get(**options)
            continue
        assert_same_bits(nd.at(x)[i, j].get(**options), expected)


@pytest.mark.parametrize("density", [0.0, 0.02, 0.5, 1.0])
@pytest.mark.parametrize("n", [0, 1, 7, 8, 63, 64, 65, 1000, 4095, 4096, 4097, 20000])
def test_at_takes_masks_of_every_length(nd: Any, n: int, density: float) -> None:
    rng = np.random.default_rng(n)
    x = rng.random((n, 3)).astype(np.float32)
    full = rng.random((n, 3)) < density
    bytes_ = full.astype(np.uint8) * rng.integers(1, 256, full.shape, dtype=np.uint8)
    odd = bytes_.view(bool)  # True by bytes other than 1
    forms: tuple[tuple[Any, Any], ...] = (
        (x, full),
        (x, odd),
        (x.T, full.T),
        (x[::-1], full[::-1]),
        (np.asfortranarray(x), full),
        (x, full[:, 1]),
        (x.T, (slice(None), full[:, 1])),
        (x.T, (1, full[:, 1])),
        (x[:, :2], (full[:, 1], 0)),
    )
    for table, index in forms:
        assert_same_bits(nd.at(table)[index].get(), table[index])
        updates = rng.random(table[index].shape).astype(np.float32)
        expected = table.copy()
        expected[index] = updates
        assert_same_bits(nd.at(table)[index].set(updates), expected)


@pytest.mark.parametrize("shape", [(0,), (0, 4), (3, 0), (0, 0), (0, 5), (0, 4, 2)], ids=str)
def test_at_takes_masks_of_size_0_as_numpy_does(nd: Any, shape: tuple[int, ...]) -> None:
    mask = np.zeros(shape, bool)
    for x in (np.zeros((3, 4, 2)), np.asfortranarray(np.zeros((3, 4, 2)))):
        for index in (mask, (..., mask), (mask, None)):
            if isinstance(expected := outcome(lambda x=x, i=index: x[i]), type):
                assert outcome(lambda x=x, i=index: nd.at(x)[i]) is expected
                continue
            assert_same_bits(nd.at(x)[index].get(), expected)
            nd.at(x)[index] = 1
            nd.at(x)[index] += 1
        assert not x.any()


def test_at_takes_integers_out_of_range_as_the_mode_says(nd: Any) -> None:
    x = np.arange(12.0).reshape(3, 4)
    j = np.array([0, 3, 1])
    assert nd.at(x, mode="clip")[9, j].get().tolist() == x[2, j].tolist()
    assert nd.at(x, mode="clip", wrap_negative_indices=False)[-1, j].get().tolist() == [0, 3, 1]
    assert nd.at(x, mode="wrap")[-4, j].get().tolist() == x[2, j].tolist()
    assert nd.at(x, mode="fill")[3, j].get(fill_value=7).tolist() == [7, 7, 7]
    assert nd.at(x, mode="drop")[3, j].add(1).tolist() == x.tolist()
    with pytest.raises(IndexError, match=r"^at\[-1, j\]: index -1 is out of range for axis 0"):
        nd.at(x)[-1, j].get(wrap_negative_indices=False)
    with pytest.raises(IndexError, match=r"index 3 is out of range for axis 0 of size 3"):
        nd.at(x)[3, j[:0]].get()
    with pytest.raises(IndexError, match=r"index 4 in j\[1\] is out of range for axis 1"):
        nd.at(x)[2, np.array([0, 4])].get()


def test_at_refuses_results_of_too_many_dimensions(nd: Any) -> None:
    x = np.zeros((1,) * 40)
    for index in (np.zeros((1,) * 30, int), (None,) * 25, (None,) * 200, ([0], *(None,) * 64)):
        with pytest.raises(IndexError):
            x[index]
        with pytest.raises(IndexError, match="more than 64 dimensions"):
            nd.at(x)[index].get()
        with pytest.raises(IndexError, match="more than 64 dimensions"):
            nd.at(x)[index].set(1)


@pytest.mark.filterwarnings("ignore:Setting the:DeprecationWarning")  # NumPy 2.5 does it
def test_at_refuses_an_array_whose_shape_has_changed() -> None:
    x = np.arange(12.0).reshape(3, 4)
    indexed = gnd.at(x)[[2], [3]]
    x.shape = (12, 1)
    with pytest.raises(RuntimeError, match="another shape after it was indexed"):
        indexed.get()
    with pytest.raises(RuntimeError, match="another shape after it was indexed"):
        indexed.add(1, copy=False)


@pytest.mark.filterwarnings("ignore:Setting the:DeprecationWarning")  # NumPy 2.5 does it
def test_at_refuses_a_mask_that_changes_while_the_index_is_read() -> None:
    x, mask = np.zeros((4, 4, 2)), np.ones((4, 4), bool)

    class Changes:
        def __index__(self) -> int:
            mask.dtype = np.int32
            return 0

    with pytest.raises(RuntimeError, match="a mask was given another shape or dtype"):
        gnd.at(x)[mask, Changes() :]


def test_at_reads_index_arrays_of_different_types(nd: Any) -> None:
    x = np.arange(12).reshape(3, 4)
    i, j = np.array([0, 2, 1], np.uint8), np.array([-1, 0, 3], np.int32)
    assert_same_bits(nd.at(x)[i, j].get(), x[i, j])
    k = np.array([3, 0, 1], np.uint64)
    assert_same_bits(nd.at(x)[j * 0, k].get(), x[0, k])


def test_at_takes_huge_unsigned_indices_beside_negative_ones_exactly(nd: Any) -> None:
    x = np.arange(12).reshape(3, 4)
    i, j = np.array([-1, 1]), np.array([2**63 + 1, 2], np.uint64)
    with pytest.raises(IndexError, match=rf"at\[i, j\]: index {2**63 + 1} in j\[0\] .* axis 1"):
        nd.at(x)[i, j].get()
    assert nd.at(x, mode="clip")[i, j].get().tolist() == [11, 6]
    assert nd.at(x, mode="wrap")[i, j].get().tolist() == [x[2, (2**63 + 1) % 4], 6]
    assert nd.at(x, mode="fill")[i, j].get(fill_value=-7).tolist() == [-7, 6]


def test_at_names_the_first_bad_index_as_it_was_given(nd: Any) -> None:
    x = np.zeros((3, 4, 5))
    i, j = np.array([[0], [2]]), np.array([0, 3, 4, -5])
    with pytest.raises(
        IndexError,
        match=r"^at\[i, :, j\]: index -6 in j\[1\] is out of range for axis 2 of size 5$",
    ):
        nd.at(x)[i, :, np.array([0, -6, 4, 5])].get()
    with pytest.raises(IndexError, match=r"^at\[i, j\]: index 4 in j\[2\] .* axis 1 of size 4$"):
        nd.at(x)[i, j].get()
    with pytest.raises(IndexError, match=r"^at\[7, :\]: index 7 is out of range for axis 0"):
        nd.at(x)[7, :].get()


@pytest.mark.parametrize(
    ("i", "j", "message"),
    [
        ([0, 9, 0], [0, 0, 2**63], r"index 9 in i\[1\]"),
        ([0, 0, 9], [0, 2**63, 0], r"index 9223372036854775808 in j\[1\]"),
        ([0, -9, 0], [0, 2**64 - 1, 0], r"index -9 in i\[1\]"),
    ],
)
def test_at_names_the_first_bad_index_beside_huge_ones(
    nd: Any, i: list[int], j: list[int], message: str
) -> None:
    first, second = np.array(i, np.int8), np.array(j, np.uint64)
    with pytest.raises(IndexError, match=message):
        nd.at(np.zeros((3, 4)))[first, second].get()


def test_at_writes_nothing_after_a_bad_index(nd: Any) -> None:
    x = np.arange(12.0).reshape(3, 4)
    with unchanged(x):
        with pytest.raises(IndexError):
            nd.at(x)[[0, 3], [1, 1]] += 1
        with pytest.raises(IndexError):
            nd.at(x)[[0, 3], :] = 1


def test_at_treats_negative_indices_as_out_of_range_where_asked(nd: Any) -> None:
    x = np.arange(6.0).reshape(2, 3)
    i, j = np.array([0, -1, 1]), np.array([2, 1, -1])
    found = nd.at(x, mode="fill", wrap_negative_indices=False)[i, j].get(fill_value=np.nan)
    np.testing.assert_array_equal(found, [2, np.nan, np.nan])
    with pytest.raises(IndexError, match=r"index -1 in i\[1\]"):
        nd.at(x)[i, j].get(wrap_negative_indices=False)


def test_at_options_stand_on_at_or_on_the_method(nd: Any) -> None:
    x = np.zeros(3)
    assert nd.at(x, mode="drop")[[0, 5]].add(1).tolist() == [1, 0, 0]
    assert nd.at(x)[[0, 5]].add(1, mode="clip").tolist() == [1, 0, 1]
    assert nd.at(x, duplicates="first")[[1, 1]].set([3, 4]).tolist() == [0, 3, 0]
    with pytest.raises(ValueError, match=r"at\[i\]: positions \[0\] and \[1\] .* same place"):
        nd.at(x)[[1, 1]].set([3, 4], duplicates="error")


@each_reduction
@pytest.mark.parametrize("rule", ["first", "error", "any", "none"])
@pytest.mark.parametrize("index", [2, [1, 1], slice(0, 2), np.array([True, False, True])], ids=repr)
def test_at_reductions_refuse_duplicates_as_scatter_nd_does(
    nd: Any, name: str, rule: str, index: Any
) -> None:
    x, one = np.arange(3), np.array(1)
    error = "must be one of" if rule == "none" else "goes with reduction"
    with unchanged(x):
        for copy in (True, False):
            with pytest.raises(ValueError, match=f"duplicates {error}"):
                getattr(nd.at(x)[index], name)(one, duplicates=rule, copy=copy)
    expected = getattr(nd.at(x)[index], name)(one)
    assert_same_bits(getattr(nd.at(x)[index], name)(one, duplicates="last"), expected)
    if rule != "none":  # what `at` is given for all its methods is for sets
        assert_same_bits(getattr(nd.at(x, duplicates=rule)[index], name)(one), expected)


def test_at_puts_a_result_into_out(nd: Any) -> None:
    x = np.arange(24).reshape(2, 3, 4)
    out = np.zeros((2, 2, 4), x.dtype)
    assert nd.at(x)[:, [0, 2]].get(out=out) is out
    assert_same_bits(out, x[:, [0, 2]])
    with pytest.raises(ValueError, match=r"at: out must have shape \(2, 2, 4\), not \(2, 2\)"):
        nd.at(x)[:, [0, 2]].get(out=out[0, :, :2])


def test_at_casts_updates_by_same_kind() -> None:
    x = np.zeros(3, np.float32)
    assert gnd.at(x)[[0, 0, 2]].add(np.array([1, 2, 3.0])).tolist() == [3, 0, 3]
    assert gnd.at(x)[1].add(1).dtype == np.float32
    with pytest.raises(TypeError, match=r"at: updates of float64 cannot be cast to int64 .*astype"):
        gnd.at(np.zeros(3, int))[0].set(np.float64(1.5))
    with pytest.raises(OverflowError):
        gnd.at(np.zeros(3, np.uint8))[0].add(256)
    with pytest.raises(TypeError, match="at: updates of type NoneType cannot become float32"):
        gnd.at(x)[0] = None


def test_at_changes_what_exports_its_memory_only() -> None:
    with pytest.raises(TypeError, match="an object of type list cannot be changed in place"):
        gnd.at([1, 2, 3])[0] = 4
    assert gnd.at([1, 2, 3])[0].set(4).tolist() == [4, 2, 3]
    frozen = np.arange(3)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        gnd.at(frozen)[0] = 4


def test_at_leaves_the_other_fields_of_records_alone() -> None:
    records = np.array([(1, 2, 3)] * 4, [("a", "i4"), ("b", "i4"), ("c", "i4")])
    view = records[["a", "c"]]
    new = np.array([(5, 6, 7)], records.dtype)[["a", "c"]]
    gnd.at(view)[[1, 3]] = new
    assert records.tolist() == [(1, 2, 3), (5, 2, 7)] * 2
    with pytest.raises(TypeError, match='reduction "add" is not defined for structured'):
        gnd.at(view)[[0, 1]] += new
    assert records.tolist() == [(1, 2, 3), (5, 2, 7)] * 2


@pytest.mark.parametrize("dtype", GAPPED.values(), ids=GAPPED)
def test_at_sets_the_fields_of_records_and_no_gap(nd: Any, dtype: np.dtype[Any]) -> None:
    random = np.random.default_rng(0).bytes
    in_field = bytes_of_fields(dtype)
    assert not in_field.all()

    def copied(x: np.ndarray) -> np.ndarray:
        """A copy with the bytes of the gaps."""
        return np.frombuffer(bytearray(x.tobytes()), x.dtype).reshape(x.shape)

    def assign(x: np.ndarray, index: Any, new: np.ndarray) -> None:
        """As NumPy's assignment up to 2.4. From 2.5 on that writes to gaps, too."""
        whole = f"V{dtype.itemsize}"
        after = copied(x)
        after.view(whole)[index] = copied(new).view(whole)
        bytes_of = [
            array.reshape(-1).view(np.uint8).reshape(-1, dtype.itemsize) for array in (x, after)
        ]
        bytes_of[0][:, in_field] = bytes_of[1][:, in_field]

    mask = np.arange(12).reshape(3, 4) % 5 < 2
    for index in (..., 0, (..., 0), (..., [2, 0, 2]), ([0, 0], ...), mask, (mask[:, 0], None)):
        x = np.frombuffer(random(12 * dtype.itemsize), dtype).reshape(3, 4)
        new = np.frombuffer(random(x[index].nbytes), dtype).reshape(x[index].shape)
        expected, actual, planned = copied(x), copied(x), copied(x)
        assign(expected, index, new)
        nd.at(actual)[index] = new[np.newaxis]
        nd.at(x)[index].plan().scatter(planned, new, out=planned)
        assert actual.tobytes() == planned.tobytes() == expected.tobytes()
        nd.at(actual)[::-1] = actual
        assign(expected, slice(None, None, -1), expected)
        assert actual.tobytes() == expected.tobytes()


def test_at_changes_no_field_of_records_after_an_error(nd: Any) -> None:
    x = np.zeros(4, GAPPED["beside an array"])
    new = np.ones(3, x.dtype)
    for index, options, error in (
        ([0, 4, 1], {}, IndexError),
        ([0, 1], {}, ValueError),
        ([0, 1, 0], {"duplicates": "error"}, ValueError),
    ):
        with unchanged(x), pytest.raises(error):
            nd.at(x)[index].set(new, copy=False, **options)
    objects = np.zeros(3, np.dtype([("a", "i1"), ("o", "O")], align=True))
    with pytest.raises(TypeError, match="holds references"):
        nd.at(objects)[0] = objects[1]


HUGE = (2**63, 2**64 - 1, 2**64 + 5, 10**5000, -(2**63) - 1, -(2**70), -(10**5000))


@pytest.mark.parametrize("number", HUGE, ids=lambda n: f"{n.bit_length()} bits")
def test_at_takes_python_ints_of_any_size(nd: Any, number: int) -> None:
    """They are out of range in every mode, and wrap exactly."""
    for size in (1, 4, 7):
        x = np.arange(3.0 * size).reshape(size, 3)
        end = size - 1 if number > 0 else 0
        j = np.array([2, 0])
        for index in (number, (number, j), (number, slice(1, None)), (number, 1)):
            rest = index[1:] if isinstance(index, tuple) else ()
            at = nd.at(x)
            assert_same_bits(at[index].get(mode="clip"), np.asarray(x[(end, *rest)]))
            assert_same_bits(at[index].get(mode="wrap"), np.asarray(x[(number % size, *rest)]))
            assert_same_bits(at[index].plan(mode="clip").gather(x), np.asarray(x[(end, *rest)]))
            assert (at[index].get(mode="fill", fill_value=7) == 7).all()
            assert_same_bits(at[index].add(1.0, mode="drop"), x)
            said = str(number) if number.bit_length() <= 128 else "of more than 128 bits"
            with pytest.raises(IndexError, match=f"index {said} is out of range for axis 0"):
                at[index].get()
            strict = {"mode": "clip", "wrap_negative_indices": False}
            assert_same_bits(at[index].get(**strict), np.asarray(x[(end, *rest)]))
    empty = np.zeros((0, 3))
    assert nd.at(empty)[number].get(mode="fill").shape == (3,)
    with pytest.raises(IndexError, match="size 0"):
        nd.at(empty)[number].get(mode="wrap")


def test_at_takes_numpy_integers_beyond_int64(nd: Any) -> None:
    x = np.arange(5)
    number = np.uint64(2**64 - 1)
    assert nd.at(x)[number].get(mode="clip") == 4
    assert nd.at(x)[number].get(mode="wrap") == (2**64 - 1) % 5
    with pytest.raises(IndexError, match=f"index {2**64 - 1} is out of range"):
        nd.at(x)[number] = 3


def test_at_refuses_huge_ints_for_axes_that_hold_them() -> None:
    x = np.broadcast_to(np.uint8(1), (2**63 - 1,))
    for number in (2**63, -(2**63) - 1):
        with pytest.raises(IndexError, match=f"index {number} is out of range for axis 0"):
            gnd.at(x)[number].get(mode="clip")


def test_at_sets_what_an_operator_has_not_changed() -> None:
    """`at[i] += u` ends with at[i] = the expression: that of another one is no update."""
    x = np.zeros(4)
    at, i = gnd.at(x), np.array([1, 1])
    expression = at[i]
    assert operator.iadd(expression, np.ones(2)) is expression
    for other, index in ((gnd.at(x), i), (at, i.copy())):
        with pytest.raises(TypeError, match=r"call its \.get\(\)"):
            other[index] = expression
        expression += np.ones(2)
    at[i] = expression
    with pytest.raises(TypeError, match=r"call its \.get\(\)"):
        at[i] = expression
    assert x.tolist() == [0, 6, 0, 0]


def test_at_operators_take_slices_that_python_makes_twice(nd: Any) -> None:
    """From Python 3.12 on, `at[a:b] += u` makes a slice to read and an equal one to assign."""
    x, a, b = np.zeros(6), 1, 4
    at = nd.at(x)
    at[a:b] += 1
    at[a:b] = operator.iadd(at[a:b], np.ones(3))
    at[:] = operator.iadd(at[:], [1.0])
    assert x.tolist() == [1, 3, 3, 3, 1, 1]
    expression = operator.iadd(at[a:b], 1)
    for index in (slice(a, b + 1), slice(0, b), slice(a, b, 1), (slice(a, b),), a):
        with pytest.raises(TypeError, match=r"call its \.get\(\)"):
            at[index] = expression


def test_at_is_not_iterable() -> None:
    """Python would go on for ever: an index is checked when the elements are read."""
    for call in (iter, list, lambda at: 1 in at):
        with pytest.raises(TypeError, match="At"):
            call(gnd.at(np.arange(3)))


@pytest.mark.parametrize("options", [{}, {"mode": "raise"}])
def test_at_takes_the_arguments_of_its_methods_only(options: dict[str, Any]) -> None:
    x = np.arange(3)
    for call in (
        lambda: gnd.at(),
        lambda: gnd.at(x, "clip"),
        lambda: gnd.at(x, mood=1),
        lambda: gnd.at(x, **options)[0].get(1),
        lambda: gnd.at(x, **options)[0].get(mood=1),
        lambda: type(gnd.at(x)).__setitem__(gnd.at(x), 0),
        lambda: type(gnd.at(x)).__getitem__(x, 0),
        lambda: type(gnd.at(x)[0]).get(x),
    ):
        with pytest.raises(TypeError):
            call()


def test_an_index_expression_is_no_array() -> None:
    x = np.arange(3)
    for misuse in (
        np.asarray,
        bool,
        lambda e: operator.setitem(gnd.at(x), 1, e),
        lambda e: e == 0,
        lambda e: x != e,
        lambda e: e + 1,
        lambda e: e[0],
        lambda e: operator.setitem(e, 0, 1),
        float,
        len,
        gnd.at,
    ):
        with pytest.raises(TypeError, match=r"call its \.get\(\)"):
            misuse(gnd.at(x)[0])
    for name in ("shape", "sum"):
        with pytest.raises(AttributeError, match=r"call its \.get\(\)"):
            getattr(gnd.at(x)[0], name)
        assert name not in dir(gnd.at(x)[0])
    for update in (operator.itruediv, operator.ifloordiv, operator.ipow, operator.ilshift):
        with pytest.raises(TypeError, match=r"at: in place there are \+=, -="):
            update(gnd.at(x)[0], 2)


@pytest.mark.parametrize("x", [None, {}, {1}, object()], ids=type)
def test_at_refuses_what_is_no_array(x: Any) -> None:
    with pytest.raises(TypeError, match=f"at: x must be an array, not {type(x).__name__}"):
        gnd.at(x)


class Own(np.ndarray):
    pass


PICKLES = [
    functools.partial(
        lambda x, protocol: pickle.loads(pickle.dumps(x, protocol)), protocol=protocol
    )
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
]


@pytest.mark.parametrize("make_copy", [copy.copy, copy.deepcopy, *PICKLES])
def test_an_index_expression_is_copied(make_copy: Any) -> None:
    x = np.arange(12).reshape(3, 4)
    for index in (0, [0, 2], (slice(None), [1, 1])):
        expression = gnd.at(x, mode="clip")[index]
        expression.plan()
        assert_same_bits(make_copy(expression).get(), np.asarray(x[index]))


@pytest.mark.parametrize("make_copy", [copy.copy, copy.deepcopy, *PICKLES])
@pytest.mark.parametrize(
    "x", [np.arange(4), np.arange(4).view(Own), np.ma.masked_equal([1, 2, 3], 2)], ids=type
)
def test_a_copy_changes_its_own_array(x: Any, make_copy: Any) -> None:
    before = x.copy()
    copied = make_copy(gnd.at(x))
    y = copied[[0]].set(9, copy=False)
    copied[[1]] += 5
    expected = gnd.at(before)[[0]].set(9)
    assert_same_bits(np.asarray(y), gnd.at(expected)[[1]].add(5))
    assert (y is x) == (make_copy is copy.copy)
    gnd.at(x)[:] = np.asarray(before)


def test_at_without_an_index_is_no_array() -> None:
    uses: list[Any] = [np.asarray, lambda x: gnd.gather_nd(x, [[0]])]
    for use in uses:
        with pytest.raises(TypeError, match="what at"):
            use(gnd.at(np.zeros(3)))


@pytest.mark.parametrize("make", [lambda x: x, lambda x: x.astype("i2"), lambda x: (x, x)])
def test_index_arrays_of_64_dimensions_are_refused(make: Any) -> None:
    x = np.zeros((3, 1))
    at_most = make(np.zeros((1,) * 62, int))
    assert_same_bits(gnd.at(x)[at_most].get(), x[at_most])
    index = make(np.zeros((1,) * 64, int))
    table = x if isinstance(index, tuple) else x[:, 0]
    calls: list[Any] = [
        lambda e: e.get(), lambda e: e.get(mode="fill"), lambda e: e.set(1),
        lambda e: e.set(np.ones((1,) * 64)), lambda e: e.add(1), lambda e: e.plan(),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(IndexError, match=r"^at: index arrays have at most 63 dimensions"):
            call(gnd.at(table)[index])


@pytest.mark.parametrize("dtype", ["S0", "U0", "V0"])
def test_at_makes_arrays_of_elements_without_bytes(dtype: str) -> None:
    x = np.ndarray((3,), dtype)
    empty = x[:1]
    for y in (
        gnd.at(x)[[0]].set(empty),
        gnd.at(x)[:].set(x),
        gnd.at(x)[1:].set(empty),
        gnd.at(x)[1:].plan().scatter(x, empty),
    ):
        assert (y.dtype, y.shape) == (x.dtype, x.shape)


def test_at_says_what_is_wrong_with_a_list() -> None:
    x = np.zeros(3)
    for huge in ([2**70], [-1, 2**63], [[0], [2**64]]):
        with pytest.raises(IndexError, match="the integers of a list must fit int64"):
            gnd.at(x)[(huge,)]
    with pytest.raises(IndexError, match=re.escape("gnd.at(x[['f0']])")):
        gnd.at(np.zeros(3, "i4,i4"))[["f0"]]
    with pytest.raises(IndexError, match="not an array of float64"):
        gnd.at(x)[[0.5]]


def test_at_names_itself_and_all_modes() -> None:
    x = np.zeros(3)
    for call in (gnd.at(x)[0].get, gnd.at(x)[0].plan, functools.partial(gnd.at(x)[0].set, 1)):
        with pytest.raises(ValueError, match=r"^at: mode must be .*fill.*drop"):
            call(mode="bogus")
    with pytest.raises(ValueError, match=r"^at: fill_value must be a single element"):
        gnd.at(x)[9].get(mode="fill", fill_value=[1, 2])
    assert gnd.at(x)[0].add(1, copy=np.True_)[0] == 1


def test_at_options_of_updates_are_checked() -> None:
    x = np.arange(3)
    with pytest.raises(TypeError, match="at: an update has no option 'mood'"):
        gnd.at(x)[0].add(1, mood=1)
    for call in (gnd.at(x)[0].set, gnd.at(x)[0].add):
        with pytest.raises(TypeError, match="at: copy must be a bool, not None"):
            call(1, copy=None)
    assert x.tolist() == [0, 1, 2]


@given(st.data())
def test_at_makes_arrays_in_the_order_that_numpy_copies(data: Any) -> None:
    shape = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    steps = data.draw(
        st.lists(st.sampled_from([1, -1, 2]), min_size=len(shape), max_size=len(shape))
    )
    x = (
        np.arange(np.prod(shape))
        .reshape(shape)
        .transpose(data.draw(st.permutations(range(len(shape)))))
    )
    x = x[tuple(slice(None, None, step) for step in steps)]
    if data.draw(st.booleans()):
        x = np.broadcast_to(x, (2, *x.shape))
    expected = x.copy("K")
    counts = np.array(expected.shape) > 1  # the stride of a dimension of size 1 means nothing
    for y in (gnd.at(x)[:].set(x), gnd.at(x)[1:].add(0), gnd.at(x)[1:].plan().scatter(x, 0, "add")):
        assert_same_bits(y, expected)
        assert (np.array(y.strides) == expected.strides)[counts].all()


def test_at_keeps_the_order_of_the_array() -> None:
    x = np.asfortranarray(np.arange(12.0).reshape(3, 4))
    assert gnd.at(x)[[0, 1], [2, 3]].add(1).flags.f_contiguous
    assert gnd.at(x)[1:, 2].add(1).flags.f_contiguous


@pytest.mark.parametrize("index", ["field", 1.0, np.array([1.0]), np.array(["a"]), {}])
def test_at_refuses_what_is_no_index(index: Any) -> None:
    with pytest.raises(IndexError):
        gnd.at(np.arange(3))[index]


@given(data=st.data())
@pytest.mark.parametrize("mode", ["raise", "clip", "wrap"])
def test_at_of_few_elements(nd: Any, mode: str, data: Any) -> None:
    """Index arrays around the lanes of a vector, of both types and every layout, beside slices."""
    n = data.draw(st.integers(1, 70))
    shape = (5, 3, 7, 2)
    x = data.draw(layouts(elements(shape, "f4", 0)))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    parts: list[Any] = [slice(None, None, data.draw(st.sampled_from((1, 2, -1)))) for _ in shape]
    axes = data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=3, unique=True))
    for axis in axes:
        size = shape[axis]
        low, high = (-size, size) if mode == "raise" else (-3 * size, 3 * size)
        i = rng.integers(low, high, n).astype(data.draw(st.sampled_from(("i4", "i8"))))
        how = data.draw(st.sampled_from(("packed", "strided", "unaligned", "column", "one")))
        if how == "strided":
            i = np.repeat(i, 2)[::2]
        elif how == "unaligned":
            i = np.frombuffer(b"\0" + i.tobytes(), i.dtype, n, 1)
        elif how == "column":
            i = i[:3, None]
        elif how == "one":
            i = i[:1]
        parts[axis] = i
    index = tuple(parts)
    inside = tuple(
        i
        if isinstance(i, slice)
        else np.where(i < 0, i + size, i).clip(0, size - 1)
        if mode == "clip"
        else i % size
        for i, size in zip(index, shape, strict=True)
    )
    expected = x[inside]
    assert_same_bits(nd.at(x, mode=mode)[index].get(), np.ascontiguousarray(expected))
    updates = elements(expected.shape, "f4", 1)
    for name, assign in (("set", None), ("add", np.add), ("max", np.maximum)):
        actual, wanted = np.ascontiguousarray(x).copy(), np.ascontiguousarray(x).copy()
        if assign is None:
            wanted[inside] = updates
        else:
            assign.at(wanted, inside, updates)
        getattr(nd.at(actual, mode=mode)[index], name)(updates, copy=False)
        assert_same_bits(actual, wanted)
    if mode == "raise":
        axis = data.draw(st.sampled_from(axes))
        bad = index[axis].copy()
        bad.flat[data.draw(st.integers(0, bad.size - 1))] = shape[axis]
        broken = (*index[:axis], bad, *index[axis + 1 :])
        y = np.ascontiguousarray(x).copy()
        with unchanged(y):
            with pytest.raises(IndexError, match="out of range"):
                nd.at(y)[broken].get()
            with pytest.raises(IndexError, match="out of range"):
                nd.at(y)[broken] = updates


@pytest.mark.parametrize("reduction", ["set", "add"])
def test_at_of_few_updates_that_overlap_the_array(nd: Any, reduction: str) -> None:
    x, i = np.arange(40.0), np.arange(30)[::-1].copy()
    expected = x.copy()
    if reduction == "set":
        expected[i] = x[5:35].copy()
        nd.at(x)[i] = x[5:35]
    else:
        expected[i] += x[5:35].copy()
        nd.at(x)[i] += x[5:35]
    assert_same_bits(x, expected)


def test_at_reads_arrays_and_slices_when_a_method_is_called() -> None:
    """Lists and masks are read between the brackets."""
    x = np.arange(6)
    array, places, mask = np.array([0, 1]), [0, 1], x < 2
    expressions = [gnd.at(x)[index] for index in (array, (array,), places, mask)]
    for index in (array, mask):
        index[:] = 3 if index is array else False
    places.append(5)
    assert [e.get().tolist() for e in expressions] == [[3, 3], [3, 3], [0, 1], [0, 1]]
    assert repr(expressions[0]) == f"gathernd.at({x!r})[i]"


SIZES = [2**bits for bits in (0, 7, 8, 15, 16, 31, 32, 52, 53, 63, 64)]
NUMBERS = [sign * size + more for size in SIZES for sign in (1, -1) for more in (-1, 0, 1)]
NUMBERS += [0.0, 0.1, 1.0, 1e-30, 1e-31, 1e-46, 1e-310, 1e15, 1e16, 3.4e38, 3.5e38, 1e39, 1e308]
NUMBERS += [-0.0, -0.1, -1e16, -1e39, float("inf"), float("nan")]
NUMBERS += [True, np.float64(0.1), np.int8(1), 1j, 10**400]
DTYPES = ["?", *"bhilqBHILQefdgFD", ">i4", ">f4", "bfloat16", "int4", "M8[s]", "m8[s]", "S1", "O"]


def by_statement(x: Any, reduction: str, value: Any) -> None:
    if reduction == "set":
        gnd.at(x)[[1]] = value
    else:
        gnd.at(x)[[1]] += value


def by_method(x: Any, reduction: str, value: Any) -> None:
    getattr(gnd.at(x)[[1]], reduction)(value, copy=False)


@pytest.mark.parametrize("reduction", ["set", "add"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_python_number_is_an_update_by_every_form(dtype: str, reduction: str) -> None:
    """Statements on plain arrays convert numbers by themselves."""
    with np.errstate(all="ignore"):
        for value in NUMBERS:
            results = []
            for form in (by_statement, by_method):
                x = np.zeros(3, dtype)
                try:
                    form(x, reduction, value)
                    said = ""
                except Exception as error:
                    said = repr(error)
                results.append((said, x.tolist() if dtype == "O" else x.tobytes()))
            assert results[0] == results[1], value


@pytest.mark.parametrize("n", [1, 2, 3, 7, 511, 512, 513, 4096, 5000])
def test_one_update_of_few_elements(nd: Any, n: int) -> None:
    """It is repeated in the memory of the call, up to 4 KiB."""
    rng = np.random.default_rng(n)
    x = rng.integers(0, 9, (50, 3)).astype(np.float64)
    index = rng.integers(0, 50, n)
    cases: list[Any] = [index, (index, 1), (index, slice(1)), (slice(None), index % 3)]
    for at in cases:
        for update in (2, np.float64(2), np.full((), 2.0), np.full((1,), 2.0)):
            y, expected = x.copy(), x.copy()
            nd.at(y)[at] += update
            np.add.at(expected, at, 2)
            assert_same_bits(y, expected)
            nd.at(y)[at] = update
            expected[at] = 2
            assert_same_bits(y, expected)
