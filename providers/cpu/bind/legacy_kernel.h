// SPDX-License-Identifier: MIT
// The first forms (opsets 1 to 6) of operators of two inputs, by the kernels of the later ones: a
// row that stands beside the later form's.
//
// Without `broadcast` both shapes are the same; with it, b's dims are those of a from `axis` on, by
// default the last ones. PRelu's slope has one number, or one for each channel.
#pragma once

#include "core/kernel/kernel_row.h"

namespace ortc::cpu {

Status prepare_legacy(PrepareContext& ctx);
Status bind_legacy(BindContext& ctx, const KernelRow& row);
Status run_legacy(RunContext& ctx, const KernelRow& row);

template <const KernelRow& kLater>
constexpr KernelRow legacy_row(std::string_view id) {
  KernelRow row = kLater;
  row.id = id;
  row.contract = 1;
  row.first_opset = 1;
  row.last_opset = 6;
  row.flags = kNoFlags;
  row.prepare = prepare_legacy;
  row.bind = [](BindContext& ctx) { return bind_legacy(ctx, kLater); };
  row.run = [](RunContext& ctx) { return run_legacy(ctx, kLater); };
  return row;
}

}  // namespace ortc::cpu
