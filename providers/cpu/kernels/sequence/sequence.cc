// SPDX-License-Identifier: MIT
// Sequences of tensors. A sequence does not change: what is inserted or erased makes a new one,
// which shares the other elements. Tensors are copied on their way in and out.
#include <algorithm>
#include <optional>

#include "providers/cpu/bind/axis_list.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu {
namespace {

// --- Prepare.

struct SequenceParams {
  uint32_t record_bytes;
  uint32_t dtype;  // SequenceEmpty: an ONNX element type
  uint32_t flags;  // ConcatFromSequence: 1 for a new axis; SplitToSequence: 1 to drop the axis
  uint32_t reserved;
  int64_t axis;
};
static_assert(sizeof(SequenceParams) == 24);

Status prepare_empty(PrepareContext& ctx) {
  const int64_t dtype = ctx.node().int_attribute("dtype", 1);
  if (!dtype_is_valid(dtype)) {
    return invalid_graph("attribute 'dtype' is ", dtype, ", which is not a type");
  }
  ctx.set_params(SequenceParams{sizeof(SequenceParams), static_cast<uint32_t>(dtype), 0, 0, 0});
  return Status::ok();
}

Status prepare_axis(PrepareContext& ctx, std::string_view flag_name, int64_t flag_otherwise,
                    int64_t flag_when) {
  const bool flag = ctx.node().int_attribute(flag_name, flag_otherwise) == flag_when;
  ctx.set_params(SequenceParams{sizeof(SequenceParams), 0, flag ? 1u : 0u, 0,
                                ctx.node().int_attribute("axis", 0)});
  return Status::ok();
}

Status prepare_concat(PrepareContext& ctx) { return prepare_axis(ctx, "new_axis", 0, 1); }
Status prepare_split(PrepareContext& ctx) { return prepare_axis(ctx, "keepdims", 1, 0); }

// --- Bind. Contents and shapes are the run's business.

template <size_t kLow, size_t kHigh>
Status bind_inputs(BindContext& ctx) {
  return check_arity(ctx, kLow, kHigh, 1);
}

template <size_t kLow, size_t kHigh>
Status bind_record(BindContext& ctx) {
  const auto* params = ctx.params<SequenceParams>();
  if (params == nullptr) return ctx.bad_params();
  if (params->dtype != 0 && !dtype_is_valid(params->dtype)) {
    return invalid_graph("its params record names element type ", params->dtype);
  }
  return check_arity(ctx, kLow, kHigh, 1);
}

Status bind_empty(BindContext& ctx) {
  RETURN_IF_ERROR((bind_record<0, 0>(ctx)));
  if (ctx.params<SequenceParams>()->dtype != 0) return Status::ok();
  return invalid_graph("its params record names no element type");
}

Status bind_construct(BindContext& ctx) {
  const size_t count = std::max<size_t>(ctx.input_count(), 1);
  return check_arity(ctx, count, count, 1);
}

// --- Run.

Result<const Sequence*> sequence_input(const RunContext& ctx) {
  const ValueRef& input = ctx.input(0);
  const Sequence* sequence = input.datum != nullptr ? input.datum->sequence() : nullptr;
  if (sequence != nullptr) return sequence;
  return invalid_argument("expected a sequence, found ",
                          input.datum != nullptr ? describe(*input.datum) : "a tensor");
}

// A position; negative ones count from the back, of which `end` is one behind the last.
Result<size_t> position_input(const ValueRef& input, size_t count) {
  ASSIGN_OR_RETURN(const int64_t given, read_int(input, "position"));
  const auto size = static_cast<int64_t>(count);
  const int64_t position = given < 0 ? given + size : given;
  if (position >= 0 && position < size) return static_cast<size_t>(position);
  return invalid_argument("position ", given, " is outside a sequence of ", count);
}

// Elements are tensors: sequences do not nest.
Status check_element(const ValueRef& element, DType expected) {
  if (element.datum == nullptr && element.dtype == expected) return Status::ok();
  const std::string found =
      element.datum != nullptr ? describe(*element.datum) : std::string(dtype_name(element.dtype));
  return invalid_argument("an element is ", found, ", expected a tensor of ", dtype_name(expected));
}

Status run_empty(RunContext& ctx) {
  Sequence sequence;
  sequence.dtype = static_cast<DType>(ctx.params<SequenceParams>().dtype);
  return ctx.give_output(0, Datum::of(std::move(sequence)));
}

Status run_construct(RunContext& ctx) {
  Sequence sequence;
  sequence.dtype = ctx.input(0).dtype;
  for (size_t i = 0; i < ctx.input_count(); ++i) {
    RETURN_IF_ERROR(check_element(ctx.input(i), sequence.dtype));
    ASSIGN_OR_RETURN(Datum item, datum_of(ctx.input(i)));
    sequence.items.push_back(std::move(item));
  }
  return ctx.give_output(0, Datum::of(std::move(sequence)));
}

// The sequence with `item`, if any, in place of `count` elements from a position on; each of the
// others is copied once.
Sequence replaced(const Sequence& from, size_t position, size_t count, std::optional<Datum> item) {
  Sequence sequence{from.dtype, from.map_key, {}};
  auto& items = sequence.items;
  const auto before = from.items.begin() + static_cast<std::ptrdiff_t>(position);
  items.reserve(from.items.size() - count + (item ? 1 : 0));
  items.insert(items.end(), from.items.begin(), before);
  if (item) items.push_back(std::move(*item));
  items.insert(items.end(), before + static_cast<std::ptrdiff_t>(count), from.items.end());
  return sequence;
}

Status run_insert(RunContext& ctx) {
  ASSIGN_OR_RETURN(const Sequence* from, sequence_input(ctx));
  const ValueRef& inserted = ctx.input(1);
  if (from->map_key != DType::kUndefined) {
    return invalid_argument("nothing can be inserted into a ", describe(*ctx.input(0).datum));
  }
  RETURN_IF_ERROR(check_element(inserted, from->dtype));
  size_t position = from->items.size();
  if (ctx.has_input(2)) {
    ASSIGN_OR_RETURN(const int64_t given, read_int(ctx.input(2), "position"));
    const auto size = static_cast<int64_t>(position);
    const int64_t at = given < 0 ? given + size : given;
    if (at < 0 || at > size) {
      return invalid_argument("position ", given, " is outside a sequence of ", size);
    }
    position = static_cast<size_t>(at);
  }
  ASSIGN_OR_RETURN(Datum item, datum_of(inserted));
  return ctx.give_output(0, Datum::of(replaced(*from, position, 0, std::move(item))));
}

Status run_erase(RunContext& ctx) {
  ASSIGN_OR_RETURN(const Sequence* from, sequence_input(ctx));
  if (from->items.empty()) return invalid_argument("there is nothing to erase");
  size_t position = from->items.size() - 1;
  if (ctx.has_input(1)) {
    ASSIGN_OR_RETURN(position, position_input(ctx.input(1), from->items.size()));
  }
  return ctx.give_output(0, Datum::of(replaced(*from, position, 1, std::nullopt)));
}

Status run_at(RunContext& ctx) {
  ASSIGN_OR_RETURN(const Sequence* from, sequence_input(ctx));
  ASSIGN_OR_RETURN(const size_t position, position_input(ctx.input(1), from->items.size()));
  const Datum& item = from->items[position];
  if (!item.is_tensor()) return ctx.give_output(0, item);
  ASSIGN_OR_RETURN(Tensor copy, copy_of(*item.tensor()));
  return ctx.give_output(0, std::move(copy));
}

Status run_length(RunContext& ctx) {
  ASSIGN_OR_RETURN(const Sequence* from, sequence_input(ctx));
  return ctx.give_output(0, Tensor::scalar(static_cast<int64_t>(from->items.size())));
}

// Bytes of an element as the copies below need them: an element of a tensor of strings is an
// object.
size_t stride_of(DType dtype) {
  return dtype == DType::kString ? sizeof(std::string) : element_bytes(dtype);
}

// `row_count` rows of `row_size` elements from one pitch to another, in elements.
void copy_element_rows(DType dtype, const std::byte* from, int64_t from_pitch, std::byte* to,
                       int64_t to_pitch, int64_t row_size, int64_t row_count) {
  const auto stride = static_cast<int64_t>(stride_of(dtype));
  if (row_size == 0) return;  // of which there may be more than anybody counts
  for (int64_t row = 0; row < row_count; ++row) {
    copy_elements(dtype, row_size, from + row * from_pitch * stride, to + row * to_pitch * stride);
  }
}

// The shape of all elements side by side along `axis`. With `is_new` the axis is one of its own.
Result<Dims> joined_dims(const Sequence& from, int64_t given_axis, bool is_new, size_t* axis) {
  const Dims& first = from.items[0].tensor()->dims();
  ASSIGN_OR_RETURN(*axis, checked_axis(given_axis, first.size() + (is_new ? 1 : 0)));
  Dims dims = first;
  if (is_new) {
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(*axis), 0);
  } else {
    dims[*axis] = 0;
  }
  for (size_t i = 0; i < from.items.size(); ++i) {
    const Dims& other = from.items[i].tensor()->dims();
    bool fits = other.size() == first.size();
    for (size_t d = 0; fits && d < other.size(); ++d) {
      fits = other[d] == first[d] || (!is_new && d == *axis);
    }
    const auto sum =
        fits ? checked_add(dims[*axis], is_new ? int64_t{1} : other[*axis]) : std::nullopt;
    if (!sum) {
      return invalid_argument("element ", i, " of shape ", dims_to_string(other),
                              " cannot be joined to ", dims_to_string(first), " along axis ",
                              given_axis);
    }
    dims[*axis] = *sum;
  }
  return dims;
}

