// SPDX-License-Identifier: MIT
// Fourier transforms: the last axis holds real and imaginary parts.
#include "core/base/checked_math.h"
#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

std::optional<int64_t> single_integer(const InferContext& ctx, size_t i) {
  if (!ctx.has_input(i)) return std::nullopt;
  auto values = known_integers(ctx, i);
  return values && values->size() == 1 ? std::optional<int64_t>((*values)[0]) : std::nullopt;
}

Status infer_dft(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  const DType dtype = input_dtype(ctx, 0);
  if (x == nullptr) {
    set_tensor(ctx, 0, dtype, std::nullopt);
    return Status::ok();
  }
  if (x->size() < 2) return invalid_graph("input has rank ", x->size(), ", expected at least 2");
  Shape shape = *x;
  const bool onesided = ctx.node().int_attribute("onesided", 0) != 0;
  const bool inverse = ctx.node().int_attribute("inverse", 0) != 0;
  shape.back() = Dim::known(onesided && inverse ? 1 : 2);
  std::optional<int64_t> axis = ctx.node().int_attribute("axis", 1);
  if (ctx.opset() >= 20) axis = ctx.has_input(2) ? single_integer(ctx, 2) : int64_t{-2};
  if (!axis) {
    for (size_t i = 0; i + 1 < shape.size(); ++i) shape[i] = Dim::unknown();
    set_tensor(ctx, 0, dtype, std::move(shape));
    return Status::ok();
  }
  ASSIGN_OR_RETURN(size_t at, checked_axis(*axis, x->size()));
  if (at + 1 == x->size()) {
    return invalid_graph("axis ", *axis, " has the real and imaginary parts of rank ", x->size());
  }
  Dim& dim = shape[at];
  if (ctx.has_input(1)) {
    const auto length = single_integer(ctx, 1);
    dim = length && *length >= 0 ? Dim::known(*length) : Dim::unknown();
  } else if (onesided && inverse) {
    const auto twice = dim.is_known() ? checked_mul<int64_t>(2, dim.value - 1) : std::nullopt;
    dim = twice && *twice >= 0 ? Dim::known(*twice) : Dim::unknown();
  }
  if (onesided && !inverse) {
    dim = dim.is_known() ? Dim::known(dim.value / 2 + 1) : Dim::unknown();
  }
  set_tensor(ctx, 0, dtype, std::move(shape));
  return Status::ok();
}

// [batch, length, 1 or 2] -> [batch, frames, bins, 2]
Status infer_stft(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  Shape shape = {Dim::unknown(), Dim::unknown(), Dim::unknown(), Dim::known(2)};
  if (x != nullptr && !x->empty()) shape[0] = (*x)[0];
  std::optional<int64_t> frame = single_integer(ctx, 3);
  if (!ctx.has_input(3) && ctx.has_input(2) && vector_size(ctx, 2) >= 0)
    frame = vector_size(ctx, 2);
  const auto step = single_integer(ctx, 1);
  if (frame && *frame > 0) {
    const bool onesided = ctx.node().int_attribute("onesided", 1) != 0;
    shape[2] = Dim::known(onesided ? *frame / 2 + 1 : *frame);
    if (x != nullptr && x->size() >= 2 && (*x)[1].is_known() && step && *step > 0) {
      const int64_t room = (*x)[1].value - *frame;
      if (room < 0) return invalid_graph("a frame of ", *frame, " does not fit the signal");
      shape[1] = Dim::known(room / *step + 1);
    }
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(shape));
  return Status::ok();
}

}  // namespace

std::span<const OpRow> signal_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"", "DFT", 17, 1, 2, 1, 1, infer_dft},
      {"", "DFT", 20, 1, 3, 1, 1, infer_dft},
      {"", "STFT", 17, 2, 4, 1, 1, infer_stft},
  };
  return kRows;
}

}  // namespace ortc
