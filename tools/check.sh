#!/bin/bash
# SPDX-License-Identifier: MIT
# Usage: check.sh asan|tsan|fuzz|coverage|large|differential|valgrind|cpus|arm|bindings|walk ...
#   asan, tsan  the native tests under sanitizers
#   fuzz        every fuzzer for FUZZ_SECONDS (default 60)
#   coverage    how much of its reader each fuzzer's inputs reach
#   large       tests that have a small form in `make test`, with a model of 106 MB and weights of 2.5 GB;
#               64 processes and 20 models share one cache
#   differential  3,000 random graphs by every route, each operator at least 100 times; ten planted
#               faults are found
#   valgrind    a library of providers comes and goes a thousand times: nothing is lost
#   cpus        the native tests on emulated x86-64 processors without AVX, and with AVX2 only
#   arm         on emulated aarch64: kernels, targets, contexts that x86-64 compiled for it
#               EMULATED_TESTS='_numerics_test$' cpus arm: only tests with such names
#   bindings    the long runs of C#, Go, Python and Rust: leaks, collectors, cancellation, exits, packages
#   walk        the walk over the operators' schemas, by all optimisations and compiled as well
# Builds with clang-19 in build/<name>. What could not run is said loudly at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}
not_run=()

configure() {  # configure <name> <cmake option>...
  local name=$1
  shift
  cmake -G Ninja -S . -B "build/$name" -DCMAKE_C_COMPILER=clang-19 \
    -DCMAKE_CXX_COMPILER=clang++-19 "$@"
}

build() {  # build <name> <target>..., all without targets
  local name=$1
  shift
  cmake --build "build/$name" --parallel "$jobs" ${1:+--target "$@"}
}

# Scripts look at sources and say the same in every build.
run_tests() {  # run_tests <name> <command prefix>...
  local name=$1
  shift
  (cd "build/$name" && mkdir -p test &&
    "$@" env ORTC_SANITIZED=1 ctest -j2 --output-on-failure --label-exclude script \
      --exclude-regex '^api_(headers|lists|exports|constructors)$' --output-junit test/ctest.xml)
}

check_asan() {
  export UBSAN_OPTIONS=print_stacktrace=1
  configure asan -DORTC_SANITIZE=address,undefined
  build asan
  run_tests asan env
}

# ThreadSanitizer needs memory layouts that newer kernels randomise away; setarch -R turns that off
# where the system allows it.
check_tsan() {
  local probe
  probe=$(mktemp -d)
  printf 'int main(void) { return 0; }\n' >"$probe/probe.c"
  clang-19 -fsanitize=thread -o "$probe/probe" "$probe/probe.c"
  local prefix=(env)
  if ! "$probe/probe" 2>/dev/null; then
    prefix=(setarch -R)
    if ! setarch -R "$probe/probe" 2>/dev/null; then
      rm -rf "$probe"
      not_run+=("ThreadSanitizer: this system lets nobody turn address randomisation off")
      return
    fi
  fi
  rm -rf "$probe"
  configure tsan -DORTC_SANITIZE=thread
  build tsan
  run_tests tsan "${prefix[@]}"
}

# Seeds from real architectures, small: sources and what they are compiled to, kept out of git.
fuzz_seeds() {
  local seeds=build/fuzz/seeds name model
  [ -e "$seeds/done" ] && return
  mkdir -p build/fuzz/found "$seeds"/{onnx_reader,context_reader,external_data,inspect,journal,lora_adapter,named_files,cache_record,image_decoder} build/fuzz/models
  /usr/bin/python3 tools/generate_models.py all --small --out build/fuzz/models >/dev/null
  for model in build/fuzz/models/*.onnx; do
    case $model in *_ctx.onnx) continue ;; esac
    build/fuzz/bin/ortc compile "$model" --progress none >/dev/null
    name=$(basename "$model" .onnx)
    cp "$model" "build/fuzz/models/${name}_ctx.onnx" "$seeds/onnx_reader/"
    cp "$model" "build/fuzz/models/${name}_ctx.onnx" "$seeds/named_files/"
    # Large files are slow to mutate; their beginnings, headers and metadata, are what is read.
    if [ -n "$(find build/fuzz/models -name "${name}_aot.bin" -size -1000k)" ]; then
      cp "build/fuzz/models/${name}_aot.bin" "$seeds/context_reader/"
      cp "build/fuzz/models/${name}_aot.bin" "build/fuzz/models/${name}_ctx.onnx" "$seeds/inspect/"
    fi
  done
  touch "$seeds/done"
}

check_fuzz() {
  tools/install_packages.sh models
  configure fuzz -DORTC_SANITIZE=address,undefined -DORTC_BUILD_FUZZERS=ON
  # shellcheck disable=SC2046
  build fuzz ortc_tool $(sed 's/ .*/_fuzz/' tests/fuzz/readers.txt)
  fuzz_seeds
  # New inputs go to the first folder; the corpora are read only.
  # shellcheck disable=SC2016
  sed 's/ .*//' tests/fuzz/readers.txt | xargs -P "$jobs" -I NAME bash -c '
    found=build/fuzz/found/$0 log=build/fuzz/found/$0.log
    mkdir -p "$found"
    if ! build/fuzz/test/bin/$0_fuzz -max_total_time="${FUZZ_SECONDS:-60}" -rss_limit_mb=2048 \
      -timeout=60 -print_final_stats=1 -artifact_prefix="$found-" "$found" \
      "tests/fuzz/corpus/$0" "build/fuzz/seeds/$0" >"$log" 2>&1; then
      echo "*** $0_fuzz found something:" >&2
      tail -n 40 "$log" >&2
      exit 1
    fi
    echo "fuzz: $0: silent, $(sed -n "s/stat::number_of_executed_units: *//p" "$log") runs"' NAME
}

