// SPDX-License-Identifier: MIT
// Merged models compute what the models computed, or are refused with the name of what is in the
// way.
#include "core/provider/compatibility_info.h"
#include "tests/core/context/edit/edit_files.h"

using namespace ortc;
using namespace ortc::test;

namespace {

std::vector<Tensor> both(std::vector<Tensor> first, const std::vector<Tensor>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Result<EditReport> merge(const std::vector<std::string>& paths, const std::string& output,
                         const std::vector<std::string>& connections = {}) {
  return merge_models(paths, connections, to_file(output), providers());
}

// x [rows,width] -> y = x * w.
std::string product(std::vector<int64_t> x, int64_t out, unsigned seed, int64_t opset = 17,
                    DType type = DType::kFloat32) {
  GraphBuilder g(opset);
  const int64_t width = x.back();
  const auto in = g.input("x", type, std::move(x));
  g.output(g.node("MatMul", {in, g.random_floats("w", {width, out}, seed, 0.3f)}, {"y"})[0]);
  g.infer();
  return g.model_bytes();
}

}  // namespace

TEST(merge, models_with_equal_names_run_side_by_side) {
  for (const bool embed : {false, true}) {
    const std::string folder = new_folder("side");
    const std::string a = compile_in(folder, "a", two_parts(40, 8, 1), embed);
    const std::string b = compile_in(folder, "b", two_parts(24, 6, 50), !embed);
    const std::string out = folder + "/ab_ctx.onnx";
    const auto report = merge({a, b}, out);
    CHECK_OK(report);
    CHECK_EQ(report->files.size(), 2u);  // one of the contexts is inside
    const auto session = open_compiled(out);
    CHECK_EQ(session->inputs()[1].name, "b/x");
    CHECK_EQ(session->outputs()[1].name, "b/y");
    const Tensor x = rows(3, 40, 5), x2 = rows(3, 24, 6);
    CHECK(same_bits(run_all(*session, {x, x2}), both(run_compiled(a, {x}), run_compiled(b, {x2}))));
    // A batch of one says nothing of the batch of the other.
    const Tensor larger = rows(7, 24, 8);
    CHECK(same_bits(run_all(*session, {x, larger}),
                    both(run_compiled(a, {x}), run_compiled(b, {larger}))));
  }
}

TEST(merge, an_output_of_one_feeds_an_input_of_the_other) {
  const std::string folder = new_folder("chain");
  const std::string a = compile_in(folder, "a", two_parts(40, 24, 1));
  const std::string b = compile_in(folder, "b", two_parts(24, 6, 50));
  const std::string out = folder + "/ab_ctx.onnx";
  CHECK_OK(merge({a, b}, out, {"a.y=b.x"}));
  const auto session = open_compiled(out);
  CHECK_EQ(session->inputs().size(), 1u);
  CHECK_EQ(session->outputs().size(), 1u);
  const Tensor x = rows(3, 40, 5);
  CHECK(same_bits(run_all(*session, {x}), run_compiled(b, run_compiled(a, {x}))));
  // The other way round it is the same model, and "b_ctx" and numbers are names too.
  const std::string turned = folder + "/ba_ctx.onnx";
  CHECK_OK(merge({b, a}, turned, {"2.y=b_ctx.x"}));
  CHECK(same_bits(run_compiled(turned, {x}), run_all(*session, {x})));
}

// Each needs its own kernels here, so the model needs them all.
TEST(merge, what_was_compiled_for_is_said_of_both_models) {
  const std::string folder = new_folder("kernels");
  GraphBuilder g;
  g.output(g.node("Tanh", {g.input("x", DType::kFloat32, {-1, 8})}, {"y"})[0]);
  g.infer();
  const std::string a = compile_in(folder, "a", product({-1, 8}, 8, 1));
  const std::string b = compile_in(folder, "b", g.model_bytes());
  const std::string out = folder + "/ab_ctx.onnx";
  CHECK_OK(merge({a, b}, out));
  const auto info_of = [](const std::string& path) {
    const auto model = import_model_file(path, ImportOptions{}).value();
    const auto* text = model->metadata_value("ep_compatibility_info.AotExecutionProvider");
    CHECK(text != nullptr);
    return parse_compatibility_info(*text).value();
  };
  const std::string all = "," + info_of(out).kernels + ",";
  for (const std::string& path : {a, b}) {
    const std::string kernels = info_of(path).kernels;
    for (size_t begin = 0; begin < kernels.size();) {
      const size_t end = std::min(kernels.find(',', begin), kernels.size());
      CHECK(all.find("," + kernels.substr(begin, end - begin) + ",") != std::string::npos);
      begin = end + 1;
    }
  }
  CHECK(info_of(a).kernels != info_of(b).kernels);
}

TEST(merge, a_model_merges_with_itself) {
  const std::string folder = new_folder("twice");
  const std::string a = compile_in(folder, "a", two_parts(40, 40, 1));
  const std::string out = folder + "/aa_ctx.onnx";
  CHECK_OK(merge({a, a}, out, {"1.y=2.x"}));
  const Tensor x = rows(2, 40, 5);
  CHECK(same_bits(run_compiled(out, {x}), run_compiled(a, run_compiled(a, {x}))));
}

TEST(merge, three_models_share_one_folder_with_their_contexts) {
  const std::string folder = new_folder("three");
  std::vector<std::string> paths;
  for (const char* name : {"a", "b", "c"}) {
    paths.push_back(compile_in(new_folder(str_cat("three_", name)), "m",
                               two_parts(40, 40, static_cast<unsigned>(name[0]))));
  }
  const std::string out = folder + "/all_ctx.onnx";
  const auto report = merge(paths, out, {"1.y=2.x", "2.y=3.x"});
  CHECK_OK(report);
  const std::vector<std::string> expected = {"all_aot.bin", "all_aot_2.bin", "all_aot_3.bin",
                                             "all_ctx.onnx"};
  CHECK(names_in(folder) == expected);
  for (const std::string& path : paths) CHECK(path_exists(path));
  const Tensor x = rows(2, 40, 5);
  Tensor y = x;
  for (const std::string& path : paths) y = run_compiled(path, {y})[0];
  CHECK(same_bits(run_compiled(out, {x}), {y}));
}

TEST(merge, external_initializers_of_all_models_go_to_one_file) {
  const std::string folder = new_folder("weights");
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {-1, 400});
  auto h = g.node("PRelu", {x, g.random_floats("slope", {400}, 3)}, {"h"})[0];
  g.output(g.node("MatMul", {h, g.random_floats("w", {400, 400}, 4, 0.1f)}, {"y"})[0]);
  g.infer();
  std::vector<std::string> paths;
  for (const char* name : {"a", "b"}) {
    paths.push_back(
        compile_in(folder, name, g.model_bytes(), false,
                   {{"ep.context_model_external_initializers_file_name", str_cat(name, ".data")}}));
  }
  const std::string out = new_folder("weights_out") + "/m_ctx.onnx";
  CHECK_OK(merge(paths, out, {"a.y=b.x"}));
  CHECK(path_exists(temp_dir() + "/weights_out/m_weights.bin"));
  const Tensor in = rows(2, 400, 5);
  const auto expected = run_compiled(paths[1], run_compiled(paths[0], {in}));
  std::filesystem::remove_all(folder);
  CHECK(same_bits(run_compiled(out, {in}), expected));
}

