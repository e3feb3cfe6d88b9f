// SPDX-License-Identifier: MIT
// The design document's samples for plugins, as a library of a provider.
#include "plugin.h"

#include "sample_8.inc"
#include "sample_9.inc"

extern "C" EXPORT_SYMBOL OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  delete static_cast<EpFactoryVirtualGpu*>(factory);
  return nullptr;
}
