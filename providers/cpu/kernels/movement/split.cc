// SPDX-License-Identifier: MIT
// Split along one axis, by element size: Concat backwards.
//
// The sizes come from an input (opset 13), from an attribute (before), or are equal; with
// num_outputs (opset 18) the last part may be smaller.
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/packed_moves.h"
#include "providers/cpu/bind/rows/short_rows.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/convert.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/text/string_moves.h"

namespace ortc::cpu {
namespace {

constexpr uint32_t kSizesMax = 256;

struct SplitParams {
  uint32_t record_bytes;
  uint32_t size_count;   // of `sizes`; 0: from the input, or equal parts
  uint32_t num_outputs;  // 0: not given
  uint32_t reserved;
  int64_t axis;
  int64_t sizes[kSizesMax];
};
static_assert(sizeof(SplitParams) == 24 + 8 * kSizesMax);

// What every opset but the oldest needs.
struct SplitAxisParams {
  uint32_t record_bytes;
  uint32_t size_count;
  uint32_t num_outputs;
  uint32_t reserved;
  int64_t axis;
};
static_assert(sizeof(SplitAxisParams) == 24);

// --- Prepare.

Status prepare_split(PrepareContext& ctx) {
  const int64_t num_outputs = ctx.node().int_attribute("num_outputs", 0);
  if (num_outputs < 0 || num_outputs > UINT32_MAX) {
    return invalid_graph("num_outputs is ", num_outputs);
  }
  ctx.set_params(SplitAxisParams{sizeof(SplitAxisParams), 0, static_cast<uint32_t>(num_outputs), 0,
                                 ctx.node().int_attribute("axis", 0)});
  return Status::ok();
}

Status prepare_split_attribute(PrepareContext& ctx) {
  const auto sizes = ctx.node().ints_attribute("split");
  if (sizes.empty()) return prepare_split(ctx);
  if (sizes.size() > kSizesMax) {
    return not_implemented("attribute 'split' with ", sizes.size(), " parts, at most ", kSizesMax,
                           " can be handled");
  }
  SplitParams params{};
  params.record_bytes = sizeof params;
  params.axis = ctx.node().int_attribute("axis", 0);
  for (const int64_t size : sizes) params.sizes[params.size_count++] = size;
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

Status check_split(const BindContext& ctx, size_t inputs) {
  RETURN_IF_ERROR(check_arity(ctx, 1, inputs, 0));
  if (ctx.output_count() == 0) return invalid_graph("has no outputs");
  return check_type(ctx, 0, kByteTypes);
}

// One part per output; `size_of(i)` says how much of the axis part i takes.
template <typename F>
Status set_parts(BindContext& ctx, size_t axis, F&& size_of) {
  DimList dims(ctx.input(0).dims());
  int64_t left = dims[axis];
  for (size_t i = 0; i < ctx.output_count(); ++i) {
    const int64_t size = size_of(i);
    if (size < 0 || size > left) break;
    left -= size;
    if (i + 1 == ctx.output_count() && left != 0) break;
    dims[axis] = size;
    if (ctx.has_output(i)) RETURN_IF_ERROR(ctx.set_output(i, ctx.input(0).dtype, dims));
    if (i + 1 == ctx.output_count()) return Status::ok();
  }
  return invalid_argument("the ", ctx.output_count(), " parts do not add up to the ",
                          ctx.input(0).dim(axis), " of axis ", axis);
}

Status set_equal_parts(BindContext& ctx, size_t axis, uint32_t num_outputs) {
  const auto count = static_cast<int64_t>(ctx.output_count());
  const int64_t size = ctx.input(0).dim(axis);
  if (num_outputs != 0 && count != static_cast<int64_t>(num_outputs)) {
    return invalid_graph("num_outputs is ", num_outputs, ", but there are ", count, " outputs");
  }
  if (num_outputs == 0 && size % count != 0) {
    return invalid_argument("axis ", axis, " of size ", size, " has no ", count, " equal parts");
  }
  const int64_t part = size / count + (size % count != 0 ? 1 : 0);
  return set_parts(ctx, axis, [&](size_t i) {
    const auto before = checked_mul<int64_t>(part, static_cast<int64_t>(i));
    return before ? std::clamp<int64_t>(size - *before, 0, part) : int64_t{0};
  });
}

Status bind_split(BindContext& ctx) {
  const auto* params = ctx.params<SplitAxisParams>();
  if (params == nullptr) return ctx.bad_params();
  if (params->size_count != 0) {
    return invalid_graph("its params record lists ", params->size_count,
                         " parts, expected none: they come from an input");
  }
  RETURN_IF_ERROR(check_split(ctx, 2));
  ASSIGN_OR_RETURN(const size_t axis, checked_axis(params->axis, ctx.input(0).rank));
  if (!ctx.has_input(1)) return set_equal_parts(ctx, axis, params->num_outputs);
  const ValueRef& sizes = ctx.input(1);
  const bool fits = sizes.dtype == DType::kInt64 && sizes.rank == 1 &&
                    sizes.dim(0) == static_cast<int64_t>(ctx.output_count());
  if (!fits || sizes.data == nullptr) {
    return invalid_argument("the sizes are not ", ctx.output_count(), " known int64 numbers");
  }
  return set_parts(ctx, axis, [&](size_t i) { return sizes.as<int64_t>()[i]; });
}

Status bind_split_attribute(BindContext& ctx) {
  const auto* head = ctx.params<SplitAxisParams>();
  if (head == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_split(ctx, 1));
  ASSIGN_OR_RETURN(const size_t axis, checked_axis(head->axis, ctx.input(0).rank));
  if (head->size_count == 0) return set_equal_parts(ctx, axis, 0);
  const auto* params = ctx.params<SplitParams>();
  if (params == nullptr) return ctx.bad_params();
  if (params->size_count != ctx.output_count() || params->size_count > kSizesMax) {
    return invalid_graph("attribute 'split' has ", params->size_count, " parts for ",
                         ctx.output_count(), " outputs");
  }
  return set_parts(ctx, axis, [&](size_t i) { return params->sizes[i]; });
}

// The first version may have the sizes in an input of the data's type.
Status bind_first_split(BindContext& ctx) {
  if (!ctx.has_input(1)) return bind_split_attribute(ctx);
  const auto* params = ctx.params<SplitAxisParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_split(ctx, 2));
  const ValueRef& sizes = ctx.input(1);
  RETURN_IF_ERROR(check_type(ctx, 1, FloatTypes::kMask | mask_of(DType::kInt64)));
  ASSIGN_OR_RETURN(const size_t axis, checked_axis(params->axis, ctx.input(0).rank));
  for (size_t i = 0; i < ctx.output_count(); ++i) {
    if (!ctx.has_output(i)) return not_implemented("parts of computed size that are not outputs");
  }
  if (sizes.rank != 1 || sizes.dim(0) != static_cast<int64_t>(ctx.output_count()) ||
      sizes.data == nullptr) {
    return invalid_argument("the sizes are not ", ctx.output_count(), " known numbers");
  }
  std::vector<int64_t> numbers(ctx.output_count());
  convert_row(sizes.dtype, DType::kInt64)(sizes.data, numbers.data(), sizes.dim(0));
  return set_parts(ctx, axis, [&](size_t i) { return numbers[i]; });
}

// --- Run.

// The size of part i: of its output, or for an omitted output what the sizes say.
int64_t part_size(const RunContext& ctx, size_t i, size_t axis) {
  if (ctx.has_output(i)) return ctx.output(i).dim(axis);
  const auto& head = ctx.params<SplitAxisParams>();
  if (ctx.has_input(1)) return ctx.input(1).as<int64_t>()[i];
  if (head.size_count != 0) return ctx.params<SplitParams>().sizes[i];
  const auto count = static_cast<int64_t>(ctx.output_count());
  const int64_t size = ctx.input(0).dim(axis);
  const int64_t part = size / count + (size % count != 0 ? 1 : 0);
  return std::clamp<int64_t>(size - part * static_cast<int64_t>(i), 0, part);
}

constexpr int64_t kShortRow = 16384;  // bytes of the input
constexpr int64_t kBlock = 65536;     // bytes that one thread reads at a time

void part_rows(const RowCopy& copy) {
  if (is_short_row(copy.row_bytes)) return copy_short_rows(copy);
  const std::byte* from = copy.from;
  std::byte* to = copy.to;
  for (int64_t k = 0; k < copy.row_count; ++k, from += copy.from_pitch, to += copy.to_pitch) {
    std::memcpy(to, from, static_cast<size_t>(copy.row_bytes));
  }
}

// Blocks of rows, each to all outputs in turn: `below` bytes to an element of the axis.
void part_short_rows(const RunContext& ctx, size_t axis, int64_t below, int64_t row_count) {
  const ValueRef& x = ctx.input(0);
  const int64_t from_pitch = x.dim(axis) * below;
  const int64_t block = std::max<int64_t>(1, kBlock / std::max<int64_t>(1, from_pitch));
  ctx.parallel_for((row_count + block - 1) / block, 1, [&](int64_t first, int64_t last) {
    const int64_t begin = first * block, end = std::min(row_count, last * block);
    const std::byte* from = x.as<std::byte>() + begin * from_pitch;
    for (size_t i = 0; i < ctx.output_count(); ++i) {
      const int64_t row_bytes = part_size(ctx, i, axis) * below;
      if (ctx.has_output(i) && row_bytes > 0) {
        std::byte* to = ctx.output(i).as_mutable<std::byte>() + begin * row_bytes;
        part_rows({from, from_pitch, to, row_bytes, row_bytes, end - begin});
      }
      from += row_bytes;
    }
  });
}

Status run_split(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const auto rank = static_cast<int64_t>(x.rank);
  const int64_t given = ctx.params<SplitAxisParams>().axis;
  const auto axis = static_cast<size_t>(given < 0 ? given + rank : given);
  const auto bytes = static_cast<int64_t>(element_bytes(x.dtype));
  const int64_t row_count = product(x.dims(), 0, axis);
  const int64_t below = product(x.dims(), axis + 1, x.rank) * bytes;
  const int64_t from_pitch = x.dim(axis) * below;
  int64_t start = 0;
  bool has_all = false;  // one part, the others are empty
  for (size_t i = 0; i < ctx.output_count(); ++i) {
    const int64_t size = part_size(ctx, i, axis);
    has_all |= size == x.dim(axis);
    if (size < 0 || size > x.dim(axis) - start) {
      return invalid_argument("the sizes changed between binding and run");
    }
    start += size;
  }
  if (from_pitch == 0) return Status::ok();  // of rows without bytes there may be any number
  if (from_pitch <= kShortRow && !has_all) {
    part_short_rows(ctx, axis, below, row_count);
    return Status::ok();
  }
  start = 0;
  for (size_t i = 0; i < ctx.output_count(); ++i) {
    const int64_t size = part_size(ctx, i, axis);
    if (ctx.has_output(i)) {
      const int64_t row_bytes = size * below;
      copy_rows(ctx, {x.as<std::byte>() + start * below, from_pitch,
                      ctx.output(i).as_mutable<std::byte>(), row_bytes, row_bytes, row_count});
    }
    start += size;
  }
  return Status::ok();
}

}  // namespace

KernelTable split_kernels() {
  static constexpr KernelRow rows[] = {
      {"Split", "", 13, kLatestOpset, kByteTypes, "split", 1, kShapeArithmetic, 2, prepare_split,
       bind_split, run_split},
      {"Split", "", 2, 12, kByteTypes, "split.attribute", 1, kShapeArithmetic, 0,
       prepare_split_attribute, bind_split_attribute, run_split},
      {"Split", "", 1, 1, FloatTypes::kMask, "split.first", 1, kNoFlags, 2, prepare_split_attribute,
       bind_first_split, run_split},
      {"Split", "", 13, kLatestOpset, kStrings, "split.string", 1, kNoFlags, 2, prepare_split,
       bind_strings<bind_split, 1>, run_strings<run_split>},
      {"Split", "", 2, 12, kStrings, "split.attribute.string", 1, kNoFlags, 0,
       prepare_split_attribute, bind_strings<bind_split_attribute, 1>, run_strings<run_split>},
      {"Split", "", 13, kLatestOpset, kPackedTypes, "split.packed", 1, kNoFlags, 2, prepare_split,
       bind_packed<bind_split>, run_packed<run_split>},
  };
  return rows;
}

}  // namespace ortc::cpu
