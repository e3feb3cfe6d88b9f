#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: check_cxx.sh CXX
# Compiles each C++ header alone and twice included; every member of ort_cxx.h as C++17 and C++20, with and without
# exceptions, and through a given table, which ties it to no library; with the other compiler too where there is one.
# Any failure ends with exit code 1.
set -eu
CXX=${1:?usage: check_cxx.sh CXX}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

compile() {  # compile COMPILER STANDARD FLAG... SOURCE
  compiler=$1 standard=$2
  shift 2
  "$compiler" -x c++ "-std=$standard" -Wall -Wextra -Wpedantic -Wshadow -Werror -I"$root/include" \
    -fsyntax-only "$@"
}

headers=0
for path in "$root"/include/ort_c/*cxx*.h "$root"/include/ort_c/cxx/*.h; do
  name=${path#"$root/include/"}
  printf '#include "%s"\n#include "%s"\n' "$name" "$name" >"$work/twice.cc"
  compile "$CXX" c++17 "$work/twice.cc" || { echo "$name does not compile alone"; exit 1; }
  headers=$((headers + 1))
done
echo "$headers C++ headers compile alone and twice, as C++17 with $CXX"

for path in "$root"/include/ort_c/cxx/*.h; do
  name=$(basename "$path")
  grep -q "^#include \"ort_c/cxx/$name\"" "$root/include/ort_c/ort_cxx.h" ||
    { echo "ort_cxx.h does not include ort_c/cxx/$name"; exit 1; }
done

compile "$CXX" c++17 "$here/every_member.cc"
compile "$CXX" c++20 "$here/every_member.cc"
compile "$CXX" c++17 -fno-exceptions "$here/every_member.cc"
compile "$CXX" c++20 -fno-exceptions -DORT_API_MANUAL_INIT "$here/every_member.cc"
echo "every member compiles as C++17 and C++20, with and without exceptions, and through a given table"

for other in g++ clang++-19 clang++; do
  case $CXX in *"$other") continue ;; esac
  if command -v $other >/dev/null; then
    compile $other c++17 -fno-exceptions "$here/every_member.cc"
    compile $other c++20 "$here/every_member.cc"
    echo "every member compiles with $other too"
    break
  fi
done

# What is built with ORT_API_MANUAL_INIT, as plugins are, needs no symbol of the library.
"$CXX" -std=c++17 -I"$root/include" -I"$root" -c "$root/tests/api/cxx/given_table.cc" -o "$work/plugin.o"
if nm -u "$work/plugin.o" | grep ' Ort'; then
  echo "code that goes through a given table needs these symbols"
  exit 1
fi
echo "code that goes through a given table is not tied to the library"

# ONNX Runtime's header before ours is refused with a message that names it.
printf '#define ORT_API_VERSION 22\n#include "ort_c/ort_cxx.h"\n' >"$work/clash.cc"
if compile "$CXX" c++17 "$work/clash.cc" 2>"$work/clash.text"; then
  echo "ONNX Runtime's own header before ours was not noticed"
  exit 1
fi
grep -q 'onnxruntime_cxx_api.h' "$work/clash.text"
echo "ONNX Runtime's own header in the same file is refused with a message"
