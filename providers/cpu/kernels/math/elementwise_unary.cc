// SPDX-License-Identifier: MIT
// Mathematical functions of one tensor: y[i] = f(x[i]).
//
// Integers wrap around (Abs and Neg of the smallest one is itself). Round goes to the even
// neighbour at a half. Sign of NaN is NaN.
#include <algorithm>
#include <cmath>

#include "providers/cpu/bind/rows/unary_rows.h"
#include "providers/cpu/cpu_kernels.h"

namespace ortc::cpu {
namespace {

// --- Arithmetic.

template <typename T>
T negated(T x) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(uint64_t{0} - static_cast<uint64_t>(x));
  return -x;
}

struct Abs {
  using Types = NumberTypes;
  template <typename T>
  T apply(T x) const {
    if constexpr (std::is_unsigned_v<T>) {
      return x;
    } else if constexpr (std::is_integral_v<T>) {
      // Without a branch, which numbers of any sign would miss: all bits of the sign, or none.
      using U = std::make_unsigned_t<T>;
      const U sign = static_cast<U>(x >> (8 * sizeof(T) - 1));
      return static_cast<T>(static_cast<U>((static_cast<U>(x) ^ sign) - sign));
    } else {
      return std::fabs(x);
    }
  }
  void row_f32(const RowsF32& rows, const float* x, float* y, int64_t n) const {
    rows.maps.abs(x, y, static_cast<size_t>(n));
  }
};
struct Neg {
  using Types = Join<FloatTypes, SignedTypes>;
  template <typename T>
  T apply(T x) const {
    return negated(x);
  }
  void row_f32(const RowsF32& rows, const float* x, float* y, int64_t n) const {
    rows.maps.negate(x, y, static_cast<size_t>(n));
  }
};
struct Sign {
  using Types = NumberTypes;
  template <typename T>
  T apply(T x) const {
    const T above = x > T{0} ? T{1} : T{0}, below = x < T{0} ? T{1} : T{0};
    const T sign = static_cast<T>(above - below);
    return x != x ? x : sign;  // choices, no branches: loops become vectors
  }
  void row_f64(const RowsF32& rows, const double* x, double* y, int64_t n) const {
    rows.doubles.sign(x, y, static_cast<size_t>(n));
  }
  static int16_t apply_bits(const HalfBits& type, int16_t bits) {
    const int16_t size = bits & INT16_MAX,
                  one = static_cast<int16_t>((bits & INT16_MIN) | type.one);
    const int16_t whole = size > type.infinity ? bits : one;
    return size == 0 ? int16_t{0} : whole;
  }
};
struct Reciprocal {
  using Types = FloatTypes;
  template <typename T>
  T apply(T x) const {
    return T{1} / x;
  }
  void row_f32(const RowsF32& rows, const float* x, float* y, int64_t n) const {
    rows.maps.reciprocal(x, y, static_cast<size_t>(n));
  }
};

// A function of the standard library, of any float type.
#define ORTC_MATH_OP(Name, function)     \
  struct Name {                          \
    using Types = FloatTypes;            \
    static constexpr int64_t kCost = 16; \
    template <typename T>                \
    T apply(T x) const {                 \
      return function(x);                \
    }                                    \
  };
ORTC_MATH_OP(Cosh, std::cosh)
ORTC_MATH_OP(Asinh, std::asinh)
ORTC_MATH_OP(Acosh, std::acosh)
ORTC_MATH_OP(Atanh, std::atanh)
#undef ORTC_MATH_OP

// The same, with rows of float by the instruction set level.
#define ORTC_VECTOR_OP(Name, function, member, cost)                               \
  struct Name {                                                                    \
    using Types = FloatTypes;                                                      \
    static constexpr int64_t kCost = cost;                                         \
    template <typename T>                                                          \
    T apply(T x) const {                                                           \
      return function(x);                                                          \
    }                                                                              \
    void row_f32(const RowsF32& rows, const float* x, float* y, int64_t n) const { \
      rows.member(x, y, static_cast<size_t>(n));                                   \
    }                                                                              \
  };
ORTC_VECTOR_OP(Sqrt, std::sqrt, vector.sqrt, 1)
ORTC_VECTOR_OP(Exp, std::exp, vector.exp, 4)
ORTC_VECTOR_OP(Log, std::log, vector.log, 4)
ORTC_VECTOR_OP(Erf, std::erf, vector.erf, 4)
ORTC_VECTOR_OP(Tan, std::tan, maps.tan, 4)
ORTC_VECTOR_OP(Asin, std::asin, maps.asin, 4)
ORTC_VECTOR_OP(Acos, std::acos, maps.acos, 4)
ORTC_VECTOR_OP(Atan, std::atan, maps.atan, 4)
ORTC_VECTOR_OP(Sinh, std::sinh, maps.sinh, 4)
#undef ORTC_VECTOR_OP

// Whole numbers: rows of float and of double by the instruction set level.
#define ORTC_WHOLE_OP(Name, function, member)                                        \
  struct Name {                                                                      \
    using Types = FloatTypes;                                                        \
    template <typename T>                                                            \
    T apply(T x) const {                                                             \
      return function(x);                                                            \
    }                                                                                \
    void row_f32(const RowsF32& rows, const float* x, float* y, int64_t n) const {   \
      rows.maps.member(x, y, static_cast<size_t>(n));                                \
    }                                                                                \
    void row_f64(const RowsF32& rows, const double* x, double* y, int64_t n) const { \
      rows.doubles.member(x, y, static_cast<size_t>(n));                             \
    }                                                                                \
  };
ORTC_WHOLE_OP(Floor, std::floor, floor)
ORTC_WHOLE_OP(Ceil, std::ceil, ceil)
ORTC_WHOLE_OP(Round, std::nearbyint, round)
#undef ORTC_WHOLE_OP

// Angles that the level has no bits for are the standard library's.
void angle_row(const RowsF32& rows, bool is_cosine, const double* x, double* y, int64_t n) {
  const auto angles = rows.doubles.angles;
  double piece[kFloatRow];
  for (int64_t at = 0; at < n; at += kFloatRow) {
    const int64_t size = std::min(kFloatRow, n - at);
    const bool are_near =
        angles != nullptr && angles(x + at, is_cosine, piece, static_cast<size_t>(size));
    for (int64_t i = 0; !are_near && i < size; ++i) {
      const double angle = x[at + i];
      if (angles == nullptr || std::fabs(angle) > kMostAngleF64)
        piece[i] = is_cosine ? std::cos(angle) : std::sin(angle);
    }
    std::copy_n(piece, size, y + at);
  }
}

template <bool kIsCosine>
struct AngleFunction {
  using Types = FloatTypes;
  static constexpr int64_t kCost = 4;
  template <typename T>
  T apply(T x) const {
    return kIsCosine ? std::cos(x) : std::sin(x);
  }
  void row_f32(const RowsF32& rows, const float* x, float* y, int64_t n) const {
    (kIsCosine ? rows.maps.cos : rows.maps.sin)(x, y, static_cast<size_t>(n));
  }
  void row_f64(const RowsF32& rows, const double* x, double* y, int64_t n) const {
    angle_row(rows, kIsCosine, x, y, n);
  }
};
using Sin = AngleFunction<false>;
using Cos = AngleFunction<true>;

struct IsNan {
  using Types = FloatTypes;
  template <typename T>
  Bool8 apply(T x) const {
    return Bool8(x != x);
  }
  void row_f32(const RowsF32& rows, const float* x, Bool8* y, int64_t n) const {
    rows.plain.is_nan(x, &y->byte, static_cast<size_t>(n));
  }
  // What does not equal itself.
  void row_f64(const RowsF32& rows, const double* x, Bool8* y, int64_t n) const {
    constexpr uint8_t kTrue = 1;
    rows.truths.f64.equal(x, true, x, true, &y->byte, static_cast<size_t>(n));
    rows.truths.one_alone(&y->byte, true, &kTrue, false, &y->byte, static_cast<size_t>(n));
  }
  static uint8_t apply_bits(const HalfBits& type, int16_t bits) {
    const int16_t size = bits & INT16_MAX;
    return size > type.infinity ? 1 : 0;
  }
};
struct IsInf {
  using Types = FloatTypes;
  bool positive, negative;
  template <typename T>
  Bool8 apply(T x) const {
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    return Bool8((positive & (x == kInfinity)) | (negative & (x == -kInfinity)));
  }
  void row_f32(const RowsF32& rows, const float* x, Bool8* y, int64_t n) const {
    rows.plain.is_infinite(x, positive, negative, &y->byte, static_cast<size_t>(n));
  }
  void row_f64(const RowsF32& rows, const double* x, Bool8* y, int64_t n) const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double up = positive ? kInfinity : std::nan(""), down = negative ? -kInfinity : up;
    uint8_t is_down[kFloatRow];
    for (int64_t at = 0; at < n; at += kFloatRow) {
      const auto size = static_cast<size_t>(std::min(kFloatRow, n - at));
      uint8_t* const is_up = &y[at].byte;
      rows.truths.f64.equal(x + at, true, &up, false, is_up, size);
      rows.truths.f64.equal(x + at, true, &down, false, is_down, size);
      rows.truths.either(is_up, true, is_down, true, is_up, size);
    }
  }
};
struct Not {
  using Types = TypeList<Bool8>;
  template <typename T>
  Bool8 apply(T x) const {
    return Bool8(!x);
  }
};
struct BitwiseNot {
  using Types = IntegerTypes;
  template <typename T>
  T apply(T x) const {
    return static_cast<T>(~x);
  }
};

