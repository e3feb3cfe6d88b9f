// SPDX-License-Identifier: MIT
// Trilu, by element size: the upper or lower triangle of each matrix, zeros elsewhere. Diagonal k
// belongs to both.
#include <algorithm>
#include <cstring>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/text/string_moves.h"

namespace ortc::cpu {
namespace {

// --- Prepare.

struct TriluParams {
  uint32_t record_bytes;
  uint32_t upper;
};
static_assert(sizeof(TriluParams) == 8);

Status prepare_trilu(PrepareContext& ctx) {
  const bool upper = ctx.node().int_attribute("upper", 1) != 0;
  ctx.set_params(TriluParams{sizeof(TriluParams), upper ? 1u : 0u});
  return Status::ok();
}

// --- Bind.

Status bind_trilu(BindContext& ctx) {
  if (ctx.params<TriluParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, kByteTypes));
  RETURN_IF_ERROR(check_type(ctx, 1, mask_of(DType::kInt64)));
  if (ctx.input(0).rank < 2) {
    return invalid_argument("input has rank ", ctx.input(0).rank, ", expected at least 2");
  }
  return ctx.set_output(0, ctx.input(0).dtype, ctx.input(0).dims());
}

// --- Run.

constexpr int64_t kShortRow = 256;  // bytes of rows that are copied together, then cleared

// Of short rows: no more bytes than a call is worth.
void clear(std::byte* to, int64_t bytes) {
  if (bytes == 0) return;
  constexpr int64_t kWord = 8;
  if (bytes < kWord || bytes > 4 * kWord) {
    std::memset(to, 0, static_cast<size_t>(bytes));
    return;
  }
  std::byte* const end = to + bytes;
  for (; end - to > kWord; to += kWord) std::memset(to, 0, kWord);
  std::memset(end - kWord, 0, kWord);
}

Status run_trilu(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  if (x.element_count() == 0) return Status::ok();
  const bool upper = ctx.params<TriluParams>().upper != 0;
  const int64_t rows = x.dim(x.rank - 2), columns = x.dim(x.rank - 1);
  int64_t k = 0;
  if (ctx.has_input(1)) {
    ASSIGN_OR_RETURN(k, read_int(ctx.input(1), "k"));
  }
  k = std::clamp<int64_t>(k, -rows - 1, columns + 1);
  const auto bytes = static_cast<int64_t>(element_bytes(x.dtype));
  const int64_t row_bytes = columns * bytes;
  const auto* from = x.as<std::byte>();
  auto* y = ctx.output(0).as_mutable<std::byte>();
  const int64_t grain = std::max<int64_t>(1, kElementGrain / columns);
  ctx.parallel_for(x.element_count() / columns, grain, [&](int64_t begin, int64_t end) {
    const bool is_short = row_bytes <= kShortRow;
    if (is_short) {
      std::memcpy(y + begin * row_bytes, from + begin * row_bytes,
                  static_cast<size_t>((end - begin) * row_bytes));
    }
    for (int64_t row = begin; row < end; ++row) {
      // What stays is [first, last).
      const int64_t diagonal = row % rows + k;
      const int64_t first = upper ? std::clamp<int64_t>(diagonal, 0, columns) : 0;
      const int64_t last = upper ? columns : std::clamp<int64_t>(diagonal + 1, 0, columns);
      std::byte* to = y + row * row_bytes;
      clear(to, first * bytes);
      clear(to + last * bytes, (columns - last) * bytes);
      if (is_short) continue;
      std::memcpy(to + first * bytes, from + row * row_bytes + first * bytes,
                  static_cast<size_t>((last - first) * bytes));
    }
  });
  return Status::ok();
}

}  // namespace

KernelTable trilu_kernels() {
  static constexpr KernelRow rows[] = {
      {"Trilu", "", 14, kLatestOpset, kByteTypes, "trilu", 1, kNoFlags, 0, prepare_trilu,
       bind_trilu, run_trilu},
      {"Trilu", "", 14, kLatestOpset, kStrings, "trilu.string", 1, kNoFlags, 0, prepare_trilu,
       bind_strings<bind_trilu, 1>, run_strings<run_trilu>},
  };
  return rows;
}

}  // namespace ortc::cpu
