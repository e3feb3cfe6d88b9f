// SPDX-License-Identifier: MIT
// Sources that are written to in place while their group is open: the next export has the name of
// the one before.
#include <fstream>

#include "tests/core/context/sharing/sharing_testing.h"
#include "tests/core/graph/wire_model.h"

using namespace ortc;
using namespace ortc::test;
namespace fs = std::filesystem;

namespace {

constexpr int64_t kWidth = 64;

// A product for AOT, and a sum that stays with the CPU provider; weights in "w.data", which is
// mapped. Only the sum's may be large.
std::string model_bytes(int64_t rows = 1) {
  const auto at = [](int64_t offset, int64_t size) {
    return wire::external(
        {{"location", "w.data"}, {"offset", str_cat(offset)}, {"length", str_cat(size)}});
  };
  constexpr int64_t kProductBytes = kWidth * kWidth * 4;
  return wire::model(
      wire::graph({wire::node("MatMul", {"x", "w"}, {"h"}), wire::node("Add", {"h", "b"}, {"y"})},
                  {wire::value("x", 1, {rows, kWidth})}, {wire::value("y", 1, {rows, kWidth})},
                  {wire::tensor("w", 1, {kWidth, kWidth}, at(0, kProductBytes)),
                   wire::tensor("b", 1, {rows, kWidth}, at(kProductBytes, rows * kWidth * 4))}));
}

std::string weights_of(unsigned seed, int64_t rows = 1) {
  const auto numbers = random_numbers(static_cast<size_t>((kWidth + rows) * kWidth), seed);
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)};
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
  overwrite(source, model_bytes());
  std::vector<std::vector<Tensor>> expected;
  for (int i = 0; i < 3; ++i) {
    const std::string apart = next_folder(), weights = weights_of(static_cast<unsigned>(i));
    overwrite(apart + "/m.onnx", model_bytes());
    overwrite(apart + "/w.data", weights);
    expected.push_back(result_of(apart + "/m.onnx"));
    overwrite(folder + "/w.data", weights);
    CHECK(fs::file_size(folder + "/w.data") > uint64_t{16} << 10);
    CHECK_OK(compile.add(source, output_of(folder, i), i == 2));
  }
  for (int i = 0; i < 3; ++i) CHECK(same_bits(result_of(output_of(folder, i)), expected[i]));
}

TEST(rewritten_source, may_be_cut_when_its_member_is_compiled) {
  const std::string folder = next_folder(), source = folder + "/m.onnx";
  overwrite(source, model_bytes());
  overwrite(folder + "/w.data", weights_of(1));
  const auto expected = result_of(source);
  Compile compile = leaving_sums();
  compile.group = std::make_shared<SharingGroup>();
  CHECK_OK(compile.add(source, output_of(folder, 0)));
  overwrite(folder + "/w.data", "");
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
    overwrite(source, model_bytes(kRows));
    overwrite(folder + "/w.data", weights_of(1, kRows));
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
    CHECK_OK(compile_to_output(compile.environment, options));
    overwrite(folder + "/w.data", is_cut ? "" : weights_of(2, kRows));
    Work work;
    CompileReport report;
    const Status status = compile.group->commit(work, report);
    check_refused(status, "w.data' was written while it was compiled");
    CHECK(streamed.empty());
    CHECK((names_in(folder) == Names{"m.onnx", "w.data"}));
  }
}
