// SPDX-License-Identifier: MIT
//   LayerNormalization(Add(a, b), scale, bias)
//     ->   SkipLayerNormalization(a, b, scale, bias)
//   LayerNormalization(Add(Add(a, v), b), scale, bias)
//     ->   SkipLayerNormalization(a, b, scale, bias, v)
//
// com.microsoft's operator; a and b have one shape, v is a constant vector. When others read the
// sum, too, they get it from the operator's output 3.
#include "core/optimise/passes.h"
#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"

namespace ortc {
namespace {

constexpr TypeMask kSkipTypes = mask_of(DType::kFloat32, DType::kFloat16);

bool normalises_last_axis(const Graph& graph, const Node& node) {
  const auto rank = rank_of(graph, node.input(0));
  const int64_t axis = node.int_attribute("axis", -1);
  if (!rank || (*rank != 2 && *rank != 3)) return false;
  return axis == -1 || axis == static_cast<int64_t>(*rank) - 1;
}

bool is_vector(const Graph& graph, ValueId id, const Dim& size) {
  const auto dims = dims_of(graph, id);
  return dims && dims->size() == 1 && size.is_known() && (*dims)[0] == size.value;
}

struct Operands {
  ValueId input, skip, bias;
};

// Takes a constant vector that is added to one of the summands into the operator.
Operands operands_of(Graph& graph, const Node& add) {
  Operands found = {add.input(0), add.input(1), kNoValue};
  for (size_t i = 0; i < 2; ++i) {
    const Node* inner = graph.producer(add.input(i));
    if (inner == nullptr || !inner->is_op("Add") || graph.only_consumer(add.input(i)) != &add) {
      continue;
    }
    const Dim& size = graph.value(add.output(0))->type.shape->back();
    for (size_t k = 0; k < 2; ++k) {
      const ValueId vector = inner->input(k), rest = inner->input(1 - k);
      if (constant_of(graph, vector) != nullptr && is_vector(graph, vector, size) &&
          same_shape(graph, rest, add.output(0))) {
        return {rest, add.input(1 - i), vector};
      }
    }
  }
  return found;
}

bool fits(const Graph& graph, const Node& norm, const Node& add) {
  const ValueId sum = norm.input(0);
  if (!add.is_op("Add") || add.opset() < 7 || graph.value(sum)->is_output ||
      (mask_of(dtype_of(graph, sum)) & kSkipTypes) == 0 || !normalises_last_axis(graph, norm)) {
    return false;
  }
  if (!same_shape(graph, add.input(0), sum) || !same_shape(graph, add.input(1), sum)) return false;
  const Dim& size = graph.value(sum)->type.shape->back();
  for (size_t i = 1; i < norm.inputs().size(); ++i) {
    if (norm.input(i) == kNoValue) continue;
    // Constant, so that neither depends on the sum, which the operator gives, too.
    if (constant_of(graph, norm.input(i)) == nullptr || !is_vector(graph, norm.input(i), size) ||
        dtype_of(graph, norm.input(i)) != dtype_of(graph, sum)) {
      return false;
    }
  }
  return norm.int_attribute("stash_type", 1) == 1;
}

}  // namespace

Result<int> skip_layer_norm_fusion(Graph& graph, const PassContext& context) {
  return for_nodes(graph, [&](Node& norm) -> Result<bool> {
    if (!norm.is_op("LayerNormalization") || !only_output_is_read(norm)) return false;
    const ValueId sum = norm.input(0);
    const Node* add = graph.producer(sum);
    if (add == nullptr || !fits(graph, norm, *add)) return false;
    const bool sum_is_read = graph.only_consumer(sum) == nullptr;
    const Operands from = operands_of(graph, *add);
    NewNode made = {"SkipLayerNormalization",
                    std::string(kMicrosoftDomain),
                    {from.input, from.skip, norm.input(1), norm.input(2), from.bias},
                    {}};
    while (made.inputs.back() == kNoValue) made.inputs.pop_back();
    const float epsilon = norm.float_attribute("epsilon", 1e-5f);
    made.attributes.push_back(Attribute::of_float("epsilon", epsilon));
    ASSIGN_OR_RETURN(Node * done,
                     replace_producer(graph, norm.output(0), std::move(made), context.evaluator));
    if (done == nullptr || !sum_is_read) return done != nullptr;
    ASSIGN_OR_RETURN(const ValueId kept,
                     graph.add_value(graph.unique_name("sum"), graph.value(sum)->type));
    graph.set_output(done->id(), 3, kept);
    graph.replace_uses(sum, kept);
    remove_unread(graph, graph.value(sum)->producer);
    return true;
  });
}

}  // namespace ortc
