#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds and tests the C# binding over an installed library:
# test.sh test|check, test.sh run SAMPLE ARGUMENT...
# tests/bindings/run.sh says which variables it reads. Everything is written to ORTC_OUT.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
export ORTC_LIBRARY_PATH=$ORTC_LIBRARY_DIR DOTNET_CLI_HOME=$ORTC_OUT/home NUGET_XMLDOC_MODE=skip
export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 MSBUILDDISABLENODEREUSE=1
bin=$ORTC_OUT/artifacts/bin
files=$ORTC_OUT/files

fail() { echo "csharp: $*" >&2; exit 1; }
expect() { [[ "$2" == $1 ]] || fail "expected '$1', got '$2'"; }
sample() { dotnet "$bin/$1/release/$1.dll" "${@:2}"; }
soak() { sample soak "$1" "$ORTC_MODELS" "$2" || fail "soak $1 failed"; }

case "$(dotnet --version 2>/dev/null || true)" in
  [1-9][0-9].*) ;;
  *) echo "left out: C#: no .NET SDK 10 or newer: https://dotnet.microsoft.com/download"; exit 77 ;;
esac
[ "$1" != run ] || exec dotnet "$bin/$2/release/$2.dll" "${@:3}"

quiet() { "$@" >"$ORTC_OUT/last.log" 2>&1 || { cat "$ORTC_OUT/last.log" >&2; fail "$*"; }; }

# The compiler stays for the next project, and goes with us.
trap 'dotnet build-server shutdown --vbcscompiler >/dev/null 2>&1 || true' EXIT

build() {
  mkdir -p "$DOTNET_CLI_HOME"
  if command -v swig >/dev/null; then
    rm -rf "$ORTC_OUT/swig"
    ./generate.sh --check "$ORTC_OUT/swig" || fail "the low level is stale"
  fi
  /usr/bin/python3 tests/readme/extract.py README.md "$ORTC_OUT/readme/Program.cs"
  if ! dotnet restore OrtC.slnx -m:1 --nologo -v q >"$ORTC_OUT/last.log" 2>&1; then
    if grep -qE 'NU1301|NU1101|NU1102' "$ORTC_OUT/last.log"; then
      echo "left out: C#: no NuGet source has $(grep -oE "package [A-Za-z.]+" "$ORTC_OUT/last.log" |
        sort -u | tr '\n' ' ')(or none answers)"
      exit 77
    fi
    cat "$ORTC_OUT/last.log" >&2
    fail "dotnet restore"
  fi
  quiet dotnet build OrtC.slnx -c Release -m:1 --nologo -v q --no-restore
}

# The package as users have it: from a feed, restored, run without anything of this tree.
package() {
  local feed=$ORTC_OUT/feed app=$ORTC_OUT/app native=runtimes/linux-x64/native
  if ! command -v patchelf >/dev/null; then
    echo "csharp: the package is not tested without patchelf (apt-get install patchelf)"
    return
  fi
  ! ORTC_PREFIX=/nowhere dotnet msbuild src/OrtC -nologo -t:BundleNative -p:TargetFramework=net8.0 \
    >"$ORTC_OUT/last.log" 2>&1 || fail "a package without the native library is made"
  grep -q "ORTC_PREFIX is '/nowhere'" "$ORTC_OUT/last.log" || fail "it is not said what is missing"
  rm -rf "$feed" "$app" "$DOTNET_CLI_HOME/packages/ortc" && mkdir -p "$feed" "$app"
  quiet dotnet pack src/OrtC -c Release --no-build -o "$feed" --nologo -v q
  /usr/bin/python3 -m zipfile -l "$feed"/OrtC.1.0.0.nupkg >"$ORTC_OUT/package.txt"
  for file in lib/netstandard2.0/OrtC.dll lib/net8.0/OrtC.dll lib/net8.0/OrtC.xml README.md \
    LICENSE THIRD-PARTY-NOTICES $native/libort_c.so.1; do
    grep -q "^$file " "$ORTC_OUT/package.txt" || fail "the package has no $file"
  done
  for library in protobuf-c uv zstd xxhash; do
    grep -q "^$native/lib$library-[0-9a-f]*\.so" "$ORTC_OUT/package.txt" ||
      fail "the package has no $library"
  done
  [ -e "$feed"/OrtC.1.0.0.snupkg ] || fail "there are no symbols"
  cp samples/share/Program.cs "$app"
  cp tests/package/app.csproj tests/package/NuGet.config "$app"
  (cd "$app" && export NUGET_PACKAGES=$DOTNET_CLI_HOME/packages
    quiet dotnet add package OrtC
    grep -q 'Include="OrtC" Version="1.0.0"' app.csproj || fail "dotnet add package did nothing"
    quiet dotnet publish -f net10.0 -c Release --nologo -v q -o "$ORTC_OUT/app/plain"
    run_app dotnet plain/app.dll
    ! ldd "plain/$native/libort_c.so.1" | grep -E '(protobuf-c|uv|zstd|xxhash)' |
      grep -v "=> $PWD/plain/$native/" || fail "the library of the package needs more than it has"
    [ "${1:-}" = all ] || return 0
    quiet dotnet publish -f net10.0 -c Release --nologo -v q -r linux-x64 --self-contained \
      -p:PublishTrimmed=true -o trimmed
    run_app trimmed/app
    quiet dotnet publish -f net8.0 -c Release --nologo -v q -r linux-x64 -p:PublishAot=true -o aot
    run_app aot/app)
}

