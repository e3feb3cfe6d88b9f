// SPDX-License-Identifier: MIT
// The reference: see the header.
#include "tests/differential/fuzzer/reference.h"

#include <algorithm>
#include <cmath>

#include "core/base/str_cat.h"
#include "core/graph/model.h"
#include "core/kernel/evaluator.h"
#include "core/ops/infer.h"
#include "providers/cpu/cpu_kernels.h"

namespace ortc::fuzz {
namespace {

// One node ready to be computed with any inputs.
class LoneNode {
 public:
  LoneNode(std::shared_ptr<const Environment> environment, const DrawnGraph& graph,
           const DrawnNode& node)
      : one_(alone(graph, node)), environment_(std::move(environment)) {}

  const DrawnGraph& one() const { return one_; }

  Status load() {
    const std::string bytes = model_bytes(one_);
    ASSIGN_OR_RETURN(model_, import_model_bytes(Blob::from_string(bytes), {}));
    RETURN_IF_ERROR(infer_types(*model_->graph));
    ASSIGN_OR_RETURN(const std::vector<NodeId> order, model_->graph->topological_order());
    if (order.size() == 1) node_ = model_->graph->node(order[0]);
    if (node_ != nullptr && cpu::kernel_registry().find(*node_) != nullptr) return Status::ok();
    is_session_ = true;
    return make_session(one_.values);
  }

  // One per output that is not omitted.
  Result<std::vector<Datum>> run(const DrawnValues& values) {
    std::vector<Datum> outputs;
    if (is_session_) {
      RETURN_IF_ERROR(make_session(values));
      std::vector<Datum> inputs;
      for (const std::string& name : one_.inputs) inputs.push_back(values.at(name).datum);
      RETURN_IF_ERROR(test::try_run_values(*session_, inputs, &outputs));
      return outputs;
    }
    std::vector<Datum> inputs;
    for (const std::string& name : one_.nodes[0].inputs) {
      inputs.push_back(name.empty() ? Datum() : values.at(name).datum);
    }
    inputs.resize(node_->inputs().size());
    const Evaluator evaluator(cpu::kernel_registry());
    ASSIGN_OR_RETURN(auto all, evaluator.evaluate_values(*node_, inputs, nullptr, Isa::kGeneric));
    for (size_t i = 0; i < all.size(); ++i) {
      if (node_->output(i) != kNoValue) outputs.push_back(std::move(all[i]));
    }
    return outputs;
  }

 private:
  // What has no kernel of its own runs in a session that optimises nothing, made again where
  // constants have other values.
  Status make_session(const DrawnValues& values) {
    if (session_ != nullptr && one_.constants.empty()) return Status::ok();
    DrawnGraph other = one_;
    for (const std::string& name : one_.constants) other.values[name] = values.at(name);
    SessionOptions options = test::options_with(*environment_, {});
    options.level = OptimisationLevel::kNone;
    ASSIGN_OR_RETURN(
        session_, Session::create(environment_, test::memory_source(model_bytes(other)), options));
    return Status::ok();
  }

