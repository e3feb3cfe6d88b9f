// SPDX-License-Identifier: MIT
// ONNX's Conv and ConvTranspose with any weights, one to three spatial axes, any groups.
//
// Convolutions that planes suit run over planes, others as gathered products. Of a transposed one
// with weights w[ci][co][tap] the product of w'[co][tap][ci] and x gives what each input pixel adds
// to the output's, a few channels at a time; of a single tap it is the result. The weights are
// rearranged in scratch at each run.
#include <algorithm>

#include "providers/cpu/arith/turn/turn.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/bind/thread_slots.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/products/gather_product.h"
#include "providers/cpu/products/plane_product.h"
#include "providers/cpu/windows/spread_sums.h"
#include "providers/cpu/windows/transposed_shape.h"

namespace ortc::cpu {
namespace {

struct ConvNchwParams {
  uint32_t record_bytes;
  uint32_t reserved;
  int64_t groups;
  WindowParams windows;
};
static_assert(sizeof(ConvNchwParams) == 152);

// --- Prepare.

Status prepare_conv(PrepareContext& ctx) {
  ConvNchwParams params{};
  params.record_bytes = sizeof params;
  params.groups = ctx.node().int_attribute("group", 1);
  ASSIGN_OR_RETURN(params.windows, windows_from_attributes(ctx.node()));
  ctx.set_params(params);
  return Status::ok();
}

Status prepare_transpose(PrepareContext& ctx) {
  ASSIGN_OR_RETURN(ConvTransposeParams params, transposed_from_attributes(ctx.node()));
  params.record_bytes = sizeof params;
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

// Types, ranks and channels; the weights' axis `out_axis` has the output's channels, of one group
// where it is axis 1.
Status check_operands(const BindContext& ctx, int64_t groups, size_t out_axis) {
  RETURN_IF_ERROR(check_arity(ctx, 2, 3));
  RETURN_IF_ERROR(check_type(ctx, 0, kFloatTypes));
  RETURN_IF_ERROR(check_same_type(ctx, 1, 0));
  RETURN_IF_ERROR(check_same_type(ctx, 2, 0));
  const auto x = ctx.input(0).dims(), w = ctx.input(1).dims();
  const auto misfit = [&] {
    return invalid_argument("input ", dims_to_string(x), " and weights ", dims_to_string(w),
                            " with ", groups, " groups do not fit");
  };
  if (x.size() < 3 || w.size() != x.size() || groups < 1) return misfit();
  const bool transposed = out_axis == 1;
  if (w[0] < 1 || w[1] < 1) return not_implemented("weights without channels");
  const auto wide = checked_mul(w[1], groups);
  if (!wide || w[0] % groups != 0 || x[1] != (transposed ? w[0] : *wide)) return misfit();
  const int64_t out_channels = transposed ? *wide : w[0];
  if (ctx.has_input(2) && (ctx.input(2).rank != 1 || ctx.input(2).dim(0) != out_channels)) {
    return invalid_argument("the bias has shape ", dims_to_string(ctx.input(2).dims()),
                            ", expected [", out_channels, "]");
  }
  return Status::ok();
}

Result<GatherProduct> shape_conv(const ConvNchwParams& params, const ValueRef& x,
                                 const ValueRef& w) {
  GatherProduct product;
  product.batch = x.dim(0);
  product.groups = params.groups;
  product.channels = w.dim(1);
  product.rows = w.dim(0) / params.groups;
  ASSIGN_OR_RETURN(product.windows,
                   place_windows(params.windows, x.dims().subspan(2), w.dims().subspan(2)));
  return product;
}

Result<GatherProduct> shape_transpose(const ConvTransposeParams& params, const ValueRef& x,
                                      const ValueRef& w) {
  GatherProduct product;
  product.transposed = true;
  product.batch = x.dim(0);
  product.groups = params.groups;
  product.channels = w.dim(0) / params.groups;
  product.rows = w.dim(1);
  ASSIGN_OR_RETURN(product.windows,
                   place_transposed(params, x.dims().subspan(2), w.dims().subspan(2)));
  product.transposed = !is_pointwise(product);  // then either way is the same
  return product;
}

Status set_result(BindContext& ctx, const GatherProduct& product) {
  DimList dims;
  dims.push_back(product.batch);
  dims.push_back(product.groups * product.rows);
  for (size_t i = 0; i < product.windows.rank; ++i) {
    dims.push_back(product.windows.own_axis(i).out);
  }
  return ctx.set_output(0, ctx.input(0).dtype, dims);
}

// Bytes of the rearranged weights of a transposed convolution, in front of the slots.
uint64_t weight_bytes(const ValueRef& w) {
  const auto bytes = dtype_bytes(w.dtype, static_cast<uint64_t>(w.element_count()));
  return align_up(*bytes, 64);
}

bool over_planes(size_t element, const GatherProduct& product) {
  return element == sizeof(float) && suits_planes(product);
}

// Bytes of scratch of a product; nothing on overflow.
std::optional<uint64_t> product_scratch(const GatherProduct& product, size_t element, int threads) {
  return over_planes(element, product) ? plane_scratch(product, threads)
                                       : gather_scratch(product, element, threads);
}

template <typename T>
void run_product(const RunContext& ctx, const GatherProduct& product, const T* x, const T* w,
                 const T* bias, T* y, std::byte* scratch) {
  if constexpr (std::is_same_v<T, float>) {
    if (over_planes(sizeof(T), product)) {
      return run_plane_product(ctx, product, x, w, bias, y, scratch);
    }
  }
  run_gather_product(ctx, product, x, w, bias, y, scratch);
}

constexpr int64_t kSpread = 1024 * 1024;           // aim for the elements of a part
constexpr int64_t kMostSpread = 16 * 1024 * 1024;  // of one channel

// A transposed convolution of several taps, for so many groups, or channels of y in one group, at a
// time.
struct SpreadProduct {
  const GatherProduct& whole;
  int64_t groups, rows;

  // Without strides no zeros are gathered, but the same pixels for each tap.
  bool is_worth_it() const {
    const auto& axis = whole.windows.axis;
    const bool is_strided = axis[0].stride > 1 || axis[1].stride > 1 || axis[2].stride > 1;
    const bool is_small = whole.windows.taps() > 1 && spread() <= kMostSpread;
    return whole.transposed && (is_strided || is_small);
  }
  // What comes from one channel of y.
  int64_t spread() const { return whole.windows.taps() * whole.windows.in_size(); }
  // The product for fewer of them: its windows are the pixels of x.
  GatherProduct part(int64_t group_count, int64_t row_count) const {
    GatherProduct product;
    product.batch = 1;
    product.groups = group_count;
    product.channels = whole.channels;
    product.rows = row_count * whole.windows.taps();
    product.windows.rank = 1;
    product.windows.axis[2].in = product.windows.axis[2].out = whole.windows.in_size();
    return product;
  }
};

SpreadProduct divide_spread(const GatherProduct& whole) {
  const int64_t taps = whole.windows.taps(), pixels = whole.windows.in_size();
  const int64_t row = std::max<int64_t>(1, checked_mul(taps, pixels).value_or(INT64_MAX));
  const int64_t group = checked_mul(row, whole.rows).value_or(INT64_MAX);
  return {whole, std::clamp<int64_t>(kSpread / group, 1, whole.groups),
          std::clamp<int64_t>(kSpread / row, 1, whole.rows)};
}

// Of the spread product's elements, then of the product's slots.
std::optional<uint64_t> spread_bytes(const SpreadProduct& product, size_t element) {
  const auto row = checked_mul(product.whole.windows.taps(), product.whole.windows.in_size());
  const auto count = row ? checked_mul(*row, product.groups * product.rows) : std::nullopt;
  const auto bytes =
      count ? checked_mul(static_cast<uint64_t>(*count), uint64_t{element}) : std::nullopt;
  return bytes ? checked_align_up(*bytes, 64) : std::nullopt;
}
std::optional<uint64_t> spread_scratch(const SpreadProduct& product, size_t element, int threads) {
  auto most = spread_bytes(product, element);
  if (!most) return std::nullopt;
  uint64_t slots = 0;
  for (const int64_t groups : {product.groups, product.whole.groups % product.groups}) {
    for (const int64_t rows : {product.rows, product.whole.rows % product.rows}) {
      if (groups == 0 || rows == 0) continue;
      const auto bytes = product_scratch(product.part(groups, rows), element, threads);
      if (!bytes) return std::nullopt;
      slots = std::max(slots, *bytes);
    }
  }
  return checked_add(*most, slots);
}

Status set_product_scratch(BindContext& ctx, const GatherProduct& product, uint64_t before) {
  const size_t element = ctx.input(0).dtype == DType::kFloat64 ? sizeof(double) : sizeof(float);
  const SpreadProduct spread = divide_spread(product);
  const auto slots = spread.is_worth_it() ? spread_scratch(spread, element, ctx.thread_count())
                                          : product_scratch(product, element, ctx.thread_count());
  const auto bytes = slots ? checked_add(*slots, before) : std::nullopt;
  if (!bytes) return invalid_argument("the convolution needs more scratch than there can be");
  ctx.set_scratch(*bytes);
  return Status::ok();
}

Status bind_conv(BindContext& ctx) {
  const auto* params = ctx.params<ConvNchwParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_operands(ctx, params->groups, 0));
  ASSIGN_OR_RETURN(const GatherProduct product, shape_conv(*params, ctx.input(0), ctx.input(1)));
  RETURN_IF_ERROR(set_result(ctx, product));
  return set_product_scratch(ctx, product, 0);
}

Status bind_transpose(BindContext& ctx) {
  const auto* params = ctx.params<ConvTransposeParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_operands(ctx, params->groups, 1));
  ASSIGN_OR_RETURN(const GatherProduct product,
                   shape_transpose(*params, ctx.input(0), ctx.input(1)));
  RETURN_IF_ERROR(set_result(ctx, product));
  return set_product_scratch(ctx, product, weight_bytes(ctx.input(1)));
}

// --- Run.

template <typename T>
void run_whole(const RunContext& ctx, const GatherProduct& product, const T* w,
               std::byte* scratch) {
  run_product(ctx, product, ctx.input(0).as<T>(), w,
              ctx.has_input(2) ? ctx.input(2).as<T>() : nullptr, ctx.output(0).as_mutable<T>(),
              scratch);
}

Status run_conv(RunContext& ctx) {
  if (ctx.output(0).element_count() == 0) return Status::ok();
  ASSIGN_OR_RETURN(const GatherProduct product,
                   shape_conv(ctx.params<ConvNchwParams>(), ctx.input(0), ctx.input(1)));
  if (ctx.input(0).dtype == DType::kFloat64) {
    run_whole(ctx, product, ctx.input(1).as<double>(), ctx.scratch());
  } else {
    run_whole(ctx, product, ctx.input(1).as<float>(), ctx.scratch());
  }
  return Status::ok();
}

// to[group][row][channel][tap] = w[group][channel][row][tap].
template <typename T>
void swap_channels(const GatherProduct& p, const T* w, int64_t begin, int64_t end, T* to) {
  const int64_t taps = p.windows.taps();
  for (int64_t i = begin; i < end; ++i) {
    const int64_t group = i / p.rows, row = i % p.rows;
    for (int64_t c = 0; c < p.channels; ++c) {
      const T* from = w + ((group * p.channels + c) * p.rows + row) * taps;
      std::copy_n(from, taps, to + (i * p.channels + c) * taps);
    }
  }
}

// to[group][row][tap][channel] = w[group][channel][row][tap], a matrix for each group.
template <typename T>
void turn_channels(const GatherProduct& p, Isa isa, const T* w, int64_t begin, int64_t end, T* to) {
  const int64_t taps = p.windows.taps(), wide = p.rows * taps;
  const auto turn = turn_of(isa, sizeof(T));
  for (int64_t i = begin; i < end;) {
    const int64_t group = i / p.rows, row = i % p.rows, rows = std::min(p.rows - row, end - i);
    turn(w + group * p.channels * wide + row * taps, static_cast<size_t>(wide),
         to + i * taps * p.channels, static_cast<size_t>(p.channels),
         static_cast<size_t>(p.channels), static_cast<size_t>(rows * taps));
    i += rows;
  }
}

template <typename T>
void rearrange(const RunContext& ctx, const GatherProduct& p, const T* w, bool turn, T* to) {
  ctx.parallel_for(p.groups * p.rows, std::max<int64_t>(1, 16384 / p.depth()),
                   [&](int64_t begin, int64_t end) {
                     if (turn) {
                       turn_channels(p, ctx.isa(), w, begin, end, to);
                     } else {
                       swap_channels(p, w, begin, end, to);
                     }
                   });
}

template <typename T>
void run_spread(const RunContext& ctx, const SpreadProduct& product, const T* w,
                std::byte* scratch) {
  const GatherProduct& whole = product.whole;
  const int64_t in_size = whole.windows.in_size(), out_size = whole.windows.out_size();
  auto* spread = reinterpret_cast<T*>(scratch);
  std::byte* slots = scratch + *spread_bytes(product, sizeof(T));
  const T* bias = ctx.has_input(2) ? ctx.input(2).as<T>() : nullptr;
  const auto run_part = [&](int64_t image, int64_t group, int64_t groups, int64_t row,
                            int64_t rows) {
    const int64_t first = group * whole.rows + row;
    run_product(ctx, product.part(groups, rows),
                ctx.input(0).as<T>() + (image * whole.groups + group) * whole.channels * in_size,
                w + first * whole.depth(), static_cast<const T*>(nullptr), spread, slots);
    sum_spread(
        ctx, whole.windows, spread, bias != nullptr ? bias + first : nullptr,
        ctx.output(0).as_mutable<T>() + (image * whole.groups * whole.rows + first) * out_size,
        groups * rows);
  };
  for (int64_t image = 0; image < whole.batch; ++image) {
    for (int64_t group = 0; group < whole.groups; group += product.groups) {
      for (int64_t row = 0; row < whole.rows; row += product.rows) {
        run_part(image, group, std::min(product.groups, whole.groups - group), row,
                 std::min(product.rows, whole.rows - row));
      }
    }
  }
}

template <typename T>
void run_transposed(const RunContext& ctx, const GatherProduct& product) {
  auto* w = reinterpret_cast<T*>(ctx.scratch());
  std::byte* more = ctx.scratch() + weight_bytes(ctx.input(1));
  const SpreadProduct spread = divide_spread(product);
  const bool is_spread = spread.is_worth_it();
  rearrange(ctx, product, ctx.input(1).as<T>(), is_spread, w);
  if (is_spread) return run_spread<T>(ctx, spread, w, more);
  run_whole<T>(ctx, product, w, more);
}

Status run_transpose(RunContext& ctx) {
  if (ctx.output(0).element_count() == 0) return Status::ok();
  ASSIGN_OR_RETURN(const GatherProduct product,
                   shape_transpose(ctx.params<ConvTransposeParams>(), ctx.input(0), ctx.input(1)));
  if (ctx.input(0).dtype == DType::kFloat64) {
    run_transposed<double>(ctx, product);
  } else {
    run_transposed<float>(ctx, product);
  }
  return Status::ok();
}

}  // namespace

KernelTable conv_nchw_kernels() {
  static constexpr KernelRow kConvRow("Conv", "", 1, kLatestOpset, kFloatTypes, "conv_reference", 1,
                                      kNoFlags, 0, prepare_conv, bind_conv, run_conv);
  static constexpr KernelRow kConvTransposeRow("ConvTranspose", "", 1, kLatestOpset, kFloatTypes,
                                               "conv_transpose_reference", 1, kNoFlags, 0,
                                               prepare_transpose, bind_transpose, run_transpose);
  static constexpr KernelRow rows[] = {
      kConvRow,
      reduced_row<kConvRow>("Conv.reduced"),
      kConvTransposeRow,
      reduced_row<kConvTransposeRow>("ConvTranspose.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
