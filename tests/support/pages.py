"""The code in pages, notebooks and docstrings: it runs as it is shown."""

from __future__ import annotations

import ast
import doctest
import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def code_blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.M | re.S)


def run_block(text: str, names: dict[str, object] | None = None) -> int:
    """Run some code; an expression must have the value of the comment behind it: how many had."""
    names = {} if names is None else names
    lines = text.splitlines()
    compared = 0
    for statement in ast.parse(text).body:
        source = ast.get_source_segment(text, statement)
        _, _, comment = lines[statement.end_lineno - 1].partition("# ")
        if isinstance(statement, ast.Expr) and comment:
            value = repr(eval(source, names))
            assert value == comment, f"{source} is {value}"
            compared += 1
        else:
            exec(source, names)
    return compared


def run_notebook(path: Path) -> int:
    """Run the cells of a notebook: how many have code."""
    notebook = json.loads(path.read_text())
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    names: dict[str, object] = {}
    for cell in cells:
        run_block("".join(cell["source"]), names)
    return len(cells)


def run_examples(text: str, name: str) -> int:
    """Run the examples of a docstring: how many there are."""
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=report.append)
    assert not report, "".join(report)
    return len(test.examples)
