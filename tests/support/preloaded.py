"""Libraries of preload/, which a process has before all others."""

from __future__ import annotations

import atexit
import platform
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

SOURCES = Path(__file__).parent / "preload"

needs_preload = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="the libraries of preload/ call glibc's functions"
)


@cache
def preload(name: str) -> str:
    """Return the path of a library, which is built at the first use."""
    build = Path(mkdtemp(prefix="gathernd-preload-"))
    atexit.register(shutil.rmtree, build, ignore_errors=True)
    for command in (["-S", SOURCES, "-B", build], ["--build", build]):
        done = subprocess.run(["cmake", *command], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    return str(build / f"lib{name}.so")
