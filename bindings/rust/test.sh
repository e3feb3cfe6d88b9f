#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds and tests the Rust crates over an installed library:
# test.sh test|check, test.sh run SAMPLE ARGUMENT...
# tests/bindings/run.sh says which variables it reads. Cargo writes to ORTC_OUT only.
set -euo pipefail
cd "$(dirname "$0")"
root=$(realpath ../..)
export CARGO_TARGET_DIR=$ORTC_OUT/target CARGO_NET_OFFLINE=true RUST_BACKTRACE=0
export ORTC_LIB_DIR=$ORTC_PREFIX/lib LD_LIBRARY_PATH=$ORTC_LIBRARY_DIR
samples=$CARGO_TARGET_DIR/release/examples
[ "$1" != run ] || exec "$samples/$2" "${@:3}"

left_out() { echo "left out: rust: $*"; exit 77; }
fail() { echo "rust: $*" >&2; exit 1; }
expect() { [[ "$2" == $1 ]] || fail "expected '$1', got '$2'"; }

command -v cargo >/dev/null || left_out "cargo is missing (apt-get install cargo, or rustup)"
command -v cc >/dev/null || left_out "a C compiler is missing (apt-get install gcc)"
minor=$(rustc --version | sed 's/^rustc 1\.\([0-9]*\)\..*/\1/')
[ "$minor" -ge 63 ] || left_out "rustc is 1.$minor, and 1.63 is needed (rustup update)"

lint() {
  local tool
  for tool in fmt clippy; do
    cargo "$tool" --version >/dev/null 2>&1 || { echo "rust: no cargo $tool here"; return 0; }
  done
  [ "$minor" -ge 80 ] || { echo "rust: clippy and rustfmt of 1.$minor are too old"; return 0; }
  cargo fmt --all --check
  cargo clippy --quiet --locked --all-targets -- -D warnings
  RUSTDOCFLAGS="-D warnings" cargo doc --quiet --locked --no-deps
}

run_tests() {
  cargo test --quiet --locked --lib --test layout --test suite
  cargo test --quiet --locked --example service
  cargo test --quiet --locked --doc
  cargo test --quiet --locked --test soak -- --test-threads 1
}

run_samples() {
  cargo build --quiet --locked --release --examples
  local digits=$root/demo/digits share=$ORTC_OUT/share
  rm -rf "$share" && mkdir -p "$share"
  expect $'compiled 3 files\nfirst: *\nsecond: *\ncancelled' \
    "$("$samples/share" "$ORTC_MODELS/first.onnx" "$ORTC_MODELS/second.onnx" "$share")"
  [ "$(find "$share" -type f | wc -l)" = 3 ] || fail "share left $(ls "$share")"
  expect "44? of 445 digits are right" "$("$samples/classify" "$ORTC_MODELS/digits_ctx.onnx" \
    "$digits/test_images.npy" "$digits/test_labels.npy")"
  expect "a model of * bytes, 1 binary*" \
    "$("$samples/stream" "$ORTC_MODELS/digits.onnx" 2>/dev/null)"
  expect "$(cat "$root/tests/bindings/tokens.txt")" \
    "$("$samples/generate" "$ORTC_MODELS/language_ctx.onnx" 256 1 2 3 4 5)"
  expect "[[]4.0, 8.0, 12.0, 16.0]" "$("$samples/background" "$ORTC_MODELS/trivial.onnx")"
  expect "[[]-1.0, -0.5, 1.0, 2.0]" "$("$samples/operators")"
  expect "[[]0.0, 0.0, 1.0, 2.0]" "$("$samples/operators" "$samples/liboperator_library.so")"
  expect "median_ns *" "$("$samples/overhead" "$ORTC_MODELS/trivial.onnx" 100000 | tee /dev/stderr)"
  /usr/bin/python3 "$root/tests/bindings/service_check.py" --models "$ORTC_MODELS/service" \
    -- "$samples/service"
}

# The newest program of a test, as cargo names it.
test_program() {
  cargo test --locked --no-run --test "$1" 2>&1 | sed -n 's/.*Executable.*(\(.*\))$/\1/p' | tail -1
}

look_for_leaks() {
  local suite
  suite=$(test_program suite)
  if command -v valgrind >/dev/null; then
    local log=$ORTC_OUT/valgrind.log kinds=definite,indirect
    valgrind --quiet --log-file="$log" --leak-check=full --show-leak-kinds=$kinds \
      --errors-for-leak-kinds=$kinds --error-exitcode=9 \
      "$suite" --quiet --test-threads 2 --skip threads:: --skip futures_survive \
      || { cat "$log" >&2; fail "valgrind complains"; }
  else
    echo "rust: no valgrind here (apt-get install valgrind)"
  fi
  if [ -n "${ORTC_ASAN_LIBRARY_DIR:-}" ]; then
    LD_LIBRARY_PATH=$ORTC_ASAN_LIBRARY_DIR LD_PRELOAD=$(cc -print-file-name=libasan.so) \
      "$suite" --quiet --test-threads 2
  fi
}

# Debian's Rust, the oldest that is promised.
test_oldest() {
  [ -x /usr/bin/cargo ] && [ "$(command -v cargo)" != /usr/bin/cargo ] || return 0
  echo "rust: $(/usr/bin/rustc --version)"
  PATH=/usr/bin:$PATH CARGO_TARGET_DIR=$ORTC_OUT/target-oldest \
    /usr/bin/cargo test --quiet --locked --lib --test layout --test suite
}

lint
case "$1" in
  test) run_tests; run_samples ;;
  check)
    ORTC_SOAK=full cargo test --quiet --locked --test soak -- --test-threads 1 --nocapture
    look_for_leaks
    test_oldest
    ./package_test.sh
    ;;
esac
echo "rust: $1 passed"
