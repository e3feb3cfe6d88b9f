// SPDX-License-Identifier: MIT
// ort_c/shared_allocators.h: arenas, and allocators registered for all sessions.
#include <algorithm>

#include "core/api/env/allocator.h"
#include "core/api/env/device_handles.h"
#include "core/api/env/env_handle.h"
#include "core/api/env/key_values_handle.h"
#include "core/api/env/memory_info_handle.h"
#include "core/api/env/ort_allocators.h"
#include "core/api/guard.h"
#include "core/api/plugin/memory/plugin_allocator.h"
#include "core/api/plugin/plugin_factory.h"
#include "ort_c/shared_allocators.h"

struct OrtArenaCfg {
  ortc::MemoryArena::Config config;
};

namespace ortc::api {
namespace {

// -1 leaves the default.
Status check_arena_number(std::string_view what, int64_t value, int64_t max) {
  if (value >= -1 && value <= max) return {};
  return invalid_argument("'", what, "' is ", value, ", expected -1 to ", max);
}

Status set_arena_number(MemoryArena::Config& config, std::string_view key, int64_t value) {
  if (key == "arena_extend_strategy") {
    RETURN_IF_ERROR(check_arena_number(key, value, 1));
    config.grows_as_requested = value == 1;
    return {};
  }
  RETURN_IF_ERROR(check_arena_number(key, value, INT64_MAX));
  if (value == -1) return {};
  const auto bytes = static_cast<uint64_t>(value);
  if (key == "max_mem") {
    config.bytes_max = bytes;
  } else if (key == "initial_chunk_size_bytes") {
    config.first_region_bytes = bytes;
  } else if (key == "max_dead_bytes_per_chunk") {
    config.dead_bytes_max = bytes;
  } else if (key == "max_power_of_two_extend_bytes") {
    config.region_bytes_max = bytes;
  } else if (key != "initial_growth_chunk_size_bytes") {
    return invalid_argument("unknown arena key '", key, "'");
  }
  return {};
}

// SIZE_MAX in a list of sizes is -1.
int64_t number_of_size(size_t value) {
  if (value == SIZE_MAX) return -1;
  return value > INT64_MAX ? INT64_MAX : static_cast<int64_t>(value);
}

Status check_is_cpu(const OrtMemoryInfo& info) {
  if (info.device_type == OrtMemoryInfoDeviceType_CPU) return {};
  return invalid_argument("'mem_info' describes memory '", info.name,
                          "'; only memory of the CPU can be shared here");
}

Status create_and_register(OrtEnv& env, const OrtMemoryInfo& info, const OrtArenaCfg* config) {
  RETURN_IF_ERROR(check_is_cpu(info));
  const bool is_arena = info.allocator_type == OrtArenaAllocator;
  if (!is_arena && config != nullptr) {
    return invalid_argument(
        "'arena_cfg' was given, but 'mem_info' does not ask for an arena (OrtArenaAllocator)");
  }
  const MemoryArena::Config defaults;
  env.shared->allocators.put(
      info, is_arena ? make_arena_allocator(config != nullptr ? config->config : defaults, info)
                     : make_system_allocator(info));
  return {};
}

Status no_own_memory(const OrtEpDevice& device) {
  return invalid_argument("the device of ", device.name,
                          " has no memory of its own; values are in memory of the CPU");
}

// A library's memory.
struct DeviceMemoryOffer {
  std::shared_ptr<const PluginFactory> factory;
  OrtMemoryInfo memory;
};

Result<DeviceMemoryOffer> find_offer(const OrtEnv& env, const OrtEpDevice& ep_device,
                                     const OrtDeviceMemoryType& mem_type,
                                     const OrtAllocatorType& allocator_type) {
  if (!env.shared->devices.has(&ep_device)) {
    return invalid_argument("'ep_device' is not a device of this environment");
  }
  ASSIGN_OR_RETURN(const auto device, ep_device.registered());
  auto factory = std::dynamic_pointer_cast<const PluginFactory>(device->factory);
  if (factory == nullptr || ep_device.memories().empty()) return no_own_memory(ep_device);
  if (number_of(allocator_type) == OrtArenaAllocator) {
    return invalid_argument(
        "'allocator_type' is OrtArenaAllocator, which stands for arenas of the runtime; a library "
        "makes its own for OrtDeviceAllocator");
  }
  const bool is_read_only = number_of(allocator_type) == OrtReadOnlyAllocator;
  for (const OrtMemoryInfo* memory : ep_device.memories()) {
    if (memory->device_mem_type == number_of(mem_type) &&
        (memory->allocator_type == OrtReadOnlyAllocator) == is_read_only) {
      return DeviceMemoryOffer{std::move(factory), *memory};
    }
  }
  return invalid_argument("the device of ", ep_device.name, " has no memory of type ",
                          number_of(mem_type), " for allocators of type ",
                          number_of(allocator_type));
}

Result<std::shared_ptr<OrtAllocator>> make_allocator_of(const DeviceMemoryOffer& offer,
                                                        const OrtKeyValuePairs* options) {
  ASSIGN_OR_RETURN(auto allocator, make_plugin_allocator(offer.factory, offer.memory, options));
  return std::shared_ptr<OrtAllocator>(new_handle(std::move(allocator), nullptr),
                                       [](OrtAllocator* it) { release_handle(it); });
}

// Whether its library was not unregistered meanwhile, whose end takes its allocators away.
RegisteredAllocators::IsWanted is_registered(const OrtEnv& env, const DeviceMemoryOffer& offer) {
  return [&env, &offer] {
    return env.shared->environment->providers().find(offer.factory->name()) == offer.factory;
  };
}

// The allocators of libraries are made when somebody asks for the first time. Of several threads
// that do, all are lent the same.
Status make_if_offered(const OrtEnv& env, const OrtMemoryInfo& memory) {
  const OrtEpDevice* const* list = nullptr;
  size_t count = 0;
  env.shared->devices.show(&list, &count);
  for (const OrtEpDevice* one : std::span(list, count)) {
    const auto device = one->device();
    const auto memories = one->memories();
    const auto offered = std::ranges::find_if(
        memories, [&](const OrtMemoryInfo* own) { return is_same_allocator_place(*own, memory); });
    if (device == nullptr || offered == memories.end()) continue;
    auto factory = std::dynamic_pointer_cast<const PluginFactory>(device->factory);
    if (factory == nullptr) continue;
    const DeviceMemoryOffer offer{std::move(factory), **offered};
    ASSIGN_OR_RETURN(auto allocator, make_allocator_of(offer, nullptr));
    env.shared->allocators.put_first(offer.memory, std::move(allocator), is_registered(env, offer));
    return {};
  }
  return {};
}

}  // namespace
}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtCreateArenaCfg(size_t max_mem, int arena_extend_strategy,
                             int initial_chunk_size_bytes, int max_dead_bytes_per_chunk,
                             OrtArenaCfg** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    auto made = std::make_unique<OrtArenaCfg>();
    MemoryArena::Config& config = made->config;
    RETURN_IF_ERROR(api::set_arena_number(config, "max_mem", api::number_of_size(max_mem)));
    RETURN_IF_ERROR(api::set_arena_number(config, "arena_extend_strategy", arena_extend_strategy));
    RETURN_IF_ERROR(
        api::set_arena_number(config, "initial_chunk_size_bytes", initial_chunk_size_bytes));
    RETURN_IF_ERROR(
        api::set_arena_number(config, "max_dead_bytes_per_chunk", max_dead_bytes_per_chunk));
    *out = made.release();
    return {};
  });
}

