"""python -m gathernd bench, over cases that take no time."""

import dataclasses
import itertools
import json
import platform

import numpy as np
import pytest

import gathernd as gnd
from checks import assert_same_bits
from conftest import DEVICES
from gathernd import _core
from gathernd.__main__ import main
from gathernd._cli import bench

TABLE, ROWS = np.arange(6.0).reshape(3, 2), np.ones((3, 2))
ONE, TWO = np.array([[2], [0], [2]]), np.array([[2, 1], [0, 0], [2, 1]])
CASES = [
    bench.Case("gather rows", 1, TABLE, ONE),
    bench.Case("gather elements", 1, TABLE, TWO),
    bench.Case("gather in batches", 1, TABLE, ONE % 2, batch_dims=1),
    bench.Case("gather more in batches", 1, TABLE, np.stack([ONE, ONE], 1) % 2, batch_dims=1),
    bench.Case("scatter", 1, TABLE, ONE, ROWS),
    bench.Case("add in batches", 1, TABLE, ONE % 2, ROWS[:, 0], "add", batch_dims=1),
    bench.Case("add", 1, TABLE, ONE, ROWS, "add"),
    bench.Case("max", 1, TABLE, TWO, ROWS[:, 0], "max"),
]


@pytest.fixture(autouse=True)
def tiny_cases(monkeypatch):
    """A grain of one tuple: tiny cases go the ways of many tuples, whatever ran before."""
    monkeypatch.setattr(bench, "cases", lambda: iter(CASES))
    before = _core.grain()
    _core.set_grain(1)
    yield
    _core.set_grain(before)


def test_bench_names_each_case(capsys):
    assert main(["bench", "--rounds", "1", "--rest", "0"]) == 0
    rows = capsys.readouterr().out.splitlines()[-len(CASES) :]
    for row, case in zip(rows, CASES, strict=True):
        numpys, ours, ratio, way = row[40:].split(maxsplit=3)
        assert row[:40].rstrip() == case.name
        assert min(float(numpys), float(ours), float(ratio)) >= 0
        assert way.startswith("blocks")


