"""The examples in the documentation run as they are shown."""

from __future__ import annotations

import ast
import doctest
import json
import re
from operator import attrgetter
from pathlib import Path

import pytest

import gathernd
from conftest import DEVICES

README = Path(__file__).parents[1] / "README.md"
DOCS = README.parent / "docs"
NOTEBOOK = DOCS / "quickstart.ipynb"
FLAGS = doctest.NORMALIZE_WHITESPACE

NAMES = sorted({*gathernd.__all__} - {"__version__", "DeviceError"})
NAMES += ["IndexPlan.gather", "IndexPlan.scatter"]
NAMES += [f"Device.{name}" for name in ("asarray", "zeros", "empty", "full")]
NAMES += [f"DeviceArray.{name}" for name in ("copy", "reshape", "write")]
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


# The pages of other libraries are run where those are there: test_dask_sources.py, test_torch.py.
PAGES = [README, *sorted({*DOCS.rglob("*.md")} - {DOCS / "dask.md", DOCS / "pytorch.md"})]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)


@pytest.mark.parametrize("page", [page for page in PAGES if BLOCK.search(page.read_text())],
                         ids=lambda page: page.stem)  # fmt: skip
def test_code_of_page(page):
    blocks = [b for b in BLOCK.findall(page.read_text()) if DEVICES or "d3d12" not in b]
    assert [run_block(block) > 0 for block in blocks] == [True] * len(blocks)


def test_links_of_pages():
    """Files that pages link to are there: GitHub shows what Sphinx does not render."""
    links = [
        (page, link)
        for page in [*README.parent.glob("*.md"), *DOCS.rglob("*.md")]
        for link in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text())
    ]
    assert len(links) >= 20
    assert [(page.name, link) for page, link in links if not (page.parent / link).exists()] == []


def test_reference_is_complete():
    """Every public name has an entry in the reference."""
    text = "".join(page.read_text() for page in (DOCS / "reference").glob("*.md"))
    documented = set(
        re.findall(r"^\.\. (?:auto)?(?:class|data|exception|function):: (\w+)", text, re.M)
    )
    public = {*gathernd.__all__, *gathernd.dml.__all__, "At", "Indexed"} - {"dml"}
    assert public - documented == set()


def test_commands_need_no_newer_pip():
    """That of Debian 12, 23.0, knows --config-settings, but neither -C nor --group."""
    root = README.parent
    files = [f for glob in ("*.md", "docs/**/*.md", "scripts/*", "*/*.sh") for f in root.glob(glob)]
    commands = re.findall(r"pip install\b.*", "".join(file.read_text() for file in files))
    assert len(commands) >= 10
    assert [c for c in commands if re.search(r"[ /](-C|--group)\b", c)] == []


def test_notebook_code():
    assert run_notebook(NOTEBOOK) >= 5


def run_notebook(path: Path) -> int:
    """Run the cells of a notebook: how many have code."""
    notebook = json.loads(path.read_text())
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    names: dict[str, object] = {}
    for cell in cells:
        run_block("".join(cell["source"]), names)
    return len(cells)


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
