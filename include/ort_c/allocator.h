// SPDX-License-Identifier: MIT
// Memory: what kind it is (OrtMemoryInfo), and who hands it out (OrtAllocator, an open struct that
// programs may implement themselves).
#pragma once

#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Hands out memory. A program that implements one sets `version` to the number of the interface it
/// was written for; newer members are then not read and may be missing or NULL.
///
/// All functions may be called from several threads at once.
typedef struct OrtAllocator {
  uint32_t version;
  /// Gives at least `size` bytes, aligned for any element type; NULL when there are none.
  void* (*Alloc)(struct OrtAllocator* this_ptr, size_t size);
  /// Takes a block back. NULL is allowed.
  void (*Free)(struct OrtAllocator* this_ptr, void* p);
  /// Tells what memory it is; lives as long as the allocator.
  const struct OrtMemoryInfo* (*Info)(const struct OrtAllocator* this_ptr);
  /// As Alloc, but for memory that stays long and that an arena should not grow for. From version
  /// 18; may be NULL.
  void* (*Reserve)(struct OrtAllocator* this_ptr, size_t size);
  /// Makes a list of figures; the caller releases it. From version 23; may be NULL.
  OrtStatus* (*GetStats)(const struct OrtAllocator* this_ptr, OrtKeyValuePairs** out);
  /// As Alloc, for use on one stream of a device. From version 23; may be NULL.
  void* (*AllocOnStream)(struct OrtAllocator* this_ptr, size_t size, OrtSyncStream* stream);
  /// Gives unused memory back to the system. From version 25; may be NULL.
  OrtStatus* (*Shrink)(struct OrtAllocator* this_ptr);
} OrtAllocator;

/// Gives the library's CPU allocator. Blocks are aligned to 64 bytes.
///
/// `out`  Borrowed: one object for the whole process; never release it. NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetAllocatorWithDefaultOptions(OrtAllocator** out);

/// Allocates a block.
///
/// `ort_allocator`  Borrowed.
/// `size`           In bytes. 0 may give NULL.
/// `out`            The block; give it back with OrtAllocatorFree() of the same allocator. NULL
///                  after a failure.
///
/// Fails with INVALID_ARGUMENT, or RUNTIME_EXCEPTION when memory is short. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtAllocatorAlloc(OrtAllocator* ort_allocator, size_t size, void** out);

/// Gives a block back: also the texts that other functions took from this allocator.
///
/// `ort_allocator`  Borrowed. The allocator that the block came from.
/// `p`              Ends here. NULL is allowed.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtAllocatorFree(OrtAllocator* ort_allocator, void* p);

/// Tells what memory an allocator hands out.
///
/// `ort_allocator`  Borrowed.
/// `out`            Borrowed; lives as long as the allocator. NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtAllocatorGetInfo(const OrtAllocator* ort_allocator,
                                        const struct OrtMemoryInfo** out);

/// Describes CPU memory. That is what OrtCreateTensorWithDataAsOrtValue() needs.
///
/// `type`      How the memory is got; OrtArenaAllocator or OrtDeviceAllocator.
/// `mem_type`  Usually OrtMemTypeDefault.
/// `out`       A new object; give it back with OrtReleaseMemoryInfo(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateCpuMemoryInfo(enum OrtAllocatorType type, enum OrtMemType mem_type,
                                           OrtMemoryInfo** out);

/// Describes memory of a device known by its name.
///
/// `name`      Copied. "Cpu", or a name that ONNX Runtime gives to the memory of its providers.
/// `type`      How the memory is got.
/// `id`        The number of the device.
/// `mem_type`  What the memory is for.
/// `out`       A new object; give it back with OrtReleaseMemoryInfo(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT for an unknown name. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateMemoryInfo(const char* name, enum OrtAllocatorType type, int id,
                                        enum OrtMemType mem_type, OrtMemoryInfo** out);

