#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: check_headers.sh CC CXX PYTHON
# Compiles each header of include/ort-compat alone: those in C as C99, all as C++17, the C++ interface as C++20 too, for
# programs that link libonnxruntime, for those that link libort_c, and for plugins. The slots of the tables are compared
# with the facts in core/api/abi. Any failure ends with exit code 1.
set -eu
CC=${1:?} CXX=${2:?} PYTHON=${3:?}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
compat=$root/include/ort-compat
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
warnings="-Wall -Wextra -Werror"

c() { $CC -x c -std=c99 $warnings -I"$compat" -I"$root/include" -fsyntax-only "$@"; }
cxx() { $CXX -x c++ $warnings -I"$compat" -I"$root/include" -fsyntax-only "$@"; }
is_cxx() { case $1 in *cxx* | *float16* | *lite* | provider_options.h) return 0 ;; esac; return 1; }

for path in "$compat"/*.h; do
  name=$(basename "$path")
  printf '#include "%s"\n#include "%s"\ntypedef int not_empty;\n' "$name" "$name" >"$work/alone"
  if is_cxx "$name"; then
    cxx -std=c++17 "$work/alone" || { echo "$name does not compile alone as C++17"; exit 1; }
  else
    c "$work/alone" || { echo "$name does not compile alone as C99"; exit 1; }
  fi
done
echo "$(ls "$compat"/*.h | wc -l) headers compile alone: as C99, those for C++ as C++17"

# All paths by which programs include them, in one file; as C++20, and in the other ways to link.
(cd "$compat" && find . -name '*.h' ! -path './cxx/*' | sed 's|^\./||' | LC_ALL=C sort) |
  sed 's/.*/#include <&>/' >"$work/all"
cxx -std=c++20 "$work/all"
cxx -std=c++20 -DORTC_COMPAT_USES_ORT_C "$work/all"
cxx -std=c++17 -DORT_API_MANUAL_INIT -fno-exceptions "$work/all"
echo "$(wc -l <"$work/all") paths are there, also for programs that link libort_c and for plugins"

"$PYTHON" "$here/slots.py" >"$work/slots.c"
$CC -std=c11 -Wall -Wextra -I"$compat" -I"$root/include" -fsyntax-only "$work/slots.c"
echo "$(grep -c _Static_assert "$work/slots.c") members are where the tables of the interface have them"
