// SPDX-License-Identifier: MIT
// ort_c/session_options.h: weights that a session takes from memory of the program.
#include "core/api/guard.h"
#include "core/api/session/session_options_handle.h"
#include "core/api/value/tensor_form.h"
#include "core/api/value/value_handle.h"
#include "core/proto/external_location.h"
#include "ort_c/session_options.h"

namespace ortc::api {
namespace {

Status check_new_name(const ortc::SessionOptions& options, const std::string& name) {
  if (name.empty()) return invalid_argument("the name of an initializer must not be empty");
  if (options.initializers.contains(name) || options.external_initializers.contains(name)) {
    return invalid_argument("a value for initializer '", name, "' was given already");
  }
  return {};
}

// Made of `given`, or nothing is added.
Status add_external(ortc::SessionOptions& options, const char* const* names,
                    const OrtValue* const* values, size_t count) {
  std::map<std::string, Tensor> added;
  for (size_t i = 0; i < count; ++i) {
    if (names[i] == nullptr || values[i] == nullptr) {
      return invalid_argument("'initializer_names[", i, "]' and 'initializers[", i,
                              "]' must not be NULL");
    }
    RETURN_IF_ERROR(check_new_name(options, names[i]));
    RETURN_IF_ERROR_WHILE(check_host(*values[i]), "the value for initializer '", names[i], "'");
    const Tensor& tensor = values[i]->tensor;
    if (!tensor.is_defined() || tensor.dtype() == DType::kString) {
      return invalid_argument("the value for initializer '", names[i],
                              "' must be a tensor of numbers");
    }
    if (!added.emplace(names[i], tensor).second) {
      return invalid_argument("a value for initializer '", names[i], "' was given already");
    }
  }
  options.external_initializers.merge(added);
  return {};
}

Status add_files(ortc::SessionOptions& options, const char* const* names, char* const* buffers,
                 const size_t* sizes, size_t count) {
  std::map<std::string, Bytes> added;
  for (size_t i = 0; i < count; ++i) {
    const std::string name = plain_location(names[i] != nullptr ? names[i] : "");
    if (name.empty()) {
      return invalid_argument("'external_initializer_file_names[", i, "]' must not be empty");
    }
    if (buffers[i] == nullptr && sizes[i] != 0) {
      return invalid_argument("'external_initializer_file_buffer_array[", i, "]' must not be NULL");
    }
    const Bytes bytes(reinterpret_cast<const std::byte*>(buffers[i]), sizes[i]);
    if (options.external_files.contains(name) || !added.emplace(name, bytes).second) {
      return invalid_argument("the contents of file '", name, "' were given already");
    }
  }
  options.external_files.merge(added);
  return {};
}

}  // namespace
}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtAddInitializer(OrtSessionOptions* options, const char* name, const OrtValue* val) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ORTC_NEEDED(name);
    ORTC_NEEDED(val);
    RETURN_IF_ERROR(api::check_new_name(options->options, name));
    RETURN_IF_ERROR(api::check_host(*val));
    if (!val->tensor.is_defined() || val->tensor.dtype() == DType::kString) {
      return invalid_argument("the value for initializer '", name, "' must be a tensor of numbers");
    }
    if (val->tensor.owner() != nullptr) {
      return invalid_argument("the memory of the value for initializer '", name,
                              "' must be the caller's; see OrtCreateTensorWithDataAsOrtValue()");
    }
    options->options.initializers[name] = val->tensor;
    return {};
  });
}

OrtStatus* OrtAddExternalInitializers(OrtSessionOptions* options,
                                      const char* const* initializer_names,
                                      const OrtValue* const* initializers,
                                      size_t num_initializers) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    if (num_initializers == 0) return {};
    ORTC_NEEDED(initializer_names);
    ORTC_NEEDED(initializers);
    return api::add_external(options->options, initializer_names, initializers, num_initializers);
  });
}

OrtStatus* OrtAddExternalInitializersFromFilesInMemory(
    OrtSessionOptions* options, const char* const* external_initializer_file_names,
    char* const* external_initializer_file_buffer_array,
    const size_t* external_initializer_file_lengths, size_t num_external_initializer_files) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    if (num_external_initializer_files == 0) return {};
    ORTC_NEEDED(external_initializer_file_names);
    ORTC_NEEDED(external_initializer_file_buffer_array);
    ORTC_NEEDED(external_initializer_file_lengths);
    return api::add_files(options->options, external_initializer_file_names,
                          external_initializer_file_buffer_array, external_initializer_file_lengths,
                          num_external_initializer_files);
  });
}

}  // extern "C"
