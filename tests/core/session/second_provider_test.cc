// SPDX-License-Identifier: MIT
// A second compiling provider: contexts, partitions and bodies, alone and beside another provider.
#include <filesystem>

#include "core/context/context_source.h"
#include "core/graph/export.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"
#include "tests/support/test_provider.h"

using namespace ortc;
using namespace ortc::test;

namespace {

// x -> MatMul -> Softsign -> Add(c) -> Tanh -> y, and the Softsign is an output too.
std::string chain() {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {-1, 4});
  auto h = g.node("MatMul", {x, g.random_floats("w", {4, 4}, 1)}, {"h"})[0];
  const auto s = g.node("Softsign", {h}, {"s"})[0];
  h = g.node("Add", {s, g.random_floats("c", {4}, 2)}, {"a"})[0];
  g.output(g.node("Tanh", {h}, {"y"})[0]);
  g.output(s);
  g.infer();
  return g.model_bytes();
}

std::vector<const Node*> nodes_of_source(const Model& model, std::string_view source) {
  std::vector<const Node*> nodes;
  for (const Node* node : ep_context_nodes(*model.graph)) {
    if (node->string_attribute("source", "") == source) nodes.push_back(node);
  }
  return nodes;
}

void add_branch(std::vector<Attribute>& branches, GraphBuilder& inner) {
  branches.push_back(
      graph_attribute(branches.empty() ? "then_branch" : "else_branch", inner.shared()));
}

// If(c) { Softsign(MatMul(x, w)) } else { Tanh(Softsign(x)) }, then Relu.
std::string branching() {
  GraphBuilder g;
  const auto c = g.input("c", DType::kBool, {});
  const auto x = g.input("x", DType::kFloat32, {2, 4});
  const auto w = g.random_floats("w", {4, 4}, 11);
  std::vector<Attribute> branches;
  GraphBuilder then(17, &g.graph()), other(17, &g.graph());
  auto h = then.node("MatMul", {then.graph().capture(x).value(), then.graph().capture(w).value()},
                     {"t1"})[0];
  then.output(then.node("Softsign", {h}, {"t2"})[0]);
  h = other.node("Softsign", {other.graph().capture(x).value()}, {"e1"})[0];
  other.output(other.node("Tanh", {h}, {"e2"})[0]);
  add_branch(branches, then);
  add_branch(branches, other);
  const auto picked = g.node("If", {c}, {"picked"}, branches)[0];
  g.output(g.node("Relu", {picked}, {"y"})[0]);
  g.infer();
  return g.model_bytes();
}

// Loop: carried <- Softsign(carried) + w, scanned; five times.
std::string looping() {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {2, 4});
  const auto w = g.random_floats("w", {4}, 3);
  const auto trips = g.int64s("trips", {}, {5});
  GraphBuilder body(17, &g.graph());
  body.input("i", DType::kInt64, {});
  const auto cond = body.input("cond", DType::kBool, {});
  const auto carried = body.input("carried", DType::kFloat32, {2, 4});
  const auto go = body.node("Identity", {cond}, {"go"})[0];
  const auto s = body.node("Softsign", {carried}, {"soft"})[0];
  const auto sum = body.node("Add", {s, body.graph().capture(w).value()}, {"sum"})[0];
  const auto scanned = body.node("Tanh", {sum}, {"scanned"})[0];
  for (ValueId id : {go, sum, scanned}) body.output(id);
  const Attribute attribute = graph_attribute("body", body.shared());
  const auto results = g.node("Loop", {trips, kNoValue, x}, {"last", "all"}, {attribute});
  g.output(results[0]);
  g.output(results[1]);
  g.infer();
  return g.model_bytes();
}

}  // namespace

TEST(second_provider, its_contexts_load_with_equal_numbers_wherever_they_are_stored) {
  const auto expected = expected_of(chain(), {two_rows()});
  int number = 0;
  for (const char* storage : {"container", "raw"}) {
    for (const bool embed : {false, true}) {
      for (const char* constants : {"take", "leave"}) {
        for (const char* places : {"claim", "reversed"}) {
          const TestEnvironment test;
          const SessionOptions options = test.options({"Test"}, {{"operators", "MatMul,Add,Tanh"},
                                                                 {"storage", storage},
                                                                 {"constants", constants},
                                                                 {"places", places}});
          const auto source = test.open(memory_source(chain()), options);
          CHECK_OK(source);
          CHECK(all_near(run_all(**source, {two_rows()}), expected, 1e-5, 1e-6));
          const auto path = test.compile(str_cat("stored", number++), chain(), options, embed);
          CHECK_OK(path);
          const int compiled = test.state->compiled;
          const auto session = test.open(file_source(*path), test.options({"Test"}, {}));
          CHECK_OK(session);
          CHECK_EQ(test.state->compiled.load(), compiled);
          CHECK_EQ(test.state->loaded.load(), 2);
          CHECK(all_near(run_all(**session, {two_rows()}), expected, 1e-5, 1e-6));
        }
      }
    }
  }
}

