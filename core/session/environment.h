// SPDX-License-Identifier: MIT
// An environment: logging, the providers of this library and their devices. Sessions share it and
// keep it alive.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "core/base/log.h"
#include "core/platform/threads.h"
#include "core/provider/registry.h"

namespace ortc {

class Environment {
 public:
  // `pool`: what sessions without threads of their own use; null when there is none.
  Environment(Logger logger, std::vector<ProviderFactory> factories,
              std::shared_ptr<ThreadPool> pool = nullptr)
      : logger_(std::move(logger)), providers_(std::move(factories)), pool_(std::move(pool)) {}

  Logger logger() const {
    const std::lock_guard lock(mutex_);
    return logger_;
  }
  // For sessions made from now on, and what the environment itself says.
  void set_log_threshold(Severity threshold) const {
    const std::lock_guard lock(mutex_);
    logger_ = logger_.with(threshold);
  }
  const std::shared_ptr<ThreadPool>& pool() const { return pool_; }
  const ProviderRegistry& providers() const { return providers_; }

 private:
  mutable std::mutex mutex_;
  mutable Logger logger_;
  ProviderRegistry providers_;
  std::shared_ptr<ThreadPool> pool_;
};

}  // namespace ortc
