// SPDX-License-Identifier: MIT
// Models that people put together with tools that know nothing of contexts: nodes of several
// compiled models in one graph. They give the right numbers or are refused.
#include "core/context/edit/append_graph.h"
#include "core/graph/export.h"
#include "tests/core/context/edit/edit_files.h"

using namespace ortc;
using namespace ortc::test;

namespace {

std::unique_ptr<Model> read_model(const std::string& path) {
  auto model = import_model_file(path, ImportOptions{});
  CHECK_OK(model);
  return std::move(model).value();
}

void write_model(const Model& model, const std::string& path) {
  std::string bytes;
  ExportOptions options;
  options.aligned_attribute = "ep_cache_context";
  CHECK_OK(export_model(model, options, [&](Bytes piece) {
    bytes += as_text(piece);
    return Status::ok();
  }));
  write_whole_file(path, bytes);
}

// Every name of the graph with something in front; nodes keep theirs.
void prefix_values(Graph& graph, const std::string& prefix) {
  for (ValueId id = 0; id < graph.value_bound(); ++id) {
    if (graph.value(id) != nullptr)
      CHECK_OK(graph.rename_value(id, prefix + graph.value(id)->name));
  }
}

// `second` behind `first`, whose `y` it reads as its `x`, with no question asked.
std::string chain(const std::string& first, const std::string& second, const std::string& output) {
  auto a = read_model(first);
  auto b = read_model(second);
  prefix_values(*b->graph, "b_");
  CHECK_OK(append_graph(*a->graph, *b->graph));
  Graph& graph = *a->graph;
  const ValueId y = graph.find_value("y")->id, x = graph.find_value("b_x")->id;
  graph.set_inputs({graph.find_value("x")->id});
  graph.set_outputs({graph.find_value("b_y")->id});
  CHECK(graph.replace_uses(x, y));
  graph.remove_value(x);
  write_model(*a, output);
  return output;
}

Status try_compiled(const std::string& path, const std::vector<Tensor>& inputs) {
  const auto session = open_compiled(path);
  std::vector<Tensor> outputs;
  return try_run(*session, inputs, &outputs);
}

// y = x * w, divided by the number of its rows.
std::string mean_of(int64_t rows, unsigned seed) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {rows, 8});
  const auto h = g.node("MatMul", {x, g.random_floats("w", {8, 8}, seed)}, {"h"})[0];
  const auto shape = g.node("Shape", {x}, {"shape"}, {Attribute::of_int("end", 1)})[0];
  const auto count = g.node("Cast", {shape}, {"count"}, {Attribute::of_int("to", 1)})[0];
  g.output(g.node("Div", {h, count}, {"y"})[0]);
  g.infer();
  return g.model_bytes();
}

std::string compile_all(const std::string& folder, const std::string& name,
                        const std::string& model) {
  return compile_in(folder, name, model, false, {}, {{"excluded_operators", ""}});
}

}  // namespace

TEST(hand_merged, a_chain_of_two_contexts_computes_what_the_models_did) {
  const std::string folder = new_folder("hand_chain");
  const std::string a = compile_in(folder, "a", two_parts(40, 24, 1));
  const std::string b = compile_in(folder, "b", two_parts(24, 6, 50), true);
  const Tensor in = rows(3, 40, 5);
  const auto expected = run_compiled(b, run_compiled(a, {in}));
  CHECK(same_bits(run_compiled(chain(a, b, folder + "/ab_ctx.onnx"), {in}), expected));
}

// The second was compiled for 4 rows and divides by 4. Nothing in the merged model says so.
TEST(hand_merged, a_context_refuses_values_of_another_size_than_it_was_compiled_for) {
  const std::string folder = new_folder("hand_size");
  const std::string a = compile_all(folder, "a", mean_of(-1, 1));
  const std::string b = compile_all(folder, "b", mean_of(4, 2));
  const std::string merged = chain(a, b, folder + "/ab_ctx.onnx");
  const Tensor four = rows(4, 8, 5);
  CHECK(same_bits(run_compiled(merged, {four}), run_compiled(b, run_compiled(a, {four}))));
  const Status status = try_compiled(merged, {rows(5, 8, 5)});
  CHECK(!status.is_ok());
  CHECK(says(status, "[4,8]") && says(status, "[5,8]"));
}

