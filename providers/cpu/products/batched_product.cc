// SPDX-License-Identifier: MIT
// Batched f32 products: see the header.
#include "providers/cpu/products/batched_product.h"

#include <algorithm>

#include "providers/cpu/arith/gemm_f32/gemm_f32.h"
#include "providers/cpu/arith/turn/turn.h"
#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/broadcast.h"
#include "providers/cpu/bind/thread_slots.h"
#include "providers/cpu/products/few_columns.h"
#include "providers/cpu/products/tile_grid.h"
#include "providers/cpu/products/turned_product.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kColumns = kPanelColumns;
constexpr int64_t kPackedFloats = 128 * 1024;  // aim for the panels of one work item
constexpr int64_t kRowsMax = 240;              // of A, where an item transposes them
constexpr int64_t kDotRows = 8;                // so few rows are not worth packing for
constexpr int64_t kItemWork = 1 << 18;  // multiplications that are worth an item of their own

enum class Method {
  kPacked,
  kTurned,  // B transposed and much larger than A, which is packed in its place
  kDot,     // few rows, B transposed: rows of B are read where they lie
  kColumn,  // one column: rows of A are
  kRow,     // one row: so is B
  kFew,     // many rows and a few columns, which meet as rows
};

constexpr int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

// The division of a product into items: batches x column chunks x row chunks.
struct Division {
  Method method = Method::kPacked;
  int64_t columns_per_item = 1, column_items = 1;
  int64_t rows_per_item = 1, row_items = 1;

  void cut_columns(int64_t n, int64_t step, int64_t items) {
    const int64_t steps = divide_up(n, step);
    columns_per_item = divide_up(steps, std::min(items, steps)) * step;
    column_items = divide_up(n, columns_per_item);
  }
};

int64_t items_wanted(const BatchedProduct& p, int thread_count) {
  const double work = static_cast<double>(p.m) * static_cast<double>(p.k) *
                      static_cast<double>(p.n) * static_cast<double>(p.batch_count);
  const double worth =
      std::min(work / kItemWork, static_cast<double>(items_for_threads(thread_count)));
  return std::max<int64_t>(1, static_cast<int64_t>(worth));
}

// Sizes are positive here and below.
int64_t fitting_panels(const BatchedProduct& p) {
  return std::clamp<int64_t>(kPackedFloats / kColumns / p.k, 1, divide_up(p.n, kColumns));
}

Division divide(const BatchedProduct& p, int thread_count, Isa isa) {
  Division d;
  const int64_t each = divide_up(items_wanted(p, thread_count), p.batch_count);
  if (p.n == 1 && !p.trans_a) {
    d.method = Method::kColumn;
    d.rows_per_item = divide_up(p.m, std::min(each, p.m));
    d.row_items = divide_up(p.m, d.rows_per_item);
    return d;
  }
  d.rows_per_item = p.m;
  if (p.trans_b && !p.trans_a && p.m <= kDotRows) {
    d.method = Method::kDot;
    d.cut_columns(p.n, kColumns, each);
    return d;
  }
  if (p.trans_b && !p.trans_a && is_better_turned(p.m, p.k, p.n)) {
    d.method = Method::kTurned;
    d.cut_columns(p.n, kTurnedColumns, each);
    return d;
  }
  if (p.m == 1 && !p.trans_b) {  // a column of A lies as a row does
    d.method = Method::kRow;
    d.cut_columns(p.n, kColumns, each);
    return d;
  }
  if (!p.trans_a && few_columns_way(isa, p.m, p.k, p.n) != FewColumnsWay::kNone) {
    d.method = Method::kFew;
    d.columns_per_item = p.n;
    d.rows_per_item = divide_up(p.m, std::min(each, p.m));
    d.row_items = divide_up(p.m, d.rows_per_item);
    return d;
  }
  const int64_t panels = divide_up(p.n, kColumns);
  d.cut_columns(p.n, kColumns, std::max(each, divide_up(panels, fitting_panels(p))));
  // Packing is repeated for every chunk of rows, so only long ones are cut.
  const int64_t chunks = std::min(divide_up(each, d.column_items), p.m / kRowsMax);
  if (chunks > 1) d.rows_per_item = divide_up(p.m, chunks);
  if (p.trans_a) d.rows_per_item = std::min(d.rows_per_item, kRowsMax);
  d.row_items = divide_up(p.m, d.rows_per_item);
  return d;
}

