// SPDX-License-Identifier: MIT
// ort_c/allocator.h: memory descriptions and the CPU allocator.
#include <cstdlib>
#include <cstring>

#include "core/api/env/allocator.h"
#include "core/api/env/key_values_handle.h"
#include "core/api/env/memory_info_handle.h"
#include "core/api/env/ort_allocators.h"
#include "core/api/guard.h"
#include "core/api/plugin/memory/plugin_memory.h"
#include "core/api/session/session_handle.h"
#include "core/base/checked_math.h"
#include "ort_c/allocator.h"

namespace ortc::api {
namespace {

void* allocate_block(OrtAllocator*, size_t size) {
  const auto rounded = checked_align_up(size == 0 ? 1 : size, kBlockAlignment);
  return rounded ? std::aligned_alloc(kBlockAlignment, *rounded) : nullptr;
}

void free_block(OrtAllocator*, void* block) { std::free(block); }

// Memory that ONNX Runtime's providers name.
struct NamedMemory {
  std::string_view name;
  OrtMemoryInfoDeviceType device_type;
  uint32_t vendor_id;
  OrtDeviceMemoryType device_mem_type;
  std::string_view name_now = {};  // of an old name
};
constexpr auto kOwn = OrtDeviceMemoryType_DEFAULT;
constexpr auto kHost = OrtDeviceMemoryType_HOST_ACCESSIBLE;
constexpr NamedMemory kNamedMemories[] = {
    {"Cpu", OrtMemoryInfoDeviceType_CPU, 0, kOwn},
    {"Cuda", OrtMemoryInfoDeviceType_GPU, 0x10de, kOwn},
    {"CudaPinned", OrtMemoryInfoDeviceType_GPU, 0x10de, kHost},
    {"Hip", OrtMemoryInfoDeviceType_GPU, 0x1002, kOwn},
    {"HipPinned", OrtMemoryInfoDeviceType_GPU, 0x1002, kHost},
    {"Cann", OrtMemoryInfoDeviceType_NPU, 0x19e5, kOwn},
    {"CannPinned", OrtMemoryInfoDeviceType_NPU, 0x19e5, kHost},
    {"DML", OrtMemoryInfoDeviceType_GPU, 0x1414, kOwn},
    {"OpenVINO_CPU", OrtMemoryInfoDeviceType_CPU, 0x8086, kOwn},
    {"OpenVINO_GPU", OrtMemoryInfoDeviceType_GPU, 0x8086, kOwn},
    {"OpenVINO_RT", OrtMemoryInfoDeviceType_GPU, 0x8086, kOwn},
    {"OpenVINO_RT_NPU", OrtMemoryInfoDeviceType_NPU, 0x8086, kOwn},
    {"QnnHtpShared", OrtMemoryInfoDeviceType_NPU, 0x5143, kHost},
    {"WebGPU_Buf", OrtMemoryInfoDeviceType_GPU, 0, kOwn},
    {"WebNN_Ten", OrtMemoryInfoDeviceType_GPU, 0, kOwn},
    // Their names until 1.24, which programs still use.
    {"WebGPU_Buffer", OrtMemoryInfoDeviceType_GPU, 0, kOwn, "WebGPU_Buf"},
    {"WebNN_Tensor", OrtMemoryInfoDeviceType_GPU, 0, kOwn, "WebNN_Ten"},
};

Status check_allocator_type(const OrtAllocatorType& type) {
  const int32_t number = number_of(type);
  if (number >= OrtInvalidAllocator && number <= OrtReadOnlyAllocator) return {};
  return invalid_argument("the allocator type is ", number,
                          ", expected a value of OrtAllocatorType");
}

Status check_mem_type(const OrtMemType& type) {
  const int32_t number = number_of(type);
  if (number >= OrtMemTypeCPUInput && number <= OrtMemTypeDefault) return {};
  return invalid_argument("'mem_type' is ", number, ", expected a value of OrtMemType");
}

Status check_device(const OrtMemoryInfoDeviceType& device_type,
                    const OrtDeviceMemoryType& mem_type) {
  const int32_t device = number_of(device_type);
  if (device < OrtMemoryInfoDeviceType_CPU || device > OrtMemoryInfoDeviceType_NPU) {
    return invalid_argument("'device_type' is ", device,
                            ", expected a value of OrtMemoryInfoDeviceType");
  }
  const int32_t memory = number_of(mem_type);
  if (memory != OrtDeviceMemoryType_DEFAULT && memory != OrtDeviceMemoryType_HOST_ACCESSIBLE) {
    return invalid_argument("'mem_type' is ", memory, ", expected a value of OrtDeviceMemoryType");
  }
  return {};
}

}  // namespace

// These objects are never destroyed, because programs may use them while they exit, and need no
// memory: they are there when it is short.
const OrtMemoryInfo& cpu_memory() {
  alignas(OrtMemoryInfo) static std::byte place[sizeof(OrtMemoryInfo)];
  static const OrtMemoryInfo* const memory = new (place) OrtMemoryInfo;
  return *memory;
}

OrtAllocator& default_allocator() {
  static OrtAllocator allocator = [] {
    OrtAllocator made{};
    made.version = kAllocatorVersion;
    made.Alloc = allocate_block;
    made.Free = free_block;
    made.Info = [](const OrtAllocator*) { return &cpu_memory(); };
    made.Reserve = allocate_block;
    return made;
  }();
  return allocator;
}

Status check_on_host(const OrtAllocator& allocator) {
  const OrtMemoryInfo* const info =
      allocator.Info != nullptr ? allocator.Info(&allocator) : nullptr;
  if (info == nullptr || info->is_host_readable()) return {};
  return invalid_argument("the allocator gives memory '", info->name,
                          "' of a device, which the host cannot write");
}

Result<void*> allocate(OrtAllocator& allocator, size_t size) {
  RETURN_IF_ERROR(check_on_host(allocator));
  return allocate_anywhere(allocator, size);
}

Result<void*> allocate_anywhere(OrtAllocator& allocator, size_t size) {
  if (allocator.Alloc == nullptr) return invalid_argument("the allocator has no function Alloc");
  void* block = allocator.Alloc(&allocator, size);
  if (block == nullptr && size != 0) {
    return make_status(Code::kRuntimeException, "the allocator gave no memory for ", size,
                       " bytes");
  }
  return block;
}

void deallocate(OrtAllocator& allocator, void* block) {
  if (block != nullptr && allocator.Free != nullptr) allocator.Free(&allocator, block);
}

Result<char*> copy_text(OrtAllocator& allocator, std::string_view text) {
  ASSIGN_OR_RETURN(void* block, allocate(allocator, text.size() + 1));
  char* copy = static_cast<char*>(block);
  if (!text.empty()) std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtGetAllocatorWithDefaultOptions(OrtAllocator** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    *out = &api::default_allocator();
    return {};
  });
}

