// SPDX-License-Identifier: MIT
// Claims of the test provider: see the header.
#include "tests/support/test_claim.h"

#include "core/graph/export.h"
#include "core/kernel/evaluator.h"
#include "core/ops/infer.h"
#include "core/platform/cpu.h"
#include "providers/cpu/cpu_kernels.h"
#include "tests/support/test_provider.h"

namespace ortc::test {
namespace {

constexpr std::string_view kMagic = "test-claim 1 ";

// A graph and its bodies, value by value. Knows one operator with bodies: If.
class Evaluation {
 public:
  explicit Evaluation(const Graph& graph) : graph_(graph), values_(graph.value_bound()) {
    for (ValueId id = 0; id < graph.value_bound(); ++id) {
      const Tensor* constant = graph.value(id) != nullptr ? graph.value(id)->constant() : nullptr;
      if (constant != nullptr) values_[id] = *constant;
    }
  }

  void take_captures(const Evaluation& outer) {
    for (ValueId id = 0; id < graph_.value_bound(); ++id) {
      const Value* value = graph_.value(id);
      if (value != nullptr && value->is_captured()) values_[id] = outer.values_[value->outer_value];
    }
  }
  Status set_input(size_t i, const ValueRef& value) {
    ASSIGN_OR_RETURN(values_[graph_.inputs()[i]], datum_of(value));
    return Status::ok();
  }
  const Datum& output(size_t i) const { return values_[graph_.outputs()[i]]; }

  Status run() {
    ASSIGN_OR_RETURN(const auto order, graph_.topological_order());
    for (NodeId id : order) RETURN_IF_ERROR(run_node(*graph_.node(id)));
    return Status::ok();
  }

 private:
  Status run_node(const Node& node) {
    if (node.is_op("If")) return run_if(node);
    std::vector<Datum> inputs;
    for (ValueId id : node.inputs()) inputs.push_back(id != kNoValue ? values_[id] : Datum());
    const Evaluator evaluator(cpu::kernel_registry());
    ASSIGN_OR_RETURN(std::vector<Datum> outputs,
                     evaluator.evaluate_values(node, inputs, nullptr, host_isa()));
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (node.output(i) != kNoValue) values_[node.output(i)] = std::move(outputs[i]);
    }
    return Status::ok();
  }

  Status run_if(const Node& node) {
    const Tensor* condition = values_[node.input(0)].tensor();
    if (condition == nullptr) return fail(node.label(), ": its condition is not a tensor");
    const bool flag = condition->elements<bool>()[0];
    Evaluation branch(*node.attribute(flag ? "then_branch" : "else_branch")->graph);
    branch.take_captures(*this);
    RETURN_IF_ERROR(branch.run());
    for (size_t i = 0; i < node.outputs().size(); ++i) {
      if (node.output(i) != kNoValue) values_[node.output(i)] = branch.output(i);
    }
    return Status::ok();
  }

  const Graph& graph_;
  std::vector<Datum> values_;  // by id
};

size_t place_of(TestPlaces places, size_t i, size_t count) {
  return places == TestPlaces::kReversed ? count - 1 - i : i;
}

}  // namespace

Result<Blob> encode_claim(const TestClaim& claim) {
  Model model;
  model.graph = claim.graph->clone();
  model.opsets = claim.graph->opsets();
  std::string bytes =
      str_cat(kMagic, claim.target, claim.places == TestPlaces::kReversed ? " reversed\n" : "\n");
  RETURN_IF_ERROR(export_model(model, ExportOptions{}, [&](Bytes piece) {
    bytes += as_text(piece);
    return Status::ok();
  }));
  return Blob::from_string(std::move(bytes));
}

Result<TestClaim> decode_claim(const Blob& bytes) {
  const std::string_view text = bytes.text();
  const size_t line_end = text.find('\n');
  if (!text.starts_with(kMagic) || line_end == std::string_view::npos) {
    return invalid_graph("expected a context of the test provider ('", kMagic, "'), found ",
                         text.size(), " other bytes");
  }
  std::string_view line = text.substr(kMagic.size(), line_end - kMagic.size());
  TestClaim claim;
  if (line.ends_with(" reversed")) {
    claim.places = TestPlaces::kReversed;
    line.remove_suffix(std::string_view(" reversed").size());
  }
  claim.target = line;
  const Blob rest(bytes.bytes().subspan(line_end + 1), bytes.owner());
  ASSIGN_OR_RETURN(auto model, import_model_bytes(rest, ImportOptions{}));
  RETURN_IF_ERROR(infer_types(*model->graph));
  claim.graph = std::move(model->graph);
  return claim;
}

Status TestObject::note_run(ComputeCall& call) const {
  std::function<Status(ComputeCall&)> before;
  {
    const std::lock_guard lock(runs_->mutex);
    ++runs_->count;
    runs_->last_tag = call.run().tag;
    runs_->last_config_value.clear();
    if (call.run().config != nullptr && call.run().config->contains("test.note")) {
      runs_->last_config_value = call.run().config->at("test.note");
    }
    before = runs_->before;
  }
  return before ? before(call) : Status::ok();
}

Status TestObject::give(ComputeCall& call, size_t place, Datum value) const {
  if (!call.is_wanted(place) || fault_ == TestFault::kNoOutput) return Status::ok();
  if (fault_ == TestFault::kWrongType) {
    ValueRef out;
    const int64_t dims[] = {1};
    return call.allocate_output(place, DType::kInt8, dims, &out);
  }
  if (!value.is_tensor()) return call.give_output(place, std::move(value));
  const Tensor& tensor = *value.tensor();
  ValueRef out;
  RETURN_IF_ERROR(call.allocate_output(place, tensor.dtype(), tensor.dims(), &out));
  copy_elements(tensor.dtype(), tensor.element_count(), tensor.data(), out.data);
  return Status::ok();
}

Status TestObject::compute(ComputeCall& call) const {
  RETURN_IF_ERROR(note_run(call));
  const Graph& graph = *claim_.graph;
  const size_t input_count = graph.inputs().size(), output_count = graph.outputs().size();
  if (call.inputs().size() != input_count || call.output_count() != output_count) {
    return invalid_graph("expected ", input_count, " inputs and ", output_count, " outputs, found ",
                         call.inputs().size(), " and ", call.output_count());
  }
  Evaluation evaluation(graph);
  for (size_t i = 0; i < input_count; ++i) {
    const size_t place = place_of(claim_.places, i, input_count);
    RETURN_IF_ERROR(evaluation.set_input(i, call.inputs()[place]));
  }
  RETURN_IF_ERROR(evaluation.run());
  for (size_t i = 0; i < output_count; ++i) {
    RETURN_IF_ERROR(give(call, place_of(claim_.places, i, output_count), evaluation.output(i)));
  }
  return Status::ok();
}

}  // namespace ortc::test
