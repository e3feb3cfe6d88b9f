#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds and tests the Go package over an installed library:
# test.sh test|check, test.sh run SAMPLE ARGUMENT...
# tests/bindings/run.sh says which variables it reads.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
out=$ORTC_OUT
export PKG_CONFIG_PATH=$ORTC_PREFIX/lib/pkgconfig LD_LIBRARY_PATH=$ORTC_LIBRARY_DIR
export GOCACHE=$out/gocache GOPATH=$out/gopath GOPROXY=off GOFLAGS=-mod=readonly GOTOOLCHAIN=local
[ "$1" != run ] || exec "$out/bin/$2" "${@:3}"

left_out() { echo "left out: go: $*"; exit 77; }
command -v go >/dev/null || left_out "go is not installed (apt-get install golang-go)"
command -v pkg-config >/dev/null || left_out "pkg-config is not installed (apt-get install pkg-config)"
[[ "$(go env GOVERSION)" =~ ^go1\.(1[0-8]|[0-9])(\.|$) ]] &&
  left_out "$(go version) is older than Go 1.19 (apt-get install golang-go)"
export CGO_ENABLED=1
# Pointers that Go must not hand to C: checked by a variable, since 1.21 by an experiment.
if [[ "$(go env GOVERSION)" =~ ^go1\.(19|20)(\.|$) ]]; then
  checks=(GODEBUG=cgocheck=2)
else
  checks=(GOEXPERIMENT=cgocheck2)
fi

fail() { echo "go: $*" >&2; exit 1; }
expect() { [[ "$2" == $1 ]] || fail "expected '$1', got '$2'"; }
quiet() { # only says something when it fails
  "$@" >"$out/output.txt" 2>&1 || { tail -n 100 "$out/output.txt"; fail "$* failed"; }
}

if [ "$1" = check ]; then
  export ORTC_SOAK=1
  env "${checks[@]}" go test -count=1 -timeout 30m -v \
    -run 'Flat|AtOnce|ExitInTheMiddle|Gigabytes|Collector|AtRandom' ./tests |
    grep -v -e '^=== ' -e '^ok '
  # Every use of an object collects garbage first, and the collector never rests.
  quiet env ORTC_SOAK=little GOGC=1 go test -count=1 -timeout 30m -tags ortc_debug ./...
  quiet go test -count=5 -timeout 30m -race -run 'Random|Context|Terminate|Close' ./tests
  tests/consumer.sh "$out/consumer"
  echo "go: the long runs are through"
  exit 0
fi

[ -z "$(gofmt -l .)" ] || fail "gofmt would change $(gofmt -l .)"
quiet go vet ./...
mkdir -p "$out/bin"
go build -o "$out/bin/" ./samples/...
pages=$(go doc -all . 2>&1 >"$out/api.txt") && [ -z "$pages" ] || fail "go doc said: $pages"

# The tests, so that the functions they call are noted; then with all checks that slow them down, which
# are one build: building is most of what this costs.
quiet go test -count=1 ./...
quiet env -u ORTC_CALLS_FILE ORTC_SOAK=little "${checks[@]}" \
  go test -count=1 -race -tags ortc_debug ./tests

rm -rf "$out/files" && mkdir -p "$out/files/share"
cd "$out/files"
digits=$root/demo/digits
"$out/bin/share" "$ORTC_MODELS/first.onnx" "$ORTC_MODELS/second.onnx" share | tee share.txt
expect $'compiled 3 files\nfirst: *\nsecond: *\ncancelled' "$(cat share.txt)"
expect 3 "$(find share -type f | wc -l)"
for result in made "found in the cache"; do
  expect "the compiled model was $result"$'\n*[0-9] of 445 digits are right' "$("$out/bin/classify" \
    "$ORTC_MODELS/digits.onnx" cache "$digits/test_images.npy" "$digits/test_labels.npy")"
done
expect "$(cat "$root/tests/bindings/tokens.txt")" \
  "$("$out/bin/generate" "$ORTC_MODELS/language_ctx.onnx" 256 1 2 3 4 5)"
expect "[[]-1 -0.5 1 2]" "$("$out/bin/operators")"
expect "median_ns *" "$("$out/bin/overhead" "$ORTC_MODELS/trivial.onnx" 10000)"
expect "usage: *" "$("$out/bin/share" 2>&1 || true)"
cd "$root"
python3 tests/bindings/service_check.py --models "$ORTC_MODELS/service" --seconds 1 -- \
  "$out/bin/service"
echo "go: all tests pass"
