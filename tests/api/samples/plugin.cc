// SPDX-License-Identifier: MIT
// The design document's samples for plugins, and calls of what they define.
#include "plugin.h"

#include "sample_8.inc"
#include "sample_9.inc"

// 0: success, 3: not implemented, 1: any other failure; says which.
static int outcome(const char* what, OrtStatus* result) {
  const Ort::Status status(result);
  std::printf("%s: %s\n", what, status.IsOK() ? "ran" : status.GetErrorMessage().c_str());
  if (status.IsOK()) return 0;
  return status.GetErrorCode() == ORT_NOT_IMPLEMENTED ? 3 : 1;
}

int run_plugin_samples() {
  const OrtApiBase* const base = OrtcGetApiBase();
  char logger = 0;  // only referred to
  OrtEpFactory* made = nullptr;
  size_t count = 0;
  const int first =
      outcome("CreateEpFactories",
              CreateEpFactories("name.virtual", base, reinterpret_cast<OrtLogger*>(&logger), &made,
                                1, &count));
  if (first == 1) return 1;

  Ort::InitApi(base->GetApi(ORT_API_VERSION));
  EpFactoryVirtualGpu factory(Ort::GetApi(), Ort::GetEpApi(), Ort::GetModelEditorApi(), true,
                              reinterpret_cast<OrtLogger&>(logger));
  OrtEpDevice* device = nullptr;
  const int second = outcome("GetSupportedDevices", EpFactoryVirtualGpu::GetSupportedDevicesImpl(
                                                        &factory, nullptr, 0, &device, 1, &count));
  return first > second ? first : second;
}
