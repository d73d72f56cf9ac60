"""NumPy's own tests of indexing and of ufunc.at, through gathernd.at.

They are taken from the NumPy that is installed. Those that cannot pass are named, with the reason.
"""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import numpy_proxy

MORE = "at takes more index arrays than NumPy's limit of 64"
WORDS = "the error has the shapes in another form"
LAYOUT = "the order of the result in memory follows that of the index in NumPy"
ONE = "NumPy refuses [1] for one element, though it broadcasts"

# A collection in the midst of a test that counts references takes away those of earlier tests.
WITHOUT_GC = "import gc, sys, pytest; gc.disable(); sys.exit(pytest.main())"

# For each of NumPy's files: which of its tests concern indexing, and those that differ on purpose.
SUITES: dict[str, tuple[str, dict[str, str]]] = {
    "test_indexing.py": (
        "",
        {
            "TestIndexing.test_too_many_fancy_indices_special_case": MORE,
            "TestIndexing.test_memory_order": LAYOUT,
            **{
                f"TestBroadcastedAssignments.test_broadcast_error_reports_correct_shape[{i}]": WORDS
                for i in ("index0", "index1", "index2")
            },
            "TestIndexing.test_too_many_advanced_indices[1-64-True]": MORE,
            "TestIndexing.test_too_many_advanced_indices[1-64-False]": MORE,
            "TestIndexing.test_too_many_advanced_indices[1-80-True]": MORE,
            "TestIndexing.test_too_many_advanced_indices[1-80-False]": MORE,
            "TestIndexing.test_too_many_advanced_indices[64-64-index2]": MORE,
        },
    ),
    "test_multiarray.py": (
        "fancy or boolean or Assignment or Subscript or index",
        {
            "TestAssignment.test_assignment_errors": ONE,
        },
    ),
    "test_ufunc.py": ("inplace_fancy or (ufunc_at and not inner_loops)", {}),
}


@pytest.mark.parametrize("name", SUITES)
def test_numpys_own_tests_pass_through_at(name: str, tmp_path: Path) -> None:
    select, excluded = SUITES[name]
    source = Path(np.__file__).parent / "_core" / "tests" / name
    copy = tmp_path / name.replace("test_", "test_through_at_")
    copy.write_text(numpy_proxy.rewrite(source.read_text()))
    report = tmp_path / "report.xml"
    environment = {**os.environ, "PYTHONPATH": str(Path(numpy_proxy.__file__).parent)}
    command = [sys.executable, "-c", WITHOUT_GC, str(copy), "-q", "-p", "no:cacheprovider"]
    command += ["-c", os.devnull, f"--junit-xml={report}", "-W", "ignore", "--tb=line"]
    command += ["-k", select] if select else []
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    failed, passed = set(), 0
    for case in ET.parse(report).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed.add(case.get("classname", "").rpartition(".")[2] + "." + case.get("name", ""))
        else:
            passed += case.find("skipped") is None
    assert failed == set(excluded), run.stdout[-6000:]
    assert passed > 10
