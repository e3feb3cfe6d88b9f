// SPDX-License-Identifier: MIT
// Opening a Plan image: every table, range, index and enumerator is checked here, so that nothing
// after needs to.
#include "core/plan/plan.h"

#include <algorithm>
#include <set>

#include "core/plan/plan_builder.h"
#include "core/plan/scan_record.h"

namespace ortc {

class PlanChecker {
 public:
  // `has_strings`: the bytes of string constants are std::string objects of this process.
  PlanChecker(Plan& plan, const KernelRegistry& registry, bool has_strings)
      : plan_(plan), registry_(registry), has_strings_(has_strings) {}

  Status check() {
    RETURN_IF_ERROR(check_tables());
    RETURN_IF_ERROR(check_tensors());
    if (plan_.bodies_.size() == 0) return invalid_graph("plan image: it has no body");
    plan_.kernels_.assign(plan_.steps_.size(), nullptr);
    for (uint32_t i = 0; i < plan_.bodies_.size(); ++i) {
      RETURN_IF_ERROR_WHILE(check_body(i), "plan body ", i);
    }
    return Status::ok();
  }

 private:
  Status check_table(const PlanTable& table, size_t record_size, const char* what) const {
    const uint64_t size = plan_.image_.size();
    const uint64_t bytes = uint64_t{table.count} * table.stride;  // both 32 bits: no overflow
    if (table.stride < record_size || table.offset % 8 != 0 || table.stride % 4 != 0 ||
        !range_within(table.offset, bytes, size)) {
      return invalid_graph("plan image: the ", what, " table (offset ", table.offset, ", ",
                           table.count, " x ", table.stride, " bytes) does not fit into ", size,
                           " bytes");
    }
    return Status::ok();
  }

  Status check_packed_table(const PlanTable& table, uint32_t record_size, const char* what) const {
    if (table.stride != record_size || table.offset % 8 != 0 ||
        !range_within(table.offset, uint64_t{table.count} * record_size, plan_.image_.size())) {
      return invalid_graph("plan image: the ", what, " table does not fit into the image");
    }
    return Status::ok();
  }

  Status check_tables() {
    const Blob& image = plan_.image_;
    if (image.size() < sizeof(PlanHeader) || reinterpret_cast<uintptr_t>(image.data()) % 8 != 0) {
      return invalid_graph("plan image: ", image.size(), " bytes, expected at least ",
                           sizeof(PlanHeader), " on an 8 byte boundary");
    }
    const auto& header = *reinterpret_cast<const PlanHeader*>(image.data());
    if (header.magic != kPlanMagic) return invalid_graph("plan image: wrong magic number");
    if (header.major != kPlanMajor) {
      return invalid_graph("plan image: format ", header.major, ".", header.minor,
                           ", this library reads ", kPlanMajor, ".x");
    }
    if (header.image_size != image.size()) {
      return invalid_graph("plan image: expected ", header.image_size, " bytes, found ",
                           image.size());
    }
    RETURN_IF_ERROR(check_table(header.bodies, sizeof(BodyRecord), "body"));
    RETURN_IF_ERROR(check_table(header.slots, sizeof(SlotRecord), "slot"));
    RETURN_IF_ERROR(check_table(header.steps, sizeof(StepRecord), "step"));
    RETURN_IF_ERROR(check_table(header.tensors, sizeof(TensorRecord), "tensor"));
    if (header.tensors.stride % 8 != 0)
      return invalid_graph("plan image: tensor records misaligned");
    RETURN_IF_ERROR(check_packed_table(header.dims, 8, "dim"));
    RETURN_IF_ERROR(check_packed_table(header.indices, 4, "index"));
    RETURN_IF_ERROR(check_packed_table(header.text, 1, "text"));
    RETURN_IF_ERROR(check_packed_table(header.params, 1, "params"));
    const std::byte* base = image.data();
    plan_.bodies_ = {base, header.bodies};
    plan_.slots_ = {base, header.slots};
    plan_.steps_ = {base, header.steps};
    plan_.tensor_records_ = {base, header.tensors};
    plan_.dim_data_ = reinterpret_cast<const int64_t*>(base + header.dims.offset);
    plan_.index_data_ = reinterpret_cast<const uint32_t*>(base + header.indices.offset);
    plan_.text_data_ = reinterpret_cast<const char*>(base + header.text.offset);
    plan_.params_data_ = base + header.params.offset;
    dim_count_ = header.dims.count;
    index_count_ = header.indices.count;
    text_size_ = header.text.count;
    params_size_ = header.params.count;
    return Status::ok();
  }

