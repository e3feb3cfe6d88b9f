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

// What stays of rows of matrices.
struct Triangle {
  bool is_upper;
  int64_t rows, columns, k, bytes;  // of an element

  // f(bytes before what stays, bytes up to its end)
  template <typename F>
  void row(int64_t row, F&& f) const {
    const int64_t diagonal = row + k;
    const int64_t first = is_upper ? std::clamp<int64_t>(diagonal, 0, columns) : 0;
    const int64_t last = is_upper ? columns : std::clamp<int64_t>(diagonal + 1, 0, columns);
    f(first * bytes, last * bytes);
  }
  // The rows between those that the diagonal does not reach, of which all or nothing stays.
  int64_t first_cut() const { return std::clamp<int64_t>((is_upper ? 1 : 0) - k, 0, rows); }
  int64_t last_cut() const {
    return std::clamp<int64_t>(columns - (is_upper ? 0 : 1) - k, first_cut(), rows);
  }
};

// Small matrices, by a mask for all of them, or for as many as are worth a loop.
constexpr int64_t kSmallMatrix = 8192, kWorthLoop = 512;
void mask_matrices(const Triangle& triangle, const uint8_t* x, uint8_t* y, int64_t count) {
  uint8_t mask[kSmallMatrix];
  const int64_t row_bytes = triangle.columns * triangle.bytes, size = triangle.rows * row_bytes;
  std::memset(mask, 0, static_cast<size_t>(size));
  for (int64_t row = 0; row < triangle.rows; ++row) {
    triangle.row(row, [&](int64_t first, int64_t last) {
      if (first < last) {
        std::memset(mask + row * row_bytes + first, 0xFF, static_cast<size_t>(last - first));
      }
    });
  }
  int64_t masked = size, left = count * size;
  for (; masked < kWorthLoop && masked < left; masked += size) {
    std::memcpy(mask + masked, mask, static_cast<size_t>(size));
  }
  for (; left > 0; left -= masked, x += masked, y += masked) {
    const int64_t n = std::min(masked, left);
    ORTC_ELEMENTWISE
    for (int64_t i = 0; i < n; ++i) y[i] = x[i] & mask[i];
  }
}

// Rows that the diagonal cuts.
void copy_cut_rows(const Triangle& triangle, const std::byte* x, std::byte* y, int64_t begin,
                   int64_t end) {
  const int64_t row_bytes = triangle.columns * triangle.bytes;
  const bool is_short = row_bytes <= kShortRow;
  if (is_short) {
    std::memcpy(y + begin * row_bytes, x + begin * row_bytes,
                static_cast<size_t>((end - begin) * row_bytes));
  }
  for (int64_t row = begin; row < end; ++row) {
    const std::byte* from = x + row * row_bytes;
    std::byte* to = y + row * row_bytes;
    triangle.row(row % triangle.rows, [&](int64_t first, int64_t last) {
      clear(to, first);
      clear(to + last, row_bytes - last);
      if (!is_short) std::memcpy(to + first, from + first, static_cast<size_t>(last - first));
    });
  }
}

void copy_rows(const Triangle& triangle, const std::byte* x, std::byte* y, int64_t begin,
               int64_t end) {
  const int64_t row_bytes = triangle.columns * triangle.bytes;
  const auto whole_rows = [&](bool stay, int64_t first, int64_t last) {
    if (first >= last) return;
    const auto bytes = static_cast<size_t>((last - first) * row_bytes);
    std::byte* to = y + first * row_bytes;
    stay ? std::memcpy(to, x + first * row_bytes, bytes) : std::memset(to, 0, bytes);
  };
  while (begin < end) {
    const int64_t matrix = begin - begin % triangle.rows;
    const int64_t stop = std::min(end, matrix + triangle.rows);
    const int64_t cut = std::clamp(matrix + triangle.first_cut(), begin, stop);
    const int64_t uncut = std::clamp(matrix + triangle.last_cut(), begin, stop);
    whole_rows(triangle.is_upper, begin, cut);
    copy_cut_rows(triangle, x, y, cut, uncut);
    whole_rows(!triangle.is_upper, uncut, stop);
    begin = stop;
  }
}

Status run_trilu(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  if (x.element_count() == 0) return Status::ok();
  const int64_t rows = x.dim(x.rank - 2), columns = x.dim(x.rank - 1);
  int64_t k = 0;
  if (ctx.has_input(1)) {
    ASSIGN_OR_RETURN(k, read_int(ctx.input(1), "k"));
  }
  const Triangle triangle{ctx.params<TriluParams>().upper != 0, rows, columns,
                          std::clamp<int64_t>(k, -rows - 1, columns + 1),
                          static_cast<int64_t>(element_bytes(x.dtype))};
  const int64_t matrix = rows * columns, count = x.element_count() / matrix;
  const int64_t size = matrix * triangle.bytes;
  const auto grain = [](int64_t elements) {
    return std::max<int64_t>(1, kElementGrain / elements);
  };
  const auto* from = x.as<std::byte>();
  auto* y = ctx.output(0).as_mutable<std::byte>();
  if (count >= 4 && size <= kSmallMatrix) {
    ctx.parallel_for(count, grain(matrix), [&](int64_t begin, int64_t end) {
      mask_matrices(triangle, reinterpret_cast<const uint8_t*>(from) + begin * size,
                    reinterpret_cast<uint8_t*>(y) + begin * size, end - begin);
    });
    return Status::ok();
  }
  ctx.parallel_for(count * rows, grain(columns),
                   [&](int64_t begin, int64_t end) { copy_rows(triangle, from, y, begin, end); });
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
