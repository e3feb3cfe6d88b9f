// SPDX-License-Identifier: MIT
// Operators that move elements without looking at them, by shapes and attributes.
#include <algorithm>
#include <numeric>

#include "tests/differential/fuzzer/drawing.h"

namespace ortc::fuzz {
namespace {

constexpr TypeMask kAll = kNumbers | kFlags | kTexts;

int64_t rank_of(Drawing& d, const std::string& x) {
  return static_cast<int64_t>(d.dims_of(x).size());
}

void transpose(Drawing& d) {
  const std::string x = d.any(kAll, 0, 5);
  std::vector<int64_t> order(d.dims_of(x).size());
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1],
              order[static_cast<size_t>(d.chance().between(0, static_cast<int64_t>(i) - 1))]);
  }
  Attributes attributes;
  if (!d.chance().one_in(5)) attributes.push_back(of_ints("perm", order));
  d.add("Transpose", {x}, attributes);
}

// The same number of elements in other axes: neighbours joined, or one split.
void reshape(Drawing& d) {
  const std::string x = d.any(kAll, 1, 4);
  std::vector<int64_t> dims = d.dims_of(x);
  if (dims.size() > 1 && d.chance().one_in(2)) {
    const auto at =
        static_cast<size_t>(d.chance().between(0, static_cast<int64_t>(dims.size()) - 2));
    dims[at] *= dims[at + 1];
    dims.erase(dims.begin() + static_cast<long>(at) + 1);
  } else if (!dims.empty() && dims[0] > 0 && dims[0] % 2 == 0) {
    dims[0] /= 2;
    dims.insert(dims.begin(), 2);
  } else {
    dims.push_back(1);
  }
  const bool has_none = count_of(dims) == 0;
  const auto at = static_cast<size_t>(d.chance().between(0, static_cast<int64_t>(dims.size()) - 1));
  if (!has_none && d.chance().one_in(2)) dims[at] = -1;
  if (!has_none && at != 0 && dims[0] == d.dims_of(x)[0] && d.chance().one_in(2)) dims[0] = 0;
  Attributes attributes;
  if (has_none) attributes.push_back(of_int("allowzero", 1));
  d.add("Reshape", {x, d.ints(dims)}, attributes);
}

void flatten(Drawing& d) {
  const std::string x = d.any(kAll, 1, 4);
  d.add("Flatten", {x}, {of_int("axis", d.chance().between(-rank_of(d, x), rank_of(d, x)))});
}

void squeeze(Drawing& d) {
  std::string x = d.any(kAll, 0, 3);
  Dims dims = d.dims_of(x);
  std::vector<int64_t> axes;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1)
      axes.push_back(static_cast<int64_t>(i) - (d.chance().one_in(2) ? rank_of(d, x) : 0));
  }
  d.add("Squeeze", {x, axes.empty() || d.chance().one_in(3) ? "" : d.ints(axes)});
}

void unsqueeze(Drawing& d) {
  const std::string x = d.any(kAll, 0, 3);
  const int64_t rank = rank_of(d, x) + 1;
  d.add("Unsqueeze", {x, d.ints({d.chance().between(-rank, rank - 1)})});
}

void concat(Drawing& d) {
  const std::string x = d.any(kAll, 1, 4);
  const int64_t axis = d.axis_of(d.dims_of(x));
  Names inputs{x};
  for (int64_t i = d.chance().between(0, 3); i > 0; --i) {
    Dims dims = d.dims_of(x);
    if (dims.empty()) return;
    if (d.chance().one_in(2)) dims[Drawing::front(axis, dims)] = d.chance().between(0, 4);
    inputs.push_back(d.like(d.type_of(x), dims));
  }
  d.add("Concat", inputs, {of_int("axis", axis)});
}

void split(Drawing& d) {
  const std::string x = d.any(kAll, 1, 4);
  const int64_t axis = d.axis_of(d.dims_of(x));
  if (d.dims_of(x).empty()) return;
  const int64_t size = d.dims_of(x)[Drawing::front(axis, d.dims_of(x))];
  const auto keep = static_cast<unsigned>(d.chance().between(1, 3));
  if (size >= 2 && d.chance().one_in(3)) {
    d.add_many("Split", {x}, {of_int("axis", axis), of_int("num_outputs", 2)}, 2, "", keep);
    return;
  }
  const int64_t first = d.chance().between(0, size);
  d.add_many("Split", {x, d.ints({first, size - first})}, {of_int("axis", axis)}, 2, "", keep);
}

