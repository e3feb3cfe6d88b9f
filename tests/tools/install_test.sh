#!/bin/sh
# SPDX-License-Identifier: MIT
# install_test.sh CMAKE BUILD CC CXX: installs a build into a folder of its own, moves that, and builds programs with
# what is there, in C, in C++ and as for ONNX Runtime: once with pkg-config, once with CMake.
set -eu
cmake=$1 build=$2 cc=$3 cxx=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --install "$build" --prefix "$work/first" >"$work/log"
grep -q ldconfig "$work/log"
mv "$work/first" "$work/moved"
prefix=$work/moved
pc=$(find "$prefix" -name ort_c.pc)
# What is loaded lies beside what loads it.
if [ -e "$build/lib/libort_c_extra.so" ]; then
  test -e "$(dirname "$(find "$prefix" -name libort_c.so.1)")/libort_c_extra.so"
fi

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
cat >"$work/program/version_cxx.cc" <<'CXX'
#include <cstdio>
#include "ort_c/ort_cxx.h"
int main() {
  const Ort::Env env;
  return env.GetEpDevices().empty() || std::puts(Ort::GetVersionString().c_str()) < 0;
}
CXX
cat >"$work/program/version_onnxruntime.cc" <<'CXX'
#include <cstdio>
#include <onnxruntime_cxx_api.h>
#include "core/session/onnxruntime_session_options_config_keys.h"
int main() {
  Ort::SessionOptions options;
  options.AddConfigEntry(kOrtSessionOptionEpContextEnable, "0");
  return std::puts(Ort::GetVersionString().c_str()) < 0;
}
CXX
cat >"$work/program/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(version C CXX)
find_package(ort_c 1.0 REQUIRED)
add_executable(version version.c)
target_link_libraries(version PRIVATE ort_c::ort_c)
add_executable(version_cxx version_cxx.cc)
target_link_libraries(version_cxx PRIVATE ort_c::ort_c)
add_executable(version_onnxruntime version_onnxruntime.cc)
target_link_libraries(version_onnxruntime PRIVATE ort_c::onnxruntime)
if(TARGET ort_c::ort_c_static)
  add_executable(version_static version.c)
  target_link_libraries(version_static PRIVATE ort_c::ort_c_static)
endif()
CMAKE

PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
version=$(pkg-config --modversion ort_c)
says_version() {  # says_version PROGRAM
  test "$("$1")" = "$version" || { echo "$1 does not say $version"; exit 1; }
}
rpath=-Wl,-rpath,$(pkg-config --variable=libdir ort_c)
# shellcheck disable=SC2046  # flags are words
"$cc" "$work/program/version.c" $(pkg-config --cflags --libs ort_c) "$rpath" -o "$work/version"
says_version "$work/version"
# shellcheck disable=SC2046
"$cxx" -std=c++17 "$work/program/version_cxx.cc" $(pkg-config --cflags --libs ort_c) "$rpath" \
  -o "$work/version_cxx"
says_version "$work/version_cxx"
# shellcheck disable=SC2046
"$cxx" -std=c++17 "$work/program/version_onnxruntime.cc" \
  $(pkg-config --cflags --libs ort_c-onnxruntime) "$rpath" -o "$work/version_onnxruntime"
says_version "$work/version_onnxruntime"

"$cmake" -S "$work/program" -B "$work/build" -DCMAKE_C_COMPILER="$cc" \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_PREFIX_PATH="$prefix" >"$work/log"
"$cmake" --build "$work/build" >"$work/log"
for program in version version_cxx version_onnxruntime; do
  says_version "$work/build/$program"
done

# The archive, where it was built: a C program needs nothing of ours to run.
archive=$(find "$prefix" -name libort_c.a)
if [ -n "$archive" ]; then
  says_version "$work/build/version_static"
  # shellcheck disable=SC2046
  "$cc" "$work/program/version.c" $(pkg-config --cflags ort_c) "$archive" \
    $(pkg-config --static --libs-only-l ort_c | sed 's/-lort_c //') -o "$work/version_static"
  says_version "$work/version_static"
  for program in "$work/version_static" "$work/build/version_static"; do
    if ldd "$program" | grep ort_c; then exit 1; fi
  done
  echo "the archive makes programs that run alone"
fi

"$prefix/bin/ortc" --version | grep -q "ortc $version"
doc=$(dirname "$(find "$prefix/share/doc" -name LICENSE)")
test -s "$doc/LICENSE"
for name in protobuf-c libuv zstd xxHash CLI11 JSON; do
  grep -q "^$name" "$doc/THIRD-PARTY-NOTICES" || { echo "no notice of $name"; exit 1; }
done
grep -q '^.TH ORTC 1' "$prefix/share/man/man1/ortc.1"
"$prefix/bin/ep_weight_sharing_ctx_gen" -h | grep -q '^Usage'
grep -q '^.TH EP_WEIGHT' "$prefix/share/man/man1/ep_weight_sharing_ctx_gen.1"
bash -n "$prefix/share/bash-completion/completions/ortc"
echo "installed, moved and used: $version"
