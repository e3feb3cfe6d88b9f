// SPDX-License-Identifier: MIT
// ortc.Conv and ortc.WinogradConv: channels-last convolution over two spatial axes with packed
// weights and an epilogue.
//
// Prepare decides between the implicit GEMM, the depthwise form and dot products, which is a
// function of the weights' shape alone, and packs the weights for it; of float16 and bfloat16
// weights the panels stay 16 bits, the few of the other forms become float32. WinogradConv has a
// form of its own. Threads divide output pixels and panels (of WinogradConv, tiles of four pixels),
// or output rows and channels.
#include <algorithm>

#include "providers/cpu/arith/conv_dots_f32/conv_dots_f32.h"
#include "providers/cpu/arith/conv_f32/conv_f32.h"
#include "providers/cpu/arith/depthwise_f32/depthwise_f32.h"
#include "providers/cpu/arith/winograd_f32/winograd_f32.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/thread_slots.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/float_rows.h"
#include "providers/cpu/layouts.h"
#include "providers/cpu/products/epilogue.h"
#include "providers/cpu/products/narrow_panels.h"
#include "providers/cpu/products/packed_size.h"
#include "providers/cpu/products/tile_grid.h"
#include "providers/cpu/windows/conv_shape.h"
#include "providers/cpu/windows/window.h"