OrtStatus* OrtAllocatorAlloc(OrtAllocator* ort_allocator, size_t size, void** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(ort_allocator);
    ASSIGN_OR_RETURN(*out, api::allocate_anywhere(*ort_allocator, size));
    return {};
  });
}

OrtStatus* OrtAllocatorFree(OrtAllocator* ort_allocator, void* p) {
  return guard([&]() -> Status {
    ORTC_NEEDED(ort_allocator);
    if (p == nullptr) return {};
    if (ort_allocator->Free == nullptr) {
      return invalid_argument("the allocator has no function Free");
    }
    ort_allocator->Free(ort_allocator, p);
    return {};
  });
}

OrtStatus* OrtAllocatorGetInfo(const OrtAllocator* ort_allocator,
                               const struct OrtMemoryInfo** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(ort_allocator);
    if (ort_allocator->Info == nullptr) {
      return invalid_argument("the allocator has no function Info");
    }
    *out = ort_allocator->Info(ort_allocator);
    return {};
  });
}

OrtStatus* OrtCreateCpuMemoryInfo(enum OrtAllocatorType type, enum OrtMemType mem_type,
                                  OrtMemoryInfo** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    RETURN_IF_ERROR(api::check_allocator_type(type));
    RETURN_IF_ERROR(api::check_mem_type(mem_type));
    auto info = std::make_unique<OrtMemoryInfo>();
    info->allocator_type = type;
    info->mem_type = mem_type;
    *out = info.release();
    return {};
  });
}

OrtStatus* OrtCreateMemoryInfo(const char* name, enum OrtAllocatorType type, int id,
                               enum OrtMemType mem_type, OrtMemoryInfo** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(name);
    RETURN_IF_ERROR(api::check_allocator_type(type));
    RETURN_IF_ERROR(api::check_mem_type(mem_type));
    std::vector<std::string_view> names;
    for (const api::NamedMemory& memory : api::kNamedMemories) {
      names.push_back(memory.name);
      if (memory.name != name) continue;
      auto info = std::make_unique<OrtMemoryInfo>();
      info->name = memory.name_now.empty() ? memory.name : memory.name_now;
      info->device_type = memory.device_type;
      info->vendor_id = memory.vendor_id;
      info->device_id = id;
      info->mem_type = mem_type;
      info->device_mem_type = memory.device_mem_type;
      info->allocator_type = type;
      *out = info.release();
      return {};
    }
    const std::string near = nearest_name(name, names);
    return invalid_argument("no memory is called '", name, "'",
                            near.empty() ? std::string() : str_cat("; did you mean '", near, "'?"));
  });
}

