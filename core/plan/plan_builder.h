// SPDX-License-Identifier: MIT
// Builds a Plan image, body by body. Equal texts, dims and constants are stored once.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/kernel/kernel_row.h"
#include "core/plan/plan_format.h"

namespace ortc {

// What lowering hands over: the image, and the constants that it numbers.
struct PlanImage {
  Blob image;  // starts on an 8 byte boundary; can be stored unless a constant is of strings
  std::vector<Tensor> tensors;
};

class PlanBuilder {
 public:
  struct Step {
    StepKind kind = StepKind::kKernel;
    uint32_t callee = 0;  // as in StepRecord
    std::string_view kernel_id;
    uint16_t contract = 0;
    std::string name, op;
    std::vector<uint32_t> inputs, outputs;
    Blob params;
    std::vector<uint32_t> bodies;
  };
  struct Body {
    std::vector<SlotRecord> slots;
    std::vector<StepRecord> steps;
    std::vector<uint32_t> inputs, captures, outputs;
  };

  // Numbers are given in order of calls; a body is numbered before the bodies inside it.
  uint32_t add_body();
  Body& body(uint32_t number) { return bodies_[number]; }
  uint32_t add_slot(uint32_t body, SlotKind kind, std::string_view name, const Type& type);
  uint32_t add_constant_slot(uint32_t body, std::string_view name, const Tensor& tensor,
                             Layout layout);
  // A slot for the same value in another memory.
  uint32_t add_copy_slot(uint32_t body, uint32_t slot, uint8_t memory);
  std::string_view name_of(uint32_t body, uint32_t slot) const;
  void add_step(uint32_t body, const Step& step);

  Result<PlanImage> finish();

 private:
  PlanRange add_text(std::string_view text);
  PlanRange add_indices(const std::vector<uint32_t>& indices);
  uint32_t add_dims(std::span<const int64_t> dims);
  uint32_t add_tensor(std::string_view name, const Tensor& tensor, Layout layout);
  static void set_last_uses(Body& body, const std::vector<uint32_t>& indices);

  std::vector<Body> bodies_;
  std::vector<TensorRecord> tensor_records_;
  std::vector<Tensor> tensors_;
  std::map<std::pair<const void*, uint32_t>, uint32_t> tensor_numbers_;
  std::vector<int64_t> dims_;
  std::map<std::vector<int64_t>, uint32_t> dim_numbers_;
  std::map<std::string, int64_t> symbols_;
  std::vector<uint32_t> indices_;
  std::string text_;
  std::unordered_map<std::string, uint32_t> text_offsets_;
  std::string params_;
};

}  // namespace ortc
