// SPDX-License-Identifier: MIT
// Inputs and outputs that are tied to values once and serve many runs.
#pragma once

#include <string>
#include <vector>

#include "ort_c/cxx/session.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {
namespace detail {

template <typename T>
struct ConstIoBindingImpl : Base<T> {
  using Base<T>::Base;

  /// Names of the bound outputs, in the order in which they were bound.
  std::vector<std::string> GetOutputNames() const { return GetOutputNames(default_allocator()); }
  /// `allocator`  Gives memory during the call.
  std::vector<std::string> GetOutputNames(OrtAllocator* allocator) const {
    char* names = nullptr;
    size_t* lengths = nullptr;
    size_t count = 0;
    ThrowOnError(ORT_CXX_CALL(GetBoundOutputNames)(this->p_, allocator, &names, &lengths, &count));
    const AllocatedStringPtr keep_names(names, {allocator});
    const std::unique_ptr<size_t, AllocatedFree> keep_lengths(lengths, {allocator});
    std::vector<std::string> result;
    result.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      result.emplace_back(names, lengths[i]);
      names += lengths[i];
    }
    return result;
  }

  /// Values of the bound outputs after a run, in the same order. They share the memory of what was
  /// bound.
  std::vector<Value> GetOutputValues() const { return GetOutputValues(default_allocator()); }
  std::vector<Value> GetOutputValues(OrtAllocator* allocator) const {
    OrtValue** values = nullptr;
    size_t count = 0;
    ThrowOnError(ORT_CXX_CALL(GetBoundOutputValues)(this->p_, allocator, &values, &count));
    const GiveArray<OrtValue> give{values, count, allocator};
    std::vector<Value> result(count);
    for (size_t i = 0; i < count; ++i) result[i] = Value(std::exchange(values[i], nullptr));
    return result;
  }
};

template <typename T>
struct IoBindingImpl : ConstIoBindingImpl<T> {
  using ConstIoBindingImpl<T>::ConstIoBindingImpl;

  /// The binding shares the value, whose wrapper may end; its memory must live.
  void BindInput(const char* name, const Value& value) {
    ThrowOnError(ORT_CXX_CALL(BindInput)(this->p_, name, value));
  }
  void BindOutput(const char* name, const Value& value) {
    ThrowOnError(ORT_CXX_CALL(BindOutput)(this->p_, name, value));
  }
  /// Each run makes a new value, in that memory.
  void BindOutput(const char* name, const OrtMemoryInfo* mem_info) {
    ThrowOnError(ORT_CXX_CALL(BindOutputToDevice)(this->p_, name, mem_info));
  }
  void ClearBoundInputs() { ORT_CXX_CALL(ClearBoundInputs)(this->p_); }
  void ClearBoundOutputs() { ORT_CXX_CALL(ClearBoundOutputs)(this->p_); }
  /// Waits for copies to devices before a run, and from them after it.
  void SynchronizeInputs() { ThrowOnError(ORT_CXX_CALL(SynchronizeBoundInputs)(this->p_)); }
  void SynchronizeOutputs() { ThrowOnError(ORT_CXX_CALL(SynchronizeBoundOutputs)(this->p_)); }
};

}  // namespace detail

/// Bindings that something else owns.
using ConstIoBinding = detail::ConstIoBindingImpl<detail::Unowned<const OrtIoBinding>>;
using UnownedIoBinding = detail::IoBindingImpl<detail::Unowned<OrtIoBinding>>;

/// Values tied to a session's inputs and outputs. Serves one run at a time.
struct IoBinding : detail::IoBindingImpl<OrtIoBinding> {
  explicit IoBinding(std::nullptr_t) {}
  explicit IoBinding(OrtIoBinding* p) : IoBindingImpl(p) {}
  explicit IoBinding(Session& session) {
    ThrowOnError(ORT_CXX_CALL(CreateIoBinding)(session, &p_));
  }

  ConstIoBinding GetConst() const { return ConstIoBinding(p_); }
  UnownedIoBinding GetUnowned() const { return UnownedIoBinding(p_); }
};

namespace detail {

template <typename T>
void SessionImpl<T>::Run(const RunOptions& options, const IoBinding& binding) const {
  ThrowOnError(ORT_CXX_CALL(RunWithBinding)(this->p_, options, binding));
}

}  // namespace detail
}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
