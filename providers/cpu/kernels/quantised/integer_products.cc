// SPDX-License-Identifier: MIT
// MatMulInteger and QLinearMatMul with any operands. Products with constant weights become
// ortc.QGemm before they come here.
//
//   acc = sum (a - a_zero) (b - b_zero)
//   y = saturate(round(acc a_scale b_scale / y_scale) + y_zero), ties to even
//
// Each B is packed for the int8 product (gemm_i8.h) first, by panels on all threads; then threads
// divide rows and panels. A few rows are multiplied by B as it lies. int8 rows, and rows that are
// not whole quads, are copied to scratch.
// ConvInteger and QLinearConv, whose rows stand here too, are in integer_convs.cc.
#include <algorithm>

#include "providers/cpu/arith/gemm_i8/gemm_i8.h"
#include "providers/cpu/bind/thread_slots.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/kernels/quantised/integer_convs.h"
#include "providers/cpu/kernels/quantised/integer_operands.h"
#include "providers/cpu/products/batched_product.h"
#include "providers/cpu/products/product_i8.h"
#include "providers/cpu/products/tile_grid.h"

namespace ortc::cpu {
namespace {

constexpr TypeMask kBytes = mask_of(DType::kUint8, DType::kInt8);
constexpr TypeMask kProductScales = mask_of(DType::kFloat32, DType::kFloat16, DType::kBfloat16);
constexpr int64_t kCopyGrain = 1 << 16;  // bytes that one thread copies at a time

// Where an operator has its operands.
struct MatMulInputs {
  size_t a, b, a_zero, b_zero;
  bool is_quantised;  // a_scale, b_scale, y_scale and y_zero are inputs 1, 4, 6 and 7
};
constexpr MatMulInputs kMatMulInteger = {0, 1, 2, 3, false};
constexpr MatMulInputs kQLinearMatMul = {0, 3, 2, 5, true};

bool copies_rows(const ValueRef& a, int64_t k) { return a.dtype == DType::kInt8 || k % 4 != 0; }

// Whether B is packed: not for a few rows, as long as they have one zero point and one scale.
template <typename Context>
bool packs(const Context& ctx, const MatMulInputs& at, const BatchedProduct& p) {
  const auto is_one = [&](size_t i) {
    return !ctx.has_input(i) || ctx.input(i).element_count() == 1;
  };
  return p.m > static_cast<int64_t>(kFewRowsI8) || !is_one(at.a_zero) || !is_one(at.b_zero) ||
         (at.is_quantised && !is_one(1));
}

// Scratch: every B packed, A as uint8 in whole quads, scales by column, and for each thread a row
// of sums.
struct Layout {
  int64_t a_count = 1, b_count = 1;  // matrices
  uint64_t packed = 0;               // bytes of one B
  uint64_t rows = 0, scales = 0, sums = 0, sums_bytes = 0, all = 0;
};

template <typename Context>
std::optional<Layout> layout_of(const Context& ctx, const MatMulInputs& at,
                                const BatchedProduct& p) {
  const ValueRef &a = ctx.input(at.a), &b = ctx.input(at.b);
  if (p.k > INT32_MAX || p.n > INT32_MAX - 31) return std::nullopt;
  Layout l;
  const auto matrices = [](const ValueRef& x) {
    return checked_element_count(x.dims().first(x.rank > 2 ? x.rank - 2u : 0));
  };
  const auto a_count = matrices(a), b_count = matrices(b);
  if (!a_count || !b_count) return std::nullopt;
  l.a_count = *a_count;
  l.b_count = *b_count;
  const auto k = static_cast<size_t>(p.k), panels = panel_count(static_cast<size_t>(p.n));
  const auto packed = packs(ctx, at, p) ? checked_mul(uint64_t{panels}, uint64_t{panel_bytes_i8(k)})
                                        : std::optional<uint64_t>(0);
  const auto every = packed ? checked_mul(*packed, static_cast<uint64_t>(l.b_count)) : std::nullopt;
  const auto row_count = checked_mul(static_cast<uint64_t>(l.a_count), static_cast<uint64_t>(p.m));
  const auto rows = !copies_rows(a, p.k) ? std::optional<uint64_t>(0)
                    : row_count          ? checked_mul(*row_count, uint64_t{quads(k) * 4})
                                         : std::nullopt;
  if (!every || !rows) return std::nullopt;
  const uint64_t columns = uint64_t{panels} * kPanelColumns * 4;
  l.packed = *packed;
  l.sums_bytes = align_up(columns, 64);
  const auto slots = slot_scratch(l.sums_bytes, ctx.thread_count());
  const auto begin = checked_align_up(*every, 64);
  const auto end = begin ? checked_add(*begin, *rows) : std::nullopt;
  const auto scales = end ? checked_align_up(*end, 64) : std::nullopt;
  const auto sums = scales ? checked_add(*scales, l.sums_bytes) : std::nullopt;
  const auto all = sums && slots ? checked_add(*sums, *slots) : std::nullopt;
  if (!all) return std::nullopt;
  l.rows = *begin;
  l.scales = *scales;
  l.sums = *sums;
  l.all = *all;
  return l;
}

template <const MatMulInputs& at>
Status bind_matmul(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, at.is_quantised ? 8 : 2, at.is_quantised ? 8 : 4));
  RETURN_IF_ERROR(check_type(ctx, at.a, kBytes));
  RETURN_IF_ERROR(check_type(ctx, at.b, kBytes));
  RETURN_IF_ERROR(check_same_type(ctx, at.a_zero, at.a));
  RETURN_IF_ERROR(check_same_type(ctx, at.b_zero, at.b));
  BatchedProduct product;
  DimList dims;
  RETURN_IF_ERROR(make_batched_product(ctx.input(at.a).dims(), ctx.input(at.b).dims(), false, false,
                                       &product, &dims));
  RETURN_IF_ERROR(check_count(ctx, at.a_zero, product.m, kBytes));
  RETURN_IF_ERROR(check_count(ctx, at.b_zero, product.n, kBytes));
  const auto layout = layout_of(ctx, at, product);
  if (!layout) return invalid_argument("the product needs more scratch than there can be");
  ctx.set_scratch(layout->all);
  if (!at.is_quantised) return ctx.set_output(0, DType::kInt32, dims);
  RETURN_IF_ERROR(check_count(ctx, 1, product.m, kProductScales));
  RETURN_IF_ERROR(check_count(ctx, 4, product.n, kProductScales));
  RETURN_IF_ERROR(check_count(ctx, 6, 1, kProductScales));
  RETURN_IF_ERROR(check_count(ctx, 7, 1, kBytes));
  return ctx.set_output(0, ctx.input(7).dtype, dims);
}

