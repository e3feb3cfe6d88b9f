// SPDX-License-Identifier: MIT
// What a session says of its inputs and outputs: in which memory they are read and made, and on
// whose device.
#include "tests/api/plugin/device_testing.h"

using namespace ortc;
using namespace ortc::test;

namespace {

struct Answers {
  std::vector<const OrtMemoryInfo*> memories;
  std::vector<std::string> providers;
};

Answers of_inputs(const OwnSession& session, size_t count) {
  Answers answers;
  answers.memories.resize(count);
  std::vector<const OrtEpDevice*> devices(count);
  CHECK(Outcome(OrtSessionGetMemoryInfoForInputs(session.get(), answers.memories.data(), count))
            .is_ok());
  CHECK(Outcome(OrtSessionGetEpDeviceForInputs(session.get(), devices.data(), count)).is_ok());
  for (const OrtEpDevice* device : devices) {
    answers.providers.push_back(device != nullptr ? OrtEpDevice_EpName(device) : "nobody");
  }
  return answers;
}

Answers of_outputs(const OwnSession& session, size_t count) {
  Answers answers;
  answers.memories.resize(count);
  std::vector<const OrtEpDevice*> devices(count);
  CHECK(Outcome(OrtSessionGetMemoryInfoForOutputs(session.get(), answers.memories.data(), count))
            .is_ok());
  CHECK(Outcome(OrtSessionGetEpDeviceForOutputs(session.get(), devices.data(), count)).is_ok());
  for (const OrtEpDevice* device : devices) answers.providers.push_back(OrtEpDevice_EpName(device));
  return answers;
}

bool is(const OrtMemoryInfo* memory, const OrtMemoryInfo* expected) {
  int order = -1;
  CHECK(Outcome(OrtCompareMemoryInfo(memory, expected, &order)).is_ok());
  return order == 0;
}

bool is_host(const OrtMemoryInfo* memory) {
  OrtMemoryInfo* cpu = nullptr;
  CHECK(Outcome(OrtCreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &cpu)).is_ok());
  const bool is_it = is(memory, cpu);
  OrtReleaseMemoryInfo(cpu);
  return is_it;
}

constexpr char kCpu[] = "CPUExecutionProvider";

}  // namespace

TEST(plugin_places, of_a_model_for_the_device_are_its_memory) {
  const Env env = env_with_device();
  for (const std::string& model : {dense_model(), model_with_a_host_node()}) {
    const OwnSession session = open_on_device(env, model);
    const Answers inputs = of_inputs(session, 1), outputs = of_outputs(session, 1);
    CHECK(is(inputs.memories[0], memory_of(env)));
    CHECK(is(outputs.memories[0], memory_of(env)));
    CHECK(inputs.providers[0] == kDeviceEp);
    CHECK(outputs.providers[0] == kDeviceEp);
  }
}

// What is read in both memories is wanted on the host, what nobody carries is where it was made.
TEST(plugin_places, differ_by_who_reads_and_makes_the_value) {
  GraphBuilder g;
  const ValueId device = g.input("device", DType::kFloat32, {2});
  const ValueId host = g.input("host", DType::kFloat32, {2});
  const ValueId both = g.input("both", DType::kFloat32, {2});
  g.input("nobody", DType::kFloat32, {2});
  g.output(g.node("Ceil", {host}, {"made_on_the_host"})[0]);
  const ValueId up = g.node("Ceil", {both}, {"up"})[0];
  const ValueId sum = g.node("Add", {device, both}, {"made_on_the_device"})[0];
  g.output(sum);
  g.output(g.node("Ceil", {sum}, {"from_there"})[0]);
  g.output(g.node("Mul", {up, device}, {"with_a_copy"})[0]);
  const Env env = env_with_device();
  const OwnSession session = open_on_device(env, g.model_bytes());
  const Answers inputs = of_inputs(session, 4), outputs = of_outputs(session, 4);
  CHECK(is(inputs.memories[0], memory_of(env)));
  for (size_t i = 1; i < 4; ++i) CHECK(is_host(inputs.memories[i]));
  CHECK(inputs.providers[0] == kDeviceEp);
  CHECK(inputs.providers[1] == kCpu);
  CHECK(inputs.providers[3] == "nobody");
  CHECK(is_host(outputs.memories[0]));
  CHECK(is(outputs.memories[1], memory_of(env)));
  CHECK(is_host(outputs.memories[2]));
  CHECK(is(outputs.memories[3], memory_of(env)));
  CHECK((outputs.providers == std::vector<std::string>{kCpu, kDeviceEp, kCpu, kDeviceEp}));
}

