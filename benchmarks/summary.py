"""The chart and the table of the site's front pages, from benchmarks/results/race.json.

python benchmarks/summary.py writes docs/images/speed.png again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]

# Eight of the race's kinds of work, in words.
WORK = {
    "2^20 f32 from 2^16 (cache)": "a million floats from 256 KiB",
    "2^20 f32 from 2^26 (memory)": "a million floats from 256 MiB",
    "2^20 2-tuples, 2048^2 f32": "a million pixels of a picture",
    "2^20 RGB pixels, 2-tuples": "a million RGB pixels",
    "2^16 rows of 64 f32 from 2^20": "65,536 rows of 64 floats",
    "scatter 2^20 3-tuples, 256^3 u8": "set a million voxels",
    "add 2^20 into 2^16 f32": "add a million floats into 65,536",
    "add 2^16 rows of 64 into 2^16": "add 65,536 rows of 64 floats",
}


def record() -> dict[str, Any]:
    """Return what race.py wrote."""
    result = json.loads((ROOT / "benchmarks/results/race.json").read_text())
    return dict(result)


def chart() -> Any:
    """Return a figure: how many times NumPy's time is gathernd's."""
    from matplotlib import pyplot

    times = record()["microseconds"]
    ratios = [times[name]["NumPy"] / times[name]["gathernd"] for name in WORK]
    figure, axes = pyplot.subplots(figsize=(7, 2.9), layout="constrained")
    bars = axes.barh(list(WORK.values()), ratios, color="#2b6cb0", height=0.7)
    axes.bar_label(bars, [f"{ratio:.1f}" for ratio in ratios], padding=4)
    axes.axvline(1, color="black", linewidth=1)
    axes.invert_yaxis()
    axes.set_xlabel("times as fast as NumPy (1: the same), 2 threads")
    axes.set_xlim(0, 1.1 * max(ratios))
    axes.tick_params(left=False)
    axes.spines[["top", "right", "left"]].set_visible(False)
    return figure


def table() -> str:
    """Return the eight as Markdown: the time of each library over gathernd's."""
    found = record()
    peers = list(found["versions"])
    lines = [f"| work | {' | '.join(peers)} |", "|---" * (len(peers) + 1) + "|"]
    for name, words in WORK.items():
        times = found["microseconds"][name]
        cells = [
            f"{times[peer] / times['gathernd']:.1f}"
            if isinstance(times.get(peer), float)
            else times.get(peer, "")
            for peer in peers
        ]
        lines.append(f"| {words} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    chart().savefig(ROOT / "docs/images/speed.png", dpi=160)
