// SPDX-License-Identifier: MIT
// Random choices that are the same on every machine, and tensors as numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/differential/fuzzer/drawn_graph.h"

namespace ortc::fuzz {

// SplitMix64: a seed and a number of a graph give one sequence.
class Chance {
 public:
  Chance(uint64_t seed, uint64_t index) : state_(seed * 0x9e3779b97f4a7c15u + index) { next(); }
  uint64_t next();
  int64_t between(int64_t low, int64_t high);  // both included
  double real(double low, double high);
  bool one_in(int64_t n) { return between(1, n) == 1; }
  bool percent(int64_t n) { return between(1, 100) <= n; }
  template <typename T>
  const T& of(const std::vector<T>& choices) {
    return choices[static_cast<size_t>(between(0, static_cast<int64_t>(choices.size()) - 1))];
  }

 private:
  uint64_t state_;
};

bool is_float(DType dtype);
bool is_integer(DType dtype);
double epsilon_of(DType dtype);  // of the distance of neighbours near 1; 0 of integers
// Every element as a number; empty for texts.
std::vector<double> numbers_of(const Tensor& tensor);
// Rounded to the type, saturated at its ends.
Tensor tensor_of(DType dtype, const Dims& dims, const std::vector<double>& numbers);
Tensor filled(Chance& chance, DType dtype, const Dims& dims, const Fill& fill);
double largest(const std::vector<double>& numbers);  // size
int64_t count_of(const Dims& dims);

}  // namespace ortc::fuzz
