"""Records with gaps between their fields."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

GAPPED = {
    "between fields": np.dtype([("a", "i1"), ("b", "f8")], align=True),
    "in an array of records": np.dtype(
        [("a", "i1"), ("f", np.dtype([("p", "i1"), ("q", "i4")], align=True), (2,))]
    ),
    "beside an array": np.dtype(
        {"names": ["a", "f"], "formats": ["i1", ("i4", 2)], "offsets": [1, 4], "itemsize": 16}
    ),
    "beside fields that overlap": np.dtype(
        {"names": ["a", "b"], "formats": ["i4", "u2"], "offsets": [0, 2], "itemsize": 6}
    ),
}


def bytes_of_fields(dtype: np.dtype[Any]) -> np.ndarray:
    """Say of each byte of an element whether it is in a field, or in a gap."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return np.tile(bytes_of_fields(base), math.prod(shape))
    if dtype.fields is None:
        return np.ones(dtype.itemsize, bool)
    result = np.zeros(dtype.itemsize, bool)
    for field, offset, *_ in dtype.fields.values():
        result[offset : offset + field.itemsize] |= bytes_of_fields(field)
    return result


def fields_and_gaps(records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the bytes of the fields, and those of the gaps, in the records' shape."""
    whole = records.view(f"V{records.dtype.itemsize}")  # a copy of records may leave out gaps
    flat = np.frombuffer(whole.tobytes(), np.uint8).reshape(*records.shape, -1)
    in_field = bytes_of_fields(records.dtype)
    return flat[..., in_field], flat[..., ~in_field]
