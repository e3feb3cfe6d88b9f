// SPDX-License-Identifier: MIT
// Kernels of a provider's own: what they compute, and where a session finds them.
#pragma once

#include <utility>
#include <vector>

#include "../onnxruntime_ep_c_api.h"
#include "ort_c/ort_cxx.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {
namespace detail {

template <typename T>
struct ConstKernelDefImpl : Base<T> {
  using Base<T>::Base;

  const char* GetOperatorType() const { return GetEpApi().KernelDef_GetOperatorType(this->p_); }
  const char* GetDomain() const { return GetEpApi().KernelDef_GetDomain(this->p_); }
  /// The first and the last version of the operator that it computes.
  std::pair<int, int> GetSinceVersion() const {
    std::pair<int, int> versions;
    ThrowOnError(GetEpApi().KernelDef_GetSinceVersion(this->p_, &versions.first, &versions.second));
    return versions;
  }
  const char* GetExecutionProvider() const {
    return GetEpApi().KernelDef_GetExecutionProvider(this->p_);
  }
  OrtMemType GetInputMemType(size_t input_index) const {
    OrtMemType type = OrtMemTypeDefault;
    ThrowOnError(GetEpApi().KernelDef_GetInputMemType(this->p_, input_index, &type));
    return type;
  }
  OrtMemType GetOutputMemType(size_t output_index) const {
    OrtMemType type = OrtMemTypeDefault;
    ThrowOnError(GetEpApi().KernelDef_GetOutputMemType(this->p_, output_index, &type));
    return type;
  }
};

template <typename T>
struct SharedPrePackedWeightCacheImpl : Base<T> {
  using Base<T>::Base;

  /// The cache takes the buffers over when this succeeds.
  Status StoreWeightData(void** buffer_data_ptrs, size_t* buffer_sizes, size_t num_buffers) {
    return Status(GetEpApi().SharedPrePackedWeightCache_StoreWeightData(this->p_, buffer_data_ptrs,
                                                                        buffer_sizes, num_buffers));
  }
};

}  // namespace detail

/// What a kernel computes; lives as long as its registry.
using ConstKernelDef = detail::ConstKernelDefImpl<detail::Unowned<const OrtKernelDef>>;

/// Where kernels of several sessions share weights that they packed.
using UnownedSharedPrePackedWeightCache =
    detail::SharedPrePackedWeightCacheImpl<detail::Unowned<OrtSharedPrePackedWeightCache>>;

/// What a kernel computes.
struct KernelDef : detail::ConstKernelDefImpl<OrtKernelDef> {
  explicit KernelDef(std::nullptr_t) {}
  explicit KernelDef(OrtKernelDef* p) : ConstKernelDefImpl(p) {}
  ConstKernelDef GetConst() const { return ConstKernelDef(p_); }
};

/// Says step by step what a kernel computes.
struct KernelDefBuilder : detail::Base<OrtKernelDefBuilder> {
  KernelDefBuilder() { ThrowOnError(GetEpApi().CreateKernelDefBuilder(&p_)); }
  explicit KernelDefBuilder(std::nullptr_t) {}
  explicit KernelDefBuilder(OrtKernelDefBuilder* p) : Base(p) {}

  KernelDefBuilder& SetOperatorType(const char* op_type) {
    return done(GetEpApi().KernelDefBuilder_SetOperatorType(p_, op_type));
  }
  KernelDefBuilder& SetDomain(const char* domain) {
    return done(GetEpApi().KernelDefBuilder_SetDomain(p_, domain));
  }
  KernelDefBuilder& SetSinceVersion(int since_version_start, int since_version_end) {
    return done(
        GetEpApi().KernelDefBuilder_SetSinceVersion(p_, since_version_start, since_version_end));
  }
  KernelDefBuilder& SetExecutionProvider(const char* ep_name) {
    return done(GetEpApi().KernelDefBuilder_SetExecutionProvider(p_, ep_name));
  }
  KernelDefBuilder& SetInputMemType(size_t input_index, OrtMemType mem_type) {
    return done(GetEpApi().KernelDefBuilder_SetInputMemType(p_, input_index, mem_type));
  }
  KernelDefBuilder& SetOutputMemType(size_t output_index, OrtMemType mem_type) {
    return done(GetEpApi().KernelDefBuilder_SetOutputMemType(p_, output_index, mem_type));
  }
  KernelDefBuilder& AddTypeConstraint(const char* arg_name, const OrtDataType* data_type) {
    return done(GetEpApi().KernelDefBuilder_AddTypeConstraint(p_, arg_name, &data_type, 1));
  }
  KernelDefBuilder& AddTypeConstraint(const char* arg_name,
                                      const std::vector<const OrtDataType*>& data_types) {
    return done(GetEpApi().KernelDefBuilder_AddTypeConstraint(p_, arg_name, data_types.data(),
                                                              data_types.size()));
  }
  KernelDefBuilder& AddInputOutputAlias(int input_index, int output_index) {
    return done(
        GetEpApi().KernelDefBuilder_AddInputOutputAliases(p_, &input_index, &output_index, 1));
  }
  KernelDefBuilder& AddInputOutputAliases(const std::vector<int>& input_indices,
                                          const std::vector<int>& output_indices) {
    same_size(input_indices, output_indices);
    return done(GetEpApi().KernelDefBuilder_AddInputOutputAliases(
        p_, input_indices.data(), output_indices.data(), input_indices.size()));
  }
  KernelDefBuilder& AddInputOutputMutableAlias(int input_index, int output_index) {
    return done(GetEpApi().KernelDefBuilder_AddInputOutputMutableAliases(p_, &input_index,
                                                                         &output_index, 1));
  }
  KernelDefBuilder& AddInputOutputMutableAliases(const std::vector<int>& input_indices,
                                                 const std::vector<int>& output_indices) {
    same_size(input_indices, output_indices);
    return done(GetEpApi().KernelDefBuilder_AddInputOutputMutableAliases(
        p_, input_indices.data(), output_indices.data(), input_indices.size()));
  }

  KernelDef Build() {
    OrtKernelDef* def = nullptr;
    ThrowOnError(GetEpApi().KernelDefBuilder_Build(p_, &def));
    return KernelDef(def);
  }

 private:
  KernelDefBuilder& done(OrtStatus* status) {
    ThrowOnError(status);
    return *this;
  }
  static void same_size(const std::vector<int>& inputs, const std::vector<int>& outputs) {
    if (inputs.size() != outputs.size()) {
      detail::raise("an alias has one input and one output: found " +
                        std::to_string(inputs.size()) + " inputs and " +
                        std::to_string(outputs.size()) + " outputs",
                    ORT_INVALID_ARGUMENT);
    }
  }
};

/// The kernels that a provider offers.
struct KernelRegistry : detail::Base<OrtKernelRegistry> {
  KernelRegistry() { ThrowOnError(GetEpApi().CreateKernelRegistry(&p_)); }
  explicit KernelRegistry(std::nullptr_t) {}
  explicit KernelRegistry(OrtKernelRegistry* p) : Base(p) {}

  Status AddKernel(const OrtKernelDef* kernel_def, OrtKernelCreateFunc kernel_create_func,
                   void* kernel_create_func_state) {
    return Status(GetEpApi().KernelRegistry_AddKernel(p_, kernel_def, kernel_create_func,
                                                      kernel_create_func_state));
  }
};

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
