#!/bin/bash
# SPDX-License-Identifier: MIT
# Usage: install_packages.sh GROUP...   with groups build, extra, test, models, languages, check,
#        package, emulators; extra is what libort_c_extra.so needs, and may be missing
# Installs the Debian packages of the groups that are not there yet. Does nothing, and needs no
# network and no rights, when all are there.
set -euo pipefail

packages_of() {
  case $1 in
    build) echo g++ cmake ninja-build pkg-config make python3 ccache protobuf-c-compiler \
      libprotobuf-c-dev libuv1-dev libzstd-dev libxxhash-dev libcli11-dev nlohmann-json3-dev \
      zlib1g-dev ;;
    extra) echo libre2-dev libjpeg62-turbo-dev libopenjp2-7-dev libpng-dev libtiff-dev \
      libwebp-dev ;;
    test) echo libcmocka-dev libonnx-testdata zstd ;;
    models) echo python3-numpy python3-onnx ;;
    languages) echo golang-go cargo swig wrk patchelf mypy python3-numpy python3-pandas \
      python3-distributed python3-venv python3-pip ;;
    check) echo clang-19 libclang-rt-19-dev llvm-19 clang-format clang-tidy-19 ;;
    package) echo dpkg-dev file ;;
    emulators) echo qemu-user g++-aarch64-linux-gnu ;;
    *) echo "install_packages.sh: there is no group '$1'" >&2; return 1 ;;
  esac
}

if ! command -v dpkg >/dev/null || ! command -v apt-get >/dev/null; then
  echo "install_packages.sh: not a Debian system; the packages named here must be there" >&2
  exit 0
fi

missing=()
for group in "$@"; do
  packages=$(packages_of "$group")
  for package in $packages; do
    dpkg -s "$package" 2>/dev/null | grep -q '^Status: install ok installed' || missing+=("$package")
  done
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "as root: apt-get install ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
echo "installing: ${missing[*]}" >&2
"${as_root[@]}" apt-get update -q >&2
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -q -y --no-install-recommends "${missing[@]}" >&2
