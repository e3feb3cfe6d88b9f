// SPDX-License-Identifier: MIT
// ort_c/interop.h: memory and semaphores that somebody else made.
#include "core/api/abi/ort_table_overrides.h"
#include "core/api/guard.h"
#include "core/api/plugin/interop/imported_tensor.h"
#include "core/api/plugin/memory/sync_stream_handle.h"
#include "ort_c/interop.h"

namespace ortc::api {
namespace {

using MemoryHandle = ImportedHandle<OrtExternalMemoryHandle>;
using SemaphoreHandle = ImportedHandle<OrtExternalSemaphoreHandle>;

// Imports what a descriptor says by a member of the library.
template <typename Handle, typename Descriptor, typename Member>
Status import_one(const OrtExternalResourceImporter& from, const char* name, Member member,
                  typename Imported<Handle>::GiveBack give_back, const Descriptor& descriptor,
                  Handle** out) {
  RETURN_IF_ERROR(check_version("desc", descriptor));
  const auto made = std::make_shared<Imported<Handle>>(from.importer, give_back);
  Handle* own = nullptr;
  RETURN_IF_ERROR(from.importer->call(name, member, &descriptor, &own));
  made->own = own;
  if (own == nullptr) {
    return make_status(Code::kEpFail, from.importer->factory().label(name), " gave no handle");
  }
  auto handle = std::make_unique<ImportedHandle<Handle>>(made);
  handle->descriptor = descriptor;
  *out = handle.release();
  return Status::ok();
}

using SemaphoreMember = decltype(OrtExternalResourceImporterImpl::WaitSemaphore);

Status use_semaphore(const Importer& importer, const char* name, SemaphoreMember member,
                     const OrtExternalSemaphoreHandle& handle, OrtSyncStream& stream,
                     uint64_t value) {
  ASSIGN_OR_RETURN(const auto semaphore, SemaphoreHandle::find(handle, importer));
  if (&stream.factory() != &importer.factory()) {
    return invalid_argument("'stream' belongs to ", stream.factory().name(), ", the importer to ",
                            importer.factory().name());
  }
  return importer.call(name, member, semaphore->own, &stream, value);
}

// The library of a device that may share a graphics interface.
template <typename Use>
Status use_graphics(const OrtEpDevice& device, const Use& use) {
  ASSIGN_OR_RETURN(const auto registered, device.registered());
  const auto* const factory = dynamic_cast<const PluginFactory*>(registered->factory.get());
  if (factory == nullptr) {
    return not_implemented(registered->factory->name(), " shares no graphics interface");
  }
  const PluginLibrary::Scope scope(factory->library());
  return use(*factory, factory->plugin());
}

}  // namespace

namespace table {

// What a provider has not is NULL there.
OrtStatus* CreateExternalResourceImporterForDevice(
    const OrtEpDevice* ep_device, OrtExternalResourceImporter** out_importer) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(out_importer);
    ORTC_NEEDED(ep_device);
    ASSIGN_OR_RETURN(std::shared_ptr<Importer> made, Importer::create(*ep_device));
    if (made != nullptr) *out_importer = new OrtExternalResourceImporter{std::move(made)};
    return {};
  });
}

}  // namespace table
}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtCreateExternalResourceImporterForDevice(const OrtEpDevice* ep_device,
                                                      OrtExternalResourceImporter** out_importer) {
  OrtStatus* const status =
      api::table::CreateExternalResourceImporterForDevice(ep_device, out_importer);
  if (status != nullptr || *out_importer != nullptr) return status;
  return guard([&]() -> Status {
    return not_implemented(ep_device->name, " imports no memory and no semaphores");
  });
}

void OrtReleaseExternalResourceImporter(OrtExternalResourceImporter* input) { delete input; }

OrtStatus* OrtCanImportMemory(const OrtExternalResourceImporter* importer,
                              OrtExternalMemoryHandleType handle_type, bool* out_supported) {
  return guard([&]() -> Status {
    ORTC_OUT(out_supported);
    ORTC_NEEDED(importer);
    const api::Importer& from = *importer->importer;
    ASSIGN_OR_RETURN(*out_supported,
                     from.ask("CanImportMemory", from.own().CanImportMemory, handle_type));
    return {};
  });
}

OrtStatus* OrtImportMemory(OrtExternalResourceImporter* importer,
                           const OrtExternalMemoryDescriptor* desc,
                           OrtExternalMemoryHandle** out_handle) {
  return guard([&]() -> Status {
    ORTC_OUT(out_handle);
    ORTC_NEEDED(importer);
    ORTC_NEEDED(desc);
    if (desc->offset_bytes > desc->size_bytes) {
      return invalid_argument("'offset_bytes' is ", desc->offset_bytes,
                              ", but the memory has 'size_bytes' ", desc->size_bytes);
    }
    const OrtExternalResourceImporterImpl& own = importer->importer->own();
    return api::import_one(*importer, "ImportMemory", own.ImportMemory, own.ReleaseMemory, *desc,
                           out_handle);
  });
}

