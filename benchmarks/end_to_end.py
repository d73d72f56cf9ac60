"""Calls from NumPy to NumPy on each device, and their parts: python benchmarks/end_to_end.py.

Prints medians in milliseconds, and writes them as JSON. Upload, kernel and read-back are each
alone, with their own waits; "overlap" is their sum over the time of the whole call.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import gathernd as gnd
from contest import introduce
from gathernd._cli.bench import Call, Case, processors, race

TUPLES = 1 << 20
TABLE = 64 << 20  # bytes
COLUMNS = ("total", "upload", "kernel", "read-back", "overlap")


def works() -> list[Case]:
    rng = np.random.default_rng(7)

    def case(what: str, row: int, reduction: str = "") -> Case:
        size = TABLE // (4 * row)
        indices = rng.integers(0, size, (TUPLES, 1), dtype=np.int32)
        table = rng.random((size, row), dtype=np.float32)
        updates = rng.random((TUPLES, row), dtype=np.float32) if reduction else None
        return Case(f"{what} 2^20 rows of {row}", 1.0, table, indices, updates, reduction)

    return [case("gather", 8), case("gather", 1), case("set", 8, "none"), case("add", 8, "add")]


def call_of(case: Case, arrays: list[Any], device: gnd.Device) -> Call:
    """Return the call on these arrays: NumPy's, or the device's own."""
    where: Any = None if isinstance(arrays[0], gnd.DeviceArray) else device
    if case.updates is None:
        return lambda: gnd.gather_nd(*arrays, device=where)
    return lambda: gnd.scatter_nd(*arrays, case.reduction, device=where)


def measure(case: Case, device: gnd.Device, rounds: int) -> dict[str, float]:
    host = [array for array in (case.input, case.indices, case.updates) if array is not None]
    calls: dict[str, Any] = {"total": call_of(case, host, device)}
    if device.name != "cpu":
        there = [device.asarray(array) for array in host]
        kernel = call_of(case, there, device)
        result: Any = kernel()
        calls["upload"] = lambda: [device.asarray(array) for array in host]
        calls["kernel"] = kernel
        calls["read-back"] = result.numpy
    # One at a time: the parts differ by more than a race of equals allows.
    times = {name: race({name: call}, rounds)[name] / 1e3 for name, call in calls.items()}
    if device.name != "cpu":
        parts = times["upload"] + times["kernel"] + times["read-back"]
        times["overlap"] = parts / times["total"]
    return times


def main() -> int:
    names = [device.name for device in gnd.devices()]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", choices=names, action="append", help="default: all there are")
    parser.add_argument("--threads", type=int, default=processors())
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--output", type=Path, default=Path("benchmark_output"))
    options = parser.parse_args()
    gnd.set_num_threads(options.threads)
    record = introduce(options.threads)
    print(f"{'milliseconds':40s}" + "".join(f"{column:>10s}" for column in COLUMNS))
    cases = works()
    for name in options.device or names:
        record[name] = {}
        for case in cases:
            times = record[name][case.name] = measure(case, gnd.Device(name), options.rounds)
            row = "".join(f"{times[c]:10.2f}" if c in times else f"{'':10s}" for c in COLUMNS)
            print(f"{name + ', ' + case.name:40s}{row}", flush=True)
    options.output.mkdir(exist_ok=True)
    (options.output / "end_to_end.json").write_text(json.dumps(record, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
