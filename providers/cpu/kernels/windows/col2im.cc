// SPDX-License-Identifier: MIT
// Col2Im: columns of sliding blocks back into images, where overlapping blocks add up.
//
//   y[n, c, o stride + k dilation - pad] += x[n, (c, k), o]      for every block o and place k in
//   it
#include <algorithm>
#include <array>
#include <complex>
#include <cstring>

#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/windows/placed_tap.h"

namespace ortc::cpu {
namespace {

using ColumnTypes = Join<FloatTypes, IntegerTypes>;
constexpr TypeMask kColumnTypes =
    ColumnTypes::kMask | mask_of(DType::kComplex64, DType::kComplex128);
constexpr size_t kAxesMax = 8;

struct ColumnParams {
  uint32_t record_bytes;
  uint32_t rank;  // 0: all attributes are left out
  int64_t stride[kAxesMax], dilation[kAxesMax], pad_begin[kAxesMax], pad_end[kAxesMax];
};
static_assert(sizeof(ColumnParams) == 264);

// --- Prepare.

Status prepare_columns(PrepareContext& ctx) {
  const Node& node = ctx.node();
  ColumnParams params{};
  params.record_bytes = sizeof params;
  std::fill_n(params.stride, kAxesMax, 1);
  std::fill_n(params.dilation, kAxesMax, 1);
  const auto take = [&](std::string_view name, size_t lists, int64_t* first,
                        int64_t* second) -> Status {
    const auto numbers = node.ints_attribute(name);
    if (numbers.empty()) return Status::ok();
    const size_t rank = numbers.size() / lists;
    if (numbers.size() % lists != 0 || rank > kAxesMax ||
        (params.rank != 0 && params.rank != rank)) {
      return invalid_graph("attribute '", name, "' has ", numbers.size(), " numbers");
    }
    params.rank = static_cast<uint32_t>(rank);
    std::copy_n(numbers.begin(), rank, first);
    if (second != nullptr)
      std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(rank), rank, second);
    return Status::ok();
  };
  RETURN_IF_ERROR(take("strides", 1, params.stride, nullptr));
  RETURN_IF_ERROR(take("dilations", 1, params.dilation, nullptr));
  RETURN_IF_ERROR(take("pads", 2, params.pad_begin, params.pad_end));
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

struct Blocks {
  DimList image, block, count;  // by axis
  int64_t places = 1, columns = 1;
};

Status plan_blocks(const ColumnParams& params, const ValueRef& x, const ValueRef& image,
                   const ValueRef& block, Blocks* blocks) {
  RETURN_IF_ERROR(read_ints(image, "the image's shape", &blocks->image));
  RETURN_IF_ERROR(read_ints(block, "the block's shape", &blocks->block));
  const size_t rank = blocks->image.size();
  if (rank < 1 || rank > kAxesMax || blocks->block.size() != rank ||
      (params.rank != 0 && params.rank != rank) || x.rank != 3) {
    return invalid_argument("blocks of ", blocks->block.size(), " axes in an image of ", rank);
  }
  for (size_t d = 0; d < rank; ++d) {
    const auto is_extent = [](int64_t v, int64_t least) { return v >= least && v <= INT32_MAX; };
    if (!is_extent(blocks->image[d], 1) || !is_extent(blocks->block[d], 1) ||
        !is_extent(params.stride[d], 1) || !is_extent(params.dilation[d], 1) ||
        !is_extent(params.pad_begin[d], 0) || !is_extent(params.pad_end[d], 0)) {
      return invalid_argument("blocks of impossible size on axis ", d);
    }
    const int64_t room = blocks->image[d] + params.pad_begin[d] + params.pad_end[d] -
                         params.dilation[d] * (blocks->block[d] - 1) - 1;
    if (room < 0) return invalid_argument("blocks do not fit the image on axis ", d);
    blocks->count.push_back(room / params.stride[d] + 1);
  }
  const auto places = checked_element_count(blocks->block);
  const auto columns = checked_element_count(blocks->count);
  if (!places || !columns || x.dim(1) % *places != 0 || x.dim(2) != *columns) {
    return invalid_argument("columns of shape ", dims_to_string(x.dims()), " do not fit blocks of ",
                            dims_to_string(blocks->block));
  }
  blocks->places = *places;
  blocks->columns = *columns;
  return Status::ok();
}

Status bind_columns(BindContext& ctx) {
  const auto* params = ctx.params<ColumnParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 3, 3));
  RETURN_IF_ERROR(check_type(ctx, 0, kColumnTypes));
  Blocks blocks;
  RETURN_IF_ERROR(plan_blocks(*params, ctx.input(0), ctx.input(1), ctx.input(2), &blocks));
  DimList dims;
  dims.push_back(ctx.input(0).dim(0));
  dims.push_back(ctx.input(0).dim(1) / blocks.places);
  for (const int64_t dim : blocks.image) dims.push_back(dim);
  return ctx.set_output(0, ctx.input(0).dtype, dims);
}

// --- Run.

PlacedTap place_tap(const ColumnParams& params, const Blocks& blocks, int64_t k) {
  std::array<TapAxis, kAxesMax> axes;
  const size_t rank = blocks.image.size();
  for (size_t d = rank; d-- > 0; k /= blocks.block[d]) {
    axes[d] = {blocks.count[d], blocks.image[d], params.stride[d],
               k % blocks.block[d] * params.dilation[d] - params.pad_begin[d]};
  }
  return PlacedTap({axes.data(), rank});
}

