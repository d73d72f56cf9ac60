"""What a newcomer runs first: the demo and the self test."""

from __future__ import annotations

import importlib
import re

import numpy as np
import pytest

import gathernd
from conftest import DEVICES
from gathernd import _core
from gathernd.__main__ import main
from gathernd._cli import selftest
from processes import run, run_python


def test_demo(tmp_path):
    image = pytest.importorskip("PIL.Image", reason="needs the extra: pip install gathernd[demo]")
    done = run_python("-m", "gathernd", "demo", "--output", str(tmp_path / "new" / "directory"))
    path = tmp_path / "new" / "directory" / "demo.png"
    with image.open(path) as picture:
        assert picture.format == "PNG"
        pixels = np.asarray(picture.convert("RGB"))
    assert pixels.shape[0] > 800
    assert pixels.shape[1] > 1000
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 10_000
    assert [path.name for path in path.parent.iterdir()] == ["demo.png"]
    assert done.stderr == ""
    lines = [line for line in done.stdout.splitlines() if "equal" in line.lower()]
    devices = gathernd.devices()
    assert all(f"\n{device.name}" in done.stdout for device in devices)
    for line, name in zip(lines, ("gather_nd", "scatter_nd") * len(devices), strict=True):
        assert line.split()[0] == name
        assert line.endswith("equal bit for bit")
        assert len(re.findall(r"\d+\.\d+ ms", line)) == 2
    assert str(path) in done.stdout


@pytest.mark.parametrize("name", ["gather_nd", "scatter_nd"])
def test_demo_says_where_a_result_is_not_numpys(tmp_path, monkeypatch, capsys, name):
    pytest.importorskip("PIL.Image", reason="needs the extra: pip install gathernd[demo]")
    function = getattr(gathernd, name)

    def with_a_wrong_element(*args, **kwargs):
        result = function(*args, **kwargs)
        if isinstance(result, np.ndarray):
            result[0, 0] ^= 1
        return result

    monkeypatch.setattr(gathernd, name, with_a_wrong_element)
    assert main(["demo", "--output", str(tmp_path)]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in printed if line.endswith("NOT EQUAL")] == [name]


def demo():
    """The module, where its extra is installed."""
    pytest.importorskip("PIL.Image", reason="needs the extra: pip install gathernd[demo]")
    return importlib.import_module("gathernd._cli.demo")


def test_demo_compares_bits():
    same, a = demo().same_bits, np.arange(3)
    assert same(a, a.copy())
    assert same([a, a], [a, a])
    for pair in ((a, a + 1), (a, a.astype("u8")), ([a, a], [a]), ([a, a], [a, a + 1])):
        assert not same(*pair)


def test_demo_counts_from_the_brightest_level():
    picture = np.array([[[255, 0, 7]]], np.uint8)
    counts, times = demo().race_scatter(picture, gathernd.Device("cpu"), runs=1)
    assert np.argwhere(counts).tolist() == [[0, 0, 0], [248, 0, 2], [255, 0, 1]]
    assert counts.sum() == 3
    assert times.equal


@pytest.mark.parametrize("missing", ["matplotlib", "PIL"])
def test_demo_without_its_extra(tmp_path, missing):
    """In a process of its own: what an import that failed leaves behind would fail other tests."""
    hidden = f"import sys; sys.modules[{missing!r}] = None"
    arguments = ["demo", "--output", str(tmp_path)]
    done = run(f"{hidden}; from gathernd.__main__ import main; main({arguments})", status=1)
    assert done.stderr.startswith("the demo needs matplotlib")
    assert "pip install 'gathernd[demo]'" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_demo_without_a_directory_to_write_to(tmp_path):
    pytest.importorskip("PIL.Image", reason="needs the extra: pip install gathernd[demo]")
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit, match=r"cannot write to .*file"):
        main(["demo", "--output", str(tmp_path / "file")])


def test_selftest_names_each_target_and_device(capsys):
    before = _core.cpu_target()
    assert main(["selftest"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    lines = printed.out.splitlines()
    assert [line.split()[0] for line in lines] == [*_core.cpu_targets(), *DEVICES]
    assert all(line.endswith("checks passed") for line in lines)
    assert _core.cpu_target() == before


@pytest.mark.parametrize("wrong", [_core.cpu_targets()[-1], *DEVICES])
def test_selftest_finds_a_wrong_result(monkeypatch, capsys, wrong):
    before = _core.cpu_target()
    scatter_nd = gathernd.scatter_nd

    def wrong_once(*args, device, **kwargs):
        result = scatter_nd(*args, device=device, **kwargs)
        if wrong == (_core.cpu_target() if device == "cpu" else device) and "out" not in kwargs:
            result.view("u1").reshape(-1)[-1:] ^= 1
        return result

    monkeypatch.setattr(gathernd, "scatter_nd", wrong_once)
    assert main(["selftest"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if line.endswith("FAILED")] == [wrong]
    assert _core.cpu_target() == before


@pytest.mark.parametrize("wrong", [*_core.cpu_targets(), *DEVICES, None])
def test_selftest_goes_on_after_a_failure(monkeypatch, capsys, wrong):
    def fails_there(rng, device):
        if wrong == (_core.cpu_target() if device == "cpu" else device):
            raise ValueError("wrong")

    before = _core.cpu_target()
    monkeypatch.setattr(selftest, "CHECKS", (fails_there,))
    assert main(["selftest"]) == int(wrong is not None)
    lines = capsys.readouterr().out.splitlines()
    told = "           fails_there: ValueError: wrong"
    assert [line.split()[0] for line in lines if line != told] == [*_core.cpu_targets(), *DEVICES]
    assert [line.split()[0] for line in lines if line.endswith("FAILED")] == [wrong] * (
        told in lines
    )
    assert lines.count(told) == int(wrong is not None)
    assert _core.cpu_target() == before


def test_selftest_compares_bits():
    selftest.expect(np.zeros(2), np.zeros(2), "zeros")
    for other in (-np.zeros(2), np.zeros(2, int), np.zeros((2, 1)), np.zeros((2, 1), int)):
        with pytest.raises(selftest.CheckFailedError, match="zeros: the "):
            selftest.expect(np.zeros(2), other, "zeros")


@pytest.mark.parametrize(
    ("says", "position", "touches"),
    [("no IndexError", None, False), ("is not in", 7, False), ("bytes differ", 0, True)],
)
@pytest.mark.parametrize("name", ["gather_nd", "scatter_nd"])
def test_selftest_finds_what_is_wrong_with_errors(monkeypatch, name, says, position, touches):
    def broken(*args, out, device, **kwargs):
        out[-1] += touches
        if position is not None:
            raise IndexError(f"indices[{position}, 0]")

    monkeypatch.setattr(gathernd, name, broken)
    with pytest.raises(selftest.CheckFailedError, match=says):
        selftest.bad_indices(np.random.default_rng(0), "cpu")
