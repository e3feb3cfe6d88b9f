// SPDX-License-Identifier: MIT
// Products with weights of few bits: see the header.
#include "providers/cpu/products/nbits_product.h"

#include <algorithm>
#include <cstring>

#include "providers/cpu/arith/gemm_f32/gemm_f32.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/bind/thread_slots.h"
#include "providers/cpu/layouts.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kPanelWork = 1 << 17;  // products that are worth an item of their own

// Scratch of one row as the packed weights want it: filled up, and sums or scales of its blocks
// with 8-bit numbers.
struct RowScratch {
  uint64_t x, x_sum, q, q_scale, q_sum, row;
};

RowScratch row_scratch(const NBitsShape& shape) {
  const uint64_t k = shape.padded_k(), blocks = shape.blocks();
  RowScratch s{};
  s.x_sum = s.x + align_up(k * 4, 64);
  s.q = s.x_sum + align_up(blocks * 4, 64);
  s.q_scale = s.q + align_up(k, 64);
  s.q_sum = s.q_scale + align_up(blocks * 4, 64);
  s.row = s.q_sum + align_up(blocks * 4, 64);
  return s;
}

// A row of A with zeros behind it, as long as its blocks.
const float* filled_row(const NBitsJob& job, int64_t row, std::byte* scratch) {
  const NBitsShape& shape = job.shape;
  const float* x = job.a + static_cast<uint64_t>(row) * shape.k;
  if (shape.padded_k() == shape.k) return x;
  auto* filled = reinterpret_cast<float*>(scratch);
  std::fill(std::copy_n(x, shape.k, filled), filled + shape.padded_k(), 0.0f);
  return filled;
}

// --- Few rows.

NBitsProduct make_row(const NBitsJob& job, const NBitsKernels& kernels, int64_t row,
                      std::byte* scratch) {
  const NBitsShape& shape = job.shape;
  const RowScratch at = row_scratch(shape);
  const float* x = filled_row(job, row, scratch + at.x);
  NBitsProduct product;
  product.shape = shape;
  product.b = job.b;
  product.bias = job.bias;
  product.y = job.y + static_cast<uint64_t>(row) * shape.n;
  if (job.as_int8) {
    auto* q = reinterpret_cast<int8_t*>(scratch + at.q);
    auto* q_scale = reinterpret_cast<float*>(scratch + at.q_scale);
    auto* q_sum = reinterpret_cast<int32_t*>(scratch + at.q_sum);
    kernels.quantise(x, shape.block, shape.blocks(), q, q_scale, q_sum);
    product.q = q;
    product.q_scale = q_scale;
    product.q_sum = q_sum;
    return product;
  }
  product.x = x;
  if (shape.has_zero) {
    auto* sum = reinterpret_cast<float*>(scratch + at.x_sum);
    kernels.sum(x, shape.block, shape.blocks(), sum);
    product.x_sum = sum;
  }
  return product;
}

void run_vectors(const RunContext& ctx, const NBitsJob& job, std::byte* scratch) {
  const NBitsKernels& kernels = nbits_kernels(ctx.isa());
  const NBitsShape& shape = job.shape;
  const uint64_t row_bytes = row_scratch(shape).row;
  NBitsProduct products[kNBitsVectors];
  for (int64_t row = 0; row < job.rows; ++row) {
    products[row] = make_row(job, kernels, row, scratch + static_cast<uint64_t>(row) * row_bytes);
  }
  const auto panels = static_cast<int64_t>(shape.panels());
  const auto panel_work = static_cast<int64_t>(shape.padded_k() * kNBitsColumns);
  const int64_t least = std::max<int64_t>(1, kPanelWork / panel_work);
  // Few long stretches: each is read from memory front to back.
  const int64_t grain = std::max(least, panels / (4 * ctx.thread_count()) + 1);
  // Several rows share a panel while it is near.
  const auto gemv = job.as_int8 ? kernels.gemv_i8 : kernels.gemv;
  ctx.parallel_for(panels, grain, [&](int64_t begin, int64_t end) {
    const int64_t step = job.rows == 1 ? end - begin : 1;
    for (int64_t p = begin; p < end; p += step) {
      for (int64_t row = 0; row < job.rows; ++row) {
        gemv(products[row], static_cast<size_t>(p), static_cast<size_t>(p + step));
      }
    }
  });
}

// Many rows whose level has nothing better: each has the bits that it has alone.
void run_vectors_in_turn(const RunContext& ctx, const NBitsJob& job, std::byte* scratch) {
  for (int64_t m0 = 0; m0 < job.rows; m0 += kNBitsVectors) {
    NBitsJob slice = job;
    slice.a += static_cast<size_t>(m0) * job.shape.k;
    slice.y += static_cast<size_t>(m0) * job.shape.n;
    slice.rows = std::min<int64_t>(kNBitsVectors, job.rows - m0);
    run_vectors(ctx, slice, scratch);
  }
}

// --- Many rows as 8-bit numbers.

