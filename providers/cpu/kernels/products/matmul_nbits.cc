// SPDX-License-Identifier: MIT
// com.microsoft.MatMulNBits: float rows times weights of 2, 4 or 8 bits in blocks, each with a
// scale and perhaps a zero point (arith/nbits/nbits.h has the formula and the packed form).
//
// Constant weights are packed once, at prepare; products/nbits_product.h multiplies. Where g_idx
// orders rows of B by groups, they are packed in that order and columns of A are brought into it
// first.
#include <algorithm>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/kernels/products/nbits_weights.h"
#include "providers/cpu/products/nbits_product.h"

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

// The record of weights that are packed in 8 bits, with scales of float16, or by groups.
struct NBitsFormParams {
  MatMulNBitsParams params;
  uint32_t bits;
  uint8_t is_ordered;  // input 4 tells which column of A each row of the weights is for
  uint8_t has_half;
  uint16_t reserved;
  int64_t depth;  // rows of the weights
};
static_assert(sizeof(NBitsFormParams) == 48);

enum Input : size_t { kA, kB, kScale, kZero, kGroups, kBias };
constexpr uint32_t kLevelInt8 = 4;
constexpr TypeMask kF32 = mask_of(DType::kFloat32);

// Any record in its longer form; bind has checked the size.
NBitsFormParams form_of(const MatMulNBitsParams& params) {
  if (params.record_bytes == sizeof(NBitsFormParams)) {
    return reinterpret_cast<const NBitsFormParams&>(params);
  }
  return {params, 4, 0, 0, 0, params.k};
}

NBitsShape shape_of(const NBitsFormParams& p) {
  return {static_cast<size_t>(p.depth),
          static_cast<size_t>(p.params.n),
          p.params.block,
          p.params.has_zero != 0,
          p.bits,
          p.has_half != 0};
}

bool is_impossible(const NBitsFormParams& p) {
  return !can_pack_nbits(p.depth, p.params.n, p.params.block, p.bits) || p.params.k < 1 ||
         p.depth < p.params.k || (p.is_ordered == 0 && p.depth != p.params.k);
}

// --- Prepare.

Result<MatMulNBitsParams> params_of(const Node& node, uint32_t& bits) {
  MatMulNBitsParams params{};
  params.record_bytes = sizeof params;
  params.k = node.int_attribute("K", 0);
  params.n = node.int_attribute("N", 0);
  const int64_t block = node.int_attribute("block_size", 0);
  const int64_t found = node.int_attribute("bits", 4);
  if (found != 2 && found != 4 && found != 8) {
    return invalid_graph("attribute 'bits' is ", found, ", expected 2, 4 or 8");
  }
  bits = static_cast<uint32_t>(found);
  params.block = block >= 16 && block <= 1 << 16 ? static_cast<uint32_t>(block) : 0;
  if (is_impossible({params, 4, 0, 0, 0, params.k})) {
    return invalid_graph("K ", params.k, ", N ", params.n, " and block_size ", block,
                         " are impossible");
  }
  if (const int64_t form = node.int_attribute("weight_prepacked", 0); form != 0) {
    return not_implemented("weights that are packed for CUDA (weight_prepacked ", form, ")");
  }
  const int64_t level = node.int_attribute("accuracy_level", 0);
  params.accuracy_level = level == kLevelInt8 ? kLevelInt8 : 0;
  return params;
}

Status check_constant(const PrepareContext& ctx, size_t i, TypeMask types, int64_t count) {
  const Tensor* tensor = ctx.constant(i);
  if (tensor == nullptr) return not_implemented("an input ", i, " that is not constant");
  if ((mask_of(tensor->dtype()) & types) == 0) {
    return invalid_graph("input ", i, " is ", dtype_name(tensor->dtype()));
  }
  if (tensor->element_count() == count) return Status::ok();
  return invalid_graph("input ", i, " has shape ", dims_to_string(tensor->dims()), ", expected ",
                       count, " elements");
}

