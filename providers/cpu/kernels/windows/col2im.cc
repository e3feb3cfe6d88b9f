// SPDX-License-Identifier: MIT
// Col2Im: columns of sliding blocks back into images, where overlapping blocks add up.
//
//   y[n, c, o stride + k dilation - pad] += x[n, (c, k), o]      for every block o and place k in
//   it
#include <algorithm>
#include <array>
#include <complex>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"

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

// Adds one row of columns: place `k` of every block.
template <typename T>
void add_place(const ColumnParams& params, const Blocks& blocks, int64_t k, const T* x, T* y) {
  using C = Compute<T>;
  const size_t rank = blocks.image.size();
  std::array<int64_t, kAxesMax> shift{};
  for (size_t d = rank; d-- > 0; k /= blocks.block[d]) {
    shift[d] = k % blocks.block[d] * params.dilation[d] - params.pad_begin[d];
  }
  for (int64_t o = 0; o < blocks.columns; ++o) {
    int64_t rest = o, at = 0, stride = 1;
    bool is_inside = true;
    for (size_t d = rank; d-- > 0; rest /= blocks.count[d]) {
      const int64_t place = rest % blocks.count[d] * params.stride[d] + shift[d];
      is_inside = is_inside && place >= 0 && place < blocks.image[d];
      at += place * stride;
      stride *= blocks.image[d];
    }
    if (!is_inside) continue;
    if constexpr (std::is_integral_v<T>) {
      y[at] = static_cast<T>(static_cast<uint64_t>(y[at]) + static_cast<uint64_t>(x[o]));
    } else {
      y[at] = static_cast<T>(static_cast<C>(y[at]) + static_cast<C>(x[o]));
    }
  }
}

Status run_columns(RunContext& ctx) {
  const auto& params = ctx.params<ColumnParams>();
  const ValueRef& x = ctx.input(0);
  const ValueRef& y = ctx.output(0);
  Blocks blocks;
  RETURN_IF_ERROR(plan_blocks(params, x, ctx.input(1), ctx.input(2), &blocks));
  const int64_t size = product(blocks.image);
  const auto add_up = [&](auto tag) {
    using T = typename decltype(tag)::type;
    ctx.parallel_for(y.dim(0) * y.dim(1), 1, [&](int64_t begin, int64_t end) {
      for (int64_t plane = begin; plane < end; ++plane) {
        T* to = y.as_mutable<T>() + plane * size;
        std::fill_n(to, size, T(0));
        for (int64_t k = 0; k < blocks.places; ++k) {
          add_place(params, blocks, k, x.as<T>() + (plane * blocks.places + k) * blocks.columns,
                    to);
        }
      }
    });
  };
  if (x.dtype == DType::kComplex64) {
    add_up(TypeTag<std::complex<float>>{});
  } else if (x.dtype == DType::kComplex128) {
    add_up(TypeTag<std::complex<double>>{});
  } else {
    with_type(ColumnTypes{}, x.dtype, add_up);
  }
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
