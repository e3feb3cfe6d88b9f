// SPDX-License-Identifier: MIT
// The table of the fuzzer: each operator, how its nodes are drawn, and its bound.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ortc::fuzz {

class Drawing;

enum RowFlags : unsigned {
  kPlain = 0,
  kExact = 1,      // results are some of the inputs' numbers, or exact: nothing is rounded
  kOneStep = 2,    // quantised results may be one step off: the quotient stood between two
  kOwnRules = 4,   // ONNX Runtime has not this operator in the opsets drawn
  kHelper = 8,     // drawn by other rows and by hand only
  kInfinite = 16,  // results may be infinite
};

struct OperatorRow {
  std::string_view op, domain;
  int since;
  unsigned flags;
  double ulps;  // of the largest result, beyond what moved inputs show
  void (*draw)(Drawing&);
};

// All rows, by family; made at first use.
const std::vector<OperatorRow>& operator_rows();
// Its place in operator_rows(); the table must have it.
size_t row_of(std::string_view op, std::string_view domain);

// Operators of the library that no row draws, with the reason: "domain:op|reason".
std::span<const std::string_view> left_out();

#define ORTC_FUZZ_FAMILIES(X) \
  X(elementwise)              \
  X(reduction)                \
  X(movement)                 \
  X(gathering)                \
  X(product)                  \
  X(window)                   \
  X(normalisation)            \
  X(quantised)                \
  X(recurrent)                \
  X(control)                  \
  X(sequence)                 \
  X(microsoft)                \
  X(exporter)                 \
  X(ms_plain)                 \
  X(ms_pictures)              \
  X(ms_heads)                 \
  X(ms_tokens)                \
  X(ms_ordered)               \
  X(learning)                 \
  X(pattern)
#define ORTC_FUZZ_DECLARE(name) std::vector<OperatorRow> name##_rows();
ORTC_FUZZ_FAMILIES(ORTC_FUZZ_DECLARE)
#undef ORTC_FUZZ_DECLARE

}  // namespace ortc::fuzz
