// SPDX-License-Identifier: MIT
// A library that has the OrtApi table, opened by path: ONNX Runtime or this project's own. The
// program around it is the same for both, so that what differs is the library alone.
#pragma once

#include <stdexcept>
#include <string>

#include "ort_c/ort_api.h"

namespace bench {

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Library {
  const OrtApiBase* base = nullptr;
  const OrtApi* api = nullptr;
  std::string base_name;  // of the function that gave the table

  // Throws Failure when the status is an error; frees it.
  void check(OrtStatus* status, const std::string& doing) const;
};

// Never closed: the process ends with its one measurement.
Library open_library(const std::string& path);

}  // namespace bench
