// SPDX-License-Identifier: MIT
// The scratch of batched products: one that was planned for the most keys serves fewer.
#include "providers/cpu/kernels/attention/head_products.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::cpu;

namespace {

uint64_t exact(const HeadSizes& sizes, int threads) {
  return std::max(product_scratch(score_product(sizes), threads).value(),
                  product_scratch(value_product(sizes), threads).value());
}

}  // namespace

TEST(product_scratch, for_the_most_keys_is_enough_for_fewer) {
  for (const int threads : {1, 2, 4, 16}) {
    for (const HeadSizes& most :
         {HeadSizes{2, 1100, 1100, 128, 128}, HeadSizes{8, 9, 857, 256, 256},
          HeadSizes{2, 4, 3000, 128, 64}, HeadSizes{1, 40, 2077, 512, 512},
          HeadSizes{3, 100, 64, 3, 7}, HeadSizes{1, 12, 5000, 4000, 1}}) {
      const auto room = static_cast<uint64_t>(head_product_scratch(most, threads));
      for (int64_t keys = 1; keys <= most.keys; ++keys) {
        for (const int64_t heads : {int64_t{1}, most.heads}) {
          CHECK(exact({heads, most.rows, keys, most.size, most.value_size}, threads) <= room);
        }
      }
    }
  }
}

TEST(product_scratch, for_the_most_rows_is_enough_for_fewer) {
  for (const int threads : {1, 4}) {
    for (const auto& [k, n] : {std::pair<int64_t, int64_t>{1024, 2048}, {2048, 64}, {96, 5000}}) {
      BatchedProduct p;
      p.k = k, p.n = n, p.m = 2000, p.trans_b = true;
      const uint64_t room = product_scratch_up_to(p, threads).value();
      for (; p.m > 0; --p.m) CHECK(product_scratch(p, threads).value() <= room);
    }
  }
}

TEST(product_scratch, that_nobody_could_have_is_none) {
  BatchedProduct p;
  p.m = p.k = p.n = INT64_MAX / 2;
  CHECK(!product_scratch(p, 1).has_value());
  CHECK(!product_scratch_up_to(p, 1).has_value());
  p.k = 0;
  CHECK_EQ(product_scratch_up_to(p, 1).value(), 0u);
}
