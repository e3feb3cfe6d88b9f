// SPDX-License-Identifier: MIT
// Kernel contexts: see the header.
#include "core/kernel/kernel_contexts.h"

namespace ortc {

const ValueRef BindContext::kOmitted{};

Status BindContext::bad_params() const {
  return invalid_graph("kernel '", id_, "': its params record has ", params_.size(),
                       " bytes, fewer than it needs");
}

Status BindContext::set_output(size_t i, DType dtype, std::span<const int64_t> dims) {
  if (i >= outputs_.size()) {
    return invalid_graph("kernel '", id_, "' gives output ", i, ", but the step has only ",
                         outputs_.size());
  }
  auto count = checked_element_count(dims);
  const bool sized =
      dtype == DType::kString || (count && dtype_bytes(dtype, static_cast<uint64_t>(*count)));
  if (!count || !sized) {
    return invalid_graph("kernel '", id_, "': output ", i, " would have the impossible shape ",
                         dims_to_string(dims));
  }
  Output& output = outputs_[i];
  output.is_set = true;
  output.dtype = dtype;
  output.dims.assign(dims.begin(), dims.end());
  return Status::ok();
}

Status RunContext::allocate_output(size_t i, DType dtype, std::span<const int64_t> dims) {
  if (i >= outputs_.size() || host_.allocate == nullptr) {
    return fail("a kernel that is not data-dependent asked for the memory of output ", i);
  }
  return host_.allocate(host_.allocate_state, i, dtype, dims, &outputs_[i]);
}

Status RunContext::give_output(size_t i, Datum value) {
  if (i >= outputs_.size() || host_.give == nullptr) {
    return fail("a kernel that is not data-dependent gave a value as output ", i);
  }
  return host_.give(host_.allocate_state, i, std::move(value));
}

}  // namespace ortc