@pytest.mark.skipif(not DEVICES, reason="there is no D3D12 device")
def test_bench_tells_the_way_on_a_d3d12_device(capsys):
    assert main(["bench", "--rounds", "1", "--rest", "0", "--json", "--device", "d3d12:0"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["device"] == "d3d12:0"
    ways = [way.partition(",")[0] for way in record["ways"].values()]
    [device] = (device for device in gnd.devices() if device.name == "d3d12:0")
    scatter = "winners" if "llvmpipe" in device.description else "few"
    assert ways == ["direct"] * 4 + [scatter, "lists", "lists", "lists"]


def test_bench_refuses_a_device_that_is_not_there(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["bench", "--rounds", "1", "--rest", "0", "--device", "nowhere"])
    assert caught.value.code == 2
    assert "there is no device 'nowhere'" in capsys.readouterr().err


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize("wrong", ["gather elements", "max"])
def test_bench_finds_a_wrong_result(monkeypatch, capsys, wrong, options):
    our_call = bench.our_call

    def wrong_once(case):
        call = our_call(case)
        return (lambda: call() + 1) if case.name == wrong else call

    monkeypatch.setattr(bench, "our_call", wrong_once)
    assert main(["bench", "--rounds", "1", "--rest", "0", *options]) == 1
    printed = capsys.readouterr()
    assert printed.err == f"{wrong}: the results differ\n"
    assert wrong not in printed.out


def fixed_times(monkeypatch, wanted_rounds, wanted_rest):
    def race(calls, rounds, rest):
        assert (list(calls), rounds, rest) == (["NumPy", "gathernd"], wanted_rounds, wanted_rest)
        return {"NumPy": 30.126, "gathernd": 10.0}

    monkeypatch.setattr(bench, "race", race)


def test_bench_writes_json(monkeypatch, capsys):
    fixed_times(monkeypatch, 2, 0.0)
    assert main(["bench", "--json", "--rounds", "2", "--rest", "0"]) == 0
    record = json.loads(capsys.readouterr().out)
    names = [case.name for case in CASES]
    assert record["microseconds"] == {name: {"NumPy": 30.13, "gathernd": 10.0} for name in names}
    assert list(record["ways"]) == names
    assert all(way.startswith("blocks") for way in record["ways"].values())
    assert (record["rounds"], record["rest"]) == (2, 0)
    assert record["versions"] == {
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "gathernd": gnd.__version__,
    }
    assert record["machine"].endswith(" processors")
    assert record["threads"] == gnd.get_num_threads()
    assert record["target"] in gnd._core.cpu_targets()


@pytest.mark.parametrize("rest", ["-1", "nan", "inf", "long"])
def test_bench_refuses_a_rest_that_is_no_duration(capsys, rest):
    with pytest.raises(SystemExit) as caught:
        main(["bench", "--rest", rest])
    assert caught.value.code == 2
    assert "--rest" in capsys.readouterr().err


def test_bench_shows_times_and_ratio(monkeypatch, capsys):
    fixed_times(monkeypatch, 3, 0.02)
    assert main(["bench", "-r", "3"]) == 0
    title, *_, row = capsys.readouterr().out.splitlines()[-len(CASES) - 1 :]
    assert title.split()[3:] == ["3", "NumPy", "gathernd", "ratio", "way"]
    assert row.split()[:5] == ["max", "30", "10", "3.01", "blocks,"]


def test_bench_does_not_compare_plain_scatters(monkeypatch):
    """NumPy promises no order of duplicates."""
    monkeypatch.setattr(bench, "cases", lambda: iter(CASES[4:5]))
    monkeypatch.setattr(bench, "our_call", lambda case: lambda: case.input)
    assert main(["bench", "--rounds", "1", "--rest", "0"]) == 0


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_calls_of_both(case):
    """Each call starts anew; in place it goes on where the last one ended, in a copy."""
    before = case.input.copy()
    ours, numpys = bench.our_call(case), bench.numpy_call(case)
    for _ in range(2):
        assert_same_bits(ours(), numpys())
    assert_same_bits(ours(), bench.our_call(case)())
    if case.reduction == "add":
        in_place = dataclasses.replace(case, in_place=True)
        ours, numpys = bench.our_call(in_place), bench.numpy_call(in_place)
        assert ours() is ours()
        assert numpys() is numpys()
        assert_same_bits(ours(), numpys())
        assert not np.array_equal(ours(), bench.our_call(case)())
    assert_same_bits(case.input, before)


class Clock:
    """Time that passes in calls and rests only."""

    def __init__(self) -> None:
        self.now = 0.0
        self.called = []

    def perf_counter(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds

    def call(self, name, *milliseconds):
        turns = itertools.cycle(milliseconds)

        def call():
            self.called.append(name)
            self.now += next(turns) / 1000

        return call


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(bench, "time", clock)
    return clock


def test_race_has_two_rounds_for_what_is_slow(clock):
    bench.race({"a": clock.call("a", 20), "b": clock.call("b", 401)}, 7, clock=clock.perf_counter)
    assert (clock.called.count("a"), clock.called.count("b")) == (2 + 7, 2 + 2)


def test_race_ends_after_its_seconds(clock):
    bench.race({"a": clock.call("a", 100)}, 9, seconds=0.1, clock=clock.perf_counter)
    assert len(clock.called) == 2 + 3


def test_race_rests_before_each_turn(clock, monkeypatch):
    rests = []
    monkeypatch.setattr(clock, "sleep", rests.append)
    bench.race(
        {name: clock.call(name, 20) for name in "ab"}, 3, rest=0.02, clock=clock.perf_counter
    )
    assert rests == [0.02] * 6


def test_race_changes_the_order(clock):
    bench.race({name: clock.call(name, 20) for name in "abc"}, 9, clock=clock.perf_counter)
    turns = clock.called[6:]
    orders = [tuple(turns[i : i + 3]) for i in range(0, 27, 3)]
    assert all(sorted(order) == ["a", "b", "c"] for order in orders)
    assert len(set(orders)) > 2
