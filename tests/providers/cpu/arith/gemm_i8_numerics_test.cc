// SPDX-License-Identifier: MIT
// int8 products and convolutions at every size from 1 to 67 in each dimension, at every level and
// with and without the instructions for dot products: sums are exact, results rounded as the
// epilogue's formula says.
#include "providers/cpu/arith/gemm_i8/gemm_i8.h"
#include "tests/providers/cpu/arith/conv_shapes.h"
#include "tests/providers/cpu/arith/kernel_levels.h"
#include "tests/providers/cpu/arith/numerics.h"

namespace ortc::cpu {
namespace {

using testing::gemm_i8_of_runnable_isas;
using testing::Random;

// One in four is at an end of the range.
std::vector<uint8_t> bytes_and_ends(Random& random, size_t n) {
  std::vector<uint8_t> v(n);
  for (uint8_t& x : v) {
    const uint32_t draw = random.next();
    x = draw % 4 == 0 ? (draw & 8 ? 255 : 0) : static_cast<uint8_t>(draw >> 6);
  }
  return v;
}

struct ProductI8 {
  size_t m, n, k, lda;
  std::vector<uint8_t> a, b;
  std::vector<int8_t> zero;
  std::vector<std::byte> packed;

  ProductI8(size_t m_, size_t n_, size_t k_, bool has_zero)
      : m(m_), n(n_), k(k_), lda((k_ + 3) / 4 * 4 + 4) {
    Random random(m * 131 + n * 17 + k);
    a = bytes_and_ends(random, m * lda);
    b = bytes_and_ends(random, k * n);
    for (size_t j = 0; has_zero && j < n; ++j) zero.push_back(static_cast<int8_t>(random.next()));
    packed.resize(packed_bytes_i8(k, n));
    pack_b_i8(b.data(), n, 1, k, n, 0, has_zero ? zero.data() : nullptr, n, packed.data());
  }

