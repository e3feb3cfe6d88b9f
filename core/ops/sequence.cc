// SPDX-License-Identifier: MIT
// Sequences and optionals.
#include <set>

#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

Type plain(Type type) {
  type.denotation.clear();
  type.unknown_fields.clear();
  return type;
}

// The element type of an input that is a sequence (or an optional); kNone when unknown.
Type element_of(const InferContext& ctx, size_t i) {
  const Type& type = ctx.input_type(i);
  return type.element ? plain(*type.element) : Type{};
}

Status expect_kind(const InferContext& ctx, size_t i, TypeKind kind) {
  const Type& type = ctx.input_type(i);
  if (type.kind == TypeKind::kNone || type.kind == kind) return Status::ok();
  return invalid_graph(
      "input ", i, " is ", type_to_string(type),
      kind == TypeKind::kSequence ? ", expected a sequence" : ", expected another kind");
}

// ONNX has sequences of tensors, no deeper ones.
Status expect_tensor(const Type& type, std::string_view what, size_t i) {
  if (type.kind == TypeKind::kNone || type.is_tensor()) return Status::ok();
  return invalid_graph(what, " ", i, " is ", type_to_string(type), ", expected a tensor");
}

void set_sequence(InferContext& ctx, Type element) {
  if (element.kind != TypeKind::kNone) ctx.set_output(0, Type::sequence(std::move(element)));
}

Status infer_sequence_empty(InferContext& ctx) {
  const int64_t dtype = ctx.node().int_attribute("dtype", 1);
  if (!dtype_is_valid(dtype))
    return invalid_graph("attribute 'dtype': ", dtype, " is not an element type");
  set_sequence(ctx, Type::tensor(static_cast<DType>(dtype)));
  return Status::ok();
}

Status infer_sequence_construct(InferContext& ctx) {
  for (size_t i = 0; i < ctx.input_count(); ++i) {
    RETURN_IF_ERROR(expect_tensor(ctx.input_type(i), "input", i));
  }
  Type element = plain(ctx.input_type(0));
  for (size_t i = 1; i < ctx.input_count(); ++i) {
    RETURN_IF_ERROR(same_dtype(ctx, 0, i));
    element = common_type(element, ctx.input_type(i));
  }
  set_sequence(ctx, std::move(element));
  return Status::ok();
}

Status infer_sequence_at(InferContext& ctx) {
  RETURN_IF_ERROR(expect_kind(ctx, 0, TypeKind::kSequence));
  Type element = element_of(ctx, 0);
  if (element.kind != TypeKind::kNone) ctx.set_output(0, std::move(element));
  return Status::ok();
}

Status infer_sequence_insert(InferContext& ctx) {
  RETURN_IF_ERROR(expect_kind(ctx, 0, TypeKind::kSequence));
  const Type element = element_of(ctx, 0);
  const Type& inserted = ctx.input_type(1);
  RETURN_IF_ERROR(expect_tensor(inserted, "input", 1));
  if (element.kind == TypeKind::kNone || inserted.kind == TypeKind::kNone) return Status::ok();
  Type common = common_type(element, inserted);
  if (common.kind == TypeKind::kNone) {
    return invalid_graph("a ", type_to_string(inserted), " does not go into a sequence of ",
                         type_to_string(element));
  }
  set_sequence(ctx, std::move(common));
  return Status::ok();
}

Status infer_sequence_erase(InferContext& ctx) {
  RETURN_IF_ERROR(expect_kind(ctx, 0, TypeKind::kSequence));
  set_sequence(ctx, element_of(ctx, 0));
  return Status::ok();
}

Status infer_sequence_length(InferContext& ctx) {
  RETURN_IF_ERROR(expect_kind(ctx, 0, TypeKind::kSequence));
  set_tensor(ctx, 0, DType::kInt64, Shape{});
  return Status::ok();
}

// Parts of given sizes, of one size, or single elements (whose axis may go away).
Status infer_split_to_sequence(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  const DType dtype = input_dtype(ctx, 0);
  if (dtype == DType::kUndefined) return Status::ok();
  std::optional<Shape> shape;
  if (x != nullptr) {
    ASSIGN_OR_RETURN(size_t axis, checked_axis(ctx.node().int_attribute("axis", 0), x->size()));
    shape = *x;
    for (Dim& dim : *shape) dim = plain_dim(dim);
    if (ctx.has_input(1)) {
      (*shape)[axis] = Dim::unknown();
    } else if (ctx.node().int_attribute("keepdims", 1) != 0) {
      (*shape)[axis] = Dim::known(1);
    } else {
      shape->erase(shape->begin() + static_cast<std::ptrdiff_t>(axis));
    }
  }
  set_sequence(ctx, Type::tensor(dtype, std::move(shape)));
  return Status::ok();
}

Status infer_concat_from_sequence(InferContext& ctx) {
  RETURN_IF_ERROR(expect_kind(ctx, 0, TypeKind::kSequence));
  const Type element = element_of(ctx, 0);
  if (!element.is_tensor()) return Status::ok();
  std::optional<Shape> shape;
  if (element.shape) {
    const bool adds_axis = ctx.node().int_attribute("new_axis", 0) != 0;
    const size_t rank = element.shape->size() + (adds_axis ? 1 : 0);
    ASSIGN_OR_RETURN(size_t axis, checked_axis(ctx.node().int_attribute("axis", 0), rank));
    shape = element.shape;
    if (adds_axis) {
      shape->insert(shape->begin() + static_cast<std::ptrdiff_t>(axis), Dim::unknown());
    } else {
      (*shape)[axis] = Dim::unknown();
    }
  }
  set_tensor(ctx, 0, element.dtype, std::move(shape));
  return Status::ok();
}

