// SPDX-License-Identifier: MIT
// What the computations of a library's provider find around them: its memories, its streams, and
// the shapes that the model declares.
#pragma once

#include <vector>

#include "core/api/kernel/kernel_context.h"
#include "core/api/plugin/memory/plugin_memory.h"
#include "core/graph/graph.h"

namespace ortc::api {

class PluginServices : public KernelServices {
 public:
  // `types`: by output, as the model declares them; later steps and the program rely on them.
  PluginServices(const Logger& logger, std::vector<Type> types, PluginMemories memories)
      : KernelServices(logger), types_(std::move(types)), memories_(std::move(memories)) {}

  const PluginMemories& memories() const { return memories_; }
  const OrtMemoryInfo& input_memory(size_t) const override { return value_memory(); }
  const OrtMemoryInfo& output_memory(size_t) const override { return value_memory(); }
  Result<std::shared_ptr<OrtAllocator>> allocator(const OrtMemoryInfo& memory) const override;
  OrtSyncStream* sync_stream(void* handle) const override;
  void* compute_stream(void* handle) const override;
  Status check_output(size_t i, std::span<const int64_t> dims) const override;

 private:
  const OrtMemoryInfo& value_memory() const {
    return memories_.values != nullptr ? memories_.values->handle() : cpu_memory();
  }

  const std::vector<Type> types_;
  const PluginMemories memories_;
};

}  // namespace ortc::api
