// SPDX-License-Identifier: MIT
// Allocators of the library: see the header.
#include "core/api/env/ort_allocators.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <optional>

#include "core/api/env/allocator.h"
#include "core/api/env/key_values_handle.h"
#include "core/api/guard.h"
#include "core/base/checked_math.h"

namespace ortc::api {
namespace {

struct ArenaAllocator : OrtAllocator, std::enable_shared_from_this<ArenaAllocator> {
  ArenaAllocator(const MemoryArena::Config& config, const OrtMemoryInfo& memory)
      : OrtAllocator{}, arena(config), info(memory) {}
  MemoryArena arena;
  OrtMemoryInfo info;
};

struct SystemAllocator : OrtAllocator, std::enable_shared_from_this<SystemAllocator> {
  explicit SystemAllocator(const OrtMemoryInfo& memory) : OrtAllocator{}, info(memory) {}
  OrtMemoryInfo info;
  std::atomic<uint64_t> allocations{0}, block_max{0};
};

struct AllocatorHandle : OrtAllocator {
  explicit AllocatorHandle(std::shared_ptr<OrtAllocator> of)
      : OrtAllocator{}, target_(std::move(of)) {
    const OrtMemoryInfo* const told = target_->Info(target_.get());
    if (told != nullptr) info = *told;
  }

  std::shared_ptr<OrtAllocator> target() const {
    const std::lock_guard lock(mutex_);
    return target_;
  }
  // From now on the target is `last`; the one before stays until its blocks are back.
  void end(std::shared_ptr<OrtAllocator> last) {
    const std::lock_guard lock(mutex_);
    target_.swap(last);
    if (blocks_ > 0 && ended_ == nullptr) ended_.swap(last);
  }
  void* count(void* block) {
    const std::lock_guard lock(mutex_);
    if (block != nullptr) ++blocks_;
    return block;
  }
  void free(void* block) {
    std::shared_ptr<OrtAllocator> giver;  // and perhaps its end, without the lock
    {
      const std::lock_guard lock(mutex_);
      giver = ended_ != nullptr ? ended_ : target_;
      if (block != nullptr && --blocks_ == 0) ended_.reset();
    }
    giver->Free(giver.get(), block);
  }

  std::shared_ptr<const void> kept;
  std::optional<OrtMemoryInfo> info;  // a copy: the target may end before the handle

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<OrtAllocator> target_, ended_;
  size_t blocks_ = 0;  // that the program has
};

// Stands for an allocator that is gone.
struct NoAllocator : OrtAllocator {
  explicit NoAllocator(OrtMemoryInfo memory) : OrtAllocator{}, info(std::move(memory)) {
    version = kAllocatorVersion;
    Alloc = Reserve = [](OrtAllocator*, size_t) -> void* { return nullptr; };
    Free = [](OrtAllocator*, void*) {};
    Info = [](const OrtAllocator* self) -> const OrtMemoryInfo* {
      return &static_cast<const NoAllocator*>(self)->info;
    };
  }
  const OrtMemoryInfo info;
};

MemoryArena& arena_of(OrtAllocator* allocator) {
  return static_cast<ArenaAllocator*>(allocator)->arena;
}

void* arena_alloc(OrtAllocator* allocator, size_t size) {
  return guard_value<void*>(nullptr, [&] { return arena_of(allocator).allocate(size); });
}

void* arena_reserve(OrtAllocator* allocator, size_t size) {
  return guard_value<void*>(nullptr, [&] { return arena_of(allocator).reserve(size); });
}

OrtStatus* arena_stats(const OrtAllocator* allocator, OrtKeyValuePairs** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    const MemoryArena::Stats stats = static_cast<const ArenaAllocator*>(allocator)->arena.stats();
    auto made = std::make_unique<OrtKeyValuePairs>();
    made->set("Limit", stats.limit == 0 ? "-1" : str_cat(stats.limit));
    made->set("InUse", str_cat(stats.in_use));
    made->set("TotalAllocated", str_cat(stats.total));
    made->set("MaxInUse", str_cat(stats.in_use_max));
    made->set("NumAllocs", str_cat(stats.allocations));
    made->set("NumReserves", str_cat(stats.reserves));
    made->set("NumArenaExtensions", str_cat(stats.extensions));
    made->set("NumArenaShrinkages", str_cat(stats.shrinkages));
    made->set("MaxAllocSize", str_cat(stats.block_max));
    *out = made.release();
    return {};
  });
}

OrtStatus* system_stats(const OrtAllocator* allocator, OrtKeyValuePairs** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    const auto* self = static_cast<const SystemAllocator*>(allocator);
    auto made = std::make_unique<OrtKeyValuePairs>();
    made->set("NumAllocs", str_cat(self->allocations.load()));
    made->set("MaxAllocSize", str_cat(self->block_max.load()));
    *out = made.release();
    return {};
  });
}

void* system_alloc(OrtAllocator* allocator, size_t size) {
  auto* self = static_cast<SystemAllocator*>(allocator);
  const auto rounded = checked_align_up(std::max<size_t>(size, 1), kBlockAlignment);
  void* block = rounded ? std::aligned_alloc(kBlockAlignment, *rounded) : nullptr;
  if (block == nullptr) return nullptr;
  ++self->allocations;
  uint64_t largest = self->block_max.load();
  while (largest < size && !self->block_max.compare_exchange_weak(largest, size)) {
  }
  return block;
}

AllocatorHandle& own(OrtAllocator* handle) { return *static_cast<AllocatorHandle*>(handle); }
const AllocatorHandle& own(const OrtAllocator* handle) {
  return *static_cast<const AllocatorHandle*>(handle);
}