// y[l to_line + i to_step] += x[l from_line + i from_step] for l < lines, i < n
struct TapLines {
  int64_t from_line, from_step, to_line, to_step, lines, n;
};
using AddLines = void (*)(const TapLines& tap, const std::byte* x, std::byte* y);

template <typename T>
T sum_of(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(a + b);
  } else {
    using C = Compute<T>;
    return static_cast<T>(static_cast<C>(a) + static_cast<C>(b));
  }
}

template <typename T>
void add_lines(const TapLines& tap, const std::byte* x, std::byte* y) {
  for (int64_t l = 0; l < tap.lines; ++l) {
    const auto* from = reinterpret_cast<const T*>(x) + l * tap.from_line;
    auto* to = reinterpret_cast<T*>(y) + l * tap.to_line;
    if constexpr (std::is_arithmetic_v<T>) {
      if (tap.from_step == 1 && tap.to_step == 1) {
        ORTC_ELEMENTWISE
        for (int64_t i = 0; i < tap.n; ++i) to[i] = sum_of(to[i], from[i]);
        continue;
      }
    }
    const int64_t from_step = tap.from_step, to_step = tap.to_step;
    for (int64_t n = tap.n; n > 0; --n, from += from_step, to += to_step) {
      *to = sum_of(*to, *from);
    }
  }
}

AddLines add_lines_of(DType dtype) {
  if (dtype == DType::kComplex64) return add_lines<std::complex<float>>;
  if (dtype == DType::kComplex128) return add_lines<std::complex<double>>;
  AddLines add = nullptr;
  with_type(FloatTypes{}, dtype, [&](auto tag) { add = add_lines<typename decltype(tag)::type>; });
  if (add != nullptr) return add;
  switch (element_bytes(dtype)) {  // integers wrap around, with a sign or without
    case 1:
      return add_lines<uint8_t>;
    case 2:
      return add_lines<uint16_t>;
    case 4:
      return add_lines<uint32_t>;
    default:
      return add_lines<uint64_t>;
  }
}

constexpr int64_t kTogether = 32768;  // bytes of images that take a tap in turn

Status run_columns(RunContext& ctx) {
  const auto& params = ctx.params<ColumnParams>();
  const ValueRef& x = ctx.input(0);
  const ValueRef& y = ctx.output(0);
  Blocks blocks;
  RETURN_IF_ERROR(plan_blocks(params, x, ctx.input(1), ctx.input(2), &blocks));
  const auto bytes = static_cast<int64_t>(element_bytes(x.dtype));
  const int64_t image = product(blocks.image) * bytes, row = blocks.columns * bytes;
  const int64_t together = std::max<int64_t>(1, kTogether / image);
  const AddLines add = add_lines_of(x.dtype);
  const auto add_floats = vector_f32_kernels(ctx.isa()).add_lines;
  const auto add_tap = [&](const PlacedTap& tap, const std::byte* from, std::byte* to) {
    const NdLoop<2>& loop = tap.loop;
    if (loop.count == 0) return;
    from += tap.from * bytes;
    to += tap.to * bytes;
    TapLines lines{0, loop.inner_stride(0), 0, loop.inner_stride(1), 1, loop.inner_size()};
    if (loop.rank > 2) {
      return for_each_row(loop, 0, loop.count, [&](int64_t, const auto& offsets, int64_t) {
        add(lines, from + offsets[0] * bytes, to + offsets[1] * bytes);
      });
    }
    if (loop.rank == 2) {
      lines.from_line = loop.strides[0][0];
      lines.to_line = loop.strides[1][0];
      lines.lines = loop.dims[0];
    }
    if (x.dtype != DType::kFloat32 || lines.from_step != 1 || lines.to_step != 1) {
      return add(lines, from, to);
    }
    add_floats(reinterpret_cast<const float*>(from), static_cast<size_t>(lines.from_line),
               reinterpret_cast<float*>(to), static_cast<size_t>(lines.to_line),
               static_cast<size_t>(lines.lines), static_cast<size_t>(lines.n));
  };
  ctx.parallel_for(y.dim(0) * y.dim(1), 1, [&](int64_t begin, int64_t end) {
    for (int64_t next; begin < end; begin = next) {
      next = std::min(end, begin + together);
      auto* to = y.as_mutable<std::byte>();
      std::memset(to + begin * image, 0, static_cast<size_t>((next - begin) * image));
      for (int64_t k = 0; k < blocks.places; ++k) {
        const PlacedTap tap = place_tap(params, blocks, k);
        for (int64_t i = begin; i < next; ++i) {
          add_tap(tap, x.as<std::byte>() + (i * blocks.places + k) * row, to + i * image);
        }
      }
    }
  });
  return Status::ok();
}

}  // namespace

KernelTable col2im_kernels() {
  static constexpr KernelRow rows[] = {
      {"Col2Im", "", 18, kLatestOpset, kColumnTypes, "col2im", 1, kNoFlags, 0b110, prepare_columns,
       bind_columns, run_columns},
  };
  return rows;
}

}  // namespace ortc::cpu
