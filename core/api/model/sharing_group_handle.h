// SPDX-License-Identifier: MIT
// A sharing group as a program holds it.
#pragma once

#include <memory>

#include "core/api/env/env_handle.h"
#include "core/context/sharing/sharing_group.h"
#include "ort_c/sharing_group.h"

struct OrtSharingGroup {
  std::shared_ptr<ortc::api::SharedEnvironment> shared;
  std::shared_ptr<ortc::SharingGroup> group;
};
