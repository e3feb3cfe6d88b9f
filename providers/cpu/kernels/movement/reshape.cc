// SPDX-License-Identifier: MIT
// The same bytes under another shape: Reshape, Flatten, Squeeze, Unsqueeze, Identity, and Dropout,
// which does nothing at inference.
//
// The executor normally shares the bytes and skips the run; where it does not, run copies them.
#include <cstring>

#include "providers/cpu/bind/axis_list.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/text/string_moves.h"

namespace ortc::cpu {
namespace {

constexpr TypeMask kTypes = kFixedSizeTypes;

// --- Prepare.

struct AxisParams {
  uint32_t record_bytes;
  uint32_t flags;  // Reshape: 1 when a 0 in the shape means 0
  int64_t axis;    // Flatten
};
static_assert(sizeof(AxisParams) == 16);

Status prepare_reshape(PrepareContext& ctx) {
  const bool allow_zero = ctx.node().int_attribute("allowzero", 0) != 0;
  ctx.set_params(AxisParams{sizeof(AxisParams), allow_zero ? 1u : 0u, 0});
  return Status::ok();
}

// The first form, whose shape is an attribute. The record begins as the later one does.
constexpr size_t kShapeMax = 16;

struct ShapeParams {
  uint32_t record_bytes;
  uint32_t flags;  // 0: a 0 copies the dim
  int64_t rank;
  int64_t dims[kShapeMax];
};
static_assert(sizeof(ShapeParams) == 144);

Status prepare_reshape_attribute(PrepareContext& ctx) {
  const auto shape = ctx.node().ints_attribute("shape");
  if (shape.size() > kShapeMax) return not_implemented("a shape of rank ", shape.size());
  ShapeParams params{sizeof(ShapeParams), 0, static_cast<int64_t>(shape.size()), {}};
  std::copy(shape.begin(), shape.end(), params.dims);
  ctx.set_params(params);
  return Status::ok();
}

Status prepare_flatten(PrepareContext& ctx) {
  ctx.set_params(AxisParams{sizeof(AxisParams), 0, ctx.node().int_attribute("axis", 1)});
  return Status::ok();
}

Status prepare_axes(PrepareContext& ctx) {
  AxisListParams params{};
  RETURN_IF_ERROR(axes_from_attribute(ctx.node(), "axes", &params));
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

Status bind_identity(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, kTypes));
  return ctx.set_output(0, ctx.input(0).dtype, ctx.input(0).dims());
}

// Puts the dims of the result in place of 0 (the input's dim) and -1 (what is left).
Status resolve_shape(std::span<const int64_t> from, bool allow_zero, DimList* shape) {
  size_t inferred = shape->size();
  for (size_t i = 0; i < shape->size(); ++i) {
    if ((*shape)[i] == -1) {
      if (inferred != shape->size()) return invalid_argument("the shape holds -1 twice");
      inferred = i;
      (*shape)[i] = 1;
    } else if ((*shape)[i] == 0 && !allow_zero) {
      if (i >= from.size()) {
        return invalid_argument("the shape copies dimension ", i, " of a tensor of rank ",
                                from.size());
      }
      (*shape)[i] = from[i];
    }
  }
  const auto have = checked_element_count(from);
  const auto known = checked_element_count(*shape);
  const bool divides = have && known &&
                       (inferred == shape->size() ? *have == *known
                        : *known == 0             ? false
                                                  : *have % *known == 0);
  if (!divides) {
    if (inferred != shape->size()) (*shape)[inferred] = -1;
    return invalid_argument("a tensor of shape ", dims_to_string(from), " cannot take the shape ",
                            dims_to_string(*shape));
  }
  if (inferred != shape->size()) (*shape)[inferred] = *have / *known;
  return Status::ok();
}

Status bind_reshape(BindContext& ctx) {
  const auto* params = ctx.params<AxisParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, kTypes));
  DimList shape;
  RETURN_IF_ERROR(read_ints(ctx.input(1), "the shape", &shape));
  RETURN_IF_ERROR(resolve_shape(ctx.input(0).dims(), params->flags != 0, &shape));
  return ctx.set_output(0, ctx.input(0).dtype, shape);
}

Status bind_reshape_attribute(BindContext& ctx) {
  const auto* params = ctx.params<ShapeParams>();
  if (params == nullptr) return ctx.bad_params();
  if (params->rank < 0 || params->rank > static_cast<int64_t>(kShapeMax)) {
    return invalid_graph("its params record has a shape of rank ", params->rank);
  }
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  std::array<int64_t, kShapeMax> shape;
  std::copy_n(params->dims, kShapeMax, shape.begin());
  const std::array<ValueRef, 2> inputs = {ctx.input(0),
                                          ValueRef{DType::kInt64, 1, &params->rank, shape.data()}};
  std::array<BindContext::Output, 1> outputs;
  outputs[0].wanted = true;
  BindContext inner = ctx.with(inputs, outputs);
  RETURN_IF_ERROR(bind_reshape(inner));
  return ctx.set_output(0, outputs[0].dtype, outputs[0].dims);
}