// As in ONNX Runtime: only a node has a device.
TEST(plugin_places, of_inputs_that_no_node_reads_have_no_device) {
  GraphBuilder g;
  const ValueId flag = g.input("flag", DType::kBool, {});
  const ValueId x = g.input("x", DType::kFloat32, {2});
  g.input("nobody", DType::kFloat32, {2});
  const ValueId passed = g.input("passed", DType::kFloat32, {2});
  GraphBuilder up(17, &g.graph()), down(17, &g.graph());
  up.output(up.node("Ceil", {up.graph().capture(x).value()}, {"up"})[0]);
  down.output(down.node("Floor", {down.graph().capture(x).value()}, {"down"})[0]);
  g.output(g.node("If", {flag}, {"y"},
                  {graph_attribute("then_branch", up.shared()),
                   graph_attribute("else_branch", down.shared())})[0]);
  g.output(passed);
  const Env env = quiet_env();
  OrtSessionOptions* options = nullptr;
  CHECK(Outcome(OrtCreateSessionOptions(&options)).is_ok());
  OwnSession session;
  CHECK(make_session(env, g.model_bytes(), Options(options), &session).is_ok());
  CHECK((of_inputs(session, 4).providers ==
         std::vector<std::string>{kCpu, kCpu, "nobody", "nobody"}));
}

// The kernel of Add wants its second input on the host.
TEST(plugin_places, follow_what_a_kernel_wants_on_the_host) {
  Env env = quiet_env();
  CHECK(add_library(env, "device.virtual", ORTC_DEVICE_KERNELS).is_ok());
  GraphBuilder g;
  const ValueId a = g.input("a", DType::kFloat32, {4});
  const ValueId b = g.input("b", DType::kFloat32, {4});
  g.output(g.node("Add", {a, b}, {"y"})[0]);
  const OwnSession session = open_on_device(env, g.model_bytes());
  const Answers inputs = of_inputs(session, 2), outputs = of_outputs(session, 1);
  CHECK(is(inputs.memories[0], memory_of(env)));
  CHECK(is_host(inputs.memories[1]));
  CHECK(inputs.providers[0] == kDeviceEp);
  CHECK(inputs.providers[1] == kDeviceEp);
  CHECK(is(outputs.memories[0], memory_of(env)));
}

// The point of the answers: a value that lies there is not carried.
TEST(plugin_places, are_those_from_which_nothing_is_carried) {
  const Env env = env_with_device();
  const OwnSession session = open_on_device(env, dense_model());
  const OwnAllocator allocator = allocator_of(session, of_inputs(session, 1).memories[0]);
  const OwnValue x = new_tensor(allocator.get(), {1, 2});
  const OwnValue y = new_tensor(allocator.get(), {1, 1});
  CHECK(copy(env, host_tensor(kDenseX, {1, 2}), x).is_ok());
  const int before = device_count("copies_in");
  const OwnBinding binding = binding_of(session);
  CHECK(Outcome(OrtBindInput(binding.get(), "x", x.get())).is_ok());
  CHECK(Outcome(OrtBindOutputToDevice(binding.get(), "y", of_outputs(session, 1).memories[0]))
            .is_ok());
  CHECK(Outcome(OrtRunWithBinding(session.get(), nullptr, binding.get())).is_ok());
  CHECK_EQ(device_count("copies_in"), before);
  CHECK_EQ(device_count("copies_out"), 0);
}

TEST(plugin_places, without_a_device_are_the_hosts) {
  const Env env = env_with_device();
  OwnSession session;
  OrtSessionOptions* options = nullptr;
  CHECK(Outcome(OrtCreateSessionOptions(&options)).is_ok());
  CHECK(make_session(env, dense_model(), Options(options), &session).is_ok());
  CHECK(is_host(of_inputs(session, 1).memories[0]));
  CHECK(is_host(of_outputs(session, 1).memories[0]));
  CHECK(of_inputs(session, 1).providers[0] == kCpu);
}
