// SPDX-License-Identifier: MIT
// Compressed contexts and files of initializers: on every route the numbers and the tensors are
// those of plain ones, the bytes depend on nothing but the model, and damage is refused.
#include <cmath>
#include <filesystem>
#include <map>

#include "core/context/binary_reader.h"
#include "core/context/external_initializers.h"
#include "core/context/inspect/inspect.h"
#include "core/graph/model.h"
#include "core/platform/path.h"
#include "tests/core/context/context_testing.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;
namespace fs = std::filesystem;

namespace {

constexpr int64_t kWidth = 96;
constexpr const char* kLevels[] = {"none", "zstd", "zstd:19"};

// Weights as a quantised model has them: few different numbers.
std::vector<float> coarse_numbers(size_t count, unsigned seed) {
  std::vector<float> numbers = random_numbers(count, seed);
  for (float& number : numbers) number = std::round(number * 4) / 16;
  return numbers;
}

// Four products for the compiling provider, and Adds that stay outside when they are excluded.
std::string coarse_network() {
  GraphBuilder g;
  ValueId value = g.input("x", DType::kFloat32, {-1, kWidth});
  for (unsigned i = 0; i < 4; ++i) {
    const auto w = g.floats(str_cat("w", i), {kWidth, kWidth}, coarse_numbers(kWidth * kWidth, i));
    const auto b = g.floats(str_cat("b", i), {8, kWidth}, coarse_numbers(8 * kWidth, i + 9));
    value = g.node("MatMul", {value, w}, {str_cat("m", i)})[0];
    value = g.node("Tanh", {g.node("Add", {value, b}, {str_cat("s", i)})[0]}, {str_cat("t", i)})[0];
  }
  g.output(value);
  g.infer();
  return g.model_bytes();
}

Tensor eight_rows() { return Tensor::from<float>({8, kWidth}, random_numbers(8 * kWidth, 77)); }

// Adds stay with the CPU provider, so that there are initializers left.
CompileOptions compile_options(const Environment& environment, const std::string& context,
                               const std::string& initializers = "none", int threads = 2) {
  SessionOptions session = options_with(environment, {"AOT"}, threads);
  session.providers[0].options = {{"excluded_operators", "Add"}};
  CHECK_OK(session.set("ep.context_compression", context));
  CHECK_OK(session.set("ep.context_external_initializers_compression", initializers));
  CompileOptions compile = CompileOptions::from(session);
  compile.input = memory_source(coarse_network());
  compile.external_threshold = 64;
  return compile;
}

std::string compile_to_folder(const std::string& context, const std::string& initializers = "none",
                              bool embed = false) {
  const auto environment = quiet_environment();
  CompileOptions compile = compile_options(*environment, context, initializers);
  const std::string folder = next_folder();
  compile.output_path = folder + "/m_ctx.onnx";
  compile.external_initializers = "m.weights";
  compile.embed = embed;
  CHECK_OK(compile_to_output(environment, compile));
  return folder;
}

// Model and, when it is beside it, binary; nothing goes through the file system.
struct Streamed {
  std::string model;
  std::map<std::string, std::string> files;
};
Streamed compile_to_stream(CompileOptions compile, bool embed) {
  const auto environment = quiet_environment();
  Streamed out;
  ModelStream stream;
  stream.write = [&](Bytes piece) {
    out.model += as_text(piece);
    return Status::ok();
  };
  compile.output_stream = stream;
  compile.output_binary_folder = temp_dir();
  compile.output_binary_model_name = "m_ctx.onnx";
  compile.embed = embed;
  if (!embed) {
    compile.program.write_context_data = [&](const std::string& name, Bytes bytes) {
      out.files[name] = as_text(bytes);
      return Status::ok();
    };
  }
  CHECK_OK(compile_to_output(environment, compile));
  return out;
}

Result<std::unique_ptr<Session>> load(const ModelSource& source, int threads = 2,
                                      ContextDataReader reader = {}) {
  const auto environment = quiet_environment();
  SessionOptions options = options_with(*environment, {"AOT"}, threads);
  options.read_context_data = std::move(reader);
  return Session::create(environment, source, options);
}

std::vector<Tensor> answer_of(const Result<std::unique_ptr<Session>>& session) {
  CHECK_OK(session);
  return run_all(**session, {eight_rows()});
}

std::shared_ptr<const ContextBinary> open_binary(const std::string& folder) {
  auto binary = ContextBinary::open(Blob::copy_of(as_bytes(read_whole_file(folder + "/m_aot.bin"))),
                                    "'test'");
  CHECK_OK(binary);
  return *binary;
}

// Of all tensors of all graphs, in their order.
std::vector<std::string> decoded_hashes(const ContextBinary& binary) {
  std::vector<std::string> hashes;
  for (const std::string& name : binary.graph_names()) {
    const auto graph = binary.graph(name);
    CHECK_OK(graph);
    for (const Blob& bytes : graph->tensors) hashes.push_back(hash128(bytes.bytes()).hex());
  }
  CHECK(!hashes.empty());
  return hashes;
}

std::string summary_of(const std::string& path) {
  const auto environment = quiet_environment();
  const auto text =
      inspect_file(path, {.details = false, .verify_data = true}, environment->providers());
  CHECK_OK(text);
  return *text;
}

std::vector<Tensor> plain_result() {
  static const std::string folder = compile_to_folder("none");
  return answer_of(load(file_source(folder + "/m_ctx.onnx")));
}

}  // namespace

