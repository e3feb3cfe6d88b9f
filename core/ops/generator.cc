// SPDX-License-Identifier: MIT
// Operators that make tensors: constants, ranges, random numbers.
#include <cmath>

#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

// Dense, unless the file says that its readers want it as it stands.
void set_sparse_constant(InferContext& ctx, const SparseConstant& sparse) {
  Type type = Type::tensor(sparse.values.tensor.dtype(), shape_of(sparse.dims));
  const Value* output = ctx.node().graph()->value(ctx.node().output(0));
  if (output != nullptr && output->type.kind == TypeKind::kSparseTensor) {
    type.kind = TypeKind::kSparseTensor;
  }
  ctx.set_output(0, std::move(type));
}

Status infer_constant(InferContext& ctx) {
  const Attribute* given = nullptr;
  for (const char* name : {"value", "sparse_value", "value_float", "value_floats", "value_int",
                           "value_ints", "value_string", "value_strings"}) {
    const Attribute* attribute = ctx.node().attribute(name);
    if (attribute == nullptr) continue;
    if (given != nullptr) return invalid_graph("has two values");
    given = attribute;
  }
  if (given == nullptr) return invalid_graph("has no value");
  const auto vector_of = [](size_t count) {
    return Shape{Dim::known(static_cast<int64_t>(count))};
  };
  Integers values;
  switch (given->kind) {
    case AttributeKind::kTensor:
      if (given->tensor) ctx.set_output(0, Type::tensor_of(given->tensor->tensor));
      if (given->tensor && given->tensor->tensor.dims().size() <= 1 &&
          given->tensor->tensor.element_count() <= static_cast<int64_t>(kContentsMax)) {
        auto numbers = given->tensor->tensor.to_int64();
        if (!numbers.is_ok()) break;
        for (int64_t number : *numbers) values.push_back(Integer::number(number));
        set_integers(ctx, 0, values);
      }
      break;
    case AttributeKind::kSparseTensor:
      if (given->sparse) set_sparse_constant(ctx, *given->sparse);
      break;
    case AttributeKind::kFloat:
      set_tensor(ctx, 0, DType::kFloat32, Shape{});
      break;
    case AttributeKind::kFloats:
      set_tensor(ctx, 0, DType::kFloat32, vector_of(given->floats.size()));
      break;
    case AttributeKind::kInt:
      set_tensor(ctx, 0, DType::kInt64, Shape{});
      set_integers(ctx, 0, {Integer::number(given->i)});
      break;
    case AttributeKind::kInts:
      set_tensor(ctx, 0, DType::kInt64, vector_of(given->ints.size()));
      for (int64_t number : given->ints) values.push_back(Integer::number(number));
      set_integers(ctx, 0, values);
      break;
    case AttributeKind::kString:
      set_tensor(ctx, 0, DType::kString, Shape{});
      break;
    case AttributeKind::kStrings:
      set_tensor(ctx, 0, DType::kString, vector_of(given->strings.size()));
      break;
    default:
      return invalid_graph("attribute '", given->name, "' has the wrong kind");
  }
  return Status::ok();
}

Status infer_constant_of_shape(InferContext& ctx) {
  const Attribute* value = ctx.node().attribute("value");
  const Tensor* fill = value != nullptr && value->tensor ? &value->tensor->tensor : nullptr;
  auto sizes = integers(ctx, 0);
  std::optional<Shape> shape;
  if (sizes) {
    shape = Shape{};
    for (const Integer& size : *sizes) {
      if (size.is_known && size.value < 0) return invalid_graph("a dim would be ", size.value);
      shape->push_back(size.dim());
    }
  } else if (const int64_t rank = vector_size(ctx, 0); rank >= 0 && rank <= 64) {
    shape = unknown_shape(static_cast<size_t>(rank));
  }
  if (fill != nullptr && fill->element_count() != 1)
    return invalid_graph("attribute 'value' has ", fill->element_count(), " elements");
  auto number = fill != nullptr ? fill->to_int64() : Result<std::vector<int64_t>>(fail("float"));
  if (number.is_ok() && shape && shape->size() <= 1) {
    const Dim count = product_of(*shape);
    if (count.is_known() && count.value <= static_cast<int64_t>(kContentsMax)) {
      set_integers(ctx, 0,
                   Integers(static_cast<size_t>(count.value), Integer::number((*number)[0])));
    }
  }
  set_tensor(ctx, 0, fill != nullptr ? fill->dtype() : DType::kFloat32, std::move(shape));
  return Status::ok();
}

