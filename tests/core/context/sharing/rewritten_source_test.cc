// SPDX-License-Identifier: MIT
// Sources that are written to in place while their group is open: the next export has the name of
// the one before.
#include <fstream>

#include "tests/core/context/sharing/sharing_testing.h"

using namespace ortc;
using namespace ortc::test;
namespace fs = std::filesystem;

namespace {

constexpr int64_t kWidth = 64;

// A product for AOT, and a sum that stays with the CPU provider. The file is mapped; of its
// weights only the sum's may be large.
std::string model_bytes(unsigned seed, int64_t sum_rows = 1) {
  GraphBuilder g;
  const auto x = g.input("x", DType::kFloat32, {sum_rows, kWidth});
  const auto w = g.random_floats("w", {kWidth, kWidth}, seed);
  const auto b = g.random_floats("b", {sum_rows, kWidth}, seed + 100);
  const auto h = g.node("MatMul", {x, w}, {"h"})[0];
  g.output(g.node("Add", {h, b}, {"y"})[0]);
  g.infer();
  return g.model_bytes();
}

std::vector<Tensor> result_of(const std::string& path, int64_t rows = 1) {
  const auto environment = quiet_environment();
  const auto session =
      Session::create(environment, file_source(path), options_with(*environment, {"AOT"}));
  CHECK_OK(session);
  return run_all(
      **session,
      {Tensor::from<float>({rows, kWidth}, random_numbers(static_cast<size_t>(rows) * kWidth, 3))});
}

// In place, as cp writes: the file stays the same one.
void overwrite(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

Compile leaving_sums() {
  Compile compile;
  compile.config = {{"ep.aot.excluded_operators", "Add"}};
  return compile;
}

}  // namespace

TEST(rewritten_source, small_weights_are_those_of_their_own_member) {
  const std::string folder = next_folder(), source = folder + "/m.onnx";
  const Compile compile = leaving_sums();
  std::vector<std::vector<Tensor>> expected;
  for (int i = 0; i < 3; ++i) {
    overwrite(source, model_bytes(static_cast<unsigned>(i)));
    CHECK(fs::file_size(source) > uint64_t{16} << 10);
    const std::string apart = str_cat(folder, "/apart", i, ".onnx");
    overwrite(apart, model_bytes(static_cast<unsigned>(i)));
    expected.push_back(result_of(apart));
    CHECK_OK(compile.add(source, output_of(folder, i), i == 2));
  }
  for (int i = 0; i < 3; ++i) CHECK(same_bits(result_of(output_of(folder, i)), expected[i]));
}

TEST(rewritten_source, may_be_cut_when_its_member_is_compiled) {
  const std::string folder = next_folder(), source = folder + "/m.onnx";
  overwrite(source, model_bytes(1));
  const auto expected = result_of(source);
  Compile compile = leaving_sums();
  compile.group = std::make_shared<SharingGroup>();
  CHECK_OK(compile.add(source, output_of(folder, 0)));
  overwrite(source, "");
  Work work;
  CompileReport report;
  CHECK_OK(compile.group->commit(work, report));
  CHECK(same_bits(result_of(output_of(folder, 0)), expected));
}

// Whose initializers stay in the model, which is written last.
TEST(rewritten_source, fails_the_group_that_reads_large_weights_of_it_later) {
  constexpr int64_t kRows = 400;
  for (const bool is_cut : {false, true}) {
    const std::string folder = next_folder(), source = folder + "/m.onnx";
    overwrite(source, model_bytes(1, kRows));
    Compile compile = leaving_sums();
    compile.group = std::make_shared<SharingGroup>();
    CompileOptions options = compile.options(source, "", false);
    std::string streamed;
    options.output_stream = ModelStream{nullptr, [&](Bytes piece) {
                                          streamed += as_text(piece);
                                          return Status::ok();
                                        }};
    options.output_binary_folder = folder;
    options.output_binary_model_name = "s_ctx.onnx";
    CHECK_OK(compile_model(compile.environment, options));
    overwrite(source, is_cut ? "" : model_bytes(2, kRows));
    Work work;
    CompileReport report;
    const Status status = compile.group->commit(work, report);
    check_refused(status, source);
    check_refused(status, "was written while it was compiled");
    CHECK(streamed.empty());
    CHECK(names_in(folder) == Names{"m.onnx"});
  }
}
