// SPDX-License-Identifier: MIT
// com.microsoft: convolutions, pooling and norms of pictures, channels first and last.
#include "tests/differential/fuzzer/rows/parts.h"

namespace ortc::fuzz {
namespace {

void group_norm(Drawing& d) {
  const int64_t groups = d.chance().between(1, 3), channels = groups * d.chance().between(1, 4);
  const bool is_last = d.chance().one_in(2);
  const int64_t height = d.chance().between(2, 4), width = d.chance().between(2, 4);
  d.add("GroupNorm",
        {d.like(kT, is_last ? Dims{2, height, width, channels} : Dims{2, channels, height, width}),
         d.constant(kT, {channels}, kAround1), d.constant(kT, {channels})},
        {of_int("groups", groups), of_int("activation", d.chance().between(0, 1)),
         of_float("epsilon", 0.01), of_int("channels_last", is_last)},
        kMs);
}

void skip_group_norm(Drawing& d) {
  const int64_t groups = d.chance().between(1, 3), channels = groups * d.chance().between(1, 4);
  const Dims dims{2, d.chance().between(2, 4), d.chance().between(2, 4), channels};
  d.add_many("SkipGroupNorm",
             {d.like(kT, dims), d.constant(kT, {channels}, kAround1), d.constant(kT, {channels}),
              d.like(kT, d.chance().one_in(2) ? Dims{2, channels} : dims),
              maybe(d, d.constant(kT, {channels}))},
             {of_int("groups", groups), of_int("activation", d.chance().between(0, 1)),
              of_float("epsilon", 0.01), of_int("channels_last", 1)},
             2, kMs, d.chance().one_in(2) ? 3u : 1u);
}

void nhwc_pool(Drawing& d) {
  const DType t = byte_type(d);
  d.add(
      "NhwcMaxPool",
      {d.like(t, {1, d.chance().between(3, 7), d.chance().between(3, 7), d.chance().between(1, 18)},
              byte_steps(t))},
      {of_ints("kernel_shape", {d.chance().between(1, 3), d.chance().between(1, 3)}),
       of_ints("strides", {d.chance().between(1, 2), 1})},
      kMs);
}

void nhwc_fused_conv(Drawing& d) {
  const int64_t channels = d.chance().between(1, 4), out = d.chance().between(1, 9),
                kernel = d.chance().between(1, 3), height = d.chance().between(3, 7),
                width = d.chance().between(3, 7);
  const std::string sum =
      d.chance().one_in(2) ? d.like(kT, {1, height - kernel + 1, width - kernel + 1, out}) : "";
  d.add("NhwcFusedConv",
        {d.like(kT, {1, height, width, channels}),
         d.constant(kT, {out, channels, kernel, kernel}, kWeights), d.constant(kT, {out}), sum},
        {of_ints("kernel_shape", {kernel, kernel}),
         of_text("activation", pick(d, std::vector<std::string>{"Relu", "Sigmoid", "Tanh"}))},
        kMs);
}

void grid_sample(Drawing& d) {
  const std::string mode = pick(d, std::vector<std::string>{"bilinear", "nearest", "bicubic"});
  d.add(
      "GridSample",
      {d.like(kT,
              {2, d.chance().between(1, 3), d.chance().between(2, 5), d.chance().between(2, 5)}),
       d.input(kT, {2, d.chance().between(1, 4), d.chance().between(1, 4), 2},
               {Fill::kReal, -1.2, 1.2})},
      {of_text("mode", mode), of_int("align_corners", d.chance().between(0, 1)),
       of_text("padding_mode", pick(d, std::vector<std::string>{"zeros", "border", "reflection"}))},
      kMs);
}

void conv_transpose(Drawing& d) {
  const int64_t channels = d.chance().between(1, 4), out = d.chance().between(1, 5),
                kernel = d.chance().between(2, 3), pad = d.chance().between(0, 1);
  d.add("ConvTransposeWithDynamicPads",
        {d.like(kT, {1, channels, d.chance().between(2, 5), d.chance().between(2, 5)}),
         d.constant(kT, {channels, out, kernel, kernel}, kWeights), d.ints({pad, 0, 0, pad}),
         maybe(d, d.constant(kT, {out}))},
        {of_ints("strides", {d.chance().between(1, 2), 1})}, kMs);
}

void crop_and_resize(Drawing& d) {
  const int64_t pictures = d.chance().between(1, 2), boxes = d.chance().between(1, 3);
  const std::string size = d.constant(DType::kInt32, {2}, {Fill::kWhole, 1, 4});
  d.add("CropAndResize",
        {d.like(kT, {pictures, d.chance().between(1, 3), d.chance().between(2, 7),
                     d.chance().between(2, 7)}),
         d.either(kT, {boxes, 4}, {Fill::kReal, -0.1, 1.1}),
         d.either(DType::kInt32, {boxes}, whole_up_to(pictures - 1)), size},
        {of_text("mode", d.chance().percent(70) ? "bilinear" : "nearest"),
         of_float("extrapolation_value", 1.5)},
        kMs);
}

void q_linear_conv(Drawing& d) {
  const DType t = byte_type(d);
  const int64_t channels = pick(d, {1, 3, 4, 16}), out = pick(d, {1, 4, 8, 17}),
                kernel = d.chance().between(1, 3), height = d.chance().between(3, 7),
                width = d.chance().between(3, 7);
  const bool is_last = d.chance().percent(70);
  const bool per_channel = d.chance().one_in(2);
  const Dims each = per_channel ? Dims{out} : Dims{};
  d.add("QLinearConv",
        {d.like(t, is_last ? Dims{1, height, width, channels} : Dims{1, channels, height, width},
                byte_steps(t)),
         byte_scale(d, 0.03), byte_point(d, t),
         d.constant(DType::kInt8, {out, channels, kernel, kernel}, byte_steps(DType::kInt8)),
         byte_scale(d, 0.03, each), d.constant(DType::kInt8, each, {Fill::kWhole, 0, 0}),
         byte_scale(d, 0.2), byte_point(d, t),
         maybe(d, d.constant(DType::kInt32, {out}, {Fill::kWhole, -100, 100}))},
        {of_int("channels_last", is_last)}, kMs);
}

void q_linear_mean(Drawing& d) {
  const DType t = byte_type(d);
  const std::string x = d.like(t, d.dims(2, 4), byte_steps(t));
  d.add("QLinearReduceMean", {x, byte_scale(d), byte_point(d, t), byte_scale(d), byte_point(d, t)},
        {of_ints("axes", {d.axis_of(d.dims_of(x))}), of_int("keepdims", d.chance().between(0, 1))},
        kMs);
}

}  // namespace

std::vector<OperatorRow> ms_pictures_rows() {
  return {
      {"GroupNorm", kMs, 1, kOwnRules, 32, group_norm},
      {"SkipGroupNorm", kMs, 1, kOwnRules, 32, skip_group_norm},
      {"NhwcMaxPool", kMs, 1, kExact, 0, nhwc_pool},
      {"NhwcFusedConv", kMs, 1, kOwnRules, 8, nhwc_fused_conv},
      {"GridSample", kMs, 1, kPlain, 16, grid_sample},
      {"ConvTransposeWithDynamicPads", kMs, 1, kPlain, 8, conv_transpose},
      {"CropAndResize", kMs, 1, kPlain, 16, crop_and_resize},
      {"QLinearConv", kMs, 1, kOneStep, 0, q_linear_conv},
      {"QLinearReduceMean", kMs, 1, kOneStep | kOwnRules, 0, q_linear_mean},
  };
}

}  // namespace ortc::fuzz
