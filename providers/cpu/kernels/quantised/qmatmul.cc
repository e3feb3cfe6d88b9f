// SPDX-License-Identifier: MIT
// ortc.QMatMul: numpy.matmul of two computed tensors of 8-bit numbers, exact in int32, with one
// scale:
//
//   acc = sum_k (a - a_zero) (b - b_zero)        y = acc scale, or its rounding to 8 bits
//
// A work item packs one B into its thread's scratch and multiplies it by rows of A; int8 rows, and
// rows that are not whole quads, are copied there too.
#include <algorithm>
#include <cmath>

#include "providers/cpu/arith/gemm_i8/gemm_i8.h"
#include "providers/cpu/arith/quant/quant.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/thread_slots.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/small_integers.h"
#include "providers/cpu/products/batched_product.h"
#include "providers/cpu/products/product_i8.h"
#include "providers/cpu/products/tile_grid.h"

namespace ortc::cpu {
namespace {

struct QMatMulParams {
  uint32_t record_bytes;
  uint32_t trans_b;
  uint32_t output;         // a number of OutputI8; these are for ever
  int32_t a_zero, b_zero;  // in the operands' own types
  int32_t y_zero;
  float scale;  // with 1 / y_scale where y is rounded
  uint32_t reserved;
};
static_assert(sizeof(QMatMulParams) == 32);

constexpr TypeMask kBytes = mask_of(DType::kUint8, DType::kInt8);
constexpr int64_t kRowStep = 48;

// --- Prepare.

Status prepare_qmatmul(PrepareContext& ctx) {
  const Node& node = ctx.node();
  QMatMulParams params{};
  params.record_bytes = sizeof params;
  params.trans_b = node.int_attribute("transB", 0) != 0 ? 1 : 0;
  params.a_zero = static_cast<int32_t>(node.int_attribute("a_zero", 0));
  params.b_zero = static_cast<int32_t>(node.int_attribute("b_zero", 0));
  params.scale = node.float_attribute("scale", 1.0f);
  params.output = static_cast<uint32_t>(OutputI8::kFloat32);
  const int64_t dtype = node.int_attribute("y_dtype", 0);
  if (dtype != 0) {
    if (dtype != static_cast<int64_t>(DType::kUint8) &&
        dtype != static_cast<int64_t>(DType::kInt8)) {
      return invalid_graph("attribute 'y_dtype' is ", dtype, ", expected 2 (uint8) or 3 (int8)");
    }
    const bool is_signed = dtype == static_cast<int64_t>(DType::kInt8);
    params.output = static_cast<uint32_t>(is_signed ? OutputI8::kInt8 : OutputI8::kUint8);
    params.y_zero = static_cast<int32_t>(node.int_attribute("y_zero", 0));
    params.scale /= node.float_attribute("y_scale", 1.0f);
  }
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

DType output_type(const QMatMulParams& params) {
  constexpr DType kTypes[] = {DType::kInt32, DType::kFloat32, DType::kUint8, DType::kInt8};
  return kTypes[params.output];
}

Status check_record(const QMatMulParams& params, DType a, DType b) {
  const auto fits = [](int32_t zero, DType dtype) {
    const IntegerRange range = integer_range(dtype);
    return zero >= range.lo && zero <= range.hi;
  };
  bool is_good =
      params.output >= 1 && params.output <= 3 && fits(params.a_zero, a) && fits(params.b_zero, b);
  if (is_good && params.output >= 2) is_good = fits(params.y_zero, output_type(params));
  return is_good ? Status::ok() : invalid_graph("its record describes an impossible product");
}

// One thread's scratch: B packed, scales by column, rows of A.
struct SlotLayout {
  uint64_t scales = 0, rows = 0, bytes = 0;
};

bool copies_rows(const ValueRef& a, const BatchedProduct& p) {
  return a.dtype == DType::kInt8 || p.k % 4 != 0;
}

std::optional<SlotLayout> slot_layout(const ValueRef& a, const BatchedProduct& p) {
  const auto k = static_cast<size_t>(p.k);
  if (p.k > INT32_MAX || p.n > INT32_MAX - 31) return std::nullopt;
  const auto panels = static_cast<int64_t>(panel_count(static_cast<size_t>(p.n)));
  const auto packed = checked_mul(panels, static_cast<int64_t>(panel_bytes_i8(k)));
  const auto rows = copies_rows(a, p) ? checked_mul(p.m, static_cast<int64_t>(quads(k) * 4))
                                      : std::optional<int64_t>(0);
  if (!packed || !rows) return std::nullopt;
  SlotLayout layout;
  layout.scales = align_up(static_cast<uint64_t>(*packed), 64);
  layout.rows = layout.scales + static_cast<uint64_t>(panels) * kPanelColumns * sizeof(float);
  const auto bytes = checked_add(layout.rows, static_cast<uint64_t>(*rows));
  if (!bytes) return std::nullopt;
  layout.bytes = *bytes;
  return layout;
}

Result<BatchedProduct> product_of(const QMatMulParams& params, const ValueRef& a, const ValueRef& b,
                                  DimList* dims) {
  BatchedProduct product;
  RETURN_IF_ERROR(
      make_batched_product(a.dims(), b.dims(), false, params.trans_b != 0, &product, dims));
  return product;
}

Status bind_qmatmul(BindContext& ctx) {
  const auto* params = ctx.params<QMatMulParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, kBytes));
  RETURN_IF_ERROR(check_type(ctx, 1, kBytes));
  RETURN_IF_ERROR(check_record(*params, ctx.input(0).dtype, ctx.input(1).dtype));
  DimList dims;
  ASSIGN_OR_RETURN(const BatchedProduct product,
                   product_of(*params, ctx.input(0), ctx.input(1), &dims));
  const auto layout = slot_layout(ctx.input(0), product);
  const auto slots = layout ? slot_scratch(layout->bytes, ctx.thread_count()) : std::nullopt;
  if (!slots) return invalid_argument("the product needs more scratch than there can be");
  ctx.set_scratch(*slots);
  return ctx.set_output(0, output_type(*params), dims);
}

// --- Run.

GemmI8 make_gemm(const RunContext& ctx, const BatchedProduct& p) {
  const auto& params = ctx.params<QMatMulParams>();
  GemmI8 gemm;
  gemm.k = static_cast<size_t>(p.k);
  gemm.lda = quads(gemm.k) * 4;
  gemm.n = gemm.ldc = static_cast<size_t>(p.n);
  gemm.a_zero = params.a_zero + (ctx.input(0).dtype == DType::kInt8 ? 128 : 0);
  gemm.epilogue.output = static_cast<OutputI8>(params.output);
  if (params.output >= 2) {
    const IntegerRange range = integer_range(output_type(params));
    gemm.epilogue.zero = params.y_zero;
    gemm.epilogue.lo = range.lo;
    gemm.epilogue.hi = range.hi;
  }
  return gemm;
}

// Sums that could leave 32 bits, as depths that only a run knows may be: slow, and exact.
void run_deep(RunContext& ctx, const BatchedProduct& p) {
  const auto& params = ctx.params<QMatMulParams>();
  const ValueRef &a = ctx.input(0), &b = ctx.input(1);
  const EpilogueI8 epilogue = make_gemm(ctx, p).epilogue;
  const int64_t b_row = p.trans_b ? 1 : p.n, b_column = p.trans_b ? p.k : 1;
  parallel_items(ctx, ctx.thread_count(), p.batch_count * p.m, [&](int64_t, int64_t item) {
    const int64_t batch = item / p.m, row = item % p.m;
    const int64_t a_at = (batch_offset(p, p.a_strides, batch) * p.m + row) * p.k;
    const int64_t b_at = batch_offset(p, p.b_strides, batch) * p.k * p.n;
    for (int64_t column = 0; column < p.n; ++column) {
      int64_t sum = 0;
      for (int64_t i = 0; i < p.k; ++i) {
        sum += int64_t{integer_at(a.dtype, a.data, a_at + i) - params.a_zero} *
               (integer_at(b.dtype, b.data, b_at + i * b_row + column * b_column) - params.b_zero);
      }
      const float y = static_cast<float>(sum) * params.scale;
      const int64_t at = item * p.n + column;
      if (params.output < 2) {
        ctx.output(0).as_mutable<float>()[at] = y;
        continue;
      }
      const auto lo = static_cast<float>(epilogue.lo - epilogue.zero);
      const auto hi = static_cast<float>(epilogue.hi - epilogue.zero);
      const float rounded = std::nearbyint(std::fmin(std::fmax(y, lo), hi));
      ctx.output(0).as_mutable<uint8_t>()[at] =
          static_cast<uint8_t>(static_cast<int32_t>(rounded) + epilogue.zero);
    }
  });
}

Status run_qmatmul(RunContext& ctx) {
  const auto& params = ctx.params<QMatMulParams>();
  const ValueRef &a = ctx.input(0), &b = ctx.input(1);
  DimList dims;
  ASSIGN_OR_RETURN(const BatchedProduct p, product_of(params, a, b, &dims));
  if (ctx.output(0).element_count() == 0) return Status::ok();
  if (p.k > kByteProductsInInt32) {
    run_deep(ctx, p);
    return Status::ok();
  }
  const SlotLayout layout = *slot_layout(a, p);
  const uint64_t slot_bytes = align_up(layout.bytes, 64);
  const GemmI8Kernels& kernels = gemm_i8_kernels(ctx.isa());
  const GemmI8 common = make_gemm(ctx, p);
  const uint8_t flip = b.dtype == DType::kUint8 ? 0x80 : 0;
  const int32_t b_zero = params.b_zero - (b.dtype == DType::kUint8 ? 128 : 0);
  const uint64_t element = params.output >= 2 ? 1 : 4;
  // Few large matrices are divided by rows; each part packs B for itself.
  const int64_t parts_wanted =
      (items_for_threads(ctx.thread_count()) + p.batch_count - 1) / p.batch_count;
  const int64_t parts = std::clamp<int64_t>(parts_wanted, 1, (p.m + kRowStep - 1) / kRowStep);
  parallel_items(ctx, ctx.thread_count(), p.batch_count * parts, [&](int64_t slot, int64_t item) {
    std::byte* scratch = ctx.scratch() + static_cast<uint64_t>(slot) * slot_bytes;
    const int64_t batch = item / parts, part = item % parts;
    const int64_t m0 = p.m * part / parts, m1 = p.m * (part + 1) / parts;
    kernels.pack(b.as<uint8_t>() + batch_offset(p, p.b_strides, batch) * p.k * p.n,
                 static_cast<size_t>(p.trans_b ? p.k : p.n), p.trans_b, common.k, common.n, flip,
                 b_zero, scratch);
    auto* scales = reinterpret_cast<float*>(scratch + layout.scales);
    std::fill_n(scales, panel_count(common.n) * kPanelColumns, params.scale);
    GemmI8 gemm = common;
    gemm.b = scratch;
    gemm.has_b_zero = b_zero != 0;
    gemm.epilogue.scale = scales;
    gemm.a = a.as<uint8_t>() + (batch_offset(p, p.a_strides, batch) * p.m + m0) * p.k;
    if (copies_rows(a, p)) {
      auto* rows = reinterpret_cast<uint8_t*>(scratch + layout.rows);
      copy_left_rows(ctx.isa(), a.dtype, gemm.a, m1 - m0, p.k, rows);
      gemm.a = rows;
    }
    gemm.c = ctx.output(0).as_mutable<std::byte>() +
             static_cast<uint64_t>(batch * p.m + m0) * common.n * element;
    kernels.tile(gemm, 0, static_cast<size_t>(m1 - m0), 0, panel_count(common.n));
  });
  return Status::ok();
}

}  // namespace

KernelTable qmatmul_kernels() {
  static constexpr KernelRow rows[] = {
      {"QMatMul", kInternalDomain, 0, kLatestOpset, kBytes, "matmul.i8", 1, kNoFlags, 0,
       prepare_qmatmul, bind_qmatmul, run_qmatmul},
  };
  return rows;
}

}  // namespace ortc::cpu
