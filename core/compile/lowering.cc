// SPDX-License-Identifier: MIT
// Lowering: see the header. First the rewrites, then one walk that writes bodies, slots and steps.
#include "core/compile/lowering.h"

#include <algorithm>
#include <utility>

#include "core/compile/transfers.h"
#include "core/graph/verify.h"
#include "core/ops/op_list.h"
#include "core/ops/signatures/type_check.h"
#include "core/plan/scan_record.h"
#include "core/rewrite/facts.h"

namespace ortc {
namespace {

// Some operators are spelled out in others where the rank is known, and only there.
std::string text_of_input(const Value* input) {
  if (input == nullptr) return "no input";
  const bool has_rank = !input->type.is_tensor() || input->type.has_shape();
  return str_cat(type_to_string(input->type), has_rank ? "" : " of unknown rank");
}

std::string text_of_missing_kernel(const Node& node) {
  return str_cat("no kernel for ", node.domain().empty() ? "" : node.domain() + ".", node.op_type(),
                 " of opset ", node.opset(), " on ",
                 text_of_input(node.graph()->value(node.input(0))));
}

// An operator of a domain that this library has none of is somebody's own.
std::string hint_of_domain(std::string_view domain) {
  const auto rows = op_rows();
  const bool is_known =
      std::any_of(rows.begin(), rows.end(), [&](const OpRow& row) { return row.domain == domain; });
  if (is_known || domain == kInternalDomain) return {};
  return str_cat("; if it is a custom operator, the session options must know the domain '", domain,
                 "': OrtRegisterCustomOpsLibrary_V2() or OrtAddCustomOpDomain()");
}

Status no_kernel(const Node& node) {
  RETURN_IF_ERROR(check_input_types(node));
  return not_implemented(node.label(), ": ", text_of_missing_kernel(node),
                         hint_of_domain(node.domain()));
}

// What a kernel does not do is wrong in the model when its signature does not allow it either.
Status prepared(const Node& node, Status status) {
  if (status.code() == Code::kNotImplemented) RETURN_IF_ERROR(check_input_types(node));
  return status.is_ok() ? std::move(status) : std::move(status.note(node.label()));
}

bool has_bodies_that_are_lowered(const Node& node) {
  return node.is_op("If") || node.is_op("Loop") || node.is_op("Scan") || node.is_op("SequenceMap");
}

class NodePrepare final : public PrepareContext {
 public:
  NodePrepare(const Node& node, Work& work)
      : node_(node), work_(work), replaced_(node.inputs().size()) {}

  const Node& node() const override { return node_; }
  int64_t opset() const override { return node_.opset(); }
  const Type& input_type(size_t i) const override { return type_of(node_.input(i)); }
  const Type& output_type(size_t i) const override { return type_of(node_.output(i)); }
  const Tensor* constant(size_t i) const override {
    const ValueId id = node_.input(i);
    return id == kNoValue ? nullptr : constant_of(*node_.graph(), id);
  }
  void set_params_bytes(Bytes record) override { params = Blob::copy_of(record); }
  void replace_input(size_t i, Tensor packed, Layout layout) override {
    if (i < replaced_.size()) replaced_[i] = {true, std::move(packed), layout};
  }
  void drop_input(size_t i) override {
    if (i < replaced_.size()) replaced_[i] = {true, Tensor(), Layout::kRowMajor};
  }

  Status advance(uint64_t bytes) override {
    advanced_ += bytes;
    return work_.done(bytes);
  }
  uint64_t advanced() const { return advanced_; }

  struct Replacement {
    bool is_set = false;
    Tensor tensor;  // undefined: dropped
    Layout layout = Layout::kRowMajor;
  };
  const Replacement& replacement(size_t i) const { return replaced_[i]; }
  Blob params;

 private:
  const Type& type_of(ValueId id) const {
    const Value* value = node_.graph()->value(id);
    return value != nullptr ? value->type : none_;
  }
  const Node& node_;
  Work& work_;
  uint64_t advanced_ = 0;
  const Type none_;
  std::vector<Replacement> replaced_;
};

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