// --- Run.

class MatMul {
 public:
  MatMul(const RunContext& ctx, const MatMulInputs& at, const BatchedProduct& p)
      : ctx_(ctx),
        at_(at),
        p_(p),
        layout_(*layout_of(ctx, at, p)),
        kernels_(gemm_i8_kernels(ctx.isa())),
        packs_(packs(ctx, at, p)) {
    gemm_.k = static_cast<size_t>(p.k);
    gemm_.lda = quads(gemm_.k) * 4;
    gemm_.n = gemm_.ldc = static_cast<size_t>(p.n);
    gemm_.a_zero = left_zero_at(ctx, at.a, at.a_zero, 0);
    is_by_row_ = !is_one(ctx, at.a_zero) || (at.is_quantised && !is_one(ctx, 1));
    for (int64_t j = 0; j < (is_one(ctx, at.b_zero) ? 1 : p.n); ++j) {
      gemm_.has_b_zero = gemm_.has_b_zero || right_zero_at(ctx, at.b, at.b_zero, j) != 0;
    }
  }

  void run() {
    if (packs_) pack();
    copy_rows();
    if (at_.is_quantised) make_epilogue();
    const int64_t wanted = std::max<int64_t>(
        1, (items_for_threads(ctx_.thread_count()) + p_.batch_count - 1) / p_.batch_count);
    // A product of four is what one of floats costs.
    const TileGrid grid =
        make_tile_grid(p_.m, static_cast<int64_t>(panel_count(gemm_.n)), (p_.k + 3) / 4, wanted);
    parallel_items(ctx_, ctx_.thread_count(), p_.batch_count * grid.items(),
                   [&](int64_t slot, int64_t item) {
                     multiply(slot, item / grid.items(), grid, item % grid.items());
                   });
  }

