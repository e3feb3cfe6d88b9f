// SPDX-License-Identifier: MIT
// Constants that are computed while compiling have the bits that the nodes would give where the
// compiled model runs, whatever the machine that compiles.
#include "core/platform/target_list.h"
#include "tests/support/graph_builder.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

namespace ortc::test {
namespace {

constexpr int64_t kColumns = 57;
const std::vector<float>& numbers() {
  static const std::vector<float> numbers = random_numbers(40 * kColumns, 3, 4);
  return numbers;
}

// y = Exp(Softmax(c)) * x; c is a constant, or the second input.
std::string model(bool is_constant) {
  GraphBuilder g;
  const Dims dims = {40, kColumns};
  const auto x = g.input("x", DType::kFloat32, dims);
  const auto c = is_constant ? g.floats("c", dims, numbers()) : g.input("c", DType::kFloat32, dims);
  const auto rows = g.node("Exp", {g.node("Softmax", {c}, {"rows"})[0]}, {"e"})[0];
  g.output(g.node("Mul", {rows, x}, {"y"})[0]);
  g.infer();
  return g.model_bytes();
}

std::vector<Tensor> result_for(std::string_view target, bool is_constant) {
  const auto environment = quiet_environment();
  SessionOptions options = options_with(*environment, {"AOT"});
  CHECK_OK(options.set("ep.aot.target", target));
  auto session = Session::create(environment, memory_source(model(is_constant)), options);
  CHECK_OK(session);
  const std::vector<float> ones(40 * kColumns, 1);
  std::vector<Tensor> inputs = {Tensor::from<float>({40, kColumns}, ones)};
  if (!is_constant) inputs.push_back(Tensor::from<float>({40, kColumns}, numbers()));
  return run_all(**session, inputs);
}

}  // namespace

TEST(folded_constants, have_the_bits_of_the_target_on_every_machine) {
  for (const TargetRow& level : target_rows()) {
    if (level.is_feature || !level.is_here()) continue;
    CHECK(same_bits(result_for(level.name, true), result_for(level.name, false)));
  }
}

TEST(folded_constants, are_computed_for_the_lowest_of_several_targets) {
  CHECK(lowest_isa("x86-64-v4+avx512vnni;x86-64-v3") == Isa::kAvx2);
  CHECK(lowest_isa("x86-64-v3;x86-64-v2") == Isa::kGeneric);
  CHECK(lowest_isa("of-a-later-library") == host_isa());
  CHECK(lowest_isa("") == host_isa());
}

}  // namespace ortc::test
