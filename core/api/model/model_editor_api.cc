// SPDX-License-Identifier: MIT
// ort_c/model_editor.h: types, values, nodes, graphs and models under construction. What is made of
// them is in model_editor_session_api.cc.
#include <algorithm>
#include <cstring>

#include "core/api/graph/graph_handles.h"
#include "core/api/guard.h"
#include "core/api/make_room.h"
#include "core/api/value/element_type.h"
#include "core/api/value/tensor_form.h"
#include "ort_c/model_editor.h"

using namespace ortc;
using api::guard;

namespace ortc::api {
namespace {

// Data below this size must not stay in memory of the caller, as in ONNX Runtime.
constexpr size_t kExternalSizeMin = 128;

bool is_map_key(const ONNXTensorElementDataType& type) {
  const auto dtype = dtype_of(type);
  return dtype && (dtype == DType::kString || dtype == DType::kInt8 || dtype == DType::kInt16 ||
                   dtype == DType::kInt32 || dtype == DType::kInt64 || dtype == DType::kUint8 ||
                   dtype == DType::kUint16 || dtype == DType::kUint32 || dtype == DType::kUint64);
}

Result<Type> tensor_type_of(const OrtTensorTypeAndShapeInfo& info) {
  Type type = Type::tensor(dtype_of(info.type).value_or(DType::kUndefined));
  if (!info.has_shape) return type;
  type.shape.emplace();
  for (size_t i = 0; i < info.dims.size(); ++i) {
    Dim dim = info.dims[i] >= 0 ? Dim::known(info.dims[i]) : Dim::unknown();
    if (!dim.is_known() && i < info.symbols.size()) dim.symbol = info.symbols[i];
    type.shape->push_back(std::move(dim));
  }
  return type;
}

std::shared_ptr<const OrtTypeInfo> copy_of(const OrtTypeInfo& info) {
  return std::make_shared<const OrtTypeInfo>(info);
}

OrtStatus* make_tensor_type(const OrtTensorTypeAndShapeInfo* tensor_info, ONNXType kind,
                            OrtTypeInfo** type_info) {
  return guard([&]() -> Status {
    ORTC_OUT(type_info);
    ORTC_NEEDED(tensor_info);
    auto info = std::make_unique<OrtTypeInfo>();
    info->kind = kind;
    info->tensor = *tensor_info;
    *type_info = info.release();
    return {};
  });
}

Status collect_names(const char* what, const char* const* names, size_t count,
                     std::vector<std::string>& out) {
  if (count != 0 && names == nullptr) return invalid_argument("'", what, "' must not be NULL");
  for (size_t i = 0; i < count; ++i) {
    if (names[i] == nullptr) return invalid_argument("'", what, "[", i, "]' must not be NULL");
    out.emplace_back(names[i]);
  }
  return {};
}

Status collect_attributes(OrtOpAttr** attributes, size_t count, std::vector<Attribute>& out) {
  if (count != 0) ORTC_NEEDED(attributes);
  for (size_t i = 0; i < count; ++i) {
    if (attributes[i] == nullptr) {
      return invalid_argument("'attributes[", i, "]' is null; it must not be NULL");
    }
    if (attributes[i]->own == nullptr) {
      return invalid_argument("'attributes[", i, "]' belongs to another node");
    }
    const Attribute& attribute = *attributes[i]->attribute;
    const bool is_known =
        std::ranges::any_of(out, [&](const Attribute& a) { return a.name == attribute.name; });
    if (is_known) return invalid_argument("Duplicate attribute '", attribute.name, "'");
    out.push_back(attribute);
  }
  return {};
}

Status check_draft(const OrtGraph& graph) {
  if (!graph.is_draft()) return invalid_argument("'graph' is a view; it cannot be changed");
  return {};
}

// The values become the graph's inputs or outputs; those that it had go.
Status set_ports(OrtGraph& graph, const char* what, OrtValueInfo** values, size_t count,
                 std::vector<const OrtValueInfo*>& list) {
  RETURN_IF_ERROR(check_draft(graph));
  if (count != 0 && values == nullptr) return invalid_argument("'", what, "' must not be NULL");
  for (size_t i = 0; i < count; ++i) {
    if (values[i] == nullptr) {
      return invalid_argument("'", what, "[", i, "]' must not be NULL");
    }
    if (!values[i]->is_draft() || values[i]->graph != nullptr) {
      return invalid_argument("'", what, "[", i, "]' has already been added to a graph");
    }
    for (size_t j = 0; j < i; ++j) {
      if (values[i]->name() == values[j]->name()) {
        return invalid_argument("Duplicate name '", values[i]->name(), "' in '", what, "'");
      }
    }
  }
  std::vector<const OrtValueInfo*> old(values, values + count);
  graph.own_values.reserve(graph.own_values.size() + count);
  std::swap(list, old);
  std::erase_if(graph.own_values, [&](const std::unique_ptr<OrtValueInfo>& value) {
    return std::ranges::find(old, value.get()) != old.end();
  });
  for (size_t i = 0; i < count; ++i) {
    values[i]->graph = &graph;
    graph.own_values.emplace_back(values[i]);
    values[i] = nullptr;
  }
  return {};
}

Status check_initializer(const OrtValue& value, bool is_external) {
  if (!value.tensor.is_defined()) {
    return invalid_argument("'tensor' is not a dense tensor, as an initializer must be");
  }
  if (!value.memory.is_host_readable()) {
    return invalid_argument("'tensor' lies in memory '", value.memory.name,
                            "' of a device; an initializer must lie in memory of the CPU");
  }
  if (is_external && value.tensor.byte_size() < kExternalSizeMin) {
    return invalid_argument("'data_is_external' needs ", kExternalSizeMin,
                            " bytes or more, but the tensor has ", value.tensor.byte_size());
  }
  return {};
}

// Memory of the caller may go when the call is over, unless it promised to stay.
Result<Tensor> kept_tensor(const Tensor& tensor, bool is_external) {
  if (is_external || tensor.owner() != nullptr) return tensor;
  ASSIGN_OR_RETURN(Tensor copy, Tensor::create(tensor.dtype(), tensor.dims()));
  if (tensor.byte_size() != 0) {
    std::memcpy(copy.mutable_data(), tensor.data(), tensor.byte_size());
  }
  return copy;
}

}  // namespace
}  // namespace ortc::api

