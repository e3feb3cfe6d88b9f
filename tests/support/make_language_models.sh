#!/bin/sh
# SPDX-License-Identifier: MIT
# The small language models and their compiled forms: make_language_models.sh ORTC FOLDER
set -eu
cd "$(dirname "$0")/../.."
rm -rf "$2" && mkdir -p "$2"
/usr/bin/python3 tools/generate_models.py genai --small --out "$2" >/dev/null
for name in genai genai_acc4 genai_packed genai_cache8 genai_cache4; do
  "$1" compile --progress none "$2/$name.onnx" -o "$2/${name}_ctx.onnx" >/dev/null
done
"$1" compile --progress none --share "$2/genai_prefill.onnx" "$2/genai_decode.onnx" \
  --out-dir "$2" >/dev/null
