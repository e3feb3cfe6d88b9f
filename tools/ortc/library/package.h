// SPDX-License-Identifier: MIT
// Model packages with owners, and sessions from them.
#pragma once

#include <string>

#include "tools/ortc/library/run.h"

namespace ortc::tool {

using Package = Handle<OrtModelPackageContext, OrtReleaseModelPackageContext>;
using PackageOptions = Handle<OrtModelPackageOptions, OrtReleaseModelPackageOptions>;
using PackageComponent =
    Handle<OrtModelPackageComponentContext, OrtReleaseModelPackageComponentContext>;
using PackageWriter = Handle<OrtModelPackageWriter, OrtReleaseModelPackageWriter>;
using KeyValuePairs = Handle<OrtKeyValuePairs, OrtReleaseKeyValuePairs>;

// Whether the path is a folder with a manifest.
bool is_package(const std::string& path);

// A session of the variant that is best for the arguments' providers. `component` may be empty when
// there is only one. Options on the command line stand in for all that the package has.
LoadedSession load_package_session(const OrtEnv* env, const std::string& root,
                                   const std::string& component, const SessionArguments& arguments);

}  // namespace ortc::tool
