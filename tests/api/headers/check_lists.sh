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
  mkdir "$work/tree/core/api"
  cp "$root"/core/api/*.tsv "$root/core/api/exports.map" "$root/core/api/config_key_list.inc" \
    "$work/tree/core/api/"
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
notices 'kOrtSessionOptionEpContextEnable is not' include/ort_c/config_keys.h \
  's/"ep.context_enable"/"ep.context_enabled"/'
notices "OrtReleaseEnv: the comment does not end in 'Since" include/ort_c/env.h \
  '/^ORTC_API void OrtReleaseEnv/i // no word about the release'
notices '1 declarations in another form' include/ort_c/env.h \
  's/^ORTC_API void OrtReleaseEnv(OrtEnv\* env);/ORTC_API extern int OrtSome;/'
notices 'OrtReleaseEnv is declared 2 times' include/ort_c/status.h \
  '/^#ifdef __cplusplus/,$ s|^ORTC_API void OrtReleaseStatus(OrtStatus\* status);|ORTC_API void OrtReleaseEnv(OrtEnv* env);|'
notices 'functions.tsv is stale' core/api/functions.tsv '$d'
notices 'exports.map is stale' core/api/exports.map '/OrtRun;/d'
notices 'config_key_list.inc is stale' core/api/config_key_list.inc '$d'
echo "10 kinds of mistakes are noticed"
