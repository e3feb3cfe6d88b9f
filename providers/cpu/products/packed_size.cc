// SPDX-License-Identifier: MIT
// Sizes of packed constants: see the header.
#include "providers/cpu/products/packed_size.h"

#include "providers/cpu/arith/gemm_f32/gemm_f32.h"

namespace ortc::cpu {

std::optional<int64_t> checked_packed_size(int64_t k, int64_t n) {
  constexpr auto kColumns = static_cast<int64_t>(kPanelColumns);
  if (k < 0 || n < 0) return std::nullopt;
  const auto padded = checked_add(n, kColumns - 1);
  const auto floats = padded ? checked_mul(*padded / kColumns * kColumns, k) : std::nullopt;
  const auto bytes = floats ? checked_mul(*floats, int64_t{4}) : std::nullopt;
  return bytes ? floats : std::nullopt;
}

namespace {

std::string_view text_of(TypeMask types) {
  if (types == mask_of(DType::kFloat32)) return "float32";
  return types == mask_of(DType::kInt8) ? "int8" : "float16 or bfloat16";
}

}  // namespace

Status check_packed(const BindContext& ctx, size_t i, std::optional<int64_t> size, TypeMask types) {
  if (!size) return invalid_graph("kernel '", ctx.kernel_id(), "': its record has bad sizes");
  const ValueRef& packed = ctx.input(i);
  if ((mask_of(packed.dtype) & types) == 0 || packed.rank != 1 || packed.dim(0) != *size) {
    return invalid_graph("packed input ", i, " is ", dtype_name(packed.dtype),
                         dims_to_string(packed.dims()), ", the record needs ", text_of(types), "[",
                         *size, "]");
  }
  return Status::ok();
}

}  // namespace ortc::cpu