extern "C" {

OrtStatus* OrtCreateTensorTypeInfo(const OrtTensorTypeAndShapeInfo* tensor_info,
                                   OrtTypeInfo** type_info) {
  return api::make_tensor_type(tensor_info, ONNX_TYPE_TENSOR, type_info);
}

OrtStatus* OrtCreateSparseTensorTypeInfo(const OrtTensorTypeAndShapeInfo* tensor_info,
                                         OrtTypeInfo** type_info) {
  return api::make_tensor_type(tensor_info, ONNX_TYPE_SPARSETENSOR, type_info);
}

OrtStatus* OrtCreateMapTypeInfo(ONNXTensorElementDataType map_key_type,
                                const OrtTypeInfo* map_value_type, OrtTypeInfo** type_info) {
  return guard([&]() -> Status {
    ORTC_OUT(type_info);
    ORTC_NEEDED(map_value_type);
    if (!api::is_map_key(map_key_type)) {
      return invalid_argument("'map_key_type' is ", api::number_of(map_key_type),
                              ", expected an integer type or STRING");
    }
    auto info = std::make_unique<OrtTypeInfo>();
    info->kind = ONNX_TYPE_MAP;
    info->map = {map_key_type, api::copy_of(*map_value_type)};
    *type_info = info.release();
    return {};
  });
}

OrtStatus* OrtCreateSequenceTypeInfo(const OrtTypeInfo* sequence_type, OrtTypeInfo** type_info) {
  return guard([&]() -> Status {
    ORTC_OUT(type_info);
    ORTC_NEEDED(sequence_type);
    auto info = std::make_unique<OrtTypeInfo>();
    info->kind = ONNX_TYPE_SEQUENCE;
    info->sequence.element = api::copy_of(*sequence_type);
    *type_info = info.release();
    return {};
  });
}

OrtStatus* OrtCreateOptionalTypeInfo(const OrtTypeInfo* contained_type, OrtTypeInfo** type_info) {
  return guard([&]() -> Status {
    ORTC_OUT(type_info);
    ORTC_NEEDED(contained_type);
    auto info = std::make_unique<OrtTypeInfo>();
    info->kind = ONNX_TYPE_OPTIONAL;
    info->optional.contained = api::copy_of(*contained_type);
    *type_info = info.release();
    return {};
  });
}

OrtStatus* OrtCreateValueInfo(const char* name, const OrtTypeInfo* type_info,
                              OrtValueInfo** value_info) {
  return guard([&]() -> Status {
    ORTC_OUT(value_info);
    ORTC_NEEDED(name);
    ORTC_NEEDED(type_info);
    if (*name == '\0') return invalid_argument("'name' must not be empty");
    if (type_info->kind != ONNX_TYPE_TENSOR) {
      return not_implemented("CreateValueInfo of a type that is not a tensor");
    }
    ASSIGN_OR_RETURN(Type type, api::tensor_type_of(type_info->tensor));
    type.denotation = type_info->denotation;
    *value_info = new OrtValueInfo(name, std::move(type), *type_info);
    return {};
  });
}

OrtStatus* OrtCreateNode(const char* operator_name, const char* domain_name, const char* node_name,
                         const char* const* input_names, size_t input_names_len,
                         const char* const* output_names, size_t output_names_len,
                         OrtOpAttr** attributes, size_t attribs_len, OrtNode** node) {
  return guard([&]() -> Status {
    ORTC_OUT(node);
    ORTC_NEEDED(operator_name);
    ORTC_NEEDED(domain_name);
    ORTC_NEEDED(node_name);
    if (*operator_name == '\0') return invalid_argument("'operator_name' must not be empty");
    NodeDraft draft;
    draft.op_type = operator_name;
    draft.domain = domain_name;
    draft.name = node_name;
    RETURN_IF_ERROR(api::collect_names("input_names", input_names, input_names_len, draft.inputs));
    RETURN_IF_ERROR(
        api::collect_names("output_names", output_names, output_names_len, draft.outputs));
    RETURN_IF_ERROR(api::collect_attributes(attributes, attribs_len, draft.attributes));
    *node = new OrtNode(std::move(draft));
    for (size_t i = 0; i < attribs_len; ++i) delete std::exchange(attributes[i], nullptr);
    return {};
  });
}

OrtStatus* OrtCreateGraph(OrtGraph** graph) {
  return guard([&]() -> Status {
    ORTC_OUT(graph);
    *graph = new OrtGraph;
    return {};
  });
}

OrtStatus* OrtSetGraphInputs(OrtGraph* graph, OrtValueInfo** inputs, size_t inputs_len) {
  return guard([&]() -> Status {
    ORTC_NEEDED(graph);
    return api::set_ports(*graph, "inputs", inputs, inputs_len, graph->inputs);
  });
}

OrtStatus* OrtSetGraphOutputs(OrtGraph* graph, OrtValueInfo** outputs, size_t outputs_len) {
  return guard([&]() -> Status {
    ORTC_NEEDED(graph);
    return api::set_ports(*graph, "outputs", outputs, outputs_len, graph->outputs);
  });
}

OrtStatus* OrtAddInitializerToGraph(OrtGraph* graph, const char* name, OrtValue* tensor,
                                    bool data_is_external) {
  return guard([&]() -> Status {
    ORTC_NEEDED(graph);
    ORTC_NEEDED(name);
    ORTC_NEEDED(tensor);
    if (*name == '\0') return invalid_argument("'name' must not be empty");
    RETURN_IF_ERROR(api::check_draft(*graph));
    RETURN_IF_ERROR(api::check_initializer(*tensor, data_is_external));
    RETURN_IF_ERROR(api::check_host(*tensor));
    const bool is_taken = std::ranges::any_of(
        graph->draft_initializers, [&](const auto& known) { return known.value.get() == tensor; });
    if (is_taken) return invalid_argument("'tensor' has already been added to the graph");
    if (tensor->lent.is_lent) {
      return invalid_argument(
          "'tensor' is not the caller's to give: it has already been added to another graph, or "
          "was lent for a call");
    }
    if (graph->draft_names.contains(name)) {
      return invalid_argument("the name '", name, "' is defined in the graph already");
    }
    auto constant = std::make_shared<Constant>();
    constant->name = name;
    ASSIGN_OR_RETURN(constant->tensor, api::kept_tensor(tensor->tensor, data_is_external));
    // The last that may fail: an initializer is added as a whole or not at all.
    api::make_room(graph->draft_initializers, 1);
    graph->draft_names.insert(name);
    graph->draft_initializers.push_back({std::move(constant), std::unique_ptr<OrtValue>(tensor)});
    tensor->lent.is_lent = true;  // by the graph, from now on
    return {};
  });
}

OrtStatus* OrtAddNodeToGraph(OrtGraph* graph, OrtNode* node) {
  return guard([&]() -> Status {
    ORTC_NEEDED(graph);
    ORTC_NEEDED(node);
    RETURN_IF_ERROR(api::check_draft(*graph));
    if (!node->is_draft() || node->graph != nullptr) {
      return invalid_argument("'node' has already been added to a graph");
    }
    const NodeDraft& draft = node->draft;
    if (graph->draft_node_names.contains(draft.name)) {
      return invalid_argument("the graph has a node '", draft.name, "' already");
    }
    for (size_t i = 0; i < draft.outputs.size(); ++i) {
      const std::string& name = draft.outputs[i];
      const auto before = draft.outputs.begin() + static_cast<ptrdiff_t>(i);
      const bool is_twice = std::find(draft.outputs.begin(), before, name) != before;
      if (!name.empty() && (is_twice || graph->draft_names.contains(name))) {
        return invalid_argument("'", name, "' is defined in the graph already");
      }
    }
    // Everything that may fail comes first: a node is added as a whole or not at all.
    std::unordered_set<std::string> names, node_names;
    for (const std::string& name : draft.outputs) {
      if (!name.empty()) names.insert(name);
    }
    if (!draft.name.empty()) node_names.insert(draft.name);
    api::make_room(graph->draft_names, names.size());
    api::make_room(graph->draft_node_names, node_names.size());
    api::make_room(graph->nodes, 1);
    api::make_room(graph->own_nodes, 1);
    graph->draft_names.merge(names);
    graph->draft_node_names.merge(node_names);
    graph->nodes.push_back(node);
    graph->own_nodes.emplace_back(node);
    node->graph = graph;
    return {};
  });
}

OrtStatus* OrtCreateModel(const char* const* domain_names, const int* opset_versions,
                          size_t opset_entries_len, OrtModel** model) {
  return guard([&]() -> Status {
    ORTC_OUT(model);
    std::vector<std::string> domains;
    RETURN_IF_ERROR(api::collect_names("domain_names", domain_names, opset_entries_len, domains));
    if (opset_entries_len != 0) ORTC_NEEDED(opset_versions);
    auto parts = std::make_shared<api::ModelParts>();
    for (size_t i = 0; i < opset_entries_len; ++i) {
      if (opset_versions[i] < 1) {
        return invalid_argument("'opset_versions[", i, "]' is ", opset_versions[i],
                                ", expected 1 or more");
      }
      const std::string domain = domains[i] == "ai.onnx" ? std::string() : domains[i];
      for (const auto& known : parts->opsets) {
        if (known.first == domain) {
          return invalid_argument("'domain_names' has '", domains[i], "' twice");
        }
      }
      parts->opsets.emplace_back(domain, opset_versions[i]);
    }
    *model = new OrtModel{std::move(parts)};
    return {};
  });
}

OrtStatus* OrtAddGraphToModel(OrtModel* model, OrtGraph* graph) {
  return guard([&]() -> Status {
    ORTC_NEEDED(model);
    ORTC_NEEDED(graph);
    RETURN_IF_ERROR(api::check_draft(*graph));
    if (graph->draft_model != nullptr) {
      return invalid_argument("'graph' belongs to a model already");
    }
    if (model->parts->graph != nullptr) return invalid_argument("the model has a graph already");
    graph->draft_model = model;
    model->parts->graph.reset(graph);
    return {};
  });
}

void OrtReleaseModel(OrtModel* model) { delete model; }

}  // extern "C"
