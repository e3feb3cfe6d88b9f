// SPDX-License-Identifier: MIT
// Copies by libraries: see the header.
#include "core/api/plugin/memory/plugin_transfer.h"

#include "core/api/env/memory_info_handle.h"

namespace ortc::api {

Result<std::unique_ptr<const PluginTransfer>> PluginTransfer::create(const PluginLibrary& library,
                                                                     OrtEpFactory& factory,
                                                                     const std::string& name) {
  std::unique_ptr<PluginTransfer> made;
  const auto create = ORTC_SINCE(factory, 23, CreateDataTransfer);
  if (create == nullptr) return std::unique_ptr<const PluginTransfer>();
  made.reset(new PluginTransfer(library, name));
  const std::string label = name + ": CreateDataTransfer";
  const PluginLibrary::Scope scope(library);
  OrtDataTransferImpl* own = nullptr;
  RETURN_IF_ERROR(call_plugin(label, [&] { return create(&factory, &own); }));
  if (own == nullptr) return std::unique_ptr<const PluginTransfer>();
  made->own_ = own;
  // All of them are as old as the struct: there are libraries that leave its version unset.
  if (own->Release == nullptr || own->CanCopy == nullptr || own->CopyTensors == nullptr) {
    return make_status(Code::kEpFail, label, " gave one that lacks one of its functions");
  }
  return std::unique_ptr<const PluginTransfer>(std::move(made));
}

PluginTransfer::~PluginTransfer() {
  if (own_ == nullptr || own_->Release == nullptr) return;
  const PluginLibrary::Scope scope(library_);
  end_plugin([&] { own_->Release(own_); });
}

Result<bool> PluginTransfer::can_copy(const OrtMemoryInfo& from, const OrtMemoryInfo& to) const {
  const PluginLibrary::Scope scope(library_);
  return ask_plugin(name_ + ": CanCopy",
                    [&] { return own_->CanCopy(own_, device_of(from), device_of(to)); });
}

Status PluginTransfer::copy(const OrtValue& from, OrtValue& to, OrtSyncStream* stream) const {
  const OrtValue* sources[] = {&from};
  OrtValue* targets[] = {&to};
  OrtSyncStream* streams[] = {stream};
  const PluginLibrary::Scope scope(library_);
  return call_plugin(name_ + ": CopyTensors", [&] {
    return own_->CopyTensors(own_, sources, targets, stream != nullptr ? streams : nullptr, 1);
  });
}

}  // namespace ortc::api
