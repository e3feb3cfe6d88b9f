// SPDX-License-Identifier: MIT
// How far results may be from exact ones, family by family; the families' headers refer to this
// page. The tests of numerics (tests/providers/cpu/arith/*_numerics_test.cc) ask for just these
// numbers, at every instruction set level. Kernels do not include it.
//
// Integers (gemm_i8, quant) are exact and have no bounds; their floats are what the formulas of the
// headers give when each operation is rounded once.
#pragma once

#include <cstddef>

namespace ortc::cpu {

// What one rounding costs at most: half a unit in the last place of 1.
inline constexpr double kRoundingF32 = 0x1p-24;
inline constexpr double kRoundingF64 = 0x1p-53;

// A sum, as a share of the sum of its terms' sizes: each term passes so many roundings at most,
// whatever the order.
constexpr double sum_error(size_t roundings, double rounding = kRoundingF32) {
  return static_cast<double>(roundings + 1) * rounding;
}

// An activation of x, as a share of |x| + |activation(x)|; and how much it enlarges an error of x.
inline constexpr double kActivationError = 3 * kRoundingF32;
inline constexpr double kActivationSlope = 1.5;

// gemm_f32: an element before its activation. Terms are products, bias and residual; or squared
// differences, each of four roundings, that are summed up by k - 1 more.
constexpr double gemm_f32_error(size_t k) { return sum_error(k + 3); }
// conv_f32, depthwise_f32, planes_f32: the same with the taps inside the image.
constexpr double conv_f32_error(size_t depth) { return sum_error(depth + 3); }
// winograd_f32: likewise, of the terms that its formula has; turning takes two roundings before a
// product and four behind it.
constexpr double winograd_f32_error(size_t in_c) { return sum_error(in_c + 10); }
// gemm_f64: alpha comes last. A squared difference takes a rounding more, which counts twice.
constexpr double gemm_f64_error(size_t k) { return sum_error(k + 1, kRoundingF64); }
// int_rows: products of floats with integers, of so many terms.
constexpr double int_rows_error(size_t terms) { return sum_error(terms + 1); }
// nbits: terms are weights times x, zeros times scales times x, and the bias; with 8-bit x, of what
// it stands for. Sums of a block before its scale must not overflow.
constexpr double nbits_error(size_t block, size_t blocks) { return sum_error(block + blocks + 7); }
// reduce_f32: sums in double.
constexpr double reduce_f32_error(size_t n) { return sum_error(n + 2, kRoundingF64); }
// plain_rows: two products and their sum.
inline constexpr double kPairError = sum_error(2);
// pool_f32, pool_lines of floats: sums of so many elements, divided.
constexpr double pool_error(size_t taps) { return sum_error(taps); }

// vector_f32 and maps_f32: elementary functions, in units of the result's last place.
inline constexpr double kExpUlp = 2, kLogUlp = 2, kTanhUlp = 3, kSqrtUlp = 0.5;
inline constexpr double kErfUlp = 2.5, kSigmoidUlp = 2.5;
inline constexpr double kSinUlp = 2, kTanUlp = 5, kAsinUlp = 3, kAtanUlp = 3, kSinhUlp = 4;
// sin and cos near a zero other than 0: in units of the last place of this number.
inline constexpr double kSmallestSin = 1e-3;
inline constexpr double kSoftsignUlp = 1.5, kSoftplusUlp = 4, kExponentialUlp = 4;

// maps_f64: tanh, decay, logistic and angles in units of the result's last place; of an activation
// a share of |x| + |result|; of a power and a softmax a share of the result.
inline constexpr double kTanhF64Ulp = 3, kDecayF64Ulp = 2, kActivationErrorF64 = 4 * kRoundingF64;
inline constexpr double kLogisticF64Ulp = 4, kSinF64Ulp = 1.5;
constexpr double power_f64_error(size_t count) { return sum_error(2 * count, kRoundingF64); }
constexpr double softmax_f64_error(size_t n) { return sum_error(n + 10, kRoundingF64); }

// softmax, as a share: of each result, for arguments a = scale x + mask that are rounded once.
// Results below the smallest normal number are zero.
constexpr double softmax_error(size_t n, double largest_argument) {
  return sum_error(n + 8) + 4 * largest_argument * kRoundingF32;
}
// log_softmax: a share of the sizes of x and of the result.
constexpr double log_softmax_error(size_t n) { return sum_error(n + 8); }
// Layer and RMS normalisation: a share of (|t| + |mean|) / deviation, of that times its scale.
constexpr double norm_error(size_t n) { return sum_error(n / 4 + 8); }

}  // namespace ortc::cpu
