// SPDX-License-Identifier: MIT
// Pad by a constant, by reflection, by the edge or around the other side, by element size. Pads
// come from an input (opset 11), for some axes only (opset 18), or from an attribute (before);
// negative pads crop.
//
// Each dimension maps an output index to an input index, or to none; a row of the output is what
// stands before the input's row, a stretch of it, and what stands after. Axes at the end without
// pads are not told apart.
#include "providers/cpu/kernels/movement/pad.h"

#include <algorithm>

#include "core/graph/one_of.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/packed_moves.h"
#include "providers/cpu/bind/rows/short_rows.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/kernels/movement/pad_places.h"
#include "providers/cpu/text/string_moves.h"

namespace ortc::cpu {
namespace {

using Mode = PadMode;

// --- Arithmetic.

// Once for all that fill a row.
template <typename T>
[[gnu::noinline]] void fill(T* to, const T& value, int64_t n) {
  fill_row(to, value, n);
}

// Elements [begin, end) of an output row, all of them in front of the input's row or all behind.
template <typename T>
void pad_stretch(Mode mode, const T* from, int64_t size, int64_t before, const T& constant, T* to,
                 int64_t begin, int64_t end) {
  if (mode == Mode::kConstant) return fill(to + begin, constant, end - begin);
  if (mode == Mode::kEdge) {
    return fill(to + begin, from[begin < before ? 0 : size - 1], end - begin);
  }
  // Turned around once: most reflections go no farther.
  const int64_t turn = begin < before ? before : before + 2 * (size - 1);
  if (mode == Mode::kReflect && turn - end >= -1 && turn - begin < size) {
    for (int64_t i = begin; i < end; ++i) to[i] = from[turn - i];
    return;
  }
  for (int64_t i = begin; i < end; ++i) to[i] = from[source_index(mode, i - before, size)];
}

// Rows along the last axis that is padded; each of their elements is a block of what stands below
// that axis.
struct RowShape {
  Mode mode;
  int64_t size, before, n;  // of the input, the first pad, of the output
  int64_t block;
};

// Blocks [begin, end) of an output row, all of them in front of the input's row or all behind.
template <typename T>
void pad_blocks(const RowShape& shape, const T* from, const T& constant, T* to, int64_t begin,
                int64_t end) {
  const int64_t block = shape.block;
  if (shape.mode == Mode::kConstant) {
    return fill(to + begin * block, constant, (end - begin) * block);
  }
  if (shape.mode == Mode::kWrap) {
    int64_t index = source_index(Mode::kWrap, begin - shape.before, shape.size);
    for (int64_t n = 0; begin < end; begin += n, index = 0) {
      n = std::min(end - begin, shape.size - index);
      std::memcpy(to + begin * block, from + index * block,
                  static_cast<size_t>(n * block) * sizeof(T));
    }
    return;
  }
  if (block == 1) {
    return pad_stretch(shape.mode, from, shape.size, shape.before, constant, to, begin, end);
  }
  for (int64_t i = begin; i < end; ++i) {
    const int64_t index = source_index(shape.mode, i - shape.before, shape.size);
    std::copy_n(from + index * block, block, to + i * block);
  }
}

// Blocks [begin, end) of one output row. A null `from` is a row of constants.
template <typename T>
void pad_row(const RowShape& shape, const T* from, const T& constant, T* to, int64_t begin,
             int64_t end) {
  const int64_t block = shape.block;
  if (from == nullptr) return fill(to + begin * block, constant, (end - begin) * block);
  const int64_t inside = std::clamp<int64_t>(shape.before, begin, end);
  const int64_t after = std::clamp<int64_t>(shape.before + shape.size, inside, end);
  if (inside > begin) pad_blocks(shape, from, constant, to, begin, inside);
  if (after > inside) {
    std::memcpy(to + inside * block, from + (inside - shape.before) * block,
                static_cast<size_t>((after - inside) * block) * sizeof(T));
  }
  if (end > after) pad_blocks(shape, from, constant, to, after, end);
}

// A few elements around a row, whose places are the same for all: no calls for each.
struct Edges {
  static constexpr int64_t kMost = 8;
  bool are_few = false;
  bool is_constant = false;
  int64_t count = 0;
  int64_t to[kMost], from[kMost];

