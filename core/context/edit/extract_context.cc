// SPDX-License-Identifier: MIT
// Extracting: one EPContext node, its values and its graph become a model.
#include "core/context/context_source.h"
#include "core/context/edit/edit_source.h"
#include "core/context/edit/edits.h"
#include "core/context/edit/rewrite_container.h"
#include "core/context/source_identity.h"
#include "core/graph/graph_view.h"

namespace ortc {
namespace {

Result<Node*> find_node(const EditSource& source, const std::string& name) {
  Node* found = nullptr;
  std::string names;
  RETURN_IF_ERROR(for_context_nodes(*source.model->graph, [&](Node& node) -> Status {
    names += str_cat(names.empty() ? "'" : ", '", node.name(), "'");
    if (node.name() != name) return Status::ok();
    if (found != nullptr) {
      return invalid_argument("'", source.path, "' has two EPContext nodes called '", name,
                              "'; it cannot be said which one to extract");
    }
    found = &node;
    return Status::ok();
  }));
  if (found != nullptr) return found;
  return invalid_argument("'", source.path, "' has no EPContext node '", name, "', only ",
                          names.empty() ? "none" : names);
}

// The node that holds the context of one that has none: written with it.
Result<Node*> find_holder(const EditSource& source, Node& node) {
  if (node.attribute("ep_cache_context") != nullptr) return &node;
  for (const std::string_view tie : {kGenerationAttribute, kContextHashAttribute}) {
    const std::string_view wanted = node.string_attribute(tie, "");
    if (wanted.empty()) continue;
    Node* found = nullptr;
    RETURN_IF_ERROR(for_context_nodes(*source.model->graph, [&](Node& other) {
      const bool holds = other.attribute("ep_cache_context") != nullptr;
      if (holds && other.string_attribute(tie, "") == wanted) found = &other;
      return Status::ok();
    }));
    if (found != nullptr) return found;
  }
  return invalid_argument(node.label(), " of '", source.path,
                          "': it has main_context=0 and says nothing of which context is its own; ",
                          "extract the node of source '", node.string_attribute("source", ""),
                          "' that has it");
}

// A model around nothing. What the whole one says of all its nodes does not hold for one.
Model part_of(const Model& model, const std::string& name) {
  Model part = shell_of(model);
  part.doc.clear();
  part.unknown_fields.clear();
  SourceIdentity::remove_from(part);
  part.graph = std::make_shared<Graph>(model.opsets);
  part.graph->name = name;
  return part;
}

// A value of the node in the new graph, with its type; a constant stays one.
Result<ValueId> take_value(Graph& to, const Node& node, ValueId id, bool is_output) {
  if (id == kNoValue) return kNoValue;
  const Graph& from = *node.graph();
  const Value& here = *from.value(id);
  if (const Value* known = to.find_value(here.name)) return known->id;  // read twice
  const Value& value = defining_value(from, here);
  const Type& type = here.type.kind != TypeKind::kNone ? here.type : value.type;
  ASSIGN_OR_RETURN(const ValueId taken, to.add_value(here.name, type));
  if (!is_output && value.constant() != nullptr) {
    to.set_initializer(taken, value.initializer);
    to.value(taken)->type = Type::tensor_of(value.initializer->tensor);
    return taken;
  }
  if (!type.is_tensor() || type.dtype == DType::kUndefined) {
    return invalid_argument(node.label(), ": the model does not say the type of '", here.name,
                            "', so that it can be no input or output of a model");
  }
  if (is_output) {
    to.add_output(taken);
  } else {
    to.add_input(taken);
  }
  return taken;
}

// Its graph alone, in a container of its own. Bytes of a provider stay as they are.
Status give_context(Node& node, const Blob& context, const ProviderRegistry& providers,
                    EditOutput& output) {
  node.set_attribute(Attribute::of_int("main_context", 1));
  node.set_attribute(Attribute::of_blob("ep_cache_context", context));
  if (node.attribute(kGenerationAttribute) == nullptr) return Status::ok();
  ASSIGN_OR_RETURN(const auto binary, ContextBinary::open(context, node.label()));
  const std::string partition(partition_name_of(node));
  if (binary->graph_names().size() == 1) return Status::ok();
  const auto only_this = [&](const std::string& name) {
    return name == partition ? std::optional(name) : std::nullopt;
  };
  const bool embed = node.int_attribute("embed_mode", 1) != 0;
  ASSIGN_OR_RETURN(RewrittenContainer container,
                   rewrite_container(*binary, embed, only_this, providers,
                                     output.work.part(0, kRewritingShare)));
  if (container.writer != nullptr) output.containers[container.contents.data()] = container.writer;
  node.set_attribute(Attribute::of_blob("ep_cache_context", std::move(container.contents)));
  node.set_attribute(
      Attribute::of_string(std::string(kGenerationAttribute), container.generation.hex()));
  return Status::ok();
}

}  // namespace

Result<EditReport> extract_context(const std::string& path, const std::string& node_name,
                                   EditOutput output, const ProviderRegistry& providers) {
  ASSIGN_OR_RETURN(const EditSource source, EditSource::open(path, providers));
  ASSIGN_OR_RETURN(Node* const node, find_node(source, node_name));
  ASSIGN_OR_RETURN(Node* const holder, find_holder(source, *node));
  Model model = part_of(*source.model, node_name);
  std::vector<ValueId> inputs, outputs;
  for (ValueId id : node->inputs()) {
    ASSIGN_OR_RETURN(const ValueId taken, take_value(*model.graph, *node, id, false));
    inputs.push_back(taken);
  }
  for (ValueId id : node->outputs()) {
    ASSIGN_OR_RETURN(const ValueId taken, take_value(*model.graph, *node, id, true));
    outputs.push_back(taken);
  }
  ASSIGN_OR_RETURN(Node * copy, model.graph->add_node(node->op_type(), node->domain(), node->name(),
                                                      std::move(inputs), std::move(outputs),
                                                      node->attributes()));
  copy->doc = node->doc;
  copy->unknown_fields = node->unknown_fields;
  copy->metadata = node->metadata;
  copy->set_attribute(Attribute::of_int("embed_mode", holder->int_attribute("embed_mode", 1)));
  RETURN_IF_ERROR(give_context(*copy, holder->attribute("ep_cache_context")->s, providers, output));
  output.work = output.work.part(kRewritingShare, 1);
  output.sources = {path};
  EditReport report;
  ASSIGN_OR_RETURN(report.files, write_edited(model, output));
  return report;
}

}  // namespace ortc
