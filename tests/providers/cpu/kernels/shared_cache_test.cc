// SPDX-License-Identifier: MIT
// Keys in a buffer that is past and present: what is added, what stays, whose rows beams read.
#include "providers/cpu/kernels/attention/shared_cache.h"

#include "tests/support/test.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kHeads = 2, kRoom = 5, kSize = 3;

// A number that tells sequence, head and row of an element.
float mark(int64_t b, int64_t h, int64_t k) { return static_cast<float>(100 * b + 10 * h + k); }

std::vector<float> buffer_of(const SharedCache& c) {
  std::vector<float> buffer;
  for (int64_t b = 0; b < c.batch; ++b)
    for (int64_t h = 0; h < c.heads; ++h)
      for (int64_t k = 0; k < c.room; ++k) buffer.insert(buffer.end(), kSize, mark(b, h, k));
  return buffer;
}

struct CacheResult {
  std::vector<float> present, rows;
};

// New rows are minus the marks of the places where they go.
CacheResult extend(const SharedCache& c, bool in_place, const ValueRef& beams, int threads) {
  std::vector<float> added;
  for (int64_t b = 0; b < c.batch; ++b)
    for (int64_t t = 0; t < c.added; ++t)
      for (int64_t h = 0; h < c.heads; ++h)
        added.insert(added.end(), kSize, -mark(b, h, c.used + t));
  std::vector<float> past = buffer_of(c);
  CacheResult result{
      std::vector<float>(past.size(), -1000.0f),
      std::vector<float>(static_cast<size_t>(c.batch * c.heads * c.rows() * c.size))};
  ThreadPool pool({.thread_count = threads});
  const RunContext::Host host{&pool, Isa::kGeneric};
  const RunContext ctx({}, {}, {}, nullptr, host);
  float* present = in_place ? past.data() : result.present.data();
  extend_shared_cache(
      ctx, c, {past.data(), present, {added.data(), c.heads * c.size, c.size, nullptr}, beams},
      result.rows.data());
  if (in_place) result.present = past;
  return result;
}

void check(const SharedCache& c, const std::vector<int32_t>& beams) {
  const Dims dims = {1, c.batch, kRoom};
  ValueRef indirection;
  if (!beams.empty()) {
    indirection.dtype = DType::kInt32;
    indirection.rank = 3;
    indirection.dim_data = dims.data();
    indirection.data = const_cast<int32_t*>(beams.data());
  }
  CHECK_OK(check_shared_cache(c, indirection));
  CHECK_OK(check_beams(c, indirection));
  for (const bool in_place : {true, false}) {
    for (const int threads : {1, 3}) {
      const CacheResult found = extend(c, in_place, indirection, threads);
      for (int64_t b = 0; b < c.batch; ++b)
        for (int64_t h = 0; h < c.heads; ++h)
          for (int64_t k = 0; k < c.room * kSize; ++k) {
            const int64_t row = k / kSize;
            const bool is_new = row >= c.used && row < c.rows();
            const auto at = static_cast<size_t>((b * c.heads + h) * c.room * kSize + k);
            CHECK_EQ(found.present[at], is_new ? -mark(b, h, row) : mark(b, h, row));
            if (row >= c.rows()) continue;
            const auto in_rows = static_cast<size_t>((b * c.heads + h) * c.rows() * kSize + k);
            const int64_t from =
                beams.empty() || is_new ? b : beams[static_cast<size_t>(b * kRoom + row)];
            CHECK_EQ(found.rows[in_rows], is_new ? -mark(b, h, row) : mark(from, h, row));
          }
    }
  }
}

TEST(shared_cache, gets_new_rows_behind_those_in_use) {
  for (const int64_t used : {0, 2, 4}) check({2, kHeads, kRoom, used, 1, kSize}, {});
  check({3, kHeads, kRoom, 1, 4, kSize}, {});
  check({1, kHeads, kRoom, 5, 0, kSize}, {});
}

TEST(shared_cache, lets_beams_read_the_rows_of_others) {
  check({3, kHeads, kRoom, 4, 1, kSize}, {1, 0, 2, 1, 9, 2, 2, 0, 1, 9, 0, 1, 2, 2, 9});
}

}  // namespace
}  // namespace ortc::cpu
