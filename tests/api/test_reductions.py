"""scatter_nd's reductions against the oracle and against NumPy, on every backend."""

from __future__ import annotations

import functools

import hypothesis.strategies as st
import ml_dtypes
import numpy as np
import pytest
from hypothesis import assume, given

import gathernd as gnd
import reference
import strategies
from checks import assert_same_bits, assert_same_values
from gathernd import _core
from test_scatter import MODES, check, in_c_order

# Where NumPy's ufunc.at defines the bits.
EXACT = [dtype for dtype in strategies.REDUCIBLE if dtype.kind in "iu" or dtype.char in "fd"]
AT = ("add", "sub", "mul", "and", "or", "xor")


@given(case=strategies.cases(dtypes=strategies.REDUCIBLE, compute=True), data=st.data())
def test_reductions(nd, case, data):
    reduction = data.draw(strategies.reductions(case))
    assume(nd.can_reduce(case.input.dtype, reduction))
    check(nd, case, reduction)


@given(
    case=strategies.cases(dtypes=strategies.REDUCIBLE, compute=True, bad=True),
    rule=MODES,
    data=st.data(),
)
def test_reductions_with_raise_clip_wrap_and_drop(nd, case, rule, data):
    reduction = data.draw(strategies.reductions(case))
    assume(nd.can_reduce(case.input.dtype, reduction))
    check(nd, case, reduction, **rule)


@given(
    case=strategies.cases(min_depth=1, dtypes=EXACT, compute=True), reduction=st.sampled_from(AT)
)
def test_numpy_ufunc_at(nd, case, reduction):
    assume(reduction in reference.reductions_of(case.input.dtype))
    expected = np.array(case.input, order="C")
    index, updates = in_c_order(case)
    with np.errstate(all="ignore"):
        reference.UFUNCS[reduction].at(expected, index, updates.view(case.input.dtype))
    args = (case.input, case.indices, case.updates, reduction, case.batch_dims)
    assert_same_values(nd.scatter_nd(*args), expected)


@given(
    dtype=st.sampled_from(strategies.REDUCIBLE),
    row=st.sampled_from([(), (1,), (3,), (2, 8)]),
    depth=st.integers(0, 2),
    tuples=st.integers(1, 300),
    data=st.data(),
)
def test_many_tuples_into_one_slice(nd, dtype, row, depth, tuples, data):
    """One slice has the only offset 0, and is the whole table where tuples have no index."""
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    reduction = data.draw(st.sampled_from(["none", *reference.reductions_of(dtype)]))
    assume(nd.can_reduce(dtype, reduction))
    table = strategies.numbers(rng, (1,) * depth + row, dtype)
    updates = strategies.numbers(rng, (tuples, *row), dtype)
    indices = strategies.random_indices(rng, (tuples,), (1,) * depth, np.dtype("i8"))
    check(nd, strategies.Case(table, indices, updates, 0), reduction)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4"])
@pytest.mark.parametrize("reduction", ["none", "add", "max"])
def test_one_element_goes_the_way_of_several(dtype, reduction):
    def way(size):
        table, indices = np.zeros(size, dtype), np.zeros((5000, 1), np.int64)
        updates = np.ones(5000, dtype)
        gathers = _core.explain(lambda: gnd.gather_nd(table, indices))
        return gathers + _core.explain(
            lambda: gnd.scatter_nd(table, indices, updates, reduction, out=table)
        )

    with gnd.threads(1):
        assert way(1) == way(2)


@pytest.mark.parametrize("dtype", EXACT, ids=str)
def test_many_tuples_reduced(nd, dtype):
    """ufunc.at's bits, with rows around the vector width and many updates of each place."""
    rng = np.random.default_rng(5)
    for row in ((), (1,), (3,), (16,), (17,), (64,)):
        table = strategies.numbers(rng, (37, *row), dtype)
        indices = strategies.random_indices(rng, (1025,), (37,), np.dtype("i8"))
        updates = strategies.numbers(rng, (1025, *row), dtype)
        for reduction in set(AT) & set(reference.reductions_of(dtype)):
            expected = table.copy()
            with np.errstate(all="ignore"):
                reference.UFUNCS[reduction].at(expected, indices[:, 0], updates)
            assert_same_values(nd.scatter_nd(table, indices, updates, reduction), expected)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "g"])