  Status check_tensors() {
    if (plan_.tensors_.size() != plan_.tensor_records_.size()) {
      return invalid_graph("plan image: expected ", plan_.tensor_records_.size(),
                           " constants, found ", plan_.tensors_.size());
    }
    for (uint32_t i = 0; i < plan_.tensor_records_.size(); ++i) {
      const TensorRecord& record = plan_.tensor_records_[i];
      const bool in_bounds = dtype_is_valid(record.dtype) && record.rank <= 64 &&
                             range_within(record.dims, record.rank, dim_count_) &&
                             range_within(record.name.begin, record.name.count, text_size_);
      if (!in_bounds) return invalid_graph("plan image: the record of constant ", i, " is damaged");
      auto count = checked_element_count(plan_.dims(record.dims, record.rank));
      if (static_cast<DType>(record.dtype) == DType::kString) {
        const bool fits =
            has_strings_ && count && record.size == 0 &&
            plan_.tensors_[i].size() / sizeof(std::string) == static_cast<uint64_t>(*count);
        if (!fits) return invalid_graph("plan image: constant ", i, " is of strings");
        continue;
      }
      auto bytes =
          count ? dtype_bytes(static_cast<DType>(record.dtype), static_cast<uint64_t>(*count))
                : std::nullopt;
      if (!bytes || *bytes != record.size || plan_.tensors_[i].size() != record.size) {
        return invalid_graph("plan image: constant ", i, " of shape ",
                             dims_to_string(plan_.dims(record.dims, record.rank)), " expects ",
                             bytes ? *bytes : 0, " bytes, found ", plan_.tensors_[i].size());
      }
    }
    return Status::ok();
  }

  bool is_index_range(PlanRange range) const {
    return range_within(range.begin, range.count, index_count_);
  }
  bool is_text(PlanRange range) const { return range_within(range.begin, range.count, text_size_); }

  Status check_slot_list(const BodyRecord& body, PlanRange range, bool may_omit,
                         const char* what) const {
    if (!is_index_range(range)) return invalid_graph(what, ": the list is out of bounds");
    for (uint32_t slot : plan_.indices(range)) {
      if (slot == kNoIndex && may_omit) continue;
      if (slot >= body.slots.count) {
        return invalid_graph(what, ": slot ", slot, " of ", body.slots.count);
      }
    }
    return Status::ok();
  }

  Status check_body(uint32_t number) {
    const BodyRecord& body = plan_.bodies_[number];
    if (!range_within(body.slots.begin, body.slots.count, plan_.slots_.size()) ||
        !range_within(body.steps.begin, body.steps.count, plan_.steps_.size())) {
      return invalid_graph("its slots or steps are out of bounds");
    }
    RETURN_IF_ERROR(check_slot_list(body, body.inputs, false, "inputs"));
    RETURN_IF_ERROR(check_slot_list(body, body.captures, false, "captures"));
    RETURN_IF_ERROR(check_slot_list(body, body.outputs, false, "outputs"));
    // Written before read: a damaged image must not let a step see memory that nobody filled.
    std::vector<uint8_t> filled(body.slots.count, 0);
    for (uint32_t i = 0; i < body.slots.count; ++i) {
      RETURN_IF_ERROR_WHILE(check_slot(body, i), "slot ", i);
      if (static_cast<SlotKind>(plan_.slot(body, i).kind) == SlotKind::kConstant) filled[i] = 1;
    }
    for (PlanRange list : {body.inputs, body.captures}) {
      for (uint32_t slot : plan_.indices(list)) {
        if (filled[slot]) return invalid_graph("slot ", slot, " is filled twice");
        filled[slot] = 1;
      }
    }
    for (uint32_t i = 0; i < body.steps.count; ++i) {
      RETURN_IF_ERROR_WHILE(check_step(number, body, i, filled), "step ", i);
    }
    for (uint32_t slot : plan_.indices(body.outputs)) {
      if (!filled[slot]) return invalid_graph("output slot ", slot, " is never written");
    }
    return Status::ok();
  }

