// SPDX-License-Identifier: MIT
// GraphProto -> Graph: values first (inputs, initializers, what nodes write), then the nodes, whose
// sub-graphs may read any of them, then outputs and value_info.
#include "core/graph/importer.h"
#include "core/graph/limits.h"
#include "core/proto/tensor_data.h"

namespace ortc {
namespace {

constexpr uint64_t kValueCost = sizeof(Value) + 96;

}  // namespace

Status Importer::import_main_graph() {
  const Onnx__GraphProto& proto = *decoded_.message().graph;
  model_.graph = std::make_shared<Graph>(opsets_);
  Scope scope;
  scope.graph = model_.graph.get();
  RETURN_IF_ERROR(decode_external_frames(proto));
  RETURN_IF_ERROR_WHILE(import_graph(proto, scope), "graph '", decoded_.text(proto.name), "'");
  for (ValueId id : model_.graph->inputs()) {
    const Value& input = *model_.graph->value(id);
    if (input.type.kind == TypeKind::kNone) {
      return invalid_graph("graph input '", input.name, "' has no type");
    }
    if (input.type.is_tensor() && input.type.dtype == DType::kUndefined) {
      return invalid_graph("graph input '", input.name, "' has no element type");
    }
  }
  return Status::ok();
}

Status Importer::import_graph(const Onnx__GraphProto& proto, Scope& scope) {
  const Level level(nesting_);
  RETURN_IF_ERROR(level.check());
  Graph& graph = *scope.graph;
  int depth = 1;
  for (const Graph* outer = graph.parent(); outer != nullptr; outer = outer->parent()) ++depth;
  if (depth > kGraphDepthMax) {
    return invalid_graph("graphs are nested deeper than ", kGraphDepthMax);
  }
  graph.name = decoded_.string(proto.name);
  graph.doc = decoded_.string(proto.doc_string);
  graph.unknown_fields = unknown_fields_of(proto.base);
  graph.metadata = import_entries(decoded_, proto.metadata_props, proto.n_metadata_props);
  for (size_t i = 0; i < proto.n_quantization_annotation; ++i) {
    graph.quantization_annotations.push_back(decoded_.string(proto.quantization_annotation[i]));
  }
  RETURN_IF_ERROR(import_inputs(proto, scope));
  RETURN_IF_ERROR(import_initializers(proto, scope));
  RETURN_IF_ERROR(import_sparse_initializers(proto, scope));
  drop_listed_initializers(graph);
  for (size_t i = 0; i < proto.n_node; ++i) {
    const Onnx__NodeProto& node = *proto.node[i];
    for (size_t j = 0; j < node.n_output; ++j) {
      const std::string_view name = decoded_.text(node.output[j]);
      if (!name.empty()) RETURN_IF_ERROR(define(scope, name).status());
    }
  }
  RETURN_IF_ERROR(import_nodes(proto.node, proto.n_node, scope));
  RETURN_IF_ERROR(import_outputs(proto, scope));
  RETURN_IF_ERROR(import_value_infos(proto, scope));
  return graph.topological_order().status();
}

Result<ValueId> Importer::define(Scope& scope, std::string_view name) {
  if (scope.names.contains(name)) {
    return invalid_graph("the name '", name, "' is defined twice");
  }
  // Inside an inlined function names get the call's prefix; a plain graph keeps its own.
  std::string full(name);
  if (scope.call != nullptr) {
    full = scope.graph->unique_name(str_cat(scope.call->prefix, name));
  } else if (scope.graph->find_value(name) != nullptr) {
    full = scope.graph->unique_name(name);
  }
  RETURN_IF_ERROR(charge(kValueCost + 2 * full.size()));
  ASSIGN_OR_RETURN(const ValueId id, scope.graph->add_value(std::move(full)));
  scope.names.emplace(name, id);
  return id;
}

Result<ValueId> Importer::reach(Graph* target, Graph* home, ValueId id) {
  if (target == home || id == kNoValue) return id;
  if (target == nullptr) return invalid_graph("a value is read outside of the graph it stands in");
  ASSIGN_OR_RETURN(const ValueId outer, reach(target->parent(), home, id));
  RETURN_IF_ERROR(charge(kValueCost));
  return target->capture(outer);
}

Result<ValueId> Importer::resolve(Scope& scope, std::string_view name) {
  for (const Scope* place = &scope; place != nullptr; place = place->outer) {
    auto found = place->names.find(name);
    if (found == place->names.end()) continue;
    if (place == &scope) return found->second;
    ASSIGN_OR_RETURN(const ValueId id, reach(scope.graph, place->graph, found->second));
    scope.names.emplace(name, id);
    return id;
  }
  return invalid_graph("'", name, "' is read, but nothing defines it");
}

Status Importer::import_inputs(const Onnx__GraphProto& proto, Scope& scope) {
  for (size_t i = 0; i < proto.n_input; ++i) {
    const Onnx__ValueInfoProto& info = *proto.input[i];
    const std::string_view name = decoded_.text(info.name);
    if (name.empty()) return invalid_graph("input ", i, " has no name");
    ASSIGN_OR_RETURN(const ValueId id, define(scope, name));
    scope.graph->add_input(id);
    RETURN_IF_ERROR_WHILE(apply_value_info(info, *scope.graph->value(id)), "input '", name, "'");
  }
  return Status::ok();
}

Status Importer::set_initializer(Scope& scope, std::string_view name,
                                 std::shared_ptr<const Constant> constant,
                                 std::shared_ptr<const SparseConstant> sparse) {
  if (name.empty()) return invalid_graph("an initializer has no name");
  ValueId id = kNoValue;
  if (auto known = scope.names.find(name); known != scope.names.end()) {
    id = known->second;
  } else {
    ASSIGN_OR_RETURN(id, define(scope, name));
  }
  Value& value = *scope.graph->value(id);
  if (value.initializer) return invalid_graph("initializer '", name, "' is defined twice");
  const Type found = Type::tensor_of(constant->tensor);
  if (value.is_input) {
    Type declared = value.type;
    RETURN_IF_ERROR_WHILE(merge_type(declared, found), "initializer '", name, "'");
    if (value.type.kind == TypeKind::kNone) value.type = found;
  } else {
    value.type = found;
  }
  scope.graph->set_initializer(id, std::move(constant));
  value.sparse_initializer = std::move(sparse);
  return Status::ok();
}

// Several at once; import_constant() finds them.
Status Importer::decode_external_frames(const Onnx__GraphProto& proto) {
  if (options_.pool == nullptr) return Status::ok();
  std::vector<NeededFrame> frames;
  for (size_t i = 0; i < proto.n_initializer; ++i) {
    auto frame = external_frame_of(decoded_, *proto.initializer[i], files_);
    if (!frame) continue;
    const std::string name = decoded_.string(proto.initializer[i]->name);
    const bool is_given =
        options_.initializers.contains(name) || options_.external_initializers.contains(name);
    if (!is_given) frames.push_back(std::move(*frame));
  }
  Work work = options_.work;
  return decode_ahead(files_, frames, options_.pool, work);
}

Status Importer::import_initializers(const Onnx__GraphProto& proto, Scope& scope) {
  for (size_t i = 0; i < proto.n_initializer; ++i) {
    const std::string_view name = decoded_.text(proto.initializer[i]->name);
    ASSIGN_OR_RETURN(auto given, given_initializer(*proto.initializer[i], name));
    if (given != nullptr) {
      RETURN_IF_ERROR(set_initializer(scope, name, std::move(given), nullptr));
      continue;
    }
    auto constant = import_constant(*proto.initializer[i]);
    if (!constant.is_ok()) {
      return std::move(Status(constant.status()).note(str_cat("initializer '", name, "'")));
    }
    RETURN_IF_ERROR(set_initializer(scope, name, std::move(*constant), nullptr));
  }
  return Status::ok();
}

Result<std::shared_ptr<const Constant>> Importer::given_initializer(const Onnx__TensorProto& proto,
                                                                    std::string_view name) const {
  const std::string key(name);
  const auto external = options_.external_initializers.find(key);
  const bool is_external = external != options_.external_initializers.end();
  const auto plain = options_.initializers.find(key);
  if (!is_external && plain == options_.initializers.end())
    return std::shared_ptr<const Constant>();
  if (is_external && proto.data_location != 1) {
    return fail("initializer '", name, "' has no external data that could be replaced");
  }
  const Tensor& tensor = is_external ? external->second : plain->second;
  const Dims dims(proto.dims, proto.dims + proto.n_dims);
  if (static_cast<int>(tensor.dtype()) != proto.data_type || tensor.dims() != dims) {
    return make_status(is_external ? Code::kFail : Code::kInvalidArgument, "initializer '", name,
                       "': expected element type ", proto.data_type, " and shape ",
                       dims_to_string(dims), ", the tensor given for it is ",
                       dtype_name(tensor.dtype()), dims_to_string(tensor.dims()));
  }
  auto constant = std::make_shared<Constant>();
  constant->name = key;
  constant->tensor = tensor;
  constant->doc = decoded_.string(proto.doc_string);
  return std::shared_ptr<const Constant>(std::move(constant));
}

Status Importer::import_sparse_initializers(const Onnx__GraphProto& proto, Scope& scope) {
  for (size_t i = 0; i < proto.n_sparse_initializer; ++i) {
    auto sparse = import_sparse(*proto.sparse_initializer[i]);
    if (!sparse.is_ok()) {
      return std::move(Status(sparse.status()).note(str_cat("sparse initializer ", i)));
    }
    const std::string& name = (*sparse)->values.name;
    auto constant = std::make_shared<Constant>();
    constant->name = name;
    ASSIGN_OR_RETURN(constant->tensor, densify(**sparse));
    RETURN_IF_ERROR(charge(constant->tensor.byte_size()));
    RETURN_IF_ERROR(set_initializer(scope, name, std::move(constant), std::move(*sparse)));
  }
  return Status::ok();
}

// As in ONNX Runtime: no caller can override them.
void Importer::drop_listed_initializers(Graph& graph) {
  if (model_.ir_version > kLastIrVersionOfListedInitializers) return;
  std::vector<ValueId> inputs;
  for (ValueId id : graph.inputs()) {
    Value& value = *graph.value(id);
    if (value.initializer) {
      value.type = Type::tensor_of(value.initializer->tensor);
      value.has_value_info = false;  // it stood among the inputs only
    } else {
      inputs.push_back(id);
    }
  }
  graph.set_inputs(std::move(inputs));
}

Status Importer::import_outputs(const Onnx__GraphProto& proto, Scope& scope) {
  for (size_t i = 0; i < proto.n_output; ++i) {
    const Onnx__ValueInfoProto& info = *proto.output[i];
    const std::string_view name = decoded_.text(info.name);
    if (name.empty()) return invalid_graph("output ", i, " has no name");
    ASSIGN_OR_RETURN(const ValueId id, resolve(scope, name));
    if (id == kNoValue) return invalid_graph("output '", name, "' is an omitted input");
    scope.graph->add_output(id);
    Value& value = *scope.graph->value(id);
    RETURN_IF_ERROR_WHILE(apply_value_info(info, value), "output '", name, "'");
  }
  return Status::ok();
}

Status Importer::import_value_infos(const Onnx__GraphProto& proto, Scope& scope) {
  for (size_t i = 0; i < proto.n_value_info; ++i) {
    const Onnx__ValueInfoProto& info = *proto.value_info[i];
    const std::string_view name = decoded_.text(info.name);
    auto found = scope.names.find(name);
    if (found == scope.names.end() || found->second == kNoValue) continue;
    RETURN_IF_ERROR_WHILE(apply_value_info(info, *scope.graph->value(found->second)), "value '",
                          name, "'");
  }
  return Status::ok();
}

Status Importer::apply_value_info(const Onnx__ValueInfoProto& info, Value& value) {
  value.has_value_info = true;
  if (value.doc.empty()) value.doc = decoded_.string(info.doc_string);
  if (value.metadata.empty()) {
    value.metadata = import_entries(decoded_, info.metadata_props, info.n_metadata_props);
  }
  if (value.unknown_fields.empty()) value.unknown_fields = unknown_fields_of(info.base);
  if (info.type == nullptr) return Status::ok();
  ASSIGN_OR_RETURN(Type type, import_type(decoded_, *info.type));
  if (value.initializer && !value.is_input && type.is_tensor() &&
      (type.dtype == value.type.dtype || type.dtype == DType::kUndefined)) {
    return Status::ok();  // the tensor knows its own shape
  }
  // A model may say two things of a value, as an output and beside: what they agree on counts.
  return merge_type_leniently(value.type, type);
}

}  // namespace ortc
