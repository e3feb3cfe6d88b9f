// SPDX-License-Identifier: MIT
// Tensors made of shapes and numbers: Shape, Size, ConstantOfShape, Range and EyeLike.
//
// Shape and Size read the dims of their input, never its data: it may be null.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "providers/cpu/arith/plain_rows/plain_rows.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/fill_row.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu {
namespace {

// --- Shape and Size.

struct ShapeParams {
  uint32_t record_bytes;
  uint32_t reserved;
  int64_t start;
  int64_t end;
};
static_assert(sizeof(ShapeParams) == 24);

Status prepare_shape(PrepareContext& ctx) {
  ctx.set_params(ShapeParams{sizeof(ShapeParams), 0, ctx.node().int_attribute("start", 0),
                             ctx.node().int_attribute("end", INT64_MAX)});
  return Status::ok();
}

// Dims [first, second) of the input's shape.
std::pair<int64_t, int64_t> shape_range(const ShapeParams& params, int64_t rank) {
  const auto clamp = [rank](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? std::max(at, -rank) + rank : at, 0, rank);
  };
  const int64_t start = clamp(params.start);
  return {start, std::max(clamp(params.end), start)};
}

Status bind_shape(BindContext& ctx) {
  const auto* params = ctx.params<ShapeParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  const auto [start, end] = shape_range(*params, ctx.input(0).rank);
  return ctx.set_output(0, DType::kInt64, {end - start});
}

Status run_shape(RunContext& ctx) {
  const auto [start, end] = shape_range(ctx.params<ShapeParams>(), ctx.input(0).rank);
  auto* y = ctx.output(0).as_mutable<int64_t>();
  for (int64_t i = start; i < end; ++i) *y++ = ctx.input(0).dim(static_cast<size_t>(i));
  return Status::ok();
}

Status bind_size(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  return ctx.set_output(0, DType::kInt64, std::initializer_list<int64_t>{});
}

Status run_size(RunContext& ctx) {
  *ctx.output(0).as_mutable<int64_t>() = ctx.input(0).element_count();
  return Status::ok();
}

// --- ConstantOfShape.

struct FillParams {
  uint32_t record_bytes;
  uint32_t dtype;
  unsigned char value[16];  // one element
};
static_assert(sizeof(FillParams) == 24);

Status prepare_fill(PrepareContext& ctx) {
  FillParams params{sizeof(FillParams), static_cast<uint32_t>(DType::kFloat32), {}};
  const Attribute* value = ctx.node().attribute("value");
  if (value != nullptr) {
    if (value->tensor == nullptr || value->tensor->tensor.element_count() != 1) {
      return invalid_graph("attribute 'value' is not a tensor with one element");
    }
    const Tensor& tensor = value->tensor->tensor;
    if ((mask_of(tensor.dtype()) & kFixedSizeTypes) == 0) {
      return not_implemented("a value of type ", dtype_name(tensor.dtype()));
    }
    params.dtype = static_cast<uint32_t>(tensor.dtype());
    std::memcpy(params.value, tensor.data(), tensor.byte_size());
    const auto bits = static_cast<unsigned>(dtype_bits(tensor.dtype()));
    if (bits < 8) {  // a byte full of them
      const unsigned code = params.value[0] & ((1u << bits) - 1);
      params.value[0] = static_cast<unsigned char>(code * (0xFFu / ((1u << bits) - 1)));
    }
  }
  ctx.set_params(params);
  return Status::ok();
}

Status bind_fill(BindContext& ctx) {
  const auto* params = ctx.params<FillParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  const bool known = dtype_is_valid(params->dtype) &&
                     (mask_of(static_cast<DType>(params->dtype)) & kFixedSizeTypes) != 0;
  if (!known) return invalid_graph("its params record names element type ", params->dtype);
  DimList dims;
  RETURN_IF_ERROR(read_ints(ctx.input(0), "the shape", &dims));
  return ctx.set_output(0, static_cast<DType>(params->dtype), dims);
}

