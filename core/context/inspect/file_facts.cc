// SPDX-License-Identifier: MIT
// Gathering facts: see the header.
#include "core/context/inspect/file_facts.h"

#include "core/base/hash.h"
#include "core/context/context_source.h"
#include "core/context/inspect/inspect_parts.h"
#include "core/graph/walk.h"
#include "core/platform/file_map.h"
#include "core/platform/path.h"

namespace ortc {
namespace {

constexpr size_t kTextMax = 200;  // longer texts are told by size and hash

std::string text_fact(std::string_view text) {
  const bool is_plain = text.size() <= kTextMax && text.find('\0') == std::string_view::npos;
  if (is_plain) return std::string(text);
  return str_cat(text.size(), " bytes, hash ", hash128(as_bytes(text)).hex());
}

std::string tensor_fact(const Tensor& tensor) {
  Hasher hasher;
  if (tensor.dtype() == DType::kString) {
    for (const std::string& element : tensor.string_elements()) hasher.add(element);
  } else {
    hasher.append(tensor.bytes());
  }
  return str_cat(dtype_name(tensor.dtype()), dims_to_string(tensor.dims()), ", hash ",
                 hasher.finish().hex());
}

std::string sparse_fact(const SparseConstant& sparse) {
  return str_cat("sparse ", dims_to_string(sparse.dims), " of ", tensor_fact(sparse.values.tensor),
                 " at ", tensor_fact(sparse.indices.tensor));
}

template <typename T, typename F>
std::string list_fact(const std::vector<T>& items, F&& fact) {
  std::string text;
  for (const T& item : items) text += str_cat(text.empty() ? "" : ",", fact(item));
  return text_fact(str_cat("[", text, "]"));
}

std::string attribute_fact(const Attribute& attribute) {
  const auto as_is = [](const auto& item) { return str_cat(item); };
  switch (attribute.kind) {
    case AttributeKind::kFloat:
      return str_cat(attribute.f);
    case AttributeKind::kInt:
      return str_cat(attribute.i);
    case AttributeKind::kString:
      return text_fact(attribute.s.text());
    case AttributeKind::kTensor:
      return attribute.tensor ? tensor_fact(attribute.tensor->tensor) : "?";
    case AttributeKind::kFloats:
      return list_fact(attribute.floats, as_is);
    case AttributeKind::kInts:
      return list_fact(attribute.ints, as_is);
    case AttributeKind::kStrings:
      return list_fact(attribute.strings, [](const Blob& text) { return text_fact(text.text()); });
    case AttributeKind::kTensors:
      return list_fact(attribute.tensors, [](const auto& t) { return tensor_fact(t->tensor); });
    case AttributeKind::kSparseTensor:
      return attribute.sparse ? sparse_fact(*attribute.sparse) : "?";
    case AttributeKind::kSparseTensors:
      return list_fact(attribute.sparses, [](const auto& s) { return sparse_fact(*s); });
    case AttributeKind::kTypeProto:
      return attribute.type ? type_to_string(*attribute.type) : "?";
    case AttributeKind::kTypeProtos:
      return list_fact(attribute.types, [](const auto& t) { return type_to_string(*t); });
    case AttributeKind::kGraph:
    case AttributeKind::kGraphs:
      return "graph";  // its nodes are facts of their own
    case AttributeKind::kUndefined:
      break;
  }
  return "?";
}

class ModelFacts {
 public:
  ModelFacts(const Model& model, ModelContextSource& contexts)
      : model_(model), contexts_(contexts) {}

  std::map<std::string, Facts> gather() {
    Facts& fields = parts_["field"];
    fields["ir_version"] = str_cat(model_.ir_version);
    fields["producer"] = str_cat(model_.producer_name, " ", model_.producer_version);
    fields["domain"] = model_.domain;
    fields["model_version"] = str_cat(model_.model_version);
    fields["description"] = text_fact(model_.doc);
    fields["graph"] = model_.graph->name;
    for (const auto& [domain, version] : *model_.opsets) {
      fields[str_cat("opset ", domain.empty() ? "ai.onnx" : domain)] = str_cat(version);
    }
    for (const auto& [key, value] : model_.metadata) parts_["metadata"][key] = text_fact(value);
    add_ports("input", model_.graph->inputs());
    add_ports("output", model_.graph->outputs());
    parts_["weight"], parts_["node"], parts_["context"];
    add_graph(*model_.graph, "");
    return std::move(parts_);
  }

 private:
  // What stands under a name that is taken gets a number behind.
  void add(Facts& facts, const std::string& name, std::string fact) {
    int& count = counts_[{&facts, name}];
    std::string key;
    do {
      key = ++count == 1 ? name : str_cat(name, " #", count);
    } while (facts.contains(key));
    facts.emplace(std::move(key), std::move(fact));
  }

  void add_ports(const char* what, const std::vector<ValueId>& ids) {
    for (size_t i = 0; i < ids.size(); ++i) {
      const Value& value = *model_.graph->value(ids[i]);
      add(parts_["value"], value.name, str_cat(what, " ", i, ": ", type_to_string(value.type)));
    }
  }

