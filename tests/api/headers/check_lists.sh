#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: check_lists.sh [PYTHON]
# The generated lists are fresh and agree with the facts; and the check notices when they do not:
# each mutation of a copy of the headers must be reported with its name.
set -eu
python=${1:-python3}
root=$(cd "$(dirname "$0")/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$python" "$root/tools/generate_functions.py" --check

# notices <text of the report> <file> <sed script>
notices() {
  rm -rf "$work/tree"
  mkdir -p "$work/tree/core" "$work/tree/include" "$work/tree/tools"
  cp -r "$root/include/ort_c" "$work/tree/include/ort_c"
  mkdir -p "$work/tree/tests/api"
  mkdir -p "$work/tree/docs" "$work/tree/providers/aot" "$work/tree/providers/cpu"
  cp -r "$root/core/api" "$root/core/options" "$work/tree/core/"
  cp "$root/docs/config-keys.md" "$work/tree/docs/"
  cp "$root"/providers/aot/aot_options.cc "$work/tree/providers/aot/"
  cp "$root"/providers/cpu/cpu_options.cc "$work/tree/providers/cpu/"
  cp "$root"/tests/api/*.tsv "$work/tree/tests/api/"
  cp -r "$root/tools/generate_functions.py" "$root/tools/functions" "$work/tree/tools/"
  sed -i "$3" "$work/tree/$2"
  if "$python" "$work/tree/tools/generate_functions.py" --check >"$work/report" 2>&1; then
    echo "not noticed: $1"
    exit 1
  fi
  if ! grep -q -- "$1" "$work/report"; then
    echo "expected '$1' in the report:"
    cat "$work/report"
    exit 1
  fi
}

notices 'OrtGetTensorData and OrtApi::GetTensorData: takes' include/ort_c/value.h \
  's/OrtGetTensorData(const OrtValue\* value, const void\*\* out)/OrtGetTensorData(const OrtValue* value, void** out)/'
notices 'OrtGetVersionString and OrtApiBase::GetVersionString: returns' include/ort_c/env.h \
  's/const char\* OrtGetVersionString/char* OrtGetVersionString/'
notices 'enum OrtErrorCode differs in ORT_EP_FAIL' include/ort_c/types.h \
  's/ORT_EP_FAIL = 11/ORT_EP_FAIL = 21/'
notices 'kOrtSessionOptionEpContextEnable is not' core/options/context_rows.cc \
  's/"ep.context_enable"/"ep.context_enabled"/'
notices 'kOrtHardwareDevice_MetadataKey_IsVirtual is not' include/ort_c/metadata_keys.h \
  's/"is_virtual"/"virtual"/'
notices 'config key ep.context_embed_mode has 2 rows' core/options/context_rows.cc \
  's/"ep.context_enable"/"ep.context_embed_mode"/'
notices 'context_rows.cc: not the form of a row' core/options/context_rows.cc \
  's/flag(), "0",/flag(),/'
notices "OrtReleaseEnv: the comment does not end in 'Since" include/ort_c/env.h \
  '/^ORTC_API void OrtReleaseEnv/i // no word about the release'
notices '1 declarations in another form' include/ort_c/env.h \
  's/^ORTC_API void OrtReleaseEnv(OrtEnv\* env);/ORTC_API extern int OrtSome;/'
notices 'OrtReleaseEnv is declared 2 times' include/ort_c/status.h \
  '/^#ifdef __cplusplus/,$ s|^ORTC_API void OrtReleaseStatus(OrtStatus\* status);|ORTC_API void OrtReleaseEnv(OrtEnv* env);|'
notices 'functions.tsv is stale' core/api/functions.tsv '$d'
notices 'exports.map is stale' core/api/exports.map '/OrtRun;/d'
notices 'config_keys.h is stale' include/ort_c/config_keys.h '$d'
notices 'config-keys.md is stale' docs/config-keys.md '$d'
notices 'ort_api.h is stale' include/ort_c/ort_api.h '/(\*RunAsync)/d'
notices 'ort_table_entries.inc is stale' core/api/abi/ort_table_entries.inc '/GetOpaqueValue/d'
notices 'ort_coverage.tsv is stale' tests/api/ort_coverage.tsv '$d'
notices 'no table has an entry NoSuchEntry' core/api/abi/ort_table_overrides.h \
  's/GetVersionString() noexcept/NoSuchEntry() noexcept/'
# A function that is lost becomes a stub, which every client would notice.
notices 'SessionGetInputCount is called by every client and is a stub' include/ort_c/session.h \
  's/OrtSessionGetInputCount(/OrtSessionCountInputs(/'
notices 'nothing stands behind OrtApi::SessionGetInputCount' include/ort_c/session.h \
  's/OrtSessionGetInputCount(/OrtSessionCountInputs(/'
# A stub that became a function leaves the list of those that may be missing.
notices 'ort_core_stubs.tsv is stale' tests/api/ort_core_stubs.tsv '$a OrtRun\tit is there'
echo "21 kinds of mistakes are noticed"
