// SPDX-License-Identifier: MIT
// com.microsoft.MatMulNBits: float rows times 4-bit weights in blocks, each with a scale and
// perhaps a zero point (arith/nbits.h has the formula and the packed form).
//
// Constant weights are packed once, at prepare. Up to kRowsOfVectors rows are multiplied straight
// from the packed form. More rows go through the f32 product, 32 columns expanded at a time. At
// accuracy_level 4 rows of A are rounded to 8 bits in blocks, and any number of them is multiplied
// as integers where the CPU has the instructions. Threads divide columns.
#include <algorithm>
#include <cstring>

#include "providers/cpu/arith/gemm_f32/gemm_f32.h"
#include "providers/cpu/arith/nbits/nbits.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/thread_slots.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/layouts.h"

namespace ortc::cpu {
namespace {

struct MatMulNBitsParams {
  uint32_t record_bytes;
  uint32_t accuracy_level;
  uint32_t has_zero;
  uint32_t block;
  int64_t k, n;
};
static_assert(sizeof(MatMulNBitsParams) == 32);

enum Input : size_t { kA, kB, kScale, kZero, kGroups, kBias };
constexpr int64_t kRowsOfVectors = 4;
constexpr uint32_t kLevelInt8 = 4;
constexpr int64_t kPanelWork = 1 << 17;  // products that are worth an item of their own
constexpr TypeMask kF32 = mask_of(DType::kFloat32);

NBitsShape shape_of(const MatMulNBitsParams& p) {
  return {static_cast<size_t>(p.k), static_cast<size_t>(p.n), p.block, p.has_zero != 0};
}

bool is_impossible(const MatMulNBitsParams& p) {
  const bool is_block = p.block >= 16 && p.block <= 1 << 16 && (p.block & (p.block - 1)) == 0;
  return !is_block || p.k < 1 || p.n < 1 || p.k > INT32_MAX - 65536 || p.n > INT32_MAX - 64;
}

// Bytes of the packed weights; nothing on overflow.
std::optional<int64_t> packed_bytes(const MatMulNBitsParams& p) {
  const NBitsShape shape = shape_of(p);
  const auto panel =
      checked_mul(static_cast<int64_t>(shape.blocks()), static_cast<int64_t>(shape.block_bytes()));
  return panel ? checked_mul(*panel, static_cast<int64_t>(shape.panels())) : std::nullopt;
}

// --- Prepare.

Result<MatMulNBitsParams> params_of(const Node& node) {
  MatMulNBitsParams params{};
  params.record_bytes = sizeof params;
  params.k = node.int_attribute("K", 0);
  params.n = node.int_attribute("N", 0);
  const int64_t block = node.int_attribute("block_size", 0);
  const int64_t bits = node.int_attribute("bits", 4);
  if (bits != 4) return not_implemented("MatMulNBits of ", bits, " bits");
  params.block = block >= 16 && block <= 1 << 16 ? static_cast<uint32_t>(block) : 0;
  if (is_impossible(params)) {
    return invalid_graph("K ", params.k, ", N ", params.n, " and block_size ", block,
                         " are impossible");
  }
  const int64_t level = node.int_attribute("accuracy_level", 0);
  params.accuracy_level = level == kLevelInt8 ? kLevelInt8 : 0;
  return params;
}

Status check_elements(const PrepareContext& ctx, size_t i, int64_t count) {
  const Tensor& tensor = *ctx.constant(i);
  if (tensor.element_count() == count) return Status::ok();
  return invalid_graph("input ", i, " has ", tensor.element_count(), " elements, expected ", count);
}

Result<std::vector<float>> floats_of(const Tensor& tensor, size_t i) {
  std::vector<float> floats(static_cast<size_t>(tensor.element_count()));
  const bool known = with_type(TypeList<float, Float16, Bfloat16>{}, tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto* from = static_cast<const T*>(tensor.data());
    std::copy_n(from, floats.size(), floats.begin());
  });
  if (!known) return not_implemented("input ", i, " of type ", dtype_name(tensor.dtype()));
  return floats;
}

// One number a column and block. Integers are packed two to a byte, each column on its own.
Result<std::vector<float>> zeros_of(const PrepareContext& ctx, const NBitsShape& shape) {
  if (!ctx.has_input(kZero)) return std::vector<float>();
  const Tensor* zero = ctx.constant(kZero);
  if (zero == nullptr) return not_implemented("zero points that are not constant");
  const size_t blocks = shape.blocks();
  if (zero->dtype() != DType::kUint8) {
    RETURN_IF_ERROR(check_elements(ctx, kZero, static_cast<int64_t>(shape.n * blocks)));
    return floats_of(*zero, kZero);
  }
  const size_t row = (blocks + 1) / 2;
  RETURN_IF_ERROR(check_elements(ctx, kZero, static_cast<int64_t>(shape.n * row)));
  std::vector<float> floats(shape.n * blocks);
  const auto from = zero->elements<uint8_t>();
  for (size_t i = 0; i < floats.size(); ++i) {
    const size_t b = i % blocks;
    floats[i] = static_cast<float>(from[i / blocks * row + b / 2] >> (b % 2 * 4) & 15);
  }
  return floats;
}

Status prepare_nbits(PrepareContext& ctx) {
  ASSIGN_OR_RETURN(MatMulNBitsParams params, params_of(ctx.node()));
  if (ctx.has_input(kGroups)) return not_implemented("MatMulNBits with g_idx");
  const Tensor *b = ctx.constant(kB), *scale = ctx.constant(kScale);
  if (b == nullptr || scale == nullptr) {
    return not_implemented("MatMulNBits with weights that are not constant");
  }
  NBitsShape shape = shape_of(params);
  if (b->dtype() != DType::kUint8) {
    return invalid_graph("B is ", dtype_name(b->dtype()), ", expected uint8");
  }
  const auto count = static_cast<int64_t>(shape.n * shape.blocks());
  RETURN_IF_ERROR(check_elements(ctx, kB, count * static_cast<int64_t>(shape.block / 2)));
  RETURN_IF_ERROR(check_elements(ctx, kScale, count));
  ASSIGN_OR_RETURN(const std::vector<float> scales, floats_of(*scale, kScale));
  ASSIGN_OR_RETURN(const std::vector<float> zeros, zeros_of(ctx, shape));
  shape.has_zero = std::any_of(zeros.begin(), zeros.end(), [](float z) { return z != 8.0f; });
  params.has_zero = shape.has_zero ? 1 : 0;
  const auto size = packed_bytes(params);
  if (!size) return invalid_graph("the weights are too large");
  ASSIGN_OR_RETURN(Tensor packed, Tensor::create(DType::kUint8, {*size}));
  nbits_pack(shape, b->elements<uint8_t>().data(), scales.data(),
             shape.has_zero ? zeros.data() : nullptr,
             static_cast<std::byte*>(packed.mutable_data()));
  ctx.replace_input(kB, std::move(packed), kPanels16I4);
  ctx.drop_input(kScale);
  if (ctx.has_input(kZero)) ctx.drop_input(kZero);
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

// Scratch of few rows: each row of A filled up, sums or scales of its blocks, 8-bit numbers.
struct RowScratch {
  uint64_t x, x_sum, q, q_scale, q_sum, row;
};

RowScratch row_scratch(const NBitsShape& shape) {
  const uint64_t k = shape.padded_k(), blocks = shape.blocks();
  RowScratch s{};
  s.x = 0;
  s.x_sum = s.x + align_up(k * 4, 64);
  s.q = s.x_sum + align_up(blocks * 4, 64);
  s.q_scale = s.q + align_up(k, 64);
  s.q_sum = s.q_scale + align_up(blocks * 4, 64);
  s.row = s.q_sum + align_up(blocks * 4, 64);
  return s;
}

bool takes_rows_as_int8(const MatMulNBitsParams& params, Isa isa) {
  return params.accuracy_level == kLevelInt8 && nbits_kernels(isa).rows_i8 != nullptr;
}

// Scratch of many rows as 8-bit numbers: kRowsAtOnce of them, or all; and rows_scratch() for each
// thread that makes them.
constexpr int64_t kRowsAtOnce = 256;
struct Int8Scratch {
  uint64_t q_scale, q_less, rows, all;  // q is at the beginning
};

Int8Scratch int8_scratch(const NBitsShape& shape, int64_t rows, int thread_count) {
  const uint64_t count = align_up(static_cast<uint64_t>(std::min(rows, kRowsAtOnce)), kNBitsRows);
  Int8Scratch s{};
  s.q_scale = count * shape.padded_k();
  s.q_less = s.q_scale + count * shape.blocks() * 4;
  s.rows = align_up(s.q_less + count * shape.blocks() * 4, 64);
  s.all = s.rows + static_cast<uint64_t>(thread_count) * row_scratch(shape).row;
  return s;
}

// As many rows of a panel are expanded at a time as stay near while rows of A pass by; their
// products are summed up in the scratch behind them.
constexpr size_t kDepth = 512;
constexpr size_t kPanelRows = 96;

size_t depth_of(const NBitsShape& shape) {
  return std::max(shape.block, kDepth / shape.block * shape.block);
}

uint64_t panel_scratch(const NBitsShape& shape) {
  return (depth_of(shape) + kPanelRows) * kPanelColumns * sizeof(float);
}

int64_t row_count(const ValueRef& a) { return product(a.dims(), 0, a.rank - 1); }

Status bind_nbits(BindContext& ctx) {
  const auto* params = ctx.params<MatMulNBitsParams>();
  if (params == nullptr) return ctx.bad_params();
  if (is_impossible(*params)) return invalid_graph("its record describes impossible weights");
  RETURN_IF_ERROR(check_arity(ctx, 2, 6));
  RETURN_IF_ERROR(check_type(ctx, kA, kF32));
  RETURN_IF_ERROR(check_type(ctx, kBias, kF32));
  const auto size = packed_bytes(*params);
  const ValueRef &a = ctx.input(kA), &b = ctx.input(kB);
  if (!size || b.dtype != DType::kUint8 || b.rank != 1 || b.dim(0) != *size) {
    return invalid_graph("packed input 1 is ", dtype_name(b.dtype), dims_to_string(b.dims()),
                         ", the record needs uint8[", size.value_or(-1), "]");
  }
  for (const size_t i : {kScale, kZero, kGroups}) {
    if (ctx.has_input(i)) return invalid_graph("input ", i, " belongs to the packed weights");
  }
  if (a.rank == 0 || a.dim(a.rank - 1) != params->k) {
    return invalid_argument("A has shape ", dims_to_string(a.dims()), ", expected ", params->k,
                            " columns");
  }
  if (ctx.has_input(kBias) &&
      (ctx.input(kBias).rank != 1 || ctx.input(kBias).dim(0) != params->n)) {
    return invalid_argument("the bias has shape ", dims_to_string(ctx.input(kBias).dims()),
                            ", expected [", params->n, "]");
  }
  const NBitsShape shape = shape_of(*params);
  const auto slots = row_count(a) <= kRowsOfVectors
                         ? slot_scratch(row_scratch(shape).row, kRowsOfVectors)
                     : takes_rows_as_int8(*params, ctx.isa())
                         ? std::optional(int8_scratch(shape, row_count(a), ctx.thread_count()).all)
                         : slot_scratch(panel_scratch(shape), ctx.thread_count());
  if (!slots) return invalid_argument("the product needs more scratch than there can be");
  ctx.set_scratch(*slots);
  DimList dims(a.dims());
  dims[a.rank - 1] = params->n;
  return ctx.set_output(0, DType::kFloat32, dims);
}

// --- Run.

const float* bias_of(const RunContext& ctx) {
  return ctx.has_input(kBias) ? ctx.input(kBias).as<float>() : nullptr;
}

// A row of A as the packed weights want it.
NBitsProduct make_row(const RunContext& ctx, const NBitsKernels& kernels, const NBitsShape& shape,
                      bool as_int8, int64_t row) {
  const RowScratch at = row_scratch(shape);
  std::byte* scratch = ctx.scratch() + static_cast<uint64_t>(row) * at.row;
  const float* x = ctx.input(kA).as<float>() + static_cast<uint64_t>(row) * shape.k;
  if (shape.padded_k() != shape.k) {
    auto* filled = reinterpret_cast<float*>(scratch + at.x);
    std::copy_n(x, shape.k, filled);
    std::fill(filled + shape.k, filled + shape.padded_k(), 0.0f);
    x = filled;
  }
  NBitsProduct product;
  product.shape = shape;
  product.b = ctx.input(kB).as<std::byte>();
  product.bias = bias_of(ctx);
  product.y = ctx.output(0).as_mutable<float>() + static_cast<uint64_t>(row) * shape.n;
  if (as_int8) {
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

void run_vectors(const RunContext& ctx, const NBitsShape& shape, bool as_int8, int64_t rows) {
  const NBitsKernels& kernels = nbits_kernels(ctx.isa());
  NBitsProduct products[kRowsOfVectors];
  for (int64_t row = 0; row < rows; ++row) {
    products[row] = make_row(ctx, kernels, shape, as_int8, row);
  }
  const auto panels = static_cast<int64_t>(shape.panels());
  const auto panel_work = static_cast<int64_t>(shape.padded_k() * kNBitsColumns);
  const int64_t least = std::max<int64_t>(1, kPanelWork / panel_work);
  // Few long stretches: each is read from memory front to back.
  const int64_t grain = std::max(least, panels / (4 * ctx.thread_count()) + 1);
  ctx.parallel_for(panels, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = 0; row < rows; ++row) {
      (as_int8 ? kernels.gemv_i8 : kernels.gemv)(products[row], static_cast<size_t>(begin),
                                                 static_cast<size_t>(end));
    }
  });
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
    less[i * kNBitsRows] = -8 * q_sum[i];
  }
}

// Rows [m0, m0 + count) of A.
NBitsRows round_rows(const RunContext& ctx, const NBitsKernels& kernels, const NBitsShape& shape,
                     int64_t m0, int64_t count) {
  const Int8Scratch at = int8_scratch(shape, count, ctx.thread_count());
  NBitsRows rows;
  rows.shape = shape;
  rows.b = ctx.input(kB).as<std::byte>();
  rows.q = reinterpret_cast<int8_t*>(ctx.scratch());
  rows.q_scale = reinterpret_cast<float*>(ctx.scratch() + at.q_scale);
  rows.q_less = reinterpret_cast<int32_t*>(ctx.scratch() + at.q_less);
  rows.bias = bias_of(ctx);
  rows.y = ctx.output(0).as_mutable<float>() + static_cast<size_t>(m0) * shape.n;
  rows.rows = static_cast<size_t>(count);
  const float* a = ctx.input(kA).as<float>() + static_cast<size_t>(m0) * shape.k;
  const uint64_t slot_bytes = row_scratch(shape).row;
  parallel_items(ctx, ctx.thread_count(), count, [&](int64_t slot, int64_t item) {
    std::byte* scratch = ctx.scratch() + at.rows + static_cast<uint64_t>(slot) * slot_bytes;
    const auto m = static_cast<size_t>(item);
    const float* x = a + m * shape.k;
    if (shape.padded_k() != shape.k) {
      auto* filled = reinterpret_cast<float*>(scratch);
      std::fill(std::copy_n(x, shape.k, filled), filled + shape.padded_k(), 0.0f);
      x = filled;
    }
    round_row(kernels, rows, x, m, scratch);
  });
  return rows;
}

void run_int8_rows(const RunContext& ctx, const NBitsShape& shape, int64_t rows) {
  const NBitsKernels& kernels = nbits_kernels(ctx.isa());
  const auto panels = static_cast<int64_t>(shape.panels());
  for (int64_t m0 = 0; m0 < rows; m0 += kRowsAtOnce) {
    const int64_t count = std::min(kRowsAtOnce, rows - m0);
    const NBitsRows product = round_rows(ctx, kernels, shape, m0, count);
    const auto groups = static_cast<size_t>(count + kNBitsRows - 1) / kNBitsRows;
    const auto work = static_cast<int64_t>(shape.padded_k() * kNBitsColumns) * count;
    ctx.parallel_for(
        panels, std::max<int64_t>(1, 8 * kPanelWork / work), [&](int64_t begin, int64_t end) {
          kernels.rows_i8(product, 0, groups, static_cast<size_t>(begin), static_cast<size_t>(end));
        });
  }
}

// Rows [m0, m1) of one panel's columns, at most kPanelRows.
void add_panel(const GemmF32Kernels& kernels, GemmF32 gemm, bool is_first, size_t m0, size_t m1,
               float* part) {
  float* c = gemm.c;
  gemm.a += m0 * gemm.lda;
  if (is_first) {
    gemm.c += m0 * gemm.ldc;
    kernels.tile(gemm, 0, m1 - m0, 0, 1);
    return;
  }
  const size_t ldc = gemm.ldc;
  gemm.epilogue = {};
  gemm.c = part;
  gemm.ldc = kPanelColumns;
  kernels.tile(gemm, 0, m1 - m0, 0, 1);
  for (size_t m = m0; m < m1; ++m) {
    const float* from = part + (m - m0) * kPanelColumns;
    for (size_t n = 0; n < gemm.n; ++n) c[m * ldc + n] += from[n];
  }
}

void run_panels(const RunContext& ctx, const NBitsShape& shape, int64_t rows) {
  const NBitsKernels& kernels = nbits_kernels(ctx.isa());
  const GemmF32Kernels& gemm_kernels = gemm_f32_kernels(ctx.isa());
  const uint64_t slot_bytes = align_up(panel_scratch(shape), 64);
  const auto panels = static_cast<int64_t>(panel_count(shape.n));
  const auto count = static_cast<size_t>(rows);
  const size_t depth = depth_of(shape);
  parallel_items(ctx, ctx.thread_count(), panels, [&](int64_t slot, int64_t item) {
    const auto p = static_cast<size_t>(item);
    auto* panel =
        reinterpret_cast<float*>(ctx.scratch() + static_cast<uint64_t>(slot) * slot_bytes);
    GemmF32 gemm;
    gemm.b = panel;
    gemm.lda = shape.k;
    gemm.c = ctx.output(0).as_mutable<float>() + p * kPanelColumns;
    gemm.ldc = shape.n;
    gemm.n = std::min(kPanelColumns, shape.n - p * kPanelColumns);
    if (bias_of(ctx) != nullptr) gemm.epilogue.bias = bias_of(ctx) + p * kPanelColumns;
    for (size_t k = 0; k < shape.k; k += depth) {
      gemm.a = ctx.input(kA).as<float>() + k;
      gemm.k = std::min(depth, shape.k - k);
      kernels.expand(shape, ctx.input(kB).as<std::byte>(), p, k, k + gemm.k, panel);
      for (size_t m = 0; m < count; m += kPanelRows) {
        add_panel(gemm_kernels, gemm, k == 0, m, std::min(m + kPanelRows, count),
                  panel + depth * kPanelColumns);
      }
    }
  });
}

Status run_nbits(RunContext& ctx) {
  const auto& params = ctx.params<MatMulNBitsParams>();
  const NBitsShape shape = shape_of(params);
  const int64_t rows = row_count(ctx.input(kA));
  if (rows <= kRowsOfVectors) {
    run_vectors(ctx, shape, params.accuracy_level == kLevelInt8, rows);
  } else if (takes_rows_as_int8(params, ctx.isa())) {
    run_int8_rows(ctx, shape, rows);
  } else {
    run_panels(ctx, shape, rows);
  }
  return Status::ok();
}

}  // namespace

KernelTable matmul_nbits_kernels() {
  static constexpr KernelRow rows[] = {
      {"MatMulNBits", "com.microsoft", 1, kLatestOpset, kF32, "matmul_nbits.f32", 1, kNoFlags, 0,
       prepare_nbits, bind_nbits, run_nbits},
  };
  return rows;
}

}  // namespace ortc::cpu
