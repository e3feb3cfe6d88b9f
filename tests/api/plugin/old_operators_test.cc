// SPDX-License-Identifier: MIT
// Operators of opset 6, whose Add and Mul broadcast along an axis that an attribute names: both
// samples leave them to the CPU.
#include "tests/api/plugin/device_testing.h"
#include "tests/api/plugin/npu_testing.h"

using namespace ortc;
using namespace ortc::test;

namespace {

// y[i][k] = x[i][k] op b[i].
std::string model_of(const std::string& op) {
  GraphBuilder g(6);
  const ValueId x = g.input("x", DType::kFloat32, {2, 2});
  const ValueId b = g.floats("b", {2}, {10, 20});
  g.output(g.node(op, {x, b}, {"y"},
                  {Attribute::of_int("broadcast", 1), Attribute::of_int("axis", 0)})[0]);
  return g.model_bytes();
}

void check_results(const Env& env, const Options& options) {
  const std::vector<float> kSum = {11, 12, 23, 24}, kProduct = {10, 20, 60, 80};
  for (const char* op : {"Add", "Mul"}) {
    OwnSession session;
    CHECK(make_session(env, model_of(op), options, &session).is_ok());
    std::vector<float> y;
    CHECK(run_floats(session.get(), kX, &y, {2, 2}).is_ok());
    CHECK(y == (*op == 'A' ? kSum : kProduct));
  }
}

}  // namespace

TEST(old_operators, are_not_claimed_by_the_npu) {
  const Env env = env_with_npu();
  check_results(env, options_of(env, kNpuEp));
}

TEST(old_operators, are_not_claimed_by_the_device) {
  const Env env = env_with_device();
  check_results(env, options_of(env, kDeviceEp));
}
