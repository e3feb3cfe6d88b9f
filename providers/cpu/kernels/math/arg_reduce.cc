// SPDX-License-Identifier: MIT
// ArgMax and ArgMin along one axis: the index of the first (or last) extreme element. A NaN counts
// as the extreme. Inputs are seen as [outer, axis, inner]; neighbouring columns go together.
#include <algorithm>

#include "providers/cpu/arith/turn/turn.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/kernels/math/arg_rows.h"

namespace ortc::cpu {
namespace {

// --- Arithmetic.

// Blocks [size, inner] that are turned together, so that they are neighbouring columns; 0 where
// they are too large for it.
constexpr int64_t kTurned = 2048;
int64_t blocks_turned(int64_t size, int64_t inner) {
  constexpr int64_t kShort = 64, kNarrow = 12, kMost = 64;
  if (size > kShort || inner > kNarrow) return 0;
  return std::min({kTurned / (size * inner), kArgColumns / inner, kMost});
}

// What they are turned as: any number of T is one of this type. There is none for long integers.
template <typename W>
using TurnedAs = std::conditional_t<
    std::is_same_v<W, float>, float,
    std::conditional_t<sizeof(W) == 4 || std::is_same_v<W, double>, double, void>>;

// x is converted first, unless it has the type.
template <bool kLargest, bool kLast, typename W>
[[gnu::noinline]] void arg_turned_blocks(Isa isa, const ArgSource& x, int64_t begin, int64_t size,
                                         int64_t inner, int64_t* y, int64_t n) {
  W converted[kTurned], turned[kTurned];
  int64_t places[kArgColumns];
  const auto blocks = static_cast<size_t>(n), elements = static_cast<size_t>(size * inner);
  const W* from = x.read(begin, n * size * inner, converted);
  turn_of(isa, sizeof(W))(from, elements, turned, blocks, blocks, elements);
  const ArgSource columns{reinterpret_cast<const std::byte*>(turned), sizeof(W), nullptr};
  arg_columns<kLargest, kLast, W>(columns, 0, inner * n, size, inner == 1 ? y : places, inner * n);
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

// The input as [outer, size, inner].
struct ArgShape {
  int64_t size, inner;
  int64_t begin(int64_t at) const { return at / inner * size * inner + at % inner; }
};

template <bool kLargest, bool kLast, typename W>
void run_typed(const RunContext& ctx, const ArgShape& shape, int64_t count) {
  const DType dtype = ctx.input(0).dtype;
  const auto [size, inner] = shape;
  auto* y = ctx.output(0).as_mutable<int64_t>();
  const auto source_as = [&](DType type) {
    return ArgSource{ctx.input(0).as<std::byte>(), static_cast<int64_t>(element_bytes(dtype)),
                     dtype == type ? nullptr : convert_row(dtype, type)};
  };
  using Turned = TurnedAs<W>;
  [[maybe_unused]] int64_t most_turned = 0;
  ArgSource x = source_as(kDTypeOf<W>), turned = x;
  if constexpr (!std::is_void_v<Turned>) {
    most_turned = blocks_turned(size, inner);
    turned = source_as(kDTypeOf<Turned>);
  }
  [[maybe_unused]] constexpr int64_t kFew = 8;
  [[maybe_unused]] const bool is_narrow = inner > 1 && inner <= kArgNarrow && size >= kArgLong;
  const int64_t grain = std::max<int64_t>(inner > 1 ? 16 : 1, kElementGrain / size);
  const ArgKernels kernels(ctx.isa());
  ctx.parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    if constexpr (!kLast && (std::is_same_v<W, double> || std::is_same_v<W, int64_t>)) {
      if (inner == 1 && size <= kFew) {
        const W* rows = ctx.input(0).as<W>() + begin * size;
        return arg_short_rows<kLargest>(rows, size, y + begin, end - begin);
      }
    }
    for (int64_t at = begin; at < end;) {
      const int64_t from = shape.begin(at), column = at % inner;
      if constexpr (!std::is_void_v<Turned>) {
        const int64_t blocks = std::min(most_turned, (end - at) / inner);
        if (column == 0 && blocks > 0) {
          arg_turned_blocks<kLargest, kLast, Turned>(ctx.isa(), turned, from, size, inner, y + at,
                                                     blocks);
          at += blocks * inner;
          continue;
        }
      }
      if (inner > 1) {
        const int64_t n = std::min({end - at, inner - column, kArgColumns});
        int64_t* const to = y + at;
        at += n;
        if constexpr (!kLast && !std::is_unsigned_v<W>) {
          if (is_narrow && n == inner) {
            arg_narrow<kLargest, W>(kernels, x, from, size, to, n);
            continue;
          }
        }
        if constexpr (!kLast && std::is_same_v<W, double>) {
          const double* columns = ctx.input(0).as<double>() + from;
          if (n >= 8 && first_arg_columns<kLargest>(kernels, columns, inner, size, to, n)) continue;
        }
        arg_columns<kLargest, kLast, W>(x, from, inner, size, to, n);
        continue;
      }
      if constexpr (std::is_same_v<W, float> && !kLast) {
        if (dtype == DType::kFloat32) {
          const float* row = ctx.input(0).as<float>() + from;
          y[at++] = first_arg_row<kLargest>(kernels, row, size);
          continue;
        }
      }
      y[at++] = arg_row<kLargest, kLast, W>(kernels, x, from, size);
    }
  });
}

using CompareTypes = TypeList<float, double, int32_t, int64_t, uint32_t, uint64_t>;

template <bool kLargest, bool kLast>
void run_kind(const RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const int64_t given = ctx.params<ArgParams>().axis;
  const auto axis = static_cast<size_t>(given < 0 ? given + x.rank : given);
  const ArgShape shape{x.dim(axis), product(x.dims(), axis + 1, x.rank)};
  const int64_t count = product(x.dims(), 0, axis) * shape.inner;
  if (count == 0) return;
  const DType compared = element_bytes(x.dtype) <= 2 ? DType::kFloat32 : x.dtype;
  with_type(CompareTypes{}, compared, [&](auto tag) {
    run_typed<kLargest, kLast, typename decltype(tag)::type>(ctx, shape, count);
  });
}

template <bool kLargest>
Status run_arg(RunContext& ctx) {
  if ((ctx.params<ArgParams>().flags & kSelectLast) != 0) {
    run_kind<kLargest, true>(ctx);
  } else {
    run_kind<kLargest, false>(ctx);
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
