"""Hypothesis strategies: cases of shapes, element types, values, memory layouts and indices.

Hypothesis draws the structure; the bulk of the values comes from a drawn seed, which is fast.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from reference import bits, reductions_of, rows_shape

RECORD = np.dtype([("a", "<i2"), ("b", ">f4"), ("c", "S1")])
NATIVE = [np.dtype(code) for code in "?bBhHiIlLqQefdgFDG"] + [np.dtype(ml_dtypes.bfloat16)]
MOVED = [np.dtype(name) for name in ("M8[s]", "m8[ns]", "S3", "U2", "V0", "V5", "V100")] + [
    RECORD,
    np.dtype(ml_dtypes.float8_e4m3fn),
]
SWAPPED = [np.dtype(name).newbyteorder() for name in ("i4", "u2", "f8", "c8", "U2", "M8[ms]")]
DTYPES = NATIVE + MOVED + SWAPPED
INDEX_DTYPES = [np.dtype(code) for code in "bhilqBHILQ"]
OUT_LAYOUTS = ("C", "F", "reversed", "steps", "unaligned", "rolled")
LAYOUTS = (*OUT_LAYOUTS, "broadcast", "readonly")

# Out of range for most sizes; those that an index type cannot hold are left out.
BAD = (127, 128, 255, 2**15, 2**16, 2**31 - 1, 2**31, 2**32, 2**32 + 1, 2**62, 2**63 - 1)
BAD += (2**63, 2**63 + 1, 2**64 - 1, -128, -(2**31), -(2**32), -(2**63))

FLOATS = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, -np.nan, 1e-45, 1e-40, 6e-8, 65504.0)
FLOATS += (3e38, 1e300, 0.1, -1 / 3)


@dataclass(frozen=True, repr=False)
class Case:
    """The arguments of one call, for both functions."""

    input: np.ndarray
    indices: np.ndarray
    updates: np.ndarray
    batch_dims: int

    def __repr__(self) -> str:
        arrays = (self.input, self.indices, self.updates)
        shown = ", ".join(f"{a.dtype.str}{a.shape} strides {a.strides}" for a in arrays)
        return f"Case({shown}, batch_dims={self.batch_dims}, indices={self.indices.tolist()})"

    def fancy(self) -> tuple[np.ndarray, ...]:
        """NumPy's index for the same slices."""
        batch = self.indices.shape[: self.batch_dims]
        outer = self.indices.ndim - 1 - self.batch_dims
        grid = [axis.reshape(axis.shape + (1,) * outer) for axis in np.indices(batch, sparse=True)]
        return (*grid, *np.moveaxis(self.indices.astype(np.intp), -1, 0))


def generators() -> st.SearchStrategy[np.random.Generator]:
    return st.integers(0, 2**32 - 1).map(np.random.default_rng)