/// Describes memory of a device known by its numbers.
///
/// `name`            Copied. Free to choose.
/// `device_type`     The kind of device.
/// `vendor_id`       The vendor's number, 0 for none.
/// `device_id`       Which of several devices.
/// `mem_type`        Own memory of the device, or memory the host can reach.
/// `alignment`       In bytes, a power of two; 0 for the default.
/// `allocator_type`  How the memory is got.
/// `out`             A new object; give it back with OrtReleaseMemoryInfo(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateMemoryInfo_V2(const char* name,
                                           enum OrtMemoryInfoDeviceType device_type,
                                           uint32_t vendor_id, int32_t device_id,
                                           enum OrtDeviceMemoryType mem_type, size_t alignment,
                                           enum OrtAllocatorType allocator_type,
                                           OrtMemoryInfo** out);

/// Says whether two descriptions mean the same memory.
///
/// `info1`, `info2`  Borrowed.
/// `out`             0 when they are equal, -1 when they differ.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCompareMemoryInfo(const OrtMemoryInfo* info1, const OrtMemoryInfo* info2,
                                         int* out);

/// Tells the name.
///
/// `out`  Borrowed; lives as long as `ptr`. NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtMemoryInfoGetName(const OrtMemoryInfo* ptr, const char** out);

/// Tells the number of the device.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtMemoryInfoGetId(const OrtMemoryInfo* ptr, int* out);

/// Tells what the memory is for.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtMemoryInfoGetMemType(const OrtMemoryInfo* ptr, OrtMemType* out);

/// Tells how the memory is got.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtMemoryInfoGetType(const OrtMemoryInfo* ptr, OrtAllocatorType* out);

/// Tells the kind of device.
///
/// `out`  The kind; untouched when `ptr` is NULL.
///
/// Thread-safe. Since 1.0.
ORTC_API void OrtMemoryInfoGetDeviceType(const OrtMemoryInfo* ptr, OrtMemoryInfoDeviceType* out);

/// Tells where on the device the memory lies; DEFAULT when `ptr` is NULL.
///
/// Thread-safe. Since 1.0.
ORTC_API OrtDeviceMemoryType OrtMemoryInfoGetDeviceMemType(const OrtMemoryInfo* ptr);

/// Tells the vendor's number; 0 for none and when `ptr` is NULL.
///
/// Thread-safe. Since 1.0.
ORTC_API uint32_t OrtMemoryInfoGetVendorId(const OrtMemoryInfo* ptr);

/// Gives a description back. Not for those borrowed from an allocator, value or device.
///
/// `info`  Ends here. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseMemoryInfo(OrtMemoryInfo* info);

/// Gives the allocator of a session for one kind of memory.
///
/// `session`   Borrowed; the allocator keeps what it needs.
/// `mem_info`  Borrowed. Memory of the CPU, where OrtArenaAllocator gives an arena of the session;
///             or of a device that the session uses.
/// `out`       A new object; give it back with OrtReleaseAllocator(), after the blocks that were
///             got by OrtAllocatorAlloc(); values keep what they need. NULL after a failure.
///
/// Fails with INVALID_ARGUMENT for memory that the session does not use. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateAllocator(const OrtSession* session, const OrtMemoryInfo* mem_info,
                                       OrtAllocator** out);

/// Gives an allocator back that OrtCreateAllocator() made.
///
/// `input`  Ends here. NULL is allowed, and so is the library's own allocator, which stays.
///
/// Since 1.0.
ORTC_API void OrtReleaseAllocator(OrtAllocator* input);

/// Gives figures of an allocator: "InUse", "MaxInUse", "TotalAllocated", "NumAllocs" and more,
/// numbers as texts.
///
/// `ort_allocator`  Borrowed.
/// `out`            A new object; give it back with OrtReleaseKeyValuePairs(). Empty for allocators
///                  that do not count. NULL after a failure.
///
/// Fails with INVALID_ARGUMENT, or what the allocator says. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtAllocatorGetStats(const OrtAllocator* ort_allocator, OrtKeyValuePairs** out);

#ifdef __cplusplus
}
#endif
