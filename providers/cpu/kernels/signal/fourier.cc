// SPDX-License-Identifier: MIT
// DFT along one axis and STFT, in double inside (fourier_transform.h). The last axis of a signal
// holds a real number, or a real and an imaginary part.
//
//   onesided: only the bins up to the middle; inverse and onesided: those bins of a real signal
//   back
#include <algorithm>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/bind/thread_slots.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/kernels/signal/fourier_transform.h"

namespace ortc::cpu {
namespace {

using SignalTypes = TypeList<float, double>;
using Complex = Fourier::Complex;

struct FourierParams {
  uint32_t record_bytes;
  uint32_t onesided;
  uint32_t inverse;
  uint32_t axis_is_input;
  int64_t axis;
};
static_assert(sizeof(FourierParams) == 24);

// --- Prepare.

Status prepare_dft(PrepareContext& ctx) {
  const Node& node = ctx.node();
  const bool axis_is_input = ctx.opset() >= 20;
  ctx.set_params(
      FourierParams{sizeof(FourierParams), node.int_attribute("onesided", 0) != 0 ? 1u : 0u,
                    node.int_attribute("inverse", 0) != 0 ? 1u : 0u, axis_is_input ? 1u : 0u,
                    axis_is_input ? -2 : node.int_attribute("axis", 1)});
  return Status::ok();
}

Status prepare_stft(PrepareContext& ctx) {
  ctx.set_params(FourierParams{sizeof(FourierParams),
                               ctx.node().int_attribute("onesided", 1) != 0 ? 1u : 0u, 0, 0, 0});
  return Status::ok();
}

// --- Bind.

// One DFT: rows of `in` numbers become `out`; `n` is the transform's length.
struct DftShape {
  size_t axis;
  int64_t outer, inner, in, out, n;
  int64_t in_parts, out_parts;
};

Result<DftShape> plan_dft(const FourierParams& params, const ValueRef& x, const ValueRef& length,
                          const ValueRef& axis_input) {
  int64_t given = params.axis;
  if (params.axis_is_input != 0 && axis_input.is_present()) {
    ASSIGN_OR_RETURN(given, read_int(axis_input, "the axis"));
  }
  if (x.rank < 2) return invalid_argument("the input has rank ", x.rank, ", expected at least 2");
  DftShape shape{};
  ASSIGN_OR_RETURN(shape.axis, checked_axis(given, x.rank));
  if (shape.axis == x.rank - 1) return invalid_argument("the axis is that of the complex parts");
  shape.in_parts = x.dim(x.rank - 1);
  if (shape.in_parts != 1 && shape.in_parts != 2) {
    return invalid_argument("the last axis has ", shape.in_parts, " elements, expected 1 or 2");
  }
  const bool onesided = params.onesided != 0, to_real = onesided && params.inverse != 0;
  shape.in = x.dim(shape.axis);
  shape.n = to_real ? 2 * (shape.in - 1) : shape.in;
  if (length.is_present()) {
    ASSIGN_OR_RETURN(shape.n, read_int(length, "the DFT's length"));
  }
  if (shape.n < 1) return invalid_argument("a DFT of length ", shape.n);
  shape.out = onesided && !to_real ? shape.n / 2 + 1 : shape.n;
  shape.out_parts = to_real ? 1 : 2;
  shape.outer = product(x.dims(), 0, shape.axis);
  shape.inner = product(x.dims(), shape.axis + 1, x.rank - 1);
  return shape;
}

template <typename Context>
ValueRef input_or_none(const Context& ctx, size_t i) {
  return ctx.has_input(i) ? ctx.input(i) : ValueRef{};
}

Status bind_dft(BindContext& ctx) {
  const auto* params = ctx.params<FourierParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 3));
  RETURN_IF_ERROR(check_type(ctx, 0, SignalTypes::kMask));
  const ValueRef& x = ctx.input(0);
  ASSIGN_OR_RETURN(const DftShape shape,
                   plan_dft(*params, x, input_or_none(ctx, 1), input_or_none(ctx, 2)));
  DimList dims(x.dims());
  dims[shape.axis] = shape.out;
  dims[x.rank - 1] = shape.out_parts;
  ScratchPlan plan;
  Fourier(shape.n, ctx.thread_count(), &plan);
  RETURN_IF_ERROR(plan.declare(ctx));
  return ctx.set_output(0, x.dtype, dims);
}

struct StftShape {
  int64_t batch, length, parts, frame, step, frames, bins;
};

Result<StftShape> plan_stft(const FourierParams& params, const ValueRef& x, const ValueRef& step,
                            const ValueRef& window, const ValueRef& frame) {
  StftShape shape{};
  if (x.rank != 3 && x.rank != 2) return invalid_argument("the signal has rank ", x.rank);
  shape.batch = x.dim(0);
  shape.length = x.dim(1);
  shape.parts = x.rank == 3 ? x.dim(2) : 1;
  if (shape.parts != 1 && shape.parts != 2) {
    return invalid_argument("the last axis has ", shape.parts, " elements, expected 1 or 2");
  }
  ASSIGN_OR_RETURN(shape.step, read_int(step, "the frame step"));
  if (frame.is_present()) {
    ASSIGN_OR_RETURN(shape.frame, read_int(frame, "the frame length"));
  } else if (window.is_present()) {
    shape.frame = window.element_count();
  } else {
    shape.frame = shape.length;
  }
  if (window.is_present() && (window.rank != 1 || window.dim(0) != shape.frame)) {
    return invalid_argument("a window of shape ", dims_to_string(window.dims()), " for frames of ",
                            shape.frame);
  }
  if (shape.step < 1 || shape.frame < 1 || shape.frame > shape.length) {
    return invalid_argument("frames of ", shape.frame, " every ", shape.step, " in a signal of ",
                            shape.length);
  }
  shape.frames = (shape.length - shape.frame) / shape.step + 1;
  shape.bins = params.onesided != 0 ? shape.frame / 2 + 1 : shape.frame;
  return shape;
}

