// SPDX-License-Identifier: MIT
// Kernels of a library whose device has memory of its own: each value lies where its kernel said,
// or the library fails.
#include "tests/api/plugin/device_testing.h"
#include "tests/api/plugin/kernel_testing.h"

using namespace ortc;
using namespace ortc::test;

namespace {

Env env_with_kernels() {
  Env env = quiet_env();
  CHECK(add_library(env, "device.virtual", ORTC_DEVICE_KERNELS).is_ok());
  return env;
}

OwnSession session_of(const Env& env, const std::string& model) {
  const Options options = options_of(env, kDeviceEp);
  set_entry(options, "session.record_ep_graph_assignment_info", "1");
  OwnSession session;
  CHECK(make_session(env, model, options, &session).is_ok());
  return session;
}

// y = ((c + x) + x) + c: the constant is wanted on the device first, on the host in the end; one
// result after the other stays on the device.
std::string additions() {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {4});
  const ValueId c = g.floats("c", {4}, {1, 2, 3, 4});
  const ValueId first = g.node("Add", {c, x}, {"first"})[0];
  const ValueId second = g.node("Add", {first, x}, {"second"})[0];
  g.output(g.node("Add", {second, c}, {"y"})[0]);
  return g.model_bytes();
}

// y = a + Neg(a) with a = x + x: what a kernel left on the device is read by the CPU provider, and
// by a kernel that wants it on the host.
std::string back_and_forth() {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {4});
  const ValueId a = g.node("Add", {x, x}, {"a"})[0];
  const ValueId minus = g.node("Neg", {a}, {"minus"})[0];
  const ValueId none = g.node("Add", {minus, a}, {"none"})[0];
  g.output(g.node("Add", {none, a}, {"y"})[0]);
  return g.model_bytes();
}

}  // namespace

TEST(plugin_kernel_memory, values_lie_where_kernels_want_them) {
  const Env env = env_with_kernels();
  const OwnSession session = session_of(env, additions());
  CHECK_EQ(nodes_of(session.get(), kDeviceEp), "Add Add Add ");
  for (int i = 0; i < 3; ++i) {
    std::vector<float> y;
    CHECK(run_floats(session.get(), {1, 10, 100, 1000}, &y).is_ok());
    CHECK(y == std::vector<float>({4, 24, 206, 2008}));
  }
}

TEST(plugin_kernel_memory, values_are_carried_to_other_providers_and_back) {
  const Env env = env_with_kernels();
  const OwnSession session = session_of(env, back_and_forth());
  CHECK_EQ(nodes_of(session.get(), kDeviceEp), "Add Add Add ");
  std::vector<float> y;
  CHECK(run_floats(session.get(), {1, 2, 3, 4}, &y).is_ok());
  CHECK(y == std::vector<float>({2, 4, 6, 8}));
}
