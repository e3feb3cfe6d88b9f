// SPDX-License-Identifier: MIT
// The ten attributes of EPContext nodes: written as providers give them, read with their types, and
// held against what a provider needs; and what is said of contexts that cannot be opened, in a
// model of two providers.
#include "core/context/context_node.h"

#include <filesystem>

#include "core/context/context_source.h"
#include "core/graph/export.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"
#include "tests/support/test_provider.h"

using namespace ortc;
using namespace ortc::test;

namespace fs = std::filesystem;

namespace {

// The test provider takes Softsign, AOT the rest.
std::string two_parts() {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {-1, 4});
  auto h = g.node("MatMul", {x, g.random_floats("w", {4, 4}, 1)}, {"h"})[0];
  h = g.node("Softsign", {h}, {"s"})[0];
  g.output(g.node("Tanh", {h}, {"y"})[0]);
  g.infer();
  return g.model_bytes();
}

KeyValues own(const KeyValues& more = {}) {
  KeyValues options = {{"operators", "Softsign"}};
  for (const auto& [key, value] : more) options[key] = value;
  return options;
}

std::unique_ptr<Model> read(const std::string& path) {
  auto model = import_model_file(path, ImportOptions{});
  CHECK_OK(model);
  return std::move(model).value();
}

const Node& node_of(const Model& model, std::string_view source) {
  for (const Node* node : ep_context_nodes(*model.graph)) {
    if (node->string_attribute("source", "") == source) return *node;
  }
  check_failed(__FILE__, __LINE__, str_cat("no node of source ", source));
  std::abort();
}

std::string bytes_of(const Model& model) {
  std::string bytes;
  CHECK_OK(export_model(model, ExportOptions{}, [&](Bytes piece) {
    bytes += as_text(piece);
    return Status::ok();
  }));
  return bytes;
}

std::string error_of(const TestEnvironment& test, const std::string& path,
                     const KeyValues& options = {}) {
  const auto session = test.open(file_source(path), test.options({"Test", "AOT"}, options));
  CHECK_CODE(session, Code::kInvalidGraph);
  return session.status().message();
}

void check_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    if (text.find(part) != std::string::npos) continue;
    check_failed(__FILE__, __LINE__, str_cat("'", part, "' in: ", text));
  }
}

}  // namespace

TEST(context_node, has_all_attributes_that_its_provider_gave) {
  const TestEnvironment test;
  const auto path =
      test.compile("ten", two_parts(), test.options({"Test", "AOT"}, own({{"sdk", "2.5"}})));
  CHECK_OK(path);
  const auto model = read(*path);
  const auto context = ContextNode::read(node_of(*model, "Test"));
  CHECK_OK(context);
  CHECK(context->is_main && !context->is_embedded);
  CHECK_EQ(context->content->text(), "ten_test.bin");
  CHECK_EQ(context->sdk_version, "2.5");
  CHECK_EQ(context->model_filename, "toy.onnx");
  CHECK_EQ(context->hardware_architecture, "toy-1");
  CHECK_EQ(context->partition_name, node_of(*model, "Test").name());
  CHECK_EQ(context->source, "Test");
  CHECK_EQ(context->notes, "all ten");
  CHECK_EQ(context->max_size, 4096);
}

TEST(context_node, is_embedded_and_main_when_it_does_not_say) {
  Graph graph(std::make_shared<const OpsetImports>(OpsetImports{{"com.microsoft", 1}}));
  const auto node = graph.add_node("EPContext", "com.microsoft", "bare", {}, {}, {});
  CHECK_OK(node);
  const auto context = ContextNode::read(**node);
  CHECK_OK(context);
  CHECK(context->is_main && context->is_embedded && !context->content);
  CHECK_EQ(context->max_size, 0);
}

TEST(context_node, an_attribute_of_another_type_is_named_with_expected_and_found) {
  const TestEnvironment test;
  const auto path =
      test.compile("typed", two_parts(), test.options({"Test", "AOT"}, own({{"sdk", "2.5"}})));
  CHECK_OK(path);
  const auto model = read(*path);
  Node& node = const_cast<Node&>(node_of(*model, "Test"));
  const std::vector<Attribute> before = node.attributes();
  CHECK_EQ(before.size() >= 10, true);
  for (const Attribute& right : before) {
    if (right.name.starts_with("ortc_")) continue;
    Attribute wrong = right.kind == AttributeKind::kInt ? Attribute::of_string(right.name, "1")
                                                        : Attribute::of_int(right.name, 1);
    node.set_attribute(wrong);
    const std::string changed = str_cat(temp_dir(), "/typed_", right.name, ".onnx");
    write_whole_file(changed, bytes_of(*model));
    const bool was_number = right.kind == AttributeKind::kInt;
    check_parts(error_of(test, changed),
                {str_cat("attribute ", right.name), was_number ? "INT" : "STRING",
                 was_number ? "found STRING" : "found INT", node.name()});
    node.set_attribute(right);
  }
}

