// SPDX-License-Identifier: MIT
// MaxpoolWithMask (com.microsoft): the largest number of each window, of which a line along the
// last axis ends at the first place that is masked. As ONNX Runtime's kernel has it, the only text
// of the operator: the mask of the first place counts over one axis only, planes of the mask begin
// (plane * its size) modulo their number of elements apart, and a window without a place that
// counts gives the lowest float.
#include <algorithm>
#include <limits>

#include "core/base/checked_math.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/microsoft_kernels.h"
#include "providers/cpu/windows/window.h"

namespace ortc::cpu {
namespace {

constexpr TypeMask kF32 = mask_of(DType::kFloat32);

struct MaskedParams {
  uint32_t record_bytes;
  uint32_t reserved;
  WindowParams windows;
};
static_assert(sizeof(MaskedParams) == 144);

Status prepare_masked(PrepareContext& ctx) {
  ASSIGN_OR_RETURN(const WindowParams windows, windows_from_attributes(ctx.node()));
  if (windows.rank == 0) return invalid_graph("attribute 'kernel_shape' is missing");
  ctx.set_params(MaskedParams{sizeof(MaskedParams), 0, windows});
  return Status::ok();
}

Status bind_masked(BindContext& ctx) {
  const auto* params = ctx.params<MaskedParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, kF32));
  RETURN_IF_ERROR(check_type(ctx, 1, mask_of(DType::kInt32)));
  const ValueRef &x = ctx.input(0), &mask = ctx.input(1);
  const bool fits = x.rank >= 3 && x.rank == mask.rank && params->windows.rank + 2 == x.rank &&
                    std::ranges::equal(x.dims().subspan(2), mask.dims().subspan(2));
  if (!fits) {
    return invalid_argument("X has shape ", dims_to_string(x.dims()), " and its mask ",
                            dims_to_string(mask.dims()), ", of windows over ", params->windows.rank,
                            " axes");
  }
  const auto planes = checked_mul(x.dim(0), x.dim(1)),
             masks = checked_mul(mask.dim(0), mask.dim(1));
  if (!planes || !masks || (*planes > 0 && *masks == 0)) {
    return invalid_argument("the mask has shape ", dims_to_string(mask.dims()),
                            ", without a plane for X");
  }
  ASSIGN_OR_RETURN(const Windows windows, place_windows(params->windows, x.dims().subspan(2), {}));
  DimList dims(x.dims().first(2));
  for (size_t i = 0; i < windows.rank; ++i) {
    if (windows.own_axis(i).dilation != 1) return not_implemented("dilations of MaxpoolWithMask");
    dims.push_back(windows.own_axis(i).out);
  }
  return ctx.set_output(0, DType::kFloat32, {dims.data(), dims.size()});
}

// Places [first, end) of window `i` on the axis.
struct Stretch {
  int64_t first, end;
};
Stretch stretch_of(const WindowAxis& axis, int64_t i) {
  const int64_t first = i * axis.stride - axis.pad_begin;
  return {std::max<int64_t>(first, 0), std::min(first + axis.kernel, axis.in)};
}

float largest(const Windows& w, const float* x, const int32_t* mask, const Stretch (&s)[3]) {
  float top = std::numeric_limits<float>::lowest();
  for (int64_t i = s[0].first; i < s[0].end; ++i) {
    for (int64_t j = s[1].first; j < s[1].end; ++j) {
      for (int64_t k = s[2].first; k < s[2].end; ++k) {
        const int64_t at = (i * w.axis[1].in + j) * w.axis[2].in + k;
        if (mask[at] == 0 && (at > 0 || w.rank == 1)) break;
        top = std::max(top, x[at]);
      }
    }
  }
  return top;
}

Status run_masked(RunContext& ctx) {
  if (ctx.output(0).element_count() == 0) return Status::ok();
  const ValueRef &x = ctx.input(0), &mask = ctx.input(1);
  ASSIGN_OR_RETURN(const Windows w,
                   place_windows(ctx.params<MaskedParams>().windows, x.dims().subspan(2), {}));
  const int64_t masks = mask.dim(0) * mask.dim(1);
  ctx.parallel_for(x.dim(0) * x.dim(1), 1, [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      const float* from = x.as<float>() + plane * w.in_size();
      const int32_t* flags = mask.as<int32_t>() + plane * w.in_size() % masks;
      float* to = ctx.output(0).as_mutable<float>() + plane * w.out_size();
      for (int64_t i = 0; i < w.axis[0].out; ++i) {
        for (int64_t j = 0; j < w.axis[1].out; ++j) {
          for (int64_t k = 0; k < w.axis[2].out; ++k) {
            const Stretch window[3] = {stretch_of(w.axis[0], i), stretch_of(w.axis[1], j),
                                       stretch_of(w.axis[2], k)};
            *to++ = largest(w, from, flags, window);
          }
        }
      }
    }
  });
  return Status::ok();
}

}  // namespace

KernelTable masked_pool_kernels() {
  static constexpr KernelRow rows[] = {
      {"MaxpoolWithMask", kMicrosoftDomain, 1, kLatestOpset, kF32, "max_pool_with_mask", 1,
       kNoFlags, 0, prepare_masked, bind_masked, run_masked},
  };
  return rows;
}

}  // namespace ortc::cpu
