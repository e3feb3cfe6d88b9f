// SPDX-License-Identifier: MIT
// One call of somebody else's kernel: see the header.
#include "core/api/kernel/kernel_context.h"

#include <algorithm>

#include "core/api/env/allocator.h"
#include "core/api/env/ort_allocators.h"
#include "core/base/checked_math.h"

namespace ortc::api {
namespace {

// The value as C sees it. Texts are copied: a tensor of them has elements of its own.
Status show(const ValueRef& from, const OrtMemoryInfo& memory, OrtValue& to) {
  to.memory = memory;
  if (from.datum != nullptr || from.dtype == DType::kString) {
    ASSIGN_OR_RETURN(Datum datum, datum_of(from));
    to.set(std::move(datum));
    return {};
  }
  const auto bytes = dtype_bytes(from.dtype, static_cast<uint64_t>(from.element_count()));
  if (!bytes) return fail("a value of ", dtype_name(from.dtype), " has no size");
  ASSIGN_OR_RETURN(to.tensor,
                   Tensor::view(from.dtype, Dims(from.dims().begin(), from.dims().end()),
                                {static_cast<const std::byte*>(from.data), *bytes}, nullptr));
  return {};
}

}  // namespace

Result<std::shared_ptr<OrtAllocator>> KernelServices::allocator(const OrtMemoryInfo& memory) const {
  if (!memory.is_host_readable()) {
    return invalid_argument("nobody here allocates memory '", memory.name, "'");
  }
  return keep(default_allocator());
}

}  // namespace ortc::api

using namespace ortc;

OrtKernelContext::OrtKernelContext(ComputeCall& call, const api::KernelServices& services)
    : call_(call),
      services_(services),
      inputs_(call.inputs().size()),
      outputs_(call.output_count()) {}

Status OrtKernelContext::take_inputs() {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const ValueRef& given = call_.inputs()[i];
    if (!given.is_present()) continue;
    const OrtMemoryInfo& memory =
        call_.is_input_on_device(i) ? services_.input_memory(i) : api::cpu_memory();
    RETURN_IF_ERROR_WHILE(api::show(given, memory, inputs_[i]), "input ", i);
  }
  return Status::ok();
}

Result<const OrtValue*> OrtKernelContext::input(size_t i) const {
  if (i >= inputs_.size()) {
    return invalid_argument("'index' is ", i, ", but there are ", inputs_.size(), " inputs");
  }
  return call_.inputs()[i].is_present() ? &inputs_[i] : nullptr;
}

Result<OrtValue*> OrtKernelContext::output(size_t i, std::span<const int64_t> dims) {
  if (i >= outputs_.size()) {
    return invalid_argument("'index' is ", i, ", but there are ", outputs_.size(), " outputs");
  }
  if (!call_.is_wanted(i)) return nullptr;
  const std::lock_guard lock(mutex_);
  std::unique_ptr<OrtValue>& value = outputs_[i];
  if (value == nullptr) {
    ASSIGN_OR_RETURN(value, make_output(i, dims));
  } else if (!std::ranges::equal(value->tensor.dims(), dims)) {
    return invalid_argument("output ", i, " has the shape ", dims_to_string(value->tensor.dims()),
                            " already; it cannot become ", dims_to_string(dims));
  }
  return value.get();
}

Result<std::unique_ptr<OrtValue>> OrtKernelContext::make_output(size_t i,
                                                                std::span<const int64_t> dims) {
  const DType dtype = call_.output_type(i);
  if (dtype == DType::kUndefined) {
    return invalid_graph("the model does not say that output ", i, " is a tensor of some type");
  }
  const bool is_negative = std::ranges::any_of(dims, [](int64_t dim) { return dim < 0; });
  const auto count = is_negative ? std::nullopt : checked_element_count(dims);
  if (!count) {
    return invalid_argument("output ", i, " cannot have the shape ", dims_to_string(dims));
  }
  RETURN_IF_ERROR(services_.check_output(i, dims));
  auto value = std::make_unique<OrtValue>();
  if (dtype == DType::kString) {
    value->tensor = Tensor::strings(Dims(dims.begin(), dims.end()),
                                    std::vector<std::string>(static_cast<size_t>(*count)));
    return value;
  }
  ValueRef room;
  RETURN_IF_ERROR(call_.allocate_output(i, dtype, dims, &room));
  const OrtMemoryInfo& memory =
      call_.is_output_on_device(i) ? services_.output_memory(i) : api::cpu_memory();
  RETURN_IF_ERROR(api::show(room, memory, *value));
  return value;
}

Status OrtKernelContext::finish() {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const OrtValue* value = outputs_[i].get();
    if (value == nullptr || value->tensor.dtype() != DType::kString) continue;
    RETURN_IF_ERROR(call_.give_output(i, value->tensor));
  }
  return Status::ok();
}

Result<void*> OrtKernelContext::scratch(const OrtMemoryInfo& memory, size_t bytes) {
  ASSIGN_OR_RETURN(auto allocator, services_.allocator(memory));
  ASSIGN_OR_RETURN(auto block, api::allocate_shared(std::move(allocator), bytes));
  const std::lock_guard lock(mutex_);
  scratch_.push_back(std::move(block));
  return scratch_.back().get();
}
