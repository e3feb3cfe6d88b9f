// SPDX-License-Identifier: MIT
// A library whose registration fails, after it has added something.
#include <stdexcept>

#include "ort_c/ort_c.h"

extern "C" __attribute__((visibility("default"))) OrtStatus* RegisterCustomOps(
    OrtSessionOptions* options, const OrtApiBase* api_base) {
  const OrtApi* api = api_base->GetApi(17);
  OrtCustomOpDomain* domain = nullptr;
  OrtStatus* status = api->CreateCustomOpDomain("broken", &domain);
  if (status == nullptr) status = api->AddCustomOpDomain(options, domain);
  api->ReleaseCustomOpDomain(domain);
  if (status != nullptr) return status;
  int has_entry = 0;
  status = api->HasSessionConfigEntry(options, "custom_op.Broken.throws", &has_entry);
  if (status != nullptr) return status;
  if (has_entry != 0) throw std::runtime_error("thrown while registering");
  return api->CreateStatus(ORT_ENGINE_ERROR, "the stars are wrong");
}
