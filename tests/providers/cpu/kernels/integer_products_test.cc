// SPDX-License-Identifier: MIT
// MatMulInteger, QLinearMatMul, ConvInteger and QLinearConv with computed operands, against plain
// sums: both types on either side, zero points by row, column and filter, the largest numbers, odd
// sizes, batches, one to three spatial axes.
#include <cmath>

#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

int zero_at(const Tensor& zero, int64_t i) {
  return byte_at(zero, zero.element_count() == 1 ? 0 : i);
}

Tensor filled(DType dtype, Dims dims, int value) {
  Tensor tensor = Tensor::create(dtype, std::move(dims)).value();
  std::memset(tensor.mutable_data(), value, tensor.byte_size());
  return tensor;
}

constexpr DType kByteTypes[] = {DType::kUint8, DType::kInt8};

// Of a [batches, m, k] and b [batches or 1, k, n].
Tensor matrix_sums(const Tensor& a, const Tensor& b, const Tensor& a_zero, const Tensor& b_zero) {
  const int64_t batches = a.dims()[0], m = a.dims()[1], k = a.dims()[2], n = b.dims()[2];
  std::vector<int32_t> y;
  for (int64_t i = 0; i < batches * m; ++i) {
    const int64_t first = b.dims()[0] == 1 ? 0 : i / m * k * n;
    for (int64_t j = 0; j < n; ++j) {
      int32_t sum = 0;
      for (int64_t x = 0; x < k; ++x) {
        sum += (byte_at(a, i * k + x) - zero_at(a_zero, i % m)) *
               (byte_at(b, first + x * n + j) - zero_at(b_zero, j));
      }
      y.push_back(sum);
    }
  }
  return Tensor::from<int32_t>({batches, m, n}, y);
}

// What rounding one by one gives.
void check_rounded(const Tensor& y, const Tensor& sums, const std::function<float(int64_t)>& factor,
                   int zero) {
  const int lo = y.dtype() == DType::kInt8 ? -128 : 0;
  CHECK_EQ(y.dims(), sums.dims());
  for (int64_t i = 0; i < sums.element_count(); ++i) {
    const float v = static_cast<float>(sums.elements<int32_t>()[size_t(i)]) * factor(i);
    const float code = std::nearbyint(v) + static_cast<float>(zero);
    CHECK_EQ(static_cast<float>(byte_at(y, i)),
             std::fmin(std::fmax(code, static_cast<float>(lo)), static_cast<float>(lo + 255)));
  }
}

TEST(integer_products, computed_matrices_of_every_type_and_size_are_exact) {
  Random random(11);
  for (const DType ta : kByteTypes) {
    for (const DType tb : kByteTypes) {
      for (const int64_t k : {1, 3, 4, 67}) {
        for (const bool is_shared : {false, true}) {
          const int64_t m = 7, n = 45, batches = 3;
          const Tensor a = random.bytes(ta, {batches, m, k});
          const Tensor b = random.bytes(tb, {is_shared ? 1 : batches, k, n});
          const Tensor one_a = random.bytes(ta, {1}), one_b = random.bytes(tb, {1});
          const Tensor rows = random.bytes(ta, {m}), columns = random.bytes(tb, {n});
          CHECK(same_bits(run_one({"MatMulInteger", 10}, {a, b, one_a, one_b}),
                          matrix_sums(a, b, one_a, one_b)));
          CHECK(same_bits(run_one({"MatMulInteger", 10}, {a, b, rows, columns}),
                          matrix_sums(a, b, rows, columns)));
          const Tensor nothing_a = filled(ta, {1}, 0), nothing_b = filled(tb, {1}, 0);
          CHECK(same_bits(run_one({"MatMulInteger", 10}, {a, b}),
                          matrix_sums(a, b, nothing_a, nothing_b)));
        }
      }
    }
  }
}

