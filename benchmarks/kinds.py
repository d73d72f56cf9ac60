"""24 kinds of work whose shapes no other benchmark uses: python benchmarks/race.py --set kinds.

Some have a form of their own in each library, such as np.bincount for counts.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import gathernd as gnd
from gathernd._cli.bench import Call, Case, random_data, random_tuples
from peers import available

BAR = 1.2  # no kind should be under it
M = 10**6

Array = np.ndarray[Any, Any]
Work = tuple[Case, dict[str, Call]]


def kinds() -> Iterator[Work]:
    """Make the kinds one after the other, each with the calls that take the place of a case's."""
    rng = np.random.default_rng(7)
    data, tuples = partial(random_data, rng), partial(random_tuples, rng)

    def gather(name: str, table: Array, indices: Array, batch_dims: int = 0) -> Work:
        return Case(name, BAR, table, indices, batch_dims=batch_dims), {}

    def scatter(
        name: str, table: Array, indices: Array, updates: Array, reduction: Any = "none"
    ) -> Work:
        return Case(name, BAR, table, indices, updates, reduction, in_place=True), {}

    picture, u8, i32, f16 = (1700, 1900), np.uint8, np.int32, np.float16
    yield gather("one element of 10", data(10), tuples(1, 10))
    yield gather("10 2-tuples of 30 x 30", data(30, 30), tuples(10, 30, 30))
    yield gather("9*10^5 2-tuples of 1700 x 1900", data(*picture), tuples(900_000, *picture))
    yield gather("10^6 6-tuples of 10^6", data(*[10] * 6), tuples(M, *[10] * 6))
    yield gather("6*10^4 rows of 40 of 2^18", data(1 << 18, 40), tuples(60_000, 1 << 18))
    yield gather("10^5 rows of 96 of 3*10^5", data(300_000, 96), tuples(100_000, 300_000))
    yield gather("10^6 of 3*10^7", data(30 * M), tuples(M, 30 * M))
    yield gather("10^6 of 5*10^4, int32", data(50_000), tuples(M, 50_000, dtype=i32))
    yield gather("10^6 3-tuples of 200^3, uint8", data(*[200] * 3, dtype=u8), tuples(M, *[200] * 3))
    yield gather(
        "9*10^5 RGB of 1700 x 1900", data(*picture, 3, dtype=u8), tuples(900_000, *picture)
    )
    yield gather("1500 rows of 3000 of 10^4", data(10_000, 3000), tuples(1500, 10_000))
    yield gather(
        "50 batches: 300 rows of 48 of 2000", data(50, 2000, 48), tuples((50, 300), 2000), 1
    )
    yield pairs(data(2048, 2048), tuples(M, 2048, 2048))
    yield mask(data(M), rng.random(M) < 0.5)
    yield (
        Case(
            "set 3*10^4 rows of 64 of 2*10^5, new", BAR, data(200_000, 64),
            tuples(30_000, 200_000), data(30_000, 64),
        ),
        {},
    )  # fmt: skip
    yield scatter("set 9*10^5 of 3*10^6", data(3 * M), tuples(900_000, 3 * M), data(900_000))
    yield scatter(
        "set 9*10^5 2-tuples of 1700 x 1900", data(*picture), tuples(900_000, *picture),
        data(900_000),
    )  # fmt: skip
    yield scatter(
        "add 9*10^5 into 70,000", data(70_000), tuples(900_000, 70_000), data(900_000), "add"
    )
    yield scatter(
        "add 6*10^4 rows of 40 into 3*10^4", data(30_000, 40), tuples(60_000, 30_000),
        data(60_000, 40), "add",
    )  # fmt: skip
    yield scatter(
        "add 2*10^5 rows of 64 into 10^6", data(M, 64), tuples(200_000, M), data(200_000, 64), "add"
    )
    yield counts("count 10^6 into 900", tuples(M, 900), (900,))
    yield counts("count 10^6 pairs into 30 x 30", tuples(M, 30, 30), (30, 30))
    yield scatter(
        "add 10^6 float16 into 4000", data(4000, dtype=f16), tuples(M, 4000), data(M, dtype=f16),
        "add",
    )  # fmt: skip
    yield scatter("max of 10^6 into 16", data(16), tuples(M, 16), data(M), "max")
    yield scatter(
        "max of 9*10^5 int32 into 70,000", data(70_000, dtype=i32), tuples(900_000, 70_000),
        data(900_000, dtype=i32), "max",
    )  # fmt: skip


def of_those_here(makers: dict[str, Callable[[], Call]]) -> dict[str, Call]:
    """The calls of the libraries that are installed."""
    return {peer: make() for peer, make in makers.items() if peer in available()}


def pairs(table: Array, indices: Array) -> Work:
    """Index arrays that lie apart, as x[i, j] has them; other libraries' calls have them anyway."""
    i, j = (np.ascontiguousarray(indices[:, k]) for k in range(2))
    own: dict[str, Call] = {"gathernd": lambda: gnd.at(table)[i, j].get()}
    return Case("10^6 of 2048^2 by x[i, j]", BAR, table, indices), own


def mask(table: Array, chosen: Array) -> Work:
    """Those elements of which a mask is true."""

    def torch_call() -> Call:
        torch = importlib.import_module("torch")
        x, m = torch.from_numpy(table), torch.from_numpy(chosen)
        return lambda: x[m].numpy()

    def jax_call() -> Call:
        jax = importlib.import_module("jax")
        x, m = jax.device_put(table), jax.device_put(chosen)
        return lambda: x[m].block_until_ready()

    def numba_call() -> Call:
        @importlib.import_module("numba").njit
        def loop(x: Any, m: Any) -> Any:
            out = np.empty(len(x), x.dtype)
            n = 0
            for t in range(len(x)):
                out[n] = x[t]
                n += m[t]
            return out[:n].copy()

        return lambda: loop(table, chosen)

    own = of_those_here(
        {
            "gathernd": lambda: lambda: gnd.at(table)[chosen].get(),
            "NumPy": lambda: lambda: table[chosen],
            "PyTorch": torch_call,
            "JAX": jax_call,
            "Numba": numba_call,
        }
    )
    return Case("half of 10^6 by a mask", BAR, table, np.argwhere(chosen)), own


def counts(name: str, indices: Array, shape: tuple[int, ...]) -> Work:
    """How often each element is addressed."""
    columns = [np.ascontiguousarray(indices[:, k]) for k in range(len(shape))]
    zeros = np.zeros(shape, np.int64)
    ones = np.ones(len(indices), np.int64)
    one = np.broadcast_to(np.int64(1), len(indices))
    size = int(np.prod(shape))

    def flat(columns: list[Any]) -> Any:
        return columns[0] if len(columns) == 1 else columns[0] * shape[1] + columns[1]

    def torch_call() -> Call:
        torch = importlib.import_module("torch")
        own = [torch.from_numpy(column) for column in columns]
        return lambda: torch.bincount(flat(own), minlength=size).reshape(shape).numpy()

    def jax_call() -> Call:
        jax = importlib.import_module("jax")
        own = tuple(map(jax.device_put, columns))
        start = jax.device_put(zeros)
        count = jax.jit(lambda start, own: start.at[own].add(1))
        return lambda: count(start, own).block_until_ready()

    own = of_those_here(
        {
            "gathernd": lambda: lambda: gnd.scatter_nd(zeros, indices, one, "add"),
            "NumPy": lambda: lambda: np.bincount(flat(columns), minlength=size).reshape(shape),
            "PyTorch": torch_call,
            "JAX": jax_call,
        }
    )
    return Case(name, BAR, zeros, indices, ones, "add"), own
