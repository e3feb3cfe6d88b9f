// SPDX-License-Identifier: MIT
// int8 products, convolutions and quantised rows of every level against loops that do what the
// headers' formulas say; sums must be exact, and every level must give the same bits.
#include "providers/cpu/arith/gemm_i8/gemm_i8.h"

#include <tuple>

#include "providers/cpu/arith/quant/quant.h"
#include "tests/providers/cpu/arith/arith_testing.h"
#include "tests/providers/cpu/arith/kernel_levels.h"
#include "tests/support/test.h"

namespace ortc::cpu {
namespace {

using testing::gemm_i8_of_runnable_isas;
using testing::Random;
using testing::runnable_isas;

std::vector<uint8_t> random_bytes(Random& random, size_t n) {
  std::vector<uint8_t> v(n);
  for (uint8_t& x : v) x = static_cast<uint8_t>(random.next() >> 5);
  return v;
}

float rounded(float v) { return std::nearbyint(v); }

// What the epilogue makes of one sum; results of 8 bits as their bytes.
double finish(const EpilogueI8& e, int32_t acc, size_t column, float residual) {
  if (e.output == OutputI8::kInt32) return acc;
  float v = static_cast<float>(acc) * e.scale[column];
  if (e.bias != nullptr) v += e.bias[column];
  v += residual;
  const double y = testing::activate(e.activation, v);
  if (e.output == OutputI8::kFloat32) return y;
  const float lo = static_cast<float>(e.lo - e.zero), hi = static_cast<float>(e.hi - e.zero);
  return rounded(std::fmin(std::fmax(static_cast<float>(y) * e.out_scale, lo), hi)) +
         static_cast<float>(e.zero);
}

double element(const std::vector<std::byte>& c, OutputI8 output, size_t i) {
  switch (output) {
    case OutputI8::kInt32:
      return reinterpret_cast<const int32_t*>(c.data())[i];
    case OutputI8::kFloat32:
      return static_cast<double>(reinterpret_cast<const float*>(c.data())[i]);
    case OutputI8::kUint8:
      return reinterpret_cast<const uint8_t*>(c.data())[i];
    case OutputI8::kInt8:
      return reinterpret_cast<const int8_t*>(c.data())[i];
  }
  return 0;
}

struct EpilogueProduct {
  size_t m, n, k, lda;
  std::vector<uint8_t> a, b;
  std::vector<int8_t> b_zero;
  std::vector<std::byte> packed;
  std::vector<float> scale, bias, residual;
  std::vector<int32_t> bias_i32;

  EpilogueProduct(size_t m_, size_t n_, size_t k_, bool has_zero, uint8_t flip = 0x80)
      : m(m_), n(n_), k(k_), lda((k_ + 3) / 4 * 4 + 4) {
    Random random(m * 131 + n * 17 + k);
    a = random_bytes(random, m * lda);
    b = random_bytes(random, k * n + 1);
    if (has_zero) {
      for (size_t j = 0; j < n; ++j) b_zero.push_back(static_cast<int8_t>(random.next()));
    }
    packed.resize(packed_bytes_i8(k, n));
    pack_b_i8(b.data(), n, 1, k, n, flip, has_zero ? b_zero.data() : nullptr, n, packed.data());
    const size_t padded = panel_count(n) * kPanelColumns;
    scale = random.floats(padded, 1e-4f, 2e-3f);
    bias = random.floats(padded, -3, 3);
    residual = random.floats(m * n, -3, 3);
    for (size_t j = 0; j < padded; ++j) {
      bias_i32.push_back(static_cast<int32_t>(random.next() % 2000) - 1000);
    }
    for (uint8_t& x : b) x ^= flip;  // as the product sees it
  }

