#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: check_headers.sh CC CXX
# Compiles each public header alone and twice included, as C11 and as C++20; the umbrella includes
# them all; every function of core/api/functions.tsv is declared with C linkage in both languages;
# layout.c and the programs of docs/c-api.md compile. Says what it checked; any failure ends with exit code 1.
set -eu
CC=${1:?usage: check_headers.sh CC CXX}
CXX=${2:?usage: check_headers.sh CC CXX}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
warnings="-Wall -Wextra -Wpedantic -Wshadow -Werror"

compile() {  # compile <language> <source>: c or c++
  if [ "$1" = c ]; then
    $CC -x c -std=c11 -Wstrict-prototypes $warnings -I"$root/include" -c -o "$work/out.o" "$2"
  else
    $CXX -x c++ -std=c++20 $warnings -I"$root/include" -c -o "$work/out.o" "$2"
  fi
}

headers=0
for path in "$root"/include/ort_c/*.h; do
  name=$(basename "$path")
  case $name in *cxx*) continue ;; esac  # C++ only: check_cxx.sh
  headers=$((headers + 1))
  # A translation unit has at least one declaration; the same header once more proves the guard.
  printf '#include "ort_c/%s"\n#include "ort_c/%s"\ntypedef int not_empty;\n' "$name" "$name" \
    >"$work/twice"
  for language in c c++; do
    compile $language "$work/twice" || { echo "ort_c/$name does not compile as $language"; exit 1; }
  done
  case $name in ort_c.h | onnxruntime_*) continue ;; esac
  if ! grep -q "^#include \"ort_c/$name\"" "$root/include/ort_c/ort_c.h"; then
    echo "ort_c.h does not include ort_c/$name"
    exit 1
  fi
done
echo "$headers headers compile alone and twice, as C11 with $CC and as C++20 with $CXX"

# An object that takes the address of every function: its undefined symbols are the plain names.
tail -n +2 "$root/core/api/functions.tsv" | cut -f1 | LC_ALL=C sort >"$work/expected"
{
  echo '#include "ort_c/ort_c.h"'
  echo 'typedef void (*any_function)(void);'
  echo '#ifdef __cplusplus'
  echo 'extern "C" {'
  echo 'extern const any_function all_functions[];'
  echo '}'
  echo '#define ANY(f) reinterpret_cast<any_function>(f)'
  echo '#else'
  echo 'extern const any_function all_functions[];'
  echo '#define ANY(f) (any_function)(f)'
  echo '#endif'
  echo 'const any_function all_functions[] = {'
  sed 's/.*/  ANY(&),/' "$work/expected"
  echo '};'
} >"$work/addresses"
for language in c c++; do
  compile $language "$work/addresses"
  nm -u "$work/out.o" | awk '$2 ~ /^Ort/ { print $2 }' | LC_ALL=C sort >"$work/found"
  diff "$work/expected" "$work/found" || { echo "$language: symbols differ from the list"; exit 1; }
done
echo "$(wc -l <"$work/expected") functions have C linkage and their plain names in both languages"

compile c "$here/layout.c"
echo "layout.c holds: open struct, callback types, sizes"

# Each ```c block of the guide is a translation unit of its own.
awk -v out="$work/example" '/^```c$/ { n++; on = 1; next } /^```$/ { on = 0 } on { print > (out n) }' \
  "$root/docs/c-api.md"
examples=0
for path in "$work"/example*; do
  compile c "$path"
  examples=$((examples + 1))
done
echo "$examples programs of docs/c-api.md compile"

# Another header that owns the same names is refused by name, not by a page of errors.
printf '#define ORT_API_VERSION 30\n#include "ort_c/ort_c.h"\n' >"$work/clash"
if compile c "$work/clash" 2>"$work/clash.text"; then
  echo "ONNX Runtime's own header before ours was not noticed"
  exit 1
fi
grep -q 'onnxruntime_c_api.h' "$work/clash.text"
echo "ONNX Runtime's own header in the same file is refused with a message"
