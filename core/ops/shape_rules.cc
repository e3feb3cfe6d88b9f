// SPDX-License-Identifier: MIT
// The arithmetic of shapes: see the header.
#include "core/ops/shape_rules.h"

#include <algorithm>

namespace ortc {

Dim plain_dim(const Dim& dim) { return {dim.value, dim.is_known() ? "" : dim.symbol, {}}; }

Dim add_dims(const Dim& a, const Dim& b) {
  if (a.is_known() && b.is_known()) {
    auto sum = checked_add(a.value, b.value);
    return sum ? Dim::known(*sum) : Dim::unknown();
  }
  if (a.value == 0) return plain_dim(b);
  if (b.value == 0) return plain_dim(a);
  return Dim::unknown();
}

Dim mul_dims(const Dim& a, const Dim& b) {
  if (a.is_known() && b.is_known()) {
    auto product = checked_mul(a.value, b.value);
    return product ? Dim::known(*product) : Dim::unknown();
  }
  if (a.value == 0 || b.value == 0) return Dim::known(0);
  if (a.value == 1) return plain_dim(b);
  if (b.value == 1) return plain_dim(a);
  return Dim::unknown();
}

Dim offset_dim(const Dim& a, int64_t offset) {
  if (offset == 0) return plain_dim(a);
  if (!a.is_known()) return Dim::unknown();
  auto sum = checked_add(a.value, offset);
  return sum && *sum >= 0 ? Dim::known(*sum) : Dim::unknown();
}

Dim product_of(std::span<const Dim> dims) {
  // A zero anywhere makes the product zero, whatever the unknown dims are.
  Dim product = Dim::known(1);
  for (const Dim& dim : dims) {
    if (dim.value == 0) return Dim::known(0);
  }
  for (const Dim& dim : dims) product = mul_dims(product, dim);
  return product;
}

Result<Dim> equal_dims(const Dim& a, const Dim& b) {
  if (a.is_known() && b.is_known()) {
    if (a.value != b.value) return invalid_graph("dims ", a.value, " and ", b.value, " differ");
    return plain_dim(a);
  }
  if (a.is_known()) return plain_dim(a);
  if (b.is_known()) return plain_dim(b);
  return plain_dim(a.symbol.empty() ? b : a);
}

Dim common_dim(const Dim& a, const Dim& b) { return a.same_as(b) ? plain_dim(a) : Dim::unknown(); }

Result<Dim> broadcast_dim(const Dim& a, const Dim& b) {
  if (a.value == 1) return plain_dim(b);
  if (b.value == 1) return plain_dim(a);
  if (a.is_known() && b.is_known()) {
    if (a.value == b.value) return plain_dim(a);
    return invalid_graph("dims ", a.value, " and ", b.value, " do not broadcast");
  }
  if (a.same_as(b)) return plain_dim(a);
  if (a.is_known()) return plain_dim(a);
  if (b.is_known()) return plain_dim(b);
  return Dim::unknown();
}

Result<Shape> broadcast_shapes(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape shape;
  shape.reserve(longer.size());
  const size_t lead = longer.size() - shorter.size();
  for (size_t i = 0; i < longer.size(); ++i) {
    if (i < lead) {
      shape.push_back(plain_dim(longer[i]));
      continue;
    }
    auto dim = broadcast_dim(longer[i], shorter[i - lead]);
    if (!dim.is_ok()) {
      return invalid_graph("shapes ", shape_to_string(a), " and ", shape_to_string(b),
                           " do not broadcast");
    }
    shape.push_back(std::move(*dim));
  }
  return shape;
}

Shape unknown_shape(size_t rank) { return Shape(rank); }

Type common_type(const Type& a, const Type& b) {
  if (a.kind != b.kind || a.dtype != b.dtype) return {};
  Type type = a;
  type.denotation.clear();
  type.unknown_fields.clear();
  if (a.element || b.element) {
    if (!a.element || !b.element) return {};
    Type element = common_type(*a.element, *b.element);
    if (element.kind == TypeKind::kNone) return {};
    type.element = std::make_shared<const Type>(std::move(element));
  }
  if (!a.shape || !b.shape || a.shape->size() != b.shape->size()) {
    type.shape.reset();
    return type;
  }
  for (size_t i = 0; i < a.shape->size(); ++i) {
    (*type.shape)[i] = common_dim((*a.shape)[i], (*b.shape)[i]);
  }
  return type;
}

Status check_rank(size_t rank) {
  if (rank <= kShapeRankMax) return Status::ok();
  return not_implemented("a result of rank ", rank, ", at most ", kShapeRankMax, " can be handled");
}

Result<size_t> checked_axis(int64_t axis, size_t rank) {
  const auto signed_rank = static_cast<int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) {
    return invalid_graph("axis ", axis, " is outside of rank ", rank);
  }
  return static_cast<size_t>(axis < 0 ? axis + signed_rank : axis);
}

Result<std::vector<size_t>> checked_axes(std::span<const int64_t> axes, size_t rank) {
  std::vector<size_t> checked;
  std::vector<bool> seen(rank);
  for (int64_t axis : axes) {
    ASSIGN_OR_RETURN(size_t index, checked_axis(axis, rank));
    if (seen[index]) return invalid_graph("axis ", axis, " appears twice in the axes");
    seen[index] = true;
    checked.push_back(index);
  }
  return checked;
}

