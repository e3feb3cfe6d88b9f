// SPDX-License-Identifier: MIT
// ort_c/kernel_info.h: the node of a kernel, and its surroundings. Attributes are in
// kernel_attributes_api.cc, operators to be called in eager_op_api.cc.
#include "core/api/env/allocator.h"
#include "core/api/env/key_values_handle.h"
#include "core/api/env/ort_allocators.h"
#include "core/api/guard.h"
#include "core/api/kernel/copy_out.h"
#include "core/api/kernel/kernel_info_handle.h"
#include "core/api/value/element_type.h"
#include "core/graph/symbol/symbol.h"

using namespace ortc;
using api::guard;

namespace {

Result<const OrtKernelInfo::Port*> port(const std::vector<OrtKernelInfo::Port>& ports, size_t index,
                                        std::string_view what) {
  if (index < ports.size()) return &ports[index];
  return invalid_argument("'index' is ", index, ", but there are ", ports.size(), " ", what);
}

OrtStatus* name_of(const OrtKernelInfo* info, std::vector<OrtKernelInfo::Port> OrtKernelInfo::*side,
                   size_t index, std::string_view what, char* out, size_t* size) {
  return guard([&]() -> Status {
    ORTC_NEEDED(info);
    ORTC_NEEDED(size);
    ASSIGN_OR_RETURN(const auto* one, port(info->*side, index, what));
    return api::copy_out(one->name, out, size);
  });
}

OrtStatus* type_of(const OrtKernelInfo* info, std::vector<OrtKernelInfo::Port> OrtKernelInfo::*side,
                   size_t index, std::string_view what, OrtTypeInfo** type_info) {
  return guard([&]() -> Status {
    ORTC_OUT(type_info);
    ORTC_NEEDED(info);
    ASSIGN_OR_RETURN(const auto* one, port(info->*side, index, what));
    if (one->type.kind == TypeKind::kNone) {
      return invalid_graph("the type of '", one->name, "', number ", index, " of the ", what,
                           ", is not known");
    }
    *type_info = new OrtTypeInfo(api::type_info_of(shown_type(one->type)));
    return {};
  });
}

template <typename T>
OrtStatus* text_of(const OrtKernelInfo* info, T OrtKernelInfo::*text, char* out, size_t* size) {
  return guard([&]() -> Status {
    ORTC_NEEDED(info);
    ORTC_NEEDED(size);
    return api::copy_out(info->*text, out, size);
  });
}

}  // namespace

extern "C" {

OrtStatus* OrtKernelInfo_GetNodeName(const OrtKernelInfo* info, char* out, size_t* size) {
  return text_of(info, &OrtKernelInfo::node_name, out, size);
}

OrtStatus* OrtKernelInfo_GetOperatorType(const OrtKernelInfo* info, char* out, size_t* size) {
  return text_of(info, &OrtKernelInfo::op_type, out, size);
}

OrtStatus* OrtKernelInfo_GetOperatorDomain(const OrtKernelInfo* info, char* out, size_t* size) {
  return text_of(info, &OrtKernelInfo::domain, out, size);
}

OrtStatus* OrtKernelInfo_GetOperatorSinceVersion(const OrtKernelInfo* info, int* since_version) {
  return guard([&]() -> Status {
    ORTC_OUT(since_version);
    ORTC_NEEDED(info);
    *since_version = info->since_version;
    return {};
  });
}

OrtStatus* OrtKernelInfo_GetInputCount(const OrtKernelInfo* info, size_t* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(info);
    *out = info->inputs.size();
    return {};
  });
}

OrtStatus* OrtKernelInfo_GetOutputCount(const OrtKernelInfo* info, size_t* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(info);
    *out = info->outputs.size();
    return {};
  });
}

OrtStatus* OrtKernelInfo_GetInputName(const OrtKernelInfo* info, size_t index, char* out,
                                      size_t* size) {
  return name_of(info, &OrtKernelInfo::inputs, index, "inputs", out, size);
}

OrtStatus* OrtKernelInfo_GetOutputName(const OrtKernelInfo* info, size_t index, char* out,
                                       size_t* size) {
  return name_of(info, &OrtKernelInfo::outputs, index, "outputs", out, size);
}

OrtStatus* OrtKernelInfo_GetInputTypeInfo(const OrtKernelInfo* info, size_t index,
                                          OrtTypeInfo** type_info) {
  return type_of(info, &OrtKernelInfo::inputs, index, "inputs", type_info);
}

OrtStatus* OrtKernelInfo_GetOutputTypeInfo(const OrtKernelInfo* info, size_t index,
                                           OrtTypeInfo** type_info) {
  return type_of(info, &OrtKernelInfo::outputs, index, "outputs", type_info);
}

OrtStatus* OrtKernelInfoGetConstantInput_tensor(const OrtKernelInfo* info, size_t index,
                                                int* is_constant, const OrtValue** out) {
  return guard([&]() -> Status {
    api::empty_outs(is_constant, out);
    ORTC_NEEDED(is_constant);
    ORTC_NEEDED(out);
    ORTC_NEEDED(info);
    ASSIGN_OR_RETURN(const auto* one, port(info->inputs, index, "inputs"));
    *out = one->constant.get();
    *is_constant = *out != nullptr ? 1 : 0;
    return {};
  });
}

OrtStatus* OrtKernelInfo_GetLogger(const OrtKernelInfo* info, const OrtLogger** logger) {
  return guard([&]() -> Status {
    ORTC_OUT(logger);
    ORTC_NEEDED(info);
    *logger = &info->logger;
    return {};
  });
}

OrtStatus* OrtKernelInfoGetAllocator(const OrtKernelInfo* info, OrtMemType mem_type,
                                     OrtAllocator** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(info);
    const int32_t number = api::number_of(mem_type);
    if (number < OrtMemTypeCPUInput || number > OrtMemTypeDefault) {
      return invalid_argument("'mem_type' is ", number, ", expected a value of OrtMemType");
    }
    const bool is_own = number == OrtMemTypeDefault && info->allocator != nullptr;
    *out = api::new_handle(is_own ? info->allocator : api::keep(api::default_allocator()), nullptr);
    return {};
  });
}

OrtStatus* OrtKernelInfo_GetConfigEntries(const OrtKernelInfo* info, OrtKeyValuePairs** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(info);
    *out = new OrtKeyValuePairs(info->config);
    return {};
  });
}

OrtStatus* OrtCopyKernelInfo(const OrtKernelInfo* info, OrtKernelInfo** info_copy) {
  return guard([&]() -> Status {
    ORTC_OUT(info_copy);
    ORTC_NEEDED(info);
    *info_copy = new OrtKernelInfo(*info);
    return {};
  });
}

void OrtReleaseKernelInfo(OrtKernelInfo* info_copy) { delete info_copy; }

}  // extern "C"
