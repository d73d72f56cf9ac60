"""Gradients of gathernd.torch, and what PyTorch's transforms make of it; pytest -m peers."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import gathernd
from gathernd import _core
from processes import run
from torch_cases import gt, torch

pytestmark = [
    pytest.mark.peers,
    # of PyTorch about itself
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]
OPS = torch.ops.gathernd
DIFFERENTIABLE = ("none", "add", "sub", "min", "max")
# Batch, outer, indexed and row sizes.
SHAPES = [
    ((), (6,), (4,), ()),
    ((), (2, 3), (3, 2), (3,)),
    ((2,), (5,), (3,), (2, 2)),
    ((), (3,), (), (2,)),
    ((), (0,), (3,), (2,)),
    ((2,), (), (3,), ()),
]
MODES = ("raise", "clip", "wrap", "drop")


def make(
    shape: Any, seed: int = 0, mode: str = "raise", dtype: Any = None, ties: bool = False
) -> tuple[Any, Any, Any, int]:
    """input, indices, updates, batch_dims; numbers apart from each other, or often the same."""
    batch, outer, sizes, row = shape
    generator = torch.Generator().manual_seed(seed)

    def numbers(*dims: int) -> Any:
        count = int(np.prod(dims))
        if ties:
            return torch.randint(0, 3, dims, generator=generator).to(dtype or torch.float64)
        apart = (
            torch.randperm(2 * count + 2, generator=generator)[:count] + torch.rand(1).item() / 3
        )
        return apart.reshape(dims).to(dtype or torch.float64)

    reach = 0 if mode == "raise" else 2
    columns = [
        torch.randint(-size - reach, size + reach, (*batch, *outer), generator=generator)
        for size in sizes
    ]
    none = torch.zeros(*batch, *outer, 0, dtype=torch.int64)
    indices = torch.stack(columns, -1) if columns else none
    updates = numbers(*batch, *outer, *row)
    # An odd step of a half keeps inputs and updates apart.
    table = numbers(*batch, *sizes, *row) + (0 if ties else 0.5)
    return table, indices, updates, len(batch)


def ones_of(x: Any) -> Any:
    return x.detach().requires_grad_()


def read_mode(mode: str) -> str:
    return "fill" if mode == "drop" else mode


SAMPLES = [
    (shape, mode, reduction)
    for (shape, mode), reduction in itertools.product(
        itertools.product(SHAPES, MODES), DIFFERENTIABLE
    )
][::3]


@pytest.mark.parametrize(("shape", "mode", "reduction"), SAMPLES)
def test_opcheck(shape, mode, reduction):
    """PyTorch's own checks: of schemas, of fakes, of gradients, and under torch.compile."""
    table, indices, updates, batch_dims = make(shape, mode=mode)
    x, u = ones_of(table), ones_of(updates)
    read = {"mode": read_mode(mode), "fill_value": 7}
    torch.library.opcheck(OPS.gather_nd.default, (x, indices, batch_dims), read)
    args = (indices, u, reduction, batch_dims)
    torch.library.opcheck(OPS.scatter_nd.default, (x, *args), {"mode": mode})
    torch.library.opcheck(OPS.scatter_nd_.default, (x * 1, *args), {"mode": mode})
    raw = (indices, updates, reduction, batch_dims, mode, "last", True)
    torch.library.opcheck(OPS._scatter_nd_.default, (table.clone(), *raw))
    if reduction in ("min", "max"):
        torch.library.opcheck(OPS._winners.default, (table, *raw))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", SHAPES)
def test_gradcheck_of_gather(shape, mode):
    table, indices, _, batch_dims = make(shape, mode=mode)

    def function(x: Any) -> Any:
        return gt.gather_nd(x, indices, batch_dims, mode=read_mode(mode), fill_value=3).sin()

    check_gradients(function, ones_of(table))


@pytest.mark.parametrize(("shape", "mode", "reduction"), SAMPLES)
def test_gradcheck_of_scatter(shape, mode, reduction):
    table, indices, updates, batch_dims = make(shape, mode=mode)

    def function(x: Any, u: Any) -> Any:
        return gt.scatter_nd(x, indices, u, reduction, batch_dims, mode=mode).sin()

    check_gradients(function, ones_of(table), ones_of(updates))


