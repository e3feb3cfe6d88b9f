// SPDX-License-Identifier: MIT
// CumProd along one axis:
//
//   y[i] = x[0] ... x[i]      exclusive: without x[i]; reverse: from the other end
//
// Floats are multiplied in double, integers wrap around.
#include <algorithm>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu {
namespace {

using CumProdTypes = Join<FloatTypes, TypeList<int32_t, int64_t, uint32_t, uint64_t>>;
enum Flags : uint32_t { kExclusive = 1, kReverse = 2 };

struct CumProdParams {
  uint32_t record_bytes;
  uint32_t flags;
};
static_assert(sizeof(CumProdParams) == 8);

template <typename T>
void multiply_along(const T* x, T* y, int64_t stride, int64_t size, uint32_t flags) {
  using W = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
  W running = 1;
  for (int64_t step = 0; step < size; ++step) {
    const int64_t at = ((flags & kReverse) != 0 ? size - 1 - step : step) * stride;
    const W next = running * static_cast<W>(x[at]);
    y[at] = convert<T>((flags & kExclusive) != 0 ? running : next);
    running = next;
  }
}

Status prepare_cum_prod(PrepareContext& ctx) {
  CumProdParams params{sizeof(CumProdParams), 0};
  if (ctx.node().int_attribute("exclusive", 0) != 0) params.flags |= kExclusive;
  if (ctx.node().int_attribute("reverse", 0) != 0) params.flags |= kReverse;
  ctx.set_params(params);
  return Status::ok();
}

Status bind_cum_prod(BindContext& ctx) {
  if (ctx.params<CumProdParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, CumProdTypes::kMask));
  RETURN_IF_ERROR(check_type(ctx, 1, mask_of(DType::kInt32, DType::kInt64)));
  return ctx.set_output(0, ctx.input(0).dtype, ctx.input(0).dims());
}

Status run_cum_prod(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  ASSIGN_OR_RETURN(const int64_t given, read_int(ctx.input(1), "the axis"));
  ASSIGN_OR_RETURN(const size_t axis, checked_axis(given, x.rank));
  if (x.element_count() == 0) return Status::ok();
  const int64_t size = x.dim(axis), inner = product(x.dims(), axis + 1, x.rank);
  const int64_t rows = x.element_count() / size;
  with_type(CumProdTypes{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t grain = std::max<int64_t>(1, kElementGrain / size);
    ctx.parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const int64_t start = row / inner * size * inner + row % inner;
        multiply_along(x.as<T>() + start, ctx.output(0).as_mutable<T>() + start, inner, size,
                       ctx.params<CumProdParams>().flags);
      }
    });
  });
  return Status::ok();
}

}  // namespace

KernelTable cum_prod_kernels() {
  static constexpr KernelRow rows[] = {
      {"CumProd", "", 26, kLatestOpset, CumProdTypes::kMask, "cum_prod", 1, kNoFlags, 0,
       prepare_cum_prod, bind_cum_prod, run_cum_prod},
  };
  return rows;
}

}  // namespace ortc::cpu
