// SPDX-License-Identifier: MIT
// ort_c/sync_stream.h: copies between memories, and streams of devices.
#include <cstring>

#include "core/api/env/device_handles.h"
#include "core/api/env/env_handle.h"
#include "core/api/env/key_values_handle.h"
#include "core/api/guard.h"
#include "core/api/plugin/memory/sync_stream_handle.h"
#include "core/api/plugin/plugin_factory.h"
#include "core/api/session/run_values.h"
#include "core/api/value/value_handle.h"
#include "ort_c/sync_stream.h"

namespace ortc::api {
namespace {

// By the first library that knows both memories. A stream is of one library, which alone can read
// it.
Status copy_by_library(const OrtEnv& env, const OrtValue& source, OrtValue& target,
                       OrtSyncStream* stream) {
  const PluginFactory* other = nullptr;  // that copies, but not in the order of the stream
  const Factories factories = env.shared->environment->providers().factories();
  for (const auto& factory : factories) {
    const auto* const plugin = dynamic_cast<const PluginFactory*>(factory.get());
    if (plugin == nullptr || plugin->transfer() == nullptr) continue;
    ASSIGN_OR_RETURN(const bool can, plugin->transfer()->can_copy(source.memory, target.memory));
    if (!can) continue;
    if (stream == nullptr || &stream->factory().library() == &plugin->library()) {
      return plugin->transfer()->copy(source, target, stream);
    }
    other = plugin;
  }
  if (other != nullptr) {
    return invalid_argument("'stream' belongs to ", stream->factory().name(), ", but ",
                            other->name(), " copies from memory '", source.memory.name,
                            "' to memory '", target.memory.name, "'");
  }
  return invalid_argument("no provider copies from memory '", source.memory.name, "' to memory '",
                          target.memory.name, "'");
}

Status copy_tensor(const OrtEnv& env, size_t index, const OrtValue* source, OrtValue* target,
                   OrtSyncStream* stream) {
  if (source == nullptr || target == nullptr) {
    return invalid_argument("'src_tensors[", index, "]' and 'dst_tensors[", index,
                            "]' must not be NULL");
  }
  const Tensor& from = source->tensor;
  Tensor& to = target->tensor;
  if (!from.is_defined() || !to.is_defined()) {
    return invalid_argument("value ", index, " is not a tensor");
  }
  if (from.dtype() != to.dtype() || from.dims() != to.dims()) {
    return invalid_argument("tensor ", index, ": the source is ", dtype_name(from.dtype()),
                            dims_to_string(from.dims()), ", the target ", dtype_name(to.dtype()),
                            dims_to_string(to.dims()));
  }
  const bool are_on_host = source->memory.is_host_readable() && target->memory.is_host_readable();
  if (overlap(*source, *target))
    return invalid_argument("tensor ", index, ": source and target overlap");
  if (!are_on_host) {
    if (from.dtype() == DType::kString) {
      return invalid_argument("tensor ", index, ": texts lie on the host only");
    }
    if (from.byte_size() == 0) return {};
    RETURN_IF_ERROR_WHILE(copy_by_library(env, *source, *target, stream), "tensor ", index);
    return {};
  }
  if (stream != nullptr) return invalid_argument("'stream' is not a stream of this library");
  if (from.dtype() == DType::kString) {
    const auto texts = from.string_elements();
    std::copy(texts.begin(), texts.end(), to.mutable_string_elements().begin());
    return {};
  }
  if (from.byte_size() != 0) std::memcpy(to.mutable_data(), from.data(), from.byte_size());
  return {};
}

}  // namespace
}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtCreateSyncStreamForEpDevice(const OrtEpDevice* ep_device,
                                          const OrtKeyValuePairs* stream_options,
                                          OrtSyncStream** stream) {
  return guard([&]() -> Status {
    ORTC_OUT(stream);
    ORTC_NEEDED(ep_device);
    ASSIGN_OR_RETURN(const auto device, ep_device->registered());
    auto factory = std::dynamic_pointer_cast<const api::PluginFactory>(device->factory);
    const OrtMemoryInfo* const memory =
        OrtEpDevice_MemoryInfo(ep_device, OrtDeviceMemoryType_DEFAULT);
    if (factory == nullptr || memory == nullptr) {
      return invalid_argument("the device of ", ep_device->name,
                              " has no memory of its own, and so no streams");
    }
    ASSIGN_OR_RETURN(auto made, OrtSyncStream::create(std::move(factory), *memory, stream_options));
    *stream = made.release();
    return {};
  });
}

void* OrtSyncStream_GetHandle(OrtSyncStream* stream) {
  return api::is_alive(stream) ? stream->own_handle() : nullptr;
}

void OrtReleaseSyncStream(OrtSyncStream* input) {
  if (api::is_alive(input) && !input->is_lent()) delete input;
}

OrtStatus* OrtCopyTensors(const OrtEnv* env, const OrtValue* const* src_tensors,
                          OrtValue* const* dst_tensors, OrtSyncStream* stream, size_t num_tensors) {
  return guard([&]() -> Status {
    ORTC_NEEDED(env);
    ORTC_NEEDED(src_tensors);
    ORTC_NEEDED(dst_tensors);
    if (stream != nullptr) {
      ORTC_ALIVE(stream);
    }
    if (num_tensors == 0) return invalid_argument("'num_tensors' is 0, expected 1 or more");
    for (size_t i = 0; i < num_tensors; ++i) {
      RETURN_IF_ERROR(api::copy_tensor(*env, i, src_tensors[i], dst_tensors[i], stream));
    }
    return {};
  });
}

}  // extern "C"
