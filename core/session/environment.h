// SPDX-License-Identifier: MIT
// An environment: logging, the providers of this library and their devices. Sessions share it and
// keep it alive.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "core/base/log.h"
#include "core/context/sharing/loaded_contexts.h"
#include "core/context/sharing/open_group.h"
#include "core/platform/pool/told_work.h"
#include "core/provider/registry.h"
#include "core/session/group_arena.h"

namespace ortc {

class Environment {
 public:
  // `pool`: what sessions without threads of their own use; null when there is none.
  // `denormals_as_zero`: in their runs.
  Environment(Logger logger, const Factories& factories, std::shared_ptr<ThreadPool> pool = nullptr,
              bool denormals_as_zero = false)
      : logger_(std::move(logger)),
        providers_(factories),
        pool_(std::move(pool)),
        denormals_as_zero_(denormals_as_zero) {}

  Logger logger() const {
    const std::lock_guard lock(mutex_);
    return logger_;
  }
  // For sessions made from now on, and what the environment itself says.
  void set_log_threshold(Severity threshold) const {
    const std::lock_guard lock(mutex_);
    logger_ = logger_.with(threshold);
  }
  // What is told about the work of pools that sessions make for themselves, from now on.
  WorkCallbacks work_callbacks() const {
    const std::lock_guard lock(mutex_);
    return work_callbacks_;
  }
  void set_work_callbacks(const WorkCallbacks& callbacks) const {
    const std::lock_guard lock(mutex_);
    work_callbacks_ = callbacks;
  }
  const std::shared_ptr<ThreadPool>& pool() const { return pool_; }
  bool denormals_as_zero() const { return denormals_as_zero_; }
  // It changes when libraries of providers are registered; sessions hold what they use of it.
  ProviderRegistry& providers() const { return providers_; }
  // The group of sessions and compiles that ask for one without naming it.
  OpenGroup& open_group() const { return open_group_; }
  // Of sessions that ask for sharing.
  LoadedContexts& loaded_contexts() const { return loaded_contexts_; }
  GroupArenas& group_arenas() const { return group_arenas_; }

 private:
  mutable std::mutex mutex_;
  mutable Logger logger_;
  mutable WorkCallbacks work_callbacks_;
  mutable ProviderRegistry providers_;
  mutable OpenGroup open_group_;
  mutable LoadedContexts loaded_contexts_;
  mutable GroupArenas group_arenas_;
  std::shared_ptr<ThreadPool> pool_;
  const bool denormals_as_zero_;
};

// Providers that this library brings, in the order of their devices; those that are not there, to
// compile for, among them when the program allows it. Defined beside them.
Factories built_in_providers(bool allow_virtual_devices = false);

}  // namespace ortc
