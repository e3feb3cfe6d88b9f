// SPDX-License-Identifier: MIT
// Entries of ONNX Runtime's tables that libraries of execution providers call. The form is that of
// core/api/abi/ort_table_overrides.h, and the generator of the tables reads them here too.
#pragma once

#include "ort_c/ort_api.h"

namespace ortc::api::table {

// Devices that a library offers, and hardware of its own.

OrtStatus* CreateEpDevice(OrtEpFactory* ep_factory, const OrtHardwareDevice* hardware_device,
                          const OrtKeyValuePairs* ep_metadata, const OrtKeyValuePairs* ep_options,
                          OrtEpDevice** ep_device) noexcept;
void ReleaseEpDevice(OrtEpDevice* input) noexcept;
OrtStatus* EpDevice_AddAllocatorInfo(OrtEpDevice* ep_device,
                                     const OrtMemoryInfo* allocator_memory_info) noexcept;
OrtStatus* CreateHardwareDevice(OrtHardwareDeviceType type, uint32_t vendor_id, uint32_t device_id,
                                const char* vendor_name, const OrtKeyValuePairs* metadata,
                                OrtHardwareDevice** hardware_device) noexcept;
void ReleaseHardwareDevice(OrtHardwareDevice* input) noexcept;
OrtStatus* GetEnvConfigEntries(OrtKeyValuePairs** config_entries) noexcept;

OrtStatus* DeviceEpIncompatibilityDetails_SetDetails(OrtDeviceEpIncompatibilityDetails* details,
                                                     uint32_t reasons_bitmask, int32_t error_code,
                                                     const char* notes) noexcept;

// Nodes that it claims and compiles.

OrtStatus* EpGraphSupportInfo_AddNodesToFuse(
    OrtEpGraphSupportInfo* graph_support_info, const OrtNode* const* nodes, size_t num_nodes,
    const OrtNodeFusionOptions* node_fusion_options) noexcept;
OrtStatus* EpGraphSupportInfo_AddSingleNode(OrtEpGraphSupportInfo* graph_support_info,
                                            const OrtNode* node) noexcept;
const char* NodeComputeContext_NodeName(const OrtNodeComputeContext* context) noexcept;
OrtStatus* SessionOptionsGetWeightlessSourceModelBuffer(const OrtSessionOptions* session_options,
                                                        const void** source_model_data,
                                                        size_t* source_model_data_length) noexcept;

// Which memory a value lies in: a description of memory, seen without its name.

const OrtMemoryDevice* MemoryInfo_GetMemoryDevice(const OrtMemoryInfo* memory_info) noexcept;
const OrtMemoryDevice* Value_GetMemoryDevice(const OrtValue* value) noexcept;
bool MemoryDevice_AreEqual(const OrtMemoryDevice* a, const OrtMemoryDevice* b) noexcept;
OrtMemoryInfoDeviceType MemoryDevice_GetDeviceType(const OrtMemoryDevice* memory_device) noexcept;
OrtDeviceMemoryType MemoryDevice_GetMemoryType(const OrtMemoryDevice* memory_device) noexcept;
uint32_t MemoryDevice_GetVendorId(const OrtMemoryDevice* memory_device) noexcept;
uint32_t MemoryDevice_GetDeviceId(const OrtMemoryDevice* memory_device) noexcept;

// Streams.

const OrtSyncStreamImpl* SyncStream_GetImpl(const OrtSyncStream* stream) noexcept;
uint64_t SyncStream_GetSyncId(const OrtSyncStream* stream) noexcept;
uint64_t GetSyncIdForLastWaitOnSyncStream(const OrtSyncStream* producer_stream,
                                          const OrtSyncStream* consumer_stream) noexcept;

}  // namespace ortc::api::table
