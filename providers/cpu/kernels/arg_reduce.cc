// SPDX-License-Identifier: MIT
// ArgMax and ArgMin along one axis: the index of the first (or last) extreme element. A NaN counts
// as the extreme. Inputs are seen as [outer, axis, inner]; neighbouring columns go together.
#include <algorithm>

#include "providers/cpu/bind_checks.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/element.h"
#include "providers/cpu/nd_loop.h"

namespace ortc::cpu {
namespace {

// --- Arithmetic.

constexpr int64_t kColumns = 256;

// y[0, n) = for n <= kColumns neighbouring columns, whose elements lie `stride` apart, where the
// extreme is. kSign is 1 for the largest, -1 for the smallest.
template <int kSign, bool kLast, typename T>
void arg_columns(const T* x, int64_t stride, int64_t size, int64_t* y, int64_t n) {
  using C = Compute<T>;
  C best[kColumns];
  for (int64_t i = 0; i < n; ++i) {
    best[i] = static_cast<C>(x[i]);
    y[i] = 0;
  }
  for (int64_t at = 1; at < size; ++at) {
    const T* row = x + at * stride;
    for (int64_t i = 0; i < n; ++i) {
      const C value = static_cast<C>(row[i]);
      const bool beyond = kSign > 0 ? value > best[i] : value < best[i];
      const bool is_nan = value != value;
      const bool best_is_nan = best[i] != best[i];
      const bool takes = kLast ? is_nan || (!best_is_nan && (beyond || value == best[i]))
                               : !best_is_nan && (beyond || is_nan);
      best[i] = takes ? value : best[i];
      y[i] = takes ? at : y[i];
    }
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
  const TensorRef& x = ctx.input(0);
  ASSIGN_OR_RETURN(const size_t axis, checked_axis(params->axis, x.rank));
  if (x.dim(axis) == 0) return invalid_argument("axis ", axis, " has no elements");
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

template <int kSign, bool kLast>
void run_typed(const RunContext& ctx) {
  const TensorRef& x = ctx.input(0);
  const int64_t given = ctx.params<ArgParams>().axis;
  const auto axis = static_cast<size_t>(given < 0 ? given + x.rank : given);
  const int64_t size = x.dim(axis);
  const int64_t inner = product(x.dims(), axis + 1, x.rank);
  const int64_t count = product(x.dims(), 0, axis) * inner;
  auto* y = ctx.output(0).as_mutable<int64_t>();
  with_type(NumberTypes{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t grain = std::max<int64_t>(inner > 1 ? 16 : 1, kElementGrain / size);
    ctx.parallel_for(count, grain, [&](int64_t begin, int64_t end) {
      for (int64_t at = begin; at < end;) {
        const int64_t column = at % inner;
        const int64_t n = std::min({end - at, inner - column, kColumns});
        arg_columns<kSign, kLast>(x.as<T>() + at / inner * size * inner + column, inner, size,
                                  y + at, n);
        at += n;
      }
    });
  });
}

template <int kSign>
Status run_arg(RunContext& ctx) {
  if ((ctx.params<ArgParams>().flags & kSelectLast) != 0) {
    run_typed<kSign, true>(ctx);
  } else {
    run_typed<kSign, false>(ctx);
  }
  return Status::ok();
}

}  // namespace

KernelTable arg_reduce_kernels() {
  static constexpr KernelRow rows[] = {
      {"ArgMax", "", 1, kLatestOpset, NumberTypes::kMask, "arg_max", 1, kNoFlags, 0, prepare_arg,
       bind_arg, run_arg<1>},
      {"ArgMin", "", 1, kLatestOpset, NumberTypes::kMask, "arg_min", 1, kNoFlags, 0, prepare_arg,
       bind_arg, run_arg<-1>},
  };
  return rows;
}

}  // namespace ortc::cpu