  Status check_slot(const BodyRecord& body, uint32_t i) const {
    const SlotRecord& slot = plan_.slot(body, i);
    const bool known_rank = slot.rank != kUnknownRank;
    if (slot.kind > static_cast<uint8_t>(SlotKind::kConstant) || slot.dtype >= kDTypeCount ||
        !is_text(slot.name) || (known_rank && slot.rank > 64) ||
        (known_rank && !range_within(slot.dims, slot.rank, dim_count_))) {
      return invalid_graph("its record is damaged");
    }
    if (static_cast<SlotKind>(slot.kind) == SlotKind::kConstant) {
      if (slot.tensor >= plan_.tensor_records_.size() ||
          plan_.tensor_records_[slot.tensor].dtype != slot.dtype) {
        return invalid_graph("constant ", slot.tensor, " of ", plan_.tensor_records_.size(),
                             " does not exist or has another type");
      }
    }
    return Status::ok();
  }

  Status check_step(uint32_t number, const BodyRecord& body, uint32_t i,
                    std::vector<uint8_t>& filled) {
    const StepRecord& step = plan_.step(body, i);
    if (step.kind > static_cast<uint16_t>(StepKind::kSequenceMap) || !is_text(step.kernel) ||
        !is_text(step.name) || !is_text(step.op) || !is_index_range(step.bodies) ||
        step.params.begin % 8 != 0 ||
        !range_within(step.params.begin, step.params.count, params_size_)) {
      return invalid_graph("its record is damaged");
    }
    RETURN_IF_ERROR(check_slot_list(body, step.inputs, true, "inputs"));
    RETURN_IF_ERROR(check_slot_list(body, step.outputs, true, "outputs"));
    for (uint32_t slot : plan_.indices(step.inputs)) {
      if (slot != kNoIndex && !filled[slot])
        return invalid_graph("slot ", slot, " is read before it is written");
    }
    for (uint32_t slot : plan_.indices(step.outputs)) {
      if (slot == kNoIndex) continue;
      if (filled[slot]) return invalid_graph("slot ", slot, " is written twice");
      filled[slot] = 1;
    }
    const auto kind = static_cast<StepKind>(step.kind);
    if (kind == StepKind::kKernel) return find_kernel(body, i);
    if (kind == StepKind::kCall) return Status::ok();
    return check_control_flow(number, step);
  }

  Status find_kernel(const BodyRecord& body, uint32_t i) {
    const StepRecord& step = plan_.step(body, i);
    const KernelRow* row = registry_.find_by_id(plan_.text(step.kernel), step.contract);
    if (row == nullptr) {
      return invalid_graph(plan_.text(step.op), " '", plan_.text(step.name), "' needs kernel '",
                           plan_.text(step.kernel), "' with contract ", step.contract,
                           ", which this library does not have");
    }
    plan_.kernels_[body.steps.begin + i] = row;
    return Status::ok();
  }

