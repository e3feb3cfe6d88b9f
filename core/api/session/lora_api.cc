// SPDX-License-Identifier: MIT
// ort_c/lora.h: adapters, from files and from bytes.
#include "core/api/guard.h"
#include "core/api/session/lora_handle.h"
#include "core/api/session/run_options_handle.h"
#include "core/platform/file_map.h"
#include "core/session/lora_adapter.h"
#include "ort_c/lora.h"

namespace ortc::api {
namespace {

Status make_adapter(const Blob& bytes, OrtLoraAdapter** out) {
  auto made = std::make_unique<OrtLoraAdapter>();
  ASSIGN_OR_RETURN(made->parameters, read_lora_adapter(bytes));
  *out = made.release();
  return {};
}

}  // namespace
}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtCreateLoraAdapter(const char* adapter_file_path, OrtAllocator*,
                                OrtLoraAdapter** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(adapter_file_path);
    ASSIGN_OR_RETURN(const auto file, FileMap::open(adapter_file_path, Access::kMap));
    RETURN_IF_ERROR_WHILE(api::make_adapter(FileMap::blob(file, 0, file->bytes().size()), out), "'",
                          adapter_file_path, "'");
    return {};
  });
}

OrtStatus* OrtCreateLoraAdapterFromArray(const void* bytes, size_t num_bytes, OrtAllocator*,
                                         OrtLoraAdapter** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(bytes);
    return api::make_adapter(Blob::copy_of({static_cast<const std::byte*>(bytes), num_bytes}), out);
  });
}

void OrtReleaseLoraAdapter(OrtLoraAdapter* input) { delete input; }

OrtStatus* OrtRunOptionsAddActiveLoraAdapter(OrtRunOptions* options,
                                             const OrtLoraAdapter* adapter) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ORTC_NEEDED(adapter);
    options->options.adapters.push_back(adapter->parameters);
    return {};
  });
}

}  // extern "C"
