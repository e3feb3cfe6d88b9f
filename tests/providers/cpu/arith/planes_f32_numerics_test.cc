// SPDX-License-Identifier: MIT
// f32 convolutions over planes at every number of channels, columns and taps from 1 to 67 and with
// special numbers, within their bound; and planes, which are copies.
#include "providers/cpu/arith/planes_f32/planes_f32.h"
#include "tests/providers/cpu/arith/numerics.h"

namespace ortc::cpu {
namespace {

using testing::kUntouched;
using testing::Random;

struct Axis {
  size_t in = 1, kernel = 1, stride = 1, dilation = 1, pad = 0;

  size_t reach() const { return (kernel - 1) * dilation; }
  size_t out() const { return (in + 2 * pad - reach() - 1) / stride + 1; }
  size_t phases() const { return std::min(stride, reach() + 1); }
  size_t extent() const { return out() + reach() / stride; }
  size_t phase(size_t tap) const { return tap * dilation % stride; }
  size_t step(size_t tap) const { return tap * dilation / stride; }
};

struct PlanesShape {
  size_t in_c = 1, out_c = 1;
  Axis down, across;
  size_t depth() const { return in_c * down.kernel * across.kernel; }
};

PlanesShape planes_shape(size_t in_c, size_t out_c, size_t h, size_t w, size_t kernel_h,
                         size_t kernel_w, size_t stride = 1, size_t dilation = 1, size_t pad = 0) {
  return {in_c, out_c, {h, kernel_h, stride, dilation, pad}, {w, kernel_w, stride, dilation, pad}};
}

struct PlanesConvolution {
  PlanesShape shape;
  std::vector<float> x, w, bias;

  explicit PlanesConvolution(const PlanesShape& s) : shape(s) {
    Random random(s.in_c * 131 + s.across.in * 7 + s.out_c);
    x = random.floats(s.in_c * s.down.in * s.across.in);
    w = random.floats(s.out_c * s.depth());
    bias = random.floats(s.out_c);
  }

  std::pair<double, double> exact(size_t channel, size_t oh, size_t ow) const {
    const Axis &down = shape.down, &across = shape.across;
    double sum = bias[channel], size = std::fabs(bias[channel]);
    for (size_t k = 0; k < shape.depth(); ++k) {
      const size_t j = k % across.kernel, i = k / across.kernel % down.kernel;
      const size_t row = oh * down.stride + i * down.dilation - down.pad;
      const size_t column = ow * across.stride + j * across.dilation - across.pad;
      if (row >= down.in || column >= across.in) continue;  // negative ones are huge
      const size_t c = k / across.kernel / down.kernel;
      const double term = static_cast<double>(x[(c * down.in + row) * across.in + column]) *
                          static_cast<double>(w[channel * shape.depth() + k]);
      sum += term;
      size += std::fabs(term);
    }
    return {sum, size};
  }
};

// The image of a convolution on planes, in lines that are `more` floats longer than they must be.
struct Planes {
  std::vector<float> x;
  std::vector<uint32_t> places;
  size_t pitch = 0, front = 0, plane = 0;

  Planes(const PlanesConvolution& c, Isa isa, size_t more) {
    const Axis &down = c.shape.down, &across = c.shape.across;
    front = phase_begin(across.pad, across.stride, 0);
    pitch = across.out();
    for (size_t p = 0; p < across.phases(); ++p) {
      const size_t begin = phase_begin(across.pad, across.stride, p);
      pitch = std::max({pitch, across.extent() - std::min(begin, across.extent()),
                        begin + phase_count(across.in, across.pad, across.stride, p)});
    }
    pitch += more;
    plane = front + down.extent() * pitch + kPlaneSlack;
    const size_t planes_per_channel = down.phases() * across.phases();
    x.assign(c.shape.in_c * planes_per_channel * plane, kUntouched);
    for (size_t channel = 0; channel < c.shape.in_c; ++channel) {
      for (size_t p = 0; p < down.phases(); ++p) {
        const size_t first = (channel * down.phases() + p) * across.phases() * plane;
        spread(c, isa, channel, p, x.data() + first);
      }
    }
    find_places(c.shape);
  }

