// SPDX-License-Identifier: MIT
// f32 GEMM against loops in double precision, and against itself under other divisions of the work.

#include "providers/cpu/arith/gemm_f32/gemm_f32.h"

#include "tests/providers/cpu/arith/arith_testing.h"
#include "tests/support/test.h"

namespace ortc::cpu {
namespace {

using testing::kUntouched;
using testing::Random;

// The depth whose rows lie 4096 bytes apart here, and share a set of the first cache.
constexpr size_t kSetDepth = 1021;

// A product with its operands; rows of A and C are longer than needed, and what must not be read is
// NaN.
struct PaddedProduct {
  size_t m, n, k, lda, ldc;
  std::vector<float> a, b, packed;

  PaddedProduct(const GemmF32Kernels& kernels, size_t m_, size_t n_, size_t k_, uint64_t seed = 1)
      : m(m_), n(n_), k(k_), lda(k_ + 3), ldc(n_ + 5) {
    Random random(seed);
    a.assign(m * lda, NAN);
    for (size_t i = 0; i < m; ++i) {
      for (size_t x = 0; x < k; ++x) a[i * lda + x] = random.in(-1, 1);
    }
    b = random.floats(k * n);
    packed.assign(packed_size(k, n), NAN);
    packed.reserve(kPanelColumns);  // no null address for a depth of nothing
    kernels.pack_b(b.data(), n, false, k, n, 0, panel_count(n), packed.data());
  }

  GemmF32 gemm(float* c) const {
    GemmF32 g;
    g.a = a.data();
    g.lda = lda;
    g.b = packed.data();
    g.c = c;
    g.ldc = ldc;
    g.n = n;
    g.k = k;
    return g;
  }

  double exact(size_t i, size_t j) const {
    double sum = 0;
    for (size_t x = 0; x < k; ++x) {
      sum += static_cast<double>(a[i * lda + x]) * static_cast<double>(b[x * n + j]);
    }
    return sum;
  }

  double tolerance() const { return 2e-7 * static_cast<double>(k) + 1e-6; }
};

void check_plain(Isa isa, size_t m, size_t n, size_t k) {
  const GemmF32Kernels& kernels = gemm_f32_kernels(isa);
  const PaddedProduct p(kernels, m, n, k, m * 131 + n * 17 + k);
  std::vector<float> c(m * p.ldc, kUntouched);
  kernels.tile(p.gemm(c.data()), 0, m, 0, panel_count(n));
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < n; ++j) CHECK_NEAR(c[i * p.ldc + j], p.exact(i, j), 0, p.tolerance());
    for (size_t j = n; j < p.ldc; ++j) CHECK(c[i * p.ldc + j] == kUntouched);
  }
}

TEST(gemm_f32, agrees_with_plain_loops_for_every_row_count) {
  for (Isa isa : testing::runnable_isas()) {
    for (size_t m = 1; m <= 30; ++m) check_plain(isa, m, 70, 37);
    for (size_t m : {47, 100, 241, 260}) check_plain(isa, m, 40, 9);
  }
}

TEST(gemm_f32, agrees_with_plain_loops_for_every_column_count) {
  for (Isa isa : testing::runnable_isas()) {
    for (size_t n = 1; n <= 66; ++n) check_plain(isa, 13, n, 21);
  }
}

TEST(gemm_f32, agrees_with_plain_loops_for_many_depths) {
  for (Isa isa : testing::runnable_isas()) {
    for (size_t k : {0, 1, 2, 3, 15, 16, 17, 64, 767, 768, 769, 1000, 1536, 1537, 2000}) {
      for (size_t m : {1, 5, 29}) check_plain(isa, m, 45, k);
    }
  }
}

TEST(gemm_f32, agrees_with_plain_loops_where_rows_share_a_set_of_the_cache) {
  for (Isa isa : testing::runnable_isas()) {
    for (size_t m : {1, 8, 9, 12, 13, 16, 17, 25, 67}) check_plain(isa, m, 45, kSetDepth);
  }
}

