// SPDX-License-Identifier: MIT
// Graphs for tests, in a few words:
//
//   GraphBuilder g;
//   auto x = g.input("x", DType::kFloat32, {2, 3});
//   auto y = g.node("Relu", {x}, {"y"})[0];
//   g.output(y);
//   g.infer();
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "core/graph/model.h"

namespace ortc::test {

class GraphBuilder {
 public:
  explicit GraphBuilder(int64_t opset = 17, Graph* parent = nullptr);

  ValueId input(const std::string& name, DType dtype,
                std::vector<int64_t> dims);  // -1: symbol "d<i>"
  ValueId floats(const std::string& name, Dims dims, std::vector<float> values);
  ValueId random_floats(const std::string& name, Dims dims, unsigned seed, float scale = 1.0f);
  ValueId int64s(const std::string& name, Dims dims, std::vector<int64_t> values);
  std::vector<ValueId> node(const std::string& op, std::vector<ValueId> inputs,
                            std::vector<std::string> outputs,
                            std::vector<Attribute> attributes = {}, const std::string& domain = "");
  void output(ValueId id);
  // Infers types and checks the graph; the test fails when that fails.
  void infer();

  Graph& graph() { return *graph_; }
  std::shared_ptr<Graph> shared() { return graph_; }
  // The model's bytes.
  std::string model_bytes();

 private:
  std::shared_ptr<Graph> graph_;
};

// A body of If, Loop, Scan or SequenceMap.
Attribute graph_attribute(std::string name, std::shared_ptr<Graph> graph);

// The same numbers on every machine, in (-scale, scale).
std::vector<float> random_numbers(size_t count, unsigned seed, float scale = 1.0f);
std::string read_whole_file(const std::string& path);
void write_whole_file(const std::string& path, const std::string& bytes);
// A .npy file of float32 or int64.
Tensor read_npy(const std::string& path);

}  // namespace ortc::test
