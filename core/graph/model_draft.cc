// SPDX-License-Identifier: MIT
// Drafts of graphs: see the header.
#include "core/graph/model_draft.h"

#include <algorithm>

#include "core/graph/verify.h"

namespace ortc {
namespace {

// The first IR version that may carry an opset of ONNX: readers of that time know both.
int64_t ir_version_for(int64_t opset) {
  if (opset <= 18) return 8;
  if (opset <= 20) return 9;
  if (opset <= 22) return 10;
  if (opset == 23) return 11;
  return opset == 24 ? 12 : 13;
}

std::string normalised(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

// The type that a value has when two places tell it.
Status apply_type(Value& value, const Type& type, std::string_view what) {
  RETURN_IF_ERROR_WHILE(merge_type(value.type, type), what, " '", value.name, "'");
  value.has_value_info = true;
  return {};
}

// Adds a draft to a graph. Half done when it fails: the caller drops the graph.
class DraftAdder {
 public:
  explicit DraftAdder(Graph& graph) : graph_(graph) {}

  Status add(const GraphDraft& draft) {
    RETURN_IF_ERROR(add_inputs(draft));
    RETURN_IF_ERROR(add_initializers(draft));
    RETURN_IF_ERROR(add_nodes(draft));
    RETURN_IF_ERROR(add_outputs(draft));
    RETURN_IF_ERROR(check_definitions());
    RETURN_IF_ERROR(graph_.topological_order().status());
    return verify_graph(graph_);
  }

 private:
  Result<ValueId> find_or_add(const std::string& name) {
    if (const Value* known = graph_.find_value(name)) return known->id;
    return graph_.add_value(name);
  }

  Status add_inputs(const GraphDraft& draft) {
    if (draft.inputs.empty()) return {};
    std::vector<ValueId> ids;
    for (const PortDraft* input : draft.inputs) {
      ASSIGN_OR_RETURN(const ValueId id, find_or_add(input->name));
      Value& value = *graph_.value(id);
      if (std::ranges::find(ids, id) != ids.end()) {
        return invalid_graph("input '", input->name, "' appears twice");
      }
      if (value.producer != kNoNode) {
        return invalid_graph("input '", input->name, "' is written by ",
                             graph_.node(value.producer)->label());
      }
      RETURN_IF_ERROR(apply_type(value, input->type, "input"));
      if (value.type.is_tensor() && value.type.dtype == DType::kUndefined) {
        return invalid_graph("graph input '", input->name, "' has no element type");
      }
      ids.push_back(id);
    }
    graph_.set_inputs(std::move(ids));
    return {};
  }

  Status add_initializers(const GraphDraft& draft) {
    for (const auto& constant : draft.initializers) {
      ASSIGN_OR_RETURN(const ValueId id, find_or_add(constant->name));
      Value& value = *graph_.value(id);
      if (value.initializer != nullptr || value.producer != kNoNode) {
        return invalid_graph("initializer '", constant->name, "' is defined already");
      }
      const Type found = Type::tensor_of(constant->tensor);
      if (value.is_input) {
        Type declared = value.type;
        RETURN_IF_ERROR_WHILE(merge_type(declared, found), "initializer '", constant->name, "'");
      } else {
        value.type = found;
      }
      graph_.set_initializer(id, constant);
    }
    return {};
  }

  Status add_nodes(const GraphDraft& draft) {
    for (const NodeDraft* node : draft.nodes) {
      for (const std::string& name : node->outputs) {
        if (!name.empty()) RETURN_IF_ERROR(find_or_add(name).status());
      }
    }
    for (const NodeDraft* node : draft.nodes) {
      RETURN_IF_ERROR_WHILE(add_node(*node), "node '", node->name, "' (", node->op_type, ")");
    }
    return {};
  }

  Status add_node(const NodeDraft& draft) {
    const std::string domain = normalised(draft.domain);
    if (graph_.opset(domain) == 0) {
      return invalid_graph("This is an invalid model. Error No opset import for domain '", domain,
                           "'");
    }
    std::vector<ValueId> inputs, outputs;
    for (const std::string& name : draft.inputs) {
      const Value* value = name.empty() ? nullptr : graph_.find_value(name);
      if (value == nullptr && !name.empty()) {
        return invalid_graph("This is an invalid model. Node input '", name,
                             "' is not a graph input, initializer, or output "
                             "of a previous node.");
      }
      inputs.push_back(value != nullptr ? value->id : kNoValue);
    }
    for (const std::string& name : draft.outputs) {
      outputs.push_back(name.empty() ? kNoValue : graph_.find_value(name)->id);
    }
    return graph_
        .add_node(draft.op_type, domain, draft.name, std::move(inputs), std::move(outputs),
                  draft.attributes)
        .status();
  }

  Status add_outputs(const GraphDraft& draft) {
    if (draft.outputs.empty()) return {};
    std::vector<ValueId> ids;
    for (const PortDraft* output : draft.outputs) {
      Value* value = graph_.find_value(output->name);
      if (value == nullptr) {
        return invalid_graph("output '", output->name, "' is defined by nothing");
      }
      RETURN_IF_ERROR(apply_type(*value, output->type, "output"));
      ids.push_back(value->id);
    }
    graph_.set_outputs(std::move(ids));
    return {};
  }

  // What was an input of the model and is not any more may leave a hole.
  Status check_definitions() {
    for (ValueId id = 0; id < graph_.value_bound(); ++id) {
      const Value* value = graph_.value(id);
      if (value == nullptr || value->is_input || value->initializer != nullptr ||
          value->producer != kNoNode) {
        continue;
      }
      if (!value->uses.empty() || value->is_output) {
        return invalid_graph("'", value->name, "' is read, but nothing defines it");
      }
      graph_.remove_value(id);
    }
    return {};
  }

  Graph& graph_;
};

Result<std::shared_ptr<OpsetImports>> merged_opsets(const OpsetImports* base,
                                                    const OpsetImports& more,
                                                    const GraphDraft& draft) {
  auto merged = std::make_shared<OpsetImports>();
  if (base != nullptr) *merged = *base;
  for (const auto& [given, version] : more) {
    const std::string domain = normalised(given);
    const auto known =
        std::ranges::find_if(*merged, [&](const auto& entry) { return entry.first == domain; });
    if (known == merged->end()) {
      merged->emplace_back(domain, version);
    } else if (known->second != version) {
      return invalid_argument("domain '", domain, "' is imported with opset ", known->second,
                              ", and with ", version);
    }
  }
  const bool has_microsoft = std::ranges::any_of(
      *merged, [](const auto& entry) { return entry.first == kMicrosoftDomain; });
  const bool needs_microsoft = std::ranges::any_of(
      draft.nodes, [](const NodeDraft* node) { return node->domain == kMicrosoftDomain; });
  // There is no other version.
  if (needs_microsoft && !has_microsoft) merged->emplace_back(kMicrosoftDomain, 1);
  return merged;
}

}  // namespace

Result<std::unique_ptr<Model>> build_model(const GraphDraft& draft, const OpsetImports& opsets) {
  if (draft.outputs.empty())
    return invalid_argument("the graph of the model must have at least one output");
  ASSIGN_OR_RETURN(const auto imports, merged_opsets(nullptr, opsets, draft));
  auto model = std::make_unique<Model>();
  model->opsets = imports;
  model->graph = std::make_shared<Graph>(model->opsets);
  if (model->graph->opset("") == 0) {
    return invalid_argument(
        "The opset for the ONNX domain must be explicitly specified: the model "
        "imports none for ''");
  }
  model->ir_version = ir_version_for(model->graph->opset(""));
  RETURN_IF_ERROR(DraftAdder(*model->graph).add(draft));
  return model;
}

Result<std::unique_ptr<Model>> extend_model(const Model& model, const GraphDraft& draft,
                                            const OpsetImports& opsets) {
  ASSIGN_OR_RETURN(const auto imports, merged_opsets(model.opsets.get(), opsets, draft));
  auto extended = clone_model(model);
  extended->opsets = imports;
  extended->graph->set_opsets(imports);
  RETURN_IF_ERROR(DraftAdder(*extended->graph).add(draft));
  return extended;
}

std::unique_ptr<Model> clone_model(const Model& model) {
  auto copy = std::make_unique<Model>(model);
  copy->graph = model.graph->clone();
  return copy;
}

}  // namespace ortc
