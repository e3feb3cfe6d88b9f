// SPDX-License-Identifier: MIT
// A graph as a program tells it, by names: what the model editor collects. Becomes a model of its
// own, or is added to one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/graph/model.h"

namespace ortc {

struct PortDraft {
  std::string name;
  Type type;
};

struct NodeDraft {
  std::string op_type, domain, name;
  std::vector<std::string> inputs, outputs;  // "": omitted
  std::vector<Attribute> attributes;         // without graphs
};

// Pointers are borrowed for the call.
struct GraphDraft {
  std::vector<const PortDraft*> inputs, outputs;
  std::vector<std::shared_ptr<const Constant>> initializers;
  std::vector<const NodeDraft*> nodes;
};

// INVALID_ARGUMENT when there are no outputs or ONNX's opset is missing; INVALID_GRAPH for names
// that are defined twice or by nothing, domains without opset, inputs without element type, cycles.
Result<std::unique_ptr<Model>> build_model(const GraphDraft& draft, const OpsetImports& opsets);

// A copy of `model` with the draft's nodes and initializers; inputs and outputs become the draft's
// when it has any. What is not an input any more must be written by a new node. Opsets of both
// must agree (INVALID_ARGUMENT); domains that are new are added.
Result<std::unique_ptr<Model>> extend_model(const Model& model, const GraphDraft& draft,
                                            const OpsetImports& opsets);

// A deep copy; constants are shared.
std::unique_ptr<Model> clone_model(const Model& model);

}  // namespace ortc
