// SPDX-License-Identifier: MIT
// Results out of a pool: used again, with room to grow, alive after the pool's owner.
#include "core/run/pooled_tensors.h"

#include <cstring>
#include <thread>

#include "tests/support/test.h"

using namespace ortc;

namespace {

constexpr int64_t kMany = static_cast<int64_t>(kPooledBytes) / 4;

Tensor make(const TensorMaker& maker, int64_t count, DType dtype = DType::kFloat32) {
  const int64_t dims[] = {2, count};
  auto made = maker(dtype, dims);
  CHECK_OK(made);
  Tensor tensor = std::move(made).value();
  CHECK_EQ(tensor.element_count(), 2 * count);
  CHECK(dtype == DType::kString || reinterpret_cast<uintptr_t>(tensor.data()) % 64 == 0);
  if (dtype == DType::kFloat32) std::memset(tensor.mutable_data(), 1, tensor.byte_size());
  return tensor;
}

}  // namespace

TEST(pooled_tensors, lie_where_results_of_an_earlier_run_lay) {
  const TensorMaker maker = tensors_of(std::make_shared<ArenaPool>());
  const void *first, *second;
  {
    const Tensor a = make(maker, kMany), b = make(maker, kMany);
    first = a.data();
    second = b.data();
    CHECK(first != second);
  }
  const Tensor a = make(maker, kMany), b = make(maker, kMany);
  CHECK(a.data() == first || a.data() == second);
  CHECK(b.data() == first || b.data() == second);
  CHECK(a.data() != b.data());
}

TEST(pooled_tensors, that_grow_from_run_to_run_mostly_stay) {
  auto pool = std::make_shared<ArenaPool>();
  const TensorMaker maker = tensors_of(pool);
  int moves = 0;
  const void* last = nullptr;
  for (int64_t past = 1024; past < 2048; ++past) {
    const Tensor cache = make(maker, past * 64);
    moves += cache.data() != last ? 1 : 0;
    last = cache.data();
  }
  CHECK(moves <= 10);
  CHECK(pool->total_bytes() < 2048 * 128 * 4 * 9 / 8 + 8192);
}

TEST(pooled_tensors, outlive_whoever_had_the_pool) {
  auto pool = std::make_shared<ArenaPool>();
  const std::weak_ptr<ArenaPool> watched = pool;
  Tensor tensor = make(tensors_of(std::move(pool)), kMany);
  CHECK(!watched.expired());
  Tensor copy = tensor;
  tensor = Tensor();
  CHECK_EQ(static_cast<const uint8_t*>(copy.data())[copy.byte_size() - 1], 1u);
  std::thread([last = std::move(copy)]() mutable { last = Tensor(); }).join();
  CHECK(watched.expired());
}

TEST(pooled_tensors, of_a_long_list_that_is_dropped_give_their_memory_back) {
  auto pool = std::make_shared<ArenaPool>();
  const TensorMaker maker = tensors_of(pool);
  const int64_t dims[] = {static_cast<int64_t>(kUnusedBytesMost / 4)};  // bytes, never written
  std::vector<Tensor> list;
  for (int i = 0; i < 6; ++i) list.push_back(maker(DType::kUint8, dims).value());
  CHECK(pool->total_bytes() > kUnusedBytesMost);
  list.clear();
  CHECK(pool->total_bytes() > 0);
  CHECK(pool->total_bytes() <= kUnusedBytesMost);
}

TEST(pooled_tensors, of_a_pool_that_keeps_nothing_go_back_at_once) {
  auto pool = std::make_shared<ArenaPool>(/*keeps_memory=*/false);
  { const Tensor tensor = make(tensors_of(pool), kMany); }
  CHECK_EQ(pool->total_bytes(), 0u);
}

TEST(pooled_tensors, leave_small_ones_and_strings_to_the_heap) {
  auto pool = std::make_shared<ArenaPool>();
  const TensorMaker maker = tensors_of(pool);
  const Tensor small = make(maker, 16), strings = make(maker, kMany, DType::kString);
  const Tensor nibbles = make(maker, 4 * kMany, DType::kUint4);
  CHECK_EQ(pool->total_bytes(), 0u);
  CHECK_EQ(static_cast<const uint8_t*>(nibbles.data())[nibbles.byte_size() - 1], 0u);
}

TEST(pooled_tensors, have_a_size_that_memory_can_have) {
  const TensorMaker maker = tensors_of(std::make_shared<ArenaPool>());
  const int64_t vast[] = {INT64_MAX / 8, 1}, none[] = {INT64_MAX, INT64_MAX};
  CHECK_CODE(maker(DType::kFloat64, none), Code::kInvalidArgument);
  CHECK_CODE(maker(DType::kFloat64, vast), Code::kFail);
}
