#!/usr/bin/env bash
# Microsoft's own FXC (d3dcompiler_47.dll 10.0.26100.4654) for bookworm: the DLL out of a pinned PyPI wheel, run by Debian's wine64 8.0.
#   get_fxc.sh [DEST]      DEST defaults to ./fxc-toolchain ; leaves DEST/fxc (a command like hlslc, with -D)
# needs: apt-get install -y --no-install-recommends wine64 gcc-mingw-w64-x86-64   (main only, no i386), and pip
# The DLL is Microsoft's (Windows SDK redistributable): it is downloaded for use, never committed or shipped; what it writes is ours.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")"); DEST=$(realpath -m "${1:-fxc-toolchain}"); W=kivy_deps_angle-0.5.0-cp311-cp311-win_amd64.whl
WHL_SHA=d16d68cc45a2a326a3f8f738c649bb00ae5d7c3e58cff70f415fa57bd1d28713
DLL_SHA=c8e25abd3d45dfb55966a74613258c39b4a83ea2ac77f2f80903499f4d5c03f0
t=$(mktemp -d); trap 'rm -rf "$t"' EXIT; mkdir -p "$DEST"
echo "kivy_deps.angle==0.5.0 --hash=sha256:$WHL_SHA" >"$t/req.txt"
python3 -m pip download -q --disable-pip-version-check --no-deps --require-hashes --only-binary=:all: --platform win_amd64 --python-version 3.11 --implementation cp --abi cp311 -d "$t" -r "$t/req.txt"
python3 - "$t/$W" "$DEST/d3dcompiler_47.dll" <<'P'
import sys, zipfile
z=zipfile.ZipFile(sys.argv[1]); n=[i for i in z.namelist() if i.endswith("/d3dcompiler_47.dll")][0]; open(sys.argv[2],"wb").write(z.read(n))
P
echo "$DLL_SHA  $DEST/d3dcompiler_47.dll" | sha256sum -c --quiet -
x86_64-w64-mingw32-gcc -O1 -s -w -o "$DEST/fxcw.exe" "$here/fxcw.c"
cp "$here/fxc.sh" "$DEST/fxc"
unset DISPLAY; WINEPREFIX="$DEST/wineprefix" WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml=" /usr/lib/wine/wine64 wineboot -i </dev/null >/dev/null 2>&1
echo "ok: $DEST/fxc IN.hlsl OUT.dxbc [ENTRY [PROFILE]] [-DNAME=VALUE..]"
