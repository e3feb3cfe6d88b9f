// SPDX-License-Identifier: MIT
// What inspection says of models and context binaries, good and bad ones.
#include "core/context/inspect/inspect.h"

#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>

#include "core/context/binary_writer.h"
#include "tests/core/context/context_testing.h"
#include "tests/core/graph/wire_model.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

Result<std::string> try_inspect(const std::string& path) {
  const auto environment = quiet_environment();
  return inspect_file(path, {.details = true, .verify_data = true}, environment->providers());
}

std::string inspected(const std::string& path) {
  const auto text = try_inspect(path);
  CHECK_OK(text);
  return *text;
}

// An If with two nodes in each body, and a Constant node of 24 bytes.
std::string nested_model() {
  GraphBuilder g;
  const auto condition = g.input("c", DType::kBool, {});
  const auto x = g.input("x", DType::kFloat32, {6});
  const std::vector<float> numbers = {1, 2, 3, 4, 5, 6};
  const auto constant = g.node("Constant", {}, {"k"},
                               {Attribute::of_tensor("value", Tensor::from<float>({6}, numbers))});
  const auto sum = g.node("Add", {x, constant[0]}, {"s"})[0];
  std::vector<Attribute> bodies;
  for (const char* name : {"then_branch", "else_branch"}) {
    GraphBuilder body(17, &g.graph());
    const auto value = body.graph().capture(sum).value();
    body.output(body.node("Relu", {body.node("Neg", {value}, {"n"})[0]}, {"r"})[0]);
    const Attribute attribute = graph_attribute(name, body.shared());
    bodies.push_back(std::move(attribute));
  }
  g.output(g.node("If", {condition}, {"y"}, std::move(bodies))[0]);
  g.infer();
  return g.model_bytes();
}

}  // namespace

TEST(inspect, counts_nodes_in_bodies_and_weights_in_nodes) {
  const std::string path = temp_dir() + "/nested.onnx";
  write_whole_file(path, nested_model());
  const std::string text = inspected(path);
  check_says(text, "\"nodes\":7,");  // Constant, Add, If, and two in each body
  check_says(text, "\"initializer_bytes\":24,");
  check_says(text, "\"Relu\":2");
  check_says(text, "\"verdict\":\"not_compiled\"");
}

TEST(inspect, describes_a_model_whose_weights_are_missing_and_says_so) {
  const std::string text = inspected(source_dir() + "/tests/data/weights_elsewhere.onnx");
  check_says(text, "weights.bin");
  check_says(text, "\"initializer_bytes\":24,");
  check_says(text, "\"verdict\":\"broken\",\"reason\":\"weights cannot be read");
  // Two tensors, one file, one message.
  const size_t begin = text.find("\"missing_external_data\":[");
  CHECK(begin != std::string::npos);
  const std::string messages = text.substr(begin, text.find(']', begin) - begin);
  CHECK_EQ(messages.find("\",\""), std::string::npos);
}

TEST(inspect, names_files_that_are_not_models) {
  const std::string path = temp_dir() + "/picture.onnx";
  write_whole_file(path, std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16));
  const auto text = try_inspect(path);
  CHECK_CODE(text, Code::kInvalidProtobuf);
  check_says(text.status().message(), "expected an ONNX model, found a PNG image");
}

TEST(inspect, asks_the_provider_that_the_header_names) {
  ContextBinaryWriter::Options options;
  options.embed = true;
  options.provider = "SomeOtherProvider";
  ContextBinaryWriter writer(options);
  CHECK_OK(writer.add_blob("theirs", Blob::from_string("opaque")));
  const auto bytes = writer.cache_context();
  CHECK_OK(bytes);
  writer.set_generation({});
  const std::string path = temp_dir() + "/theirs.bin";
  write_whole_file(path, std::string(bytes->text()));
  const std::string text = inspected(path);
  check_says(text, "\"provider\":\"SomeOtherProvider\"");
  check_says(text, "\"blob_bytes\":6");
  check_says(text,
             "\"verdict\":\"not_applicable\",\"reason\":\"this library has no execution "
             "provider 'SomeOtherProvider'\"");
}

