// SPDX-License-Identifier: MIT
// ortc.QConv: channels-last convolution of 8-bit numbers over two spatial axes, exact in int32,
// with constant weights and an epilogue (product_i8.h).
//
// Prepare decides between the implicit GEMM and the depthwise forms, which is a function of the
// channels and of the weights' zero points, and packs the weights for it. int8 inputs are copied to
// scratch as uint8 first, and where a channel has a few filters, once for each of them: then it is
// depthwise. Threads divide output pixels and panels, or output rows.
#include <algorithm>
#include <cstring>

#include "providers/cpu/arith/depthwise_f32/depthwise_f32.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/thread_slots.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/layouts.h"
#include "providers/cpu/products/product_i8.h"
#include "providers/cpu/products/tile_grid.h"
#include "providers/cpu/windows/conv_shape.h"
#include "providers/cpu/windows/join_groups.h"

namespace ortc::cpu {
namespace {

using Input = QProductInput;

// With zeros: a row of the weights' zero points follows them.
enum Algorithm : uint32_t {
  kPanels = 1,
  kDepthwise = 2,
  kDepthwiseZeros = 3,
  kFewFilters = 4,
  kFewFiltersZeros = 5
};

Algorithm algorithm_of(const ConvShape& shape, bool has_zeros) {
  if (is_depthwise(shape)) return has_zeros ? kDepthwiseZeros : kDepthwise;
  if (has_few_filters(shape)) return has_zeros ? kFewFiltersZeros : kFewFilters;
  return kPanels;
}
bool has_zero_row(uint32_t algorithm) {
  return algorithm == kDepthwiseZeros || algorithm == kFewFiltersZeros;
}
bool repeats_channels(uint32_t algorithm) {
  return algorithm == kFewFilters || algorithm == kFewFiltersZeros;
}

struct QConvParams {
  uint32_t record_bytes;
  uint32_t algorithm;
  ConvWeightsParams weights;
  ProductParamsI8 product;
};
static_assert(sizeof(QConvParams) == 216);

constexpr TypeMask kBytes = mask_of(DType::kUint8, DType::kInt8);
constexpr int64_t kDepthwiseGrain = 1 << 16;  // products that are worth an item of their own

// Depthwise channels are one group of columns.
ColumnsI8 columns_of(const QConvParams& p) {
  if (p.algorithm != kPanels) return {1, p.weights.out_c};
  return {p.weights.groups, p.weights.out_c / p.weights.groups};
}

// Bytes of the packed weights; nothing on overflow. The parameters are at least 1.
std::optional<int64_t> packed_bytes(const QConvParams& p) {
  const auto taps = checked_mul(p.weights.windows.kernel[0], p.weights.windows.kernel[1]);
  if (!taps) return std::nullopt;
  const int64_t padded = columns_of(p).padded();
  if (p.algorithm != kPanels) {
    const auto rows = checked_add(*taps, int64_t{has_zero_row(p.algorithm)});
    return rows ? checked_mul(*rows, padded) : std::nullopt;
  }
  const auto depth = checked_mul(*taps, p.weights.in_c / p.weights.groups);
  if (!depth || *depth > INT32_MAX) return std::nullopt;
  return checked_mul(padded / 32,
                     static_cast<int64_t>(panel_bytes_i8(static_cast<size_t>(*depth))));
}

// --- Prepare.

// One zero point for each channel, in the row of `width` that ends at `end`.
void add_zero_row(const std::vector<int8_t>& zeros, int64_t channels, int64_t width,
                  std::byte* end) {
  auto* row = reinterpret_cast<int8_t*>(end - width);
  std::fill_n(row, width, int8_t{0});
  for (int64_t c = 0; c < channels; ++c) {
    row[c] = zeros[zeros.size() == 1 ? 0 : static_cast<size_t>(c)];
  }
}

// Weights of panels, where groups of few channels become fewer.
Result<Tensor> join_few(const Tensor& w, const std::vector<int8_t>& zeros, QConvParams* params) {
  const int64_t joined = params->algorithm == kPanels ? groups_to_join(params->weights) : 1;
  if (joined == 1) return w;
  std::vector<uint8_t> nothing(zeros.begin(), zeros.end());
  if (nothing.empty()) nothing.push_back(0);
  for (uint8_t& byte : nothing) byte ^= weight_flip(w.dtype());
  ASSIGN_OR_RETURN(Tensor result, join_groups(w, params->weights, joined, nothing));
  params->weights.groups /= joined;
  return result;
}

Status prepare_qconv(PrepareContext& ctx) {
  const Tensor* w = ctx.constant(Input::kB);
  if (w == nullptr) return not_implemented("ortc.QConv with weights that are not constant");
  if ((mask_of(w->dtype()) & kBytes) == 0 || w->element_count() == 0) {
    return invalid_graph("weights are ", dtype_name(w->dtype()), dims_to_string(w->dims()),
                         ", expected 8-bit numbers");
  }
  QConvParams params{};
  params.record_bytes = sizeof params;
  ASSIGN_OR_RETURN(params.weights, conv_weights_params(ctx.node(), w->dims()));
  ASSIGN_OR_RETURN(const std::vector<int8_t> zeros, take_b_zero(ctx, params.weights.out_c));
  params.algorithm = algorithm_of(conv_weights_shape(params.weights), !zeros.empty());
  ASSIGN_OR_RETURN(const Tensor joined, join_few(*w, zeros, &params));
  const ConvShape shape = conv_weights_shape(params.weights);
  ASSIGN_OR_RETURN(params.product, prepare_product(ctx, columns_of(params), !zeros.empty()));
  const auto size = packed_bytes(params);
  if (!size) return invalid_graph("weights of shape ", dims_to_string(w->dims()), " are too large");
  ASSIGN_OR_RETURN(Tensor packed, Tensor::create(DType::kUint8, {*size}));
  const auto* from = static_cast<const uint8_t*>(joined.data());
  auto* to = static_cast<std::byte*>(packed.mutable_data());
  const uint8_t flip = weight_flip(w->dtype());
  if (params.algorithm != kPanels) {
    depthwise_pack_weights_i8(shape, from, flip, to);
    if (!zeros.empty())
      add_zero_row(zeros, params.weights.out_c, columns_of(params).padded(), to + *size);
    ctx.replace_input(Input::kB, std::move(packed), kDepthwiseI8);
  } else {
    conv_pack_weights_i8(shape, from, flip, zeros.empty() ? nullptr : zeros.data(), zeros.size(),
                         to);
    ctx.replace_input(Input::kB, std::move(packed), kConvPanels32I8);
  }
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

Status check_record(const QConvParams& p) {
  RETURN_IF_ERROR(check_conv_weights(p.weights));
  // Records of before have panels for a few filters as well.
  const bool is_known =
      p.algorithm == kPanels ||
      p.algorithm == algorithm_of(conv_weights_shape(p.weights), p.product.has_b_zero != 0);
  return is_known ? Status::ok() : invalid_graph("its record has algorithm ", p.algorithm);
}

// Scratch holds the run's scales, x as uint8 when it is int8, then its channels repeated or a slot
// for each thread.
uint64_t flipped_bytes(const ValueRef& x) {
  return x.dtype == DType::kInt8 ? align_up(static_cast<uint64_t>(x.element_count()), 64) : 0;
}

Status bind_qconv(BindContext& ctx) {
  const auto* params = ctx.params<QConvParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, Input::kCount));
  RETURN_IF_ERROR(check_record(*params));
  RETURN_IF_ERROR(check_packed_bytes(ctx, Input::kB, packed_bytes(*params)));
  const auto x = ctx.input(Input::kA).dims();
  if (x.size() != 4 || x[3] != params->weights.in_c) {
    return invalid_argument("the input has shape ", dims_to_string(x), ", expected [n,h,w,",
                            params->weights.in_c, "]");
  }
  ASSIGN_OR_RETURN(const Windows windows,
                   place_windows(params->weights.windows, x.subspan(1, 2), {}));
  const int64_t y[] = {x[0], windows.axis[1].out, windows.axis[2].out, params->weights.out_c};
  RETURN_IF_ERROR(check_product(ctx, params->product, columns_of(*params), y));
  RETURN_IF_ERROR(ctx.set_output(0, output_type(params->product), y));
  uint64_t bytes = align_up(scale_scratch_bytes(ctx, columns_of(*params)), 64);
  bytes += flipped_bytes(ctx.input(Input::kA));
  if (repeats_channels(params->algorithm)) {
    const auto repeated = checked_mul(product(x.first(3)), params->weights.out_c);
    const auto sum = repeated ? checked_add(bytes, static_cast<uint64_t>(*repeated)) : std::nullopt;
    if (!sum) return invalid_argument("the convolution needs more scratch than there can be");
    bytes = *sum;
  }
  if (params->algorithm == kPanels && product(y) > 0) {
    const auto slots = slot_scratch(
        conv_scratch_bytes_i8(conv_shape_of(params->weights, x, windows)), ctx.thread_count());
    const auto sum = slots ? checked_add(bytes, *slots) : std::nullopt;
    if (!sum) return invalid_argument("the convolution needs more scratch than there can be");
    bytes = *sum;
  }
  ctx.set_scratch(bytes);
  return Status::ok();
}

// --- Run.

void run_panels(const RunContext& ctx, const ConvI8& conv, std::byte* slots) {
  const ConvShape& s = conv.shape;
  // A product of four is what one of floats costs.
  const TileGrid grid = conv_grid(s, quads(s.depth()), ctx.thread_count());
  const GemmI8Kernels& kernels = gemm_i8_kernels(ctx.isa());
  const uint64_t slot_bytes = align_up(conv_scratch_bytes_i8(s), 64);
  parallel_items(ctx, ctx.thread_count(), grid.items(), [&](int64_t slot, int64_t item) {
    kernels.conv(
        conv, static_cast<size_t>(grid.row_begin(item)), static_cast<size_t>(grid.row_end(item)),
        static_cast<size_t>(grid.panel_begin(item)), static_cast<size_t>(grid.panel_end(item)),
        slots + static_cast<uint64_t>(slot) * slot_bytes);
  });
}

void run_depthwise(const RunContext& ctx, const ConvI8& conv) {
  const ConvShape& s = conv.shape;
  const GemmI8Kernels& kernels = gemm_i8_kernels(ctx.isa());
  const double work = static_cast<double>(s.out_w * s.out_c) * static_cast<double>(s.kernel_h) *
                      static_cast<double>(s.kernel_w);
  const auto grain = static_cast<int64_t>(std::max(1.0, kDepthwiseGrain / work));
  ctx.parallel_for(static_cast<int64_t>(s.batch * s.out_h), grain, [&](int64_t begin, int64_t end) {
    kernels.depthwise(conv, static_cast<size_t>(begin), static_cast<size_t>(end));
  });
}

// Each channel as often as it has filters: an image of as many channels as the result.
void repeat_channels(const RunContext& ctx, ConvI8& conv, uint8_t* to) {
  ConvShape& s = conv.shape;
  const size_t channels = s.in_c, filters = s.group_out();
  const uint8_t* x = conv.x;
  const auto pixels = static_cast<int64_t>(s.batch * s.in_h * s.in_w);
  const int64_t grain = kDepthwiseGrain / static_cast<int64_t>(s.out_c) + 1;
  ctx.parallel_for(pixels, grain, [=](int64_t begin, int64_t end) {
    const size_t first = static_cast<size_t>(begin) * channels;
    const size_t last = static_cast<size_t>(end) * channels;
    if (filters == 2) {  // most, as vectors
      for (size_t i = first; i < last; ++i) to[2 * i] = to[2 * i + 1] = x[i];
      return;
    }
    // Eight of each are written, and what is too much the next one writes over. The last ones
    // stop short of the next thread's.
    static_assert(kMostFilters == sizeof(uint64_t));
    const size_t safe = std::max(first, last - std::min(last, kMostFilters));
    for (size_t i = first; i < safe; ++i) {
      const uint64_t eight = x[i] * uint64_t{0x0101010101010101};
      std::memcpy(to + i * filters, &eight, sizeof eight);
    }
    for (size_t i = safe; i < last; ++i) std::memset(to + i * filters, x[i], filters);
  });
  conv.x = to;
  s.in_c = s.groups = s.out_c;
}

Status run_qconv(RunContext& ctx) {
  if (ctx.output(0).element_count() == 0) return Status::ok();
  const auto& params = ctx.params<QConvParams>();
  const ValueRef& x = ctx.input(Input::kA);
  const ColumnsI8 columns = columns_of(params);
  ASSIGN_OR_RETURN(const Windows windows,
                   place_windows(params.weights.windows, x.dims().subspan(1, 2), {}));
  ConvI8 conv;
  conv.shape = conv_shape_of(params.weights, x.dims(), windows);
  conv.epilogue = make_epilogue_i8(ctx, params.product, columns, ctx.scratch());
  std::byte* scratch = ctx.scratch() + align_up(scale_scratch_bytes(ctx, columns), 64);
  conv.x = x.as<uint8_t>();
  if (x.dtype == DType::kInt8) {
    flip_activations(ctx, x, reinterpret_cast<uint8_t*>(scratch));
    conv.x = reinterpret_cast<const uint8_t*>(scratch);
  }
  conv.x_zero = a_zero_of(ctx, params.product);
  conv.w = ctx.input(Input::kB).as<std::byte>();
  conv.has_w_zero = params.product.has_b_zero != 0;
  conv.y = ctx.output(0).data;
  scratch += flipped_bytes(x);
  if (params.algorithm == kPanels) {
    run_panels(ctx, conv, scratch);
    return Status::ok();
  }
  if (repeats_channels(params.algorithm)) {
    repeat_channels(ctx, conv, reinterpret_cast<uint8_t*>(scratch));
  }
  run_depthwise(ctx, conv);
  return Status::ok();
}

}  // namespace

KernelTable qconv_kernels() {
  static constexpr KernelRow rows[] = {
      {"QConv", kInternalDomain, 0, kLatestOpset, kBytes, "conv_nhwc.i8", 1, kNoFlags, 0,
       prepare_qconv, bind_qconv, run_qconv},
  };
  return rows;
}

}  // namespace ortc::cpu
