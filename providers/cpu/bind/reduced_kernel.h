// SPDX-License-Identifier: MIT
// float16 and bfloat16 for operators whose arithmetic is written for float: a row that stands
// beside the one of float32. Inputs are widened into scratch, the float32 kernel runs, its results
// are rounded to nearest even. So a result is rounded once, whatever the operator does inside.
//
// Constant inputs other than those that give results their type are widened when the plan is made:
// such weights take twice their size there, and no time in a run.
#pragma once

#include "core/kernel/kernel_row.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu {

struct ReducedForm {
  // Bit i: result i is float32 by the operator's definition.
  uint32_t float_outputs = 0;
  // Where this input is float32, so are the results behind the first.
  size_t state_input = SIZE_MAX;
};

Status prepare_reduced(PrepareContext& ctx, const KernelRow& row, const ReducedForm& form);
Status bind_reduced(BindContext& ctx, const KernelRow& row, const ReducedForm& form);
Status run_reduced(RunContext& ctx, const KernelRow& row);

// Two operators may share a kernel whose results differ in type here, so the id names the operator.
template <const KernelRow& kWide, ReducedForm kForm = ReducedForm{}>
constexpr KernelRow reduced_row(std::string_view id) {
  KernelRow row = kWide;
  row.id = id;
  row.contract = 1;
  row.types = mask_of(DType::kFloat16, DType::kBfloat16);
  row.flags = kNoFlags;
  row.prepare = [](PrepareContext& ctx) { return prepare_reduced(ctx, kWide, kForm); };
  row.bind = [](BindContext& ctx) { return bind_reduced(ctx, kWide, kForm); };
  row.run = [](RunContext& ctx) { return run_reduced(ctx, kWide); };
  return row;
}

}  // namespace ortc::cpu
