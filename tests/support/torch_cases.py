"""PyTorch in the tests: the module or a skip, tensors of Hypothesis's cases."""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np
from hypothesis import strategies as st

import reference
import strategies
from peers import peer

# The caches on disk do not see that an operator has changed.
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
torch = peer("torch")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import gathernd.torch as gt

BFLOAT16 = next(dtype for dtype in strategies.NATIVE if reference.is_bfloat16(dtype))
MOVED = [np.dtype(code) for code in "?bhilBHILefdFD"] + [BFLOAT16]
REDUCED = [dtype for dtype in MOVED if reference.reductions_of(dtype)]

__all__ = ["BFLOAT16", "MOVED", "REDUCED", "as_array", "cases", "gt", "tensor", "torch"]


def tensor(array: np.ndarray) -> Any:
    """The array as a tensor, of the same strides where a tensor can have them."""
    if array.dtype == BFLOAT16:
        return tensor(array.view(np.int16)).view(torch.bfloat16)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    array = array.view(array.dtype.str)  # of the types of one size PyTorch knows one
    steps = [stride // array.itemsize for stride in array.strides]
    aligned = array.flags.aligned and all(s % array.itemsize == 0 for s in array.strides)
    if not aligned or min(steps, default=0) < 0 or not array.flags.writeable:
        array = array.copy()
    return torch.from_numpy(array)


def as_array(values: Any) -> np.ndarray:
    """The tensor's values."""
    if values.dtype == torch.bfloat16:
        return as_array(values.view(torch.int16)).view(BFLOAT16)
    return values.detach().resolve_conj().resolve_neg().numpy()


def cases(**options: Any) -> st.SearchStrategy[strategies.Case]:
    return strategies.cases(**{"dtypes": MOVED, **options})
