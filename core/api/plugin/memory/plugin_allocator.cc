// SPDX-License-Identifier: MIT
// Allocators of libraries: see the header.
#include "core/api/plugin/memory/plugin_allocator.h"

#include "core/api/env/ort_allocators.h"
#include "core/api/plugin/ep_instance.h"
#include "core/api/plugin/plugin_factory.h"

namespace ortc::api {
namespace {

constexpr uint32_t kVersionOfStreams = 23;

// `owner` is what made it: an OrtEp or the factory.
struct PluginAllocator : OrtAllocator {
  PluginAllocator(std::shared_ptr<const PluginFactory> factory_, std::shared_ptr<const void> owner_)
      : OrtAllocator{}, factory(std::move(factory_)), owner(std::move(owner_)) {}
  ~PluginAllocator() {
    if (own == nullptr) return;
    OrtEpFactory& plugin = factory->plugin();
    const PluginLibrary::Scope scope(factory->library());
    end_plugin([&] { plugin.ReleaseAllocator(&plugin, own); });
  }
  PluginAllocator(const PluginAllocator&) = delete;
  PluginAllocator& operator=(const PluginAllocator&) = delete;

  std::shared_ptr<const PluginFactory> factory;
  std::shared_ptr<const void> owner;
  OrtAllocator* own = nullptr;
  OrtMemoryInfo memory;
};

const PluginAllocator& of(const OrtAllocator* allocator) {
  return *static_cast<const PluginAllocator*>(allocator);
}

template <typename Call>
void* no_memory_if_it_throws(const PluginAllocator& allocator, Call&& call) {
  const PluginLibrary::Scope scope(allocator.factory->library());
  return guard_value<void*>(nullptr, [&] { return call(allocator.own); });
}

void fill(PluginAllocator& made) {
  made.version = kAllocatorVersion;
  made.Alloc = [](OrtAllocator* self, size_t size) {
    return no_memory_if_it_throws(of(self),
                                  [&](OrtAllocator* own) { return own->Alloc(own, size); });
  };
  made.Free = [](OrtAllocator* self, void* block) {
    if (block == nullptr) return;
    const PluginLibrary::Scope scope(of(self).factory->library());
    end_plugin([&] { of(self).own->Free(of(self).own, block); });
  };
  made.Info = [](const OrtAllocator* self) -> const OrtMemoryInfo* { return &of(self).memory; };
  made.Reserve = made.Alloc;
  if (made.own->version >= kVersionOfReserve && made.own->Reserve != nullptr) {
    made.Reserve = [](OrtAllocator* self, size_t size) {
      return no_memory_if_it_throws(of(self),
                                    [&](OrtAllocator* own) { return own->Reserve(own, size); });
    };
  }
  if (made.own->version >= kVersionOfStats && made.own->GetStats != nullptr) {
    made.GetStats = [](const OrtAllocator* self, OrtKeyValuePairs** out) -> OrtStatus* {
      const PluginLibrary::Scope scope(of(self).factory->library());
      return to_c(call_plugin(of(self).factory->label("GetStats"),
                              [&] { return of(self).own->GetStats(of(self).own, out); }));
    };
  }
  if (made.own->version >= kVersionOfStreams && made.own->AllocOnStream != nullptr) {
    made.AllocOnStream = [](OrtAllocator* self, size_t size, OrtSyncStream* stream) {
      return no_memory_if_it_throws(
          of(self), [&](OrtAllocator* own) { return own->AllocOnStream(own, size, stream); });
    };
  }
  if (made.own->version >= kVersionOfShrink && made.own->Shrink != nullptr) {
    made.Shrink = [](OrtAllocator* self) -> OrtStatus* {
      const PluginLibrary::Scope scope(of(self).factory->library());
      return to_c(call_plugin(of(self).factory->label("Shrink"),
                              [&] { return of(self).own->Shrink(of(self).own); }));
    };
  }
}

Status check(const PluginAllocator& made) {
  const std::string label = made.factory->label("CreateAllocator");
  const OrtAllocator* const own = made.own;
  if (own == nullptr) return make_status(Code::kEpFail, label, " gave no OrtAllocator");
  if (own->Alloc == nullptr || own->Free == nullptr || own->Info == nullptr) {
    return make_status(Code::kEpFail, label,
                       " gave an OrtAllocator that lacks one of Alloc, Free and Info");
  }
  ASSIGN_OR_RETURN(const OrtMemoryInfo* const info,
                   ask_plugin(label + "'s Info", [&] { return own->Info(own); }));
  if (info != nullptr && is_same_memory(*info, made.memory)) return Status::ok();
  return make_status(Code::kEpFail, label, " gave an OrtAllocator of memory '",
                     info != nullptr ? std::string_view(info->name) : "", "', expected '",
                     made.memory.name, "'");
}

// `create` is the library's function.
template <typename Create>
Result<std::shared_ptr<OrtAllocator>> make(std::shared_ptr<const PluginFactory> factory,
                                           std::shared_ptr<const void> owner,
                                           const OrtMemoryInfo& memory, Create&& create) {
  const std::string label = factory->label("CreateAllocator");
  if (ORTC_SINCE(factory->plugin(), 23, ReleaseAllocator) == nullptr) {
    return make_status(Code::kEpFail, factory->name(), " has memory, but no ReleaseAllocator");
  }
  const auto made = std::make_shared<PluginAllocator>(std::move(factory), std::move(owner));
  made->memory = memory;
  const PluginLibrary::Scope scope(made->factory->library());
  OrtAllocator* own = nullptr;
  RETURN_IF_ERROR(call_plugin(label, [&] { return create(&own); }));
  made->own = own;
  RETURN_IF_ERROR(check(*made));
  fill(*made);
  return std::shared_ptr<OrtAllocator>(made);
}

}  // namespace

Result<std::shared_ptr<OrtAllocator>> make_plugin_allocator(
    std::shared_ptr<const PluginFactory> factory, const OrtMemoryInfo& memory,
    const OrtKeyValuePairs* options) {
  OrtEpFactory& plugin = factory->plugin();
  const auto create = ORTC_SINCE(plugin, 23, CreateAllocator);
  if (create == nullptr) {
    return make_status(Code::kEpFail, factory->name(), " has memory, but no CreateAllocator");
  }
  const OrtMemoryInfo& told = factory->as_told(memory);
  return make(std::move(factory), nullptr, memory,
              [&](OrtAllocator** out) { return create(&plugin, &told, options, out); });
}

Result<std::shared_ptr<OrtAllocator>> make_plugin_allocator(
    const std::shared_ptr<const EpInstance>& ep, const OrtMemoryInfo& memory) {
  const auto create = ORTC_SINCE(ep->ep(), 23, CreateAllocator);
  if (create == nullptr) return make_plugin_allocator(ep->shared_factory(), memory, nullptr);
  const OrtMemoryInfo& told = ep->shared_factory()->as_told(memory);
  return make(ep->shared_factory(), ep, memory,
              [&](OrtAllocator** out) { return create(&ep->ep(), &told, out); });
}

}  // namespace ortc::api
