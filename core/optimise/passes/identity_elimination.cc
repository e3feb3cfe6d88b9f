// SPDX-License-Identifier: MIT
//   Identity(x), Dropout(x) at inference, Cast(x) to its own type   ->   x
//   Reshape, Flatten, Squeeze, Unsqueeze, Expand, Transpose,
//   Slice, Pad, Tile that change nothing                            ->   x
//   Concat, Sum, Max, Min, Mean of one input                        ->   x
//   x + 0, 0 + x, x - 0, x * 1, 1 * x, x / 1                        ->   x
//
// Constants only where they do not stretch x. Of floats -0 is added: 0 would make a 0 of -0.
#include <algorithm>
#include <climits>
#include <cmath>

#include "core/optimise/passes.h"
#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"

namespace ortc {
namespace {

bool all_are(const std::optional<std::vector<int64_t>>& values, int64_t number) {
  return values && std::all_of(values->begin(), values->end(),
                               [number](int64_t value) { return value == number; });
}

bool is_inference_dropout(const Graph& graph, const Node& node) {
  if (node.opset() < 7) return node.int_attribute("is_test", 0) != 0;
  if (node.opset() < 12 || node.input(2) == kNoValue) return true;
  const Tensor* training = constant_of(graph, node.input(2));
  return training != nullptr && training->dtype() == DType::kBool &&
         training->element_count() == 1 && training->elements<uint8_t>()[0] == 0;
}

// Equal element counts are given; then one unknown dim at the same place must be equal, too.
bool reshapes_to_itself(const Graph& graph, const Node& node) {
  const Value *x = graph.value(node.input(0)), *y = graph.value(node.output(0));
  if (x == nullptr || !x->type.has_shape() || !y->type.has_shape()) return false;
  const Shape &a = *x->type.shape, &b = *y->type.shape;
  if (a.size() != b.size()) return false;
  int open = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].is_known() && a[i].value > 0 && a[i].value == b[i].value) continue;
    ++open;
  }
  return open <= 1;
}

bool is_identity_permutation(const Graph& graph, const Node& node) {
  const auto rank = rank_of(graph, node.input(0));
  if (node.attribute("perm") == nullptr) return rank && *rank <= 1;
  const auto perm = node.ints_attribute("perm");
  for (size_t i = 0; i < perm.size(); ++i) {
    if (perm[i] != static_cast<int64_t>(i)) return false;
  }
  return rank == perm.size();
}

// From 0 to the end (or to the known size) in steps of one.
bool slices_all(const Graph& graph, const Node& node) {
  if (node.opset() < 10) {
    return all_are(node.ints_attribute("starts"), 0) &&
           (same_static_shape(graph, node.input(0), node.output(0)) ||
            all_are(node.ints_attribute("ends"), INT64_MAX));
  }
  if (!all_are(constant_integers(graph, node.input(1)), 0)) return false;
  if (node.input(4) != kNoValue && !all_are(constant_integers(graph, node.input(4)), 1)) {
    return false;
  }
  return same_static_shape(graph, node.input(0), node.output(0)) ||
         all_are(constant_integers(graph, node.input(2)), INT64_MAX);
}

bool pads_nothing(const Graph& graph, const Node& node) {
  if (node.opset() >= 11) return all_are(constant_integers(graph, node.input(1)), 0);
  return all_are(node.ints_attribute(node.opset() < 2 ? "paddings" : "pads"), 0);
}

// Nodes that give their input 0 back.
bool is_identity(const Graph& graph, const Node& node) {
  const std::string& op = node.op_type();
  if (op == "Identity") return true;
  if (op == "Dropout") return is_inference_dropout(graph, node) && only_output_is_read(node);
  if (op == "Cast") {
    const DType dtype = dtype_of(graph, node.input(0));
    return dtype != DType::kUndefined && dtype == dtype_of(graph, node.output(0));
  }
  if (op == "Reshape" || op == "Flatten" || op == "Squeeze" || op == "Unsqueeze") {
    return reshapes_to_itself(graph, node);
  }
  if (op == "Expand") return same_static_shape(graph, node.input(0), node.output(0));
  if (op == "Transpose") return is_identity_permutation(graph, node);
  if (op == "Slice") return slices_all(graph, node);
  if (op == "Pad") return pads_nothing(graph, node);
  if (op == "Tile") return node.opset() >= 6 && all_are(constant_integers(graph, node.input(1)), 1);
  if (op == "Concat" || op == "Sum" || op == "Max" || op == "Min" || op == "Mean") {
    return node.inputs().size() == 1;
  }
  return false;
}

// The input that comes out unchanged; kNoValue when there is none. A constant of one element must
// not raise the rank: [1,1] + x of rank 1 has rank 2.
ValueId neutral_operand(const Graph& graph, const Node& node) {
  if (node.opset() < 7 || node.inputs().size() != 2) return kNoValue;
  const std::string& op = node.op_type();
  const bool adds = op == "Add" || op == "Sub", multiplies = op == "Mul" || op == "Div";
  if (!adds && !multiplies) return kNoValue;
  constexpr TypeMask kFloats = mask_of(DType::kFloat16, DType::kFloat32, DType::kFloat64);
  const auto is_neutral = [&](ValueId id, ValueId data) {
    const auto value = scalar_of(graph, id);
    if (!value || *value != (adds ? 0.0 : 1.0)) return false;
    const bool is_float = (mask_of(constant_of(graph, id)->dtype()) & kFloats) != 0;
    if (adds && is_float && std::signbit(*value) != (op == "Add")) return false;
    return is_scalar_beside(graph, id, *value, data);
  };
  if (is_neutral(node.input(1), node.input(0))) return node.input(0);
  const bool commutes = op == "Add" || op == "Mul";
  return commutes && is_neutral(node.input(0), node.input(1)) ? node.input(1) : kNoValue;
}

}  // namespace

Result<int> identity_elimination(Graph& graph, const PassContext&) {
  return for_nodes(graph, [&graph](Node& node) -> Result<bool> {
    if (!node.domain().empty() || node.custom() != nullptr || node.output(0) == kNoValue ||
        node.input(0) == kNoValue) {
      return false;
    }
    if (is_identity(graph, node)) return bypass(graph, node.id(), node.input(0));
    const ValueId kept = neutral_operand(graph, node);
    return kept != kNoValue && bypass(graph, node.id(), kept);
  });
}

}  // namespace ortc
