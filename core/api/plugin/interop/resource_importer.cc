// SPDX-License-Identifier: MIT
// Importers of libraries: see the header.
#include "core/api/plugin/interop/resource_importer.h"

namespace ortc::api {

Result<std::shared_ptr<Importer>> Importer::create(const OrtEpDevice& device) {
  ASSIGN_OR_RETURN(const auto registered, device.registered());
  auto factory = std::dynamic_pointer_cast<const PluginFactory>(registered->factory);
  if (factory == nullptr) return std::shared_ptr<Importer>();
  OrtEpFactory& plugin = factory->plugin();
  const auto create = ORTC_SINCE(plugin, 24, CreateExternalResourceImporterForDevice);
  if (create == nullptr) return std::shared_ptr<Importer>();
  const std::string label = factory->label("CreateExternalResourceImporterForDevice");
  std::shared_ptr<Importer> made(new Importer(std::move(factory), device));
  const PluginLibrary::Scope scope(made->factory_->library());
  OrtExternalResourceImporterImpl* own = nullptr;
  RETURN_IF_ERROR(call_plugin(label, [&] { return create(&plugin, &device, &own); }));
  if (own == nullptr) return std::shared_ptr<Importer>();
  const uint32_t version = own->ort_version_supported;
  if (version < kFirstInteropVersion) {  // where its functions are nobody knows
    return make_status(Code::kEpFail, label, " gave one of version ", version, ", expected ",
                       kFirstInteropVersion, " or more");
  }
  made->own_ = own;
  return made;
}

Importer::~Importer() {
  if (own_ == nullptr || own_->Release == nullptr) return;
  const PluginLibrary::Scope scope(factory_->library());
  end_plugin([&] { own_->Release(own_); });
}

}  // namespace ortc::api