Result<NBitsSource> source_of(const PrepareContext& ctx, const MatMulNBitsParams& params,
                              uint32_t bits) {
  constexpr TypeMask kBytes = mask_of(DType::kUint8);
  constexpr TypeMask kFloats = mask_of(DType::kFloat32, DType::kFloat16, DType::kBfloat16);
  NBitsSource source{static_cast<size_t>(params.k),
                     static_cast<size_t>(params.n),
                     params.block,
                     bits,
                     nullptr,
                     {},
                     {},
                     {}};
  const auto blocks = static_cast<int64_t>(source.blocks()), count = params.n * blocks;
  RETURN_IF_ERROR(check_constant(ctx, kB, kBytes, count * (params.block * bits / 8)));
  RETURN_IF_ERROR(check_constant(ctx, kScale, kFloats, count));
  source.q = ctx.constant(kB)->elements<uint8_t>().data();
  ASSIGN_OR_RETURN(source.scale, nbits_floats(*ctx.constant(kScale)));
  if (ctx.has_input(kZero)) {
    const bool is_packed = ctx.input_type(kZero).dtype == DType::kUint8;
    const int64_t row = is_packed ? (blocks * bits + 7) / 8 : blocks;
    RETURN_IF_ERROR(check_constant(ctx, kZero, kBytes | kFloats, params.n * row));
    ASSIGN_OR_RETURN(source.zero,
                     nbits_zeros(*ctx.constant(kZero), source.n, source.blocks(), bits));
  }
  if (ctx.has_input(kGroups)) {
    const Tensor* groups = ctx.constant(kGroups);
    const bool is_padded = groups != nullptr && groups->element_count() == blocks * params.block;
    RETURN_IF_ERROR(check_constant(ctx, kGroups, mask_of(DType::kInt32),
                                   is_padded ? blocks * params.block : params.k));
    source.groups = groups->elements<int32_t>();
  }
  return source;
}

Status prepare_nbits(PrepareContext& ctx) {
  uint32_t bits = 0;
  ASSIGN_OR_RETURN(MatMulNBitsParams params, params_of(ctx.node(), bits));
  ASSIGN_OR_RETURN(const NBitsSource source, source_of(ctx, params, bits));
  ASSIGN_OR_RETURN(NBitsWeights weights, pack_nbits(source));
  const NBitsShape& shape = weights.shape;
  params.has_zero = shape.has_zero ? 1 : 0;
  ctx.replace_input(kB, std::move(weights.packed), nbits_layout(shape));
  ctx.drop_input(kScale);
  if (ctx.has_input(kZero)) ctx.drop_input(kZero);
  if (!weights.order.empty()) {
    const auto depth = static_cast<int64_t>(weights.order.size());
    ctx.replace_input(kGroups, Tensor::from<int32_t>({depth}, weights.order), Layout::kRowMajor);
  } else if (ctx.has_input(kGroups)) {
    ctx.drop_input(kGroups);
  }
  if (shape.bits == 4 && !shape.has_half && weights.order.empty()) {
    ctx.set_params(params);
    return Status::ok();
  }
  NBitsFormParams form{};
  form.params = params;
  form.bits = shape.bits;
  form.is_ordered = weights.order.empty() ? 0 : 1;
  form.has_half = shape.has_half ? 1 : 0;
  form.depth = static_cast<int64_t>(shape.k);
  form.params.record_bytes = sizeof form;
  ctx.set_params(form);
  return Status::ok();
}

// --- Bind.

int64_t row_count(const ValueRef& a) { return product(a.dims(), 0, a.rank - 1); }

// Scratch: rows of A in the order of the weights, and what the product needs.
struct NBitsScratch {
  ScratchPlan plan;
  uint64_t ordered, product;
};

NBitsScratch plan_scratch(const NBitsFormParams& form, int64_t rows, int thread_count, Isa isa) {
  const NBitsShape shape = shape_of(form);
  const bool as_int8 = form.params.accuracy_level == kLevelInt8;
  const auto bytes = nbits_scratch(shape, as_int8, rows, thread_count, isa);
  const auto fits = bytes ? checked_cast<int64_t>(*bytes) : std::nullopt;
  const auto numbers = checked_mul(rows, form.depth);
  NBitsScratch scratch{};
  scratch.ordered = scratch.plan.add<float>(form.is_ordered != 0 ? numbers.value_or(-1) : 0);
  scratch.product = scratch.plan.add<std::byte>(fits.value_or(-1));
  return scratch;
}

Status check_packed(const BindContext& ctx, const NBitsFormParams& form) {
  const auto size = nbits_packed_bytes(shape_of(form));
  const ValueRef& b = ctx.input(kB);
  if (!size || b.dtype != DType::kUint8 || b.rank != 1 || b.dim(0) != *size) {
    return invalid_graph("packed input 1 is ", dtype_name(b.dtype), dims_to_string(b.dims()),
                         ", the record needs uint8[", size.value_or(-1), "]");
  }
  for (const size_t i : {kScale, kZero}) {
    if (ctx.has_input(i)) return invalid_graph("input ", i, " belongs to the packed weights");
  }
  const ValueRef& order = ctx.input(kGroups);
  if (ctx.has_input(kGroups) != (form.is_ordered != 0)) {
    return invalid_graph("input 4 and the record disagree on the order of the weights");
  }
  if (form.is_ordered != 0 &&
      (order.dtype != DType::kInt32 || order.rank != 1 || order.dim(0) != form.depth)) {
    return invalid_graph("input 4 is ", dtype_name(order.dtype), dims_to_string(order.dims()),
                         ", the record needs int32[", form.depth, "]");
  }
  return Status::ok();
}

