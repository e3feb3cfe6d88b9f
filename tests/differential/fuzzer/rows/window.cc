// SPDX-License-Identifier: MIT
// Windows over images: convolutions, pools, and what reads images between pixels.
#include "tests/differential/fuzzer/drawing.h"

namespace ortc::fuzz {
namespace {

const Fill kWeights{Fill::kReal, -0.6, 0.6};

// An image: mostly the rank of pictures, sometimes of lines or volumes.
std::string image(Drawing& d, TypeMask types, int rank_min = 3, int rank_max = 5) {
  if (d.chance().percent(40)) {
    const std::string x = d.any(types, rank_min, rank_max);
    bool is_good = d.is_there(x);
    for (const int64_t dim : d.dims_of(x)) is_good = is_good && dim > 0;
    if (is_good) return x;
  }
  const int64_t rank = rank_min == rank_max     ? rank_min
                       : d.chance().percent(70) ? 4
                                                : d.chance().between(rank_min, rank_max);
  Dims dims{d.chance().between(1, 2), d.chance().of(std::vector<int64_t>{1, 2, 3, 4, 8, 16})};
  while (static_cast<int64_t>(dims.size()) < rank)
    dims.push_back(d.chance().between(rank > 4 ? 2 : 3, rank > 4 ? 4 : 9));
  return d.like(d.type(types), dims);
}

struct Window {
  std::vector<int64_t> kernel, strides, dilations, pads;
  Attributes attributes;
};

// `largest_pad`: a window of a pool must not be padding alone.
Window window(Drawing& d, const Dims& dims, bool is_pool) {
  Window w;
  const size_t axes = dims.size() < 3 ? 0 : dims.size() - 2;
  const bool is_padded = d.chance().one_in(2);
  for (size_t i = 0; i < axes; ++i) {
    w.kernel.push_back(d.chance().between(1, std::min<int64_t>(3, dims[i + 2])));
    w.strides.push_back(d.chance().one_in(3) ? 2 : 1);
    w.dilations.push_back(d.chance().one_in(5) && (w.kernel.back() - 1) * 2 < dims[i + 2] ? 2 : 1);
  }
  for (size_t i = 0; i < 2 * axes; ++i) {
    const int64_t most = is_pool ? (w.kernel[i % axes] - 1) : 2;
    w.pads.push_back(is_padded && most > 0 ? d.chance().between(0, most) : 0);
  }
  w.attributes = {of_ints("kernel_shape", w.kernel), of_ints("strides", w.strides)};
  if (d.chance().one_in(8)) {
    w.attributes.push_back(of_text("auto_pad", d.chance().one_in(2) ? "SAME_UPPER" : "SAME_LOWER"));
  } else {
    w.attributes.push_back(of_ints("pads", w.pads));
    w.attributes.push_back(of_ints("dilations", w.dilations));
  }
  return w;
}

void conv(Drawing& d) {
  const std::string x = image(d, kFloats);
  const Dims dims = d.dims_of(x);
  if (dims.size() < 3) return d.fail();
  const Window w = window(d, dims, false);
  const int64_t channels = dims[1];
  const bool is_depthwise = d.chance().one_in(4);
  const int64_t groups = is_depthwise                                ? channels
                         : channels % 2 == 0 && d.chance().one_in(5) ? 2
                                                                     : 1;
  const int64_t out = groups * (is_depthwise           ? d.chance().between(1, 2)
                                : d.chance().one_in(3) ? d.chance().between(8, 17)
                                                       : d.chance().between(1, 5));
  Dims weights{out, channels / groups};
  weights.insert(weights.end(), w.kernel.begin(), w.kernel.end());
  Attributes attributes = w.attributes;
  attributes.push_back(of_int("group", groups));
  const DType dtype = d.type_of(x);
  d.add("Conv",
        {x, d.either(dtype, weights, kWeights), d.chance().one_in(2) ? d.either(dtype, {out}) : ""},
        attributes);
}

void conv_transpose(Drawing& d) {
  const std::string x = image(d, kFloats);
  const Dims dims = d.dims_of(x);
  if (dims.size() < 3) return d.fail();
  const Window w = window(d, dims, true);
  const int64_t groups = dims[1] % 2 == 0 && d.chance().one_in(4) ? 2 : 1;
  const int64_t each = d.chance().between(1, 4);
  Dims weights{dims[1], each};
  weights.insert(weights.end(), w.kernel.begin(), w.kernel.end());
  Attributes attributes = w.attributes;
  if (attributes.back().name == "auto_pad") attributes.pop_back();
  attributes.push_back(of_int("group", groups));
  const DType dtype = d.type_of(x);
  d.add("ConvTranspose",
        {x, d.either(dtype, weights, kWeights),
         d.chance().one_in(2) ? d.either(dtype, {each * groups}) : ""},
        attributes);
}

void max_pool(Drawing& d) {
  const std::string x = image(
      d, mask_of(DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kInt8, DType::kUint8));
  Window w = window(d, d.dims_of(x), true);
  if (d.chance().one_in(3)) w.attributes.push_back(of_int("ceil_mode", 1));
  d.add_many("MaxPool", {x}, w.attributes, 2, "", d.chance().one_in(4) ? 3u : 1u);
}

void average_pool(Drawing& d) {
  const std::string x = image(d, kFloats);
  Window w = window(d, d.dims_of(x), true);
  if (d.chance().one_in(3)) w.attributes.push_back(of_int("ceil_mode", 1));
  if (d.chance().one_in(2)) w.attributes.push_back(of_int("count_include_pad", 1));
  d.add("AveragePool", {x}, w.attributes);
}

void lp_pool(Drawing& d) {
  const std::string x = image(d, kFloats);
  Window w = window(d, d.dims_of(x), true);
  w.attributes.push_back(of_int("p", d.chance().between(1, 3)));
  d.add("LpPool", {x}, w.attributes);
}

template <int kind>
void global_pool(Drawing& d) {
  constexpr const char* kNames[] = {"GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"};
  Attributes attributes;
  if (kind == 2) attributes.push_back(of_int("p", d.chance().between(1, 3)));
  d.add(kNames[kind], {image(d, kFloats)}, attributes);
}

void lrn(Drawing& d) {
  const std::string x = image(d, kFloats);
  d.add("LRN", {x},
        {of_int("size", d.chance().of(std::vector<int64_t>{1, 3, 5})), of_float("alpha", 0.1),
         of_float("beta", 0.75)});
}

// Places between pixels never stand half way: sizes and scales are odd or whole.
void resize(Drawing& d) {
  static const std::vector<std::string> kModes = {"nearest", "linear", "cubic"};
  static const std::vector<std::string> kPlaces = {"half_pixel", "asymmetric", "align_corners",
                                                   "pytorch_half_pixel"};
  const std::string x = image(d, mask_of(DType::kFloat32, DType::kFloat64, DType::kFloat16), 4, 4);
  Dims dims = d.dims_of(x);
  if (dims.size() != 4) return;
  Attributes attributes{of_text("mode", d.chance().of(kModes)),
                        of_text("coordinate_transformation_mode", d.chance().of(kPlaces))};
  const bool by_size = d.chance().one_in(2);
  if (by_size) {
    for (size_t i = 2; i < 4; ++i) dims[i] = d.chance().between(1, 12);
    d.add("Resize", {x, "", "", d.ints(dims)}, attributes);
    return;
  }
  static const std::vector<double> kScales = {1, 2, 3, 0.5};
  const std::vector<double> scales{1, 1, d.chance().of(kScales), d.chance().of(kScales)};
  d.add("Resize", {x, "", d.constant(tensor_of(DType::kFloat32, {4}, scales))}, attributes);
}

void grid_sample(Drawing& d) {
  static const std::vector<std::string> kModes = {"linear", "nearest", "cubic"},
                                        kPads = {"zeros", "border", "reflection"};
  const std::string x = image(d, mask_of(DType::kFloat32), 4, 4);
  if (d.dims_of(x).size() != 4) return;
  const Dims grid{d.dims_of(x)[0], d.chance().between(1, 5), d.chance().between(1, 5), 2};
  d.add("GridSample", {x, d.input(DType::kFloat32, grid, {Fill::kReal, -1.2, 1.2})},
        {of_text("mode", d.chance().of(kModes)), of_text("padding_mode", d.chance().of(kPads)),
         of_int("align_corners", d.chance().between(0, 1))});
}

void affine_grid(Drawing& d) {
  const int64_t batch = d.chance().between(1, 2);
  // The corners of one pixel are the same: where they are is left open.
  const int64_t aligned = d.chance().between(0, 1), least = 1 + aligned;
  d.add("AffineGrid",
        {d.like(DType::kFloat32, {batch, 2, 3}),
         d.ints({batch, 3, d.chance().between(least, 5), d.chance().between(least, 5)})},
        {of_int("align_corners", aligned)});
}

void roi_align(Drawing& d) {
  const std::string x = image(d, mask_of(DType::kFloat32), 4, 4);
  const int64_t count = d.chance().between(1, 3);
  d.add("RoiAlign",
        {x, d.input(DType::kFloat32, {count, 4}, {Fill::kReal, 0.1, 4}),
         d.input(DType::kInt64, {count}, {Fill::kWhole, 0, 0})},
        {of_int("output_height", 2), of_int("output_width", d.chance().between(1, 3)),
         of_int("sampling_ratio", d.chance().between(0, 2)),
         of_text("coordinate_transformation_mode",
                 d.chance().one_in(2) ? "half_pixel" : "output_half_pixel")});
}

void max_roi_pool(Drawing& d) {
  const std::string x = image(d, mask_of(DType::kFloat32), 4, 4);
  std::vector<double> rois;
  for (int64_t i = d.chance().between(1, 3); i > 0; --i)
    rois.insert(rois.end(), {0, 0, 0, static_cast<double>(d.chance().between(1, 2)), 2});
  d.add(
      "MaxRoiPool",
      {x, d.constant(tensor_of(DType::kFloat32, {static_cast<int64_t>(rois.size() / 5), 5}, rois))},
      {of_ints("pooled_shape", {2, 2})});
}

void max_unpool(Drawing& d) {
  const std::string x = d.like(DType::kFloat32, {1, d.chance().between(1, 2), 4, 6});
  const Names pooled =
      d.add_many("MaxPool", {x}, {of_ints("kernel_shape", {2, 2}), of_ints("strides", {2, 2})}, 2);
  d.add("MaxUnpool", {pooled[0], pooled[1]},
        {of_ints("kernel_shape", {2, 2}), of_ints("strides", {2, 2})});
}

void deform_conv(Drawing& d) {
  const int64_t channels = d.chance().between(1, 4), size = d.chance().between(4, 7),
                out = size - 1, filters = d.chance().between(1, 4);
  const bool has_mask = d.chance().one_in(2);
  d.add("DeformConv",
        {d.like(DType::kFloat32, {1, channels, size, size}),
         d.either(DType::kFloat32, {filters, channels, 2, 2}, kWeights),
         d.input(DType::kFloat32, {1, 8, out, out}, {Fill::kReal, -0.8, 0.8}),
         d.chance().one_in(2) ? d.either(DType::kFloat32, {filters}) : "",
         has_mask ? d.input(DType::kFloat32, {1, 4, out, out}, {Fill::kReal, 0, 1}) : ""},
        {of_ints("kernel_shape", {2, 2})});
}

}  // namespace

std::vector<OperatorRow> window_rows() {
  return {
      {"Conv", "", 11, kPlain, 4, conv},
      {"ConvTranspose", "", 11, kPlain, 4, conv_transpose},
      {"MaxPool", "", 12, kExact, 0, max_pool},
      {"AveragePool", "", 19, kPlain, 4, average_pool},
      {"LpPool", "", 18, kPlain, 8, lp_pool},
      {"GlobalAveragePool", "", 1, kPlain, 4, global_pool<0>},
      {"GlobalMaxPool", "", 1, kExact, 0, global_pool<1>},
      {"GlobalLpPool", "", 2, kPlain | kOwnRules, 8, global_pool<2>},
      {"LRN", "", 13, kPlain, 8, lrn},
      {"Resize", "", 19, kPlain, 16, resize},
      {"GridSample", "", 20, kPlain, 16, grid_sample},
      {"AffineGrid", "", 20, kPlain, 8, affine_grid},
      {"RoiAlign", "", 16, kPlain | kOwnRules, 16, roi_align},
      {"MaxRoiPool", "", 1, kExact | kOwnRules, 0, max_roi_pool},
      {"MaxUnpool", "", 11, kExact, 0, max_unpool},
      {"DeformConv", "", 19, kPlain, 16, deform_conv},
  };
}

}  // namespace ortc::fuzz