def any_bits(rng: np.random.Generator, shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
    """Elements of any bits that the dtype gives a meaning to."""
    if dtype.itemsize == 0:
        return np.zeros(shape, dtype)
    raw = rng.integers(0, 256, (*shape, dtype.itemsize), np.uint8)
    if dtype.kind == "b":
        raw &= 1
    elif dtype.kind == "U":
        raw = rng.integers(33, 127, (*shape, dtype.itemsize // 4)).astype(dtype.byteorder + "u4")
    return np.ascontiguousarray(raw).view(dtype).reshape(shape)


def numbers(rng: np.random.Generator, shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
    """Numbers to compute with: small ones, wide ones, special ones, any bits."""
    style = rng.integers(4)
    if dtype.kind in "biu":
        return any_bits(rng, shape, dtype)
    if dtype.kind in "mM":
        return times(rng, shape, dtype)
    if style == 0 and dtype.char not in "gG":
        return any_bits(rng, shape, dtype)
    parts = [rng.standard_normal(shape) * 2.0 ** rng.integers(-9, 9, shape) for _ in "ri"]
    if style == 1:
        parts = [rng.integers(-4, 5, shape).astype(float) for _ in "ri"]
    elif style == 2:
        parts = [rng.choice(FLOATS, shape) for _ in "ri"]
    with np.errstate(all="ignore"):
        if dtype.kind != "c":
            return parts[0].astype(dtype)
        values = np.empty(shape, dtype)
        values.real, values.imag = parts
        return values


def times(rng: np.random.Generator, shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
    """Ticks, NaT and those next to it, by which sums wrap around to it, and any bits."""
    ticks = any_bits(rng, shape, np.dtype(np.int64))
    limits = np.iinfo(np.int64)
    few = (limits.min, limits.min, limits.min + 1, limits.max, limits.max - 1, -1, 0, 1, 2)
    ticks = np.where(rng.random(shape) < 0.5, ticks, rng.choice(few, shape))
    return np.asarray(np.where(rng.random(shape) < 0.5, ticks, ticks % 100)).view(dtype)


def random_indices(
    rng: np.random.Generator,
    positions: Sequence[int],
    sizes: Sequence[int],
    dtype: np.dtype,
    bad: int = 0,
) -> np.ndarray:
    """Tuples in range, negative ones too where the type has a sign, then `bad` bad components."""
    indices = np.empty((*positions, len(sizes)), dtype)
    limits = np.iinfo(dtype)
    for component, size in enumerate(sizes):
        low = -size if limits.min < 0 else 0
        indices[..., component] = rng.integers(low, max(size, 1), positions)
    for _ in range(bad if indices.size else 0):
        component = rng.integers(len(sizes))
        size = sizes[component]
        values = [v for v in (size, size + 1, -size - 1, *BAD) if limits.min <= v <= limits.max]
        values = [v for v in values if not -size <= v < size]
        position = tuple(rng.integers(n) for n in positions)
        indices[(*position, component)] = values[rng.integers(len(values))]
    return indices


def lay_out(array: np.ndarray, layout: str) -> np.ndarray:
    """The array in another memory layout; "broadcast" repeats its first row, the rest keep values.

    A view's gaps hold 0xA5.
    """
    if array.itemsize == 0:
        return array
    if layout == "broadcast":
        return np.broadcast_to(array[:1], array.shape) if array.ndim > 1 else array
    if layout == "unaligned":
        buffer = np.full(array.nbytes + 1, 0xA5, np.uint8)
        view = buffer[1:].view(bits(array).dtype).reshape(array.shape)
    elif layout in ("F", "rolled"):
        order = np.roll(range(array.ndim), 1) if layout == "rolled" else range(array.ndim)[::-1]
        shape = tuple(array.shape[axis] for axis in order)
        view = np.empty(shape, bits(array).dtype).transpose(np.argsort(order))
    else:
        step = {"reversed": -1, "steps": 2}.get(layout, 1)
        raw = np.full((*(n * abs(step) for n in array.shape), array.itemsize), 0xA5, np.uint8)
        view = raw.view(bits(array).dtype)[..., 0][(slice(None, None, step),) * array.ndim + (...,)]
    view[...] = bits(array)
    view = view.view(array.dtype)
    view.flags.writeable = layout != "readonly"
    return view


@st.composite
def cases(
    draw: st.DrawFn,
    *,
    bad: bool = False,
    compute: bool = False,
    dtypes: Sequence[np.dtype] = tuple(DTYPES),
    min_depth: int = 0,
) -> Case:
    """Arguments of either function. `bad`: some tuples may be out of range, or point into a
    dimension of size 0. `compute`: values to reduce, in place of any bits."""
    rng = draw(generators())
    dtype = draw(st.sampled_from(dtypes))
    index_dtype = draw(st.sampled_from(INDEX_DTYPES))
    batch = draw(st.lists(st.integers(0, 3), max_size=2))
    outer = draw(st.lists(st.integers(0, 6) | st.just(19), max_size=2))
    sizes = draw(st.lists(st.integers(0, 5), min_size=min_depth, max_size=4))
    row = draw(st.lists(st.integers(0, 4) | st.just(17), max_size=2))
    if not bad and 0 not in batch + outer:
        sizes = [max(size, 1) for size in sizes]
    values = numbers if compute else any_bits
    table = values(rng, [*batch, *sizes, *row], dtype)
    count = draw(st.integers(0, 3)) if bad and sizes else 0
    indices = random_indices(rng, batch + outer, sizes, index_dtype, count)
    updates = values(rng, rows_shape(table, indices, len(batch)), dtype)
    layouts = st.sampled_from(LAYOUTS)
    indices = lay_out(indices, draw(layouts))
    if draw(st.booleans()):
        indices = indices.astype(indices.dtype.newbyteorder(), order="K")
    return Case(lay_out(table, draw(layouts)), indices, lay_out(updates, draw(layouts)), len(batch))


def reductions(case: Case) -> st.SearchStrategy[str]:
    return st.sampled_from(reductions_of(case.input.dtype))


def rules(*modes: str) -> st.SearchStrategy[dict[str, Any]]:
    """What becomes of indices out of range, and whether negative ones are."""
    wraps = st.sampled_from([True, True, False])
    return st.fixed_dictionaries({"mode": st.sampled_from(modes), "wrap_negative_indices": wraps})


REDUCIBLE = [dtype for dtype in DTYPES if reductions_of(dtype)]


@st.composite
def windows(
    draw: st.DrawFn, shape: tuple[int, ...], dtype: npt.DTypeLike = "i4"
) -> Callable[[np.ndarray], np.ndarray]:
    """A view of `shape` somewhere in a buffer of 96 bytes, aligned or not, reversed or not."""
    nbytes = np.dtype(dtype).itemsize * int(np.prod(shape))
    start = draw(st.integers(0, 96 - nbytes))
    step = draw(st.sampled_from([1, -1]))
    return lambda buffer: buffer[start : start + nbytes].view(dtype).reshape(shape)[::step]
