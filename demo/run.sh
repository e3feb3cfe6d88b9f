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

say "Two models of one GPT-2 with random weights, which they share: one reads a prompt, one the next token"
pair=$out/pair
run /usr/bin/python3 tools/generate_models.py gpt2-pair --small --out "$pair" --inputs
run "$ortc" compile --share "$pair/gpt2_prefill.onnx" "$pair/gpt2_decode.onnx" --out-dir "$pair/compiled"
rm "$pair"/gpt2.bin "$pair"/*.onnx
printf '\n'
run "$ortc" run "$pair/compiled/gpt2_prefill_ctx.onnx" \
  --input input_ids="$pair/gpt2_prefill.input_ids.npy" \
  --input attention_mask="$pair/gpt2_prefill.attention_mask.npy" --output-dir "$pair/prompt"
printf '\n'
past=()
for name in 0.key 0.value 1.key 1.value; do
  past+=(--input "past_key_values.$name=$pair/prompt/present.$name.npy")
done
run "$ortc" run "$pair/compiled/gpt2_decode_ctx.onnx" \
  --input input_ids="$pair/gpt2_decode.input_ids.npy" \
  --input attention_mask="$pair/gpt2_decode.attention_mask.npy" "${past[@]}"

say "The files are here"
ls -l "$out"/*.onnx "$out"/*.bin "$pair"/compiled/*
