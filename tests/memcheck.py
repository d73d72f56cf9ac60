"""Campaign: the installed module in valgrind: ``python tests/memcheck.py [ARGUMENT ...]``.

The arguments are pytest's: what to run, in place of the subset below. Python's own start has errors
of memcheck, too: those that count have a frame in gathernd's or NumPy's modules, so that a result
whose bytes were never written is seen where NumPy compares it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SUBSET = [f"tests/api/test_{name}.py" for name in ("elements", "index_plan_rules", "dlpack")]
OURS = re.compile(r"/(gathernd|numpy)/[^)]*\.so\)")
PYTEST = ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-W", "ignore"]


def errors(log: str) -> list[str]:
    """The blocks of a log of memcheck that show an error of ours."""
    blocks = re.split(r"^==\d+== *\n", log, flags=re.MULTILINE)
    return [block for block in blocks if "   at 0x" in block and OURS.search(block)]


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "memcheck.log"
        valgrind = ["valgrind", f"--log-file={log}", "--num-callers=30", "--error-limit=no"]
        environment = {"PYTHONMALLOC": "malloc", "OPENBLAS_NUM_THREADS": "1"}
        tests = sys.argv[1:] or SUBSET
        command = [*valgrind, sys.executable, *PYTEST, *tests]
        status = subprocess.run(command, env=os.environ | environment, check=False).returncode
        found = errors(log.read_text())
    print(*found, f"{len(found)} errors of memcheck", sep="\n")
    return 1 if found else status


if __name__ == "__main__":
    sys.exit(main())
