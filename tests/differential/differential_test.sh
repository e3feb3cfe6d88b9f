#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: differential_test.sh BUILD_FOLDER
# Every model of the generator, in its small form, through this library and through ONNX Runtime:
# the outputs agree, and source, external and embedded context give the same bits. Needs the
# environment variable ORTC_ORT_LIBRARY, ONNX Runtime's library; without it the test is skipped.
set -eu
if [ -z "${ORTC_ORT_LIBRARY:-}" ]; then
  echo "SKIPPED: ORTC_ORT_LIBRARY is not set, nothing was compared with ONNX Runtime" >&2
  exit 77
fi
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$root/bench/run" --small --compare-only --out "$out" --driver "$1/bin/bench_driver" \
  --ortc "$1/bin/ortc" --library "$1/lib/libort_c.so"