// --- Prepare.

struct IsInfParams {
  uint32_t record_bytes;
  uint16_t positive;
  uint16_t negative;
};
static_assert(sizeof(IsInfParams) == 8);

Status prepare_is_inf(PrepareContext& ctx) {
  const bool positive = ctx.node().int_attribute("detect_positive", 1) != 0;
  const bool negative = ctx.node().int_attribute("detect_negative", 1) != 0;
  ctx.set_params(IsInfParams{sizeof(IsInfParams), positive, negative});
  return Status::ok();
}

// --- Bind.

template <typename Op>
Status bind_test(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, Op::Types::kMask));
  return ctx.set_output(0, DType::kBool, ctx.input(0).dims());
}

Status bind_is_inf(BindContext& ctx) {
  if (ctx.params<IsInfParams>() == nullptr) return ctx.bad_params();
  return bind_test<IsInf>(ctx);
}

// --- Run.

template <typename Op>
Status run_unary(RunContext& ctx) {
  run_unary_op(ctx, Op{});
  return Status::ok();
}

Status run_is_inf(RunContext& ctx) {
  const auto& params = ctx.params<IsInfParams>();
  if (params.positive == 0 && params.negative == 0) {
    std::fill_n(ctx.output(0).as_mutable<Bool8>(), ctx.output(0).element_count(), Bool8());
    return Status::ok();
  }
  run_unary_op(ctx, IsInf{params.positive != 0, params.negative != 0});
  return Status::ok();
}