Status run_fill(RunContext& ctx) {
  const auto& params = ctx.params<FillParams>();
  const ValueRef& y = ctx.output(0);
  if (dtype_bits(y.dtype) < 8) {
    const auto bytes = dtype_bytes(y.dtype, static_cast<uint64_t>(y.element_count()));
    if (!bytes || *bytes == 0) return Status::ok();
    std::memset(y.data, params.value[0], *bytes);
    const auto rest = static_cast<unsigned>(y.element_count() % (8 / dtype_bits(y.dtype)));
    const unsigned used = rest == 0 ? 8 : rest * static_cast<unsigned>(dtype_bits(y.dtype));
    y.as_mutable<uint8_t>()[*bytes - 1] &= static_cast<uint8_t>((1u << used) - 1);
    return Status::ok();
  }
  with_chunk(element_bytes(y.dtype), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T value;
    std::memcpy(&value, params.value, sizeof value);
    ctx.parallel_for(y.element_count(), kElementGrain, [&](int64_t begin, int64_t end) {
      fill_row(y.as_mutable<T>() + begin, value, end - begin);
    });
  });
  return Status::ok();
}

// --- Range: start + i * delta.

using RangeTypes = Join<FloatTypes, TypeList<int16_t, int32_t, int64_t>>;

template <typename T>
Result<int64_t> range_size(T start, T limit, T delta) {
  if (delta == 0) return invalid_argument("a range with a delta of 0");
  if constexpr (std::is_floating_point_v<T>) {
    const double count = std::ceil(static_cast<double>(limit - start) / static_cast<double>(delta));
    if (!(count < 9.0e18)) return invalid_argument("a range without end");
    return count > 0 ? static_cast<int64_t>(count) : int64_t{0};
  } else {
    const __int128 distance = static_cast<__int128>(limit) - start;
    const __int128 step = delta;
    if (distance == 0 || (distance < 0) != (step < 0)) return int64_t{0};
    const __int128 count = (distance + step + (step > 0 ? -1 : 1)) / step;
    if (count > INT64_MAX) return invalid_argument("a range of more than 2^63 numbers");
    return static_cast<int64_t>(count);
  }
}

Status bind_range(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 3, 3));
  RETURN_IF_ERROR(check_type(ctx, 0, RangeTypes::kMask));
  for (size_t i = 0; i < 3; ++i) {
    RETURN_IF_ERROR(check_same_type(ctx, i, 0));
    if (ctx.input(i).element_count() != 1) return invalid_argument("input ", i, " is not a scalar");
    if (ctx.input(i).data == nullptr) {
      return not_implemented("the contents of input ", i, " are needed before the run");
    }
  }
  Status status;
  with_type(RangeTypes{}, ctx.input(0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    auto size =
        range_size<C>(static_cast<C>(*ctx.input(0).as<T>()), static_cast<C>(*ctx.input(1).as<T>()),
                      static_cast<C>(*ctx.input(2).as<T>()));
    status = size.is_ok() ? ctx.set_output(0, ctx.input(0).dtype, {*size}) : size.status();
  });
  return status;
}

Status run_range(RunContext& ctx) {
  with_type(RangeTypes{}, ctx.input(0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    const C start = static_cast<C>(*ctx.input(0).as<T>());
    const C delta = static_cast<C>(*ctx.input(2).as<T>());
    T* y = ctx.output(0).as_mutable<T>();
    ctx.parallel_for(ctx.output(0).element_count(), kElementGrain, [&](int64_t begin, int64_t end) {
      if constexpr (std::is_integral_v<T>) {
        // No wider than the result: loops become vectors.
        using U = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
        const U step = static_cast<U>(delta);
        U next = static_cast<U>(start) + static_cast<U>(begin) * step;
        if constexpr (std::is_same_v<T, int64_t>) {
          return plain_rows_kernels(ctx.isa()).count(
              next, step, reinterpret_cast<uint64_t*>(y + begin), static_cast<size_t>(end - begin));
        }
        for (int64_t i = begin; i < end; ++i, next += step) y[i] = static_cast<T>(next);
      } else {
        for (int64_t i = begin; i < end; ++i) {
          y[i] = static_cast<T>(start + static_cast<C>(i) * delta);
        }
      }
    });
  });
  return Status::ok();
}

