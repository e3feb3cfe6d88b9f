// SPDX-License-Identifier: MIT
// ort_c/kernel_context.h: what a kernel sees of its call.
#include <algorithm>

#include "core/api/env/ort_allocators.h"
#include "core/api/guard.h"
#include "core/api/kernel/kernel_context.h"
#include "core/platform/threads.h"

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtKernelContext_GetInputCount(const OrtKernelContext* context, size_t* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(context);
    ASSIGN_OR_RETURN(*out, context->input_count());
    return {};
  });
}

OrtStatus* OrtKernelContext_GetOutputCount(const OrtKernelContext* context, size_t* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(context);
    ASSIGN_OR_RETURN(*out, context->output_count());
    return {};
  });
}

OrtStatus* OrtKernelContext_GetInput(const OrtKernelContext* context, size_t index,
                                     const OrtValue** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(context);
    ASSIGN_OR_RETURN(*out, context->input(index));
    return {};
  });
}

OrtStatus* OrtKernelContext_GetOutput(OrtKernelContext* context, size_t index,
                                      const int64_t* dim_values, size_t dim_count, OrtValue** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(context);
    if (dim_count != 0) ORTC_NEEDED(dim_values);
    ASSIGN_OR_RETURN(*out, context->output(index, {dim_values, dim_count}));
    return {};
  });
}

OrtStatus* OrtKernelContext_GetGPUComputeStream(const OrtKernelContext* context, void** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(context);
    ASSIGN_OR_RETURN(*out, context->compute_stream());
    return {};
  });
}

OrtStatus* OrtKernelContext_GetLogger(const OrtKernelContext* context, const OrtLogger** logger) {
  return guard([&]() -> Status {
    ORTC_OUT(logger);
    ORTC_NEEDED(context);
    ASSIGN_OR_RETURN(*logger, context->logger());
    return {};
  });
}

OrtStatus* OrtKernelContext_GetAllocator(const OrtKernelContext* context,
                                         const OrtMemoryInfo* mem_info, OrtAllocator** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(context);
    ORTC_NEEDED(mem_info);
    ASSIGN_OR_RETURN(auto allocator, context->allocator(*mem_info));
    *out = api::new_handle(std::move(allocator), nullptr);
    return {};
  });
}

OrtStatus* OrtKernelContext_GetResource(const OrtKernelContext* context, int, int resource_id,
                                        void** resource) {
  return guard([&]() -> Status {
    ORTC_OUT(resource);
    ORTC_NEEDED(context);
    return invalid_argument("the call has no stream with a resource ", resource_id);
  });
}

OrtStatus* OrtKernelContext_ParallelFor(const OrtKernelContext* context, void (*fn)(void*, size_t),
                                        size_t total, size_t num_batch, void* usr_data) {
  return guard([&]() -> Status {
    ORTC_NEEDED(context);
    ORTC_NEEDED(fn);
    if (total > INT64_MAX) return invalid_argument("'total' is ", total, ", which is too much");
    if (total == 0) return {};
    ASSIGN_OR_RETURN(ThreadPool* const pool, context->pool());
    const auto body = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) fn(usr_data, static_cast<size_t>(i));
    };
    const auto count = static_cast<int64_t>(total);
    if (pool == nullptr) {
      body(0, count);
      return {};
    }
    const size_t threads = static_cast<size_t>(std::max(pool->thread_count(), 1));
    const size_t parts = std::min(num_batch == 0 ? threads : num_batch, total);
    pool->parallel_for(count, static_cast<int64_t>((total + parts - 1) / parts), body);
    return {};
  });
}

OrtStatus* OrtKernelContext_GetScratchBuffer(const OrtKernelContext* context,
                                             const OrtMemoryInfo* mem_info, size_t count_or_bytes,
                                             void** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(context);
    ORTC_NEEDED(mem_info);
    // The context is const for the caller, who must not change what it shows.
    ASSIGN_OR_RETURN(*out,
                     const_cast<OrtKernelContext*>(context)->scratch(*mem_info, count_or_bytes));
    return {};
  });
}

OrtStatus* OrtKernelContext_GetSyncStream(const OrtKernelContext* context, OrtSyncStream** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(context);
    ASSIGN_OR_RETURN(*out, context->sync_stream());
    return {};
  });
}

}  // extern "C"
