// SPDX-License-Identifier: MIT
// Random graphs of images for a library that asks for channels-last data and leaves some of its
// nodes when it is asked again: whatever it takes, the numbers are those of the CPU provider.
#include <random>

#include "tests/api/plugin/layout_testing.h"

using namespace ortc;
using namespace ortc::test;

namespace {

constexpr int64_t kChannels = 4, kHeight = 5, kWidth = 3;

// Values are images of one size, channels first or last as the model says.
class RandomImages {
 public:
  explicit RandomImages(unsigned seed) : random_(seed) {}

  std::string make() {
    first_.push_back(g_.input("x", DType::kFloat32, {1, kChannels, kHeight, kWidth}));
    const int count = 4 + number(10);
    for (int i = 0; i < count; ++i) add("n" + std::to_string(i));
    // All that nobody reads, so that nothing is left out.
    ValueId sum = first_.front();
    for (size_t i = 1; i < first_.size(); ++i) {
      if (!g_.graph().value(first_[i])->uses.empty()) continue;
      sum = g_.node("Add", {sum, first_[i]}, {"sum" + std::to_string(i)})[0];
    }
    g_.output(g_.node("Neg", {sum}, {"y"})[0]);
    return g_.model_bytes();
  }

  // Words for the library: it leaves each node with this chance in ten.
  std::string leaves(int chance) {
    std::string words;
    const Graph& graph = g_.graph();
    for (NodeId id = 0; id < graph.node_bound(); ++id) {
      if (number(10) < chance) words += " leave:" + graph.node(id)->name();
    }
    // Transposes that the runtime puts in are named after what they make.
    for (ValueId id : first_) {
      if (number(10) < chance) words += " leave:" + graph.value(id)->name + "_transpose";
      if (number(10) < chance) words += " leave:" + graph.value(id)->name + "_nhwc_transpose";
    }
    return words + (number(2) == 0 ? " one_by_one" : "") +
           (number(3) == 0 ? " leave_constants" : "");
  }

 private:
  int number(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }
  ValueId any(const std::vector<ValueId>& of) { return of[random_() % of.size()]; }

  void add(const std::string& name) {
    switch (number(9)) {
      case 0:
      case 1:
        return keep(g_.conv(any(first_), kChannels, kChannels, name, number(2) + 1));
      case 2:
        return keep(g_.relu(any(first_), name));
      case 3:
        return keep(g_.node("Add", {any(first_), any(first_)}, {name})[0]);
      case 4:
        return keep(g_.node("Mul", {any(first_), shift(name)}, {name})[0]);
      case 5:
        return keep(g_.node("Abs", {any(first_)}, {name})[0]);  // not the NPU's
      case 6:
        return last_.push_back(g_.turn(any(first_), name, {0, 2, 3, 1}));
      case 7:
        if (!last_.empty()) return keep(g_.turn(any(last_), name, {0, 3, 1, 2}));
        return keep(g_.relu(any(first_), name));
      default:
        if (!last_.empty()) return last_.push_back(g_.relu(any(last_), name));
        return keep(pooled(any(first_), name));
    }
  }
  void keep(ValueId id) { first_.push_back(id); }

  ValueId shift(const std::string& name) {
    const Dims dims = number(2) == 0 ? Dims{kChannels, 1, 1} : Dims{kHeight, kWidth};
    return g_.random_floats(name + "_shift", dims, 99);
  }
  ValueId pooled(ValueId x, const std::string& name) {
    return g_.node(
        "MaxPool", {x}, {name},
        {Attribute::of_ints("kernel_shape", {3, 3}), Attribute::of_ints("pads", {1, 1, 1, 1})})[0];
  }

  std::mt19937 random_;
  ImageBuilder g_;
  std::vector<ValueId> first_, last_;
};

}  // namespace

TEST(plugin_layout_random, graphs_compute_the_same_whatever_the_library_takes) {
  const LayoutSetting setting;
  const Dims dims = {1, kChannels, kHeight, kWidth};
  for (unsigned seed = 0; seed < 250; ++seed) {
    RandomImages images(seed);
    const std::string model = images.make();
    const OwnSession expected = setting.cpu_session(model);
    for (const int chance : {0, 2, 5}) {
      const std::string words = images.leaves(chance);
      OwnSession session;
      const Outcome outcome = setting.try_session(model, words, &session);
      const bool is_right = outcome.is_ok() && agree(session.get(), expected.get(), dims);
      if (!is_right) {
        fprintf(stderr, "seed %u, words '%s'\n%s", seed, words.c_str(), shown().c_str());
      }
      CHECK(is_right);
    }
  }
}
