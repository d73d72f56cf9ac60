"""Race gathernd's kernels against PyTorch, CuPy and JAX: python benchmarks/gpu_race.py GPU_KERNELS.

GPU_KERNELS is the built benchmarks/gpu_kernels.cpp; the peers then do the same works on the same
device, with arrays in its memory, after each has given NumPy's answer to a small one. Prints a
table of milliseconds, the fastest peer's time over ours, and our speed over that of a copy, and
writes them as JSON and as a plot; --plot JSON draws it anew elsewhere.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

from gpu_peers import PEERS
from gpu_works import Arrays, Work, right, works
from plot import plot

Row = dict[str, float | str]
SMALL = 4096  # tuples of the works that are compared
OURS = (", plan", ", any")  # end the names of works that peers do not tell from others
COPIED = 1024  # bytes a tuple that the work "copy" copies
COLUMNS = ["gathernd", *PEERS, "ratio", "of copy"]


def our_rows(program: Path, only: str, n: int) -> dict[str, Row]:
    """Milliseconds, or the error, of every work that the program prints."""
    output = subprocess.run([program.resolve()], stdout=subprocess.PIPE, text=True, check=False)
    if output.returncode != 0:
        print(f"{program.name} ended with {output.returncode}")
    rows: dict[str, Row] = {}
    whole = (text for text in output.stdout.splitlines() if text.endswith("}"))
    for entry in map(json.loads, whole):
        if only in entry["work"]:
            time = entry.get("ms", entry.get("error"))
            if "bytes" in entry:  # of a copy, whose size is the program's choice
                time *= COPIED * n / entry["bytes"]
            rows[entry["work"]] = {"gathernd": time}
    return rows


def peer_time(peer: Any, work: Work, small: Arrays, arrays: Arrays) -> float | str | None:
    """The fastest way's milliseconds, "wrong", the exception's name, or None without a way."""
    try:
        answers = [peer.host(way(1)) for way in peer.ways(work, small)]
        if not all(right(work, small, answer) for answer in answers):
            return "wrong"
        times = [peer.milliseconds(way) for way in peer.ways(work, arrays)]
        return min(times, default=None)
    except Exception as error:  # a peer that lacks the operator for a type says so in many ways
        print(f"{type(peer).__name__}, {work.name}: {error!s:.300}", file=sys.stderr)
        return type(error).__name__


def best(row: Row, names: list[str]) -> float | None:
    return min((t for name in names if isinstance(t := row.get(name), float)), default=None)


def add_ratio(row: Row) -> None:
    ours, peers = best(row, ["gathernd"]), best(row, list(PEERS))
    if ours and peers:
        row["ratio"] = peers / ours


def add_share_of_copy(row: Row, work: Work, copy: Row, n: int) -> None:
    ours = best(row, ["gathernd"])
    limit = best(copy, ["gathernd"]) or best(copy, list(PEERS))
    if ours and limit and work.moved(n):
        row["of copy"] = work.moved(n) / ours / (2 * COPIED * n / limit)


def line(name: str, row: Row) -> str:
    cells = (row.get(column, "") for column in COLUMNS)
    text = (f"{c:13.4f}" if isinstance(c, float) else f"  {c:>11.11s}" for c in cells)
    return f"{name:34s}" + "".join(text)


def race(program: Path, only: str, n: int) -> dict[str, Any]:
    ours = our_rows(program, only, n)
    rows: dict[str, Row] = {}
    peers, versions = {}, {}
    for name, make in PEERS.items():
        try:
            peers[name] = make()
            versions[name] = peers[name].version
        except Exception as error:  # not installed, or without a device
            print(f"missing: {name} ({type(error).__name__})")
    print(*(f"{name} {version}" for name, version in versions.items()), sep=", ", end="\n\n")
    print(f"{'milliseconds':34s}" + "".join(f"  {column:>11.11s}" for column in COLUMNS))
    for work in works():
        if only in work.name:
            row = rows[work.name] = ours.pop(work.name, {})
            small, arrays = work.arrays(SMALL), work.arrays(n)
            for name, peer in peers.items():
                if (time := peer_time(peer, work, small, arrays)) is not None:
                    row[name] = time
            add_ratio(row)
            add_share_of_copy(row, work, rows.get("copy", {}), n)
            print(line(work.name, row), flush=True)
    for name, row in ours.items():
        if name.endswith(OURS):
            work_row = rows.get(name.rpartition(",")[0], {})
            row |= {peer: work_row[peer] for peer in peers if peer in work_row}
            add_ratio(row)
        print(line(name, row))
    for name in ("gathernd", *peers):
        if time := best(rows.get("copy", {}), [name]):
            print(f"copy by {name}: {2e-6 * COPIED * n / time:.0f} GB/s read and written")
    return {"versions": versions, "tuples": n, "milliseconds": rows | ours}


def table(record: dict[str, Any]) -> str:
    """Milliseconds of the works that a peer has, too, as Markdown."""
    names = ["gathernd", *PEERS]
    heads = [name.removeprefix("PyTorch ").removeprefix("JAX ") for name in names]
    lines = [f"| work | {' | '.join(heads)} |", f"{'|---' * (len(heads) + 1)}|"]
    for work, row in record["milliseconds"].items():
        if work != "copy" and best(row, list(PEERS)):
            times = (row.get(name) for name in names)
            cells = (f"{time:.3g}" if isinstance(time, float) else "" for time in times)
            lines.append(f"| {work} | {' | '.join(cells)} |")
    return "\n".join(lines)


def draw(record: dict[str, Any], folder: Path) -> None:
    """Write ``gpu_race_gather.png``, ``_set`` and ``_add``: the works that a peer has, too."""
    title = f"{record['tuples']} tuples, PyTorch {record['versions'].get('PyTorch', 'missing')}"
    for kind, starts in {"gather": "gather", "set": "set", "add": ("add", "max", "min")}.items():
        works_of = (item for item in record["milliseconds"].items() if item[0].startswith(starts))
        rows = {name: row for name, row in works_of if best(row, list(PEERS))}
        if rows:
            plot(rows, ["gathernd", *PEERS], folder / f"gpu_race_{kind}.png", title)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=Path, nargs="?", metavar="GPU_KERNELS")
    parser.add_argument("--only", default="", help="works whose name has this text")
    parser.add_argument(
        "--tuples", type=int, default=1 << 20, help="of the peers; fewer for a test"
    )
    parser.add_argument("--output", type=Path, default=Path("benchmark_output"))
    parser.add_argument("--plot", type=Path, metavar="JSON", help="draw this record, run nothing")
    options = parser.parse_args()
    if options.plot:
        draw(json.loads(options.plot.read_text()), options.plot.parent)
        return 0
    if not options.program:
        parser.error("expected GPU_KERNELS or --plot JSON")
    warnings.filterwarnings("ignore")
    record = race(options.program, options.only, options.tuples)
    options.output.mkdir(exist_ok=True)
    (options.output / "gpu_race.json").write_text(json.dumps(record, indent=1))
    try:
        draw(record, options.output)
    except ImportError:
        print("no plot: matplotlib is missing; see --plot")
    return 0


if __name__ == "__main__":
    sys.exit(main())
