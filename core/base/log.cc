// SPDX-License-Identifier: MIT
// Log lines: see the header.
#include "core/base/log.h"

#include <cstdio>

namespace ortc {

void log_to_stderr(const LogRecord& record) {
  static constexpr char kLetters[] = {'V', 'I', 'W', 'E', 'F'};
  const auto index = static_cast<size_t>(record.severity);
  const char letter = index < sizeof kLetters ? kLetters[index] : '?';
  const std::string line =
      str_cat(record.log_id, " [", letter, "] ", record.category, ": ", record.message, "\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void Logger::write(Severity severity, std::string_view category, std::string_view location,
                   std::string_view message) const {
  const LogRecord record{severity, category, log_id_, location, message};
  if (sink_ && *sink_) {
    (*sink_)(record);
  } else {
    log_to_stderr(record);
  }
}

}  // namespace ortc
