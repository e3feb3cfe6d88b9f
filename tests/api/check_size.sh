#!/bin/sh
# SPDX-License-Identifier: MIT
# check_size.sh LIBRARY BYTES: the library takes no more than that when it is stripped, as packages
# are. Instances of templates over types and loops written out for each epilogue are what grows.
set -e
stripped=$(mktemp)
trap 'rm -f "$stripped"' EXIT
strip --strip-all -o "$stripped" "$1"
bytes=$(wc -c < "$stripped")
if [ "$bytes" -gt "$2" ]; then
  echo "$1 takes $bytes bytes when stripped, expected $2 at most" >&2
  exit 1
fi
echo "$bytes of $2 bytes"
