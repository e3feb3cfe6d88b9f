// SPDX-License-Identifier: MIT
// Arithmetic between quantised tensors of 8 bits: QLinearAdd and QLinearMul of com.microsoft, their
// twins ortc.QAdd and ortc.QMul, which hold the result within [low, high] besides, and ortc.Lookup,
// any function of one quantised number as a table of 256.
//
//   y = clamp(round((a - a_zero) a_scale / y_scale + (b - b_zero) b_scale / y_scale) + y_zero)
#include "providers/cpu/arith/quant/quant.h"
#include "providers/cpu/bind/broadcast.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/elements/small_integers.h"

namespace ortc::cpu {
namespace {

struct BinaryParams {
  uint32_t record_bytes;
  int32_t low, high;
  uint32_t reserved;
};
static_assert(sizeof(BinaryParams) == 16);

using Bytes8 = TypeList<uint8_t, int8_t>;
constexpr TypeMask kBytes = Bytes8::kMask;
constexpr TypeMask kF32 = mask_of(DType::kFloat32);
enum Input : size_t { kA, kAScale, kAZero, kB, kBScale, kBZero, kYScale, kYZero };

// --- Two operands.

Status prepare_binary(PrepareContext& ctx) {
  BinaryParams params{};
  params.record_bytes = sizeof params;
  params.low = static_cast<int32_t>(ctx.node().int_attribute("low", -128));
  params.high = static_cast<int32_t>(ctx.node().int_attribute("high", 255));
  ctx.set_params(params);
  return Status::ok();
}

Status check_one(const BindContext& ctx, size_t i) {
  if (!ctx.has_input(i) || ctx.input(i).element_count() == 1) return Status::ok();
  return not_implemented("input ", i, " with ", ctx.input(i).element_count(),
                         " elements where one is expected");
}

// Operand, scale and zero point from input `first` on. The zero point may be missing.
Status check_operand(const BindContext& ctx, size_t first) {
  RETURN_IF_ERROR(check_same_type(ctx, first, 0));
  RETURN_IF_ERROR(check_type(ctx, first + 1, kF32));
  RETURN_IF_ERROR(check_one(ctx, first + 1));
  RETURN_IF_ERROR(check_same_type(ctx, first + 2, 0));
  return check_one(ctx, first + 2);
}

Status bind_binary(BindContext& ctx) {
  const auto* params = ctx.params<BinaryParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 8));
  RETURN_IF_ERROR(check_type(ctx, kA, kBytes));
  for (const size_t i : {kB, kBScale, kYScale}) {
    if (!ctx.has_input(i)) return invalid_graph("input ", i, " is missing");
  }
  RETURN_IF_ERROR(check_operand(ctx, kA));
  RETURN_IF_ERROR(check_operand(ctx, kB));
  RETURN_IF_ERROR(check_type(ctx, kYScale, kF32));
  RETURN_IF_ERROR(check_one(ctx, kYScale));
  RETURN_IF_ERROR(check_same_type(ctx, kYZero, 0));
  RETURN_IF_ERROR(check_one(ctx, kYZero));
  const IntegerRange range = integer_range(ctx.input(kA).dtype);
  if (params->low > params->high || params->low > range.hi || params->high < range.lo) {
    return invalid_graph("its record holds the result within [", params->low, ", ", params->high,
                         "]");
  }
  DimList dims(ctx.input(kA).dims());
  RETURN_IF_ERROR(broadcast_into(&dims, ctx.input(kB).dims()));
  return ctx.set_output(0, ctx.input(kA).dtype, dims);
}

int32_t zero_of(const RunContext& ctx, size_t i) {
  return ctx.has_input(i) ? integer_at(ctx.input(i).dtype, ctx.input(i).data, 0) : 0;
}

