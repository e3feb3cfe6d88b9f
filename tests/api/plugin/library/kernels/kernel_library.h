// SPDX-License-Identifier: MIT
// A library of one provider for tests, built against the public headers only, whose kernels stand
// in a registry. It does one thing wrong when it is told to, by the option "fault" of the provider.
#pragma once

#include <atomic>
#include <stdexcept>
#include <string>

#include "../border.h"
#include "onnxruntime_c_api.h"

namespace kernel_library {

inline constexpr char kName[] = "KernelLibraryEp";

inline const OrtApi* ort = nullptr;
inline const OrtEpApi* ep_api = nullptr;

// Objects that the runtime has not given back, and calls that it has made.
inline std::atomic<int> alive{0}, packed{0}, shared{0}, computed{0}, concatenated{0}, transposed{0};

struct Ep : OrtEp {
  Ep() : OrtEp{} { ++alive; }
  ~Ep() {
    ep_api->ReleaseKernelRegistry(registry);
    --alive;
  }
  bool does(const char* what) const { return fault == what; }
  std::string fault;
  bool shares_weights = false;
  OrtKernelRegistry* registry = nullptr;
};

inline OrtStatus* error(const char* text) { return ort->CreateStatus(ORT_NOT_FOUND, text); }

// Fills the registry of the provider.
OrtStatus* make_registry(Ep& ep);

OrtStatus* create_elementwise(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel);
OrtStatus* create_control_flow(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel);

}  // namespace kernel_library