TEST(compression, of_contexts_keeps_the_tensors_and_the_numbers) {
  const auto plain = open_binary(compile_to_folder("none"));
  const auto expected = decoded_hashes(*plain);
  CHECK_EQ(plain->stored_bytes(), plain->data_bytes());
  for (const char* level : {"zstd", "zstd:19"}) {
    const std::string folder = compile_to_folder(level);
    const auto binary = open_binary(folder);
    CHECK(decoded_hashes(*binary) == expected);
    CHECK_EQ(binary->header().required_features, kFeatureZstd);
    CHECK_EQ(binary->data_bytes(), plain->data_bytes());
    CHECK(binary->stored_bytes() < plain->stored_bytes() / 2);
    for (const int threads : {1, 2}) {
      CHECK(
          same_bits(answer_of(load(file_source(folder + "/m_ctx.onnx"), threads)), plain_result()));
    }
    const std::string text = summary_of(folder + "/m_aot.bin");
    check_says(text, str_cat("\"codec\":\"zstd\",\"data_bytes\":", binary->data_bytes(),
                             ",\"stored_bytes\":", binary->stored_bytes()));
    check_says(text, "\"data_verified\":true");
    check_says(summary_of(folder + "/m_ctx.onnx"), "\"codec\":\"zstd\",\"data_bytes\":");
  }
}

TEST(compression, works_embedded_and_streamed_and_with_functions_of_the_program) {
  for (const char* level : kLevels) {
    const std::string folder = compile_to_folder(level, "none", /*embed=*/true);
    CHECK(!path_exists(folder + "/m_aot.bin"));
    CHECK(same_bits(answer_of(load(file_source(folder + "/m_ctx.onnx"))), plain_result()));
    const auto environment = quiet_environment();
    const Streamed embedded = compile_to_stream(compile_options(*environment, level), true);
    CHECK(same_bits(answer_of(load(memory_source(embedded.model))), plain_result()));
    const Streamed beside = compile_to_stream(compile_options(*environment, level), false);
    CHECK_EQ(beside.files.size(), 1u);
    const auto reader = [&](const std::string& name) -> Result<Blob> {
      return Blob::copy_of(as_bytes(beside.files.at(name)));
    };
    CHECK(same_bits(answer_of(load(memory_source(beside.model), 2, reader)), plain_result()));
  }
}

TEST(compression, gives_the_same_bytes_with_any_number_of_threads) {
  const auto environment = quiet_environment();
  std::string first;
  for (int i = 0; i < 100; ++i) {
    for (const int threads : {1, 2}) {
      const Streamed made =
          compile_to_stream(compile_options(*environment, "zstd:1", "none", threads), true);
      if (first.empty()) first = made.model;
      CHECK(made.model == first);
    }
  }
}

