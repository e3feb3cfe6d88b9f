// SPDX-License-Identifier: MIT
// Attention in plain loops, in double: what the tests of attention operators compare with.
#pragma once

#include <cmath>
#include <limits>

#include "tests/providers/cpu/kernels/node_case.h"

namespace ortc::cpu::testing {

// [batch, heads, sequence, size]
struct Heads {
  int64_t batch = 0, heads = 0, sequence = 0, size = 0;
  std::vector<double> x;

  Heads(int64_t b, int64_t n, int64_t s, int64_t h)
      : batch(b), heads(n), sequence(s), size(h), x(static_cast<size_t>(b * n * s * h)) {}
  double& at(int64_t b, int64_t n, int64_t s, int64_t i) {
    return x[static_cast<size_t>(((b * heads + n) * sequence + s) * size + i)];
  }
  double at(int64_t b, int64_t n, int64_t s, int64_t i) const {
    return const_cast<Heads*>(this)->at(b, n, s, i);
  }
  Dims dims() const { return {batch, heads, sequence, size}; }
};

// Heads that lie in rows [batch, sequence] of `row` numbers, `step` apart from `first` on.
inline Heads taken(const Tensor& rows, Heads to, int64_t row, int64_t first, int64_t step,
                   const Tensor& bias, int64_t bias_first) {
  for (int64_t b = 0; b < to.batch; ++b)
    for (int64_t n = 0; n < to.heads; ++n)
      for (int64_t s = 0; s < to.sequence; ++s)
        for (int64_t i = 0; i < to.size; ++i) {
          double x = rows.elements<float>()[(b * to.sequence + s) * row + first + n * step + i];
          if (bias.is_defined()) x += bias.elements<float>()[bias_first + n * to.size + i];
          to.at(b, n, s, i) = x;
        }
  return to;
}

// Past and new ones; `past` holds [batch, heads, past, size] from `offset` on, or is undefined.
inline Heads joined(const Tensor& past, int64_t length, int64_t offset, const Heads& added) {
  Heads all(added.batch, added.heads, length + added.sequence, added.size);
  for (int64_t b = 0; b < all.batch; ++b)
    for (int64_t n = 0; n < all.heads; ++n)
      for (int64_t s = 0; s < all.sequence; ++s)
        for (int64_t i = 0; i < all.size; ++i) {
          all.at(b, n, s, i) =
              s < length ? past.elements<float>()[offset +
                                                  ((b * all.heads + n) * length + s) * all.size + i]
                         : added.at(b, n, s - length, i);
        }
  return all;
}

// The element at these coordinates; dims of 1 repeat.
inline size_t repeated_index(const Dims& at, const Dims& dims) {
  int64_t index = 0;
  for (size_t d = 0; d < dims.size(); ++d) index = index * dims[d] + (dims[d] == 1 ? 0 : at[d]);
  return static_cast<size_t>(index);
}

struct Rules {
  double scale = 0;
  double filter = -10000;
  bool unidirectional = false;
  // Whether a key counts for a query of a batch entry, by the mask; empty: all.
  std::function<bool(int64_t b, int64_t query, int64_t key)> counts = {};
  Tensor bias = {};
};

struct Attended {
  std::vector<double> y, scores;
};

inline Attended attend(const Heads& q, const Heads& k, const Heads& v, int64_t past,
                       const Rules& rules) {
  Attended result;
  result.y.resize(static_cast<size_t>(q.batch * q.sequence * q.heads * v.size));
  const double scale = rules.scale != 0 ? rules.scale : 1 / std::sqrt(static_cast<double>(q.size));
  for (int64_t b = 0; b < q.batch; ++b)
    for (int64_t n = 0; n < q.heads; ++n)
      for (int64_t s = 0; s < q.sequence; ++s) {
        std::vector<double> p;
        for (int64_t t = 0; t < k.sequence; ++t) {
          double score = 0;
          for (int64_t i = 0; i < q.size; ++i) score += scale * q.at(b, n, s, i) * k.at(b, n, t, i);
          if (rules.bias.is_defined()) {
            score += rules.bias.elements<float>()[repeated_index({b, n, s, t}, rules.bias.dims())];
          }
          if (rules.counts && !rules.counts(b, s, t)) score += rules.filter;
          if (rules.unidirectional && s + 1 < q.sequence && t > past + s)
            score += std::numeric_limits<float>::lowest();
          p.push_back(score);
          result.scores.push_back(score);
        }
        double top = -std::numeric_limits<double>::infinity(), sum = 0;
        for (const double x : p) top = std::max(top, x);
        for (double& x : p) sum += x = std::exp(x - top);
        for (int64_t t = 0; t < k.sequence; ++t)
          for (int64_t i = 0; i < v.size; ++i) {
            result.y[static_cast<size_t>(((b * q.sequence + s) * q.heads + n) * v.size + i)] +=
                p[static_cast<size_t>(t)] / sum * v.at(b, n, t, i);
          }
      }
  return result;
}

}  // namespace ortc::cpu::testing
