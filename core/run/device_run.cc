// SPDX-License-Identifier: MIT
// Streams and copies of a run: see the header.
#include "core/run/device_run.h"

#include <algorithm>
#include <utility>

#include "core/base/checked_math.h"
#include "core/provider/linked_memory.h"

namespace ortc {
namespace {

// `allocate` gives the memory for a number of bytes.
template <typename Allocate>
Result<Tensor> make_on(const DeviceMemory& memory, DType dtype, std::span<const int64_t> dims,
                       Allocate&& allocate) {
  const auto count = checked_element_count(dims);
  const auto bytes = count ? dtype_bytes(dtype, static_cast<uint64_t>(*count)) : std::nullopt;
  if (!bytes || dtype == DType::kString) {
    return invalid_argument("a tensor ", dtype_name(dtype), dims_to_string(dims),
                            " cannot lie in memory '", memory.info().name, "'");
  }
  const uint64_t size = std::max<uint64_t>(*bytes, 1);
  Result<std::shared_ptr<void>> allocated = allocate(size);
  RETURN_IF_ERROR_WHILE(allocated.status(), *bytes, " bytes in memory '", memory.info().name, "'");
  const Bytes room(static_cast<const std::byte*>(allocated->get()), *bytes);
  return Tensor::view(dtype, Dims(dims.begin(), dims.end()), room, std::move(allocated).value());
}

// The lowering and the executor agree on types; a size is known then.
size_t bytes_of(const ValueRef& ref) {
  return dtype_bytes(ref.dtype, static_cast<uint64_t>(ref.element_count())).value_or(0);
}

}  // namespace

Result<Tensor> DeviceRun::make_tensor(MemoryNumber number, DType dtype,
                                      std::span<const int64_t> dims) {
  const DeviceMemory& memory = memories_.memory(number);
  ASSIGN_OR_RETURN(DeviceStream* const on, stream(memory));
  return make_on(memory, dtype, dims, [&](uint64_t size) {
    return on != nullptr ? memory.allocate_on(size, on) : memory.allocate(size);
  });
}

Result<DeviceStream*> DeviceRun::stream(const DeviceMemory& memory) {
  const DeviceMemory& ordering = memory.stream_memory();
  for (const Stream& known : streams_) {
    if (is_same_memory(known.memory->info(), ordering.info())) return known.stream;
  }
  if (given_.stream != nullptr && is_same_memory(*given_.memory, ordering.info())) {
    streams_.push_back({&ordering, nullptr, given_.stream});
    return given_.stream;
  }
  ASSIGN_OR_RETURN(auto made, ordering.make_stream());
  DeviceStream* const stream = made.get();
  streams_.push_back({&ordering, std::move(made), stream});
  return stream;
}

Status DeviceRun::copy(const ValueRef& from, MemoryNumber from_memory, const ValueRef& to,
                       MemoryNumber to_memory) {
  const size_t size = bytes_of(from);
  if (from_memory != kHostMemory && to_memory != kHostMemory) {
    const DeviceMemory &there = memories_.memory(from_memory), &here = memories_.memory(to_memory);
    ASSIGN_OR_RETURN(DeviceStream* const producer, stream(there));
    ASSIGN_OR_RETURN(DeviceStream* const consumer, stream(here));
    return static_cast<const LinkedMemory&>(here).copy_across(there, from.data, producer, to.data,
                                                              size, consumer);
  }
  if (to_memory != kHostMemory) {
    const DeviceMemory& memory = memories_.memory(to_memory);
    ASSIGN_OR_RETURN(DeviceStream* const on, stream(memory));
    return memory.copy_in({static_cast<const std::byte*>(from.data), size}, to.data, on);
  }
  const DeviceMemory& memory = memories_.memory(from_memory);
  ASSIGN_OR_RETURN(DeviceStream* const on, stream(memory));
  return memory.copy_out(from.data, {static_cast<std::byte*>(to.data), size}, on);
}

Status DeviceRun::copy_within(const ValueRef& from, void* to, MemoryNumber number) {
  const DeviceMemory& memory = memories_.memory(number);
  ASSIGN_OR_RETURN(DeviceStream* const on, stream(memory));
  return memory.copy_within(from.data, to, bytes_of(from), on);
}

Status DeviceRun::wait(MemoryNumber memory) {
  ASSIGN_OR_RETURN(DeviceStream* const on, stream(memories_.memory(memory)));
  return on != nullptr ? on->wait() : Status::ok();
}

void DeviceRun::keep(Datum value) {
  const bool works_ahead = std::any_of(streams_.begin(), streams_.end(),
                                       [](const Stream& one) { return one.stream != nullptr; });
  if (works_ahead) kept_.push_back(std::move(value));
}

Status DeviceRun::finish() {
  Status first = Status::ok();
  const auto note = [&](Status done) {
    if (first.is_ok()) first = std::move(done);
  };
  for (const Stream& one : streams_) {
    if (one.stream != nullptr) note(one.stream->wait());
  }
  kept_.clear();
  for (Stream& one : streams_) {
    if (one.stream != nullptr && !std::exchange(one.has_ended, true)) note(one.stream->end_run());
  }
  return first;
}

Result<Tensor> copy_constant(const DeviceMemory& memory, DType dtype, std::span<const int64_t> dims,
                             Bytes bytes) {
  ASSIGN_OR_RETURN(Tensor tensor, make_on(memory, dtype, dims, [&](uint64_t size) {
                     return memory.allocate_constant(size);
                   }));
  RETURN_IF_ERROR(memory.copy_in(bytes, tensor.mutable_data(), nullptr));
  return tensor;
}

}  // namespace ortc
