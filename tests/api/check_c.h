// SPDX-License-Identifier: MIT
// Checks of what functions of the C interface return.
#pragma once

#include <string>
#include <string_view>

#include "ort_c/ort_c.h"
#include "tests/support/test.h"

#define CHECK_C(call) ::ortc::test::check_c((call), #call, __FILE__, __LINE__)
#define CHECK_C_CODE(call, code) \
  ::ortc::test::check_c_code((call), (code), #call, __FILE__, __LINE__)
// With `text` in the message.
#define CHECK_C_FAILS(call, code, text) \
  ::ortc::test::check_c_fails((call), (code), (text), #call, __FILE__, __LINE__)

namespace ortc::test {

inline void check_c(OrtStatus* status, const char* what, const char* file, int line) {
  if (status == nullptr) return;
  check_failed(file, line, std::string(what) + ": " + OrtGetErrorMessage(status));
}

inline void check_c_code(OrtStatus* status, OrtErrorCode code, const char* what, const char* file,
                         int line) {
  const int found = status != nullptr ? static_cast<int>(OrtGetErrorCode(status)) : 0;
  OrtReleaseStatus(status);
  if (found != code) check_failed(file, line, std::string(what) + " gave " + std::to_string(found));
}

inline void check_c_fails(OrtStatus* status, OrtErrorCode code, std::string_view text,
                          const char* what, const char* file, int line) {
  if (status == nullptr) check_failed(file, line, std::string(what) + " succeeded");
  const std::string message = OrtGetErrorMessage(status);
  const OrtErrorCode found = OrtGetErrorCode(status);
  OrtReleaseStatus(status);
  if (found != code || message.find(text) == std::string::npos) {
    check_failed(file, line, std::string(what) + " gave " + std::to_string(found) + ": " + message);
  }
}

}  // namespace ortc::test
