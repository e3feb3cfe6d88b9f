// SPDX-License-Identifier: MIT
// An environment: logging, the providers of this library and their devices. Sessions share it and
// keep it alive.
#pragma once

#include <memory>
#include <string>

#include "core/base/log.h"
#include "core/provider/registry.h"
#include "core/weights/weight_store.h"

namespace ortc {

class Environment {
 public:
  Environment(Logger logger, std::vector<ProviderFactory> factories)
      : logger_(std::move(logger)), providers_(std::move(factories)) {}

  const Logger& logger() const { return logger_; }
  const ProviderRegistry& providers() const { return providers_; }
  WeightStore& weights() const { return weights_; }

 private:
  Logger logger_;
  ProviderRegistry providers_;
  mutable WeightStore weights_;
};

}  // namespace ortc