OrtStatus* OrtCreateArenaCfgV2(const char* const* arena_config_keys,
                               const size_t* arena_config_values, size_t num_keys,
                               OrtArenaCfg** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    auto made = std::make_unique<OrtArenaCfg>();
    if (num_keys != 0) {
      ORTC_NEEDED(arena_config_keys);
      ORTC_NEEDED(arena_config_values);
    }
    for (size_t i = 0; i < num_keys; ++i) {
      if (arena_config_keys[i] == nullptr) {
        return invalid_argument("'arena_config_keys[", i, "]' must not be NULL");
      }
      RETURN_IF_ERROR(api::set_arena_number(made->config, arena_config_keys[i],
                                            api::number_of_size(arena_config_values[i])));
    }
    *out = made.release();
    return {};
  });
}

void OrtReleaseArenaCfg(OrtArenaCfg* input) { delete input; }

OrtStatus* OrtCreateAndRegisterAllocator(OrtEnv* env, const OrtMemoryInfo* mem_info,
                                         const OrtArenaCfg* arena_cfg) {
  return guard([&]() -> Status {
    ORTC_NEEDED(env);
    ORTC_NEEDED(mem_info);
    return api::create_and_register(*env, *mem_info, arena_cfg);
  });
}

OrtStatus* OrtCreateAndRegisterAllocatorV2(OrtEnv* env, const char* provider_type,
                                           const OrtMemoryInfo* mem_info,
                                           const OrtArenaCfg* arena_cfg,
                                           const char* const* provider_options_keys,
                                           const char* const* provider_options_values,
                                           size_t num_keys) {
  return guard([&]() -> Status {
    ORTC_NEEDED(env);
    ORTC_NEEDED(provider_type);
    ORTC_NEEDED(mem_info);
    const std::string_view expected =
        env->shared->environment->providers().default_provider().name();
    if (provider_type != expected) {
      return invalid_argument("'", provider_type, "' has no allocators here; expected ", expected);
    }
    if (num_keys != 0) {
      ORTC_NEEDED(provider_options_keys);
      ORTC_NEEDED(provider_options_values);
      return invalid_argument(expected, " has no options, found ", num_keys);
    }
    return api::create_and_register(*env, *mem_info, arena_cfg);
  });
}

