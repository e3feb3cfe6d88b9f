// SPDX-License-Identifier: MIT
// Runs of more shapes than are remembered: what was bound for one is bound again for another.
#include "tests/core/plan/plan_samples.h"

using namespace ortc;
using namespace ortc::test;

namespace {

// A plan that runs on one thread.
class Running {
 public:
  explicit Running(GraphBuilder& g) {
    g.infer();
    const Sample sample = lowered(g.graph(), {});
    auto plan = Plan::open(sample.plan, cpu::lowering_rules().kernels);
    CHECK_OK(plan);
    ExecutorContext context;
    context.isa = host_isa();
    context.arenas = &arenas_;
    auto runner = Runner::create(std::move(plan).value(), {}, context);
    CHECK_OK(runner);
    runner_ = std::move(runner).value();
  }

  Tensor run(const Tensor& input) const {
    const ValueRef given = ref_to(input);
    OutputTarget output;
    CHECK_OK(runner_->run({&given, 1}, {&output, 1}, {}));
    return *output.made.tensor();
  }
  size_t remembered() const { return runner_->binding_count(); }

 private:
  ArenaPool arenas_;
  std::shared_ptr<const Runner> runner_;
};

Tensor ones(int64_t count) {
  return Tensor::from<float>({count}, std::vector<float>(static_cast<size_t>(count), 1.0f));
}

ValueId input_of_any_size(GraphBuilder& g, DType dtype) { return g.input("x", dtype, {-1}); }

}  // namespace

TEST(rebind, a_sum_of_no_elements_that_was_known_becomes_one_of_some) {
  GraphBuilder g;
  g.output(g.node("ReduceSum", {input_of_any_size(g, DType::kFloat32)}, {"y"},
                  {Attribute::of_int("keepdims", 0)})[0]);
  const Running running(g);
  for (int64_t count = 0; count < 40; ++count) {
    CHECK_EQ(running.run(ones(count)).elements<float>()[0], static_cast<float>(count));
  }
  CHECK(running.remembered() < 40);
}

TEST(rebind, a_shape_of_no_dims_that_was_known_becomes_one_of_some) {
  GraphBuilder g;
  g.output(g.node("ConstantOfShape", {input_of_any_size(g, DType::kInt64)}, {"y"})[0]);
  const Running running(g);
  for (const int64_t first : {0, 1}) {
    for (int64_t rank = 0; rank < 20; ++rank) {
      const Dims dims(static_cast<size_t>(rank + first), 1);
      const auto size = static_cast<int64_t>(dims.size());
      CHECK(running.run(Tensor::from<int64_t>({size}, dims)).dims() == dims);
    }
  }
}