  DrawnGraph one_;
  std::shared_ptr<const Environment> environment_;
  bool is_session_ = false;
  std::unique_ptr<Model> model_;
  const Node* node_ = nullptr;
  std::unique_ptr<Session> session_;
};

// One tensor moved: `pattern` 0 up, 1 down, others here and there.
Tensor moved(const Tensor& tensor, double by, int pattern, Chance& chance) {
  std::vector<double> numbers = numbers_of(tensor);
  for (double& number : numbers) {
    const bool up = pattern == 0 || (pattern > 1 && chance.one_in(2));
    number += up ? by : -by;
  }
  return tensor_of(tensor.dtype(), tensor.dims(), numbers);
}

Datum moved(const Datum& datum, const DrawnValue& value, double further, double roundings,
            int pattern, Chance& chance) {
  if (const Sequence* sequence = datum.sequence()) {
    Sequence result = *sequence;
    for (Datum& item : result.items) {
      item = moved(item, value, further, roundings, pattern, chance);
    }
    return Datum::of(std::move(result));
  }
  const Tensor& tensor = *datum.tensor();
  if (tensor.dtype() == DType::kString) return datum;
  double by = value.allowed;
  if (is_float(tensor.dtype())) {
    by += roundings * epsilon_of(tensor.dtype()) * largest(numbers_of(tensor));
  } else {
    by = std::ceil(by);
  }
  return by > 0 ? Datum(moved(tensor, by * further, pattern, chance)) : datum;
}

// How the inputs of a node are moved.
struct Move {
  double further = 1, roundings = 0;
  bool only_first = false;  // its first input alone: others say how, and allow nothing else
};

DrawnValues moved(const DrawnGraph& one, const Move& move, int pattern, Chance& chance) {
  DrawnValues result = one.values;
  for (auto& [name, value] : result) {
    if (move.only_first && name != one.nodes[0].inputs[0]) continue;
    value.datum = moved(value.datum, value, move.further, move.roundings, pattern, chance);
  }
  return result;
}

std::string what_is_unusable(const Datum& datum, bool may_be_infinite) {
  const Tensor* tensor = datum.tensor();
  if (tensor == nullptr) return datum.is_none() ? "nothing" : "";
  if (tensor->element_count() > 5000) return "too many elements";
  if (tensor->dtype() == DType::kString) return "";
  for (const double number : numbers_of(*tensor)) {
    if (may_be_infinite && std::isinf(number)) continue;
    if (!std::isfinite(number)) return "not finite";
    const bool is_wide = tensor->dtype() == DType::kInt64 || tensor->dtype() == DType::kUint64;
    if (std::abs(number) > (is_wide ? 1e9 : is_integer(tensor->dtype()) ? 5e9 : kLargest)) {
      return "too large";
    }
  }
  return "";
}

bool same_texts(const Tensor& a, const Tensor& b) {
  return std::ranges::equal(a.string_elements(), b.string_elements());
}

// How far two results of one output lie apart; -1 where they cannot be compared.
double distance(const Datum& a, const Datum& b) {
  if (const Sequence* s = a.sequence(); s != nullptr && b.sequence() != nullptr) {
    if (s->items.size() != b.sequence()->items.size()) return -1;
    double most = 0;
    for (size_t i = 0; i < s->items.size(); ++i) {
      const double one = distance(s->items[i], b.sequence()->items[i]);
      if (one < 0) return -1;
      most = std::max(most, one);
    }
    return most;
  }
  const Tensor *x = a.tensor(), *y = b.tensor();
  if (x == nullptr || y == nullptr) return -1;
  if (x->dims() != y->dims() || x->dtype() != y->dtype()) return -1;
  if (x->dtype() == DType::kString) return same_texts(*x, *y) ? 0 : -1;
  const std::vector<double> p = numbers_of(*x), q = numbers_of(*y);
  double most = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    if (p[i] == q[i]) continue;  // infinities too
    if (!std::isfinite(p[i]) || !std::isfinite(q[i])) return -1;
    most = std::max(most, std::abs(p[i] - q[i]));
  }
  return most;
}

double size_of(const Datum& datum) {
  if (const Sequence* sequence = datum.sequence()) {
    double most = 0;
    for (const Datum& item : sequence->items) most = std::max(most, size_of(item));
    return most;
  }
  return largest(numbers_of(*datum.tensor()));
}

DType type_of(const Datum& datum) {
  return datum.sequence() != nullptr ? datum.sequence()->dtype : datum.tensor()->dtype();
}

// How far the outputs move with the inputs: the largest distance of each over some patterns. "" or
// why the node is not taken.
std::string measure_spread(LoneNode& lone, const std::vector<DrawnValue>& outputs, const Move& move,
                           Chance& chance, std::vector<double>* apart) {
  apart->assign(outputs.size(), 0);
  for (int pattern = 0; pattern < (move.further > 1 ? kJumpPatterns : kPatterns); ++pattern) {
    const auto found = lone.run(moved(lone.one(), move, pattern, chance));
    if (!found.is_ok()) return "it cannot be computed nearby";
    for (size_t i = 0; i < outputs.size(); ++i) {
      const double one = distance(outputs[i].datum, (*found)[i]);
      if (one < 0) return "another shape or text nearby";
      (*apart)[i] = std::max((*apart)[i], one);
    }
  }
  return "";
}

// "" or why the node is not taken.
std::string set_bounds(LoneNode& lone, const OperatorRow& row, std::vector<DrawnValue>& outputs,
                       Chance& chance) {
  const bool is_exact = (row.flags & kExact) != 0, may_step = (row.flags & kOneStep) != 0;
  bool is_off = false, has_floats = false;
  for (const auto& [name, x] : lone.one().values) is_off |= x.allowed > 0;
  for (const DrawnValue& y : outputs) has_floats |= is_float(type_of(y.datum));
  std::vector<double> near(outputs.size(), 0), far(outputs.size(), 0);
  if (has_floats && (!is_exact || is_off)) {
    Move move{1, is_exact ? 0 : kRoundings, false};
    if (!measure_spread(lone, outputs, move, chance, &near).empty()) {
      move.only_first = true;
      const std::string why = measure_spread(lone, outputs, move, chance, &near);
      if (!why.empty()) return why;
    }
  }
  if (is_off || may_step) {
    const Move move{kJump, may_step ? kRoundings : 0, false};
    const std::string why = measure_spread(lone, outputs, move, chance, &far);
    if (!why.empty()) return why;
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const DType dtype = type_of(outputs[i].datum);
    if (dtype == DType::kString) continue;
    const double size = std::max(size_of(outputs[i].datum), kLeastSize);
    const double own = is_exact ? 0 : row.ulps * epsilon_of(dtype) * size;
    double& allowed = outputs[i].allowed;
    if (is_float(dtype)) {
      allowed = kSpread * near[i] + own;
      if (far[i] > 4 * kJump * allowed) return "it jumps nearby";
    } else if (may_step) {
      allowed = std::max(std::min(far[i], 1.0), 2 * far[i] / kJump);
    } else {
      allowed = 2 * far[i] / kJump;
    }
    if (allowed > (is_float(dtype) ? kMostAllowed * size : may_step ? 2 : 0)) {
      return "it is too uncertain";
    }
  }
  return "";
}

}  // namespace

