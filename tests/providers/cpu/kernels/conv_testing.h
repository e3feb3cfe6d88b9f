// SPDX-License-Identifier: MIT
// Convolutions in ONNX's layout by plain double loops, over up to three spatial axes, and the
// exchange of layouts. What convolution tests compare with.
#pragma once

#include "tests/providers/cpu/kernels/node_case.h"

namespace ortc::cpu::testing {

struct ConvCase {
  Dims x;  // [n, ci, spatial..]
  Dims w;  // [co, ci / group, spatial..]; transposed: [ci, co / group, spatial..]
  int64_t group = 1;
  Dims strides = {}, pads = {}, dilations = {};
  const char* auto_pad = "";
  Dims same_pads = {};  // what auto_pad comes to

  size_t rank() const { return x.size() - 2; }
  int64_t stride(size_t i) const { return strides.empty() ? 1 : strides[i]; }
  int64_t dilation(size_t i) const { return dilations.empty() ? 1 : dilations[i]; }
  int64_t pad(size_t i) const {
    const Dims& own = same_pads.empty() ? pads : same_pads;
    return own.empty() ? 0 : own[i];
  }
  int64_t out(size_t i) const {
    return (x[i + 2] + pad(i) + pad(i + rank()) - dilation(i) * (w[i + 2] - 1) - 1) / stride(i) + 1;
  }
  Dims y_dims() const {
    Dims dims = {x[0], w[0]};
    for (size_t i = 0; i < rank(); ++i) dims.push_back(out(i));
    return dims;
  }
  std::vector<Attribute> attributes() const {
    std::vector<Attribute> list = {Attribute::of_int("group", group)};
    if (!strides.empty()) list.push_back(Attribute::of_ints("strides", strides));
    if (!pads.empty()) list.push_back(Attribute::of_ints("pads", pads));
    if (!dilations.empty()) list.push_back(Attribute::of_ints("dilations", dilations));
    if (auto_pad[0] != 0) list.push_back(Attribute::of_string("auto_pad", auto_pad));
    return list;
  }
};

// Calls f(index) for every index of dims, last axis fastest.
template <typename F>
void for_each_index(const Dims& dims, F&& f) {
  Dims index(dims.size(), 0);
  for (int64_t d : dims) {
    if (d == 0) return;
  }
  for (;;) {
    f(index);
    size_t d = dims.size();
    while (d > 0 && ++index[d - 1] == dims[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

inline size_t flat(const Dims& dims, const Dims& index) {
  int64_t at = 0;
  for (size_t d = 0; d < dims.size(); ++d) at = at * dims[d] + index[d];
  return static_cast<size_t>(at);
}

inline std::vector<double> plain_conv(const ConvCase& c, std::span<const float> x,
                                      std::span<const float> w, const Tensor& bias) {
  const Dims y_dims = c.y_dims();
  const int64_t group_in = c.w[1], group_out = c.w[0] / c.group;
  const Dims taps(c.w.begin() + 1, c.w.end());
  std::vector<double> y;
  for_each_index(y_dims, [&](const Dims& at) {
    double sum = bias.is_defined() ? bias.elements<float>()[static_cast<size_t>(at[1])] : 0.0;
    for_each_index(taps, [&](const Dims& tap) {
      int64_t from = at[0] * c.x[1] + at[1] / group_out * group_in + tap[0];
      int64_t weight = at[1] * c.w[1] + tap[0];
      for (size_t i = 0; i < c.rank(); ++i) {
        const int64_t place = at[i + 2] * c.stride(i) - c.pad(i) + tap[i + 1] * c.dilation(i);
        if (place < 0 || place >= c.x[i + 2]) return;
        from = from * c.x[i + 2] + place;
        weight = weight * c.w[i + 2] + tap[i + 1];
      }
      sum += static_cast<double>(x[static_cast<size_t>(from)]) * w[static_cast<size_t>(weight)];
    });
    y.push_back(sum);
  });
  return y;
}

inline Tensor channels_last(const Tensor& x) {
  const Dims& d = x.dims();
  Tensor y = Tensor::create(DType::kFloat32, {d[0], d[2], d[3], d[1]}).value();
  for_each_index(d, [&](const Dims& i) {
    y.mutable_elements<float>()[flat(y.dims(), {i[0], i[2], i[3], i[1]})] =
        x.elements<float>()[flat(d, i)];
  });
  return y;
}

inline std::vector<double> channels_last(const std::vector<double>& x, const Dims& d) {
  const Dims to = {d[0], d[2], d[3], d[1]};
  std::vector<double> y(x.size());
  for_each_index(d, [&](const Dims& i) { y[flat(to, {i[0], i[2], i[3], i[1]})] = x[flat(d, i)]; });
  return y;
}

// A transposed convolution; the weights are [ci, co / group, spatial..].
struct Transposed {
  ConvCase c;  // w is [ci, co / group, spatial..]
  Dims out;    // spatial
  Dims output_padding = {}, output_shape = {};

  Dims y_dims() const {
    Dims dims = {c.x[0], c.w[1] * c.group};
    dims.insert(dims.end(), out.begin(), out.end());
    return dims;
  }
  std::vector<Attribute> attributes() const {
    std::vector<Attribute> list = c.attributes();
    if (!output_padding.empty()) {
      list.push_back(Attribute::of_ints("output_padding", output_padding));
    }
    if (!output_shape.empty()) list.push_back(Attribute::of_ints("output_shape", output_shape));
    return list;
  }
};

inline std::vector<double> plain_transposed(const Transposed& t, std::span<const float> x,
                                            std::span<const float> w, const Tensor& bias) {
  const ConvCase& c = t.c;
  const Dims y_dims = t.y_dims();
  std::vector<double> y;
  for_each_index(y_dims, [&](const Dims& at) {
    y.push_back(bias.is_defined() ? bias.elements<float>()[static_cast<size_t>(at[1])] : 0.0);
  });
  for_each_index(c.x, [&](const Dims& from) {
    for_each_index(Dims(c.w.begin() + 1, c.w.end()), [&](const Dims& tap) {
      int64_t to = from[0] * y_dims[1] + from[1] / (c.x[1] / c.group) * c.w[1] + tap[0];
      int64_t weight = from[1] * c.w[1] + tap[0];
      for (size_t i = 0; i < c.rank(); ++i) {
        const int64_t place = from[i + 2] * c.stride(i) + tap[i + 1] * c.dilation(i) - c.pad(i);
        if (place < 0 || place >= t.out[i]) return;
        to = to * t.out[i] + place;
        weight = weight * c.w[i + 2] + tap[i + 1];
      }
      y[static_cast<size_t>(to)] += static_cast<double>(x[flat(c.x, from)]) *
                                    static_cast<double>(w[static_cast<size_t>(weight)]);
    });
  });
  return y;
}

}  // namespace ortc::cpu::testing
