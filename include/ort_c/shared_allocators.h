// SPDX-License-Identifier: MIT
// Allocators that the sessions of an environment share. Sessions with
// `session.use_env_allocators=1` take the memory of their results, and of values whose size no one
// knows before, from the one that is registered for memory of the CPU.
#pragma once

#include "ort_c/allocator.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OrtArenaCfg OrtArenaCfg;

/// Describes an arena.
///
/// `max_mem`                   The most it may take from the system, in bytes; 0: no limit.
/// `arena_extend_strategy`     1: each extension is as large as needed; 0 and -1, the default:
///                             extensions double.
/// `initial_chunk_size_bytes`  The first extension; -1: the default.
/// `max_dead_bytes_per_chunk`  A block may be larger than asked for by that much; -1: the default.
/// `out`                       A new object; give it back with OrtReleaseArenaCfg(). NULL after a
///                             failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateArenaCfg(size_t max_mem, int arena_extend_strategy,
                                      int initial_chunk_size_bytes, int max_dead_bytes_per_chunk,
                                      OrtArenaCfg** out);

/// Describes an arena by keys: "max_mem", "arena_extend_strategy", "initial_chunk_size_bytes",
/// "max_dead_bytes_per_chunk", "initial_growth_chunk_size_bytes", "max_power_of_two_extend_bytes".
///
/// `arena_config_keys`    Borrowed.
/// `arena_config_values`  Borrowed. Their values, in the same order.
/// `num_keys`             How many.
/// `out`                  A new object; give it back with OrtReleaseArenaCfg(). NULL after a
/// failure.
///
/// Fails with INVALID_ARGUMENT for an unknown key. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateArenaCfgV2(const char* const* arena_config_keys,
                                        const size_t* arena_config_values, size_t num_keys,
                                        OrtArenaCfg** out);

/// Gives a description back.
///
/// `input`  Ends here. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseArenaCfg(OrtArenaCfg* input);

/// Makes an allocator for memory of the CPU and registers it, in place of one that is there.
///
/// `env`        Changed. Sessions that exist keep what they have.
/// `mem_info`   Borrowed. Memory of the CPU; with OrtArenaAllocator an arena is made.
/// `arena_cfg`  Borrowed. NULL means the defaults.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateAndRegisterAllocator(OrtEnv* env, const OrtMemoryInfo* mem_info,
                                                  const OrtArenaCfg* arena_cfg);

/// The same for an execution provider.
///
/// `provider_type`            "CPUExecutionProvider".
/// `provider_options_keys`    Must be NULL when `num_keys` is 0; the CPU provider has no options.
/// `provider_options_values`  As the keys.
/// `num_keys`                 How many.
///
/// Fails with INVALID_ARGUMENT, also for other providers. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateAndRegisterAllocatorV2(OrtEnv* env, const char* provider_type,
                                                    const OrtMemoryInfo* mem_info,
                                                    const OrtArenaCfg* arena_cfg,
                                                    const char* const* provider_options_keys,
                                                    const char* const* provider_options_values,
                                                    size_t num_keys);

/// Registers an allocator of the program, in place of one that is there for the same memory.
///
/// `env`        Changed. Sessions that exist keep what they have.
/// `allocator`  Borrowed: must live until the environment, its sessions and their values are gone.
///              Its description must say OrtDeviceAllocator, also when it is an arena inside.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtRegisterAllocator(OrtEnv* env, OrtAllocator* allocator);

/// Takes a registered allocator away. Sessions that use it keep it.
///
/// `mem_info`  Borrowed. The memory it was registered for.
///
/// Fails with INVALID_ARGUMENT when there is none. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtUnregisterAllocator(OrtEnv* env, const OrtMemoryInfo* mem_info);

/// Looks for a registered allocator. Those of devices of libraries are made at the first call, and
/// for plain memory of the CPU the one of OrtGetAllocatorWithDefaultOptions() stands in.
///
/// `mem_info`   Borrowed.
/// `allocator`  Borrowed; lives until the environment is released, also when it is unregistered
///              before. That of a library's device gives no memory from then on; what it gave may
///              still be freed. NULL when there is none.
///
/// Fails with INVALID_ARGUMENT, and as the library fails. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetSharedAllocator(OrtEnv* env, const OrtMemoryInfo* mem_info,
                                          OrtAllocator** allocator);

/// Makes the allocator of a device and registers it, in place of one that is there.
///
/// `ep_device`          A device from OrtGetEpDevices() with memory of its own.
/// `mem_type`           Which of its memories.
/// `allocator_type`     OrtDeviceAllocator, or OrtReadOnlyAllocator where the device has memory for
///                      constants.
/// `allocator_options`  Borrowed. NULL means the defaults.
/// `allocator`          Borrowed, as from OrtGetSharedAllocator(); NULL when the caller does not
///                      want it.
///
/// Fails with INVALID_ARGUMENT when the device has no such memory, and as the library fails.
/// Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateSharedAllocator(OrtEnv* env, const OrtEpDevice* ep_device,
                                             OrtDeviceMemoryType mem_type,
                                             OrtAllocatorType allocator_type,
                                             const OrtKeyValuePairs* allocator_options,
                                             OrtAllocator** allocator);

/// Takes the allocator of a device away. It ends when the last value and the last block of it have
/// ended.
///
/// `ep_device`  A device with memory of its own.
/// `mem_type`   Which of its memories.
///
/// Fails with INVALID_ARGUMENT when none is shared. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtReleaseSharedAllocator(OrtEnv* env, const OrtEpDevice* ep_device,
                                              OrtDeviceMemoryType mem_type);

#ifdef __cplusplus
}
#endif
