// SPDX-License-Identifier: MIT
// The result of a fallible operation: a code (ONNX Runtime's values), a message that says what was
// expected, what was found and where, and "while ..." notes added on the way up. Success is one
// null pointer wide.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/str_cat.h"

namespace ortc {

// One row per code: enumerator, value, name as ONNX Runtime spells it.
#define ORTC_STATUS_CODES(X)                                     \
  X(kOk, 0, "OK")                                                \
  X(kFail, 1, "FAIL")                                            \
  X(kInvalidArgument, 2, "INVALID_ARGUMENT")                     \
  X(kNoSuchFile, 3, "NO_SUCHFILE")                               \
  X(kNoModel, 4, "NO_MODEL")                                     \
  X(kEngineError, 5, "ENGINE_ERROR")                             \
  X(kRuntimeException, 6, "RUNTIME_EXCEPTION")                   \
  X(kInvalidProtobuf, 7, "INVALID_PROTOBUF")                     \
  X(kModelLoaded, 8, "MODEL_LOADED")                             \
  X(kNotImplemented, 9, "NOT_IMPLEMENTED")                       \
  X(kInvalidGraph, 10, "INVALID_GRAPH")                          \
  X(kEpFail, 11, "EP_FAIL")                                      \
  X(kModelLoadCanceled, 12, "MODEL_LOAD_CANCELED")               \
  X(kModelRequiresCompilation, 13, "MODEL_REQUIRES_COMPILATION") \
  X(kNotFound, 14, "NOT_FOUND")                                  \
  X(kDeviceReset, 15, "DEVICE_RESET")

enum class Code : int32_t {
#define ORTC_STATUS_ENUMERATOR(name, value, text) name = value,
  ORTC_STATUS_CODES(ORTC_STATUS_ENUMERATOR)
#undef ORTC_STATUS_ENUMERATOR
};

std::string_view code_name(Code code);

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message);
  Status(Status&&) noexcept = default;
  Status& operator=(Status&&) noexcept = default;
  Status(const Status& other);
  Status& operator=(const Status& other);
  ~Status() = default;

  static Status ok() { return {}; }
  bool is_ok() const { return rep_ == nullptr; }
  explicit operator bool() const = delete;

  Code code() const { return rep_ ? rep_->code : Code::kOk; }
  const std::string& message() const;
  // "INVALID_GRAPH: Conv 'stem': weight has rank 3, expected 4"
  std::string to_string() const;

  // Puts "<what>: " before the message; nothing happens to success, nor to what is to be kept.
  Status& note(std::string_view what);
  // The message stays what it is from here on: it is that of a program's own function.
  Status& keep();

 private:
  struct Rep {
    Code code;
    std::string message;
    bool is_kept = false;
  };
  std::unique_ptr<Rep> rep_;
};

template <typename... Args>
Status make_status(Code code, const Args&... args) {
  return Status(code, str_cat(args...));
}
template <typename... Args>
Status fail(const Args&... args) {
  return make_status(Code::kFail, args...);
}
template <typename... Args>
Status invalid_argument(const Args&... args) {
  return make_status(Code::kInvalidArgument, args...);
}
template <typename... Args>
Status invalid_graph(const Args&... args) {
  return make_status(Code::kInvalidGraph, args...);
}
template <typename... Args>
Status not_implemented(const Args&... args) {
  return make_status(Code::kNotImplemented, args...);
}

}  // namespace ortc

// Forwards a failure to the caller.
#define RETURN_IF_ERROR(expr)                                \
  do {                                                       \
    if (::ortc::Status status_ = (expr); !status_.is_ok()) { \
      return status_;                                        \
    }                                                        \
  } while (false)

// The same, with a note that says what was being done.
#define RETURN_IF_ERROR_WHILE(expr, ...)                            \
  do {                                                              \
    if (::ortc::Status status_ = (expr); !status_.is_ok()) {        \
      return std::move(status_.note(::ortc::str_cat(__VA_ARGS__))); \
    }                                                               \
  } while (false)
