// SPDX-License-Identifier: MIT
// ort_c/session_options.h: where sessions of compiled models find what is not in the model.
#include "core/api/env/allocator.h"
#include "core/api/guard.h"
#include "core/api/model/context_data_functions.h"
#include "core/api/session/session_options_handle.h"
#include "ort_c/session_options.h"

namespace ortc::api {

Result<Blob> ReadByProgram::operator()(const std::string& name) const {
  void* block = nullptr;
  size_t size = 0;
  Status answer =
      take_callers_status(function(state, name.c_str(), &default_allocator(), &block, &size));
  const std::shared_ptr<const void> owner(
      block, [](void* given) { deallocate(default_allocator(), given); });
  RETURN_IF_ERROR(answer);
  if (block == nullptr && size != 0) {
    return invalid_argument("the read function gave ", size, " bytes at NULL");
  }
  return Blob({static_cast<const std::byte*>(block), size}, owner);
}

}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtSessionOptionsSetEpContextDataReadFunc(OrtSessionOptions* options,
                                                     OrtReadNamedBufferFunc read_func,
                                                     void* state) {
  return guard([&]() -> Status {
    if (options == nullptr) return invalid_argument("'options' parameter must not be NULL");
    options->options.read_context_data = {};
    if (read_func == nullptr) return {};
    options->options.read_context_data = api::ReadByProgram{read_func, state};
    return {};
  });
}

OrtStatus* OrtSessionOptionsSetWeightlessSourceModelBuffer(OrtSessionOptions* options,
                                                           const void* source_model_data,
                                                           size_t source_model_data_length) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ORTC_NEEDED(source_model_data);
    if (source_model_data_length == 0) {
      return invalid_argument("'source_model_data_length' is 0, expected 1 or more");
    }
    options->options.weightless_source = {static_cast<const std::byte*>(source_model_data),
                                          source_model_data_length};
    return {};
  });
}

}  // extern "C"
