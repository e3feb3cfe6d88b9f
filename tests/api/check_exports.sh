#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: check_exports.sh libort_c.so functions.tsv
# The library exports exactly the functions of the list, each under the version node ORTC_1, and is
# named libort_c.so.1. Any difference is printed and ends with exit code 1.
set -eu
library=${1:?usage: check_exports.sh libort_c.so functions.tsv}
list=${2:?usage: check_exports.sh libort_c.so functions.tsv}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tail -n +2 "$list" | cut -f1 | sed 's/$/@@ORTC_1/' | LC_ALL=C sort >"$work/expected"
# The version node itself stands in the table as an absolute symbol.
nm -D --defined-only "$library" | awk '!($2 == "A" && $3 ~ /^ORTC_1(@|$)/) { print $3 }' |
  LC_ALL=C sort >"$work/found"
if ! diff "$work/expected" "$work/found" >"$work/difference"; then
  sed -n 's/^< /missing: /p; s/^> /not in the list: /p' "$work/difference"
  exit 1
fi

soname=$(readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
if [ "$soname" != libort_c.so.1 ]; then
  echo "SONAME is '$soname', expected 'libort_c.so.1'"
  exit 1
fi
echo "$library exports the $(wc -l <"$work/expected") functions of the list, and nothing else"
