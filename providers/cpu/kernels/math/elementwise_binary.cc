// SPDX-License-Identifier: MIT
// Operators of two tensors, element by element with broadcasting:
//
//   y[i] = op(a[i], b[i])
//
// Integers wrap around; dividing one by zero is an error. Float16 and bfloat16 are computed in
// float. The loop sees rows in which each operand either moves or stands still.
#include <algorithm>

#include "core/graph/one_of.h"
#include "providers/cpu/bind/broadcast.h"
#include "providers/cpu/bind/legacy_kernel.h"
#include "providers/cpu/bind/rows/repeated_rows.h"
#include "providers/cpu/bind/rows/unary_rows.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/kernels/math/binary_operators.h"

namespace ortc::cpu {
namespace {

using namespace binary;

// What an operator makes of two T: T, or a truth value.
template <typename Op, typename T>
using ResultOf =
    std::conditional_t<std::is_same_v<decltype(Op::template apply<Compute<T>>({}, {})), Bool8>,
                       Bool8, T>;

// One row; an operand with stride 0 stands still. The result may lie where an operand does: each
// element is read before it is written.
template <typename Op, typename T>
void binary_row(const T* a, int64_t a_stride, const T* b, int64_t b_stride, ResultOf<Op, T>* y,
                int64_t n) {
  if (n == 1) {
    *y = Op::template apply<T>(*a, *b);
  } else if (a_stride == 0) {
    const T scalar = *a;
    ORTC_ELEMENTWISE
    for (int64_t i = 0; i < n; ++i) y[i] = Op::template apply<T>(scalar, b[i]);
  } else if (b_stride == 0) {
    const T scalar = *b;
    ORTC_ELEMENTWISE
    for (int64_t i = 0; i < n; ++i) y[i] = Op::template apply<T>(a[i], scalar);
  } else {
    ORTC_ELEMENTWISE
    for (int64_t i = 0; i < n; ++i) y[i] = Op::template apply<T>(a[i], b[i]);
  }
}

template <typename Op>
void vector_row(const VectorF32Kernels& vector, const float* a, int64_t a_stride, const float* b,
                int64_t b_stride, float* y, int64_t n) {
  const auto size = static_cast<size_t>(n);
  if (a_stride == 0 && n > 1) {
    (vector.*Op::kRows.a_stands)(b, *a, y, size);
  } else if (b_stride == 0 && n > 1) {
    (vector.*Op::kRows.b_stands)(a, *b, y, size);
  } else {
    (vector.*Op::kRows.both)(a, b, y, size);
  }
}

template <typename Op, typename T>
void integer_row(const NumberRowsKernels& rows, const T* a, int64_t a_stride, const T* b,
                 int64_t b_stride, T* y, int64_t n) {
  using Bits = std::make_unsigned_t<T>;
  const auto* a_bits = reinterpret_cast<const Bits*>(a);
  const auto* b_bits = reinterpret_cast<const Bits*>(b);
  auto* y_bits = reinterpret_cast<Bits*>(y);
  const bool a_moves = a_stride != 0 || n == 1, b_moves = b_stride != 0 || n == 1;
  const auto size = static_cast<size_t>(n);
  if constexpr (sizeof(T) == 4) {
    (rows.u32.*Op::kIntegers.u32)(a_bits, a_moves, b_bits, b_moves, y_bits, size);
  } else {
    (rows.u64.*Op::kIntegers.u64)(a_bits, a_moves, b_bits, b_moves, y_bits, size);
  }
}

template <typename Op, typename T>
constexpr bool kHasIntegerRows = false;
template <typename Op, typename T>
requires requires { Op::kIntegers; }
constexpr bool kHasIntegerRows<Op, T> = std::is_integral_v<T> && sizeof(T) >= 4;

template <typename Op, typename T>
void truth_row(const TruthRowsKernels& rows, const T* a, int64_t a_stride, const T* b,
               int64_t b_stride, Bool8* y, int64_t n) {
  const bool a_moves = a_stride != 0 || n == 1, b_moves = b_stride != 0 || n == 1;
  const auto size = static_cast<size_t>(n);
  if constexpr (std::is_same_v<T, Bool8>) {
    (rows.*Op::kLogic)(&a->byte, a_moves, &b->byte, b_moves, &y->byte, size);
  } else if constexpr (std::is_same_v<T, float>) {
    (rows.f32.*Op::kRelation.f32)(a, a_moves, b, b_moves, &y->byte, size);
  } else if constexpr (std::is_same_v<T, double>) {
    (rows.f64.*Op::kRelation.f64)(a, a_moves, b, b_moves, &y->byte, size);
  } else if constexpr (std::is_same_v<T, int32_t>) {
    (rows.i32.*Op::kRelation.i32)(a, a_moves, b, b_moves, &y->byte, size);
  } else {
    (rows.i64.*Op::kRelation.i64)(a, a_moves, b, b_moves, &y->byte, size);
  }
}

template <typename Op, typename T>
constexpr bool kHasTruthRows = false;
template <typename Op>
requires requires { Op::kLogic; }
constexpr bool kHasTruthRows<Op, Bool8> = true;
template <typename Op, typename T>
requires requires {
  Op::kRelation;
} &&(std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, int32_t> ||
     std::is_same_v<T, int64_t>)constexpr bool kHasTruthRows<Op, T> = true;

// The arithmetic of the instruction set level.
struct LevelRows {
  explicit LevelRows(const RunContext& ctx)
      : vector(vector_kernels(ctx)),
        truths(truth_rows_kernels(ctx.isa())),
        numbers(number_rows_kernels(ctx.isa())) {}
  const VectorF32Kernels& vector;
  const TruthRowsKernels& truths;
  const NumberRowsKernels& numbers;
};

template <typename Op, typename T>
void level_row(const LevelRows& rows, const T* a, int64_t a_stride, const T* b, int64_t b_stride,
               ResultOf<Op, T>* y, int64_t n) {
  if constexpr (std::is_same_v<T, float> && requires { Op::kRows; }) {
    vector_row<Op>(rows.vector, a, a_stride, b, b_stride, y, n);
  } else if constexpr (kHasTruthRows<Op, T>) {
    truth_row<Op, T>(rows.truths, a, a_stride, b, b_stride, y, n);
  } else if constexpr (kHasIntegerRows<Op, T>) {
    integer_row<Op, T>(rows.numbers, a, a_stride, b, b_stride, y, n);
  } else {
    binary_row<Op, T>(a, a_stride, b, b_stride, y, n);
  }
}

// Through rows of float. T and the result are known to the function alone, so that one code divides
// the work of all operators.
using HalfRow = void (*)(const LevelRows& rows, const uint16_t* a, int64_t a_stride,
                         const uint16_t* b, int64_t b_stride, std::byte* y, int64_t n);
template <typename Op, typename T>
void half_row(const LevelRows& rows, const uint16_t* a, int64_t a_stride, const uint16_t* b,
              int64_t b_stride, std::byte* y, int64_t n) {
  auto* to = reinterpret_cast<ResultOf<Op, T>*>(y);
  float a_row[kFloatRow], b_row[kFloatRow];
  for (int64_t at = 0; at < n; at += kFloatRow) {
    const int64_t size = std::min(kFloatRow, n - at);
    const auto wide = [&](const uint16_t* from, int64_t stride, float* row) {
      const auto* halves = reinterpret_cast<const T*>(from + at * stride);
      if (stride == 0) return void(*row = *halves);
      widen(halves, size, row);
    };
    wide(a, a_stride, a_row);
    wide(b, b_stride, b_row);
    if constexpr (std::is_same_v<ResultOf<Op, T>, Bool8>) {
      level_row<Op, float>(rows, a_row, a_stride, b_row, b_stride, to + at, size);
    } else {
      float y_row[kFloatRow];
      level_row<Op, float>(rows, a_row, a_stride, b_row, b_stride, y_row, size);
      narrow(y_row, size, to + at);
    }
  }
}

struct Halves {
  const uint16_t *a, *b;
  std::byte* y;
  int64_t result_bytes;
  HalfRow row;
};

// Elements [at, at + n) of both operands side by side.
void gather_halves(const NdLoop<2>& loop, const Halves& halves, int64_t at, int64_t n,
                   uint16_t* a_row, uint16_t* b_row) {
  const int64_t a_stride = loop.inner_stride(0), b_stride = loop.inner_stride(1);
  for_each_row(loop, at, at + n, [&](int64_t, const auto& offsets, int64_t size) {
    const uint16_t *a = halves.a + offsets[0], *b = halves.b + offsets[1];
#pragma GCC unroll 1
    for (int64_t i = 0; i < size; ++i, a += a_stride, b += b_stride) {
      *a_row++ = *a;
      *b_row++ = *b;
    }
  });
}

void run_halves(const RunContext& ctx, const NdLoop<2>& loop, const Halves& halves) {
  constexpr int64_t kShort = 24;  // each row by itself would cost its calls
  const LevelRows rows(ctx);
  if (loop.rank == 1 || loop.inner_size() >= kShort) {
    return parallel_rows(ctx, loop, 1, [&](int64_t at, const auto& offsets, int64_t n) {
      halves.row(rows, halves.a + offsets[0], loop.inner_stride(0), halves.b + offsets[1],
                 loop.inner_stride(1), halves.y + at * halves.result_bytes, n);
    });
  }
  ctx.parallel_for(loop.count, kElementGrain / 4, [&](int64_t begin, int64_t end) {
    uint16_t a_row[kFloatRow], b_row[kFloatRow];
    for (int64_t at = begin; at < end; at += kFloatRow) {
      const int64_t n = std::min(kFloatRow, end - at);
      gather_halves(loop, halves, at, n, a_row, b_row);
      halves.row(rows, a_row, 1, b_row, 1, halves.y + at * halves.result_bytes, n);
    }
  });
}

template <typename T>
bool has_zero(const ValueRef& tensor) {
  const std::span<const T> elements(tensor.as<T>(), static_cast<size_t>(tensor.element_count()));
  return std::find(elements.begin(), elements.end(), T{0}) != elements.end();
}

// --- Prepare.

// Mod: 1 for the sign of the dividend. BitShift: 1 for left.
struct ModeParams {
  uint32_t record_bytes;
  uint32_t mode;
};
static_assert(sizeof(ModeParams) == 8);

Status prepare_mod(PrepareContext& ctx) {
  const int64_t fmod = ctx.node().int_attribute("fmod", 0);
  const bool is_float = (mask_of(ctx.input_type(0).dtype) & FloatTypes::kMask) != 0;
  if (fmod == 0 && is_float) return invalid_graph("floating-point operands need fmod=1");
  ctx.set_params(ModeParams{sizeof(ModeParams), fmod != 0 ? 1u : 0u});
  return Status::ok();
}

Status prepare_shift(PrepareContext& ctx) {
  ASSIGN_OR_RETURN(const uint32_t is_left, one_of(ctx.node(), "direction", "", {"RIGHT", "LEFT"}));
  ctx.set_params(ModeParams{sizeof(ModeParams), is_left});
  return Status::ok();
}

// --- Bind.

template <typename Op>
Status bind_binary(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, Op::Types::kMask));
  RETURN_IF_ERROR(check_same_type(ctx, 1, 0));
  ASSIGN_OR_RETURN(const DimList dims, broadcast_inputs(ctx, 2));
  return ctx.set_output(0, ctx.input(0).dtype, dims);
}

