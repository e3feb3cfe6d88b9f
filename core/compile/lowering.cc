// SPDX-License-Identifier: MIT
// Lowering: see the header. First the rewrites, then one walk that writes bodies, slots and steps.
#include "core/compile/lowering.h"

#include <algorithm>
#include <utility>

#include "core/compile/apply_fusions.h"
#include "core/compile/lowerable.h"
#include "core/compile/node_prepare.h"
#include "core/compile/scan_attributes.h"
#include "core/compile/transfers.h"
#include "core/graph/walk.h"
#include "core/rewrite/facts.h"

namespace ortc {
namespace {

// A node without weights takes as long as some bytes of one with weights.
constexpr uint64_t kUnitsPerNode = 4096;

uint64_t units_of(const Node& node) {
  uint64_t units = kUnitsPerNode;
  for (ValueId id : node.inputs()) {
    const Tensor* constant = id != kNoValue ? constant_of(*node.graph(), id) : nullptr;
    if (constant != nullptr) units += constant->byte_size();
  }
  return units;
}

class Lowering {
 public:
  explicit Lowering(const LoweringOptions& options)
      : options_(options), work_(options.work), transfers_(builder_, options.memories) {}

  Result<PlanImage> run(const Graph& graph) {
    work_.expect(lowering_units(graph));
    RETURN_IF_ERROR(lower_body(graph, builder_.add_body()));
    return builder_.finish();
  }

 private:
  // Slots of one body, by value.
  struct Scope {
    const Graph& graph;
    uint32_t body;
    std::vector<uint32_t> slots;
  };

  Status lower_body(const Graph& graph, uint32_t body, const Scope* outer = nullptr) {
    Scope scope{graph, body, std::vector<uint32_t>(graph.value_bound(), kNoIndex)};
    for (ValueId id : graph.inputs()) {
      const uint32_t slot = add_slot(scope, id, SlotKind::kInput);
      builder_.body(body).inputs.push_back(slot);
    }
    for (ValueId id : captures_of(graph)) {
      const uint32_t slot = add_slot(scope, id, SlotKind::kCapture);
      if (outer != nullptr) {
        const uint32_t from = outer->slots[graph.value(id)->outer_value];
        builder_.body(body).slots[slot].memory = builder_.body(outer->body).slots[from].memory;
      }
      builder_.body(body).captures.push_back(slot);
    }
    ASSIGN_OR_RETURN(const auto order, graph.topological_order());
    for (NodeId id : order) {
      RETURN_IF_ERROR(lower_node(scope, *graph.node(id)));
      const uint64_t units = units_of(*graph.node(id));
      RETURN_IF_ERROR(work_.done(units - std::min(units, std::exchange(advanced_, 0))));
    }
    for (ValueId id : graph.outputs()) {
      builder_.body(body).outputs.push_back(host_slot(scope, id));
    }
    return Status::ok();
  }

  // What a body takes from outside at run time, in order of ids.
  static std::vector<ValueId> captures_of(const Graph& graph) {
    std::vector<ValueId> captures;
    for (ValueId id = 0; id < graph.value_bound(); ++id) {
      const Value* value = graph.value(id);
      if (value == nullptr || !value->is_captured()) continue;
      if (value->uses.empty() && !value->is_output) continue;
      if (constant_of(graph, id) == nullptr) captures.push_back(id);
    }
    return captures;
  }

  uint32_t add_slot(Scope& scope, ValueId id, SlotKind kind) {
    const Value& value = *scope.graph.value(id);
    return scope.slots[id] = builder_.add_slot(scope.body, kind, value.name, value.type);
  }

  uint32_t read_slot(Scope& scope, ValueId id) {
    if (id == kNoValue) return kNoIndex;
    if (scope.slots[id] != kNoIndex) return scope.slots[id];
    const Tensor* constant = constant_of(scope.graph, id);
    if (constant == nullptr) return add_slot(scope, id, SlotKind::kIntermediate);
    return scope.slots[id] = builder_.add_constant_slot(scope.body, scope.graph.value(id)->name,
                                                        *constant, Layout::kRowMajor);
  }