TEST(inspect, a_binary_that_is_cut_off_is_broken) {
  const std::string source = temp_dir() + "/m.onnx", model = temp_dir() + "/m_ctx.onnx";
  write_whole_file(source, small_network());
  compile_to(source, model);
  check_says(inspected(model), "\"provider\":\"AotExecutionProvider\"");
  check_says(inspected(model), "\"verdict\":\"optimal\"");
  const std::string binary = read_whole_file(temp_dir() + "/m_aot.bin");
  write_whole_file(temp_dir() + "/m_aot.bin", binary.substr(0, binary.size() - 64));
  check_says(inspected(model), "\"verdict\":\"broken\"");
  check_says(inspected(temp_dir() + "/m_aot.bin"), "\"verdict\":\"broken\"");
}

TEST(inspect, says_whether_the_source_has_changed_since) {
  const std::string source = temp_dir() + "/s.onnx", model = temp_dir() + "/s_ctx.onnx";
  write_whole_file(source, small_network(40, 1));
  compile_to(source, model);
  check_says(inspected(model), "\"source\":{\"name\":\"s.onnx\"");
  check_says(inspected(model), "\"state\":\"unchanged\"");
  write_whole_file(source, small_network(40, 2));
  check_says(inspected(model),
             "\"state\":\"changed\",\"difference\":\"the source model has changed");
  check_says(inspected(model),
             "\"verdict\":\"optimal\"");  // what was compiled is as good as before
  CHECK_EQ(unlink(source.c_str()), 0);
  check_says(inspected(model), "\"state\":\"not found\"");
}

TEST(inspect, knows_nothing_of_external_data_but_their_size) {
  const std::string source = temp_dir() + "/e.onnx", model = temp_dir() + "/e_ctx.onnx";
  write_whole_file(temp_dir() + "/e.data", std::string(16, 'a'));
  const auto w = wire::tensor("w", 1, {4}, wire::external({{"location", "e.data"}}));
  write_whole_file(source, wire::model(wire::graph({wire::node("Add", {"x", "w"}, {"y"})},
                                                   {wire::value("x", 1, {4})},
                                                   {wire::value("y", 1, {4})}, {w})));
  compile_to(source, model);
  check_says(inspected(model), "\"state\":\"same size\"");
  write_whole_file(temp_dir() + "/e.data", std::string(20, 'a'));
  check_says(inspected(model), "external data have changed: they had 16 bytes, now 20");
}

TEST(inspect, reads_a_large_source_only_when_asked) {
  // small_network() with a doc_string of 17 MiB.
  const auto large = [](char letter) {
    return small_network(40, 1) + "\x32\x80\x80\xC0\x08" + std::string(17 << 20, letter);
  };
  const std::string source = temp_dir() + "/l.onnx", model = temp_dir() + "/l_ctx.onnx";
  write_whole_file(source, large('a'));
  compile_to(source, model);
  const auto glanced_at = [&] {
    return *inspect_file(model, {}, quiet_environment()->providers());
  };
  check_says(glanced_at(), "\"state\":\"same size\"");
  check_says(inspected(model), "\"state\":\"unchanged\"");
  write_whole_file(source, large('b'));
  check_says(glanced_at(), "\"state\":\"same size\"");
  check_says(inspected(model), "its bytes are not the same");
  write_whole_file(source, large('b') + "\x32\x01z");
  check_says(glanced_at(), "\"state\":\"changed\"");
}

