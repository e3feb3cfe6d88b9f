// SPDX-License-Identifier: MIT
// DynamicTimeWarping (com.microsoft): the cheapest path through a matrix of costs from its first
// place to its last, down, right or both in each step; of equal ways both is preferred, then down.
#include <array>
#include <limits>
#include <vector>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/microsoft_kernels.h"

namespace ortc::cpu {
namespace {

Status bind_warping(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, mask_of(DType::kFloat32)));
  const ValueRef& x = ctx.input(0);
  const bool is_matrix = x.rank == 2 || (x.rank == 3 && x.dim(0) == 1);
  if (!is_matrix || x.element_count() == 0) {
    return invalid_argument("costs have shape ", dims_to_string(x.dims()), ", expected a matrix");
  }
  return Status::ok();
}

struct Step {
  int32_t row, column;
};

// From the last place back to the first.
std::vector<Step> cheapest_path(const float* costs, int64_t rows, int64_t columns) {
  constexpr float kFar = std::numeric_limits<float>::infinity();
  const int64_t width = columns + 1;
  std::vector<float> total(static_cast<size_t>((rows + 1) * width), kFar);
  const auto at = [&](int64_t r, int64_t c) -> float& {
    return total[static_cast<size_t>(r * width + c)];
  };
  at(0, 0) = 0;
  std::vector<int8_t> ways(total.size(), 2);  // 0: both, 1: down, 2: right
  for (int64_t c = 1; c <= columns; ++c) {
    for (int64_t r = 1; r <= rows; ++r) {
      const float both = at(r - 1, c - 1), down = at(r - 1, c), right = at(r, c - 1);
      const int8_t way = both < down && both < right ? 0 : down < both && down < right ? 1 : 2;
      const float before = way == 0 ? both : way == 1 ? down : right;
      at(r, c) = costs[(r - 1) * columns + c - 1] + before;
      ways[static_cast<size_t>(r * width + c)] = way;
    }
  }
  for (int64_t c = 0; c <= columns; ++c) ways[static_cast<size_t>(c)] = 2;
  for (int64_t r = 0; r <= rows; ++r) ways[static_cast<size_t>(r * width)] = 1;
  std::vector<Step> path;
  int64_t r = rows, c = columns;
  while (r > 0 || c > 0) {
    path.push_back({static_cast<int32_t>(r - 1), static_cast<int32_t>(c - 1)});
    const int8_t way = ways[static_cast<size_t>(r * width + c)];
    if (way != 2) --r;
    if (way != 1) --c;
  }
  return path;
}

Status run_warping(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const auto path = cheapest_path(x.as<float>(), x.dim(x.rank - 2), x.dim(x.rank - 1));
  const auto count = static_cast<int64_t>(path.size());
  RETURN_IF_ERROR(ctx.allocate_output(0, DType::kInt32, std::array<int64_t, 2>{2, count}));
  auto* y = ctx.output(0).as_mutable<int32_t>();
  for (int64_t i = 0; i < count; ++i) {
    const Step& step = path[static_cast<size_t>(count - 1 - i)];
    y[i] = step.row;
    y[count + i] = step.column;
  }
  return Status::ok();
}

}  // namespace

KernelTable time_warping_kernels() {
  static constexpr KernelRow rows[] = {
      {"DynamicTimeWarping", kMicrosoftDomain, 1, kLatestOpset, mask_of(DType::kFloat32),
       "dynamic_time_warping", 1, kDataDependent, 0, prepare_nothing, bind_warping, run_warping},
  };
  return rows;
}

}  // namespace ortc::cpu
