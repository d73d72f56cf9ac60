# Sourced by run_aarch64.sh, run_windows.sh and scripts/musl_wheel: apt-get with its lists and its cache
# below build/; the machine's own packages stay as they are.

# own_apt DIRECTORY deb|deb-src [SETTING...]: what apt-get does from now on, it does there. `suite`, if it is
# set, is the release that packages come from; else it is this machine's.
own_apt() {
  apt=$1 kind=$2
  shift 2
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
  : > "$apt/status"
  cat > "$apt/apt.conf" <<CONF
APT::Sandbox::User "root";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "-";
CONF
  [ $# = 0 ] || printf '%s\n' "$@" >> "$apt/apt.conf"
  . /etc/os-release
  echo "$kind [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
    "http://deb.debian.org/debian ${suite:-$VERSION_CODENAME} main" > "$apt/sources.list"
  export APT_CONFIG="$apt/apt.conf"
  apt-get -qq update
}