// The branches read x of the model around them, and it is x that is connected.
TEST(merge, values_that_branches_capture_are_renamed_and_connected) {
  const std::string folder = new_folder("branches");
  GraphBuilder g;
  const auto c = g.input("c", DType::kBool, {});
  const auto x = g.input("x", DType::kFloat32, {2, 4});
  const auto w = g.random_floats("w", {4, 4}, 11);
  Attribute branches[2];
  for (int i = 0; i < 2; ++i) {
    GraphBuilder inner(17, &g.graph());
    const auto cx = inner.graph().capture(x).value(), cw = inner.graph().capture(w).value();
    auto h = inner.node("MatMul", {cx, cw}, {"h"})[0];
    h = inner.node("Softsign", {h}, {"s"})[0];
    inner.output(inner.node(i == 0 ? "Add" : "Mul", {h, cx}, {"t"})[0]);
    branches[i] = graph_attribute(i == 0 ? "then_branch" : "else_branch", inner.shared());
  }
  g.output(g.node("If", {c}, {"y"}, {branches[0], branches[1]})[0]);
  g.infer();
  const std::string a = compile_in(folder, "a", g.model_bytes());
  const std::string b = compile_in(folder, "b", g.model_bytes(), true);
  const std::string out = folder + "/ab_ctx.onnx";
  CHECK_OK(merge({a, b}, out, {"a.y=b.x"}));
  const Tensor in = rows(2, 4, 5);
  for (int flags = 0; flags < 4; ++flags) {
    const Tensor first = Tensor::scalar<bool>((flags & 1) != 0);
    const Tensor second = Tensor::scalar<bool>((flags & 2) != 0);
    const auto middle = run_compiled(a, {first, in});
    CHECK(same_bits(run_compiled(out, {first, in, second}), run_compiled(b, {second, middle[0]})));
  }
}

