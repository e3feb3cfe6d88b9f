// SPDX-License-Identifier: MIT
// BitCast: the same bits as another element type of the same size.
#include <cstring>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/cpu_kernels.h"

namespace ortc::cpu {
namespace {

struct BitCastParams {
  uint32_t record_bytes;
  uint32_t dtype;
};
static_assert(sizeof(BitCastParams) == 8);

bool is_castable(uint32_t dtype) {
  return dtype_is_valid(dtype) && (mask_of(static_cast<DType>(dtype)) & kFixedSizeTypes) != 0;
}

Status prepare_bit_cast(PrepareContext& ctx) {
  const int64_t dtype = ctx.node().int_attribute("to", 0);
  if (!dtype_is_valid(dtype) || !is_castable(static_cast<uint32_t>(dtype))) {
    return not_implemented("element type ", dtype);
  }
  ctx.set_params(BitCastParams{sizeof(BitCastParams), static_cast<uint32_t>(dtype)});
  return Status::ok();
}

Status bind_bit_cast(BindContext& ctx) {
  const auto* params = ctx.params<BitCastParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, kFixedSizeTypes));
  if (!is_castable(params->dtype)) return invalid_graph("its params record names no element type");
  const auto to = static_cast<DType>(params->dtype);
  if (dtype_bits(to) != dtype_bits(ctx.input(0).dtype)) {
    return invalid_argument(dtype_name(ctx.input(0).dtype), " and ", dtype_name(to),
                            " differ in size");
  }
  return ctx.set_output(0, to, ctx.input(0).dims());
}

Status run_bit_cast(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const auto bytes = dtype_bytes(x.dtype, static_cast<uint64_t>(x.element_count()));
  if (bytes && *bytes != 0 && x.data != ctx.output(0).data) {
    std::memcpy(ctx.output(0).data, x.data, *bytes);
  }
  return Status::ok();
}

}  // namespace

KernelTable bit_cast_kernels() {
  static constexpr KernelRow rows[] = {
      {"BitCast", "", 26, kLatestOpset, kFixedSizeTypes, "bit_cast", 1, kInPlace, 0,
       prepare_bit_cast, bind_bit_cast, run_bit_cast},
  };
  return rows;
}

}  // namespace ortc::cpu
