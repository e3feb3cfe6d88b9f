// SPDX-License-Identifier: MIT
// The runtime that loaded this library: see the header.
#include "providers/ortc_ep/host.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace ortc::ort_ep {
namespace {

// "1.30.0" is version 30 of the interface; 0 for what does not look so.
uint32_t interface_of(const char* version) {
  constexpr std::string_view kMajor = "1.";
  const std::string_view text = version != nullptr ? version : "";
  uint32_t number = 0;
  if (text.substr(0, kMajor.size()) != kMajor) return 0;
  std::from_chars(text.data() + kMajor.size(), text.data() + text.size(), number);
  return number;
}

}  // namespace

// A host says on stderr that it lacks a version: the first one that is asked for is the likely one.
Result<Host> Host::open(const OrtApiBase& base) {
  const char* name = base.GetVersionString();
  const uint32_t told = interface_of(name);
  Host host;
  if (told == 0 || told >= kOldestHost) {
    uint32_t version = told == 0 ? ORT_API_VERSION : std::min<uint32_t>(told, ORT_API_VERSION);
    for (; host.api == nullptr && version >= kOldestHost; --version) {
      host.api = base.GetApi(version);
      host.version = version;
    }
  }
  if (host.api == nullptr) {
    return invalid_argument("this library needs version ", kOldestHost,
                            " of ONNX Runtime's interface (ONNX Runtime 1.", kOldestHost,
                            " or newer), the program's runtime is ", name != nullptr ? name : "?");
  }
  host.ep = host.api->GetEpApi();
  host.editor = host.api->GetModelEditorApi();
  if (host.ep == nullptr || host.editor == nullptr) {
    return invalid_argument("the program's runtime has no functions for providers or for models");
  }
  const char* build = host.api->GetBuildInfoString();
  host.is_ortc = build != nullptr && std::string_view(build).starts_with("ortc ");
  return host;
}

Status Host::take(OrtStatus* given) const {
  if (given == nullptr) return Status::ok();
  const auto code = static_cast<int32_t>(api->GetErrorCode(given));
  std::string message = api->GetErrorMessage(given);
  api->ReleaseStatus(given);
  const bool is_known = code > 0 && code <= static_cast<int32_t>(Code::kDeviceReset);
  return {is_known ? static_cast<Code>(code) : Code::kEpFail, std::move(message)};
}

OrtStatus* Host::give(const Status& status) const noexcept {
  if (status.is_ok()) return nullptr;
  return api->CreateStatus(static_cast<OrtErrorCode>(status.code()), status.message().c_str());
}

Logger logger_of(const Host& host, const OrtLogger* to) {
  const auto nowhere = std::make_shared<const LogSink>([](const LogRecord&) {});
  OrtLoggingLevel level = ORT_LOGGING_LEVEL_WARNING;
  if (to == nullptr || !host.take(host.api->Logger_GetLoggingSeverityLevel(to, &level)).is_ok()) {
    return {nowhere, "ortc", Severity::kFatal};
  }
  const auto sink = std::make_shared<const LogSink>([host, to](const LogRecord& record) {
    const std::string text = str_cat(record.category, ": ", record.message);
    const std::string place(record.location);
    (void)host.take(host.api->Logger_LogMessage(to, static_cast<OrtLoggingLevel>(record.severity),
                                                text.c_str(), place.c_str(), 0, "ortc"));
  });
  return {sink, "ortc", static_cast<Severity>(level)};
}

KeyValues read_pairs(const Host& host, const OrtKeyValuePairs& pairs) {
  const char* const* keys = nullptr;
  const char* const* values = nullptr;
  size_t count = 0;
  host.api->GetKeyValuePairs(&pairs, &keys, &values, &count);
  KeyValues read;
  for (size_t i = 0; i < count; ++i) read[keys[i]] = values[i];
  return read;
}

Result<KeyValues> config_of(const Host& host, const OrtSessionOptions& options) {
  OrtKeyValuePairs* pairs = nullptr;
  ORTC_ASK(host, GetSessionOptionsConfigEntries(&options, &pairs));
  KeyValues read = read_pairs(host, *pairs);
  host.api->ReleaseKeyValuePairs(pairs);
  return read;
}

}  // namespace ortc::ort_ep
