"""The recipe of conda-forge says what the package says."""

from __future__ import annotations

import re
import tomllib

import gathernd
from pages import ROOT

RECIPE = (ROOT / "conda/recipe.yaml").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_recipe_has_the_version():
    assert f'version: "{gathernd.__version__}"' in RECIPE


def test_recipe_has_the_requirements():
    metadata = PROJECT["project"]
    build = PROJECT["build-system"]["requires"]
    cmake = "cmake" + PROJECT["tool"]["scikit-build"]["cmake"]["version"]
    for requirement in [*metadata["dependencies"], *build, cmake]:
        assert f"- {requirement.replace('>=', ' >=')}\n" in RECIPE
    oldest = metadata["requires-python"].removeprefix(">=")
    assert f'skip: match(python, "<{oldest}")\n' in RECIPE


def test_recipe_has_the_licences():
    files = re.search(r"license_file:\n((?: +- .*\n)+)", RECIPE)
    assert files is not None
    assert re.findall(r"- (.*)", files[1]) == PROJECT["project"]["license-files"]
    assert f"license: {PROJECT['project']['license']}\n" in RECIPE