Measured Reference::measure(const DrawnGraph& graph, const DrawnNode& node, const OperatorRow& row,
                            Chance& chance) const {
  Measured result;
  LoneNode lone(environment_, graph, node);
  const Status loaded = lone.load();
  if (!loaded.is_ok()) {
    result.refused = loaded.to_string();
    return result;
  }
  auto found = lone.run(lone.one().values);
  if (!found.is_ok()) {
    result.refused = found.status().to_string();
    return result;
  }
  for (Datum& datum : *found) {
    result.unusable = what_is_unusable(datum, (row.flags & kInfinite) != 0);
    if (!result.unusable.empty()) return result;
    result.outputs.push_back({std::move(datum), 0, Role::kMade, {}});
  }
  result.unusable = set_bounds(lone, row, result.outputs, chance);
  return result;
}

std::string Reference::measure_all(DrawnGraph& graph, Chance& chance) const {
  for (const DrawnNode& node : graph.nodes) {
    Measured measured = measure(graph, node, operator_rows()[node.row], chance);
    if (!measured.is_good()) return str_cat(node.op, ": ", measured.refused, measured.unusable);
    size_t next = 0;
    for (const std::string& name : node.outputs) {
      if (name.empty()) continue;
      measured.outputs[next].is_optional = node.op == "Optional";
      graph.values[name] = std::move(measured.outputs[next++]);
    }
  }
  return "";
}

}  // namespace ortc::fuzz
