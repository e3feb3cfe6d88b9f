// SPDX-License-Identifier: MIT
// ort_c/model_compiler.h: compiled models that go to functions of the program, whole or in part.
#include <bit>
#include <memory>

#include "core/api/env/ort_allocators.h"
#include "core/api/graph/graph_handles.h"
#include "core/api/guard.h"
#include "core/api/model/context_data_functions.h"
#include "core/api/model/model_compiler_handle.h"
#include "core/api/value/value_handle.h"
#include "core/options/relative_name.h"
#include "ort_c/model_compiler.h"
#include "ort_c/value_info.h"

namespace ortc::api {
namespace {

using Info = OrtExternalInitializerInfo;
using OwnedInfo = std::unique_ptr<Info, decltype(&OrtReleaseExternalInitializerInfo)>;

std::optional<Info> info_of(const ExternalLocation* original, const Tensor& value) {
  if (original == nullptr) return std::nullopt;
  return Info{original->location, static_cast<int64_t>(original->offset), value.byte_size()};
}

Result<std::optional<ExternalLocation>> choose(OrtGetInitializerLocationFunc function, void* state,
                                               const std::string& name, const Tensor& tensor,
                                               const ExternalLocation* original) {
  OrtValue value;
  value.tensor = tensor;
  const std::optional<Info> source = info_of(original, tensor);
  const Info* const shown = source ? &*source : nullptr;
  Info* given = nullptr;
  Status answer = take_callers_status(function(state, name.c_str(), &value, shown, &given));
  if (given != nullptr && given == shown) {
    return fail("initializer '", name,
                "': the location function gave back 'external_info' itself; make an object of its "
                "own with OrtCreateExternalInitializerInfo()");
  }
  const OwnedInfo chosen(given, OrtReleaseExternalInitializerInfo);
  RETURN_IF_ERROR(answer);
  if (chosen == nullptr) return std::optional<ExternalLocation>();
  return std::optional(
      ExternalLocation{chosen->path, static_cast<uint64_t>(chosen->offset), chosen->size});
}

// A path beneath the model, as readers follow it, without the "./" before it.
Result<std::string> logical_name(std::string_view text) {
  const std::string_view rest = plain_relative_name(text);
  if (rest.empty() || is_absolute_path(rest)) {
    return invalid_argument("'logical_file_name' is '", text,
                            "', expected a path relative to the model");
  }
  RETURN_IF_ERROR_WHILE(judge_relative_name(rest), "'logical_file_name'");
  return std::string(rest);
}

}  // namespace
}  // namespace ortc::api

namespace ortc::api {

Status WriteByProgram::operator()(const std::string& name, Bytes data) const {
  return take_callers_status(function(state, name.c_str(), data.data(), data.size()));
}

}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtModelCompilationOptions_SetOutputModelWriteFunc(
    OrtModelCompilationOptions* model_compile_options, OrtWriteBufferFunc write_func, void* state) {
  return guard([&]() -> Status {
    ORTC_NEEDED(model_compile_options);
    ORTC_NEEDED(write_func);
    ModelStream stream;
    stream.write = [=](Bytes piece) {
      return api::take_callers_status(write_func(state, piece.data(), piece.size()));
    };
    model_compile_options->forget_output();
    model_compile_options->compile.output_stream = std::move(stream);
    return {};
  });
}

OrtStatus* OrtModelCompilationOptions_SetOutputModelGetInitializerLocationFunc(
    OrtModelCompilationOptions* model_compile_options,
    OrtGetInitializerLocationFunc get_initializer_location_func, void* state) {
  return guard([&]() -> Status {
    ORTC_NEEDED(model_compile_options);
    ORTC_NEEDED(get_initializer_location_func);
    CompileOptions& compile = model_compile_options->compile;
    model_compile_options->forget_initializers();
    compile.program.initializers.choose = [=](const std::string& name, const Tensor& value,
                                              const ExternalLocation* original) {
      return api::choose(get_initializer_location_func, state, name, value, original);
    };
    return {};
  });
}

OrtStatus* OrtModelCompilationOptions_SetOutputModelExternalInitializersBuffer(
    OrtModelCompilationOptions* model_compile_options, const char* logical_file_name,
    size_t external_initializers_size_threshold, OrtAllocator* allocator, void** output_buffer_ptr,
    size_t* output_buffer_size_ptr) {
  return guard([&]() -> Status {
    ORTC_NEEDED(model_compile_options);
    ORTC_NEEDED(logical_file_name);
    ORTC_NEEDED(allocator);
    ORTC_NEEDED(output_buffer_ptr);
    ORTC_NEEDED(output_buffer_size_ptr);
    ASSIGN_OR_RETURN(std::string name, api::logical_name(logical_file_name));
    if (static_cast<void*>(output_buffer_ptr) == output_buffer_size_ptr) {
      return invalid_argument(
          "'output_buffer_ptr' and 'output_buffer_size_ptr' are the same place");
    }
    model_compile_options->forget_initializers();
    model_compile_options->initializers =
        api::InitializersBuffer{std::move(name), external_initializers_size_threshold,
                                api::keep(*allocator), output_buffer_ptr, output_buffer_size_ptr};
    return {};
  });
}

OrtStatus* OrtModelCompilationOptions_SetOutputModelExternalInitializersAlignment(
    OrtModelCompilationOptions* model_compile_options, size_t alignment, size_t minimum_size) {
  return guard([&]() -> Status {
    ORTC_NEEDED(model_compile_options);
    constexpr size_t kMost = size_t{1} << 30;
    if (alignment != 0 && (!std::has_single_bit(alignment) || alignment > kMost)) {
      return invalid_argument("'alignment' is ", alignment,
                              ", expected 0 or a power of two up to 2^30");
    }
    model_compile_options->compile.program.initializers.alignment = {alignment, minimum_size};
    return {};
  });
}

OrtStatus* OrtModelCompilationOptions_SetEpContextDataWriteFunc(
    OrtModelCompilationOptions* model_compile_options, OrtWriteNamedBufferFunc write_func,
    void* state) {
  return guard([&]() -> Status {
    if (model_compile_options == nullptr) {
      return invalid_argument(
          "OrtModelCompilationOptions is NULL: 'model_compile_options' must not be NULL");
    }
    ContextDataWriter& writer = model_compile_options->compile.program.write_context_data;
    writer = {};
    if (write_func == nullptr) return {};
    writer = api::WriteByProgram{write_func, state};
    return {};
  });
}

OrtStatus* OrtModelCompilationOptions_SetWeightlessEnabled(
    OrtModelCompilationOptions* model_compile_options, bool use_weightless) {
  return guard([&]() -> Status {
    ORTC_NEEDED(model_compile_options);
    model_compile_options->compile.weightless = use_weightless;
    return {};
  });
}

}  // extern "C"
