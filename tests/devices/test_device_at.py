"""`at` over arrays that lie on a device, beside NumPy."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gathernd as gnd
from checks import assert_same_bits
from conftest import each_device

DTYPES = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, ">i4"]


@st.composite
def index_arrays(draw):
    """Of one to four axes: each of its own type, broadcast along some dimensions, or an integer."""
    outer = draw(st.sampled_from([(), (1,), (9,), (3, 5), (2, 3, 4)]))
    sizes = draw(st.lists(st.integers(1, 9), min_size=1, max_size=4))
    arrays = []
    for size in sizes:
        if draw(st.integers(0, 4)) == 0:
            arrays.append(draw(st.integers(-size, size - 1)))
            continue
        dtype = np.dtype(draw(st.sampled_from(DTYPES)))
        shape = tuple(1 if draw(st.booleans()) else n for n in outer)
        low = 0 if dtype.kind == "u" else -size
        values = draw(
            st.lists(st.integers(low, size - 1), min_size=max(1, int(np.prod(shape))),
                     max_size=max(1, int(np.prod(shape))))
        )  # fmt: skip
        arrays.append(np.array(values, dtype).reshape(shape))
    return sizes, tuple(arrays)


@each_device
@given(index_arrays(), st.sampled_from([(), (3,)]), st.randoms(use_true_random=False))
def test_index_arrays_select_what_numpy_selects(name, given_arrays, rest, random):
    sizes, index = given_arrays
    x = np.arange(np.prod([*sizes, *rest]), dtype=np.int32).reshape(*sizes, *rest)
    there = gnd.Device(name).asarray(x)
    expected = np.asarray(x[index])
    assert_same_bits(gnd.at(there)[index].get().numpy(), expected)
    updates = np.array([random.randrange(100) for _ in range(expected.size)], np.int32).reshape(
        expected.shape
    )
    y = x.copy()
    np.add.at(y, index, updates)
    assert_same_bits(gnd.at(there)[index].add(updates).numpy(), y)
    x[index] = updates
    gnd.at(there)[index] = updates
    assert_same_bits(there.numpy(), x)


@each_device
def test_errors_name_the_place_in_its_own_array(name):
    x = gnd.Device(name).zeros((4, 5))
    i, j = np.arange(4, dtype=np.int32)[:, None], np.array([0, 4, 2, 9], np.uint64)
    with pytest.raises(IndexError, match=re.escape("at[i, j]: index 9 in j[3] is out of range")):
        gnd.at(x)[i, j].get()
    with pytest.raises(IndexError, match=re.escape("at[i, 7]: index 7 is out of range for axis 1")):
        gnd.at(x)[i, 7].get()
    j[3] = 2**64 - 1
    with pytest.raises(IndexError, match=re.escape(f"index {2**64 - 1} in j[3]")):
        gnd.at(x)[i, j].add(1.0)
    with pytest.raises(IndexError, match=re.escape("index -5 in i[0, 0]")):
        gnd.at(x)[i - 5, j].get()
    assert not x.numpy().any()
    with pytest.raises(ValueError, match=re.escape("positions [0] and [2] of the index")):
        gnd.at(x, duplicates="error")[[1, 2, 1], [3, 3, 3]].set(1.0)


@each_device
def test_modes_treat_the_largest_indices_as_on_the_host(name):
    x = np.arange(20).reshape(4, 5)
    i, j = np.array([1, -1, 2**62, -7]), np.array([3, 2**64 - 1, 2**63, 0], np.uint64)
    there = gnd.Device(name).asarray(x)
    for mode in ("clip", "wrap", "fill"):
        for wraps in (True, False):
            at = {"mode": mode, "wrap_negative_indices": wraps}
            expected = gnd.at(x, **at)[i, j].get(fill_value=-9)
            assert_same_bits(gnd.at(there, **at)[i, j].get(fill_value=-9).numpy(), expected)


@each_device
def test_a_result_goes_into_an_array_on_the_device(name):
    x = np.arange(20).reshape(4, 5)
    out = gnd.Device(name).zeros(3, x.dtype)
    assert gnd.at(x)[[0, 1, 3], 2].get(out=out) is out
    assert_same_bits(out.numpy(), x[[0, 1, 3], 2])
    with pytest.raises(TypeError, match=re.escape("at[:, i]: on a device an index must be")):
        gnd.at(x)[:, [2]].get(out=out)
    with pytest.raises(ValueError, match="out must have shape"):
        gnd.at(x)[[0, 1], 2].get(out=out)


@each_device
def test_a_device_that_is_asked_for_is_that_of_the_arrays(name):
    x = np.arange(3)
    there, out = gnd.Device(name).asarray(x), gnd.Device(name).zeros(2, x.dtype)
    for device, error, says in (
        ("cpu", ValueError, f"at: different devices: cpu, {name}"),
        ("vulkan", gnd.DeviceError, "at: there is no device 'vulkan'"),
    ):
        for call in (
            lambda a, d: gnd.at(a, device=d)[[1, 1]].get(),
            lambda a, d: gnd.at(a)[[1, 1]].get(device=d),
            lambda a, d: gnd.at(x)[[1, 1]].get(out=out, device=d),
            lambda a, d: gnd.at(a)[[1, 1]].set(5, device=d),
            lambda a, d: gnd.at(a, device=d)[[1, 1]].add(5),
            lambda a, d: gnd.at(a)[[1, 1]].add(5, device=d, copy=False),
            lambda a, d: gnd.at(a)[[1, 1]].plan(device=d),
        ):
            with pytest.raises(error, match=says):
                call(there, device)
    assert_same_bits(there.numpy(), x)
    assert not out.numpy().any()
    for device in (name, gnd.Device(name)):
        assert_same_bits(gnd.at(there)[[1, 1]].get(device=device).numpy(), x[[1, 1]])
        assert_same_bits(gnd.at(there)[[1, 1]].add(5, device=device).numpy(), np.array([0, 11, 2]))


@each_device
def test_arrays_of_the_host_beside_those_of_a_device(name):
    x, i = np.arange(12, dtype=np.float32).reshape(3, 4), np.array([0, 2, 0])
    there = gnd.Device(name)
    updates = there.asarray(np.ones((3, 4), np.float32))
    expected = x.copy()
    np.add.at(expected, i, np.float32(1))
    sums = gnd.at(x)[i].add(updates)
    assert isinstance(sums, gnd.DeviceArray)
    assert_same_bits(sums.numpy(), expected)
    before = x.copy()
    with pytest.raises(TypeError, match="updates on a device cannot change an array of the host"):
        gnd.at(x)[i] += updates
    with pytest.raises(TypeError, match="on a device an index must be integers"):
        gnd.at(x)[:, i].add(updates)
    for call in (gnd.at(x).__getitem__, lambda index: gnd.at(x)[0, index]):
        with pytest.raises(TypeError, match=f"at: an index on {name} needs an array there"):
            call(there.asarray(i)).get()
    assert_same_bits(x, before)
    assert_same_bits(gnd.at(there.asarray(x))[there.asarray(i)].get().numpy(), x[i])


@each_device
@pytest.mark.parametrize("rule", ["first", "error", "any"])
def test_reductions_refuse_duplicates(name, rule):
    x = gnd.Device(name).asarray(np.arange(3))
    for copy in (True, False):
        with pytest.raises(ValueError, match="duplicates goes with"):
            gnd.at(x)[[1, 1]].add(5, duplicates=rule, copy=copy)
    assert_same_bits(x.numpy(), np.arange(3))
