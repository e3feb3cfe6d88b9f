// SPDX-License-Identifier: MIT
// Broadcasting of shapes: see the header.
#include "providers/cpu/bind/broadcast.h"

namespace ortc::cpu {

Status broadcast_into(DimList* dims, std::span<const int64_t> operand) {
  DimList wide(std::max(dims->size(), operand.size()), 1);
  for (size_t from_right = 1; from_right <= wide.size(); ++from_right) {
    const int64_t a = from_right <= dims->size() ? (*dims)[dims->size() - from_right] : 1;
    const int64_t b = from_right <= operand.size() ? operand[operand.size() - from_right] : 1;
    if (a != b && a != 1 && b != 1) {
      return invalid_argument("shapes ", dims_to_string(*dims), " and ", dims_to_string(operand),
                              " do not broadcast");
    }
    wide[wide.size() - from_right] = a == 1 ? b : a;
  }
  *dims = wide;
  return Status::ok();
}

Result<DimList> broadcast_inputs(const BindContext& ctx, size_t count) {
  DimList dims;
  for (size_t i = 0; i < count; ++i) {
    RETURN_IF_ERROR(broadcast_into(&dims, ctx.input(i).dims()));
  }
  return dims;
}

DimList broadcast_strides(std::span<const int64_t> operand, std::span<const int64_t> out_dims) {
  DimList strides(out_dims.size(), 0);
  int64_t stride = 1;
  for (size_t from_right = 1; from_right <= operand.size(); ++from_right) {
    const int64_t dim = operand[operand.size() - from_right];
    if (dim != 1) strides[out_dims.size() - from_right] = stride;
    stride *= dim;
  }
  return strides;
}

}  // namespace ortc::cpu
