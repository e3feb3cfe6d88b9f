// SPDX-License-Identifier: MIT
// Claims of the test provider: see the header.
#include "tests/support/test_claim.h"

#include "core/graph/export.h"
#include "core/kernel/evaluator.h"
#include "core/ops/infer.h"
#include "core/platform/cpu.h"
#include "providers/cpu/cpu_kernels.h"
#include "tests/support/test.h"
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
  void set_input(size_t i, Datum value) { values_[graph_.inputs()[i]] = std::move(value); }
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

bool is_on_device(const DeviceMemory* memory, const ValueRef& value) {
  return memory != nullptr && value.datum == nullptr && value.dtype != DType::kString;
}

Result<std::vector<Datum>> evaluate(const Graph& graph, std::vector<Datum> inputs) {
  Evaluation evaluation(graph);
  for (size_t i = 0; i < inputs.size(); ++i) evaluation.set_input(i, std::move(inputs[i]));
  RETURN_IF_ERROR(evaluation.run());
  std::vector<Datum> outputs;
  for (size_t i = 0; i < graph.outputs().size(); ++i) outputs.push_back(evaluation.output(i));
  return outputs;
}

size_t place_of(TestPlaces places, size_t i, size_t count) {
  return places == TestPlaces::kReversed ? count - 1 - i : i;
}

constexpr std::string_view kLeftOut = " without ";

// " without w:<hash> u:<hash>", for the constants that the source has with the same bytes.
Result<std::map<std::string, std::string>> left_out(const Graph& graph, const FindSource& source) {
  std::map<std::string, std::string> hashes;
  if (!source) return hashes;
  ASSIGN_OR_RETURN(const SourceWeights* const weights, source());
  for (ValueId id = 0; id < graph.value_bound(); ++id) {
    const Tensor* constant = graph.value(id) != nullptr ? graph.value(id)->constant() : nullptr;
    if (constant == nullptr) continue;
    const std::string& name = graph.value(id)->name;
    ASSIGN_OR_RETURN(const Tensor found, weights->find(name));
    if (!found.is_defined() || as_text(found.bytes()) != as_text(constant->bytes())) continue;
    hashes[name] = hash128(found.bytes()).hex();
  }
  return hashes;
}

Result<std::map<std::string, Tensor>> read_left_out(std::string_view list,
                                                    const FindSource& source) {
  std::map<std::string, Tensor> tensors;
  while (!list.empty()) {
    const std::string_view item = list.substr(0, list.find(' '));
    list.remove_prefix(std::min(list.size(), item.size() + 1));
    const std::string name(item.substr(0, item.rfind(':')));
    if (!source) return invalid_graph("it needs weights of its source");
    ASSIGN_OR_RETURN(const SourceWeights* const weights, source());
    ASSIGN_OR_RETURN(Tensor found, weights->find(name));
    if (!found.is_defined() || hash128(found.bytes()).hex() != item.substr(item.rfind(':') + 1)) {
      return invalid_graph("the source has other bytes for weight '", name, "' than at compile");
    }
    tensors.emplace(name, std::move(found));
  }
  return tensors;
}

}  // namespace

Result<Blob> encode_claim(const TestClaim& claim, const FindSource& source) {
  Model model;
  model.graph = claim.graph->clone();
  model.opsets = claim.graph->opsets();
  ASSIGN_OR_RETURN(const auto hashes, left_out(*claim.graph, source));
  std::string bytes =
      str_cat(kMagic, claim.target, claim.places == TestPlaces::kReversed ? " reversed" : "");
  std::string list;
  for (const auto& [name, hash] : hashes) list += str_cat(list.empty() ? "" : " ", name, ":", hash);
  bytes += list.empty() ? std::string("\n") : str_cat(kLeftOut, list, "\n");
  ExportOptions exporting;
  exporting.place_initializer = [&](const Graph&, const Value& value) {
    std::optional<ExternalLocation> place;
    if (hashes.contains(value.name)) {
      place = ExternalLocation{"source", 0, value.constant()->byte_size()};
    }
    return Result<std::optional<ExternalLocation>>(std::move(place));
  };
  RETURN_IF_ERROR(export_model(model, exporting, [&](Bytes piece) {
    bytes += as_text(piece);
    return Status::ok();
  }));
  return Blob::from_string(std::move(bytes));
}

