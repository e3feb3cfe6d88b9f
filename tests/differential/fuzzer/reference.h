// SPDX-License-Identifier: MIT
// What a node gives, and how far a correct implementation may be from that.
//
// The reference computes node by node with the plain kernels, those that every processor runs: no
// fusion, no layout, no packed weights of another instruction set.
//
// The bound is measured, not guessed. The node is computed again with every number moved by as much
// as it may be off already plus some roundings of its type; how far that moves the results, and
// the operator's own roundings on top, is how far they may be off:
//
//   moved(x)   = allowed(x) + kRoundings * epsilon * largest |x|
//   allowed(y) = kSpread * largest |f(x +- moved(x)) - f(x)|
//                + ulps * epsilon * max(largest |y|, kLeastSize)
//
// Operators that round nothing (`kExact`) move x by allowed(x) only. Where results jump (whole
// numbers, flags, shapes) the numbers are moved further, and the node is taken only when nothing
// jumps: so no tie decides what a graph gives.
#pragma once

#include <set>

#include "tests/differential/fuzzer/numbers.h"
#include "tests/differential/fuzzer/operator_rows.h"
#include "tests/support/session_support.h"

namespace ortc::fuzz {

inline constexpr double kRoundings = 4;
inline constexpr double kSpread = 1.5;
inline constexpr double kLeastSize = 0.1;  // of terms whose sum may be next to nothing
inline constexpr int kPatterns = 4, kJumpPatterns = 14;
inline constexpr double kJump = 16;           // how much further where results jump
inline constexpr double kLargest = 2000;      // of any number in a graph
inline constexpr double kMostAllowed = 0.02;  // of the largest number of a value

struct Measured {
  std::string refused;   // by the library: the status
  std::string unusable;  // too large, not a number, a tie: why
  std::vector<DrawnValue> outputs;
  bool is_good() const { return refused.empty() && unusable.empty(); }
};

class Reference {
 public:
  Reference() : environment_(test::quiet_environment()) {}
  // Results of one node of the graph, whose inputs have values.
  Measured measure(const DrawnGraph& graph, const DrawnNode& node, const OperatorRow& row,
                   Chance& chance) const;
  // New values of all nodes for the inputs' values as they are; why not when that fails.
  std::string measure_all(DrawnGraph& graph, Chance& chance) const;

 private:
  std::shared_ptr<const Environment> environment_;
};

}  // namespace ortc::fuzz
