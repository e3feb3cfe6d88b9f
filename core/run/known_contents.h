// SPDX-License-Identifier: MIT
// What is known of a step's inputs before the run: contents, or the shape alone.
#pragma once

#include <algorithm>
#include <span>

#include "core/kernel/kernel_row.h"
#include "core/kernel/value_ref.h"

namespace ortc {

// Nothing is to be known of what is omitted or has no elements.
inline bool is_known(const ValueRef& input) {
  return !input.is_present() || input.data != nullptr || input.element_count() == 0;
}

// All that a kernel with kShapeArithmetic reads.
inline bool all_known(std::span<const ValueRef> inputs) {
  return std::ranges::all_of(inputs, is_known);
}

// All that bind reads the contents of.
inline bool can_bind(const KernelRow& row, std::span<const ValueRef> inputs) {
  for (size_t k = 0; k < std::min<size_t>(inputs.size(), 32); ++k) {
    if ((row.value_inputs >> k & 1) != 0 && !is_known(inputs[k])) return false;
  }
  return true;
}

}  // namespace ortc
