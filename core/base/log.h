// SPDX-License-Identifier: MIT
// Log lines: a severity and a text, given to the sink of the environment. Nothing is written to
// stdout, ever.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "core/base/str_cat.h"

namespace ortc {

// ONNX Runtime's values.
enum class Severity : int { kVerbose = 0, kInfo = 1, kWarning = 2, kError = 3, kFatal = 4 };

struct LogRecord {
  Severity severity;
  std::string_view category;  // the stage: "graph", "context", ...
  std::string_view log_id;
  std::string_view location;  // "core/context/reader.cc:120"
  std::string_view message;
};

// May be called from any thread, several at once.
using LogSink = std::function<void(const LogRecord&)>;

// The default: "ortc [W] context: ..." on stderr.
void log_to_stderr(const LogRecord& record);

class Logger {
 public:
  Logger() = default;
  Logger(std::shared_ptr<const LogSink> sink, std::string log_id, Severity threshold)
      : sink_(std::move(sink)), log_id_(std::move(log_id)), threshold_(threshold) {}

  bool is_on(Severity severity) const { return severity >= threshold_; }
  void write(Severity severity, std::string_view category, std::string_view location,
             std::string_view message) const;

  Severity threshold() const { return threshold_; }
  const std::string& log_id() const { return log_id_; }
  Logger with(Severity threshold) const { return {sink_, log_id_, threshold}; }
  Logger with(std::string log_id, Severity threshold) const {
    return {sink_, std::move(log_id), threshold};
  }

 private:
  std::shared_ptr<const LogSink> sink_;
  std::string log_id_ = "ortc";
  Severity threshold_ = Severity::kWarning;
};

}  // namespace ortc

#define ORTC_STRINGIZE_INNER(x) #x
#define ORTC_STRINGIZE(x) ORTC_STRINGIZE_INNER(x)
// ORTC_LOG(logger, kWarning, "context", "no file ", path): pieces are joined only when the line is
// wanted.
#define ORTC_LOG(logger, severity, category, ...)                                               \
  do {                                                                                          \
    if ((logger).is_on(::ortc::Severity::severity)) {                                           \
      (logger).write(::ortc::Severity::severity, category,                                      \
                     __FILE_NAME__ ":" ORTC_STRINGIZE(__LINE__), ::ortc::str_cat(__VA_ARGS__)); \
    }                                                                                           \
  } while (false)
