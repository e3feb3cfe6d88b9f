// SPDX-License-Identifier: MIT
// Slice: starts, ends (and axes, steps) as attributes before opset 10, then as inputs.
#include <algorithm>

#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

struct SliceSpec {
  bool is_known = false;  // not when axes or steps come at run time
  Integers starts, ends;
  std::vector<int64_t> axes, steps;
};

Integers numbers(const std::vector<int64_t>& values) {
  Integers result;
  for (int64_t value : values) result.push_back(Integer::number(value));
  return result;
}

// Starts and ends may be partly known.
Result<SliceSpec> read_spec(const InferContext& ctx) {
  SliceSpec spec;
  std::optional<std::vector<int64_t>> axes, steps;
  if (ctx.opset() < 10) {
    spec.starts = numbers(ctx.node().ints_attribute("starts"));
    spec.ends = numbers(ctx.node().ints_attribute("ends"));
    if (ctx.node().attribute("axes") != nullptr) axes = ctx.node().ints_attribute("axes");
  } else {
    if (ctx.has_input(3)) axes = known_integers(ctx, 3);
    if (ctx.has_input(4)) steps = known_integers(ctx, 4);
    if ((ctx.has_input(3) && !axes) || (ctx.has_input(4) && !steps)) return spec;
    auto starts = integers(ctx, 1), ends = integers(ctx, 2);
    int64_t count = std::max(vector_size(ctx, 1), vector_size(ctx, 2));
    if (starts) count = static_cast<int64_t>(starts->size());
    if (axes) count = static_cast<int64_t>(axes->size());
    if (count < 0 || count > 64) return spec;
    spec.starts = starts ? *starts : Integers(static_cast<size_t>(count));
    spec.ends = ends ? *ends : Integers(static_cast<size_t>(count));
  }
  const size_t count = spec.starts.size();
  if (!axes) {
    axes.emplace();
    for (size_t i = 0; i < count; ++i) axes->push_back(static_cast<int64_t>(i));
  }
  if (!steps) steps = std::vector<int64_t>(count, 1);
  if (spec.ends.size() != count || axes->size() != count || steps->size() != count) {
    return invalid_graph("starts, ends, axes and steps have ", count, ", ", spec.ends.size(), ", ",
                         axes->size(), " and ", steps->size(), " numbers");
  }
  for (int64_t step : *steps) {
    if (step == 0) return invalid_graph("a step is 0");
  }
  spec.axes = *axes;
  spec.steps = *steps;
  spec.is_known = true;
  return spec;
}

struct Range {
  int64_t first, count;
};

Range clamped_range(int64_t size, int64_t start, int64_t end, int64_t step) {
  const auto from_front = [size](int64_t index) { return index < 0 ? index + size : index; };
  if (step > 0) {
    start = std::clamp<int64_t>(from_front(start), 0, size);
    end = std::clamp<int64_t>(from_front(end), 0, size);
    const int64_t span = end - start;
    return {start, span <= 0 ? 0 : (span - 1) / step + 1};
  }
  if (size == 0) return {0, 0};
  start = std::clamp<int64_t>(from_front(start), 0, size - 1);
  end = std::clamp<int64_t>(from_front(end), -1, size - 1);
  const int64_t span = start - end;
  // -(step + 1) + 1 instead of -step: step may be the smallest number.
  return {start, span <= 0 ? 0 : (span - 1) / (step == INT64_MIN ? INT64_MAX : -step) + 1};
}

Dim sliced_dim(const Dim& dim, const Integer& start, const Integer& end, int64_t step) {
  if (dim.is_known() && start.is_known && end.is_known) {
    return Dim::known(clamped_range(dim.value, start.value, end.value, step).count);
  }
  const bool to_the_end =
      (end.is_known && end.value >= INT32_MAX) || (!end.symbol.empty() && end.symbol == dim.symbol);
  if (start.is(0) && to_the_end && step == 1) return plain_dim(dim);
  if (dim.is_known() && dim.value == 0) return Dim::known(0);
  return Dim::unknown();
}

Status infer_slice(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  const DType dtype = input_dtype(ctx, 0);
  if (x != nullptr && vector_size(ctx, 3) > static_cast<int64_t>(x->size())) {
    return invalid_graph("has ", vector_size(ctx, 3), " axes, its input rank ", x->size());
  }
  ASSIGN_OR_RETURN(const SliceSpec spec, read_spec(ctx));
  if (x == nullptr || !spec.is_known) {
    set_tensor(ctx, 0, dtype,
               x != nullptr ? std::optional<Shape>(unknown_shape(x->size())) : std::nullopt);
    return Status::ok();
  }
  ASSIGN_OR_RETURN(auto axes, checked_axes(spec.axes, x->size()));
  Shape shape = *x;
  for (size_t i = 0; i < axes.size(); ++i) {
    shape[axes[i]] = sliced_dim((*x)[axes[i]], spec.starts[i], spec.ends[i], spec.steps[i]);
  }
  set_tensor(ctx, 0, dtype, std::move(shape));

  auto values = integers(ctx, 0);
  if (!values || x->size() != 1) return Status::ok();
  if (axes.empty()) {
    set_integers(ctx, 0, *values);
    return Status::ok();
  }
  if (!spec.starts[0].is_known || !spec.ends[0].is_known) return Status::ok();
  const Range range = clamped_range(static_cast<int64_t>(values->size()), spec.starts[0].value,
                                    spec.ends[0].value, spec.steps[0]);
  Integers picked;
  for (int64_t i = 0; i < range.count; ++i) {
    picked.push_back((*values)[static_cast<size_t>(range.first + i * spec.steps[0])]);
  }
  set_integers(ctx, 0, picked);
  return Status::ok();
}

}  // namespace

std::span<const OpRow> slice_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"", "Slice", 1, 1, 1, 1, 1, infer_slice, "ends,starts"},
      {"", "Slice", 10, 3, 5, 1, 1, infer_slice},
      {"", "Slice", 11, 3, 5, 1, 1, infer_slice},
      {"", "Slice", 13, 3, 5, 1, 1, infer_slice},
  };
  return kRows;
}

}  // namespace ortc