namespace ortc::cpu {
namespace {

enum Algorithm : uint32_t { kPanels = 1, kDepthwise = 2, kWinograd = 3, kDots = 4 };

struct ConvParams {
  uint32_t record_bytes;
  uint32_t algorithm;
  ConvWeightsParams weights;
  EpilogueParams epilogue;
};
static_assert(sizeof(ConvParams) == 184);

constexpr int64_t kChannelStep = 64;  // channels of a depthwise work item: whole groups

// --- Prepare.

Algorithm algorithm_of(const Node& node, const ConvWeightsParams& params) {
  if (node.is_op("WinogradConv", kInternalDomain)) return kWinograd;
  const ConvShape shape = conv_weights_shape(params);
  if (is_by_channels(shape)) return kDepthwise;
  return suits_dots(shape) ? kDots : kPanels;
}

bool can_be(uint32_t algorithm, const ConvWeightsParams& params) {
  switch (algorithm) {
    case kPanels:
      return true;
    case kDepthwise:
      return is_by_channels(conv_weights_shape(params));
    case kWinograd:
      return is_for_winograd(conv_weights_shape(params));
    case kDots:
      return suits_dots(conv_weights_shape(params));
    default:
      return false;
  }
}

// Floats of the packed weights; nothing on overflow. The parameters are at least 1.
std::optional<int64_t> packed_floats(const ConvParams& p) {
  if (p.algorithm == kWinograd) {
    const auto depth = checked_mul(int64_t{kWinogradPlaces}, p.weights.in_c);
    if (!depth || !checked_packed_size(*depth, p.weights.out_c)) return std::nullopt;
    return static_cast<int64_t>(winograd_packed_size(conv_weights_shape(p.weights)));
  }
  const auto taps = checked_mul(p.weights.windows.kernel[0], p.weights.windows.kernel[1]);
  if (!taps) return std::nullopt;
  const auto depth = checked_mul(*taps, p.weights.in_c / p.weights.groups);
  if (p.algorithm == kDepthwise || p.algorithm == kDots) {
    const auto floats = depth ? checked_mul(*depth, p.weights.out_c) : std::nullopt;
    return floats && checked_mul(*floats, int64_t{4}) ? floats : std::nullopt;
  }
  const auto group =
      depth ? checked_packed_size(*depth, p.weights.out_c / p.weights.groups) : std::nullopt;
  const auto floats = group ? checked_mul(*group, p.weights.groups) : std::nullopt;
  return floats && checked_mul(*floats, int64_t{4}) ? floats : std::nullopt;
}

// Turned weights are float32 whatever the model's are: 16 bits would not hold them.
Status pack_for_winograd(PrepareContext& ctx, const Tensor& w, const ConvShape& shape,
                         int64_t size) {
  ASSIGN_OR_RETURN(Tensor packed, Tensor::create(DType::kFloat32, {size}));
  Tensor wide = w;
  if (is_half(w.dtype())) {
    ASSIGN_OR_RETURN(wide, Tensor::create(DType::kFloat32, w.dims()));
    float* to = wide.mutable_elements<float>().data();
    if (w.dtype() == DType::kFloat16) {
      widen(static_cast<const Float16*>(w.data()), w.element_count(), to);
    } else {
      widen(static_cast<const Bfloat16*>(w.data()), w.element_count(), to);
    }
  }
  winograd_pack_weights(shape, wide.elements<float>().data(), 0, shape.panels(),
                        packed.mutable_elements<float>().data());
  ctx.replace_input(1, std::move(packed), kWinogradPanels32F32);
  return Status::ok();
}

Status pack(PrepareContext& ctx, const Tensor& w, const ConvParams& params, int64_t size) {
  const ConvShape shape = conv_weights_shape(params.weights);
  if (params.algorithm == kWinograd) return pack_for_winograd(ctx, w, shape, size);
  const bool stays_half = is_half(w.dtype());
  ASSIGN_OR_RETURN(Tensor packed, Tensor::create(stays_half ? w.dtype() : DType::kFloat32, {size}));
  if (params.algorithm == kDepthwise) {
    depthwise_pack_weights(shape, w.elements<float>().data(),
                           packed.mutable_elements<float>().data());
    ctx.replace_input(1, std::move(packed), kDepthwiseF32);
  } else if (params.algorithm == kDots) {
    conv_dots_pack_weights(shape, w.elements<float>().data(),
                           packed.mutable_elements<float>().data());
    ctx.replace_input(1, std::move(packed), kConvDotsF32);
  } else if (stays_half) {
    conv_pack_weights(shape, half_bits(w), 0, shape.panels(),
                      static_cast<uint16_t*>(packed.mutable_data()));
    ctx.replace_input(1, std::move(packed), kConvPanels32Half);
  } else {
    conv_pack_weights(shape, w.elements<float>().data(), 0, shape.panels(),
                      packed.mutable_elements<float>().data());
    ctx.replace_input(1, std::move(packed), kConvPanels32F32);
  }
  return Status::ok();
}

Status prepare_conv(PrepareContext& ctx) {
  const Tensor* w = ctx.constant(1);
  if (w == nullptr) return not_implemented("ortc.Conv with weights that are not constant");
  ConvParams params{};
  params.record_bytes = sizeof params;
  ASSIGN_OR_RETURN(params.epilogue, epilogue_from_attributes(ctx.node(), 1.0f));
  const bool is_float = w->dtype() == DType::kFloat32 || is_half(w->dtype());
  if (!is_float || w->element_count() == 0) {
    return invalid_graph("weights are ", dtype_name(w->dtype()), dims_to_string(w->dims()),
                         ", expected float32, float16 or bfloat16");
  }
  ASSIGN_OR_RETURN(params.weights, conv_weights_params(ctx.node(), w->dims()));
  params.algorithm = algorithm_of(ctx.node(), params.weights);
  const bool reads_floats = params.algorithm == kDepthwise || params.algorithm == kDots;
  if (reads_floats && is_half(w->dtype())) {
    return not_implemented("ortc.Conv with groups of few channels, or to few, of ",
                           dtype_name(w->dtype()), ", expected float32");
  }
  if (!can_be(params.algorithm, params.weights)) {
    return not_implemented("ortc.WinogradConv with weights ", dims_to_string(w->dims()),
                           ", expected windows of 3x3 with stride 1 in one group");
  }
  const auto size = packed_floats(params);
  if (!size) return invalid_graph("weights of shape ", dims_to_string(w->dims()), " are too large");
  RETURN_IF_ERROR(pack(ctx, *w, params, *size));
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

Status check_record(const ConvParams& p) {
  RETURN_IF_ERROR(check_conv_weights(p.weights));
  if (can_be(p.algorithm, p.weights)) return Status::ok();
  return invalid_graph("its record has algorithm ", p.algorithm, ", expected ", uint32_t{kPanels},
                       ", ", uint32_t{kDepthwise}, " for groups of few channels, ",
                       uint32_t{kWinograd}, " for windows of 3x3 with stride 1 in one group, or ",
                       uint32_t{kDots}, " for few channels");
}

// Of one thread: its rows, and behind them a block of 16-bit weights as floats.
uint64_t slot_bytes(const ConvShape& shape, uint32_t algorithm, bool is_half) {
  if (algorithm == kWinograd) return align_up(winograd_scratch_bytes(shape), 64);
  const uint64_t rows = align_up(conv_scratch_bytes(shape), 64);
  return rows + (is_half ? align_up(narrow_room(shape.depth()) * sizeof(float), 64) : 0);
}

template <TypeMask kW>
Status bind_conv(BindContext& ctx) {
  const auto* params = ctx.params<ConvParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 4));
  RETURN_IF_ERROR(check_type(ctx, 0, mask_of(DType::kFloat32)));
  RETURN_IF_ERROR(check_record(*params));
  const bool is_half = kW == kHalfTypes;
  if (is_half && params->algorithm != kPanels) {
    return invalid_graph("its record has algorithm ", params->algorithm, ", expected ",
                         uint32_t{kPanels}, " for weights of 16 bits");
  }
  const TypeMask packed = is_half ? kHalfTypes : mask_of(DType::kFloat32);
  RETURN_IF_ERROR(check_packed(ctx, 1, packed_floats(*params), packed));
  const auto x = ctx.input(0).dims();
  if (x.size() != 4 || x[3] != params->weights.in_c) {
    return invalid_argument("the input has shape ", dims_to_string(x), ", expected [n,h,w,",
                            params->weights.in_c, "]");
  }
  ASSIGN_OR_RETURN(const Windows windows,
                   place_windows(params->weights.windows, x.subspan(1, 2), {}));
  const int64_t y[] = {x[0], windows.axis[1].out, windows.axis[2].out, params->weights.out_c};
  RETURN_IF_ERROR(check_epilogue(ctx, params->epilogue, params->weights.out_c, y));
  RETURN_IF_ERROR(ctx.set_output(0, DType::kFloat32, y));
  const bool takes_scratch = params->algorithm == kPanels || params->algorithm == kWinograd;
  if (takes_scratch && product(y) > 0) {
    const ConvShape shape = conv_shape_of(params->weights, x, windows);
    const uint64_t each = slot_bytes(shape, params->algorithm, is_half);
    const auto scratch = slot_scratch(each, ctx.thread_count());
    if (!scratch) return invalid_argument("the convolution needs more scratch than there can be");
    ctx.set_scratch(*scratch);
  }
  return Status::ok();
}

// --- Run.

void run_panels(const RunContext& ctx, const ConvF32& conv) {
  const ConvShape& s = conv.shape;
  const TileGrid grid = conv_grid(s, s.depth(), ctx.thread_count());
  const ConvF32Kernels& kernels = conv_f32_kernels(ctx.isa());
  const uint64_t each = slot_bytes(s, kPanels, conv.narrow.data != nullptr);
  const uint64_t room = align_up(conv_scratch_bytes(s), 64);
  parallel_items(ctx, ctx.thread_count(), grid.items(), [&](int64_t slot, int64_t item) {
    std::byte* scratch = ctx.scratch() + static_cast<uint64_t>(slot) * each;
    ConvF32 own = conv;
    if (own.narrow.data != nullptr) own.narrow.room = reinterpret_cast<float*>(scratch + room);
    kernels.run(own, static_cast<size_t>(grid.row_begin(item)),
                static_cast<size_t>(grid.row_end(item)),
                static_cast<size_t>(grid.panel_begin(item)),
                static_cast<size_t>(grid.panel_end(item)), scratch);
  });
}

// Each item turns the pixels of its tiles for itself: panels are divided where tiles are few.
TileGrid winograd_grid(const ConvShape& s, int threads) {
  constexpr int64_t kTilesWanted = 24;
  const auto tiles = static_cast<int64_t>(winograd_tiles(s));
  const auto panels = static_cast<int64_t>(s.panels());
  const int64_t wanted =
      make_tile_grid(tiles, panels, static_cast<int64_t>(s.depth()), items_for_threads(threads))
          .items();
  TileGrid grid{tiles, panels, 1, 1, 1};
  grid.row_items = std::clamp<int64_t>(tiles / kTilesWanted, 1, wanted);
  const int64_t least = std::min<int64_t>(wanted, 2 * threads);
  grid.panel_items = std::min(panels, (least + grid.row_items - 1) / grid.row_items);
  return grid;
}

void run_winograd(const RunContext& ctx, const ConvF32& conv) {
  const ConvShape& s = conv.shape;
  const TileGrid grid = winograd_grid(s, ctx.thread_count());
  const WinogradF32Kernels& kernels = winograd_f32_kernels(ctx.isa());
  const uint64_t each = slot_bytes(s, kWinograd, false);
  parallel_items(ctx, ctx.thread_count(), grid.items(), [&](int64_t slot, int64_t item) {
    kernels.run(
        conv, static_cast<size_t>(grid.row_begin(item)), static_cast<size_t>(grid.row_end(item)),
        static_cast<size_t>(grid.panel_begin(item)), static_cast<size_t>(grid.panel_end(item)),
        ctx.scratch() + static_cast<uint64_t>(slot) * each);
  });
}

// Rows first; channels too when there are few rows.
void run_depthwise(const RunContext& ctx, const ConvF32& conv) {
  const ConvShape& s = conv.shape;
  const auto rows = static_cast<int64_t>(s.batch * s.out_h);
  const auto channels = static_cast<int64_t>(s.out_c);
  const double work = static_cast<double>(s.pixels() * s.out_c) * static_cast<double>(s.depth());
  const auto wanted = static_cast<int64_t>(std::clamp(
      work / (1 << 17), 1.0, static_cast<double>(conv_items_for_threads(ctx.thread_count()))));
  const int64_t row_items = std::min(rows, wanted);
  const int64_t channel_items = std::clamp<int64_t>((wanted + row_items - 1) / row_items, 1,
                                                    (channels + kChannelStep - 1) / kChannelStep);
  const int64_t each = ((channels + channel_items - 1) / channel_items + kChannelStep - 1) /
                       kChannelStep * kChannelStep;
  const DepthwiseF32Kernels& kernels = depthwise_f32_kernels(ctx.isa());
  ctx.parallel_for(row_items * channel_items, 1, [&](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      const int64_t r = item % row_items, c = item / row_items * each;
      if (c >= channels) continue;
      kernels.run(conv, static_cast<size_t>(rows * r / row_items),
                  static_cast<size_t>(rows * (r + 1) / row_items), static_cast<size_t>(c),
                  static_cast<size_t>(std::min(channels, c + each)));
    }
  });
}

