// SPDX-License-Identifier: MIT
// Rows for the left of products, against plain loops.
#include "providers/cpu/products/product_i8.h"

#include "tests/providers/cpu/arith/arith_testing.h"
#include "tests/support/test.h"

namespace ortc::cpu {
namespace {

TEST(product_i8, left_rows_become_whole_quads_of_unsigned_numbers) {
  testing::Random random(3);
  for (const Isa isa : testing::runnable_isas()) {
    for (const DType dtype : {DType::kUint8, DType::kInt8}) {
      for (size_t k = 0; k <= 67; ++k) {
        constexpr size_t kRows = 3;
        const size_t width = (k + 3) / 4 * 4;
        std::vector<uint8_t> x(kRows * k), y(kRows * width + 1, 99);
        for (uint8_t& v : x) v = static_cast<uint8_t>(random.next());
        copy_left_rows(isa, dtype, x.data(), kRows, static_cast<int64_t>(k), y.data());
        for (size_t i = 0; i < kRows * width; ++i) {
          const size_t row = i / width, column = i % width;
          const int flip = dtype == DType::kInt8 ? 0x80 : 0;
          CHECK_EQ(int{y[i]}, column < k ? x[row * k + column] ^ flip : 0);
        }
        CHECK_EQ(int{y[kRows * width]}, 99);
      }
    }
  }
}

}  // namespace
}  // namespace ortc::cpu