Status bind_stft(BindContext& ctx) {
  const auto* params = ctx.params<FourierParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 4));
  RETURN_IF_ERROR(check_type(ctx, 0, SignalTypes::kMask));
  RETURN_IF_ERROR(check_same_type(ctx, 2, 0));
  ASSIGN_OR_RETURN(const StftShape shape, plan_stft(*params, ctx.input(0), ctx.input(1),
                                                    input_or_none(ctx, 2), input_or_none(ctx, 3)));
  ScratchPlan plan;
  Fourier(shape.frame, ctx.thread_count(), &plan);
  RETURN_IF_ERROR(plan.declare(ctx));
  return ctx.set_output(0, ctx.input(0).dtype, {shape.batch, shape.frames, shape.bins, 2});
}

// --- Run.

// An element of one part, which is real, or of two.
template <typename T>
Complex load(const T* x, int64_t parts) {
  return {static_cast<double>(x[0]), parts == 2 ? static_cast<double>(x[1]) : 0.0};
}

template <typename T>
void transform_row(const Fourier& fourier, const FourierParams& params, const DftShape& s,
                   const T* x, T* y, Complex* work) {
  const int64_t taken = std::min(s.in, s.n);
  for (int64_t i = 0; i < taken; ++i) work[i] = load(x + i * s.inner * s.in_parts, s.in_parts);
  std::fill(work + taken, work + s.n, Complex{});
  if (s.out_parts == 1) {
    // The other half of a real signal's bins is the first one's mirror.
    for (int64_t i = s.n / 2 + 1; i < s.n; ++i) work[i] = std::conj(work[s.n - i]);
  }
  if (params.inverse != 0) {
    fourier.inverse(work);
  } else {
    fourier.transform(work);
  }
  for (int64_t i = 0; i < s.out; ++i) {
    T* to = y + i * s.inner * s.out_parts;
    to[0] = static_cast<T>(work[i].real());
    if (s.out_parts == 2) to[1] = static_cast<T>(work[i].imag());
  }
}

Status run_dft(RunContext& ctx) {
  const auto& params = ctx.params<FourierParams>();
  const ValueRef& x = ctx.input(0);
  ASSIGN_OR_RETURN(const DftShape s,
                   plan_dft(params, x, input_or_none(ctx, 1), input_or_none(ctx, 2)));
  if (ctx.output(0).dim(s.axis) != s.out) {
    return invalid_argument("the result has another shape than when its memory was planned");
  }
  ScratchPlan plan;
  Fourier fourier(s.n, ctx.thread_count(), &plan);
  fourier.prepare(ctx.scratch());
  with_type(SignalTypes{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    parallel_items(ctx, ctx.thread_count(), s.outer * s.inner, [&](int64_t slot, int64_t item) {
      const int64_t o = item / s.inner, i = item % s.inner;
      transform_row(fourier, params, s, x.as<T>() + (o * s.in * s.inner + i) * s.in_parts,
                    ctx.output(0).as_mutable<T>() + (o * s.out * s.inner + i) * s.out_parts,
                    fourier.slot(slot));
    });
  });
  return Status::ok();
}

Status run_stft(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  ASSIGN_OR_RETURN(const StftShape s, plan_stft(ctx.params<FourierParams>(), x, ctx.input(1),
                                                input_or_none(ctx, 2), input_or_none(ctx, 3)));
  if (ctx.output(0).dim(1) != s.frames || ctx.output(0).dim(2) != s.bins) {
    return invalid_argument("the result has another shape than when its memory was planned");
  }
  ScratchPlan plan;
  Fourier fourier(s.frame, ctx.thread_count(), &plan);
  fourier.prepare(ctx.scratch());
  with_type(SignalTypes{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* window = ctx.has_input(2) ? ctx.input(2).as<T>() : nullptr;
    parallel_items(ctx, ctx.thread_count(), s.batch * s.frames, [&](int64_t slot, int64_t item) {
      const int64_t start = item / s.frames * s.length + item % s.frames * s.step;
      Complex* work = fourier.slot(slot);
      for (int64_t i = 0; i < s.frame; ++i) {
        const double weight = window != nullptr ? static_cast<double>(window[i]) : 1.0;
        work[i] = load(x.as<T>() + (start + i) * s.parts, s.parts) * weight;
      }
      fourier.transform(work);
      T* y = ctx.output(0).as_mutable<T>() + item * s.bins * 2;
      for (int64_t k = 0; k < s.bins; ++k) {
        y[2 * k] = static_cast<T>(work[k].real());
        y[2 * k + 1] = static_cast<T>(work[k].imag());
      }
    });
  });
  return Status::ok();
}

}  // namespace

KernelTable fourier_kernels() {
  constexpr TypeMask kTypes = SignalTypes::kMask;
  static constexpr KernelRow kDFTRow("DFT", "", 17, kLatestOpset, kTypes, "dft", 1, kNoFlags, 0b110,
                                     prepare_dft, bind_dft, run_dft);
  static constexpr KernelRow kSTFTRow("STFT", "", 17, kLatestOpset, kTypes, "stft", 1, kNoFlags,
                                      0b1010, prepare_stft, bind_stft, run_stft);
  static constexpr KernelRow rows[] = {
      kDFTRow,
      reduced_row<kDFTRow>("DFT.reduced"),
      kSTFTRow,
      reduced_row<kSTFTRow>("STFT.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
