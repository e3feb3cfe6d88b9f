#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: check_packages.sh CXX folder-of-libort_c [TOOL]
# A program for ONNX Runtime's model packages, compiled against include/ort-compat alone, reads a package that was
# written by hand and, with TOOL, one that `ortc package` wrote; with our library and, when ORTC_ORT_LIBRARY names it,
# with ONNX Runtime's own: both print the same.
set -eu
CXX=${1:?} lib=$(cd "${2:?}" && pwd) tool=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(cd "$(mktemp -d)" && pwd -P)
trap 'rm -rf "$work"' EXIT
model=$root/tests/data/matmul.onnx

asset=$(printf '%064d' 0 | tr 0 a)
package=$work/by_hand
mkdir -p "$package/any" "$package/best" "$package/shared_assets/sha256-$asset"
echo text >"$package/shared_assets/sha256-$asset/a.txt"
cp "$model" "$package/any/m.onnx"
cp "$model" "$package/best/m.onnx"
cat >"$package/manifest.json" <<END
{"schema_version": "1.0", "package_name": "by hand",
 "components": {
  "matmul": {"variants": {
   "other": {"variant_directory": "any", "ep": "OtherExecutionProvider"},
   "best": {"ep": "CPUExecutionProvider", "executor_info": {"ort": {"model_file": "m.onnx",
     "session_options": {"session.intra_op_num_threads": "1", "of.tomorrow": "x"},
     "provider_options": {"of_tomorrow": "x"}}}},
   "any": {"ep": "CPUExecutionProvider", "executor_info": {"ort": {"model_file": "m.onnx"}}}}},
  "foreign": {"variants": {"any": {"ep": "OtherExecutionProvider"}, "best": {}}},
  "bare": {"variants": {"any": {"ep": "CPUExecutionProvider"}}}}}
END
packages=$package
if [ -n "$tool" ]; then
  "$tool" package create --out "$work/by_tool" --component matmul --variant plain="$model" >/dev/null
  packages="$packages $work/by_tool"
fi

$CXX -std=c++17 -Wall -Wextra -Werror -DORT_COMPAT_API_VERSION=30 -I"$root/include/ort-compat" -I"$root/include" "$here/packages.cc" \
  -o "$work/client" -L"$lib/ort-compat" -lonnxruntime -Wl,-rpath-link,"$lib"
run() {
  for one in $packages; do
    LD_LIBRARY_PATH=$1 "$work/client" "$one" >>"$work/$2" || { cat "$work/$2"; echo "it fails with $1"; exit 1; }
  done
}
run "$lib/ort-compat:$lib" ours
cat "$work/ours"
if [ -z "${ORTC_ORT_LIBRARY:-}" ]; then
  echo "NOT COMPARED WITH ONNX RUNTIME: ORTC_ORT_LIBRARY is not set"
  exit 0
fi
mkdir "$work/theirs_lib"
cp -L "$ORTC_ORT_LIBRARY" "$work/theirs_lib/libonnxruntime.so.1"
run "$work/theirs_lib" theirs
diff "$work/ours" "$work/theirs"
echo "the same with ONNX Runtime's own library"
