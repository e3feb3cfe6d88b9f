// SPDX-License-Identifier: MIT
// Plan images as somebody would craft them who knows the format: every field at its edges, lists
// that overlap, bodies that are nested and shared. Nothing in them is damaged by accident.
#pragma once

#include <cstring>
#include <functional>
#include <string>

#include "core/plan/plan_builder.h"
#include "core/plan/plan_format.h"

namespace ortc::test {

// Reads and writes the records of an image.
class ImageEditor {
 public:
  explicit ImageEditor(std::string bytes) : bytes_(std::move(bytes)) {}
  PlanHeader& header() { return *reinterpret_cast<PlanHeader*>(bytes_.data()); }
  template <typename T>
  T& record(const PlanTable& table, uint32_t i) {
    return *reinterpret_cast<T*>(bytes_.data() + table.offset + uint64_t{i} * table.stride);
  }
  BodyRecord& body(uint32_t i) { return record<BodyRecord>(header().bodies, i); }
  SlotRecord& slot(uint32_t i) { return record<SlotRecord>(header().slots, i); }
  StepRecord& step(uint32_t i) { return record<StepRecord>(header().steps, i); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

using TakeImage = std::function<void(const std::string& image)>;

// Each word of the header, of every record, and of the lists, set to edges one after the other.
inline void for_each_edge(const std::string& image, const TakeImage& take) {
  ImageEditor editor(image);
  const PlanHeader header = editor.header();
  const auto try_words = [&](uint64_t begin, uint64_t size) {
    for (uint64_t at = begin; at + 4 <= begin + size; at += 4) {
      uint32_t old;
      std::memcpy(&old, image.data() + at, 4);
      for (const uint32_t edge :
           {0u, 1u, 255u, old - 1, old + 1, old << 16, old + 256, 1u << 31, UINT32_MAX - 1,
            UINT32_MAX, header.bodies.count, header.slots.count, header.steps.count,
            header.indices.count, header.text.count, header.params.count}) {
        if (edge == old) continue;
        std::string edited = image;
        std::memcpy(edited.data() + at, &edge, 4);
        take(edited);
      }
    }
  };
  try_words(0, sizeof(PlanHeader));
  for (const PlanTable& table :
       {header.bodies, header.slots, header.steps, header.tensors, header.indices, header.dims}) {
    try_words(table.offset, uint64_t{table.count} * table.stride);
  }
}

// Each range of a body or a step, as long as its table.
inline void for_each_overlap(const std::string& image, const TakeImage& take) {
  const auto try_range = [&](auto&& field_of, uint32_t count) {
    ImageEditor editor(image);
    field_of(editor) = PlanRange{0, count};
    take(editor.bytes());
  };
  ImageEditor original(image);
  const PlanHeader header = original.header();
  for (uint32_t i = 0; i < header.bodies.count; ++i) {
    for (const auto member : {&BodyRecord::slots, &BodyRecord::steps, &BodyRecord::inputs,
                              &BodyRecord::captures, &BodyRecord::outputs}) {
      const uint32_t count = member == &BodyRecord::slots   ? header.slots.count
                             : member == &BodyRecord::steps ? header.steps.count
                                                            : header.indices.count;
      try_range([&](ImageEditor& e) -> PlanRange& { return e.body(i).*member; }, count);
    }
  }
  for (uint32_t i = 0; i < header.steps.count; ++i) {
    for (const auto member :
         {&StepRecord::kernel, &StepRecord::name, &StepRecord::op, &StepRecord::inputs,
          &StepRecord::outputs, &StepRecord::params, &StepRecord::bodies}) {
      const uint32_t count = member == &StepRecord::params ? header.params.count
                             : member == &StepRecord::kernel || member == &StepRecord::name ||
                                     member == &StepRecord::op
                                 ? header.text.count
                                 : header.indices.count;
      try_range([&](ImageEditor& e) -> PlanRange& { return e.step(i).*member; }, count);
    }
  }
}

inline Type float_type() { return Type::tensor(DType::kFloat32); }

// If in If in If, `depth` bodies deep; with `shared`, both branches of each are the same body.
inline std::string nested_ifs(uint32_t depth, bool shared) {
  PlanBuilder builder;
  uint32_t body = builder.add_body();
  uint32_t condition =
      builder.add_slot(body, SlotKind::kInput, "c", Type::tensor(DType::kBool, Shape{}));
  uint32_t x = builder.add_slot(body, SlotKind::kInput, "x", float_type());
  builder.body(body).inputs = {condition, x};
  for (uint32_t level = 1; level < depth; ++level) {
    const uint32_t then_body = builder.add_body();
    const uint32_t else_body = shared ? then_body : builder.add_body();
    const uint32_t y = builder.add_slot(body, SlotKind::kIntermediate, "y", float_type());
    PlanBuilder::Step step;
    step.kind = StepKind::kIf;
    step.op = "If";
    step.name = "if";
    step.inputs = {condition, condition, x, condition, x};
    step.outputs = {y};
    step.bodies = {then_body, else_body};
    builder.add_step(body, step);
    builder.body(body).outputs = {y};
    for (uint32_t inner = else_body;; inner = then_body) {
      condition =
          builder.add_slot(inner, SlotKind::kCapture, "c", Type::tensor(DType::kBool, Shape{}));
      x = builder.add_slot(inner, SlotKind::kCapture, "x", float_type());
      builder.body(inner).captures = {condition, x};
      builder.body(inner).outputs = {x};
      if (inner == then_body) break;
    }
    body = then_body;
  }
  return std::string(builder.finish().value().image.text());
}

// x -> kernel -> kernel -> ..., `count` steps.
inline std::string chain(uint32_t count, std::string_view kernel_id, uint16_t contract) {
  PlanBuilder builder;
  const uint32_t body = builder.add_body();
  uint32_t x = builder.add_slot(body, SlotKind::kInput, "x", float_type());
  builder.body(body).inputs = {x};
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t y = builder.add_slot(body, SlotKind::kIntermediate, "v", float_type());
    PlanBuilder::Step step;
    step.kernel_id = kernel_id;
    step.contract = contract;
    step.name = "n";
    step.op = "Relu";
    step.inputs = {x};
    step.outputs = {y};
    builder.add_step(body, step);
    x = y;
  }
  builder.body(body).outputs = {x};
  return std::string(builder.finish().value().image.text());
}

}  // namespace ortc::test
