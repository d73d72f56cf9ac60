"""The demo: a photograph under magnifying glasses, and where its colours are.

gather_nd moves the pixels, scatter_nd counts the colours; NumPy does the same, and has to agree.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

import gathernd
from gathernd import Device, DeviceArray, _core
from gathernd._cli import bench
from gathernd._cli.demo_picture import (
    Bytes,
    Counts,
    Index,
    Source,
    blend,
    draw_counts,
    draw_rims,
    load_photo,
    look_through_glasses,
    save_picture,
)

__all__ = ["run"]

T = TypeVar("T")

RUNS = 15
CORNERS = ((0, 0), (0, 1), (1, 0), (1, 1))


class Race(NamedTuple):
    """The medians of both, in microseconds, and whether their results are equal bit for bit."""

    gathernd: float
    numpy: float
    equal: bool


def run(output: Path) -> int:
    """Make ``demo.png`` in a directory, and print the times of gathernd and of NumPy.

    Parameters
    ----------
    output : Path
        The directory; it is created where it does not exist.

    Returns
    -------
    int
        0, or 1 where NumPy's result is not equal: the exit code.
    """
    photo = load_photo()
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SystemExit(f"the demo cannot write to {output}: {error}") from None
    source = look_through_glasses(photo.shape[0], photo.shape[1])
    print(headline(photo))
    equal = True
    for device in gathernd.devices():
        corners, gathers = race_gathers(photo, source, device)
        warped = blend(corners, source.weights)
        counts, scatter = race_scatter(warped, device)
        print(report(photo, gathers, scatter, device))
        equal = equal and gathers.equal and scatter.equal
    before, _ = race_scatter(photo, device, runs=1)

    path = output / "demo.png"
    save_picture(path, [[photo, draw_rims(warped)], [draw_counts(before), draw_counts(counts)]])
    print(f"\nwrote {path}")
    return 0 if equal else 1


# The warp: four gathers and a blend.


def race_gathers(photo: Bytes, source: Source, device: Device) -> tuple[list[Bytes], Race]:
    """Return the four corners of each pixel, from gathernd, and the race with NumPy.

    Each corner is a gather from a view of the photograph that begins a pixel further on.
    """
    views = [photo[down:, right:] for down, right in CORNERS]
    y, x = split(source.tuples)
    there = [device.asarray(view) for view in views]
    tuples = device.asarray(source.tuples)
    return race(
        lambda: [host(gathernd.gather_nd(view, tuples)) for view in there],
        lambda: [view[y, x] for view in views],
        RUNS,
    )


# The histogram of each column: how many of its pixels have so much red, green and blue.


def race_scatter(picture: Bytes, device: Device, runs: int = RUNS) -> tuple[Counts, Race]:
    """Return the counts, 256 x width x 3, brightest level first; and the race with NumPy."""
    width = picture.shape[1]
    level = 255 - picture.astype(np.intp)
    column = np.arange(width)[:, np.newaxis]
    tuples = np.stack(np.broadcast_arrays(level, column, np.arange(3)), axis=-1)
    parts = split(tuples)
    zeros = np.zeros((256, width, 3), np.uint32)
    ones = np.broadcast_to(np.uint32(1), picture.shape)  # a single 1, seen everywhere

    def by_numpy() -> Counts:
        counts = zeros.copy()
        np.add.at(counts, parts, np.uint32(1))
        return counts

    target, indices, updates = (device.asarray(array) for array in (zeros, tuples, ones))
    return race(lambda: host(gathernd.scatter_nd(target, indices, updates, "add")), by_numpy, runs)


# Times.


def split(tuples: Index) -> tuple[Index, ...]:
    """Return the components of the tuples as arrays of their own, as NumPy takes them."""
    return tuple(np.ascontiguousarray(part) for part in np.moveaxis(tuples, -1, 0))


def race(ours: Callable[[], T], theirs: Callable[[], T], runs: int) -> tuple[T, Race]:
    """Return the first one's result, and the race of both."""
    result, expected = ours(), theirs()
    times = bench.race({"gathernd": ours, "NumPy": theirs}, runs)
    return result, Race(times["gathernd"], times["NumPy"], same_bits(result, expected))


def same_bits(a: Any, b: Any) -> bool:
    """Return whether two arrays of integers, or two lists of them, are the same."""
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same_bits, a, b))
    return bool(a.dtype == b.dtype and np.array_equal(a, b))


def host(result: NDArray[Any] | DeviceArray) -> NDArray[Any]:
    """Return the result as an array of the host's memory."""
    return result.numpy() if isinstance(result, DeviceArray) else result


def headline(photo: Bytes) -> str:
    """Return what the demo prints first."""
    height, width, channels = photo.shape
    return (
        f"photograph: {height} x {width} x {channels} bytes; "
        f"{gathernd.get_num_threads()} threads, SIMD target {_core.cpu_target()}; "
        f"medians of up to {RUNS} runs\n\n"
        f"{'':52}{'gathernd':>10}{'NumPy':>11}{'ratio':>8}"
    )


def report(photo: Bytes, gathers: Race, scatter: Race, device: Device) -> str:
    """Return what the demo prints of one device; its results come back to the host each time."""
    height, width, channels = photo.shape
    rows = (
        (f"gather_nd   4 x {height * width:,} pixels of {channels} bytes", gathers),
        (f"scatter_nd  {photo.size:,} ones added to {256 * width * channels:,} counts", scatter),
    )
    lines = [f"{device.name}: {device.description}" if device.description else device.name]
    for name, times in rows:
        equal = "equal bit for bit" if times.equal else "NOT EQUAL"
        lines.append(
            f"  {name:<50}{times.gathernd / 1e3:7.2f} ms{times.numpy / 1e3:8.2f} ms"
            f"{times.numpy / times.gathernd:8.2g}   {equal}"
        )
    return "\n".join(lines)