@pytest.mark.parametrize("duplicates", ["last", "first", "any"])
@pytest.mark.parametrize("shape", SHAPES)
def test_gradcheck_of_duplicates(shape, duplicates):
    table, indices, updates, batch_dims = make(shape)

    def function(x: Any, u: Any) -> Any:
        return gt.scatter_nd(x, indices, u, "none", batch_dims, duplicates=duplicates).sin()

    check_gradients(function, ones_of(table), ones_of(updates))


def test_gradcheck_without_duplicates():
    table, _, updates, _ = make(SHAPES[0])
    indices = torch.tensor([[2], [0], [-1]])

    def function(x: Any, u: Any) -> Any:
        return gt.scatter_nd(x, indices, u, duplicates="error").sin()

    check_gradients(function, ones_of(table), ones_of(updates[:3]))


def check_gradients(function: Any, *inputs: Any) -> None:
    """Of the first order, forward and backward, under vmap too, and of the second order."""
    batched = {"check_batched_grad": True, "check_batched_forward_grad": True}
    assert torch.autograd.gradcheck(function, inputs, check_forward_ad=True, **batched)
    assert torch.autograd.gradgradcheck(function, inputs)


def test_gradcheck_in_place():
    table, indices, updates, _ = make(SHAPES[1])

    def function(x: Any, u: Any) -> Any:
        y = x * 2
        assert gt.scatter_nd_(y, indices, u, "max") is y
        return gt.scatter_nd_(y, indices, u * 3, "add")

    assert torch.autograd.gradcheck(function, (ones_of(table), ones_of(updates)))


def test_gradcheck_of_complex_numbers():
    table, indices, updates, _ = make(SHAPES[1])
    x, u = torch.complex(table, -table), torch.complex(updates, updates * 2)
    for reduction in ("none", "add", "sub"):
        function = lambda x, u, r=reduction: gt.scatter_nd(x.conj(), indices, u, r)  # noqa: E731
        assert torch.autograd.gradcheck(function, (ones_of(x), ones_of(u)))


@pytest.mark.parametrize("wraps", [True, False])
def test_negative_indices(wraps):
    i = torch.tensor([[-1], [0]])
    x = torch.ones(3, requires_grad=True)
    gt.gather_nd(x, i, mode="fill", wrap_negative_indices=wraps).sum().backward()
    assert x.grad.tolist() == [1, 0, 1 if wraps else 0]
    u = torch.ones(2, requires_grad=True)
    gt.scatter_nd(x, i, u, mode="drop", wrap_negative_indices=wraps).sum().backward()
    assert u.grad.tolist() == [1 if wraps else 0, 1]


def test_the_gradient_of_a_product_is_a_type_error():
    x = torch.ones(2, requires_grad=True)
    y = gt.scatter_nd(x, torch.tensor([[0]]), torch.ones(1), "mul")
    with pytest.raises(TypeError, match='"mul" has no gradient'):
        y.sum().backward()


@given(
    st.sampled_from(SHAPES), st.integers(0, 1000), st.sampled_from(("min", "max")), st.booleans()
)
def test_extremes_that_are_equal(shape, seed, reduction, has_nan):
    """The first update that is the extreme value gets the gradient; input, where none is."""
    table, indices, updates, batch_dims = make(shape, seed, ties=True)
    if has_nan and updates.numel():
        updates.view(-1)[seed % updates.numel()] = torch.nan
    x, u = ones_of(table), ones_of(updates)
    y = gt.scatter_nd(x, indices, u, reduction, batch_dims)
    grad = torch.arange(1.0, y.numel() + 1, dtype=y.dtype).view(y.shape)
    y.backward(grad)
    arrays = (table.numpy(), indices.numpy(), updates.numpy(), reduction, batch_dims)
    winners = gathernd.winners(*arrays)
    to_updates = np.zeros(updates.shape).reshape(-1, int(np.prod(shape[3])))
    to_input = np.where(winners < 0, grad.numpy(), 0)
    of_row = np.arange(winners.size).reshape(winners.shape) % to_updates.shape[1]
    stays = winners >= 0
    to_updates[winners[stays], of_row[stays]] = grad.numpy()[stays]
    np.testing.assert_array_equal(x.grad.numpy(), to_input)
    np.testing.assert_array_equal(u.grad.numpy(), to_updates.reshape(updates.shape))


