// SPDX-License-Identifier: MIT
// Sequences of tokens with padding behind them, and without (com.microsoft):
//
//   RemovePadding    rows of all tokens, where each stood, where sequences start, the longest one
//   RestorePadding   the rows at their places, zeros elsewhere
#include <algorithm>
#include <array>
#include <cstring>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/microsoft_kernels.h"

namespace ortc::cpu {
namespace {

constexpr TypeMask kFloats = FloatTypes::kMask;
constexpr TypeMask kCounts = mask_of(DType::kInt32);

Status bind_remove(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 2, 2, 4));
  RETURN_IF_ERROR(check_type(ctx, 0, kFloats));
  RETURN_IF_ERROR(check_type(ctx, 1, kCounts));
  const ValueRef &x = ctx.input(0), &counts = ctx.input(1);
  if (x.rank != 3 || counts.rank != 1 || counts.dim(0) != x.dim(0)) {
    return invalid_argument("tokens ", dims_to_string(x.dims()), " and counts ",
                            dims_to_string(counts.dims()), " do not fit each other");
  }
  return Status::ok();
}

Status bind_restore(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, kFloats));
  RETURN_IF_ERROR(check_type(ctx, 1, kCounts));
  const ValueRef &x = ctx.input(0), &places = ctx.input(1);
  if (x.rank != 2 || places.rank != 2 || x.dim(0) > places.element_count()) {
    return invalid_argument("tokens ", dims_to_string(x.dims()), " and offsets ",
                            dims_to_string(places.dims()), " do not fit each other");
  }
  return ctx.set_output(0, x.dtype, {places.dim(0), places.dim(1), x.dim(1)});
}

Status run_remove(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const auto* counts = ctx.input(1).as<int32_t>();
  const int64_t batch = x.dim(0), length = x.dim(1), hidden = x.dim(2);
  int64_t total = 0;
  int32_t longest = 0;
  for (int64_t b = 0; b < batch; ++b) {
    if (counts[b] < 0 || counts[b] > length) {
      return invalid_argument("sequence ", b, " has ", counts[b], " tokens of ", length);
    }
    total += counts[b];
    longest = std::max(longest, counts[b]);
  }
  RETURN_IF_ERROR(ctx.allocate_output(0, x.dtype, std::array<int64_t, 2>{total, hidden}));
  RETURN_IF_ERROR(ctx.allocate_output(1, DType::kInt32, std::array<int64_t, 2>{batch, length}));
  RETURN_IF_ERROR(ctx.allocate_output(2, DType::kInt32, std::array<int64_t, 1>{batch + 1}));
  RETURN_IF_ERROR(ctx.allocate_output(3, DType::kInt32, std::array<int64_t, 1>{1}));
  const size_t row = static_cast<size_t>(hidden) * element_bytes(x.dtype);
  auto* y = ctx.output(0).as_mutable<std::byte>();
  auto *places = ctx.output(1).as_mutable<int32_t>(), *starts = ctx.output(2).as_mutable<int32_t>();
  int64_t token = 0, padding = total;
  starts[0] = 0;
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t t = 0; t < length; ++t) {
      const int64_t from = b * length + t;
      int64_t& to = t < counts[b] ? token : padding;
      if (t < counts[b] && row > 0) {
        std::memcpy(y + static_cast<size_t>(to) * row,
                    x.as<std::byte>() + static_cast<size_t>(from) * row, row);
      }
      places[to++] = static_cast<int32_t>(from);
    }
    starts[b + 1] = static_cast<int32_t>(token);
  }
  ctx.output(3).as_mutable<int32_t>()[0] = longest;
  return Status::ok();
}

Status run_restore(RunContext& ctx) {
  const ValueRef &x = ctx.input(0), &y = ctx.output(0);
  const auto* places = ctx.input(1).as<int32_t>();
  const int64_t rows = ctx.input(1).element_count();
  const size_t row = static_cast<size_t>(x.dim(1)) * element_bytes(x.dtype);
  if (row == 0 || rows == 0) return Status::ok();
  std::memset(y.data, 0, static_cast<size_t>(rows) * row);
  for (int64_t i = 0; i < x.dim(0); ++i) {
    if (places[i] < 0 || places[i] >= rows) return index_out_of_range(places[i], rows);
    std::memcpy(y.as_mutable<std::byte>() + static_cast<size_t>(places[i]) * row,
                x.as<std::byte>() + static_cast<size_t>(i) * row, row);
  }
  return Status::ok();
}

}  // namespace

KernelTable token_padding_kernels() {
  static constexpr KernelRow rows[] = {
      {"RemovePadding", kMicrosoftDomain, 1, kLatestOpset, kFloats, "remove_padding", 1,
       kDataDependent, 0, prepare_nothing, bind_remove, run_remove},
      {"RestorePadding", kMicrosoftDomain, 1, kLatestOpset, kFloats, "restore_padding", 1, kNoFlags,
       0, prepare_nothing, bind_restore, run_restore},
  };
  return rows;
}

}  // namespace ortc::cpu
