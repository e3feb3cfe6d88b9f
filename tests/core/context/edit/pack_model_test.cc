// SPDX-License-Identifier: MIT
// Packing, extracting and prefixing compiled models: the numbers stay, and what is missing or
// foreign is told.
#include "tests/core/context/edit/edit_files.h"
#include "tests/support/test_provider.h"

using namespace ortc;
using namespace ortc::test;

namespace {

EditOutput in_form(const std::string& path, ContextForm form) {
  EditOutput output = to_file(path);
  output.form = form;
  return output;
}

std::vector<std::string> node_names(const std::string& path) {
  const auto model = import_model_file(path, ImportOptions{}).value();
  std::vector<std::string> names;
  for (const Node* node : ep_context_nodes(*model->graph)) names.push_back(node->name());
  return names;
}

}  // namespace

TEST(pack, context_and_initializers_go_into_the_model_and_back_into_files) {
  const std::string folder = new_folder("pack");
  const std::string source =
      compile_in(folder, "m", two_parts(40, 400, 1), false,
                 {{"ep.context_model_external_initializers_file_name", "m.data"}});
  const Tensor in = rows(3, 40, 5);
  const auto expected = run_compiled(source, {in});
  const std::string packed = new_folder("packed") + "/p_ctx.onnx";
  CHECK_OK(pack_model(source, in_form(packed, ContextForm::kEmbedded), providers()));
  CHECK_EQ(names_in(temp_dir() + "/packed").size(), 1u);
  std::filesystem::remove_all(folder);
  CHECK(same_bits(run_compiled(packed, {in}), expected));
  const std::string apart = new_folder("apart") + "/q_ctx.onnx";
  CHECK_OK(pack_model(packed, in_form(apart, ContextForm::kFiles), providers()));
  const std::vector<std::string> files = {"q_aot.bin", "q_ctx.onnx"};
  CHECK(names_in(temp_dir() + "/apart") == files);
  CHECK(same_bits(run_compiled(apart, {in}), expected));
}

TEST(pack, equal_contexts_share_a_file) {
  const std::string folder = new_folder("equal");
  const std::string source = compile_in(folder, "m", two_parts(40, 8, 1), true);
  const std::vector<std::string> twice = {source, source};
  const std::string merged = folder + "/mm_ctx.onnx", apart = folder + "/apart_ctx.onnx";
  CHECK_OK(merge_models(twice, {}, to_file(merged), providers()));
  const auto report = pack_model(merged, in_form(apart, ContextForm::kFiles), providers());
  CHECK_OK(report);
  CHECK_EQ(report->files.size(), 2u);
  const Tensor in = rows(3, 40, 5);
  const Tensor expected = run_compiled(source, {in})[0];
  CHECK(same_bits(run_compiled(apart, {in, in}), {expected, expected}));
  // Two containers that are written anew are two files, though neither is in memory.
  const std::string other = compile_in(folder, "n", two_parts(40, 8, 9), false);
  const std::vector<std::string> two = {apart, other};
  CHECK_OK(merge_models(two, {}, to_file(folder + "/three_ctx.onnx"), providers()));
  const std::string prefixed = folder + "/p_ctx.onnx";
  const auto renamed =
      prefix_model(folder + "/three_ctx.onnx", "p_", to_file(prefixed), providers());
  CHECK_OK(renamed);
  CHECK_EQ(renamed->files.size(), 3u);
  CHECK(same_bits(run_compiled(prefixed, {in, in, in}),
                  {expected, expected, run_compiled(other, {in})[0]}));
}

TEST(pack, an_embedded_context_starts_on_a_page_of_the_model) {
  const std::string folder = new_folder("aligned");
  const std::string source = compile_in(folder, "m", two_parts(40, 8, 1));
  const std::string packed = folder + "/p_ctx.onnx";
  CHECK_OK(pack_model(source, in_form(packed, ContextForm::kEmbedded), providers()));
  const std::string model = read_whole_file(packed);
  const size_t at = model.find("\x89ortc\r\n\x1a");
  CHECK(at != std::string::npos);
  CHECK_EQ(at % 4096, 0u);
}

TEST(pack, missing_and_damaged_contexts_and_plain_models_are_told_by_name) {
  const std::string folder = new_folder("broken");
  const std::string source = compile_in(folder, "m", two_parts(40, 8, 1));
  const std::string out = folder + "/p_ctx.onnx";
  const EditOutput output = in_form(out, ContextForm::kEmbedded);
  std::string binary = read_whole_file(folder + "/m_aot.bin");
  std::filesystem::remove(folder + "/m_aot.bin");
  auto packed = pack_model(source, output, providers());
  CHECK_CODE(packed, Code::kInvalidGraph);
  CHECK(says(packed.status(), "m_aot.bin") && says(packed.status(), source));
  binary[5000] ^= 1;
  write_whole_file(folder + "/m_aot.bin", binary);
  packed = pack_model(source, output, providers());
  CHECK_CODE(packed, Code::kInvalidGraph);
  CHECK(says(packed.status(), "damaged"));
  write_whole_file(folder + "/plain.onnx", two_parts(40, 8, 1));
  packed = pack_model(folder + "/plain.onnx", output, providers());
  CHECK_CODE(packed, Code::kInvalidArgument);
  CHECK(says(packed.status(), "nothing to pack"));
  CHECK(!path_exists(out));
}