# Lines of its reader that each fuzzer reaches, over the corpora and what fuzzing found. Fails below
# 85 %.
check_coverage() {
  configure coverage -DORTC_SANITIZE=coverage
  # shellcheck disable=SC2046
  build coverage $(sed 's/ .*/_regression/' tests/fuzz/readers.txt)
  local name sources folder failed=0
  while read -r name sources; do
    local inputs=()
    for folder in tests/fuzz/corpus build/fuzz/found build/fuzz/seeds; do
      if [ -n "$(ls "$folder/$name" 2>/dev/null)" ]; then inputs+=("$folder/$name"); fi
    done
    LLVM_PROFILE_FILE="build/coverage/$name.profraw" \
      "build/coverage/test/bin/${name}_regression" "${inputs[@]}" >/dev/null 2>&1
    llvm-profdata-19 merge -sparse "build/coverage/$name.profraw" -o "build/coverage/$name.profdata"
    # shellcheck disable=SC2086
    llvm-cov-19 export -summary-only -instr-profile="build/coverage/$name.profdata" \
      build/coverage/lib/libortc_internals.so -object build/coverage/lib/libort_c_extra.so $sources |
      /usr/bin/python3 tests/fuzz/print_coverage.py "$name" 85 || failed=1
  done <tests/fuzz/readers.txt
  [ "$failed" = 0 ]
}