OrtStatus* OrtRegisterAllocator(OrtEnv* env, OrtAllocator* allocator) {
  return guard([&]() -> Status {
    ORTC_NEEDED(env);
    ORTC_NEEDED(allocator);
    if (allocator->Alloc == nullptr || allocator->Free == nullptr || allocator->Info == nullptr) {
      return invalid_argument("the allocator lacks one of the functions Alloc, Free and Info");
    }
    const OrtMemoryInfo* info = allocator->Info(allocator);
    if (info == nullptr) return invalid_argument("the allocator does not say what memory it gives");
    RETURN_IF_ERROR(api::check_is_cpu(*info));
    if (info->allocator_type == OrtArenaAllocator) {
      return invalid_argument(
          "an allocator of the program must be described as OrtDeviceAllocator; OrtArenaAllocator "
          "stands for arenas of the library");
    }
    env->shared->allocators.put(*info, api::keep(*allocator));
    return {};
  });
}

OrtStatus* OrtUnregisterAllocator(OrtEnv* env, const OrtMemoryInfo* mem_info) {
  return guard([&]() -> Status {
    ORTC_NEEDED(env);
    ORTC_NEEDED(mem_info);
    if (env->shared->allocators.remove(*mem_info)) return {};
    return invalid_argument("no allocator was registered for memory '", mem_info->name, "'");
  });
}

OrtStatus* OrtGetSharedAllocator(OrtEnv* env, const OrtMemoryInfo* mem_info,
                                 OrtAllocator** allocator) {
  return guard([&]() -> Status {
    ORTC_OUT(allocator);
    ORTC_NEEDED(env);
    ORTC_NEEDED(mem_info);
    *allocator = env->shared->allocators.lend(*mem_info);
    if (*allocator != nullptr) return {};
    RETURN_IF_ERROR(api::make_if_offered(*env, *mem_info));
    *allocator = env->shared->allocators.lend(*mem_info);
    // Nobody registered one for the host's plain memory: the library's own gives that.
    if (*allocator == nullptr && api::is_same_memory(*mem_info, api::cpu_memory())) {
      *allocator = &api::default_allocator();
    }
    return {};
  });
}

OrtStatus* OrtCreateSharedAllocator(OrtEnv* env, const OrtEpDevice* ep_device,
                                    OrtDeviceMemoryType mem_type, OrtAllocatorType allocator_type,
                                    const OrtKeyValuePairs* allocator_options,
                                    OrtAllocator** allocator) {
  return guard([&]() -> Status {
    api::empty_outs(allocator);
    ORTC_NEEDED(env);
    ORTC_NEEDED(ep_device);
    ASSIGN_OR_RETURN(const auto offer, api::find_offer(*env, *ep_device, mem_type, allocator_type));
    ASSIGN_OR_RETURN(auto made, api::make_allocator_of(offer, allocator_options));
    if (!env->shared->allocators.put_if(offer.memory, std::move(made),
                                        api::is_registered(*env, offer))) {
      return invalid_argument("the library of ", ep_device->name, " was unregistered meanwhile");
    }
    if (allocator != nullptr) *allocator = env->shared->allocators.lend(offer.memory);
    return {};
  });
}

OrtStatus* OrtReleaseSharedAllocator(OrtEnv* env, const OrtEpDevice* ep_device,
                                     OrtDeviceMemoryType mem_type) {
  return guard([&]() -> Status {
    ORTC_NEEDED(env);
    ORTC_NEEDED(ep_device);
    const auto memories = ep_device->memories();
    if (memories.empty()) return api::no_own_memory(*ep_device);
    for (const OrtMemoryInfo* memory : memories) {
      if (memory->device_mem_type != api::number_of(mem_type)) continue;
      if (env->shared->allocators.remove(*memory)) return {};
    }
    return invalid_argument("no allocator is shared for that memory of the device of ",
                            ep_device->name);
  });
}

}  // extern "C"
