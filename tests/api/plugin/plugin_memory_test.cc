// SPDX-License-Identifier: MIT
// A device with memory of its own, which no thread of the host can read: what is carried, where
// values of the program may lie, and how long everything lives.
#include "tests/api/plugin/device_testing.h"

using namespace ortc;
using namespace ortc::test;

TEST(plugin_memory, is_described_by_its_device) {
  const Env env = env_with_device();
  const OrtMemoryInfo* memory = memory_of(env);
  const char* name = nullptr;
  CHECK(Outcome(OrtMemoryInfoGetName(memory, &name)).is_ok());
  CHECK_EQ(std::string(name), "DeviceMemory");
  OrtMemoryInfoDeviceType type = OrtMemoryInfoDeviceType_CPU;
  OrtMemoryInfoGetDeviceType(memory, &type);
  CHECK_EQ(type, OrtMemoryInfoDeviceType_NPU);
  CHECK(OrtEpDevice_MemoryInfo(device_of(env), OrtDeviceMemoryType_HOST_ACCESSIBLE) == nullptr);
}

TEST(plugin_memory, holds_constants_once_and_each_run_carries_its_input_and_output) {
  const Env env = env_with_device();
  const OwnSession session = open_on_device(env, dense_model());
  CHECK_EQ(device_count("constants"), 2);
  CHECK_EQ(device_count("copies_in"), 2);
  for (int i = 1; i <= 3; ++i) {
    std::vector<float> y;
    CHECK(run_floats(session.get(), kDenseX, &y, {1, 2}).is_ok());
    CHECK(y == kDenseY);
    CHECK_EQ(device_count("copies_in"), 2 + i);
    CHECK_EQ(device_count("copies_out"), i);
    CHECK_EQ(device_count("blocks_alive"), 2);
  }
  CHECK_EQ(device_count("copies_within"), 0);
}

TEST(plugin_memory, is_left_and_entered_around_a_node_of_the_host) {
  for (const char* name : {"device.virtual", "device.now.virtual"}) {
    const Env env = env_with_device(name);
    const OwnSession session = open_on_device(env, model_with_a_host_node());
    std::vector<float> y;
    CHECK(run_floats(session.get(), {1.5f, -2}, &y).is_ok());
    CHECK(y == (std::vector<float>{4.5f, 2}));
    CHECK_EQ(device_count("copies_in"), 2);  // x once for both readers
    CHECK_EQ(device_count("copies_out"), 2);
    CHECK_EQ(device_count("blocks_alive"), 0);
  }
}

TEST(plugin_memory, keeps_a_value_between_two_of_its_nodes) {
  const Env env = env_with_device();
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {2});
  const ValueId square = g.node("Mul", {x, x}, {"square"})[0];
  const ValueId host = g.node("Ceil", {x}, {"host"})[0];
  const ValueId relu = g.node("Relu", {square}, {"relu"})[0];
  g.output(g.node("Sub", {relu, host}, {"y"})[0]);
  const OwnSession session = open_on_device(env, g.model_bytes());
  std::vector<float> y;
  CHECK(run_floats(session.get(), {1, 3}, &y).is_ok());
  CHECK(y == (std::vector<float>{0, 6}));
  CHECK_EQ(device_count("copies_in"), 1);
  CHECK_EQ(device_count("copies_out"), 1);
}

TEST(plugin_memory, of_a_session_is_the_programs_to_allocate_and_copy) {
  const Env env = env_with_device();
  const OwnSession session = open_on_device(env, dense_model());
  const OwnAllocator allocator = allocator_of(session, memory_of(env));
  const OwnValue x = new_tensor(allocator.get(), {1, 2});
  const OrtMemoryInfo* memory = nullptr;
  CHECK(Outcome(OrtGetTensorMemoryInfo(x.get(), &memory)).is_ok());
  int order = -1;
  CHECK(Outcome(OrtCompareMemoryInfo(memory, memory_of(env), &order)).is_ok());
  CHECK_EQ(order, 0);
  CHECK(address_of(x) != nullptr);
  CHECK(copy(env, host_tensor(kDenseX, {1, 2}), x).is_ok());
  CHECK(numbers_on_device(env, x, {1, 2}) == kDenseX);
  const OwnValue other = new_tensor(allocator.get(), {1, 2});
  CHECK(copy(env, x, other).is_ok());
  CHECK(numbers_on_device(env, other, {1, 2}) == kDenseX);
  CHECK_EQ(device_count("copies_within"), 1);
}

