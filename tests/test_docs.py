"""The examples in the documentation run as they are shown."""

from __future__ import annotations

import ast
import doctest
import json
import re
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gathernd
from checks import assert_same_bits
from conftest import DEVICES

README = Path(__file__).parents[1] / "README.md"
NOTEBOOK = README.parent / "examples" / "quickstart.ipynb"
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


def check(text: str, name: str) -> int:
    """Run the examples of a text: how many there are."""
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    report: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    assert not report, "".join(report)
    return len(test.examples)


def table_of_readme() -> list[tuple[list[str], str]]:
    """NumPy's ways and ours, from the table of both."""
    after = README.read_text().partition("| NumPy | gathernd |")[2].partition("\n\n")[0]
    rows = [line.split(" | ") for line in after.splitlines() if "`" in line]
    assert rows
    code = [[re.findall("`(.+?)`", cell) for cell in row] for row in rows]
    return [(numpy_ways, ours) for numpy_ways, [ours] in code]


@pytest.mark.parametrize(("numpy_ways", "ours"), table_of_readme())
def test_readme_table(numpy_ways, ours):
    def names() -> dict[str, Any]:
        x = np.arange(12.0).reshape(3, 4)
        u = np.arange(3.0)
        i, j = np.array([2, 0, 1]), np.array([3, 1, 0])
        mask = x % 5 == 0
        t = np.stack((i, j), axis=-1)
        values = {"x": x, "i": i, "j": j, "u": u, "n": 3, "mask": mask, "t": t}
        return {"np": np, "gnd": gathernd, **values}

    def value_of(code: str) -> Any:
        """Return what an expression gives, or what becomes of x."""
        found = names()
        if "= " in code or (".at(" in code and not code.startswith("gnd.")):
            exec(code, found)
            return found["x"]
        return eval(code, found)

    for way in numpy_ways:
        assert_same_bits(value_of(way), value_of(ours))


def test_readme_code():
    blocks = re.findall(r"^```python\n(.*?)^```$", README.read_text(), re.M | re.S)
    assert blocks
    runnable = [block for block in blocks if DEVICES or "d3d12" not in block]
    assert sum(map(run_block, runnable)) >= 5


def test_commands_need_no_newer_pip():
    """That of Debian 12, 23.0, knows --config-settings, but neither -C nor --group."""
    root = README.parent
    files = [f for glob in ("*.md", "docs/*.md", "scripts/*", "*/*.sh") for f in root.glob(glob)]
    commands = re.findall(r"pip install\b.*", "".join(file.read_text() for file in files))
    assert len(commands) >= 10
    assert [c for c in commands if re.search(r"[ /](-C|--group)\b", c)] == []


def test_notebook_code():
    notebook = json.loads(NOTEBOOK.read_text())
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    names: dict[str, object] = {}
    for cell in cells:
        run_block("".join(cell["source"]), names)
    assert len(cells) >= 5


def run_block(text: str, names: dict[str, object] | None = None) -> int:
    """Run some code; an expression must have the value of the comment behind it: how many had."""
    names = {} if names is None else names
    lines = text.splitlines()
    compared = 0
    for statement in ast.parse(text).body:
        source = ast.get_source_segment(text, statement)
        _, _, comment = lines[statement.end_lineno - 1].partition("# ")
        if isinstance(statement, ast.Expr) and comment:
            assert repr(eval(source, names)) == comment, source
            compared += 1
        else:
            exec(source, names)
    return compared
