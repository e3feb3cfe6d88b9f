// SPDX-License-Identifier: MIT
// How reductions are divided into stretches.
#include "providers/cpu/kernels/math/reduce_loops.h"

namespace ortc::cpu {

void divide_stretches(const RunContext& ctx, const ReduceLoops& loops, const StretchWork& work) {
  const int64_t per_output = std::max<int64_t>(loops.reduced.count, 1);
  const bool are_small = loops.keeps_innermost() || loops.joins_short_rows();
  const int64_t stride = loops.kept.inner_stride(0);
  const int64_t grain = std::max<int64_t>(are_small ? 16 : 1, kElementGrain / per_output);
  const int64_t step = are_small || loops.joins_rows() ? kColumns : 1;
  ctx.parallel_for(loops.kept.count, grain, [&](int64_t begin, int64_t end) {
    for_each_row(loops.kept, begin, end, [&](int64_t at, const auto& offsets, int64_t n) {
      for (int64_t i = 0; i < n; i += step) {
        work(at + i, offsets[0] + i * stride, std::min(step, n - i));
      }
    });
  });
}

}  // namespace ortc::cpu
