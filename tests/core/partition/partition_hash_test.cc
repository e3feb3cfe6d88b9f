// SPDX-License-Identifier: MIT
// Names of partitions: the same for the same graph, other ones for other structure and, when they
// are written, for other weights.
#include "core/partition/partitioner.h"
#include "tests/support/graph_builder.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

std::shared_ptr<Graph> product(const std::string& weight_name, unsigned seed) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {2, 8});
  g.output(g.node("MatMul", {x, g.random_floats(weight_name, {8, 8}, seed)}, {"y"})[0]);
  g.infer();
  return g.shared();
}

std::shared_ptr<Graph> in_attribute(float number) {
  GraphBuilder g;
  const std::vector<float> value = {number};
  const auto tensor = Attribute::of_tensor("value", Tensor::from<float>({1}, value));
  const auto shape = g.input("shape", DType::kInt64, {2});
  g.output(g.node("ConstantOfShape", {shape}, {"y"}, {tensor})[0]);
  g.infer();
  return g.shared();
}

std::shared_ptr<Graph> with_strings(const std::string& last) {
  GraphBuilder g;
  const auto id = g.graph().add_constant("s", Tensor::strings({2}, {"first", last}));
  g.output(g.node("Identity", {id}, {"y"})[0]);
  return g.shared();
}

// If whose branch subtracts the one outer value from the other.
std::shared_ptr<Graph> branch(bool swapped) {
  GraphBuilder g;
  const auto condition = g.input("c", DType::kBool, {});
  const auto a = g.input("a", DType::kFloat32, {2}), b = g.input("b", DType::kFloat32, {2});
  std::vector<Attribute> bodies;
  for (const char* name : {"then_branch", "else_branch"}) {
    GraphBuilder body(17, &g.graph());
    const auto first = body.graph().capture(swapped ? b : a).value();
    const auto second = body.graph().capture(swapped ? a : b).value();
    body.output(body.node("Sub", {first, second}, {"d"})[0]);
    const Attribute attribute = graph_attribute(name, body.shared());
    bodies.push_back(std::move(attribute));
  }
  g.output(g.node("If", {condition}, {"y"}, std::move(bodies))[0]);
  return g.shared();
}

Hash128 hash_of(const Graph& graph, bool for_contexts) {
  return partition_hash(graph, for_contexts).value();
}

}  // namespace

TEST(partition_hash, names_matter_only_where_they_are_written) {
  CHECK(hash_of(*product("w", 1), false) == hash_of(*product("v", 1), false));
  CHECK(hash_of(*product("w", 1), true) != hash_of(*product("v", 1), true));
}

TEST(partition_hash, weights_matter_when_asked_for) {
  CHECK(hash_of(*product("w", 1), false) == hash_of(*product("w", 2), false));
  CHECK(hash_of(*product("w", 1), true) != hash_of(*product("w", 2), true));
}

TEST(partition_hash, tensors_in_attributes_count_by_their_bytes) {
  CHECK(hash_of(*in_attribute(1), true) != hash_of(*in_attribute(2), true));
  CHECK(hash_of(*in_attribute(1), true) == hash_of(*in_attribute(1), true));
}

TEST(partition_hash, strings_count_by_their_letters) {
  CHECK(hash_of(*with_strings("second"), true) == hash_of(*with_strings("second"), true));
  CHECK(hash_of(*with_strings("second"), true) != hash_of(*with_strings("third"), true));
}

TEST(partition_hash, which_outer_value_a_body_takes_matters) {
  CHECK(hash_of(*branch(false), false) == hash_of(*branch(false), false));
  CHECK(hash_of(*branch(false), false) != hash_of(*branch(true), false));
}

TEST(partition_hash, gives_written_contexts_of_other_weights_other_names) {
  std::vector<std::string> names;
  for (unsigned seed : {1u, 2u, 1u}) {
    const std::string source = str_cat(temp_dir(), "/m", names.size(), ".onnx");
    write_whole_file(source, small_network(40, seed));
    const CompileReport report = compile_to(source, source + "_ctx.onnx");
    names.push_back(report.partitions.at(0).name);
  }
  CHECK(names[0] != names[1]);
  CHECK_EQ(names[0], names[2]);
}
