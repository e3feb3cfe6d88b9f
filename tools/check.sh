#!/bin/bash
# SPDX-License-Identifier: MIT
# Usage: check.sh asan|tsan|fuzz ...
# Builds with clang-19 in build/<name> and runs the native tests there. FUZZ_SECONDS (default 60) is
# the time for each fuzzer. What could not run is said loudly at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}
not_run=()

configure() {  # configure <name> <cmake option>...
  local name=$1
  shift
  cmake -G Ninja -S . -B "build/$name" -DCMAKE_C_COMPILER=clang-19 \
    -DCMAKE_CXX_COMPILER=clang++-19 "$@"
  cmake --build "build/$name" --parallel "$jobs"
}

# Scripts look at sources and say the same in every build.
run_tests() {  # run_tests <name> <command prefix>...
  local name=$1
  shift
  (cd "build/$name" && mkdir -p test &&
    "$@" ctest -j2 --output-on-failure --label-exclude script \
      --exclude-regex '^api_(headers|lists|exports)$' --output-junit test/ctest.xml)
}

check_asan() {
  export UBSAN_OPTIONS=print_stacktrace=1
  configure asan -DORTC_SANITIZE=address,undefined
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
  run_tests tsan "${prefix[@]}"
}

check_fuzz() {
  configure fuzz -DORTC_SANITIZE=address,undefined -DORTC_BUILD_FUZZERS=ON
  local found=0 fuzzer name
  for fuzzer in build/fuzz/test/bin/*_fuzz; do
    [ -x "$fuzzer" ] || continue
    found=1
    name=$(basename "$fuzzer" _fuzz)
    mkdir -p "build/fuzz/found/$name"
    # New inputs go to the first folder; the corpus is read only.
    "$fuzzer" -max_total_time="${FUZZ_SECONDS:-60}" -rss_limit_mb=4096 -print_final_stats=1 \
      -artifact_prefix="build/fuzz/found/" "build/fuzz/found/$name" "tests/fuzz/corpus/$name"
  done
  [ "$found" = 1 ] || not_run+=("fuzzers: none was built")
}

for name in "$@"; do
  case $name in
    asan | tsan | fuzz)
      started=$SECONDS
      "check_$name"
      echo "check.sh: $name took $((SECONDS - started)) s"
      ;;
    *) echo "usage: check.sh asan|tsan|fuzz ..." >&2; exit 2 ;;
  esac
done

for what in "${not_run[@]}"; do
  printf '\n*** NOT RUN *** %s\n' "$what" >&2
done
