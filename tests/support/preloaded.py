"""Libraries of preload/, which a process has before all others."""

from __future__ import annotations

import atexit
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

SOURCES = Path(__file__).parent / "preload"

needs_preload = pytest.mark.skipif(sys.platform != "linux", reason="LD_PRELOAD is Linux's")


@cache
def preload(name: str) -> str:
    """Return the path of a library, which is built at the first use."""
    build = Path(mkdtemp(prefix="gathernd-preload-"))
    atexit.register(shutil.rmtree, build, ignore_errors=True)
    for command in (["-S", SOURCES, "-B", build], ["--build", build]):
        done = subprocess.run(["cmake", *command], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    return str(build / f"lib{name}.so")
