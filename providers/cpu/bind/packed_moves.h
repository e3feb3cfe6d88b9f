// SPDX-License-Identifier: MIT
// Numbers of 4 and 2 bits for operators that only move elements: they are unpacked to a byte each,
// the kernel of bytes runs, its results are packed again. A row that stands beside that of bytes:
//
//   {"Transpose", ..., kPackedTypes, "transpose.packed", 1, kNoFlags, 0, prepare_transpose,
//    bind_packed<bind_transpose>, run_packed<run_transpose>}
#pragma once

#include "core/kernel/kernel_contexts.h"

namespace ortc::cpu {

inline constexpr TypeMask kPackedTypes = kFixedSizeTypes & ~kByteTypes;

Status bind_packed_moves(BindContext& ctx, Status (*bind)(BindContext&));
Status run_packed_moves(RunContext& ctx, Status (*run)(RunContext&));

template <Status (*kBind)(BindContext&)>
Status bind_packed(BindContext& ctx) {
  return bind_packed_moves(ctx, kBind);
}
template <Status (*kRun)(RunContext&)>
Status run_packed(RunContext& ctx) {
  return run_packed_moves(ctx, kRun);
}

}  // namespace ortc::cpu
