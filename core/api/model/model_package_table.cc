// SPDX-License-Identifier: MIT
// See the header.
#include "core/api/model/model_package_table.h"

#include "core/api/guard.h"
#include "core/api/model/model_package_handle.h"
#include "ort_c/model_package.h"

namespace ortc::api::table::package {

OrtStatus* SelectComponent(const OrtModelPackageContext* context, const char* component_name,
                           const OrtModelPackageOptions* options,
                           OrtModelPackageComponentContext** out) noexcept {
  return OrtModelPackage_SelectComponent(context, component_name, options, out);
}

OrtStatus* CreateSession(const OrtEnv* env, OrtModelPackageComponentContext* context,
                         const OrtSessionOptions* session_options, OrtSession** session) noexcept {
  return guard([&]() -> Status {
    return create_package_session(env, context, session_options, UnknownKeys::kKeep, session);
  });
}

}  // namespace ortc::api::table::package
