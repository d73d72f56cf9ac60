"""Arrays of other packages that cannot be read: what they are is said, and what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gathernd
from capsules import Tensor


class Torch(Tensor):
    """Of PyTorch, which exports no lazy tensors; attributes are set by the tests."""

    requires_grad = False
    is_sparse = False

    def __init__(self) -> None:
        super().__init__(np.arange(4), (4,))

    def is_conj(self) -> bool:
        return False

    def is_neg(self) -> bool:
        return False


@pytest.mark.parametrize(
    ("error", "name", "value", "says"),
    [
        (BufferError, "is_conj", lambda: True, r"conjugate bit set; use \.resolve_conj\(\)"),
        (BufferError, "is_neg", lambda: True, r"negative bit set; use \.resolve_neg\(\)"),
        (BufferError, "requires_grad", True, r"requires grad; use \.detach\(\)"),
        (TypeError, "is_sparse", True, r"a sparse tensor; use \.to_dense\(\)"),
        (RuntimeError, "is_deleted", lambda: True, "deleted or donated"),
    ],
)
def test_tensors_that_export_no_memory(error, name, value, says):
    tensor = Torch()
    assert gathernd.gather_nd(tensor, [[3]]) == [3]
    setattr(tensor, name, value)
    with pytest.raises(error, match=f"gather_nd: input: .*{says}"):
        gathernd.gather_nd(tensor, [[3]])
    with pytest.raises(error, match=f"scatter_nd: updates: .*{says}"):
        gathernd.scatter_nd(np.zeros(4, int), np.arange(4)[:, None], tensor)
    with pytest.raises(error, match=f"IndexPlan: indices: .*{says}"):
        gathernd.IndexPlan((4,), tensor)


@pytest.mark.parametrize(("name", "way"), [("cpu", r", by \.cpu\(\)"), ("get", r", by \.get\(\)")])
def test_tensors_on_a_graphics_card(name, way):
    tensor = Tensor(np.arange(4), (4,), device_type=2)
    with pytest.raises(
        TypeError,
        match=r"not in CPU memory \(its DLPack device is \(2, 0\)\): copy it there first",
    ):
        gathernd.gather_nd(tensor, [[3]])
    setattr(tensor, name, lambda: None)
    with pytest.raises(TypeError, match=f"copy it there first{way}"):
        gathernd.gather_nd(tensor, [[3]])


class csr_matrix:  # noqa: N801
    """SciPy's, of which NumPy makes an object."""

    shape = (3, 3)
    dtype = np.dtype(float)

    def toarray(self) -> np.ndarray:
        return np.zeros(self.shape)


def test_sparse_matrices():
    for call in (
        lambda x: gathernd.gather_nd(x, [[1]]),
        lambda x: gathernd.scatter_nd(np.zeros(3), [[1]], x),
        lambda x: gathernd.IndexPlan((3,), x),
        lambda x: gathernd.Device("cpu").asarray(x),
    ):
        with pytest.raises(TypeError, match=r": \w+ is a sparse csr_matrix; use \.toarray\(\)$"):
            call(csr_matrix())


class Broken:
    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        raise LookupError("out to lunch")


def test_errors_of_the_conversion_say_whose_it_was():
    with pytest.raises(LookupError, match="out to lunch") as caught:
        gathernd.gather_nd(np.arange(3), Broken())
    assert caught.value.__notes__ == ["gather_nd: indices was converted to an array"]
