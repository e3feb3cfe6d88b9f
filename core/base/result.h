// SPDX-License-Identifier: MIT
// Result<T>: a value or the Status that says why there is none.
#pragma once

#include <cassert>
#include <optional>
#include <utility>

#include "core/base/status.h"

namespace ortc {

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}         // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {  // NOLINT(google-explicit-constructor)
    assert(!status_.is_ok() && "a Result without a value needs a failure");
  }

  bool is_ok() const { return value_.has_value(); }
  const Status& status() const& { return status_; }
  Status&& status() && { return std::move(status_); }

  T& value() & {
    assert(is_ok());
    return *value_;
  }
  const T& value() const& {
    assert(is_ok());
    return *value_;
  }
  T value() && {  // by value: `for (auto& x : f().value())` must not dangle
    assert(is_ok());
    return std::move(*value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace ortc

#define ORTC_CONCAT_INNER(a, b) a##b
#define ORTC_CONCAT(a, b) ORTC_CONCAT_INNER(a, b)

// `ASSIGN_OR_RETURN(auto file, open(path));` declares `file`, or forwards the failure.
#define ASSIGN_OR_RETURN(declaration, expr) \
  ASSIGN_OR_RETURN_INNER(ORTC_CONCAT(result_, __LINE__), declaration, expr)
#define ASSIGN_OR_RETURN_INNER(result, declaration, expr) \
  auto result = (expr);                                   \
  if (!result.is_ok()) return std::move(result).status(); \
  declaration = std::move(result).value()
