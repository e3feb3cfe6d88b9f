// SPDX-License-Identifier: MIT
// How NumPy calls each element type, how many bits it takes in a tensor, and single elements as
// numbers. NumPy has no element types below a byte, no bfloat16 and no float8: those are one
// unsigned integer per element that holds its bits (int4 and int2: a signed one with its value).
#pragma once

#include <cstddef>
#include <cstdint>

#include "ort_c/types.h"

namespace ortc::tool {

enum class Family { kFloat, kSigned, kUnsigned, kBool, kHalf, kBfloat, kComplex, kBits, kString };

struct ElementForm {
  ONNXTensorElementDataType type;
  const char* descr;  // in a .npy file
  size_t bits;        // in a tensor
  Family family;

  // Bytes of one element in a .npy file.
  size_t file_bytes() const { return bits < 8 ? 1 : bits / 8; }
  bool is_float() const {
    return family == Family::kFloat || family == Family::kHalf || family == Family::kBfloat;
  }
  bool is_integer() const { return family == Family::kSigned || family == Family::kUnsigned; }
  // Real numbers, with truth as 0 and 1.
  bool is_number() const { return is_float() || is_integer() || family == Family::kBool; }
  // What an integer of this type can hold.
  int64_t low() const;
  uint64_t high() const;
};

// Throws for a type that is not in the list.
const ElementForm& form_of(ONNXTensorElementDataType type);

// Numbers only, one element at `at` in the form of a .npy file. Floats are rounded to the nearest
// even; integers must fit.
double number_at(const std::byte* at, const ElementForm& form);
void store_float(std::byte* at, const ElementForm& form, double value);
void store_integer(std::byte* at, const ElementForm& form, uint64_t value);

}  // namespace ortc::tool
