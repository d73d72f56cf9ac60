"""The rooms of the C++ sources: who may include whom."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[1] / "cpp"

# From the bottom up: a room includes itself and rooms before it. Public headers are open to all.
ROOMS = [
    "src/core",
    "src/runtime",
    "src/cpu/kernels",
    "src/cpu/common",
    "src/cpu/resolve",
    "src/cpu/order",
    "src/cpu/gather",
    "src/cpu/scatter",
    "src/cpu/few",
    "src/cpu/prepared",
    "src/cpu",
    "src/d3d12/runtime",
    "src/d3d12/shaders",
    "src/d3d12/gpu",
    "src/d3d12/memory",
    "src/d3d12/operators",
    "src/d3d12/session",
    "src/d3d12",
    "src/dml",
    "src/ops",
    "bindings",
]
GENERATED = {"shader_code.hpp"}


def included(path: Path) -> list[str]:
    """The project's own headers that a file includes, from cpp/."""
    names = re.findall(r'^\s*#\s*include "([^"]+)"', path.read_text(), re.MULTILINE)
    result = []
    for name in names:
        if name.startswith("hwy/") or name in GENERATED:
            continue
        found = [f"{folder}/{name}" for folder in ("include", "src", "bindings")]
        found = [one for one in found if (SOURCES / one).exists()]
        assert found, f"{path.relative_to(SOURCES)} includes {name} by a name from elsewhere"
        result.append(found[0])
    return result


@pytest.mark.parametrize("room", ["include/gathernd", *ROOMS])
def test_a_room_includes_itself_and_those_below(room: str) -> None:
    allowed = {"include/gathernd", *ROOMS[: ROOMS.index(room) + 1 if room in ROOMS else 0]}
    files = [p for p in (SOURCES / room).iterdir() if p.suffix in {".hpp", ".cpp", ".h"}]
    assert files
    for path in files:
        above = {name for name in included(path) if str(Path(name).parent) not in allowed}
        assert not above, f"{path.relative_to(SOURCES)} includes {sorted(above)}"


def test_every_source_is_in_a_room() -> None:
    folders = {
        path.parent.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*")
        if path.suffix in {".hpp", ".cpp", ".h"}
    }
    assert folders == {"include/gathernd", *ROOMS}
    for room in ROOMS:
        assert f"`{room.removeprefix('src/')}" in (SOURCES / "README.md").read_text()


def test_d3d12_includes_nothing_of_the_cpu_backend() -> None:
    for path in (SOURCES / "src/d3d12").rglob("*.[ch]pp"):
        uses = {name for name in included(path) if name.startswith("src/cpu/")}
        assert not uses, f"{path.name} includes {uses}"
