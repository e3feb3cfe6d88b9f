// SPDX-License-Identifier: MIT
// Models that the tests of the library share, and what ortc itself makes of them.
#pragma once

#include <sys/stat.h>

#include <memory>
#include <string>
#include <vector>

#include "core/graph/export.h"
#include "core/session/stages.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

namespace ortc::test {

inline std::vector<Tensor> run_in_ortc(const ModelSource& source,
                                       const std::vector<Tensor>& inputs) {
  const auto environment = quiet_environment();
  const auto made = make_model(environment, source, options_with(*environment, {"AOT"}));
  if (!made.is_ok()) fprintf(stderr, "%s\n", made.status().to_string().c_str());
  CHECK(made.is_ok());
  return run_all(*made->session, inputs);
}

inline std::vector<Tensor> run_in_ortc(const std::string& path, const std::vector<Tensor>& inputs) {
  return run_in_ortc(file_source(path), inputs);
}

// What a session of ortc's own AOT provider gives.
inline std::vector<Tensor> expected_of(const std::string& model,
                                       const std::vector<Tensor>& inputs) {
  return run_in_ortc(memory_source(model), inputs);
}

inline std::vector<Port> ports_of(const std::string& model) {
  const auto environment = quiet_environment();
  return make_model(environment, memory_source(model), options_with(*environment, {"AOT"}))
      .value()
      .session->facts()
      .ports.inputs;
}

inline Tensor floats(Dims dims, unsigned seed) {
  int64_t count = 1;
  for (int64_t dim : dims) count *= dim;
  const auto numbers = random_numbers(static_cast<size_t>(count), seed);
  return Tensor::from<float>(std::move(dims), numbers);
}

inline std::string bytes_of(const Model& model) {
  std::string bytes;
  CHECK(export_model(model, ExportOptions{}, [&](Bytes piece) {
          bytes.append(as_text(piece));
          return Status::ok();
        }).is_ok());
  return bytes;
}

// Three nodes, one fused step.
inline std::string matmul_model() {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {-1, 8});
  const ValueId w = g.random_floats("w", {8, 5}, 1);
  const ValueId b = g.random_floats("b", {5}, 2);
  const ValueId product = g.node("MatMul", {x, w}, {"product"})[0];
  const ValueId sum = g.node("Add", {product, b}, {"sum"})[0];
  g.output(g.node("Relu", {sum}, {"y"})[0]);
  return g.model_bytes();
}

// Two products with a piece between them that is left to the host.
inline std::string divided_model() {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {-1, 8});
  const ValueId w = g.random_floats("w", {8, 8}, 1);
  const ValueId v = g.random_floats("v", {8, 4}, 2);
  const ValueId product = g.node("MatMul", {x, w}, {"product"})[0];
  const ValueId middle = g.node("Tanh", {product}, {"middle"})[0];
  g.output(g.node("MatMul", {middle, v}, {"y"})[0]);
  return g.model_bytes();
}

inline std::shared_ptr<Graph> branch(Graph& parent, const std::string& op) {
  GraphBuilder body(17, &parent);
  const ValueId x = body.graph().capture(parent.find_value("x")->id).value();
  const ValueId w = body.graph().capture(parent.find_value("w")->id).value();
  const ValueId product = body.node("MatMul", {x, w}, {op + "_product"})[0];
  body.output(body.node(op, {product}, {op + "_result"})[0]);
  return body.shared();
}

// y = sum(x) > 0 ? relu(x w) : tanh(x w), of three rows.
inline std::string branching_model() {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {3, 8});
  g.random_floats("w", {8, 8}, 3);
  const ValueId zero = g.floats("zero", {}, {0});
  const ValueId sum = g.node("ReduceSum", {x}, {"sum"}, {Attribute::of_int("keepdims", 0)})[0];
  const ValueId is_positive = g.node("Greater", {sum, zero}, {"is_positive"})[0];
  std::vector<Attribute> branches = {graph_attribute("then_branch", branch(g.graph(), "Relu")),
                                     graph_attribute("else_branch", branch(g.graph(), "Tanh"))};
  g.output(g.node("If", {is_positive}, {"y"}, std::move(branches))[0]);
  return g.model_bytes();
}

// So many Ifs, one after the other, each of which turns the sign around.
inline std::string many_choices(int count) {
  GraphBuilder g;
  ValueId x = g.input("x", DType::kFloat32, {2});
  const ValueId zero = g.floats("zero", {}, {0});
  const ValueId sum = g.node("ReduceSum", {x}, {"sum"}, {Attribute::of_int("keepdims", 0)})[0];
  const ValueId is_positive = g.node("Greater", {sum, zero}, {"is_positive"})[0];
  for (int i = 0; i < count; ++i) {
    std::vector<Attribute> branches;
    for (const char* which : {"then_branch", "else_branch"}) {
      GraphBuilder body(17, &g.graph());
      const ValueId inside = body.graph().capture(x).value();
      body.output(body.node("Neg", {inside}, {str_cat(which, i)})[0]);
      branches.push_back(graph_attribute(which, body.shared()));
    }
    x = g.node("If", {is_positive}, {str_cat("y", i)}, std::move(branches))[0];
  }
  g.output(x);
  return g.model_bytes();
}

inline std::string fresh_folder(const std::string& name) {
  const std::string folder = temp_dir() + "/" + name;
  CHECK_EQ(mkdir(folder.c_str(), 0700), 0);
  return folder + "/";
}

}  // namespace ortc::test
