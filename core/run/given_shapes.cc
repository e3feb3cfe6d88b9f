// SPDX-License-Identifier: MIT
// Shapes of what a plan is given: see the header.
#include "core/run/given_shapes.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory_resource>

namespace ortc {
namespace {

struct Sized {
  uint32_t slot;
  int64_t size;
};

Status wrong_shape(const Plan& plan, uint32_t slot, std::span<const int64_t> expected,
                   std::span<const int64_t> found) {
  std::string shape;
  for (int64_t dim : expected)
    shape += str_cat(shape.empty() ? "" : ",", dim >= 0 ? str_cat(dim) : std::string("?"));
  return invalid_argument("'", plan.slot_name(plan.body(0), slot), "' was compiled for shape [",
                          shape, "], found ", dims_to_string(found));
}

// What nobody reads may be anything.
bool is_read(const Plan& plan, uint32_t slot) {
  const BodyRecord& body = plan.body(0);
  return plan.slot(body, slot).last_use != kNoIndex ||
         std::ranges::count(plan.indices(body.outputs), slot) != 0;
}

}  // namespace

Status check_given_shapes(const Plan& plan, std::span<const ValueRef> inputs) {
  const BodyRecord& body = plan.body(0);
  const auto slots = plan.indices(body.inputs);
  std::array<std::byte, 4096> room;  // asked for every new length of a sequence
  std::pmr::monotonic_buffer_resource memory(room.data(), room.size());
  std::pmr::map<int64_t, Sized> named(&memory);  // by the number of the name
  for (size_t i = 0; i < slots.size() && i < inputs.size(); ++i) {
    const SlotRecord& slot = plan.slot(body, slots[i]);
    const ValueRef& input = inputs[i];
    if (!is_read(plan, slots[i]) || slot.rank == kUnknownRank || !input.is_present() ||
        input.datum != nullptr)
      continue;
    if (slot.rank == 0 && input.element_count() == 1) continue;
    const auto expected = plan.dims(slot.dims, slot.rank);
    if (expected.size() != input.dims().size()) {
      return wrong_shape(plan, slots[i], expected, input.dims());
    }
    for (size_t d = 0; d < expected.size(); ++d) {
      const int64_t found = input.dim(d);
      if (expected[d] >= 0 && expected[d] != found) {
        return wrong_shape(plan, slots[i], expected, input.dims());
      }
      if (expected[d] > -2) continue;
      const auto [known, is_new] = named.try_emplace(expected[d], Sized{slots[i], found});
      if (is_new || known->second.size == found) continue;
      return invalid_argument("dimension ", d, " of '", plan.slot_name(body, slots[i]), "' is ",
                              found, "; when it was compiled it was the same as one of '",
                              plan.slot_name(body, known->second.slot), "', which is ",
                              known->second.size);
    }
  }
  return Status::ok();
}

}  // namespace ortc