 private:
  // A matrix of B as it lies.
  PlainI8 plain(int64_t matrix) const {
    const ValueRef& b = ctx_.input(at_.b);
    PlainI8 plain;
    plain.b = b.as<uint8_t>() + matrix * p_.k * p_.n;
    plain.ldb = gemm_.n;
    plain.end = b.as<uint8_t>() + b.element_count();
    plain.k = gemm_.k;
    plain.flip = weight_flip(b.dtype);
    plain.zero = right_zero_at(ctx_, at_.b, at_.b_zero, 0);
    return plain;
  }

  void pack() const {
    const auto panels = static_cast<int64_t>(panel_count(gemm_.n));
    const int64_t grain = std::max<int64_t>(1, kCopyGrain / (32 * std::max<int64_t>(p_.k, 1)));
    ctx_.parallel_for(layout_.b_count * panels, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t column = i % panels * int64_t{kPanelColumns};
        const auto left = static_cast<size_t>(std::min<int64_t>(p_.n - column, kPanelColumns));
        std::byte* panel = ctx_.scratch() + static_cast<uint64_t>(i / panels) * layout_.packed +
                           static_cast<uint64_t>(i % panels) * panel_bytes_i8(gemm_.k);
        kernels_.pack_plain(plain(i / panels), static_cast<size_t>(column), left, panel);
        if (!is_one(ctx_, at_.b_zero)) set_zeros(column, left, panel);
      }
    });
  }

  // A panel that was packed with the zero point of its first column gets each column's own.
  void set_zeros(int64_t column, size_t count, std::byte* panel) const {
    auto* header = reinterpret_cast<int32_t*>(panel);
    const int32_t first = header[kPanelColumns];
    for (size_t j = 0; j < count; ++j) {
      const int32_t zero = right_zero_at(ctx_, at_.b, at_.b_zero, column + static_cast<int64_t>(j));
      header[j] = static_cast<int32_t>(static_cast<uint32_t>(header[j]) +
                                       static_cast<uint32_t>(gemm_.k) *
                                           static_cast<uint32_t>(zero - first));
      header[kPanelColumns + j] = zero;
    }
  }

  void copy_rows() {
    const ValueRef& a = ctx_.input(at_.a);
    gemm_.a = a.as<uint8_t>();
    if (!copies_rows(a, p_.k)) return;
    auto* to = reinterpret_cast<uint8_t*>(ctx_.scratch() + layout_.rows);
    copy_left_rows(ctx_, a, p_.k, to);
    gemm_.a = to;
  }

  void make_epilogue() {
    if (is_by_row_) return;  // rows are rounded one by one
    const ValueRef& y = ctx_.output(0);
    const IntegerRange range = integer_range(y.dtype);
    auto* scales = reinterpret_cast<float*>(ctx_.scratch() + layout_.scales);
    for (int64_t j = 0; j < p_.n; ++j) scales[j] = factor(0, j);
    gemm_.epilogue.output = y.dtype == DType::kInt8 ? OutputI8::kInt8 : OutputI8::kUint8;
    gemm_.epilogue.scale = scales;
    gemm_.epilogue.zero = zero_at(ctx_, 7, 0);
    gemm_.epilogue.lo = range.lo;
    gemm_.epilogue.hi = range.hi;
  }

  float factor(int64_t row, int64_t column) const {
    return product_scale_at(ctx_, 1, row) * product_scale_at(ctx_, 4, column) /
           product_scale_at(ctx_, 6, 0);
  }

  void multiply(int64_t slot, int64_t batch, const TileGrid& grid, int64_t item) const {
    GemmI8 gemm = gemm_;
    const uint64_t element = at_.is_quantised ? 1 : 4;
    gemm.a += batch_offset(p_, p_.a_strides, batch) * p_.m * static_cast<int64_t>(gemm.lda);
    gemm.b = ctx_.scratch() +
             static_cast<uint64_t>(batch_offset(p_, p_.b_strides, batch)) * layout_.packed;
    gemm.c = ctx_.output(0).as_mutable<std::byte>() +
             static_cast<uint64_t>(batch * p_.m * p_.n) * element;
    const auto p0 = static_cast<size_t>(grid.panel_begin(item));
    const auto p1 = static_cast<size_t>(grid.panel_end(item));
    const auto m0 = static_cast<size_t>(grid.row_begin(item));
    const auto m1 = static_cast<size_t>(grid.row_end(item));
    if (is_by_row_) return multiply_by_row(slot, batch, gemm, grid, item);
    if (packs_) return kernels_.tile(gemm, m0, m1, p0, p1);
    gemm.a += m0 * gemm.lda;
    gemm.c = static_cast<std::byte*>(gemm.c) + m0 * gemm.ldc * element;
    kernels_.multiply_plain(gemm, plain(batch_offset(p_, p_.b_strides, batch)), m1 - m0,
                            p0 * kPanelColumns, std::min(gemm.n, p1 * kPanelColumns));
  }

  // Rows with zero points or scales of their own.
  void multiply_by_row(int64_t slot, int64_t batch, GemmI8 gemm, const TileGrid& grid,
                       int64_t item) const {
    auto* sums = reinterpret_cast<int32_t*>(ctx_.scratch() + layout_.sums +
                                            static_cast<uint64_t>(slot) * layout_.sums_bytes);
    const int64_t c0 = grid.panel_begin(item) * int64_t{kPanelColumns};
    const int64_t c1 = std::min(p_.n, grid.panel_end(item) * int64_t{kPanelColumns});
    const uint8_t* first = gemm.a;
    gemm.c = sums;
    for (int64_t row = grid.row_begin(item); row < grid.row_end(item); ++row) {
      gemm.a = first + row * static_cast<int64_t>(gemm.lda);
      gemm.a_zero = left_zero_at(ctx_, at_.a, at_.a_zero, row);
      kernels_.tile(gemm, 0, 1, static_cast<size_t>(grid.panel_begin(item)),
                    static_cast<size_t>(grid.panel_end(item)));
      const int64_t to = (batch * p_.m + row) * p_.n + c0;
      if (at_.is_quantised) {
        round_sums(
            sums + c0, c1 - c0, [&](int64_t j) { return factor(row, c0 + j); }, zero_at(ctx_, 7, 0),
            ctx_.output(0).dtype, ctx_.output(0).as_mutable<uint8_t>() + to);
      } else {
        std::copy(sums + c0, sums + c1, ctx_.output(0).as_mutable<int32_t>() + to);
      }
    }
  }

  const RunContext& ctx_;
  const MatMulInputs& at_;
  const BatchedProduct& p_;
  const Layout layout_;
  const GemmI8Kernels& kernels_;
  const bool packs_;
  GemmI8 gemm_;
  bool is_by_row_ = false;
};

