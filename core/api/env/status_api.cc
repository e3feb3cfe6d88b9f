// SPDX-License-Identifier: MIT
// ort_c/status.h: statuses as C sees them.
#include <cstdlib>

#include "core/api/guard.h"
#include "core/base/utf8.h"
#include "ort_c/status.h"

namespace ortc::api {
namespace {

constinit OrtStatus no_memory = {ORT_RUNTIME_EXCEPTION, "out of memory"};

}  // namespace

OrtStatus* out_of_memory() noexcept { return &no_memory; }

OrtStatus* make_c_status(int32_t code, std::string_view message) noexcept {
  const size_t size = copy_as_utf8(message, nullptr);
  void* block = std::malloc(sizeof(OrtStatus) + size + 1);
  if (block == nullptr) return out_of_memory();
  char* text = static_cast<char*>(block) + sizeof(OrtStatus);
  copy_as_utf8(message, text);
  text[size] = '\0';
  return new (block) OrtStatus{code, text};
}

}  // namespace ortc::api

namespace ortc::api {

Status take_status(OrtStatus* given) {
  if (given == nullptr) return Status::ok();
  Status status(static_cast<Code>(given->code), given->message);
  OrtReleaseStatus(given);
  return status;
}

}  // namespace ortc::api

extern "C" {

OrtErrorCode OrtGetErrorCode(const OrtStatus* status) {
  return status != nullptr ? static_cast<OrtErrorCode>(status->code) : ORT_OK;
}

const char* OrtGetErrorMessage(const OrtStatus* status) {
  return status != nullptr ? status->message : "";
}

void OrtReleaseStatus(OrtStatus* status) {
  if (status != &ortc::api::no_memory) std::free(status);
}

OrtStatus* OrtCreateStatus(OrtErrorCode code, const char* msg) {
  const int32_t number = ortc::api::number_of(code);
  if (number == ORT_OK) return nullptr;
  return ortc::api::make_c_status(number, msg != nullptr ? msg : "");
}

}  // extern "C"