run_app() {
  rm -rf shared && mkdir shared
  expect $'compiled 3 files\nfirst: *\nsecond: *\ncancelled' \
    "$(env -u ORTC_LIBRARY_PATH "$@" "$ORTC_MODELS/first.onnx" "$ORTC_MODELS/second.onnx" shared)"
}

samples() {
  local digits=$root/demo/digits
  rm -rf "$files" && mkdir -p "$files/share"
  sample share "$ORTC_MODELS/first.onnx" "$ORTC_MODELS/second.onnx" "$files/share" \
    | tee "$files/share.txt"
  expect $'compiled 3 files\nfirst: *\nsecond: *\ncancelled' "$(cat "$files/share.txt")"
  expect "4?? of 445 digits are read right" "$(sample classify "$ORTC_MODELS/digits.onnx" \
    "$digits/test_images.npy" "$digits/test_labels.npy")"
  expect "compiled to d.gz*images: Float?batch,1,8,8?*" \
    "$(sample stream "$ORTC_MODELS/digits.onnx" "$files/d.gz" 2>/dev/null)"
  expect "compiled and kept*" "$(sample cache "$ORTC_MODELS/digits.onnx" "$files/cache")"
  expect "found in the cache*" "$(sample cache "$ORTC_MODELS/digits.onnx" "$files/cache")"
  expect "$(cat "$root/tests/bindings/tokens.txt")" \
    "$(sample generate "$ORTC_MODELS/language_ctx.onnx" 256 1 2 3 4 5)"
  expect "[[]-1, -0.5, 1, 2]" "$(sample operators)"
  expect "median_ns *" "$(sample overhead "$ORTC_MODELS/trivial.onnx" 20000)"
  (rm -rf "$files/readme" && mkdir "$files/readme" && cd "$files/readme"
    cp "$ORTC_MODELS"/*.onnx . && expect "images: Float*10*2*True*here*True*1*4" "$(sample readme)")
  /usr/bin/python3 "$root/tests/bindings/service_check.py" --models "$ORTC_MODELS/service" -- \
    dotnet "$bin/service/release/service.dll"
}

exits() {
  for i in $(seq "$1"); do
    sample soak exit "$ORTC_MODELS" "$i" || fail "process $i did not end well"
  done
  echo "$1 processes ended in the middle of runs"
}

soaks() {
  soak lives "$1"
  DOTNET_GCgen0size=0x40000 soak collector "$2"
  soak cancel "$3"
  exits "$4"
}

build
if [ "$1" = test ]; then
  quiet dotnet test "$bin/OrtC.Tests/release/OrtC.Tests.dll" --nologo
  grep -E '^(Passed|Failed)!' "$ORTC_OUT/last.log"
  samples
  soaks 500 5 100 5
  package
  echo "csharp: all tests pass"
else
  soaks 10000 50 1000 100
  if [ "$(awk '/MemAvailable/ {print int($2 / 1048576)}' /proc/meminfo)" -lt 8 ]; then
    echo "csharp: LEFT OUT: the 3 GB tensor, for less than 8 GB of memory is there"
  else
    soak large 1
  fi
  package all
  quiet dotnet test tests/OrtC.Tests -c Release -m:1 --nologo -p:OrtCFramework=netstandard2.0 \
    -p:ArtifactsPath="$ORTC_OUT/netstandard"
  quiet dotnet format OrtC.slnx --verify-no-changes --no-restore
  echo "csharp: all long runs are well"
fi
