// SPDX-License-Identifier: MIT
// Checks of bind functions: see the header.
#include "providers/cpu/bind/bind_checks.h"

namespace ortc::cpu {

Status check_arity(const BindContext& ctx, size_t required, size_t allowed, size_t outputs) {
  if (ctx.input_count() > allowed) {
    return invalid_graph("takes at most ", allowed, " inputs, found ", ctx.input_count());
  }
  for (size_t i = 0; i < required; ++i) {
    if (!ctx.has_input(i)) return invalid_graph("input ", i, " is missing");
  }
  for (size_t i = 0; i < ctx.input_count(); ++i) {
    if (ctx.input(i).rank > kMaxRank) {
      return not_implemented("input ", i, " has rank ", ctx.input(i).rank, ", at most ", kMaxRank,
                             " can be handled");
    }
  }
  for (size_t i = 0; i < outputs; ++i) {
    if (!ctx.has_output(i)) return invalid_graph("output ", i, " is missing");
  }
  return Status::ok();
}

Status check_type(const BindContext& ctx, size_t i, TypeMask types) {
  if (!ctx.has_input(i) || (mask_of(ctx.input(i).dtype) & types) != 0) return Status::ok();
  return invalid_graph("input ", i, " has type ", dtype_name(ctx.input(i).dtype),
                       ", which kernel '", ctx.kernel_id(), "' does not take");
}

Status check_same_type(const BindContext& ctx, size_t i, size_t j) {
  if (!ctx.has_input(i) || ctx.input(i).dtype == ctx.input(j).dtype) return Status::ok();
  return invalid_graph("input ", i, " has type ", dtype_name(ctx.input(i).dtype), ", expected ",
                       dtype_name(ctx.input(j).dtype), " as input ", j, " has");
}

Result<size_t> checked_axis(int64_t axis, size_t rank) {
  const auto signed_rank = static_cast<int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) {
    return invalid_argument("axis ", axis, " is outside a tensor of rank ", rank);
  }
  return static_cast<size_t>(axis < 0 ? axis + signed_rank : axis);
}

Status read_ints(const ValueRef& tensor, std::string_view what, DimList* values) {
  if (tensor.rank > 1) {
    return invalid_argument(what, " has rank ", tensor.rank, ", expected a vector");
  }
  const int64_t count = tensor.element_count();
  if (count > static_cast<int64_t>(kMaxRank)) {
    return not_implemented(what, " has ", count, " values, at most ", kMaxRank, " can be handled");
  }
  if (tensor.data == nullptr && count > 0) {
    return not_implemented("the contents of ", what, " are needed before the run");
  }
  values->clear();
  for (int64_t i = 0; i < count; ++i) {
    if (tensor.dtype == DType::kInt64) {
      values->push_back(tensor.as<int64_t>()[i]);
    } else if (tensor.dtype == DType::kInt32) {
      values->push_back(tensor.as<int32_t>()[i]);
    } else {
      return invalid_graph(what, " has type ", dtype_name(tensor.dtype), ", expected int64");
    }
  }
  return Status::ok();
}

Result<int64_t> read_int(const ValueRef& tensor, std::string_view what) {
  if (tensor.element_count() != 1) {
    return invalid_argument(what, " has ", tensor.element_count(), " elements, expected one");
  }
  if (tensor.data == nullptr) {
    return not_implemented("the contents of ", what, " are needed before the run");
  }
  if (tensor.dtype == DType::kInt64) return *tensor.as<int64_t>();
  if (tensor.dtype == DType::kInt32) return int64_t{*tensor.as<int32_t>()};
  return invalid_graph(what, " has type ", dtype_name(tensor.dtype), ", expected int64");
}

Status prepare_nothing(PrepareContext&) { return Status::ok(); }

Status index_out_of_range(int64_t index, int64_t size) {
  return invalid_argument("index ", index, " is outside [", -size, ", ", size - 1, "]");
}

}  // namespace ortc::cpu
