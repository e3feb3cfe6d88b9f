// SPDX-License-Identifier: MIT
// The runtime's tables, and how failures travel: inside this library they are thrown; what the
// runtime calls catches them and gives a status.
#pragma once

#include <stdexcept>
#include <string>

#include "onnxruntime_c_api.h"

namespace device_memory {

struct Tables {
  const OrtApi& ort;
  const OrtEpApi& ep;
};

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
    return tables.ort.CreateStatus(ORT_INVALID_ARGUMENT, error.what());
  } catch (const std::exception& error) {
    return tables.ort.CreateStatus(ORT_EP_FAIL, error.what());
  }
}

}  // namespace device_memory
