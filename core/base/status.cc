// SPDX-License-Identifier: MIT
// Status: see the header.
#include "core/base/status.h"

#include <cstddef>
#include <new>

namespace ortc {

std::string_view code_name(Code code) {
  switch (code) {
#define ORTC_STATUS_NAME(name, value, text) \
  case Code::name:                          \
    return text;
    ORTC_STATUS_CODES(ORTC_STATUS_NAME)
#undef ORTC_STATUS_NAME
  }
  return "UNKNOWN";
}

Status::Status(Code code, std::string message)
    : rep_(code == Code::kOk ? nullptr
                             : std::make_unique<Rep>(Rep{code, std::move(message), false})) {}

Status::Status(const Status& other)
    : rep_(other.rep_ ? std::make_unique<Rep>(*other.rep_) : nullptr) {}

Status& Status::operator=(const Status& other) {
  if (this != &other) rep_ = other.rep_ ? std::make_unique<Rep>(*other.rep_) : nullptr;
  return *this;
}

const std::string& Status::message() const {
  // Never destroyed: threads may still run while the process exits. Nor allocated: memory may be
  // what is missing.
  alignas(std::string) static std::byte room[sizeof(std::string)];
  static const std::string& empty = *new (room) std::string;
  return rep_ ? rep_->message : empty;
}

std::string Status::to_string() const {
  if (is_ok()) return "OK";
  return str_cat(code_name(code()), ": ", message());
}

Status& Status::note(std::string_view what) {
  if (rep_ && !rep_->is_kept) rep_->message = str_cat(what, ": ", rep_->message);
  return *this;
}

Status& Status::keep() {
  if (rep_) rep_->is_kept = true;
  return *this;
}

}  // namespace ortc
