// SPDX-License-Identifier: MIT
// Memories of libraries: see the header.
#include "core/api/plugin/memory/plugin_memory.h"

#include <algorithm>

#include "core/api/env/ort_allocators.h"
#include "core/api/plugin/memory/plugin_allocator.h"
#include "core/api/plugin/memory/plugin_transfer.h"
#include "core/api/plugin/memory/sync_stream_handle.h"

namespace ortc::api {
namespace {

// Bytes as the library sees them.
Result<OrtValue> bytes_at(const void* data, uint64_t count, const OrtMemoryInfo& memory) {
  OrtValue value;
  value.memory = memory;
  ASSIGN_OR_RETURN(value.tensor,
                   Tensor::view(DType::kUint8, {static_cast<int64_t>(count)},
                                {static_cast<const std::byte*>(data), count}, nullptr));
  return value;
}

// What `then` is given from now on comes after what `first` was given so far. Null streams: the
// device works while the host waits.
Status order(OrtSyncStream* first, OrtSyncStream* then) {
  if (first == nullptr) return Status::ok();
  return then != nullptr ? then->wait_for(*first) : first->wait();
}

}  // namespace

PluginMemory::PluginMemory(std::shared_ptr<const EpInstance> ep, const OrtMemoryInfo& memory)
    : ep_(std::move(ep)), handle_(memory), info_(core_memory_of(memory)) {}

Result<std::shared_ptr<const PluginMemory>> PluginMemory::create(
    std::shared_ptr<const EpInstance> ep, const OrtMemoryInfo& memory,
    const OrtMemoryInfo* constants) {
  std::shared_ptr<PluginMemory> made(new PluginMemory(std::move(ep), memory));
  if (!memory.is_host_readable()) RETURN_IF_ERROR(made->check_transfer());
  ASSIGN_OR_RETURN(made->allocator_, make_plugin_allocator(made->ep_, memory));
  made->constants_ = made->allocator_;
  if (constants != nullptr) {
    ASSIGN_OR_RETURN(made->constants_, make_plugin_allocator(made->ep_, *constants));
  }
  return std::shared_ptr<const PluginMemory>(std::move(made));
}

Status PluginMemory::check_transfer() {
  const PluginFactory& factory = ep_->factory();
  const auto fault = [&](std::string_view what) {
    return make_status(Code::kEpFail, factory.name(), " has memory '", handle_.name,
                       "' that the host cannot read, and ", what);
  };
  const PluginTransfer* const transfer = factory.transfer();
  if (transfer == nullptr) return fault("no data transfer");
  ASSIGN_OR_RETURN(const bool in, transfer->can_copy(cpu_memory(), handle_));
  if (!in) return fault("does not copy to it from the host");
  ASSIGN_OR_RETURN(const bool out, transfer->can_copy(handle_, cpu_memory()));
  if (!out) return fault("does not copy from it to the host");
  ASSIGN_OR_RETURN(copies_within_, transfer->can_copy(handle_, handle_));
  return Status::ok();
}

Result<std::shared_ptr<void>> PluginMemory::allocate(uint64_t bytes) const {
  auto block = allocate_shared(allocator_, std::max<uint64_t>(bytes, 1));
  RETURN_IF_ERROR_WHILE(block.status(), ep_->factory().name());
  return block;
}

// Who does not know streams allocates as ever.
Result<std::shared_ptr<void>> PluginMemory::allocate_on(uint64_t bytes,
                                                        DeviceStream* stream) const {
  if (allocator_->AllocOnStream == nullptr) return allocate(bytes);
  const auto size = static_cast<size_t>(std::max<uint64_t>(bytes, 1));
  auto* const own = static_cast<OrtSyncStream*>(stream);
  void* const block = allocator_->AllocOnStream(allocator_.get(), size, own);
  if (block == nullptr) {
    return make_status(Code::kRuntimeException, ep_->factory().name(),
                       ": AllocOnStream gave no memory for ", size, " bytes");
  }
  return std::shared_ptr<void>(
      block, [allocator = allocator_](void* memory) { allocator->Free(allocator.get(), memory); });
}

Result<std::shared_ptr<void>> PluginMemory::allocate_constant(uint64_t bytes) const {
  auto block = allocate_shared(constants_, std::max<uint64_t>(bytes, 1));
  RETURN_IF_ERROR_WHILE(block.status(), ep_->factory().name());
  return block;
}

// The library may still read or write the host's memory when its function has returned: the host
// waits.
Status PluginMemory::copy(const void* from, const OrtMemoryInfo& from_memory, void* to,
                          const OrtMemoryInfo& to_memory, uint64_t bytes,
                          DeviceStream* stream) const {
  if (bytes == 0) return Status::ok();
  ASSIGN_OR_RETURN(OrtValue source, bytes_at(from, bytes, from_memory));
  ASSIGN_OR_RETURN(OrtValue target, bytes_at(to, bytes, to_memory));
  source.lent.is_lent = target.lent.is_lent = true;
  auto* const own = static_cast<OrtSyncStream*>(stream);
  Status copied = ep_->factory().transfer()->copy(source, target, own);
  if (stream == nullptr || (copied.is_ok() && &from_memory == &to_memory)) return copied;
  Status waited = stream->wait();
  return copied.is_ok() ? waited : copied;
}

Status PluginMemory::copy_in(Bytes from, void* to, DeviceStream* stream) const {
  return copy(from.data(), cpu_memory(), to, handle_, from.size(), stream);
}

Status PluginMemory::copy_out(const void* from, std::span<std::byte> to,
                              DeviceStream* stream) const {
  return copy(from, handle_, to.data(), cpu_memory(), to.size(), stream);
}

Status PluginMemory::copy_within(const void* from, void* to, uint64_t bytes,
                                 DeviceStream* stream) const {
  if (!copies_within_) return DeviceMemory::copy_within(from, to, bytes, stream);
  return copy(from, handle_, to, handle_, bytes, stream);
}

// What copies from there to here: this library's, or that of the other memory. Null: neither does.
Result<const PluginTransfer*> PluginMemory::transfer_from(const PluginMemory& other) const {
  for (const EpInstance* ep : {ep_.get(), other.ep_.get()}) {
    const PluginTransfer* const transfer = ep->factory().transfer();
    if (transfer == nullptr) continue;
    ASSIGN_OR_RETURN(const bool can, transfer->can_copy(other.handle_, handle_));
    if (can) return transfer;
  }
  return nullptr;
}

Result<bool> PluginMemory::takes_from(const DeviceMemory& other) const {
  const auto* const known = dynamic_cast<const PluginMemory*>(&other);
  if (known == nullptr || is_same_memory(known->info(), info())) return false;
  ASSIGN_OR_RETURN(const PluginTransfer* const transfer, transfer_from(*known));
  return transfer != nullptr;
}

Status PluginMemory::copy_across(const DeviceMemory& other, const void* from,
                                 DeviceStream* from_stream, void* to, uint64_t bytes,
                                 DeviceStream* to_stream) const {
  if (bytes == 0) return Status::ok();
  const auto& source_memory = static_cast<const PluginMemory&>(other);
  ASSIGN_OR_RETURN(const PluginTransfer* const transfer, transfer_from(source_memory));
  if (transfer == nullptr) {  // takes_from() was told something else
    return make_status(Code::kEpFail, "neither ", source_memory.ep_->factory().name(), " nor ",
                       ep_->factory().name(), " copies from '", source_memory.handle_.name,
                       "' to '", handle_.name, "' any more");
  }
  ASSIGN_OR_RETURN(OrtValue source, bytes_at(from, bytes, source_memory.handle_));
  ASSIGN_OR_RETURN(OrtValue target, bytes_at(to, bytes, handle_));
  source.lent.is_lent = target.lent.is_lent = true;
  auto* const producer = static_cast<OrtSyncStream*>(from_stream);
  auto* const consumer = static_cast<OrtSyncStream*>(to_stream);
  const bool is_ours = transfer == ep_->factory().transfer();
  // Whoever copies waits for the other device: for what it makes, or may still do with the room.
  OrtSyncStream* const copying = is_ours ? consumer : producer;
  OrtSyncStream* const waiting = is_ours ? producer : consumer;
  RETURN_IF_ERROR(order(waiting, copying));
  RETURN_IF_ERROR(transfer->copy(source, target, copying));
  return is_ours ? Status::ok() : order(producer, consumer);
}

Result<std::unique_ptr<DeviceStream>> PluginMemory::make_stream() const {
  if (!ep_->factory().is_stream_aware()) return std::unique_ptr<DeviceStream>();
  ASSIGN_OR_RETURN(auto made, OrtSyncStream::create(ep_, handle_));
  made->lend();
  return std::unique_ptr<DeviceStream>(std::move(made));
}

Result<PluginMemories> PluginMemories::create(const std::shared_ptr<const EpInstance>& ep) {
  PluginMemories made;
  const auto& offers = ep->memories();
  ASSIGN_OR_RETURN(const OrtMemoryInfo wanted, ep->default_memory());
  const auto constants = std::ranges::find_if(offers, [](const OrtMemoryInfo& offer) {
    return offer.allocator_type == OrtReadOnlyAllocator;
  });
  for (const OrtMemoryInfo& offer : offers) {
    if (offer.allocator_type == OrtReadOnlyAllocator ||
        offer.device_type == OrtMemoryInfoDeviceType_CPU) {
      continue;
    }
    const bool has_constants = constants != offers.end() && is_same_memory(offer, *constants);
    ASSIGN_OR_RETURN(auto memory,
                     PluginMemory::create(ep, offer, has_constants ? &*constants : nullptr));
    if (is_same_memory(offer, wanted) && !offer.is_host_readable()) made.values = memory;
    made.list.push_back(std::move(memory));
  }
  if (wanted.is_host_readable() || made.values != nullptr) return made;
  return make_status(Code::kEpFail, ep->factory().name(), " wants values in memory '", wanted.name,
                     "', which its devices do not offer");
}

}  // namespace ortc::api
