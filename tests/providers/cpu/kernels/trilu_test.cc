// SPDX-License-Identifier: MIT
// Trilu against plain loops.
#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

TEST(trilu, clears_rows_of_any_length) {
  Random random(34);
  for (const int64_t matrices : {2, 5})
    for (const DType dtype :
         {DType::kUint8, DType::kFloat16, DType::kFloat32, DType::kInt64, DType::kComplex128}) {
      for (const int64_t columns : {1, 2, 3, 5, 8, 9, 17, 33, 67, 300}) {
        const Tensor x = random.bytes(dtype, {matrices, 7, columns});
        for (const int64_t upper : {0, 1}) {
          const int64_t k = upper != 0 ? 2 : columns - 5;
          const Tensor y = run_one({"Trilu", 14, {Attribute::of_int("upper", upper)}},
                                   {x, Tensor::scalar<int64_t>(k)});
          const auto bytes = static_cast<size_t>(dtype_bits(dtype) / 8);
          const auto *from = static_cast<const uint8_t*>(x.data()),
                     *to = static_cast<const uint8_t*>(y.data());
          for (int64_t i = 0; i < x.element_count(); ++i) {
            const int64_t row = i / columns % 7, column = i % columns;
            const bool stays = upper != 0 ? column >= row + k : column <= row + k;
            for (size_t b = size_t(i) * bytes; b < (size_t(i) + 1) * bytes; ++b) {
              CHECK_EQ(int{to[b]}, stays ? int{from[b]} : 0);
            }
          }
        }
      }
    }
}

// Of more rows than columns, which the diagonal leaves whole, and of many small ones.
TEST(trilu, agrees_with_plain_loops_wherever_the_diagonal_is) {
  Random random(35);
  for (const Dims& dims :
       std::vector<Dims>{{3, 20, 3}, {2, 30, 1}, {50, 1, 1}, {3, 1, 20}, {9, 2, 3}}) {
    const int64_t rows = dims[1], columns = dims[2];
    for (int64_t k = -rows - 2; k <= columns + 2; ++k) {
      const Tensor x = random.bytes(DType::kInt32, dims);
      for (const int64_t upper : {0, 1}) {
        const Tensor y = run_one({"Trilu", 14, {Attribute::of_int("upper", upper)}},
                                 {x, Tensor::scalar<int64_t>(k)});
        for (int64_t i = 0; i < x.element_count(); ++i) {
          const int64_t row = i / columns % rows, column = i % columns;
          const bool stays = upper != 0 ? column >= row + k : column <= row + k;
          const int32_t expected = stays ? x.elements<int32_t>()[size_t(i)] : 0;
          CHECK_EQ(y.elements<int32_t>()[size_t(i)], expected);
        }
      }
    }
  }
}

}  // namespace
}  // namespace ortc::test
