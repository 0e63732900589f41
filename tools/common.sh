# shellcheck shell=bash
# Sourced by quickstart and test: packages, and what every run of ours has in common.

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=$(nproc)

# MPI refuses to run as root, and to run more ranks than cores, unless told.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1

say() { printf '\n== %s\n' "$*"; }

is_installed() { [[ $(dpkg-query -W -f '${Status}' "$1" 2>/dev/null) == *" ok installed" ]]; }

# install_packages GROUP...: what is missing of these groups of tools/packages.
install_packages() {
  local group package missing=()
  while read -r group package; do
    [[ " $* " == *" $group "* ]] || continue
    is_installed "$package" || missing+=("$package")
  done <"$repository/tools/packages"
  ((${#missing[@]})) || return 0

  say "installing ${missing[*]}"
  local as_root=()
  if ((EUID)); then
    command -v sudo >/dev/null || {
      echo "error: missing packages; install them as root: ${missing[*]}" >&2
      return 1
    }
    as_root=(sudo)
  fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 update
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3 \
    install --no-install-recommends "${missing[@]}"
}

use_ccache() {
  if command -v ccache >/dev/null; then
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache
    # Another clone of the same sources finds what this one compiled.
    export CCACHE_BASEDIR=$repository CCACHE_NOHASHDIR=1
  fi
}
