// SPDX-License-Identifier: MIT
// Building a Plan image: see the header.
#include "core/plan/plan_builder.h"

#include <cstring>

namespace ortc {

uint32_t PlanBuilder::add_body() {
  bodies_.emplace_back();
  return static_cast<uint32_t>(bodies_.size() - 1);
}

PlanRange PlanBuilder::add_text(std::string_view text) {
  auto [it, is_new] = text_offsets_.emplace(std::string(text), static_cast<uint32_t>(text_.size()));
  if (is_new) text_.append(text);
  return {it->second, static_cast<uint32_t>(text.size())};
}

PlanRange PlanBuilder::add_indices(const std::vector<uint32_t>& indices) {
  const PlanRange range{static_cast<uint32_t>(indices_.size()),
                        static_cast<uint32_t>(indices.size())};
  indices_.insert(indices_.end(), indices.begin(), indices.end());
  return range;
}

uint32_t PlanBuilder::add_dims(std::span<const int64_t> dims) {
  std::vector<int64_t> key(dims.begin(), dims.end());
  auto [it, is_new] = dim_numbers_.emplace(key, static_cast<uint32_t>(dims_.size()));
  if (is_new) dims_.insert(dims_.end(), dims.begin(), dims.end());
  return it->second;
}

uint32_t PlanBuilder::add_slot(uint32_t body, SlotKind kind, std::string_view name,
                               const Type& type) {
  SlotRecord slot{};
  slot.name = add_text(name);
  slot.kind = static_cast<uint8_t>(kind);
  slot.dtype = static_cast<uint8_t>(type.is_tensor() ? type.dtype : DType::kUndefined);
  slot.rank = kUnknownRank;
  slot.tensor = kNoIndex;
  slot.last_use = kNoIndex;
  if (type.has_shape() && type.shape->size() < kUnknownRank) {
    std::vector<int64_t> dims;
    for (const Dim& dim : *type.shape) {
      if (dim.is_known()) {
        dims.push_back(dim.value);
      } else if (dim.symbol.empty()) {
        dims.push_back(-1);
      } else {
        auto number =
            symbols_.emplace(dim.symbol, static_cast<int64_t>(symbols_.size())).first->second;
        dims.push_back(-(number + 2));
      }
    }
    slot.rank = static_cast<uint8_t>(dims.size());
    slot.dims = add_dims(dims);
  }
  auto& slots = bodies_[body].slots;
  slots.push_back(slot);
  return static_cast<uint32_t>(slots.size() - 1);
}

uint32_t PlanBuilder::add_tensor(std::string_view name, const Tensor& tensor, Layout layout) {
  const auto key = std::make_pair(tensor.data(), static_cast<uint32_t>(layout));
  if (auto it = tensor_numbers_.find(key); it != tensor_numbers_.end()) {
    const Tensor& known = tensors_[it->second];
    if (known.dtype() == tensor.dtype() && known.dims() == tensor.dims()) return it->second;
  }
  TensorRecord record{};
  record.size = tensor.byte_size();
  record.layout = static_cast<uint32_t>(layout);
  record.dtype = static_cast<uint8_t>(tensor.dtype());
  record.rank = static_cast<uint8_t>(tensor.dims().size());
  record.dims = add_dims(tensor.dims());
  record.name = add_text(name);
  const auto number = static_cast<uint32_t>(tensors_.size());
  tensor_records_.push_back(record);
  tensors_.push_back(tensor);
  tensor_numbers_[key] = number;
  return number;
}

uint32_t PlanBuilder::add_constant_slot(uint32_t body, std::string_view name, const Tensor& tensor,
                                        Layout layout) {
  const uint32_t slot = add_slot(body, SlotKind::kConstant, name, Type::tensor_of(tensor));
  bodies_[body].slots[slot].tensor = add_tensor(name, tensor, layout);
  return slot;
}

uint32_t PlanBuilder::add_copy_slot(uint32_t body, uint32_t slot, uint8_t memory) {
  auto& slots = bodies_[body].slots;
  SlotRecord copy = slots[slot];
  copy.kind = static_cast<uint8_t>(SlotKind::kIntermediate);
  copy.tensor = kNoIndex;
  copy.memory = memory;
  slots.push_back(copy);
  return static_cast<uint32_t>(slots.size() - 1);
}

std::string_view PlanBuilder::name_of(uint32_t body, uint32_t slot) const {
  const PlanRange name = bodies_[body].slots[slot].name;
  return std::string_view(text_).substr(name.begin, name.count);
}

void PlanBuilder::add_step(uint32_t body, const Step& step) {
  StepRecord record{};
  record.kind = static_cast<uint16_t>(step.kind);
  record.contract = step.contract;
  record.callee = step.callee;
  record.kernel = add_text(step.kernel_id);
  record.name = add_text(step.name);
  record.op = add_text(step.op);
  record.inputs = add_indices(step.inputs);
  record.outputs = add_indices(step.outputs);
  params_.resize(align_up(params_.size(), 8));
  record.params = {static_cast<uint32_t>(params_.size()),
                   static_cast<uint32_t>(step.params.size())};
  params_.append(step.params.text());
  record.bodies = add_indices(step.bodies);
  bodies_[body].steps.push_back(record);
}

void PlanBuilder::set_last_uses(Body& body, const std::vector<uint32_t>& indices) {
  for (uint32_t i = 0; i < body.steps.size(); ++i) {
    const PlanRange inputs = body.steps[i].inputs;
    for (uint32_t k = 0; k < inputs.count; ++k) {
      const uint32_t slot = indices[inputs.begin + k];
      if (slot != kNoIndex) body.slots[slot].last_use = i;
    }
  }
  for (uint32_t slot : body.outputs) body.slots[slot].last_use = kNoIndex;
}

namespace {

template <typename T>
PlanTable append_table(std::string& image, const std::vector<T>& records) {
  image.resize(align_up(image.size(), 8));
  const PlanTable table{image.size(), static_cast<uint32_t>(records.size()), sizeof(T)};
  image.append(reinterpret_cast<const char*>(records.data()), records.size() * sizeof(T));
  return table;
}

PlanTable append_bytes(std::string& image, const std::string& bytes) {
  image.resize(align_up(image.size(), 8));
  const PlanTable table{image.size(), static_cast<uint32_t>(bytes.size()), 1};
  image.append(bytes);
  return table;
}

}  // namespace

Result<PlanImage> PlanBuilder::finish() {
  std::vector<BodyRecord> bodies;
  std::vector<SlotRecord> slots;
  std::vector<StepRecord> steps;
  for (Body& body : bodies_) {
    set_last_uses(body, indices_);
    BodyRecord record{};
    record.slots = {static_cast<uint32_t>(slots.size()), static_cast<uint32_t>(body.slots.size())};
    record.steps = {static_cast<uint32_t>(steps.size()), static_cast<uint32_t>(body.steps.size())};
    record.inputs = add_indices(body.inputs);
    record.captures = add_indices(body.captures);
    record.outputs = add_indices(body.outputs);
    slots.insert(slots.end(), body.slots.begin(), body.slots.end());
    steps.insert(steps.end(), body.steps.begin(), body.steps.end());
    bodies.push_back(record);
  }
  if (params_.size() > UINT32_MAX || text_.size() > UINT32_MAX || indices_.size() > UINT32_MAX) {
    return fail("a plan image of this size cannot be written: more than 4 GiB of parameters");
  }
  std::string image(sizeof(PlanHeader), '\0');
  PlanHeader header{};
  header.magic = kPlanMagic;
  header.major = kPlanMajor;
  header.minor = kPlanMinor;
  header.bodies = append_table(image, bodies);
  header.slots = append_table(image, slots);
  header.steps = append_table(image, steps);
  header.tensors = append_table(image, tensor_records_);
  header.dims = append_table(image, dims_);
  header.indices = append_table(image, indices_);
  header.text = append_bytes(image, text_);
  header.params = append_bytes(image, params_);
  image.resize(align_up(image.size(), 8));
  header.image_size = image.size();
  std::memcpy(image.data(), &header, sizeof header);
  return PlanImage{Blob::from_string(std::move(image)), std::move(tensors_)};
}

}  // namespace ortc