@pytest.mark.parametrize("reduction", ["add", "sub", "mul", "min", "max"])
def test_untouched_elements_keep_their_nan_payload(nd, dtype, reduction):
    if not nd.can_reduce(np.dtype(dtype), reduction):
        pytest.skip("a TypeError on devices: test_device_ops.py")
    table = strategies.any_bits(np.random.default_rng(1), (64,), np.dtype(dtype))
    reference.bits(table).view(np.uint8).reshape(64, -1)[:, -6:] = 0xFF
    result = nd.scatter_nd(table, [[7], [9]], np.ones(2, dtype), reduction)
    untouched = np.setdiff1d(np.arange(64), [7, 9])
    assert_same_bits(result[untouched], table[untouched])


WORDS = {2: np.uint16, 4: np.uint32, 8: np.uint64}


def some_nan(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Numbers, half of them quiet NaN of any sign and payload."""
    x = rng.standard_normal(shape).astype(dtype)
    word, digits = WORDS[x.itemsize], {2: 10, 4: 23, 8: 52}[x.itemsize]
    quiet = np.array(np.nan, dtype).view(word) & ~(word(1) << word(8 * x.itemsize - 1))
    payloads = rng.integers(0, 1 << (digits - 1), shape, word) | quiet
    payloads |= rng.integers(0, 2, shape, word) << word(8 * x.itemsize - 1)
    return np.where(rng.random(shape) < 0.5, payloads.view(dtype), x)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("reduction", ["add", "sub", "mul", "min", "max"])
@pytest.mark.parametrize("row", [(), (1,), (2,), (3,), (4,), (7,), (16,), (61,)], ids=str)
def test_the_first_nan_stays(nd, dtype, reduction, row):
    """The table's, then the updates' in C order: the same bits at every thread count and target."""
    if nd.options:
        pytest.skip("a device has a NaN of its own: docs/semantics.md")
    rng = np.random.default_rng(8)
    table, updates = some_nan(rng, (37, *row), dtype), some_nan(rng, (300, *row), dtype)
    indices = rng.integers(0, 37, (300, 1))
    word = WORDS[table.itemsize]
    expected = table.copy()
    with np.errstate(all="ignore"):
        reference.UFUNCS[reduction].at(expected, indices[:, 0], updates)
    first = table.copy()
    for at, update in zip(indices[:, 0], updates, strict=True):
        first[at] = np.where(np.isnan(first[at]), first[at], update)
    lost = np.isnan(expected)
    assert lost.any()
    expected.view(word)[lost] = first.view(word)[lost]
    assert_same_bits(nd.scatter_nd(table, indices, updates, reduction), expected)
    if dtype == "f4" and row and reduction in ("add", "sub"):  # complex numbers by their parts
        pairs = [x.repeat(2, -1).view("c8") for x in (table, updates)]
        found = nd.scatter_nd(pairs[0], indices, pairs[1], reduction)
        assert_same_bits(found, expected.repeat(2, -1).view("c8"))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ml_dtypes.bfloat16], ids=str)
@pytest.mark.parametrize("reduction", ["min", "max"])
@pytest.mark.parametrize("lost", [0, 3, 40000], ids="{} NaN".format)
def test_the_extremes_of_many_floats_in_few_bins(nd, dtype, reduction, lost):
    """Each thread has a table of its own: the zero of the right sign stays, and the first NaN."""
    rng = np.random.default_rng(11)
    n, bins = 1 << 17, 16
    low = -np.inf if reduction == "max" else np.inf
    choices = np.array([[low, -0.0], [0.0, -0.0], [low, low], [low, np.copysign(1.5, low)]], dtype)
    indices = rng.integers(0, bins - 2, (n, 1))  # the last two stay as they are
    updates = choices[indices[:, 0] % 4, rng.integers(0, 2, n)]
    word = WORDS[updates.itemsize]
    quiet = np.array(np.nan, dtype).view(word)
    at = rng.choice(n, lost, replace=False)
    updates.view(word)[at] = quiet | (at % 64).astype(word)
    table = rng.choice(np.array([0.0, -0.0, low, low], dtype), bins)
    table[-1] = np.nan
    expected = table.copy()
    for k in range(bins - 2):
        mine = updates[indices[:, 0] == k]
        nan = mine[np.isnan(mine)]
        both = np.append(mine, table[k]).astype("f8")
        pick = both.min() if reduction == "min" else both.max()
        if pick == 0:
            some = np.signbit(both[both == 0])
            sign = some.any() if reduction == "min" else some.all()
            pick = np.copysign(pick, -1 if sign else 1)
        expected[k] = nan[0] if nan.size else pick
    found = nd.scatter_nd(table, indices, updates, reduction)
    if nd.options:
        assert_same_values(found, expected)
    else:
        assert_same_bits(found, expected)


@pytest.mark.parametrize("dtype", ["i1", "i8", "f2", "f4", "c8", "m8[s]"])
def test_one_update_for_all_tuples(nd, dtype):
    rng = np.random.default_rng(12)
    table = strategies.numbers(rng, (900,), np.dtype(dtype))
    tuples = 1 << (12 if nd.options else 16)  # the CPU has ways of its own for many
    indices = rng.integers(0, 30, (tuples, 2))
    one = np.broadcast_to(table[:1], tuples)
    for target in (table, table.reshape(30, 30)):
        at = indices[:, : target.ndim]
        for reduction in reference.reductions_of(table.dtype):
            expected = nd.scatter_nd(target, at, one.copy(), reduction)
            assert_same_bits(nd.scatter_nd(target, at, one, reduction), expected)


@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("row", [(), (1,), (2,), (9,), (32,)], ids=str)
def test_nan_of_complex_reductions(nd, dtype, row):
    """The bits of the textbook formula, of each sum and product the first NaN."""
    if nd.options:
        pytest.skip("a device has a NaN of its own: docs/semantics.md")
    rng, part = np.random.default_rng(9), dtype.replace("c16", "f8").replace("c8", "f4")
    table, updates = (some_nan(rng, (*n, *row, 2), part) for n in ((5,), (40,)))
    indices = rng.integers(0, 5, (40, 1))

    def of_two(a, b, result):
        return np.where(np.isnan(a), a, np.where(np.isnan(b), b, result))

    sums, products = table.copy(), table.copy()
    with np.errstate(all="ignore"):
        for at, u in zip(indices[:, 0], updates, strict=True):
            sums[at] = of_two(sums[at], u, sums[at] + u)
            a = products[at].copy()
            p = of_two(a[..., :1], u, a[..., :1] * u)
            q = of_two(a[..., 1:], u, a[..., 1:] * u)[..., ::-1]
            real = of_two(p[..., 0], q[..., 0], p[..., 0] - q[..., 0])
            imaginary = of_two(p[..., 1], q[..., 1], p[..., 1] + q[..., 1])
            products[at] = np.stack((real, imaginary), -1)

    def as_complex(x):
        return np.ascontiguousarray(x).view(dtype)[..., 0]

    for reduction, expected in (("add", sums), ("mul", products)):
        found = nd.scatter_nd(as_complex(table), indices, as_complex(updates), reduction)
        assert_same_bits(found, as_complex(expected))


@pytest.mark.parametrize("dtype", ["f2", ml_dtypes.bfloat16])
@pytest.mark.parametrize("reduction", ["add", "sub", "mul"])
@pytest.mark.parametrize("row", [(), (3,), (61,)], ids=str)
def test_nan_of_halves_has_no_payload(nd, dtype, reduction, row):
    """The sum is float32, and rounded: of whatever NaN comes the one that np.nan is."""
    if nd.options:
        pytest.skip("a device has a NaN of its own: docs/semantics.md")
    rng = np.random.default_rng(8)
    table, updates = (some_nan(rng, (n, *row), "f2").view(dtype) for n in (37, 300))
    indices = rng.integers(0, 30, (300, 1))
    found = nd.scatter_nd(table, indices, updates, reduction)
    lost = np.isnan(found[:30].astype("f4"))
    assert lost.any()
    quiet = np.array(np.nan, dtype).view(np.uint16)
    assert (found[:30].view(np.uint16)[lost] == quiet).all()
    assert_same_bits(found[30:], table[30:])


@pytest.mark.parametrize("dtype", ["i1", "f4", "f8", "c8", "c16"])
def test_reduction_in_place_of_overlapping_rows(nd, dtype):
    """The updates are the target, shifted by one."""
    x = np.arange(3000).astype(dtype)
    indices = np.arange(2999)[:, None]
    expected = x.copy()
    expected[:-1] += x[1:]
    nd.scatter_nd(x, indices, x[1:], "add", out=x)
    assert_same_bits(x, expected)


def test_a_million_duplicates_many_times(nd):
    times = 5 if nd.options else 50  # a device of software takes half a second a call
    indices = np.random.default_rng(3).integers(0, 8, (10**6, 1))
    target = np.zeros(8, np.float32)
    ones = np.ones(10**6, np.float32)
    for _ in range(times):
        nd.scatter_nd(target, indices, ones, "add", out=target)
    assert_same_bits(target, (times * np.bincount(indices[:, 0])).astype(np.float32))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "g", ml_dtypes.bfloat16])
@pytest.mark.parametrize("reduction", ["min", "max"])
def test_nan_propagates(nd, dtype, reduction):
    if not nd.can_reduce(np.dtype(dtype), reduction):
        pytest.skip("a TypeError on devices: test_device_ops.py")
    table = np.array([np.nan, 1, 1, 1] * 20, dtype)
    updates = np.array([1, np.nan, 1, np.nan, 2] * 20, dtype)
    indices = np.array([4 * i + j for i in range(20) for j in (0, 1, 2, 3, 3)])[:, None]
    result = nd.scatter_nd(table, indices, updates, reduction)
    assert np.isnan(result).tolist() == [True, True, False, True] * 20


HALVES = pytest.mark.parametrize("dtype", ["f2", ml_dtypes.bfloat16], ids=["float16", "bfloat16"])


@HALVES
def test_a_sum_of_halves_rounds_once(nd, dtype):
    """4096 ones; by steps it stays at 2048, or at 256 of bfloat16."""
    ones = np.ones(4096, dtype)
    result = nd.scatter_nd(np.zeros(3, dtype), np.ones((4096, 1), int), ones, "add")
    assert result.astype(float).tolist() == [0, 4096, 0]
    result = nd.scatter_nd(np.zeros(3, dtype), np.ones((4096, 1), int), ones, "sub")
    assert result.astype(float).tolist() == [0, -4096, 0]


@HALVES
def test_a_nan_among_halves_stays_as_it_is_without_updates(nd, dtype):
    """With updates it is the NaN that np.nan is, even if they are zeros."""
    if nd.options:
        pytest.skip("a device has a NaN of its own: docs/semantics.md")
    infinity = np.array(np.inf, dtype).view(np.uint16)
    bits = np.array([1, 0x8001, 0x70, 0x8070, 2, 0x8002], np.uint16) + infinity
    for table in (bits.view(dtype), np.repeat(bits, 40).view(dtype)):
        n = table.size
        indices = np.arange(n).repeat(2)[: 2 * n - 4, None]
        found = nd.scatter_nd(table, indices, np.zeros(2 * n - 4, dtype), "add")
        assert (found[:-2].view(np.uint16) == np.array(np.nan, dtype).view(np.uint16)).all()
        assert_same_bits(found[-2:], table[-2:])


@HALVES
@pytest.mark.parametrize("n", [100, 100000])
@pytest.mark.parametrize("reduction", ["add", "sub"])
def test_sums_of_halves_into_tables_of_any_strides(nd, dtype, n, reduction):
    rng = np.random.default_rng(13)
    packed = rng.standard_normal((9, 8)).astype(dtype)
    tables = [
        packed,
        np.asfortranarray(packed),
        packed[::-1],
        np.repeat(packed, 2, axis=1)[:, ::2],
        np.broadcast_to(packed[0], (9, 8)),
    ]
    indices = rng.integers(0, 8, (n, 2))
    updates = rng.standard_normal(n).astype(dtype)
    for table in tables:
        expected = table.astype("f4")
        reference.UFUNCS[reduction].at(expected, tuple(indices.T), updates.astype("f4"))
        found = nd.scatter_nd(table, indices, updates, reduction)
        assert_same_values(found, expected.astype(dtype))
        if table.flags.writeable:
            nd.scatter_nd(table, indices, updates, reduction, out=table)
            assert_same_values(table, expected.astype(dtype))


@HALVES
def test_sums_of_halves_leave_all_as_it_is_if_a_tuple_is_bad(nd, dtype):
    table = np.ones(50, dtype)
    indices = np.arange(1000)[:, None] % 50
    indices[997] = 50
    with pytest.raises(IndexError, match="50"):
        nd.scatter_nd(table, indices, np.ones(1000, dtype), "add", out=table)
    assert_same_bits(table, np.ones(50, dtype))


SPECIAL = {
    "products past the largest": ("mul", "FDfd", [3e38, 1e300, 2, -4, 1e-300]),
    "sums past the largest": ("add", "FDfd", [3e38, 1.7e308, -3e38, -1.7e308, 1]),
    "sums of subnormal numbers": ("add", "FDfd", [1e-45, -3e-45, 5e-324, 1.2e-38, -2.3e-308]),
    "products of subnormal numbers": ("mul", "fd", [1e-40, 5e-324, 2.0**23, 2.0**52, -0.5]),
    "sums of zeros": ("add", "FDefd", [0.0, -0.0, -0.0, -0.0, 0.0]),
    "differences of zeros": ("sub", "FDefd", [0.0, -0.0, -0.0, -0.0, 0.0]),
}


@functools.cache
def special_pairs(name, code):
    """The arguments with which every pair of the numbers meets, and the result of plain loops."""
    reduction, _, numbers = SPECIAL[name]
    with np.errstate(all="ignore"):
        values = np.array(numbers).astype(code.lower())
    if code in "FD":
        values = np.stack(np.meshgrid(values, values), -1).view(code).ravel()
    pairs = np.stack(np.meshgrid(values, values), -1).reshape(-1, 2)
    table = np.repeat(pairs[:, 0], 2)
    updates = np.concatenate([pairs[:, 1], *[pairs[:, 1]] * 40])
    place = 2 * np.arange(len(pairs))
    indices = np.concatenate([place, *[place + 1] * 40])[:, None]
    args = table, indices, updates, reduction
    return args, reference.scatter_nd(*args)


@pytest.mark.parametrize("name", SPECIAL)
def test_overflow_subnormals_and_signed_zeros(nd, name):
    """Every pair of them meets, in both orders, in a row of few tuples and in one of many."""
    for code in SPECIAL[name][1]:
        args, expected = special_pairs(name, code)
        assert_same_values(nd.scatter_nd(*args), expected)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ml_dtypes.bfloat16])
def test_nan_of_any_bits(nd, dtype):
    """A NaN is one by any of its lower bits, and with either sign."""
    inf = np.array([np.inf, -np.inf], dtype)
    lowest = inf.view(f"u{inf.itemsize}") + np.array([1, 1], f"u{inf.itemsize}")
    for nan in lowest.view(dtype):
        for reduction in ("add", "sub", "mul", "min", "max"):
            for table, update in [(nan, inf[0]), (inf[1], nan), (np.ones(1, dtype)[0], nan)]:
                args = (np.full(40, table, dtype), np.zeros((3, 1), int), np.full(3, update, dtype))
                with np.errstate(invalid="ignore"):
                    assert np.isnan(nd.scatter_nd(*args, reduction)[0].astype(float))


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u4", "i8", "u8"])
def test_integers_at_the_ends_of_their_range(nd, dtype):
    """Each is combined with the table's, also where every update of a place is extreme."""
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    for reduction in ("min", "max", "and", "or", "xor", "mul", "add"):
        for start in (least, most):
            for value in (least, least + 1, most // 2, most // 2 + 1, most - 1, most):
                table, updates = np.full(12, start, dtype), np.full(99, value, dtype)
                indices = np.arange(99)[:, np.newaxis] % 12
                expected = reference.scatter_nd(table, indices, updates, reduction)
                assert_same_bits(nd.scatter_nd(table, indices, updates, reduction), expected)
