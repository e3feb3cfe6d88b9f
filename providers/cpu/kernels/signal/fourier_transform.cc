// SPDX-License-Identifier: MIT
// Discrete Fourier transforms: see the header.
#include "providers/cpu/kernels/signal/fourier_transform.h"

#include <algorithm>
#include <cmath>

namespace ortc::cpu {
namespace {

constexpr double kPi = 3.14159265358979323846;

bool is_power_of_two(int64_t n) { return (n & (n - 1)) == 0; }

int64_t work_size(int64_t n) {
  if (is_power_of_two(n)) return n;
  int64_t size = 1;
  while (size < 2 * n - 1) size *= 2;
  return size;
}

// -1 makes ScratchPlan refuse.
int64_t times(int64_t a, int64_t b) {
  const auto product = checked_mul(a, b);
  return product ? *product : -1;
}

}  // namespace

Fourier::Fourier(int64_t n, int64_t slots, ScratchPlan* plan)
    : n_(n), size_(n < (int64_t{1} << 40) ? work_size(n) : n) {
  if (n >= int64_t{1} << 40) plan->add<Complex>(-1);
  turns_offset_ = plan->add<Complex>(size_ / 2 + 1);
  if (size_ != n_) {
    chirp_offset_ = plan->add<Complex>(n_);
    filter_offset_ = plan->add<Complex>(size_);
  }
  work_offset_ = plan->add<Complex>(times(size_, slots));
}

void Fourier::prepare(std::byte* scratch) {
  turns_ = reinterpret_cast<Complex*>(scratch + turns_offset_);
  work_ = reinterpret_cast<Complex*>(scratch + work_offset_);
  for (int64_t k = 0; k <= size_ / 2; ++k) {
    turns_[k] = std::polar(1.0, -2 * kPi * static_cast<double>(k) / static_cast<double>(size_));
  }
  if (size_ == n_) return;
  chirp_ = reinterpret_cast<Complex*>(scratch + chirp_offset_);
  filter_ = reinterpret_cast<Complex*>(scratch + filter_offset_);
  std::fill_n(filter_, size_, Complex{});
  for (int64_t k = 0; k < n_; ++k) {
    // k^2 modulo 2n, so that the angle stays small.
    const auto square = static_cast<int64_t>(static_cast<__int128>(k) * k % (2 * n_));
    chirp_[k] = std::polar(1.0, -kPi * static_cast<double>(square) / static_cast<double>(n_));
    filter_[k] = std::conj(chirp_[k]);
    if (k > 0) filter_[size_ - k] = filter_[k];
  }
  radix2(filter_);
}

void Fourier::radix2(Complex* x) const {
  for (int64_t i = 1, j = 0; i < size_; ++i) {
    int64_t bit = size_ / 2;
    for (; (j & bit) != 0; bit /= 2) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (int64_t length = 2; length <= size_; length *= 2) {
    const int64_t half = length / 2, stride = size_ / length;
    for (int64_t start = 0; start < size_; start += length) {
      for (int64_t k = 0; k < half; ++k) {
        const Complex a = x[start + k], w = turns_[k * stride], b = x[start + half + k];
        // Written out: the operator looks for infinities.
        const Complex t(b.real() * w.real() - b.imag() * w.imag(),
                        b.real() * w.imag() + b.imag() * w.real());
        x[start + k] = a + t;
        x[start + half + k] = a - t;
      }
    }
  }
}

void Fourier::transform(Complex* x) const {
  if (size_ == n_) {
    radix2(x);
    return;
  }
  for (int64_t k = 0; k < n_; ++k) x[k] *= chirp_[k];
  std::fill(x + n_, x + size_, Complex{});
  radix2(x);
  // The convolution's way back is a transform of conjugates.
  for (int64_t k = 0; k < size_; ++k) x[k] = std::conj(x[k] * filter_[k]);
  radix2(x);
  for (int64_t k = 0; k < n_; ++k) {
    x[k] = std::conj(x[k]) / static_cast<double>(size_) * chirp_[k];
  }
}

void Fourier::inverse(Complex* x) const {
  for (int64_t k = 0; k < n_; ++k) x[k] = std::conj(x[k]);
  transform(x);
  for (int64_t k = 0; k < n_; ++k) x[k] = std::conj(x[k]) / static_cast<double>(n_);
}

}  // namespace ortc::cpu
