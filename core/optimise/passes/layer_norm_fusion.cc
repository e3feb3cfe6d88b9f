// SPDX-License-Identifier: MIT
//   d = x - ReduceMean(x)
//   d / Sqrt(ReduceMean(d^2) + epsilon) * scale [+ bias]   ->   LayerNormalization(x, scale, bias)
//
// Over the last axis. d^2 is Pow(d, 2) or d * d. ONNX has the operator from opset 17 on; before,
// it is ONNX Runtime's, whose optimisers make the same of such models.
#include "core/optimise/norm_match.h"
#include "core/optimise/passes.h"
#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"

namespace ortc {
namespace {

// x of d = x - mean(x); kNoValue when that is not what stands there. The mean is read by nobody
// else, d by `readers` nodes or operands.
ValueId centred_input(Graph& graph, ValueId d) {
  const Node* sub = graph.producer(d);
  if (sub == nullptr || !sub->is_op("Sub") || sub->opset() < 7) return kNoValue;
  const ValueId x = sub->input(0), mean = sub->input(1);
  const Node* reduce = graph.producer(mean);
  if (!is_last_axis_mean(graph, reduce) || reduce->input(0) != x ||
      graph.only_consumer(mean) != sub) {
    return kNoValue;
  }
  return x;
}

// d is read by the square (once, or twice when it is d * d) and by the division, by nobody else.
bool is_read_here_only(const Graph& graph, ValueId d, const Node& square) {
  const Value& value = *graph.value(d);
  const size_t expected = square.is_op("Mul") ? 3 : 2;
  return !value.is_output && value.uses.size() == expected;
}

}  // namespace

Result<int> layer_norm_fusion(Graph& graph, const PassContext& context) {
  if (graph.opset("") < 7) return 0;  // operands had to be broadcast by attributes
  return for_nodes(graph, [&](Node& div) -> Result<bool> {
    if (!div.is_op("Div")) return false;
    const ValueId d = div.input(0);
    const ValueId x = centred_input(graph, d);
    if (x == kNoValue || (mask_of(dtype_of(graph, x)) & kNormTypes) == 0) return false;
    const auto epsilon = epsilon_of_root(graph, div.input(1), d);
    if (!epsilon) return false;
    const Node* add = graph.producer(graph.producer(div.input(1))->input(0));
    const Node* reduce = graph.producer(add->input(0));
    if (reduce == nullptr || !reduce->is_op("ReduceMean")) reduce = graph.producer(add->input(1));
    if (!is_read_here_only(graph, d, *graph.producer(reduce->input(0)))) return false;

    const Node* scaled = vector_node(graph, div.output(0), "Mul", x);
    if (scaled == nullptr) return false;
    NewNode made = {"LayerNormalization", "", {x, other_input(*scaled, div.output(0))}, {}};
    ValueId output = scaled->output(0);
    if (const Node* shifted = vector_node(graph, output, "Add", x)) {
      made.inputs.push_back(other_input(*shifted, output));
      output = shifted->output(0);
    }
    made.attributes.push_back(Attribute::of_int("axis", -1));
    made.attributes.push_back(Attribute::of_float("epsilon", *epsilon));
    ASSIGN_OR_RETURN(const Node* done,
                     replace_producer(graph, output, std::move(made), context.evaluator));
    return done != nullptr;
  });
}

}  // namespace ortc
