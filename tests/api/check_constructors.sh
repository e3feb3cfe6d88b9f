#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: check_constructors.sh libortc_internals.so
# Loading the library runs no code of ours: what a static object needs is made at its first use. The
# library has its local symbols, among them those of constructors.
set -eu
library=${1:?usage: check_constructors.sh libortc_internals.so}
symbols=$(nm -C "$library")
case $symbols in
  *ortc::*) ;;
  *) echo "$library has no symbols of its own to look at" && exit 1 ;;
esac
if found=$(echo "$symbols" | grep -o '_GLOBAL__sub_I.*'); then
  echo "$found" | sed 's/^_GLOBAL__sub_I_*/runs code when it is loaded: /'
  exit 1
fi
echo "$library runs no code when it is loaded"
