// SPDX-License-Identifier: MIT
// Log lines with the place they come from: ORT_CXX_LOG throws when logging fails, those called
// NOEXCEPT never do, and an F takes a format and its arguments as printf() does.
#pragma once

#include <cstdio>
#include <string>

#include "../onnxruntime_c_api.h"
#include "ort_c/ort_cxx.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {
namespace detail {

/// Makes nothing of a line that is too mild for the logger.
struct LogLine {
  const Logger& logger;
  OrtLoggingLevel level;
  const char* file;
  int line;
  const char* function;

  Status text(const char* message) const {
    if (!logger.Wants(level)) return Status();
    return logger.LogMessage(level, file, line, function, message);
  }
  template <typename... Args>
  Status format(const char* how, Args... args) const {
    if (!logger.Wants(level)) return Status();
    return logger.LogFormattedMessage(level, file, line, function, how, args...);
  }
};

}  // namespace detail
}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort

#define ORTC_LOG_LINE(logger, severity) \
  (::Ort::detail::LogLine{(logger), (severity), ORT_FILE, __LINE__, __func__})
#define ORT_CXX_LOG(logger, severity, message) \
  ::Ort::ThrowOnError(ORTC_LOG_LINE(logger, severity).text(message))
#define ORT_CXX_LOG_NOEXCEPT(logger, severity, message) \
  static_cast<void>(ORTC_LOG_LINE(logger, severity).text(message))
#define ORT_CXX_LOGF(logger, severity, ...) \
  ::Ort::ThrowOnError(ORTC_LOG_LINE(logger, severity).format(__VA_ARGS__))
#define ORT_CXX_LOGF_NOEXCEPT(logger, severity, ...) \
  static_cast<void>(ORTC_LOG_LINE(logger, severity).format(__VA_ARGS__))