template <typename Op>
Status bind_comparison(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, Op::Types::kMask));
  RETURN_IF_ERROR(check_same_type(ctx, 1, 0));
  ASSIGN_OR_RETURN(const DimList dims, broadcast_inputs(ctx, 2));
  return ctx.set_output(0, DType::kBool, dims);
}

Status bind_mod(BindContext& ctx) {
  const auto* params = ctx.params<ModeParams>();
  if (params == nullptr) return ctx.bad_params();
  return params->mode != 0 ? bind_binary<TruncatedMod>(ctx) : bind_binary<FloorMod>(ctx);
}

Status bind_shift(BindContext& ctx) {
  if (ctx.params<ModeParams>() == nullptr) return ctx.bad_params();
  return bind_binary<ShiftLeft>(ctx);
}

// --- Run.

template <typename Op, typename T>
Status run_typed(RunContext& ctx, const ValueRef& a, const ValueRef& b) {
  const ValueRef& y = ctx.output(0);
  if constexpr (requires { Op::kRefusesZero; } && std::is_integral_v<T>) {
    if (y.element_count() > 0 && has_zero<T>(b)) return invalid_argument("division by zero");
  }
  const auto loop = broadcast_loop<2>(y.dims(), {a.dims(), b.dims()});
  if constexpr (kIsReduced<T>) {
    run_halves(ctx, loop,
               {a.as<uint16_t>(), b.as<uint16_t>(), y.as_mutable<std::byte>(),
                static_cast<int64_t>(sizeof(ResultOf<Op, T>)), half_row<Op, T>});
  } else {
    if constexpr (std::is_same_v<T, float> && requires { Op::kRows; }) {
      if (const RepeatedRows repeated(loop); repeated.row != 0) {
        repeated.run(ctx, a.as<float>(), b.as<float>(), y.as_mutable<float>(), vector_row<Op>);
        return Status::ok();
      }
    }
    const LevelRows rows(ctx);
    parallel_rows(ctx, loop, 1, [&](int64_t at, const auto& offsets, int64_t n) {
      const T* a_row = a.as<T>() + offsets[0];
      const T* b_row = b.as<T>() + offsets[1];
      auto* y_row = y.as_mutable<ResultOf<Op, T>>() + at;
      const int64_t a_stride = loop.inner_stride(0), b_stride = loop.inner_stride(1);
      level_row<Op, T>(rows, a_row, a_stride, b_row, b_stride, y_row, n);
    });
  }
  return Status::ok();
}

