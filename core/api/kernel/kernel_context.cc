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
    return invalid_argument("no provider here allocates memory '", memory.name, "'");
  }
  return keep(default_allocator());
}

}  // namespace ortc::api

using namespace ortc;

namespace {

void lend(OrtValue& value) { value.lent.is_lent = true; }

void empty(OrtValue& value) {
  value.set(Datum());
  value.memory = api::cpu_memory();
}

}  // namespace

Status OrtKernelContext::check_open() const {
  if (call_ != nullptr) return Status::ok();
  return invalid_argument(
      "'context' belongs to a call that is over: it is there during Compute only");
}

Status OrtKernelContext::open(ComputeCall& call, const api::KernelServices& services) {
  const std::lock_guard lock(mutex_);
  call_ = &call;
  services_ = &services;
  if (inputs_.size() < call.inputs().size()) inputs_.resize(call.inputs().size());
  if (outputs_.size() < call.output_count()) outputs_.resize(call.output_count());
  return take_inputs();
}

void OrtKernelContext::close() {
  const std::lock_guard lock(mutex_);
  if (call_ == nullptr) return;
  for (size_t i = 0; i < call_->inputs().size(); ++i) empty(inputs_[i]);
  for (size_t i = 0; i < call_->output_count(); ++i) {
    empty(outputs_[i].value);
    outputs_[i].is_made = false;
  }
  scratch_.clear();
  call_ = nullptr;
  services_ = nullptr;
}

Status OrtKernelContext::take_inputs() {
  for (size_t i = 0; i < call_->inputs().size(); ++i) {
    const ValueRef& given = call_->inputs()[i];
    lend(inputs_[i]);
    if (!given.is_present()) continue;
    const OrtMemoryInfo& memory =
        call_->is_input_on_device(i) ? services_->input_memory(i) : api::cpu_memory();
    RETURN_IF_ERROR_WHILE(api::show(given, memory, inputs_[i]), "input ", i);
  }
  return Status::ok();
}

Result<size_t> OrtKernelContext::input_count() const {
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(check_open());
  return call_->inputs().size();
}

Result<size_t> OrtKernelContext::output_count() const {
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(check_open());
  return call_->output_count();
}

Result<const OrtValue*> OrtKernelContext::input(size_t i) const {
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(check_open());
  const auto given = call_->inputs();
  if (i >= given.size()) {
    return invalid_argument("'index' is ", i, ", but there are ", given.size(), " inputs");
  }
  return given[i].is_present() ? &inputs_[i] : nullptr;
}

Status OrtKernelContext::check_output_index(size_t i) const {
  RETURN_IF_ERROR(check_open());
  if (i < call_->output_count()) return Status::ok();
  return invalid_argument("'index' is ", i, ", but there are ", call_->output_count(), " outputs");
}

Result<OrtValue*> OrtKernelContext::made_output(size_t i) const {
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(check_output_index(i));
  if (!call_->is_wanted(i) || !outputs_[i].is_made) return nullptr;
  return &outputs_[i].value;
}

Result<OrtValue*> OrtKernelContext::output(size_t i, std::span<const int64_t> dims) {
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(check_output_index(i));
  if (!call_->is_wanted(i)) return nullptr;
  OrtValue& value = outputs_[i].value;
  if (!outputs_[i].is_made) {
    RETURN_IF_ERROR(make_output(i, dims));
  } else if (!std::ranges::equal(value.tensor.dims(), dims)) {
    return invalid_argument("output ", i, " has the shape ", dims_to_string(value.tensor.dims()),
                            " already; it cannot become ", dims_to_string(dims));
  }
  return &value;
}

Status OrtKernelContext::make_output(size_t i, std::span<const int64_t> dims) {
  const DType dtype = call_->output_type(i);
  if (dtype == DType::kUndefined) {
    return invalid_graph("the model does not say that output ", i, " is a tensor of some type");
  }
  const bool is_negative = std::ranges::any_of(dims, [](int64_t dim) { return dim < 0; });
  const auto count = is_negative ? std::nullopt : checked_element_count(dims);
  if (!count) {
    return invalid_argument("output ", i, " cannot have the shape ", dims_to_string(dims));
  }
  RETURN_IF_ERROR(services_->check_output(i, dims));
  OrtValue& value = outputs_[i].value;
  lend(value);
  if (dtype == DType::kString) {
    value.tensor = Tensor::strings(Dims(dims.begin(), dims.end()),
                                   std::vector<std::string>(static_cast<size_t>(*count)));
  } else {
    ValueRef room;
    RETURN_IF_ERROR(call_->allocate_output(i, dtype, dims, &room));
    const OrtMemoryInfo& memory =
        call_->is_output_on_device(i) ? services_->output_memory(i) : api::cpu_memory();
    RETURN_IF_ERROR(api::show(room, memory, value));
  }
  outputs_[i].is_made = true;
  return Status::ok();
}

Status OrtKernelContext::finish() {
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < call_->output_count(); ++i) {
    const Output& output = outputs_[i];
    if (!output.is_made || output.value.tensor.dtype() != DType::kString) continue;
    RETURN_IF_ERROR(call_->give_output(i, output.value.tensor));
  }
  return Status::ok();
}

Result<void*> OrtKernelContext::scratch(const OrtMemoryInfo& memory, size_t bytes) {
  ASSIGN_OR_RETURN(auto own, allocator(memory));
  ASSIGN_OR_RETURN(auto block, api::allocate_shared(std::move(own), bytes));
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(check_open());
  scratch_.push_back(std::move(block));
  return scratch_.back().get();
}

Result<void*> OrtKernelContext::compute_stream() const {
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(check_open());
  ASSIGN_OR_RETURN(void* const handle, call_->stream());
  return services_->compute_stream(handle);
}

Result<OrtSyncStream*> OrtKernelContext::sync_stream() const {
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(check_open());
  ASSIGN_OR_RETURN(void* const handle, call_->stream());
  return handle != nullptr ? services_->sync_stream(handle) : nullptr;
}

Result<std::shared_ptr<OrtAllocator>> OrtKernelContext::allocator(
    const OrtMemoryInfo& memory) const {
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(check_open());
  return services_->allocator(memory);
}

Result<const OrtLogger*> OrtKernelContext::logger() const {
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(check_open());
  return &services_->logger();
}

Result<ThreadPool*> OrtKernelContext::pool() const {
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(check_open());
  return call_->run().pool;
}