template <const MatMulInputs& at>
Status run_matmul(RunContext& ctx) {
  BatchedProduct p;
  DimList dims;
  RETURN_IF_ERROR(make_batched_product(ctx.input(at.a).dims(), ctx.input(at.b).dims(), false, false,
                                       &p, &dims));
  if (ctx.output(0).element_count() == 0) return Status::ok();
  MatMul(ctx, at, p).run();
  return Status::ok();
}

}  // namespace

KernelTable integer_products_kernels() {
  static constexpr KernelRow rows[] = {
      {"MatMulInteger", "", 10, kLatestOpset, kBytes, "matmul_integer", 1, kNoFlags, 0,
       prepare_nothing, bind_matmul<kMatMulInteger>, run_matmul<kMatMulInteger>},
      {"QLinearMatMul", "", 10, kLatestOpset, kBytes, "qlinear_matmul", 1, kNoFlags, 0,
       prepare_nothing, bind_matmul<kQLinearMatMul>, run_matmul<kQLinearMatMul>},
      {"ConvInteger", "", 10, kLatestOpset, kBytes, "conv_integer", 1, kNoFlags, 0,
       prepare_integer_conv, bind_conv_integer, run_conv_integer},
      {"QLinearConv", "", 10, kLatestOpset, kBytes, "qlinear_conv", 1, kNoFlags, 0,
       prepare_integer_conv, bind_qlinear_conv, run_qlinear_conv},
  };
  return rows;
}

}  // namespace ortc::cpu