void run_dots(const RunContext& ctx, const ConvF32& conv) {
  const ConvShape& s = conv.shape;
  const ConvDotsF32Kernels& kernels = conv_dots_f32_kernels(ctx.isa());
  const double work = static_cast<double>(s.out_w * s.out_c) * static_cast<double>(s.depth());
  const auto grain = static_cast<int64_t>(std::max(1.0, (1 << 17) / work));
  ctx.parallel_for(static_cast<int64_t>(s.batch * s.out_h), grain, [&](int64_t begin, int64_t end) {
    kernels.run(conv, static_cast<size_t>(begin), static_cast<size_t>(end));
  });
}

Status run_conv(RunContext& ctx) {
  if (ctx.output(0).element_count() == 0) return Status::ok();
  const auto& params = ctx.params<ConvParams>();
  const auto x = ctx.input(0).dims();
  ASSIGN_OR_RETURN(const Windows windows,
                   place_windows(params.weights.windows, x.subspan(1, 2), {}));
  ConvF32 conv;
  conv.shape = conv_shape_of(params.weights, x, windows);
  conv.x = ctx.input(0).as<float>();
  conv.x_ld = conv.shape.in_c;
  conv.narrow = narrow_panels(ctx.input(1), nullptr);
  if (conv.narrow.data == nullptr) conv.w = ctx.input(1).as<float>();
  conv.y = ctx.output(0).as_mutable<float>();
  conv.y_ld = conv.shape.out_c;
  conv.epilogue = make_epilogue(ctx, params.epilogue, params.weights.out_c);
  if (params.algorithm == kDepthwise) {
    run_depthwise(ctx, conv);
  } else if (params.algorithm == kWinograd) {
    run_winograd(ctx, conv);
  } else if (params.algorithm == kDots) {
    run_dots(ctx, conv);
  } else {
    run_panels(ctx, conv);
  }
  return Status::ok();
}

}  // namespace

KernelTable conv_kernels() {
  static constexpr KernelRow rows[] = {
      {"Conv", kInternalDomain, 0, kLatestOpset, mask_of(DType::kFloat32), "conv_nhwc.f32", 1,
       kNoFlags, 0, prepare_conv, bind_conv<mask_of(DType::kFloat32)>, run_conv, 1},
      {"Conv", kInternalDomain, 0, kLatestOpset, kHalfTypes, "conv_nhwc.half", 1, kNoFlags, 0,
       prepare_conv, bind_conv<kHalfTypes>, run_conv, 1},
      {"WinogradConv", kInternalDomain, 0, kLatestOpset, mask_of(DType::kFloat32) | kHalfTypes,
       "conv_winograd.f32", 1, kNoFlags, 0, prepare_conv, bind_conv<mask_of(DType::kFloat32)>,
       run_conv, 1},
  };
  return rows;
}

}  // namespace ortc::cpu
