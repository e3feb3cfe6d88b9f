// SPDX-License-Identifier: MIT
// Activations: functions of one tensor with at most two numbers of their own. NaN passes through,
// but for ThresholdedRelu and Shrink, which compare it with their limits and give 0.
//
// Rows of float and double are computed by the arithmetic of the instruction set level where that
// has the function.
#include <cmath>

#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/kernels/math/activation_op.h"

namespace ortc::cpu {
namespace {

// --- Arithmetic.

template <typename T>
T softplus(T x) {
  return std::log1p(std::exp(-std::fabs(x))) + (x > 0 ? x : x != x ? x : T{0});
}

struct Relu {
  using Types = Join<FloatTypes, SignedTypes>;
  explicit Relu(const ActivationParams&) {}
  static void prepare(PrepareContext& ctx) { set_activation(ctx, 0, 0); }
  template <typename T>
  T apply(T x) const {
    return x < T{0} ? T{0} : x;
  }
  void row_f32(const RowsF32& rows, const float* x, float* y, int64_t n) const {
    activate_row(rows.vector, {.kind = Activation::kRelu}, x, y, n);
  }
  void row_f64(const RowsF32& rows, const double* x, double* y, int64_t n) const {
    rows.doubles.relu(x, y, static_cast<size_t>(n));
  }
};

struct LeakyRelu {
  using Types = FloatTypes;
  float alpha;
  explicit LeakyRelu(const ActivationParams& p) : alpha(p.alpha) {}
  static void prepare(PrepareContext& ctx) {
    set_activation(ctx, ctx.node().float_attribute("alpha", 0.01f), 0);
  }
  template <typename T>
  T apply(T x) const {
    const T slopes[] = {T{1}, static_cast<T>(alpha)};  // a branch would be guessed
    return x * slopes[x < 0 ? 1 : 0];
  }
  void row_f32(const RowsF32& rows, const float* x, float* y, int64_t n) const {
    activate_row(rows.vector, {.kind = Activation::kLeakyRelu, .slope = alpha}, x, y, n);
  }
};

struct ThresholdedRelu {
  using Types = FloatTypes;
  float alpha;
  explicit ThresholdedRelu(const ActivationParams& p) : alpha(p.alpha) {}
  static void prepare(PrepareContext& ctx) {
    set_activation(ctx, ctx.node().float_attribute("alpha", 1.0f), 0);
  }
  template <typename T>
  T apply(T x) const {
    return x > static_cast<T>(alpha) ? x : T{0};
  }
  void row_f32(const RowsF32& rows, const float* x, float* y, int64_t n) const {
    rows.maps.threshold(alpha, x, y, static_cast<size_t>(n));
  }
};

struct Elu {
  using Types = FloatTypes;
  static constexpr int64_t kCost = 4;
  float alpha;
  explicit Elu(const ActivationParams& p) : alpha(p.alpha) {}
  static void prepare(PrepareContext& ctx) {
    set_activation(ctx, ctx.node().float_attribute("alpha", 1.0f), 0);
  }
  template <typename T>
  T apply(T x) const {
    return x < 0 ? static_cast<T>(alpha) * std::expm1(x) : x;
  }
  void row_f32(const RowsF32& rows, const float* x, float* y, int64_t n) const {
    rows.maps.exponential({.alpha = alpha}, x, y, static_cast<size_t>(n));
  }
};

struct Selu {
  using Types = FloatTypes;
  static constexpr int64_t kCost = 4;
  float alpha, gamma;
  explicit Selu(const ActivationParams& p) : alpha(p.alpha), gamma(p.beta) {}
  static void prepare(PrepareContext& ctx) {
    set_activation(ctx, ctx.node().float_attribute("alpha", 1.67326319217681884765625f),
                   ctx.node().float_attribute("gamma", 1.05070102214813232421875f));
  }
  template <typename T>
  T apply(T x) const {
    return static_cast<T>(gamma) * (x <= 0 ? static_cast<T>(alpha) * std::expm1(x) : x);
  }
  void row_f32(const RowsF32& rows, const float* x, float* y, int64_t n) const {
    rows.maps.exponential({.alpha = alpha, .gamma = gamma}, x, y, static_cast<size_t>(n));
  }
};

struct Celu {
  using Types = FloatTypes;
  static constexpr int64_t kCost = 4;
  float alpha;
  explicit Celu(const ActivationParams& p) : alpha(p.alpha) {}
  static void prepare(PrepareContext& ctx) {
    set_activation(ctx, ctx.node().float_attribute("alpha", 1.0f), 0);
  }
  template <typename T>
  T apply(T x) const {
    return x < 0 ? static_cast<T>(alpha) * std::expm1(x / static_cast<T>(alpha)) : x;
  }
  void row_f32(const RowsF32& rows, const float* x, float* y, int64_t n) const {
    rows.maps.exponential({.alpha = alpha, .divisor = alpha}, x, y, static_cast<size_t>(n));
  }
};

struct Sigmoid {
  using Types = FloatTypes;
  static constexpr int64_t kCost = 4;
  explicit Sigmoid(const ActivationParams&) {}
  static void prepare(PrepareContext& ctx) { set_activation(ctx, 0, 0); }
  template <typename T>
  T apply(T x) const {
    return sigmoid(x);
  }
  void row_f32(const RowsF32& rows, const float* x, float* y, int64_t n) const {
    rows.vector.sigmoid(x, y, static_cast<size_t>(n));
  }
  void row_f64(const RowsF32& rows, const double* x, double* y, int64_t n) const {
    rows.doubles.logistic(x, y, static_cast<size_t>(n));
  }
};

struct Tanh {
  using Types = FloatTypes;
  static constexpr int64_t kCost = 4;
  explicit Tanh(const ActivationParams&) {}
  static void prepare(PrepareContext& ctx) { set_activation(ctx, 0, 0); }
  template <typename T>
  T apply(T x) const {
    return std::tanh(x);
  }
  void row_f32(const RowsF32& rows, const float* x, float* y, int64_t n) const {
    rows.vector.tanh(x, y, static_cast<size_t>(n));
  }
  void row_f64(const RowsF32& rows, const double* x, double* y, int64_t n) const {
    rows.doubles.tanh(x, y, static_cast<size_t>(n));
  }
};

struct HardSigmoid {
  using Types = FloatTypes;
  float alpha, beta;
  explicit HardSigmoid(const ActivationParams& p) : alpha(p.alpha), beta(p.beta) {}
  static void prepare(PrepareContext& ctx) {
    set_activation(ctx, ctx.node().float_attribute("alpha", 0.2f),
                   ctx.node().float_attribute("beta", 0.5f));
  }
  template <typename T>
  T apply(T x) const {
    const T line = static_cast<T>(alpha) * x + static_cast<T>(beta);
    return line < 0 ? T{0} : line > 1 ? T{1} : line;
  }
  void row_f32(const RowsF32& rows, const float* x, float* y, int64_t n) const {
    rows.maps.hard_sigmoid(alpha, beta, x, y, static_cast<size_t>(n));
  }
};

struct HardSwish {
  using Types = FloatTypes;
  explicit HardSwish(const ActivationParams&) {}
  static void prepare(PrepareContext& ctx) { set_activation(ctx, 0, 0); }
  template <typename T>
  T apply(T x) const {
    const T line = x * (T{1} / T{6}) + T(0.5);
    return x * (line < 0 ? T{0} : line > 1 ? T{1} : line);
  }
  void row_f32(const RowsF32& rows, const float* x, float* y, int64_t n) const {
    activate_row(rows.vector, {.kind = Activation::kHardSwish}, x, y, n);
  }
};

struct Softplus {
  using Types = FloatTypes;
  static constexpr int64_t kCost = 8;
  explicit Softplus(const ActivationParams&) {}
  static void prepare(PrepareContext& ctx) { set_activation(ctx, 0, 0); }
  template <typename T>
  T apply(T x) const {
    return softplus(x);
  }
  void row_f32(const RowsF32& rows, const float* x, float* y, int64_t n) const {
    rows.maps.softplus(x, y, static_cast<size_t>(n));
  }
};

// tanh(softplus(x)) = (e^2 + 2e) / (e^2 + 2e + 2) with e = exp(x), times exp(-2x) above and below
// where x > 0. So exponentials of the larger of two exponents are 1, and nothing overflows.
struct Mish {
  using Types = FloatTypes;
  static constexpr int64_t kCost = 4;
  explicit Mish(const ActivationParams&) {}
  static void prepare(PrepareContext& ctx) { set_activation(ctx, 0, 0); }
  // p = exp(min(x, 0)), q = exp(min(-x, 0))
  template <typename T>
  static T from_exp(T x, T p, T q) {
    const T above = p * (p + 2 * q);
    return x * (above / (above + 2 * q * q));
  }
  template <typename T>
  T apply(T x) const {
    return from_exp(x, std::exp(std::min(x, T{0})), std::exp(std::min(-x, T{0})));
  }
  void row_f32(const RowsF32& rows, const float* x, float* y, int64_t n) const {
    activate_row(rows.vector, {.kind = Activation::kMish}, x, y, n);
  }
};

struct Softsign {
  using Types = FloatTypes;
  explicit Softsign(const ActivationParams&) {}
  static void prepare(PrepareContext& ctx) { set_activation(ctx, 0, 0); }
  template <typename T>
  T apply(T x) const {
    return x / (T{1} + std::fabs(x));
  }
  void row_f32(const RowsF32& rows, const float* x, float* y, int64_t n) const {
    rows.maps.softsign(x, y, static_cast<size_t>(n));
  }
};

struct Shrink {
  using Types = NumberTypes;
  float lambd, bias;
  explicit Shrink(const ActivationParams& p) : lambd(p.alpha), bias(p.beta) {}
  static void prepare(PrepareContext& ctx) {
    set_activation(ctx, ctx.node().float_attribute("lambd", 0.5f),
                   ctx.node().float_attribute("bias", 0.0f));
  }
  template <typename T>
  T apply(T x) const {
    using C = std::conditional_t<std::is_integral_v<T>, double, T>;
    const C value = static_cast<C>(x);
    if (value < -static_cast<C>(lambd)) return convert<T>(value + static_cast<C>(bias));
    if (value > static_cast<C>(lambd)) return convert<T>(value - static_cast<C>(bias));
    return T{0};
  }
};

}  // namespace

KernelTable activation_kernels() {
  static constexpr KernelRow rows[] = {
      activation_row<Relu>("Relu", 1, "relu"),
      activation_row<LeakyRelu>("LeakyRelu", 1, "leaky_relu"),
      activation_row<ThresholdedRelu>("ThresholdedRelu", 10, "thresholded_relu"),
      activation_row<Elu>("Elu", 1, "elu"),
      activation_row<Selu>("Selu", 1, "selu"),
      activation_row<Celu>("Celu", 12, "celu"),
      activation_row<Sigmoid>("Sigmoid", 1, "sigmoid"),
      activation_row<Tanh>("Tanh", 1, "tanh"),
      activation_row<HardSigmoid>("HardSigmoid", 1, "hard_sigmoid"),
      activation_row<HardSwish>("HardSwish", 14, "hard_swish"),
      activation_row<Softplus>("Softplus", 1, "softplus"),
      activation_row<Softsign>("Softsign", 1, "softsign"),
      activation_row<Mish>("Mish", 18, "mish"),
      activation_row<Shrink>("Shrink", 9, "shrink"),
  };
  return rows;
}

}  // namespace ortc::cpu
