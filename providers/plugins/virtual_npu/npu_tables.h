// SPDX-License-Identifier: MIT
// The runtime's tables, and how failures travel: inside this library they are thrown; what the
// runtime calls catches them and gives a status.
#pragma once

#include <stdexcept>
#include <string>

#include "onnxruntime_c_api.h"

namespace virtual_npu {

struct Tables {
  const OrtApi& ort;
  const OrtEpApi& ep;
  const OrtModelEditorApi& editor;
  uint32_t version;  // of the interface: what the runtime has, no newer than this library knows
};

inline constexpr uint32_t kOldestRuntime = 30;

// A status of the runtime on its way back to it.
struct Failure {
  OrtStatus* status;
};

inline void check(OrtStatus* status) {
  if (status != nullptr) throw Failure{status};
}

// The border: nothing is thrown across it.
template <typename Body>
OrtStatus* at_border(const Tables& tables, Body&& body) noexcept {
  try {
    body();
    return nullptr;
  } catch (const Failure& failure) {
    return failure.status;
  } catch (const std::invalid_argument& error) {
    return tables.ort.CreateStatus(ORT_INVALID_GRAPH, error.what());
  } catch (const std::exception& error) {
    return tables.ort.CreateStatus(ORT_EP_FAIL, error.what());
  }
}

// An entry of the session's configuration; "" when it was not set.
inline std::string entry_of(const Tables& tables, const OrtSessionOptions& options,
                            const char* key) {
  int is_set = 0;
  check(tables.ort.HasSessionConfigEntry(&options, key, &is_set));
  if (is_set == 0) return {};
  size_t size = 0;
  check(tables.ort.GetSessionConfigEntry(&options, key, nullptr, &size));
  std::string value(size, '\0');
  check(tables.ort.GetSessionConfigEntry(&options, key, value.data(), &size));
  value.resize(size - 1);  // the zero at the end
  return value;
}

}  // namespace virtual_npu
