// SPDX-License-Identifier: MIT
// Rows of numbers of one element type as another, as the Cast operator does it: rounding to nearest
// even between floats, truncation from floats to integers, low bits between integers, "not zero"
// to bool.
#pragma once

#include "core/base/dtype.h"

namespace ortc::cpu {

// `from` and `to` do not overlap.
using ConvertRow = void (*)(const void* from, void* to, int64_t n);

// Null when one of the types is not a number (or bool) that this library converts.
ConvertRow convert_row(DType from, DType to);

}  // namespace ortc::cpu
