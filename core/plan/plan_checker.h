// SPDX-License-Identifier: MIT
// Checks of a Plan image: every table, range, index and enumerator, so that nothing after needs to.
//
// An image may come from anybody. Behind these checks every list lies inside its table, no slot is
// read before it was written, records of different bodies do not overlap, each body is used by one
// step that stands before it, and a walk over the whole Plan takes time in proportion to the image.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/base/checked_math.h"
#include "core/plan/plan.h"

namespace ortc {

class PlanChecker {
 public:
  // Only an image made in this process may have strings as constants; their bytes are std::string
  // objects.
  enum class Origin { kFile, kThisProcess };

  PlanChecker(Plan& plan, const KernelRegistry& registry, Origin origin)
      : plan_(plan), registry_(registry), origin_(origin) {}

  // Fills the plan's views and finds its kernels.
  Status check();

 private:
  Status check_tables();
  Status check_table(const PlanTable& table, size_t record_size, const char* what) const;
  Status check_packed_table(const PlanTable& table, uint32_t record_size, const char* what) const;
  Status check_tensor(uint32_t i) const;

  Status check_body(uint32_t number);
  Status check_records(const BodyRecord& body);
  Status check_slot(const BodyRecord& body, uint32_t i);
  Status check_last_uses(const BodyRecord& body) const;
  Status check_step(uint32_t number, const BodyRecord& body, uint32_t i);
  Status check_slot_list(const BodyRecord& body, PlanRange range, const char* what);
  Status read_slots(const BodyRecord& body, PlanRange range, uint32_t step);
  Status write_slots(const BodyRecord& body, PlanRange range);
  Status no_such_slot(const BodyRecord& body, uint32_t slot, const char* what) const;
  Status find_kernel(const BodyRecord& body, uint32_t i);
  Status check_control_flow(uint32_t number, const StepRecord& step);
  Status take_bodies(uint32_t number, std::span<const uint32_t> bodies);
  Status check_memories(const BodyRecord& body, const StepRecord& step) const;
  bool scan_fits(const StepRecord& step, const BodyRecord& body, uint64_t explicit_inputs) const;

  // Counts what the records refer to: lists and params are each written for one record. False when
  // the range is out of bounds or there were too many; fault_of_...() says which.
  bool take_indices(PlanRange range) {
    indices_taken_ += range.count;
    return range_within(range.begin, range.count, index_count_) && indices_taken_ <= index_count_;
  }
  bool take_params(PlanRange range) {
    params_taken_ += range.count;
    return range.begin % 8 == 0 && range_within(range.begin, range.count, params_size_) &&
           params_taken_ <= params_size_;
  }
  bool take_text(PlanRange range) {
    text_taken_ += range.count;
    return range_within(range.begin, range.count, text_size_) && text_taken_ <= text_limit_;
  }
  Status fault_of_indices(PlanRange range, const char* what) const;
  Status fault_of_params() const;
  Status fault_of_text(PlanRange range) const;

  Plan& plan_;
  const KernelRegistry& registry_;
  const Origin origin_;
  uint32_t dim_count_ = 0, index_count_ = 0, text_size_ = 0, params_size_ = 0;
  uint64_t indices_taken_ = 0, params_taken_ = 0, text_taken_ = 0;
  uint64_t text_limit_ = UINT64_MAX;
  uint64_t slots_end_ = 0, steps_end_ = 0;  // of the bodies before
  std::vector<uint32_t> depths_;            // by body; 0: no step has used it yet
  // By slot of the body at hand: the last step so far that reads it, or kNoIndex, or "unwritten".
  std::vector<uint32_t> last_readers_;
  struct FoundKernel {
    PlanRange id;
    uint16_t contract;
    const KernelRow* row;
  };
  std::array<FoundKernel, 64> found_kernels_{};  // by where the id begins
};

}  // namespace ortc
