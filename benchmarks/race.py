"""Race gathernd against its peers: python benchmarks/race.py [--threads 2] [--rounds 15].

Every peer that is installed runs every kind of work in one process, once a round in a new order;
the answers are compared before anything is timed. Prints medians and our ratio to the fastest
peer, and writes them as JSON and as a plot.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from pathlib import Path

from contest import calls_that_agree, copy_call, introduce
from gathernd._cli.bench import Case, cases, race
from peers import PEERS, set_threads
from plot import plot


def run_case(case: Case, threads: int, rounds: int, rest: float) -> dict[str, float | str]:
    calls, failures = calls_that_agree(case, threads)
    return {**failures, **race({**calls, "copy": copy_call(case)}, rounds, rest=rest)}


def ratio(row: dict[str, float | str]) -> float:
    """The fastest peer's time over ours."""
    others = [t for peer, t in row.items() if peer in PEERS and peer != "gathernd"]
    return min(t for t in others if isinstance(t, float)) / float(row["gathernd"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--rest", type=float, default=0, help="milliseconds before each turn")
    parser.add_argument("--only", default="", help="cases whose name has this text")
    parser.add_argument("--output", type=Path, default=Path("benchmark_output"))
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    set_threads(options.threads)
    head = introduce(options.threads)
    columns = [*PEERS, "copy"]
    print(f"{'microseconds':36s}" + "".join(f"{c:>13s}" for c in columns) + "   ratio     bar")
    rows: dict[str, dict[str, float | str]] = {}
    for case in cases():
        if options.only not in case.name:
            continue
        print(f"{case.name:36s}", end="", flush=True)
        row = rows[case.name] = run_case(case, options.threads, options.rounds, options.rest / 1e3)
        cells = (row.get(column, "") for column in columns)
        print(
            "".join(f"{c:13.0f}" if isinstance(c, float) else f"{c:>13.12s}" for c in cells), end=""
        )
        print(f"{ratio(row):8.2f}{case.bar:8.1f}", flush=True)
    options.output.mkdir(exist_ok=True)
    record = {**head, "rest": options.rest, "microseconds": rows}
    (options.output / "race.json").write_text(json.dumps(record, indent=1))
    if rows:
        title = f"{head['machine']}: {options.threads} threads, medians"
        plot(rows, PEERS, options.output / "race.png", title)
        print(f"\nwrote race.json and race.png in {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