TEST(merge, an_input_that_is_given_through_is_still_given_out) {
  const std::string folder = new_folder("through");
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {-1, 8});
  g.output(g.node("MatMul", {x, g.random_floats("w", {8, 8}, 1)}, {"y"})[0]);
  g.output(x);
  g.infer();
  const std::string a = compile_in(folder, "a", product({-1, 8}, 8, 7));
  const std::string b = compile_in(folder, "b", g.model_bytes());
  const std::string c = compile_in(folder, "c", product({-1, 8}, 3, 9));
  const std::string out = folder + "/abc_ctx.onnx";
  CHECK_OK(merge({a, b}, folder + "/ab_ctx.onnx", {"a.y=b.x"}));
  const Tensor in = rows(2, 8, 5);
  const auto middle = run_compiled(a, {in});
  CHECK(same_bits(run_compiled(folder + "/ab_ctx.onnx", {in}), run_compiled(b, middle)));
  CHECK_OK(merge({a, b, c}, out, {"a.y=b.x", "b.x=c.x"}));
  CHECK(same_bits(run_compiled(out, {in}),
                  both({run_compiled(b, middle)[0]}, run_compiled(c, middle))));
}

TEST(merge, dimensions_that_nothing_would_compare_are_refused) {
  const std::string folder = new_folder("dims");
  const std::string open = compile_in(folder, "open", product({-1, 8}, 8, 1));
  const std::string fixed = compile_in(folder, "fixed", product({4, 8}, 8, 2));
  const std::string wide = compile_in(folder, "wide", product({4, 16}, 8, 3));
  const std::string out = folder + "/m_ctx.onnx";
  auto refused = merge({open, fixed}, out, {"open.y=fixed.x"});
  CHECK_CODE(refused, Code::kInvalidArgument);
  CHECK(says(refused.status(), "expected float32[4,8]"));
  CHECK(says(refused.status(), "open.y=fixed.x"));
  refused = merge({fixed, wide}, out, {"fixed.y=wide.x"});
  CHECK_CODE(refused, Code::kInvalidArgument);
  CHECK(says(refused.status(), "dimension 1 differs"));
  CHECK(!path_exists(out));
  CHECK_OK(merge({fixed, open}, out, {"fixed.y=open.x"}));
  const Tensor in = rows(4, 8, 5);
  CHECK(same_bits(run_compiled(out, {in}), run_compiled(open, run_compiled(fixed, {in}))));
}

// The batch of the tokens has to be that of what the encoder gives: they are compared in a run.
TEST(merge, a_dimension_that_two_inputs_share_is_shared_with_the_first_model) {
  const std::string folder = new_folder("shared");
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {-1, 8});
  const auto tokens = g.input("tokens", DType::kFloat32, {-1, 8});
  g.output(g.node("Add", {x, tokens}, {"z"})[0]);
  g.infer();
  const std::string a = compile_in(folder, "a", product({-1, 8}, 8, 1));
  const std::string b = compile_in(folder, "b", g.model_bytes());
  const std::string out = folder + "/ab_ctx.onnx";
  CHECK_OK(merge({a, b}, out, {"a.y=b.x"}));
  const auto session = open_compiled(out);
  const Tensor in = rows(3, 8, 5), same = rows(3, 8, 6), other = rows(1, 8, 6);
  CHECK(
      same_bits(run_all(*session, {in, same}), run_compiled(b, {run_compiled(a, {in})[0], same})));
  std::vector<Tensor> outputs;
  CHECK_CODE(try_run(*session, {in, other}, &outputs), Code::kInvalidArgument);
}