  void add_graph(const Graph& graph, const std::string& place) {
    for (ValueId id : graph.initializers()) {
      const Value& value = *graph.value(id);
      add(parts_["weight"], place + value.name,
          value.sparse_initializer ? sparse_fact(*value.sparse_initializer)
                                   : tensor_fact(value.initializer->tensor));
    }
    for (const Node& node : nodes_of(graph)) add_node(graph, node, place);
  }

  static std::string names_of(const Graph& graph, const std::vector<ValueId>& ids) {
    std::string names;
    for (ValueId id : ids)
      names += str_cat(names.empty() ? "" : ", ", id == kNoValue ? "-" : graph.value(id)->name);
    return names;
  }

  void add_node(const Graph& graph, const Node& node, const std::string& place) {
    const bool is_context = node.is_op("EPContext", kMicrosoftDomain);
    // One without a name is told by what it makes.
    const std::string name =
        place + (node.name().empty() ? names_of(graph, node.outputs()) : node.name());
    std::map<std::string, std::string> attributes;
    for (const Attribute& attribute : node.attributes()) {
      if (is_context && attribute.name == "ep_cache_context") continue;
      attributes[attribute.name] = attribute_fact(attribute);
    }
    std::string text =
        str_cat(node.domain(), node.domain().empty() ? "" : ".", node.op_type(), "(",
                names_of(graph, node.inputs()), ") -> (", names_of(graph, node.outputs()), ")");
    for (const auto& [key, value] : attributes) text += str_cat(" ", key, "=", value);
    add(parts_["node"], name, std::move(text));
    if (is_context) add_context(node, name);
    for (const Attribute& attribute : node.attributes()) {
      if (attribute.graph) add_graph(*attribute.graph, str_cat(name, "/", attribute.name, "/"));
      for (const auto& body : attribute.graphs)
        add_graph(*body, str_cat(name, "/", attribute.name, "/"));
    }
  }

  // The bytes of a container are told by its metadata, which have the hashes of all tensors.
  void add_context(const Node& node, const std::string& name) {
    Facts& facts = parts_["context"];
    if (node.attribute(kGenerationAttribute) != nullptr) {
      const auto binary = contexts_.open_container_of(node);
      if (!binary.is_ok()) return add(facts, name, binary.status().message());
      const auto& header = (*binary)->header();
      return add(facts, name,
                 str_cat("generation ", header.generation.hex(), ", ", header.file_size,
                         " bytes, target ", header.target, ", kernels ", header.fingerprint.hex(),
                         ", library ", header.library_version));
    }
    if (node.attribute("ep_cache_context") == nullptr) return add(facts, name, "of another");
    const auto bytes = contexts_.open_raw(node);
    add(facts, name,
        bytes.is_ok() ? str_cat(bytes->size(), " bytes, hash ", hash128(bytes->bytes()).hex())
                      : bytes.status().message());
  }

  const Model& model_;
  ModelContextSource& contexts_;
  std::map<std::string, Facts> parts_;
  std::map<std::pair<const Facts*, std::string>, int> counts_;  // of facts under a name
};

Result<FileFacts> facts_of_binary(const std::string& path, Blob bytes) {
  ASSIGN_OR_RETURN(const auto binary,
                   ContextBinary::open(std::move(bytes), str_cat("'", path, "'")));
  FileFacts result;
  result.kind = "context_binary";
  Facts& fields = result.parts["field"];
  const ContextHeaderInfo& header = binary->header();
  fields["format"] = str_cat(header.major, ".", header.minor);
  fields["library_version"] = header.library_version;
  fields["requires"] = context_feature_names(header.required_features);
  fields["provider"] = header.provider;
  fields["target"] = header.target;
  fields["generation"] = header.generation.hex();
  fields["bytes"] = str_cat(header.file_size);
  const std::string_view kernels = binary->kernels();
  for (size_t begin = 0; begin < kernels.size();) {
    const size_t end = std::min(kernels.find(',', begin), kernels.size());
    result.parts["kernel"][std::string(kernels.substr(begin, end - begin))] = "needed";
    begin = end + 1;
  }
  Facts &graphs = result.parts["graph"], &tensors = result.parts["tensor"];
  for (const std::string& name : binary->graph_names()) {
    ASSIGN_OR_RETURN(const auto graph, binary->graph(name));
    graphs[name] = str_cat("plan ", hash128(graph.plan_image.bytes()).hex(), " of ",
                           graph.plan_image.size(), " bytes, ", graph.tensors.size(), " tensors, ",
                           graph.blob.size(), " bytes of its own");
    for (const Blob& tensor : graph.tensors) {
      tensors[hash128(tensor.bytes()).hex()] = str_cat(tensor.size(), " bytes");
    }
  }
  return result;
}

}  // namespace

Result<FileFacts> FileFacts::of_file(const std::string& path, const ProviderRegistry& providers) {
  const auto map = FileMap::open(path);
  if (map.is_ok() && looks_like_context((*map)->bytes())) {
    return facts_of_binary(path, FileMap::blob(*map, 0, (*map)->bytes().size()));
  }
  ASSIGN_OR_RETURN(const JournalView journal, JournalView::open(path));
  ASSIGN_OR_RETURN(const auto model, import_current(path, journal, nullptr));
  ModelContextSource contexts(*model, providers, path_folder(path), &journal);
  FileFacts result;
  result.kind = "onnx_model";
  result.parts = ModelFacts(*model, contexts).gather();
  return result;
}

}  // namespace ortc
