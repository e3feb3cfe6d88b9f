// SPDX-License-Identifier: MIT
// Coupling of pairs' probabilities: see the header.
#include "providers/cpu/kernels/ml/pair_probability.h"

#include <algorithm>
#include <cmath>

namespace ortc::cpu {
namespace {

// Row by row; r[i, j] is the probability of i where i or j it is.
void pair_matrix(int64_t n, const float* a, const float* b, const double* scores, double* r) {
  constexpr double kLeast = 1e-7;
  int64_t pair = 0;
  for (int64_t i = 0; i < n; ++i) {
    r[i * n + i] = 0;
    for (int64_t j = i + 1; j < n; ++j, ++pair) {
      const double p = 1 / (1 + std::exp(scores[pair] * double{a[pair]} + double{b[pair]}));
      r[i * n + j] = std::clamp(p, kLeast, 1 - kLeast);
      r[j * n + i] = 1 - r[i * n + j];
    }
  }
}

// q[i, i] = sum_j r[j, i]^2, q[i, j] = -r[j, i] r[i, j].
void form_matrix(int64_t n, const double* r, double* q) {
  for (int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < n; ++j) {
      if (j == i) continue;
      sum += r[j * n + i] * r[j * n + i];
      q[i * n + j] = -r[j * n + i] * r[i * n + j];
    }
    q[i * n + i] = sum;
  }
}

// qp = q p; gives p q p.
double apply_form(int64_t n, const double* q, const double* p, double* qp) {
  double form = 0;
  for (int64_t i = 0; i < n; ++i) {
    qp[i] = 0;
    for (int64_t j = 0; j < n; ++j) qp[i] += q[i * n + j] * p[j];
    form += p[i] * qp[i];
  }
  return form;
}

// One round: each class in turn gets the share that is best for it, the others stay in proportion.
void improve(int64_t n, const double* q, double form, double* p, double* qp) {
  for (int64_t i = 0; i < n; ++i) {
    const double own = q[i * n + i];
    const double change = (form - qp[i]) / own;
    const double whole = 1 + change;
    p[i] += change;
    form = (form + change * (change * own + 2 * qp[i])) / whole / whole;
    for (int64_t j = 0; j < n; ++j) {
      qp[j] = (qp[j] + change * q[i * n + j]) / whole;
      p[j] /= whole;
    }
  }
}

}  // namespace

void class_probabilities(int64_t n, const float* a, const float* b, double* scratch,
                         double* scores) {
  double *r = scratch, *q = r + n * n, *p = q + n * n, *qp = p + n;
  pair_matrix(n, a, b, scores, r);
  form_matrix(n, r, q);
  std::fill_n(p, n, 1.0 / static_cast<double>(n));
  const int64_t rounds = std::max<int64_t>(100, n);
  for (int64_t round = 0; round < rounds; ++round) {
    const double form = apply_form(n, q, p, qp);
    double error = 0;
    for (int64_t i = 0; i < n; ++i) error = std::max(error, std::fabs(qp[i] - form));
    if (error < 0.005 / static_cast<double>(n)) break;
    improve(n, q, form, p, qp);
  }
  std::copy_n(p, n, scores);
}

}  // namespace ortc::cpu
