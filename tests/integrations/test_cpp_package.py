"""The installed C++ library: another CMake project finds it, links it and runs.

GATHERND_CPP_BUILD names the CMake build to install from; else there is one for this test.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import gathernd

ROOT = Path(__file__).parents[2]
CONSUMER = ROOT / "tests" / "cpp" / "consumer"


def run(*command: str | Path) -> str:
    """Return what the command prints; a failure shows it."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    return done.stdout


def built(build: Path) -> Path:
    run("cmake", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Debug")
    run("cmake", "--build", build, "--parallel", "2")
    return build


def test_consumer_finds_links_and_runs(tmp_path: Path) -> None:
    prefix, consumer = tmp_path / "prefix", tmp_path / "consumer"
    build = os.environ.get("GATHERND_CPP_BUILD") or built(tmp_path / "build")
    run("cmake", "--install", build, "--component", "cpp", "--prefix", prefix)
    run("cmake", "-S", CONSUMER, "-B", consumer, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", consumer)

    lines = run(consumer / "consumer").splitlines()
    assert lines[0].startswith(f"gathernd {gathernd.__version__} on ")
    assert lines[0].endswith(": 12 2 10")
    assert lines[1] == ("gather_nd: index 3 at indices[0, 1] is out of range for axis 1 of size 3")
    assert run(consumer / "dml").split() == ["2", "3", "0", "1"]
