#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests Python over an installed library: test.sh test|check, test.sh run SAMPLE ARGUMENT...
# tests/bindings/run.sh says which variables it reads. Python is the system's, which has numpy.
set -euo pipefail
cd "$(dirname "$0")"
here=$PWD root=$(realpath ../..)
python=${PYTHON:-/usr/bin/python3}
export PYTHONPATH=$here ORTC_LIBRARY_PATH=$ORTC_LIBRARY_DIR PYTHONPYCACHEPREFIX=$ORTC_OUT/pycache

missing() { echo "left out: python: $1"; exit 77; }
fail() { echo "python: $*" >&2; exit 1; }
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null \
  || missing "Python 3.9 or newer (apt-get install python3)"
"$python" -c 'import numpy' 2>/dev/null || missing "numpy (apt-get install python3-numpy)"

sample() { "$python" "samples/$1.py" "${@:2}"; }
tests() { (cd tests && "$python" -X faulthandler -m unittest "$@"); }
expect() { [[ "$2" == $1 ]] || fail "expected '$1', got '$2'"; }

# On a cluster of Dask on this machine.
batch() {
  if ! "$python" -c 'import distributed, pandas, onnx' 2>/dev/null; then
    echo "left out: python: ortc.batch is not tested without Dask" \
      "(apt-get install python3-distributed python3-pandas python3-onnx)"
    return
  fi
  (cd tests/batch && "$python" -X faulthandler -m unittest discover)
}

samples() {
  local out=$ORTC_OUT/samples
  rm -rf "$out" && mkdir -p "$out"
  sample share "$ORTC_MODELS/first.onnx" "$ORTC_MODELS/second.onnx" "$out" | tee "$out.txt"
  expect $'compiled 3 files\nfirst: *\nsecond: *\ncancelled' "$(cat "$out.txt")"
  expect "median_ns *" "$(sample overhead "$ORTC_MODELS/trivial.onnx" 5000)"
  local digits=("$ORTC_MODELS/digits.onnx" "$root"/demo/digits/test_{images,labels}.npy)
  expect $'cache: made\n442 of 445 are right' "$(sample classify "${digits[@]}" "$out/cache")"
  expect $'cache: hit\n442 of 445 are right' "$(sample classify "${digits[@]}" "$out/cache")"
  expect $'together: 10 20\nthe long one was stopped' \
    "$(sample asynchronous "$ORTC_MODELS/slow.onnx")"
  expect "$(cat "$root/tests/bindings/tokens.txt")" \
    "$(sample generate "$ORTC_MODELS/language_ctx.onnx" 256 1 2 3 4 5)"
  expect "[[]-1.0, -0.5, 1.0, 2.0]" "$(sample operators)"
  "$python" "$root/tests/bindings/service_check.py" --models "$ORTC_MODELS/service" --seconds 1 \
    -- "$python" "$here/samples/service.py"
}

# The pages of the interface: every module has one, and making them says nothing but their names.
pages() {
  local out=$ORTC_OUT/pages module modules=(ortc)
  for module in ortc/[a-z]*.py; do
    module=${module#ortc/}
    [ "$module" = backend.py ] || modules+=("ortc.${module%.py}")
  done
  rm -rf "$out" && mkdir -p "$out"
  (cd "$out" && "$python" -m pydoc -w "${modules[@]}") 2>&1 | grep -v '^wrote ' >"$out/said.txt" || true
  [ ! -s "$out/said.txt" ] || fail "pydoc: $(cat "$out/said.txt")"
}

types() {
  if ! command -v mypy >/dev/null; then
    echo "left out: python: types are not checked without mypy (apt-get install mypy)"
    return
  fi
  # ctypes has no types for functions of a library, nor for what makes a callback of one; Dask has
  # none at all.
  mypy --strict --allow-untyped-decorators --allow-untyped-calls --no-warn-return-any \
    --ignore-missing-imports --follow-imports silent --python-version 3.9 \
    --python-executable "$python" --cache-dir "$ORTC_OUT/mypy" -p ortc
}

case "${1:-}" in
  test)
    command -v patchelf >/dev/null \
      || echo "left out: python: the wheel is not tested without patchelf (apt-get install patchelf)"
    tests discover
    batch
    samples
    pages
    types
    ;;
  check) ORTC_SOAK=1 tests test_collector test_custom_ops_misuse test_soak ;;
  run) sample "${@:2}" ;;
  *) echo "usage: test.sh test|check|run SAMPLE ARGUMENT..." >&2; exit 2 ;;
esac
