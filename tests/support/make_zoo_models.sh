#!/bin/sh
# SPDX-License-Identifier: MIT
# Small models of all kinds, with inputs: make_zoo_models.sh FOLDER
set -eu
cd "$(dirname "$0")/../.."
rm -rf "$1" && mkdir -p "$1"
/usr/bin/python3 tools/generate_models.py all --small --inputs --out "$1" >/dev/null
/usr/bin/python3 tools/generate_models.py bert128 mobilenetv2 gpt2-pair --small --inputs \
  --type f16 --out "$1" >/dev/null