template <bool kIsAdd>
BinaryI8 make_op(const RunContext& ctx) {
  const auto& params = ctx.params<BinaryParams>();
  const IntegerRange range = integer_range(ctx.output(0).dtype);
  BinaryI8 op;
  op.a_zero = zero_of(ctx, kAZero);
  op.b_zero = zero_of(ctx, kBZero);
  op.zero = zero_of(ctx, kYZero);
  op.lo = std::max(params.low, range.lo);
  op.hi = std::min(params.high, range.hi);
  const float a = *ctx.input(kAScale).as<float>(), b = *ctx.input(kBScale).as<float>();
  const float y = *ctx.input(kYScale).as<float>();
  op.a_factor = kIsAdd ? a / y : a * b / y;
  op.b_factor = b / y;
  return op;
}

template <bool kIsAdd, typename T>
void run_rows(const RunContext& ctx, const QuantKernelsOf<T>& kernels) {
  const BinaryI8 op = make_op<kIsAdd>(ctx);
  const auto row = kIsAdd ? kernels.add : kernels.mul;
  const T *a = ctx.input(kA).as<T>(), *b = ctx.input(kB).as<T>();
  T* y = ctx.output(0).as_mutable<T>();
  const auto loop =
      broadcast_loop<2>(ctx.output(0).dims(), {ctx.input(kA).dims(), ctx.input(kB).dims()});
  parallel_rows(ctx, loop, 1, [&](int64_t at, const auto& offsets, int64_t n) {
    BinaryI8 steps = op;
    steps.a_step = static_cast<size_t>(loop.inner_stride(0));
    steps.b_step = static_cast<size_t>(loop.inner_stride(1));
    row(steps, a + offsets[0], b + offsets[1], y + at, static_cast<size_t>(n));
  });
}

template <bool kIsAdd>
Status run_binary(RunContext& ctx) {
  const QuantKernels& kernels = quant_kernels(ctx.isa());
  if (ctx.input(kA).dtype == DType::kUint8) {
    run_rows<kIsAdd>(ctx, kernels.u8);
  } else {
    run_rows<kIsAdd>(ctx, kernels.s8);
  }
  return Status::ok();
}

// --- Lookup.

constexpr int64_t kLookupGrain = 1 << 17;

Status bind_lookup(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, kBytes));
  RETURN_IF_ERROR(check_type(ctx, 1, kBytes));
  const ValueRef& table = ctx.input(1);
  if (table.element_count() != 256) {
    return invalid_graph("the table has ", table.element_count(), " entries, expected 256");
  }
  return ctx.set_output(0, table.dtype, ctx.input(0).dims());
}

Status run_lookup(RunContext& ctx) {
  const auto* x = ctx.input(0).as<uint8_t>();
  const auto* table = ctx.input(1).as<uint8_t>();
  auto* y = ctx.output(0).as_mutable<uint8_t>();
  const QuantKernels& kernels = quant_kernels(ctx.isa());
  ctx.parallel_for(ctx.input(0).element_count(), kLookupGrain, [&](int64_t begin, int64_t end) {
    kernels.lookup(x + begin, table, y + begin, static_cast<size_t>(end - begin));
  });
  return Status::ok();
}

}  // namespace

KernelTable qlinear_elementwise_kernels() {
  static constexpr KernelRow rows[] = {
      {"QAdd", kInternalDomain, 0, kLatestOpset, kBytes, "add.i8", 1, kNoFlags, 0, prepare_binary,
       bind_binary, run_binary<true>},
      {"QMul", kInternalDomain, 0, kLatestOpset, kBytes, "mul.i8", 1, kNoFlags, 0, prepare_binary,
       bind_binary, run_binary<false>},
      {"QLinearAdd", kMicrosoftDomain, 1, kLatestOpset, kBytes, "add.i8", 1, kNoFlags, 0,
       prepare_binary, bind_binary, run_binary<true>},
      {"QLinearMul", kMicrosoftDomain, 1, kLatestOpset, kBytes, "mul.i8", 1, kNoFlags, 0,
       prepare_binary, bind_binary, run_binary<false>},
      {"Lookup", kInternalDomain, 0, kLatestOpset, kBytes, "lookup.i8", 1, kNoFlags, 0,
       prepare_nothing, bind_lookup, run_lookup},
  };
  return rows;
}

}  // namespace ortc::cpu
