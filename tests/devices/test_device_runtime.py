"""The runtime of Direct3D 12: of another name, and none."""

import os
import platform
import re
import shutil
import subprocess
import sys

import pytest

import gathernd as gnd
from conftest import DEVICES
from processes import run_quietly


@pytest.mark.skipif(not DEVICES or sys.platform != "linux", reason="no vkd3d here")
@pytest.mark.parametrize("by", ["path", "relative path", "link", "name"])
def test_runtime_of_another_name(tmp_path, by):
    """A copy of vkd3d, whatever its name and its folder are called, is vkd3d."""
    copy = tmp_path / "libd3d12.so"
    shutil.copy(vkd3d(), copy)
    link = tmp_path / "liblink.so"
    link.symlink_to(copy)
    names = {"relative path": os.path.relpath(copy), "link": str(link), "name": copy.name}
    code = "import gathernd as gnd; assert gnd.gather_nd([5], [[0]], device='d3d12') == [5]"
    folder = {"LD_LIBRARY_PATH": str(tmp_path)} if by == "name" else {}
    run_quietly(code, GATHERND_D3D12_RUNTIME=names.get(by, str(copy)), **folder)


def vkd3d() -> str:
    """The file that the loader knows by the runtime's name."""
    name = gnd.devices()[1].runtime
    ldconfig = shutil.which("ldconfig") or "/sbin/ldconfig"  # not on the path of every user
    known = subprocess.run([ldconfig, "-p"], capture_output=True, text=True, check=True).stdout
    path = re.search(rf"{re.escape(name)} .*=> (\S+)", known)
    if path is None:
        pytest.skip(f"ldconfig does not know {name}")
    return path[1]


def is_built() -> bool:
    """Whether the build has D3D12, whatever this machine has of it."""
    try:
        gnd.Device("d3d12")
    except gnd.DeviceError as error:
        return "no D3D12 support" not in str(error)
    return True


@pytest.mark.skipif(not is_built(), reason="built without D3D12")
@pytest.mark.parametrize(
    ("library", "why"),
    [
        ("libnothing.so", ";"),
        (__file__, " (invalid ELF header);"),
        ("libc.so.6", " (has no D3D12CreateDevice);"),
        ("/dev/zero", " (invalid ELF header);"),
    ],
)
def test_no_runtime(library, why):
    """Says what was looked for and why it cannot be used, and falls back to nothing."""
    if why != ";" and platform.libc_ver()[0] != "glibc":
        pytest.skip("a message of glibc")
    code = f"""
import gathernd as gnd
assert [d.name for d in gnd.devices()] == ["cpu"]
for device in ("d3d12", "d3d12:0", "cuda"):
    says = {f"no D3D12 runtime: looked for {library}{why}"!r}
    if device == "cuda":
        says = "there is no device 'cuda'"
    try:
        gnd.gather_nd([1], [[0]], device=device)
    except gnd.DeviceError as error:
        assert says in str(error), error
    else:
        raise AssertionError
"""
    run_quietly(code, GATHERND_D3D12_RUNTIME=library)
