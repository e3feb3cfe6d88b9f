// SPDX-License-Identifier: MIT
// Pools in ONNX's layout by plain double loops: what pool tests compare with.
#pragma once

#include <algorithm>
#include <limits>

#include "tests/providers/cpu/kernels/conv_testing.h"

namespace ortc::cpu::testing {

enum class PoolKind { kMax, kAverage, kLp };

struct PoolCase {
  Dims x;       // [n, c, spatial..]
  Dims kernel;  // [spatial..]
  Dims strides = {}, pads = {}, dilations = {};
  bool ceil = false, include_pad = false;
  const char* auto_pad = "";
  Dims same_pads = {};  // what auto_pad comes to
  Dims out = {};        // spatial extents of the result
  int64_t p = 2;        // of an Lp pool

  size_t rank() const { return kernel.size(); }
  int64_t pad(size_t i) const {
    const Dims& own = same_pads.empty() ? pads : same_pads;
    return own.empty() ? 0 : own[i];
  }
  Dims y_dims() const {
    Dims dims = {x[0], x[1]};
    dims.insert(dims.end(), out.begin(), out.end());
    return dims;
  }
  std::vector<Attribute> attributes() const {
    std::vector<Attribute> list = {Attribute::of_ints("kernel_shape", kernel)};
    if (!strides.empty()) list.push_back(Attribute::of_ints("strides", strides));
    if (!pads.empty()) list.push_back(Attribute::of_ints("pads", pads));
    if (!dilations.empty()) list.push_back(Attribute::of_ints("dilations", dilations));
    if (auto_pad[0] != 0) list.push_back(Attribute::of_string("auto_pad", auto_pad));
    if (ceil) list.push_back(Attribute::of_int("ceil_mode", 1));
    if (include_pad) list.push_back(Attribute::of_int("count_include_pad", 1));
    return list;
  }
};

inline std::vector<double> plain_pool(const PoolCase& c, PoolKind kind, std::span<const float> x) {
  std::vector<double> y;
  for_each_index(c.y_dims(), [&](const Dims& at) {
    double top = -std::numeric_limits<double>::infinity(), sum = 0, powers = 0;
    int64_t count = 0;
    for_each_index(c.kernel, [&](const Dims& tap) {
      Dims from = {at[0], at[1]};
      bool inside = true, padded = true;
      for (size_t i = 0; i < c.rank(); ++i) {
        const int64_t stride = c.strides.empty() ? 1 : c.strides[i];
        const int64_t dilation = c.dilations.empty() ? 1 : c.dilations[i];
        const int64_t place = at[i + 2] * stride - c.pad(i) + tap[i] * dilation;
        inside = inside && place >= 0 && place < c.x[i + 2];
        padded = padded && place < c.x[i + 2] + c.pad(i + c.rank());
        from.push_back(place);
      }
      count += c.include_pad ? padded : inside;
      if (!inside) return;
      const double v = x[flat(c.x, from)];
      top = std::max(top, v);
      sum += v;
      powers += std::pow(std::fabs(v), static_cast<double>(c.p));
    });
    y.push_back(kind == PoolKind::kMax       ? top
                : kind == PoolKind::kAverage ? sum / static_cast<double>(count)
                                             : std::pow(powers, 1.0 / static_cast<double>(c.p)));
  });
  return y;
}

// Cases that every pool must know; of two spatial axes.
inline std::vector<PoolCase> pool_cases() {
  return {
      {.x = {2, 20, 12, 13}, .kernel = {3, 2}, .out = {10, 12}},
      {.x = {1, 5, 112, 112},
       .kernel = {3, 3},
       .strides = {2, 2},
       .pads = {1, 1, 1, 1},
       .out = {56, 56}},
      {.x = {1, 70, 9, 9}, .kernel = {3, 3}, .strides = {2, 2}, .ceil = true, .out = {4, 4}},
      {.x = {1, 3, 6, 6}, .kernel = {3, 3}, .strides = {2, 2}, .ceil = true, .out = {3, 3}},
      {.x = {1, 3, 6, 7},
       .kernel = {3, 3},
       .strides = {2, 2},
       .pads = {1, 1, 1, 1},
       .ceil = true,
       .include_pad = true,
       .out = {4, 4}},
      {.x = {1, 3, 8, 8},
       .kernel = {2, 2},
       .pads = {1, 1, 0, 1},
       .include_pad = true,
       .out = {8, 9}},
      {.x = {1, 3, 9, 8}, .kernel = {3, 2}, .dilations = {2, 3}, .out = {5, 5}},
      {.x = {1, 3, 9, 8},
       .kernel = {3, 2},
       .strides = {2, 1},
       .auto_pad = "SAME_UPPER",
       .same_pads = {1, 0, 1, 1},
       .out = {5, 8}},
      {.x = {1, 3, 9, 8},
       .kernel = {3, 2},
       .strides = {2, 1},
       .auto_pad = "SAME_LOWER",
       .same_pads = {1, 1, 1, 0},
       .out = {5, 8}},
      {.x = {1, 3, 9, 8}, .kernel = {3, 2}, .strides = {2, 2}, .auto_pad = "VALID", .out = {4, 4}},
  };
}

}  // namespace ortc::cpu::testing
