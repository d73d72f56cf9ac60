"""The examples in the documentation run as they are shown."""

from __future__ import annotations

import doctest
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest

import gathernd

README = Path(__file__).parents[1] / "README.md"
FLAGS = doctest.NORMALIZE_WHITESPACE


NAMES = sorted({*gathernd.__all__} - {"__version__", "DeviceError"})
NAMES += ["Device.asarray", "IndexPlan.gather", "IndexPlan.scatter"]
NAMES += [f"dml.{name}" for name in gathernd.dml.__all__]


@pytest.mark.parametrize("name", ["", *NAMES])
def test_docstring(name):
    """Every public function has an example; "" is the package itself."""
    documented = attrgetter(name)(gathernd) if name else gathernd
    examples = check(documented.__doc__, name or "gathernd")
    assert examples, f"{name} has no example"


def test_readme():
    check(README.read_text(), "README.md")


def check(text: str, name: str) -> int:
    """Run the examples of a text: how many there are."""
    names = {"np": np, "gnd": gathernd, "gathernd": gathernd}
    test = doctest.DocTestParser().get_doctest(text, names, name, name, 0)
    report: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    assert not report, "".join(report)
    return len(test.examples)