// ceil((limit - start) / delta) elements, none when that is negative.
template <typename T>
std::optional<int64_t> range_count(const Tensor& start, const Tensor& limit, const Tensor& delta) {
  const T span = limit.elements<T>()[0] - start.elements<T>()[0];
  const double count =
      std::ceil(static_cast<double>(span) / static_cast<double>(delta.elements<T>()[0]));
  if (!(count < 9e15)) return std::nullopt;
  return count > 0 ? static_cast<int64_t>(count) : 0;
}

std::optional<Dim> range_size(const InferContext& ctx) {
  const Tensor *start = ctx.constant(0), *limit = ctx.constant(1), *delta = ctx.constant(2);
  if (start != nullptr && limit != nullptr && delta != nullptr && start->element_count() == 1 &&
      limit->element_count() == 1 && delta->element_count() == 1 &&
      start->dtype() == limit->dtype() && start->dtype() == delta->dtype()) {
    std::optional<int64_t> count;
    if (start->dtype() == DType::kFloat32) count = range_count<float>(*start, *limit, *delta);
    if (start->dtype() == DType::kFloat64) count = range_count<double>(*start, *limit, *delta);
    if (count) return Dim::known(*count);
  }
  auto first = integers(ctx, 0), last = integers(ctx, 1), step = integers(ctx, 2);
  if (!first || !last || !step || first->size() != 1 || last->size() != 1 || step->size() != 1) {
    return std::nullopt;
  }
  const Integer &a = (*first)[0], &b = (*last)[0], &d = (*step)[0];
  if (a.is(0) && d.is(1) && !b.symbol.empty()) return b.dim();
  if (!a.is_known || !b.is_known || !d.is_known || d.value == 0) return std::nullopt;
  int64_t span;
  if (__builtin_sub_overflow(b.value, a.value, &span)) return std::nullopt;
  if ((span > 0) != (d.value > 0) || span == 0) return Dim::known(0);
  if (d.value == -1) return span == INT64_MIN ? Dim::unknown() : Dim::known(-span);
  return Dim::known(span / d.value + (span % d.value != 0 ? 1 : 0));
}

Status infer_range(InferContext& ctx) {
  RETURN_IF_ERROR(same_dtype(ctx, 0, 1));
  RETURN_IF_ERROR(same_dtype(ctx, 0, 2));
  auto size = range_size(ctx);
  if (size && size->is_known() && size->value <= static_cast<int64_t>(kContentsMax)) {
    auto first = known_integers(ctx, 0), step = known_integers(ctx, 2);
    Integers values;
    for (int64_t i = 0; first && step && i < size->value; ++i) {
      auto offset = checked_mul(i, (*step)[0]);
      auto value = offset ? checked_add((*first)[0], *offset) : std::nullopt;
      values.push_back(value ? Integer::number(*value) : Integer{});
    }
    if (first && step) set_integers(ctx, 0, values);
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), Shape{size ? *size : Dim::unknown()});
  return Status::ok();
}

Result<DType> dtype_attribute(const InferContext& ctx, std::string_view name, DType otherwise) {
  const Attribute* attribute = ctx.node().attribute(name);
  if (attribute == nullptr) return otherwise;
  if (!dtype_is_valid(attribute->i)) {
    return invalid_graph("attribute '", name, "': ", attribute->i, " is not an element type");
  }
  return static_cast<DType>(attribute->i);
}

Status infer_random(InferContext& ctx) {
  ASSIGN_OR_RETURN(DType dtype, dtype_attribute(ctx, "dtype", DType::kFloat32));
  const auto dims = ctx.node().ints_attribute("shape");
  if (!checked_element_count(dims))
    return invalid_graph("attribute 'shape' is ", dims_to_string(dims));
  RETURN_IF_ERROR(check_rank(dims.size()));
  set_tensor(ctx, 0, dtype, shape_of(dims));
  return Status::ok();
}

Status infer_random_like(InferContext& ctx) {
  ASSIGN_OR_RETURN(DType dtype, dtype_attribute(ctx, "dtype", input_dtype(ctx, 0)));
  return infer_shape_only(ctx, dtype);
}

Status infer_multinomial(InferContext& ctx) {
  ASSIGN_OR_RETURN(DType dtype, dtype_attribute(ctx, "dtype", DType::kInt32));
  RETURN_IF_ERROR(expect_rank(ctx, 0, 2));
  const Shape* x = input_shape(ctx, 0);
  const int64_t count = ctx.node().int_attribute("sample_size", 1);
  if (count < 0) return invalid_graph("attribute 'sample_size' is ", count, ", expected 0 or more");
  set_tensor(ctx, 0, dtype,
             Shape{x != nullptr ? plain_dim((*x)[0]) : Dim::unknown(), Dim::known(count)});
  return Status::ok();
}

