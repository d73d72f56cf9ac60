"""The small pictures of the gallery: python docs/gallery/thumbnails.py, after nox -s docs.

Each is the last picture of a notebook, as the build has left it, at 480 x 320 pixels.
"""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path

from PIL import Image, ImageOps

GALLERY = Path(__file__).parent
EXECUTED = GALLERY.parent / "_build/jupyter_execute/gallery"

# What is shown of pictures with several parts: left, top, right and bottom, in pixels.
PARTS = {
    "embedding": (742, 36, 962, 260),
    "image_warp": (278, 4, 816, 348),
    "message_passing": (12, 396, 664, 720),
    "paged_cache": (508, 0, 1093, 493),
    "texture": (366, 0, 726, 373),
}
FILLED = {"message_passing"}  # others get margins


def last_picture(notebook: Path) -> Image.Image:
    """Return the last PNG among the outputs of a notebook."""
    cells = json.loads(notebook.read_text())["cells"]
    pictures = [
        output["data"]["image/png"]
        for cell in cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    return Image.open(io.BytesIO(base64.b64decode(pictures[-1]))).convert("RGB")


for notebook in sorted(EXECUTED.glob("*.ipynb")):
    picture = last_picture(notebook)
    picture = picture.crop(PARTS.get(notebook.stem, (0, 0, *picture.size)))
    size = (480, 320)
    small = (
        ImageOps.fit(picture, size)
        if notebook.stem in FILLED
        else ImageOps.pad(picture, size, color=picture.getpixel((0, 0)))
    )
    small.save(GALLERY / "thumbnails" / f"{notebook.stem}.webp", quality=85)