bool takes_rows_as_int8(bool as_int8, Isa isa) {
  return as_int8 && nbits_kernels(isa).rows_i8 != nullptr;
}

// So many rows are rounded at a time, into scratch of all; and row_scratch() for each thread.
constexpr int64_t kRowsAtOnce = 256;
struct Int8Scratch {
  uint64_t q_scale, q_less, rows;  // q is at the beginning
};

Int8Scratch int8_scratch(const NBitsShape& shape, int64_t rows) {
  const uint64_t count = align_up(static_cast<uint64_t>(std::min(rows, kRowsAtOnce)), kNBitsRows);
  Int8Scratch s{};
  s.q_scale = count * shape.padded_k();
  s.q_less = s.q_scale + count * shape.blocks() * 4;
  s.rows = align_up(s.q_less + count * shape.blocks() * 4, 64);
  return s;
}

// Row m of A, rounded to 8 bits, into its group; `x` as long as the blocks.
void round_row(const NBitsKernels& kernels, const NBitsRows& to, const float* x, size_t m,
               std::byte* scratch) {
  const NBitsShape& shape = to.shape;
  const size_t depth = shape.padded_k(), blocks = shape.blocks(), r = m % kNBitsRows;
  const RowScratch at = row_scratch(shape);
  auto* q = reinterpret_cast<int8_t*>(scratch + at.q);
  auto* q_scale = reinterpret_cast<float*>(scratch + at.q_scale);
  auto* q_sum = reinterpret_cast<int32_t*>(scratch + at.q_sum);
  kernels.quantise(x, shape.block, blocks, q, q_scale, q_sum);
  const size_t first = m - r;
  auto* quads = const_cast<int8_t*>(to.q) + first * depth + 4 * r;
  for (size_t k = 0; k < depth; k += 4) std::memcpy(quads + k * kNBitsRows, q + k, 4);
  auto* scales = const_cast<float*>(to.q_scale) + first * blocks + r;
  auto* less = const_cast<int32_t*>(to.q_less) + first * blocks + r;
  for (size_t i = 0; i < blocks; ++i) {
    scales[i * kNBitsRows] = q_scale[i];
    less[i * kNBitsRows] = -shape.middle() * q_sum[i];
  }
}

// Rows [m0, m0 + count) of A.
NBitsRows round_rows(const RunContext& ctx, const NBitsJob& job, const NBitsKernels& kernels,
                     int64_t m0, int64_t count, std::byte* scratch) {
  const NBitsShape& shape = job.shape;
  const Int8Scratch at = int8_scratch(shape, count);
  NBitsRows rows;
  rows.shape = shape;
  rows.b = job.b;
  rows.q = reinterpret_cast<int8_t*>(scratch);
  rows.q_scale = reinterpret_cast<float*>(scratch + at.q_scale);
  rows.q_less = reinterpret_cast<int32_t*>(scratch + at.q_less);
  rows.bias = job.bias;
  rows.y = job.y + static_cast<size_t>(m0) * shape.n;
  rows.rows = static_cast<size_t>(count);
  const uint64_t slot_bytes = row_scratch(shape).row;
  parallel_items(ctx, ctx.thread_count(), count, [&](int64_t slot, int64_t item) {
    std::byte* own = scratch + at.rows + static_cast<uint64_t>(slot) * slot_bytes;
    const float* x = filled_row(job, m0 + item, own);
    round_row(kernels, rows, x, static_cast<size_t>(item), own);
  });
  return rows;
}

void run_int8_rows(const RunContext& ctx, const NBitsJob& job, std::byte* scratch) {
  const NBitsKernels& kernels = nbits_kernels(ctx.isa());
  const auto panels = static_cast<int64_t>(job.shape.panels());
  for (int64_t m0 = 0; m0 < job.rows; m0 += kRowsAtOnce) {
    const int64_t count = std::min(kRowsAtOnce, job.rows - m0);
    const NBitsRows product = round_rows(ctx, job, kernels, m0, count, scratch);
    const auto groups = static_cast<size_t>(count + kNBitsRows - 1) / kNBitsRows;
    const auto work = static_cast<int64_t>(job.shape.padded_k() * kNBitsColumns) * count;
    ctx.parallel_for(
        panels, std::max<int64_t>(1, 8 * kPanelWork / work), [&](int64_t begin, int64_t end) {
          kernels.rows_i8(product, 0, groups, static_cast<size_t>(begin), static_cast<size_t>(end));
        });
  }
}

// --- Many rows as floats.

// So many rows of A at a time are copied to where rows do not lie a power of two apart, which
// would put all their lines into few sets of the cache; and kDepth rows of a panel of weights are
// expanded at a time, which stay near while the rows of A pass by. Sums of one such block are added
// to those of the blocks before in C.
constexpr int64_t kSliceRows = 240;
constexpr size_t kDepth = kBlockDepth;
constexpr uint64_t kPanelBytes = kDepth * kPanelColumns * sizeof(float);

size_t slice_stride(const NBitsShape& shape) { return align_up(shape.k, 16) + 16; }