TEST(second_provider, it_runs_beside_another_in_one_model_in_both_orders) {
  const auto expected = expected_of(chain(), {two_rows()});
  for (const bool first : {true, false}) {
    for (const bool embed : {false, true}) {
      const TestEnvironment test;
      const std::vector<std::string> names =
          first ? std::vector<std::string>{"Test", "AOT"} : std::vector<std::string>{"AOT", "Test"};
      SessionOptions options = test.options(names, {{"operators", "Softsign,Tanh"}});
      options.providers[first ? 1 : 0].options = {{"excluded_operators", "Softsign"}};
      const auto path = test.compile(str_cat("beside", first, embed), chain(), options, embed);
      CHECK_OK(path);
      const auto model = import_model_file(*path, ImportOptions{}).value();
      CHECK_EQ(nodes_of_source(*model, "Test").size(), first ? 2u : 1u);
      CHECK_EQ(nodes_of_source(*model, "AOT").size(), 2u);
      for (const bool same_order : {true, false}) {
        const auto loading = first == same_order ? std::vector<std::string>{"Test", "AOT"}
                                                 : std::vector<std::string>{"AOT", "Test"};
        const auto session = test.open(file_source(*path), test.options(loading, {}));
        CHECK_OK(session);
        CHECK(all_near(run_all(**session, {two_rows()}), expected, 1e-5, 1e-6));
      }
      const auto alone = test.open(file_source(*path), test.options({"AOT"}, {}));
      CHECK_CODE(alone, Code::kNotImplemented);
      CHECK(alone.status().message().find("add 'TestExecutionProvider'") != std::string::npos);
    }
  }
}

TEST(second_provider, it_claims_in_the_bodies_of_if_and_loop) {
  for (const char* order : {"outer", "inner"}) {
    for (const bool embed : {false, true}) {
      const TestEnvironment test;
      const KeyValues own = {{"operators", "Softsign,Add"}, {"order", order}};
      const std::string name = str_cat("bodies", order, embed);
      const auto path = test.compile(name, branching(), test.options({"Test"}, own), embed);
      CHECK_OK(path);
      CHECK_EQ(test.state->compiled.load(), 2);
      const auto session = test.open(file_source(*path), test.options({"Test"}, {}));
      CHECK_OK(session);
      for (const bool flag : {true, false}) {
        const std::vector<Tensor> inputs = {Tensor::scalar<bool>(flag), two_rows()};
        CHECK(all_near(run_all(**session, inputs), expected_of(branching(), inputs), 1e-5, 1e-6));
      }
      const auto loop =
          test.compile(str_cat("loop", name), looping(), test.options({"Test"}, own), embed);
      CHECK_OK(loop);
      const auto looped = test.open(file_source(*loop), test.options({"Test"}, {}));
      CHECK_OK(looped);
      test.state->runs->count = 0;
      CHECK(all_near(run_all(**looped, {two_rows()}), expected_of(looping(), {two_rows()}), 1e-5,
                     1e-6));
      CHECK_EQ(test.state->runs->count, 5);
    }
  }
}

TEST(second_provider, an_owner_of_bodies_is_claimed_whole_by_who_sees_the_outer_graph_first) {
  const TestEnvironment test;
  const auto session =
      test.open(memory_source(branching()), test.options({"Test"}, {{"operators", "If,Softsign"}}));
  CHECK_OK(session);
  CHECK_EQ(test.state->compiled.load(), 1);
  for (const bool flag : {true, false}) {
    const std::vector<Tensor> inputs = {Tensor::scalar<bool>(flag), two_rows()};
    CHECK(all_near(run_all(**session, inputs), expected_of(branching(), inputs), 1e-5, 1e-6));
  }
}

