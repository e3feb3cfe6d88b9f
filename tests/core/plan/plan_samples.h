// SPDX-License-Identifier: MIT
// Plans for tests to damage: a network of products, one of convolutions with a Loop, a Scan.
#pragma once

#include "core/compile/lowering.h"
#include "core/ops/infer.h"
#include "core/plan/plan.h"
#include "core/run/runner.h"
#include "providers/cpu/fusions/fusions.h"
#include "tests/support/graph_builder.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

namespace ortc::test {

struct Sample {
  PlanImage plan;
  std::vector<Blob> tensors;
  std::vector<Tensor> inputs;
};

inline Sample lowered(Graph& graph, std::vector<Tensor> inputs) {
  LoweringOptions options;
  options.rules = &cpu::lowering_rules();
  Sample sample;
  sample.plan = lower(graph, options).value();
  for (const Tensor& tensor : sample.plan.tensors)
    sample.tensors.emplace_back(tensor.bytes(), tensor.owner());
  sample.inputs = std::move(inputs);
  return sample;
}

inline Sample network() {
  auto model = import_model_bytes(Blob::from_string(small_network(16)), ImportOptions{}).value();
  CHECK_OK(infer_types(*model->graph));
  return lowered(*model->graph, {Tensor::from<float>({3, 16}, random_numbers(48, 1))});
}

// Conv -> Relu -> MaxPool -> Conv + residual -> GlobalAveragePool, and a Loop.
inline Sample convolutions() {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {1, 2, 6, 6});
  auto h = g.node("Conv", {x, g.random_floats("w1", {4, 2, 3, 3}, 1)}, {"c1"},
                  {Attribute::of_ints("pads", {1, 1, 1, 1})})[0];
  h = g.node("Relu", {h}, {"r"})[0];
  h = g.node(
      "MaxPool", {h}, {"p"},
      {Attribute::of_ints("kernel_shape", {2, 2}), Attribute::of_ints("strides", {2, 2})})[0];
  const auto c2 = g.node("Conv", {h, g.random_floats("w2", {4, 4, 1, 1}, 2)}, {"c2"})[0];
  h = g.node("Add", {c2, h}, {"a"})[0];
  h = g.node("GlobalAveragePool", {h}, {"gap"})[0];
  GraphBuilder body(17, &g.graph());
  body.input("i", DType::kInt64, {});
  const auto go = body.input("go", DType::kBool, {});
  const auto v = body.input("v", DType::kFloat32, {1, 4, 1, 1});
  body.output(body.node("Identity", {go}, {"go2"})[0]);
  body.output(body.node("Mul", {v, v}, {"vv"})[0]);
  const Attribute attribute = graph_attribute("body", body.shared());
  g.output(g.node("Loop", {g.int64s("n", {}, {2}), kNoValue, h}, {"y"}, {attribute})[0]);
  g.infer();
  return lowered(g.graph(), {Tensor::from<float>({1, 2, 6, 6}, random_numbers(72, 4))});
}

// A Scan along axis 1, read and written from the end.
inline Sample scan() {
  GraphBuilder g;
  const auto start = g.input("start", DType::kFloat32, {2});
  const auto x = g.input("x", DType::kFloat32, {2, 5});
  GraphBuilder body(17, &g.graph());
  const auto sum = body.input("sum", DType::kFloat32, {2});
  const auto element = body.input("element", DType::kFloat32, {2});
  const auto next = body.node("Add", {sum, element}, {"next"})[0];
  body.output(next);
  body.output(body.node("Mul", {next, next}, {"square"})[0]);
  const Attribute attribute = graph_attribute("body", body.shared());
  const auto out = g.node(
      "Scan", {start, x}, {"last", "squares"},
      {attribute, Attribute::of_int("num_scan_inputs", 1),
       Attribute::of_ints("scan_input_axes", {1}), Attribute::of_ints("scan_output_axes", {-1}),
       Attribute::of_ints("scan_input_directions", {1}),
       Attribute::of_ints("scan_output_directions", {1})});
  g.output(out[0]);
  g.output(out[1]);
  g.infer();
  return lowered(g.graph(), {Tensor::from<float>({2}, random_numbers(2, 5)),
                             Tensor::from<float>({2, 5}, random_numbers(10, 6))});
}

}  // namespace ortc::test
