#!/bin/sh
# SPDX-License-Identifier: MIT
# digits_test.sh ORTC: the demo's claims. The trained network reads held-back digits, from source and from both kinds of
# context with equal bits; no held-back image was trained on; the same network with shuffled weights knows nothing.
set -eu
ortc=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
digits=$root/demo/digits
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

read_digits() {  # read_digits MODEL FOLDER
  "$ortc" run "$1" --input images="$digits/test_images.npy" --output-dir "$work/$2" >/dev/null
}
score() {  # score FOLDER --least|--most PERCENT
  python3 "$digits/report.py" "$work/$1/logits.npy" "$digits/test_labels.npy" "$2" "$3" | grep accuracy
}

python3 "$digits/check_split.py"
"$ortc" compile "$digits/digits.onnx" -o "$work/external_ctx.onnx" --opt-level 99 >/dev/null 2>&1
"$ortc" compile "$digits/digits.onnx" -o "$work/embedded_ctx.onnx" --opt-level 99 --embed >/dev/null 2>&1
read_digits "$digits/digits.onnx" source
read_digits "$work/external_ctx.onnx" external
read_digits "$work/embedded_ctx.onnx" embedded
cmp "$work/source/logits.npy" "$work/external/logits.npy"
cmp "$work/source/logits.npy" "$work/embedded/logits.npy"
score external --least 97
read_digits "$digits/digits_shuffled.onnx" shuffled
score shuffled --most 25
