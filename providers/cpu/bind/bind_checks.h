// SPDX-License-Identifier: MIT
// Checks that bind functions make before they believe anything: steps come from untrusted files, so
// number, type and rank of inputs are looked at even where a model would have been refused before.
// Messages leave out the operator's name: whoever calls bind and run adds the node's.
#pragma once

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/bind/dim_list.h"

namespace ortc::cpu {

// The first `required` inputs are there, no more than `allowed` are; no input has a rank above 64;
// outputs 0 .. outputs-1 are wanted.
Status check_arity(const BindContext& ctx, size_t required, size_t allowed, size_t outputs = 1);

// Input i, if present, has one of these element types.
Status check_type(const BindContext& ctx, size_t i, TypeMask types);
// Input i, if present, has the element type of input j.
Status check_same_type(const BindContext& ctx, size_t i, size_t j);

// The axis counted from 0, or INVALID_ARGUMENT. `rank` is that of the tensor the axis is of.
Result<size_t> checked_axis(int64_t axis, size_t rank);

// The integers of a rank 0 or 1 tensor of int32 or int64 whose contents are known; at most 64.
Status read_ints(const ValueRef& tensor, std::string_view what, DimList* values);
// The same of a tensor with exactly one element.
Result<int64_t> read_int(const ValueRef& tensor, std::string_view what);

// Prepare of kernels without a record.
Status prepare_nothing(PrepareContext& ctx);

// INVALID_ARGUMENT that names the range: of indices in the data of gather and scatter.
Status index_out_of_range(int64_t index, int64_t size);

}  // namespace ortc::cpu
