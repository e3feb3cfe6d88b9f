// SPDX-License-Identifier: MIT
// Einsum's equation and what follows from it and the operands' shapes: a chain of steps, each of
// them a batched matrix product of two sums.
//
//   "bij,jk->bik"    labels are letters; ... stands for any axes, broadcast together
//
// A label is a number: 0 .. 51 for letters, from 52 on for the axes behind an ellipsis, counted so
// that the last axis has the highest number.
#pragma once

#include <array>

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/bind/dim_list.h"

namespace ortc::cpu {

inline constexpr size_t kEinsumTextMax = 248;
inline constexpr size_t kEinsumOperandMax = 16;
inline constexpr int64_t kEllipsisLabel = 52;
inline constexpr size_t kEinsumLabels = 52 + kMaxRank;

// A tensor seen by labels: each once, with its size and stride in elements.
struct LabelledTensor {
  DimList labels, dims, strides;
  bool has(int64_t label) const;
};

struct Einsum {
  size_t operand_count = 0;
  std::array<LabelledTensor, kEinsumOperandMax> operands;
  DimList out_labels, out_dims;
  // Labels that operands from i on or the output still need.
  bool is_needed_from(size_t i, int64_t label) const;
};

// INVALID_ARGUMENT when the equation makes no sense or the shapes do not fit it.
Status plan_einsum(std::string_view equation, std::span<const ValueRef> operands, Einsum* einsum);

// One step: x (labels batch, m, k) times y (labels batch, k, n) gives labels batch, m, n.
struct EinsumStep {
  DimList batch, m, n, k;
};
EinsumStep plan_step(const Einsum& einsum, const LabelledTensor& x, const LabelledTensor& y,
                     size_t next_operand);

// The tensor that has these labels, contiguous, in this order; labels lists may follow one another.
LabelledTensor contiguous(const LabelledTensor& x, const LabelledTensor& y,
                          std::initializer_list<const DimList*> labels);

}  // namespace ortc::cpu
