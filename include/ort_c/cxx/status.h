// SPDX-License-Identifier: MIT
// Failures as values: Status, and Result for calls that give something.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "ort_c/cxx/base.h"
#include "ort_c/cxx/exception.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

/// Success, or a code with a text. Owns the OrtStatus; a callback hands it over with release().
struct [[nodiscard]] Status : detail::Base<OrtStatus> {
  /// Success.
  Status() = default;
  explicit Status(std::nullptr_t) {}
  /// Takes the result of a C call over; NULL is success.
  explicit Status(OrtStatus* status) noexcept : Base(status) {}
  Status(const char* message, OrtErrorCode code)
      : Base(ORT_CXX_CALL(CreateStatus)(code, message)) {}
  explicit Status(const Exception& failure) : Status(failure.what(), failure.GetOrtErrorCode()) {}
  explicit Status(const std::exception& failure) : Status(failure.what(), ORT_FAIL) {}

  bool IsOK() const noexcept { return p_ == nullptr; }
  OrtErrorCode GetErrorCode() const { return IsOK() ? ORT_OK : ORT_CXX_CALL(GetErrorCode)(p_); }
  /// A copy of the text; empty for success.
  std::string GetErrorMessage() const {
    return IsOK() ? std::string() : ORT_CXX_CALL(GetErrorMessage)(p_);
  }
};

/// Throws what a status says, unless it is success.
inline void ThrowOnError(const Status& status) {
  if (!status.IsOK()) detail::raise(status.GetErrorMessage(), status.GetErrorCode());
}
/// The same for the result of a C call, which it takes over.
inline void ThrowOnError(OrtStatus* status) {
  if (status != nullptr) ThrowOnError(Status(status));
}

/// What a call gives, or why it could not: for programs that do not want exceptions.
///
///   if (auto session = Ort::Session::TryCreate(env, "m.onnx", options)) {
///     use(*session);
///   } else {
///     report(session.GetStatus().GetErrorMessage());
///   }
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  /// A failure; `failure` must not be success.
  Result(Status failure) : status_(std::move(failure)) {}

  bool IsOK() const noexcept { return value_.has_value(); }
  explicit operator bool() const noexcept { return IsOK(); }
  /// Success while there is a value.
  const Status& GetStatus() const noexcept { return status_; }

  /// The value. Without one it throws the failure.
  T& value() & {
    require();
    return *value_;
  }
  T value() && {
    require();
    return std::move(*value_);
  }
  /// As value().
  T& operator*() & { return value(); }
  T* operator->() { return &value(); }

 private:
  void require() const { ThrowOnError(status_); }

  std::optional<T> value_;
  Status status_;
};

namespace detail {

// Wraps the out parameter of a C call that makes an object. A reference, because arguments have no
// order: it is read after the call.
template <typename Class, typename Object>
Result<Class> made(OrtStatus* status, Object* const& object) {
  if (status != nullptr) return Result<Class>(Status(status));
  return Result<Class>(Class(object));
}

}  // namespace detail
}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
