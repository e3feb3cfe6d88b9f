// SPDX-License-Identifier: MIT
// AttributeProto -> Attribute, with the tensors and graphs it holds.
#include "core/graph/importer.h"
#include "core/proto/tensor_data.h"

namespace ortc {
namespace {

constexpr uint64_t kAttributeCost = sizeof(Attribute) + 32;

// Files older than the `type` field: the one field that is set says it.
AttributeKind kind_of(const Onnx__AttributeProto& proto) {
  if (proto.type != 0) {
    const bool is_known = proto.type > 0 && proto.type <= 14;
    return is_known ? static_cast<AttributeKind>(proto.type) : AttributeKind::kUndefined;
  }
  AttributeKind kind = AttributeKind::kUndefined;
  int set = 0;
  auto note = [&](bool is_set, AttributeKind candidate) {
    if (!is_set) return;
    ++set;
    kind = candidate;
  };
  note(proto.has_f, AttributeKind::kFloat);
  note(proto.has_i, AttributeKind::kInt);
  note(proto.has_s, AttributeKind::kString);
  note(proto.t != nullptr, AttributeKind::kTensor);
  note(proto.g != nullptr, AttributeKind::kGraph);
  note(proto.n_floats != 0, AttributeKind::kFloats);
  note(proto.n_ints != 0, AttributeKind::kInts);
  note(proto.n_strings != 0, AttributeKind::kStrings);
  note(proto.n_tensors != 0, AttributeKind::kTensors);
  note(proto.n_graphs != 0, AttributeKind::kGraphs);
  note(proto.sparse_tensor != nullptr, AttributeKind::kSparseTensor);
  note(proto.n_sparse_tensors != 0, AttributeKind::kSparseTensors);
  note(proto.tp != nullptr, AttributeKind::kTypeProto);
  note(proto.n_type_protos != 0, AttributeKind::kTypeProtos);
  return set == 1 ? kind : AttributeKind::kUndefined;
}

}  // namespace

Result<std::vector<Attribute>> Importer::import_attributes(const Onnx__NodeProto& node,
                                                           Scope& scope) {
  std::vector<Attribute> attributes;
  std::unordered_set<std::string_view> names;
  attributes.reserve(node.n_attribute);
  for (size_t i = 0; i < node.n_attribute; ++i) {
    const Onnx__AttributeProto& proto = *node.attribute[i];
    const std::string_view name = decoded_.text(proto.name);
    if (name.empty()) return invalid_graph("an attribute has no name");
    if (!names.insert(name).second) return invalid_graph("attribute '", name, "' is given twice");
    ASSIGN_OR_RETURN(const GivenAttribute given, dereference(proto, scope));
    if (given.proto == nullptr) continue;  // the operator's default applies
    auto attribute = import_attribute(*given.proto, *given.scope, scope.graph);
    if (!attribute.is_ok()) {
      return std::move(Status(attribute.status()).note(str_cat("attribute '", name, "'")));
    }
    attribute->name = name;
    attributes.push_back(std::move(*attribute));
  }
  return attributes;
}

Result<Importer::GivenAttribute> Importer::dereference(const Onnx__AttributeProto& proto,
                                                       const Scope& scope) const {
  const std::string_view reference = decoded_.text(proto.ref_attr_name);
  if (reference.empty()) return GivenAttribute{&proto, &scope};
  if (scope.call == nullptr) {
    return invalid_graph("attribute '", decoded_.text(proto.name), "' refers to '", reference,
                         "' of a function, but stands in none");
  }
  auto given = scope.call->attributes.find(reference);
  if (given == scope.call->attributes.end()) return GivenAttribute{};
  const AttributeKind expected = kind_of(proto), found = kind_of(*given->second.proto);
  if (expected != AttributeKind::kUndefined && expected != found) {
    return invalid_graph("attribute '", decoded_.text(proto.name), "': expected type ", expected,
                         ", found type ", found, " in '", reference, "' of the call");
  }
  return given->second;
}

// `scope` is where the names of a graph attribute have their meaning, `parent` where the graph will
// hang: inside inlined functions these differ.
Result<Attribute> Importer::import_attribute(const Onnx__AttributeProto& proto, const Scope& scope,
                                             Graph* parent) {
  RETURN_IF_ERROR(charge(kAttributeCost));
  Attribute out;
  out.name = decoded_.string(proto.name);
  out.kind = kind_of(proto);
  out.doc = decoded_.string(proto.doc_string);
  out.unknown_fields = unknown_fields_of(proto.base);
  RETURN_IF_ERROR(import_attribute_value(proto, scope, parent, out));
  return out;
}

Status Importer::import_attribute_value(const Onnx__AttributeProto& proto, const Scope& scope,
                                        Graph* parent, Attribute& out) {
  auto lacks = [](const char* what) { return invalid_graph("the ", what, " is missing"); };
  switch (out.kind) {
    case AttributeKind::kUndefined:
      return invalid_graph("type ", proto.type, " is not one of ONNX's");
    case AttributeKind::kFloat:
      out.f = proto.f;
      return Status::ok();
    case AttributeKind::kInt:
      out.i = proto.i;
      return Status::ok();
    case AttributeKind::kString:
      out.s = decoded_.blob(proto.s);
      return Status::ok();
    case AttributeKind::kTensor: {
      if (proto.t == nullptr) return lacks("tensor");
      ASSIGN_OR_RETURN(out.tensor, import_constant(*proto.t));
      return Status::ok();
    }
    case AttributeKind::kGraph: {
      if (proto.g == nullptr) return lacks("graph");
      ASSIGN_OR_RETURN(out.graph, import_subgraph(*proto.g, scope, parent));
      return Status::ok();
    }
    case AttributeKind::kFloats:
      RETURN_IF_ERROR(charge(proto.n_floats * sizeof(float)));
      out.floats.assign(proto.floats, proto.floats + proto.n_floats);
      return Status::ok();
    case AttributeKind::kInts:
      RETURN_IF_ERROR(charge(proto.n_ints * sizeof(int64_t)));
      out.ints.assign(proto.ints, proto.ints + proto.n_ints);
      return Status::ok();
    case AttributeKind::kStrings:
      RETURN_IF_ERROR(charge(proto.n_strings * (sizeof(Blob) + 64)));
      for (size_t i = 0; i < proto.n_strings; ++i) {
        out.strings.push_back(decoded_.blob(proto.strings[i]));
      }
      return Status::ok();
    case AttributeKind::kTensors:
      for (size_t i = 0; i < proto.n_tensors; ++i) {
        ASSIGN_OR_RETURN(auto constant, import_constant(*proto.tensors[i]));
        out.tensors.push_back(std::move(constant));
      }
      return Status::ok();
    case AttributeKind::kGraphs:
      for (size_t i = 0; i < proto.n_graphs; ++i) {
        ASSIGN_OR_RETURN(auto graph, import_subgraph(*proto.graphs[i], scope, parent));
        out.graphs.push_back(std::move(graph));
      }
      return Status::ok();
    case AttributeKind::kSparseTensor: {
      if (proto.sparse_tensor == nullptr) return lacks("sparse tensor");
      ASSIGN_OR_RETURN(out.sparse, import_sparse(*proto.sparse_tensor));
      return Status::ok();
    }
    case AttributeKind::kSparseTensors:
      for (size_t i = 0; i < proto.n_sparse_tensors; ++i) {
        ASSIGN_OR_RETURN(auto sparse, import_sparse(*proto.sparse_tensors[i]));
        out.sparses.push_back(std::move(sparse));
      }
      return Status::ok();
    case AttributeKind::kTypeProto: {
      if (proto.tp == nullptr) return lacks("type");
      ASSIGN_OR_RETURN(Type type, import_type(decoded_, *proto.tp));
      out.type = std::make_shared<const Type>(std::move(type));
      return Status::ok();
    }
    case AttributeKind::kTypeProtos:
      for (size_t i = 0; i < proto.n_type_protos; ++i) {
        ASSIGN_OR_RETURN(Type type, import_type(decoded_, *proto.type_protos[i]));
        out.types.push_back(std::make_shared<const Type>(std::move(type)));
      }
      return Status::ok();
  }
  return Status::ok();
}

Result<std::shared_ptr<Graph>> Importer::import_subgraph(const Onnx__GraphProto& proto,
                                                         const Scope& scope, Graph* parent) {
  RETURN_IF_ERROR(charge(sizeof(Graph)));
  auto graph = std::make_shared<Graph>(opsets_, parent);
  Scope inner;
  inner.graph = graph.get();
  inner.outer = &scope;
  inner.call = scope.call;
  RETURN_IF_ERROR_WHILE(import_graph(proto, inner), "graph '", decoded_.text(proto.name), "'");
  return graph;
}

Result<std::shared_ptr<const Constant>> Importer::import_constant(const Onnx__TensorProto& proto) {
  if (auto known = constants_.find(&proto); known != constants_.end()) return known->second;
  ASSIGN_OR_RETURN(DecodedTensor decoded, decode_tensor(decoded_, proto, files_));
  auto constant = std::make_shared<Constant>();
  constant->name = decoded_.string(proto.name);
  constant->tensor = std::move(decoded.tensor);
  constant->doc = decoded_.string(proto.doc_string);
  constant->unknown_fields = unknown_fields_of(proto.base);
  if (decoded.external) {
    constant->external = std::make_shared<const ExternalLocation>(
        ExternalLocation{decoded.external->location, decoded.external->offset,
                         decoded.external->length.value_or(0)});
  }
  // Bodies of functions come by once per call.
  constants_.emplace(&proto, constant);
  return std::shared_ptr<const Constant>(std::move(constant));
}

Result<std::shared_ptr<const SparseConstant>> Importer::import_sparse(
    const Onnx__SparseTensorProto& proto) {
  if (proto.values == nullptr || proto.indices == nullptr) {
    return invalid_graph("a sparse tensor lacks values or indices");
  }
  auto sparse = std::make_shared<SparseConstant>();
  ASSIGN_OR_RETURN(const auto values, import_constant(*proto.values));
  ASSIGN_OR_RETURN(const auto indices, import_constant(*proto.indices));
  sparse->values = *values;
  sparse->indices = *indices;
  sparse->dims.assign(proto.dims, proto.dims + proto.n_dims);
  sparse->unknown_fields = unknown_fields_of(proto.base);
  const Dims& shape = indices->tensor.dims();
  const auto rank = static_cast<int64_t>(sparse->dims.size());
  const bool fits = values->tensor.dims().size() == 1 && !shape.empty() && shape.size() <= 2 &&
                    shape[0] == values->tensor.element_count() &&
                    (shape.size() == 1 || shape[1] == rank) && rank > 0;
  if (!fits || indices->tensor.dtype() != DType::kInt64) {
    return invalid_graph(
        "sparse tensor '", values->name, "' of shape ", dims_to_string(sparse->dims), ": values ",
        dims_to_string(values->tensor.dims()), " and ", dtype_name(indices->tensor.dtype()),
        " indices ", dims_to_string(shape), " do not fit each other");
  }
  if (!checked_element_count(sparse->dims)) {
    return invalid_graph("sparse tensor '", values->name, "': shape ", dims_to_string(sparse->dims),
                         " has no valid number of elements");
  }
  return std::shared_ptr<const SparseConstant>(std::move(sparse));
}

}  // namespace ortc
