// SPDX-License-Identifier: MIT
// Registering libraries: see the header.
#include "core/api/plugin/plugin_libraries.h"

#include <algorithm>

#include "core/api/env/env_handle.h"
#include "core/api/plugin/plugin_factory.h"

namespace ortc::api {
namespace {

using PluginFactories = std::vector<std::shared_ptr<const PluginFactory>>;

Result<PluginFactories> load(SharedEnvironment& shared, const std::string& name,
                             const std::string& path) {
  ASSIGN_OR_RETURN(const std::shared_ptr<PluginLibrary> library,
                   PluginLibrary::open({name, path, shared.environment->logger(), shared.entries}));
  const auto hardware = shared.devices.hardware(shared.environment->providers());
  PluginFactories factories;
  for (OrtEpFactory* factory : library->factories()) {
    auto made = PluginFactory::create(library, *factory, hardware);
    RETURN_IF_ERROR_WHILE(made.status(), "the library '", library->path(), "'");
    factories.push_back(std::move(made).value());
  }
  return factories;
}

// All of them, or none.
Status add_all(ProviderRegistry& registry, const PluginFactories& factories) {
  for (size_t i = 0; i < factories.size(); ++i) {
    Status added = registry.add(factories[i]);
    if (added.is_ok()) continue;
    for (size_t k = 0; k < i; ++k) (void)registry.remove(factories[k]->name());
    return added;
  }
  return Status::ok();
}

// All of these names: what cannot be removed as a whole is not touched.
Result<Factories> find_all(const ProviderRegistry& registry,
                           const std::vector<std::string>& providers) {
  Factories found;
  for (const std::string& provider : providers) {
    auto factory = registry.find(provider);
    if (factory == nullptr) return fail("no provider '", provider, "' is registered");
    found.push_back(std::move(factory));
  }
  return found;
}

}  // namespace

std::vector<PluginLibraries::Entry>::iterator PluginLibraries::find(std::string_view name) {
  return std::find_if(entries_.begin(), entries_.end(),
                      [&](const Entry& entry) { return entry.name == name; });
}

Status PluginLibraries::add(SharedEnvironment& shared, const std::string& name,
                            const std::string& path) {
  {
    const std::lock_guard lock(mutex_);
    if (find(name) != entries_.end()) {
      return fail("a library is registered as '", name, "' already");
    }
    entries_.push_back({name, {}, false});
  }
  Reservation reservation{*this, name};
  ASSIGN_OR_RETURN(const PluginFactories factories, load(shared, name, path));
  RETURN_IF_ERROR(add_all(shared.environment->providers(), factories));
  const std::lock_guard lock(mutex_);
  const auto entry = find(name);
  for (const auto& factory : factories) entry->providers.emplace_back(factory->name());
  shared.devices.update(shared.environment->providers());
  entry->is_ready = reservation.is_kept = true;
  return Status::ok();
}

PluginLibraries::Reservation::~Reservation() {
  if (is_kept) return;
  const std::lock_guard lock(libraries.mutex_);
  libraries.entries_.erase(libraries.find(name));
}

Status PluginLibraries::remove(SharedEnvironment& shared, std::string_view name) {
  Factories last;  // end behind the lock
  {
    const std::lock_guard lock(mutex_);
    const auto entry = find(name);
    if (entry == entries_.end()) return fail("no library is registered as '", name, "'");
    if (!entry->is_ready) return fail("the library '", name, "' is being registered");
    ProviderRegistry& registry = shared.environment->providers();
    ASSIGN_OR_RETURN(last, find_all(registry, entry->providers));
    for (const std::string& provider : entry->providers) (void)registry.remove(provider);
    entries_.erase(entry);
    shared.devices.update(shared.environment->providers());
  }
  // Allocators that are shared for its devices; who has their memory keeps them.
  for (const auto& factory : last) {
    for (const DeviceOffer& offer : factory->devices({})) {
      for (const MemoryInfo& memory : offer.memories) {
        if (!memory.is_host_accessible || memory.device_type != DeviceType::kCpu) {
          shared.allocators.remove(memory_info_of(memory));
        }
      }
    }
  }
  return Status::ok();
}

}  // namespace ortc::api