Result<TestClaim> decode_claim(const Blob& bytes, const FindSource& source) {
  const std::string_view text = bytes.text();
  const size_t line_end = text.find('\n');
  if (!text.starts_with(kMagic) || line_end == std::string_view::npos) {
    return invalid_graph("expected a context of the test provider ('", kMagic, "'), found ",
                         text.size(), " other bytes");
  }
  std::string_view line = text.substr(kMagic.size(), line_end - kMagic.size());
  TestClaim claim;
  ImportOptions importing;
  if (const size_t left = line.find(kLeftOut); left != std::string_view::npos) {
    ASSIGN_OR_RETURN(importing.external_initializers,
                     read_left_out(line.substr(left + kLeftOut.size()), source));
    line = line.substr(0, left);
  }
  if (line.ends_with(" reversed")) {
    claim.places = TestPlaces::kReversed;
    line.remove_suffix(std::string_view(" reversed").size());
  }
  claim.target = line;
  const Blob rest(bytes.bytes().subspan(line_end + 1), bytes.owner());
  ASSIGN_OR_RETURN(auto model, import_model_bytes(rest, importing));
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
  if (is_on_device(memories_.outputs.get(), out)) {
    translate(*memories_.outputs, tensor.data(), out.data, tensor.byte_size());
  } else {
    copy_elements(tensor.dtype(), tensor.element_count(), tensor.data(), out.data);
  }
  return Status::ok();
}

Result<std::vector<Datum>> TestObject::read_inputs(std::span<const ValueRef> given) const {
  std::vector<Datum> inputs;
  for (size_t i = 0; i < given.size(); ++i) {
    const ValueRef& ref = given[place_of(claim_.places, i, given.size())];
    if (!is_on_device(memories_.inputs.get(), ref)) {
      ASSIGN_OR_RETURN(inputs.emplace_back(), datum_of(ref));
      continue;
    }
    ASSIGN_OR_RETURN(Tensor copy,
                     Tensor::create(ref.dtype, Dims(ref.dims().begin(), ref.dims().end())));
    translate(*memories_.inputs, ref.data, copy.mutable_data(), copy.byte_size());
    inputs.emplace_back(std::move(copy));
  }
  return inputs;
}

// Everything but the shapes is left for later: those are the first input's, so claims that run like
// this hold elementwise operators only.
Status TestObject::compute_ahead(ComputeCall& call, TestDeviceStream& stream) const {
  std::vector<ValueRef> given(call.inputs().begin(), call.inputs().end());
  auto dims = std::make_shared<std::vector<Dims>>();
  for (const ValueRef& ref : given) dims->emplace_back(ref.dims().begin(), ref.dims().end());
  for (size_t i = 0; i < given.size(); ++i) given[i].dim_data = (*dims)[i].data();
  std::vector<void*> targets;
  for (size_t i = 0; i < claim_.graph->outputs().size(); ++i) {
    ValueRef out;
    const Value& value = *claim_.graph->value(claim_.graph->outputs()[i]);
    RETURN_IF_ERROR(call.allocate_output(i, value.type.dtype, dims->at(0), &out));
    targets.push_back(out.data);
  }
  stream.enqueue([this, given, dims, targets] {
    auto inputs = read_inputs(given);
    CHECK_OK(inputs);
    const auto outputs = evaluate(*claim_.graph, std::move(inputs).value());
    CHECK_OK(outputs);
    for (size_t i = 0; i < targets.size(); ++i) {
      const Tensor& tensor = *outputs.value()[i].tensor();
      translate(*memories_.outputs, tensor.data(), targets[i], tensor.byte_size());
    }
  });
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
  ASSIGN_OR_RETURN(void* const stream, call.stream());
  if (stream != nullptr) return compute_ahead(call, *static_cast<TestDeviceStream*>(stream));
  ASSIGN_OR_RETURN(auto inputs, read_inputs(call.inputs()));
  ASSIGN_OR_RETURN(auto outputs, evaluate(graph, std::move(inputs)));
  for (size_t i = 0; i < output_count; ++i) {
    RETURN_IF_ERROR(give(call, place_of(claim_.places, i, output_count), std::move(outputs[i])));
  }
  return Status::ok();
}

}  // namespace ortc::test