  int32_t exact(size_t i, size_t j, int32_t a_zero) const {
    int64_t sum = 0;
    const int32_t zero = b_zero.empty() ? 0 : b_zero[j];
    for (size_t x = 0; x < k; ++x) {
      sum += int64_t{a[i * lda + x] - a_zero} * (static_cast<int8_t>(b[x * n + j]) - zero);
    }
    return static_cast<int32_t>(sum);
  }
};

// Runs whole and divided; the bits must be the same, and the same as `expected` bytes if any.
std::vector<std::byte> run_divided(const GemmI8Kernels& kernels, GemmI8 gemm, size_t m) {
  const size_t size = m * gemm.n * (gemm.epilogue.output <= OutputI8::kFloat32 ? 4 : 1);
  std::vector<std::byte> whole(size), parts(size);
  const size_t panels = panel_count(gemm.n);
  gemm.c = whole.data();
  kernels.tile(gemm, 0, m, 0, panels);
  gemm.c = parts.data();
  for (size_t p = 0; p < panels; ++p) {
    for (size_t i = 0; i < m; i += 5) kernels.tile(gemm, i, std::min(m, i + 5), p, p + 1);
  }
  CHECK(whole == parts);
  return whole;
}

void check_epilogue(const EpilogueProduct& p, const EpilogueI8& epilogue, double rtol) {
  GemmI8 gemm;
  gemm.a = p.a.data();
  gemm.lda = p.lda;
  gemm.a_zero = 77;
  gemm.b = p.packed.data();
  gemm.has_b_zero = !p.b_zero.empty();
  gemm.n = gemm.ldc = p.n;
  gemm.k = p.k;
  gemm.epilogue = epilogue;
  std::vector<std::byte> first;
  const bool is_8_bit = epilogue.output >= OutputI8::kUint8;
  for (const GemmI8Kernels* kernels : gemm_i8_of_runnable_isas()) {
    const auto c = run_divided(*kernels, gemm, p.m);
    for (size_t i = 0; i < p.m; ++i) {
      for (size_t j = 0; j < p.n; ++j) {
        int32_t acc = p.exact(i, j, gemm.a_zero);
        if (epilogue.bias_i32 != nullptr) acc += epilogue.bias_i32[j];
        const float residual = epilogue.residual != nullptr ? epilogue.residual[i * p.n + j] : 0.0f;
        const double expected = finish(epilogue, acc, j, residual);
        const double found = element(c, epilogue.output, i * p.n + j);
        // An activation's last bits may turn a rounding.
        const double atol = is_8_bit && rtol > 0 ? 1.0 : rtol * 4;
        CHECK_NEAR(found, expected, rtol, atol);
      }
    }
    if (epilogue.activation.kind > Activation::kClip) continue;
    if (first.empty()) first = c;
    CHECK(c == first);
  }
}

TEST(gemm_i8, sums_are_exact_at_every_level) {
  for (const auto& [m, n, k] : std::initializer_list<std::tuple<size_t, size_t, size_t>>{
           {1, 1, 1}, {1, 70, 64}, {2, 33, 7}, {3, 32, 100}, {13, 40, 31}, {30, 97, 260}}) {
    for (const bool has_zero : {false, true}) {
      const EpilogueProduct p(m, n, k, has_zero);
      EpilogueI8 epilogue;
      check_epilogue(p, epilogue, 0);
      epilogue.bias_i32 = p.bias_i32.data();
      check_epilogue(p, epilogue, 0);
    }
  }
}

// What is far outside of the limits, infinite or NaN is held at them; the limits are any numbers.
TEST(gemm_i8, results_of_8_bits_stay_within_their_limits_whatever_the_scale) {
  for (const size_t m : {1, 2, 11, 13, 25}) {
    for (const float factor : {1e3f, 1e25f, INFINITY, NAN, -1e25f}) {
      for (const bool has_bias : {false, true}) {
        EpilogueProduct p(m, 64, 30, m % 2 == 0);
        for (size_t j = 0; j < p.scale.size(); j += 3) p.scale[j] *= factor;
        EpilogueI8 epilogue;
        epilogue.scale = p.scale.data();
        epilogue.bias = has_bias ? p.bias.data() : nullptr;
        for (const auto& [zero, lo, hi] : {std::tuple{100, 0, 255}, {3, 2, 250}, {255, 255, 255}}) {
          epilogue.output = OutputI8::kUint8;
          epilogue.zero = zero;
          epilogue.lo = lo;
          epilogue.hi = hi;
          check_epilogue(p, epilogue, 0);
          epilogue.output = OutputI8::kInt8;
          epilogue.zero -= 128;
          epilogue.lo -= 128;
          epilogue.hi -= 128;
          check_epilogue(p, epilogue, 0);
        }
      }
    }
  }
}

// Products of the largest magnitudes: pairs of them do not fit 16 bits.
TEST(gemm_i8, extremes_do_not_saturate) {
  for (const uint8_t a : {0, 255}) {
    for (const uint8_t b : {0x80, 0x7F}) {
      EpilogueProduct p(5, 40, 68, false, 0);
      std::fill(p.a.begin(), p.a.end(), a);
      std::fill(p.b.begin(), p.b.end(), b);
      pack_b_i8(p.b.data(), p.n, 1, p.k, p.n, 0, nullptr, 0, p.packed.data());
      check_epilogue(p, EpilogueI8{}, 0);
    }
  }
}

TEST(gemm_i8, epilogues_round_half_to_even_and_saturate) {
  const EpilogueProduct p(14, 45, 50, true);
  for (const OutputI8 output : {OutputI8::kFloat32, OutputI8::kUint8, OutputI8::kInt8}) {
    EpilogueI8 e;
    e.output = output;
    e.scale = p.scale.data();
    e.zero = output == OutputI8::kUint8 ? 100 : -20;
    e.lo = output == OutputI8::kUint8 ? 0 : -128;
    e.hi = e.lo + 255;
    check_epilogue(p, e, 0);
    e.bias = p.bias.data();
    check_epilogue(p, e, 0);
    e.lo = e.zero;
    check_epilogue(p, e, 0);
    e.residual = p.residual.data();
    e.residual_ld = p.n;
    check_epilogue(p, e, 1e-6);
    for (const ActivationF32& activation : testing::all_activations()) {
      e.activation = activation;
      e.out_scale = 20.0f;
      check_epilogue(p, e, 2e-5);
    }
  }
  // Ties: products of 1 by 1 with a scale of one half.
  std::vector<float> half(kPanelColumns, 0.5f);
  for (int value = 0; value < 256; ++value) {
    EpilogueProduct tie(1, 32, 1, false, 0);
    tie.a[0] = static_cast<uint8_t>(value);
    std::fill(tie.b.begin(), tie.b.end(), uint8_t{1});
    pack_b_i8(tie.b.data(), 32, 1, 1, 32, 0, nullptr, 0, tie.packed.data());
    EpilogueI8 e;
    e.output = OutputI8::kInt8;
    e.scale = half.data();
    e.lo = -128;
    e.hi = 127;
    check_epilogue(tie, e, 0);
  }
}

TEST(gemm_i8, gelu_of_numbers_far_from_the_range_of_8_bits_is_at_most_one_step_off) {
  EpilogueProduct p(14, 45, 50, false);
  for (float& scale : p.scale) scale *= 1000;
  for (const float y_scale : {0.2f, 0.004f, 1e-5f}) {
    EpilogueI8 e;
    e.output = OutputI8::kUint8;
    e.scale = p.scale.data();
    e.activation = {Activation::kGelu, 0, 0, 0};
    e.out_scale = 1 / y_scale;
    e.zero = 100;
    e.hi = 255;
    check_epilogue(p, e, 1e-9);
  }
}

TEST(gemm_i8, kernels_pack_as_the_reference_does) {
  Random random(3);
  for (const auto& [k, n] :
       std::initializer_list<std::pair<size_t, size_t>>{{1, 1}, {8, 64}, {13, 70}, {64, 33}}) {
    for (const bool transposed : {false, true}) {
      const auto b = random_bytes(random, k * n);
      const int8_t zero = -7;
      std::vector<std::byte> expected(packed_bytes_i8(k, n)), found(expected.size());
      pack_b_i8(b.data(), transposed ? 1 : n, transposed ? k : 1, k, n, 0x80, &zero, 1,
                expected.data());
      for (const GemmI8Kernels* kernels : gemm_i8_of_runnable_isas()) {
        kernels->pack(b.data(), transposed ? k : n, transposed, k, n, 0x80, zero, found.data());
        // Zero points of columns beyond the last do not matter.
        for (size_t p = 0; p < panel_count(n); ++p) {
          const size_t columns = std::min(kPanelColumns, n - p * kPanelColumns) * 4;
          const size_t at = p * panel_bytes_i8(k);
          CHECK(std::memcmp(&found[at], &expected[at], columns) == 0);
          CHECK(std::memcmp(&found[at + 128], &expected[at + 128], columns) == 0);
          CHECK(std::memcmp(&found[at + 256], &expected[at + 256], panel_bytes_i8(k) - 256) == 0);
        }
      }
    }
  }
}

struct ConvolutionI8 {
  ConvShape shape;
  std::vector<uint8_t> x, w;
  std::vector<int8_t> zero;

