// SPDX-License-Identifier: MIT
// What a factory of a library says: see the header.
#include "core/api/plugin/plugin_factory.h"

#include <algorithm>

#include "core/api/custom/custom_domain.h"
#include "core/api/plugin/device_arrays.h"
#include "core/api/plugin/plugin_provider.h"
#include "core/platform/file_map.h"
#include "core/platform/machine/process.h"

namespace ortc::api {
namespace {

constexpr size_t kDevicesMost = 8;  // as in ONNX Runtime
constexpr size_t kDomainsMost = 1024;

// "1.2.3", with anything behind it.
bool is_version(std::string_view text) {
  int numbers = 0;
  while (numbers < 3) {
    const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0) return false;
    text.remove_prefix(digits);
    if (++numbers == 3) return text.empty() || text.front() == '-' || text.front() == '+';
    if (text.empty() || text.front() != '.') return false;
    text.remove_prefix(1);
  }
  return false;
}

// Where a library puts the devices that it makes. They are its own when it fails, and what it left
// behind those that it counts is nobody's: that is not looked at.
struct MadeDevices {
  std::vector<OrtEpDevice*> list = std::vector<OrtEpDevice*>(kDevicesMost);
  size_t count = 0;
};

// All that may be taken are, good or not; null: none was there to take.
std::vector<std::shared_ptr<OrtEpDevice>> take_all(const MadeDevices& made) {
  std::vector<std::shared_ptr<OrtEpDevice>> taken(made.count);
  for (size_t i = 0; i < made.count; ++i) {
    if (is_alive(made.list[i])) taken[i] = made.list[i]->take_offer();
  }
  return taken;
}

}  // namespace

std::string PluginFactory::label(std::string_view function) const {
  return str_cat(name_, ": ", function);
}

Result<std::shared_ptr<const PluginFactory>> PluginFactory::create(
    std::shared_ptr<const PluginLibrary> library, OrtEpFactory& factory,
    std::span<const OrtHardwareDevice* const> hardware) {
  const PluginLibrary::Scope scope(*library);
  std::shared_ptr<PluginFactory> made(new PluginFactory(std::move(library), factory));
  if (factory.ort_version_supported < kFirstPluginVersion) {
    return fail("a factory says that it was written for version ", factory.ort_version_supported,
                " of the interface, expected ", kFirstPluginVersion, " or more");
  }
  RETURN_IF_ERROR(made->read_texts());
  RETURN_IF_ERROR(made->read_devices(hardware));
  RETURN_IF_ERROR(made->read_memories());
  RETURN_IF_ERROR(made->read_custom_operators());
  return std::shared_ptr<const PluginFactory>(std::move(made));
}

Status PluginFactory::read_texts() {
  const auto ask = [&](std::string_view function, auto* member, std::string& out) -> Status {
    if (member == nullptr) {
      return make_status(Code::kEpFail, label(function), " is missing");
    }
    ASSIGN_OR_RETURN(const char* const text,
                     ask_plugin(label(function), [&] { return member(factory_); }));
    ASSIGN_OR_RETURN(out, text_of_plugin(label(function), text));
    return Status::ok();
  };
  std::string name;
  RETURN_IF_ERROR(ask("GetName", factory_->GetName, name));
  if (name.empty()) return make_status(Code::kEpFail, label("GetName"), " gave an empty text");
  name_ = std::move(name);
  RETURN_IF_ERROR(ask("GetVendor", factory_->GetVendor, vendor_));
  if (factory_->ort_version_supported < 23) return Status::ok();
  RETURN_IF_ERROR(ask("GetVersion", factory_->GetVersion, version_));
  if (factory_->GetVendorId != nullptr) {
    ASSIGN_OR_RETURN(vendor_id_, ask_plugin(label("GetVendorId"),
                                            [&] { return factory_->GetVendorId(factory_); }));
  }
  if (is_version(version_)) return Status::ok();
  return make_status(Code::kEpFail, label("GetVersion"), " gave '", version_,
                     "', expected a version as '1.2.3'");
}

Status PluginFactory::read_devices(std::span<const OrtHardwareDevice* const> hardware) {
  if (factory_->GetSupportedDevices == nullptr || factory_->CreateEp == nullptr ||
      factory_->ReleaseEp == nullptr) {
    return make_status(Code::kEpFail, name_,
                       " lacks one of GetSupportedDevices, CreateEp and ReleaseEp");
  }
  MadeDevices made;
  RETURN_IF_ERROR(call_plugin(label("GetSupportedDevices"), [&] {
    return factory_->GetSupportedDevices(factory_, hardware.data(), hardware.size(),
                                         made.list.data(), made.list.size(), &made.count);
  }));
  if (made.count > made.list.size()) {
    return make_status(Code::kEpFail, label("GetSupportedDevices"), " says that it gave ",
                       made.count, " devices, but there was room for ", made.list.size());
  }
  const auto taken = take_all(made);
  for (size_t i = 0; i < made.count; ++i) {
    if (taken[i] == nullptr) return check_device(made.list, i);
    RETURN_IF_ERROR(take_device(taken[i]));
  }
  return Status::ok();
}

// Why device i is none that the library made.
Status PluginFactory::check_device(std::span<OrtEpDevice* const> made, size_t i) const {
  const std::string what = label("GetSupportedDevices");
  if (made[i] == nullptr) return make_status(Code::kEpFail, what, " gave NULL for device ", i);
  const auto before = made.first(i);
  if (std::ranges::find(before, made[i]) != before.end()) {
    return make_status(Code::kEpFail, what, " gave twice the same as device ", i);
  }
  if (!is_alive(made[i])) {
    return make_status(Code::kEpFail, what, " gave a device that was released as device ", i);
  }
  return make_status(Code::kEpFail, what, " gave a device of ", made[i]->name);
}