@given(st.sampled_from(SHAPES[:2]), st.integers(0, 1000), st.sampled_from(["add", "none", "max"]))
def test_against_plain_pytorch(shape, seed, reduction):
    """index_put and scatter_reduce, and their gradients; of sets, where no two go to one place."""
    table, indices, updates, _ = make(shape, seed)
    places = tuple(indices.unbind(-1))
    if reduction == "none":
        order = torch.randperm(int(np.prod(shape[2])))[: indices.shape[:-1].numel()]
        unique = np.stack(np.unravel_index(order.numpy(), shape[2]), -1)
        indices = torch.from_numpy(unique)
        updates = updates.reshape(-1, *shape[3])[: len(order)]
        places = tuple(indices.unbind(-1))

    def plain(x: Any, u: Any) -> Any:
        if reduction != "max":
            return x.index_put(places, u, accumulate=reduction == "add")
        columns = tuple(indices.numpy().reshape(-1, len(shape[2])).T)
        flat = torch.from_numpy(np.ravel_multi_index(columns, shape[2], mode="wrap"))
        rows = u.reshape(len(flat), -1)
        to = flat[:, None].expand(rows.shape)
        result = x.reshape(-1, rows.shape[1]).scatter_reduce(0, to, rows, "amax")
        return result.reshape(x.shape)

    answers = []
    for function in (lambda x, u: gt.scatter_nd(x, indices, u, reduction), plain):
        x, u = ones_of(table), ones_of(updates)
        y = function(x, u)
        picked = (gt.gather_nd(y, indices) if function is not plain else y[places]) * updates
        (y.square().sum() + picked.sum()).backward()
        answers.append((y, x.grad, u.grad))
    for ours, theirs in zip(*answers, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize(
    ("backend", "reduction"),
    [
        *(("aot_eager", reduction) for reduction in DIFFERENTIABLE),
        *(("inductor", reduction) for reduction in ("add", "max")),  # it calls the C++ compiler
    ],
)
def test_compile(backend, reduction):
    """One graph, with the bits of the eager call, of other sizes too."""

    def model(x: Any, i: Any, u: Any) -> Any:
        y = gt.scatter_nd(x * 2, i, u, reduction)
        z = y.clone()
        gt.scatter_nd_(z, i, u + 1, "add")
        return gt.gather_nd(z, i)

    torch._dynamo.reset()  # it counts the graphs of a function
    compiled = torch.compile(model, fullgraph=True, backend=backend)
    for shape in (SHAPES[1], ((), (7, 3), (3, 2), (3,))):
        table, indices, updates, _ = make(shape)
        answers = []
        for function in (model, compiled):
            x, u = ones_of(table), ones_of(updates)
            y = function(x, indices, u)
            y.sum().backward()
            answers.append((y, x.grad, u.grad))
        for eager, ours in zip(*answers, strict=True):
            assert torch.equal(eager, ours)


def test_compile_in_place():
    @torch.compile(fullgraph=True, backend="aot_eager")
    def step(table: Any, i: Any, u: Any) -> Any:
        gt.scatter_nd_(table, i, u, "add")
        return table.sum()

    table = torch.zeros(3)
    assert step(table, torch.tensor([[2], [2]]), torch.ones(2)).item() == 2
    assert table.tolist() == [0, 0, 2]


def compiled_gather(*arguments: Any, backend: str = "aot_eager", **options: Any) -> Any:
    """gather_nd of zeros at an index out of range, for mode="fill", or where `arguments` say."""
    torch._dynamo.reset()
    x, i = arguments or (torch.zeros(1), torch.ones(1, 1, dtype=torch.int64))
    return torch.compile(lambda: gt.gather_nd(x, i, **options), backend=backend)()


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
@pytest.mark.parametrize("value", [2, 2.0, np.float32(2), torch.tensor(2.0)])
def test_compile_takes_fill_values_of_numpy_and_pytorch(backend, value):
    assert compiled_gather(backend=backend, mode="fill", fill_value=value).tolist() == [2]


def test_compile_checks_options():
    arguments = torch.zeros(1), torch.zeros(1, 1, dtype=torch.int64)
    assert compiled_gather(*arguments, fill_value=None).tolist() == [0]
    with pytest.raises(TypeError, match="batch_dims must be an integer, not True"):
        compiled_gather(*arguments, batch_dims=True)
    with pytest.raises(ValueError, match="batch_dims must be from 0 to 64"):
        compiled_gather(*arguments, batch_dims=2**70)


@given(st.sampled_from(SHAPES), st.sampled_from(DIFFERENTIABLE), st.integers(0, 2), st.data())
@settings(max_examples=30)
def test_vmap(shape, reduction, count, data):
    """A loop over the mapped dimension, wherever it is and whichever tensor has it."""
    size = 3
    made = [make(shape, seed) for seed in range(size)]
    batch_dims = made[0][3]
    is_mapped = [True, data.draw(st.booleans()), data.draw(st.booleans())]
    tensors, dims = [], []
    for position, mapped in enumerate(is_mapped):
        each = [call[position] for call in made]
        dim = data.draw(st.integers(0, each[0].ndim)) if mapped else None
        tensors.append(torch.stack(each, dim) if mapped else each[0])
        dims.append(dim)

    def each_of(position: int, n: int) -> Any:
        return made[n if is_mapped[position] else 0][position]

    def scatter(x: Any, i: Any, u: Any) -> Any:
        return gt.scatter_nd(x, i, u, reduction, batch_dims)

    def gather(x: Any, i: Any) -> Any:
        return gt.gather_nd(x, i, batch_dims)

    def slope(x: Any, i: Any, u: Any) -> Any:
        loss = lambda x, u: (scatter(x, i, u).square()).sum()  # noqa: E731
        return torch.func.grad(loss, argnums=(0, 1))(x, u)

    for function, number in ((scatter, 3), (gather, 2), (slope, 3)):
        mapped = torch.vmap(function, tuple(dims[:number]))(*tensors[:number])
        loop = [function(*(each_of(p, n) for p in range(number))) for n in range(size)]
        if function is slope:
            for part, grads in zip(mapped, zip(*loop, strict=True), strict=True):
                assert torch.equal(part, torch.stack(grads))
        else:
            assert torch.equal(mapped, torch.stack(loop))


@pytest.mark.parametrize("functions", [gt, OPS], ids=["functions", "operators"])
def test_vmap_in_place(functions):
    tables, i, u = torch.zeros(3, 4), torch.tensor([[[0]], [[1]], [[3]]]), torch.ones(3, 1)
    torch.vmap(lambda t, i, u: functions.scatter_nd_(t, i, u, "add"))(tables, i, u)
    assert tables.nonzero().tolist() == [[0, 0], [1, 1], [2, 3]]
    with pytest.raises((ValueError, RuntimeError), match=r"use (scatter_nd|out-of-place)"):
        torch.vmap(lambda i, u: functions.scatter_nd_(torch.zeros(4), i, u, "add"))(i, u)


@pytest.mark.parametrize("functions", [gt, OPS], ids=["functions", "operators"])
@pytest.mark.parametrize("batch_dims", [-2, -1, 2, 5])
def test_vmap_of_other_batch_dims(functions, batch_dims):
    """The error names what the caller passed, and the shapes that the caller sees."""
    x, i, u = torch.ones(2, 3), torch.zeros(2, 1, 1, dtype=torch.int64), torch.zeros(2, 1)

    def winners(x: Any, i: Any, u: Any) -> Any:
        return OPS._winners(x, i, u, "max", batch_dims, "raise", "last", True)

    for function in (
        lambda x, i, u: functions.gather_nd(x, i, batch_dims),
        lambda x, i, u: functions.scatter_nd(x, i, u, "none", batch_dims),
        lambda x, i, u: functions.scatter_nd_(x, i, u, "none", batch_dims),
        winners,
    ):
        with pytest.raises(ValueError, match=rf"\(3,\) .* \(1, 1\) .*batch_dims={batch_dims}$"):
            torch.vmap(function)(x, i, u)
    assert torch.equal(x, torch.ones(2, 3))


VMAP_WITHOUT_REGISTER_VMAP = """
import torch

if hasattr(torch.library, "register_vmap"):
    del torch.library.register_vmap
import gathernd.torch as gt

x, u = torch.arange(24.0).reshape(2, 3, 4), torch.arange(12.0).reshape(2, 3, 2) % 5
i = torch.tensor([[[0], [3]], [[1], [1]], [[3], [0]]])

def top(x, i, u):
    return gt.scatter_nd(x, i, u, "max")

def slope(x, i, u):
    return torch.func.grad(lambda x, u: top(x, i, u).square().sum())(x, u)

def rows(x, i, u):
    return gt.gather_nd(x, i)

for function in (top, slope, rows):
    loop = [torch.stack([function(x[a, b], i[b], u[a, b]) for b in range(3)]) for a in range(2)]
    assert torch.equal(torch.vmap(function)(x[1], i, u[1]), loop[1])
    twice = torch.vmap(torch.vmap(function), in_dims=(0, None, 0))
    assert torch.equal(twice(x, i, u), torch.stack(loop))
y = x[0].clone()
torch.vmap(lambda y, i, u: gt.scatter_nd_(y, i, u, "max"))(y, i, u[0])
assert torch.equal(y, torch.vmap(top)(x[0], i, u[0]))
"""


def test_vmap_as_pytorch_2_4_has_it():
    """Without torch.library.register_vmap, which came with 2.5."""
    run(VMAP_WITHOUT_REGISTER_VMAP)


def test_function_transforms():
    table, indices, updates, _ = make(SHAPES[1])

    def loss(x: Any, u: Any) -> Any:
        return gt.gather_nd(gt.scatter_nd(x, indices, u, "max"), indices).pow(3).sum()

    x, u = ones_of(table), ones_of(updates)
    loss(x, u).backward()
    assert torch.equal(torch.func.grad(loss)(table, updates), x.grad)
    _, slope = torch.func.jvp(loss, (table, updates), (table, updates))
    torch.testing.assert_close(slope, (x.grad * table).sum() + (u.grad * updates).sum())
    hessian = torch.func.hessian(lambda x: loss(x, updates))(table)
    expected = torch.autograd.functional.hessian(lambda x: loss(x, updates), table)
    torch.testing.assert_close(hessian, expected)


@pytest.mark.parametrize("argument", [0, 2])
@pytest.mark.parametrize("reduction", DIFFERENTIABLE)
def test_tangents_of_one_argument(reduction, argument):
    table, indices, updates, _ = make(SHAPES[1])
    arguments = [table, indices, updates]

    def function(x: Any) -> Any:
        return gt.scatter_nd(*arguments[:argument], x, *arguments[argument + 1 :], reduction)

    inputs = (ones_of(arguments[argument]),)
    assert torch.autograd.gradcheck(function, inputs, check_forward_ad=True)


@pytest.fixture
def small_grain():
    """So that small calls use every thread."""
    before = gathernd.get_num_threads(), _core.grain()
    _core.set_grain(1)
    yield
    gathernd.set_num_threads(before[0])
    _core.set_grain(before[1])


def bits(tensor: Any) -> bytes:
    return bytes(tensor.detach().contiguous().view(-1).view(torch.uint8).numpy())


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("reduction", DIFFERENTIABLE)
def test_the_same_bits_at_every_number_of_threads(small_grain, reduction, dtype):
    shape = ((), (4000,), (50,), (3,))
    table, indices, updates, _ = make(shape)
    found = set()
    for threads in (1, 2, 7):
        gathernd.set_num_threads(threads)
        x = ones_of((table.to(dtype) / 977).sin())
        u = ones_of((updates.to(dtype) / 977).sin())
        y = gt.scatter_nd(x, indices, u, reduction)
        gt.gather_nd(y, indices).sin().sum().backward()
        found.add(bits(y) + bits(x.grad) + bits(u.grad))
    assert len(found) == 1


def train(threads: int) -> tuple[list[float], bytes]:
    """A bag of words: the mean of the embeddings of a text's words says what it is about."""
    gathernd.set_num_threads(threads)
    generator = torch.Generator().manual_seed(0)
    topics = torch.randint(0, 4, (64,), generator=generator)
    words = (topics[:, None] * 25 + torch.randint(0, 25, (64, 20), generator=generator))[..., None]
    table = (torch.randn(100, 8, generator=generator) / 10).requires_grad_()
    head = (torch.randn(8, 4, generator=generator) / 10).requires_grad_()
    optimizer = torch.optim.SGD([table, head], lr=2.0)
    losses = []
    for _ in range(60):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(gt.gather_nd(table, words).mean(1) @ head, topics)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, bits(table)


def test_training_converges_to_the_same_bits(small_grain):
    before = torch.get_num_threads()
    torch.set_num_threads(1)  # of the other operators, whose sums may depend on it
    try:
        runs = [train(threads) for threads in (1, 2, 7)]
    finally:
        torch.set_num_threads(before)
    assert runs[0] == runs[1] == runs[2]
    assert runs[0][0][-1] < 0.1 < runs[0][0][0]


def test_no_warning_is_left_to_users():
    """The library is quiet, also where a gradient is asked for."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = torch.ones(3, requires_grad=True)
        gt.gather_nd(x, torch.tensor([[0], [0]])).sum().backward()
        gt.scatter_nd(x, torch.tensor([[0], [0]]), torch.ones(2), "max").sum().backward()
        gt.scatter_nd_(x * 1, torch.tensor([[0], [0]]), torch.ones(2)).sum().backward()
    assert x.grad.tolist() == [2, 2, 2]
