// SPDX-License-Identifier: MIT
// CDist (com.microsoft): the distance of each row of A from each row of B, euclidean or its square;
// sums in double.
#include <algorithm>
#include <cmath>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/microsoft_kernels.h"

namespace ortc::cpu {
namespace {

using DistanceTypes = TypeList<float, double>;

struct DistanceParams {
  uint32_t record_bytes;
  uint32_t is_square;
};
static_assert(sizeof(DistanceParams) == 8);

Status prepare_distance(PrepareContext& ctx) {
  const std::string_view metric = ctx.node().string_attribute("metric", "sqeuclidean");
  if (metric != "sqeuclidean" && metric != "euclidean") {
    return not_implemented("metric '", metric, "'");
  }
  ctx.set_params(DistanceParams{sizeof(DistanceParams), metric == "sqeuclidean" ? 1u : 0u});
  return Status::ok();
}

Status bind_distance(BindContext& ctx) {
  if (ctx.params<DistanceParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, DistanceTypes::kMask));
  RETURN_IF_ERROR(check_same_type(ctx, 1, 0));
  const ValueRef &a = ctx.input(0), &b = ctx.input(1);
  if (a.rank != 2 || b.rank != 2 || a.dim(1) != b.dim(1)) {
    return invalid_argument("rows of shapes ", dims_to_string(a.dims()), " and ",
                            dims_to_string(b.dims()), " have no distances");
  }
  return ctx.set_output(0, a.dtype, {a.dim(0), b.dim(0)});
}

template <typename T>
double square_of(const T* a, const T* b, int64_t size) {
  double sum = 0;
  for (int64_t i = 0; i < size; ++i) {
    const double less = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    sum += less * less;
  }
  return sum;
}

Status run_distance(RunContext& ctx) {
  if (ctx.output(0).element_count() == 0) return Status::ok();
  const bool is_square = ctx.params<DistanceParams>().is_square != 0;
  const int64_t size = ctx.input(0).dim(1), columns = ctx.input(1).dim(0);
  const int64_t grain = std::max<int64_t>(1, kElementGrain / std::max<int64_t>(1, size * columns));
  with_type(DistanceTypes{}, ctx.input(0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *a = ctx.input(0).as<T>(), *b = ctx.input(1).as<T>();
    T* y = ctx.output(0).as_mutable<T>();
    ctx.parallel_for(ctx.input(0).dim(0), grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        for (int64_t j = 0; j < columns; ++j) {
          const double square = square_of(a + i * size, b + j * size, size);
          y[i * columns + j] = static_cast<T>(is_square ? square : std::sqrt(square));
        }
      }
    });
  });
  return Status::ok();
}

}  // namespace

KernelTable distance_kernels() {
  static constexpr KernelRow rows[] = {
      {"CDist", kMicrosoftDomain, 1, kLatestOpset, DistanceTypes::kMask, "cdist", 1, kNoFlags, 0,
       prepare_distance, bind_distance, run_distance},
  };
  return rows;
}

}  // namespace ortc::cpu
