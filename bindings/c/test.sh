#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds and runs the samples in C and C++ over an installed library:
# test.sh test|check, test.sh run SAMPLE ARGUMENT...
# tests/bindings/run.sh says which variables it reads.
set -euo pipefail
tokens=$(realpath "$(dirname "$0")/../../tests/bindings/tokens.txt")
cd "$(dirname "$0")/samples"
export PKG_CONFIG_PATH=$ORTC_PREFIX/lib/pkgconfig LD_LIBRARY_PATH=$ORTC_LIBRARY_DIR
out=$ORTC_OUT
[ "$1" != run ] || exec "$out/$2" "${@:3}"
[ "$1" = test ] || exit 0  # the long runs in C are the project's own tests

fail() { echo "c: $*" >&2; exit 1; }
expect() { [[ "$2" == $1 ]] || fail "expected '$1', got '$2'"; }

read -ra flags < <(pkg-config --cflags --libs ort_c)
for sample in *.c; do
  lines=$(wc -l <"$sample")
  [ "$lines" -lt 60 ] || fail "$sample has $lines lines; a sample has fewer than 60"
  cc -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -pthread "$sample" "${flags[@]}" \
    -o "$out/${sample%.c}"
done
for sample in share generate; do
  c++ -std=c++20 -Wall -Wextra -Werror "$sample.cc" "${flags[@]}" -o "$out/${sample}_cxx"
done

rm -rf "$out/files" && mkdir -p "$out/files/share" "$out/files/share_cxx"
cd "$out/files"
"$out/compile" "$ORTC_MODELS/digits.onnx" digits_ctx.onnx 2>progress.txt >report.json
grep -q '"files"' report.json || fail "the report of the compile names no files"
grep -q '^100% done' progress.txt || fail "progress did not come to its end"
expect "*input images: -1 1 8 8*output logits: -1 10*" "$("$out/load" digits_ctx.onnx)"
expect "2 3 4 5" "$("$out/run" "$ORTC_MODELS/trivial.onnx")"
"$out/stream" "$ORTC_MODELS/digits.onnx" >streamed.onnx
expect "*output logits: -1 10*" "$("$out/load" streamed.onnx)"
expect "compiled*" "$("$out/cache" "$ORTC_MODELS/digits.onnx" cache)"
expect "found in the cache*" "$("$out/cache" "$ORTC_MODELS/digits.onnx" cache)"
for program in generate generate_cxx; do
  expect "$(cat "$tokens")" \
    "$("$out/$program" "$ORTC_MODELS/language_ctx.onnx" 256 1 2 3 4 5)"
done
expect "*terminat*" "$("$out/cancel" "$ORTC_MODELS/slow.onnx")"
expect "median_ns *" "$("$out/overhead" "$ORTC_MODELS/trivial.onnx" 10000)"
for program in share share_cxx; do
  "$out/$program" "$ORTC_MODELS/first.onnx" "$ORTC_MODELS/second.onnx" "$program" \
    | tee "$program.txt"
  expect $'compiled 3 files\nfirst: *\nsecond: *\ncancelled' "$(cat "$program.txt")"
  [ "$(ls "$program" | wc -l)" = 3 ] || fail "$program left $(ls "$program")"
done
cmp share.txt share_cxx.txt
echo "c: all samples do what they say"
