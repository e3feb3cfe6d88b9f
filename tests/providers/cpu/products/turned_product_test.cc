// SPDX-License-Identifier: MIT
// Products computed the other way round, against plain loops and against packing B.
#include "providers/cpu/products/turned_product.h"

#include "providers/cpu/arith/gemm_f32/gemm_f32.h"
#include "tests/providers/cpu/arith/arith_testing.h"
#include "tests/support/test.h"

namespace ortc::cpu {
namespace {

struct Sizes {
  int64_t m, k, n;
  size_t a() const { return static_cast<size_t>(m * k); }
  size_t b() const { return static_cast<size_t>(n * k); }
  size_t c() const { return static_cast<size_t>(m * n); }
};

// By packing B.
std::vector<float> packed_product(Isa isa, const TurnedProduct& p) {
  const auto k = static_cast<size_t>(p.k), n = static_cast<size_t>(p.n);
  std::vector<float> packed(packed_size(k, n)), c(static_cast<size_t>(p.m) * n);
  const GemmF32Kernels& kernels = gemm_f32_kernels(isa);
  kernels.pack_b(p.b, k, /*transposed=*/true, k, n, 0, panel_count(n), packed.data());
  GemmF32 gemm;
  gemm.a = p.a;
  gemm.lda = gemm.k = k;
  gemm.b = packed.data();
  gemm.c = c.data();
  gemm.ldc = gemm.n = n;
  gemm.epilogue.scale = p.alpha;
  gemm.epilogue.bias = p.bias;
  kernels.tile(gemm, 0, static_cast<size_t>(p.m), 0, panel_count(n));
  return c;
}

void check_plain(const TurnedProduct& p, const std::vector<float>& c) {
  for (int64_t i = 0; i < p.m; ++i) {
    for (int64_t j = 0; j < p.n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < p.k; ++l) {
        sum += static_cast<double>(p.a[i * p.k + l]) * static_cast<double>(p.b[j * p.k + l]);
      }
      const double exact = p.alpha * sum + (p.bias != nullptr ? p.bias[j] : 0.0f);
      CHECK_NEAR(c[static_cast<size_t>(i * p.n + j)], exact, 0,
                 2e-7 * static_cast<double>(p.k) + 1e-6);
    }
  }
}

void check_product(Isa isa, const Sizes& s, bool with_epilogue) {
  testing::Random random(static_cast<uint64_t>(s.m * 131 + s.k * 17 + s.n));
  const std::vector<float> a = random.floats(s.a()), b = random.floats(s.b());
  const std::vector<float> bias = random.floats(static_cast<size_t>(s.n));
  std::vector<float> c(s.c(), NAN), parts(s.c(), NAN);
  std::vector<float> room(static_cast<size_t>(turned_room(s.m, s.k)), NAN);
  TurnedProduct p{s.m, s.k, s.n, a.data(), b.data(), c.data(), 1.0f, nullptr};
  if (with_epilogue) {
    p.alpha = 0.3f;
    p.bias = bias.data();
  }
  run_turned_product(isa, p, 0, s.n, room.data());
  check_plain(p, c);
  CHECK(testing::same_bits(c, packed_product(isa, p)));
  p.c = parts.data();
  for (int64_t n = 0; n < s.n; n += kTurnedColumns) {
    run_turned_product(isa, p, n, std::min(s.n, n + kTurnedColumns), room.data());
  }
  CHECK(testing::same_bits(c, parts));
}

TEST(turned_product, has_the_bits_of_packing_b_at_odd_sizes) {
  for (const Isa isa : testing::runnable_isas()) {
    for (const int64_t m : {1, 9, 16, 31, 33, 67}) {
      for (const int64_t n : {1, 47, 48, 97, 151}) {
        for (const int64_t k : {1, 15, 67}) check_product(isa, {m, k, n}, (m + n + k) % 2 == 0);
      }
    }
    check_product(isa, {31, 1537, 101}, true);  // several blocks of K
  }
}

TEST(turned_product, is_for_few_rows_and_a_large_b) {
  CHECK(is_better_turned(128, 768, 50257));
  CHECK(is_better_turned(16, 768, 50257));
  CHECK(!is_better_turned(128, 64, 128));     // nothing to spare
  CHECK(!is_better_turned(128, 768, 128));    // as many rows as columns
  CHECK(!is_better_turned(65, 64, 1000));     // turning C costs more
  CHECK(!is_better_turned(512, 768, 50257));  // packed rows would not stay in the cache
  CHECK(!is_better_turned(int64_t{1} << 40, int64_t{1} << 20, int64_t{1} << 40));
}

}  // namespace
}  // namespace ortc::cpu
