// SPDX-License-Identifier: MIT
// Entries of ONNX Runtime's tables about kernels of libraries. The form is that of
// core/api/abi/ort_table_overrides.h, and the generator of the tables reads them here too.
#pragma once

#include "ort_c/ort_api.h"

namespace ortc::api::table {

// What a kernel computes.

OrtStatus* CreateKernelDefBuilder(OrtKernelDefBuilder** kernel_def_builder_out) noexcept;
void ReleaseKernelDefBuilder(OrtKernelDefBuilder* input) noexcept;
OrtStatus* KernelDefBuilder_SetOperatorType(OrtKernelDefBuilder* kernel_def_builder,
                                            const char* op_type) noexcept;
OrtStatus* KernelDefBuilder_SetDomain(OrtKernelDefBuilder* kernel_def_builder,
                                      const char* domain) noexcept;
OrtStatus* KernelDefBuilder_SetSinceVersion(OrtKernelDefBuilder* kernel_def_builder,
                                            int since_version_start,
                                            int since_version_end) noexcept;
OrtStatus* KernelDefBuilder_SetExecutionProvider(OrtKernelDefBuilder* kernel_def_builder,
                                                 const char* ep_name) noexcept;
OrtStatus* KernelDefBuilder_SetInputMemType(OrtKernelDefBuilder* kernel_def_builder,
                                            size_t input_index, OrtMemType mem_type) noexcept;
OrtStatus* KernelDefBuilder_SetOutputMemType(OrtKernelDefBuilder* kernel_def_builder,
                                             size_t output_index, OrtMemType mem_type) noexcept;
OrtStatus* KernelDefBuilder_AddTypeConstraint(OrtKernelDefBuilder* kernel_def_builder,
                                              const char* arg_name, const OrtDataType* const* types,
                                              size_t num_types) noexcept;
OrtStatus* KernelDefBuilder_AddInputOutputAliases(OrtKernelDefBuilder* kernel_def_builder,
                                                  const int* input_indices,
                                                  const int* output_indices,
                                                  size_t num_io_indices) noexcept;
OrtStatus* KernelDefBuilder_AddInputOutputMutableAliases(OrtKernelDefBuilder* kernel_def_builder,
                                                         const int* input_indices,
                                                         const int* output_indices,
                                                         size_t num_io_indices) noexcept;
OrtStatus* KernelDefBuilder_Build(OrtKernelDefBuilder* kernel_def_builder,
                                  OrtKernelDef** kernel_def_out) noexcept;
void ReleaseKernelDef(OrtKernelDef* input) noexcept;
const char* KernelDef_GetOperatorType(const OrtKernelDef* kernel_def) noexcept;
const char* KernelDef_GetDomain(const OrtKernelDef* kernel_def) noexcept;
OrtStatus* KernelDef_GetSinceVersion(const OrtKernelDef* kernel_def, int* start_version,
                                     int* end_version) noexcept;
const char* KernelDef_GetExecutionProvider(const OrtKernelDef* kernel_def) noexcept;
OrtStatus* KernelDef_GetInputMemType(const OrtKernelDef* kernel_def, size_t input_index,
                                     OrtMemType* mem_type) noexcept;
OrtStatus* KernelDef_GetOutputMemType(const OrtKernelDef* kernel_def, size_t output_index,
                                      OrtMemType* mem_type) noexcept;
OrtStatus* GetTensorDataType(ONNXTensorElementDataType elem_type, const OrtDataType** out) noexcept;

// The kernels of a provider.

OrtStatus* CreateKernelRegistry(OrtKernelRegistry** kernel_registry) noexcept;
void ReleaseKernelRegistry(OrtKernelRegistry* input) noexcept;
OrtStatus* KernelRegistry_AddKernel(OrtKernelRegistry* kernel_registry,
                                    const OrtKernelDef* kernel_def,
                                    OrtKernelCreateFunc kernel_create_func,
                                    void* kernel_create_func_state) noexcept;
OrtStatus* EpGraphSupportInfo_LookUpKernel(OrtEpGraphSupportInfo* graph_support_info,
                                           const OrtNode* node,
                                           const OrtKernelDef** out_kernel_def) noexcept;

// Kernels themselves.

OrtStatus* KernelInfo_GetEp(const OrtKernelInfo* info, const OrtEp** ep) noexcept;
OrtStatus* SharedPrePackedWeightCache_StoreWeightData(
    OrtSharedPrePackedWeightCache* prepacked_weight_cache, void** buffer_data_ptrs,
    size_t* buffer_data_sizes, size_t num_buffers) noexcept;
OrtStatus* CreateIfKernel(const OrtKernelInfo* kernel_info, OrtKernelImpl** kernel_out) noexcept;
OrtStatus* CreateLoopKernel(const OrtKernelInfo* kernel_info, OrtLoopKernelHelper* helper,
                            OrtKernelImpl** kernel_out) noexcept;
OrtStatus* CreateScanKernel(const OrtKernelInfo* kernel_info, OrtScanKernelHelper* helper,
                            OrtKernelImpl** kernel_out) noexcept;
void ReleaseKernelImpl(OrtKernelImpl* input) noexcept;

}  // namespace ortc::api::table