  explicit Edges(const RowShape& shape) : is_constant(shape.mode == Mode::kConstant) {
    const int64_t end = shape.before + shape.size, pads = shape.n - shape.size;
    are_few =
        shape.block == 1 && shape.size > 0 && shape.before >= 0 && end <= shape.n && pads <= kMost;
    for (int64_t i = 0; are_few && count < pads; ++i) {
      if (i == shape.before) i = end;
      to[count] = i;
      from[count++] = is_constant ? 0 : source_index(shape.mode, i - shape.before, shape.size);
    }
  }

  template <typename T>
  void pad_row(const RowShape& shape, const T* x, const T& constant, T* y) const {
    copy_few(reinterpret_cast<std::byte*>(y + shape.before), reinterpret_cast<const std::byte*>(x),
             static_cast<size_t>(shape.size) * sizeof(T));
    const T* source = is_constant ? &constant : x;
    for (int64_t k = 0; k < count; ++k) y[to[k]] = source[from[k]];
  }
};

// --- Prepare.

struct PadParams {
  uint32_t record_bytes;
  uint32_t mode;
};
static_assert(sizeof(PadParams) == 8);

struct PadAttributeParams {
  uint32_t record_bytes;
  uint32_t mode;
  uint32_t pad_count;  // twice the rank
  float value;
  int64_t pads[2 * kMaxRank];
};
static_assert(sizeof(PadAttributeParams) == 16 + 16 * kMaxRank);

Result<uint32_t> mode_of(const Node& node) {
  return one_of(node, "mode", "constant", {"constant", "reflect", "edge", "wrap"});
}

Status prepare_pad(PrepareContext& ctx) {
  ASSIGN_OR_RETURN(const uint32_t mode, mode_of(ctx.node()));
  ctx.set_params(PadParams{sizeof(PadParams), mode});
  return Status::ok();
}

Status prepare_pad_attribute(PrepareContext& ctx) {
  PadAttributeParams params{};
  params.record_bytes = sizeof params;
  ASSIGN_OR_RETURN(params.mode, mode_of(ctx.node()));
  params.value = ctx.node().float_attribute("value", 0.0f);
  const auto pads = ctx.node().ints_attribute(ctx.opset() < 2 ? "paddings" : "pads");
  if (pads.size() > 2 * kMaxRank) return invalid_graph("attribute 'pads' is too long");
  params.pad_count = static_cast<uint32_t>(pads.size());
  std::copy(pads.begin(), pads.end(), params.pads);
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

// The output's shape. A dimension of 0 has nothing to reflect or repeat.
Result<DimList> padded_dims(Mode mode, std::span<const int64_t> dims, const Pads& pads) {
  DimList padded;
  for (size_t d = 0; d < dims.size(); ++d) {
    constexpr int64_t kFarthest = int64_t{1} << 60;
    const bool is_near =
        std::abs(pads.before[d] / 2) < kFarthest && std::abs(pads.after[d] / 2) < kFarthest;
    const auto sum = is_near ? checked_add(dims[d], pads.before[d]) : std::nullopt;
    const auto size = sum ? checked_add(*sum, pads.after[d]) : std::nullopt;
    const bool possible =
        size && *size >= 0 && (dims[d] > 0 || *size == 0 || mode == Mode::kConstant);
    if (!possible) {
      return invalid_argument("dimension ", d, " of size ", dims[d], " cannot be padded by ",
                              pads.before[d], " and ", pads.after[d]);
    }
    padded.push_back(*size);
  }
  return padded;
}

// Element i of a vector of int64 or int32 whose contents are known.
int64_t element(const ValueRef& tensor, int64_t i) {
  return tensor.dtype == DType::kInt64 ? tensor.as<int64_t>()[i] : tensor.as<int32_t>()[i];
}

// Of a bind or a run context.
template <typename Context>
Result<Pads> pads_of_inputs(const Context& ctx) {
  const size_t rank = ctx.input(0).rank;
  const ValueRef& given = ctx.input(1);
  DimList axes;
  if (ctx.input_count() > 3 && ctx.input(3).is_present()) {
    RETURN_IF_ERROR(read_ints(ctx.input(3), "axes", &axes));
  } else {
    for (size_t i = 0; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  }
  const auto count = static_cast<int64_t>(axes.size());
  const bool is_vector = given.dtype == DType::kInt64 || given.dtype == DType::kInt32;
  if (!is_vector || given.element_count() != 2 * count || (given.data == nullptr && count > 0)) {
    return invalid_argument("pads are not ", 2 * count, " known int64 numbers");
  }
  Pads pads{DimList(rank, 0), DimList(rank, 0)};
  std::array<bool, kMaxRank> seen{};
  for (int64_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(const size_t axis, checked_axis(axes[static_cast<size_t>(i)], rank));
    if (seen[axis]) return invalid_argument("axis ", axis, " is given twice");
    seen[axis] = true;
    pads.before[axis] = element(given, i);
    pads.after[axis] = element(given, i + count);
  }
  return pads;
}

Result<Pads> pads_of_record(const PadAttributeParams& params, size_t rank) {
  if (params.pad_count != 2 * rank) {
    return invalid_argument("there are ", params.pad_count, " pads for a tensor of rank ", rank);
  }
  return Pads{DimList({params.pads, rank}), DimList({params.pads + rank, rank})};
}

Status set_padded(BindContext& ctx, uint32_t mode, const Pads& pads) {
  if (mode > static_cast<uint32_t>(Mode::kWrap)) {
    return invalid_graph("its params record names mode ", mode);
  }
  ASSIGN_OR_RETURN(const DimList dims,
                   padded_dims(static_cast<Mode>(mode), ctx.input(0).dims(), pads));
  return ctx.set_output(0, ctx.input(0).dtype, dims);
}

Status bind_pad(BindContext& ctx) {
  const auto* params = ctx.params<PadParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 4));
  RETURN_IF_ERROR(check_type(ctx, 0, kByteTypes));
  RETURN_IF_ERROR(check_same_type(ctx, 2, 0));
  if (ctx.has_input(2) && ctx.input(2).element_count() != 1) {
    return invalid_argument("the constant has ", ctx.input(2).element_count(), " elements");
  }
  ASSIGN_OR_RETURN(const Pads pads, pads_of_inputs(ctx));
  return set_padded(ctx, params->mode, pads);
}

Status bind_pad_attribute(BindContext& ctx) {
  const auto* params = ctx.params<PadAttributeParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, FloatTypes::kMask));
  ASSIGN_OR_RETURN(const Pads pads, pads_of_record(*params, ctx.input(0).rank));
  return set_padded(ctx, params->mode, pads);
}

