// SPDX-License-Identifier: MIT
// The border between C++ and C. Every exported function runs its body in guard(), the only way out
// to C: exceptions become statuses, none leaves the library.
#pragma once

#include <cstring>
#include <exception>
#include <new>
#include <string_view>

#include "core/base/status.h"
#include "ort_c/types.h"

// One block: the text stands after it, except for the static one that says memory is short.
struct OrtStatus {
  int32_t code;  // OrtErrorCode, or what a callback gave for one
  const char* message;
};

namespace ortc::api {

// Never null for a failure; a static object when there is no memory for another.
OrtStatus* make_c_status(int32_t code, std::string_view message) noexcept;
OrtStatus* out_of_memory() noexcept;

inline OrtStatus* to_c(const Status& status) noexcept {
  if (status.is_ok()) return nullptr;
  return make_c_status(static_cast<int32_t>(status.code()), status.message());
}

// What a plugin's function gave; ends it.
Status take_status(OrtStatus* given);
// What a program's function gave, which reaches the program unchanged; ends it.
inline Status take_callers_status(OrtStatus* given) { return std::move(take_status(given).keep()); }

template <typename Body>
OrtStatus* guard(Body&& body) noexcept {
  try {
    return to_c(body());
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::exception& error) {
    return make_c_status(ORT_RUNTIME_EXCEPTION, error.what());
  } catch (...) {
    return make_c_status(ORT_RUNTIME_EXCEPTION, "an exception that is not a std::exception");
  }
}

// For functions that have no status: what the body gives, or `otherwise`.
template <typename T, typename Body>
T guard_value(T otherwise, Body&& body) noexcept {
  try {
    return body();
  } catch (...) {
    return otherwise;
  }
}

// The number that C passed for an enumerator. C may pass any, which C++ must not read as the
// enumeration before it is checked.
template <typename Enum>
int32_t number_of(const Enum& value) {
  static_assert(sizeof(Enum) == sizeof(int32_t));
  int32_t number;
  std::memcpy(&number, &value, sizeof number);
  return number;
}

// Out parameters are empty unless the function succeeds.
template <typename... Outs>
void empty_outs(Outs*... outs) {
  ((outs != nullptr ? void(*outs = Outs{}) : void()), ...);
}

}  // namespace ortc::api

// Refuses NULL, by the name of the parameter.
#define ORTC_NEEDED(parameter) \
  if ((parameter) == nullptr) return ::ortc::invalid_argument("'" #parameter "' must not be NULL")
// The same for an out parameter, which is emptied.
#define ORTC_OUT(parameter) \
  ORTC_NEEDED(parameter);   \
  *(parameter) = {}
