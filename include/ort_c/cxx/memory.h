// SPDX-License-Identifier: MIT
// What kind of memory something is in, and who hands it out.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ort_c/cxx/key_values.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

struct Session;

namespace detail {

template <typename T>
struct MemoryInfoImpl : Base<T> {
  using Base<T>::Base;

  std::string GetAllocatorName() const {
    const char* name = nullptr;
    ThrowOnError(ORT_CXX_CALL(MemoryInfoGetName)(this->p_, &name));
    return name;
  }
  OrtAllocatorType GetAllocatorType() const {
    OrtAllocatorType type = OrtInvalidAllocator;
    ThrowOnError(ORT_CXX_CALL(MemoryInfoGetType)(this->p_, &type));
    return type;
  }
  /// Which of several devices of one kind.
  int GetDeviceId() const {
    int id = 0;
    ThrowOnError(ORT_CXX_CALL(MemoryInfoGetId)(this->p_, &id));
    return id;
  }
  OrtMemoryInfoDeviceType GetDeviceType() const {
    OrtMemoryInfoDeviceType type = OrtMemoryInfoDeviceType_CPU;
    ORT_CXX_CALL(MemoryInfoGetDeviceType)(this->p_, &type);
    return type;
  }
  OrtMemType GetMemoryType() const {
    OrtMemType type = OrtMemTypeDefault;
    ThrowOnError(ORT_CXX_CALL(MemoryInfoGetMemType)(this->p_, &type));
    return type;
  }
  OrtDeviceMemoryType GetDeviceMemoryType() const {
    return ORT_CXX_CALL(MemoryInfoGetDeviceMemType)(this->p_);
  }
  /// 0 when there is none.
  uint32_t GetVendorId() const { return ORT_CXX_CALL(MemoryInfoGetVendorId)(this->p_); }

  /// Whether both mean the same memory.
  template <typename U>
  bool operator==(const MemoryInfoImpl<U>& other) const {
    int differ = 0;
    ThrowOnError(ORT_CXX_CALL(CompareMemoryInfo)(this->p_, other, &differ));
    return differ == 0;
  }
};

}  // namespace detail

/// A description that something else owns.
using ConstMemoryInfo = detail::MemoryInfoImpl<detail::Unowned<const OrtMemoryInfo>>;

/// A description of memory.
struct MemoryInfo : detail::MemoryInfoImpl<OrtMemoryInfo> {
  explicit MemoryInfo(std::nullptr_t) {}
  explicit MemoryInfo(OrtMemoryInfo* p) : MemoryInfoImpl(p) {}
  /// Memory of a device known by its name: "Cpu", or one of those that ONNX Runtime has.
  MemoryInfo(const char* name, OrtAllocatorType type, int id, OrtMemType mem_type) {
    ThrowOnError(ORT_CXX_CALL(CreateMemoryInfo)(name, type, id, mem_type, &p_));
  }
  /// Memory of a device known by its numbers. `alignment` is in bytes, a power of two; 0 for the
  /// default.
  MemoryInfo(const char* name, OrtMemoryInfoDeviceType device_type, uint32_t vendor_id,
             uint32_t device_id, OrtDeviceMemoryType mem_type, size_t alignment,
             OrtAllocatorType allocator_type) {
    ThrowOnError(ORT_CXX_CALL(CreateMemoryInfo_V2)(name, device_type, vendor_id,
                                                   static_cast<int32_t>(device_id), mem_type,
                                                   alignment, allocator_type, &p_));
  }
  /// Memory of the processor: what tensors over a program's own memory need.
  static MemoryInfo CreateCpu(OrtAllocatorType type, OrtMemType mem_type) {
    OrtMemoryInfo* info = nullptr;
    ThrowOnError(ORT_CXX_CALL(CreateCpuMemoryInfo)(type, mem_type, &info));
    return MemoryInfo(info);
  }

  ConstMemoryInfo GetConst() const { return ConstMemoryInfo(p_); }
};

/// A block of an allocator, given back at the end. The allocator must live as long.
struct MemoryAllocation {
  MemoryAllocation(OrtAllocator* allocator, void* p, size_t size)
      : block_(static_cast<char*>(p), {allocator}), size_(size) {}