TEST(integer_products, the_largest_numbers_do_not_saturate) {
  for (const auto& [ta, x] : {std::pair{DType::kUint8, 255}, {DType::kInt8, -128}}) {
    for (const auto& [tb, w] :
         {std::pair{DType::kUint8, 255}, {DType::kInt8, -128}, {DType::kInt8, 127}}) {
      const Tensor a = filled(ta, {1, 5, 130}, x), b = filled(tb, {1, 130, 40}, w);
      CHECK(same_bits(run_one({"MatMulInteger", 10}, {a, b}),
                      Tensor::from<int32_t>({1, 5, 40}, std::vector<int32_t>(200, 130 * x * w))));
      const Tensor line = filled(ta, {1, 130, 9}, x), filter = filled(tb, {3, 130, 1}, w);
      CHECK(same_bits(run_one({"ConvInteger", 10}, {line, filter}),
                      Tensor::from<int32_t>({1, 3, 9}, std::vector<int32_t>(27, 130 * x * w))));
    }
  }
}

TEST(integer_products, nothing_to_sum_up_is_zero) {
  CHECK(same_bits(run_one({"MatMulInteger", 10},
                          {filled(DType::kUint8, {2, 0}, 0), filled(DType::kInt8, {0, 3}, 0)}),
                  Tensor::from<int32_t>({2, 3}, std::vector<int32_t>(6, 0))));
  CHECK_EQ(run_one({"MatMulInteger", 10},
                   {filled(DType::kUint8, {0, 4}, 0), filled(DType::kInt8, {4, 3}, 0)})
               .dims(),
           (Dims{0, 3}));
}

TEST(integer_products, vectors_are_rows_and_columns) {
  const Tensor a = Tensor::from<uint8_t>({3}, std::vector<uint8_t>{1, 2, 3});
  const Tensor b = Tensor::from<int8_t>({3}, std::vector<int8_t>{-1, 5, 7});
  CHECK(same_bits(run_one({"MatMulInteger", 10}, {a, b}), Tensor::scalar(int32_t{30})));
}

TEST(integer_products, computed_matrices_are_rounded_by_one_scale_and_by_many) {
  Random random(12);
  for (const DType ta : kByteTypes) {
    for (const bool by_row : {false, true}) {
      const int64_t m = 6, k = 30, n = 37;
      const Tensor a = random.bytes(ta, {2, m, k}), b = random.bytes(DType::kInt8, {2, k, n});
      const Tensor a_zero = random.bytes(ta, {by_row ? m : 1});
      const Tensor b_zero = random.bytes(DType::kInt8, {n});
      std::vector<float> a_scales, b_scales;
      for (int64_t i = 0; i < (by_row ? m : 1); ++i) a_scales.push_back(0.01f * float(i + 1));
      for (int64_t j = 0; j < n; ++j) b_scales.push_back(0.001f * float(j + 1));
      const int64_t rows = by_row ? m : 1;
      const Tensor y =
          run_one({"QLinearMatMul", 21}, {a, f32s({rows}, a_scales), a_zero, b, f32s({n}, b_scales),
                                          b_zero, f32s({}, {0.5f}), filled(ta, {}, 20)});
      const auto factor = [&](int64_t i) {
        return a_scales[by_row ? size_t(i / n % m) : 0] * b_scales[size_t(i % n)] / 0.5f;
      };
      check_rounded(y, matrix_sums(a, b, a_zero, b_zero), factor, 20);
    }
  }
}

// --- Convolutions: x [n, c, ...], w [m, c / groups, ...].

struct Windows {
  Dims image, kernel;
  int64_t in_c, out_c, groups, stride, dilation, pad;
};

