#!/bin/sh
# Builds the C++ tests for 64-bit Arm and runs them in QEMU. On Debian it needs
#   apt-get install cmake ninja-build g++-aarch64-linux-gnu qemu-user doctest-dev
# The arm64 build of Highway is unpacked below build/.
set -eu
cd "$(dirname "$0")/../.."
. tests/cpp/own_apt.sh
sysroot=$PWD/build/aarch64-sysroot
apt=$PWD/build/aarch64-apt

if [ ! -e "$sysroot/usr/include/hwy/highway.h" ]; then
  own_apt "$apt" deb 'APT::Architecture "arm64";' 'APT::Architectures { "arm64"; };'
  # The library is libhwy1 in Debian 12, libhwy1t64 in Debian 13.
  (cd "$apt" && apt-get -qq download libhwy-dev '?and(?name(^libhwy1), ?not(?virtual))')
  for package in "$apt"/*.deb; do dpkg -x "$package" "$sysroot"; done
fi

cmake --preset aarch64
cmake --build --preset aarch64 --target gathernd_tests
ctest --preset aarch64 --tests-regex '^cpp_'
