#!/bin/bash
# SPDX-License-Identifier: MIT
# Usage: arm_libraries.sh FOLDER
# Unpacks Debian's aarch64 builds of the libraries that ortc links into FOLDER, for cross builds.
# Nothing is installed: apt's state for the foreign architecture is kept in FOLDER too.
set -euo pipefail
folder=$(mkdir -p "$1" && cd "$1" && pwd)
[ -e "$folder/done" ] && exit 0
packages=(libprotobuf-c1 libprotobuf-c-dev libuv1 libuv1-dev libzstd1 libzstd-dev libxxhash0
  libxxhash-dev libcmocka0 libcmocka-dev zlib1g zlib1g-dev)

mkdir -p "$folder"/apt/{state/lists/partial,cache/archives/partial,packages}
touch "$folder/apt/status"
cat >"$folder/apt/apt.conf" <<CONF
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
Dir::State "$folder/apt/state";
Dir::State::status "$folder/apt/status";
Dir::Cache "$folder/apt/cache";
APT::Sandbox::User "root";
CONF
export APT_CONFIG=$folder/apt/apt.conf
apt-get update -q >&2
(cd "$folder/apt/packages" && apt-get download -q "${packages[@]}" >&2)
for package in "$folder"/apt/packages/*.deb; do
  dpkg -x "$package" "$folder"
done
touch "$folder/done"
