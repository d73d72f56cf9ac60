#!/bin/sh
# Builds the C++ tests for 64-bit Arm and runs them in QEMU. On Debian it needs
#   apt-get install cmake ninja-build g++-aarch64-linux-gnu qemu-user doctest-dev
# The arm64 build of Highway is unpacked below build/; the machine's own packages stay as they are.
set -eu
cd "$(dirname "$0")/../.."
sysroot=$PWD/build/aarch64-sysroot
apt=$PWD/build/aarch64-apt

if [ ! -e "$sysroot/usr/include/hwy/highway.h" ]; then
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
  : > "$apt/status"
  cat > "$apt/apt.conf" <<CONF
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "root";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "-";
CONF
  . /etc/os-release
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
    "http://deb.debian.org/debian $VERSION_CODENAME main" > "$apt/sources.list"
  export APT_CONFIG="$apt/apt.conf"
  apt-get -qq update
  (cd "$apt" && apt-get -qq download libhwy-dev libhwy1)
  for package in "$apt"/*.deb; do dpkg -x "$package" "$sysroot"; done
fi

cmake --preset aarch64
cmake --build --preset aarch64 --target gathernd_tests
ctest --preset aarch64 --tests-regex '^cpp$'
