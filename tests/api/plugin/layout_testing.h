// SPDX-License-Identifier: MIT
// What the tests of data layouts share: sessions with the layout library, what it was shown, and
// images for it.
#pragma once

#include <sstream>

#include "tests/api/plugin/kernel_testing.h"
#include "tests/api/plugin/npu_testing.h"

namespace ortc::test {

inline constexpr char kLayoutOption[] = "ep.virtualnpuexecutionprovider.layout";

// While the library is loaded.
inline std::string ask_layout_library(const char* function) {
  void* library = dlopen(ORTC_LAYOUT_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
  CHECK(library != nullptr);
  const std::string text = reinterpret_cast<const char* (*)()>(dlsym(library, function))();
  dlclose(library);
  return text;
}

struct LayoutSetting {
  LayoutSetting() : env(quiet_env()) {
    CHECK(add_library(env, "layout.virtual", ORTC_LAYOUT_LIBRARY).is_ok());
  }
  // What the library does, in words, from here on.
  void set(const std::string& words) const {
    void* library = dlopen(ORTC_LAYOUT_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
    CHECK(library != nullptr);
    reinterpret_cast<void (*)(const char*)>(dlsym(library, "layout_library_set"))(words.c_str());
    dlclose(library);
  }
  Options options() const {
    Options made = options_of(env, kNpuEp);
    set_entry(made, kLayoutOption, "nhwc");
    set_entry(made, "session.record_ep_graph_assignment_info", "1");
    // Only what the layout does shall change the graph.
    CHECK(Outcome(OrtSetSessionGraphOptimizationLevel(made.get(), ORT_DISABLE_ALL)).is_ok());
    return made;
  }
  Outcome try_session(const std::string& model, const std::string& words,
                      OwnSession* session) const {
    set(words);
    return make_session(env, model, options(), session);
  }
  OwnSession session(const std::string& model, const std::string& words = "") const {
    OwnSession made;
    CHECK(try_session(model, words, &made).is_ok());
    return made;
  }
  OwnSession cpu_session(const std::string& model) const {
    OrtSessionOptions* made = nullptr;
    CHECK(Outcome(OrtCreateSessionOptions(&made)).is_ok());
    const Options options(made);
    OwnSession session;
    CHECK(make_session(env, model, options, &session).is_ok());
    return session;
  }
  Env env;
};

// The graphs that the library was shown, a line each.
inline std::string shown() { return ask_layout_library("layout_library_seen"); }
inline std::string shown_details() { return ask_layout_library("layout_library_details"); }
inline std::string asked() { return ask_layout_library("layout_library_questions"); }

inline bool are_near(const std::vector<float>& a, const std::vector<float>& b) {
  bool are = a.size() == b.size();
  for (size_t i = 0; are && i < a.size(); ++i) are = std::abs(a[i] - b[i]) <= 1e-4f;
  return are;
}

inline std::vector<float> image_numbers(const Dims& dims) {
  size_t count = 1;
  for (int64_t dim : dims) count *= static_cast<size_t>(dim);
  return random_numbers(count, 77);
}

// Both give the same for an image.
inline bool agree(OrtSession* session, OrtSession* expected, const Dims& dims) {
  std::vector<float> y, wanted;
  CHECK(run_floats(session, image_numbers(dims), &y, dims).is_ok());
  CHECK(run_floats(expected, image_numbers(dims), &wanted, dims).is_ok());
  return are_near(y, wanted);
}

// Graphs of images.
struct ImageBuilder : GraphBuilder {
  using GraphBuilder::GraphBuilder;
  // A convolution of 3 x 3 with bias that keeps the size.
  ValueId conv(ValueId x, int64_t inputs, int64_t outputs, const std::string& name,
               int64_t group = 1) {
    const ValueId w = random_floats(name + "_w", {outputs, inputs / group, 3, 3}, seed_++, 0.5f);
    const ValueId b = random_floats(name + "_b", {outputs}, seed_++, 0.5f);
    return node("Conv", {x, w, b}, {name},
                {Attribute::of_ints("pads", {1, 1, 1, 1}), Attribute::of_int("group", group)})[0];
  }
  ValueId pool(ValueId x, const std::string& name) {
    return node("MaxPool", {x}, {name},
                {Attribute::of_ints("kernel_shape", {3, 3}), Attribute::of_ints("strides", {2, 2}),
                 Attribute::of_ints("pads", {1, 0, 1, 0})})[0];
  }
  ValueId relu(ValueId x, const std::string& name) { return node("Relu", {x}, {name})[0]; }
  ValueId turn(ValueId x, const std::string& name, std::vector<int64_t> perm) {
    return node("Transpose", {x}, {name}, {Attribute::of_ints("perm", std::move(perm))})[0];
  }

 private:
  unsigned seed_ = 1;
};

// y = Conv(MaxPool(Relu(Conv(x)) + shift)); x is [1,3,8,6].
inline std::string chain_model() {
  ImageBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {1, 3, 8, 6});
  const ValueId first = g.relu(g.conv(x, 3, 4, "c1"), "r1");
  const ValueId shift = g.floats("shift", {4, 1, 1}, {1, -2, 3, -4});
  const ValueId moved = g.node("Add", {first, shift}, {"moved"})[0];
  g.output(g.conv(g.pool(moved, "p1"), 4, 2, "y"));
  return g.model_bytes();
}
inline const Dims kChainDims = {1, 3, 8, 6};

}  // namespace ortc::test
