// SPDX-License-Identifier: MIT
// Describing kernels, through the table: see kernels_table.h.
#include <algorithm>
#include <array>

#include "core/api/guard.h"
#include "core/api/plugin/kernels/kernel_def.h"
#include "core/api/plugin/kernels/kernels_table.h"
#include "core/api/value/element_type.h"

namespace ortc::api::table {
namespace {

// By the number of the element type.
const std::array<OrtDataType, 64>& data_types() {
  static const auto all = [] {
    std::array<OrtDataType, 64> made;
    for (size_t i = 0; i < made.size(); ++i) {
      if (dtype_is_valid(static_cast<int32_t>(i))) made[i].dtype = static_cast<DType>(i);
    }
    return made;
  }();
  return all;
}

Result<DType> dtype_behind(const OrtDataType* type, size_t i) {
  const auto& all = data_types();
  const bool is_known = std::ranges::any_of(all, [&](const auto& one) { return &one == type; });
  if (is_known && type->dtype != DType::kUndefined) return type->dtype;
  return invalid_argument("'types[", i, "]' is not a type that GetTensorDataType gave");
}

Status set_memory(std::map<size_t, OrtMemType>& memories, size_t index, const OrtMemType& type) {
  const int32_t number = number_of(type);
  if (number < OrtMemTypeCPUInput || number > OrtMemTypeDefault) {
    return invalid_argument("'mem_type' is ", number, ", expected a value of OrtMemType");
  }
  memories[index] = type;
  return Status::ok();
}

OrtMemType memory_of(const std::map<size_t, OrtMemType>& memories, size_t index) {
  const auto found = memories.find(index);
  return found != memories.end() ? found->second : OrtMemTypeDefault;
}

Status add_pairs(std::vector<std::pair<int, int>>& pairs, const int* inputs, const int* outputs,
                 size_t count) {
  if (count == 0) return invalid_argument("'num_io_indices' is 0, expected 1 or more");
  for (size_t i = 0; i < count; ++i) {
    if (inputs[i] < 0 || outputs[i] < 0) {
      return invalid_argument("alias ", i, " has input ", inputs[i], " and output ", outputs[i],
                              ", which are none");
    }
  }
  for (size_t i = 0; i < count; ++i) pairs.emplace_back(inputs[i], outputs[i]);
  return Status::ok();
}

}  // namespace

OrtStatus* CreateKernelDefBuilder(OrtKernelDefBuilder** kernel_def_builder_out) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(kernel_def_builder_out);
    *kernel_def_builder_out = new OrtKernelDefBuilder();
    return {};
  });
}

void ReleaseKernelDefBuilder(OrtKernelDefBuilder* input) noexcept { delete input; }

OrtStatus* KernelDefBuilder_SetOperatorType(OrtKernelDefBuilder* kernel_def_builder,
                                            const char* op_type) noexcept {
  return guard([&]() -> Status {
    ORTC_NEEDED(kernel_def_builder);
    ORTC_NEEDED(op_type);
    kernel_def_builder->def.op_type = op_type;
    return {};
  });
}

OrtStatus* KernelDefBuilder_SetDomain(OrtKernelDefBuilder* kernel_def_builder,
                                      const char* domain) noexcept {
  return guard([&]() -> Status {
    ORTC_NEEDED(kernel_def_builder);
    ORTC_NEEDED(domain);
    const bool is_onnx = std::string_view(domain) == "ai.onnx";
    kernel_def_builder->def.domain = is_onnx ? "" : domain;
    return {};
  });
}

OrtStatus* KernelDefBuilder_SetSinceVersion(OrtKernelDefBuilder* kernel_def_builder,
                                            int since_version_start,
                                            int since_version_end) noexcept {
  return guard([&]() -> Status {
    ORTC_NEEDED(kernel_def_builder);
    if (since_version_start < 1) {
      return invalid_argument("'since_version_start' is ", since_version_start,
                              ", expected 1 or more");
    }
    if (since_version_end < since_version_start) {
      return invalid_argument("'since_version_end' is ", since_version_end,
                              ", expected 'since_version_start' (", since_version_start,
                              ") or more");
    }
    kernel_def_builder->def.first_version = since_version_start;
    kernel_def_builder->def.last_version = since_version_end;
    return {};
  });
}

OrtStatus* KernelDefBuilder_SetExecutionProvider(OrtKernelDefBuilder* kernel_def_builder,
                                                 const char* ep_name) noexcept {
  return guard([&]() -> Status {
    ORTC_NEEDED(kernel_def_builder);
    ORTC_NEEDED(ep_name);
    kernel_def_builder->def.ep_name = ep_name;
    return {};
  });
}

OrtStatus* KernelDefBuilder_SetInputMemType(OrtKernelDefBuilder* kernel_def_builder,
                                            size_t input_index, OrtMemType mem_type) noexcept {
  return guard([&]() -> Status {
    ORTC_NEEDED(kernel_def_builder);
    return set_memory(kernel_def_builder->def.input_memories, input_index, mem_type);
  });
}

