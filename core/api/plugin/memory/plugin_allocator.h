// SPDX-License-Identifier: MIT
// An allocator of a library, as one of this library's: what it throws is no memory, and its factory
// stays as long as its memory is in use.
#pragma once

#include <memory>

#include "core/api/env/memory_info_handle.h"
#include "core/base/result.h"
#include "ort_c/allocator.h"
#include "ort_c/ort_api.h"

namespace ortc::api {

class EpInstance;
class PluginFactory;

// By the factory, for all sessions. EP_FAIL, naming the function, for an allocator that is missing,
// lacks functions or gives other memory.
Result<std::shared_ptr<OrtAllocator>> make_plugin_allocator(
    std::shared_ptr<const PluginFactory> factory, const OrtMemoryInfo& memory,
    const OrtKeyValuePairs* options);
// By the OrtEp of a session when it makes its own, else by its factory.
Result<std::shared_ptr<OrtAllocator>> make_plugin_allocator(
    const std::shared_ptr<const EpInstance>& ep, const OrtMemoryInfo& memory);

}  // namespace ortc::api