Status bind_flatten(BindContext& ctx) {
  const auto* params = ctx.params<AxisParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, kTypes));
  const auto dims = ctx.input(0).dims();
  const auto rank = static_cast<int64_t>(dims.size());
  if (params->axis < -rank || params->axis > rank) {
    return invalid_argument("axis ", params->axis, " is outside a tensor of rank ", rank);
  }
  const auto axis = static_cast<size_t>(params->axis < 0 ? params->axis + rank : params->axis);
  return ctx.set_output(0, ctx.input(0).dtype,
                        {product(dims, 0, axis), product(dims, axis, dims.size())});
}

Status set_squeezed(BindContext& ctx, bool has_axes, AxisSet axes) {
  DimList kept;
  const auto dims = ctx.input(0).dims();
  for (size_t i = 0; i < dims.size(); ++i) {
    if (has_axes && axes[i] && dims[i] != 1) {
      return invalid_argument("axis ", i, " has size ", dims[i], " and cannot be squeezed");
    }
    if (has_axes ? !axes[i] : dims[i] != 1) kept.push_back(dims[i]);
  }
  return ctx.set_output(0, ctx.input(0).dtype, kept);
}

Status bind_squeeze(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 1, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, kTypes));
  DimList given;
  if (ctx.has_input(1)) RETURN_IF_ERROR(read_ints(ctx.input(1), "axes", &given));
  ASSIGN_OR_RETURN(const AxisSet axes, checked_axes(given, ctx.input(0).rank));
  return set_squeezed(ctx, given.size() != 0, axes);
}

Status bind_squeeze_attribute(BindContext& ctx) {
  const auto* params = ctx.params<AxisListParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, kTypes));
  ASSIGN_OR_RETURN(const AxisSet axes, checked_axes(*params, ctx.input(0).rank));
  return set_squeezed(ctx, params->has_axes != 0, axes);
}

Status set_unsqueezed(BindContext& ctx, size_t rank, AxisSet axes) {
  DimList dims;
  size_t from = 0;
  for (size_t i = 0; i < rank; ++i) dims.push_back(axes[i] ? 1 : ctx.input(0).dim(from++));
  return ctx.set_output(0, ctx.input(0).dtype, dims);
}

Status check_unsqueezed_rank(size_t rank) {
  if (rank <= kMaxRank) return Status::ok();
  return not_implemented("a result of rank ", rank, ", at most ", kMaxRank, " can be handled");
}

Status bind_unsqueeze(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, kTypes));
  DimList given;
  RETURN_IF_ERROR(read_ints(ctx.input(1), "axes", &given));
  const size_t rank = ctx.input(0).rank + given.size();
  RETURN_IF_ERROR(check_unsqueezed_rank(rank));
  ASSIGN_OR_RETURN(const AxisSet axes, checked_axes(given, rank));
  return set_unsqueezed(ctx, rank, axes);
}

Status bind_unsqueeze_attribute(BindContext& ctx) {
  const auto* params = ctx.params<AxisListParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, kTypes));
  const size_t rank = size_t{ctx.input(0).rank} + params->axis_count;
  RETURN_IF_ERROR(check_unsqueezed_rank(rank));
  ASSIGN_OR_RETURN(const AxisSet axes, checked_axes(*params, rank));
  return set_unsqueezed(ctx, rank, axes);
}

// The contents of a scalar of float or bool type; 0 when the input is omitted.
Result<double> scalar_or_zero(const ValueRef& tensor) {
  if (!tensor.is_present()) return 0.0;
  if (tensor.element_count() != 1 || tensor.data == nullptr) {
    return not_implemented("ratio or training_mode is not a scalar known before the run");
  }
  double value = 0;
  if (!with_type(Join<FloatTypes, TypeList<Bool8>>{}, tensor.dtype, [&](auto tag) {
        value = static_cast<double>(*tensor.as<typename decltype(tag)::type>());
      })) {
    return invalid_graph("ratio or training_mode has type ", dtype_name(tensor.dtype));
  }
  return value;
}