OrtStatus* OrtCreateMemoryInfo_V2(const char* name, enum OrtMemoryInfoDeviceType device_type,
                                  uint32_t vendor_id, int32_t device_id,
                                  enum OrtDeviceMemoryType mem_type, size_t alignment,
                                  enum OrtAllocatorType allocator_type, OrtMemoryInfo** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(name);
    RETURN_IF_ERROR(api::check_device(device_type, mem_type));
    RETURN_IF_ERROR(api::check_allocator_type(allocator_type));
    if ((alignment & (alignment - 1)) != 0) {
      return invalid_argument("'alignment' is ", alignment, ", expected a power of two or 0");
    }
    auto info = std::make_unique<OrtMemoryInfo>();
    info->name = name;
    info->device_type = device_type;
    info->vendor_id = vendor_id;
    info->device_id = device_id;
    info->device_mem_type = mem_type;
    info->alignment = alignment;
    info->allocator_type = allocator_type;
    *out = info.release();
    return {};
  });
}

OrtStatus* OrtCompareMemoryInfo(const OrtMemoryInfo* info1, const OrtMemoryInfo* info2, int* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(info1);
    ORTC_NEEDED(info2);
    *out = *info1 == *info2 ? 0 : -1;
    return {};
  });
}

OrtStatus* OrtMemoryInfoGetName(const OrtMemoryInfo* ptr, const char** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(ptr);
    *out = ptr->name.c_str();
    return {};
  });
}

OrtStatus* OrtMemoryInfoGetId(const OrtMemoryInfo* ptr, int* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(ptr);
    *out = ptr->device_id;
    return {};
  });
}

OrtStatus* OrtMemoryInfoGetMemType(const OrtMemoryInfo* ptr, OrtMemType* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(ptr);
    *out = ptr->mem_type;
    return {};
  });
}

OrtStatus* OrtMemoryInfoGetType(const OrtMemoryInfo* ptr, OrtAllocatorType* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(ptr);
    *out = ptr->allocator_type;
    return {};
  });
}

void OrtMemoryInfoGetDeviceType(const OrtMemoryInfo* ptr, OrtMemoryInfoDeviceType* out) {
  if (ptr != nullptr && out != nullptr) *out = ptr->device_type;
}

OrtDeviceMemoryType OrtMemoryInfoGetDeviceMemType(const OrtMemoryInfo* ptr) {
  return ptr != nullptr ? ptr->device_mem_type : OrtDeviceMemoryType_DEFAULT;
}

uint32_t OrtMemoryInfoGetVendorId(const OrtMemoryInfo* ptr) {
  return ptr != nullptr ? ptr->vendor_id : 0;
}

void OrtReleaseMemoryInfo(OrtMemoryInfo* info) { delete info; }

OrtStatus* OrtCreateAllocator(const OrtSession* session, const OrtMemoryInfo* mem_info,
                              OrtAllocator** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(session);
    ORTC_NEEDED(mem_info);
    if (!api::is_same_memory(*mem_info, api::cpu_memory())) {
      ASSIGN_OR_RETURN(const Session* const runnable, session->model.runnable());
      const auto memory = std::dynamic_pointer_cast<const api::PluginMemory>(
          runnable->device_memory(api::core_memory_of(*mem_info)));
      if (memory != nullptr) {
        *out = api::new_handle(memory->allocator(), session->model.kept());
        return {};
      }
      return invalid_argument("no requested allocator is available: the session uses no memory '",
                              mem_info->name, "' of device ", mem_info->device_id);
    }
    std::shared_ptr<OrtAllocator> target = session->allocator;
    if (target == nullptr && mem_info->allocator_type == OrtArenaAllocator) {
      target = session->arena;
    }
    if (target == nullptr) target = api::make_system_allocator(*mem_info);
    *out = api::new_handle(std::move(target), session->model.kept());
    return {};
  });
}

void OrtReleaseAllocator(OrtAllocator* input) { api::release_handle(input); }

OrtStatus* OrtAllocatorGetStats(const OrtAllocator* ort_allocator, OrtKeyValuePairs** out) {
  // The allocator's own status is passed on as it is.
  OrtStatus* own = nullptr;
  OrtStatus* status = guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(ort_allocator);
    if (ort_allocator->version >= api::kVersionOfStats && ort_allocator->GetStats != nullptr) {
      own = ort_allocator->GetStats(ort_allocator, out);
      return {};
    }
    *out = new OrtKeyValuePairs;
    return {};
  });
  return own != nullptr ? own : status;
}

}  // extern "C"
