// SPDX-License-Identifier: MIT
// ort_c/status.h: statuses as C sees them.
#include <cstdlib>
#include <memory>

#include "core/api/guard.h"
#include "core/api/live_handles.h"
#include "core/base/utf8.h"
#include "ort_c/status.h"

namespace ortc::api {
namespace {

struct OwnStatus : OrtStatus {
  LiveLink link;
};

constinit OrtStatus no_memory = {ORT_RUNTIME_EXCEPTION, "out of memory"};

bool is_there(const OrtStatus* status) { return status == &no_memory || is_alive(status); }

}  // namespace

OrtStatus* out_of_memory() noexcept { return &no_memory; }

OrtStatus* make_c_status(int32_t code, std::string_view message) noexcept {
  const size_t size = copy_as_utf8(message, nullptr);
  void* block = std::malloc(sizeof(OwnStatus) + size + 1);
  if (block == nullptr) return out_of_memory();
  char* text = static_cast<char*>(block) + sizeof(OwnStatus);
  copy_as_utf8(message, text);
  text[size] = '\0';
  auto* const made = new (block) OwnStatus{{code, text}, {}};
  live<OrtStatus>().add(made, made->link);
  return made;
}

}  // namespace ortc::api

namespace ortc::api {

// Libraries end statuses and return them all the same, or return one of somebody else.
Status take_status(OrtStatus* given) {
  if (given == nullptr) return Status::ok();
  const bool is_shared = given == &no_memory;
  if (!is_shared && !live<OrtStatus>().remove(given)) {
    return make_status(Code::kEpFail, "it returned an OrtStatus that was released already");
  }
  const std::unique_ptr<OrtStatus, void (*)(void*)> own(is_shared ? nullptr : given, std::free);
  return Status(static_cast<Code>(given->code), given->message);
}

}  // namespace ortc::api

extern "C" {

OrtErrorCode OrtGetErrorCode(const OrtStatus* status) {
  if (status == nullptr) return ORT_OK;
  return ortc::api::is_there(status) ? static_cast<OrtErrorCode>(status->code) : ORT_FAIL;
}

const char* OrtGetErrorMessage(const OrtStatus* status) {
  if (status == nullptr) return "";
  return ortc::api::is_there(status) ? status->message : "the status was released already";
}

void OrtReleaseStatus(OrtStatus* status) {
  using namespace ortc::api;
  if (status != &no_memory && live<OrtStatus>().remove(status)) std::free(status);
}

OrtStatus* OrtCreateStatus(OrtErrorCode code, const char* msg) {
  const int32_t number = ortc::api::number_of(code);
  if (number == ORT_OK) return nullptr;
  return ortc::api::make_c_status(number, msg != nullptr ? msg : "");
}

}  // extern "C"
