// SPDX-License-Identifier: MIT
// A package, what is wanted of it, and a component with the variant that was selected, as a program
// holds them.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/api/env/config_entries.h"
#include "core/package/select_variant.h"
#include "ort_c/model_package.h"

struct OrtModelPackageContext {
  explicit OrtModelPackageContext(std::shared_ptr<const ortc::Package> read);

  std::shared_ptr<const ortc::Package> package;
  // Views of the package's texts.
  std::vector<const char*> component_names;
  std::map<std::string, std::vector<const char*>, std::less<>> variant_names;
  mutable std::mutex mutex;
  mutable std::string resolved;  // by the last call
};

struct OrtModelPackageOptions {
  std::shared_ptr<const ortc::SessionOptions> session_options;
  std::vector<ortc::PackageProvider> providers;  // with the devices that they may use
  std::vector<ortc::EpDevices> chosen_devices;   // those that the program named, of each
};

struct OrtModelPackageComponentContext {
  std::shared_ptr<const ortc::Package> package;
  std::string component;
  const ortc::PackageVariant* variant;  // of the package
  std::shared_ptr<const ortc::ProviderFactory> provider;
  ortc::EpDevices devices;  // that the program named for it; none: as it likes
};

namespace ortc::api {

// The body of OrtModelPackage_CreateSession(), of which ONNX Runtime's function is more lenient.
Status create_package_session(const OrtEnv* env, const OrtModelPackageComponentContext* context,
                              const OrtSessionOptions* session_options, UnknownKeys unknown,
                              OrtSession** session);

}  // namespace ortc::api
