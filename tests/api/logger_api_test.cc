// SPDX-License-Identifier: MIT
// ort_c/logger.h: loggers that the library hands to providers and operators of the program.
#include <string>
#include <vector>

#include "core/api/env/logger_handle.h"
#include "ort_c/status.h"
#include "tests/support/test.h"

using namespace ortc;

namespace {

struct Line {
  int severity;
  std::string category, id, location, message;
};

void keep(void* parameter, OrtLoggingLevel severity, const char* category, const char* logid,
          const char* code_location, const char* message) {
  static_cast<std::vector<Line>*>(parameter)->push_back(
      {severity, category, logid, code_location, message});
}

}  // namespace

TEST(logger, writes_lines_from_its_level_on) {
  std::vector<Line> lines;
  const OrtLogger logger{Logger(api::sink_to(keep, &lines), "session 1", Severity::kWarning)};
  OrtLoggingLevel level = ORT_LOGGING_LEVEL_FATAL;
  CHECK(OrtLogger_GetLoggingSeverityLevel(&logger, &level) == nullptr);
  CHECK_EQ(static_cast<int>(level), static_cast<int>(ORT_LOGGING_LEVEL_WARNING));
  CHECK(OrtLogger_LogMessage(&logger, ORT_LOGGING_LEVEL_INFO, "not heard", "a.cc", 1, "f") ==
        nullptr);
  CHECK_EQ(lines.size(), size_t{0});
  CHECK(OrtLogger_LogMessage(&logger, ORT_LOGGING_LEVEL_ERROR, "heard", "a.cc", 12, "f") ==
        nullptr);
  CHECK_EQ(lines.size(), size_t{1});
  CHECK_EQ(lines[0].severity, static_cast<int>(ORT_LOGGING_LEVEL_ERROR));
  CHECK_EQ(lines[0].id, std::string("session 1"));
  CHECK_EQ(lines[0].message, std::string("heard"));
  CHECK(lines[0].location.find("a.cc:12") != std::string::npos);
}

TEST(logger, hands_over_text_that_is_utf8) {
  std::vector<Line> lines;
  const OrtLogger logger{Logger(api::sink_to(keep, &lines), "id", Severity::kVerbose)};
  CHECK(OrtLogger_LogMessage(&logger, ORT_LOGGING_LEVEL_ERROR, "a\xff", "a.cc", 1, "f") == nullptr);
  CHECK_EQ(lines[0].message, std::string("a\xef\xbf\xbd"));
}

TEST(logger, says_what_is_missing) {
  const OrtLogger logger{Logger()};
  const auto check_refused = [](OrtStatus* status) {
    CHECK(status != nullptr);
    CHECK_EQ(static_cast<int>(OrtGetErrorCode(status)), static_cast<int>(ORT_INVALID_ARGUMENT));
    OrtReleaseStatus(status);
  };
  OrtLoggingLevel level{};
  check_refused(OrtLogger_GetLoggingSeverityLevel(nullptr, &level));
  check_refused(OrtLogger_LogMessage(nullptr, ORT_LOGGING_LEVEL_ERROR, "m", "a.cc", 1, "f"));
  check_refused(OrtLogger_LogMessage(&logger, ORT_LOGGING_LEVEL_ERROR, nullptr, "a.cc", 1, "f"));
  check_refused(
      OrtLogger_LogMessage(&logger, static_cast<OrtLoggingLevel>(9), "m", "a.cc", 1, "f"));
}
