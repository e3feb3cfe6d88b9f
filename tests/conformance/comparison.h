// SPDX-License-Identifier: MIT
// Comparing values element by element: floats within tolerances, everything else exactly.
#pragma once

#include <string>
#include <vector>

#include "core/base/datum.h"

namespace ortc::test {

struct Tolerance {
  double rtol = 0;
  double atol = 0;
  // The elements are random: type, shape and mean are compared.
  bool by_distribution = false;
};

struct Comparison {
  std::string what;  // empty when the tensors agree, else type, shape or the first element apart
  double worst = 0;  // the largest |found - expected| of finite floats
  double worst_of_allowed = 0;  // the largest |found - expected| / (atol + rtol * |expected|)
  bool agrees() const { return what.empty(); }
};

// NaN agrees with NaN only, an infinity with itself only. rtol is taken as at least 2^-7 for
// bfloat16: neighbours lie that far apart, and some expected values are truncated ones.
Comparison compare(const Tensor& found, const Tensor& expected, Tolerance tolerance);

// The same for values of any kind: kinds and element types must be equal, then all tensors agree.
Comparison compare(const Datum& found, const Datum& expected, Tolerance tolerance);

// Type, shape and every bit; strings by their text.
bool are_same(const Tensor& a, const Tensor& b);
bool are_same(const Datum& a, const Datum& b);
bool are_same(const std::vector<std::vector<Datum>>& a, const std::vector<std::vector<Datum>>& b);

}  // namespace ortc::test
