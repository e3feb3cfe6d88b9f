#!/bin/bash
# SPDX-License-Identifier: MIT
# Usage: bench.sh [MODEL ...]   names of generate_models.py; default a few of different kinds
# Generates each model once, compiles it, and compares loading and running from source and context.
set -euo pipefail
cd "$(dirname "$0")/.."
ortc=build/bin/ortc
out=build/bench
models=("$@")
[ ${#models[@]} -gt 0 ] || models=(transformer resnet50 mobilenetv2)

"$ortc" --version
for name in "${models[@]}"; do
  [ -e "$out/$name.onnx" ] || /usr/bin/python3 tools/generate_models.py "$name" --out "$out" --inputs
  inputs=()
  for file in "$out/$name".*.npy; do
    input=${file#"$out/$name".}
    inputs+=(--input "${input%.npy}=$file")
  done
  printf '\n%s\n' "$name"
  "$ortc" compile "$out/$name.onnx" --progress none >/dev/null
  tools/compare_load.py "$ortc" "$out/$name.onnx" "$out/${name}_ctx.onnx" -- "${inputs[@]}"
done
