"""Allocations that fail in the extension module, NumPy and Python: MemoryError, and no harm."""

from __future__ import annotations

from pathlib import Path

from preloaded import needs_preload, preload
from processes import run_python

SCRIPT = Path(__file__).parents[1] / "support" / "allocation_failures.py"


@needs_preload
def test_allocations_that_fail_change_nothing_and_end_in_memory_error():
    environment = {"LD_PRELOAD": preload("allocations"), "OPENBLAS_NUM_THREADS": "1"}
    shown = run_python("-W", "ignore", str(SCRIPT), **environment).stdout
    assert "MemoryError" in shown
    assert "right" in shown