TEST(plugin_memory, holds_inputs_of_runs_that_are_not_carried_again) {
  const Env env = env_with_device();
  const OwnSession session = open_on_device(env, dense_model());
  const OwnAllocator allocator = allocator_of(session, memory_of(env));
  const OwnValue x = new_tensor(allocator.get(), {1, 2});
  CHECK(copy(env, host_tensor(kDenseX, {1, 2}), x).is_ok());
  const int before = device_count("copies_in");
  OwnValue y;
  CHECK(run(session, x, &y).is_ok());
  CHECK(numbers_of(y) == kDenseY);
  CHECK_EQ(device_count("copies_in"), before);
  CHECK_EQ(device_count("copies_out"), 1);
}

TEST(plugin_memory, holds_inputs_that_the_host_reads_too) {
  const Env env = env_with_device();
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {2});
  const ValueId square = g.node("Mul", {x, x}, {"square"})[0];
  g.output(g.node("Sub", {square, x}, {"y"})[0]);
  const OwnSession session = open_on_device(env, g.model_bytes());
  const OwnAllocator allocator = allocator_of(session, memory_of(env));
  const OwnValue x_there = new_tensor(allocator.get(), {2});
  CHECK(copy(env, host_tensor({3, -3}, {2}), x_there).is_ok());
  const int before = device_count("copies_in");
  OwnValue y;
  CHECK(run(session, x_there, &y).is_ok());
  CHECK(numbers_of(y) == (std::vector<float>{6, 12}));
  CHECK_EQ(device_count("copies_in"), before);
  CHECK_EQ(device_count("copies_out"), 2);  // x and the square
}

TEST(plugin_memory, takes_bound_inputs_and_outputs_without_any_copy) {
  const Env env = env_with_device();
  const OwnSession session = open_on_device(env, dense_model());
  const OwnAllocator allocator = allocator_of(session, memory_of(env));
  const OwnValue x = new_tensor(allocator.get(), {1, 2});
  CHECK(copy(env, host_tensor(kDenseX, {1, 2}), x).is_ok());
  const OwnBinding binding = binding_of(session);
  CHECK(Outcome(OrtBindInput(binding.get(), "x", x.get())).is_ok());
  CHECK(Outcome(OrtBindOutputToDevice(binding.get(), "y", memory_of(env))).is_ok());
  const int in = device_count("copies_in"), out = device_count("copies_out");
  for (int i = 0; i < 3; ++i) {
    CHECK(Outcome(OrtRunWithBinding(session.get(), nullptr, binding.get())).is_ok());
  }
  CHECK(Outcome(OrtSynchronizeBoundOutputs(binding.get())).is_ok());
  CHECK_EQ(device_count("copies_in"), in);
  CHECK_EQ(device_count("copies_out"), out);
  CHECK_EQ(device_count("copies_within"), 0);
  const auto outputs = outputs_of(binding);
  CHECK_EQ(outputs.size(), 1u);
  CHECK(numbers_on_device(env, outputs[0], {1, 2}) == kDenseY);
  // And as the input of another session.
  const OwnSession next = open_on_device(env, model_with_a_host_node());
  const OwnBinding wrong = binding_of(next);
  CHECK(Outcome(OrtBindInput(wrong.get(), "x", outputs[0].get())).is_ok());
  CHECK(Outcome(OrtBindOutputToDevice(wrong.get(), "y", memory_of(env))).is_ok());
  CHECK(Outcome(OrtRunWithBinding(next.get(), nullptr, wrong.get()))
            .has(ORT_INVALID_ARGUMENT, "'x'"));  // of another rank
}