// --- EyeLike: ones on a diagonal.

using EyeTypes = Join<NumberTypes, TypeList<Bool8>>;

struct EyeParams {
  uint32_t record_bytes;
  uint32_t dtype;  // 0: the input's
  int64_t diagonal;
};
static_assert(sizeof(EyeParams) == 16);

Status prepare_eye(PrepareContext& ctx) {
  const int64_t dtype = ctx.node().int_attribute("dtype", 0);
  if (dtype != 0 &&
      (!dtype_is_valid(dtype) || (mask_of(static_cast<DType>(dtype)) & EyeTypes::kMask) == 0)) {
    return not_implemented("dtype ", dtype);
  }
  ctx.set_params(
      EyeParams{sizeof(EyeParams), static_cast<uint32_t>(dtype), ctx.node().int_attribute("k", 0)});
  return Status::ok();
}

Status bind_eye(BindContext& ctx) {
  const auto* params = ctx.params<EyeParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  if (ctx.input(0).rank != 2) {
    return invalid_argument("input has rank ", ctx.input(0).rank, ", expected 2");
  }
  const DType dtype = params->dtype == 0              ? ctx.input(0).dtype
                      : dtype_is_valid(params->dtype) ? static_cast<DType>(params->dtype)
                                                      : DType::kUndefined;
  if ((mask_of(dtype) & EyeTypes::kMask) == 0) {
    return not_implemented("an identity matrix of ", dtype_name(dtype));
  }
  return ctx.set_output(0, dtype, ctx.input(0).dims());
}

Status run_eye(RunContext& ctx) {
  const int64_t k = ctx.params<EyeParams>().diagonal;
  const ValueRef& y = ctx.output(0);
  const int64_t rows = y.dim(0), columns = y.dim(1);
  with_type(EyeTypes{}, y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using One = std::conditional_t<kIsReduced<T>, float,
                                   std::conditional_t<std::is_same_v<T, Bool8>, bool, T>>;
    T* to = y.as_mutable<T>();
    if (rows * columns > 0) std::memset(to, 0, static_cast<size_t>(rows * columns) * sizeof(T));
    if (k <= -rows || k >= columns) return;
    for (int64_t i = std::max<int64_t>(0, -k); i < std::min(rows, columns - k); ++i) {
      to[i * columns + i + k] = static_cast<T>(One(1));
    }
  });
  return Status::ok();
}

}  // namespace

KernelTable shape_kernels() {
  constexpr int kEnd = kLatestOpset;
  static constexpr KernelRow rows[] = {
      {"Shape", "", 1, kEnd, kAnyType, "shape", 1, kShapeArithmetic | kReadsShapesOnly, 0,
       prepare_shape, bind_shape, run_shape},
      {"Size", "", 1, kEnd, kAnyType, "size", 1, kShapeArithmetic | kReadsShapesOnly, 0,
       prepare_nothing, bind_size, run_size},
      {"ConstantOfShape", "", 9, kEnd, mask_of(DType::kInt64), "constant_of_shape", 1,
       kShapeArithmetic, 1, prepare_fill, bind_fill, run_fill},
      {"Range", "", 11, kEnd, RangeTypes::kMask, "range", 1, kShapeArithmetic, 7, prepare_nothing,
       bind_range, run_range},
      {"EyeLike", "", 9, kEnd, EyeTypes::kMask, "eye_like", 1, kNoFlags, 0, prepare_eye, bind_eye,
       run_eye},
  };
  return rows;
}

}  // namespace ortc::cpu