Status run_concat(RunContext& ctx) {
  const auto& params = ctx.params<SequenceParams>();
  ASSIGN_OR_RETURN(const Sequence* from, sequence_input(ctx));
  if (from->items.empty() || from->map_key != DType::kUndefined) {
    return invalid_argument("cannot join the elements of a ", describe(*ctx.input(0).datum));
  }
  if (stride_of(from->dtype) == 0) {
    return not_implemented("joining tensors of ", dtype_name(from->dtype));
  }
  const bool is_new = (params.flags & 1) != 0;
  size_t axis = 0;
  ASSIGN_OR_RETURN(const Dims dims, joined_dims(*from, params.axis, is_new, &axis));
  RETURN_IF_ERROR(ctx.allocate_output(0, from->dtype, dims));
  auto* to = ctx.output(0).as_mutable<std::byte>();
  const int64_t row_count = product(dims, 0, axis), pitch = product(dims, axis, dims.size());
  for (const Datum& item : from->items) {
    const Tensor& part = *item.tensor();
    const int64_t row_size = product(part.dims(), axis, part.dims().size());
    copy_element_rows(from->dtype, static_cast<const std::byte*>(part.data()), row_size, to, pitch,
                      row_size, row_count);
    to += static_cast<size_t>(row_size) * stride_of(from->dtype);
  }
  return Status::ok();
}

