// SPDX-License-Identifier: MIT
// The arithmetic of shapes that the families' inference functions share: dims that may be numbers,
// symbols or unknown, broadcasting, axes, and the known contents of small integer tensors.
//
// A rule answers "unknown" whenever it is not certain, and INVALID_GRAPH only when the graph cannot
// be right at any run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/ops/families.h"
#include "core/ops/infer.h"

namespace ortc {

// --- Dims
Dim plain_dim(const Dim& dim);  // without its denotation
Dim add_dims(const Dim& a, const Dim& b);
Dim mul_dims(const Dim& a, const Dim& b);
Dim offset_dim(const Dim& a, int64_t offset);
Dim product_of(std::span<const Dim> dims);
// Two dims that must be the same size: the better known one.
Result<Dim> equal_dims(const Dim& a, const Dim& b);
// What is true of both: the dim when certainly the same, else unknown.
Dim common_dim(const Dim& a, const Dim& b);
Result<Dim> broadcast_dim(const Dim& a, const Dim& b);
Result<Shape> broadcast_shapes(const Shape& a, const Shape& b);
Shape unknown_shape(size_t rank);
// The type that holds for both (branches of an If, elements of a sequence); kNone when there is
// none.
Type common_type(const Type& a, const Type& b);

// Of any tensor: of what models say and of what kernels handle.
inline constexpr size_t kShapeRankMax = 64;
Status check_rank(size_t rank);  // NOT_IMPLEMENTED above it

Result<size_t> checked_axis(int64_t axis, size_t rank);
// The same for a list; INVALID_GRAPH when an axis stands there twice.
Result<std::vector<size_t>> checked_axes(std::span<const int64_t> axes, size_t rank);

// --- Inputs
const Shape* input_shape(const InferContext& ctx, size_t i);  // null when the rank is unknown
DType input_dtype(const InferContext& ctx, size_t i);         // kUndefined when unknown
std::optional<Shape> shape_copy(const InferContext& ctx, size_t i);  // for an output like it
// Element count of a one-dimensional input, -1 when unknown.
int64_t vector_size(const InferContext& ctx, size_t i);
// INVALID_GRAPH when both are known and differ.
Status same_dtype(const InferContext& ctx, size_t i, size_t j);
// INVALID_GRAPH when the element type is known and not one of `types`.
Status expect_type(const InferContext& ctx, size_t i, TypeMask types);
Status expect_rank(const InferContext& ctx, size_t i, size_t rank);

// What operators of ai.onnx.ml take as features.
inline constexpr TypeMask kMlFeatureTypes =
    mask_of(DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kInt64);

// --- Contents of small integer tensors
inline constexpr size_t kContentsMax = 256;  // longer vectors are not shapes
// Of an int64, int32 or bool input of rank 0 or 1.
std::optional<Integers> integers(const InferContext& ctx, size_t i);
// The same when all of them are numbers.
std::optional<std::vector<int64_t>> known_integers(const InferContext& ctx, size_t i);
void set_integers(InferContext& ctx, size_t i, Integers values);

// --- Outputs. Nothing is set for omitted outputs and unknown element types.
void set_tensor(InferContext& ctx, size_t i, DType dtype, std::optional<Shape> shape);

// --- Inference functions of many operators.
Status infer_same_type(InferContext& ctx);                // output 0 is like input 0
Status infer_same_types(InferContext& ctx);               // output i is like input i
Status infer_bool_like(InferContext& ctx);                // output 0 is bool, shaped like input 0
Status infer_shape_only(InferContext& ctx, DType dtype);  // output 0 shaped like input 0
// Output 0 is the broadcast of inputs [first, first + count).
Status infer_broadcast(InferContext& ctx, size_t first, size_t count, DType dtype);

}  // namespace ortc
