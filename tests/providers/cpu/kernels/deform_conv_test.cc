// SPDX-License-Identifier: MIT
// DeformConv against a plain loop over taps, in double precision.
#include <cmath>

#include "tests/providers/cpu/kernels/node_case.h"

namespace ortc::cpu {
namespace {

using testing::random_tensor;

struct Form {
  Dims x, w;
  int64_t groups = 1, offset_groups = 1, stride = 1, dilation = 1, pad = 0;
  bool has_bias = false, has_mask = false;

  int64_t out(size_t axis) const {
    return (x[axis] + 2 * pad - dilation * (w[axis] - 1) - 1) / stride + 1;
  }
};

double pixel(const float* image, int64_t height, int64_t width, double y, double x) {
  if (!(y > -1 && y < double(height) && x > -1 && x < double(width))) return 0;
  double sum = 0;
  for (int64_t i = 0; i < height; ++i) {
    for (int64_t j = 0; j < width; ++j) {
      const double v = 1 - std::fabs(y - double(i)), u = 1 - std::fabs(x - double(j));
      if (v > 0 && u > 0) sum += v * u * double{image[i * width + j]};
    }
  }
  return sum;
}

// The sum of one output pixel; offsets are rounded as floats are.
double plain(const Form& f, const std::vector<Tensor>& in, int64_t n, int64_t m, int64_t i,
             int64_t j) {
  const int64_t height = f.out(2), width = f.out(3), out = height * width, taps = f.w[2] * f.w[3];
  double sum = f.has_bias ? double{in[3].elements<float>()[size_t(m)]} : 0;
  const int64_t first = m / (f.w[0] / f.groups) * f.w[1], p = i * width + j;
  for (int64_t c = first; c < first + f.w[1]; ++c) {
    for (int64_t k = 0; k < taps; ++k) {
      const int64_t group = c / (f.x[1] / f.offset_groups);
      const int64_t map = (n * f.offset_groups + group) * taps + k;
      const float* offset = in[2].elements<float>().data() + 2 * map * out;
      const float y = float(i * f.stride + k / f.w[3] * f.dilation - f.pad) + offset[p];
      const float x = float(j * f.stride + k % f.w[3] * f.dilation - f.pad) + offset[out + p];
      const float* image = in[0].elements<float>().data() + (n * f.x[1] + c) * f.x[2] * f.x[3];
      const double mask = f.has_mask ? double{in[4].elements<float>()[size_t(map * out + p)]} : 1;
      sum += mask * pixel(image, f.x[2], f.x[3], double{y}, double{x}) *
             double{in[1].elements<float>()[size_t((m * f.w[1] + c - first) * taps + k)]};
    }
  }
  return sum;
}

std::vector<Tensor> inputs_of(const Form& f) {
  const int64_t maps = f.offset_groups * f.w[2] * f.w[3];
  std::vector<Tensor> in = {
      random_tensor(f.x, 1), random_tensor(f.w, 2),
      random_tensor({f.x[0], 2 * maps, f.out(2), f.out(3)}, 3, -4, 4),
      f.has_bias ? random_tensor({f.w[0]}, 4) : Tensor(),
      f.has_mask ? random_tensor({f.x[0], maps, f.out(2), f.out(3)}, 5) : Tensor()};
  return in;
}

testing::NodeCase case_of(const Form& f) {
  return {"DeformConv",
          "",
          19,
          {Attribute::of_int("group", f.groups), Attribute::of_int("offset_group", f.offset_groups),
           Attribute::of_ints("strides", {f.stride, f.stride}),
           Attribute::of_ints("dilations", {f.dilation, f.dilation}),
           Attribute::of_ints("pads", {f.pad, f.pad, f.pad, f.pad})}};
}

TEST(deform_conv, taps_inside_at_the_edges_and_beyond_agree_with_a_plain_loop) {
  const Form forms[] = {
      {.x = {1, 2, 5, 7}, .w = {3, 2, 3, 3}, .pad = 1},
      {.x = {2, 4, 9, 6}, .w = {4, 2, 3, 2}, .groups = 2, .offset_groups = 2, .has_bias = true},
      {.x = {1, 6, 20, 19}, .w = {2, 6, 1, 1}, .offset_groups = 3, .has_mask = true},
      {.x = {2, 2, 8, 9},
       .w = {2, 2, 2, 3},
       .stride = 2,
       .dilation = 2,
       .pad = 2,
       .has_bias = true,
       .has_mask = true},
      {.x = {1, 1, 2, 2}, .w = {1, 1, 2, 2}},
      {.x = {1, 2, 1, 9}, .w = {1, 2, 1, 3}, .pad = 1, .has_mask = true},
      {.x = {1, 2, 9, 1}, .w = {1, 2, 3, 1}, .pad = 1},
  };
  for (const Form& f : forms) {
    const auto in = inputs_of(f);
    std::vector<double> expected;
    const Dims dims{f.x[0], f.w[0], f.out(2), f.out(3)};
    for (int64_t at = 0; at < dims[0] * dims[1] * dims[2] * dims[3]; ++at) {
      const int64_t p = at % (dims[2] * dims[3]), plane = at / (dims[2] * dims[3]);
      expected.push_back(plain(f, in, plane / dims[1], plane % dims[1], p / dims[3], p % dims[3]));
    }
    testing::run_everywhere(case_of(f), in, [&](const std::vector<Tensor>& y) {
      testing::check_close(y[0], dims, expected, 1e-5, 1e-5);
    });
    auto doubles = in;
    for (Tensor& tensor : doubles) {
      if (tensor.is_defined()) tensor = testing::as_doubles(tensor);
    }
    const auto y = testing::evaluate(case_of(f), doubles, 2, Isa::kGeneric);
    CHECK_OK(y);
    testing::check_close((*y)[0], dims, expected, 1e-4, 1e-5);
  }
}

TEST(deform_conv, a_pixel_that_no_tap_reads_does_no_harm_and_no_place_reads_nothing) {
  Tensor x = random_tensor({1, 1, 3, 3}, 1);
  x.mutable_elements<float>()[8] = INFINITY;  // the last one
  const Tensor w = Tensor::from<float>({1, 1, 1, 1}, std::vector<float>{1});
  const float nan = NAN, far = 1e30f;
  const Tensor offset = Tensor::from<float>(
      {1, 2, 3, 3}, std::vector<float>{0, nan, far, -far, 0, 0, 0, far, -3,  // down
                                       0, 0, 0, 0, nan, -far, 0, 0, 0});     // along
  const Form f{.x = x.dims(), .w = w.dims()};
  testing::run_everywhere(case_of(f), {x, w, offset}, [&](const std::vector<Tensor>& y) {
    const auto pixels = x.elements<float>(), found = y[0].elements<float>();
    for (size_t i = 0; i < 9; ++i) {
      CHECK_EQ(found[i], i == 0 || i == 6 ? pixels[i] : 0.0f);
    }
  });
}

}  // namespace
}  // namespace ortc::cpu
