// SPDX-License-Identifier: MIT
// Where the weights of a group are: tied embeddings that the CPU provider reads, compressed groups,
// files of initializers.
#include <filesystem>

#include "tests/core/context/sharing/sharing_testing.h"

using namespace ortc;
using namespace ortc::test;

namespace {

constexpr int64_t kRows = 700;

// ids -> rows of the table -> products with the table; `last` makes the variant.
std::string language_model(const char* last) {
  GraphBuilder g;
  const auto table = g.random_floats("table", {kRows, kSharedWidth}, 1);
  const auto ids = g.input("ids", DType::kInt64, {1, -1});
  const auto h = g.node("Gather", {table, ids}, {"h"})[0];
  const auto turned =
      g.node("Transpose", {table}, {"turned"}, {Attribute::of_ints("perm", {1, 0})})[0];
  g.output(g.node(last, {g.node("MatMul", {h, turned}, {"p"})[0]}, {"y"})[0]);
  g.infer();
  return g.model_bytes();
}

std::vector<Tensor> answers_of(const std::string& path, const Tensor& input) {
  const auto environment = quiet_environment();
  const auto session =
      Session::create(environment, file_source(path), options_with(*environment, {"AOT"}));
  CHECK_OK(session);
  return run_all(**session, {input});
}

bool file_says(const std::string& path, const std::string& text) {
  return read_whole_file(path).find(text) != std::string::npos;
}

}  // namespace

TEST(shared_weights, a_table_that_the_cpu_provider_reads_is_in_the_binary_once) {
  const std::string sources = next_folder(), folder = next_folder();
  const char* const kLast[] = {"Relu", "Tanh"};
  Compile compile;
  compile.config = {{"ep.aot.excluded_operators", "Gather"}};
  for (int i = 0; i < 2; ++i) {
    const std::string source = str_cat(sources, "/m", i, ".onnx");
    write_whole_file(source, language_model(kLast[i]));
    CHECK_OK(compile.add(source, output_of(folder, i), i == 1));
  }
  CHECK_EQ(names_in(folder).size(), 3u);
  // Neither model has the table; both name it as data of the binary. The binary has it once as it
  // is, and once as the product's panels.
  constexpr uint64_t kTable = kRows * kSharedWidth * 4;
  CHECK(size_of(folder + "/m0_aot.bin") < 2 * kTable + kTable / 10);
  Tensor ids = Tensor::create(DType::kInt64, {1, 5}).value();
  for (int64_t i = 0; i < 5; ++i) ids.mutable_elements<int64_t>()[i] = i * 131 % kRows;
  for (int i = 0; i < 2; ++i) {
    CHECK(size_of(output_of(folder, i)) < 16 * 1024);
    CHECK(file_says(output_of(folder, i), "m0_aot.bin"));
    CHECK(same_bits(answers_of(output_of(folder, i), ids),
                    answers_of(str_cat(sources, "/m", i, ".onnx"), ids)));
  }
}

TEST(shared_weights, a_group_is_compressed_as_a_whole) {
  const std::string sources = next_folder(), folder = next_folder();
  Compile compile;
  compile.config = {{"ep.context_compression", "zstd:3"}};
  for (int i = 0; i < 3; ++i) {
    CHECK_OK(compile.add(put_network(sources, i), output_of(folder, i), i == 2));
  }
  CHECK_EQ(names_in(folder).size(), 4u);
  CHECK(size_of(folder + "/m0_aot.bin") <
        kSharedWidth * kSharedWidth * 4);  // random floats give a little
  for (int i = 0; i < 3; ++i) check_numbers(sources, folder, i);
  CHECK_OK(compile.add(put_network(sources, 0), output_of(folder, 0)));
  compile.config = {};
  const Status plain = compile.add(put_network(sources, 1), output_of(folder, 1), true);
  CHECK_CODE(plain, Code::kInvalidArgument);
  CHECK(plain.message().find("compression level 3") != std::string::npos);
  for (int i = 0; i < 3; ++i) check_numbers(sources, folder, i);
}

TEST(shared_weights, initializers_of_each_model_may_have_a_file) {
  const std::string sources = next_folder(), folder = next_folder();
  const Tensor x = Tensor::from<float>({3, kSharedWidth}, random_numbers(3 * kSharedWidth, 9));
  Compile compile;
  compile.config = {{"ep.aot.excluded_operators", "Add"}};
  const auto source_of = [&](int i) { return str_cat(sources, "/m", i, ".onnx"); };
  const auto add = [&](int i, const std::string& file, bool stops) {
    GraphBuilder g;
    const auto in = g.input("x", DType::kFloat32, {-1, kSharedWidth});
    const auto w = g.random_floats("w", {kSharedWidth, kSharedWidth}, 5);
    const auto b = g.random_floats("b", {kSharedWidth}, 6 + static_cast<uint64_t>(i));
    g.output(g.node("Add", {g.node("MatMul", {in, w}, {"p"})[0], b}, {"y"})[0]);
    g.infer();
    write_whole_file(source_of(i), g.model_bytes());
    CompileOptions options = compile.options(source_of(i), output_of(folder, i), stops);
    options.external_initializers = file;
    options.external_threshold = 16;
    return compile_to_output(compile.environment, options).status();
  };
  CHECK_OK(add(0, "b0.bin", false));
  CHECK_OK(add(1, "b1.bin", true));
  CHECK(names_in(folder) ==
        (Names{"b0.bin", "b1.bin", "m0_aot.bin", "m0_ctx.onnx", "m1_ctx.onnx"}));
  for (int i = 0; i < 2; ++i) {
    CHECK(same_bits(answers_of(output_of(folder, i), x), answers_of(source_of(i), x)));
  }
  // One file for both would hold the initializers of the last.
  CHECK_OK(add(0, "b.bin", false));
  const Status twice = add(1, "b.bin", true);
  CHECK_CODE(twice, Code::kInvalidArgument);
  CHECK(twice.message().find("b.bin") != std::string::npos);
  CHECK_EQ(names_in(folder).size(), 5u);
}
