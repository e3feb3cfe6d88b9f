// SPDX-License-Identifier: MIT
// The runtime that loaded this library: its tables, its log, and how failures cross the border.
// Nothing else of the host is seen, and never a function that this library brings itself.
#pragma once

#include <exception>
#include <memory>
#include <new>
#include <string>

#include "core/base/key_values.h"
#include "core/base/log.h"
#include "core/base/result.h"
#include "ort_c/onnxruntime_c_api.h"

namespace ortc::ort_ep {

// The oldest interface with everything that is called here.
inline constexpr uint32_t kOldestHost = 24;
// The oldest whose tables have functions of the program for context data.
inline constexpr uint32_t kContextFunctionsHost = 31;

struct Host {
  // INVALID_ARGUMENT for a runtime that is too old.
  static Result<Host> open(const OrtApiBase& base);
  // Ends what a function of the host gave.
  Status take(OrtStatus* given) const;
  OrtStatus* give(const Status& status) const noexcept;
  // An entry of the experimental functions; null where the host has none.
  template <typename Function>
  Function experimental(const char* name) const {
    if (version < 28) return nullptr;  // the table ends before
    return reinterpret_cast<Function>(api->GetExperimentalFunction(name));
  }

  uint32_t version = 0;  // of the interface: the host's or this library's, whichever is older
  const OrtApi* api = nullptr;
  const OrtEpApi* ep = nullptr;
  const OrtModelEditorApi* editor = nullptr;
  // It keeps the EPContext nodes that a model has, and gives a group up with the model that fails.
  bool is_ortc = false;
};

// Lines go to the host's log. `to` must outlive the logger; null: nothing is logged.
Logger logger_of(const Host& host, const OrtLogger* to);
// All entries of the session's configuration.
Result<KeyValues> config_of(const Host& host, const OrtSessionOptions& options);
// Of a list that is borrowed.
KeyValues read_pairs(const Host& host, const OrtKeyValuePairs& pairs);

// The border: nothing is thrown across it.
template <typename Body>
OrtStatus* at_border(const Host& host, Body&& body) noexcept {
  try {
    return host.give(body());
  } catch (const std::bad_alloc&) {
    return host.api->CreateStatus(ORT_EP_FAIL, "there is not enough memory");
  } catch (const std::exception& error) {
    return host.api->CreateStatus(ORT_EP_FAIL, error.what());
  } catch (...) {
    return host.api->CreateStatus(ORT_EP_FAIL, "an exception that is not a std::exception");
  }
}

// Calls the host; its failure is the caller's.
#define ORTC_ASK(host, ...) RETURN_IF_ERROR((host).take((host).api->__VA_ARGS__))
#define ORTC_ASK_EP(host, ...) RETURN_IF_ERROR((host).take((host).ep->__VA_ARGS__))

}  // namespace ortc::ort_ep
