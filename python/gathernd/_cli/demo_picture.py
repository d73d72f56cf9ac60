"""The demo's pictures: the photograph, the magnifying glasses, and what is drawn.

No part of this is gathernd's work: `demo` has that.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Bytes",
    "Counts",
    "Index",
    "Source",
    "blend",
    "draw_counts",
    "draw_rims",
    "load_photo",
    "look_through_glasses",
    "save_picture",
]

Bytes = NDArray[np.uint8]
Counts = NDArray[np.uint32]
Index = NDArray[np.intp]

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


def draw_counts(counts: Counts) -> Bytes:
    """Return the counts as a picture: the more pixels of a column, the more light."""
    light: NDArray[np.float64] = np.sqrt(np.minimum(1, counts / 18))
    return np.rint(255 * light).astype(np.uint8)


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
