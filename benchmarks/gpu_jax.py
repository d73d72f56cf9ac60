"""JAX's way to do a work of gpu_works.py, for gpu_peers.py.

All repetitions are one compiled function. A barrier makes each depend on the answer of the last,
and all answers are returned: the compiler can neither merge nor drop one.
"""

from __future__ import annotations

import os
from typing import Any

from gpu_timing import Way, time_less_one
from gpu_works import Arrays, Work


class Jax:
    """Not `checked`: an index outside of the table is undefined behaviour, not a dropped tuple."""

    def __init__(self, checked: bool) -> None:
        self.mode = None if checked else "promise_in_bounds"
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        # A graph of so few calls is updated for longer than its launches take.
        os.environ.setdefault("XLA_FLAGS", "--xla_gpu_enable_command_buffer=")
        import jax

        jax.config.update("jax_enable_x64", True)
        self.jax, self.version = jax, f"{jax.__version__} on {jax.devices()[0].device_kind}"

    def ways(self, work: Work, arrays: Arrays) -> list[Way]:
        jax = self.jax
        table, keys, rows = jax.tree.map(jax.numpy.array, arrays)
        if work.op == "copy":
            rows = jax.numpy.zeros((), table.dtype)  # adds it: the compiler would drop a copy
        scatters = work.op in ("set", "add", "max", "min")
        in_place = scatters and not work.new

        def once(table: Any, keys: Any, rows: Any) -> Any:
            if work.op == "copy":
                return table + rows
            method = getattr(table.at[keys], work.op if scatters else "get")
            return method(*[rows] * scatters, mode=self.mode)

        def chain(calls: int, table: Any, keys: Any, rows: Any) -> list[Any]:
            answers = []
            for _ in range(calls):
                answer = once(table, keys, rows)
                answer, keys, rows = jax.lax.optimization_barrier((answer, keys, rows))
                if in_place:
                    table, answers = answer, []
                answers.append(answer)
            return answers

        compiled = jax.jit(chain, static_argnums=0, donate_argnums=1 if in_place else ())

        def way(calls: int) -> Any:
            nonlocal table
            answer = compiled(calls, table, keys, rows)[-1]
            if in_place:
                table = answer
            return answer

        return [way]

    def host(self, answer: Any) -> Any:
        return self.jax.device_get(answer)

    def milliseconds(self, way: Way) -> float:
        return time_less_one(way, self.jax.block_until_ready)
