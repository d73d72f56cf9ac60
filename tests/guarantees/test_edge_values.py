"""Values that broke other libraries: the right result where legal, else the error; no damage.

From published advisories. Narrow types, and a check that reads other memory than the use.
"""

from __future__ import annotations

import numpy as np
import pytest

import gathernd
from checks import assert_same_bits, names_bad_index, refuses
from gathernd import dml, set_num_threads

INT32_MIN, INT64_MIN, INT64_MAX = -(2**31), -(2**63), 2**63 - 1


@pytest.mark.parametrize(
    "value",
    [
        *(5, 6, -6, INT32_MIN, INT64_MIN, 2**31, 2**32, 2**32 + 1, 2**62, INT64_MAX),
        *(2**61 - 1, 2**61, 2**61 + 1, -(2**61), -(2**62), 2**62 - 1, 2**62 + 1),
        *(2**60 - 1, 2**60, 2**60 + 1, 2**63 // 24 - 1, 2**63 // 24, 2**63 // 24 + 1),
        *(2**63, 2**63 + 1, 2**64 - 1, 2**64 - 5),
    ],
)
@pytest.mark.parametrize("width", [1, 4, 8, 24])
def test_index_whose_offset_wraps_around(nd, value, width):
    """2**62 over a stride of 4 is 2**64 = 0: only the index itself tells."""
    table = np.arange(5 * width, dtype=np.uint8).view(f"V{width}")
    indices = np.array([[0], [value]], np.uint64 if value > INT64_MAX else np.int64)
    updates = table[:2].copy()
    names_bad_index(refuses(IndexError, nd.gather_nd, table, indices), value, (1, 0), 0, 5)
    inplace = table.copy()
    refuses(IndexError, nd.scatter_nd, inplace, indices, updates, out=inplace)
    clipped = nd.gather_nd(table, indices, mode="clip")
    assert_same_bits(clipped, table[[0, 4 if value > 0 else 0]])
    assert_same_bits(nd.gather_nd(table, indices, mode="wrap"), table[[0, value % 5]])
    filled = nd.gather_nd(table, indices, mode="fill", fill_value=table[3])
    assert_same_bits(filled, table[[0, 3]])
    dropped = nd.scatter_nd(table, indices, table[3:5], mode="drop")
    assert_same_bits(dropped, table[[3, 1, 2, 3, 4]])


@pytest.mark.parametrize("pair", [[0, 5], [1, -5], [0, 4], [-3, 11], [2, -8]])
def test_flat_offset_in_range_but_component_not(nd, pair):
    refuses(IndexError, nd.gather_nd, np.zeros((3, 4)), [pair])
    refuses(IndexError, nd.scatter_nd, np.zeros((3, 4)), [pair], [1.0])


@pytest.mark.parametrize("tuples", [1, 2, 7, 64, 1000, 5000])
@pytest.mark.parametrize("where", [0.0, 0.34, 0.5, 0.99])
def test_the_only_bad_index(nd, tuples, where):
    """In the last component of the last batch or inside a thread's part: nothing is written."""
    table = np.zeros((2, 10, 10), np.float32)
    indices = np.ones((2, tuples, 2), np.int32)
    at = min(int(where * 2 * tuples + 0.5), 2 * tuples - 1)
    indices.reshape(-1, 2)[at, 1] = 10
    position = (*divmod(at, tuples), 1)
    out = np.full((2, tuples), 3, np.float32)
    message = refuses(IndexError, nd.gather_nd, table, indices, 1, out=out)
    names_bad_index(message, 10, position, 2, 10)
    for target in (table, None, np.full_like(table, 5)):
        args = (table, indices, np.ones((2, tuples), np.float32), "add", 1)
        names_bad_index(refuses(IndexError, nd.scatter_nd, *args, out=target), 10, position, 2, 10)


@pytest.mark.parametrize("dtype", ["i8", "u8", "i4"])
def test_wrap_takes_constant_time(nd, dtype):
    """10**9 steps of subtraction would take a second an element."""
    values = np.array([10**9, 2**31 - 1, 10**9 + 1] * 10000, dtype)[:, None]
    if dtype != "i4":
        values *= 4
    table = np.array([5, 6, 7])
    assert_same_bits(
        nd.gather_nd(table, values, mode="wrap"), table[(values % 3).astype(int)[:, 0]]
    )
    low = np.array([[10**10], [-(10**10)], [INT64_MIN], [INT64_MAX]])
    assert_same_bits(nd.gather_nd(table, low, mode="wrap"), table[(low % 3)[:, 0]])


HUGE = 10**5000  # Python refuses to show more than 4300 digits


@pytest.mark.parametrize(
    ("error", "says", "call"),
    [
        (ValueError, "IndexPlan: the sizes", lambda: gathernd.IndexPlan((HUGE,), [[0]])),
        (ValueError, "IndexPlan: the sizes", lambda: gathernd.IndexPlan((3, -HUGE), [[0]])),
        (TypeError, "IndexPlan: shape must be", lambda: gathernd.IndexPlan(HUGE, [[0]])),
        (ValueError, "set_num_threads: .* from 1 to 1024", lambda: set_num_threads(HUGE)),
        (TypeError, "set_num_threads: the count must be", lambda: set_num_threads([HUGE])),
        (ValueError, r"sizes must be .* 2\*\*32 - 1", lambda: dml.TensorDesc("INT8", [HUGE])),
        (TypeError, "sizes must be integers in", lambda: dml.TensorDesc("INT8", HUGE)),
        (ValueError, "data_type must be from 0", lambda: dml.TensorDesc(HUGE, [1])),
        (gathernd.DeviceError, "there is no device", lambda: gathernd.Device(HUGE)),
    ],
)
def test_numbers_of_too_many_digits_to_show(error, says, call):
    with pytest.raises(error, match=f"^{says}") as caught:
        call()
    assert "a number of more than 128 bits" in str(caught.value)