Status infer_eye_like(InferContext& ctx) {
  RETURN_IF_ERROR(expect_rank(ctx, 0, 2));
  return infer_random_like(ctx);
}

// Windows of a signal: as many elements as the input says.
Status infer_window(InferContext& ctx) {
  ASSIGN_OR_RETURN(DType dtype, dtype_attribute(ctx, "output_datatype", DType::kFloat32));
  auto size = integers(ctx, 0);
  set_tensor(ctx, 0, dtype, Shape{size && size->size() == 1 ? (*size)[0].dim() : Dim::unknown()});
  return Status::ok();
}

// [dft_length / 2 + 1, mel bins]
Status infer_mel_weight_matrix(InferContext& ctx) {
  ASSIGN_OR_RETURN(DType dtype, dtype_attribute(ctx, "output_datatype", DType::kFloat32));
  auto bins = known_integers(ctx, 0), length = known_integers(ctx, 1);
  Shape shape = unknown_shape(2);
  if (length && length->size() == 1 && (*length)[0] >= 0) {
    shape[0] = Dim::known((*length)[0] / 2 + 1);
  }
  if (bins && bins->size() == 1 && (*bins)[0] >= 0) shape[1] = Dim::known((*bins)[0]);
  set_tensor(ctx, 0, dtype, std::move(shape));
  return Status::ok();
}

}  // namespace

std::span<const OpRow> generator_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"", "Bernoulli", 15, 1, 1, 1, 1, infer_random_like},
      {"", "Bernoulli", 22, 1, 1, 1, 1, infer_random_like},
      {"", "BlackmanWindow", 17, 1, 1, 1, 1, infer_window},
      {"", "Constant", 1, 0, 0, 1, 1, infer_constant, "value"},
      {"", "Constant", 9, 0, 0, 1, 1, infer_constant, "value"},
      {"", "Constant", 11, 0, 0, 1, 1, infer_constant},
      {"", "Constant", 12, 0, 0, 1, 1, infer_constant},
      {"", "Constant", 13, 0, 0, 1, 1, infer_constant},
      {"", "Constant", 19, 0, 0, 1, 1, infer_constant},
      {"", "Constant", 21, 0, 0, 1, 1, infer_constant},
      {"", "Constant", 23, 0, 0, 1, 1, infer_constant},
      {"", "Constant", 24, 0, 0, 1, 1, infer_constant},
      {"", "Constant", 25, 0, 0, 1, 1, infer_constant},
      {"", "ConstantOfShape", 9, 1, 1, 1, 1, infer_constant_of_shape},
      {"", "ConstantOfShape", 20, 1, 1, 1, 1, infer_constant_of_shape},
      {"", "ConstantOfShape", 21, 1, 1, 1, 1, infer_constant_of_shape},
      {"", "ConstantOfShape", 23, 1, 1, 1, 1, infer_constant_of_shape},
      {"", "ConstantOfShape", 24, 1, 1, 1, 1, infer_constant_of_shape},
      {"", "ConstantOfShape", 25, 1, 1, 1, 1, infer_constant_of_shape},
      {"", "EyeLike", 9, 1, 1, 1, 1, infer_eye_like},
      {"", "EyeLike", 22, 1, 1, 1, 1, infer_eye_like},
      {"", "HammingWindow", 17, 1, 1, 1, 1, infer_window},
      {"", "HannWindow", 17, 1, 1, 1, 1, infer_window},
      {"", "MelWeightMatrix", 17, 5, 5, 1, 1, infer_mel_weight_matrix},
      {"", "Multinomial", 7, 1, 1, 1, 1, infer_multinomial},
      {"", "Multinomial", 22, 1, 1, 1, 1, infer_multinomial},
      {"", "RandomNormal", 1, 0, 0, 1, 1, infer_random, "shape"},
      {"", "RandomNormal", 22, 0, 0, 1, 1, infer_random, "shape"},
      {"", "RandomNormalLike", 1, 1, 1, 1, 1, infer_random_like},
      {"", "RandomNormalLike", 22, 1, 1, 1, 1, infer_random_like},
      {"", "RandomUniform", 1, 0, 0, 1, 1, infer_random, "shape"},
      {"", "RandomUniform", 22, 0, 0, 1, 1, infer_random, "shape"},
      {"", "RandomUniformLike", 1, 1, 1, 1, 1, infer_random_like},
      {"", "RandomUniformLike", 22, 1, 1, 1, 1, infer_random_like},
      {"", "Range", 11, 3, 3, 1, 1, infer_range},
      {"", "Range", 27, 3, 3, 1, 1, infer_range},
  };
  return kRows;
}

}  // namespace ortc
