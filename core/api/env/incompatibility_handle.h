// SPDX-License-Identifier: MIT
// Why a provider does not serve hardware, as programs and libraries see it.
#pragma once

#include "core/provider/provider_factory.h"
#include "ort_c/devices.h"

struct OrtDeviceEpIncompatibilityDetails {
  ortc::Incompatibility found;
};