const Shape* input_shape(const InferContext& ctx, size_t i) {
  const Type& type = ctx.input_type(i);
  return type.has_shape() ? &*type.shape : nullptr;
}

std::optional<Shape> shape_copy(const InferContext& ctx, size_t i) {
  const Shape* shape = input_shape(ctx, i);
  return shape != nullptr ? std::optional<Shape>(*shape) : std::nullopt;
}

DType input_dtype(const InferContext& ctx, size_t i) {
  const Type& type = ctx.input_type(i);
  return type.is_tensor() ? type.dtype : DType::kUndefined;
}

int64_t vector_size(const InferContext& ctx, size_t i) {
  const Shape* shape = input_shape(ctx, i);
  return shape != nullptr && shape->size() == 1 && (*shape)[0].is_known() ? (*shape)[0].value : -1;
}

Status same_dtype(const InferContext& ctx, size_t i, size_t j) {
  const DType a = input_dtype(ctx, i), b = input_dtype(ctx, j);
  if (a == b || a == DType::kUndefined || b == DType::kUndefined) return Status::ok();
  return invalid_graph("inputs ", i, " and ", j, " must have one element type, found ",
                       dtype_name(a), " and ", dtype_name(b));
}

Status expect_type(const InferContext& ctx, size_t i, TypeMask types) {
  const DType dtype = input_dtype(ctx, i);
  if (dtype == DType::kUndefined || (mask_of(dtype) & types) != 0) return Status::ok();
  std::string expected;
  for (int number = 1; number < kDTypeCount; ++number) {
    if ((types >> number & 1) == 0) continue;
    expected += str_cat(expected.empty() ? "" : ", ", dtype_name(static_cast<DType>(number)));
  }
  return invalid_graph("input ", i, " is ", dtype_name(dtype), ", expected one of ", expected);
}

Status expect_rank(const InferContext& ctx, size_t i, size_t rank) {
  const Shape* shape = input_shape(ctx, i);
  if (shape == nullptr || shape->size() == rank) return Status::ok();
  return invalid_graph("input ", i, " has rank ", shape->size(), ", expected ", rank);
}

namespace {

std::optional<Integers> integers_of(const Tensor& tensor) {
  if (tensor.dims().size() > 1 || tensor.element_count() > static_cast<int64_t>(kContentsMax)) {
    return std::nullopt;
  }
  Integers values;
  if (tensor.dtype() == DType::kBool) {
    for (uint8_t value : tensor.elements<uint8_t>()) values.push_back(Integer::number(value != 0));
    return values;
  }
  auto numbers = tensor.to_int64();
  if (!numbers.is_ok()) return std::nullopt;
  for (int64_t value : *numbers) values.push_back(Integer::number(value));
  return values;
}

}  // namespace

std::optional<Integers> integers(const InferContext& ctx, size_t i) {
  if (const Tensor* tensor = ctx.constant(i)) return integers_of(*tensor);
  const Integers* contents = ctx.contents(i);
  return contents != nullptr ? std::optional<Integers>(*contents) : std::nullopt;
}

std::optional<std::vector<int64_t>> known_integers(const InferContext& ctx, size_t i) {
  auto values = integers(ctx, i);
  if (!values) return std::nullopt;
  std::vector<int64_t> numbers;
  for (const Integer& value : *values) {
    if (!value.is_known) return std::nullopt;
    numbers.push_back(value.value);
  }
  return numbers;
}

void set_integers(InferContext& ctx, size_t i, Integers values) {
  if (values.size() <= kContentsMax) ctx.set_contents(i, std::move(values));
}

void set_tensor(InferContext& ctx, size_t i, DType dtype, std::optional<Shape> shape) {
  if (dtype == DType::kUndefined || ctx.node().output(i) == kNoValue) return;
  if (shape) {
    for (Dim& dim : *shape) dim.denotation.clear();
  }
  ctx.set_output(i, Type::tensor(dtype, std::move(shape)));
}

Status infer_shape_only(InferContext& ctx, DType dtype) {
  const Shape* shape = input_shape(ctx, 0);
  set_tensor(ctx, 0, dtype, shape != nullptr ? std::optional<Shape>(*shape) : std::nullopt);
  return Status::ok();
}

Status infer_same_type(InferContext& ctx) { return infer_shape_only(ctx, input_dtype(ctx, 0)); }

Status infer_same_types(InferContext& ctx) {
  for (size_t i = 0; i < ctx.output_count() && i < ctx.input_count(); ++i) {
    const Shape* shape = input_shape(ctx, i);
    set_tensor(ctx, i, input_dtype(ctx, i),
               shape != nullptr ? std::optional<Shape>(*shape) : std::nullopt);
  }
  return Status::ok();
}

Status infer_bool_like(InferContext& ctx) { return infer_shape_only(ctx, DType::kBool); }

Status infer_broadcast(InferContext& ctx, size_t first, size_t count, DType dtype) {
  std::optional<Shape> result;
  for (size_t i = first; i < first + count; ++i) {
    const Shape* shape = input_shape(ctx, i);
    if (shape == nullptr) {
      result.reset();
      break;
    }
    if (i == first) {
      result = *shape;
      continue;
    }
    ASSIGN_OR_RETURN(result, broadcast_shapes(*result, *shape));
  }
  set_tensor(ctx, 0, dtype, std::move(result));
  return Status::ok();
}

}  // namespace ortc
