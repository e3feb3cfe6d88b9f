// SPDX-License-Identifier: MIT
// Unique names: see the header.
#include "core/context/edit/merge_names.h"

#include <map>

#include "core/context/context_source.h"
#include "core/graph/walk.h"
#include "core/proto/wire.h"

namespace ortc {
namespace {

using NameMap = std::map<std::string, std::string, std::less<>>;

bool is_opaque(const Node& node) {
  return node.attribute(kGenerationAttribute) == nullptr &&
         node.attribute(kContextHashAttribute) == nullptr;
}

// Calls visit(Dim&) for the dimensions of a type, inside sequences and optionals too.
void for_dims(Type& type, const std::function<void(Dim&)>& visit) {
  if (type.shape) {
    for (Dim& dim : *type.shape) visit(dim);
  }
  if (type.element == nullptr) return;
  Type element = *type.element;
  for_dims(element, visit);
  type.element = std::make_shared<const Type>(std::move(element));
}

// "dec/x", or with a number behind when even that is taken.
template <typename IsTaken>
std::string name_with_label(const std::string& label, const std::string& name, IsTaken&& is_taken) {
  const std::string stem = str_cat(label, "/", name);
  std::string result = stem;
  for (int number = 2; is_taken(result); ++number) result = str_cat(stem, "_", number);
  return result;
}

class Renamer {
 public:
  Renamer(const EditSource& source, const NamesInUse& used, std::vector<Renaming>& renamed)
      : source_(source), used_(used), renamed_(renamed) {
    own_.add(*source.model->graph);
  }

  Status run() {
    Graph& graph = *source_.model->graph;
    RETURN_IF_ERROR(rename_values(graph));
    RETURN_IF_ERROR(rename_nodes(graph));
    rename_symbols(graph);
    return rewrite_annotations(graph);
  }

 private:
  template <typename Set>
  std::string free_name(const std::string& name, const Set& used, Set& own) {
    std::string result = name_with_label(source_.label, name, [&](const std::string& candidate) {
      return used.contains(candidate) || own.contains(candidate);
    });
    own.insert(result);
    return result;
  }

  void note(const char* kind, const std::string& from, const std::string& to) {
    renamed_.push_back({source_.label, kind, from, to});
  }

  Status rename_values(Graph& graph) {
    for (ValueId id = 0; id < graph.value_bound(); ++id) {
      const Value* value = graph.value(id);
      // A captured one is renamed with what it stands for.
      if (value == nullptr || value->is_captured() || !used_.values.contains(value->name)) continue;
      const std::string before = value->name;
      const std::string now = free_name(before, used_.values, own_.values);
      RETURN_IF_ERROR(graph.rename_value(id, now));
      values_.emplace(before, now);
      note("value", before, now);
    }
    for (Node& node : nodes_of(graph)) {
      for (Graph* body : node.subgraphs()) RETURN_IF_ERROR(rename_values(*body));
    }
    return Status::ok();
  }

  Status rename_nodes(Graph& graph) {
    for (Node& node : nodes_of(graph)) {
      for (Graph* body : node.subgraphs()) RETURN_IF_ERROR(rename_nodes(*body));
      const bool is_context = node.is_op("EPContext", kMicrosoftDomain);
      if (is_context && is_opaque(node)) RETURN_IF_ERROR(check_opaque(node));
      const std::string before = node.name();
      if (before.empty() || !used_.nodes.contains(before)) continue;
      if (is_context) {
        // Its graph is still called what it was.
        const std::string partition(partition_name_of(node));
        node.set_attribute(Attribute::of_string("partition_name", partition));
      }
      node.set_name(free_name(before, used_.nodes, own_.nodes));
      note("node", before, node.name());
    }
    return Status::ok();
  }

  Status check_opaque(const Node& node) const {
    const std::string source(node.string_attribute("source", ""));
    const std::string partition(partition_name_of(node));
    if (!used_.opaque_partitions.contains({source, partition})) return Status::ok();
    return invalid_argument("'", source_.path, "' and a model before it both have a partition '",
                            partition, "' of the source '", source,
                            "', whose contexts cannot be changed; compile one of the models with ",
                            "a prefix");
  }

