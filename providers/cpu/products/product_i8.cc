// SPDX-License-Identifier: MIT
// int8 products: see the header.
#include "providers/cpu/products/product_i8.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "providers/cpu/arith/quant/quant.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/layouts.h"

namespace ortc::cpu {
namespace {

using Input = QProductInput;

constexpr TypeMask kBytes = mask_of(DType::kUint8, DType::kInt8);
constexpr TypeMask kF32 = mask_of(DType::kFloat32);
constexpr int64_t kFlipGrain = 1 << 16;

// The outputs' numbers stand in contexts.
static_assert(static_cast<int>(OutputI8::kInt32) == 0 &&
              static_cast<int>(OutputI8::kFloat32) == 1 &&
              static_cast<int>(OutputI8::kUint8) == 2 && static_cast<int>(OutputI8::kInt8) == 3);

// A zero point as the products count it: of A as uint8, or of B as int8.
int32_t byte_of(const Tensor& tensor, size_t i) {
  return tensor.dtype() == DType::kInt8 ? int32_t{tensor.elements<int8_t>()[i]}
                                        : int32_t{tensor.elements<uint8_t>()[i]};
}

bool is_byte_scalar(const Tensor* tensor) {
  return tensor != nullptr && (mask_of(tensor->dtype()) & kBytes) != 0 &&
         tensor->element_count() == 1;
}

// An array by column, from one number or one a column, each changed by f, as the product reads it.
template <typename T, typename F>
Status replace_columns(PrepareContext& ctx, size_t i, const ColumnsI8& columns, F f) {
  if (!ctx.has_input(i)) return Status::ok();
  const Tensor* given = ctx.constant(i);
  if (given == nullptr) return not_implemented("input ", i, " that is not constant");
  const int64_t count = given->element_count();
  if (given->dtype() != kDTypeOf<T> || (count != 1 && count != columns.count())) {
    return invalid_graph("input ", i, " is ", dtype_name(given->dtype()),
                         dims_to_string(given->dims()), ", expected ", dtype_name(kDTypeOf<T>), "[",
                         columns.count(), "]");
  }
  ASSIGN_OR_RETURN(Tensor padded, Tensor::create(kDTypeOf<T>, {columns.padded()}));
  const auto from = given->elements<T>();
  const auto to = padded.mutable_elements<T>();
  for (int64_t c = 0; c < columns.count(); ++c) {
    const int64_t at = c / columns.per_group * columns.padded_per_group() + c % columns.per_group;
    to[static_cast<size_t>(at)] = f(from[count == 1 ? 0 : static_cast<size_t>(c)]);
  }
  ctx.replace_input(i, std::move(padded), kPanelColumns32);
  return Status::ok();
}

Status take_a_zero(PrepareContext& ctx, ProductParamsI8* params) {
  const bool is_signed = ctx.input_type(Input::kA).dtype == DType::kInt8;
  const Tensor* zero = ctx.constant(Input::kAZero);
  if (ctx.has_input(Input::kAZero) && zero == nullptr) return Status::ok();
  if (zero != nullptr && !is_byte_scalar(zero)) {
    return invalid_graph("the zero point of A is ", dtype_name(zero->dtype()),
                         dims_to_string(zero->dims()), ", expected one number of A's type");
  }
  params->has_a_zero = 1;
  params->a_zero = (zero != nullptr ? byte_of(*zero, 0) : 0) + (is_signed ? 128 : 0);
  if (zero != nullptr) ctx.drop_input(Input::kAZero);
  return Status::ok();
}

// How many quanta from zero the bound of a Clip is, held within what int8 and uint8 can say.
int32_t bound_of(float bound, float y_scale, int32_t zero, int32_t otherwise) {
  const float quanta = std::nearbyint(bound / y_scale);
  if (std::isnan(quanta)) return otherwise;
  return static_cast<int32_t>(std::clamp(quanta, -1024.0f, 1024.0f)) + zero;
}

// Relu and Clip before rounding are limits after it: rounding keeps order.
Status take_output(PrepareContext& ctx, ProductParamsI8* params, float* y_scale) {
  const Tensor* zero = ctx.constant(Input::kYZero);
  if (!ctx.has_input(Input::kYZero)) {
    params->output =
        static_cast<uint32_t>(ctx.has_input(Input::kScale) ? OutputI8::kFloat32 : OutputI8::kInt32);
    return Status::ok();
  }
  if (!is_byte_scalar(zero) || !ctx.has_input(Input::kScale)) {
    return invalid_graph("a result of 8 bits needs one constant zero point, and scales");
  }
  const bool is_signed = zero->dtype() == DType::kInt8;
  params->output = static_cast<uint32_t>(is_signed ? OutputI8::kInt8 : OutputI8::kUint8);
  params->y_zero = byte_of(*zero, 0);
  params->lo = is_signed ? -128 : 0;
  params->hi = is_signed ? 127 : 255;
  *y_scale = ctx.node().float_attribute("y_scale", 1.0f);
  const auto kind = static_cast<Activation>(params->epilogue.activation);
  if (kind == Activation::kRelu || kind == Activation::kClip) {
    const bool is_relu = kind == Activation::kRelu;
    const int32_t lo = params->lo, hi = params->hi;
    const int32_t low =
        is_relu ? params->y_zero : bound_of(params->epilogue.alpha, *y_scale, params->y_zero, lo);
    const int32_t high =
        is_relu ? hi : bound_of(params->epilogue.beta, *y_scale, params->y_zero, hi);
    // min(max(x, low), high): the upper bound wins where they cross.
    params->hi = std::clamp(high, lo, hi);
    params->lo = std::min(std::clamp(low, lo, hi), params->hi);
    params->epilogue.activation = static_cast<uint32_t>(Activation::kNone);
  }
  ctx.drop_input(Input::kYZero);
  return Status::ok();
}

}  // namespace

// --- Prepare.

Result<std::vector<int8_t>> take_b_zero(PrepareContext& ctx, int64_t columns) {
  std::vector<int8_t> zeros;
  const bool is_unsigned = ctx.input_type(Input::kB).dtype == DType::kUint8;
  if (!ctx.has_input(Input::kBZero)) {
    if (is_unsigned) zeros.assign(1, INT8_MIN);
    return zeros;
  }
  const Tensor* zero = ctx.constant(Input::kBZero);
  if (zero == nullptr) return not_implemented("a zero point of B that is not constant");
  if ((mask_of(zero->dtype()) & kBytes) == 0 || (zero->dtype() == DType::kUint8) != is_unsigned ||
      (zero->element_count() != 1 && zero->element_count() != columns)) {
    return invalid_graph("the zero point of B is ", dtype_name(zero->dtype()),
                         dims_to_string(zero->dims()), ", expected one number or ", columns,
                         " of B's type");
  }
  bool any = false;
  for (size_t i = 0; i < static_cast<size_t>(zero->element_count()); ++i) {
    zeros.push_back(static_cast<int8_t>(byte_of(*zero, i) - (is_unsigned ? 128 : 0)));
    any = any || zeros.back() != 0;
  }
  if (!any) zeros.clear();
  ctx.drop_input(Input::kBZero);
  return zeros;
}

Result<ProductParamsI8> prepare_product(PrepareContext& ctx, const ColumnsI8& columns,
                                        bool has_b_zero) {
  ProductParamsI8 params{};
  params.has_b_zero = has_b_zero ? 1 : 0;
  ASSIGN_OR_RETURN(params.epilogue, epilogue_from_attributes(ctx.node(), 1.0f));
  RETURN_IF_ERROR(take_a_zero(ctx, &params));
  float y_scale = 1.0f;
  RETURN_IF_ERROR(take_output(ctx, &params, &y_scale));
  const bool is_quantised = params.output >= static_cast<uint32_t>(OutputI8::kUint8);
  const bool is_plain = params.epilogue.activation == static_cast<uint32_t>(Activation::kNone) &&
                        !ctx.has_input(Input::kResidual);
  // Without anything in between, the output's scale goes into the columns' numbers.
  const float divisor = is_quantised && is_plain ? y_scale : 1.0f;
  if (is_quantised && !is_plain) params.epilogue.scale = 1.0f / y_scale;
  const auto scaled = [divisor](float v) { return v / divisor; };
  RETURN_IF_ERROR(replace_columns<float>(ctx, Input::kScale, columns, scaled));
  RETURN_IF_ERROR(replace_columns<float>(ctx, Input::kBiasF32, columns, scaled));
  RETURN_IF_ERROR(
      replace_columns<int32_t>(ctx, Input::kBiasI32, columns, [](int32_t v) { return v; }));
  return params;
}

// --- Bind.

namespace {

Status check_columns(const BindContext& ctx, size_t i, DType dtype, const ColumnsI8& columns) {
  if (!ctx.has_input(i)) return Status::ok();
  const ValueRef& array = ctx.input(i);
  if (array.dtype == dtype && array.rank == 1 && array.dim(0) == columns.padded()) {
    return Status::ok();
  }
  return invalid_graph("input ", i, " is ", dtype_name(array.dtype), dims_to_string(array.dims()),
                       ", expected ", dtype_name(dtype), "[", columns.padded(), "]");
}

Status check_scalar(const BindContext& ctx, size_t i, TypeMask types) {
  RETURN_IF_ERROR(check_type(ctx, i, types));
  if (!ctx.has_input(i) || ctx.input(i).element_count() == 1) return Status::ok();
  return invalid_argument("input ", i, " has ", ctx.input(i).element_count(),
                          " elements, expected one");
}

Status check_numbers(const ProductParamsI8& p) {
  const bool is_signed = p.output == static_cast<uint32_t>(OutputI8::kInt8);
  const bool is_quantised = is_signed || p.output == static_cast<uint32_t>(OutputI8::kUint8);
  const int32_t least = is_signed ? -128 : 0, most = is_signed ? 127 : 255;
  const auto fits = [&](int32_t v) { return v >= least && v <= most; };
  const bool is_good =
      p.output <= static_cast<uint32_t>(OutputI8::kInt8) && p.a_zero >= 0 && p.a_zero <= 255 &&
      (!is_quantised || (fits(p.y_zero) && fits(p.lo) && fits(p.hi) && p.lo <= p.hi));
  return is_good ? Status::ok() : invalid_graph("its record describes an impossible product");
}

}  // namespace

Status check_product(const BindContext& ctx, const ProductParamsI8& params,
                     const ColumnsI8& columns, std::span<const int64_t> y) {
  RETURN_IF_ERROR(check_numbers(params));
  RETURN_IF_ERROR(check_type(ctx, Input::kA, kBytes));
  RETURN_IF_ERROR(check_scalar(ctx, Input::kAZero, mask_of(ctx.input(Input::kA).dtype)));
  RETURN_IF_ERROR(check_scalar(ctx, Input::kAScale, kF32));
  RETURN_IF_ERROR(check_columns(ctx, Input::kScale, DType::kFloat32, columns));
  RETURN_IF_ERROR(check_columns(ctx, Input::kBiasF32, DType::kFloat32, columns));
  RETURN_IF_ERROR(check_columns(ctx, Input::kBiasI32, DType::kInt32, columns));
  RETURN_IF_ERROR(check_type(ctx, Input::kResidual, kF32));
  if (ctx.has_input(Input::kBZero) || ctx.has_input(Input::kYZero)) {
    return invalid_graph("inputs ", size_t{Input::kBZero}, " and ", size_t{Input::kYZero},
                         " belong to the record");
  }
  if (params.output != static_cast<uint32_t>(OutputI8::kInt32) && !ctx.has_input(Input::kScale)) {
    return invalid_graph("the scales are missing");
  }
  if (params.epilogue.activation > static_cast<uint32_t>(Activation::kLeakyRelu)) {
    return invalid_graph("its record has activation number ", params.epilogue.activation);
  }
  const bool is_plain = params.epilogue.activation == static_cast<uint32_t>(Activation::kNone) &&
                        !ctx.has_input(Input::kResidual);
  if (params.output >= static_cast<uint32_t>(OutputI8::kUint8) && is_plain &&
      params.epilogue.scale != 1.0f) {
    return invalid_graph("its record multiplies by ", params.epilogue.scale,
                         " what the scales of the columns have to hold already");
  }
  if (!ctx.has_input(Input::kResidual)) return Status::ok();
  const auto residual = ctx.input(Input::kResidual).dims();
  if (std::equal(residual.begin(), residual.end(), y.begin(), y.end())) return Status::ok();
  return invalid_argument("the residual has shape ", dims_to_string(residual), ", the result ",
                          dims_to_string(y));
}

DType output_type(const ProductParamsI8& params) {
  constexpr DType kTypes[] = {DType::kInt32, DType::kFloat32, DType::kUint8, DType::kInt8};
  return kTypes[params.output];
}

Status check_packed_bytes(const BindContext& ctx, size_t i, std::optional<int64_t> bytes) {
  if (!bytes) return invalid_graph("kernel '", ctx.kernel_id(), "': its record has bad sizes");
  const ValueRef& packed = ctx.input(i);
  if (packed.dtype == DType::kUint8 && packed.rank == 1 && packed.dim(0) == *bytes) {
    return Status::ok();
  }
  return invalid_graph("packed input ", i, " is ", dtype_name(packed.dtype),
                       dims_to_string(packed.dims()), ", the record needs uint8[", *bytes, "]");
}

uint64_t scale_scratch_bytes(const BindContext& ctx, const ColumnsI8& columns) {
  return ctx.has_input(Input::kAScale) ? static_cast<uint64_t>(columns.padded()) * 4 : 0;
}

uint64_t scale_scratch_bytes(const RunContext& ctx, const ColumnsI8& columns) {
  return ctx.has_input(Input::kAScale) ? static_cast<uint64_t>(columns.padded()) * 4 : 0;
}

// --- Run.

int32_t a_zero_of(const RunContext& ctx, const ProductParamsI8& params) {
  if (params.has_a_zero != 0) return params.a_zero;
  const bool is_signed = ctx.input(Input::kA).dtype == DType::kInt8;
  if (!ctx.has_input(Input::kAZero)) return is_signed ? 128 : 0;
  const ValueRef& zero = ctx.input(Input::kAZero);
  return is_signed ? int32_t{*zero.as<int8_t>()} + 128 : int32_t{*zero.as<uint8_t>()};
}

EpilogueI8 make_epilogue_i8(const RunContext& ctx, const ProductParamsI8& params,
                            const ColumnsI8& columns, std::byte* scratch) {
  EpilogueI8 epilogue;
  epilogue.output = static_cast<OutputI8>(params.output);
  if (ctx.has_input(Input::kBiasI32)) epilogue.bias_i32 = ctx.input(Input::kBiasI32).as<int32_t>();
  if (ctx.has_input(Input::kScale)) epilogue.scale = ctx.input(Input::kScale).as<float>();
  if (ctx.has_input(Input::kScale) && ctx.has_input(Input::kAScale)) {
    auto* scale = reinterpret_cast<float*>(scratch);
    const float a_scale = *ctx.input(Input::kAScale).as<float>();
    for (int64_t c = 0; c < columns.padded(); ++c) scale[c] = a_scale * epilogue.scale[c];
    epilogue.scale = scale;
  }
  if (ctx.has_input(Input::kBiasF32)) epilogue.bias = ctx.input(Input::kBiasF32).as<float>();
  if (ctx.has_input(Input::kResidual)) {
    epilogue.residual = ctx.input(Input::kResidual).as<float>();
    epilogue.residual_ld = static_cast<size_t>(columns.count());
  }
  epilogue.activation.kind = static_cast<Activation>(params.epilogue.activation);
  epilogue.activation.lo = params.epilogue.alpha;
  epilogue.activation.hi = params.epilogue.beta;
  epilogue.activation.slope = params.epilogue.alpha;
  epilogue.out_scale = params.epilogue.scale;
  epilogue.zero = params.y_zero;
  epilogue.lo = params.lo;
  epilogue.hi = params.hi;
  return epilogue;
}

void flip_activations(const RunContext& ctx, const ValueRef& x, uint8_t* y) {
  const QuantKernels& kernels = quant_kernels(ctx.isa());
  ctx.parallel_for(x.element_count(), kFlipGrain, [&](int64_t begin, int64_t end) {
    kernels.flip(x.as<uint8_t>() + begin, y + begin, static_cast<size_t>(end - begin));
  });
}

namespace {

constexpr size_t kShortRow = 128;

// Copies rows of n numbers, which come to lie `width` apart, by whole steps: what is too much the
// next row writes over. The number of rows that could be, which leaves the last ones.
int64_t copy_short_rows(const uint8_t* from, int64_t rows, size_t n, size_t width, uint8_t flip,
                        uint8_t* to) {
  typedef uint8_t Bytes __attribute__((vector_size(16)));
  const size_t steps = (n + sizeof(Bytes) - 1) / sizeof(Bytes);
  const auto left = static_cast<int64_t>((steps * sizeof(Bytes) + n - 1) / n);
  for (int64_t row = 0; row < rows - left; ++row, from += n, to += width) {
    for (size_t i = 0; i < steps; ++i) {
      Bytes bytes;
      std::memcpy(&bytes, from + i * sizeof bytes, sizeof bytes);
      bytes ^= flip;
      std::memcpy(to + i * sizeof bytes, &bytes, sizeof bytes);
    }
    for (size_t i = n; i < width; ++i) to[i] = 0;
  }
  return std::max<int64_t>(0, rows - left);
}

}  // namespace

void copy_left_rows(Isa isa, DType dtype, const uint8_t* from, int64_t rows, int64_t k,
                    uint8_t* to) {
  if (rows == 0 || k == 0) return;  // and there may be no memory
  auto n = static_cast<size_t>(k), width = quads(n) * 4;
  if (width == n) {  // no gaps
    n = width = n * static_cast<size_t>(rows);
    rows = 1;
  }
  const auto flip = dtype == DType::kInt8 ? quant_kernels(isa).flip : nullptr;
  if (n <= kShortRow) {
    const int64_t copied = copy_short_rows(from, rows, n, width, flip != nullptr ? 0x80 : 0, to);
    from += static_cast<size_t>(copied) * n;
    to += static_cast<size_t>(copied) * width;
    rows -= copied;
  }
  for (int64_t row = 0; row < rows; ++row, from += n, to += width) {
    if (flip != nullptr) {
      flip(from, to, n);
    } else {
      std::memcpy(to, from, n);
    }
    std::memset(to + n, 0, width - n);
  }
}

void copy_left_rows(const RunContext& ctx, const ValueRef& x, int64_t k, uint8_t* to) {
  if (k == 0) return;
  const auto width = static_cast<int64_t>(quads(static_cast<size_t>(k)) * 4);
  const int64_t grain = std::max<int64_t>(1, kFlipGrain / width);
  ctx.parallel_for(x.element_count() / k, grain, [&](int64_t begin, int64_t end) {
    copy_left_rows(ctx.isa(), x.dtype, x.as<uint8_t>() + begin * k, end - begin, k,
                   to + begin * width);
  });
}

}  // namespace ortc::cpu
