// SPDX-License-Identifier: MIT
// Entries of ONNX Runtime's table of model packages whose names another table has too.
#pragma once

#include "ort_c/ort_api.h"

namespace ortc::api::table::package {

OrtStatus* SelectComponent(const OrtModelPackageContext* context, const char* component_name,
                           const OrtModelPackageOptions* options,
                           OrtModelPackageComponentContext** out) noexcept;
// Options of a package are as free as those that a program sets through the table.
OrtStatus* CreateSession(const OrtEnv* env, OrtModelPackageComponentContext* context,
                         const OrtSessionOptions* session_options, OrtSession** session) noexcept;

}  // namespace ortc::api::table::package
