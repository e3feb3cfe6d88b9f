// SPDX-License-Identifier: MIT
// QLinearConv and ConvInteger over one axis with constant weights work on images of one row, which
// ortc.QConv is for:
//
//   x[n,c,w] -> Unsqueeze -> x'[n,c,1,w] -> QLinearConv of kernel 1 by k -> ... -> Squeeze
//
// What follows each other stays in images.
#include "providers/cpu/fusions/line_rewrite.h"

namespace ortc::cpu {
namespace {

class QuantisedLines final : private LineRewrite {
 public:
  explicit QuantisedLines(Graph& graph) : LineRewrite(graph) {}

  using LineRewrite::run;

 private:
  bool is_line(ValueId id) const {
    const Shape* shape = known_shape(graph_, id);
    return shape != nullptr && shape->size() == 3;
  }

  Result<bool> convert(const Node& node) override {
    const bool is_quantised = node.is_op("QLinearConv");
    if ((!is_quantised && !node.is_op("ConvInteger")) || !is_line(node.input(0)) ||
        !is_line(node.output(0))) {
      return false;
    }
    const size_t w = is_quantised ? 3 : 1;
    const Tensor* weights = constant_of(graph_, node.input(w));
    if (weights == nullptr || weights->dims().size() != 3) return false;
    const Dims& dims = weights->dims();
    std::vector<ValueId> inputs = node.inputs();
    inputs[w] = graph_.add_constant(graph_.value(inputs[w])->name,
                                    weights->reshaped({dims[0], dims[1], 1, dims[2]}));
    ASSIGN_OR_RETURN(inputs[0], twin_of(inputs[0]));
    return replace(node, node.op_type(), "", std::move(inputs), for_images(node));
  }
};

}  // namespace

Result<int> quantised_lines(Graph& graph, const KernelRegistry& kernels) {
  return kernels.knows_operator("QConv", kInternalDomain) ? QuantisedLines(graph).run() : 0;
}

}  // namespace ortc::cpu