// Floats of scratch of one slot: packed panels, then transposed rows of A.
std::optional<int64_t> slot_floats(const BatchedProduct& p, const Division& d) {
  if (d.method == Method::kTurned) return turned_room(p.m, p.k);
  if (d.method == Method::kFew) return p.trans_b ? int64_t{0} : p.k * p.n;
  if (d.method != Method::kPacked) return int64_t{0};
  const auto packed = checked_mul(d.columns_per_item, p.k);
  const auto rows = p.trans_a ? checked_mul(d.rows_per_item, p.k) : int64_t{0};
  return packed && rows ? checked_add(*packed, *rows) : std::nullopt;
}

bool is_empty(const BatchedProduct& p) {
  return p.m == 0 || p.n == 0 || p.k == 0 || p.batch_count == 0;
}

// rows[i][l] = a[l][i] for i < row_count; squares of it stay in the first cache.
void turn_rows(const TurnKernels& turn, const float* a, int64_t lda, int64_t k, int64_t row_count,
               float* rows) {
  constexpr int64_t kSide = 64;
  for (int64_t i = 0; i < row_count; i += kSide) {
    const auto columns = static_cast<size_t>(std::min(kSide, row_count - i));
    for (int64_t l = 0; l < k; l += kSide) {
      turn.bytes4(a + l * lda + i, static_cast<size_t>(lda), rows + i * k + l,
                  static_cast<size_t>(k), static_cast<size_t>(std::min(kSide, k - l)), columns);
    }
  }
}

class Runner {
 public:
  Runner(const RunContext& ctx, const BatchedProduct& p, const ProductOperandsF32& operands)
      : ctx_(ctx),
        p_(p),
        o_(operands),
        d_(divide(p, ctx.thread_count(), ctx.isa())),
        gemm_(gemm_f32_kernels(ctx.isa())),
        vector_(vector_f32_kernels(ctx.isa())),
        slot_bytes_(align_up(static_cast<uint64_t>(*slot_floats(p, d_)) * sizeof(float), 64)) {}

  void run() const {
    const int64_t each = d_.column_items * d_.row_items;
    parallel_items(ctx_, ctx_.thread_count(), p_.batch_count * each,
                   [&](int64_t slot, int64_t item) {
                     const int64_t batch = item / each;
                     const int64_t rest = item % each;
                     run_item(slot, batch, rest / d_.row_items, rest % d_.row_items);
                   });
  }

 private:
  void run_item(int64_t slot, int64_t batch, int64_t column_item, int64_t row_item) const {
    const float* a = o_.a + batch_offset(p_, p_.a_strides, batch) * p_.m * p_.k;
    const float* b = o_.b + batch_offset(p_, p_.b_strides, batch) * p_.k * p_.n;
    float* c = o_.c + batch * p_.m * p_.n;
    const int64_t m0 = row_item * d_.rows_per_item;
    const int64_t m1 = std::min(p_.m, m0 + d_.rows_per_item);
    const int64_t n0 = column_item * d_.columns_per_item;
    const int64_t n1 = std::min(p_.n, n0 + d_.columns_per_item);
    switch (d_.method) {
      case Method::kColumn:
        gemm_.dot_rows(b, size(p_.k), 1, a, size(p_.k), size(m0), size(m1), size(p_.k), c, 1);
        finish(c, m0, m1, 0, 1);
        break;
      case Method::kDot:
        gemm_.dot_rows(a, size(p_.k), size(p_.m), b, size(p_.k), size(n0), size(n1), size(p_.k), c,
                       size(p_.n));
        finish(c, m0, m1, n0, n1);
        break;
      case Method::kRow:
        gemm_.row_times(a, b, size(p_.n), size(n0), size(n1), size(p_.k), c);
        finish(c, m0, m1, n0, n1);
        break;
      case Method::kTurned:
        run_turned_product(ctx_.isa(), {p_.m, p_.k, p_.n, a, b, c, o_.alpha, o_.bias}, n0, n1,
                           room(slot));
        break;
      case Method::kFew:
        run_few(room(slot), a, b, c, m0, m1);
        break;
      case Method::kPacked:
        run_packed(room(slot), a, b, c, m0, m1, n0, n1);
        break;
    }
  }

