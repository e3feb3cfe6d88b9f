// SPDX-License-Identifier: MIT
// What a failed call throws.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>

#include "ort_c/cxx/mode.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

/// A failure: the code of the status and its text. Every failure of this header is one of these.
struct Exception : std::exception {
  Exception(std::string text, OrtErrorCode code) : text_(std::move(text)), code_(code) {}

  OrtErrorCode GetOrtErrorCode() const noexcept { return code_; }
  /// The text: what was expected, what was found and where. UTF-8; lives as long as the exception.
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
  OrtErrorCode code_;
};

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort

// A program without exceptions may define ORT_CXX_API_THROW(text, code) itself; the macro must not
// come back.
#if !defined(ORT_NO_EXCEPTIONS)
#define ORT_CXX_API_THROW(text, code) throw ::Ort::Exception(text, code)
#elif !defined(ORT_CXX_API_THROW)
#define ORT_CXX_API_THROW(text, code)                                                           \
  do {                                                                                          \
    const ::Ort::Exception failure_(text, code);                                                \
    std::fprintf(stderr, "ort_c: error %d: %s\n", static_cast<int>(failure_.GetOrtErrorCode()), \
                 failure_.what());                                                              \
    std::abort();                                                                               \
  } while (false)
#endif

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {
namespace detail {

[[noreturn]] inline void raise(std::string text, OrtErrorCode code) {
  ORT_CXX_API_THROW(std::move(text), code);
#if defined(ORT_NO_EXCEPTIONS)
  std::abort();
#endif
}

}  // namespace detail
}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