Status bind_dropout(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 1, 3));
  RETURN_IF_ERROR(check_type(ctx, 0, kTypes));
  ASSIGN_OR_RETURN(const double training, scalar_or_zero(ctx.input(2)));
  double ratio = 0.5;
  if (training != 0 && ctx.has_input(1)) {
    ASSIGN_OR_RETURN(ratio, scalar_or_zero(ctx.input(1)));
  }
  if (training != 0 && ratio != 0) return not_implemented("dropout in training mode");
  RETURN_IF_ERROR(ctx.set_output(0, ctx.input(0).dtype, ctx.input(0).dims()));
  if (!ctx.has_output(1)) return Status::ok();
  return ctx.set_output(1, DType::kBool, ctx.input(0).dims());
}

// --- Run.

Status run_copy(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const ValueRef& y = ctx.output(0);
  const auto bytes = dtype_bytes(x.dtype, static_cast<uint64_t>(x.element_count()));
  if (x.data == y.data || !bytes) return Status::ok();
  constexpr int64_t kGrain = int64_t{1} << 18;
  ctx.parallel_for(static_cast<int64_t>(*bytes), kGrain, [&](int64_t begin, int64_t end) {
    std::memcpy(y.as_mutable<std::byte>() + begin, x.as<std::byte>() + begin,
                static_cast<size_t>(end - begin));
  });
  return Status::ok();
}

Status run_dropout(RunContext& ctx) {
  RETURN_IF_ERROR(run_copy(ctx));
  if (ctx.has_output(1) && ctx.output(1).element_count() > 0) {
    std::memset(ctx.output(1).data, 1, static_cast<size_t>(ctx.output(1).element_count()));
  }
  return Status::ok();
}

}  // namespace

KernelTable reshape_kernels() {
  constexpr uint32_t kView = kViewOfInput | kShapeArithmetic;
  constexpr int kEnd = kLatestOpset;
  static constexpr KernelRow rows[] = {
      {"Reshape", "", 5, kEnd, kTypes, "reshape", 1, kView, 2, prepare_reshape, bind_reshape,
       run_copy},
      {"Reshape", "", 1, 4, kTypes, "reshape.attribute", 1, kView, 0, prepare_reshape_attribute,
       bind_reshape_attribute, run_copy},
      {"Flatten", "", 1, kEnd, kTypes, "flatten", 1, kView, 0, prepare_flatten, bind_flatten,
       run_copy},
      {"Squeeze", "", 13, kEnd, kTypes, "squeeze", 1, kView, 2, prepare_nothing, bind_squeeze,
       run_copy},
      {"Squeeze", "", 1, 12, kTypes, "squeeze.attribute", 1, kView, 0, prepare_axes,
       bind_squeeze_attribute, run_copy},
      {"Unsqueeze", "", 13, kEnd, kTypes, "unsqueeze", 1, kView, 2, prepare_nothing, bind_unsqueeze,
       run_copy},
      {"Unsqueeze", "", 1, 12, kTypes, "unsqueeze.attribute", 1, kView, 0, prepare_axes,
       bind_unsqueeze_attribute, run_copy},
      {"Identity", "", 1, kEnd, kTypes, "identity", 1, kView, 0, prepare_nothing, bind_identity,
       run_copy},
      {"Dropout", "", 10, 11, FloatTypes::kMask, "dropout", 1, kInPlace, 6, prepare_nothing,
       bind_dropout, run_dropout},
      {"Reshape", "", 5, kEnd, kStrings, "reshape.string", 1, kNoFlags, 2, prepare_reshape,
       bind_strings<bind_reshape, 1>, run_strings<run_copy>},
      {"Flatten", "", 1, kEnd, kStrings, "flatten.string", 1, kNoFlags, 0, prepare_flatten,
       bind_strings<bind_flatten, 1>, run_strings<run_copy>},
      {"Squeeze", "", 13, kEnd, kStrings, "squeeze.string", 1, kNoFlags, 2, prepare_nothing,
       bind_strings<bind_squeeze, 1>, run_strings<run_copy>},
      {"Squeeze", "", 1, 12, kStrings, "squeeze.attribute.string", 1, kNoFlags, 0, prepare_axes,
       bind_strings<bind_squeeze_attribute, 1>, run_strings<run_copy>},
      {"Unsqueeze", "", 13, kEnd, kStrings, "unsqueeze.string", 1, kNoFlags, 2, prepare_nothing,
       bind_strings<bind_unsqueeze, 1>, run_strings<run_copy>},
      {"Unsqueeze", "", 1, 12, kStrings, "unsqueeze.attribute.string", 1, kNoFlags, 0, prepare_axes,
       bind_strings<bind_unsqueeze_attribute, 1>, run_strings<run_copy>},
      {"Identity", "", 1, kEnd, kStrings, "identity.string", 1, kNoFlags, 0, prepare_nothing,
       bind_strings<bind_identity, 1>, run_strings<run_copy>},
  };
  return rows;
}

}  // namespace ortc::cpu