constexpr int64_t kEmptyPartsMax = int64_t{1} << 16;  // beyond, a file wants memory

// Parts of an axis that have this size, but for the last. They are no more than the elements,
// unless there are none.
Result<std::vector<int64_t>> equal_parts(const ValueRef& x, int64_t size, int64_t part) {
  const int64_t rest = size % part, count = size / part + (rest != 0 ? 1 : 0);
  if (x.element_count() == 0 && count > kEmptyPartsMax) {
    return not_implemented(count, " parts of a tensor without elements");
  }
  std::vector<int64_t> sizes(static_cast<size_t>(count), part);
  if (rest != 0) sizes.back() = rest;
  return sizes;
}

// The sizes of the parts of an axis; without an input parts of one each.
Result<std::vector<int64_t>> part_sizes(const RunContext& ctx, int64_t size) {
  if (!ctx.has_input(1)) return equal_parts(ctx.input(0), size, 1);
  const ValueRef& split = ctx.input(1);
  DimList given;
  if (split.rank > 1) return invalid_argument("'split' has rank ", split.rank);
  if (split.rank == 0) {
    ASSIGN_OR_RETURN(const int64_t part, read_int(split, "split"));
    if (part <= 0) return invalid_argument("'split' is ", part);
    return equal_parts(ctx.input(0), size, part);
  }
  std::vector<int64_t> sizes;
  int64_t left = size;
  for (int64_t i = 0; i < split.dim(0); ++i) {
    if (split.dtype != DType::kInt64 && split.dtype != DType::kInt32) {
      return invalid_argument("'split' has type ", dtype_name(split.dtype));
    }
    sizes.push_back(split.dtype == DType::kInt64 ? split.as<int64_t>()[i] : split.as<int32_t>()[i]);
    if (sizes.back() < 0 || sizes.back() > left) {
      return invalid_argument("the parts do not add up to the ", size, " of the axis");
    }
    left -= sizes.back();
  }
  if (left != 0) return invalid_argument("the parts do not add up to the ", size, " of the axis");
  return sizes;
}

