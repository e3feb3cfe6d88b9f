// SPDX-License-Identifier: MIT
// ort_c/logger.h: log lines to and from the program.
#include "core/api/env/config_entries.h"
#include "core/api/env/logger_handle.h"
#include "core/api/guard.h"
#include "core/base/utf8.h"
#include "ort_c/logger.h"

namespace ortc::api {
namespace {

std::string c_text(std::string_view text) {
  std::string copy(copy_as_utf8(text, nullptr), '\0');
  copy_as_utf8(text, copy.data());
  return copy;
}

}  // namespace

std::shared_ptr<const LogSink> sink_to(OrtLoggingFunction function, void* parameter) {
  return std::make_shared<const LogSink>([function, parameter](const LogRecord& record) {
    function(parameter, static_cast<OrtLoggingLevel>(record.severity),
             c_text(record.category).c_str(), c_text(record.log_id).c_str(),
             c_text(record.location).c_str(), c_text(record.message).c_str());
  });
}

}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtLogger_LogMessage(const OrtLogger* logger, OrtLoggingLevel log_severity_level,
                                const char* message, const char* file_path, int line_number,
                                const char* func_name) {
  return guard([&]() -> Status {
    ORTC_ALIVE(logger);
    ORTC_NEEDED(message);
    ORTC_NEEDED(file_path);
    ORTC_NEEDED(func_name);
    const int32_t number = api::number_of(log_severity_level);
    RETURN_IF_ERROR(api::check_severity("log_severity_level", number));
    const auto severity = static_cast<Severity>(number);
    if (!logger->logger.is_on(severity)) return {};
    const std::string location = str_cat(file_path, ":", line_number, " ", func_name);
    logger->logger.write(severity, "program", location, message);
    return {};
  });
}

OrtStatus* OrtLogger_GetLoggingSeverityLevel(const OrtLogger* logger, OrtLoggingLevel* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_ALIVE(logger);
    *out = static_cast<OrtLoggingLevel>(logger->logger.threshold());
    return {};
  });
}

}  // extern "C"