// The type whose loops are those of T.
template <typename Op, typename T>
struct LoopsOf : std::type_identity<T> {};
template <typename Op, typename T>
requires requires { Op::kByBits; } && std::is_unsigned_v<T>
struct LoopsOf<Op, T> : std::make_signed<T> {
};

template <typename Op>
Status run_on(RunContext& ctx, const ValueRef& a, const ValueRef& b) {
  Status status;
  with_type(typename Op::Types{}, a.dtype, [&](auto tag) {
    status = run_typed<Op, typename LoopsOf<Op, typename decltype(tag)::type>::type>(ctx, a, b);
  });
  return status;
}

template <typename Op>
Status run_binary(RunContext& ctx) {
  return run_on<Op>(ctx, ctx.input(0), ctx.input(1));
}

template <typename Op>
Status run_swapped(RunContext& ctx) {
  return run_on<Op>(ctx, ctx.input(1), ctx.input(0));
}

Status run_mod(RunContext& ctx) {
  return ctx.params<ModeParams>().mode != 0 ? run_binary<TruncatedMod>(ctx)
                                            : run_binary<FloorMod>(ctx);
}

Status run_shift(RunContext& ctx) {
  return ctx.params<ModeParams>().mode != 0 ? run_binary<ShiftLeft>(ctx)
                                            : run_binary<ShiftRight>(ctx);
}

}  // namespace

