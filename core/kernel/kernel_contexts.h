// SPDX-License-Identifier: MIT
// What the three functions of a kernel see (core/kernel/kernel_row.h says what they do).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "core/base/bytes.h"
#include "core/graph/graph.h"
#include "core/kernel/layout.h"
#include "core/kernel/value_ref.h"
#include "core/platform/cpu.h"
#include "core/platform/threads.h"

namespace ortc {

// What prepare sees. Implemented by the lowering (core/compile) and by the evaluator.
class PrepareContext {
 public:
  virtual ~PrepareContext() = default;
  virtual const Node& node() const = 0;
  virtual int64_t opset() const = 0;                    // of the node's domain
  virtual const Type& input_type(size_t i) const = 0;   // kNone when omitted
  virtual const Type& output_type(size_t i) const = 0;  // kNone when omitted
  virtual const Tensor* constant(size_t i) const = 0;   // null unless known at compile time
  size_t input_count() const { return node().inputs().size(); }
  size_t output_count() const { return node().outputs().size(); }
  bool has_input(size_t i) const { return node().input(i) != kNoValue; }
  bool has_output(size_t i) const { return node().output(i) != kNoValue; }

  // The step's record; at most once.
  template <typename T>
  void set_params(const T& record) {
    static_assert(std::is_standard_layout_v<T> && std::is_trivially_copyable_v<T>);
    set_params_bytes(Bytes(reinterpret_cast<const std::byte*>(&record), sizeof record));
  }
  virtual void set_params_bytes(Bytes record) = 0;
  // The step reads `packed` instead of constant input i. Equal packed tensors are stored once.
  virtual void replace_input(size_t i, Tensor packed, Layout layout) = 0;
  // The step does not read input i at run time (its contents went into the record).
  virtual void drop_input(size_t i) = 0;
  // Told between the pieces of long work how many bytes of constants it has packed since; a failure
  // ends it, and is what prepare gives.
  virtual Status advance(uint64_t) { return Status::ok(); }
};

// Of a record that is long enough but holds what no prepare writes: damaged_params("k is ", 0).
template <typename... Args>
Status damaged_params(const Args&... what) {
  return invalid_graph("its params record is damaged: ", what...);
}

class BindContext {
 public:
  // Null when the record is too small to be a T: refuse with bad_params().
  template <typename T>
  const T* params() const {
    return params_.size() >= sizeof(T) ? reinterpret_cast<const T*>(params_.data()) : nullptr;
  }
  Status bad_params() const;
  std::string_view kernel_id() const { return id_; }
  Bytes params_bytes() const { return params_; }
  int thread_count() const { return thread_count_; }
  Isa isa() const { return isa_; }

  size_t input_count() const { return inputs_.size(); }
  bool has_input(size_t i) const { return i < inputs_.size() && inputs_[i].is_present(); }
  // An omitted ValueRef for any i beyond the list.
  const ValueRef& input(size_t i) const { return i < inputs_.size() ? inputs_[i] : kOmitted; }
  size_t output_count() const { return outputs_.size(); }
  bool has_output(size_t i) const { return i < outputs_.size() && outputs_[i].wanted; }

  // Gives output i its type and shape. INVALID_GRAPH when a dim is negative or the size overflows.
  Status set_output(size_t i, DType dtype, std::span<const int64_t> dims);
  Status set_output(size_t i, DType dtype, std::initializer_list<int64_t> dims) {
    return set_output(i, dtype, std::span<const int64_t>(dims.begin(), dims.size()));
  }
  // Bytes of 64 B-aligned scratch for one run (all threads together).
  void set_scratch(uint64_t bytes) { scratch_ = bytes; }