TEST(plugin_memory, is_filled_where_the_program_has_allocated_it) {
  const Env env = env_with_device();
  const OwnSession session = open_on_device(env, dense_model());
  const OwnAllocator allocator = allocator_of(session, memory_of(env));
  OwnValue y = new_tensor(allocator.get(), {1, 2});
  const OrtValue* const was = y.get();
  const void* const address = address_of(y);
  CHECK(run(session, host_tensor(kDenseX, {1, 2}), &y).is_ok());
  CHECK(y.get() == was && address_of(y) == address);
  CHECK(numbers_on_device(env, y, {1, 2}) == kDenseY);
  CHECK_EQ(device_count("copies_within"), 0);
  OwnValue wrong = new_tensor(allocator.get(), {2, 2});
  CHECK(run(session, host_tensor(kDenseX, {1, 2}), &wrong)
            .has(ORT_INVALID_ARGUMENT, "was provided as float32[2,2]"));
  OwnValue shared = new_tensor(allocator.get(), {1, 2});
  const OrtValue* const input = shared.get();
  const char *x_name = "x", *y_name = "y";
  OrtValue* output = shared.get();
  CHECK(Outcome(OrtRun(session.get(), nullptr, &x_name, &input, 1, &y_name, 1, &output))
            .has(ORT_INVALID_ARGUMENT, "shares memory of a device"));
}

TEST(plugin_memory, receives_outputs_that_the_host_makes_or_reads) {
  const Env env = env_with_device();
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {2});
  const ValueId square = g.node("Mul", {x, x}, {"square"})[0];
  const ValueId up = g.node("Ceil", {square}, {"up"})[0];
  g.output(square);
  g.output(up);
  g.output(x);
  const OwnSession session = open_on_device(env, g.model_bytes());
  const OwnAllocator allocator = allocator_of(session, memory_of(env));
  const OwnValue there = new_tensor(allocator.get(), {2});
  CHECK(copy(env, host_tensor({1.5f, 2}, {2}), there).is_ok());
  for (const bool is_input_there : {false, true}) {
    const OwnBinding binding = binding_of(session);
    const OwnValue here = host_tensor({1.5f, 2}, {2});
    CHECK(Outcome(OrtBindInput(binding.get(), "x", is_input_there ? there.get() : here.get()))
              .is_ok());
    for (const char* name : {"square", "up", "x"}) {
      CHECK(Outcome(OrtBindOutputToDevice(binding.get(), name, memory_of(env))).is_ok());
    }
    CHECK(Outcome(OrtRunWithBinding(session.get(), nullptr, binding.get())).is_ok());
    const auto outputs = outputs_of(binding);
    CHECK(numbers_on_device(env, outputs[0], {2}) == (std::vector<float>{2.25f, 4}));
    CHECK(numbers_on_device(env, outputs[1], {2}) == (std::vector<float>{3, 4}));
    CHECK(numbers_on_device(env, outputs[2], {2}) == (std::vector<float>{1.5f, 2}));
  }
}

TEST(plugin_memory, is_shared_by_allocators_of_the_environment) {
  const Env env = env_with_device();
  OrtAllocator *first = nullptr, *again = nullptr, *second = nullptr;
  CHECK(Outcome(OrtGetSharedAllocator(env.get(), memory_of(env), &first)).is_ok());
  CHECK(first != nullptr);
  CHECK(Outcome(OrtGetSharedAllocator(env.get(), memory_of(env), &again)).is_ok());
  CHECK(first == again);
  CHECK(Outcome(OrtCreateSharedAllocator(env.get(), device_of(env), OrtDeviceMemoryType_DEFAULT,
                                         OrtDeviceAllocator, nullptr, &second))
            .is_ok());
  CHECK(second != nullptr && second != first);
  CHECK(Outcome(OrtGetSharedAllocator(env.get(), memory_of(env), &again)).is_ok());
  CHECK(second == again);
  const OwnValue value = new_tensor(second, {2});
  CHECK(copy(env, host_tensor({5, 6}, {2}), value).is_ok());
  CHECK(numbers_on_device(env, value, {2}) == (std::vector<float>{5, 6}));
  OrtAllocator* constants = nullptr;
  CHECK(Outcome(OrtCreateSharedAllocator(env.get(), device_of(env), OrtDeviceMemoryType_DEFAULT,
                                         OrtReadOnlyAllocator, nullptr, &constants))
            .is_ok());
  CHECK(constants != nullptr && constants != second);
  CHECK(Outcome(OrtReleaseSharedAllocator(env.get(), device_of(env), OrtDeviceMemoryType_DEFAULT))
            .is_ok());
  CHECK(Outcome(OrtCreateSharedAllocator(env.get(), device_of(env),
                                         OrtDeviceMemoryType_HOST_ACCESSIBLE, OrtDeviceAllocator,
                                         nullptr, &again))
            .has(ORT_INVALID_ARGUMENT, "no memory of type"));
  CHECK(Outcome(OrtCreateSharedAllocator(env.get(), device_of(env), OrtDeviceMemoryType_DEFAULT,
                                         OrtArenaAllocator, nullptr, &again))
            .has(ORT_INVALID_ARGUMENT, "OrtArenaAllocator"));
}