// --- Run.

// Axes at the end of x without pads, which stay together: how many elements they are. x and y lose
// them.
int64_t take_block(const Pads& pads, ValueRef& x, ValueRef& y) {
  int64_t block = 1;
  for (; x.rank > 1 && pads.before[x.rank - 1] == 0 && pads.after[x.rank - 1] == 0; --x.rank) {
    block *= x.dim(x.rank - 1);
  }
  y.rank = x.rank;
  return block;
}

// Rows so short that their elements are moved one by one: where a few rows at least have places of
// their own, or where it is all the same.
bool are_short_rows(const PadShape& shape, int64_t n, int64_t block) {
  constexpr int64_t kShortRow = 16;
  if (block != 1 || n > kShortRow || shape.x.rank < 2) return block == 1 && n <= kShortRow;
  const int64_t rows = shape.y.dim(shape.y.rank - size_t{2});
  return rows * n <= PadPlaces::kMost || rows > PadPlaces::kMost;
}

// Elements [begin, begin + n) of a group of short rows, from `from` on, where its first stands.
template <typename T>
void pad_elements(const PadPlaces& places, const T* from, const T& constant, int64_t begin,
                  int64_t n, T* to) {
  const int64_t* at = places.at.data() + begin;
  for (int64_t i = 0; i < n; ++i) to[i] = at[i] < 0 ? constant : from[at[i]];
}

// The same for blocks of longer rows; those of constants are filled together.
template <typename T>
void pad_rows(const RowShape& shape, const Edges& edges, const PadPlaces& places, const T* from,
              const T& constant, int64_t begin, int64_t n, T* to) {
  const int64_t end = begin + n;
  int64_t row = 0, first = 0;
  if (begin != 0) row = begin / shape.n, first = begin % shape.n;
  to -= first * shape.block;
  while (begin < end) {
    const int64_t at = places.at[static_cast<size_t>(row)];
    int64_t rows = 1;
    if (at < 0) {
      while (row + rows < places.count && places.at[static_cast<size_t>(row + rows)] < 0) ++rows;
    }
    const int64_t stop = std::min(rows * shape.n, first + end - begin);
    if (at < 0 || shape.size == 0) {
      fill(to + first * shape.block, constant, (stop - first) * shape.block);
    } else if (edges.are_few && stop - first == shape.n) {
      edges.pad_row(shape, from + at, constant, to);
    } else {
      pad_row<T>(shape, from + at, constant, to, first, stop);
    }
    to += rows * shape.n * shape.block;
    begin += stop - first;
    row += rows;
    first = 0;
  }
}

