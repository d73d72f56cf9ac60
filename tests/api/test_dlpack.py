"""DLPack, version 1 and before: elements, strides, producers that make mistakes, PyTorch, JAX."""

from __future__ import annotations

import re
import sys
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import gathernd
from capsules import CODES, DELETER, Tensor
from checks import assert_same_bits
from reference import bits
from strategies import any_bits

DTYPES = [np.dtype(code) for code in "bhiqBHIQefdFD?"]
DTYPES += [np.dtype(getattr(ml_dtypes, name)) for name in CODES]


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("strides", [None, (-3, 1), (0, 2)], ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_capsule_made_by_hand(dtype, strides, version):
    buffer = any_bits(np.random.default_rng(3), (12,), dtype)
    start = 3 if strides == (-3, 1) else 0
    tensor = Tensor(buffer, (2, 3), strides, start, version)
    steps = np.array(strides or (3, 1)) * buffer.itemsize
    view = np.lib.stride_tricks.as_strided(bits(buffer)[start:], (2, 3), steps)
    assert_same_bits(gathernd.gather_nd(tensor, [1]), view[1].copy().view(dtype))
    result = gathernd.scatter_nd(tensor, [0], Tensor(buffer, (3,), version=version))
    assert_same_bits(result[0], buffer[:3])
    assert tensor.open == 0, "a capsule was not given back"


@pytest.mark.parametrize(
    "type",
    [(2, 128, 1), (4, 8, 1), (4, 32, 1), (6, 32, 1), (17, 4, 1), (0, 32, 4), (3, 64, 1), (2, 8, 1)],
    ids=str,
)
@pytest.mark.parametrize("version", [0, 1])
def test_types_that_numpy_does_not_have(type, version):
    """No element may be taken for a longer one than was exported."""
    tensor = Tensor(np.zeros(4, np.uint8), (4,), version=version, type=type)
    said = "gather_nd: input: DLPack type code {} of {} bits and {} lanes".format(*type)
    with pytest.raises(TypeError, match=said):
        gathernd.gather_nd(tensor, [[1]])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_fill_value(dtype):
    value = any_bits(np.random.default_rng(5), (1,), dtype)
    fill = Tensor(value, ())
    result = gathernd.gather_nd(np.zeros(2, dtype), [[7]], mode="fill", fill_value=fill)
    assert_same_bits(result, value)
    assert fill.open == 0, "a capsule was not given back"


def test_ml_dtypes_is_missing(monkeypatch):
    tensor = Tensor(np.zeros(4, ml_dtypes.bfloat16), (4,))
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    says = "bfloat16 elements need the package ml_dtypes: pip install -U ml_dtypes"
    with pytest.raises(TypeError, match=f"gather_nd: input: {says}"):
        gathernd.gather_nd(tensor, [[1]])


def test_ml_dtypes_is_too_old(monkeypatch):
    tensor = Tensor(np.zeros(4, ml_dtypes.float8_e3m4), (4,))
    monkeypatch.delattr(ml_dtypes, "float8_e3m4")
    says = r"gather_nd: input: float8_e3m4 .* need a newer version .* pip install -U ml_dtypes"
    with pytest.raises(TypeError, match=says):
        gathernd.gather_nd(tensor, [[1]])


@pytest.mark.parametrize("name", [b"used_dltensor", b"used_dltensor_versioned", b"other"])
def test_capsules_that_are_not_new(name):
    """The memory of a used one is its consumer's."""
    tensor = Tensor(np.zeros(4), (4,), capsule_name=name)
    with pytest.raises(TypeError, match=f"gather_nd: input: .*{name.decode()}"):
        gathernd.gather_nd(tensor, [[1]])


def test_version_that_was_not_asked_for():
    with pytest.raises(TypeError, match=r"gather_nd: indices: .* DLPack version 1, not 2"):
        gathernd.gather_nd(np.arange(3), Tensor(np.zeros(1, int), (1,), version=2))


@pytest.mark.parametrize("version", [0, 1])
def test_memory_that_nobody_has_to_give_back(version):
    tensor = Tensor(np.arange(4), (4,), version=version)
    tensor.managed.deleter = DELETER()
    assert_same_bits(gathernd.gather_nd(tensor, [[3], [1]]), np.array([3, 1]))


@pytest.mark.parametrize("device_type", [3, 11, 13], ids=["CUDAHost", "ROCMHost", "CUDAManaged"])
@pytest.mark.parametrize("version", [0, 1])
def test_memory_that_the_cpu_reads_too(device_type, version):
    buffer = np.arange(4)
    table = Tensor(buffer, (4,), version=version, device_type=device_type)
    view = gathernd.Device("cpu").asarray(table)
    assert np.shares_memory(view, buffer)
    assert view.flags.writeable == (version == 1), "before, nobody says that others may write"
    assert_same_bits(gathernd.gather_nd(table, [[3], [1]]), np.array([3, 1]))
    del view
    assert table.open == 0, "a capsule was not given back"


@pytest.mark.parametrize("version", [0, 1])
def test_a_tensor_without_memory(version):
    """Of no elements it may be; of others, reading would end the process."""
    empty = Tensor(np.zeros(4), (0, 4), version=version)
    empty.managed.tensor.data = None
    assert_same_bits(gathernd.gather_nd(empty, []), np.zeros((0, 4)))
    assert empty.open == 0, "a capsule was not given back"
    for shape in ((4,), (), (2, 2)):
        tensor = Tensor(np.zeros(4), shape, version=version)
        tensor.managed.tensor.data = None
        with pytest.raises(BufferError, match="gather_nd: input: the DLPack tensor has elements"):
            gathernd.gather_nd(tensor, [])


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("stride", [2**60, 2**61, -(2**60) - 1, 2**63 - 1, -(2**63)])
def test_strides_past_the_address_space(stride, version):
    """2**61 elements of 8 bytes would wrap around to 0."""
    tensor = Tensor(np.zeros(4), (2, 2), (1, stride), version=version)
    says = f"scatter_nd: updates: the DLPack tensor's stride of {stride} elements reaches past"
    with pytest.raises(BufferError, match=says):
        gathernd.scatter_nd(np.zeros((2, 2)), [], tensor)


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("rank", [-1, -(2**31)])
def test_ranks_below_0(rank, version):
    tensor = Tensor(np.zeros(4), (4,), version=version)
    tensor.managed.tensor.ndim = rank
    says = f"gather_nd: input: the DLPack tensor has {rank} dimensions"
    with pytest.raises(BufferError, match=says):
        gathernd.gather_nd(tensor, [[0]])


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize(
    ("shape", "strides", "says"),
    [
        ((2**40, 2**40, 2**40), None, "has more elements than fit in memory"),
        ((2**32, 2**31), (0, 0), "has more elements than fit in memory"),
        ((2**62, 0, 2**62), None, "has more elements than fit in memory"),
        ((2**63 - 1,), None, "has more elements than fit in memory"),
        ((-3, 4), None, r"shape \(-3, 4\) has a negative size"),
        ((0, -(2**63)), None, "has a negative size"),
        ((1,) * 65, None, "has 65 dimensions; NumPy takes 0 to 64"),
        ((2**29, 2**30), (2**40, 1), "reaches past the address space"),
        ((2, 2), (2**59, 2**59), "reaches past the address space"),
        ((2,), (-(2**59),), "reaches past the address space"),
    ],
    ids=str,
)
def test_shapes_that_no_memory_has(shape, strides, says, version):
    """They are refused before they are multiplied."""
    tensor = Tensor(np.zeros(4), shape, strides, version=version)
    with pytest.raises(BufferError, match=f"gather_nd: input: the DLPack tensor.*{says}"):
        gathernd.gather_nd(tensor, np.zeros((1, 0), int))
    assert tensor.open == 0, "a capsule was not given back"


@pytest.mark.parametrize("offset", [2**64 - 8, 2**63, 2**63 - 8])
def test_offsets_past_the_address_space(offset):
    tensor = Tensor(np.zeros(4), (4,))
    tensor.managed.tensor.byte_offset = offset
    with pytest.raises(BufferError, match=r"gather_nd: input: .* reaches past the address space"):
        gathernd.gather_nd(tensor, [[0]])


def test_a_tensor_without_a_shape():
    tensor = Tensor(np.arange(4), (4,))
    tensor.managed.tensor.shape = None
    with pytest.raises(BufferError, match="has dimensions, but no shape"):
        gathernd.gather_nd(tensor, [[0]])
    tensor.managed.tensor.ndim = 0
    assert_same_bits(gathernd.gather_nd(tensor, []), np.array(0))


def test_a_capsule_that_another_consumer_takes(monkeypatch):
    """The import of ml_dtypes runs Python code: the tensor is this call's by then."""
    tensor = Tensor(np.arange(4).astype(ml_dtypes.bfloat16), (4,))
    capsule = tensor.__dlpack__()

    class Thief:
        @property
        def bfloat16(self) -> Any:
            with pytest.raises((ValueError, TypeError, BufferError)):
                np.from_dlpack(Producer(capsule))
            return ml_dtypes.bfloat16

    monkeypatch.setitem(sys.modules, "ml_dtypes", Thief())
    assert_same_bits(gathernd.gather_nd(Producer(capsule), [[1]]), tensor.buffer[1:2])
    assert tensor.open == 0, "a capsule was not given back"


class Signed(Tensor):
    """PyTorch exports what waits to be negated as if it did not."""

    negative = False

    def is_neg(self) -> bool:
        return self.negative


def test_tensors_that_wait_to_be_negated():
    tensor = Signed(np.arange(4), (4,))
    assert_same_bits(gathernd.gather_nd(tensor, [[3]]), np.array([3]))
    tensor.negative = True
    with pytest.raises(BufferError, match=r"gather_nd: input: .* negative bit .*resolve_neg"):
        gathernd.gather_nd(tensor, [[3]])


class Producer:
    """Lies on the CPU; what __dlpack__ does is up to the test."""

    def __init__(self, answer: Any, device: Any = (1, 0)) -> None:
        self.answer = answer
        self.device = device
        self.asked: list[dict[str, Any]] = []

    def __dlpack__(self, **options: Any) -> Any:
        self.asked.append(options)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def __dlpack_device__(self) -> Any:
        return self.device


def test_what_is_no_capsule():
    with pytest.raises(TypeError, match=r"gather_nd: input: .* not 5"):
        gathernd.gather_nd(Producer(5), [[0]])


def test_errors_of_the_producer_come_through():
    """Only one that may not know of versions is asked again, without."""
    producer = Producer(BufferError("on strike"))
    with pytest.raises(BufferError, match="on strike") as caught:
        gathernd.gather_nd(producer, [[0]])
    assert caught.value.__notes__ == ["gather_nd: input was asked for its memory (DLPack)"]
    assert producer.asked == [{"max_version": (1, 0)}]
    producer = Producer(TypeError("which version"))
    with pytest.raises(TypeError, match="which version"):
        gathernd.gather_nd(producer, [[0]])
    assert producer.asked == [{"max_version": (1, 0)}, {}]


class Lost:
    def __index__(self) -> int:
        raise LookupError("device mislaid")


def test_errors_of_a_device_type_come_through():
    with pytest.raises(LookupError, match="device mislaid"):
        gathernd.gather_nd(Producer(None, (Lost(), 0)), [[0]])


@pytest.mark.parametrize("device", [None, (), (1.5, 0), ("cpu", 0), 1, (1, 0, 0)], ids=repr)
def test_devices_that_are_none(device):
    says = "scatter_nd: updates: the Producer must give its DLPack device as two integers, not as "
    with pytest.raises(TypeError, match=re.escape(says + repr(device))):
        gathernd.scatter_nd(np.arange(3), [[0]], Producer(None, device))


class Both(Producer):
    """An array of several pieces: NumPy has it, DLPack does not."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if isinstance(self.answer, BufferError):
            return np.arange(3)
        raise ValueError("no array")


def test_what_numpy_takes_all_the_same():
    assert gathernd.gather_nd(Both(BufferError("in pieces")), [[1]]) == [1]
    with pytest.raises(LookupError, match="on strike"):
        gathernd.gather_nd(Both(LookupError("on strike")), [[1]])


READ_ONLY, IS_COPIED = 1, 2


@pytest.mark.parametrize("strides", [None, (-3, 2)], ids=str)
def test_at_writes_to_memory_of_version_1(strides):
    buffer = np.zeros(12)
    tensor = Tensor(buffer, (2, 3), strides, 3, version=1)
    gathernd.at(tensor)[[0, 0], [1, 1]] += 5
    assert gathernd.at(tensor)[1, :2].add(np.array([1.0, 2.0]), copy=False) is tensor
    expected = np.zeros(12)
    view = np.lib.stride_tricks.as_strided(
        expected[3:], (2, 3), [8 * step for step in strides or (3, 1)]
    )
    view[0, 1] = 10
    view[1, :2] = 1, 2
    assert_same_bits(buffer, expected)
    assert tensor.open == 0, "a capsule was not given back"


@pytest.mark.parametrize(
    "exported", [{"version": 0}, *({"version": 1, "flags": f} for f in (READ_ONLY, IS_COPIED, 3))]
)
def test_at_refuses_memory_that_is_no_place_to_write(exported):
    buffer = np.zeros(4)
    tensor = Tensor(buffer, (4,), **exported)
    with pytest.raises(ValueError, match="at: x is read-only"):
        gathernd.at(tensor)[[0, 0]] += 5
    assert not buffer.any()
    assert gathernd.at(tensor)[[0, 0]].add(5.0)[0] == 10


def test_at_refuses_to_write_to_a_copy():
    """NumPy makes an array of the pieces, which the object never sees."""
    with pytest.raises(ValueError, match="at: x is read-only"):
        gathernd.at(Both(BufferError("in pieces")))[0] = 5


def test_memory_of_another_device():
    message = re.escape("the Producer is not in CPU memory")
    for device in ((2, 0), (2**40, 0), (2**90, 0)):
        with pytest.raises(TypeError, match=f"scatter_nd: updates: {message}"):
            gathernd.scatter_nd(np.arange(3), [[0]], Producer(None, device))


@pytest.mark.peers
@pytest.mark.parametrize("name", ["float32", "bfloat16", "float8_e5m2", "int16", "bool"])
def test_torch(name):
    torch = pytest.importorskip("torch")
    table = torch.arange(6).reshape(3, 2).to(getattr(torch, name))
    expected = np.arange(6).reshape(3, 2).astype(getattr(ml_dtypes, name, name))
    assert_same_bits(gathernd.gather_nd(table, torch.tensor([[2], [0]])), expected[[2, 0]])
    assert_same_bits(gathernd.gather_nd(table.T, torch.tensor([[1]])), expected.T[[1]].copy())
    result = gathernd.scatter_nd(table, [[0]], table[2:])
    assert_same_bits(result, expected[[2, 1, 2]])


@pytest.mark.peers
def test_at_writes_to_tensors_of_torch():
    torch = pytest.importorskip("torch")
    table = torch.zeros(4, 3)
    gathernd.at(table.T)[1, [0, 0, 2]] += torch.ones(3)
    assert table[:, 1].tolist() == [2, 0, 1, 0]
    assert table.sum() == 3


@pytest.mark.peers
def test_at_leaves_arrays_of_jax():
    jax = pytest.importorskip("jax")
    table = jax.numpy.zeros(3)
    with pytest.raises(ValueError, match="at: x is read-only"):
        gathernd.at(table)[[0, 0]] += 1
    assert not table.any()


@pytest.mark.peers
def test_torch_in_a_list():
    torch = pytest.importorskip("torch")
    indices = [torch.tensor(2), torch.tensor(0, dtype=torch.uint8)]
    assert_same_bits(gathernd.gather_nd(np.arange(6).reshape(3, 2), indices), np.array(4))
    with pytest.raises(TypeError, match="indices must be integers, not bool"):
        gathernd.gather_nd(np.arange(3), [[torch.tensor(True)], [1]])


@pytest.mark.peers
def test_torch_tensors_of_other_values_than_their_memory():
    """PyTorch exports what waits to be negated as if it did not."""
    torch = pytest.importorskip("torch")
    conjugate = torch.tensor([1 + 2j, 3 + 4j]).conj()
    with pytest.raises(BufferError, match=r"gather_nd: input: .* negative bit .*resolve_neg"):
        gathernd.gather_nd(conjugate.imag, [[1]])
    assert gathernd.gather_nd(conjugate.imag.resolve_neg(), [[1]]) == [-4]
    with pytest.raises(BufferError, match="conjugate bit"):
        gathernd.gather_nd(conjugate, [[1]])


@pytest.mark.peers
@pytest.mark.parametrize("name", ["float32", "bfloat16", "float8_e5m2", "int16", "bool"])
def test_jax(name):
    jnp = pytest.importorskip("jax.numpy")
    table = jnp.arange(6).reshape(3, 2).astype(name)
    expected = np.arange(6).reshape(3, 2).astype(getattr(ml_dtypes, name, name))
    assert_same_bits(gathernd.gather_nd(table, jnp.array([[2], [0]])), expected[[2, 0]])
    result = gathernd.scatter_nd(table, [[0]], table[2:])
    assert_same_bits(result, expected[[2, 1, 2]])


@pytest.mark.peers
def test_jax_in_a_list():
    jnp = pytest.importorskip("jax.numpy")
    result = gathernd.gather_nd(np.arange(6).reshape(3, 2), [jnp.array(2), jnp.array(0)])
    assert_same_bits(result, np.array(4))


@pytest.mark.peers
def test_jax_says_why_a_tracer_is_no_array():
    jax = pytest.importorskip("jax")
    with pytest.raises(jax.errors.TracerArrayConversionError):
        jax.jit(lambda x: gathernd.gather_nd(x, [[1]]))(jax.numpy.arange(3))