  void* get() { return block_.get(); }
  /// In bytes.
  size_t size() const { return size_; }

 private:
  AllocatedStringPtr block_;
  size_t size_;
};

namespace detail {

template <typename T>
struct AllocatorImpl : Base<T> {
  using Base<T>::Base;

  /// `size` bytes, aligned for any element type; give them back with Free().
  void* Alloc(size_t size) {
    void* block = nullptr;
    ThrowOnError(ORT_CXX_CALL(AllocatorAlloc)(this->p_, size, &block));
    return block;
  }
  /// The same as an object that gives them back.
  MemoryAllocation GetAllocation(size_t size) {
    return MemoryAllocation(this->p_, Alloc(size), size);
  }
  void Free(void* block) { ThrowOnError(ORT_CXX_CALL(AllocatorFree)(this->p_, block)); }
  /// Borrowed from the allocator.
  ConstMemoryInfo GetInfo() const {
    const OrtMemoryInfo* info = nullptr;
    ThrowOnError(ORT_CXX_CALL(AllocatorGetInfo)(this->p_, &info));
    return ConstMemoryInfo(info);
  }
  /// Figures as texts: "InUse", "MaxInUse" and more; empty for allocators that do not count.
  KeyValuePairs GetStats() const {
    OrtKeyValuePairs* stats = nullptr;
    ThrowOnError(ORT_CXX_CALL(AllocatorGetStats)(this->p_, &stats));
    return KeyValuePairs(stats);
  }
};

}  // namespace detail

/// An allocator that something else owns.
using UnownedAllocator = detail::AllocatorImpl<detail::Unowned<OrtAllocator>>;

/// The library's CPU allocator: one for the whole process.
struct AllocatorWithDefaultOptions : UnownedAllocator {
  explicit AllocatorWithDefaultOptions(std::nullptr_t) {}
  AllocatorWithDefaultOptions() : AllocatorImpl(detail::default_allocator()) {}
};

/// A session's allocator. It keeps what it needs of the session, but blocks taken from it must be
/// given back before it ends.
struct Allocator : detail::AllocatorImpl<OrtAllocator> {
  explicit Allocator(std::nullptr_t) {}
  /// Takes a handle over that a C function made.
  explicit Allocator(OrtAllocator* p) : AllocatorImpl(p) {}
  Allocator(const Session& session, const OrtMemoryInfo* mem_info);
};

/// How an arena grows. -1 (or 0 for `max_mem`) means the default.
struct ArenaCfg : detail::Base<OrtArenaCfg> {
  explicit ArenaCfg(std::nullptr_t) {}
  explicit ArenaCfg(OrtArenaCfg* p) : Base(p) {}
  ArenaCfg(size_t max_mem, int arena_extend_strategy, int initial_chunk_size_bytes,
           int max_dead_bytes_per_chunk) {
    ThrowOnError(ORT_CXX_CALL(CreateArenaCfg)(
        max_mem, arena_extend_strategy, initial_chunk_size_bytes, max_dead_bytes_per_chunk, &p_));
  }
  /// By names, as "max_mem"; see OrtCreateArenaCfgV2().
  explicit ArenaCfg(const std::unordered_map<std::string, size_t>& settings) {
    std::vector<const char*> keys;
    std::vector<size_t> values;
    for (const auto& [key, value] : settings) {
      keys.push_back(key.c_str());
      values.push_back(value);
    }
    ThrowOnError(ORT_CXX_CALL(CreateArenaCfgV2)(keys.data(), values.data(), keys.size(), &p_));
  }
};

/// Weights that sessions made with it do not keep twice.
struct PrepackedWeightsContainer : detail::Base<OrtPrepackedWeightsContainer> {
  explicit PrepackedWeightsContainer(std::nullptr_t) {}
  explicit PrepackedWeightsContainer(OrtPrepackedWeightsContainer* p) : Base(p) {}
  PrepackedWeightsContainer() { ThrowOnError(ORT_CXX_CALL(CreatePrepackedWeightsContainer)(&p_)); }
};

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