void slice(Drawing& d) {
  const std::string x = d.any(kAll, 1, 4);
  std::vector<int64_t> starts, ends, axes, steps;
  for (int64_t i = 0; i < rank_of(d, x); ++i) {
    if (d.chance().one_in(2) && i > 0) continue;
    const int64_t size = d.dims_of(x)[static_cast<size_t>(i)];
    const bool backwards = d.chance().one_in(3);
    starts.push_back(backwards ? d.chance().between(-1, size)
                               : d.chance().between(-size, std::max<int64_t>(size - 1, 0)));
    ends.push_back(backwards              ? -size - 1 - d.chance().between(0, 3)
                   : d.chance().one_in(2) ? INT64_MAX
                                          : size - d.chance().between(0, 1));
    axes.push_back(d.chance().one_in(2) ? i : i - rank_of(d, x));
    steps.push_back(backwards              ? -d.chance().between(1, 2)
                    : d.chance().one_in(2) ? 1
                                           : d.chance().between(1, 3));
  }
  d.add("Slice", {x, d.ints(starts), d.ints(ends), d.ints(axes), d.ints(steps)});
}

void expand(Drawing& d) {
  const std::string x = d.any(kAll, 0, 3);
  std::vector<int64_t> dims = d.dims_of(x);
  for (int64_t& dim : dims)
    dim = dim == 1 ? d.chance().between(1, 5) : d.chance().one_in(3) ? 1 : dim;
  if (d.chance().one_in(3)) dims.insert(dims.begin(), d.chance().between(1, 3));
  d.add("Expand", {x, d.ints(dims)});
}

void tile(Drawing& d) {
  const std::string x = d.any(kAll, 1, 4);
  std::vector<int64_t> repeats(d.dims_of(x).size());
  for (int64_t& one : repeats) one = d.chance().one_in(20) ? 0 : d.chance().between(1, 2);
  d.add("Tile", {x, d.ints(repeats)});
}

void pad(Drawing& d) {
  static const std::vector<std::string> kModes = {"constant", "edge", "reflect", "wrap"};
  const std::string x = d.any(kNumbers | kFlags, 1, 4);
  const std::string mode = d.chance().of(kModes);
  const Dims& dims = d.dims_of(x);
  std::vector<int64_t> pads(2 * dims.size(), 0);
  for (size_t i = 0; i < pads.size(); ++i) {
    const int64_t size = dims[i % dims.size()];
    const int64_t most = mode == "constant" ? 3
                         : mode == "edge"   ? (size > 0 ? 2 : 0)
                                            : std::min<int64_t>(2, size - 1);
    if (d.chance().one_in(2) && most > 0) pads[i] = d.chance().between(0, most);
    if (mode == "constant" && size > 3 && d.chance().one_in(8)) pads[i] = -1;
  }
  const bool has_value = mode == "constant" && d.chance().one_in(2);
  d.add("Pad", {x, d.ints(pads), has_value ? d.scalar(d.type_of(x), 1) : ""},
        {of_text("mode", mode)});
}

void depth_to_space(Drawing& d) {
  const DType dtype = d.type(kFloats);
  const std::string x = d.like(dtype, {d.chance().between(1, 2), 4 * d.chance().between(1, 3),
                                       d.chance().between(1, 4), d.chance().between(1, 4)});
  d.add("DepthToSpace", {x},
        {of_int("blocksize", 2), of_text("mode", d.chance().one_in(2) ? "DCR" : "CRD")});
}

void space_to_depth(Drawing& d) {
  const DType dtype = d.type(kFloats);
  const std::string x = d.like(dtype, {d.chance().between(1, 2), d.chance().between(1, 3),
                                       2 * d.chance().between(1, 4), 2 * d.chance().between(1, 4)});
  d.add("SpaceToDepth", {x}, {of_int("blocksize", 2)});
}

void triangle(Drawing& d) {
  const std::string x = d.any(kFloats | mask_of(DType::kInt64, DType::kInt32, DType::kBool), 2, 4);
  const std::string k =
      d.chance().one_in(2) ? d.scalar(DType::kInt64, static_cast<double>(d.chance().between(-3, 3)))
                           : "";
  d.add("Trilu", {x, k}, {of_int("upper", d.chance().between(0, 1))});
}

void centre(Drawing& d) {
  const std::string x = d.any(kNumbers, 1, 4);
  const int64_t axis = d.axis_of(d.dims_of(x));
  if (d.dims_of(x).empty()) return;
  const int64_t size = d.dims_of(x)[Drawing::front(axis, d.dims_of(x))];
  d.add("CenterCropPad", {x, d.ints({std::max<int64_t>(0, size + d.chance().between(-3, 3))})},
        {of_ints("axes", {axis})});
}

