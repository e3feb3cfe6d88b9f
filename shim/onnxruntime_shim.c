// SPDX-License-Identifier: MIT
// The two functions that libonnxruntime exports on every system, for programs that were linked
// against it: they find the tables of libort_c. ort_versions.inc, made from versions.txt, exports
// both under the version node of every release, because a linked program asks for that of its own.
#include "ort_c/ort_api.h"

#define ORTC_SHIM_FUNCTION __attribute__((used, visibility("hidden")))

ORTC_SHIM_FUNCTION const OrtApiBase* ort_shim_api_base(void) { return OrtcGetApiBase(); }

// Every session has the CPU provider; what is left to say is whether it keeps memory in an arena.
ORTC_SHIM_FUNCTION OrtStatus* ort_shim_append_cpu(OrtSessionOptions* options, int use_arena) {
  const OrtApi* api = OrtcGetApiBase()->GetApi(ORTC_ORT_API_VERSION);
  return use_arena != 0 ? api->EnableCpuMemArena(options) : api->DisableCpuMemArena(options);
}

// clang-format off
#define ORTC_SHIM_ALIAS(function, alias, exported) \
  __asm__(".globl " alias "\n"                     \
          ".set " alias ", " function "\n"         \
          ".symver " alias ", " exported "\n");
// `at` is "@", and "@@" for the node that programs are linked against today.
#define ORTC_SHIM_EXPORT(number, at, node)                                                 \
  ORTC_SHIM_ALIAS("ort_shim_api_base", "ort_shim_api_base_" #number,                       \
                  "OrtGetApiBase" at node)                                                 \
  ORTC_SHIM_ALIAS("ort_shim_append_cpu", "ort_shim_append_cpu_" #number,                   \
                  "OrtSessionOptionsAppendExecutionProvider_CPU" at node)

#include "ort_versions.inc"
