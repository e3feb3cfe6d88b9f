// SPDX-License-Identifier: MIT
// Concat along one axis, by element size. Seen from outside the axis each input is rows of bytes
// that go side by side into the rows of the output.
#include <array>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/packed_moves.h"
#include "providers/cpu/bind/rows/short_rows.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/text/string_moves.h"

namespace ortc::cpu {
namespace {

struct ConcatParams {
  uint32_t record_bytes;
  uint32_t reserved;
  int64_t axis;
};
static_assert(sizeof(ConcatParams) == 16);

Status prepare_concat(PrepareContext& ctx) {
  const bool required = ctx.opset() >= 4;
  if (required && ctx.node().attribute("axis") == nullptr) {
    return invalid_graph("attribute 'axis' is missing");
  }
  ctx.set_params(ConcatParams{sizeof(ConcatParams), 0, ctx.node().int_attribute("axis", 1)});
  return Status::ok();
}

Status bind_concat(BindContext& ctx) {
  const auto* params = ctx.params<ConcatParams>();
  if (params == nullptr) return ctx.bad_params();
  const size_t count = std::max<size_t>(ctx.input_count(), 1);
  RETURN_IF_ERROR(check_arity(ctx, count, count));
  RETURN_IF_ERROR(check_type(ctx, 0, kByteTypes));
  DimList dims(ctx.input(0).dims());
  ASSIGN_OR_RETURN(const size_t axis, checked_axis(params->axis, dims.size()));
  for (size_t i = 1; i < count; ++i) {
    RETURN_IF_ERROR(check_same_type(ctx, i, 0));
    const auto other = ctx.input(i).dims();
    bool fits = other.size() == dims.size();
    for (size_t d = 0; fits && d < dims.size(); ++d) fits = d == axis || other[d] == dims[d];
    const auto sum = fits ? checked_add(dims[axis], other[axis]) : std::nullopt;
    if (!sum) {
      return invalid_argument("input ", i, " of shape ", dims_to_string(other),
                              " cannot be joined to ", dims_to_string(dims), " along axis ", axis);
    }
    dims[axis] = *sum;
  }
  return ctx.set_output(0, ctx.input(0).dtype, dims);
}

constexpr int64_t kShortRow = 16384;  // bytes of the result
constexpr int64_t kBlock = 65536;     // bytes that one thread writes at a time
constexpr size_t kTogether = 8;       // inputs

// The next row of an input.
struct Source {
  const std::byte* row;
  size_t bytes;
  size_t at;  // in a row of the output
};

// Two to four columns of 32 bits that are all there is of the output.
bool weave(std::span<const Source> sources, int64_t row_count, std::byte* to, int64_t to_pitch) {
  const size_t count = sources.size();
  if (count < 2 || count > 4 || to_pitch != static_cast<int64_t>(4 * count)) return false;
  std::array<const std::byte*, 4> columns;
  for (size_t i = 0; i < count; ++i) {
    if (sources[i].bytes != 4) return false;
    columns[i] = sources[i].row;
  }
  switch (count) {
    case 2:
      return weave_columns<2>(columns.data(), row_count, to), true;
    case 3:
      return weave_columns<3>(columns.data(), row_count, to), true;
    default:
      return weave_columns<4>(columns.data(), row_count, to), true;
  }
}

// Rows out of the inputs [first, last): short ones an input at a time; of longer ones what lies
// side by side is written at once.
void join_rows(const RunContext& ctx, size_t first, size_t last, size_t axis, int64_t begin,
               int64_t end, std::byte* to, int64_t to_pitch) {
  std::array<Source, kTogether> sources;
  size_t count = 0, at = 0;
  for (size_t i = first; i < last; ++i) {
    const ValueRef& x = ctx.input(i);
    const size_t bytes =
        static_cast<size_t>(product(x.dims(), axis, x.rank)) * element_bytes(x.dtype);
    if (bytes == 0) continue;
    sources[count++] = {x.as<std::byte>() + static_cast<size_t>(begin) * bytes, bytes, at};
    at += bytes;
  }
  if (weave({sources.data(), count}, end - begin, to, to_pitch)) return;
  size_t long_count = 0;
  for (size_t i = 0; i < count; ++i) {
    const auto row_bytes = static_cast<int64_t>(sources[i].bytes);
    if (is_short_row(row_bytes)) {
      copy_short_rows(
          {sources[i].row, row_bytes, to + sources[i].at, to_pitch, row_bytes, end - begin});
    } else {
      sources[long_count++] = sources[i];
    }
  }
  if (long_count == 0) return;
  for (int64_t k = begin; k < end; ++k, to += to_pitch) {
    for (size_t i = 0; i < long_count; ++i) {
      Source& source = sources[i];
      std::memcpy(to + source.at, source.row, source.bytes);
      source.row += source.bytes;
    }
  }
}

// Blocks of rows, so that what is near is written once.
void join_short_rows(const RunContext& ctx, size_t axis, int64_t bytes, int64_t row_count,
                     int64_t to_pitch) {
  const int64_t block = std::max<int64_t>(1, kBlock / to_pitch);
  ctx.parallel_for((row_count + block - 1) / block, 1, [&](int64_t first, int64_t last) {
    const int64_t begin = first * block, end = std::min(row_count, last * block);
    std::byte* to = ctx.output(0).as_mutable<std::byte>() + begin * to_pitch;
    for (size_t i = 0; i < ctx.input_count(); i += kTogether) {
      const size_t next = std::min(ctx.input_count(), i + kTogether);
      join_rows(ctx, i, next, axis, begin, end, to, to_pitch);
      for (size_t k = i; k < next; ++k) {
        const ValueRef& x = ctx.input(k);
        to += product(x.dims(), axis, x.rank) * bytes;
      }
    }
  });
}

Status run_concat(RunContext& ctx) {
  const ValueRef& y = ctx.output(0);
  const auto rank = static_cast<int64_t>(y.rank);
  const int64_t given = ctx.params<ConcatParams>().axis;
  const auto axis = static_cast<size_t>(given < 0 ? given + rank : given);
  const auto bytes = static_cast<int64_t>(element_bytes(y.dtype));
  const int64_t row_count = product(y.dims(), 0, axis);
  const int64_t to_pitch = product(y.dims(), axis, y.rank) * bytes;
  if (y.element_count() == 0) return Status::ok();
  if (to_pitch <= kShortRow) {
    join_short_rows(ctx, axis, bytes, row_count, to_pitch);
    return Status::ok();
  }
  std::byte* to = y.as_mutable<std::byte>();
  for (size_t i = 0; i < ctx.input_count(); ++i) {
    const ValueRef& x = ctx.input(i);
    const int64_t row_bytes = product(x.dims(), axis, x.rank) * bytes;
    copy_rows(ctx, {x.as<std::byte>(), row_bytes, to, to_pitch, row_bytes, row_count});
    to += row_bytes;
  }
  return Status::ok();
}

}  // namespace

KernelTable concat_kernels() {
  static constexpr KernelRow rows[] = {
      {"Concat", "", 1, kLatestOpset, kByteTypes, "concat", 1, kShapeArithmetic, 0, prepare_concat,
       bind_concat, run_concat},
      {"Concat", "", 1, kLatestOpset, kStrings, "concat.string", 1, kNoFlags, 0, prepare_concat,
       bind_strings<bind_concat, UINT32_MAX>, run_strings<run_concat>},
      {"Concat", "", 1, kLatestOpset, kPackedTypes, "concat.packed", 1, kNoFlags, 0, prepare_concat,
       bind_packed<bind_concat>, run_packed<run_concat>},
  };
  return rows;
}

}  // namespace ortc::cpu