  float* room(int64_t slot) const {
    return reinterpret_cast<float*>(ctx_.scratch() + static_cast<uint64_t>(slot) * slot_bytes_);
  }

  void run_few(float* rows, const float* a, const float* b, float* c, int64_t m0,
               int64_t m1) const {
    FewColumns op{p_.k, p_.n, a, b, p_.n, 1, c, {}};
    if (p_.trans_b) op.b_row = 1, op.b_step = p_.k;
    op.epilogue.scale = o_.alpha;
    op.epilogue.bias = o_.bias;
    const FewColumnsWay way = few_columns_way(ctx_.isa(), p_.m, p_.k, p_.n);
    if (way == FewColumnsWay::kDots && !p_.trans_b) {
      turn_kernels(ctx_.isa()).bytes4(b, size(p_.n), rows, size(p_.k), size(p_.k), size(p_.n));
      op.b = rows;
      op.b_row = 1, op.b_step = p_.k;
    }
    multiply_few_columns(ctx_.isa(), op, m0, m1);
  }

  void run_packed(float* packed, const float* a, const float* b, float* c, int64_t m0, int64_t m1,
                  int64_t n0, int64_t n1) const {
    const size_t panels = panel_count(size(n1 - n0));
    gemm_.pack_b(b + (p_.trans_b ? n0 * p_.k : n0), size(p_.trans_b ? p_.k : p_.n), p_.trans_b,
                 size(p_.k), size(n1 - n0), 0, panels, packed);
    GemmF32 gemm;
    gemm.a = a + m0 * p_.k;
    if (p_.trans_a) {
      float* rows = packed + d_.columns_per_item * p_.k;
      turn_rows(turn_kernels(ctx_.isa()), a + m0, p_.m, p_.k, m1 - m0, rows);
      gemm.a = rows;
    }
    gemm.lda = gemm.k = size(p_.k);
    gemm.b = packed;
    gemm.c = c + m0 * p_.n + n0;
    gemm.ldc = size(p_.n);
    gemm.n = size(n1 - n0);
    gemm.epilogue.scale = o_.alpha;
    gemm.epilogue.bias = o_.bias != nullptr ? o_.bias + n0 : nullptr;
    gemm_.tile(gemm, 0, size(m1 - m0), 0, panels);
  }

  // What the dot kernel leaves out.
  void finish(float* c, int64_t m0, int64_t m1, int64_t n0, int64_t n1) const {
    for (int64_t i = m0; i < m1; ++i) {
      float* row = c + i * p_.n + n0;
      if (o_.alpha != 1.0f) vector_.mul_scalar(row, o_.alpha, row, size(n1 - n0));
      if (o_.bias != nullptr) vector_.add(row, o_.bias + n0, row, size(n1 - n0));
    }
  }

  static size_t size(int64_t n) { return static_cast<size_t>(n); }

  const RunContext& ctx_;
  const BatchedProduct& p_;
  const ProductOperandsF32& o_;
  const Division d_;
  const GemmF32Kernels& gemm_;
  const VectorF32Kernels& vector_;
  const uint64_t slot_bytes_;
};

// --- All of A turned before anything is multiplied.

