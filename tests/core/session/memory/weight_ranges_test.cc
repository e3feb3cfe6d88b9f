// SPDX-License-Identifier: MIT
// The order in which a run meets its weights, wherever they lie.
#include "core/session/memory/weight_ranges.h"

#include "tests/core/plan/plan_samples.h"

using namespace ortc;
using namespace ortc::test;

namespace {

constexpr int kSteps = 5;
constexpr size_t kTensorRoom = 4096;  // more than any tensor of the chain

std::shared_ptr<const Plan> plan_over(const Sample& sample, std::vector<Blob> tensors) {
  auto plan = Plan::open(sample.plan.image, std::move(tensors), cpu::lowering_rules().kernels);
  CHECK_OK(plan);
  return std::move(plan).value();
}

Sample products_in_a_row() {
  GraphBuilder g;
  ValueId last = g.input("x", DType::kFloat32, {2, 8});
  for (int i = 0; i < kSteps; ++i) {
    const ValueId weight = g.random_floats(str_cat("w", i), {8, 8}, static_cast<unsigned>(i + 1));
    last = g.node("MatMul", {last, weight}, {str_cat("y", i)})[0];
  }
  g.output(last);
  g.infer();
  return lowered(g.graph(), {});
}

// Copies of the tensors, the last one first.
std::vector<Blob> backwards(const Sample& sample, Tensor& room) {
  const size_t count = sample.tensors.size();
  room = Tensor::create(DType::kUint8, {static_cast<int64_t>(count * kTensorRoom)}).value();
  std::vector<Blob> tensors;
  for (size_t i = 0; i < count; ++i) {
    const Bytes from = sample.tensors[i].bytes();
    CHECK(from.size() < kTensorRoom);
    std::byte* to = static_cast<std::byte*>(room.mutable_data()) + (count - 1 - i) * kTensorRoom;
    std::memcpy(to, from.data(), from.size());
    tensors.emplace_back(Bytes(to, from.size()), room.owner());
  }
  return tensors;
}

}  // namespace

TEST(weight_ranges, come_in_the_order_of_the_steps_and_not_of_their_places) {
  const Sample sample = products_in_a_row();
  Tensor room;
  const auto plan = plan_over(sample, backwards(sample, room));
  const std::vector<Bytes> ranges = weights_in_order(*plan, {});
  std::vector<std::string_view> names;
  for (const Bytes range : ranges) {
    for (uint32_t i = 0; i < plan->tensor_count(); ++i) {
      if (plan->tensor_bytes(i).data() == range.data())
        names.push_back(plan->text(plan->tensor(i).name));
    }
  }
  size_t found = 0;
  for (const std::string_view name : names) {
    if (name.starts_with(str_cat("w", found))) ++found;
  }
  CHECK_EQ(found, size_t{kSteps});
}

TEST(weight_ranges, have_every_tensor_once_and_neighbours_as_one) {
  for (const Sample& sample : {products_in_a_row(), network(), convolutions(), scan()}) {
    const auto plan = plan_over(sample, sample.tensors);
    ByteRanges tensors;
    for (const Blob& tensor : sample.tensors) tensors.push_back(tensor.bytes());
    const std::vector<Bytes> ranges = weights_in_order(*plan, {});
    CHECK_EQ(total_bytes(ranges), total_bytes(tensors));
    CHECK_EQ(total_bytes(united(ranges)), total_bytes(united(tensors)));
    // The same plan as something that is called adds nothing.
    const std::shared_ptr<const Plan> callees[] = {plan, nullptr};
    CHECK_EQ(weights_in_order(*plan, callees).size(), ranges.size());
  }
  const Sample sample = products_in_a_row();
  std::vector<Blob> side_by_side;
  size_t size = 0;
  for (const Blob& tensor : sample.tensors) size += tensor.size();
  Tensor whole = Tensor::create(DType::kUint8, {static_cast<int64_t>(size)}).value();
  size_t place = 0;
  for (const Blob& tensor : sample.tensors) {
    side_by_side.emplace_back(whole.bytes().subspan(place, tensor.size()), whole.owner());
    place += tensor.size();
  }
  CHECK_EQ(weights_in_order(*plan_over(sample, side_by_side), {}).size(), 1u);
}
