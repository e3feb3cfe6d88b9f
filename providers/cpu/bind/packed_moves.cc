// SPDX-License-Identifier: MIT
// Movement of packed numbers by a kernel of bytes: see the header.
#include "providers/cpu/bind/packed_moves.h"

#include <array>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/elements/small_integers.h"

namespace ortc::cpu {
namespace {

constexpr size_t kMost = 64;  // inputs, and outputs

bool is_packed(DType dtype) { return (mask_of(dtype) & kPackedTypes) != 0; }

// The one packed type among the inputs; bytes beside it would be taken for its numbers.
Result<DType> packed_type(const BindContext& ctx) {
  DType packed = DType::kUndefined;
  for (size_t i = 0; i < ctx.input_count(); ++i) {
    const DType dtype = ctx.input(i).dtype;
    if (dtype == DType::kUint8 ||
        (is_packed(dtype) && packed != DType::kUndefined && dtype != packed)) {
      return invalid_graph("input ", i, " has type ", dtype_name(dtype), " beside ",
                           dtype_name(packed == DType::kUndefined ? DType::kInt4 : packed));
    }
    if (is_packed(dtype)) packed = dtype;
  }
  if (packed == DType::kUndefined) return invalid_graph("no input is of 4 or 2 bits");
  return packed;
}

void unpack(const RunContext& ctx, const ValueRef& from, uint8_t* to) {
  const int bits = dtype_bits(from.dtype), each = 8 / bits;
  const auto* bytes = from.as<uint8_t>();
  const auto mask = static_cast<uint8_t>((1 << bits) - 1);
  ctx.parallel_for(from.element_count(), kElementGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      to[i] = static_cast<uint8_t>(bytes[i / each] >> (i % each * bits)) & mask;
    }
  });
}

}  // namespace

Status bind_packed_moves(BindContext& ctx, Status (*bind)(BindContext&)) {
  if (ctx.input_count() > kMost || ctx.output_count() > kMost) {
    return not_implemented(ctx.input_count(), " inputs and ", ctx.output_count(),
                           " outputs of 4 or 2 bits");
  }
  ASSIGN_OR_RETURN(const DType dtype, packed_type(ctx));
  std::array<ValueRef, kMost> inputs;
  std::array<BindContext::Output, kMost> outputs;
  ScratchPlan plan;
  for (size_t i = 0; i < ctx.input_count(); ++i) {
    inputs[i] = ctx.input(i);
    if (!is_packed(inputs[i].dtype)) continue;
    inputs[i].dtype = DType::kUint8;
    inputs[i].data = nullptr;
    plan.add<uint8_t>(inputs[i].element_count());
  }
  for (size_t i = 0; i < ctx.output_count(); ++i) outputs[i].wanted = ctx.has_output(i);
  BindContext inner =
      ctx.with({inputs.data(), ctx.input_count()}, {outputs.data(), ctx.output_count()});
  RETURN_IF_ERROR(bind(inner));
  for (size_t i = 0; i < ctx.output_count(); ++i) {
    if (!outputs[i].is_set) continue;
    if (outputs[i].dtype != DType::kUint8) {  // something else was moved: a step that nobody made
      return invalid_graph("output ", i, " has type ", dtype_name(outputs[i].dtype), ", expected ",
                           dtype_name(dtype));
    }
    plan.add<uint8_t>(product(outputs[i].dims));
    RETURN_IF_ERROR(ctx.set_output(i, dtype, outputs[i].dims));
  }
  const auto scratch = checked_cast<int64_t>(inner.scratch());
  plan.add<std::byte>(scratch ? *scratch : -1);
  return plan.declare(ctx);
}

Status run_packed_moves(RunContext& ctx, Status (*run)(RunContext&)) {
  std::array<ValueRef, kMost> inputs, outputs;
  ScratchPlan plan;
  for (size_t i = 0; i < ctx.input_count(); ++i) {
    inputs[i] = ctx.input(i);
    if (!is_packed(inputs[i].dtype)) continue;
    auto* to = scratch_at<uint8_t>(ctx, plan.add<uint8_t>(inputs[i].element_count()));
    unpack(ctx, ctx.input(i), to);
    inputs[i].dtype = DType::kUint8;
    inputs[i].data = to;
  }
  for (size_t i = 0; i < ctx.output_count(); ++i) {
    outputs[i] = ctx.output(i);
    if (!outputs[i].is_present()) continue;
    outputs[i].dtype = DType::kUint8;
    outputs[i].data = scratch_at<uint8_t>(ctx, plan.add<uint8_t>(outputs[i].element_count()));
  }
  RunContext inner =
      ctx.with({inputs.data(), ctx.input_count()}, {outputs.data(), ctx.output_count()},
               ctx.scratch() + plan.add<std::byte>(0));
  RETURN_IF_ERROR(run(inner));
  for (size_t i = 0; i < ctx.output_count(); ++i) {
    const ValueRef& to = ctx.output(i);
    if (!to.is_present()) continue;
    const auto* from = outputs[i].as<uint8_t>();
    static_assert(kElementGrain % 8 == 0, "a thread's part begins a byte");
    ctx.parallel_for(to.element_count(), kElementGrain, [&](int64_t begin, int64_t end) {
      pack_small(to.dtype, from + begin, end - begin, begin, to.data);
    });
  }
  return Status::ok();
}

}  // namespace ortc::cpu