Status bind_nbits(BindContext& ctx) {
  const auto* params = ctx.params<MatMulNBitsParams>();
  if (params == nullptr || (params->record_bytes == sizeof(NBitsFormParams) &&
                            ctx.params<NBitsFormParams>() == nullptr)) {
    return ctx.bad_params();
  }
  const NBitsFormParams form = form_of(*params);
  if (is_impossible(form)) return invalid_graph("its record describes impossible weights");
  RETURN_IF_ERROR(check_arity(ctx, 2, 6));
  RETURN_IF_ERROR(check_type(ctx, kA, kF32));
  RETURN_IF_ERROR(check_type(ctx, kBias, kF32));
  RETURN_IF_ERROR(check_packed(ctx, form));
  const ValueRef& a = ctx.input(kA);
  if (a.rank == 0 || a.dim(a.rank - 1) != params->k) {
    return invalid_argument("A has shape ", dims_to_string(a.dims()), ", expected ", params->k,
                            " columns");
  }
  if (ctx.has_input(kBias) &&
      (ctx.input(kBias).rank != 1 || ctx.input(kBias).dim(0) != params->n)) {
    return invalid_argument("the bias has shape ", dims_to_string(ctx.input(kBias).dims()),
                            ", expected [", params->n, "]");
  }
  const NBitsScratch scratch = plan_scratch(form, row_count(a), ctx.thread_count(), ctx.isa());
  RETURN_IF_ERROR(scratch.plan.declare(ctx));
  DimList dims(a.dims());
  dims[a.rank - 1] = params->n;
  return ctx.set_output(0, DType::kFloat32, dims);
}

// --- Run.

// Columns of A in the order of the weights. An order out of a file may hold anything.
void bring_in_order(const RunContext& ctx, const NBitsFormParams& form, int64_t rows, float* to) {
  const auto* order = ctx.input(kGroups).as<int32_t>();
  const auto* a = ctx.input(kA).as<float>();
  const int64_t depth = form.depth, k = form.params.k;
  ctx.parallel_for(rows, std::max<int64_t>(1, 16384 / depth), [&](int64_t begin, int64_t end) {
    for (int64_t m = begin; m < end; ++m) {
      for (int64_t i = 0; i < depth; ++i) {
        const int64_t at = order[i];
        to[m * depth + i] = at >= 0 && at < k ? a[m * k + at] : 0.0f;
      }
    }
  });
}

Status run_nbits_rows(RunContext& ctx) {
  const NBitsFormParams form = form_of(ctx.params<MatMulNBitsParams>());
  const int64_t rows = row_count(ctx.input(kA));
  const NBitsScratch scratch = plan_scratch(form, rows, ctx.thread_count(), ctx.isa());
  NBitsJob job;
  job.shape = shape_of(form);
  job.as_int8 = form.params.accuracy_level == kLevelInt8;
  job.b = ctx.input(kB).as<std::byte>();
  job.a = ctx.input(kA).as<float>();
  if (form.is_ordered != 0) {
    auto* ordered = scratch_at<float>(ctx, scratch.ordered);
    bring_in_order(ctx, form, rows, ordered);
    job.a = ordered;
  }
  job.bias = ctx.has_input(kBias) ? ctx.input(kBias).as<float>() : nullptr;
  job.y = ctx.output(0).as_mutable<float>();
  job.rows = rows;
  run_nbits(ctx, job, ctx.scratch() + scratch.product);
  return Status::ok();
}

}  // namespace

KernelTable matmul_nbits_kernels() {
  static constexpr KernelRow kFloatRow{"MatMulNBits",
                                       "com.microsoft",
                                       1,
                                       kLatestOpset,
                                       kF32,
                                       "matmul_nbits.f32",
                                       1,
                                       kNoFlags,
                                       0,
                                       prepare_nbits,
                                       bind_nbits,
                                       run_nbits_rows};
  static constexpr KernelRow rows[] = {
      kFloatRow,
      reduced_row<kFloatRow>("com.microsoft.MatMulNBits.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