  void spread(const PlanesConvolution& c, Isa isa, size_t channel, size_t phase, float* to) const {
    const Axis &down = c.shape.down, &across = c.shape.across;
    SpreadF32 s;
    s.above = std::min(down.extent(), phase_begin(down.pad, down.stride, phase));
    s.lines = std::min(down.extent() - s.above, phase_count(down.in, down.pad, down.stride, phase));
    s.below = down.extent() - s.above - s.lines;
    s.x = c.x.data() + channel * down.in * across.in;
    if (s.lines > 0) s.x += (s.above * down.stride + phase - down.pad) * across.in;
    s.x_ld = down.stride * across.in;
    s.in = across.in;
    s.pad = across.pad;
    s.stride = across.stride;
    s.phases = across.phases();
    s.to = to;
    s.plane = plane;
    s.front = front;
    s.pitch = pitch;
    planes_f32_kernels(isa).spread(s);
  }

  void find_places(const PlanesShape& s) {
    for (size_t k = 0; k < s.depth(); ++k) {
      const size_t j = k % s.across.kernel, i = k / s.across.kernel % s.down.kernel;
      const size_t channel = k / s.across.kernel / s.down.kernel;
      const size_t phase = s.across.phase(j);
      const size_t at = (channel * s.down.phases() + s.down.phase(i)) * s.across.phases() + phase;
      places.push_back(static_cast<uint32_t>(at * plane + front + s.down.step(i) * pitch +
                                             s.across.step(j) -
                                             phase_begin(s.across.pad, s.across.stride, phase)));
    }
  }
};

PlanesF32 planes_of(const PlanesConvolution& c, const Planes& planes) {
  const Axis &down = c.shape.down, &across = c.shape.across;
  PlanesF32 p;
  p.x = planes.x.data();
  p.places = planes.places.data();
  p.depth = p.w_ld = c.shape.depth();
  p.pitch = planes.pitch;
  p.rows = down.out();
  p.columns = across.out();
  p.channels = c.shape.out_c;
  p.w = c.w.data();
  p.bias = c.bias.data();
  p.y_ld = p.rows * p.columns;
  const bool is_dense = c.shape.in_c == 1 && down.stride == 1 && down.dilation == 1 &&
                        across.stride == 1 && across.dilation == 1;
  p.row_taps = is_dense ? across.kernel : 0;
  return p;
}

// As threads would divide channels and rows.
template <typename Run>
void run_parts(const Run& run, const PlanesF32& whole, size_t count, float* y) {
  for (const auto& [c0, c1] : testing::parts_of(whole.channels, count)) {
    for (const auto& [r0, r1] : testing::parts_of(whole.rows, count)) {
      if (c0 == c1 || r0 == r1) continue;
      PlanesF32 part = whole;
      part.x += r0 * whole.pitch;
      part.w += c0 * whole.w_ld;
      part.bias += c0;
      part.channels = c1 - c0;
      part.rows = r1 - r0;
      part.y = y + c0 * whole.y_ld + r0 * whole.columns;
      run(part);
    }
  }
}

template <typename Run>
void check_run(const PlanesConvolution& c, const Planes& planes, const Run& run,
               std::vector<float>& first) {
  PlanesF32 p = planes_of(c, planes);
  std::vector<float> y(c.shape.out_c * p.y_ld + 1, kUntouched);
  p.y = y.data();
  run(p);
  CHECK_EQ(y.back(), kUntouched);
  for (size_t i = 0; i + 1 < y.size(); ++i) {
    const auto [sum, size] = c.exact(i / p.y_ld, i % p.y_ld / p.columns, i % p.columns);
    CHECK_WITHIN(y[i], sum, conv_f32_error(c.shape.depth()) * size);
  }
  for (const size_t count : testing::kCuts) {
    std::vector<float> parts(y.size(), kUntouched);
    run_parts(run, p, count, parts.data());
    CHECK(testing::same_bytes(y, parts));
  }
  if (first.empty()) first = y;
  CHECK(testing::same_bytes(y, first));  // one order of summation for all
}

void check_planes(const PlanesConvolution& c) {
  for (const Isa isa : testing::runnable_isas()) {
    const PlanesF32Kernels& kernels = planes_f32_kernels(isa);
    std::vector<float> first;
    for (const size_t more : {0, 5}) {
      const Planes planes(c, isa, more);
      check_run(
          c, planes, [&](const PlanesF32& p) { kernels.product(p); }, first);
      check_run(
          c, planes, [&](const PlanesF32& p) { kernels.window(p); }, first);
    }
  }
}

TEST(planes_f32_numerics, every_number_of_channels_keeps_the_bound) {
  for (size_t size = 1; size <= testing::kLargestSize; ++size) {
    check_planes(PlanesConvolution(planes_shape(1, size, 5, 7, 3, 3, 1, 1, 1)));
    check_planes(PlanesConvolution(planes_shape(size, 3, 4, 6, 3, 3, 2, 1, 1)));
    check_planes(PlanesConvolution(planes_shape(size, 9, 3, 5, 1, 1)));
  }
}

TEST(planes_f32_numerics, every_size_of_image_keeps_the_bound) {
  for (size_t size = 1; size <= testing::kLargestSize; ++size) {
    check_planes(PlanesConvolution(planes_shape(1, 1, 9, size, 3, 3, 1, 1, 1)));
    check_planes(PlanesConvolution(planes_shape(1, 2, size, 3, 5, 5, 1, 1, 2)));
    check_planes(PlanesConvolution(planes_shape(1, 1, 8, size, 7, 7, 1, 1, 3)));
    check_planes(PlanesConvolution(planes_shape(1, 5, 5, size, 3, 3, 2, 1, 1)));
    check_planes(PlanesConvolution(planes_shape(2, 3, 6, size, 5, 5, 3, 1, 2)));
    check_planes(PlanesConvolution(planes_shape(2, 1, 4, size, 1, 1, 3)));
    check_planes(PlanesConvolution(planes_shape(1, 2, 7, size, 3, 3, 4, 1, 1)));
    check_planes(PlanesConvolution(planes_shape(1, 1, 5, size, 3, 3, 1, 2, 2)));
    check_planes(PlanesConvolution(planes_shape(3, 2, 5, size, 1, 1, 2)));
    check_planes(PlanesConvolution(planes_shape(2, 2, 4, size, 1, 1, 2, 1, 1)));
  }
}

TEST(planes_f32_numerics, every_number_of_taps_keeps_the_bound) {
  for (size_t size = 1; size <= testing::kLargestSize; ++size) {
    check_planes(PlanesConvolution(planes_shape(1, 2, 1, size + 4, 1, size)));
    check_planes(PlanesConvolution(planes_shape(1, 3, size + 3, 1, size, 1)));
    check_planes(PlanesConvolution(planes_shape(1, 1, 1, size + 40, 1, size, 2)));
  }
}

TEST(planes_f32_numerics, uneven_windows_keep_the_bound) {
  for (size_t size = 9; size <= testing::kLargestSize; ++size) {
    check_planes(PlanesConvolution({2, 3, {size, 3, 2, 3, 3}, {11, 2, 3, 2, 1}}));
    check_planes(PlanesConvolution({1, 2, {7, 2, 1, 1, 0}, {size, 5, 2, 2, 4}}));
    check_planes(PlanesConvolution({1, 1, {5, 3, 2, 1, 1}, {size, 4, 4, 1, 0}}));
  }
}

TEST(planes_f32_numerics, special_numbers_reach_the_windows_that_see_them_and_no_others) {
  for (const float special : testing::special_floats()) {
    for (const size_t side : {3, 5, 7}) {
      PlanesConvolution c(planes_shape(1, 2, 11, 40, side, side, 1, 1, side / 2));
      c.x[5 * 40 + 17] = special;
      c.x.back() = special;
      check_planes(c);
    }
    PlanesConvolution c(planes_shape(2, 9, 7, 41, 3, 3, 2, 1, 1));
    c.x[3 * 41 + 40] = special;
    check_planes(c);
  }
}

}  // namespace
}  // namespace ortc::cpu
