// SPDX-License-Identifier: MIT
// Runs of more shapes than are remembered: what was bound for one is bound again for another.
#include <climits>

#include "tests/core/plan/plan_samples.h"
#include "tests/support/failing_allocations.h"

using namespace ortc;
using namespace ortc::test;

namespace {

constexpr size_t kFew = 4;

// A plan that runs on one thread.
class Running {
 public:
  explicit Running(GraphBuilder& g, size_t remembered_most = kFew) {
    g.infer();
    const Sample sample = lowered(g.graph(), {});
    auto plan = Plan::open(sample.plan, cpu::lowering_rules().kernels);
    CHECK_OK(plan);
    ExecutorContext context;
    context.isa = host_isa();
    context.arenas = &arenas_;
    context.binding_count_max = remembered_most;
    auto runner = Runner::create(std::move(plan).value(), {}, context);
    CHECK_OK(runner);
    runner_ = std::move(runner).value();
  }

  Tensor run(const std::vector<Tensor>& inputs) const {
    std::vector<ValueRef> given;
    for (const Tensor& input : inputs) given.push_back(ref_to(input));
    OutputTarget output;
    CHECK_OK(runner_->run(given, {&output, 1}, {}));
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

Tensor rows(int64_t count, unsigned seed) {
  return Tensor::from<float>({count, 8}, random_numbers(static_cast<size_t>(count) * 8, seed));
}

// Steps with values of the arena, of which each third is read again later.
GraphBuilder long_network(int step_count) {
  GraphBuilder g;
  ValueId x = g.input("x", DType::kFloat32, {-1, 8}), earlier = x;
  const ValueId weight = g.random_floats("weight", {8, 8}, 5, 0.3f);
  for (int i = 0; i < step_count; i += 3) {
    const ValueId product = g.node("MatMul", {x, weight}, {str_cat("product", i)})[0];
    const ValueId bent = g.node("Softmax", {product}, {str_cat("bent", i)})[0];
    x = g.node("Sub", {bent, earlier}, {str_cat("sum", i)})[0];
    earlier = bent;
  }
  g.output(x);
  return g;
}

ValueId input_of_any_size(GraphBuilder& g, DType dtype) { return g.input("x", dtype, {-1}); }

}  // namespace

TEST(rebind, a_sum_of_no_elements_that_was_known_becomes_one_of_some) {
  GraphBuilder g;
  g.output(g.node("ReduceSum", {input_of_any_size(g, DType::kFloat32)}, {"y"},
                  {Attribute::of_int("keepdims", 0)})[0]);
  const Running running(g);
  for (int64_t count = 0; count < 40; ++count) {
    CHECK_EQ(running.run({ones(count)}).elements<float>()[0], static_cast<float>(count));
  }
  CHECK_EQ(running.remembered(), kFew);
}

TEST(rebind, a_shape_of_no_dims_that_was_known_becomes_one_of_some) {
  GraphBuilder g;
  g.output(g.node("ConstantOfShape", {input_of_any_size(g, DType::kInt64)}, {"y"})[0]);
  const Running running(g);
  for (const int64_t first : {0, 1}) {
    for (int64_t rank = 0; rank < 20; ++rank) {
      const Dims dims(static_cast<size_t>(rank + first), 1);
      const auto size = static_cast<int64_t>(dims.size());
      CHECK(running.run({Tensor::from<int64_t>({size}, dims)}).dims() == dims);
    }
  }
}

TEST(rebind, values_of_the_arena_become_larger_and_smaller) {
  GraphBuilder g = long_network(60), same = long_network(60);
  const Running running(g), bound_anew(same, 0);
  for (const int64_t count : {1, 7, 3, 50, 2, 0, 90, 4, 1, 33}) {
    const std::vector<Tensor> inputs = {rows(count, 3)};
    CHECK(same_bits({running.run(inputs)}, {bound_anew.run(inputs)}));
  }
  CHECK_EQ(running.remembered(), kFew);
}

TEST(rebind, for_other_sizes_takes_less_memory_of_the_system_than_a_value_each) {
  constexpr int kSteps = 600;
  GraphBuilder g = long_network(kSteps);
  const Running running(g);
  for (int64_t count = 1; count < 10; ++count) running.run({rows(count, 3)});
  const Tensor input = rows(20, 3);
  fail_allocations(LONG_MAX - 1, LONG_MAX - 1);
  running.run({input});
  stop_failing_allocations();
  CHECK(counted_allocations() < kSteps / 4);
}

TEST(rebind, a_sum_no_longer_lies_where_an_operand_lay_that_has_fewer_rows) {
  const auto sums = [](GraphBuilder& g) {
    const ValueId x = g.input("x", DType::kFloat32, {-1, 8});
    const ValueId y = g.input("y", DType::kFloat32, {8, -1});
    const ValueId left = g.node("Tanh", {x}, {"left"})[0];
    const ValueId right = g.node("Transpose", {y}, {"right"})[0];
    const ValueId sum = g.node("Add", {left, right}, {"sum"})[0];
    g.output(g.node("Softmax", {sum}, {"z"})[0]);
  };
  GraphBuilder g, same;
  sums(g);
  sums(same);
  const Running running(g, 1), bound_anew(same, 0);
  for (const auto& [left, right] : std::vector<std::pair<int64_t, int64_t>>{
           {1, 1}, {1, 5}, {5, 1}, {1, 1}, {6, 1}, {6, 6}, {1, 6}, {3, 3}, {0, 1}, {1, 0}}) {
    const std::vector<Tensor> inputs = {
        rows(left, 1),
        Tensor::from<float>({8, right}, random_numbers(8 * static_cast<size_t>(right), 2))};
    CHECK(same_bits({running.run(inputs)}, {bound_anew.run(inputs)}));
  }
}

TEST(rebind, keeps_16_shapes_of_one_that_grows_and_64_of_such_that_come_back) {
  const auto most = ExecutorContext().binding_count_max;
  GraphBuilder g = long_network(30);
  const Running growing(g, most);
  for (int64_t count = 1; count <= 80; ++count) growing.run({rows(count, 3)});
  CHECK_EQ(growing.remembered(), 16u);
  const auto kept = [&](int64_t shapes, int step_count) {
    GraphBuilder network = long_network(step_count);
    const Running running(network, most);
    for (int64_t i = 0; i < 3 * shapes; ++i) running.run({rows(1 + i % shapes, 3)});
    return running.remembered();
  };
  CHECK_EQ(kept(17, 30), 17u);
  CHECK_EQ(kept(64, 30), 64u);
  const size_t of_thousands_of_steps = kept(64, 9000);
  CHECK(of_thousands_of_steps >= 16 && of_thousands_of_steps <= 20);
}