void OrtReleaseExternalMemoryHandle(OrtExternalMemoryHandle* input) {
  if (input != nullptr && input->Release != nullptr) input->Release(input);
}

OrtStatus* OrtCreateTensorFromMemory(OrtExternalResourceImporter* importer,
                                     const OrtExternalMemoryHandle* mem_handle,
                                     const OrtExternalTensorDescriptor* tensor_desc,
                                     OrtValue** out_tensor) {
  return guard([&]() -> Status {
    ORTC_OUT(out_tensor);
    ORTC_NEEDED(importer);
    ORTC_NEEDED(mem_handle);
    ORTC_NEEDED(tensor_desc);
    RETURN_IF_ERROR(api::check_version("tensor_desc", *tensor_desc));
    const api::Importer& from = *importer->importer;
    ASSIGN_OR_RETURN(const auto memory, api::MemoryHandle::find(*mem_handle, from));
    const OrtExternalMemoryDescriptor& whole = mem_handle->descriptor;
    ASSIGN_OR_RETURN(auto made,
                     api::make_imported_tensor(from, memory, whole.size_bytes - whole.offset_bytes,
                                               *tensor_desc));
    *out_tensor = made.release();
    return {};
  });
}

OrtStatus* OrtCanImportSemaphore(const OrtExternalResourceImporter* importer,
                                 OrtExternalSemaphoreType type, bool* out_supported) {
  return guard([&]() -> Status {
    ORTC_OUT(out_supported);
    ORTC_NEEDED(importer);
    const api::Importer& from = *importer->importer;
    ASSIGN_OR_RETURN(*out_supported,
                     from.ask("CanImportSemaphore", from.own().CanImportSemaphore, type));
    return {};
  });
}

OrtStatus* OrtImportSemaphore(OrtExternalResourceImporter* importer,
                              const OrtExternalSemaphoreDescriptor* desc,
                              OrtExternalSemaphoreHandle** out_handle) {
  return guard([&]() -> Status {
    ORTC_OUT(out_handle);
    ORTC_NEEDED(importer);
    ORTC_NEEDED(desc);
    const OrtExternalResourceImporterImpl& own = importer->importer->own();
    return api::import_one(*importer, "ImportSemaphore", own.ImportSemaphore, own.ReleaseSemaphore,
                           *desc, out_handle);
  });
}

void OrtReleaseExternalSemaphoreHandle(OrtExternalSemaphoreHandle* input) {
  if (input != nullptr && input->Release != nullptr) input->Release(input);
}

OrtStatus* OrtWaitSemaphore(OrtExternalResourceImporter* importer,
                            OrtExternalSemaphoreHandle* semaphore_handle, OrtSyncStream* stream,
                            uint64_t value) {
  return guard([&]() -> Status {
    ORTC_NEEDED(importer);
    ORTC_NEEDED(semaphore_handle);
    ORTC_NEEDED(stream);
    const api::Importer& from = *importer->importer;
    return api::use_semaphore(from, "WaitSemaphore", from.own().WaitSemaphore, *semaphore_handle,
                              *stream, value);
  });
}

OrtStatus* OrtSignalSemaphore(OrtExternalResourceImporter* importer,
                              OrtExternalSemaphoreHandle* semaphore_handle, OrtSyncStream* stream,
                              uint64_t value) {
  return guard([&]() -> Status {
    ORTC_NEEDED(importer);
    ORTC_NEEDED(semaphore_handle);
    ORTC_NEEDED(stream);
    const api::Importer& from = *importer->importer;
    return api::use_semaphore(from, "SignalSemaphore", from.own().SignalSemaphore,
                              *semaphore_handle, *stream, value);
  });
}

OrtStatus* OrtInitGraphicsInteropForEpDevice(const OrtEpDevice* ep_device,
                                             const OrtGraphicsInteropConfig* config) {
  return guard([&]() -> Status {
    ORTC_NEEDED(ep_device);
    ORTC_NEEDED(config);
    RETURN_IF_ERROR(api::check_version("config", *config));
    return api::use_graphics(*ep_device, [&](const auto& factory, OrtEpFactory& own) -> Status {
      const auto begin = ORTC_SINCE(own, 25, InitGraphicsInterop);
      const std::string label = factory.label("InitGraphicsInterop");
      if (begin == nullptr) return not_implemented(label, " is not there");
      return api::call_plugin(label, [&] { return begin(&own, ep_device, config); });
    });
  });
}

OrtStatus* OrtDeinitGraphicsInteropForEpDevice(const OrtEpDevice* ep_device) {
  return guard([&]() -> Status {
    ORTC_NEEDED(ep_device);
    return api::use_graphics(*ep_device, [&](const auto& factory, OrtEpFactory& own) -> Status {
      const auto end = ORTC_SINCE(own, 25, DeinitGraphicsInterop);
      const std::string label = factory.label("DeinitGraphicsInterop");
      if (end == nullptr) return not_implemented(label, " is not there");
      return api::call_plugin(label, [&] { return end(&own, ep_device); });
    });
  });
}

}  // extern "C"