Status run_padded(RunContext& ctx, Mode mode, const Pads& pads, const void* constant) {
  ASSIGN_OR_RETURN(const DimList dims, padded_dims(mode, ctx.input(0).dims(), pads));
  if (!std::ranges::equal(dims.span(), ctx.output(0).dims())) {
    return invalid_argument("the pads changed between binding and run");
  }
  if (ctx.output(0).element_count() == 0) return Status::ok();
  ValueRef x = ctx.input(0), y = ctx.output(0);
  const int64_t block = take_block(pads, x, y);
  RowShape row{mode, 1, 0, 1, block};
  if (x.rank > 0) {
    row.size = x.dim(x.rank - 1);
    row.before = pads.before[x.rank - 1];
    row.n = y.dim(y.rank - 1);
  }
  const PadShape shape{mode, x, y, pads};
  const bool is_short = are_short_rows(shape, row.n, block);
  const PadPlaces places(shape, is_short || x.rank == 0 ? x.rank : x.rank - size_t{1},
                         is_short ? 1 : row.size * block);
  const Edges edges(row);
  // In blocks, as the range is.
  const int64_t group = places.count * (is_short ? 1 : row.n);
  with_chunk(element_bytes(x.dtype), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T value;
    std::memcpy(&value, constant, sizeof value);
    const int64_t grain = std::max<int64_t>(1, kElementGrain / block);
    ctx.parallel_for(y.element_count(), grain, [&](int64_t begin, int64_t end) {
      PadGroups groups(shape, places, begin / group);
      for (int64_t first = begin % group; begin < end; groups.advance(), first = 0) {
        const int64_t n = std::min(group - first, end - begin);
        T* to = y.as_mutable<T>() + begin * block;
        const int64_t offset = groups.offset();
        if (offset < 0) {
          fill(to, value, n * block);
        } else if (is_short) {
          pad_elements(places, x.as<T>() + offset, value, first, n, to);
        } else {
          pad_rows(row, edges, places, x.as<T>() + offset, value, first, n, to);
        }
        begin += n;
      }
    });
  });
  return Status::ok();
}

Status run_pad(RunContext& ctx) {
  ASSIGN_OR_RETURN(const Pads pads, pads_of_inputs(ctx));
  constexpr unsigned char kZero[16] = {};
  return run_padded(ctx, static_cast<Mode>(ctx.params<PadParams>().mode), pads,
                    ctx.has_input(2) ? ctx.input(2).data : kZero);
}

Status run_pad_attribute(RunContext& ctx) {
  const auto& params = ctx.params<PadAttributeParams>();
  ASSIGN_OR_RETURN(const Pads pads, pads_of_record(params, ctx.input(0).rank));
  unsigned char constant[16] = {};
  with_type(FloatTypes{}, ctx.input(0).dtype, [&](auto tag) {
    const auto value = convert<typename decltype(tag)::type>(params.value);
    std::memcpy(constant, &value, sizeof value);
  });
  return run_padded(ctx, static_cast<Mode>(params.mode), pads, constant);
}

}  // namespace

Status pad_by_zeros(RunContext& ctx, const Pads& pads) {
  constexpr unsigned char kZero[16] = {};
  return run_padded(ctx, Mode::kConstant, pads, kZero);
}

KernelTable pad_kernels() {
  static constexpr KernelRow rows[] = {
      {"Pad", "", 11, kLatestOpset, kByteTypes, "pad", 1, kNoFlags, 10, prepare_pad, bind_pad,
       run_pad},
      {"Pad", "", 1, 10, FloatTypes::kMask, "pad.attribute", 1, kNoFlags, 0, prepare_pad_attribute,
       bind_pad_attribute, run_pad_attribute},
      {"Pad", "", 11, kLatestOpset, kStrings, "pad.string", 1, kNoFlags, 10, prepare_pad,
       bind_strings<bind_pad, 5>, run_strings<run_pad>},
      {"Pad", "", 11, kLatestOpset, kPackedTypes, "pad.packed", 1, kNoFlags, 10, prepare_pad,
       bind_packed<bind_pad>, run_packed<run_pad>},
  };
  return rows;
}

}  // namespace ortc::cpu
