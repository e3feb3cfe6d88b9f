// SPDX-License-Identifier: MIT
// Products computed the other way round: see the header.
#include "providers/cpu/products/turned_product.h"

#include <algorithm>

#include "providers/cpu/arith/gemm_f32/gemm_f32.h"
#include "providers/cpu/arith/turn/turn.h"
#include "providers/cpu/arith/vector_f32/vector_f32.h"

namespace ortc::cpu {
namespace {

constexpr double kPackedFloats = 128 * 1024;  // of A, which stays in L2 beside two blocks of B
constexpr int64_t kStep = 16;                 // columns of a panel are multiplied so many at a time
constexpr double kMoveCost = 16;              // of packing an element, in multiplications
constexpr double kTurnCost = 4;               // of turning one of C, in elements packed

constexpr int64_t round_up(int64_t n, int64_t step) { return (n + step - 1) / step * step; }
constexpr size_t size(int64_t n) { return static_cast<size_t>(n); }

}  // namespace

bool is_better_turned(int64_t m, int64_t k, int64_t n) {
  if (n < 2 * kTurnedColumns || m > n) return false;
  const auto rows = static_cast<double>(m), depth = static_cast<double>(k);
  const auto columns = static_cast<double>(n);
  const auto waste = static_cast<double>(round_up(m, kStep) - m);
  if ((rows + waste) * depth > kPackedFloats) return false;
  const double spared = depth * columns - rows * depth - kTurnCost * rows * columns;
  return spared * kMoveCost > waste * columns * depth;
}

int64_t turned_room(int64_t m, int64_t k) {
  return static_cast<int64_t>(packed_size(size(k), size(m))) +
         kTurnedColumns * round_up(m, static_cast<int64_t>(kPanelColumns));
}

void run_turned_product(Isa isa, const TurnedProduct& p, int64_t n0, int64_t n1, float* room) {
  const GemmF32Kernels& kernels = gemm_f32_kernels(isa);
  const size_t panels = panel_count(size(p.m));
  kernels.pack_b(p.a, size(p.k), /*transposed=*/true, size(p.k), size(p.m), 0, panels, room);
  GemmF32 gemm;
  gemm.lda = gemm.k = size(p.k);
  gemm.b = room;
  gemm.n = size(p.m);
  gemm.c = room + packed_size(size(p.k), size(p.m));
  gemm.ldc = panels * kPanelColumns;
  gemm.epilogue.scale = p.alpha;
  for (int64_t n = n0; n < n1; n += kTurnedColumns) {
    const int64_t end = std::min(n1, n + kTurnedColumns);
    gemm.a = p.b + n * p.k;
    gemm.upcoming = p.b + end * p.k;
    gemm.upcoming_count = size((std::min(p.n, end + kTurnedColumns) - end) * p.k);
    kernels.tile(gemm, 0, size(end - n), 0, panels);
    turn_kernels(isa).bytes4(gemm.c, gemm.ldc, p.c + n, size(p.n), size(end - n), size(p.m));
    if (p.bias == nullptr) continue;
    for (int64_t i = 0; i < p.m; ++i) {
      float* row = p.c + i * p.n + n;
      vector_f32_kernels(isa).add(row, p.bias + n, row, size(end - n));
    }
  }
}

}  // namespace ortc::cpu