// Every byte of the frames: their checksums notice what the decoder does not.
TEST(compression, damage_in_a_context_is_refused_when_it_is_loaded) {
  const std::string folder = compile_to_folder("zstd");
  const std::string binary = read_whole_file(folder + "/m_aot.bin");
  const auto header = read_context_header(as_bytes(binary)).value();
  int refused = 0;
  for (size_t at = 4096 + header.metadata_size; at < binary.size(); at += 151) {
    std::string damaged = binary;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    write_whole_file(folder + "/m_aot.bin", damaged);
    const auto session = load(file_source(folder + "/m_ctx.onnx"));
    if (session.is_ok()) {  // between two tensors
      CHECK(same_bits(run_all(**session, {eight_rows()}), plain_result()));
      continue;
    }
    CHECK_CODE(session, Code::kInvalidGraph);
    check_says(session.status().message(), "tensor ");
    ++refused;
  }
  CHECK(refused > 20);
}

TEST(compression, of_initializers_keeps_the_numbers_and_says_what_it_is) {
  for (const char* level : kLevels) {
    const bool is_plain = std::string_view(level) == "none";
    const std::string folder = compile_to_folder("none", level);
    const std::string path = folder + "/m_ctx.onnx";
    CHECK(same_bits(answer_of(load(file_source(path))), plain_result()));
    const auto model = import_model_file(path, ImportOptions{}).value();
    const auto record = ExternalInitializersRecord::read(*model);
    CHECK_OK(record);
    CHECK((*record)->full_size ==
          (is_plain ? std::nullopt : std::optional<uint64_t>(4 * 8 * 96 * 4)));
    CHECK_EQ((*record)->size, fs::file_size(folder + "/m.weights"));
    CHECK_EQ((*record)->size < 4 * 8 * 96 * 4, !is_plain);
    const std::string text = summary_of(path);
    check_says(text, is_plain ? "\"codec\":\"plain\"" : "\"codec\":\"zstd\",\"full_bytes\":12288");
    check_says(text, "\"data_verified\":true");
    // Readers that do not know frames shall not take one for the tensor.
    const std::string bytes = read_whole_file(path);
    CHECK_EQ(bytes.find("compression") == std::string::npos, is_plain);
  }
}

TEST(compression, damage_in_initializers_is_refused_when_the_model_is_loaded) {
  const std::string folder = compile_to_folder("none", "zstd");
  const std::string weights = read_whole_file(folder + "/m.weights");
  int refused = 0;
  for (size_t at = 0; at + 32 < weights.size(); at += 7) {
    std::string damaged = weights;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    write_whole_file(folder + "/m.weights", damaged);
    const auto session = load(file_source(folder + "/m_ctx.onnx"));
    if (session.is_ok()) {  // between two tensors
      CHECK(same_bits(run_all(**session, {eight_rows()}), plain_result()));
      continue;
    }
    check_says(session.status().message(), "external data 'm.weights' at offset ");
    ++refused;
  }
  CHECK(refused > 20);
  for (size_t size = 0; size < weights.size(); size += 97) {
    write_whole_file(folder + "/m.weights", weights.substr(0, size));
    CHECK(!load(file_source(folder + "/m_ctx.onnx")).is_ok());
  }
}

TEST(compression, of_a_session_that_also_runs_gives_the_same_numbers) {
  const auto environment = quiet_environment();
  const std::string folder = next_folder();
  SessionOptions options = options_with(*environment, {"AOT"}, 2);
  options.providers[0].options = {{"excluded_operators", "Add"}};
  CHECK_OK(options.set("ep.context_enable", "1"));
  CHECK_OK(options.set("ep.context_compression", "zstd"));
  CHECK_OK(options.set("ep.context_file_path", folder + "/m_ctx.onnx"));
  const auto session = Session::create(environment, memory_source(coarse_network()), options);
  CHECK(same_bits(answer_of(session), plain_result()));
  CHECK(same_bits(answer_of(load(file_source(folder + "/m_ctx.onnx"))), plain_result()));
}