TEST(context_node, of_another_sdk_or_architecture_is_refused_where_its_provider_says_so) {
  const TestEnvironment test;
  const auto path =
      test.compile("sdk", two_parts(), test.options({"Test", "AOT"}, own({{"sdk", "2.5"}})));
  CHECK_OK(path);
  CHECK_OK(test.open(file_source(*path), test.options({"Test", "AOT"}, {{"needs_sdk", "2.5"}})));
  check_parts(error_of(test, *path, {{"needs_sdk", "3.0"}}),
              {"'Test'", "ep_sdk_version '3.0'", "found '2.5'", "compile the model again"});
  check_parts(error_of(test, *path, {{"needs_sdk", "2.5"}, {"target", "toy-2"}}),
              {"hardware_architecture 'toy-2'", "found 'toy-1'"});
}

TEST(contexts_of_two_providers, run_by_every_route_and_in_both_embed_modes) {
  const TestEnvironment test;
  const Tensor rows = Tensor::from<float>({2, 4}, random_numbers(8, 5));
  const auto source = test.open(memory_source(two_parts()), test.options({"Test", "AOT"}, own()));
  CHECK_OK(source);
  const auto expected = run_all(**source, {rows});
  for (const bool embed : {false, true}) {
    const std::string name = str_cat("routes", embed ? "_embed" : "");
    const auto path = test.compile(name, two_parts(), test.options({"Test", "AOT"}, own()), embed);
    CHECK_OK(path);
    const auto from_file = test.open(file_source(*path), test.options({"Test", "AOT"}, {}));
    CHECK_OK(from_file);
    CHECK(same_bits(run_all(**from_file, {rows}), expected));
    SessionOptions beside = test.options({"Test", "AOT"}, {});
    CHECK_OK(beside.set("ep.context_file_path", *path));
    const auto from_memory = test.open(memory_source(read_whole_file(*path)), beside);
    CHECK_OK(from_memory);
    CHECK(same_bits(run_all(**from_memory, {rows}), expected));
    // The order of the session's providers does not matter.
    const auto turned = test.open(file_source(*path), test.options({"AOT", "Test"}, {}));
    CHECK_OK(turned);
    CHECK(same_bits(run_all(**turned, {rows}), expected));
  }
}

TEST(contexts_of_two_providers, one_that_is_missing_stale_or_foreign_is_named) {
  const TestEnvironment test;
  const auto compile = [&](const std::string& name) {
    auto path = test.compile(name, two_parts(), test.options({"Test", "AOT"}, own()));
    CHECK_OK(path);
    return std::move(path).value();
  };
  const std::string path = compile("parts");
  const std::string folder = temp_dir();
  const std::string binary = folder + "/parts_aot.bin", kept = folder + "/kept.bin";
  fs::rename(binary, kept);
  check_parts(error_of(test, path), {"of source 'AOT'", "'parts_aot.bin'", folder});
  // Of another compile of another model.
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {-1, 4});
  g.output(g.node("MatMul", {x, g.random_floats("w", {4, 4}, 9)}, {"y"})[0]);
  g.infer();
  const auto other = test.compile("stale", g.model_bytes(), test.options({"AOT"}, {}));
  CHECK_OK(other);
  fs::copy_file(folder + "/stale_aot.bin", binary);
  check_parts(error_of(test, path), {"of source 'AOT'", "generation", "expected", "found"});
  // The other provider's.
  fs::copy_file(folder + "/parts_test.bin", binary, fs::copy_options::overwrite_existing);
  check_parts(error_of(test, path), {"of source 'AOT'", "'parts_aot.bin'"});
  fs::rename(kept, binary);
  CHECK_OK(test.open(file_source(path), test.options({"Test", "AOT"}, {})));
  // Nobody here took it.
  const auto alone = test.open(file_source(path), test.options({"AOT"}, {}));
  CHECK_CODE(alone, Code::kNotImplemented);
  check_parts(alone.status().message(), {"'Test'", std::string(kTestProvider)});
}