  struct Output {
    bool wanted = false;
    bool is_set = false;
    DType dtype = DType::kUndefined;
    Dims dims;
  };
  BindContext(std::string_view id, Bytes params, std::span<const ValueRef> inputs,
              std::span<Output> outputs, int thread_count, Isa isa)
      : id_(id),
        params_(params),
        inputs_(inputs),
        outputs_(outputs),
        thread_count_(thread_count),
        isa_(isa) {}
  uint64_t scratch() const { return scratch_; }
  // The same step with other inputs and outputs: for kernels that compute by another kernel.
  BindContext with(std::span<const ValueRef> inputs, std::span<Output> outputs) const {
    return BindContext(id_, params_, inputs, outputs, thread_count_, isa_);
  }

 private:
  static const ValueRef kOmitted;
  std::string_view id_;
  Bytes params_;
  std::span<const ValueRef> inputs_;
  std::span<Output> outputs_;
  int thread_count_;
  Isa isa_;
  uint64_t scratch_ = 0;
};

class RunContext {
 public:
  // Gives a data-dependent kernel the memory of output i.
  using AllocateOutput = Status (*)(void* state, size_t i, DType dtype,
                                    std::span<const int64_t> dims, ValueRef* out);
  // Who runs the kernel: its threads, and its memory for results.
  struct Host {
    ThreadPool* pool = nullptr;  // null: run on the calling thread
    Isa isa = Isa::kGeneric;
    AllocateOutput allocate = nullptr;
    void* allocate_state = nullptr;
    // Takes a value of any kind as output i; the state is allocate's.
    Status (*give)(void* state, size_t i, Datum value) = nullptr;
    uint64_t call = 0;  // runs of this graph or body before this one, in the session
  };

  template <typename T>
  const T& params() const {  // bind has checked the size
    return *reinterpret_cast<const T*>(params_.data());
  }
  Isa isa() const { return host_.isa; }
  uint64_t call() const { return host_.call; }
  int thread_count() const { return host_.pool ? host_.pool->thread_count() : 1; }
  size_t input_count() const { return inputs_.size(); }
  bool has_input(size_t i) const { return i < inputs_.size() && inputs_[i].is_present(); }
  const ValueRef& input(size_t i) const { return inputs_[i]; }
  size_t output_count() const { return outputs_.size(); }
  bool has_output(size_t i) const { return i < outputs_.size() && outputs_[i].is_present(); }
  const ValueRef& output(size_t i) const { return outputs_[i]; }
  std::byte* scratch() const { return scratch_; }

  // Blocks of at most `grain` units, on all threads; see core/platform/threads.h.
  template <typename F>
  void parallel_for(int64_t count, int64_t grain, F&& body) const {
    if (host_.pool == nullptr) {
      for (int64_t begin = 0; begin < count; begin += grain) {
        body(begin, begin + grain < count ? begin + grain : count);
      }
      return;
    }
    host_.pool->parallel_for(count, grain, body);
  }
  // The same run with other inputs, outputs and scratch: for kernels that compute by another
  // kernel.
  RunContext with(std::span<const ValueRef> inputs, std::span<ValueRef> outputs,
                  std::byte* scratch) const {
    return RunContext(params_, inputs, outputs, scratch, host_);
  }
  // Only for rows with kDataDependent: the shape and memory of output i. output(i) is valid
  // afterwards.
  Status allocate_output(size_t i, DType dtype, std::span<const int64_t> dims);
  // The same with a finished value, of any kind. Its bytes must have no other owner.
  Status give_output(size_t i, Datum value);

  Bytes params_bytes() const { return params_; }
  const Host& host() const { return host_; }

  RunContext(Bytes params, std::span<const ValueRef> inputs, std::span<ValueRef> outputs,
             std::byte* scratch, const Host& host)
      : params_(params), inputs_(inputs), outputs_(outputs), scratch_(scratch), host_(host) {}

 private:
  Bytes params_;
  std::span<const ValueRef> inputs_;
  std::span<ValueRef> outputs_;
  std::byte* scratch_;
  const Host& host_;
};

}  // namespace ortc