// How memory of its own is used: whether it has some it may say later.
Status PluginFactory::read_memories() {
  ASSIGN_OR_RETURN(transfer_, PluginTransfer::create(*library_, *factory_, name_));
  const auto ask = ORTC_SINCE(*factory_, 23, IsStreamAware);
  if (ask == nullptr) return Status::ok();
  ASSIGN_OR_RETURN(is_stream_aware_,
                   ask_plugin(label("IsStreamAware"), [&] { return ask(factory_); }));
  return Status::ok();
}

// Operators that sessions know which use the provider. The domains stay the factory's.
Status PluginFactory::read_custom_operators() {
  const auto get_count = ORTC_SINCE(*factory_, 24, GetNumCustomOpDomains);
  const auto get_domains = ORTC_SINCE(*factory_, 24, GetCustomOpDomains);
  if (get_count == nullptr || get_domains == nullptr) return Status::ok();
  size_t count = 0;
  RETURN_IF_ERROR(
      call_plugin(label("GetNumCustomOpDomains"), [&] { return get_count(factory_, &count); }));
  if (count == 0) return Status::ok();
  if (count > kDomainsMost) {
    return make_status(Code::kEpFail, label("GetNumCustomOpDomains"), " says ", count,
                       " domains, expected at most ", kDomainsMost);
  }
  std::vector<OrtCustomOpDomain*> domains(count);
  RETURN_IF_ERROR(call_plugin(label("GetCustomOpDomains"), [&] {
    return get_domains(factory_, domains.data(), domains.size());
  }));
  CustomDomains known;
  known.libraries.push_back(library_);
  for (const OrtCustomOpDomain* domain : domains) {
    if (domain == nullptr) {
      return make_status(Code::kEpFail, label("GetCustomOpDomains"), " gave NULL for a domain");
    }
    known.domains.push_back(domain->content);
  }
  auto made = make_custom_operators(known);
  RETURN_IF_ERROR_WHILE(made.status(), label("GetCustomOpDomains"));
  custom_operators_ = std::move(made).value();
  return Status::ok();
}

Status PluginFactory::take_device(const std::shared_ptr<OrtEpDevice>& made) {
  if (made->name != name_) {
    return make_status(Code::kEpFail, label("GetSupportedDevices"), " gave a device of ",
                       made->name);
  }
  DeviceOffer offer;
  offer.hardware = made->hardware->device;
  const auto is_virtual = offer.hardware->metadata.find("is_virtual");
  if (is_virtual->second == "1" && !library_->may_be_virtual()) {
    return fail(name_,
                " offers a virtual device: register its library under a name that ends in "
                "'.virtual', or the environment with allow_virtual_devices=1");
  }
  for (const auto& [key, value] : made->metadata.entries) offer.metadata[key] = value;
  if (factory_->ort_version_supported >= 23) offer.metadata["version"] = version_;
  offer.metadata.emplace("version", "");
  offer.metadata["library_path"] = library_->path();
  // It tells caches of compiled models apart.
  offer.metadata["library_build"] = build_of_library();
  for (const auto& [key, value] : made->options.entries) offer.options[key] = value;
  for (const auto& [key, value] : offer.metadata) made->metadata.set(key, value);
  offer.handle = made;
  offers_.push_back(std::move(offer));
  return Status::ok();
}

// What the linker stamped on it. Some linkers stamp nothing: then the file tells builds apart.
std::string PluginFactory::build_of_library() const {
  std::string build = build_id_at(reinterpret_cast<const void*>(factory_->GetSupportedDevices));
  if (!build.empty()) return build;
  const auto file = FileMap::open(library_->path());
  if (!file.is_ok()) return build;
  const FileIdentity& found = (*file)->identity();
  return str_cat("file ", found.inode, " of ", found.size, " bytes at ", found.modified_ns);
}

const OrtMemoryInfo& PluginFactory::as_told(const OrtMemoryInfo& memory) const {
  for (const DeviceOffer& offer : offers_) {
    const auto* const told = static_cast<const OrtEpDevice*>(offer.handle.get())->as_told(memory);
    if (told != nullptr) return *told;
  }
  return memory;
}

std::vector<DeviceOffer> PluginFactory::chosen(
    std::span<const std::shared_ptr<const EpDevice>> devices) const {
  std::vector<DeviceOffer> offers;
  for (const auto& device : devices) {
    offers.push_back({device->hardware, device->metadata, device->options, {}, device->handle});
  }
  if (devices.empty()) offers = offers_;
  for (DeviceOffer& offer : offers) {
    for (const auto* memory : static_cast<const OrtEpDevice*>(offer.handle.get())->memories()) {
      offer.memories.push_back(core_memory_of(*memory));
    }
  }
  return offers;
}

Result<std::unique_ptr<ExecutionProvider>> PluginFactory::make(const KeyValues& options,
                                                               const Logger& logger) const {
  return make_for({}, options, logger);
}

Result<std::unique_ptr<ExecutionProvider>> PluginFactory::make_for(const ProviderRequest& request,
                                                                   const KeyValues& options,
                                                                   const Logger& logger) const {
  return make_plugin_provider(shared_from_this(), request, options, logger);
}

}  // namespace ortc::api
