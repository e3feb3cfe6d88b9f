// SPDX-License-Identifier: MIT
// Quantised graphs for tests of their rewrites, and the comparison with and without them.
#pragma once

#include <cmath>
#include <cstring>

#include "core/graph/verify.h"
#include "core/compile/apply_fusions.h"
#include "tests/providers/cpu/fusions/run_graph.h"
#include "tests/support/graph_builder.h"

namespace ortc::test {

// Graphs in QDQ form.
class QuantisedGraph : public GraphBuilder {
 public:
  explicit QuantisedGraph(int64_t opset = 17) : GraphBuilder(opset) {}
  // A body; its names begin with the prefix.
  QuantisedGraph(Graph& parent, std::string prefix)
      : GraphBuilder(17, &parent), prefix_(std::move(prefix)) {}

  ValueId constant(Tensor tensor) {
    return graph().add_constant(str_cat(prefix_, "c", ++count_), std::move(tensor));
  }
  ValueId scale(float s) { return constant(Tensor::scalar(s)); }

  ValueId quantize(ValueId x, float s, uint8_t zero) {
    return node("QuantizeLinear", {x, scale(s), constant(Tensor::scalar(zero))}, {name()})[0];
  }
  ValueId dequantize(ValueId x, float s, uint8_t zero) {
    return node("DequantizeLinear", {x, scale(s), constant(Tensor::scalar(zero))}, {name()})[0];
  }
  // Quantised and back.
  ValueId pair(ValueId x, float s = 0.05f, uint8_t zero = 128) {
    return dequantize(quantize(x, s, zero), s, zero);
  }
  // int8 weights with a scale for each number along the axis.
  ValueId weights(Dims dims, int64_t axis, unsigned seed) {
    Tensor w = Tensor::create(DType::kInt8, dims).value();
    const auto numbers = random_numbers(static_cast<size_t>(w.element_count()), seed, 100.0f);
    for (size_t i = 0; i < numbers.size(); ++i) {
      w.mutable_elements<int8_t>()[i] = static_cast<int8_t>(numbers[i]);
    }
    const int64_t count = dims[static_cast<size_t>(axis)];
    std::vector<float> scales;
    for (int64_t i = 0; i < count; ++i)
      scales.push_back(0.01f + 0.002f * static_cast<float>(i % 5));
    const ValueId zero = constant(Tensor::create(DType::kInt8, {count}).value());
    return node("DequantizeLinear",
                {constant(w), constant(Tensor::from<float>({count}, scales)), zero}, {name()},
                {Attribute::of_int("axis", axis)})[0];
  }
  // int32, with the scale that sums of `weights` with activations of scale s have.
  ValueId bias(int64_t count, float s) {
    std::vector<int32_t> codes;
    std::vector<float> scales;
    for (int64_t i = 0; i < count; ++i) {
      codes.push_back(static_cast<int32_t>(i * 37 % 400 - 200));
      scales.push_back(s * (0.01f + 0.002f * static_cast<float>(i % 5)));
    }
    return node("DequantizeLinear",
                {constant(Tensor::from<int32_t>({count}, codes)),
                 constant(Tensor::from<float>({count}, scales))},
                {name()}, {Attribute::of_int("axis", 0)})[0];
  }
  ValueId op(const std::string& type, std::vector<ValueId> inputs,
             std::vector<Attribute> attributes = {}, const std::string& domain = "") {
    return node(type, std::move(inputs), {name()}, std::move(attributes), domain)[0];
  }

 private:
  std::string name() { return str_cat(prefix_, "v", ++count_); }
  std::string prefix_;
  int count_ = 0;
};

inline std::string operators(const Graph& graph) {
  std::string text;
  for (NodeId id : graph.topological_order().value()) {
    const Node& node = *graph.node(id);
    text += str_cat(text.empty() ? "" : " ", node.domain() == kInternalDomain ? "ortc." : "",
                    node.op_type());
    if (node.input(9) != kNoValue || node.attribute("y_dtype") != nullptr) text += "+round";
    if (!node.string_attribute("activation", "").empty()) text += "+act";
  }
  return text;
}

inline Tensor random_input(const Dims& dims, unsigned seed) {
  Tensor tensor = Tensor::create(DType::kFloat32, dims).value();
  const auto numbers = random_numbers(static_cast<size_t>(tensor.element_count()), seed, 5.0f);
  return Tensor::from<float>(dims, numbers);
}

// Rewrites the graph, compares the operators, and the results on random inputs with those before.
// Floats behind a rounding may differ by a step of it.
inline void check_rewrite(QuantisedGraph& g, const std::vector<Dims>& input_dims,
                          const std::string& expected, double step = 0.0,
                          const LoweringRules& rules = cpu::lowering_rules()) {
  g.infer();
  std::vector<Tensor> inputs;
  for (const Dims& dims : input_dims) {
    inputs.push_back(random_input(dims, static_cast<unsigned>(inputs.size() + 3)));
  }
  const std::vector<Tensor> before = run_graph(g.graph(), inputs);
  CHECK_OK(apply_fusions(g.graph(), rules, Logger()));
  CHECK_OK(verify_graph(g.graph()));
  if (operators(g.graph()) != expected) std::printf("found %s\n", operators(g.graph()).c_str());
  CHECK_EQ(operators(g.graph()), expected);
  const std::vector<Tensor> after = run_graph(g.graph(), inputs);
  for (size_t i = 0; i < before.size(); ++i) {
    CHECK_EQ(after[i].dims(), before[i].dims());
    CHECK_EQ(after[i].dtype(), before[i].dtype());
    for (size_t k = 0; k < static_cast<size_t>(before[i].element_count()); ++k) {
      if (before[i].dtype() == DType::kUint8) {
        const int a = after[i].elements<uint8_t>()[k], b = before[i].elements<uint8_t>()[k];
        CHECK(std::abs(a - b) <= (step > 0 ? 1 : 0));
      } else {
        CHECK_NEAR(static_cast<double>(after[i].elements<float>()[k]),
                   static_cast<double>(before[i].elements<float>()[k]), 1e-5, step + 1e-5);
      }
    }
  }
}

}  // namespace ortc::test
