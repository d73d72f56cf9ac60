"""The installed C++ library: another CMake project finds it, links it and runs."""

from __future__ import annotations

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


def test_consumer_finds_links_and_runs(tmp_path: Path) -> None:
    build, prefix, consumer = tmp_path / "build", tmp_path / "prefix", tmp_path / "consumer"
    run("cmake", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Debug")
    run("cmake", "--build", build, "--parallel", "2")
    run("cmake", "--install", build, "--component", "cpp", "--prefix", prefix)
    run("cmake", "-S", CONSUMER, "-B", consumer, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", consumer)

    lines = run(consumer / "consumer").splitlines()
    assert lines[0].startswith(f"gathernd {gathernd.__version__} on ")
    assert lines[0].endswith(": 12 2 10")
    assert lines[1] == ("gather_nd: index 3 at indices[0, 1] is out of range for axis 1 of size 3")
    assert run(consumer / "dml").split() == ["2", "3", "0", "1"]
