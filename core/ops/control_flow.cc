// SPDX-License-Identifier: MIT
// If, Loop and Scan: the types that go into their bodies and come out of them.
#include <algorithm>

#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

std::shared_ptr<Graph> body_of(const InferContext& ctx, std::string_view name) {
  const Attribute* attribute = ctx.node().attribute(name);
  return attribute != nullptr ? attribute->graph : nullptr;
}

Status missing_body(std::string_view name) {
  return invalid_graph("attribute '", name, "' is not a graph");
}

Status infer_if(InferContext& ctx) {
  auto then_branch = body_of(ctx, "then_branch"), else_branch = body_of(ctx, "else_branch");
  if (!then_branch) return missing_body("then_branch");
  if (!else_branch) return missing_body("else_branch");
  ASSIGN_OR_RETURN(auto then_types, ctx.infer_subgraph(*then_branch, {}));
  ASSIGN_OR_RETURN(auto else_types, ctx.infer_subgraph(*else_branch, {}));
  if (then_types.size() != ctx.output_count() || else_types.size() != ctx.output_count()) {
    return invalid_graph("has ", ctx.output_count(), " outputs, its branches ", then_types.size(),
                         " and ", else_types.size());
  }
  for (size_t i = 0; i < then_types.size(); ++i) {
    Type type = common_type(then_types[i], else_types[i]);
    if (type.kind != TypeKind::kNone) ctx.set_output(i, std::move(type));
  }
  return Status::ok();
}

Type without_shape(Type type) {
  type.shape.reset();
  type.denotation.clear();
  return type;
}

// The types of the loop-carried values that hold before every iteration: starts from the initial
// ones and widens them by what the body makes of them, on copies of the body, until nothing
// changes. Shapes are given up when that takes long, or deep inside other loops, where each level
// would multiply the work.
Result<std::vector<Type>> stable_types(InferContext& ctx, const Graph& body,
                                       std::vector<Type> inputs, size_t first, size_t count) {
  constexpr int kRounds = 3, kDepthMax = 3;
  int depth = 0;
  for (const Graph* outer = ctx.node().graph(); outer->parent() != nullptr; outer = outer->parent())
    ++depth;
  for (int round = 0; depth < kDepthMax && round < kRounds; ++round) {
    auto trial = body.clone(ctx.node().graph());
    auto outputs = ctx.infer_subgraph(*trial, inputs);
    // A shape that cannot be right for every iteration may contradict the body.
    if (!outputs.is_ok() || outputs->size() < count + 1) break;
    bool changed = false;
    for (size_t i = 0; i < count; ++i) {
      Type& input = inputs[first + i];
      Type widened = common_type(input, (*outputs)[1 + i]);
      if (widened.kind == TypeKind::kNone) widened = without_shape(input);
      changed |= !types_equal(widened, input);
      input = std::move(widened);
    }
    if (!changed) return inputs;
  }
  for (size_t i = 0; i < count; ++i) inputs[first + i] = without_shape(inputs[first + i]);
  return inputs;
}

bool has_one_element(const Type& type) {
  return type.has_shape() && std::all_of(type.shape->begin(), type.shape->end(),
                                         [](const Dim& dim) { return dim.value == 1; });
}

// Exporters declare [] for what is [1], or the other way round. What a body's input is given is the
// truth then.
void correct_declared_scalars(Graph& body, const std::vector<Type>& given) {
  for (size_t i = 0; i < given.size() && i < body.inputs().size(); ++i) {
    Type& declared = body.value(body.inputs()[i])->type;
    if (has_one_element(declared) && has_one_element(given[i])) declared.shape = given[i].shape;
  }
}

// The iteration number is a scalar, or one number in a vector where the body says so.
Type iteration_type(const Graph& body) {
  const Type& declared = body.value(body.inputs()[0])->type;
  const bool is_vector = has_one_element(declared) && declared.shape->size() == 1;
  return Type::tensor(DType::kInt64, is_vector ? Shape{Dim::known(1)} : Shape{});
}