void* handle_alloc(OrtAllocator* handle, size_t size) {
  const auto target = own(handle).target();
  return own(handle).count(target->Alloc(target.get(), size));
}

void* handle_reserve(OrtAllocator* handle, size_t size) {
  const auto target = own(handle).target();
  const bool has_reserve = target->version >= kVersionOfReserve && target->Reserve != nullptr;
  return own(handle).count(has_reserve ? target->Reserve(target.get(), size)
                                       : target->Alloc(target.get(), size));
}

OrtStatus* handle_stats(const OrtAllocator* handle, OrtKeyValuePairs** out) {
  const auto target = own(handle).target();
  if (target->version >= kVersionOfStats && target->GetStats != nullptr) {
    return target->GetStats(target.get(), out);
  }
  return guard([&]() -> Status {
    ORTC_OUT(out);
    *out = new OrtKeyValuePairs;
    return {};
  });
}

OrtStatus* handle_shrink(OrtAllocator* handle) {
  const auto target = own(handle).target();
  const bool has_shrink = target->version >= kVersionOfShrink && target->Shrink != nullptr;
  return has_shrink ? target->Shrink(target.get()) : nullptr;
}

}  // namespace

std::shared_ptr<OrtAllocator> make_arena_allocator(const MemoryArena::Config& config,
                                                   const OrtMemoryInfo& info) {
  auto made = std::make_shared<ArenaAllocator>(config, info);
  made->version = kAllocatorVersion;
  made->Alloc = arena_alloc;
  made->Free = [](OrtAllocator* self, void* block) {
    if (block != nullptr) arena_of(self).release(block);
  };
  made->Info = [](const OrtAllocator* self) -> const OrtMemoryInfo* {
    return &static_cast<const ArenaAllocator*>(self)->info;
  };
  made->Reserve = arena_reserve;
  made->GetStats = arena_stats;
  made->Shrink = [](OrtAllocator* self) -> OrtStatus* {
    arena_of(self).shrink();
    return nullptr;
  };
  return made;
}

std::shared_ptr<OrtAllocator> make_system_allocator(const OrtMemoryInfo& info) {
  auto made = std::make_shared<SystemAllocator>(info);
  made->version = kAllocatorVersion;
  made->Alloc = system_alloc;
  made->Free = [](OrtAllocator*, void* block) { std::free(block); };
  made->Info = [](const OrtAllocator* self) -> const OrtMemoryInfo* {
    return &static_cast<const SystemAllocator*>(self)->info;
  };
  made->Reserve = system_alloc;
  made->GetStats = system_stats;
  return made;
}

OrtAllocator* new_handle(std::shared_ptr<OrtAllocator> target, std::shared_ptr<const void> kept) {
  auto made = std::make_unique<AllocatorHandle>(std::move(target));
  made->kept = std::move(kept);
  made->version = kAllocatorVersion;
  made->Alloc = handle_alloc;
  made->Free = [](OrtAllocator* self, void* block) { own(self).free(block); };
  made->Info = [](const OrtAllocator* self) -> const OrtMemoryInfo* {
    return own(self).info ? &*own(self).info : nullptr;
  };
  made->Reserve = handle_reserve;
  made->GetStats = handle_stats;
  made->Shrink = handle_shrink;
  return made.release();
}

void release_handle(OrtAllocator* handle) {
  if (handle != nullptr && handle->Alloc == handle_alloc) {
    delete static_cast<AllocatorHandle*>(handle);
  }
}

void end_handle(OrtAllocator& handle, const OrtMemoryInfo& memory) {
  if (handle.Alloc == handle_alloc) own(&handle).end(std::make_shared<NoAllocator>(memory));
}

std::shared_ptr<OrtAllocator> keep(OrtAllocator& allocator) {
  if (allocator.Alloc == handle_alloc) return own(&allocator).target();
  if (allocator.Alloc == arena_alloc) {
    return static_cast<ArenaAllocator&>(allocator).shared_from_this();
  }
  if (allocator.Alloc == system_alloc) {
    return static_cast<SystemAllocator&>(allocator).shared_from_this();
  }
  return std::shared_ptr<OrtAllocator>(std::shared_ptr<OrtAllocator>(), &allocator);
}

Result<std::shared_ptr<void>> allocate_shared(std::shared_ptr<OrtAllocator> allocator,
                                              size_t size) {
  ASSIGN_OR_RETURN(void* block, allocate_anywhere(*allocator, size));
  return std::shared_ptr<void>(
      block, [allocator = std::move(allocator)](void* memory) { deallocate(*allocator, memory); });
}

std::shared_ptr<const TensorMaker> tensors_from(std::shared_ptr<OrtAllocator> allocator) {
  return std::make_shared<const TensorMaker>([allocator = std::move(allocator)](
                                                 DType dtype,
                                                 std::span<const int64_t> dims) -> Result<Tensor> {
    const auto count = checked_element_count(dims);
    const auto bytes = count ? dtype_bytes(dtype, static_cast<uint64_t>(*count)) : std::nullopt;
    if (!bytes) return Tensor::create_unset(dtype, Dims(dims.begin(), dims.end()));
    ASSIGN_OR_RETURN(std::shared_ptr<void> block, allocate_shared(allocator, *bytes));
    const auto* data = static_cast<const std::byte*>(block.get());
    return Tensor::view(dtype, Dims(dims.begin(), dims.end()), {data, *bytes}, std::move(block));
  });
}

}  // namespace ortc::api