void eye(Drawing& d) {
  const std::string x = d.any(kNumbers, 2, 2);
  Attributes attributes{of_int("k", d.chance().between(-2, 2))};
  if (d.chance().one_in(2))
    attributes.push_back(of_int("dtype", static_cast<int64_t>(DType::kInt64)));
  d.add("EyeLike", {x}, attributes);
}

template <bool is_shape>
void shape(Drawing& d) {
  const std::string x = d.any(kAll, 0, 4);
  Attributes attributes;
  if (is_shape && d.chance().one_in(2)) {
    attributes = {of_int("start", d.chance().between(-2, 1)),
                  of_int("end", d.chance().between(0, 4))};
  }
  d.add(is_shape ? "Shape" : "Size", {x}, attributes);
}

// Shape arithmetic as exporters write it: an axis asked for and used again.
void constant_of_shape(Drawing& d) {
  const std::string x = d.any(kNumbers, 1, 3);
  const std::string dims = d.chance().one_in(2) ? d.add("Shape", {x}) : d.ints(d.dims_of(x));
  Attributes attributes;
  if (d.chance().one_in(2)) {
    attributes.push_back({"value", tensor_of(d.type(kNumbers), {1}, {1})});
  }
  d.add("ConstantOfShape", {dims}, attributes);
}

void range(Drawing& d) {
  const DType dtype =
      d.type(mask_of(DType::kFloat32, DType::kInt64, DType::kInt32, DType::kFloat64));
  const int64_t step = d.chance().of(std::vector<int64_t>{1, 2, 3, -1, -2});
  const int64_t start = d.chance().between(-3, 3);
  const int64_t limit = start + step * d.chance().between(0, 6);
  d.add("Range",
        {d.scalar(dtype, static_cast<double>(start)),
         d.input(dtype, {}, {Fill::kWhole, static_cast<double>(limit), static_cast<double>(limit)}),
         d.scalar(dtype, static_cast<double>(step))});
}

void col2im(Drawing& d) {
  const int64_t height = d.chance().between(3, 5), width = d.chance().between(3, 5);
  const Dims dims{d.chance().between(1, 2), 4 * d.chance().between(1, 2),
                  (height - 1) * (width - 1)};
  d.add("Col2Im", {d.like(d.type(kFloats), dims), d.ints({height, width}), d.ints({2, 2})});
}

void constant_node(Drawing& d) {
  const int64_t kind = d.chance().between(0, 3);
  const Dims dims = d.dims(0, 2);
  if (kind == 0)
    d.add("Constant", {},
          {{"value", filled(d.chance(), d.type(kNumbers), dims, {Fill::kWhole, 0, 3})}});
  if (kind == 1) d.add("Constant", {}, {of_ints("value_ints", {1, 2, 3})});
  if (kind == 2) d.add("Constant", {}, {of_float("value_float", 0.5)});
  if (kind == 3) d.add("Constant", {}, {{"value_floats", std::vector<float>{1, 2, 0.5f}}});
}

}  // namespace

std::vector<OperatorRow> movement_rows() {
  return {
      {"Transpose", "", 13, kExact, 0, transpose},
      {"Reshape", "", 14, kExact, 0, reshape},
      {"Flatten", "", 13, kExact, 0, flatten},
      {"Squeeze", "", 13, kExact, 0, squeeze},
      {"Unsqueeze", "", 13, kExact, 0, unsqueeze},
      {"Concat", "", 13, kExact, 0, concat},
      {"Split", "", 18, kExact, 0, split},
      {"Slice", "", 13, kExact, 0, slice},
      {"Expand", "", 13, kExact, 0, expand},
      {"Tile", "", 13, kExact, 0, tile},
      {"Pad", "", 19, kExact, 0, pad},
      {"DepthToSpace", "", 13, kExact, 0, depth_to_space},
      {"SpaceToDepth", "", 13, kExact, 0, space_to_depth},
      {"Trilu", "", 14, kExact, 0, triangle},
      {"CenterCropPad", "", 18, kExact, 0, centre},
      {"EyeLike", "", 9, kExact | kOwnRules, 0, eye},
      {"Shape", "", 15, kExact, 0, shape<true>},
      {"Size", "", 13, kExact, 0, shape<false>},
      {"ConstantOfShape", "", 9, kExact, 0, constant_of_shape},
      {"Range", "", 11, kPlain, 4, range},
      {"Col2Im", "", 18, kPlain, 4, col2im},
      {"Constant", "", 13, kExact, 0, constant_node},
  };
}

}  // namespace ortc::fuzz