TEST(merge, what_does_not_fit_together_is_refused_by_name) {
  const std::string folder = new_folder("refused");
  const std::string a = compile_in(folder, "a", two_parts(40, 40, 1));
  const std::string b = compile_in(folder, "b", two_parts(40, 40, 2));
  const std::string out = folder + "/m_ctx.onnx";
  const auto refusal = [&](const std::vector<std::string>& connections) {
    const auto merged = merge({a, b}, out, connections);
    CHECK(!merged.is_ok());
    CHECK(!path_exists(out));
    return merged.status().to_string();
  };
  const auto names = [](const std::string& text, std::string_view what) {
    return text.find(what) != std::string::npos;
  };
  CHECK(names(refusal({"a.y"}), "expected OUTPUT=INPUT"));
  CHECK(names(refusal({"c.y=b.x"}), "'a', 'b'"));
  CHECK(names(refusal({"a.z=b.x"}), "'a' has no output 'z', only 'y'"));
  CHECK(names(refusal({"a.y=b.q"}), "'b' has no input 'q', only 'x'"));
  CHECK(names(refusal({"a.y=b.x", "b.y=b.x"}), "connected twice"));
  CHECK(names(refusal({"a.y=b.x", "b.y=a.x"}), "no output is left"));
  CHECK_CODE(merge({a}, out), Code::kInvalidArgument);
}

TEST(merge, cycles_are_refused) {
  const std::string folder = new_folder("cycle");
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {-1, 8});
  const auto h = g.node("MatMul", {x, g.random_floats("w", {8, 8}, 1)}, {"y"})[0];
  g.output(h);
  g.output(g.node("Relu", {h}, {"z"})[0]);
  g.infer();
  const std::string a = compile_in(folder, "a", g.model_bytes());
  const std::string b = compile_in(folder, "b", g.model_bytes());
  const auto merged = merge({a, b}, folder + "/m_ctx.onnx", {"a.y=b.x", "b.y=a.x"});
  CHECK(!merged.is_ok());
  CHECK(says(merged.status(), "cycle"));
}

TEST(merge, targets_and_needed_opsets_must_agree) {
  const std::string folder = new_folder("targets");
  const std::string a = compile_in(folder, "a", two_parts(40, 8, 1));
  const std::string low =
      compile_in(folder, "low", two_parts(40, 8, 2), false, {}, {{"target", "x86-64"}});
  const auto targets = merge({a, low}, folder + "/m_ctx.onnx");
  CHECK_CODE(targets, Code::kInvalidArgument);
  CHECK(says(targets.status(), a) && says(targets.status(), low));
  GraphBuilder g(13);
  g.output(g.node("Softsign", {g.input("x", DType::kFloat32, {-1, 8})}, {"y"})[0]);
  g.infer();
  write_whole_file(folder + "/old.onnx", g.model_bytes());
  const auto opsets = merge({a, folder + "/old.onnx"}, folder + "/m_ctx.onnx");
  CHECK_CODE(opsets, Code::kInvalidArgument);
  CHECK(says(opsets.status(), "opset 17 of 'ai.onnx'") && says(opsets.status(), "13"));
  // A model that is compiled as a whole has no node left that an opset could change.
  const std::string whole = compile_in(folder, "whole", product({-1, 40}, 8, 3, 13));
  CHECK_OK(merge({a, whole}, folder + "/m_ctx.onnx"));
  const Tensor in = rows(2, 40, 5);
  CHECK(same_bits(run_compiled(folder + "/m_ctx.onnx", {in, in}),
                  both(run_compiled(a, {in}), run_compiled(whole, {in}))));
}

TEST(merge, sources_and_the_files_of_others_are_never_replaced) {
  const std::string folder = new_folder("kept");
  const std::string a = compile_in(folder, "a", two_parts(40, 8, 1));
  const std::string b = compile_in(folder, "b", two_parts(40, 8, 2));
  const std::string other = compile_in(folder, "m", two_parts(40, 8, 3));
  std::filesystem::rename(other, folder + "/other.onnx");  // it reads m_aot.bin
  const auto names = names_in(folder);
  const std::string before = read_whole_file(folder + "/m_aot.bin");
  for (const char* output : {"a_ctx.onnx", "b_ctx.onnx", "m_ctx.onnx", "b.onnx", "b_aot.bin"}) {
    EditOutput place = to_file(folder + "/" + output);
    place.overwrite = true;
    const std::vector<std::string> paths = {a, b};
    CHECK_CODE(merge_models(paths, {}, place, providers()), Code::kFail);
    CHECK(names_in(folder) == names);
  }
  CHECK(read_whole_file(folder + "/m_aot.bin") == before);
  const Tensor in = rows(2, 40, 5);
  CHECK(run_compiled(a, {in}).size() == 1 && run_compiled(b, {in}).size() == 1);
}
