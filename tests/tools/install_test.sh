#!/bin/sh
# SPDX-License-Identifier: MIT
# install_test.sh CMAKE BUILD CC: installs a build into a folder of its own, moves that, and builds a
# program with what is there: once with pkg-config, once with CMake.
set -eu
cmake=$1 build=$2 cc=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --install "$build" --prefix "$work/first" >"$work/log"
grep -q ldconfig "$work/log"
mv "$work/first" "$work/moved"
prefix=$work/moved
pc=$(find "$prefix" -name ort_c.pc)

# A sanitizer's library cannot be linked to by a plain program.
if grep -q 'ORTC_SANITIZE:STRING=.' "$build/CMakeCache.txt"; then
  echo "skipped: a build with sanitizers"
  exit 0
fi

mkdir "$work/program"
cat >"$work/program/version.c" <<'C'
#include <stdio.h>
#include "ort_c/ort_c.h"
int main(void) { return puts(OrtGetVersionString()) < 0; }
C
cat >"$work/program/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(version C)
find_package(ort_c 1.0 REQUIRED)
add_executable(version version.c)
target_link_libraries(version PRIVATE ort_c::ort_c)
CMAKE

PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
version=$(pkg-config --modversion ort_c)
# shellcheck disable=SC2046  # flags are words
"$cc" "$work/program/version.c" $(pkg-config --cflags --libs ort_c) \
  -Wl,-rpath,"$(pkg-config --variable=libdir ort_c)" -o "$work/version"
test "$("$work/version")" = "$version"

"$cmake" -S "$work/program" -B "$work/build" -DCMAKE_C_COMPILER="$cc" \
  -DCMAKE_PREFIX_PATH="$prefix" >"$work/log"
"$cmake" --build "$work/build" >"$work/log"
test "$("$work/build/version")" = "$version"

"$prefix/bin/ortc" --version | grep -q "ortc $version"
test -s "$(find "$prefix/share/doc" -name LICENSE)"
grep -q '^.TH ORTC 1' "$prefix/share/man/man1/ortc.1"
bash -n "$prefix/share/bash-completion/completions/ortc"
echo "installed, moved and used: $version"
