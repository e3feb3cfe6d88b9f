// SPDX-License-Identifier: MIT
// What copies between memories for a library: its OrtDataTransferImpl. Belongs to the factory that
// made it. Any number of threads may copy.
#pragma once

#include <memory>
#include <string>

#include "core/api/plugin/plugin_library.h"
#include "core/api/value/value_handle.h"

namespace ortc::api {

class PluginTransfer {
 public:
  // Null when the library has none. EP_FAIL, naming the function, for one that is too old or lacks
  // functions.
  static Result<std::unique_ptr<const PluginTransfer>> create(const PluginLibrary& library,
                                                              OrtEpFactory& factory,
                                                              const std::string& name);
  ~PluginTransfer();
  PluginTransfer(const PluginTransfer&) = delete;
  PluginTransfer& operator=(const PluginTransfer&) = delete;

  Result<bool> can_copy(const OrtMemoryInfo& from, const OrtMemoryInfo& to) const;
  // Tensors of one type and shape. In the order of the stream; at once when there is none.
  Status copy(const OrtValue& from, OrtValue& to, OrtSyncStream* stream) const;

 private:
  PluginTransfer(const PluginLibrary& library, const std::string& name)
      : library_(library), name_(name) {}
  const PluginLibrary& library_;
  const std::string name_;
  OrtDataTransferImpl* own_ = nullptr;
};

}  // namespace ortc::api
