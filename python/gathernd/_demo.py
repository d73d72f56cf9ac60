"""The demo: a photograph under magnifying glasses, and where its colours are.

gather_nd moves the pixels, scatter_nd counts the colours; NumPy does the same, and has to agree.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

import gathernd
from gathernd import Device, DeviceArray, _core

__all__ = ["run"]

Bytes = NDArray[np.uint8]
Counts = NDArray[np.uint32]
Index = NDArray[np.intp]
T = TypeVar("T")

RUNS = 15
CORNERS = ((0, 0), (0, 1), (1, 0), (1, 1))
# Centre (down, right) and radius in pixels: the badge, the name plate, the ribbons.
GLASSES = ((74, 262, 66), (502, 122, 90), (502, 388, 90))
BRASS = np.array([236, 214, 150], np.float32)
TITLES = (
    ("photograph", "three magnifying glasses, with gather_nd"),
    ("the colours of each column, counted with scatter_nd", "the same after the warp"),
)


class Source(NamedTuple):
    """Where each pixel of the result comes from: between the corners of a square of four pixels."""

    tuples: Index  # (height, width, 2): down and right of the upper left corner
    weights: NDArray[np.float32]  # (4, height, width, 1): the share of each corner


class Race(NamedTuple):
    """The medians of both, in seconds, and whether their results are equal bit for bit."""

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


def load_photo() -> Bytes:
    """Return the photograph of Grace Hopper that matplotlib carries, height x width x 3 bytes."""
    try:
        from matplotlib import cbook
        from PIL import Image
    except ImportError as error:
        raise SystemExit(
            f"the demo needs matplotlib (for its photograph) and Pillow: {error}\n"
            "install both with: pip install 'gathernd[demo]'"
        ) from None
    with Image.open(cbook.get_sample_data("grace_hopper.jpg", asfileobj=False)) as image:
        return np.array(image.convert("RGB"))


# The warp: four gathers and a blend.


def look_through_glasses(height: int, width: int) -> Source:
    """Return the source of each pixel: nearer to the centre of its glass, or where it was."""
    down, right = np.mgrid[:height, :width].astype(np.float32)
    from_down, from_right = down.copy(), right.copy()
    for centre_down, centre_right, radius in GLASSES:
        away = np.hypot(down - centre_down, right - centre_right) / radius
        inside = away < 1
        nearer = (0.5 + 0.14 * away**4)[inside]
        from_down[inside] = centre_down + (down[inside] - centre_down) * nearer
        from_right[inside] = centre_right + (right[inside] - centre_right) * nearer

    y = np.clip(from_down.astype(np.intp), 0, height - 2)
    x = np.clip(from_right.astype(np.intp), 0, width - 2)
    b = (from_down - y)[..., np.newaxis]
    a = (from_right - x)[..., np.newaxis]
    weights = np.stack([(1 - b) * (1 - a), (1 - b) * a, b * (1 - a), b * a])
    return Source(np.stack([y, x], axis=-1), weights.astype(np.float32))


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


def blend(corners: list[Bytes], weights: NDArray[np.float32]) -> Bytes:
    """Return the weighted mean of the four corners: bilinear interpolation."""
    mean = np.zeros(corners[0].shape, np.float32)
    for corner, weight in zip(corners, weights, strict=True):
        mean += corner * weight
    return np.rint(mean).astype(np.uint8)


def draw_rims(picture: Bytes) -> Bytes:
    """Return the picture with a rim of brass around each glass."""
    down, right = np.mgrid[: picture.shape[0], : picture.shape[1]].astype(np.float32)
    result = picture.astype(np.float32)
    for centre_down, centre_right, radius in GLASSES:
        away = np.hypot(down - centre_down, right - centre_right)
        for colour, wide in ((BRASS * 0.2, 4.0), (BRASS, 2.5)):
            share = np.clip(wide - np.abs(away - radius), 0, 1)[..., np.newaxis]
            result += (colour - result) * share
    return np.rint(result).astype(np.uint8)


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


def draw_counts(counts: Counts) -> Bytes:
    """Return the counts as a picture: the more pixels of a column, the more light."""
    light: NDArray[np.float64] = np.sqrt(np.minimum(1, counts / 18))
    return np.rint(255 * light).astype(np.uint8)


# Times.


def split(tuples: Index) -> tuple[Index, ...]:
    """Return the components of the tuples as arrays of their own, as NumPy takes them."""
    return tuple(np.ascontiguousarray(part) for part in np.moveaxis(tuples, -1, 0))


def race(ours: Callable[[], T], theirs: Callable[[], T], runs: int) -> tuple[T, Race]:
    """Return the first one's result, and the medians of both, which take turns."""
    result, expected = ours(), theirs()
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(runs):
        for call, seconds in zip((ours, theirs), times, strict=True):
            start = time.perf_counter()
            call()
            seconds.append(time.perf_counter() - start)
    medians = [statistics.median(seconds) for seconds in times]
    return result, Race(medians[0], medians[1], same_bits(result, expected))


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
        f"medians of {RUNS} runs\n\n"
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
            f"  {name:<50}{1e3 * times.gathernd:7.2f} ms{1e3 * times.numpy:8.2f} ms"
            f"{times.numpy / times.gathernd:8.1f}   {equal}"
        )
    return "\n".join(lines)


# The picture.


def save_picture(path: Path, panels: list[list[Bytes]]) -> None:
    """Write rows of panels, side by side on a dark ground, with a line of text above each."""
    from PIL import Image, ImageDraw, ImageFont

    gap, text = 16, 26
    widths = [panel.shape[1] for panel in panels[0]]
    heights = [row[0].shape[0] for row in panels]
    size = (
        sum(widths) + gap * (len(widths) + 1),
        sum(heights) + text * len(heights) + gap * (len(heights) + 1),
    )
    image = Image.new("RGB", size, (24, 26, 30))
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(size=17)
    top = gap
    for row, titles in zip(panels, TITLES, strict=True):
        left = gap
        for panel, title in zip(row, titles, strict=True):
            draw.text((left, top - 3), title, (214, 216, 220), font)
            image.paste(Image.fromarray(panel), (left, top + text))
            left += panel.shape[1] + gap
        top += row[0].shape[0] + text + gap
    image.save(path, optimize=True)
