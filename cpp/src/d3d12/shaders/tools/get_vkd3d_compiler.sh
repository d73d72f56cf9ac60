#!/usr/bin/env bash
# Downloads a vkd3d-compiler that is new enough (>= 1.12) to compile HLSL to DXBC cs_5_0 on a bookworm machine. It does not
# touch the system's apt sources, lists and packages. It needs only apt and dpkg-deb, and no root.
#   get_vkd3d_compiler.sh [DEST]          DEST defaults to ./hlsl-toolchain ; leaves DEST/hlslc
# Environment:
#   VKD3D_VERSION   wanted Debian version   (default: the pinned one, whose sha256 are below; "newest" = whatever a suite holds)
#   VKD3D_SUITES    suites to try in order  (default: "forky sid")
#   VKD3D_MIRROR    mirror URL              (default: the first http(s) Debian URI in the system's own apt sources)
set -euo pipefail
DEST=$(realpath -m "${1:-hlsl-toolchain}")
PIN_VERSION="2.1+ds-1"
declare -A PIN_SHA=( # of the two packages whose code determines the output
  [vkd3d-compiler:amd64]=be68e5acace335a6da4f7f95bd89381e0f1926901899f8e14be95f3b29406f1e
  [libvkd3d-shader1:amd64]=af2260d53778c2e86c104d8d31d5c20feaa34c795ddc28ff1467cc6d0d0041f3
)
VERSION=${VKD3D_VERSION:-$PIN_VERSION}
SUITES=${VKD3D_SUITES:-forky sid}
ARCH=$(dpkg --print-architecture)
KEYRING=${VKD3D_KEYRING:-/usr/share/keyrings/debian-archive-keyring.gpg}

mirror() {  # first Debian (not security) URI of the system's sources: deb822 or one-line style
  { cat /etc/apt/sources.list.d/*.sources 2>/dev/null | sed -n 's/^URIs:[[:space:]]*//p' | tr ' ' '\n'
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | sed -n 's/^deb \(\[[^]]*\] *\)\?\([^ ]*\) .*/\2/p'
  } | grep -E '/debian/?$' | head -1 || true
}
MIRROR=${VKD3D_MIRROR:-$(mirror)}; [ -n "$MIRROR" ] || { echo "no Debian mirror among the apt sources: set VKD3D_MIRROR" >&2; exit 1; }

try() {  # try URL SUITE [apt sources options]
  local url=$1 suite=$2 opts=${3:-} d
  d=$(mktemp -d); trap 'rm -rf "$d"' RETURN
  mkdir -p "$d"/{etc,state/lists/partial,cache/archives/partial,debs}; : >"$d/status"
  echo "deb [arch=$ARCH signed-by=$KEYRING $opts] $url $suite main" >"$d/etc/sources.list"
  local O=(-q -o Dir::Etc::SourceList="$d/etc/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null
    -o Dir::State="$d/state" -o Dir::State::lists="$d/state/lists" -o Dir::State::status="$d/status"
    -o Dir::Cache="$d/cache" -o Dir::Cache::archives="$d/cache/archives"
    -o Acquire::Languages=none -o APT::Sandbox::User= -o APT::Update::Error-Mode=any)
  echo "== $url $suite" >&2
  apt-get "${O[@]}" update >&2 || return 1
  local pk=(vkd3d-compiler libvkd3d-shader1 libc6 libtinfo6)
  [ "$VERSION" = newest ] || pk=("vkd3d-compiler=$VERSION" "libvkd3d-shader1=$VERSION" libc6 libtinfo6)
  (cd "$d/debs" && apt-get "${O[@]}" download "${pk[@]}" >&2) || return 1   # apt checks each against the signed index
  local f p
  if [ "$VERSION" = "$PIN_VERSION" ]; then
    for p in vkd3d-compiler libvkd3d-shader1; do
      f=$(ls "$d"/debs/${p}_*.deb)
      if [ -n "${PIN_SHA[$p:$ARCH]:-}" ]; then echo "${PIN_SHA[$p:$ARCH]}  $f" | sha256sum -c --quiet - >&2 || return 1; fi
    done
  fi
  rm -rf "$DEST.new"; mkdir -p "$DEST.new/root"
  for f in "$d"/debs/*.deb; do dpkg-deb -x "$f" "$DEST.new/root"; (cd "$d/debs"; sha256sum "$(basename "$f")") >>"$DEST.new/MANIFEST"; done
  echo "suite $url $suite" >>"$DEST.new/MANIFEST"
}

ok=
for s in $SUITES; do if try "$MIRROR" "$s"; then ok=$s; break; fi; done
[ -n "$ok" ] || { echo "vkd3d-compiler $VERSION could not be downloaded" >&2; exit 1; }

rm -rf "$DEST"; mv "$DEST.new" "$DEST"
# The downloaded C library needs its own loader.
cat >"$DEST/hlslc" <<'W'
#!/bin/sh
# vkd3d-compiler under its own C library.  hlslc IN.hlsl OUT.dxbc [ENTRY [PROFILE]]   or   hlslc -- any vkd3d-compiler arguments
d=$(dirname "$(readlink -f "$0")"); r=$d/root
for ld in "$r"/usr/lib/*/ld-linux-*.so.* "$r"/lib/*/ld-linux-*.so.* "$r"/lib64/ld-linux-*.so.* "$r"/lib/ld-linux-*.so.*; do [ -e "$ld" ] && break; done
lib=$(dirname "$(ls "$r"/usr/lib/*/libvkd3d-shader.so.1 | head -1)")
run() { exec env -u LD_PRELOAD -u LD_LIBRARY_PATH LC_ALL=C.UTF-8 "$ld" --library-path "$(dirname "$ld"):$lib" "$r/usr/bin/vkd3d-compiler" "$@"; }
[ "$1" = -- ] && { shift; run "$@"; }
in=$1 out=$2 entry=${3:-main} profile=${4:-cs_5_0}
run -x hlsl -b dxbc-tpf -p "$profile" -e "$entry" -o "$out" "$in"
W
chmod +x "$DEST/hlslc"
"$DEST/hlslc" -- --version | head -1
cat "$DEST/MANIFEST"
