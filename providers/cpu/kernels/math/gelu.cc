// SPDX-License-Identifier: MIT
// Gelu in its forms, and Swish:
//
//   Gelu                 x (1 + erf(x / sqrt 2)) / 2
//   Gelu by tanh         x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2      (FastGelu too)
//   QuickGelu and Swish  x sigmoid(alpha x)
//
// BiasGelu and FastGelu add a vector along the last axis first.
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/kernels/math/activation_op.h"

namespace ortc::cpu {
namespace {

// --- Arithmetic and prepare.

template <typename T>
T gelu_exact(T x) {
  return x * (T(0.5) * (T{1} + std::erf(x * T(0.70710678118654752440))));
}

template <typename T>
T gelu_tanh(T x) {
  return x *
         (T(0.5) * (T{1} + std::tanh(T(0.79788456080286535588) * (x + T(0.044715) * x * x * x))));
}

// x sigmoid(alpha x): QuickGelu, and Swish with an alpha of 1.
struct QuickGelu {
  using Types = FloatTypes;
  static constexpr int64_t kCost = 4;
  float alpha;
  explicit QuickGelu(const ActivationParams& p) : alpha(p.alpha) {}
  static void prepare(PrepareContext& ctx) {
    const float unless_given = ctx.node().is_op("Swish") ? 1.0f : 1.702f;
    set_activation(ctx, ctx.node().float_attribute("alpha", unless_given), 0);
  }
  template <typename T>
  T apply(T x) const {
    return x * sigmoid(static_cast<T>(alpha) * x);
  }
  void row_f32(const RowsF32& rows, const float* x, float* y, int64_t n) const {
    if (alpha == 1.0f) return rows.vector.silu(x, y, static_cast<size_t>(n));
    float row[kFloatRow];
    for (int64_t at = 0; at < n; at += kFloatRow) {
      const auto size = static_cast<size_t>(std::min(kFloatRow, n - at));
      rows.vector.mul_scalar(x + at, alpha, row, size);
      rows.vector.sigmoid(row, row, size);
      rows.vector.mul(x + at, row, y + at, size);
    }
  }
};

// alpha is 1 for the approximation by tanh.
struct Gelu {
  using Types = FloatTypes;
  static constexpr int64_t kCost = 4;
  bool by_tanh;
  explicit Gelu(const ActivationParams& p) : by_tanh(p.alpha != 0) {}
  static void prepare(PrepareContext& ctx) {
    const bool fast = ctx.node().op_type() == "FastGelu" ||
                      ctx.node().string_attribute("approximate", "none") == "tanh";
    set_activation(ctx, fast ? 1.0f : 0.0f, 0);
  }
  template <typename T>
  T apply(T x) const {
    return by_tanh ? gelu_tanh(x) : gelu_exact(x);
  }
  void row_f32(const RowsF32& rows, const float* x, float* y, int64_t n) const {
    (by_tanh ? rows.vector.gelu_tanh : rows.vector.gelu)(x, y, static_cast<size_t>(n));
  }
  void row_f64(const RowsF32& rows, const double* x, double* y, int64_t n) const {
    if (by_tanh) return rows.doubles.gelu_tanh(x, y, static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) y[i] = gelu_exact(x[i]);
  }
};

// --- Bind.

// BiasGelu and FastGelu: the bias is a vector along the last axis.
Status bind_bias_gelu(BindContext& ctx) {
  if (ctx.params<ActivationParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, Gelu::Types::kMask));
  RETURN_IF_ERROR(check_same_type(ctx, 1, 0));
  const ValueRef& x = ctx.input(0);
  if (ctx.has_input(1) &&
      (ctx.input(1).rank != 1 || x.rank == 0 || ctx.input(1).dim(0) != x.dim(x.rank - 1))) {
    return invalid_argument("bias of shape ", dims_to_string(ctx.input(1).dims()),
                            " does not fit an input of shape ", dims_to_string(x.dims()));
  }
  return ctx.set_output(0, x.dtype, x.dims());
}

// --- Run.

// y = gelu(x + bias) of one stretch; `bias` has as many elements, widened.
template <typename T>
void bias_gelu_row(const Gelu& gelu, const RowsF32& rows, const T* x, const Compute<T>* bias, T* y,
                   int64_t n) {
  Compute<T> sum[kFloatRow];
  if constexpr (kIsReduced<T>) {
    widen(x, n, sum);
    rows.vector.add(sum, bias, sum, static_cast<size_t>(n));
    unary_row<Gelu, float>(gelu, rows, sum, sum, n);
    narrow(sum, n, y);
  } else {
    if constexpr (std::is_same_v<T, float>) {
      rows.vector.add(x, bias, sum, static_cast<size_t>(n));
    } else {
      for (int64_t i = 0; i < n; ++i) sum[i] = x[i] + bias[i];
    }
    unary_row<Gelu, T>(gelu, rows, sum, y, n);
  }
}

// The bias is widened once for all rows; short rows go several together.
template <typename T>
void bias_gelu_rows(const Gelu& gelu, const RowsF32& rows, const T* x, const T* bias, T* y,
                    int64_t row, int64_t begin, int64_t end) {
  Compute<T> piece[kFloatRow];
  const int64_t at_once = std::clamp<int64_t>(kFloatRow / row, 1, end - begin);
  for (int64_t column = 0; column < row; column += kFloatRow) {
    const int64_t size = std::min(kFloatRow, row - column);
    if constexpr (kIsReduced<T>) {
      widen(bias + column, size, piece);
    } else {
      std::copy_n(bias + column, size, piece);
    }
    for (int64_t i = 1; i < at_once; ++i) std::copy_n(piece, row, piece + i * row);
    for (int64_t i = begin; i < end; i += at_once) {
      const int64_t n = at_once == 1 ? size : std::min(at_once, end - i) * row;
      bias_gelu_row<T>(gelu, rows, x + i * row + column, piece, y + i * row + column, n);
    }
  }
}

Status run_bias_gelu(RunContext& ctx) {
  if (!ctx.has_input(1)) return run_activation<Gelu>(ctx);
  const Gelu gelu(ctx.params<ActivationParams>());
  const ValueRef& x = ctx.input(0);
  const int64_t row = ctx.input(1).dim(0);
  const int64_t row_count = row == 0 ? 0 : x.element_count() / row;
  const RowsF32 rows(ctx);
  with_type(Gelu::Types{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t grain =
        std::max<int64_t>(1, kElementGrain / Gelu::kCost / std::max<int64_t>(row, 1));
    ctx.parallel_for(row_count, grain, [&](int64_t begin, int64_t end) {
      bias_gelu_rows<T>(gelu, rows, x.as<T>(), ctx.input(1).as<T>(), ctx.output(0).as_mutable<T>(),
                        row, begin, end);
    });
  });
  return Status::ok();
}

}  // namespace

