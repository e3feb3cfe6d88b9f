// SPDX-License-Identifier: MIT
// Graphs with what their inputs get, which compute the same before and after the fusions.
#pragma once

#include <string>
#include <vector>

#include "core/compile/apply_fusions.h"
#include "core/graph/verify.h"
#include "tests/providers/cpu/fusions/run_graph.h"
#include "tests/support/graph_builder.h"

namespace ortc::test {

inline Tensor floats(std::vector<float> numbers) {
  return Tensor::from<float>({static_cast<int64_t>(numbers.size())}, numbers);
}
inline Tensor counts(std::vector<int64_t> numbers) {
  return Tensor::from<int64_t>({static_cast<int64_t>(numbers.size())}, numbers);
}

// A graph with what its inputs get.
struct Fed : GraphBuilder {
  explicit Fed(int64_t opset) : GraphBuilder(opset) {}

  ValueId fed(Tensor tensor) {
    tensors.push_back(std::move(tensor));
    return input(str_cat("x", tensors.size()), tensors.back().dtype(), tensors.back().dims());
  }
  ValueId constant(const Tensor& tensor) { return graph().add_constant("c", tensor); }
  std::vector<ValueId> ops(const std::string& type, std::vector<ValueId> in, size_t outputs,
                           std::vector<Attribute> attributes = {}) {
    std::vector<std::string> names;
    for (size_t i = 0; i < outputs; ++i) names.push_back(str_cat("v", ++count_));
    return node(type, std::move(in), names, std::move(attributes));
  }
  ValueId op(const std::string& type, std::vector<ValueId> in,
             std::vector<Attribute> attributes = {}) {
    return ops(type, std::move(in), 1, std::move(attributes))[0];
  }
  ValueId conv(ValueId x, Dims w) {
    ++count_;
    return op("Conv", {x, random_floats(str_cat("w", count_), w, static_cast<uint32_t>(count_))});
  }

  std::vector<Tensor> tensors;

 private:
  int count_ = 0;
};

inline std::string operator_names(const Graph& graph) {
  std::string text;
  for (NodeId id : graph.topological_order().value()) text += " " + graph.node(id)->op_type();
  return text;
}

inline void compare(const Tensor& found, const Tensor& expected) {
  CHECK(found.dtype() == expected.dtype() && found.dims() == expected.dims());
  for (int64_t i = 0; i < found.element_count(); ++i) {
    const auto at = static_cast<size_t>(i);
    if (found.dtype() == DType::kInt64) {
      CHECK_EQ(found.elements<int64_t>()[at], expected.elements<int64_t>()[at]);
    } else {
      CHECK_NEAR(found.elements<float>()[at], expected.elements<float>()[at], 1e-5, 1e-5);
    }
  }
}

// `plain` and `fused` are equal; afterwards `fused` has the operators `expected`.
inline void check_fusion(Fed& plain, Fed& fused, const std::string& expected) {
  CHECK_OK(apply_fusions(fused.graph(), cpu::lowering_rules(), Logger()));
  CHECK_OK(verify_graph(fused.graph()));
  CHECK_EQ(operator_names(fused.graph()), expected);
  compare(run_graph(fused.graph(), fused.tensors)[0], run_graph(plain.graph(), plain.tensors)[0]);
}

}  // namespace ortc::test
