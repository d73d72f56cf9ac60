"""Race gathernd against its peers: python benchmarks/race.py [--set kinds] [--threads 2].

Every peer that is installed runs every kind of work in one process, once a round in a new order,
each after a rest in which all threads fall asleep; the answers are compared before anything is
timed. Prints medians of the rounds and our ratio to the fastest peer. Writes the medians of the
runs as JSON, with the ratios of each run, and a plot.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kinds
from contest import calls_that_agree, copy_call, introduce, way_of
from gathernd._cli.bench import cases, race
from peers import PEERS, set_threads
from plot import plot

Row = dict[str, float | str]
COLUMNS = [*PEERS, "copy"]


def race_works() -> Iterator[kinds.Work]:
    """The kinds of work of `python -m gathernd bench`."""
    for case in cases():
        yield case, {}


WORKS = {"race": race_works, "kinds": kinds.kinds}


def run_case(work: kinds.Work, threads: int, rounds: int, rest: float) -> tuple[Row, str]:
    """The medians of the peers, or why there are none; and which way gathernd went."""
    case, own = work
    calls, failures = calls_that_agree(case, threads, own=own)
    way = way_of(calls["gathernd"])
    return {**failures, **race({**calls, "copy": copy_call(case)}, rounds, rest=rest)}, way


def ratio(row: Row, without: str = "") -> float:
    """The fastest peer's time over ours; `without`: a peer that does not count."""
    others = [t for peer, t in row.items() if peer in PEERS and peer not in ("gathernd", without)]
    return min(t for t in others if isinstance(t, float)) / float(row["gathernd"])


def median(rows: list[Row]) -> Row:
    """The medians of some runs; a peer that failed in one of them has failed."""
    result: Row = {}
    for peer in rows[0]:
        times = [row[peer] for row in rows]
        failures = [t for t in times if isinstance(t, str)]
        numbers = [t for t in times if isinstance(t, float)]
        result[peer] = failures[0] if failures else round(statistics.median(numbers), 2)
    return result


def print_row(row: Row, bar: float) -> None:
    cells = (row.get(column, "") for column in COLUMNS)
    texts = (f"{c:13.0f}" if isinstance(c, float) else f"{c:>13.12s}" for c in cells)
    print("".join(texts) + f"{ratio(row):8.2f}{bar:8.1f}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", choices=WORKS, default="race", help="of kinds of work")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--rest", type=float, default=20, help="milliseconds before each turn")
    parser.add_argument("--only", default="", help="cases whose name has this text")
    parser.add_argument("--output", type=Path, default=Path("benchmark_output"))
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    set_threads(options.threads)
    head = introduce(options.threads)
    found: dict[str, list[Row]] = {}
    ways: dict[str, str] = {}
    for _ in range(options.runs):
        print(f"{'microseconds':36s}" + "".join(f"{c:>13s}" for c in COLUMNS) + "   ratio     bar")
        for work in WORKS[options.set]():
            case = work[0]
            if options.only in case.name:
                print(f"{case.name:36s}", end="", flush=True)
                timed = run_case(work, options.threads, options.rounds, options.rest / 1e3)
                row, ways[case.name] = timed
                found.setdefault(case.name, []).append(row)
                print_row(row, case.bar)
    rows = {name: median(runs) for name, runs in found.items()}
    record: dict[str, Any] = {
        **head,
        **{name: getattr(options, name) for name in ("rounds", "runs", "rest")},
        "microseconds": rows,
        **{
            key: {
                name: [round(ratio(row, peer), 2) for row in runs] for name, runs in found.items()
            }
            for key, peer in {"ratios": "", "ratios_without_numba": "Numba"}.items()
        },
        "ways": ways,
    }
    options.output.mkdir(exist_ok=True)
    (options.output / f"{options.set}.json").write_text(json.dumps(record, indent=1) + "\n")
    if rows:
        title = f"{head['machine']}: {options.threads} threads, medians"
        plot(rows, PEERS, options.output / f"{options.set}.png", title)
        print(f"\nwrote {options.set}.json and {options.set}.png in {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
