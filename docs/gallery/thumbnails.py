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

# Wide and tall pictures are cut, around this place; others get margins.
CUT = {
    "embedding": (0.805, 0.5),
    "histogram": (0.5, 0.5),
    "image_warp": (0.5, 0.5),
    "message_passing": (0.5, 0.5),
    "paged_cache": (0.8, 0.5),
    "texture": (0.5, 0.5),
}


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
    size = (480, 320)
    place = CUT.get(notebook.stem)
    small = (
        ImageOps.fit(picture, size, centering=place)
        if place
        else ImageOps.pad(picture, size, color="white")
    )
    small.save(GALLERY / "thumbnails" / f"{notebook.stem}.webp", quality=85)
