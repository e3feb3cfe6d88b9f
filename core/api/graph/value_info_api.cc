// SPDX-License-Identifier: MIT
// ort_c/value_info.h: values in graphs.
#include "core/api/graph/graph_handles.h"
#include "core/api/guard.h"
#include "core/api/value/element_type.h"
#include "core/graph/symbol/symbol.h"
#include "ort_c/value_info.h"

using namespace ortc;
using api::guard;

namespace ortc::api {
namespace {

// Where the value is defined: an enclosing graph's for one from the outer scope.
const Value& definition(const OrtValueInfo& info) {
  return defining_value(info.graph->view->graph(), *info.value);
}

// A yes or no about a value of a view.
template <typename Answer>
OrtStatus* give_flag(const OrtValueInfo* value_info, const char* function, bool* out,
                     Answer&& answer) {
  return guard([&]() -> Status {
    ORTC_NEEDED(out);
    *out = false;
    ORTC_ALIVE(value_info);
    if (value_info->is_draft()) {
      return not_implemented(function, " of an object that the model editor made");
    }
    *out = answer(*value_info);
    return {};
  });
}

}  // namespace
}  // namespace ortc::api

extern "C" {

void OrtReleaseValueInfo(OrtValueInfo* value_info) {
  if (!api::is_alive(value_info) || value_info->graph != nullptr) return;
  delete value_info;
}

OrtStatus* OrtGetValueInfoName(const OrtValueInfo* value_info, const char** name) {
  return guard([&]() -> Status {
    ORTC_OUT(name);
    ORTC_ALIVE(value_info);
    *name = value_info->name().c_str();
    return {};
  });
}

OrtStatus* OrtGetValueInfoTypeInfo(const OrtValueInfo* value_info, const OrtTypeInfo** type_info) {
  return guard([&]() -> Status {
    ORTC_OUT(type_info);
    ORTC_ALIVE(value_info);
    if (!value_info->is_draft()) {
      const std::lock_guard lock(value_info->graph->root->mutex);
      if (value_info->type == nullptr) {
        value_info->type =
            std::make_unique<OrtTypeInfo>(api::type_info_of(shown_type(value_info->value->type)));
      }
    }
    *type_info = value_info->type.get();
    return {};
  });
}

OrtStatus* OrtValueInfo_GetValueProducer(const OrtValueInfo* value_info,
                                         const OrtNode** producer_node,
                                         size_t* producer_output_index) {
  return guard([&]() -> Status {
    api::empty_outs(producer_node, producer_output_index);
    ORTC_ALIVE(value_info);
    ORTC_NEEDED(producer_node);
    ORTC_NEEDED(producer_output_index);
    ORTC_VIEW_ONLY(value_info, ValueInfo_GetValueProducer);
    const Node* producer = value_info->graph->view->producer(value_info->value->id);
    if (producer == nullptr) return {};
    *producer_node = value_info->graph->by_node[producer->id()];
    *producer_output_index = value_info->value->producer_output;
    return {};
  });
}

OrtStatus* OrtValueInfo_GetValueNumConsumers(const OrtValueInfo* value_info,
                                             size_t* num_consumers) {
  return guard([&]() -> Status {
    ORTC_OUT(num_consumers);
    ORTC_ALIVE(value_info);
    ORTC_VIEW_ONLY(value_info, ValueInfo_GetValueNumConsumers);
    *num_consumers = value_info->graph->view->uses(value_info->value->id).size();
    return {};
  });
}

OrtStatus* OrtValueInfo_GetValueConsumers(const OrtValueInfo* value_info, const OrtNode** nodes,
                                          int64_t* input_indices, size_t num_consumers) {
  return guard([&]() -> Status {
    ORTC_ALIVE(value_info);
    ORTC_VIEW_ONLY(value_info, ValueInfo_GetValueConsumers);
    std::vector<const OrtNode*> readers;
    std::vector<int64_t> indices;
    for (const Use& use : value_info->graph->view->uses(value_info->value->id)) {
      readers.push_back(value_info->graph->by_node[use.node]);
      indices.push_back(use.is_implicit ? -1 : static_cast<int64_t>(use.input));
    }
    if (!indices.empty()) ORTC_NEEDED(input_indices);
    RETURN_IF_ERROR(api::copy_list("nodes", readers, nodes, num_consumers));
    return api::copy_list("input_indices", indices, input_indices, num_consumers);
  });
}

OrtStatus* OrtValueInfo_GetInitializerValue(const OrtValueInfo* value_info,
                                            const OrtValue** initializer_value) {
  return guard([&]() -> Status {
    ORTC_OUT(initializer_value);
    ORTC_ALIVE(value_info);
    ORTC_VIEW_ONLY(value_info, ValueInfo_GetInitializerValue);
    const auto& constant = api::definition(*value_info).initializer;
    if (constant == nullptr) return {};
    const std::lock_guard lock(value_info->graph->root->mutex);
    if (value_info->initializer == nullptr) {
      auto value = std::make_unique<OrtValue>();
      value->tensor = constant->tensor;
      value_info->initializer = std::move(value);
    }
    *initializer_value = value_info->initializer.get();
    return {};
  });
}

OrtStatus* OrtValueInfo_GetExternalInitializerInfo(const OrtValueInfo* value_info,
                                                   OrtExternalInitializerInfo** info) {
  return guard([&]() -> Status {
    ORTC_OUT(info);
    ORTC_ALIVE(value_info);
    ORTC_VIEW_ONLY(value_info, ValueInfo_GetExternalInitializerInfo);
    const auto& constant = api::definition(*value_info).initializer;
    if (constant == nullptr || constant->external == nullptr) return {};
    *info = new OrtExternalInitializerInfo{constant->external->location,
                                           static_cast<int64_t>(constant->external->offset),
                                           constant->tensor.byte_size()};
    return {};
  });
}

OrtStatus* OrtValueInfo_IsRequiredGraphInput(const OrtValueInfo* value_info,
                                             bool* is_required_graph_input) {
  return api::give_flag(value_info, "ValueInfo_IsRequiredGraphInput", is_required_graph_input,
                        [](const OrtValueInfo& info) {
                          return info.graph->view->is_input(info.value->id) &&
                                 api::definition(info).initializer == nullptr;
                        });
}

OrtStatus* OrtValueInfo_IsOptionalGraphInput(const OrtValueInfo* value_info,
                                             bool* is_optional_graph_input) {
  return api::give_flag(value_info, "ValueInfo_IsOptionalGraphInput", is_optional_graph_input,
                        [](const OrtValueInfo& info) {
                          const Value& value = api::definition(info);
                          return value.is_input && value.initializer != nullptr;
                        });
}

OrtStatus* OrtValueInfo_IsGraphOutput(const OrtValueInfo* value_info, bool* is_graph_output) {
  return api::give_flag(
      value_info, "ValueInfo_IsGraphOutput", is_graph_output,
      [](const OrtValueInfo& info) { return info.graph->view->is_output(info.value->id); });
}

OrtStatus* OrtValueInfo_IsConstantInitializer(const OrtValueInfo* value_info,
                                              bool* is_constant_initializer) {
  return api::give_flag(
      value_info, "ValueInfo_IsConstantInitializer", is_constant_initializer,
      [](const OrtValueInfo& info) { return api::definition(info).constant() != nullptr; });
}

OrtStatus* OrtValueInfo_IsFromOuterScope(const OrtValueInfo* value_info,
                                         bool* is_from_outer_scope) {
  return api::give_flag(value_info, "ValueInfo_IsFromOuterScope", is_from_outer_scope,
                        [](const OrtValueInfo& info) { return info.value->is_captured(); });
}

OrtStatus* OrtCreateExternalInitializerInfo(const char* filepath, int64_t file_offset,
                                            size_t byte_size, OrtExternalInitializerInfo** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(filepath);
    if (*filepath == '\0') return invalid_argument("'filepath' must not be empty");
    if (file_offset < 0) {
      return invalid_argument("'file_offset' is ", file_offset, ", expected 0 or more");
    }
    *out = new OrtExternalInitializerInfo{filepath, file_offset, byte_size};
    return {};
  });
}

void OrtReleaseExternalInitializerInfo(OrtExternalInitializerInfo* info) { delete info; }

const char* OrtExternalInitializerInfo_GetFilePath(const OrtExternalInitializerInfo* info) {
  return info != nullptr ? info->path.c_str() : nullptr;
}

int64_t OrtExternalInitializerInfo_GetFileOffset(const OrtExternalInitializerInfo* info) {
  return info != nullptr ? info->offset : 0;
}

size_t OrtExternalInitializerInfo_GetByteSize(const OrtExternalInitializerInfo* info) {
  return info != nullptr ? info->size : 0;
}

}  // extern "C"