KernelTable gelu_kernels() {
  constexpr int kEnd = kLatestOpset;
  constexpr TypeMask kFloats = FloatTypes::kMask;
  static constexpr KernelRow rows[] = {
      activation_row<QuickGelu>("Swish", 24, "quick_gelu"),
      activation_row<Gelu>("Gelu", 20, "gelu"),
      {"Gelu", kMicrosoftDomain, 1, kEnd, kFloats, "gelu", 1, kInPlace, 0, prepare_activation<Gelu>,
       bind_activation<Gelu>, run_activation<Gelu>},
      {"QuickGelu", kMicrosoftDomain, 1, kEnd, kFloats, "quick_gelu", 1, kInPlace, 0,
       prepare_activation<QuickGelu>, bind_activation<QuickGelu>, run_activation<QuickGelu>},
      {"BiasGelu", kMicrosoftDomain, 1, kEnd, kFloats, "bias_gelu", 1, kInPlace, 0,
       prepare_activation<Gelu>, bind_bias_gelu, run_bias_gelu},
      {"FastGelu", kMicrosoftDomain, 1, kEnd, kFloats, "bias_gelu", 1, kInPlace, 0,
       prepare_activation<Gelu>, bind_bias_gelu, run_bias_gelu},
  };
  return rows;
}

}  // namespace ortc::cpu
