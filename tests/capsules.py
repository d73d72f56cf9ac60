"""A DLPack producer made by hand, for the element types that NumPy does not export."""

from __future__ import annotations

import ctypes
from typing import Any, ClassVar

import numpy as np

CODES = {"float32": (2, 32), "bfloat16": (4, 16), "float8_e4m3fn": (10, 8), "float8_e5m2": (12, 8)}


class DLTensor(ctypes.Structure):
    _fields_: ClassVar = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class DLManagedTensor(ctypes.Structure):
    pass


DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(DLManagedTensor))
DLManagedTensor._fields_ = [
    ("tensor", DLTensor),
    ("context", ctypes.c_void_p),
    ("deleter", DELETER),
]

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Tensor:
    """A view of a one-dimensional buffer; strides count elements, None is C order."""

    def __init__(
        self,
        buffer: np.ndarray,
        dtype: str,
        shape: tuple[int, ...],
        strides: tuple[int, ...] | None = None,
        start: int = 0,
    ) -> None:
        self.buffer = buffer
        self.open = 0  # capsules that their consumer has not given back
        sizes = (ctypes.c_int64 * len(shape))(*shape)
        steps = (ctypes.c_int64 * len(shape))(*strides) if strides else None
        self.managed = DLManagedTensor(
            DLTensor(
                data=buffer.ctypes.data,
                device_type=1,
                ndim=len(shape),
                code=CODES[dtype][0],
                bits=CODES[dtype][1],
                lanes=1,
                shape=sizes,
                strides=steps,
                byte_offset=start * buffer.itemsize,
            ),
            deleter=DELETER(self._close),
        )

    def _close(self, _: Any) -> None:
        self.open -= 1

    def __dlpack__(self, **options: Any) -> Any:
        self.open += 1
        return new_capsule(ctypes.addressof(self.managed), b"dltensor", None)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0
