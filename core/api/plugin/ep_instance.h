// SPDX-License-Identifier: MIT
// An OrtEp that a factory made for one session. It ends when the session's provider and everything
// it compiled have ended; its library stays at least as long.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/api/env/logger_handle.h"
#include "core/api/plugin/device_arrays.h"
#include "core/api/plugin/kernels/kernel_def.h"
#include "core/api/plugin/plugin_factory.h"
#include "core/api/plugin/run_turn.h"
#include "core/api/session/session_options_handle.h"
#include "core/provider/compute_object.h"

namespace ortc::api {

class EpInstance {
 public:
  // EP_FAIL for an OrtEp that is missing, too old, or of another name than its factory; else as the
  // factory fails.
  static Result<std::shared_ptr<EpInstance>> create(std::shared_ptr<const PluginFactory> factory,
                                                    const ProviderRequest& request,
                                                    const KeyValues& options, const Logger& logger);
  ~EpInstance();
  EpInstance(const EpInstance&) = delete;
  EpInstance& operator=(const EpInstance&) = delete;

  OrtEp& ep() const { return *ep_; }
  const PluginFactory& factory() const { return *factory_; }
  const std::shared_ptr<const PluginFactory>& shared_factory() const { return factory_; }
  const Logger& logger() const { return logger_.logger; }
  std::string label(std::string_view function) const { return factory_->label(function); }
  // Calls a function of the library that gives a status.
  template <typename Call>
  Status call(std::string_view function, Call&& body) const {
    const PluginLibrary::Scope scope(factory_->library());
    return call_plugin(label(function), body);
  }
  // The same for one that gives something else.
  template <typename Call>
  auto ask(std::string_view function, Call&& body) const {
    const PluginLibrary::Scope scope(factory_->library());
    return ask_plugin(label(function), body);
  }

  // The kernels that it registered; empty when it has none. Their definitions and functions are
  // there as long as the library is.
  const OrtKernelRegistry& kernels() const { return kernels_; }

  // What its devices offer besides the host's plain memory.
  const std::vector<OrtMemoryInfo>& memories() const { return memories_; }
  // Where it wants values; plain memory of the host when it says nothing. INVALID_ARGUMENT when
  // its devices differ.
  Result<OrtMemoryInfo> default_memory() const;
  Status wait_for_devices();
  // The library may keep the session's options as long as its OrtEp: their texts and numbers stay,
  // what the session needed while it was made does not.
  void finish_session();

  // Around each run, on its thread. Runs of a library that cannot run several at once take turns.
  bool watches_runs() const;
  Status begin_run(const RunFacts& facts);
  Status end_run(const RunFacts& facts);
  // Held while a library that cannot run several at once does something else on its devices.
  Result<RunTurns::Turn> turn(const std::atomic<bool>* terminate = nullptr);

 private:
  EpInstance(std::shared_ptr<const PluginFactory> factory, const std::vector<DeviceOffer>& offers,
             const Logger& logger);
  void take_memories(const std::vector<DeviceOffer>& offers);
  Status check();
  Status ask_for_turns();
  Status take_kernels();

  std::shared_ptr<const PluginFactory> factory_;
  DeviceArrays devices_;  // libraries keep pointers to them
  std::vector<OrtMemoryInfo> memories_;
  std::vector<std::optional<OrtMemoryInfo>> defaults_;  // by device
  OrtLogger logger_;
  std::unique_ptr<OrtSessionOptions> options_;
  OrtEp* ep_ = nullptr;
  OrtKernelRegistry kernels_;
  bool takes_turns_ = false;
  RunTurns turns_;
};

}  // namespace ortc::api
