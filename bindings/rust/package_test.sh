#!/bin/bash
# SPDX-License-Identifier: MIT
# The crates as their users get them: packed, consumed offline from a directory source, and by path.
# Called by test.sh with its variables.
set -euo pipefail
cd "$(dirname "$0")"
here=$PWD
out=$ORTC_OUT/package
rm -rf "$out" && mkdir -p "$out/vendor"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' ortc/Cargo.toml | head -1)

# cargo package looks for ortc-sys in a registry, which a directory source can be.
pack() {
  cargo package --quiet --offline --no-verify --allow-dirty --target-dir "$out/target" \
    --manifest-path "$1/Cargo.toml" "${@:2}"
  tar -xzf "$out/target/package/$1-$version.crate" -C "$out/vendor"
  local sum
  sum=$(sha256sum "$out/target/package/$1-$version.crate" | cut -d' ' -f1)
  printf '{"files":{},"package":"%s"}\n' "$sum" >"$out/vendor/$1-$version/.cargo-checksum.json"
}

cat >"$out/config.toml" <<END
[source.crates-io]
replace-with = "vendored"
[source.vendored]
directory = "$out/vendor"
END
pack ortc-sys
pack ortc --config "$out/config.toml"

program() {
  mkdir -p "$out/$1"
  (cd "$out/$1" && cargo init --quiet --vcs none --name consumer .)
  cp ortc/examples/share.rs "$out/$1/src/main.rs"
}

consume() {
  (cd "$out/$1" && cargo build --quiet --offline --target-dir "$out/built" "${@:2}")
  mkdir -p "$out/$1/files"
  "$out/built/debug/consumer" "$ORTC_MODELS/first.onnx" "$ORTC_MODELS/second.onnx" "$out/$1/files"
}

program vendored
printf 'ortc = "%s"\n' "$version" >>"$out/vendored/Cargo.toml"
consume vendored --config "$out/config.toml"
program by_path
(cd "$out/by_path" && cargo add --quiet --offline --path "$here/ortc")
consume by_path
echo "rust: packed, and consumed in both ways"