  bool scan_fits(const StepRecord& step, const BodyRecord& body, uint64_t explicit_inputs) const {
    if (step.params.count < sizeof(ScanRecord)) return false;
    const auto& record = *reinterpret_cast<const ScanRecord*>(plan_.params(step.params).data());
    if (record.scan_inputs < 1 || record.scan_inputs > std::min(kScanMax, body.inputs.count)) {
      return false;
    }
    const uint32_t states = body.inputs.count - record.scan_inputs;
    return record.has_batch <= 1 && explicit_inputs == body.inputs.count + record.has_batch &&
           body.outputs.count == step.outputs.count && states <= step.outputs.count &&
           step.outputs.count - states <= kScanMax;
  }

  // Bodies lie after the body that uses them, so the tree has no cycle.
  Status check_control_flow(uint32_t number, const StepRecord& step) const {
    const auto kind = static_cast<StepKind>(step.kind);
    const uint32_t wanted = kind == StepKind::kIf ? 2 : 1;
    auto bodies = plan_.indices(step.bodies);
    if (bodies.size() != wanted) {
      return invalid_graph("expected ", wanted, " bodies, found ", bodies.size());
    }
    uint64_t captures = 0;
    for (uint32_t child : bodies) {
      if (child <= number || child >= plan_.bodies_.size()) {
        return invalid_graph("body ", child, " cannot be used by body ", number);
      }
      captures += plan_.bodies_[child].captures.count;
    }
    if (captures > step.inputs.count)
      return invalid_graph("it has fewer inputs than its bodies capture");
    const uint64_t explicit_inputs = step.inputs.count - captures;
    const BodyRecord& first = plan_.bodies_[bodies[0]];
    bool fits = true;
    if (kind == StepKind::kIf) {
      fits = explicit_inputs == 1 && first.inputs.count == 0 &&
             first.outputs.count == step.outputs.count &&
             plan_.bodies_[bodies[1]].inputs.count == 0 &&
             plan_.bodies_[bodies[1]].outputs.count == step.outputs.count;
    } else if (kind == StepKind::kLoop) {
      fits = explicit_inputs >= 2 && first.inputs.count == explicit_inputs &&
             first.outputs.count == step.outputs.count + 1 &&
             step.outputs.count + 2 >= explicit_inputs;
    } else if (kind == StepKind::kSequenceMap) {
      fits = explicit_inputs >= 1 && first.inputs.count == explicit_inputs &&
             first.outputs.count == step.outputs.count;
    } else if (kind == StepKind::kScan) {
      fits = scan_fits(step, first, explicit_inputs);
    }
    if (!fits) return invalid_graph("inputs and outputs do not fit its bodies");
    return Status::ok();
  }

  Plan& plan_;
  const KernelRegistry& registry_;
  const bool has_strings_;
  uint32_t dim_count_ = 0, index_count_ = 0, text_size_ = 0, params_size_ = 0;
};

Result<std::shared_ptr<const Plan>> Plan::open(Blob image, std::vector<Blob> tensors,
                                               const KernelRegistry& registry) {
  std::shared_ptr<Plan> plan(new Plan());
  plan->image_ = std::move(image);
  plan->tensors_ = std::move(tensors);
  RETURN_IF_ERROR(PlanChecker(*plan, registry, /*has_strings=*/false).check());
  return std::shared_ptr<const Plan>(std::move(plan));
}

Result<std::shared_ptr<const Plan>> Plan::open(PlanImage image, const KernelRegistry& registry) {
  std::shared_ptr<Plan> plan(new Plan());
  plan->image_ = std::move(image.image);
  for (const Tensor& tensor : image.tensors) {
    const auto strings = std::as_bytes(tensor.string_elements());
    plan->tensors_.emplace_back(tensor.dtype() == DType::kString ? strings : tensor.bytes(),
                                tensor.owner());
  }
  RETURN_IF_ERROR(PlanChecker(*plan, registry, /*has_strings=*/true).check());
  return std::shared_ptr<const Plan>(std::move(plan));
}

}  // namespace ortc