  // Where a kernel can read it.
  uint32_t host_slot(Scope& scope, ValueId id) {
    return transfers_.carry(scope.body, read_slot(scope, id), kHostMemory);
  }

  std::vector<uint32_t> host_slots(Scope& scope, const std::vector<ValueId>& ids) {
    std::vector<uint32_t> slots;
    for (ValueId id : ids) slots.push_back(host_slot(scope, id));
    return slots;
  }

  std::vector<uint32_t> write_slots(Scope& scope, const std::vector<ValueId>& ids) {
    std::vector<uint32_t> slots;
    for (ValueId id : ids) {
      if (id == kNoValue) {
        slots.push_back(kNoIndex);
      } else {
        slots.push_back(scope.slots[id] != kNoIndex ? scope.slots[id]
                                                    : add_slot(scope, id, SlotKind::kIntermediate));
      }
    }
    return slots;
  }

  Status lower_node(Scope& scope, const Node& node) {
    PlanBuilder::Step step;
    step.name = node.name();
    step.op = node.op_type();
    const bool has_bodies = has_bodies_that_are_lowered(node);
    if (node.callee() != kNoCallee && !has_bodies) {
      step.kind = StepKind::kCall;
      step.callee = node.callee();
      for (ValueId id : node.inputs()) step.inputs.push_back(read_slot(scope, id));
      transfers_.carry_inputs(scope.body, step.callee, step.inputs);
      step.outputs = write_slots(scope, node.outputs());
      transfers_.place_outputs(scope.body, step.callee, step.outputs);
      builder_.add_step(scope.body, step);
      return Status::ok();
    }
    if (node.callee() != kNoCallee) step.callee = node.callee() + 1;
    if (node.is_op("If")) return lower_if(scope, node, std::move(step));
    if (node.is_op("Loop")) return lower_loop(scope, node, std::move(step));
    if (node.is_op("SequenceMap")) return lower_sequence_map(scope, node, std::move(step));
    if (node.is_op("Scan")) return lower_scan(scope, node, std::move(step));
    return lower_kernel(scope, node, std::move(step));
  }

  Status lower_kernel(Scope& scope, const Node& node, PlanBuilder::Step step) {
    const KernelRow* row = options_.rules->kernels.find(node);
    if (row == nullptr) return no_kernel(node);
    NodePrepare prepare(node, work_);
    RETURN_IF_ERROR(prepared(node, row->prepare(prepare)));
    advanced_ = prepare.advanced();
    step.kernel_id = row->id;
    step.contract = row->contract;
    step.params = prepare.params;
    for (size_t i = 0; i < node.inputs().size(); ++i) {
      const auto& replacement = prepare.replacement(i);
      if (!replacement.is_set) {
        step.inputs.push_back(host_slot(scope, node.input(i)));
      } else if (!replacement.tensor.is_defined()) {
        step.inputs.push_back(kNoIndex);
      } else {
        step.inputs.push_back(builder_.add_constant_slot(scope.body,
                                                         scope.graph.value(node.input(i))->name,
                                                         replacement.tensor, replacement.layout));
      }
    }
    step.outputs = write_slots(scope, node.outputs());
    builder_.add_step(scope.body, step);
    return Status::ok();
  }

  // Lowers a sub-graph and appends what it captures to the step's inputs.
  Status add_child(Scope& scope, const Graph& graph, PlanBuilder::Step& step) {
    const uint32_t child = builder_.add_body();
    step.bodies.push_back(child);
    for (ValueId id : captures_of(graph)) {
      step.inputs.push_back(read_slot(scope, graph.value(id)->outer_value));
    }
    return lower_body(graph, child, &scope);
  }

  static Result<const Graph*> subgraph(const Node& node, std::string_view name) {
    const Attribute* attribute = node.attribute(name);
    if (attribute == nullptr || !attribute->graph) {
      return invalid_graph(node.label(), ": attribute '", name, "' with a graph is missing");
    }
    return attribute->graph.get();
  }

