// SPDX-License-Identifier: MIT
// Probabilities of classes from scores of pairs of them, as support vector machines give them.
#pragma once

#include <cstdint>

namespace ortc::cpu {

// In doubles.
constexpr int64_t pair_probability_scratch(int64_t classes) {
  return 2 * classes * classes + 2 * classes;
}

// `scores`: those of the pairs (0,1), (0,2) ... (1,2) ...; gets the probability of each class.
// A pair's score s is a probability 1 / (1 + exp(a s + b)) by Platt; the classes' follow from those
// by the iteration of Wu, Lin and Weng (2004), second method.
void class_probabilities(int64_t classes, const float* a, const float* b, double* scratch,
                         double* scores);

}  // namespace ortc::cpu
