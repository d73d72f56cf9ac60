"""Every backend by fixture: `nd` runs a test on each device and SIMD target.

A test that takes `nd` calls nd.gather_nd, nd.scatter_nd and nd.IndexPlan instead of gathernd's own.
On the best target it runs with every number of threads, on the others with one of them, because
targets share all code that divides work; GATHERND_TEST_BACKENDS=all runs every pair. A backend that
is listed and ran no test fails a full run: there is no silent skip.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any

import hypothesis
import numpy as np
import pytest

import gathernd
from gathernd import _core

hypothesis.settings.register_profile("ci", max_examples=40, deadline=None, print_blob=True)
hypothesis.settings.register_profile(
    "thorough", parent=hypothesis.settings.get_profile("ci"), max_examples=2000
)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

THREADS = (1, 2, 7)


@dataclass(frozen=True)
class Backend:
    """gathernd's functions on one device; `target`, `threads` and `grain` are the CPU's."""

    name: str
    target: str
    threads: int
    options: dict[str, Any] = field(default_factory=dict)  # such as device="d3d12:0"
    grain: int = 1

    def gather_nd(self, *args: Any, **kwargs: Any) -> np.ndarray:
        return gathernd.gather_nd(*args, **self.options, **kwargs)

    def IndexPlan(self, *args: Any, **kwargs: Any) -> gathernd.IndexPlan:  # noqa: N802
        return gathernd.IndexPlan(*args, **self.options, **kwargs)

    def at(self, *args: Any, **kwargs: Any) -> Any:
        return gathernd.at(*args, **self.options, **kwargs)

    def winners(self, *args: Any, **kwargs: Any) -> np.ndarray:
        return gathernd.winners(*args, **self.options, **kwargs)

    def can_reduce(self, dtype: np.dtype[Any], reduction: str) -> bool:
        """Devices do not compute with long double; test_device_ops.py checks that they say so."""
        return not self.options or reduction == "none" or dtype.char not in "gG"

    def scatter_nd(self, *args: Any, **kwargs: Any) -> np.ndarray:
        return gathernd.scatter_nd(*args, **self.options, **kwargs)


DEVICES = [name for name, *_ in _core.devices()]
each_device = pytest.mark.parametrize("name", DEVICES)


def cpu_backends(targets: list[str], *, every_pair: bool) -> list[tuple[str, int]]:
    """The pairs of target and threads to test; the best target comes first, plain loops last.

    Plain loops (SCALAR) have no vectors that a block could cut: one thread. The narrowest vectors
    (SSE4) meet the smallest blocks: 7 threads.
    """
    if every_pair:
        return [(target, threads) for target in targets for threads in THREADS]
    others = list(zip(reversed(targets[1:]), cycle((1, 7, 2)), strict=False))
    return [(targets[0], threads) for threads in THREADS] + others[::-1]


EVERY_PAIR = os.environ.get("GATHERND_TEST_BACKENDS") == "all"
TARGETS = _core.cpu_targets()
BACKENDS = [
    *(
        Backend(f"{target}-{threads}", target, threads)
        for target, threads in cpu_backends(TARGETS, every_pair=EVERY_PAIR)
    ),
    # With the thresholds of users few tuples go without a plan.
    *(
        Backend(f"{target}-few", target, 1, grain=0)
        for target in TARGETS[: None if EVERY_PAIR else 1]
    ),
    *(Backend(name, name, 1, {"device": name}) for name in DEVICES),
]


@pytest.fixture(scope="session", params=BACKENDS, ids=lambda backend: backend.name)
def nd(request: pytest.FixtureRequest) -> Iterator[Backend]:
    """The backend to test. A grain of one tuple lets the smallest input go every way."""
    backend: Backend = request.param
    before = _core.cpu_target(), gathernd.get_num_threads(), _core.grain()
    configure(backend.target, backend.threads, backend.grain)
    yield backend
    configure(*before)


def configure(target: str, threads: int, grain: int) -> None:
    if target in _core.cpu_targets():
        _core.set_cpu_target(target)
    gathernd.set_num_threads(threads)
    _core.set_grain(grain)


# The count of tests that each backend ran.

ran: Counter[str] = Counter()


def pytest_itemcollected(item: pytest.Item) -> None:
    callspec = getattr(item, "callspec", None)
    if callspec is not None and "nd" in callspec.params:
        item.user_properties.append(("backend", callspec.params["nd"].name))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" and report.outcome != "skipped":
        ran.update(name for key, name in report.user_properties if key == "backend")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if exitstatus == 0 and is_full_run(session.config) and silent_backends():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def is_full_run(config: pytest.Config) -> bool:
    """Not that of one of pytest-xdist's workers, each of which has some of the tests."""
    option = config.option
    chosen = option.keyword or option.deselect or option.markexpr not in ("", "not peers")
    whole = set(option.file_or_dir) <= set(config.getini("testpaths")) and not chosen
    return whole and not option.collectonly and not hasattr(config, "workerinput")


def silent_backends() -> list[str]:
    return [backend.name for backend in BACKENDS if not ran[backend.name]]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if not ran:
        return
    terminalreporter.section("tests per backend (target-threads)")
    for target in dict.fromkeys(backend.target for backend in BACKENDS):
        names = [backend.name for backend in BACKENDS if backend.target == target]
        terminalreporter.write_line("  ".join(f"{name}: {ran[name]}" for name in names))
    if silent_backends():
        terminalreporter.write_line(f"ran no test: {', '.join(silent_backends())}", red=True)