TEST(inspect, reads_no_source_outside_the_folder) {
  const std::string above = temp_dir() + "/above", folder = above + "/beside";
  std::filesystem::create_directories(folder);
  write_whole_file(folder + "/s.onnx", small_network(40, 1));
  compile_to(folder + "/s.onnx", folder + "/s_ctx.onnx");
  std::filesystem::rename(folder + "/s.onnx", above + "/s.o");
  std::string model = read_whole_file(folder + "/s_ctx.onnx");
  const size_t name = model.find("s.onnx", model.find("ortc.source.name"));
  CHECK(name != std::string::npos);
  model.replace(name, 6, "../s.o");
  write_whole_file(folder + "/s_ctx.onnx", model);
  check_says(inspected(folder + "/s_ctx.onnx"), "\"source\":{\"name\":\"../s.o\"");
  check_says(inspected(folder + "/s_ctx.onnx"), "\"state\":\"not found\"");
}

TEST(inspect, verifies_the_file_of_external_initializers) {
  // A constant of 4000 bytes that stays with the CPU provider's node.
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {1000});
  const auto sum = g.node("Add", {x, g.random_floats("w", {1000}, 1)}, {"s"})[0];
  g.output(g.node("Relu", {sum}, {"y"})[0]);
  g.infer();
  const std::string path = temp_dir() + "/e.onnx";
  write_whole_file(path, g.model_bytes());
  const auto environment = quiet_environment();
  SessionOptions session = options_with(*environment, {"AOT"});
  session.providers[0].options = {{"excluded_operators", "Add"}};
  CHECK_OK(session.set("ep.context_model_external_initializers_file_name", "e.weights"));
  CompileOptions compile = CompileOptions::from(session);
  compile.input = file_source(path);
  compile.output_path = temp_dir() + "/e_ctx.onnx";
  compile.external_threshold = 100;
  CHECK_OK(compile_to_output(environment, compile));
  check_says(inspected(compile.output_path), "\"external_initializers\":{\"file\":\"e.weights\"");
  check_says(inspected(compile.output_path), "\"data_verified\":true");
  std::string weights = read_whole_file(temp_dir() + "/e.weights");
  weights[100] = static_cast<char>(weights[100] ^ 1);
  write_whole_file(temp_dir() + "/e.weights", weights);
  const std::string text = inspected(compile.output_path);
  check_says(text, "\"data_verified\":false");
  check_says(text, "\"verdict\":\"broken\"");
}

TEST(inspect, a_context_binary_in_place_of_a_model_is_called_that) {
  const std::string source = temp_dir() + "/b.onnx";
  write_whole_file(source, small_network());
  compile_to(source, temp_dir() + "/b_ctx.onnx");
  const auto environment = quiet_environment();
  const auto session = Session::create(environment, file_source(temp_dir() + "/b_aot.bin"),
                                       options_with(*environment, {"AOT"}));
  CHECK_CODE(session, Code::kInvalidProtobuf);
  check_says(session.status().message(), "found an ortc context binary: load the model");
}

// Ten gigabytes, of which only the first few thousand bytes are there.
TEST(inspect, describes_a_large_binary_without_reading_it) {
  const std::string source = temp_dir() + "/large.onnx", path = temp_dir() + "/large_aot.bin";
  write_whole_file(source, small_network());
  compile_to(source, temp_dir() + "/large_ctx.onnx");
  std::string bytes = read_whole_file(path);
  ContextHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.file_size = 10'000'000'000;
  header.header_hash = {};
  std::memcpy(bytes.data(), &header, sizeof header);
  const Hash128 hash = hash128(as_bytes(bytes).first(kContextPage));
  header.header_hash = {hash.low, hash.high};
  std::memcpy(bytes.data(), &header, sizeof header);
  write_whole_file(path, bytes);
  CHECK_EQ(truncate(path.c_str(), 10'000'000'000), 0);
  const auto environment = quiet_environment();
  const auto begin = std::chrono::steady_clock::now();
  const auto text = inspect_file(temp_dir() + "/large_ctx.onnx", {}, environment->providers());
  CHECK_OK(text);
  check_says(*text, "\"bytes\":10000000000");
  check_says(*text, "\"verdict\":\"optimal\"");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(2));
}
