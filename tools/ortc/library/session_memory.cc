// SPDX-License-Identifier: MIT
// Where a session's memory is: the library's report, and one line of it for people.
#include "tools/ortc/library/session_memory.h"

#include "tools/ortc/output/table.h"

namespace ortc::tool {

Json memory_report(const OrtSession* session) {
  OrtAllocator* allocator = nullptr;
  check(OrtGetAllocatorWithDefaultOptions(&allocator));
  char* text = nullptr;
  OrtStatus* status = OrtSession_GetMemoryReportJson(session, allocator, &text);
  if (status != nullptr && OrtGetErrorCode(status) == ORT_NOT_IMPLEMENTED) {
    OrtReleaseStatus(status);
    return {};
  }
  check(status);
  return Json::parse(take_text(text));
}

std::string memory_text(const Json& report) {
  if (report.is_null()) return "memory        not known on this system\n";
  const auto size = [&](const char* key) { return size_text(report.count(key)); };
  return "memory        " + size("mapped_bytes") + " mapped, " + size("resident_bytes") +
         " resident: " + size("private_bytes") + " private, " + size("arena_bytes") + " arena, " +
         size("shared_with_sessions_bytes") + " shared with other sessions, " +
         size("shared_with_processes_bytes") + " with other processes\n";
}

}  // namespace ortc::tool