// Keeps the symbols that stand in `given`: others are sizes that the body found in one element.
void keep_symbols(Type& type, const std::set<std::string_view>& given) {
  if (type.shape) {
    for (Dim& dim : *type.shape) {
      if (!given.contains(dim.symbol)) dim.symbol.clear();
    }
  }
  if (type.element == nullptr) return;
  Type element = *type.element;
  keep_symbols(element, given);
  type.element = std::make_shared<const Type>(std::move(element));
}

// The body sees elements of the sequences and the other inputs whole.
Status infer_sequence_map(InferContext& ctx) {
  const Attribute* body = ctx.node().attribute("body");
  if (body == nullptr || !body->graph) return invalid_graph("attribute 'body' is not a graph");
  std::vector<Type> inputs;
  for (size_t i = 0; i < ctx.input_count(); ++i) {
    const bool is_sequence = ctx.input_type(i).kind == TypeKind::kSequence;
    inputs.push_back(is_sequence ? element_of(ctx, i) : plain(ctx.input_type(i)));
  }
  std::set<std::string_view> given;
  for (const Type& type : inputs) {
    if (!type.shape) continue;
    for (const Dim& dim : *type.shape) given.insert(dim.symbol);
  }
  ASSIGN_OR_RETURN(auto outputs, ctx.infer_subgraph(*body->graph, inputs));
  for (size_t i = 0; i < outputs.size() && i < ctx.output_count(); ++i) {
    RETURN_IF_ERROR(expect_tensor(outputs[i], "output of the body", i));
    keep_symbols(outputs[i], given);
    if (outputs[i].kind != TypeKind::kNone) ctx.set_output(i, Type::sequence(plain(outputs[i])));
  }
  return Status::ok();
}

// Of a tensor or a sequence of tensors.
Status check_optional(const Type& content) {
  const bool is_sequence = content.kind == TypeKind::kSequence;
  const Type* inner = is_sequence ? content.element.get() : &content;
  if (inner == nullptr || inner->kind == TypeKind::kNone || inner->is_tensor()) return Status::ok();
  return invalid_graph("an optional of ", type_to_string(content),
                       ", expected of a tensor or a sequence of tensors");
}

Status infer_optional(InferContext& ctx) {
  if (ctx.has_input(0)) {
    const Type element = plain(ctx.input_type(0));
    RETURN_IF_ERROR(check_optional(element));
    if (element.kind != TypeKind::kNone) ctx.set_output(0, Type::optional(element));
    return Status::ok();
  }
  const Attribute* type = ctx.node().attribute("type");
  if (type == nullptr || !type->type) return invalid_graph("has neither an input nor a type");
  RETURN_IF_ERROR(check_optional(*type->type));
  ctx.set_output(0, Type::optional(*type->type));
  return Status::ok();
}

// From opset 18 on also tensors and sequences come in, and go through.
Status infer_optional_get(InferContext& ctx) {
  Type type =
      ctx.input_type(0).kind == TypeKind::kOptional ? element_of(ctx, 0) : plain(ctx.input_type(0));
  if (type.kind != TypeKind::kNone) ctx.set_output(0, std::move(type));
  return Status::ok();
}

Status infer_optional_has(InferContext& ctx) {
  set_tensor(ctx, 0, DType::kBool, Shape{});
  return Status::ok();
}

}  // namespace

std::span<const OpRow> sequence_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"", "ConcatFromSequence", 11, 1, 1, 1, 1, infer_concat_from_sequence, "axis"},
      {"", "Optional", 15, 0, 1, 1, 1, infer_optional},
      {"", "OptionalGetElement", 15, 1, 1, 1, 1, infer_optional_get},
      {"", "OptionalGetElement", 18, 1, 1, 1, 1, infer_optional_get},
      {"", "OptionalHasElement", 15, 1, 1, 1, 1, infer_optional_has},
      {"", "OptionalHasElement", 18, 0, 1, 1, 1, infer_optional_has},
      {"", "SequenceAt", 11, 2, 2, 1, 1, infer_sequence_at},
      {"", "SequenceConstruct", 11, 1, kVariadic, 1, 1, infer_sequence_construct},
      {"", "SequenceEmpty", 11, 0, 0, 1, 1, infer_sequence_empty},
      {"", "SequenceErase", 11, 1, 2, 1, 1, infer_sequence_erase},
      {"", "SequenceInsert", 11, 2, 3, 1, 1, infer_sequence_insert},
      {"", "SequenceLength", 11, 1, 1, 1, 1, infer_sequence_length},
      {"", "SequenceMap", 17, 1, kVariadic, 1, kVariadic, infer_sequence_map, "body"},
      {"", "SplitToSequence", 11, 1, 2, 1, 1, infer_split_to_sequence},
      {"", "SplitToSequence", 24, 1, 2, 1, 1, infer_split_to_sequence},
  };
  return kRows;
}

}  // namespace ortc
