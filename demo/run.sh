#!/bin/bash
# SPDX-License-Identifier: MIT
# Shows what ortc is for, with a real network and a large one. Needs `make build` first; `make demo`
# does both. All files it writes are in build/demo/.
set -euo pipefail
cd "$(dirname "$0")/.."
ortc=build/bin/ortc
out=build/demo
mkdir -p "$out"

say() { printf '\n== %s\n' "$*"; }
run() { printf '$ %s\n' "$*"; "$@"; }

say "Compile a network that reads handwritten digits"
run "$ortc" compile demo/digits/digits.onnx -o "$out/digits_ctx.onnx"

say "Look at what was written"
run "$ortc" inspect "$out/digits_ctx.onnx" --verify

say "Load the compiled model and read 445 digits that it was not trained on"
run "$ortc" run "$out/digits_ctx.onnx" --input images=demo/digits/test_images.npy \
  --output-dir "$out/digits"
run python3 demo/digits/report.py "$out/digits/logits.npy" demo/digits/test_labels.npy \
  demo/digits/test_images.npy

say "A transformer of 106 MB: from source, and compiled"
run /usr/bin/python3 tools/generate_models.py transformer --out "$out" --inputs
run "$ortc" compile "$out/transformer.onnx" -o "$out/transformer_ctx.onnx"
inputs=()
for file in "$out"/transformer.*.npy; do
  input=${file#"$out/transformer."}
  inputs+=(--input "${input%.npy}=$file")
done
printf '\n'
tools/compare_load.py "$ortc" "$out/transformer.onnx" "$out/transformer_ctx.onnx" -- \
  --iterations 5 --warmup 1 "${inputs[@]}"

say "The files are here"
ls -l "$out"/*.onnx "$out"/*.bin