// Where items of a few columns each would turn the same rows again.
bool is_turned_first(const BatchedProduct& p) {
  return p.trans_a && divide_up(p.n, kColumns) > fitting_panels(p);
}

int64_t matrices_of_a(const BatchedProduct& p) {
  int64_t count = 1;
  for (size_t d = 0; d < p.batch_dims.size(); ++d) count += (p.batch_dims[d] - 1) * p.a_strides[d];
  return count;
}

void turn_all(const RunContext& ctx, const BatchedProduct& p, const float* a, float* turned) {
  constexpr int64_t kRows = 64;
  const int64_t chunks = divide_up(p.m, kRows);
  const TurnKernels& turn = turn_kernels(ctx.isa());
  const int64_t grain = divide_up(4 * kElementGrain, kRows * p.k);
  ctx.parallel_for(matrices_of_a(p) * chunks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t at = i / chunks * p.m * p.k, row = i % chunks * kRows;
      turn_rows(turn, a + at + row, p.m, p.k, std::min(kRows, p.m - row), turned + at + row * p.k);
    }
  });
}

// The product that is left once A is turned.
BatchedProduct with_turned_a(BatchedProduct p) {
  p.trans_a = false;
  p.fold_rows();
  return p;
}

std::optional<uint64_t> scratch_of(const BatchedProduct& p, int thread_count) {
  // Other levels need no more than this one.
  const auto floats = slot_floats(p, divide(p, thread_count, Isa::kGeneric));
  const auto bytes =
      floats ? checked_mul(static_cast<uint64_t>(*floats), uint64_t{sizeof(float)}) : std::nullopt;
  return bytes ? slot_scratch(*bytes, thread_count) : std::nullopt;
}

// Bytes of all matrices of A, up to a whole line of the cache.
std::optional<uint64_t> turned_bytes(const BatchedProduct& p) {
  const auto each = checked_mul(p.m, p.k);
  const auto all = each ? checked_mul(*each, matrices_of_a(p)) : std::nullopt;
  const auto bytes =
      all ? checked_mul(static_cast<uint64_t>(*all), uint64_t{sizeof(float)}) : std::nullopt;
  return bytes ? checked_align_up(*bytes, 64) : std::nullopt;
}

// Without a k, c is the bias or zero. An empty c may still have more rows than anyone could count.
void fill(const BatchedProduct& p, const ProductOperandsF32& o) {
  if (p.m == 0 || p.n == 0 || p.batch_count == 0) return;
  for (int64_t i = 0; i < p.batch_count * p.m; ++i) {
    for (int64_t j = 0; j < p.n; ++j) o.c[i * p.n + j] = o.bias != nullptr ? o.bias[j] : 0.0f;
  }
}

}  // namespace

void BatchedProduct::fold_rows() {
  if (trans_a) return;
  int64_t expected = 1;
  for (size_t d = batch_dims.size(); d-- > 0;) {
    if (batch_dims[d] == 1) continue;
    if (b_strides[d] != 0 || a_strides[d] != expected) return;
    const auto next = checked_mul(expected, batch_dims[d]);
    if (!next) return;
    expected = *next;
  }
  const auto rows = checked_mul(m, batch_count);
  if (!rows) return;
  m = *rows;
  batch_count = 1;
  batch_dims.clear();
}

