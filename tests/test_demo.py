"""What a newcomer runs first: the demo and the self test."""

from __future__ import annotations

import re

import numpy as np
import pytest

import gathernd
from conftest import DEVICES
from gathernd import _core
from gathernd.__main__ import main
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


def test_demo_says_where_a_result_is_not_numpys(tmp_path, monkeypatch, capsys):
    pytest.importorskip("PIL.Image", reason="needs the extra: pip install gathernd[demo]")
    gather_nd = gathernd.gather_nd

    def with_a_wrong_pixel(*args, **kwargs):
        result = gather_nd(*args, **kwargs)
        if isinstance(result, np.ndarray):
            result[0, 0] ^= 1
        return result

    monkeypatch.setattr(gathernd, "gather_nd", with_a_wrong_pixel)
    assert main(["demo", "--output", str(tmp_path)]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in printed if line.endswith("NOT EQUAL")] == ["gather_nd"]


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
