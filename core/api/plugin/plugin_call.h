// SPDX-License-Identifier: MIT
// Calls of functions that a provider's library gave. Their failures keep code and text; what they
// throw across the border becomes one; members that are younger than the library are not read.
#pragma once

#include <exception>
#include <string_view>

#include "core/api/guard.h"
#include "core/base/result.h"

namespace ortc::api {

// The versions of ONNX Runtime's interface that brought members which are looked for here.
inline constexpr uint32_t kFirstPluginVersion = 22;

// A member of a struct that a library filled in; null when the library is older than the member.
#define ORTC_SINCE(object, version, member) \
  ((object).ort_version_supported >= (version) ? (object).member : nullptr)

// `call` gives an OrtStatus*. `what` names the function: "MyEp: GetCapability". What a function
// that fails has left in its results is the library's own; those of Compile alone are not.
template <typename Call>
Status call_plugin(std::string_view what, Call&& call) {
  Status status;
  try {
    status = take_status(call());
  } catch (const std::exception& error) {
    status = make_status(Code::kEpFail, "it threw: ", std::string_view(error.what()));
  } catch (...) {
    status = make_status(Code::kEpFail, "it threw something");
  }
  if (!status.is_ok()) status.note(what);
  return status;
}

// The same for functions without a status.
template <typename Call>
auto ask_plugin(std::string_view what, Call&& call) -> Result<decltype(call())> {
  decltype(call()) answer{};
  RETURN_IF_ERROR(call_plugin(what, [&]() -> OrtStatus* {
    answer = call();
    return nullptr;
  }));
  return answer;
}

// For destructors, where there is no one to tell.
template <typename Call>
void end_plugin(Call&& call) noexcept {
  try {
    call();
  } catch (...) {  // NOLINT(bugprone-empty-catch): whatever a library throws while it ends
  }
}

// A text that a library gave: not NULL and UTF-8.
Result<std::string> text_of_plugin(std::string_view what, const char* text);

}  // namespace ortc::api
