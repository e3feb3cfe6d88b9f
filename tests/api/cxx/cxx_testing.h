// SPDX-License-Identifier: MIT
// What the tests of ort_cxx.h share.
#pragma once

#include <string>

#include "ort_c/ort_cxx.h"
#include "tests/support/test.h"

// A call that throws Ort::Exception with this code and a text that contains this one.
#define CHECK_THROWS(expr, code, text)                                                            \
  do {                                                                                            \
    bool thrown_ = false;                                                                         \
    try {                                                                                         \
      (void)(expr);                                                                               \
    } catch (const Ort::Exception& failure_) {                                                    \
      thrown_ = true;                                                                             \
      if (failure_.GetOrtErrorCode() != (code) ||                                                 \
          std::string(failure_.what()).find(text) == std::string::npos) {                         \
        ::ortc::test::check_failed(__FILE__, __LINE__,                                            \
                                   #expr " threw " + std::to_string(failure_.GetOrtErrorCode()) + \
                                       ": " + failure_.what());                                   \
      }                                                                                           \
    }                                                                                             \
    if (!thrown_) ::ortc::test::check_failed(__FILE__, __LINE__, #expr " did not throw");         \
  } while (false)

namespace ortc::test {

inline std::string data(const std::string& name) { return source_dir() + "/tests/data/" + name; }

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Session options that compile with the provider that compiles.
inline Ort::SessionOptions compiling_options() {
  Ort::SessionOptions options;
  options.AppendExecutionProvider("AOT");
  return options;
}

}  // namespace ortc::test