// x and z had the same number of rows when it was compiled; a session compares them there.
TEST(hand_merged, a_context_refuses_two_sizes_for_one_named_dimension) {
  const std::string folder = new_folder("hand_symbol");
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {-1, 8});
  const auto z = g.input("z", DType::kFloat32, {-1, 8});
  g.output(g.node("Add", {x, z}, {"y"})[0]);
  g.infer();
  const std::string two = compile_all(folder, "two", g.model_bytes());
  auto model = read_model(two);
  for (const char* name : {"x", "z", "y"}) {
    model->graph->find_value(name)->type.shape =
        Shape{Dim::named(str_cat(name, "_rows")), Dim::known(8)};
  }
  write_model(*model, folder + "/loose_ctx.onnx");
  const Tensor in = rows(3, 8, 5);
  CHECK(same_bits(run_compiled(folder + "/loose_ctx.onnx", {in, in}), run_compiled(two, {in, in})));
  const Status status = try_compiled(folder + "/loose_ctx.onnx", {in, rows(1, 8, 6)});
  CHECK(!status.is_ok());
}

// Each branch runs a context of its own, with the same names inside.
TEST(hand_merged, branches_with_contexts_of_two_models_find_their_own) {
  const std::string folder = new_folder("hand_if");
  const std::string a = compile_in(folder, "a", two_parts(40, 8, 1));
  const std::string b = compile_in(folder, "b", two_parts(40, 8, 50), true);
  GraphBuilder g;
  const auto c = g.input("c", DType::kBool, {});
  const auto x = g.input("x", DType::kFloat32, {-1, 40});
  Attribute branches[2];
  for (int i = 0; i < 2; ++i) {
    const auto model = read_model(i == 0 ? a : b);
    Graph& from = *model->graph;
    CHECK_OK(from.rename_value(from.find_value("x")->id, "given"));
    auto inner = std::make_shared<Graph>(from.opsets(), &g.graph());
    const ValueId captured = inner->capture(x).value();
    CHECK_OK(append_graph(*inner, from));
    const ValueId given = inner->find_value("given")->id;
    inner->set_inputs({});
    CHECK(inner->replace_uses(given, captured));
    inner->remove_value(given);
    branches[i] = graph_attribute(i == 0 ? "then_branch" : "else_branch", inner);
  }
  const auto opsets = branches[0].graph->opsets();
  g.output(g.node("If", {c}, {"y"}, {branches[0], branches[1]})[0]);
  Model model;
  model.opsets = opsets;
  model.graph = g.shared();
  model.graph->set_opsets(opsets);
  model.graph->value(model.graph->outputs()[0])->type = Type::tensor(DType::kFloat32);
  const std::string merged = folder + "/if_ctx.onnx";
  write_model(model, merged);
  const Tensor in = rows(3, 40, 5);
  CHECK(same_bits(run_compiled(merged, {Tensor::scalar<bool>(true), in}), run_compiled(a, {in})));
  CHECK(same_bits(run_compiled(merged, {Tensor::scalar<bool>(false), in}), run_compiled(b, {in})));
}

// A node whose container was left behind, or that looks into another one.
TEST(hand_merged, a_node_without_its_context_is_refused_by_name) {
  const std::string folder = new_folder("hand_lost");
  const std::string a = compile_in(folder, "a", two_parts(40, 24, 1));
  const std::string b = compile_in(folder, "b", two_parts(24, 6, 50));
  const std::string merged = chain(a, b, folder + "/ab_ctx.onnx");
  std::filesystem::copy_file(folder + "/a_aot.bin", folder + "/b_aot.bin",
                             std::filesystem::copy_options::overwrite_existing);
  const auto environment = quiet_environment();
  const auto session =
      Session::create(environment, file_source(merged), options_with(*environment, {"AOT"}));
  CHECK_CODE(session, Code::kInvalidGraph);
  CHECK(says(session.status(), "another generation"));
}
