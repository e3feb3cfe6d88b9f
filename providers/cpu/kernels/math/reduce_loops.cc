// SPDX-License-Identifier: MIT
// How reductions are divided into stretches.
#include "providers/cpu/kernels/math/reduce_loops.h"

namespace ortc::cpu {

namespace {

// Outputs that a thread takes at a time. Of columns not only a few, as long as every thread has
// some: a narrow strip of a matrix is read a line of the cache from each page.
int64_t grain_of(const RunContext& ctx, const ReduceLoops& loops) {
  constexpr int64_t kLine = 16, kWide = 256;
  const int64_t enough = kElementGrain / std::max<int64_t>(loops.reduced.count, 1);
  if (loops.joins_short_rows()) return std::max(kLine, enough);
  const int64_t threads = std::max(ctx.thread_count(), 1), share = loops.kept.count / threads;
  if (loops.joins_groups()) return std::max({int64_t{1}, enough, share});
  if (!loops.keeps_innermost()) return std::max<int64_t>(1, enough);
  const int64_t columns = threads == 1 ? share : std::max(std::min(share, kWide), share / 4);
  return std::max(enough, columns / kLine * kLine + kLine);
}

void divide_narrow(const RunContext& ctx, const ReduceLoops& loops, const StretchWork& work) {
  const int64_t inner = loops.kept.inner_size(), most = kColumns / inner;
  const int64_t cost = std::max<int64_t>(1, loops.reduced.count) * inner;
  const int64_t grain = std::max<int64_t>(1, kElementGrain / cost);
  ctx.parallel_for(loops.kept.count / inner, grain, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; block += most) {
      work(block * inner, block * loops.kept.strides[0][0], std::min(most, end - block) * inner);
    }
  });
}

}  // namespace

void divide_stretches(const RunContext& ctx, const ReduceLoops& loops, const StretchWork& work) {
  if (loops.is_narrow()) return divide_narrow(ctx, loops, work);
  const int64_t stride = loops.kept.inner_stride(0);
  const int64_t step = loops.joins_groups() ? kColumns / loops.group() : kColumns;
  ctx.parallel_for(loops.kept.count, grain_of(ctx, loops), [&](int64_t begin, int64_t end) {
    for_each_row(loops.kept, begin, end, [&](int64_t at, const auto& offsets, int64_t n) {
      for (int64_t i = 0; i < n; i += step) {
        work(at + i, offsets[0] + i * stride, std::min(step, n - i));
      }
    });
  });
}

}  // namespace ortc::cpu