// The program may still have the pointer: it gives nothing, and takes back what it gave.
TEST(plugin_memory, of_shared_allocators_ends_when_they_are_released) {
  const Env env = env_with_device();
  const auto share = [&] {
    OrtAllocator* shared = nullptr;
    CHECK(Outcome(OrtGetSharedAllocator(env.get(), memory_of(env), &shared)).is_ok());
    CHECK_EQ(device_count("allocators_alive"), 1);
    return shared;
  };
  const auto release = [&] {
    CHECK(Outcome(OrtReleaseSharedAllocator(env.get(), device_of(env), OrtDeviceMemoryType_DEFAULT))
              .is_ok());
  };
  OrtAllocator* const first = share();
  void* block = nullptr;
  CHECK(Outcome(OrtAllocatorAlloc(first, 100, &block)).is_ok());
  OwnValue value = new_tensor(first, {2});
  const OrtMemoryInfo* described = nullptr;
  CHECK(Outcome(OrtAllocatorGetInfo(first, &described)).is_ok());
  release();
  CHECK_EQ(device_count("allocators_alive"), 1);
  CHECK(Outcome(OrtAllocatorFree(first, block)).is_ok());
  CHECK_EQ(device_count("allocators_alive"), 1);
  value.reset();
  CHECK_EQ(device_count("allocators_alive"), 0);
  CHECK_EQ(device_count("blocks_alive"), 0);
  CHECK(Outcome(OrtAllocatorAlloc(first, 100, &block)).code != ORT_OK);
  const int64_t dims[] = {2};
  OrtValue* late = nullptr;
  CHECK(
      Outcome(OrtCreateTensorAsOrtValue(first, dims, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &late))
          .code != ORT_OK);
  const OrtMemoryInfo* memory = nullptr;
  int difference = 1;
  CHECK(Outcome(OrtAllocatorGetInfo(first, &memory)).is_ok());
  CHECK(Outcome(OrtCompareMemoryInfo(memory, memory_of(env), &difference)).is_ok());
  CHECK_EQ(difference, 0);
  CHECK(memory == described);
  CHECK(share() != first);
  release();
  CHECK_EQ(device_count("allocators_alive"), 0);
  share();
  CHECK(remove_library(env, "device.virtual").is_ok());
  CHECK_EQ(device_count("allocators_alive"), -1);  // it was unloaded
}

TEST(plugin_memory, outlives_everything_that_led_to_it) {
  const Env other = env_with_device("second.virtual");  // keeps the counts alive
  OwnValue value;
  {
    Env env = quiet_env();
    CHECK(add_library(env, "device.virtual", ORTC_DEVICE_LIBRARY).is_ok());
    OwnSession session = open_on_device(env, dense_model());
    OwnAllocator allocator = allocator_of(session, memory_of(env));
    value = new_tensor(allocator.get(), {1, 2});
    CHECK(remove_library(env, "device.virtual").is_ok());
    allocator.reset();
    session.reset();
    env.reset();
    CHECK_EQ(device_count("blocks_alive"), 1);
    CHECK_EQ(device_count("allocators_alive"), 1);
  }
  value.reset();
}

