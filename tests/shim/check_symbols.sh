#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: check_symbols.sh libort_c.so libonnxruntime.so.1 versions.txt
# The shim exports two functions, each under the node of every release; libort_c exports nothing
# that the shim, or the library that ORTC_ORT_LIBRARY names, exports. Failures end with exit code 1.
set -eu
core=${1:?usage: check_symbols.sh libort_c.so libonnxruntime.so.1 versions.txt}
shim=${2:?usage: check_symbols.sh libort_c.so libonnxruntime.so.1 versions.txt}
versions=${3:?usage: check_symbols.sh libort_c.so libonnxruntime.so.1 versions.txt}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

symbols() { nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' | LC_ALL=C sort; }
names() { symbols "$1" | sed 's/@.*//' | LC_ALL=C sort -u; }

grep '^[0-9]' "$versions" | while read -r version; do
  at=@
  if [ "$version" = 1.30.0 ]; then at=@@; fi
  echo "OrtGetApiBase${at}VERS_$version"
  echo "OrtSessionOptionsAppendExecutionProvider_CPU${at}VERS_$version"
done | LC_ALL=C sort >"$work/expected"
symbols "$shim" >"$work/found"
diff "$work/expected" "$work/found" || { echo "the shim exports something else"; exit 1; }
echo "the shim exports two functions for $(grep -c '^[0-9]' "$versions") releases"

soname=$(readelf -d "$shim" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
[ "$soname" = libonnxruntime.so.1 ] || { echo "SONAME is '$soname'"; exit 1; }

# Sanitizers put their own functions into every library they look after.
names "$core" | grep '^Ort' >"$work/core"
disjoint() {
  names "$1" >"$work/other"
  if LC_ALL=C comm -12 "$work/core" "$work/other" | grep .; then
    echo "these are exported by libort_c and by $1"
    exit 1
  fi
  echo "libort_c and $1 export no symbol of the same name"
}
disjoint "$shim"
if [ -n "${ORTC_ORT_LIBRARY:-}" ]; then
  disjoint "$ORTC_ORT_LIBRARY"
else
  echo "NOT CHECKED: ORTC_ORT_LIBRARY names no libonnxruntime"
fi
