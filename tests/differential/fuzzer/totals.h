// SPDX-License-Identifier: MIT
// What the graphs of a run came to: how often each operator was drawn, what was refused.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace ortc::fuzz {

struct Totals {
  std::map<std::string, uint64_t> ops, refused_outside, refused;
  std::map<std::string, std::string> last_refusal;
  uint64_t outside = 0, resized = 0, bad = 0;

  // The lines of some graphs: "op <name>", "refused <op> <text>", "outside",
  // "outside-refused <text>", "resized", "bad <number> <text>". Prints the last.
  void add_lines(const std::string& text);
  uint64_t nodes() const;
};

// How often each operator of the library was drawn that is not known to be left out, the rarest
// last, and which of them less than `least` times; how many those are.
uint64_t print_histogram(const Totals& totals, uint64_t least);
// What this library and ONNX Runtime refused.
void print_refusals(const Totals& totals);

}  // namespace ortc::fuzz
