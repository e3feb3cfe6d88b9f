// SPDX-License-Identifier: MIT
// A value of the program, or one that is lent to a library.
#pragma once

#include <utility>

#include "core/api/env/memory_info_handle.h"
#include "core/base/datum.h"
#include "ort_c/types.h"

struct OrtValue {
  ortc::Tensor tensor;  // undefined when the content is of another kind, or absent
  ortc::Datum other;    // a sequence, a map or a sparse tensor
  OrtMemoryInfo memory;

  // Of a value that is not the caller's: OrtReleaseValue() leaves it. Copies are their owners'.
  struct Lent {
    Lent() = default;
    Lent(const Lent&) noexcept {}
    Lent& operator=(const Lent&) noexcept { return *this; }
    ~Lent() = default;
    bool is_lent = false;
  } lent;

  bool is_tensor() const { return tensor.is_defined(); }
  bool has_content() const { return tensor.is_defined() || !other.is_none(); }
  ortc::Datum datum() const { return tensor.is_defined() ? ortc::Datum(tensor) : other; }
  void set(ortc::Datum datum) {
    tensor = datum.is_tensor() ? *datum.tensor() : ortc::Tensor();
    other = datum.is_tensor() ? ortc::Datum() : std::move(datum);
  }
};
