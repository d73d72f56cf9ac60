"""gather_nd against the oracle and against NumPy, on every backend."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import gathernd
import reference
import strategies
from checks import assert_same_bits, check_call, numbers, refuses
from strategies import Case

ROW_BYTES = (1, 2, 3, 4, 6, 8, 12, 16, 17, 32, 33, 64, 65, 100)


def check(nd: Any, case: Case, **kwargs: Any) -> None:
    check_call(nd.gather_nd, case.input, case.indices, case.batch_dims, **kwargs)


@given(case=strategies.cases())
def test_tuples_in_range(nd, case):
    check(nd, case)


@given(case=strategies.cases(bad=True), rule=strategies.rules("raise", "clip", "wrap"))
def test_raise_clip_and_wrap(nd, case, rule):
    check(nd, case, **rule)


@given(case=strategies.cases(bad=True), rule=strategies.rules("fill"), data=st.data())
def test_fill(nd, case, rule, data):
    fill_value = strategies.any_bits(data.draw(strategies.generators()), (), case.input.dtype)
    check(nd, case, fill_value=fill_value, **rule)


@given(
    case=strategies.cases(bad=True),
    rule=strategies.rules("raise", "clip", "wrap", "fill"),
    layout=st.sampled_from(strategies.OUT_LAYOUTS),
)
def test_out(nd, case, rule, layout):
    shape = reference.rows_shape(case.input, case.indices, case.batch_dims)
    out = strategies.lay_out(np.zeros(shape, case.input.dtype), layout)
    options = {"fill_value": np.zeros((), case.input.dtype)} if rule["mode"] == "fill" else {}
    check(nd, case, out=out, **options, **rule)


@given(case=strategies.cases(min_depth=1))
def test_numpy_fancy_indexing(nd, case):
    picked = np.asarray(reference.bits(case.input)[case.fancy()]).view(case.input.dtype)
    assert_same_bits(nd.gather_nd(case.input, case.indices, case.batch_dims), picked)


@pytest.mark.parametrize("dtype", strategies.DTYPES, ids=str)
def test_default_fill_value_is_zero(nd, dtype):
    """Of every dtype: False, 1970, an empty string ..."""
    result = nd.gather_nd(np.zeros(3, dtype), np.array([[9], [1]]), mode="fill")
    assert result.dtype == dtype
    assert result.tolist() == np.zeros(2, dtype).tolist()


@pytest.mark.parametrize("tuples", [1023, 1024, 1025, 4097])
@pytest.mark.parametrize("sizes", [(257,), (17, 15)], ids=str)
def test_many_tuples_of_every_row_size(nd, tuples, sizes):
    rng = np.random.default_rng(tuples)
    row_bytes = ROW_BYTES if tuples != 1025 else (*ROW_BYTES, 5000)
    for size in row_bytes:
        table = strategies.any_bits(rng, sizes, np.dtype(f"V{size}"))
        indices = strategies.random_indices(rng, (tuples,), sizes, np.dtype("i4"))
        expected = table[tuple(indices.T)]
        assert_same_bits(nd.gather_nd(table, indices), expected)
        out = np.full((tuples + 2) * size + 1, 0xA5, np.uint8)
        middle = out[size + 1 : -size].view(table.dtype)
        nd.gather_nd(table, indices, out=middle)
        assert_same_bits(middle, expected)
        assert (out[: size + 1] == 0xA5).all()
        assert (out[-size:] == 0xA5).all()


@pytest.fixture(scope="module", params=["near", "far"])
def picture_bytes(request) -> np.ndarray:
    """The bytes of a picture that a near cache holds, and of one that none does."""
    rows = 40 if request.param == "near" else 1500
    return np.random.default_rng(7).integers(0, 256, (rows, 12 * 1000), np.uint8)


@pytest.mark.parametrize("mode", ["raise", "clip", "wrap"])
@pytest.mark.parametrize("dtype", [np.uint8, np.float16, np.float32])
def test_pixels(nd, picture_bytes, dtype, mode):
    """Rows of 3, 6 and 12 bytes: by tuples, by batches of tuples, by components."""
    rng = np.random.default_rng(6)
    height = len(picture_bytes)
    picture = picture_bytes.view(dtype).reshape(height, -1, 3)
    sizes = picture.shape[:2]
    for index_dtype in (np.dtype("i4"), np.dtype("i8")):
        bad = 0 if mode == "raise" else 50
        indices = strategies.random_indices(rng, (1100,), sizes, index_dtype, bad)
        indices[700] = sizes[0] - 1, -1  # the last pixel
        expected = reference.gather_nd(picture, indices, mode=mode)
        assert_same_bits(nd.gather_nd(picture, indices, mode=mode), expected)
        guarded = np.full(expected.nbytes + 26, 0xA5, np.uint8)
        out = guarded[13:-13].view(dtype).reshape(expected.shape)
        nd.gather_nd(picture, indices, mode=mode, out=out)
        assert_same_bits(out.copy(), expected)
        assert (guarded[:13] == 0xA5).all()
        assert (guarded[-13:] == 0xA5).all()
    if mode == "raise":
        columns = tuple(np.ascontiguousarray(column) for column in indices.T)
        assert_same_bits(nd.at(picture)[columns].get(), expected)
        batches = indices[:, 1:].reshape(2, 550, 1) % sizes[1]
        assert_same_bits(
            nd.gather_nd(picture[:2], batches, 1),
            np.stack([picture[b][batches[b, :, 0]] for b in range(2)]),
        )


@pytest.mark.parametrize("index_dtype", strategies.INDEX_DTYPES, ids=str)
@pytest.mark.parametrize("bad_at", [0, 1022, 1023, 1024, 2047, 2048, 4096])
def test_bad_tuple_near_a_tile_boundary(nd, index_dtype, bad_at):
    table = np.arange(100, dtype=np.float32)
    indices = np.arange(4097).reshape(-1, 1).astype(index_dtype) % 100
    indices[bad_at:] = 100
    message = refuses(IndexError, nd.gather_nd, table, indices)
    assert numbers(message) == [100, bad_at, 0, 0, 100]
    for dtype in (np.uint8, np.uint16, np.float32):  # smaller than an offset, and not
        out = np.full(4097, 7, dtype)
        refuses(IndexError, nd.gather_nd, table.astype(dtype), indices, out=out)
    filled = nd.gather_nd(table, indices, mode="fill", fill_value=-1.5)
    assert (filled[bad_at:] == -1.5).all()
    assert_same_bits(filled[:bad_at].copy(), table[indices[:bad_at, 0].astype(int)])


@pytest.mark.parametrize("share", [0.002, 0.1, 0.9, 1])
@pytest.mark.parametrize("size", [1, 4, 12, 64, 65, 600])
def test_holes_among_many_tuples(nd, size, share):
    """Few, many, nothing but holes; rows that are moved with them and rows that are not."""
    rng = np.random.default_rng(size)
    table = strategies.any_bits(rng, (300,), np.dtype(f"V{size}"))
    indices = strategies.random_indices(rng, (5000,), (300,), np.dtype("i2"))
    holes = rng.random(5000) < share
    holes[600:900] = share > 0.5
    fill = strategies.any_bits(rng, (), table.dtype)
    expected = np.where(holes, fill, table[indices[:, 0]])
    indices[holes] = 300
    assert_same_bits(nd.gather_nd(table, indices, mode="fill", fill_value=fill), expected)
    out = np.zeros((5000, 2), table.dtype)
    nd.gather_nd(table, indices, mode="fill", fill_value=fill, out=out[:, 1])
    assert_same_bits(out[:, 1].copy(), expected)
    assert out[:, 0].tobytes() == bytes(5000 * size)


@pytest.mark.parametrize("array", ["input", "indices"])
def test_out_is_an_argument(nd, array):
    table = np.array([2, 0, 1, 1])
    indices = np.array([[3], [1], [2], [0]])
    out = table if array == "input" else indices[:, 0]
    expected = table[indices[:, 0]]
    assert nd.gather_nd(table, indices, out=out) is out
    assert_same_bits(out.copy(), expected)


@given(data=st.data())
def test_out_overlaps_anything(nd, data):
    """All arrays lie anywhere in one buffer: the result is as if the arguments were copies."""
    buffer = data.draw(strategies.generators()).integers(0, 256, 96, np.uint8)
    index_dtype = data.draw(st.sampled_from(strategies.INDEX_DTYPES))
    table = data.draw(strategies.windows((5, 2)))(buffer)
    indices = data.draw(strategies.windows((4, 1), index_dtype))(buffer)
    out = data.draw(strategies.windows((4, 2)))
    expected = buffer.copy()
    out(expected)[...] = reference.gather_nd(table.copy(), indices.copy(), mode="wrap")
    nd.gather_nd(table, indices, mode="wrap", out=out(buffer))
    assert_same_bits(buffer, expected)


@pytest.mark.parametrize(
    ("table", "out"),
    [(slice(None, -1), slice(1, None)), (slice(1, None), slice(None, -1))],
    ids=["forward", "backward"],
)
def test_out_is_the_input_shifted_by_one(nd, table, out):
    x = np.arange(5000)
    indices = np.arange(4999)[:, None]
    expected = x.copy()
    expected[out] = x[table]
    nd.gather_nd(x[table], indices, out=x[out])
    assert_same_bits(x, expected)


@pytest.mark.parametrize("mode", ["raise", "clip", "wrap", "fill"])
@pytest.mark.parametrize("dtype", ["u1", "i4", "i8"])
@pytest.mark.parametrize("shift", [0, 4])
def test_out_overlaps_many_indices(nd, shift, dtype, mode):
    """Each index is read before it becomes a result, in every mode."""
    table = np.arange(99, -1, -1, dtype)
    buffer = np.zeros(9000 * 8 + 4, np.uint8)
    indices = buffer[shift:][: 9000 * 4].view(np.int32)
    indices[:] = np.arange(9000) % 100
    expected = table[indices]
    out = buffer[4 - shift :][: expected.nbytes].view(dtype)
    nd.gather_nd(table, indices[:, None], mode=mode, out=out)
    assert_same_bits(out.copy(), expected)


def test_device_cpu_is_the_default():
    table = np.arange(4.0)
    assert_same_bits(gathernd.gather_nd(table, [[3]], device="cpu"), table[[3]])


@pytest.mark.parametrize("row", [3, 33, 256, 2048, 2049, 5000])
def test_results_larger_than_the_caches(nd, row):
    table = np.random.default_rng(row).integers(0, 256, (500, row), dtype=np.uint8)
    tuples = np.random.default_rng(1).integers(-500, 500, ((8 << 20) // row + 5, 1))
    assert_same_bits(nd.gather_nd(table, tuples), table[tuples[:, 0]])
    assert_same_bits(nd.gather_nd(table[:, ::-1], tuples[:9]), table[tuples[:9, 0], ::-1])