// A row of a function without attributes.
template <typename Op>
constexpr KernelRow row(std::string_view op, int since, std::string_view id, uint32_t flags) {
  return {op, "",    since, kLatestOpset,    Op::Types::kMask, id,
          1,  flags, 0,     prepare_nothing, bind_unary<Op>,   run_unary<Op>};
}

}  // namespace

KernelTable elementwise_unary_kernels() {
  constexpr uint32_t kSmall = kInPlace | kShapeArithmetic;
  static constexpr KernelRow rows[] = {
      row<Abs>("Abs", 1, "abs", kSmall),
      row<Neg>("Neg", 1, "neg", kSmall),
      row<Sign>("Sign", 9, "sign", kSmall),
      row<Floor>("Floor", 1, "floor", kSmall),
      row<Ceil>("Ceil", 1, "ceil", kSmall),
      row<Round>("Round", 11, "round", kSmall),
      row<Reciprocal>("Reciprocal", 1, "reciprocal", kInPlace),
      row<Sqrt>("Sqrt", 1, "sqrt", kSmall),
      row<Exp>("Exp", 1, "exp", kInPlace),
      row<Log>("Log", 1, "log", kInPlace),
      row<Sin>("Sin", 7, "sin", kInPlace),
      row<Cos>("Cos", 7, "cos", kInPlace),
      row<Tan>("Tan", 7, "tan", kInPlace),
      row<Asin>("Asin", 7, "asin", kInPlace),
      row<Acos>("Acos", 7, "acos", kInPlace),
      row<Atan>("Atan", 7, "atan", kInPlace),
      row<Sinh>("Sinh", 9, "sinh", kInPlace),
      row<Cosh>("Cosh", 9, "cosh", kInPlace),
      row<Asinh>("Asinh", 9, "asinh", kInPlace),
      row<Acosh>("Acosh", 9, "acosh", kInPlace),
      row<Atanh>("Atanh", 9, "atanh", kInPlace),
      row<Erf>("Erf", 9, "erf", kInPlace),
      row<BitwiseNot>("BitwiseNot", 18, "bitwise_not", kInPlace),
      row<Not>("Not", 1, "not", kSmall),
      {"IsNaN", "", 9, kLatestOpset, IsNan::Types::kMask, "is_nan", 1, kNoFlags, 0, prepare_nothing,
       bind_test<IsNan>, run_unary<IsNan>},
      {"IsInf", "", 10, kLatestOpset, IsInf::Types::kMask, "is_inf", 1, kNoFlags, 0, prepare_is_inf,
       bind_is_inf, run_is_inf},
  };
  return rows;
}

}  // namespace ortc::cpu