KernelTable elementwise_binary_kernels() {
  constexpr uint32_t kArithmetic = kInPlace | kShapeArithmetic;
  constexpr int kEnd = kLatestOpset;
  static constexpr KernelRow kAddRow("Add", "", 7, kEnd, Add::Types::kMask, "add", 1, kArithmetic,
                                     0, prepare_nothing, bind_binary<Add>, run_binary<Add>);
  static constexpr KernelRow kSubRow("Sub", "", 7, kEnd, Sub::Types::kMask, "sub", 1, kArithmetic,
                                     0, prepare_nothing, bind_binary<Sub>, run_binary<Sub>);
  static constexpr KernelRow kMulRow("Mul", "", 7, kEnd, Mul::Types::kMask, "mul", 1, kArithmetic,
                                     0, prepare_nothing, bind_binary<Mul>, run_binary<Mul>);
  static constexpr KernelRow kDivRow("Div", "", 7, kEnd, Div::Types::kMask, "div", 1, kArithmetic,
                                     0, prepare_nothing, bind_binary<Div>, run_binary<Div>);
  static constexpr KernelRow kAndRow("And", "", 7, kEnd, And::Types::kMask, "and", 1, kArithmetic,
                                     0, prepare_nothing, bind_binary<And>, run_binary<And>);
  static constexpr KernelRow kOrRow("Or", "", 7, kEnd, Or::Types::kMask, "or", 1, kArithmetic, 0,
                                    prepare_nothing, bind_binary<Or>, run_binary<Or>);
  static constexpr KernelRow kXorRow("Xor", "", 7, kEnd, Xor::Types::kMask, "xor", 1, kArithmetic,
                                     0, prepare_nothing, bind_binary<Xor>, run_binary<Xor>);
  static constexpr KernelRow kEqualRow("Equal", "", 7, kEnd, Equal::Types::kMask, "equal", 1,
                                       kShapeArithmetic, 0, prepare_nothing, bind_comparison<Equal>,
                                       run_binary<Equal>);
  static constexpr KernelRow kLessRow("Less", "", 7, kEnd, Less::Types::kMask, "less", 1,
                                      kShapeArithmetic, 0, prepare_nothing, bind_comparison<Less>,
                                      run_binary<Less>);
  static constexpr KernelRow kGreaterRow("Greater", "", 7, kEnd, Less::Types::kMask, "greater", 1,
                                         kShapeArithmetic, 0, prepare_nothing,
                                         bind_comparison<Less>, run_swapped<Less>);
  static constexpr KernelRow rows[] = {
      kAddRow,
      legacy_row<kAddRow>("add.legacy"),
      kSubRow,
      legacy_row<kSubRow>("sub.legacy"),
      kMulRow,
      legacy_row<kMulRow>("mul.legacy"),
      kDivRow,
      legacy_row<kDivRow>("div.legacy"),
      {"Mod", "", 10, kEnd, TruncatedMod::Types::kMask, "mod", 1, kArithmetic, 0, prepare_mod,
       bind_mod, run_mod},
      kAndRow,
      legacy_row<kAndRow>("and.legacy"),
      kOrRow,
      legacy_row<kOrRow>("or.legacy"),
      kXorRow,
      legacy_row<kXorRow>("xor.legacy"),
      kEqualRow,
      legacy_row<kEqualRow>("equal.legacy"),
      kLessRow,
      legacy_row<kLessRow>("less.legacy"),
      {"LessOrEqual", "", 12, kEnd, Less::Types::kMask, "less_or_equal", 1, kShapeArithmetic, 0,
       prepare_nothing, bind_comparison<LessOrEqual>, run_binary<LessOrEqual>},
      kGreaterRow,
      legacy_row<kGreaterRow>("greater.legacy"),
      {"GreaterOrEqual", "", 12, kEnd, Less::Types::kMask, "greater_or_equal", 1, kShapeArithmetic,
       0, prepare_nothing, bind_comparison<LessOrEqual>, run_swapped<LessOrEqual>},
      {"BitShift", "", 11, kEnd, ShiftLeft::Types::kMask, "bit_shift", 1, kInPlace, 0,
       prepare_shift, bind_shift, run_shift},
      {"BitwiseAnd", "", 18, kEnd, BitAnd::Types::kMask, "bitwise_and", 1, kInPlace, 0,
       prepare_nothing, bind_binary<BitAnd>, run_binary<BitAnd>},
      {"BitwiseOr", "", 18, kEnd, BitOr::Types::kMask, "bitwise_or", 1, kInPlace, 0,
       prepare_nothing, bind_binary<BitOr>, run_binary<BitOr>},
      {"BitwiseXor", "", 18, kEnd, BitXor::Types::kMask, "bitwise_xor", 1, kInPlace, 0,
       prepare_nothing, bind_binary<BitXor>, run_binary<BitXor>},
  };
  return rows;
}

}  // namespace ortc::cpu
