#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: check_linked.sh CC folder-of-the-shim
# Links a program against libraries that look like ONNX Runtime's of several releases (their SONAME
# and version node), and runs it on the shim, in a folder of its own and beside libort_c. Any failure ends with exit code 1.
set -eu
CC=${1:?usage: check_linked.sh CC folder-of-the-shim}
shim=${2:?usage: check_linked.sh CC folder-of-the-shim}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/stub.c" <<'END'
const void* OrtGetApiBase(void) { return 0; }
void* OrtSessionOptionsAppendExecutionProvider_CPU(void* options, int use_arena) {
  return use_arena ? options : 0;
}
END

# runs <release> <version of the interface> <SONAME>: until 1.18 the SONAME had the full version
runs() {
  printf 'VERS_%s { global: Ort*; local: *; };\n' "$1" >"$work/stub.map"
  $CC -shared -fPIC -o "$work/libonnxruntime.so" "$work/stub.c" -Wl,-soname,"$3" \
    -Wl,--version-script="$work/stub.map"
  $CC -std=c11 -I"$root" -I"$root/include" -o "$work/client" "$root/tests/shim/linked_client.c" \
    "$work/libonnxruntime.so"
  readelf -V "$work/client" | grep -q "Name: VERS_$1 " || { echo "$1: another node"; exit 1; }
  found=$(LD_LIBRARY_PATH=$shim "$work/client" "$2" "$root/tests/data/matmul.onnx") || {
    echo "a program linked against $1 does not run"
    exit 1
  }
  if [ "$found" != "1.31.0: 60 70 80" ]; then
    echo "a program linked against $1 gives '$found'"
    exit 1
  fi
  echo "a program linked against $1 ($3) runs"
}

runs 1.0.0 1 libonnxruntime.so.1.0.0
runs 1.14.0 14 libonnxruntime.so.1.14.0
runs 1.17.1 17 libonnxruntime.so.1.17.1
runs 1.23.0 23 libonnxruntime.so.1
runs 1.30.0 30 libonnxruntime.so.1
runs 1.31.1 31 libonnxruntime.so.1

# Both libraries in one folder, as packages of ONNX Runtime are unpacked.
mkdir "$work/one"
cp -L "$shim/libonnxruntime.so.1" "$shim/../libort_c.so.1" "$work/one"
LD_LIBRARY_PATH=$work/one "$work/client" 30 "$root/tests/data/matmul.onnx" >"$work/found" || {
  echo "the two libraries do not load from one folder"
  exit 1
}
grep -q "60 70 80" "$work/found"
echo "a program runs on the two libraries in one folder"

# A release that does not exist is refused by the loader, not silently bound to something.
printf 'VERS_9.9.9 { global: Ort*; local: *; };\n' >"$work/stub.map"
$CC -shared -fPIC -o "$work/libonnxruntime.so" "$work/stub.c" -Wl,-soname,libonnxruntime.so.1 \
  -Wl,--version-script="$work/stub.map"
$CC -std=c11 -I"$root" -I"$root/include" -o "$work/client" "$root/tests/shim/linked_client.c" \
  "$work/libonnxruntime.so"
if LD_LIBRARY_PATH=$shim "$work/client" 30 "$root/tests/data/matmul.onnx" 2>"$work/errors"; then
  echo "a program linked against 9.9.9 was not refused"
  exit 1
fi
grep -q VERS_9.9.9 "$work/errors"
echo "a program linked against a release that does not exist is refused by name"
