// SPDX-License-Identifier: MIT
// Strings for kernels that only move elements (Gather, Concat, Where...). Such a kernel runs as it
// is on numbers that stand for the strings, and the strings are fetched afterwards.
//
// A row for strings wraps the functions of the row for bytes, and names the inputs that are
// strings:
//   {"Gather", "", 1, kLatestOpset, mask_of(DType::kString), "gather.string", 1, kNoFlags, 0,
//    prepare_gather, bind_strings<bind_gather, 1>, run_strings<run_gather>},
// The kernel sees every tensor of strings as int64; number 0, as which it may fill, is the empty
// string. Not for kernels that compute with elements or give int64 results of their own.
#pragma once

#include "core/kernel/kernel_row.h"

namespace ortc::cpu {

inline constexpr TypeMask kStrings = mask_of(DType::kString);

// `strings`: bit i when input i must be strings; the others must not be.
Status bind_moved_strings(BindContext& ctx, uint32_t strings, Status (*bind)(BindContext&));
Status run_moved_strings(RunContext& ctx, Status (*run)(RunContext&));

template <Status (*kBind)(BindContext&), uint32_t kInputs>
Status bind_strings(BindContext& ctx) {
  return bind_moved_strings(ctx, kInputs, kBind);
}

template <Status (*kRun)(RunContext&)>
Status run_strings(RunContext& ctx) {
  return run_moved_strings(ctx, kRun);
}

}  // namespace ortc::cpu
