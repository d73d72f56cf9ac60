"""A DLPack producer made by hand, for what NumPy does not export: types, versions, mistakes."""

from __future__ import annotations

import ctypes
from typing import Any, ClassVar

import numpy as np

# The type code of a dtype's kind, or of its name: dlpack.h.
KINDS = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
FLOAT8 = ("e3m4", "e4m3", "e4m3b11fnuz", "e4m3fn", "e4m3fnuz", "e5m2", "e5m2fnuz", "e8m0fnu")
CODES = {"bfloat16": 4} | {f"float8_{name}": code for code, name in enumerate(FLOAT8, 7)}


def code_of(dtype: np.dtype[Any]) -> int:
    return CODES[dtype.name] if dtype.name in CODES else KINDS[dtype.kind]


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


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class DLManagedTensor(ctypes.Structure):
    _fields_: ClassVar = [
        ("tensor", DLTensor),
        ("context", ctypes.c_void_p),
        ("deleter", DELETER),
    ]


class DLManagedTensorVersioned(ctypes.Structure):
    _fields_: ClassVar = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", DELETER),
        ("flags", ctypes.c_uint64),
        ("tensor", DLTensor),
    ]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Tensor:
    """A view of a one-dimensional buffer; strides count elements, None is C order.

    `version` is DLPack's major one, 0 what came before it; `type` replaces code, bits and lanes;
    `flags` are those of version 1.
    """

    def __init__(
        self,
        buffer: np.ndarray,
        shape: tuple[int, ...],
        strides: tuple[int, ...] | None = None,
        start: int = 0,
        version: int = 0,
        type: tuple[int, int, int] | None = None,
        capsule_name: bytes | None = None,
        device_type: int = 1,
        flags: int = 0,
    ) -> None:
        self.buffer = buffer
        self.device_type = device_type
        self.open = 0  # capsules that their consumer has not given back
        sizes = (ctypes.c_int64 * len(shape))(*shape)
        steps = (ctypes.c_int64 * len(shape))(*strides) if strides else None
        code, bits, lanes = type or (code_of(buffer.dtype), buffer.itemsize * 8, 1)
        tensor = DLTensor(
            data=buffer.ctypes.data,
            device_type=device_type,
            ndim=len(shape),
            code=code,
            bits=bits,
            lanes=lanes,
            shape=sizes,
            strides=steps,
            byte_offset=start * buffer.itemsize,
        )
        kind = DLManagedTensorVersioned if version else DLManagedTensor
        self.managed = kind(tensor=tensor, deleter=DELETER(self._close))
        if version:
            self.managed.major = version
            self.managed.flags = flags
        self.capsule_name = capsule_name or (b"dltensor_versioned" if version else b"dltensor")

    def _close(self, _: Any) -> None:
        self.open -= 1

    def __dlpack__(self, **options: Any) -> Any:
        self.open += 1
        return new_capsule(ctypes.addressof(self.managed), self.capsule_name, None)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device_type, 0
