// SPDX-License-Identifier: MIT
// What can be said of a model whatever became of it: a draft, a compiled model, a session.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/tensor.h"
#include "core/context/compile_report.h"
#include "core/graph/model.h"
#include "core/plan/plan.h"
#include "core/session/runs/profiler.h"

namespace ortc {

// One input, output or overridable initializer.
struct Port {
  std::string name;
  Type type;
};

// Of an optional: what it may hold. Else the type itself.
inline const Type& content_of(const Type& type) {
  return type.kind == TypeKind::kOptional && type.element != nullptr ? *type.element : type;
}

struct ModelPorts {
  std::vector<Port> inputs, outputs;  // without overridable initializers
  std::vector<Port> overridable;
  // Inputs of the main graph, in its order.
  struct GraphInput {
    size_t port = 0;  // index in `inputs` or `overridable`
    bool is_overridable = false;
    // Stands in when a run does not give the input: an overridable initializer's own value, or
    // nothing to speak of for an input that no step reads. Undefined: the input must be given.
    Tensor otherwise;
  };
  std::vector<GraphInput> graph_inputs;

  static ModelPorts of(const Graph& graph);
  // Inputs that `plan`, the model's own, does not look at need not be given.
  Status excuse_unread_inputs(const Plan& plan);
};

// A part of the model that one provider runs.
struct AssignedPart {
  struct Node {
    std::string name, domain, op_type;
  };
  std::string provider;
  std::vector<Node> nodes;
};

struct ModelFacts {
  // Producer, description, version, metadata, the graph's name and description; no nodes.
  std::unique_ptr<const Model> description;
  ModelPorts ports;
  CompileReport report;
  // Null unless session.record_ep_graph_assignment_info=1.
  std::unique_ptr<const std::vector<AssignedPart>> assigned_parts;
  std::shared_ptr<Profiler> profiler;  // null: none was asked for
};

}  // namespace ortc
