// SPDX-License-Identifier: MIT
// MatMul and ortc.BatchedMatMul: products of two computed tensors with broadcasting of the leading
// dimensions; the latter also transposes the last two dimensions and scales.
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/products/batched_product.h"
#include "providers/cpu/products/plain_product.h"

namespace ortc::cpu {
namespace {

struct MatMulParams {
  uint32_t record_bytes;
  uint32_t trans_a, trans_b;
  float alpha;
};
static_assert(sizeof(MatMulParams) == 16);

using PlainTypes = TypeList<double, int32_t, int64_t, uint32_t, uint64_t>;

// --- Prepare.

Status prepare_matmul(PrepareContext& ctx) {
  ctx.set_params(MatMulParams{sizeof(MatMulParams), 0, 0, 1.0f});
  return Status::ok();
}

Status prepare_batched(PrepareContext& ctx) {
  const Node& node = ctx.node();
  ctx.set_params(MatMulParams{sizeof(MatMulParams), node.int_attribute("transA", 0) != 0 ? 1u : 0u,
                              node.int_attribute("transB", 0) != 0 ? 1u : 0u,
                              node.float_attribute("alpha", 1.0f)});
  return Status::ok();
}

// --- Bind.

Status shape_product(const MatMulParams& params, const ValueRef& a, const ValueRef& b,
                     BatchedProduct* product, DimList* dims) {
  return make_batched_product(a.dims(), b.dims(), params.trans_a != 0, params.trans_b != 0, product,
                              dims);
}

Status bind_product(BindContext& ctx, TypeMask types, BatchedProduct* product) {
  const auto* params = ctx.params<MatMulParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, types));
  RETURN_IF_ERROR(check_same_type(ctx, 1, 0));
  DimList dims;
  RETURN_IF_ERROR(shape_product(*params, ctx.input(0), ctx.input(1), product, &dims));
  return ctx.set_output(0, ctx.input(0).dtype, dims);
}

Status bind_f32(BindContext& ctx) {
  BatchedProduct product;
  RETURN_IF_ERROR(bind_product(ctx, mask_of(DType::kFloat32), &product));
  const auto scratch = product_scratch(product, ctx.thread_count());
  if (!scratch) return invalid_argument("the product needs more scratch than there can be");
  ctx.set_scratch(*scratch);
  return Status::ok();
}

Status bind_plain(BindContext& ctx) {
  BatchedProduct product;
  return bind_product(ctx, PlainTypes::kMask, &product);
}

// --- Run.

Status run_f32(RunContext& ctx) {
  const auto& params = ctx.params<MatMulParams>();
  BatchedProduct product;
  DimList dims;
  RETURN_IF_ERROR(shape_product(params, ctx.input(0), ctx.input(1), &product, &dims));
  ProductOperandsF32 operands;
  operands.a = ctx.input(0).as<float>();
  operands.b = ctx.input(1).as<float>();
  operands.c = ctx.output(0).as_mutable<float>();
  operands.alpha = params.alpha;
  run_batched_product(ctx, product, operands);
  return Status::ok();
}

Status run_plain(RunContext& ctx) {
  const auto& params = ctx.params<MatMulParams>();
  BatchedProduct product;
  DimList dims;
  RETURN_IF_ERROR(shape_product(params, ctx.input(0), ctx.input(1), &product, &dims));
  with_type(PlainTypes{}, ctx.input(0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    run_plain_product<T>(ctx, product, ctx.input(0).as<T>(), ctx.input(1).as<T>(), T(1),
                         ctx.output(0).as_mutable<T>());
  });
  return Status::ok();
}

}  // namespace

KernelTable matmul_kernels() {
  constexpr TypeMask kF32 = mask_of(DType::kFloat32);
  static constexpr KernelRow kMatMulRow("MatMul", "", 1, kLatestOpset, kF32, "matmul.f32", 1,
                                        kNoFlags, 0, prepare_matmul, bind_f32, run_f32);
  static constexpr KernelRow rows[] = {
      kMatMulRow,
      reduced_row<kMatMulRow>("MatMul.reduced"),
      {"MatMul", "", 1, kLatestOpset, PlainTypes::kMask, "matmul.plain", 1, kNoFlags, 0,
       prepare_matmul, bind_plain, run_plain},
      {"BatchedMatMul", kInternalDomain, 0, kLatestOpset, kF32, "matmul.f32", 1, kNoFlags, 0,
       prepare_batched, bind_f32, run_f32},
  };
  return rows;
}

}  // namespace ortc::cpu
