// SPDX-License-Identifier: MIT
// Rows as they come: all in their order, and texts without more of them than there are.
#include "core/run/row_stack.h"

#include <climits>

#include "tests/support/failing_allocations.h"
#include "tests/support/test.h"

using namespace ortc;

namespace {

constexpr int64_t kRows = 100;

std::string text(int64_t i) { return std::string(1000, static_cast<char>('a' + i % 26)); }

Result<MadeValue> stack_of_texts(ArenaPool& arenas, const std::vector<Tensor>& rows,
                                 int64_t expected) {
  RowStack stack;
  for (const Tensor& row : rows) CHECK_OK(stack.append(arenas, ref_to(row), expected));
  return stack.finish(arenas);
}

}  // namespace

TEST(row_stack, of_texts_makes_each_once) {
  ArenaPool arenas;
  std::vector<Tensor> rows;
  for (int64_t i = 0; i < kRows; ++i) rows.push_back(Tensor::strings({1}, {text(i)}));
  for (const int64_t expected : {kRows, INT64_MAX}) {
    watch_bytes();
    fail_allocations(LONG_MAX - 1, LONG_MAX - 1);
    const auto made = stack_of_texts(arenas, rows, expected);
    stop_failing_allocations();
    const long allocations = counted_allocations(), bytes = peak_bytes();
    CHECK_OK(made);
    const ValueRef all = made->ref();
    CHECK_EQ(all.rank, 2u);
    CHECK_EQ(all.dim(0), kRows);
    for (int64_t i = 0; i < kRows; ++i) {
      CHECK(static_cast<const std::string*>(all.data)[i] == text(i));
    }
    if (is_sanitized()) continue;
    CHECK(allocations < 2 * kRows);
    CHECK(bytes < 2 * kRows * 1000);
  }
}

TEST(row_stack, of_numbers_keeps_their_order) {
  ArenaPool arenas;
  RowStack stack;
  for (int64_t i = 0; i < 50'000; ++i) {
    const Tensor row = Tensor::from<int64_t>({3}, std::vector<int64_t>{i, -i, 7});
    CHECK_OK(stack.append(arenas, ref_to(row), INT64_MAX));
  }
  const auto made = stack.finish(arenas);
  CHECK_OK(made);
  const auto* numbers = static_cast<const int64_t*>(made->ref().data);
  CHECK_EQ(made->ref().dim(0), 50'000);
  for (int64_t i = 0; i < 50'000; ++i) CHECK(numbers[3 * i] == i && numbers[3 * i + 1] == -i);
}
