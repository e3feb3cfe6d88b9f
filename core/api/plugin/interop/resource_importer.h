// SPDX-License-Identifier: MIT
// What imports memory and semaphores for a device: a library's OrtExternalResourceImporterImpl, and
// what it imported. Each keeps what it came from; the program sees handles in front of them.
#pragma once

#include <memory>

#include "core/api/plugin/plugin_factory.h"
#include "ort_c/interop.h"

namespace ortc::api {

class Importer {
 public:
  // Null when the provider of the device imports nothing for it. EP_FAIL for one that is too old.
  static Result<std::shared_ptr<Importer>> create(const OrtEpDevice& device);
  ~Importer();
  Importer(const Importer&) = delete;
  Importer& operator=(const Importer&) = delete;

  const OrtEpDevice& device() const { return *device_; }
  const PluginFactory& factory() const { return *factory_; }
  OrtExternalResourceImporterImpl& own() const { return *own_; }
  // Calls `member` of the library with the rest; NOT_IMPLEMENTED, by its name, when it is null.
  template <typename Member, typename... Args>
  Status call(const char* name, Member member, Args... args) const {
    const std::string label = factory_->label(name);
    if (member == nullptr) return not_implemented(label, " is not there");
    const PluginLibrary::Scope scope(factory_->library());
    return call_plugin(label, [&] { return member(own_, args...); });
  }
  // The same for questions: what is not there says no.
  template <typename Member, typename Kind>
  Result<bool> ask(const char* name, Member member, Kind kind) const {
    if (member == nullptr) return false;
    const PluginLibrary::Scope scope(factory_->library());
    return ask_plugin(factory_->label(name), [&] { return member(own_, kind); });
  }

 private:
  Importer(std::shared_ptr<const PluginFactory> factory, const OrtEpDevice& device)
      : factory_(std::move(factory)), device_(device.shared_from_this()) {}

  std::shared_ptr<const PluginFactory> factory_;
  std::shared_ptr<const OrtEpDevice> device_;
  OrtExternalResourceImporterImpl* own_ = nullptr;
};

// Something that an importer made: Handle is OrtExternalMemoryHandle or OrtExternalSemaphoreHandle.
template <typename Handle>
struct Imported {
  using GiveBack = void (*)(OrtExternalResourceImporterImpl*, Handle*);
  Imported(std::shared_ptr<const Importer> from, GiveBack with)
      : importer(std::move(from)), give_back(with) {}
  ~Imported() {
    if (own == nullptr) return;
    const PluginLibrary::Scope scope(importer->factory().library());
    end_plugin([&] {
      if (own->Release != nullptr) {
        own->Release(own);
      } else if (give_back != nullptr) {
        give_back(&importer->own(), own);
      }
    });
  }
  Imported(const Imported&) = delete;
  Imported& operator=(const Imported&) = delete;

  std::shared_ptr<const Importer> importer;
  GiveBack give_back;  // for handles that cannot release themselves
  Handle* own = nullptr;
};

// The program's handle of it.
template <typename Handle>
struct ImportedHandle : Handle {
  explicit ImportedHandle(std::shared_ptr<const Imported<Handle>> from)
      : Handle{}, imported(std::move(from)) {
    this->version = ORTC_ORT_API_VERSION;
    this->ep_device = &imported->importer->device();
    this->Release = release;
  }
  static void release(Handle* handle) { delete static_cast<ImportedHandle*>(handle); }
  // INVALID_ARGUMENT unless it was imported here, by the provider of `importer`.
  static Result<std::shared_ptr<const Imported<Handle>>> find(const Handle& handle,
                                                              const Importer& importer) {
    if (handle.Release != release) return invalid_argument("the handle was not imported here");
    const auto& found = static_cast<const ImportedHandle&>(handle).imported;
    if (&found->importer->factory() == &importer.factory()) return found;
    return invalid_argument("the handle was imported by ", found->importer->factory().name(),
                            ", the importer belongs to ", importer.factory().name());
  }

  std::shared_ptr<const Imported<Handle>> imported;
};

// Descriptors that the program fills in have had their members since this version.
inline constexpr uint32_t kFirstInteropVersion = 24;

template <typename Descriptor>
Status check_version(const char* parameter, const Descriptor& descriptor) {
  if (descriptor.version >= kFirstInteropVersion) return Status::ok();
  return invalid_argument("'", parameter, "' has version ", descriptor.version, ", expected ",
                          kFirstInteropVersion, " or more");
}

}  // namespace ortc::api

struct OrtExternalResourceImporter {
  std::shared_ptr<const ortc::api::Importer> importer;
};