TEST(gemm_f32, packs_the_transpose_to_the_same_panels) {
  Random random(3);
  for (Isa isa : testing::runnable_isas()) {
    const GemmF32Kernels& kernels = gemm_f32_kernels(isa);
    for (size_t n : {1, 7, 16, 31, 32, 33, 50, 64, 100}) {
      for (size_t k : {1, 5, 8, 16, 19, 40}) {
        const std::vector<float> b = random.floats(k * n);
        std::vector<float> transpose(n * (k + 2), NAN);
        for (size_t x = 0; x < k; ++x) {
          for (size_t j = 0; j < n; ++j) transpose[j * (k + 2) + x] = b[x * n + j];
        }
        std::vector<float> one(packed_size(k, n), NAN);
        std::vector<float> two(packed_size(k, n), NAN);
        kernels.pack_b(b.data(), n, false, k, n, 0, panel_count(n), one.data());
        for (size_t p = 0; p < panel_count(n); ++p) {
          kernels.pack_b(transpose.data(), k + 2, true, k, n, p, p + 1, two.data());
        }
        CHECK(testing::same_bits(one, two));
        for (size_t x = 0; x < k; ++x) {
          for (size_t j = 0; j < panel_count(n) * 32; ++j) {
            const float expected = j < n ? b[x * n + j] : 0.0f;
            CHECK_EQ(one[(j / 32 * k + x) * 32 + j % 32], expected);
          }
        }
      }
    }
  }
}

TEST(gemm_f32, gives_the_same_bits_however_the_work_is_divided) {
  for (Isa isa : testing::runnable_isas()) {
    const GemmF32Kernels& kernels = gemm_f32_kernels(isa);
    for (size_t k : {size_t{100}, kSetDepth, size_t{1700}}) {
      const PaddedProduct p(kernels, 53, 150, k);
      const std::vector<float> bias = Random(5).floats(p.n);
      for (const ActivationF32& act : testing::all_activations()) {
        // Every activation at both depths takes an emulator half an hour.
        const bool is_sampled = act.kind == Activation::kNone || act.kind == Activation::kGelu;
        if (test::is_emulated() && k > 100 && !is_sampled) continue;
        std::vector<float> whole(p.m * p.ldc, kUntouched);
        GemmF32 gemm = p.gemm(whole.data());
        gemm.epilogue.bias = bias.data();
        gemm.epilogue.activation = act;
        kernels.tile(gemm, 0, p.m, 0, panel_count(p.n));
        for (size_t rows : {1, 7, 12, 30}) {
          for (size_t panels : {1, 2, 5}) {
            std::vector<float> parts(p.m * p.ldc, kUntouched);
            gemm.c = parts.data();
            for (size_t m = 0; m < p.m; m += rows) {
              for (size_t q = 0; q < panel_count(p.n); q += panels) {
                kernels.tile(gemm, m, std::min(p.m, m + rows), q,
                             std::min(panel_count(p.n), q + panels));
              }
            }
            CHECK(testing::same_bits(whole, parts));
          }
        }
      }
    }
  }
}

TEST(gemm_f32, applies_scale_bias_residual_and_activation) {
  for (Isa isa : testing::runnable_isas()) {
    const GemmF32Kernels& kernels = gemm_f32_kernels(isa);
    for (size_t k : {8, 900}) {
      const PaddedProduct p(kernels, 14, 77, k);
      Random random(9);
      const std::vector<float> bias = random.floats(p.n, -3, 3);
      const std::vector<float> residual = random.floats(p.m * (p.n + 1), -3, 3);
      for (const ActivationF32& act : testing::all_activations()) {
        for (int mode = 0; mode < 8; ++mode) {
          std::vector<float> c(p.m * p.ldc, kUntouched);
          GemmF32 gemm = p.gemm(c.data());
          gemm.epilogue.activation = act;
          if (mode & 1) gemm.epilogue.bias = bias.data();
          if (mode & 2) gemm.epilogue.residual = residual.data();
          if (mode & 2) gemm.epilogue.residual_ld = p.n + 1;
          if (mode & 4) gemm.epilogue.scale = 0.25f;
          kernels.tile(gemm, 0, p.m, 0, panel_count(p.n));
          for (size_t i = 0; i < p.m; ++i) {
            for (size_t j = 0; j < p.n; ++j) {
              double x = p.exact(i, j) * (mode & 4 ? 0.25 : 1.0);
              if (mode & 1) x += bias[j];
              if (mode & 2) x += residual[i * (p.n + 1) + j];
              CHECK_NEAR(c[i * p.ldc + j], testing::activate(act, x), 1e-6, p.tolerance());
            }
          }
        }
      }
    }
  }
}

