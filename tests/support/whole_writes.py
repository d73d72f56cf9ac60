"""Arrays that one thread changes while others read them."""

from __future__ import annotations

import numpy as np


def write_whole(values: np.ndarray, to: np.ndarray) -> None:
    """Copy so that no reader sees a part of an element: memcpy may stop within one for a while."""
    np.add(values, 0, out=to, casting="unsafe")
