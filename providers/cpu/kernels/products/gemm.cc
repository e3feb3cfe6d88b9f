// SPDX-License-Identifier: MIT
// ortc.Gemm: rows of any number of leading dimensions times a constant matrix, with an epilogue.
//
//   y[m][n] = act(alpha * sum_k a[m][k] * b[k][n] + bias[n] + residual[m][n])
//
// B is packed once, at prepare, in the type that it has: float32, float16, bfloat16, or int8 with a
// scale for each column. Threads divide rows and panels; a single row divides panels alone.
#include <algorithm>

#include "providers/cpu/arith/gemm_f32/gemm_f32.h"
#include "providers/cpu/arith/turn/turn.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/bind/thread_slots.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/internal_ops.h"
#include "providers/cpu/layouts.h"
#include "providers/cpu/products/epilogue.h"
#include "providers/cpu/products/few_columns.h"
#include "providers/cpu/products/narrow_panels.h"
#include "providers/cpu/products/packed_size.h"
#include "providers/cpu/products/tile_grid.h"

namespace ortc::cpu {
namespace {

struct GemmParams {
  uint32_t record_bytes;
  uint32_t reserved;
  int64_t k, n;  // of B, before it was packed
  EpilogueParams epilogue;
};
static_assert(sizeof(GemmParams) == 40);

// --- Prepare.

// Packing asks between pieces of 16 MB whether to go on.
size_t panels_of_a_piece(size_t k) {
  constexpr size_t kPieceBytes = size_t{16} << 20;
  return std::max<size_t>(1,
                          kPieceBytes / (std::max<size_t>(k, 1) * kPanelColumns * sizeof(float)));
}

// Panels [p0, p1) of packed B, which may lie as [N, K].
void pack_panels(const Tensor& b, bool transposed, const GemmParams& params, size_t p0, size_t p1,
                 Tensor& packed) {
  const auto k = static_cast<size_t>(params.k), n = static_cast<size_t>(params.n);
  const size_t ldb = transposed ? k : n;
  if (b.dtype() == DType::kInt8) {
    pack_narrow_panels(b.elements<int8_t>().data(), ldb, transposed, k, n, p0, p1,
                       packed.mutable_elements<int8_t>().data());
  } else if (is_half(b.dtype())) {
    pack_narrow_panels(half_bits(b), ldb, transposed, k, n, p0, p1,
                       static_cast<uint16_t*>(packed.mutable_data()));
  } else {
    gemm_f32_kernels(host_isa())
        .pack_b(b.elements<float>().data(), ldb, transposed, k, n, p0, p1,
                packed.mutable_elements<float>().data());
  }
}

// Row-major for what cannot be packed.
Layout layout_of(DType dtype) {
  if (dtype == DType::kFloat32) return kPanels32F32;
  if (dtype == DType::kInt8) return kPanels32ScaledI8;
  return is_half(dtype) ? kPanels32Half : Layout::kRowMajor;
}

Status prepare_gemm(PrepareContext& ctx) {
  const Tensor* b = ctx.constant(1);
  if (b == nullptr) return not_implemented("ortc.Gemm with a B that is not constant");
  const Layout layout = layout_of(b->dtype());
  if (layout == Layout::kRowMajor || b->dims().size() != 2) {
    return invalid_graph("B is ", dtype_name(b->dtype()), dims_to_string(b->dims()),
                         ", expected a matrix of float32, float16, bfloat16 or int8");
  }
  const bool transposed = ctx.node().int_attribute("transB", 0) != 0;
  GemmParams params{};
  params.record_bytes = sizeof params;
  params.k = b->dims()[transposed ? 1 : 0];
  params.n = b->dims()[transposed ? 0 : 1];
  ASSIGN_OR_RETURN(params.epilogue,
                   epilogue_from_attributes(ctx.node(), ctx.node().float_attribute("alpha", 1.0f)));
  const auto size = checked_packed_size(params.k, params.n);
  if (!size) return invalid_graph("B has the impossible shape ", dims_to_string(b->dims()));
  ASSIGN_OR_RETURN(Tensor packed, Tensor::create(b->dtype(), {*size}));
  const size_t panels = panel_count(static_cast<size_t>(params.n));
  const size_t step = panels_of_a_piece(static_cast<size_t>(params.k));
  for (size_t p = 0; p < panels; p += step) {
    const size_t end = std::min(panels, p + step);
    pack_panels(*b, transposed, params, p, end, packed);
    RETURN_IF_ERROR(ctx.advance(b->byte_size() / panels * (end - p)));
  }
  ctx.replace_input(1, std::move(packed), layout);
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

// Each thread that multiplies many rows widens a block of narrow panels for itself.
uint64_t room_bytes(const GemmParams& params, int64_t rows) {
  const bool needs_room = rows > static_cast<int64_t>(kNarrowRows);
  return needs_room ? narrow_room(static_cast<size_t>(params.k)) * sizeof(float) : 0;
}

// How packed B of a few columns meets the rows, if not by panels.
template <typename Context>
FewColumnsWay way_of(const Context& ctx, const GemmParams& params) {
  const ValueRef& a = ctx.input(0);
  if (ctx.input(1).dtype != DType::kFloat32 || ctx.has_input(ProductInput::kResidual)) {
    return FewColumnsWay::kNone;
  }
  return few_columns_way(ctx.isa(), product(a.dims(), 0, a.rank - 1), params.k, params.n);
}

constexpr TypeMask kF32 = mask_of(DType::kFloat32), kI8 = mask_of(DType::kInt8);

template <TypeMask kB>
Status bind_gemm(BindContext& ctx) {
  const auto* params = ctx.params<GemmParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, kB == kI8 ? 5 : 4));
  RETURN_IF_ERROR(check_type(ctx, 0, kF32));
  RETURN_IF_ERROR(check_packed(ctx, 1, checked_packed_size(params->k, params->n), kB));
  const ValueRef& a = ctx.input(0);
  if (a.rank == 0 || a.dim(a.rank - 1) != params->k) {
    return invalid_argument("A has shape ", dims_to_string(a.dims()), ", B has ", params->k,
                            " rows");
  }
  DimList dims(a.dims());
  dims[a.rank - 1] = params->n;
  RETURN_IF_ERROR(check_epilogue(ctx, params->epilogue, params->n, dims));
  if (kB == kI8) RETURN_IF_ERROR(check_packed(ctx, ProductInput::kColumnScale, params->n));
  if constexpr (kB != kF32) {
    const uint64_t room = room_bytes(*params, product(a.dims(), 0, a.rank - 1));
    const auto scratch = slot_scratch(room, ctx.thread_count());
    if (!scratch) return invalid_argument("the product needs more scratch than there can be");
    ctx.set_scratch(*scratch);
  } else if (way_of(ctx, *params) == FewColumnsWay::kDots) {
    ctx.set_scratch(static_cast<uint64_t>(params->k * params->n) * sizeof(float));
  }
  return ctx.set_output(0, DType::kFloat32, dims);
}

// --- Run.

void multiply_few(const RunContext& ctx, const GemmParams& params, FewColumnsWay way) {
  const ValueRef& a = ctx.input(0);
  FewColumns op;
  op.k = params.k;
  op.n = params.n;
  op.a = a.as<float>();
  op.b = ctx.input(1).as<float>();
  op.b_row = static_cast<int64_t>(kPanelColumns);
  op.c = ctx.output(0).as_mutable<float>();
  op.epilogue = make_epilogue(ctx, params.epilogue, params.n);
  if (way == FewColumnsWay::kDots) {
    auto* rows = reinterpret_cast<float*>(ctx.scratch());
    const auto k = static_cast<size_t>(params.k), n = static_cast<size_t>(params.n);
    turn_kernels(ctx.isa()).bytes4(op.b, kPanelColumns, rows, k, k, n);
    op.b = rows;
    op.b_row = 1;
    op.b_step = params.k;
  }
  const int64_t grain = std::max<int64_t>(1, kElementGrain / params.k);
  ctx.parallel_for(product(a.dims(), 0, a.rank - 1), grain, [&](int64_t begin, int64_t end) {
    multiply_few_columns(ctx.isa(), op, begin, end);
  });
}

Status run_gemm(RunContext& ctx) {
  const auto& params = ctx.params<GemmParams>();
  const FewColumnsWay way = way_of(ctx, params);
  if (way != FewColumnsWay::kNone) return multiply_few(ctx, params, way), Status::ok();
  const ValueRef &a = ctx.input(0), &b = ctx.input(1);
  GemmF32 gemm;
  gemm.a = a.as<float>();
  gemm.lda = gemm.k = static_cast<size_t>(params.k);
  if (b.dtype == DType::kFloat32) gemm.b = b.as<float>();
  gemm.narrow = narrow_panels(b, nullptr);
  if (b.dtype == DType::kInt8) {
    gemm.narrow.scales = ctx.input(ProductInput::kColumnScale).as<float>();
  }
  gemm.c = ctx.output(0).as_mutable<float>();
  gemm.ldc = gemm.n = static_cast<size_t>(params.n);
  gemm.epilogue = make_epilogue(ctx, params.epilogue, params.n);
  const int64_t rows = product(a.dims(), 0, a.rank - 1);
  const TileGrid grid = make_tile_grid(rows, static_cast<int64_t>(panel_count(gemm.n)), params.k,
                                       items_for_threads(ctx.thread_count()));
  const GemmF32Kernels& kernels = gemm_f32_kernels(ctx.isa());
  const auto run_item = [&](const GemmF32& operands, int64_t item) {
    kernels.tile(operands, static_cast<size_t>(grid.row_begin(item)),
                 static_cast<size_t>(grid.row_end(item)),
                 static_cast<size_t>(grid.panel_begin(item)),
                 static_cast<size_t>(grid.panel_end(item)));
  };
  if (b.dtype != DType::kFloat32) {
    const uint64_t room = align_up(room_bytes(params, rows), 64);
    parallel_items(ctx, ctx.thread_count(), grid.items(), [&](int64_t slot, int64_t item) {
      GemmF32 own = gemm;
      own.narrow.room =
          reinterpret_cast<float*>(ctx.scratch() + static_cast<uint64_t>(slot) * room);
      run_item(own, item);
    });
    return Status::ok();
  }
  ctx.parallel_for(grid.items(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) run_item(gemm, item);
  });
  return Status::ok();
}

}  // namespace

KernelTable gemm_kernels() {
  static constexpr KernelRow rows[] = {
      {"Gemm", kInternalDomain, 0, kLatestOpset, kF32, "gemm.f32", 1, kNoFlags, 0, prepare_gemm,
       bind_gemm<kF32>, run_gemm, 1},
      {"Gemm", kInternalDomain, 0, kLatestOpset, kHalfTypes, "gemm.half", 1, kNoFlags, 0,
       prepare_gemm, bind_gemm<kHalfTypes>, run_gemm, 1},
      {"Gemm", kInternalDomain, 0, kLatestOpset, kI8, "gemm.scaled_i8", 1, kNoFlags, 0,
       prepare_gemm, bind_gemm<kI8>, run_gemm, 1},
  };
  return rows;
}

}  // namespace ortc::cpu
