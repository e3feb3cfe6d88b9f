// SPDX-License-Identifier: MIT
// Turned matrices against plain loops. The bytes are random: special numbers move like any others.
#include "providers/cpu/arith/turn/turn.h"

#include <utility>

#include "tests/providers/cpu/arith/numerics.h"

namespace ortc::cpu {
namespace {

using Bytes = std::vector<unsigned char>;

struct Gaps {
  size_t from = 3, to = 5;
};

// `shift` bytes in front, so that elements lie anywhere; `gaps` elements between the rows.
void check_turn(TurnKernels::Turn turn, size_t size, size_t rows, size_t columns, size_t shift,
                const Gaps& gaps = {}) {
  const size_t from_ld = columns + gaps.from, to_ld = rows + gaps.to;
  testing::Random random(rows * 71 + columns);
  Bytes from(shift + rows * from_ld * size), to(shift + columns * to_ld * size, 0xA5);
  for (unsigned char& byte : from) byte = static_cast<unsigned char>(random.next());
  Bytes exact = to;
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) {
      std::memcpy(&exact[shift + (j * to_ld + i) * size], &from[shift + (i * from_ld + j) * size],
                  size);
    }
  }
  turn(from.data() + shift, from_ld, to.data() + shift, to_ld, rows, columns);
  CHECK(to == exact);
}

TEST(turn, gives_the_matrix_with_rows_and_columns_exchanged_at_any_size) {
  for (Isa isa : testing::runnable_isas()) {
    const TurnKernels& k = turn_kernels(isa);
    for (size_t rows = 1; rows <= testing::kLargestSize; ++rows) {
      for (size_t columns = 1; columns <= testing::kLargestSize; ++columns) {
        check_turn(k.bytes1, 1, rows, columns, 0);
        check_turn(k.bytes2, 2, rows, columns, 2);
        check_turn(k.bytes4, 4, rows, columns, 4);
        check_turn(k.bytes8, 8, rows, columns, 8);
        check_turn(k.bytes16, 16, rows, columns, 8);
      }
    }
  }
}

// Pixels of a few channels, with gaps on one side, on the other, or none.
TEST(turn, takes_pixels_apart_and_puts_them_together) {
  for (Isa isa : testing::runnable_isas()) {
    const TurnKernels& k = turn_kernels(isa);
    for (const Gaps& gaps : {Gaps{0, 0}, Gaps{0, 7}, Gaps{2, 0}}) {
      for (size_t few = 1; few <= 5; ++few) {
        for (size_t many = 1; many <= 2 * testing::kLargestSize; ++many) {
          for (const auto& [rows, columns] : {std::pair(few, many), std::pair(many, few)}) {
            check_turn(k.bytes1, 1, rows, columns, 1, gaps);
            check_turn(k.bytes2, 2, rows, columns, 2, gaps);
            check_turn(k.bytes4, 4, rows, columns, 4, gaps);
          }
        }
      }
    }
  }
}

TEST(turn, needs_no_alignment_but_that_of_floats) {
  for (Isa isa : testing::runnable_isas()) {
    const TurnKernels& k = turn_kernels(isa);
    for (size_t shift : {1, 3}) {
      check_turn(k.bytes2, 2, 21, 37, shift);
      check_turn(k.bytes8, 8, 21, 37, shift);
      check_turn(k.bytes16, 16, 21, 37, shift);
    }
  }
}

TEST(turn, of_nothing_writes_nothing) {
  for (Isa isa : testing::runnable_isas()) {
    const TurnKernels& k = turn_kernels(isa);
    for (TurnKernels::Turn turn : {k.bytes1, k.bytes2, k.bytes4, k.bytes8, k.bytes16}) {
      turn(nullptr, 1, nullptr, 1, 0, 0);
      turn(nullptr, 1, nullptr, 1, 0, 5);
    }
  }
}

}  // namespace
}  // namespace ortc::cpu