TEST(gemm_f32, lets_nan_and_infinity_through) {
  for (Isa isa : testing::runnable_isas()) {
    const GemmF32Kernels& kernels = gemm_f32_kernels(isa);
    PaddedProduct p(kernels, 3, 40, 4);
    p.a[1] = NAN;
    p.a[p.lda] = INFINITY;
    std::vector<float> c(p.m * p.ldc);
    GemmF32 gemm = p.gemm(c.data());
    gemm.epilogue.activation.kind = Activation::kRelu;
    kernels.tile(gemm, 0, p.m, 0, panel_count(p.n));
    for (size_t j = 0; j < p.n; ++j) {
      CHECK(std::isnan(c[j]));
      CHECK_EQ(c[p.ldc + j], p.b[j] > 0 ? INFINITY : 0.0f);
      CHECK(std::isfinite(c[2 * p.ldc + j]));
    }
  }
}

TEST(gemm_f32, one_row_agrees_with_plain_loops_and_with_itself) {
  for (Isa isa : testing::runnable_isas()) {
    const GemmF32Kernels& kernels = gemm_f32_kernels(isa);
    for (size_t k : {1, 3, 64, 767, 769, 1600}) {
      for (size_t n : {1, 7, 16, 31, 32, 65, 130, 200}) {
        const size_t ldb = n + 3;
        Random random(k + n);
        const std::vector<float> x = random.floats(k);
        const std::vector<float> b = random.floats(k * ldb);
        std::vector<float> y(n + 1, kUntouched), parts(n + 1, kUntouched);
        kernels.row_times(x.data(), b.data(), ldb, 0, n, k, y.data());
        kernels.row_times(x.data(), b.data(), ldb, 0, n / 3, k, parts.data());
        kernels.row_times(x.data(), b.data(), ldb, n / 3, n, k, parts.data());
        CHECK(testing::same_bits(y, parts));
        CHECK_EQ(y[n], kUntouched);
        for (size_t j = 0; j < n; ++j) {
          double sum = 0;
          for (size_t i = 0; i < k; ++i) sum += static_cast<double>(x[i]) * b[i * ldb + j];
          CHECK_NEAR(y[j], sum, 0, 1e-7 * static_cast<double>(k) + 1e-6);
        }
      }
    }
  }
}

TEST(gemm_f32, dot_rows_agree_with_plain_loops_and_with_themselves) {
  for (Isa isa : testing::runnable_isas()) {
    const GemmF32Kernels& kernels = gemm_f32_kernels(isa);
    for (size_t k : {1, 3, 16, 31, 64, 100, 768}) {
      for (size_t m : {1, 2, 3, 4, 5, 9}) {
        const size_t n = 40 + m;
        Random random(k + m);
        const std::vector<float> x = random.floats(m * k);
        const std::vector<float> w = random.floats(n * k);
        std::vector<float> y(m * n, kUntouched);
        kernels.dot_rows(x.data(), k, m, w.data(), k, 0, n, k, y.data(), n);
        std::vector<float> parts(m * n, kUntouched);
        for (size_t i = 0; i < m; ++i) {
          kernels.dot_rows(x.data() + i * k, k, 1, w.data(), k, 0, 5, k, parts.data() + i * n, n);
          kernels.dot_rows(x.data() + i * k, k, 1, w.data(), k, 5, n, k, parts.data() + i * n, n);
        }
        CHECK(testing::same_bits(y, parts));
        for (size_t i = 0; i < m; ++i) {
          for (size_t j = 0; j < n; ++j) {
            double sum = 0;
            for (size_t c = 0; c < k; ++c) sum += static_cast<double>(x[i * k + c]) * w[j * k + c];
            CHECK_NEAR(y[i * n + j], sum, 0, 1e-7 * static_cast<double>(k) + 1e-6);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace ortc::cpu