uint64_t slice_bytes(const NBitsShape& shape, int64_t rows) {
  const auto count = static_cast<uint64_t>(std::min(rows, kSliceRows));
  return align_up(count * slice_stride(shape) * sizeof(float), 64);
}

// Columns of panel p of `gemm`, whose A is a slice.
void run_panel(const GemmF32Kernels& gemm_kernels, const NBitsKernels& kernels, const NBitsJob& job,
               GemmF32 gemm, size_t rows, size_t p, float* panel) {
  const size_t first = p * kPanelColumns;
  const float* a = gemm.a;
  gemm.b = panel;
  gemm.c += first;
  gemm.n = std::min(kPanelColumns, job.shape.n - first);
  if (job.bias != nullptr) gemm.epilogue.bias = job.bias + first;
  for (size_t k = 0; k < job.shape.k; k += kDepth) {
    gemm.a = a + k;
    gemm.k = std::min(kDepth, job.shape.k - k);
    kernels.expand(job.shape, job.b, p, k, k + gemm.k, panel);
    gemm_kernels.tile(gemm, 0, rows, 0, 1);
    // No deeper than a block of its own, the product reads each element of C before it is written.
    gemm.epilogue.bias = nullptr;
    gemm.epilogue.residual = gemm.c;
    gemm.epilogue.residual_ld = gemm.ldc;
  }
}

void run_panels(const RunContext& ctx, const NBitsJob& job, std::byte* scratch) {
  const NBitsShape& shape = job.shape;
  const auto panels = static_cast<int64_t>(panel_count(shape.n));
  auto* slice = reinterpret_cast<float*>(scratch);
  std::byte* slots = scratch + slice_bytes(shape, job.rows);
  const size_t stride = slice_stride(shape);
  for (int64_t m0 = 0; m0 < job.rows; m0 += kSliceRows) {
    const int64_t rows = std::min(kSliceRows, job.rows - m0);
    ctx.parallel_for(rows, 16, [&](int64_t begin, int64_t end) {
      for (int64_t m = begin; m < end; ++m) {
        std::copy_n(job.a + static_cast<size_t>(m0 + m) * shape.k, shape.k,
                    slice + static_cast<size_t>(m) * stride);
      }
    });
    GemmF32 gemm;
    gemm.a = slice;
    gemm.lda = stride;
    gemm.c = job.y + static_cast<size_t>(m0) * shape.n;
    gemm.ldc = shape.n;
    parallel_items(ctx, ctx.thread_count(), panels, [&](int64_t slot, int64_t p) {
      auto* panel = reinterpret_cast<float*>(slots + static_cast<uint64_t>(slot) * kPanelBytes);
      run_panel(gemm_f32_kernels(ctx.isa()), nbits_kernels(ctx.isa()), job, gemm,
                static_cast<size_t>(rows), static_cast<size_t>(p), panel);
    });
  }
}

}  // namespace

bool can_pack_nbits(int64_t k, int64_t n, int64_t block, uint32_t bits) {
  constexpr int64_t kBlockMax = 1 << 16, kMost = INT32_MAX - kBlockMax;
  return block >= 16 && block <= kBlockMax && (block & (block - 1)) == 0 && k >= 1 && k <= kMost &&
         n >= 1 && n <= kMost && (bits == 4 || bits == 8);
}

std::optional<int64_t> nbits_packed_bytes(const NBitsShape& shape) {
  const auto panel =
      checked_mul(static_cast<int64_t>(shape.blocks()), static_cast<int64_t>(shape.block_bytes()));
  return panel ? checked_mul(*panel, static_cast<int64_t>(shape.panels())) : std::nullopt;
}

Layout nbits_layout(const NBitsShape& shape) {
  if (shape.bits == 8) return shape.has_half ? kPanels16I8Half : kPanels16I8;
  return shape.has_half ? kPanels16I4Half : kPanels16I4;
}

std::optional<uint64_t> nbits_scratch(const NBitsShape& shape, bool as_int8, int64_t rows,
                                      int thread_count, Isa isa) {
  const auto threads = static_cast<uint64_t>(thread_count);
  if (rows > kNBitsVectors && takes_rows_as_int8(as_int8, isa)) {
    return int8_scratch(shape, rows).rows + threads * row_scratch(shape).row;
  }
  if (rows <= kNBitsVectors || as_int8) {
    return checked_mul(row_scratch(shape).row, static_cast<uint64_t>(kNBitsVectors));
  }
  return slice_bytes(shape, rows) + threads * kPanelBytes;
}

void run_nbits(const RunContext& ctx, const NBitsJob& job, std::byte* scratch) {
  if (job.rows <= kNBitsVectors) {
    run_vectors(ctx, job, scratch);
  } else if (takes_rows_as_int8(job.as_int8, ctx.isa())) {
    run_int8_rows(ctx, job, scratch);
  } else if (job.as_int8) {
    run_vectors_in_turn(ctx, job, scratch);
  } else {
    run_panels(ctx, job, scratch);
  }
}

}  // namespace ortc::cpu
