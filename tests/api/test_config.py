"""What the package says of itself: configuration, command line, types, version."""

from __future__ import annotations

import importlib.metadata
import inspect
import json
import os
import re
import runpy
import subprocess
import sys
import types
import typing
from pathlib import Path

import numpy as np
import pytest

import gathernd
from gathernd import _core, dml
from gathernd.__main__ import parser
from processes import run, run_python, run_quietly

PACKAGE = Path(gathernd.__file__).parent
CHANGELOG = Path(__file__).parents[2] / "CHANGELOG.md"


def names_everything(text: str) -> bool:
    parts = [gathernd.__version__, np.__version__, _core.cpu_target(), *_core.cpu_targets()]
    return all(part in text for part in parts) and "threads" in text


def test_show_config(capsys):
    gathernd.show_config()
    shown = capsys.readouterr()
    assert names_everything(shown.out)
    assert re.search(rf"^threads +{gathernd.get_num_threads()}$", shown.out, re.M)
    assert re.search(r"^kept memory +\d+\.\d MiB, at most \d+\.\d MiB$", shown.out, re.M)
    assert shown.err == ""


def test_command_info():
    done = run_python("-m", "gathernd", "info")
    assert names_everything(done.stdout)
    assert done.stderr == ""


def test_command_info_shows_the_forced_settings():
    target = _core.cpu_targets()[-1]
    text = run_python(
        "-m", "gathernd", "info", GATHERND_NUM_THREADS="5", GATHERND_CPU_TARGET=target
    ).stdout
    assert f"{target} (in use)" in text
    assert re.search(r"^threads +5$", text, re.M)


def test_show_config_says_why_an_adapter_cannot_be_used(capsys, monkeypatch):
    monkeypatch.setattr(_core, "unusable_devices", lambda: [("old card", "its driver is old")])
    gathernd.show_config()
    assert "unusable      old card: its driver is old" in capsys.readouterr().out.splitlines()


def test_command_info_as_json():
    target = _core.cpu_targets()[-1]
    settings = {"GATHERND_NUM_THREADS": "5", "GATHERND_KEEP_MEMORY": "64MiB"}
    settings["GATHERND_CPU_TARGET"] = target
    found = json.loads(run_python("-m", "gathernd", "info", "--json", **settings).stdout)
    assert (found.pop("threads"), found.pop("keep_limit")) == (5, 64 * 2**20)
    assert (found.pop("gathernd"), found.pop("numpy")) == (gathernd.__version__, np.__version__)
    assert found.pop("simd_targets") == list(_core.cpu_targets())
    assert found.pop("simd_target") == target
    assert found.pop("kept_memory") == 0
    devices = [(d["name"], d["description"], d["runtime"], d["memory"]) for d in found["devices"]]
    assert devices == _core.devices()
    assert (found["no_device"] is None) == bool(devices)
    assert [tuple(d.values()) for d in found["unusable_devices"]] == _core.unusable_devices()


def test_command_info_lists_devices():
    text = run_python("-m", "gathernd", "info").stdout
    for name, description, runtime, memory in _core.devices():
        says = re.escape(f"{description}, {memory / 2**30:.1f} GiB ({runtime})")
        assert re.search(f"^{name} +{says}$", text, re.M)
    assert ("D3D12         none" in text) == (not _core.devices())


def test_command_info_says_why_there_is_no_device():
    show = "import gathernd; gathernd.show_config(); gathernd.Device('d3d12')"
    done = run(show, GATHERND_D3D12_RUNTIME="libnothing.so", status=1)
    why = done.stderr.splitlines()[-1].partition("DeviceError: ")[2]
    assert "install" in why or "Windows" in why
    assert f"D3D12         none: {why}" in done.stdout.splitlines()


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], []])
def test_command_help(arguments):
    text = run_python("-m", "gathernd", *arguments).stdout
    assert all(command in text for command in ("info", "demo", "selftest"))


@pytest.mark.parametrize("rounds", ["0", "-1", "two"])
def test_bench_needs_a_round(rounds):
    done = run_python("-m", "gathernd", "bench", f"-r={rounds}", status=2)
    assert "argument -r/--rounds" in done.stderr
    assert "Traceback" not in done.stderr


def test_bench_looks_for_its_device_first():
    done = run_python("-m", "gathernd", "bench", "--device=nothing", status=2)
    assert done.stdout == ""
    assert "nothing" in done.stderr.splitlines()[-1]


def test_a_reader_that_has_seen_enough():
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "gathernd", "info"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")


def test_command_line():
    options = parser().parse_args(["demo"])
    assert options.output == Path("demo_output")
    assert parser().parse_args(["demo", "-o", "x"]).output == Path("x")


def test_command_version(capsys):
    with pytest.raises(SystemExit, match=r"^0$"):
        parser().parse_args(["--version"])
    assert capsys.readouterr().out == f"gathernd {gathernd.__version__}\n"


