// SPDX-License-Identifier: MIT
// Places of scales: see the header.
#include "providers/cpu/kernels/quantised/scale_layout.h"

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu {

Result<Scales> place_scales(int64_t wanted_axis, int64_t block, const ValueRef& x,
                            const ValueRef& scale) {
  Scales scales;
  if (block < 0) return invalid_graph("its block size is ", block);
  if (block == 0 && scale.rank <= 1 && scale.element_count() == 1) return scales;
  ASSIGN_OR_RETURN(const size_t axis, checked_axis(wanted_axis, x.rank));
  scales.is_single = false;
  scales.extent = x.dim(axis);
  scales.inner = product(x.dims(), axis + 1, x.rank);
  const auto misfit = [&] {
    return invalid_argument("scale ", dims_to_string(scale.dims()), " does not fit ",
                            dims_to_string(x.dims()), " along axis ", axis);
  };
  if (block == 0) {
    if (scale.rank != 1 || scale.dim(0) != scales.extent) return misfit();
    return scales;
  }
  scales.is_blocked = true;
  scales.block = block;
  if (scale.rank != x.rank) return misfit();
  for (size_t i = 0; i < x.rank; ++i) {
    const int64_t expected =
        i == axis ? x.dim(i) / block + (x.dim(i) % block != 0 ? 1 : 0) : x.dim(i);
    if (scale.dim(i) != expected) return misfit();
  }
  scales.blocks = scale.dim(axis);
  return scales;
}

float scale_at(const ValueRef& scale, int64_t i) {
  switch (scale.dtype) {
    case DType::kFloat32:
      return scale.as<float>()[i];
    case DType::kFloat16:
      return scale.as<Float16>()[i];
    case DType::kBfloat16:
      return scale.as<Bfloat16>()[i];
    default:
      return small_float_values(DType::kFloat8E8M0)[scale.as<uint8_t>()[i]];
  }
}

Status check_zero_point(const BindContext& ctx, const ValueRef& scale) {
  if (!ctx.has_input(2)) return Status::ok();
  const auto zero = ctx.input(2).dims(), dims = scale.dims();
  const bool fits = std::equal(zero.begin(), zero.end(), dims.begin(), dims.end()) ||
                    (ctx.input(2).element_count() == 1 && scale.element_count() == 1);
  return fits ? Status::ok()
              : invalid_argument("zero point ", dims_to_string(zero), " and scale ",
                                 dims_to_string(dims), " differ in shape");
}

}  // namespace ortc::cpu
