// SPDX-License-Identifier: MIT
// A Plan: a verified image, its kernels found in this library, and the bytes of its constants.
// Immutable; any number of threads run it at the same time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/kernel/kernel_registry.h"
#include "core/plan/plan_format.h"

namespace ortc {

struct PlanImage;

// Reads one table of an image; bounds were checked when the Plan was opened.
template <typename T>
class TableView {
 public:
  TableView() = default;
  TableView(const std::byte* base, const PlanTable& table)
      : base_(base + table.offset), count_(table.count), stride_(table.stride) {}
  uint32_t size() const { return count_; }
  const T& operator[](uint32_t i) const {
    return *reinterpret_cast<const T*>(base_ + size_t{i} * stride_);
  }

 private:
  const std::byte* base_ = nullptr;
  uint32_t count_ = 0;
  uint32_t stride_ = 0;
};

class Plan {
 public:
  // Checks every record of the image and finds every kernel; `tensors` are the constants in the
  // order of the tensor table. The image lies in memory that is written to no more: not in a
  // map of a file, which another process could change after it was checked. INVALID_GRAPH with
  // expected and found.
  static Result<std::shared_ptr<const Plan>> open(Blob image, std::vector<Blob> tensors,
                                                  const KernelRegistry& registry);
  // The same for an image that was made here: its constants may be strings, which no file holds.
  static Result<std::shared_ptr<const Plan>> open(PlanImage image, const KernelRegistry& registry);

  uint32_t body_count() const { return bodies_.size(); }
  const BodyRecord& body(uint32_t i) const { return bodies_[i]; }
  const SlotRecord& slot(const BodyRecord& body, uint32_t i) const {
    return slots_[body.slots.begin + i];
  }
  const StepRecord& step(const BodyRecord& body, uint32_t i) const {
    return steps_[body.steps.begin + i];
  }
  const KernelRow* kernel(const BodyRecord& body, uint32_t step) const {
    return kernels_[body.steps.begin + step];
  }
  // Entries of a range of the index table: slots or kNoIndex.
  std::span<const uint32_t> indices(PlanRange range) const {
    return {index_data_ + range.begin, range.count};
  }
  std::span<const int64_t> dims(uint32_t begin, uint32_t count) const {
    return {dim_data_ + begin, count};
  }
  std::string_view text(PlanRange range) const { return {text_data_ + range.begin, range.count}; }
  Bytes params(PlanRange range) const { return {params_data_ + range.begin, range.count}; }
  const TensorRecord& tensor(uint32_t i) const { return tensor_records_[i]; }
  uint32_t tensor_count() const { return tensor_records_.size(); }
  // Of strings: the std::string objects.
  const Blob& tensor_bytes(uint32_t i) const { return tensors_[i]; }
  const Blob& image() const { return image_; }

  std::string_view slot_name(const BodyRecord& body, uint32_t i) const {
    return text(slot(body, i).name);
  }

 private:
  friend class PlanChecker;
  Plan() = default;
  Blob image_;
  std::vector<Blob> tensors_;
  std::vector<const KernelRow*> kernels_;
  TableView<BodyRecord> bodies_;
  TableView<SlotRecord> slots_;
  TableView<StepRecord> steps_;
  TableView<TensorRecord> tensor_records_;
  const int64_t* dim_data_ = nullptr;
  const uint32_t* index_data_ = nullptr;
  const char* text_data_ = nullptr;
  const std::byte* params_data_ = nullptr;
};

// Every (kernel, contract, layout) that an image needs, as texts "gemm.f32:1:1", sorted, each once:
// a kernel stands there with 0, row-major, and with each layout that a constant of its has. The
// image must come from PlanBuilder or have been opened.
std::vector<std::string> kernels_of_image(Bytes image);

// One line a step, slots with types and shapes, constants with layout and size; bodies indented.
std::string print_plan(const Plan& plan);

}  // namespace ortc