  int32_t exact(size_t pixel, size_t co, int32_t x_zero) const {
    const ConvShape& s = shape;
    const size_t ow = pixel % s.out_w, oh = pixel / s.out_w % s.out_h;
    const size_t image = pixel / s.out_w / s.out_h, group = co / s.group_out();
    int32_t sum = 0;
    for (size_t i = 0; i < s.kernel_h; ++i) {
      for (size_t j = 0; j < s.kernel_w; ++j) {
        const size_t row = oh * s.stride_h + i * s.dilation_h - s.pad_top;
        const size_t column = ow * s.stride_w + j * s.dilation_w - s.pad_left;
        if (row >= s.in_h || column >= s.in_w) continue;  // negative ones are huge
        for (size_t c = 0; c < s.group_in(); ++c) {
          const uint8_t value =
              x[((image * s.in_h + row) * s.in_w + column) * s.in_c + group * s.group_in() + c];
          const auto weight =
              static_cast<int8_t>(w[((co * s.group_in() + c) * s.kernel_h + i) * s.kernel_w + j]);
          sum += (value - x_zero) * (weight - (zero.empty() ? 0 : zero[co]));
        }
      }
    }
    return sum;
  }
};

ConvolutionI8 make_convolution(size_t in_c, size_t out_c, size_t groups, size_t kernel,
                               size_t stride, size_t dilation, size_t pad, bool has_zero) {
  ConvolutionI8 conv;
  ConvShape& s = conv.shape;
  s.batch = 2;
  s.in_h = 9;
  s.in_w = 11;
  s.in_c = in_c;
  s.out_c = out_c;
  s.groups = groups;
  s.kernel_h = s.kernel_w = kernel;
  s.stride_h = s.stride_w = stride;
  s.dilation_h = s.dilation_w = dilation;
  s.pad_top = s.pad_left = pad;
  s.out_h = (s.in_h + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1;
  s.out_w = (s.in_w + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1;
  Random random(in_c * 7 + out_c + kernel);
  conv.x = random_bytes(random, s.batch * s.in_h * s.in_w * in_c);
  conv.w = random_bytes(random, out_c * (in_c / groups) * kernel * kernel);
  for (size_t i = 0; has_zero && i < out_c; ++i) {
    conv.zero.push_back(static_cast<int8_t>(random.next()));
  }
  return conv;
}

// The same with a depthwise kernel of one row.
ConvolutionI8 make_lying(size_t channels, size_t kernel, size_t stride, size_t dilation, size_t pad,
                         bool has_zero) {
  ConvolutionI8 conv =
      make_convolution(channels, channels, channels, kernel, stride, dilation, pad, has_zero);
  ConvShape& s = conv.shape;
  s.kernel_h = 1;
  s.dilation_h = 1;
  s.pad_top = 0;
  s.out_h = (s.in_h - 1) / stride + 1;
  return conv;
}

void check_convolution(const ConvolutionI8& c, bool as_depthwise) {
  const ConvShape& s = c.shape;
  std::vector<std::byte> packed(as_depthwise ? depthwise_packed_bytes_i8(s)
                                             : conv_packed_bytes_i8(s));
  if (as_depthwise) {
    depthwise_pack_weights_i8(s, c.w.data(), 0, packed.data());
    std::vector<std::byte> zeros(panel_count(s.out_c) * kPanelColumns);
    for (size_t i = 0; i < c.zero.size(); ++i) zeros[i] = static_cast<std::byte>(c.zero[i]);
    if (!c.zero.empty()) packed.insert(packed.end(), zeros.begin(), zeros.end());
  } else {
    conv_pack_weights_i8(s, c.w.data(), 0, c.zero.empty() ? nullptr : c.zero.data(), c.zero.size(),
                         packed.data());
  }
  ConvI8 conv;
  conv.shape = s;
  conv.x = c.x.data();
  conv.x_zero = 131;
  conv.w = packed.data();
  conv.has_w_zero = !c.zero.empty();
  for (const GemmI8Kernels* kernels : gemm_i8_of_runnable_isas()) {
    std::vector<int32_t> y(s.pixels() * s.out_c, -1);
    std::vector<uint64_t> scratch(conv_scratch_bytes_i8(s) / 8 + 8);
    auto* slot =
        reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64);
    conv.y = y.data();
    const size_t rows = s.batch * s.out_h;
    if (as_depthwise) {
      kernels->depthwise(conv, 0, rows / 2);
      kernels->depthwise(conv, rows / 2, rows);
    } else {
      const size_t middle = s.pixels() / 3, panel = s.panels() / 2;
      kernels->conv(conv, 0, middle, 0, s.panels(), slot);
      kernels->conv(conv, middle, s.pixels(), 0, panel, slot);
      kernels->conv(conv, middle, s.pixels(), panel, s.panels(), slot);
    }
    for (size_t q = 0; q < s.pixels(); ++q) {
      for (size_t co = 0; co < s.out_c; ++co) {
        CHECK_EQ(y[q * s.out_c + co], c.exact(q, co, conv.x_zero));
      }
    }
  }
}

TEST(conv_i8, pads_with_the_zero_point_and_finds_every_window) {
  for (const bool has_zero : {false, true}) {
    check_convolution(make_convolution(3, 40, 1, 3, 2, 1, 1, has_zero), false);
    check_convolution(make_convolution(8, 33, 1, 1, 1, 1, 0, has_zero), false);
    check_convolution(make_convolution(8, 33, 1, 1, 2, 1, 0, has_zero), false);
    check_convolution(make_convolution(12, 20, 1, 3, 1, 1, 1, has_zero), false);
    check_convolution(make_convolution(8, 70, 2, 3, 1, 2, 2, has_zero), false);
    check_convolution(make_convolution(6, 9, 3, 3, 1, 1, 1, has_zero), false);
    check_convolution(make_convolution(5, 5, 5, 3, 1, 1, 1, has_zero), false);
  }
}

TEST(conv_i8, depthwise_has_kernels_of_its_own) {
  for (const bool has_zero : {false, true}) {
    check_convolution(make_convolution(5, 5, 5, 3, 1, 1, 1, has_zero), true);
    check_convolution(make_convolution(70, 70, 70, 3, 2, 1, 1, has_zero), true);
    check_convolution(make_convolution(32, 32, 32, 5, 1, 2, 4, has_zero), true);
    check_convolution(make_convolution(32, 32, 32, 9, 1, 40, 170, has_zero), true);  // too wide
    check_convolution(make_convolution(41, 41, 41, 5, 1, 1, 2, has_zero), true);
    for (size_t kernel = 2; kernel <= 9; ++kernel) {
      check_convolution(make_lying(5, kernel, 1, 1, kernel / 2, has_zero), true);
      check_convolution(make_lying(50, kernel, 2, 2, kernel, has_zero), true);
    }
  }
}

TEST(quant, every_level_rounds_half_to_even_and_saturates) {
  Random random(5);
  std::vector<float> x = random.floats(300, -400, 400);
  for (int i = 0; i < 100; ++i) x.push_back(static_cast<float>(i - 50) * 0.5f);
  for (const float odd : {NAN, INFINITY, -INFINITY, 1e30f, -1e30f, -0.0f}) x.push_back(odd);
  const QuantisedAs as{1.0f, 3, -128, 127};
  for (const Isa isa : runnable_isas()) {
    const QuantKernels& kernels = quant_kernels(isa);
    std::vector<int8_t> y(x.size());
    kernels.s8.quantise(x.data(), as, y.data(), x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      const float v = std::isnan(x[i]) ? -1000.0f : rounded(x[i]) + 3.0f;
      CHECK_EQ(int{y[i]}, static_cast<int>(std::fmin(std::fmax(v, -128.0f), 127.0f)));
    }
    std::vector<float> back(y.size());
    kernels.s8.dequantise(y.data(), 0.25f, 3, back.data(), y.size());
    for (size_t i = 0; i < y.size(); ++i) {
      CHECK_EQ(back[i], static_cast<float>(y[i] - 3) * 0.25f);
    }
  }
}

TEST(quant, rows_of_every_length_are_written_and_nothing_behind_them) {
  Random random(6);
  const std::vector<float> x = random.floats(200, -300, 300);
  const QuantisedAs as{1.5f, 100, 0, 255};
  for (const Isa isa : runnable_isas()) {
    const QuantKernels& kernels = quant_kernels(isa);
    for (size_t n = 0; n < x.size(); ++n) {
      std::vector<uint8_t> y(n + 1, 7);
      kernels.u8.quantise(x.data(), as, y.data(), n);
      std::vector<float> back(n + 1, 7.0f);
      kernels.u8.dequantise(y.data(), 0.5f, 100, back.data(), n);
      for (size_t i = 0; i < n; ++i) {
        const float v = rounded(x[i] / 1.5f) + 100.0f;
        CHECK_EQ(int{y[i]}, static_cast<int>(std::fmin(std::fmax(v, 0.0f), 255.0f)));
        CHECK_EQ(back[i], static_cast<float>(y[i] - 100) * 0.5f);
      }
      CHECK_EQ(int{y[n]}, 7);
      CHECK_EQ(back[n], 7.0f);
    }
  }
}

TEST(quant, tables_are_read_alike_at_every_level) {
  Random random(7);
  const auto x = random_bytes(random, 1000), table = random_bytes(random, 256);
  for (const Isa isa : runnable_isas()) {
    for (const size_t n : {0, 1, 63, 64, 65, 1000}) {
      std::vector<uint8_t> y(1001, 99);
      quant_kernels(isa).lookup(x.data(), table.data(), y.data(), n);
      for (size_t i = 0; i < n; ++i) CHECK_EQ(int{y[i]}, int{table[x[i]]});
      CHECK_EQ(int{y[n]}, 99);
    }
  }
}

TEST(quant, sums_and_products_of_rows_follow_their_formulas) {
  Random random(6);
  const auto a = random_bytes(random, 100), b = random_bytes(random, 100);
  BinaryI8 op{1, 1, 10, 200, 0.3f, 0.7f, 128, 5, 250};
  for (const Isa isa : runnable_isas()) {
    const auto& kernels = quant_kernels(isa).u8;
    for (const size_t b_step : {0, 1}) {
      op.b_step = b_step;
      std::vector<uint8_t> sum(100), product(100);
      kernels.add(op, a.data(), b.data(), sum.data(), 100);
      op.a_factor = 0.01f;
      kernels.mul(op, a.data(), b.data(), product.data(), 100);
      op.a_factor = 0.3f;
      for (size_t i = 0; i < 100; ++i) {
        const int p = a[i] - 10, q = b[i * b_step] - 200;
        const auto code = [](float v) { return std::fmin(std::fmax(rounded(v) + 128, 5), 250); };
        CHECK_EQ(static_cast<float>(sum[i]),
                 code(static_cast<float>(p) * 0.3f + static_cast<float>(q) * 0.7f));
        CHECK_EQ(static_cast<float>(product[i]), code(static_cast<float>(p * q) * 0.01f));
      }
    }
  }
}

}  // namespace
}  // namespace ortc::cpu
