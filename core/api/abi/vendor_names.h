// SPDX-License-Identifier: MIT
// Execution providers of others that ONNX Runtime's tables have entries for, by the words in the
// names of these entries.
#pragma once

#include <string_view>

namespace ortc::api::table {

struct VendorName {
  std::string_view word, provider;
};

inline constexpr VendorName kVendorNames[] = {
    {"TensorRT", "TensorrtExecutionProvider"},
    {"CUDA", "CUDAExecutionProvider"},
    {"ROCM", "ROCMExecutionProvider"},
    {"CANN", "CANNExecutionProvider"},
    {"Dnnl", "DnnlExecutionProvider"},
    {"MIGraphX", "MIGraphXExecutionProvider"},
    {"OpenVINO", "OpenVINOExecutionProvider"},
    {"VitisAI", "VitisAIExecutionProvider"},
    {"CurrentGpuDeviceId", "CUDAExecutionProvider or ROCMExecutionProvider"},
};

// "" when the entry names none.
constexpr std::string_view vendor_of(std::string_view entry) {
  for (const VendorName& name : kVendorNames) {
    if (entry.find(name.word) != entry.npos) return name.provider;
  }
  return {};
}

}  // namespace ortc::api::table
