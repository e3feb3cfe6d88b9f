// SPDX-License-Identifier: MIT
// ArgMax and ArgMin along one axis: the index of the first (or last) extreme element. A NaN counts
// as the extreme. Inputs are seen as [outer, axis, inner]; neighbouring columns go together.
#include <algorithm>

#include "providers/cpu/arith/plain_rows/plain_rows.h"
#include "providers/cpu/arith/turn/turn.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/bind/rows/order_row.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/convert.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu {
namespace {

// --- Arithmetic.

constexpr int64_t kColumns = 256;

// The index in one contiguous row: first the extreme is found, then where it stands.
template <bool kLargest, bool kLast, typename T>
int64_t arg_row(const T* x, int64_t size) {
  using C = Compute<T>;
  const C extreme = extreme_of_row<kLargest>(x, size);
  const auto stands_at = [&](int64_t i) {
    const C value = static_cast<C>(x[i]);
    return value == extreme || (value != value && extreme != extreme);
  };
  int64_t at = kLast ? size - 1 : 0;
  while (!stands_at(at)) at += kLast ? -1 : 1;
  return at;
}

// The same for the first extreme of floats, from one that is more extreme than all before to the
// next: a random row has few of them. Where there are many, the extreme of the rest comes first.
template <bool kLargest>
int64_t first_arg_row(const PlainRowsKernels& kernels, const float* x, int64_t size) {
  constexpr int kSteps = 24;
  const auto find = kLargest ? kernels.find_above : kernels.find_below;
  int64_t at = 0;
  for (int step = 0; step < kSteps; ++step) {
    if (x[at] != x[at]) return at;
    const auto left = static_cast<size_t>(size - at - 1);
    const size_t next = find(x + at + 1, left, x[at]);
    if (next == left) return at;
    at += 1 + static_cast<int64_t>(next);
  }
  return at + arg_row<kLargest, false>(x + at, size - at);
}

// y[0, n) for n <= kColumns neighbouring columns, whose elements lie `stride` apart.
template <bool kLargest, bool kLast, typename T>
void arg_columns(const T* x, int64_t stride, int64_t size, int64_t* y, int64_t n) {
  using C = Compute<T>;
  C best[kColumns];
  int32_t index[kColumns] = {};
  for (int64_t i = 0; i < n; ++i) best[i] = static_cast<C>(x[i]);
  for (int64_t at = 1; at < size; ++at) {
    const T* row = x + at * stride;
    for (int64_t i = 0; i < n; ++i) {
      const C value = static_cast<C>(row[i]);
      const bool beyond = kLargest ? value > best[i] : value < best[i];
      const bool is_nan = value != value;
      const bool is_open = best[i] == best[i];
      const bool takes =
          kLast ? is_nan | (is_open & (beyond | (value == best[i]))) : is_open & (beyond | is_nan);
      best[i] = takes ? value : best[i];
      index[i] = takes ? static_cast<int32_t>(at) : index[i];
    }
  }
  for (int64_t i = 0; i < n; ++i) y[i] = index[i];
}

// Blocks [size, inner] that are turned together, so that they are neighbouring columns; 0 where
// they are too large for it.
constexpr int64_t kTurned = 2048;
int64_t blocks_turned(int64_t size, int64_t inner) {
  constexpr int64_t kShort = 32, kNarrow = 12, kMost = 64;
  if (size > kShort || inner > kNarrow) return 0;
  return std::min({kTurned / (size * inner), kColumns / inner, kMost});
}

// What they are turned as: any number of T is one of this type. There is none for long integers.
template <typename T>
using TurnedAs = std::conditional_t<
    sizeof(T) <= 2 || std::is_same_v<T, float>, float,
    std::conditional_t<sizeof(T) == 4 || std::is_same_v<T, double>, double, void>>;

// x is converted first, unless it has the type.
template <bool kLargest, bool kLast, typename W>
[[gnu::noinline]] void arg_turned_blocks(Isa isa, const void* x, ConvertRow convert, int64_t size,
                                         int64_t inner, int64_t* y, int64_t n) {
  W converted[kTurned], turned[kTurned];
  int64_t places[kColumns];
  const auto blocks = static_cast<size_t>(n), elements = static_cast<size_t>(size * inner);
  if (convert != nullptr) convert(x, converted, n * size * inner);
  turn_of(isa, sizeof(W))(convert != nullptr ? converted : x, elements, turned, blocks, blocks,
                          elements);
  arg_columns<kLargest, kLast>(turned, inner * n, size, inner == 1 ? y : places, inner * n);
  for (int64_t i = 0; inner > 1 && i < n; ++i) {
    for (int64_t j = 0; j < inner; ++j) y[i * inner + j] = places[j * n + i];
  }
}

// --- Prepare.

enum Flags : uint32_t { kKeepDims = 1, kSelectLast = 2 };

struct ArgParams {
  uint32_t record_bytes;
  uint32_t flags;
  int64_t axis;
};
static_assert(sizeof(ArgParams) == 16);

Status prepare_arg(PrepareContext& ctx) {
  ArgParams params{sizeof(ArgParams), 0, ctx.node().int_attribute("axis", 0)};
  if (ctx.node().int_attribute("keepdims", 1) != 0) params.flags |= kKeepDims;
  if (ctx.node().int_attribute("select_last_index", 0) != 0) params.flags |= kSelectLast;
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

Status bind_arg(BindContext& ctx) {
  const auto* params = ctx.params<ArgParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, NumberTypes::kMask));
  const ValueRef& x = ctx.input(0);
  ASSIGN_OR_RETURN(const size_t axis, checked_axis(params->axis, x.rank));
  if (x.dim(axis) == 0) return invalid_argument("axis ", axis, " has no elements");
  if (x.dim(axis) > INT32_MAX) return not_implemented("an axis of ", x.dim(axis), " elements");
  DimList dims;
  for (size_t d = 0; d < x.rank; ++d) {
    if (d != axis) {
      dims.push_back(x.dim(d));
    } else if ((params->flags & kKeepDims) != 0) {
      dims.push_back(1);
    }
  }
  return ctx.set_output(0, DType::kInt64, dims);
}

