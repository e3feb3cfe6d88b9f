// SPDX-License-Identifier: MIT
// What a kernel from outside sees of one call: a ComputeCall in the shape of C values. Any
// thread may use it while the call lasts; afterwards it refuses, and its values are empty.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "core/api/env/logger_handle.h"
#include "core/api/kernel/lent_slots.h"
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
  // INVALID_ARGUMENT for a memory that no provider here serves.
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
  OrtKernelContext() = default;
  OrtKernelContext(const OrtKernelContext&) = delete;
  OrtKernelContext& operator=(const OrtKernelContext&) = delete;

  // Before the kernel is called.
  ortc::Status open(ortc::ComputeCall& call, const ortc::api::KernelServices& services);
  // After it has succeeded: outputs that do not lie in the call's memory go to the call.
  ortc::Status finish();
  // When it has returned.
  void close();

  // INVALID_ARGUMENT, all of them, when the call is over.
  ortc::Result<size_t> input_count() const;
  ortc::Result<size_t> output_count() const;
  ortc::Result<const OrtValue*> input(size_t i) const;
  ortc::Result<OrtValue*> output(size_t i, std::span<const int64_t> dims);
  // Null: not made yet.
  ortc::Result<OrtValue*> made_output(size_t i) const;
  ortc::Result<void*> scratch(const OrtMemoryInfo& memory, size_t bytes);
  ortc::Result<void*> compute_stream() const;
  ortc::Result<OrtSyncStream*> sync_stream() const;
  ortc::Result<std::shared_ptr<OrtAllocator>> allocator(const OrtMemoryInfo& memory) const;
  ortc::Result<const OrtLogger*> logger() const;
  ortc::Result<ortc::ThreadPool*> pool() const;  // null: the session has none

 private:
  // Values stay where they are as long as the process.
  struct Output {
    OrtValue value;
    bool is_made = false;
  };
  ortc::Status check_open() const;
  ortc::Status check_output_index(size_t i) const;
  ortc::Status take_inputs();
  ortc::Status make_output(size_t i, std::span<const int64_t> dims);

  mutable std::mutex mutex_;           // guards the rest
  ortc::ComputeCall* call_ = nullptr;  // null: the call is over
  const ortc::api::KernelServices* services_ = nullptr;
  std::deque<OrtValue> inputs_;  // no less than the call has
  mutable std::deque<Output> outputs_;
  std::vector<std::shared_ptr<void>> scratch_;
};

namespace ortc::api {

// A context for one call.
using LentKernelContext = LentSlots<OrtKernelContext>::Lease;

}  // namespace ortc::api
