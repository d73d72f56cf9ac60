#!/bin/sh
# Builds the C++ tests for Windows and runs them in Wine, D3D12 on Mesa's software device. On Debian
# it needs
#   apt-get install cmake ninja-build g++-mingw-w64-x86-64-posix wine64 xvfb xauth dpkg-dev \
#     doctest-dev directx-headers-dev mesa-vulkan-drivers
# Highway is built from Debian's source below build/.
set -eu
cd "$(dirname "$0")/../.."
. tests/cpp/own_apt.sh
root=$PWD
sysroot=$root/build/windows-sysroot
apt=$root/build/windows-apt

if [ ! -e "$sysroot/include/hwy/highway.h" ]; then
  own_apt "$apt" deb-src
  mkdir -p "$sysroot/include"
  (cd "$apt" && apt-get -qq source --download-only highway)
  rm -rf "$apt/highway"
  dpkg-source --no-check -x "$apt"/highway_*.dsc "$apt/highway"
  for headers in directx dxguids doctest; do
    ln -sfn "/usr/include/$headers" "$sysroot/include/$headers"
  done
  cmake -S "$apt/highway" -B "$apt/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_TOOLCHAIN_FILE="$root/tests/cpp/x86_64-w64-mingw32.cmake" \
    -DCMAKE_INSTALL_PREFIX="$sysroot" -DBUILD_SHARED_LIBS=OFF \
    -DHWY_ENABLE_CONTRIB=OFF -DHWY_ENABLE_EXAMPLES=OFF -DHWY_ENABLE_TESTS=OFF
  cmake --build "$apt/build" --target install
fi

cmake --preset windows
cmake --build --preset windows --target gathernd_tests gathernd_d3d12_tests

# Wine's D3D12 has no descriptor tables without VK_EXT_descriptor_indexing: Debian 13's Mesa has it.
tests='^(cpp_.*|d3d12_([0-9]+|stop))$'
if dpkg --compare-versions "$(dpkg-query -W -f '${Version}' mesa-vulkan-drivers)" lt 25; then
  tests='^cpp_'
  echo "This machine's Mesa is too old to run gathernd_d3d12_tests.exe: see CONTRIBUTING.md"
fi

# Wine's DXGI wants a display, and its messages are many. Two tests start at once: what they share,
# Wine's directory and its registry, is made before.
export WINEPREFIX="$root/build/windows-wine" WINEDEBUG="${WINEDEBUG:--all}"
export VK_LOADER_DRIVERS_SELECT="${VK_LOADER_DRIVERS_SELECT:-*lvp*}"
rm -rf "$WINEPREFIX"
xvfb-run -a sh -c '/usr/lib/wine/wine64 wineboot --init && exec ctest --preset windows --tests-regex "$0"' "$tests"
