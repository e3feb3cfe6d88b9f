// SPDX-License-Identifier: MIT
#include "providers/cpu/fusions/half_weights.h"

#include "providers/cpu/elements/float_rows.h"

namespace ortc::cpu {

Result<Tensor> widened(const Tensor& tensor) {
  ASSIGN_OR_RETURN(Tensor wide, Tensor::create(DType::kFloat32, tensor.dims()));
  const auto convert = [&](const auto* from) {
    widen(from, tensor.element_count(), wide.mutable_elements<float>().data());
  };
  if (tensor.dtype() == DType::kFloat16) {
    convert(static_cast<const Float16*>(tensor.data()));
  } else {
    convert(static_cast<const Bfloat16*>(tensor.data()));
  }
  return wide;
}

}  // namespace ortc::cpu
