// SPDX-License-Identifier: MIT
// ortc.QGemm: rows of 8-bit numbers, of any number of leading dimensions, times a constant 8-bit
// matrix, exact in int32, with an epilogue (product_i8.h).
//
// B is packed once, at prepare. int8 rows, and rows that are not whole quads, are copied to scratch
// first. Threads divide rows and panels; a single row divides panels alone.
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/layouts.h"
#include "providers/cpu/products/product_i8.h"
#include "providers/cpu/products/tile_grid.h"

namespace ortc::cpu {
namespace {

using Input = QProductInput;

struct QGemmParams {
  uint32_t record_bytes;
  uint32_t reserved;
  int64_t k, n;  // of B, before it was packed
  ProductParamsI8 product;
};
static_assert(sizeof(QGemmParams) == 72);

constexpr TypeMask kBytes = mask_of(DType::kUint8, DType::kInt8);

ColumnsI8 columns_of(const QGemmParams& params) { return {1, params.n}; }

// Bytes of the packed [k, n] matrix; nothing when one is negative or on overflow.
std::optional<int64_t> packed_bytes(int64_t k, int64_t n) {
  if (k < 0 || n < 0 || k > INT32_MAX || n > INT32_MAX - 31) return std::nullopt;
  const auto panel = static_cast<int64_t>(panel_bytes_i8(static_cast<size_t>(k)));
  return checked_mul(static_cast<int64_t>(panel_count(static_cast<size_t>(n))), panel);
}

// --- Prepare.

Status prepare_qgemm(PrepareContext& ctx) {
  const Tensor* b = ctx.constant(Input::kB);
  if (b == nullptr) return not_implemented("ortc.QGemm with a B that is not constant");
  if ((mask_of(b->dtype()) & kBytes) == 0 || b->dims().size() != 2) {
    return invalid_graph("B is ", dtype_name(b->dtype()), dims_to_string(b->dims()),
                         ", expected a matrix of 8-bit numbers");
  }
  const bool transposed = ctx.node().int_attribute("transB", 0) != 0;
  QGemmParams params{};
  params.record_bytes = sizeof params;
  params.k = b->dims()[transposed ? 1 : 0];
  params.n = b->dims()[transposed ? 0 : 1];
  const auto size = packed_bytes(params.k, params.n);
  if (!size) return invalid_graph("B has the impossible shape ", dims_to_string(b->dims()));
  ASSIGN_OR_RETURN(const std::vector<int8_t> zeros, take_b_zero(ctx, params.n));
  ASSIGN_OR_RETURN(params.product, prepare_product(ctx, columns_of(params), !zeros.empty()));
  ASSIGN_OR_RETURN(Tensor packed, Tensor::create(DType::kUint8, {*size}));
  const auto k = static_cast<size_t>(params.k), n = static_cast<size_t>(params.n);
  pack_b_i8(static_cast<const uint8_t*>(b->data()), transposed ? 1 : n, transposed ? k : 1, k, n,
            weight_flip(b->dtype()), zeros.empty() ? nullptr : zeros.data(), zeros.size(),
            static_cast<std::byte*>(packed.mutable_data()));
  ctx.replace_input(Input::kB, std::move(packed), kPanels32I8);
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

bool needs_copy(const ValueRef& a, int64_t k) { return a.dtype == DType::kInt8 || k % 4 != 0; }

// Bytes of A's rows in scratch, after the scales; nothing on overflow. One quad more is never read,
// but keeps addresses of empty rows apart.
std::optional<uint64_t> copy_bytes(const ValueRef& a, int64_t k) {
  if (!needs_copy(a, k)) return 0;
  const auto row = static_cast<int64_t>(quads(static_cast<size_t>(k)) * 4);
  const auto bytes = checked_mul(product(a.dims(), 0, a.rank - 1), row);
  return bytes ? std::optional<uint64_t>(static_cast<uint64_t>(*bytes)) : std::nullopt;
}

Status bind_qgemm(BindContext& ctx) {
  const auto* params = ctx.params<QGemmParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, Input::kCount));
  RETURN_IF_ERROR(check_packed_bytes(ctx, Input::kB, packed_bytes(params->k, params->n)));
  const ValueRef& a = ctx.input(Input::kA);
  if (a.rank == 0 || a.dim(a.rank - 1) != params->k) {
    return invalid_argument("A has shape ", dims_to_string(a.dims()), ", B has ", params->k,
                            " rows");
  }
  DimList dims(a.dims());
  dims[a.rank - 1] = params->n;
  RETURN_IF_ERROR(check_product(ctx, params->product, columns_of(*params), dims));
  const auto copied = copy_bytes(a, params->k);
  if (!copied) return invalid_argument("A needs more scratch than there can be");
  ctx.set_scratch(align_up(scale_scratch_bytes(ctx, columns_of(*params)), 64) + *copied);
  return ctx.set_output(0, output_type(params->product), dims);
}

// --- Run.

Status run_qgemm(RunContext& ctx) {
  const auto& params = ctx.params<QGemmParams>();
  const ValueRef& a = ctx.input(Input::kA);
  const ColumnsI8 columns = columns_of(params);
  const int64_t rows = product(a.dims(), 0, a.rank - 1);
  if (rows == 0 || params.n == 0) return Status::ok();
  GemmI8 gemm;
  gemm.epilogue = make_epilogue_i8(ctx, params.product, columns, ctx.scratch());
  gemm.k = static_cast<size_t>(params.k);
  gemm.lda = quads(gemm.k) * 4;
  gemm.a = a.as<uint8_t>();
  if (needs_copy(a, params.k)) {
    auto* copied =
        reinterpret_cast<uint8_t*>(ctx.scratch()) + align_up(scale_scratch_bytes(ctx, columns), 64);
    copy_left_rows(ctx, a, params.k, copied);
    gemm.a = copied;
  }
  gemm.a_zero = a_zero_of(ctx, params.product);
  gemm.b = ctx.input(Input::kB).as<std::byte>();
  gemm.has_b_zero = params.product.has_b_zero != 0;
  gemm.c = ctx.output(0).data;
  gemm.ldc = gemm.n = static_cast<size_t>(params.n);
  // A product of four is what one of floats costs.
  const TileGrid grid = make_tile_grid(rows, static_cast<int64_t>(panel_count(gemm.n)),
                                       (params.k + 3) / 4, items_for_threads(ctx.thread_count()));
  const GemmI8Kernels& kernels = gemm_i8_kernels(ctx.isa());
  ctx.parallel_for(grid.items(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      kernels.tile(
          gemm, static_cast<size_t>(grid.row_begin(item)), static_cast<size_t>(grid.row_end(item)),
          static_cast<size_t>(grid.panel_begin(item)), static_cast<size_t>(grid.panel_end(item)));
    }
  });
  return Status::ok();
}

}  // namespace

KernelTable qgemm_kernels() {
  static constexpr KernelRow rows[] = {
      {"QGemm", kInternalDomain, 0, kLatestOpset, kBytes, "gemm.i8", 1, kNoFlags, 0, prepare_qgemm,
       bind_qgemm, run_qgemm},
  };
  return rows;
}

}  // namespace ortc::cpu