Status make_batched_product(std::span<const int64_t> a, std::span<const int64_t> b, bool trans_a,
                            bool trans_b, BatchedProduct* product, DimList* out_dims) {
  const auto misfit = [&] {
    return invalid_argument("shapes ", dims_to_string(a), " and ", dims_to_string(b),
                            " cannot be multiplied");
  };
  if (a.empty() || b.empty()) return misfit();
  const bool a_vector = a.size() == 1, b_vector = b.size() == 1;
  if ((a_vector && trans_a) || (b_vector && trans_b)) return misfit();
  const auto a_batch = a.first(a_vector ? 0 : a.size() - 2);
  const auto b_batch = b.first(b_vector ? 0 : b.size() - 2);
  const int64_t a_rows = a_vector ? 1 : a[a.size() - 2], a_columns = a[a.size() - 1];
  const int64_t b_rows = b_vector ? b[0] : b[b.size() - 2];
  const int64_t b_columns = b_vector ? 1 : b[b.size() - 1];
  product->trans_a = trans_a;
  product->trans_b = trans_b;
  product->m = trans_a ? a_columns : a_rows;
  product->k = trans_a ? a_rows : a_columns;
  product->n = trans_b ? b_rows : b_columns;
  if (product->k != (trans_b ? b_columns : b_rows)) return misfit();
  product->batch_dims.clear();
  RETURN_IF_ERROR(broadcast_into(&product->batch_dims, a_batch));
  RETURN_IF_ERROR(broadcast_into(&product->batch_dims, b_batch));
  if (product->batch_dims.size() + 2 > kMaxRank) return misfit();
  product->a_strides = broadcast_strides(a_batch, product->batch_dims);
  product->b_strides = broadcast_strides(b_batch, product->batch_dims);
  *out_dims = product->batch_dims;
  if (!a_vector) out_dims->push_back(product->m);
  if (!b_vector) out_dims->push_back(product->n);
  const auto count = checked_element_count(*out_dims);
  const auto batches = checked_element_count(product->batch_dims);
  if (!count || !batches) return misfit();
  product->batch_count = *batches;
  return Status::ok();
}

int64_t batch_offset(const BatchedProduct& product, const DimList& strides, int64_t i) {
  int64_t offset = 0;
  for (size_t d = product.batch_dims.size(); d-- > 0;) {
    offset += i % product.batch_dims[d] * strides[d];
    i /= product.batch_dims[d];
  }
  return offset;
}

std::optional<uint64_t> product_scratch(const BatchedProduct& product, int thread_count) {
  BatchedProduct p = product;
  p.fold_rows();
  if (is_empty(p)) return uint64_t{0};
  if (!is_turned_first(p)) return scratch_of(p, thread_count);
  const auto turned = turned_bytes(p);
  const auto rest = scratch_of(with_turned_a(p), thread_count);
  return turned && rest ? checked_add(*turned, *rest) : std::nullopt;
}

std::optional<uint64_t> product_scratch_up_to(const BatchedProduct& product, int thread_count) {
  BatchedProduct p = product;
  p.fold_rows();
  if (is_empty(p)) return uint64_t{0};
  const auto panel = checked_mul(kColumns, p.k);
  const auto panels = panel ? checked_mul(*panel, divide_up(p.n, kColumns)) : std::nullopt;
  if (!panels) return std::nullopt;
  // The panels that fit, whatever their depth, or a single one that does not.
  int64_t floats = std::min(*panels, std::max(kPackedFloats, *panel));
  // A larger A is not turned, whatever it is multiplied by.
  const int64_t turned_rows = std::min(p.m, kPackedFloats / p.k);
  if (p.trans_b && turned_rows > 0) floats = std::max(floats, turned_room(turned_rows, p.k));
  const auto bytes = checked_mul(static_cast<uint64_t>(floats), uint64_t{sizeof(float)});
  return bytes ? slot_scratch(*bytes, thread_count) : std::nullopt;
}

void run_batched_product(const RunContext& ctx, const BatchedProduct& product,
                         const ProductOperandsF32& operands) {
  BatchedProduct p = product;
  p.fold_rows();
  if (is_empty(p)) return fill(p, operands);
  if (!is_turned_first(p)) return Runner(ctx, p, operands).run();
  ProductOperandsF32 o = operands;
  auto* turned = reinterpret_cast<float*>(ctx.scratch());
  turn_all(ctx, p, o.a, turned);
  o.a = turned;
  const RunContext rest = ctx.with({}, {}, ctx.scratch() + *turned_bytes(p));
  Runner(rest, with_turned_a(p), o).run();
}

}  // namespace ortc::cpu