  void rename_symbols(Graph& graph) {
    for (const std::string& symbol : std::set<std::string, std::less<>>(own_.symbols)) {
      if (!used_.symbols.contains(symbol)) continue;
      const std::string now = free_name(symbol, used_.symbols, own_.symbols);
      replace_symbol(graph, symbol, Dim::named(now));
      note("dimension", symbol, now);
    }
  }

  // TensorAnnotation: tensor_name = 1, quant_parameter_tensor_names = 2 {key = 1, value = 2}.
  Status rewrite_annotations(Graph& graph) const {
    if (values_.empty()) return Status::ok();
    for (std::string& annotation : graph.quantization_annotations) {
      ASSIGN_OR_RETURN(annotation, renamed_message(annotation, /*name_field=*/1,
                                                   /*entry_field=*/2));
    }
    return Status::ok();
  }

  Result<std::string> renamed_message(std::string_view text, uint32_t name_field,
                                      uint32_t entry_field) const {
    std::string out;
    const Bytes bytes = as_bytes(text);
    for (uint64_t position = 0; position < bytes.size();) {
      const uint64_t begin = position;
      ASSIGN_OR_RETURN(const WireField field, read_field(bytes, position, bytes.size()));
      const std::string_view payload = text.substr(
          field.payload_begin, field.type == WireType::kBytes ? field.payload_size() : 0);
      std::string changed;
      if (field.type == WireType::kBytes && field.number == name_field) {
        const auto renaming = values_.find(payload);
        changed = renaming != values_.end() ? renaming->second : std::string(payload);
      } else if (field.type == WireType::kBytes && field.number == entry_field) {
        ASSIGN_OR_RETURN(changed, renamed_message(payload, /*name_field=*/2, /*entry_field=*/0));
      } else {
        out += text.substr(begin, position - begin);
        continue;
      }
      append_tag(out, field.number, WireType::kBytes);
      append_varint(out, changed.size());
      out += changed;
    }
    return out;
  }

  const EditSource& source_;
  const NamesInUse& used_;
  std::vector<Renaming>& renamed_;
  NamesInUse own_;
  NameMap values_;
};

}  // namespace

void for_types(Graph& graph, const std::function<void(Type&)>& visit) {
  for (ValueId id = 0; id < graph.value_bound(); ++id) {
    if (graph.value(id) != nullptr) visit(graph.value(id)->type);
  }
  for (Node& node : nodes_of(graph)) {
    for (Graph* body : node.subgraphs()) for_types(*body, visit);
  }
}

void replace_symbol(Graph& graph, const std::string& symbol, const Dim& dim) {
  for_types(graph, [&](Type& type) {
    for_dims(type, [&](Dim& place) {
      if (place.is_known() || place.symbol != symbol) return;
      place.value = dim.value;
      place.symbol = dim.symbol;
    });
  });
}

void NamesInUse::add(const Graph& graph) {
  for (ValueId id = 0; id < graph.value_bound(); ++id) {
    const Value* value = graph.value(id);
    if (value == nullptr) continue;
    values.insert(value->name);
    Type type = value->type;
    for_dims(type, [&](Dim& dim) {
      if (!dim.symbol.empty()) symbols.insert(dim.symbol);
    });
  }
  for (const Node& node : nodes_of(graph)) {
    if (!node.name().empty()) nodes.insert(node.name());
    if (node.is_op("EPContext", kMicrosoftDomain) && is_opaque(node)) {
      opaque_partitions.emplace(node.string_attribute("source", ""), partition_name_of(node));
    }
    for (const Graph* body : node.subgraphs()) add(*body);
  }
}

Status make_names_unique(const EditSource& source, const NamesInUse& used,
                         std::vector<Renaming>& renamed) {
  return Renamer(source, used, renamed).run();
}

}  // namespace ortc