  int32_t exact(size_t i, size_t j, int32_t a_zero) const {
    int64_t sum = 0;
    for (size_t l = 0; l < k; ++l) {
      const int32_t w = static_cast<int8_t>(b[l * n + j]) - (zero.empty() ? 0 : zero[j]);
      sum += int64_t{a[i * lda + l] - a_zero} * w;
    }
    return static_cast<int32_t>(sum);
  }
};

template <typename T>
std::vector<T> run_tiles(const GemmI8Kernels& kernels, GemmI8 gemm, size_t m) {
  std::vector<T> c(m * gemm.n + 1, T(7));
  gemm.c = c.data();
  kernels.tile(gemm, 0, m, 0, panel_count(gemm.n));
  CHECK_EQ(c.back(), T(7));
  for (const size_t count : testing::kCuts) {
    std::vector<T> parts(c.size(), T(7));
    gemm.c = parts.data();
    for (const auto& [m0, m1] : testing::parts_of(m, count)) {
      for (const auto& [p0, p1] : testing::parts_of(panel_count(gemm.n), count)) {
        kernels.tile(gemm, m0, m1, p0, p1);
      }
    }
    CHECK(testing::same_bytes(c, parts));
  }
  return c;
}

float clipped_code(float v) {
  return std::nearbyint(std::fmin(std::fmax(v, -100.0f), 155.0f)) + 100.0f;
}

void check_product_i8(const ProductI8& p, int32_t a_zero) {
  GemmI8 gemm;
  gemm.a = p.a.data();
  gemm.lda = p.lda;
  gemm.a_zero = a_zero;
  gemm.b = p.packed.data();
  gemm.has_b_zero = !p.zero.empty();
  gemm.n = gemm.ldc = p.n;
  gemm.k = p.k;
  const size_t padded = panel_count(p.n) * kPanelColumns;
  Random random(p.n);
  const std::vector<float> scale = random.floats(padded, 1e-4f, 2e-3f);
  const std::vector<float> bias = random.floats(padded, -3, 3);
  const std::vector<float> residual = random.floats(p.m * p.n, -3, 3);
  const std::vector<int32_t> bias_i32(padded, -4321);
  for (const GemmI8Kernels* kernels : gemm_i8_of_runnable_isas()) {
    gemm.epilogue = {};
    const std::vector<int32_t> sums = run_tiles<int32_t>(*kernels, gemm, p.m);
    gemm.epilogue.scale = scale.data();
    gemm.epilogue.bias = bias.data();
    gemm.epilogue.bias_i32 = bias_i32.data();
    gemm.epilogue.output = OutputI8::kFloat32;
    const std::vector<float> floats = run_tiles<float>(*kernels, gemm, p.m);
    gemm.epilogue.output = OutputI8::kUint8;
    gemm.epilogue.zero = 100;
    gemm.epilogue.hi = 255;
    const std::vector<uint8_t> codes = run_tiles<uint8_t>(*kernels, gemm, p.m);
    gemm.epilogue.residual = residual.data();
    gemm.epilogue.residual_ld = p.n;
    gemm.epilogue.out_scale = 20.0f;
    const std::vector<uint8_t> more = run_tiles<uint8_t>(*kernels, gemm, p.m);
    for (size_t i = 0; i < p.m * p.n; ++i) {
      const size_t j = i % p.n;
      const int32_t sum = p.exact(i / p.n, j, a_zero);
      CHECK_EQ(sums[i], sum);
      const float exact = static_cast<float>(sum - 4321) * scale[j] + bias[j];
      CHECK_EQ(floats[i], exact);
      CHECK_EQ(static_cast<float>(codes[i]), clipped_code(exact));
      CHECK_EQ(static_cast<float>(more[i]), clipped_code((exact + residual[i]) * 20.0f));
    }
  }
}

TEST(gemm_i8_numerics, products_of_every_size_are_exact) {
  for (size_t size = 1; size <= testing::kLargestSize; ++size) {
    for (const bool has_zero : {false, true}) {
      check_product_i8(ProductI8(size, 37, 19, has_zero), 131);
      check_product_i8(ProductI8(7, size, 33, has_zero), 0);
      check_product_i8(ProductI8(3, 35, size, has_zero), 255);
    }
  }
  check_product_i8(ProductI8(13, 35, 1031, true), 77);
  // Rows that lie 4096 bytes apart.
  for (const size_t rows : {9, 12, 29}) check_product_i8(ProductI8(rows, 35, 4092, true), 77);
}

// Of rows that are long enough for it, levels without dot products cut the bytes into halves.
TEST(gemm_i8_numerics, long_rows_are_exact) {
  for (size_t size = 1; size <= testing::kLargestSize; ++size) {
    check_product_i8(ProductI8(5, 50, 188 + size, size % 2 == 0), 131);
    check_product_i8(ProductI8(size, 33, 200, size % 2 == 0), 0);
  }
  ProductI8 largest(6, 40, 333, false);  // the sums of 16 bits are as large as they can be
  std::fill(largest.a.begin(), largest.a.end(), uint8_t{255});
  std::fill(largest.b.begin(), largest.b.end(), uint8_t{128});
  pack_b_i8(largest.b.data(), 40, 1, 333, 40, 0, nullptr, 0, largest.packed.data());
  check_product_i8(largest, 0);
}

// Blocks of rows and quads that AMX takes whole, and what is left beside them.
TEST(gemm_i8_numerics, blocks_of_rows_and_quads_leave_what_is_beside_them) {
  for (size_t size = 1; size <= testing::kLargestSize; ++size) {
    const bool has_zero = size % 2 == 0;
    check_product_i8(ProductI8(size, 35, 70, has_zero), 131);
    check_product_i8(ProductI8(35, size, 64, has_zero), 0);
    check_product_i8(ProductI8(33, 20, 63 + size, has_zero), 255);
  }
  check_product_i8(ProductI8(250, 33, 260, true), 99);
#if ORTC_ARITH_X86
  if (!host_has_vnni() || host_has_amx()) return;
  const long before = testing::emulated_instructions;
  check_product_i8(ProductI8(16, 32, 64, false), 1);
  CHECK(testing::emulated_instructions > before);  // AMX was used at all
#endif
}

TEST(gemm_i8_numerics, panels_of_every_size_are_the_reference_s) {
  const auto check = [](size_t k, size_t n, bool transposed) {
    Random random(k * 67 + n);
    const std::vector<uint8_t> b = bytes_and_ends(random, k * n);
    const int8_t zero = 0;
    std::vector<std::byte> expected(packed_bytes_i8(k, n)), found(expected.size());
    pack_b_i8(b.data(), transposed ? 1 : n, transposed ? k : 1, k, n, 0x80, &zero, 1,
              expected.data());
    for (const GemmI8Kernels* kernels : gemm_i8_of_runnable_isas()) {
      kernels->pack(b.data(), transposed ? k : n, transposed, k, n, 0x80, zero, found.data());
      CHECK(found == expected);
    }
  };
  for (size_t size = 1; size <= testing::kLargestSize; ++size) {
    for (const bool transposed : {false, true}) {
      check(size, 37, transposed);
      check(19, size, transposed);
    }
  }
}

// Rows at offsets of their own, in the order of a shuffle, and at a stride; memory ends with B.
TEST(gemm_i8_numerics, a_few_rows_times_a_plain_matrix_are_exact) {
  const auto check = [](size_t m, size_t n, size_t k, bool has_offsets, uint8_t flip,
                        int32_t zero) {
    const ProductI8 p(m, n, k, false);
    std::vector<ptrdiff_t> offsets(k);
    std::vector<uint8_t> b(k * n);
    for (size_t l = 0; l < k; ++l) {
      const size_t place = has_offsets ? (l * 7 + 3) % k : l;
      offsets[l] = static_cast<ptrdiff_t>((k % 7 == 0 ? l : place) * n);
      for (size_t j = 0; j < n; ++j) {
        b[static_cast<size_t>(offsets[l]) + j] = p.b[l * n + j] ^ flip;
      }
    }
    PlainI8 plain;
    plain.b = b.data();
    plain.ldb = n;
    plain.offsets = has_offsets ? offsets.data() : nullptr;
    plain.last = static_cast<ptrdiff_t>((k - 1) * n);
    plain.end = b.data() + b.size();
    plain.k = k;
    plain.flip = flip;
    plain.zero = zero;
    GemmI8 gemm;
    gemm.a = p.a.data();
    gemm.lda = p.lda;
    gemm.a_zero = static_cast<int32_t>(n % 3) * 100;
    gemm.has_b_zero = zero != 0;
    gemm.n = gemm.ldc = n;
    gemm.k = k;
    for (const GemmI8Kernels* kernels : gemm_i8_of_runnable_isas()) {
      std::vector<int32_t> c(m * n + 1, 7);
      gemm.c = c.data();
      kernels->multiply_plain(gemm, plain, m, 0, std::min(n, kPanelColumns));
      if (n > kPanelColumns) kernels->multiply_plain(gemm, plain, m, kPanelColumns, n);
      for (size_t i = 0; i < m; ++i) {
        for (size_t j = 0; j < n; ++j) {
          int64_t sum = p.exact(i, j, gemm.a_zero);
          for (size_t l = 0; l < k; ++l) sum -= (p.a[i * p.lda + l] - gemm.a_zero) * zero;
          CHECK_EQ(c[i * n + j], static_cast<int32_t>(sum));
        }
      }
      CHECK_EQ(c.back(), 7);
      std::vector<std::byte> packed(packed_bytes_i8(k, n)), expected(packed.size());
      const auto small = static_cast<int8_t>(zero);
      pack_b_i8(p.b.data(), n, 1, k, n, 0, &small, 1, expected.data());
      kernels->pack_plain(plain, 0, n, packed.data());
      for (size_t at = 0; at < packed.size(); at += panel_bytes_i8(k)) {
        CHECK(std::memcmp(&packed[at + 256], &expected[at + 256], panel_bytes_i8(k) - 256) == 0);
        CHECK(std::memcmp(&packed[at], &expected[at], 4) == 0);
      }
      if (n <= kPanelColumns) continue;
      std::vector<std::byte> second(packed_bytes_i8(k, n - kPanelColumns));
      kernels->pack_plain(plain, kPanelColumns, n - kPanelColumns, second.data());
      CHECK(std::memcmp(second.data(), &packed[panel_bytes_i8(k)], second.size()) == 0);
    }
  };
  for (size_t size = 1; size <= testing::kLargestSize; ++size) {
    for (const bool has_offsets : {false, true}) {
      check(1 + size % kFewRowsI8, size, 19, has_offsets, 0, 0);
      check(1 + size % kFewRowsI8, 37, size, has_offsets, 0x80, size % 2 == 0 ? 0 : -128);
      check(1, 67, size, has_offsets, 0x80, 5);
    }
  }
}

ConvShape square_shape(size_t in_c, size_t out_c, size_t h, size_t w, size_t kernel, size_t stride,
                       size_t pad, size_t groups) {
  return testing::conv_shape(in_c, out_c, h, w, kernel, kernel, stride, 1, pad, groups);
}

int32_t exact_conv(const ConvI8& conv, const std::vector<uint8_t>& w, size_t pixel, size_t co) {
  const ConvShape& s = conv.shape;
  int32_t sum = 0;
  for (size_t i = 0; i < s.kernel_h; ++i) {
    for (size_t j = 0; j < s.kernel_w; ++j) {
      const size_t row = pixel / s.out_w * s.stride_h + i * s.dilation_h - s.pad_top;
      const size_t column = pixel % s.out_w * s.stride_w + j * s.dilation_w - s.pad_left;
      if (row >= s.in_h || column >= s.in_w) continue;  // negative ones are huge
      const uint8_t* x =
          conv.x + (row * s.in_w + column) * s.in_c + co / s.group_out() * s.group_in();
      for (size_t c = 0; c < s.group_in(); ++c) {
        const size_t at = ((co * s.group_in() + c) * s.kernel_h + i) * s.kernel_w + j;
        sum += (x[c] - conv.x_zero) * static_cast<int8_t>(w[at]);
      }
    }
  }
  return sum;
}

void check_conv_i8(const ConvShape& s) {
  const bool as_depthwise = s.groups == s.in_c && s.groups == s.out_c;
  Random random(s.in_c + s.in_w);
  const std::vector<uint8_t> x = bytes_and_ends(random, s.in_h * s.in_w * s.in_c);
  const std::vector<uint8_t> w = bytes_and_ends(random, s.out_c * s.depth());
  std::vector<std::byte> packed(conv_packed_bytes_i8(s));
  std::vector<std::byte> filters(depthwise_packed_bytes_i8(s));
  conv_pack_weights_i8(s, w.data(), 0, nullptr, 0, packed.data());
  if (as_depthwise) depthwise_pack_weights_i8(s, w.data(), 0, filters.data());
  ConvI8 conv;
  conv.shape = s;
  conv.x = x.data();
  conv.x_zero = 131;
  for (const GemmI8Kernels* kernels : gemm_i8_of_runnable_isas()) {
    std::vector<int32_t> y(s.pixels() * s.out_c), lines(y.size());
    std::vector<uint64_t> scratch(conv_scratch_bytes_i8(s) / 8 + 8);
    const auto at = (reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64;
    conv.w = packed.data();
    conv.y = y.data();
    for (const auto& [q0, q1] : testing::parts_of(s.pixels(), 3)) {
      if (q0 == q1) continue;
      kernels->conv(conv, q0, q1, 0, s.panels(), reinterpret_cast<void*>(at));
    }
    if (as_depthwise) {
      conv.w = filters.data();
      conv.y = lines.data();
      for (const auto& [r0, r1] : testing::parts_of(s.out_h, 3)) kernels->depthwise(conv, r0, r1);
    }
    for (size_t i = 0; i < y.size(); ++i) {
      const int32_t sum = exact_conv(conv, w, i / s.out_c, i % s.out_c);
      CHECK_EQ(y[i], sum);
      if (as_depthwise) CHECK_EQ(lines[i], sum);
    }
  }
}

// A depthwise kernel of one row.
ConvShape lying_shape(size_t channels, size_t w, size_t kernel, size_t stride, size_t dilation,
                      size_t pad) {
  ConvShape s = square_shape(channels, channels, 2, w, 1, 1, 0, channels);
  s.kernel_w = kernel;
  s.stride_w = stride;
  s.dilation_w = dilation;
  s.pad_left = pad;
  s.out_w = (w + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1;
  return s;
}

TEST(gemm_i8_numerics, uneven_convolutions_are_exact) {
  for (size_t size = 3; size <= testing::kLargestSize; ++size) {
    check_conv_i8(testing::uneven_conv_shape(size, 9, 7, 5, 1));
    check_conv_i8(testing::uneven_conv_shape(4, 9, size, 8, 1));
    check_conv_i8(testing::uneven_conv_shape(19, 19, 6, size, 19));
  }
}

TEST(gemm_i8_numerics, convolutions_of_every_size_are_exact) {
  for (size_t size = 1; size <= testing::kLargestSize; ++size) {
    check_conv_i8(square_shape(size, 7, 3, 5, 3, 1, 1, 1));
    check_conv_i8(square_shape(4, size, 3, 4, 3, 2, 1, 1));
    check_conv_i8(square_shape(12, 5, 3, size, 3, 1, 1, 1));
    check_conv_i8(square_shape(3, 5, size, 3, 1, 1, 0, 1));
    check_conv_i8(square_shape(size, size, 4, 5, 3, 1, 1, size));
    check_conv_i8(square_shape(9, 9, 5, size, 3, 2, 1, 9));
    check_conv_i8(square_shape(2 * size, 2 * size, 2, 3, 1, 1, 0, 2));
  }
}

// Pixels lie evenly within a row, and not where one ends; taps are steps of AMX, parts, or several.
TEST(gemm_i8_numerics, deep_convolutions_of_many_pixels_are_exact) {
  for (size_t size = 1; size <= testing::kLargestSize; ++size) {
    check_conv_i8(square_shape(size + 15, 18, 6, 7, 3, 1, 1, 1));
    check_conv_i8(square_shape(2 * size + 60, 34, 5, 20, 1, 2, 0, 2));
  }
  for (const size_t channels : {64, 68, 128}) {
    check_conv_i8(square_shape(channels, 34, 9, size_t{41}, 3, 1, 1, 1));
    check_conv_i8(square_shape(channels, 34, 9, size_t{41}, 3, 2, 1, 1));
  }
}

TEST(gemm_i8_numerics, depthwise_kernels_of_one_row_are_exact) {
  for (size_t size = 1; size <= testing::kLargestSize; ++size) {
    check_conv_i8(lying_shape(size, 19, 5, 1, 1, 2));
    check_conv_i8(lying_shape(33, size, 2, 2, 1, 1));
    check_conv_i8(lying_shape(3, size + 8, 4, 3, 3, 1));
    check_conv_i8(lying_shape(17, 70, size, 1, 2, size));
  }
  check_conv_i8(lying_shape(20, 350, 300, 1, 1, 3));  // too wide for the buffers
  check_conv_i8(lying_shape(20, 700, 15, 1, 1, 7));   // several buffers
  check_conv_i8(lying_shape(1, 40, 9, 1, 1, 4));
}

}  // namespace
}  // namespace ortc::cpu