// --- Run.

template <bool kLargest, bool kLast>
void run_typed(const RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const int64_t given = ctx.params<ArgParams>().axis;
  const auto axis = static_cast<size_t>(given < 0 ? given + x.rank : given);
  const int64_t size = x.dim(axis);
  const int64_t inner = product(x.dims(), axis + 1, x.rank);
  const int64_t count = product(x.dims(), 0, axis) * inner;
  if (count == 0) return;
  auto* y = ctx.output(0).as_mutable<int64_t>();
  with_type(NumberTypes{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t grain = std::max<int64_t>(inner > 1 ? 16 : 1, kElementGrain / size);
    using W = TurnedAs<T>;
    [[maybe_unused]] const int64_t turned = blocks_turned(size, inner);
    [[maybe_unused]] ConvertRow converter = nullptr;
    if constexpr (!std::is_void_v<W> && !std::is_same_v<T, W>) {
      converter = convert_row(x.dtype, kDTypeOf<W>);
    }
    ctx.parallel_for(count, grain, [&](int64_t begin, int64_t end) {
      for (int64_t at = begin; at < end;) {
        const int64_t column = at % inner;
        const int64_t n = std::min({end - at, inner - column, kColumns});
        const T* from = x.as<T>() + at / inner * size * inner + column;
        if constexpr (!std::is_void_v<W>) {
          const int64_t blocks = std::min(turned, (end - at) / inner);
          if (column == 0 && blocks > 0) {
            arg_turned_blocks<kLargest, kLast, W>(ctx.isa(), from, converter, size, inner, y + at,
                                                  blocks);
            at += blocks * inner;
            continue;
          }
        }
        if constexpr (std::is_same_v<T, float> && !kLast) {
          if (inner == 1) {
            y[at++] = first_arg_row<kLargest>(plain_rows_kernels(ctx.isa()), from, size);
            continue;
          }
        }
        if (inner == 1) {
          y[at] = arg_row<kLargest, kLast>(from, size);
        } else {
          arg_columns<kLargest, kLast>(from, inner, size, y + at, n);
        }
        at += n;
      }
    });
  });
}

template <bool kLargest>
Status run_arg(RunContext& ctx) {
  if ((ctx.params<ArgParams>().flags & kSelectLast) != 0) {
    run_typed<kLargest, true>(ctx);
  } else {
    run_typed<kLargest, false>(ctx);
  }
  return Status::ok();
}

}  // namespace

KernelTable arg_reduce_kernels() {
  static constexpr KernelRow rows[] = {
      {"ArgMax", "", 1, kLatestOpset, NumberTypes::kMask, "arg_max", 1, kNoFlags, 0, prepare_arg,
       bind_arg, run_arg<true>},
      {"ArgMin", "", 1, kLatestOpset, NumberTypes::kMask, "arg_min", 1, kNoFlags, 0, prepare_arg,
       bind_arg, run_arg<false>},
  };
  return rows;
}

}  // namespace ortc::cpu
