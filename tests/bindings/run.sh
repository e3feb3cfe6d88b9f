#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs the tests of a language's binding, as users have it: over an installed library.
#
#   tests/bindings/run.sh LANGUAGE test|check   LANGUAGE is c, csharp, go, python or rust
#   tests/bindings/run.sh LANGUAGE run SAMPLE ARGUMENT...   a sample that `test` has built
#   tests/bindings/run.sh prepare               installs into build/test/bindings/prefix, makes models
#   tests/bindings/run.sh left-out              says which languages the last run left out
#
# `test` notes which functions the tests call, `check` has the long runs. Ends with 77 when the
# language's tools are not there. BUILD names the build folder, build when it is not set.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "${BUILD:-build}")
here=$build/test/bindings
export ORTC_PREFIX=$here/prefix ORTC_MODELS=$here/models
# Libraries of execution providers and of operators, to be registered.
export ORTC_PROVIDER_LIBRARY=$build/lib/libvirtual_npu.so
export ORTC_DEVICE_LIBRARY=$build/lib/libdevice_memory.so
export ORTC_OPERATOR_LIBRARY=$build/test/operators/libtest_operators.so

prepare() {
  cmake --install "$build" --prefix "$ORTC_PREFIX" >/dev/null
  /usr/bin/python3 tests/bindings/make_models.py "$ORTC_PREFIX/bin/ortc" "$ORTC_MODELS"
}

left_out() {
  local count=0 file
  for file in "$here"/*/left_out.txt; do
    [ -e "$file" ] || continue
    count=$((count + 1))
    cat "$file"
  done
  echo "bindings: $count languages left out"
}

run_sample() {
  export ORTC_OUT=$here/$1 ORTC_LIBRARY_DIR=$ORTC_PREFIX/lib
  exec "bindings/$1/test.sh" "${@:2}"
}

run() {
  local language=$1 kind=$2 status=0
  export ORTC_OUT=$here/$language ORTC_LIBRARY_DIR=$ORTC_PREFIX/lib
  mkdir -p "$ORTC_OUT"
  rm -f "$ORTC_OUT/left_out.txt"
  if [ "$kind" = test ]; then
    export ORTC_LIBRARY_DIR=$build/test/recording ORTC_REAL_LIBRARY=$ORTC_PREFIX/lib/libort_c.so.1
    export ORTC_CALLS_FILE=$ORTC_OUT/calls.txt
    rm -f "$ORTC_CALLS_FILE"
  fi
  "bindings/$language/test.sh" "$kind" 2>&1 | tee "$ORTC_OUT/$kind.log" || status=${PIPESTATUS[0]}
  if [ "$status" = 77 ]; then
    grep '^left out: ' "$ORTC_OUT/$kind.log" >"$ORTC_OUT/left_out.txt"
  fi
  return "$status"
}

case "$*" in
  prepare) prepare ;;
  left-out) left_out ;;
  *' test' | *' check') run "$@" ;;
  *' run '*) run_sample "$@" ;;
  *) sed -n '/^#   /s/^#   //p' "$0" >&2; exit 2 ;;
esac