  Status lower_if(Scope& scope, const Node& node, PlanBuilder::Step step) {
    step.kind = StepKind::kIf;
    step.inputs = {host_slot(scope, node.input(0))};
    for (std::string_view branch : {"then_branch", "else_branch"}) {
      ASSIGN_OR_RETURN(const Graph* graph, subgraph(node, branch));
      if (graph->outputs().size() != node.outputs().size()) {
        return invalid_graph(node.label(), ": ", branch, " has ", graph->outputs().size(),
                             " outputs, the node ", node.outputs().size());
      }
      RETURN_IF_ERROR_WHILE(add_child(scope, *graph, step), node.label(), ", ", branch);
    }
    step.outputs = write_slots(scope, node.outputs());
    builder_.add_step(scope.body, step);
    return Status::ok();
  }

  Status lower_loop(Scope& scope, const Node& node, PlanBuilder::Step step) {
    step.kind = StepKind::kLoop;
    ASSIGN_OR_RETURN(const Graph* body, subgraph(node, "body"));
    step.inputs = host_slots(scope, node.inputs());
    while (step.inputs.size() < 2) step.inputs.push_back(kNoIndex);
    if (body->inputs().size() != step.inputs.size() ||
        body->outputs().size() < step.inputs.size() - 1 ||
        node.outputs().size() > body->outputs().size() - 1) {
      return invalid_graph(node.label(), ": its body has ", body->inputs().size(), " inputs and ",
                           body->outputs().size(), " outputs, which do not fit ",
                           node.inputs().size(), " inputs and ", node.outputs().size(),
                           " outputs of the node");
    }
    RETURN_IF_ERROR_WHILE(add_child(scope, *body, step), node.label());
    step.outputs = write_slots(scope, node.outputs());
    step.outputs.resize(body->outputs().size() - 1, kNoIndex);
    builder_.add_step(scope.body, step);
    return Status::ok();
  }

  Status lower_sequence_map(Scope& scope, const Node& node, PlanBuilder::Step step) {
    step.kind = StepKind::kSequenceMap;
    ASSIGN_OR_RETURN(const Graph* body, subgraph(node, "body"));
    step.inputs = host_slots(scope, node.inputs());
    if (body->inputs().size() != step.inputs.size() ||
        body->outputs().size() < node.outputs().size()) {
      return invalid_graph(node.label(), ": its body has ", body->inputs().size(), " inputs and ",
                           body->outputs().size(), " outputs, the node ", node.inputs().size(),
                           " and ", node.outputs().size());
    }
    RETURN_IF_ERROR_WHILE(add_child(scope, *body, step), node.label());
    step.outputs = write_slots(scope, node.outputs());
    step.outputs.resize(body->outputs().size(), kNoIndex);
    builder_.add_step(scope.body, step);
    return Status::ok();
  }

  Status lower_scan(Scope& scope, const Node& node, PlanBuilder::Step step) {
    step.kind = StepKind::kScan;
    ASSIGN_OR_RETURN(const Graph* body, subgraph(node, "body"));
    ASSIGN_OR_RETURN(const ScanRecord record, scan_record(node, *body));
    step.params = Blob::copy_of(Bytes(reinterpret_cast<const std::byte*>(&record), sizeof record));
    step.inputs = host_slots(scope, node.inputs());
    RETURN_IF_ERROR_WHILE(add_child(scope, *body, step), node.label());
    step.outputs = write_slots(scope, node.outputs());
    step.outputs.resize(body->outputs().size(), kNoIndex);
    builder_.add_step(scope.body, step);
    return Status::ok();
  }

  const LoweringOptions& options_;
  Work work_;
  uint64_t advanced_ = 0;  // of the node's units, told while it was prepared
  PlanBuilder builder_;
  Transfers transfers_;
};

}  // namespace

uint64_t lowering_units(const Graph& graph) {
  uint64_t units = 0;
  for_each_node(graph, [&](const Node& node) { units += units_of(node); });
  return units;
}

Result<PlanImage> lower_in_place(Graph& graph, const LoweringOptions& options) {
  if (options.fuse) {
    RETURN_IF_ERROR(apply_fusions(graph, *options.rules, options.logger, options.work));
  }
  return Lowering(options).run(graph);
}

Result<PlanImage> lower(const Graph& graph, const LoweringOptions& options) {
  return lower_in_place(*graph.clone(graph.parent()), options);
}

}  // namespace ortc