TEST(second_provider, an_owner_with_a_claimed_body_stays_in_the_graph) {
  for (const bool both : {false, true}) {
    const TestEnvironment test;
    SessionOptions options = test.options(
        both ? std::vector<std::string>{"Test", "AOT"} : std::vector<std::string>{"Test"},
        {{"operators", "If,Softsign,Relu"}, {"order", "inner"}, {"groups", "single"}});
    const auto session = test.open(memory_source(branching()), options);
    CHECK_OK(session);
    CHECK_EQ(test.state->compiled.load(), 3);  // a Softsign in each branch, and the Relu
    const auto& left = (*session)->report().assignments;
    CHECK(!left.empty());
    CHECK_EQ(left[0].op_type, std::string("If"));
    CHECK(left[0].reason.find("holds a claim") != std::string::npos);
    for (const bool flag : {true, false}) {
      const std::vector<Tensor> inputs = {Tensor::scalar<bool>(flag), two_rows()};
      CHECK(all_near(run_all(**session, inputs), expected_of(branching(), inputs), 1e-5, 1e-6));
    }
  }
}

// Two models compiled without a prefix whose partitions differ in the constants, put into the
// branches of one If.
static std::string in_branches(const std::string& first, const std::string& second) {
  GraphBuilder g;
  const auto c = g.input("c", DType::kBool, {});
  const auto x = g.input("x", DType::kFloat32, {2, 4});
  std::vector<Attribute> branches;
  for (const std::string& path : {first, second}) {
    const auto model = import_model_file(path, ImportOptions{}).value();
    const Node& node = *nodes_of_source(*model, "Test").at(0);
    GraphBuilder inner(17, &g.graph());
    const ValueId y =
        inner.graph().add_value("y", Type::tensor(DType::kFloat32, Shape(2, Dim{}))).value();
    CHECK_OK(inner.graph().add_node("EPContext", std::string(kMicrosoftDomain), "part",
                                    {inner.graph().capture(x).value()}, {y}, node.attributes()));
    inner.output(y);
    add_branch(branches, inner);
  }
  g.output(g.node("If", {c}, {"result"}, branches)[0]);
  return g.model_bytes();
}

TEST(second_provider, equal_context_nodes_in_different_bodies_run_their_own_partition) {
  for (const char* storage : {"container", "raw"}) {
    for (const bool embed : {false, true}) {
      const TestEnvironment test;
      const SessionOptions options =
          test.options({"Test"}, {{"operators", "Mul"}, {"storage", storage}});
      std::string models[2], paths[2];
      for (int i = 0; i < 2; ++i) {
        GraphBuilder g;
        const auto x = g.input("x", DType::kFloat32, {2, 4});
        g.output(g.node("Mul", {x, g.floats("k", {1}, {i == 0 ? 2.0f : 3.0f})}, {"y"})[0]);
        g.infer();
        models[i] = g.model_bytes();
        const auto path =
            test.compile(str_cat("equal", storage, embed, i), models[i], options, embed);
        CHECK_OK(path);
        paths[i] = *path;
      }
      const std::string path = str_cat(temp_dir(), "/joined", storage, embed, ".onnx");
      write_whole_file(path, in_branches(paths[0], paths[1]));
      const auto session = test.open(file_source(path), test.options({"Test"}, {}));
      CHECK_OK(session);
      for (int i = 0; i < 2; ++i) {
        const auto found = run_all(**session, {Tensor::scalar<bool>(i == 0), two_rows()});
        CHECK(same_bits(found, expected_of(models[i], {two_rows()})));
      }
    }
  }
}

TEST(second_provider, single_nodes_convex_groups_and_groups_it_names_are_claimed) {
  const struct {
    const char* groups;
    int compiled;
  } kCases[] = {{"single", 4}, {"convex", 1}, {"given", 1}};
  for (const auto& one : kCases) {
    const TestEnvironment test;
    const auto session = test.open(
        memory_source(chain()), test.options({"Test"}, {{"operators", "MatMul,Softsign,Add,Tanh"},
                                                        {"groups", one.groups}}));
    CHECK_OK(session);
    CHECK_EQ(test.state->compiled.load(), one.compiled);
    CHECK((*session)->report().assignments.empty());
    CHECK(
        all_near(run_all(**session, {two_rows()}), expected_of(chain(), {two_rows()}), 1e-5, 1e-6));
  }
}

TEST(second_provider, a_group_that_is_not_convex_is_left_out_with_the_reason) {
  const TestEnvironment test;
  const auto session =
      test.open(memory_source(chain()),
                test.options({"Test"}, {{"operators", "MatMul,Add,Tanh"}, {"groups", "given"}}));
  CHECK_OK(session);
  CHECK_EQ(test.state->compiled.load(), 0);
  const auto& left = (*session)->report().assignments;
  CHECK_EQ(left.size(), 4u);
  CHECK(left[0].reason.find("Test: a path leaves the group") != std::string::npos);
  CHECK(test.log->find("asked for a group of 3 nodes") != std::string::npos);
  CHECK(all_near(run_all(**session, {two_rows()}), expected_of(chain(), {two_rows()}), 1e-5, 1e-6));
}