Status infer_loop(InferContext& ctx) {
  auto body = body_of(ctx, "body");
  if (!body) return missing_body("body");
  const size_t carried = ctx.input_count() - std::min<size_t>(ctx.input_count(), 2);
  const size_t outputs = body->outputs().size();
  if (body->inputs().size() != carried + 2 || outputs < carried + 1) {
    return invalid_graph("carries ", carried, " values, but its body has ", body->inputs().size(),
                         " inputs and ", outputs, " outputs");
  }
  if (ctx.output_count() > outputs - 1) {
    return invalid_graph("has ", ctx.output_count(), " outputs, its body ", outputs);
  }
  std::vector<Type> inputs;
  inputs.push_back(iteration_type(*body));
  inputs.push_back(Type::tensor(DType::kBool));
  for (size_t i = 0; i < carried; ++i) inputs.push_back(ctx.input_type(2 + i));
  correct_declared_scalars(*body, inputs);
  ASSIGN_OR_RETURN(inputs, stable_types(ctx, *body, std::move(inputs), 2, carried));
  ASSIGN_OR_RETURN(auto types, ctx.infer_subgraph(*body, inputs));
  for (size_t i = 0; i < ctx.output_count(); ++i) {
    Type type = types[1 + i];
    if (i < carried) {
      type = common_type(type, ctx.input_type(2 + i));  // no iteration at all: the initial value
      if (type.kind == TypeKind::kNone) type = without_shape(types[1 + i]);
    } else if (type.has_shape()) {
      type.shape->insert(type.shape->begin(), Dim::unknown());
    }
    if (type.kind != TypeKind::kNone) ctx.set_output(i, std::move(type));
  }
  return Status::ok();
}

Result<size_t> scan_axis(const InferContext& ctx, std::string_view name, size_t i, size_t rank) {
  const auto axes = ctx.node().ints_attribute(name);
  return checked_axis(i < axes.size() ? axes[i] : 0, rank);
}

Status infer_scan(InferContext& ctx) {
  auto body = body_of(ctx, "body");
  if (!body) return missing_body("body");
  const auto scanned =
      static_cast<size_t>(std::max<int64_t>(0, ctx.node().int_attribute("num_scan_inputs", 0)));
  if (scanned == 0 || scanned > ctx.input_count() || body->inputs().size() != ctx.input_count() ||
      body->outputs().size() != ctx.output_count()) {
    return invalid_graph("scans ", scanned, " of ", ctx.input_count(), " inputs into ",
                         ctx.output_count(), " outputs, but its body has ", body->inputs().size(),
                         " inputs and ", body->outputs().size(), " outputs");
  }
  const size_t states = ctx.input_count() - scanned;
  if (states > ctx.output_count()) return invalid_graph("has fewer outputs than state variables");
  std::vector<Type> inputs;
  inputs.reserve(ctx.input_count());
  Dim length;
  for (size_t i = 0; i < states; ++i) inputs.push_back(ctx.input_type(i));
  for (size_t i = 0; i < scanned; ++i) {
    Type type = ctx.input_type(states + i);
    type.denotation.clear();
    if (type.has_shape()) {
      ASSIGN_OR_RETURN(size_t axis, scan_axis(ctx, "scan_input_axes", i, type.shape->size()));
      ASSIGN_OR_RETURN(length, equal_dims(length, (*type.shape)[axis]));
      type.shape->erase(type.shape->begin() + static_cast<std::ptrdiff_t>(axis));
    }
    inputs.push_back(std::move(type));
  }
  ASSIGN_OR_RETURN(auto types, ctx.infer_subgraph(*body, inputs));
  for (size_t i = 0; i < ctx.output_count(); ++i) {
    Type type = types[i];
    if (type.kind == TypeKind::kNone) continue;
    if (i >= states && type.has_shape()) {
      ASSIGN_OR_RETURN(size_t axis,
                       scan_axis(ctx, "scan_output_axes", i - states, type.shape->size() + 1));
      type.shape->insert(type.shape->begin() + static_cast<std::ptrdiff_t>(axis), length);
    }
    ctx.set_output(i, std::move(type));
  }
  return Status::ok();
}