Tensor window_sums(const Windows& s, const Tensor& x, const Tensor& w, int x_zero,
                   const Tensor& w_zero) {
  const size_t rank = s.image.size();
  const int64_t each = s.in_c / s.groups;
  Dims dims = {x.dims()[0], s.out_c};
  int64_t pixels = 1, taps = 1, size = 1;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t reach = (s.kernel[i] - 1) * s.dilation + 1;
    dims.push_back((s.image[i] + 2 * s.pad - reach) / s.stride + 1);
    pixels *= dims.back();
    taps *= s.kernel[i];
    size *= s.image[i];
  }
  std::vector<int32_t> y;
  for (int64_t i = 0; i < dims[0] * s.out_c * pixels; ++i) {
    const int64_t filter = i / pixels % s.out_c, image = i / pixels / s.out_c;
    int32_t sum = 0;
    for (int64_t t = 0; t < each * taps; ++t) {
      int64_t tap = t % taps, pixel = i % pixels, place = 0, step = 1;
      bool is_inside = true;
      for (size_t d = rank; d-- > 0;) {
        const int64_t from =
            pixel % dims[d + 2] * s.stride - s.pad + tap % s.kernel[d] * s.dilation;
        is_inside = is_inside && from >= 0 && from < s.image[d];
        place += from * step;
        step *= s.image[d];
        pixel /= dims[d + 2];
        tap /= s.kernel[d];
      }
      const int64_t channel = filter / (s.out_c / s.groups) * each + t / taps;
      if (!is_inside) continue;
      sum += (byte_at(x, (image * s.in_c + channel) * size + place) - x_zero) *
             (byte_at(w, filter * each * taps + t) - zero_at(w_zero, filter));
    }
    y.push_back(sum);
  }
  return Tensor::from<int32_t>(dims, y);
}

std::vector<Attribute> window_attributes(const Windows& s) {
  const size_t rank = s.image.size();
  return {Attribute::of_ints("strides", std::vector<int64_t>(rank, s.stride)),
          Attribute::of_ints("dilations", std::vector<int64_t>(rank, s.dilation)),
          Attribute::of_ints("pads", std::vector<int64_t>(2 * rank, s.pad)),
          Attribute::of_int("group", s.groups)};
}

const Windows kWindows[] = {{{19}, {3}, 5, 7, 1, 1, 1, 1},
                            {{600}, {5}, 4, 3, 1, 1, 2, 4},
                            {{40}, {4}, 6, 12, 3, 3, 1, 0},
                            {{9, 8}, {3, 2}, 3, 50, 1, 1, 1, 1},
                            {{9, 8}, {3, 3}, 6, 6, 6, 2, 2, 2},
                            {{4, 5, 6}, {2, 3, 3}, 4, 6, 2, 1, 1, 1},
                            {{5, 6, 7}, {3, 1, 2}, 2, 3, 1, 2, 2, 3},
                            {{7, 87}, {3, 5}, 4, 8, 4, 2, 2, 3},
                            {{3, 37}, {1, 9}, 2, 4, 2, 2, 1, 5},
                            {{4, 50}, {2, 3}, 3, 6, 3, 3, 1, 4},
                            {{30, 40}, {1, 1}, 5, 50, 1, 1, 1, 0},
                            {{30, 40}, {3, 3}, 5, 30, 1, 1, 1, 0},
                            {{17, 19}, {3, 2}, 2, 9, 1, 3, 2, 1},
                            {{9, 9}, {1, 1}, 4, 3, 1, 2, 1, 0},
                            {{20, 21}, {3, 3}, 4, 40, 2, 2, 1, 1},
                            {{14, 23}, {3, 5}, 2, 16, 1, 2, 2, 2},
                            {{11, 6}, {5, 5}, 3, 4, 1, 2, 1, 2}};

