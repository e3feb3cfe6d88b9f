// SPDX-License-Identifier: MIT
// ONNX's Gemm with any operands:  y = alpha op(a) op(b) + beta c,  c broadcast to the result.
#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/broadcast.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/products/batched_product.h"
#include "providers/cpu/products/plain_product.h"

namespace ortc::cpu {
namespace {

struct GemmComputedParams {
  uint32_t record_bytes;
  uint32_t trans_a, trans_b;
  float alpha, beta;
};
static_assert(sizeof(GemmComputedParams) == 20);

// --- Arithmetic: one row of c, whose columns lie `step` (0 or 1) apart.

void add_row(const VectorF32Kernels& vector, const float* c, int64_t step, float beta, float* y,
             int64_t n) {
  if (step != 0) {
    vector.add_scaled(c, beta, y, static_cast<size_t>(n));
  } else {
    vector.add_scalar(y, beta * *c, y, static_cast<size_t>(n));
  }
}

void add_row(const VectorF32Kernels&, const double* c, int64_t step, float beta, double* y,
             int64_t n) {
  for (int64_t j = 0; j < n; ++j) y[j] += static_cast<double>(beta) * c[j * step];
}

// --- Prepare.

Status prepare_gemm_computed(PrepareContext& ctx) {
  const Node& node = ctx.node();
  ctx.set_params(
      GemmComputedParams{sizeof(GemmComputedParams), node.int_attribute("transA", 0) != 0 ? 1u : 0u,
                         node.int_attribute("transB", 0) != 0 ? 1u : 0u,
                         node.float_attribute("alpha", 1.0f), node.float_attribute("beta", 1.0f)});
  return Status::ok();
}

// --- Bind.

Status shape_gemm(const GemmComputedParams& params, const ValueRef& a, const ValueRef& b,
                  BatchedProduct* product, DimList* dims) {
  return make_batched_product(a.dims(), b.dims(), params.trans_a != 0, params.trans_b != 0, product,
                              dims);
}

Status bind_gemm_computed(BindContext& ctx) {
  const auto* params = ctx.params<GemmComputedParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 3));
  RETURN_IF_ERROR(check_type(ctx, 0, kFloatTypes));
  RETURN_IF_ERROR(check_same_type(ctx, 1, 0));
  RETURN_IF_ERROR(check_same_type(ctx, 2, 0));
  if (ctx.input(0).rank != 2 || ctx.input(1).rank != 2) {
    return invalid_argument("A has rank ", ctx.input(0).rank, " and B rank ", ctx.input(1).rank,
                            ", expected matrices");
  }
  BatchedProduct product;
  DimList dims;
  RETURN_IF_ERROR(shape_gemm(*params, ctx.input(0), ctx.input(1), &product, &dims));
  if (ctx.has_input(2)) {
    DimList wide = dims;
    RETURN_IF_ERROR(broadcast_into(&wide, ctx.input(2).dims()));
    if (wide.size() != 2 || wide[0] != dims[0] || wide[1] != dims[1]) {
      return invalid_argument("C of shape ", dims_to_string(ctx.input(2).dims()),
                              " does not broadcast to ", dims_to_string(dims));
    }
  }
  if (ctx.input(0).dtype == DType::kFloat32) {
    const auto scratch = product_scratch(product, ctx.thread_count());
    if (!scratch) return invalid_argument("the product needs more scratch than there can be");
    ctx.set_scratch(*scratch);
  }
  return ctx.set_output(0, ctx.input(0).dtype, dims);
}

// --- Run.

template <typename T>
void add_c(const RunContext& ctx, const BatchedProduct& product, float beta) {
  const ValueRef& c = ctx.input(2);
  const DimList strides = broadcast_strides(c.dims(), ctx.output(0).dims());
  const VectorF32Kernels& vector = vector_f32_kernels(ctx.isa());
  T* y = ctx.output(0).as_mutable<T>();
  const int64_t grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, product.n));
  ctx.parallel_for(product.m, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      add_row(vector, c.as<T>() + i * strides[0], strides[1], beta, y + i * product.n, product.n);
    }
  });
}

Status run_gemm_computed(RunContext& ctx) {
  const auto& params = ctx.params<GemmComputedParams>();
  BatchedProduct product;
  DimList dims;
  RETURN_IF_ERROR(shape_gemm(params, ctx.input(0), ctx.input(1), &product, &dims));
  const bool has_c = ctx.has_input(2) && params.beta != 0.0f && product.m > 0 && product.n > 0;
  if (ctx.input(0).dtype == DType::kFloat64) {
    run_plain_product<double>(ctx, product, ctx.input(0).as<double>(), ctx.input(1).as<double>(),
                              params.alpha, ctx.output(0).as_mutable<double>());
    if (has_c) add_c<double>(ctx, product, params.beta);
    return Status::ok();
  }
  const ValueRef c = has_c ? ctx.input(2) : ValueRef{};
  const bool is_bias = has_c && params.beta == 1.0f && c.rank > 0 &&
                       c.element_count() == product.n && c.dim(c.rank - 1) == product.n;
  ProductOperandsF32 operands{ctx.input(0).as<float>(), ctx.input(1).as<float>(),
                              ctx.output(0).as_mutable<float>(), params.alpha,
                              is_bias ? c.as<float>() : nullptr};
  run_batched_product(ctx, product, operands);
  if (has_c && !is_bias) add_c<float>(ctx, product, params.beta);
  return Status::ok();
}

}  // namespace

KernelTable gemm_computed_kernels() {
  static constexpr KernelRow kGemmRow("Gemm", "", 1, kLatestOpset, kFloatTypes, "gemm_reference", 1,
                                      kNoFlags, 0, prepare_gemm_computed, bind_gemm_computed,
                                      run_gemm_computed);
  static constexpr KernelRow rows[] = {
      kGemmRow,
      reduced_row<kGemmRow>("Gemm.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
