// SPDX-License-Identifier: MIT
// Copies elements of a tensor to a place in another one: texts as well as elements below a byte,
// whose first one may stand within a byte.
#pragma once

#include <cstdint>

#include "core/base/dtype.h"

namespace ortc {

// Elements [from_at, from_at + count) of `from` to those of `to` from `to_at` on. The tensors do
// not overlap.
void copy_range(DType dtype, uint64_t count, const void* from, uint64_t from_at, void* to,
                uint64_t to_at);

// The same; texts are moved, so that `from` has none of them any more.
void move_range(DType dtype, uint64_t count, void* from, uint64_t from_at, void* to,
                uint64_t to_at);

}  // namespace ortc
