// SPDX-License-Identifier: MIT
// Shapes without elements whose other dims are larger than anybody counts: kernels end at once.
#include "tests/providers/cpu/kernels/node_case.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kMany = int64_t{1} << 40;

Tensor empty(Dims dims, DType dtype = DType::kFloat32) {
  return Tensor::create(dtype, std::move(dims)).value();
}
Tensor int64s(std::vector<int64_t> numbers) {
  return Tensor::from<int64_t>({static_cast<int64_t>(numbers.size())}, numbers);
}

void check(const testing::NodeCase& what, const std::vector<Tensor>& inputs, const Dims& dims) {
  for (const int threads : {1, 3}) {
    const auto outputs = testing::evaluate(what, inputs, threads, host_isa());
    CHECK_OK(outputs);
    CHECK_EQ((*outputs)[0].dims(), dims);
  }
}

Attribute axis(int64_t number) { return Attribute::of_int("axis", number); }

TEST(empty_shapes, are_moved_at_once) {
  check({"Split", "", 13, {axis(1)}, 2}, {empty({kMany, 4, 0})}, {kMany, 2, 0});
  check({"Split", "", 13, {axis(1)}, 2}, {empty({kMany, 0}), int64s({0, 0})}, {kMany, 0});
  Tensor two = Tensor::create(DType::kBool, {2}).value();
  std::memset(two.mutable_data(), 1, 2);
  for (const DType dtype : {DType::kFloat32, DType::kString}) {
    check({"Compress", "", 11, {axis(1)}}, {empty({kMany, 2, 0}, dtype), two}, {kMany, 2, 0});
    check({"Compress", "", 11, {axis(1)}}, {empty({kMany, 0}, dtype), two}, {kMany, 0});
    check({"Unique", "", 11, {axis(1)}, 4}, {empty({kMany, 2, 0}, dtype)}, {kMany, 1, 0});
  }
  const Dims cache = {1, kMany, 3, 0};
  check({"TensorScatter", "", 24}, {empty(cache), empty({1, kMany, 2, 0})}, cache);
  check({"TensorScatter", "", 24}, {empty({1, kMany, 0, 4}), empty({1, kMany, 0, 4})},
        {1, kMany, 0, 4});
}

TEST(empty_shapes, are_pooled_and_compared_at_once) {
  const std::string ms = "com.microsoft";
  check({"MaxpoolWithMask", ms, 1, {Attribute::of_ints("kernel_shape", {1, 2})}},
        {empty({1, kMany, 0, 5}), empty({1, 1, 0, 5}, DType::kInt32)}, {1, kMany, 0, 4});
  check({"CDist", ms, 1}, {empty({kMany, 0}), empty({0, 0})}, {kMany, 0});
  const Tensor scale = Tensor::scalar(1.0f);
  check({"QGlobalAveragePool", std::string(kInternalDomain), 1},
        {empty({kMany, 2, 4, 0}, DType::kUint8), scale, {}, scale}, {kMany, 1, 1, 0});
  check({"RotaryEmbedding", "", 23},
        {empty({2, kMany, 4, 0}), empty({8, 0}), empty({8, 0}),
         Tensor::from<int64_t>({2, 4}, std::vector<int64_t>(8))},
        {2, kMany, 4, 0});
}

}  // namespace
}  // namespace ortc::cpu
