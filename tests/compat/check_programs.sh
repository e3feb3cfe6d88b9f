#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: check_programs.sh CC CXX folder-of-libort_c
# Compiles the programs of this folder against include/ort-compat alone, and runs them with our libonnxruntime, with
# libort_c and, when ORTC_ORT_LIBRARY names it, the same binaries with ONNX Runtime's own library: all print the same.
set -eu
CC=${1:?} CXX=${2:?} lib=$(cd "${3:?}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
include="-Wall -Wextra -Werror -I$root/include/ort-compat -I$root/include"
# Of the oldest library that they are going to run with.
include="$include -DORT_COMPAT_API_VERSION=30"
model=$root/tests/data/matmul.onnx

$CXX -std=c++17 $include "$here/application.cc" -o "$work/cxx" -L"$lib/ort-compat" -lonnxruntime -Wl,-rpath-link,"$lib"
$CC -std=c99 $include "$here/application.c" -o "$work/c" -L"$lib/ort-compat" -lonnxruntime -Wl,-rpath-link,"$lib"
$CXX -std=c++17 -DORTC_COMPAT_USES_ORT_C $include "$here/application.cc" -o "$work/cxx_ort_c" -L"$lib" -lort_c
$CC -std=c99 -DORTC_COMPAT_USES_ORT_C $include "$here/application.c" -o "$work/c_ort_c" -L"$lib" -lort_c

run() { (cd "$work" && LD_LIBRARY_PATH=$1 "./$2" "$model" >>"$3") || { cat "$work/$3"; echo "$2 fails with $1"; exit 1; }; }
for program in cxx c; do
  run "$lib/ort-compat" $program ours
  run "$lib" ${program}_ort_c ort_c
done
cat "$work/ours"
diff "$work/ours" "$work/ort_c"
echo "the same with libonnxruntime of ortc and with libort_c"
if [ -z "${ORTC_ORT_LIBRARY:-}" ]; then
  echo "NOT COMPARED WITH ONNX RUNTIME: ORTC_ORT_LIBRARY is not set"
  exit 0
fi
cp -L "$ORTC_ORT_LIBRARY" "$work/libonnxruntime.so.1"
for program in cxx c; do run "$work" $program theirs; done
diff "$work/ours" "$work/theirs"
echo "the same binaries print the same with ONNX Runtime's own library"
