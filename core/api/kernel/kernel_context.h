// SPDX-License-Identifier: MIT
// What a kernel of somebody else's sees of one call: a ComputeCall in the shape of C values. Made
// for the call, on the stack of the thread that computes it.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "core/api/env/logger_handle.h"
#include "core/api/value/value_handle.h"
#include "core/provider/compute_object.h"
#include "ort_c/kernel_context.h"

namespace ortc::api {

// What stays the same from call to call. A provider with memory of its own says where values lie
// and who allocates there. Any number of threads may ask.
class KernelServices {
 public:
  explicit KernelServices(Logger logger) : logger_{std::move(logger)} {}
  virtual ~KernelServices() = default;
  KernelServices(const KernelServices&) = delete;
  KernelServices& operator=(const KernelServices&) = delete;

  const OrtLogger& logger() const { return logger_; }
  // Of those that lie on a device.
  virtual const OrtMemoryInfo& input_memory(size_t) const { return cpu_memory(); }
  virtual const OrtMemoryInfo& output_memory(size_t) const { return cpu_memory(); }
  // What is known of output i may forbid a shape.
  virtual Status check_output(size_t, std::span<const int64_t>) const { return Status::ok(); }
  // INVALID_ARGUMENT for a memory that nobody here serves.
  virtual Result<std::shared_ptr<OrtAllocator>> allocator(const OrtMemoryInfo& memory) const;
  // What kernels are shown for the call's stream: by its handle. Null: they know no such thing.
  virtual OrtSyncStream* sync_stream(void*) const { return nullptr; }
  virtual void* compute_stream(void* handle) const { return handle; }

 private:
  OrtLogger logger_;
};

}  // namespace ortc::api

struct OrtKernelContext {
 public:
  OrtKernelContext(ortc::ComputeCall& call, const ortc::api::KernelServices& services);
  OrtKernelContext(const OrtKernelContext&) = delete;
  OrtKernelContext& operator=(const OrtKernelContext&) = delete;

  // Before the kernel is called.
  ortc::Status take_inputs();
  // After it has succeeded: outputs that do not lie in the call's memory go to the call.
  ortc::Status finish();

  size_t input_count() const { return inputs_.size(); }
  size_t output_count() const { return outputs_.size(); }
  ortc::Result<const OrtValue*> input(size_t i) const;
  ortc::Result<OrtValue*> output(size_t i, std::span<const int64_t> dims);
  ortc::Result<void*> scratch(const OrtMemoryInfo& memory, size_t bytes);
  ortc::ComputeCall& call() const { return call_; }
  const ortc::api::KernelServices& services() const { return services_; }

 private:
  ortc::Result<std::unique_ptr<OrtValue>> make_output(size_t i, std::span<const int64_t> dims);

  ortc::ComputeCall& call_;
  const ortc::api::KernelServices& services_;
  std::vector<OrtValue> inputs_;
  std::mutex mutex_;  // guards the rest
  std::vector<std::unique_ptr<OrtValue>> outputs_;
  std::vector<std::shared_ptr<void>> scratch_;
};
