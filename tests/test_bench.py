"""python -m gathernd bench, over cases that take no time."""

import numpy as np
import pytest

from gathernd import _bench
from gathernd.__main__ import main

TABLE, ROWS = np.arange(6.0).reshape(3, 2), np.ones((3, 2))
ONE, TWO = np.array([[2], [0], [2]]), np.array([[2, 1], [0, 0], [2, 1]])
CASES = [
    _bench.Case("gather rows", 1, TABLE, ONE),
    _bench.Case("gather elements", 1, TABLE, TWO),
    _bench.Case("gather in batches", 1, TABLE, ONE % 2, batch_dims=1),
    _bench.Case("scatter", 1, TABLE, ONE, ROWS),
    _bench.Case("add", 1, TABLE, ONE, ROWS, "add"),
    _bench.Case("max", 1, TABLE, TWO, ROWS[:, 0], "max"),
]


@pytest.fixture(autouse=True)
def tiny_cases(monkeypatch):
    monkeypatch.setattr(_bench, "cases", lambda: iter(CASES))


def test_bench_names_each_case(capsys):
    assert main(["bench", "--rounds", "1"]) == 0
    rows = capsys.readouterr().out.splitlines()[-len(CASES) :]
    for row, case in zip(rows, CASES, strict=True):
        name, numpys, ours, ratio = row.rsplit(maxsplit=3)
        assert name == case.name
        assert min(float(numpys), float(ours), float(ratio)) >= 0


@pytest.mark.parametrize("wrong", ["gather elements", "add"])
def test_bench_finds_a_wrong_result(monkeypatch, capsys, wrong):
    our_call = _bench.our_call

    def wrong_once(case):
        call = our_call(case)
        return (lambda: call() + 1) if case.name == wrong else call

    monkeypatch.setattr(_bench, "our_call", wrong_once)
    assert main(["bench", "--rounds", "1"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == f"{wrong}: the results differ"