OrtStatus* KernelDefBuilder_SetOutputMemType(OrtKernelDefBuilder* kernel_def_builder,
                                             size_t output_index, OrtMemType mem_type) noexcept {
  return guard([&]() -> Status {
    ORTC_NEEDED(kernel_def_builder);
    return set_memory(kernel_def_builder->def.output_memories, output_index, mem_type);
  });
}

OrtStatus* KernelDefBuilder_AddTypeConstraint(OrtKernelDefBuilder* kernel_def_builder,
                                              const char* arg_name, const OrtDataType* const* types,
                                              size_t num_types) noexcept {
  return guard([&]() -> Status {
    ORTC_NEEDED(kernel_def_builder);
    ORTC_NEEDED(arg_name);
    ORTC_NEEDED(types);
    if (num_types == 0) return invalid_argument("'num_types' is 0, expected 1 or more");
    std::vector<DType> dtypes;
    for (size_t i = 0; i < num_types; ++i) {
      ASSIGN_OR_RETURN(const DType dtype, dtype_behind(types[i], i));
      dtypes.push_back(dtype);
    }
    kernel_def_builder->def.types[arg_name] = std::move(dtypes);
    return {};
  });
}

OrtStatus* KernelDefBuilder_AddInputOutputAliases(OrtKernelDefBuilder* kernel_def_builder,
                                                  const int* input_indices,
                                                  const int* output_indices,
                                                  size_t num_io_indices) noexcept {
  return guard([&]() -> Status {
    ORTC_NEEDED(kernel_def_builder);
    ORTC_NEEDED(input_indices);
    ORTC_NEEDED(output_indices);
    return add_pairs(kernel_def_builder->def.aliases, input_indices, output_indices,
                     num_io_indices);
  });
}

OrtStatus* KernelDefBuilder_AddInputOutputMutableAliases(OrtKernelDefBuilder* kernel_def_builder,
                                                         const int* input_indices,
                                                         const int* output_indices,
                                                         size_t num_io_indices) noexcept {
  return guard([&]() -> Status {
    ORTC_NEEDED(kernel_def_builder);
    ORTC_NEEDED(input_indices);
    ORTC_NEEDED(output_indices);
    return add_pairs(kernel_def_builder->def.mutable_aliases, input_indices, output_indices,
                     num_io_indices);
  });
}

OrtStatus* KernelDefBuilder_Build(OrtKernelDefBuilder* kernel_def_builder,
                                  OrtKernelDef** kernel_def_out) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(kernel_def_out);
    ORTC_NEEDED(kernel_def_builder);
    if (kernel_def_builder->def.op_type.empty()) {
      return invalid_argument("the kernel has no operator: KernelDefBuilder_SetOperatorType");
    }
    *kernel_def_out = new OrtKernelDef(kernel_def_builder->def);
    return {};
  });
}

void ReleaseKernelDef(OrtKernelDef* input) noexcept { delete input; }

const char* KernelDef_GetOperatorType(const OrtKernelDef* kernel_def) noexcept {
  return kernel_def != nullptr ? kernel_def->op_type.c_str() : nullptr;
}

const char* KernelDef_GetDomain(const OrtKernelDef* kernel_def) noexcept {
  return kernel_def != nullptr ? kernel_def->domain.c_str() : nullptr;
}

OrtStatus* KernelDef_GetSinceVersion(const OrtKernelDef* kernel_def, int* start_version,
                                     int* end_version) noexcept {
  return guard([&]() -> Status {
    empty_outs(start_version, end_version);
    ORTC_NEEDED(start_version);
    ORTC_NEEDED(end_version);
    ORTC_NEEDED(kernel_def);
    *start_version = kernel_def->first_version;
    *end_version = kernel_def->last_version;
    return {};
  });
}

const char* KernelDef_GetExecutionProvider(const OrtKernelDef* kernel_def) noexcept {
  return kernel_def != nullptr ? kernel_def->ep_name.c_str() : nullptr;
}

OrtStatus* KernelDef_GetInputMemType(const OrtKernelDef* kernel_def, size_t input_index,
                                     OrtMemType* mem_type) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(mem_type);
    ORTC_NEEDED(kernel_def);
    *mem_type = memory_of(kernel_def->input_memories, input_index);
    return {};
  });
}

OrtStatus* KernelDef_GetOutputMemType(const OrtKernelDef* kernel_def, size_t output_index,
                                      OrtMemType* mem_type) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(mem_type);
    ORTC_NEEDED(kernel_def);
    *mem_type = memory_of(kernel_def->output_memories, output_index);
    return {};
  });
}

OrtStatus* GetTensorDataType(ONNXTensorElementDataType elem_type,
                             const OrtDataType** out) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    const std::optional<DType> dtype = dtype_of(elem_type);
    if (!dtype.has_value()) {
      return invalid_argument("'elem_type' is ", number_of(elem_type),
                              ", which is not the type of an element");
    }
    *out = &data_types()[static_cast<size_t>(*dtype)];
    return {};
  });
}

}  // namespace ortc::api::table
