// SPDX-License-Identifier: MIT
// ort_c/sync_stream.h: copies between memories; streams, of which there are none.
#include <cstring>

#include "core/api/env/device_handles.h"
#include "core/api/env/env_handle.h"
#include "core/api/env/key_values_handle.h"
#include "core/api/guard.h"
#include "core/api/session/run_values.h"
#include "core/api/value/value_handle.h"
#include "ort_c/sync_stream.h"

namespace ortc::api {
namespace {

Status copy_tensor(size_t index, const OrtValue* source, OrtValue* target) {
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
  if (from.dtype() == DType::kString) {
    const auto texts = from.string_elements();
    std::copy(texts.begin(), texts.end(), to.mutable_string_elements().begin());
    return {};
  }
  if (overlap(ref_to(from), ref_to(to)))
    return invalid_argument("tensor ", index, ": source and target overlap");
  if (from.byte_size() != 0) std::memcpy(to.mutable_data(), from.data(), from.byte_size());
  return {};
}

}  // namespace
}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtCreateSyncStreamForEpDevice(const OrtEpDevice* ep_device, const OrtKeyValuePairs*,
                                          OrtSyncStream** stream) {
  return guard([&]() -> Status {
    ORTC_OUT(stream);
    ORTC_NEEDED(ep_device);
    return invalid_argument("the device of ", ep_device->name,
                            " has no memory of its own, and so no streams");
  });
}

void* OrtSyncStream_GetHandle(OrtSyncStream*) { return nullptr; }

void OrtReleaseSyncStream(OrtSyncStream*) {}

OrtStatus* OrtCopyTensors(const OrtEnv* env, const OrtValue* const* src_tensors,
                          OrtValue* const* dst_tensors, OrtSyncStream* stream, size_t num_tensors) {
  return guard([&]() -> Status {
    ORTC_NEEDED(env);
    ORTC_NEEDED(src_tensors);
    ORTC_NEEDED(dst_tensors);
    if (num_tensors == 0) return invalid_argument("'num_tensors' is 0, expected 1 or more");
    if (stream != nullptr) return invalid_argument("'stream' is not a stream of this library");
    for (size_t i = 0; i < num_tensors; ++i) {
      RETURN_IF_ERROR(api::copy_tensor(i, src_tensors[i], dst_tensors[i]));
    }
    return {};
  });
}

}  // extern "C"