  static Result<ScanRecord> scan_record(const Node& node, const Graph& body) {
    ScanRecord record{};
    record.record_bytes = sizeof record;
    record.has_batch = node.opset() < 9 ? 1 : 0;
    const int64_t scanned = node.int_attribute("num_scan_inputs", 0);
    const size_t inputs = body.inputs().size();
    if (scanned < 1 || static_cast<size_t>(scanned) > inputs ||
        node.inputs().size() != inputs + record.has_batch ||
        inputs - static_cast<size_t>(scanned) > body.outputs().size() ||
        node.outputs().size() > body.outputs().size()) {
      return invalid_graph(node.label(), ": its body does not fit its inputs and outputs");
    }
    record.scan_inputs = static_cast<uint32_t>(scanned);
    const size_t states = inputs - record.scan_inputs, given = body.outputs().size() - states;
    if (record.scan_inputs > kScanMax || given > kScanMax) {
      return not_implemented(node.label(), ": Scan of more than ", kScanMax, " tensors");
    }
    const auto read = [&](std::string_view name, size_t count, auto&& set) -> Status {
      const auto values = node.ints_attribute(name);
      if (values.size() > count) {
        return invalid_graph(node.label(), ": attribute '", name, "' has ", values.size(),
                             " numbers, expected ", count);
      }
      for (size_t k = 0; k < values.size(); ++k) {
        if (values[k] < -64 || values[k] > 64) {
          return invalid_graph(node.label(), ": attribute '", name, "' holds ", values[k]);
        }
        set(k, values[k]);
      }
      return Status::ok();
    };
    const auto reverse_inputs = [&](size_t k, int64_t v) {
      record.input_reversed |= uint64_t{v != 0} << k;
    };
    const auto reverse_outputs = [&](size_t k, int64_t v) {
      record.output_reversed |= uint64_t{v != 0} << k;
    };
    const auto set_input = [&](size_t k, int64_t v) {
      record.input_axes[k] = static_cast<int8_t>(v);
    };
    const auto set_output = [&](size_t k, int64_t v) {
      record.output_axes[k] = static_cast<int8_t>(v);
    };
    if (record.has_batch != 0) {
      RETURN_IF_ERROR(read("directions", record.scan_inputs, reverse_inputs));
      return record;
    }
    RETURN_IF_ERROR(read("scan_input_directions", record.scan_inputs, reverse_inputs));
    RETURN_IF_ERROR(read("scan_output_directions", given, reverse_outputs));
    RETURN_IF_ERROR(read("scan_input_axes", record.scan_inputs, set_input));
    RETURN_IF_ERROR(read("scan_output_axes", given, set_output));
    return record;
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

Status fuse_graph(Graph& graph, const LoweringRules& rules, const Logger& logger,
                  const Work& work) {
  for (const Fusion& fusion : rules.fusions) {
    RETURN_IF_ERROR(work.go_on());
    auto matches = fusion.run(graph, rules.kernels);
    if (!matches.is_ok()) {
      Status status = matches.status();
      return std::move(status.note(str_cat("fusion '", fusion.name, "'")));
    }
    ORTC_LOG(logger, kVerbose, "compile", "fusion '", fusion.name, "': ", *matches, " matches");
#ifndef NDEBUG
    RETURN_IF_ERROR_WHILE(verify_graph(graph), "after fusion '", fusion.name, "'");
#endif
  }
  for (NodeId id = 0; id < graph.node_bound(); ++id) {
    if (graph.node(id) == nullptr) continue;
    for (Graph* body : graph.node(id)->subgraphs()) {
      RETURN_IF_ERROR(fuse_graph(*body, rules, logger, work));
    }
  }
  return Status::ok();
}

// Nodes whose results nobody reads (a Transpose that a rewrite looked through), in bodies too.
void drop_unread_nodes(Graph& graph) {
  auto order = graph.topological_order();
  if (!order.is_ok()) return;
  for (auto it = order->rbegin(); it != order->rend(); ++it) {
    const Node& node = *graph.node(*it);
    bool is_read = false;
    for (ValueId id : node.outputs()) {
      const Value* value = graph.value(id);
      is_read = is_read || (value != nullptr && (value->is_output || !value->uses.empty()));
    }
    if (!is_read) {
      graph.remove_node(*it);
      continue;
    }
    for (Graph* body : node.subgraphs()) drop_unread_nodes(*body);
  }
}

}  // namespace

uint64_t lowering_units(const Graph& graph) {
  uint64_t units = 0;
  for (NodeId id = 0; id < graph.node_bound(); ++id) {
    const Node* node = graph.node(id);
    if (node == nullptr) continue;
    units += units_of(*node);
    for (const Graph* body : node->subgraphs()) units += lowering_units(*body);
  }
  return units;
}

Status apply_fusions(Graph& graph, const LoweringRules& rules, const Logger& logger,
                     const Work& work) {
  RETURN_IF_ERROR(fuse_graph(graph, rules, logger, work));
  drop_unread_nodes(graph);
  return Status::ok();
}

std::string why_not_lowered(const Node& node, const LoweringRules& rules) {
  if (node.custom() != nullptr) return "a custom operator of the program";
  if (has_bodies_that_are_lowered(node) || rules.kernels.find(node) != nullptr ||
      rules.is_rewritten(node)) {
    return {};
  }
  return text_of_missing_kernel(node);
}

Status check_lowers(const Graph& graph, const LoweringRules& rules) {
  for (NodeId id = 0; id < graph.node_bound(); ++id) {
    const Node* node = graph.node(id);
    if (node == nullptr || node->custom() != nullptr) continue;
    const bool is_left = node->callee() == kNoCallee;
    if (is_left && !why_not_lowered(*node, rules).empty()) return no_kernel(*node);
    for (const Graph* body : node->subgraphs()) RETURN_IF_ERROR(check_lowers(*body, rules));
  }
  return Status::ok();
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
