"""Each peer's ways to do a work of gpu_works.py on arrays in the device's memory, and their times.

A peer that cannot do a work has no way; where it has several, the fastest counts. Without CUDA,
PyTorch and JAX run on the CPU.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from gpu_jax import Jax
from gpu_timing import Way, repeat, time_graph, time_less_one
from gpu_works import Arrays, Work


class PyTorch:
    """Indices are int64 where its operator knows no others, or would convert them each time."""

    def __init__(self, deterministic: bool) -> None:
        import torch

        self.torch, self.deterministic = torch, deterministic
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        name = torch.cuda.get_device_name() if self.device == "cuda" else "CPU"
        self.version = f"{torch.__version__} on {name}"
        torch.utils.deterministic.fill_uninitialized_memory = False

    def ways(self, work: Work, arrays: Arrays) -> list[Way]:
        if self.deterministic and work.op not in ("set", "add"):
            return []
        torch = self.torch
        torch.use_deterministic_algorithms(self.deterministic)
        send = functools.partial(torch.tensor, device=self.device)
        table, keys = send(arrays[0]), tuple(map(send, arrays[1]))
        rows = None if arrays[2] is None else send(arrays[2])
        wide = tuple(key.long() for key in keys)
        calls: list[Callable[[], Any]] = []
        start = table.clone if work.new else lambda: table
        if self.deterministic:
            calls = [lambda: start().index_put_(wide, rows, accumulate=work.op == "add")]
        elif work.op == "copy":
            out = torch.empty_like(table)
            calls = [lambda: out.copy_(table)]
        elif work.op == "gather":
            calls = [lambda: table[wide]]
            if not work.grid:
                out = table.new_empty((len(keys[0]), *work.row))
                calls += [lambda: torch.index_select(table, 0, keys[0], out=out)]
        elif work.op == "set":
            calls = [lambda: start().index_copy_(0, wide[0], rows)]
            calls += [lambda: start().index_put_(wide, rows)]
        elif work.op == "add":
            calls = [lambda: start().index_add_(0, keys[0], rows)]
        else:
            calls = [lambda: start().index_reduce_(0, keys[0], rows, f"a{work.op}")]
        return [repeat(call) for call in calls]

    def host(self, answer: Any) -> Any:
        return answer.cpu().numpy()

    def milliseconds(self, way: Way) -> float:
        cuda = self.torch.cuda
        if self.device == "cpu":
            return time_less_one(way, lambda _: None)

        def capture(calls: int) -> Callable[[], None]:
            graph = cuda.CUDAGraph()
            with cuda.graph(graph, capture_error_mode="thread_local"):
                way(calls)
            return graph.replay

        event = functools.partial(cuda.Event, enable_timing=True)
        return time_graph(
            way, lambda _: cuda.synchronize(), capture, event, cuda.Event.elapsed_time
        )


class CuPy:
    def __init__(self) -> None:
        import cupy

        name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
        self.version = f"{cupy.__version__} on {name}"
        self.cupy, self.stream = cupy, cupy.cuda.Stream(non_blocking=True)

    def ways(self, work: Work, arrays: Arrays) -> list[Way]:
        cupy = self.cupy
        self.stream.use()
        table, keys = cupy.asarray(arrays[0]), tuple(map(cupy.asarray, arrays[1]))
        rows = None if arrays[2] is None else cupy.asarray(arrays[2])
        if work.op == "copy":
            out = cupy.empty_like(table)
            return [repeat(lambda: (cupy.copyto(out, table), out)[1])]
        if work.op == "gather":
            if work.grid:
                return [repeat(lambda: table[keys])]
            out = cupy.empty((len(keys[0]), *work.row), table.dtype)
            return [repeat(lambda: cupy.take(table, keys[0], axis=0, out=out))]

        def scatter() -> Any:
            target = table.copy() if work.new else table
            if work.op == "set":
                target[keys] = rows
            else:
                {"add": cupy.add, "max": cupy.maximum, "min": cupy.minimum}[work.op].at(
                    target, keys, rows
                )
            return target

        return [repeat(scatter)]

    def host(self, answer: Any) -> Any:
        return self.cupy.asnumpy(answer)

    def milliseconds(self, way: Way) -> float:
        cuda, stream = self.cupy.cuda, self.stream

        def capture(calls: int) -> Callable[[], None]:
            stream.begin_capture()
            way(calls)
            return stream.end_capture().launch

        return time_graph(
            way, lambda _: stream.synchronize(), capture, cuda.Event, cuda.get_elapsed_time
        )


PEERS: dict[str, Callable[[], PyTorch | CuPy | Jax]] = {
    "PyTorch": lambda: PyTorch(deterministic=False),
    "PyTorch deterministic": lambda: PyTorch(deterministic=True),
    "CuPy": CuPy,
    "JAX": lambda: Jax(checked=True),
    "JAX unchecked": lambda: Jax(checked=False),
}
