"""Sweep tuples, rows, tables, threads ...: python benchmarks/sweep.py [--only SWEEP] [--plot FILE].

At each point all peers that are installed run the same call in one process, once a round in a new
order, each after a rest in which all threads fall asleep, after their results have been compared.
Prints the medians, the way that gathernd went and, after each sweep, its cliffs: the points where
gathernd is slower than NumPy, or than the fastest peer by more than a tenth.
Writes all points as JSON and, where matplotlib is installed, a picture of each sweep; --plot draws
those from the JSON.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from contest import calls_that_agree, copy_call, introduce, way_of
from gathernd._cli.bench import processors, race
from peers import PEERS, set_threads
from summary import fastest_peer, over_limit
from sweeps import SWEEPS, Point, points

COLUMNS = (*PEERS, "copy")


def free_memory() -> float:
    """The bytes that a program can still take; where the system does not tell, no limit."""
    meminfo = Path("/proc/meminfo")
    lines = meminfo.read_text().splitlines() if meminfo.exists() else []
    kilobytes = [int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]
    return kilobytes[0] * 1024 if kilobytes else float("inf")


def run_point(point: Point, threads: int, rounds: int, rest: float, end: float) -> dict[str, Any]:
    """The medians of a point; JAX keeps the number of threads with which it began."""
    set_threads(point.threads or threads)
    peers = PEERS if point.threads in (None, threads) else tuple(p for p in PEERS if p != "JAX")
    case = point.make()
    calls, failures = calls_that_agree(case, point.threads or threads, peers)
    calls["copy"] = copy_call(case)
    way = way_of(calls["gathernd"])
    times = race(calls, rounds, max(0.0, end - time.perf_counter()), rest)
    row = {"sweep": point.sweep, "panel": point.panel, "x": point.x, "tuples": len(case.indices)}
    rounded = {peer: round(time, 2) for peer, time in times.items()}
    return {**row, "microseconds": rounded, "failures": failures, "way": way}


def print_row(row: dict[str, Any]) -> None:
    found = {**row["failures"], **row["microseconds"]}
    cells = [found.get(column, "") for column in COLUMNS]
    texts = (f"{c:13.1f}" if isinstance(c, float) else f"{c:>13.12s}" for c in cells)
    print("".join(texts) + f"{over_limit(row):8.2f}  {row['way']}", flush=True)


def print_cliffs(sweep: str, rows: list[dict[str, Any]]) -> None:
    cliffs = [row for row in rows if over_limit(row) > 1]
    print(f"{sweep}: {len(cliffs)} cliffs at {len(rows)} points")
    for row in cliffs:
        best = fastest_peer(row)
        print(f"  {row['panel']}, {row['x']}: {over_limit(row):.2f} of the limit; fastest: {best}")
    print(flush=True)


def record_path(options: argparse.Namespace) -> Path:
    return options.output / (f"sweep_{options.only}.json" if options.only else "sweep.json")


def run_sweeps(options: argparse.Namespace, record: dict[str, Any]) -> None:
    """Run the points, each with its share of the time that is left."""
    chosen = [p for p in points(options.threads) if options.only in ("", p.sweep)]
    end = time.perf_counter() + options.budget
    done = 0
    for sweep, members in itertools.groupby(chosen, key=lambda point: point.sweep):
        print(
            f"{sweep + ', microseconds':44s}"
            + "".join(f"{c:>13s}" for c in COLUMNS)
            + "   limit  way"
        )
        rows = []
        for point in members:
            label = f"{point.panel}, {point.x}"
            print(f"[{done + 1:3d}/{len(chosen)}] {label:34s} ", end="", flush=True)
            share = (end - time.perf_counter()) / (len(chosen) - done)
            done += 1
            if point.memory > free_memory():
                reason = f"left out: it needs {point.memory / 2**30:.0f} GiB of memory"
                record["left out"].append(f"{point.sweep}: {label}: {reason}")
                print(reason)
                continue
            until = time.perf_counter() + share
            rest = options.rest / 1e3
            rows.append(run_point(point, options.threads, options.rounds, rest, until))
            print_row(rows[-1])
        print_cliffs(sweep, rows)
        record["points"] += rows
        record_path(options).write_text(json.dumps(record, indent=1) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", choices=SWEEPS, help="one sweep")
    parser.add_argument("--threads", type=int, default=processors())
    parser.add_argument("--rounds", type=int, default=15, help="at most, for each point")
    parser.add_argument("--rest", type=float, default=20, help="milliseconds before each turn")
    parser.add_argument("--budget", type=float, default=480, help="seconds for all, about")
    parser.add_argument("--output", type=Path, default=Path("benchmark_output"))
    parser.add_argument("--plot", type=Path, metavar="FILE", help="only draw this JSON again")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    options.output.mkdir(exist_ok=True)
    if options.plot:
        record = json.loads(options.plot.read_text())
    else:
        set_threads(options.threads)
        record = {**introduce(options.threads), "left out": [], "points": []}
        run_sweeps(options, record)
    if importlib.util.find_spec("matplotlib"):
        from sweep_plot import figure_of_sweep

        for sweep in {row["sweep"] for row in record["points"]}:
            figure_of_sweep(sweep, record).savefig(options.output / f"sweep_{sweep}.png", dpi=110)
    return 0


if __name__ == "__main__":
    sys.exit(main())