# run_emulated <what> <build folder> <emulator and its options>...: the tests named on stdin, several
# at once. Each one's output stays in <build folder>/emulated/<what>.
run_emulated() {
  local what=$1 folder=$2
  shift 2
  mkdir -p "$folder/emulated/$what"
  # shellcheck disable=SC2016
  (cd "$folder" && what=$what xargs -P "$jobs" -I TEST bash -c '
    started=$SECONDS log=emulated/$what/$0.log
    if timeout 2400 "$@" "test/bin/$0" >"$log" 2>&1; then
      echo "passed on $what: $0, $((SECONDS - started)) s"
    else
      echo "*** FAILED on $what: $0" >&2
      tail -n 20 "$log" >&2
      exit 1
    fi' TEST "$@")
}

# Large forms of small tests, with the release build.
check_large() {
  tools/install_packages.sh models
  cmake -G Ninja -S . -B build -DORTC_BUILD_TESTS=ON
  cmake --build build --parallel "$jobs" --target same_bytes_test compile_memory_test \
    cache_stress_test
  mkdir -p build/large
  /usr/bin/python3 tools/generate_models.py transformer --out build/large >/dev/null
  ORTC_SAME_BYTES_MODEL=build/large/transformer.onnx build/test/bin/same_bytes_test
  TMPDIR=$PWD/build/large ORTC_COMPILE_MEMORY_MB=2500 build/test/bin/compile_memory_test
  ORTC_CACHE_STRESS="64 20 60" build/test/bin/cache_stress_test
}

# The seed is the day's, and printed: another day draws other graphs.
check_differential() {
  cmake -G Ninja -S . -B build -DORTC_BUILD_TESTS=ON
  cmake --build build --parallel "$jobs" --target ortc_fuzzer ort_c_extra
  if [ -z "${ORTC_ORT_LIBRARY:-}" ]; then
    not_run+=("random graphs beside ONNX Runtime: ORTC_ORT_LIBRARY is not set")
  fi
  mkdir -p build/differential
  local graphs=${FUZZ_GRAPHS:-3000}
  build/test/bin/ortc_fuzzer --count "$graphs" --seed "${FUZZ_SEED:-$(date +%Y%m%d)}" \
    --workers "$jobs" --at-least $((graphs / 30)) --save build/differential
  /usr/bin/python3 tests/differential/planted_faults.py build
}

# With the release build, whose libraries are the ones that users load.
check_valgrind() {
  if ! command -v valgrind >/dev/null; then
    not_run+=("valgrind: it is not installed")
    return
  fi
  cmake -G Ninja -S . -B build -DORTC_BUILD_TESTS=ON
  cmake --build build --parallel "$jobs" --target plugin_registration_test
  valgrind --leak-check=full --errors-for-leak-kinds=definite --error-exitcode=1 \
    build/test/bin/plugin_registration_test
}

# Every native test on emulated processors: nothing may use instructions that the level lacks.
# Tests that start other programs start them on the real processor.
check_cpus() {
  tools/install_packages.sh emulators
  local level target failed=0
  while read -r level target; do
    (cd build/test/bin && ls -- *_test) | grep -E "${EMULATED_TESTS:-.}" |
      ORTC_TEST_TARGET=$target LD_LIBRARY_PATH=$PWD/build/lib run_emulated "$level" build \
        qemu-x86_64 -cpu "$level" || failed=1
  done < <(printf '%s\n' "Nehalem x86-64" "Haswell x86-64-v3")
  [ "$failed" = 0 ]
}

# The tests of kernels, arithmetic, targets and contexts, cross-built for aarch64 and emulated, also on
# a processor without dot products; and contexts that one architecture compiles for the other.
check_arm() {
  tools/install_packages.sh emulators
  tools/arm_libraries.sh build/arm-root
  local libraries=$PWD/build/arm-root/usr/lib/aarch64-linux-gnu
  cmake -G Ninja -S . -B build/arm -DCMAKE_TOOLCHAIN_FILE="$PWD/tools/aarch64.cmake" \
    -DORTC_SYSROOT="$PWD/build/arm-root"
  local tests
  tests=$({ find tests/providers -name '*_test.cc' -exec basename {} .cc \;
    printf '%s\n' golden_test partitions_test target_list_test virtual_devices_test; } |
    grep -E "${EMULATED_TESTS:-.}")
  # shellcheck disable=SC2086
  cmake --build build/arm --parallel "$jobs" ${EMULATED_TESTS:+--target $tests}
  local emulator=(qemu-aarch64 -L /usr/aarch64-linux-gnu
    -E LD_LIBRARY_PATH="$PWD/build/arm/lib:$libraries" -E ORTC_TEST_TARGET=aarch64)
  run_emulated aarch64 build/arm "${emulator[@]}" <<<"$tests"
  { grep -E '^gemm_i8_(numerics_)?test$' <<<"$tests" || true; } |
    run_emulated cortex-a53 build/arm "${emulator[@]}" -cpu cortex-a53
  [ -z "${EMULATED_TESTS:-}" ] || return 0
  cmake -G Ninja -S . -B build -DORTC_BUILD_TESTS=ON
  cmake --build build --parallel "$jobs" --target ortc_tool
  /usr/bin/python3 tests/tools/check_cross.py build/bin/ortc aarch64 "${emulator[@]}" build/arm/bin/ortc
}

# Over the build that `make test` made. A build under AddressSanitizer is used where there is one.
check_bindings() {
  local language status
  tests/bindings/run.sh prepare
  [ ! -e build/asan/lib/libort_c.so.1 ] || export ORTC_ASAN_LIBRARY_DIR=$PWD/build/asan/lib
  for language in csharp go python rust; do
    status=0
    tests/bindings/run.sh "$language" check || status=$?
    case $status in
      0) ;;
      77) not_run+=("the binding for $language: its tools are not there") ;;
      *) return "$status" ;;
    esac
  done
}

# Over the build that `make test` made.
check_walk() {
  local status=0
  /usr/bin/python3 tests/walk/walk_test.py build/lib --routes level0,level99,aot \
    --matrix build/test/walk || status=$?
  case $status in
    0) ;;
    77) not_run+=("the walk over the schemas: python3-numpy or python3-onnx is not there") ;;
    *) return "$status" ;;
  esac
}

usage() {
  echo "usage: check.sh asan|tsan|fuzz|coverage|large|differential|valgrind|cpus|arm|bindings|walk ..." >&2
  exit 2
}

# All names first: a slip in the last one would show after hours.
[ $# -gt 0 ] || usage
for name in "$@"; do
  case $name in
    asan | tsan | fuzz | coverage | large | differential | valgrind | cpus | arm | bindings | walk) ;;
    *) usage ;;
  esac
done
for name in "$@"; do
  started=$SECONDS
  "check_$name"
  echo "check.sh: $name took $((SECONDS - started)) s"
done

for what in "${not_run[@]}"; do
  printf '\n*** NOT RUN *** %s\n' "$what" >&2
done