TEST(plugin_memory, and_its_library_end_with_the_last_value) {
  OwnValue value;
  {
    const Env env = env_with_device();
    const OwnSession session = open_on_device(env, dense_model());
    const OwnAllocator allocator = allocator_of(session, memory_of(env));
    value = new_tensor(allocator.get(), {1, 2});
    CHECK(Outcome(OrtUnregisterExecutionProviderLibrary(env.get(), "device.virtual")).is_ok());
  }
  CHECK_EQ(device_count("allocators_alive"), 1);
  value.reset();
  CHECK_EQ(device_count("blocks"), -1);
}

TEST(plugin_memory, is_nothing_that_functions_of_the_host_read) {
  const Env env = env_with_device();
  const OwnSession session = open_on_device(env, dense_model());
  const OwnAllocator allocator = allocator_of(session, memory_of(env));
  const OwnValue value = new_tensor(allocator.get(), {2});
  const OrtValue* const list[] = {value.get()};
  OrtValue* made = nullptr;
  CHECK(Outcome(OrtCreateValue(list, 1, ONNX_TYPE_SEQUENCE, &made))
            .has(ORT_INVALID_ARGUMENT, "DeviceMemory"));
  const Options options = options_of(env, kDeviceEp);
  CHECK(Outcome(OrtAddInitializer(options.get(), "w", value.get()))
            .has(ORT_INVALID_ARGUMENT, "DeviceMemory"));
  const int64_t dims[] = {1};
  CHECK(Outcome(OrtCreateTensorAsOrtValue(allocator.get(), dims, 1,
                                          ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, &made))
            .has(ORT_INVALID_ARGUMENT, "DeviceMemory"));
  char* name = nullptr;
  CHECK(Outcome(OrtSessionGetInputName(session.get(), 0, allocator.get(), &name))
            .has(ORT_INVALID_ARGUMENT, "DeviceMemory"));
  CHECK_EQ(device_count("blocks_alive"), 3);
}

TEST(plugin_memory, of_nobody_is_refused_by_name) {
  const Env env = env_with_device();
  const OwnSession session = open_on_device(env, dense_model());
  OrtMemoryInfo* cuda = nullptr;
  CHECK(Outcome(OrtCreateMemoryInfo("Cuda", OrtDeviceAllocator, 0, OrtMemTypeDefault, &cuda))
            .is_ok());
  float numbers[2] = {1, 2};
  const int64_t dims[] = {1, 2};
  OrtValue* made = nullptr;
  CHECK(Outcome(OrtCreateTensorWithDataAsOrtValue(cuda, numbers, sizeof numbers, dims, 2,
                                                  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &made))
            .is_ok());
  const OwnValue value(made);
  OwnValue y;
  CHECK(run(session, value, &y).has(ORT_INVALID_ARGUMENT, "'x' lies in memory 'Cuda'"));
  CHECK(copy(env, value, host_tensor({0, 0}, {1, 2})).has(ORT_INVALID_ARGUMENT, "Cuda"));
  OrtAllocator* allocator = nullptr;
  CHECK(Outcome(OrtCreateAllocator(session.get(), cuda, &allocator))
            .has(ORT_INVALID_ARGUMENT, "Cuda"));
  const OwnBinding binding = binding_of(session);
  CHECK(Outcome(OrtBindOutputToDevice(binding.get(), "y", cuda)).has(ORT_NOT_IMPLEMENTED, "Cuda"));
  OrtReleaseMemoryInfo(cuda);
}

TEST(plugin_memory, is_of_tensors_and_equal_to_itself_alone) {
  const OrtEpApi& table = ep_api();
  CHECK(!table.MemoryDevice_AreEqual(nullptr, nullptr));
  const OwnValue tensor = host_tensor({1}, {1});
  const OrtMemoryDevice* const host = table.Value_GetMemoryDevice(tensor.get());
  CHECK(host != nullptr && table.MemoryDevice_AreEqual(host, host));
  CHECK(!table.MemoryDevice_AreEqual(host, nullptr));
  const OrtValue* const elements[] = {tensor.get()};
  OrtValue* made = nullptr;
  CHECK(Outcome(OrtCreateValue(elements, 1, ONNX_TYPE_SEQUENCE, &made)).is_ok());
  const OwnValue sequence(made);
  CHECK(table.Value_GetMemoryDevice(made) == nullptr);
}