Status run_split(RunContext& ctx) {
  const auto& params = ctx.params<SequenceParams>();
  const ValueRef& x = ctx.input(0);
  const auto stride = static_cast<int64_t>(stride_of(x.dtype));
  if (stride == 0) return not_implemented("splitting a tensor of ", dtype_name(x.dtype));
  ASSIGN_OR_RETURN(const size_t axis, checked_axis(params.axis, x.rank));
  ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, part_sizes(ctx, x.dim(axis)));
  const bool drops_axis = (params.flags & 1) != 0 && !ctx.has_input(1);
  const int64_t row_count = product(x.dims(), 0, axis), pitch = product(x.dims(), axis, x.rank);
  const int64_t inner = product(x.dims(), axis + 1, x.rank);
  const auto* from = x.as<std::byte>();
  Sequence sequence;
  sequence.dtype = x.dtype;
  for (const int64_t size : sizes) {
    Dims dims(x.dims().begin(), x.dims().end());
    dims[axis] = size;
    if (drops_axis) dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
    ASSIGN_OR_RETURN(Tensor part, Tensor::create(x.dtype, std::move(dims)));
    copy_element_rows(x.dtype, from, pitch, static_cast<std::byte*>(part.mutable_data()),
                      size * inner, size * inner, row_count);
    from += size * inner * stride;
    sequence.items.emplace_back(std::move(part));
  }
  return ctx.give_output(0, Datum::of(std::move(sequence)));
}

}  // namespace

KernelTable sequence_kernels() {
  constexpr int kEnd = kLatestOpset;
  constexpr uint32_t kFlags = kDataDependent;
  constexpr TypeMask kMovable = kByteTypes | mask_of(DType::kString);
  static constexpr KernelRow rows[] = {
      {"SequenceEmpty", "", 11, kEnd, kAnyType, "sequence_empty", 1, kFlags, 0, prepare_empty,
       bind_empty, run_empty},
      {"SequenceConstruct", "", 11, kEnd, kAnyType, "sequence_construct", 1, kFlags, 0,
       prepare_nothing, bind_construct, run_construct},
      {"SequenceInsert", "", 11, kEnd, kNotTensor, "sequence_insert", 1, kFlags, 0, prepare_nothing,
       bind_inputs<2, 3>, run_insert},
      {"SequenceErase", "", 11, kEnd, kNotTensor, "sequence_erase", 1, kFlags, 0, prepare_nothing,
       bind_inputs<1, 2>, run_erase},
      {"SequenceAt", "", 11, kEnd, kNotTensor, "sequence_at", 1, kFlags, 0, prepare_nothing,
       bind_inputs<2, 2>, run_at},
      {"SequenceLength", "", 11, kEnd, kNotTensor, "sequence_length", 1, kFlags, 0, prepare_nothing,
       bind_inputs<1, 1>, run_length},
      {"ConcatFromSequence", "", 11, kEnd, kNotTensor, "concat_from_sequence", 1, kFlags, 0,
       prepare_concat, bind_record<1, 1>, run_concat},
      {"SplitToSequence", "", 11, kEnd, kMovable, "split_to_sequence", 1, kFlags, 0, prepare_split,
       bind_record<1, 2>, run_split},
  };
  return rows;
}

}  // namespace ortc::cpu
