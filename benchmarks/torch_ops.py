"""gathernd.torch beside PyTorch's own operators: time, error, bits, what a call costs.

python benchmarks/torch_ops.py [--threads 2] [--rounds 9] [--rest 20] [--compile]
    [--processor-time]

All ways to do one work run in turn in one process, once a round in a new order. Each is asked for
its error against float64, and whether it has the same bits at 1 thread and at --threads. Prints
medians in microseconds, and writes all as JSON. `--compile` adds torch.compile of PyTorch's ways.
`--processor-time` counts the time of processors instead: for 1 thread on a busy machine.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

import gathernd as gnd
import gathernd.torch as gt
from gathernd._cli.bench import race, where_and_what

Ways = dict[str, Callable[[], Any]]
OURS = "gathernd"

# Rows of the table, tuples, elements of a row.
SIZES = [(1 << 16, 1 << 20, 1), (1 << 16, 1 << 16, 64), (10_000, 1 << 20, 16)]


class Work:
    """The tensors of one work; `ways` are PyTorch's ways to do it and ours."""

    def __init__(self, rows: int, tuples: int, row: int, dtype: torch.dtype) -> None:
        generator = torch.Generator().manual_seed(2026)
        slices = () if row == 1 else (row,)
        self.table = torch.randn(rows, *slices, generator=generator).to(dtype)
        self.updates = torch.randn(tuples, *slices, generator=generator).to(dtype)
        self.places = torch.randint(0, rows, (tuples,), generator=generator)
        self.indices = self.places[:, None]
        self.spread = self.places.view(-1, *(1,) * len(slices)).expand(self.updates.shape)

    def ways(self, kind: str, x: torch.Tensor, u: torch.Tensor) -> Ways:
        """Each with a new result of the table `x` and the updates `u`."""
        i, j, spread = self.indices, self.places, self.spread
        if kind == "gather":
            return {
                OURS: lambda: gt.gather_nd(x, i),
                "x[i]": lambda: x[j],
                "index_select": lambda: x.index_select(0, j),
            }
        if kind == "set":
            return {
                OURS: lambda: gt.scatter_nd(x, i, u),
                "index_put": lambda: x.index_put((j,), u),
            }
        if kind == "add":
            return {
                OURS: lambda: gt.scatter_nd(x, i, u, "add"),
                "index_put": lambda: x.index_put((j,), u, accumulate=True),
                "index_add": lambda: x.index_add(0, j, u),
                "scatter_add": lambda: x.scatter_add(0, spread, u),
            }
        return {
            OURS: lambda: gt.scatter_nd(x, i, u, "max"),
            "scatter_reduce": lambda: x.scatter_reduce(0, spread, u, "amax"),
        }

    def forward(self, kind: str) -> Ways:
        return self.ways(kind, self.table, self.updates)

    def backward(self, kind: str) -> Ways:
        """The same, and then the gradients of both arguments: of the sum of squares."""
        x, u = self.table.clone().requires_grad_(), self.updates.clone().requires_grad_()

        def with_gradients(way: Callable[[], Any]) -> Callable[[], Any]:
            def run() -> list[torch.Tensor]:
                x.grad = u.grad = None
                result = way()
                result.backward(result.detach())
                return [tensor.grad for tensor in (x, u) if tensor.grad is not None]

            return run

        return {name: with_gradients(way) for name, way in self.ways(kind, x, u).items()}

    def in_place(self) -> Ways:
        """Sums into one table, which grow from call to call."""
        x, i, j, u = self.table.clone(), self.indices, self.places, self.updates
        return {
            OURS: lambda: gt.scatter_nd_(x, i, u, "add"),
            "index_put": lambda: x.index_put_((j,), u, accumulate=True),
            "index_add": lambda: x.index_add_(0, j, u),
            "scatter_add": lambda: x.scatter_add_(0, self.spread, u),
        }


def set_threads(count: int) -> None:
    torch.set_num_threads(count)
    gnd.set_num_threads(count)


def flat(result: Any) -> torch.Tensor:
    parts = result if isinstance(result, list) else [result]
    return torch.cat([part.detach().reshape(-1) for part in parts])


def compiled(ways: Ways) -> Ways:
    """PyTorch's ways through torch.compile, beside what they are without."""
    return ways | {
        f"{name}, compiled": torch.compile(w) for name, w in ways.items() if name != OURS
    }


