"""Python in a fresh process, with a timeout: a hang is a failure."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def run(
    script: str, *options: str, status: int | None = 0, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a script; `status` is the exit status that it must have, None any."""
    return run_python(*options, "-c", script, status=status, **environment)


def run_quietly(script: str, **environment: str) -> None:
    """Run a script that writes no error; warnings are not looked at."""
    assert run(script, "-W", "ignore", **environment).stderr == ""


def run_python(
    *arguments: str, status: int | None = 0, **environment: str
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    said = f"status {done.returncode}\n{done.stdout}{done.stderr}"
    assert status is None or done.returncode == status, said
    return done