// The first form of Scan has a batch axis in front and an optional vector of lengths as input 0.
Status infer_scan_8(InferContext& ctx) {
  auto body = body_of(ctx, "body");
  if (!body) return missing_body("body");
  const auto scanned = ctx.node().int_attribute("num_scan_inputs", 0);
  const size_t count = ctx.input_count() - 1;
  if (scanned <= 0 || static_cast<size_t>(scanned) > count || body->inputs().size() != count ||
      body->outputs().size() != ctx.output_count()) {
    return invalid_graph("its body has ", body->inputs().size(), " inputs and ",
                         body->outputs().size(), " outputs, expected ", count, " and ",
                         ctx.output_count());
  }
  const size_t states = count - static_cast<size_t>(scanned);
  if (states > ctx.output_count()) return invalid_graph("has fewer outputs than state variables");
  std::vector<Type> inputs;
  Dim batch, length;
  for (size_t i = 0; i < count; ++i) {
    Type type = ctx.input_type(1 + i);
    type.denotation.clear();
    const size_t lead = i < states ? 1 : 2;
    if (type.has_shape()) {
      if (type.shape->size() < lead) return invalid_graph("input ", 1 + i, " lacks its batch axis");
      ASSIGN_OR_RETURN(batch, equal_dims(batch, (*type.shape)[0]));
      if (lead == 2) {
        ASSIGN_OR_RETURN(length, equal_dims(length, (*type.shape)[1]));
      }
      type.shape->erase(type.shape->begin(),
                        type.shape->begin() + static_cast<std::ptrdiff_t>(lead));
    }
    inputs.push_back(std::move(type));
  }
  ASSIGN_OR_RETURN(auto types, ctx.infer_subgraph(*body, inputs));
  for (size_t i = 0; i < ctx.output_count(); ++i) {
    Type type = types[i];
    if (type.kind == TypeKind::kNone) continue;
    if (type.has_shape()) {
      if (i >= states) type.shape->insert(type.shape->begin(), length);
      type.shape->insert(type.shape->begin(), batch);
    }
    ctx.set_output(i, std::move(type));
  }
  return Status::ok();
}

}  // namespace

std::span<const OpRow> control_flow_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"", "If", 1, 1, 1, 1, kVariadic, infer_if, "else_branch,then_branch"},
      {"", "If", 11, 1, 1, 1, kVariadic, infer_if, "else_branch,then_branch"},
      {"", "If", 13, 1, 1, 1, kVariadic, infer_if, "else_branch,then_branch"},
      {"", "If", 16, 1, 1, 1, kVariadic, infer_if, "else_branch,then_branch"},
      {"", "If", 19, 1, 1, 1, kVariadic, infer_if, "else_branch,then_branch"},
      {"", "If", 21, 1, 1, 1, kVariadic, infer_if, "else_branch,then_branch"},
      {"", "If", 23, 1, 1, 1, kVariadic, infer_if, "else_branch,then_branch"},
      {"", "If", 24, 1, 1, 1, kVariadic, infer_if, "else_branch,then_branch"},
      {"", "If", 25, 1, 1, 1, kVariadic, infer_if, "else_branch,then_branch"},
      {"", "Loop", 1, 3, kVariadic, 1, kVariadic, infer_loop, "body"},
      {"", "Loop", 11, 2, kVariadic, 1, kVariadic, infer_loop, "body"},
      {"", "Loop", 13, 2, kVariadic, 1, kVariadic, infer_loop, "body"},
      {"", "Loop", 16, 2, kVariadic, 1, kVariadic, infer_loop, "body"},
      {"", "Loop", 19, 2, kVariadic, 1, kVariadic, infer_loop, "body"},
      {"", "Loop", 21, 2, kVariadic, 1, kVariadic, infer_loop, "body"},
      {"", "Loop", 23, 2, kVariadic, 1, kVariadic, infer_loop, "body"},
      {"", "Loop", 24, 2, kVariadic, 1, kVariadic, infer_loop, "body"},
      {"", "Loop", 25, 2, kVariadic, 1, kVariadic, infer_loop, "body"},
      {"", "Scan", 8, 2, kVariadic, 1, kVariadic, infer_scan_8, "body,num_scan_inputs"},
      {"", "Scan", 9, 1, kVariadic, 1, kVariadic, infer_scan, "body,num_scan_inputs"},
      {"", "Scan", 11, 1, kVariadic, 1, kVariadic, infer_scan, "body,num_scan_inputs"},
      {"", "Scan", 16, 1, kVariadic, 1, kVariadic, infer_scan, "body,num_scan_inputs"},
      {"", "Scan", 19, 1, kVariadic, 1, kVariadic, infer_scan, "body,num_scan_inputs"},
      {"", "Scan", 21, 1, kVariadic, 1, kVariadic, infer_scan, "body,num_scan_inputs"},
      {"", "Scan", 23, 1, kVariadic, 1, kVariadic, infer_scan, "body,num_scan_inputs"},
      {"", "Scan", 24, 1, kVariadic, 1, kVariadic, infer_scan, "body,num_scan_inputs"},
      {"", "Scan", 25, 1, kVariadic, 1, kVariadic, infer_scan, "body,num_scan_inputs"},
  };
  return kRows;
}

}  // namespace ortc