def test_exit_code_is_that_of_the_command(monkeypatch):
    monkeypatch.setattr("sys.argv", ["gathernd", "selftest"])
    monkeypatch.setattr("gathernd._cli.selftest.run", lambda: 3)
    with pytest.raises(SystemExit, match=r"^3$"):
        runpy.run_path(str(PACKAGE / "__main__.py"), run_name="__main__")


def test_unknown_command():
    done = run_python("-m", "gathernd", "frobnicate", status=2)
    assert "frobnicate" in done.stderr
    assert "Traceback" not in done.stderr


def test_types_are_shipped():
    assert (PACKAGE / "py.typed").is_file()
    assert (PACKAGE / "_core.pyi").is_file()


def test_version():
    newest = re.search(r"^## \[(\d+\.\d+\.\d+)\]", CHANGELOG.read_text(), re.M)
    assert newest is not None
    assert gathernd.__version__ == importlib.metadata.version("gathernd") == newest[1]


def test_public_names():
    names = {"gather_nd", "scatter_nd", "set_num_threads", "get_num_threads", "show_config"}
    assert names | {"DeviceError"} <= set(gathernd.__all__)
    for name in gathernd.__all__:
        assert hasattr(gathernd, name)
    assert issubclass(gathernd.DeviceError, RuntimeError)
    assert gathernd.DeviceError.__module__ == "gathernd"
    assert gathernd.DeviceError.__doc__


PUBLIC = [getattr(of, name) for of in (gathernd, dml) for name in of.__all__]


@pytest.mark.parametrize("public", [*filter(callable, PUBLIC)], ids=lambda public: public.__name__)
def test_type_hints_can_be_asked_for(public):
    methods = vars(public).values() if inspect.isclass(public) else [public]
    for method in filter(inspect.isfunction, methods):
        if method.__module__.startswith("gathernd"):
            typing.get_type_hints(method)


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("gathernd._gather", "gather_nd"),
        ("gathernd._scatter", "scatter_nd"),
        ("gathernd._index_plan", "IndexPlan.gather"),
        ("gathernd._index_plan", "IndexPlan.scatter"),
    ],
)
def test_type_of_the_result(module, name):
    """A DeviceArray if an argument is one."""
    # Overloads belong to the Python functions, in whose place built-in ones are called.
    python = types.SimpleNamespace(__module__=module, __qualname__=name)
    overloads = typing.get_overloads(python)
    assert len(overloads) > 1
    for overload in overloads:
        hints = typing.get_type_hints(overload)
        result = hints.pop("return")
        assert (gathernd.DeviceArray in hints.values()) == (result is gathernd.DeviceArray)


def test_signatures():
    """The contract's names, order and defaults."""
    gather = inspect.signature(gathernd.gather_nd).parameters.values()
    assert [(p.name, p.default) for p in gather if p.default is not p.empty] == [
        ("batch_dims", 0),
        ("mode", "raise"),
        ("fill_value", 0),
        ("out", None),
        ("device", None),
        ("wrap_negative_indices", True),
    ]
    scatter = inspect.signature(gathernd.scatter_nd).parameters.values()
    assert [(p.name, p.default) for p in scatter if p.default is not p.empty] == [
        ("reduction", "none"),
        ("batch_dims", 0),
        ("mode", "raise"),
        ("duplicates", "last"),
        ("out", None),
        ("device", None),
        ("wrap_negative_indices", True),
    ]
    for parameters, positional in ((gather, 3), (scatter, 5)):
        kinds = [p.kind for p in parameters]
        assert kinds[:positional] == [inspect.Parameter.POSITIONAL_OR_KEYWORD] * positional
        assert set(kinds[positional:]) == {inspect.Parameter.KEYWORD_ONLY}


def test_import_is_quiet_and_needs_numpy_alone():
    script = """
import sys
before = set(sys.modules)
import gathernd
names = {name.partition(".")[0] for name in set(sys.modules) - before}
print(*sorted(names - sys.stdlib_module_names))
"""
    done = run(script, "-W", "error")
    assert done.stdout == "gathernd numpy\n"
    assert done.stderr == ""


def test_the_import_takes_no_more_than_it_needs():
    """What a call may never need is imported when it is first asked for."""
    code = """
import sys
import gathernd
later = {"_at_device", "_cli", "_devices.ops", "dml", "dml._compile"}
assert not {f"gathernd.{name}" for name in later} & {*sys.modules}
assert "dml" in dir(gathernd)
assert gathernd.dml is sys.modules["gathernd.dml"]
assert not {"asyncio", "dask", "torch", "matplotlib", "importlib.metadata"} & {*sys.modules}
try:
    gathernd.nothing
except AttributeError as error:
    assert str(error) == "module 'gathernd' has no attribute 'nothing'"
else:
    raise AssertionError
"""
    run_quietly(code)