def measure(ways: Ways, options: argparse.Namespace, grows: bool) -> dict[str, Any]:
    times = race(ways, options.rounds, rest=options.rest / 1e3, clock=options.clock)
    if grows:  # with each call: no two have the same result
        return {name: {"microseconds": value, "same bits": None} for name, value in times.items()}
    answers = {}
    for count in (1, options.threads):
        set_threads(count)
        answers[count] = {name: flat(way()) for name, way in ways.items()}
    same = {name: torch.equal(answers[1][name], answers[options.threads][name]) for name in ways}
    return {name: {"microseconds": times[name], "same bits": same[name]} for name in ways}


def show(title: str, row: dict[str, Any]) -> None:
    cells = (
        f"{name} {way['microseconds']:.0f}"
        + (" (bits differ)" if way["same bits"] is False else "")
        for name, way in row.items()
    )
    print(f"{title:52s}" + ", ".join(cells), flush=True)


def errors(dtype: torch.dtype) -> dict[str, float]:
    """The greatest error of a sum, over the sum of the magnitudes."""
    work, exact = Work(1 << 10, 1 << 18, 4, dtype), {}
    for name, result in work.forward("add").items():
        target = work.table.double().index_add(0, work.places, work.updates.double())
        scale = work.table.double().abs()
        scale = scale.index_add(0, work.places, work.updates.double().abs())
        exact[name] = ((result().double() - target).abs() / scale).max().item()
    return exact


def overhead(rounds: int, clock: Callable[[], float]) -> dict[str, float]:
    """Two rows of four."""
    x, i, u = torch.ones(10, 4), torch.tensor([[1], [2]]), torch.ones(2, 4)
    a, b = x.numpy(), i.numpy()
    j, tracked = i[:, 0], torch.ones(10, 4, requires_grad=True)
    return race(
        {
            "gather_nd": lambda: gt.gather_nd(x, i),
            "torch.ops.gathernd.gather_nd": lambda: torch.ops.gathernd.gather_nd(x, i),
            "gather_nd that records a gradient": lambda: gt.gather_nd(tracked, i),
            "gathernd.gather_nd of arrays": lambda: gnd.gather_nd(a, b),
            "x[i]": lambda: x[j],
            "index_select": lambda: x.index_select(0, j),
            "x[i] that records a gradient": lambda: tracked[j],
            "scatter_nd_, add": lambda: gt.scatter_nd_(x, i, u, "add"),
            "index_add_": lambda: x.index_add_(0, j, u),
            "index_put_, accumulate": lambda: x.index_put_((j,), u, accumulate=True),
        },
        rounds,
        clock=clock,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--rest", type=float, default=20, help="milliseconds before each turn")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument(
        "--processor-time",
        dest="clock",
        action="store_const",
        const=time.process_time,
        default=time.perf_counter,
    )
    parser.add_argument("--output", type=Path, default=Path("benchmark_output"))
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    head = where_and_what()
    versions = {**head["versions"], "PyTorch": torch.__version__}
    print(f"{head['machine']}; {options.threads} threads; {versions}\n")
    record: dict[str, Any] = {**head, "threads": options.threads, "versions": versions}
    rows = record["works"] = {}
    for size in SIZES:
        work = Work(*size, torch.float32)
        kinds = {kind: work.forward(kind) for kind in ("gather", "set", "add", "max")}
        kinds |= {f"{kind}, backward": work.backward(kind) for kind in kinds}
        kinds["add in place"] = work.in_place()
        for kind, ways in kinds.items():
            set_threads(options.threads)
            ways = compiled(ways) if options.compile and "backward" not in kind else ways
            title = f"{kind}: {size[1]} of {size[2]} float32, {size[0]} rows"
            grows = kind == "add in place"
            rows[title] = measure(ways, options, grows)
            show(title, rows[title])
    set_threads(options.threads)
    print("\ngreatest error of a sum of 256, over the sum of magnitudes")
    record["errors"] = {str(dtype): errors(dtype) for dtype in (torch.float32, torch.bfloat16)}
    for name, error in record["errors"].items():
        print(f"{name:20s}" + ", ".join(f"{way} {value:.1e}" for way, value in error.items()))
    print("\nmicroseconds a call: two rows of four float32")
    record["overhead"] = overhead(options.rounds, options.clock)
    for name, value in record["overhead"].items():
        print(f"{name:36s}{value:8.1f}")
    options.output.mkdir(exist_ok=True)
    (options.output / "torch_ops.json").write_text(json.dumps(record, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
