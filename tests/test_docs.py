"""The examples in the documentation run as they are shown."""

from __future__ import annotations

import re
import runpy
from operator import attrgetter

import numpy as np
import pytest

import gathernd
from conftest import DEVICES
from pages import DOCS, ROOT, code_blocks, run_block, run_examples, run_notebook

NAMES = sorted({*gathernd.__all__} - {"__version__", "DeviceError"})
NAMES += ["IndexPlan.gather", "IndexPlan.scatter", "_at.Indexed.plan"]
NAMES += [f"Device.{name}" for name in ("asarray", "zeros", "empty", "full")]
NAMES += [f"DeviceArray.{name}" for name in ("copy", "reshape", "write")]
NAMES += [f"dml.{name}" for name in gathernd.dml.__all__]


@pytest.mark.parametrize("name", ["", *NAMES])
def test_docstring(name):
    """Every public function has an example; "" is the package itself."""
    documented = attrgetter(name)(gathernd) if name else gathernd
    examples = run_examples(documented.__doc__, name or "gathernd")
    assert examples, f"{name} has no example"


def evaluate(line, names):
    """The value of an expression; None of a statement."""
    try:
        return eval(line, names)
    except SyntaxError:
        exec(line, names)
        return None


def test_table_of_readme():
    """Both sides of a row do the same: their results, or what becomes of x and y."""
    rows = re.findall(r"^\| (`.+) \| (`.+) \|$", (ROOT / "README.md").read_text(), re.M)
    assert len(rows) >= 5
    for row in rows:
        found = []
        for cell in row:
            i, j, u = np.array([0, 2, 0]), np.array([1, 3, 1]), np.array([7, 50, 8])
            names = {"np": np, "gnd": gathernd, "x": np.arange(12).reshape(3, 4)} | locals()
            lines = "; ".join(re.findall("`(.+?)`", cell)).split("; ")
            result = [evaluate(line, names) for line in lines][-1]
            found.append([result, names["x"], names.get("y")])
        for numpys, ours in zip(*found, strict=True):
            np.testing.assert_array_equal(ours, numpys, err_msg=str(row))


# The pages of other libraries are run where those are there: test_dask_sources.py, test_torch.py.
ELSEWHERE = {DOCS / "dask.md", DOCS / "pytorch.md"}
PAGES = [ROOT / "README.md", *sorted({*DOCS.rglob("*.md")} - ELSEWHERE)]


@pytest.mark.parametrize("page", [*filter(code_blocks, PAGES)], ids=lambda page: page.stem)
def test_code_of_page(page):
    blocks = [b for b in code_blocks(page) if DEVICES or "d3d12" not in b]
    assert [run_block(block) > 0 for block in blocks] == [True] * len(blocks)


def test_links_of_pages():
    """Files that pages link to are there: GitHub shows what Sphinx does not render."""
    links = [
        (page, link)
        for page in [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]
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


SUMMARY = runpy.run_path(str(ROOT / "benchmarks/summary.py"))


@pytest.mark.parametrize(("picture", "record"), SUMMARY["PICTURES"].items())
def test_pictures_show_the_results(picture, record):
    """A new result needs new pictures: python benchmarks/summary.py."""
    drawn = (DOCS / f"images/{picture}.png").read_bytes()
    assert b"Source\0" + SUMMARY["digest"](record).encode() in drawn


TABLES = {
    expression
    for page in DOCS.rglob("*.md")
    for expression in re.findall(r"\bsummary\.(\w+_table\([^)]*\))", page.read_text())
}


@pytest.mark.parametrize("expression", sorted(TABLES))
def test_tables_of_pages(expression):
    """The site's build makes them of the results; here they have rows, each as long as the head."""
    rows = eval(expression, {**SUMMARY}).splitlines()
    assert len(rows) >= 4
    assert len({row.count(" | ") for row in rows}) == 1


def test_commands_need_no_newer_pip():
    """That of Debian 12, 23.0, knows --config-settings, but neither -C nor --group."""
    files = [f for glob in ("*.md", "docs/**/*.md", "scripts/*", "*/*.sh") for f in ROOT.glob(glob)]
    commands = re.findall(r"pip install\b.*", "".join(file.read_text() for file in files))
    assert len(commands) >= 10
    assert [c for c in commands if re.search(r"[ /](-C|--group)\b", c)] == []


def test_notebook_code():
    assert run_notebook(DOCS / "quickstart.ipynb") >= 5