TEST(integer_products, windows_of_one_to_three_axes_are_exact) {
  Random random(13);
  for (const Windows& s : kWindows) {
    for (const DType tx : kByteTypes) {
      for (const DType tw : kByteTypes) {
        Dims x_dims = {2, s.in_c}, w_dims = {s.out_c, s.in_c / s.groups};
        x_dims.insert(x_dims.end(), s.image.begin(), s.image.end());
        w_dims.insert(w_dims.end(), s.kernel.begin(), s.kernel.end());
        const Tensor x = random.bytes(tx, x_dims), w = random.bytes(tw, w_dims);
        const Tensor x_zero = random.bytes(tx, {});
        for (const Tensor& w_zero : {random.bytes(tw, {1}), random.bytes(tw, {s.out_c})}) {
          const Tensor sums = window_sums(s, x, w, byte_at(x_zero, 0), w_zero);
          CHECK(same_bits(
              run_one({"ConvInteger", 10, window_attributes(s)}, {x, w, x_zero, w_zero}), sums));
          std::vector<float> scales;
          std::vector<int32_t> bias;
          for (int64_t f = 0; f < s.out_c; ++f) {
            scales.push_back(0.002f * float(f + 1));
            bias.push_back(static_cast<int32_t>(random.between(-900, 900)));
          }
          const Tensor y = run_one(
              {"QLinearConv", 10, window_attributes(s)},
              {x, f32s({}, {0.02f}), x_zero, w, f32s({s.out_c}, scales), w_zero, f32s({}, {0.5f}),
               filled(tx, {}, 30), Tensor::from<int32_t>({s.out_c}, bias)});
          std::vector<int32_t> with_bias(sums.elements<int32_t>().begin(),
                                         sums.elements<int32_t>().end());
          const int64_t pixels = sums.element_count() / 2 / s.out_c;
          const auto filter = [&](int64_t i) { return size_t(i / pixels % s.out_c); };
          for (size_t i = 0; i < with_bias.size(); ++i) with_bias[i] += bias[filter(int64_t(i))];
          check_rounded(
              y, Tensor::from<int32_t>(sums.dims(), with_bias),
              [&](int64_t i) { return 0.02f * scales[filter(i)] / 0.5f; }, 30);
        }
      }
    }
  }
}

TEST(integer_products,
     depthwise_images_of_constant_weights_are_exact_with_and_without_zero_points) {
  Random random(14);
  for (const Windows& s :
       {Windows{{9, 8}, {3, 3}, 33, 33, 33, 1, 1, 1}, Windows{{12, 70}, {3, 3}, 6, 6, 6, 2, 1, 1},
        Windows{{9, 11}, {5, 5}, 48, 48, 48, 1, 2, 4},
        Windows{{16, 8}, {9, 2}, 20, 20, 20, 1, 1, 2}, Windows{{4, 400}, {1, 15}, 5, 5, 5, 1, 1, 7},
        Windows{{2, 700}, {1, 100}, 4, 4, 4, 1, 4, 0}}) {
    for (const DType tw : kByteTypes) {
      Dims x_dims = {2, s.in_c}, w_dims = {s.out_c, 1};
      x_dims.insert(x_dims.end(), s.image.begin(), s.image.end());
      w_dims.insert(w_dims.end(), s.kernel.begin(), s.kernel.end());
      const Tensor x = random.bytes(DType::kUint8, x_dims), w = random.bytes(tw, w_dims);
      const Tensor x_zero = random.bytes(DType::kUint8, {});
      const Tensor turned =
          run_one({"Transpose", 13, {Attribute::of_ints("perm", {0, 2, 3, 1})}}, {x});
      const int middle = tw == DType::kUint8 ? 128 : 0;
      for (const Tensor& w_zero :
           {filled(tw, {1}, middle), random.bytes(tw, {1}), random.bytes(tw, {s.out_c})}) {
        const Tensor sums = window_sums(s, x, w, byte_at(x_zero, 0), w_zero);
        const Tensor y =
            run_one({"QConv", 1, window_attributes(s), 1, std::string(kInternalDomain)},
                    {turned, w, x_zero, w_zero});
        CHECK(same_bits(run_one({"Transpose", 13, {Attribute::of_ints("perm", {0, 3, 1, 2})}}, {y}),
                        sums));
      }
    }
  }
}

}  // namespace
}  // namespace ortc::test