// Bytes of a provider's own, which the container knows nothing of.
TEST(pack, bytes_of_a_provider_are_carried_as_they_are) {
  const TestEnvironment test;
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {2, 8});
  auto h = g.node("Relu", {x}, {"h"})[0];
  h = g.node("Softsign", {h}, {"s"})[0];
  g.output(g.node("Neg", {h}, {"y"})[0]);
  g.infer();
  const auto options = test.options({"Test"}, {{"operators", "Relu,Neg"}, {"storage", "raw"}});
  const auto compiled = test.compile("raw", g.model_bytes(), options);
  CHECK_OK(compiled);
  const Tensor in = rows(2, 8, 5);
  const auto run = [&](const std::string& path) {
    const auto session = test.open(file_source(path), options);
    CHECK_OK(session);
    return run_all(**session, {in});
  };
  const std::string packed = new_folder("raw_packed") + "/p_ctx.onnx";
  const ProviderRegistry& known = test.environment->providers();
  CHECK_OK(pack_model(*compiled, in_form(packed, ContextForm::kEmbedded), known));
  CHECK(same_bits(run(packed), run(*compiled)));
  // Also where nobody knows the provider.
  const std::string apart = new_folder("raw_apart") + "/q_ctx.onnx";
  CHECK_OK(pack_model(packed, in_form(apart, ContextForm::kFiles), providers()));
  CHECK(same_bits(run(apart), run(*compiled)));
  const std::vector<std::string> twice = {*compiled, apart};
  const std::string merged = new_folder("raw_merged") + "/m_ctx.onnx";
  CHECK_OK(
      merge_models(twice, std::vector<std::string>{"raw.y=q.x"}, to_file(merged), providers()));
  const auto session = test.open(file_source(merged), options);
  CHECK_OK(session);
  const auto middle = run(*compiled);
  const auto again = test.open(file_source(*compiled), options);
  CHECK(same_bits(run_all(**session, {in}), run_all(**again, middle)));
  const auto prefixed = prefix_model(*compiled, "p_", to_file(merged + "2.onnx"), providers());
  CHECK_CODE(prefixed, Code::kNotImplemented);
  CHECK(says(prefixed.status(), "names cannot be changed"));
}

TEST(extract, each_node_becomes_a_model_with_its_own_graph) {
  for (const bool embed : {false, true}) {
    const std::string folder = new_folder("extract");
    const std::string source = compile_in(folder, "m", two_parts(40, 8, 1), embed);
    const auto names = node_names(source);
    CHECK_EQ(names.size(), 2u);
    const Tensor in = rows(3, 40, 5);
    const std::string first = folder + "/first_ctx.onnx", second = folder + "/second_ctx.onnx";
    CHECK_OK(extract_context(source, names[0], to_file(first), providers()));
    CHECK_OK(extract_context(source, names[1], to_file(second), providers()));
    for (const std::string& path : {first, second}) {
      const auto session = open_compiled(path);
      CHECK_EQ(session->inputs().size(), 1u);
      CHECK_EQ(session->inputs()[0].type.shape->size(), 2u);
      CHECK_EQ(session->outputs().size(), 1u);
    }
    // MatMul here, Softsign and PRelu by hand, MatMul there.
    const auto slopes = random_numbers(40, 2);
    Tensor middle = run_compiled(first, {in})[0];
    for (int64_t i = 0; i < middle.element_count(); ++i) {
      float& v = middle.mutable_elements<float>()[i];
      v = v / (1 + std::abs(v));
      if (v < 0) v *= slopes[i % 40];
    }
    CHECK(all_near(run_compiled(second, {middle}), run_compiled(source, {in}), 1e-5, 1e-6));
  }
}

TEST(extract, an_unknown_node_is_told_with_those_there_are) {
  const std::string folder = new_folder("unknown");
  const std::string source = compile_in(folder, "m", two_parts(40, 8, 1));
  const auto extracted =
      extract_context(source, "nobody", to_file(folder + "/x_ctx.onnx"), providers());
  CHECK_CODE(extracted, Code::kInvalidArgument);
  for (const std::string& name : node_names(source)) CHECK(says(extracted.status(), name));
}

TEST(prefix, names_change_in_the_model_and_in_its_container) {
  for (const bool embed : {false, true}) {
    const std::string folder = new_folder("prefix");
    const std::string source = compile_in(folder, "m", two_parts(40, 8, 1), embed);
    const std::string out = folder + "/p_ctx.onnx";
    CHECK_OK(prefix_model(source, "left_", to_file(out), providers()));
    const auto before = node_names(source), after = node_names(out);
    for (size_t i = 0; i < before.size(); ++i) CHECK_EQ(after[i], "left_" + before[i]);
    const auto model = import_model_file(out, ImportOptions{}).value();
    ModelContextSource contexts(*model, providers(), folder, nullptr);
    for (const Node* node : ep_context_nodes(*model->graph)) {
      const auto binary = contexts.open_container_of(*node);
      CHECK_OK(binary);
      const auto names = (*binary)->graph_names();
      CHECK_EQ(names.size(), 2u);
      for (const std::string& name : names) CHECK(name.starts_with("left_AOT_"));
    }
    const Tensor in = rows(3, 40, 5);
    CHECK(same_bits(run_compiled(out, {in}), run_compiled(source, {in})));
  }
}

TEST(prefix, damaged_weights_do_not_get_a_new_checksum) {
  const std::string folder = new_folder("damaged");
  const std::string source = compile_in(folder, "m", two_parts(40, 8, 1));
  std::string binary = read_whole_file(folder + "/m_aot.bin");
  binary[binary.size() - 64] ^= 1;
  write_whole_file(folder + "/m_aot.bin", binary);
  const std::string out = folder + "/p_ctx.onnx";
  const auto prefixed = prefix_model(source, "p_", to_file(out), providers());
  CHECK_CODE(prefixed, Code::kInvalidGraph);
  CHECK(says(prefixed.status(), "damaged"));
  CHECK(!path_exists(out));
}
