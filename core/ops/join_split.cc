// SPDX-License-Identifier: MIT
// Concat and Split.
#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

void concat_contents(InferContext& ctx) {
  Integers joined;
  for (size_t i = 0; i < ctx.input_count(); ++i) {
    const Shape* shape = input_shape(ctx, i);
    auto values = integers(ctx, i);
    if (shape == nullptr || shape->size() != 1) return;
    if (!values) {
      // Unknown numbers of known count keep their places.
      const int64_t count = vector_size(ctx, i);
      if (count < 0 || count > static_cast<int64_t>(kContentsMax)) return;
      constexpr TypeMask kTypes = mask_of(DType::kInt32, DType::kInt64);
      if ((mask_of(input_dtype(ctx, i)) & kTypes) == 0) return;
      values = Integers(static_cast<size_t>(count));
    }
    joined.insert(joined.end(), values->begin(), values->end());
    if (joined.size() > kContentsMax) return;
  }
  set_integers(ctx, 0, joined);
}

Status infer_concat(InferContext& ctx) {
  for (size_t i = 1; i < ctx.input_count(); ++i) RETURN_IF_ERROR(same_dtype(ctx, 0, i));
  std::optional<Shape> result;
  size_t axis = 0;
  for (size_t i = 0; i < ctx.input_count(); ++i) {
    const Shape* shape = input_shape(ctx, i);
    if (shape == nullptr) {
      result.reset();
      break;
    }
    if (i == 0) {
      ASSIGN_OR_RETURN(axis, checked_axis(ctx.node().int_attribute("axis", 1), shape->size()));
      result = *shape;
      continue;
    }
    if (shape->size() != result->size()) {
      return invalid_graph("input ", i, " has rank ", shape->size(), ", input 0 has ",
                           result->size());
    }
    for (size_t k = 0; k < shape->size(); ++k) {
      if (k == axis) {
        (*result)[k] = add_dims((*result)[k], (*shape)[k]);
        continue;
      }
      auto dim = equal_dims((*result)[k], (*shape)[k]);
      if (!dim.is_ok())
        return std::move(std::move(dim).status().note(str_cat("input ", i, ", axis ", k)));
      (*result)[k] = *dim;
    }
  }
  if (ctx.node().int_attribute("axis", 1) == 0) concat_contents(ctx);
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(result));
  return Status::ok();
}

// The parts' sizes along the axis; unknown ones where they cannot be told.
Result<std::vector<Dim>> split_sizes(const InferContext& ctx, const Dim& size) {
  const size_t count = ctx.output_count();
  std::vector<Dim> parts(count);
  std::optional<std::vector<int64_t>> given;
  if (const Attribute* attribute = ctx.node().attribute("split")) given = attribute->ints;
  if (ctx.has_input(1)) {
    given = known_integers(ctx, 1);
    if (!given) return parts;
  }
  if (given) {
    if (given->size() != count) {
      return invalid_graph("splits into ", given->size(), " parts, has ", count, " outputs");
    }
    int64_t total = 0;
    for (size_t i = 0; i < count; ++i) {
      auto sum = checked_add(total, (*given)[i]);
      if ((*given)[i] < 0 || !sum) return invalid_graph("a part would have ", (*given)[i]);
      total = *sum;
      parts[i] = Dim::known((*given)[i]);
    }
    if (size.is_known() && total != size.value) {
      return invalid_graph("the parts add up to ", total, ", the axis has ", size.value);
    }
    return parts;
  }
  const int64_t wanted = ctx.node().int_attribute("num_outputs", static_cast<int64_t>(count));
  if (wanted != static_cast<int64_t>(count)) {
    return invalid_graph("attribute 'num_outputs' is ", wanted, ", has ", count, " outputs");
  }
  if (!size.is_known() || count == 0) return count == 1 ? std::vector<Dim>{plain_dim(size)} : parts;
  const int64_t chunk = size.value / wanted + (size.value % wanted != 0 ? 1 : 0);
  if (ctx.opset() < 18 && size.value % wanted != 0) {
    return invalid_graph("an axis of ", size.value, " does not split into ", wanted,
                         " equal parts");
  }
  // Only the last part may be smaller.
  if (chunk * (wanted - 1) > size.value) return parts;
  for (Dim& part : parts) part = Dim::known(chunk);
  parts.back() = Dim::known(size.value - chunk * (wanted - 1));
  return parts;
}

Status infer_split(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  const DType dtype = input_dtype(ctx, 0);
  if (x == nullptr) {
    for (size_t i = 0; i < ctx.output_count(); ++i) set_tensor(ctx, i, dtype, std::nullopt);
    return Status::ok();
  }
  ASSIGN_OR_RETURN(size_t axis, checked_axis(ctx.node().int_attribute("axis", 0), x->size()));
  ASSIGN_OR_RETURN(auto parts, split_sizes(ctx, (*x)[axis]));
  auto values = integers(ctx, 0);
  size_t begin = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    Shape shape = *x;
    shape[axis] = parts[i];
    set_tensor(ctx, i, dtype, std::move(shape));
    if (!values || !parts[i].is_known()) {
      values.reset();
      continue;
    }
    const auto count = static_cast<size_t>(parts[i].value);
    if (count > values->size() - begin) {
      values.reset();
      continue;
    }
    set_integers(ctx, i,
                 Integers(values->begin() + static_cast<std::ptrdiff_t>(begin),
                          values->begin() + static_cast<std::ptrdiff_t>(begin + count)));
    begin += count;
  }
  return Status::ok();
}

}  // namespace

std::span<const OpRow> join_split_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"", "Concat", 1, 1, kVariadic, 1, 1, infer_concat},
      {"", "Concat", 4, 1, kVariadic, 1, 1, infer_concat, "axis"},
      {"", "Concat", 11, 1, kVariadic, 1, 1, infer_concat, "axis"},
      {"", "Concat", 13, 1, kVariadic, 1, 1, infer_concat, "axis"},
      {"", "Split", 1, 1, 2, 1, kVariadic, infer_split},
      {"", "Split", 2, 1, 1, 1, kVariadic, infer_split},
      {"", "Split", 11, 1, 1, 1, kVariadic, infer_split},
      {"", "Split", 13, 1, 2, 1, kVariadic, infer_split},
      {"", "Split", 18, 1, 2, 1, kVariadic, infer_split},
  };
  return kRows;
}

}  // namespace ortc