TEST(second_provider, a_group_that_names_a_node_twice_is_left_out_with_the_reason) {
  const TestEnvironment test;
  const auto session = test.open(
      memory_source(chain()), test.options({"Test"}, {{"operators", "Add"}, {"groups", "twice"}}));
  CHECK_OK(session);
  CHECK_EQ(test.state->compiled.load(), 0);
  CHECK(test.log->find("Add 'a_node' twice") != std::string::npos);
}

TEST(second_provider, constants_that_it_leaves_are_inputs_of_its_node) {
  for (const char* constants : {"take", "leave"}) {
    const TestEnvironment test;
    const auto path =
        test.compile(str_cat("constants", constants), chain(),
                     test.options({"Test"}, {{"operators", "MatMul"}, {"constants", constants}}));
    CHECK_OK(path);
    const auto model = import_model_file(*path, ImportOptions{}).value();
    const Node& node = *nodes_of_source(*model, "Test").at(0);
    const bool is_taken = std::string_view(constants) == "take";
    CHECK_EQ(node.inputs().size(), is_taken ? 1u : 2u);
    CHECK_EQ(model->graph->find_value("w") == nullptr, is_taken);
  }
}

TEST(second_provider, the_order_of_its_nodes_values_is_kept_in_the_written_model) {
  GraphBuilder g;
  const auto a = g.input("a", DType::kFloat32, {2}), b = g.input("b", DType::kFloat32, {3});
  const auto sum = g.node("Concat", {a, b}, {"joined"}, {Attribute::of_int("axis", 0)})[0];
  g.output(sum);
  g.output(g.node("Softsign", {sum}, {"soft"})[0]);
  g.infer();
  const TestEnvironment test;
  const auto path = test.compile(
      "places", g.model_bytes(),
      test.options({"Test"}, {{"operators", "Concat,Softsign"}, {"places", "reversed"}}));
  CHECK_OK(path);
  const auto model = import_model_file(*path, ImportOptions{}).value();
  const Node& node = *nodes_of_source(*model, "Test").at(0);
  const auto name = [&](ValueId id) { return model->graph->value(id)->name; };
  CHECK_EQ(name(node.input(0)), std::string("b"));
  CHECK_EQ(name(node.input(1)), std::string("a"));
  CHECK_EQ(name(node.output(0)), std::string("soft"));
  CHECK_EQ(name(node.output(1)), std::string("joined"));
  const std::vector<Tensor> inputs = {Tensor::from<float>({2}, random_numbers(2, 1)),
                                      Tensor::from<float>({3}, random_numbers(3, 2))};
  const auto session = test.open(file_source(*path), test.options({"Test"}, {}));
  CHECK_OK(session);
  CHECK(same_bits(run_all(**session, inputs), expected_of(g.model_bytes(), inputs)));
}

TEST(second_provider, raw_bytes_that_changed_after_compiling_are_refused) {
  const TestEnvironment test;
  const auto path = test.compile(
      "changed", chain(), test.options({"Test"}, {{"operators", "Tanh"}, {"storage", "raw"}}));
  CHECK_OK(path);
  const std::string file = temp_dir() + "/changed_test.bin";
  std::string bytes = read_whole_file(file);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_whole_file(file, bytes);
  const auto session = test.open(file_source(*path), test.options({"Test"}, {}));
  CHECK_CODE(session, Code::kInvalidGraph);
  CHECK(session.status().message().find("other bytes") != std::string::npos);
}

TEST(second_provider, a_container_of_another_generation_is_refused) {
  const TestEnvironment test;
  const SessionOptions options = test.options({"Test"}, {{"operators", "Tanh"}});
  CHECK_OK(test.compile("generation_a", chain(), options));
  CHECK_OK(test.compile("generation_b", looping(), options));
  std::filesystem::copy_file(temp_dir() + "/generation_b_test.bin",
                             temp_dir() + "/generation_a_test.bin",
                             std::filesystem::copy_options::overwrite_existing);
  const auto session =
      test.open(file_source(temp_dir() + "/generation_a_ctx.onnx"), test.options({"Test"}, {}));
  CHECK_CODE(session, Code::kInvalidGraph);
  CHECK(session.status().message().find("generation") != std::string::npos);
}
