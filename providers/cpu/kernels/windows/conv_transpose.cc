// SPDX-License-Identifier: MIT
// ortc.ConvTranspose: channels-last transposed convolution over two spatial axes with packed
// weights.
//
// Groups of one channel have sums over all channels instead, a tap of an input pixel at a time.
// Otherwise every input pixel times the weights gives what it adds to the output under its window:
// one product per group, of pixels by (tap, output channel). A band of input rows at a time is
// multiplied into scratch; then each output row gathers what the band has for it. Bands depend on
// the shape alone, and bands, rows, taps and pixels are added in that order: the number of threads
// does not change a bit. Weights may have 16 bits: the product widens them (gemm_f32.h).
#include <algorithm>
#include <array>

#include "providers/cpu/arith/gemm_f32/gemm_f32.h"
#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/copy_rows.h"
#include "providers/cpu/bind/thread_slots.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/float_rows.h"
#include "providers/cpu/layouts.h"
#include "providers/cpu/products/narrow_panels.h"
#include "providers/cpu/products/packed_size.h"
#include "providers/cpu/products/tile_grid.h"
#include "providers/cpu/windows/transposed_shape.h"

namespace ortc::cpu {
namespace {

struct ConvTransposeNhwcParams {
  ConvTransposeParams transposed;  // with the weights' kernel filled in
  int64_t in_c, out_c;
};
static_assert(sizeof(ConvTransposeNhwcParams) == 216);

constexpr int64_t kBandFloats = 256 * 1024;  // aim for the product of one band
constexpr int64_t kAddGrain = 16384;         // additions that are worth a thread
constexpr int64_t kShortRow = 16;            // channels below which a loop in place is faster
constexpr int64_t kDepthwiseMin = 8;         // channels that sums over all of them take

// --- Prepare.

int64_t group_in(const ConvTransposeNhwcParams& p) { return p.in_c / p.transposed.groups; }
int64_t group_out(const ConvTransposeNhwcParams& p) { return p.out_c / p.transposed.groups; }

// Columns of one group's product: taps times output channels.
std::optional<int64_t> product_columns(const ConvTransposeNhwcParams& p) {
  const WindowParams& w = p.transposed.windows;
  const auto taps = checked_mul(w.kernel[0], w.kernel[1]);
  return taps ? checked_mul(*taps, group_out(p)) : std::nullopt;
}

std::optional<int64_t> packed_floats(const ConvTransposeNhwcParams& p) {
  const auto columns = product_columns(p);
  const auto group = columns ? checked_packed_size(group_in(p), *columns) : std::nullopt;
  const auto floats = group ? checked_mul(*group, p.transposed.groups) : std::nullopt;
  return floats && checked_mul(*floats, int64_t{4}) ? floats : std::nullopt;
}

// The record is one that prepare could have made.
Status check_record(const ConvTransposeNhwcParams& p) {
  const auto is_count = [](int64_t n) { return n >= 1 && n <= INT32_MAX; };
  const WindowParams& w = p.transposed.windows;
  const bool is_good = is_count(p.in_c) && is_count(p.out_c) && is_count(p.transposed.groups) &&
                       p.in_c % p.transposed.groups == 0 && p.out_c % p.transposed.groups == 0 &&
                       w.rank == 2 && is_count(w.kernel[0]) && is_count(w.kernel[1]) &&
                       packed_floats(p);
  if (is_good) return Status::ok();
  return invalid_graph("its record describes an impossible transposed convolution: ", p.in_c,
                       " to ", p.out_c, " channels in ", p.transposed.groups, " groups");
}

// w [in_c][out_c / groups][kh][kw] of one group as rows of (tap, output channel).
template <typename T>
std::vector<T> group_matrix(const ConvTransposeNhwcParams& p, const T* w) {
  const int64_t rows = group_in(p), channels = group_out(p);
  const int64_t taps = p.transposed.windows.kernel[0] * p.transposed.windows.kernel[1];
  std::vector<T> matrix(static_cast<size_t>(rows * channels * taps));
  T* to = matrix.data();
  for (int64_t row = 0; row < rows; ++row, w += channels * taps) {
    for (int64_t tap = 0; tap < taps; ++tap) {
      for (int64_t c = 0; c < channels; ++c) *to++ = w[c * taps + tap];
    }
  }
  return matrix;
}

template <typename T>
void pack_groups(const ConvTransposeNhwcParams& p, const T* from, T* to) {
  const auto k = static_cast<size_t>(group_in(p)), n = static_cast<size_t>(*product_columns(p));
  for (int64_t group = 0; group < p.transposed.groups; ++group) {
    const std::vector<T> matrix = group_matrix(p, from);
    if constexpr (std::is_same_v<T, float>) {
      gemm_f32_kernels(host_isa()).pack_b(matrix.data(), n, false, k, n, 0, panel_count(n), to);
    } else {
      pack_narrow_panels(matrix.data(), n, false, k, n, 0, panel_count(n), to);
    }
    from += k * n;
    to += packed_size(k, n);
  }
}

Status pack(PrepareContext& ctx, const ConvTransposeNhwcParams& p, const Tensor& w) {
  ASSIGN_OR_RETURN(Tensor packed, Tensor::create(w.dtype(), {*packed_floats(p)}));
  if (is_half(w.dtype())) {
    pack_groups(p, half_bits(w), static_cast<uint16_t*>(packed.mutable_data()));
    ctx.replace_input(1, std::move(packed), kTransposedPanels32Half);
  } else {
    pack_groups(p, w.elements<float>().data(), packed.mutable_elements<float>().data());
    ctx.replace_input(1, std::move(packed), kTransposedPanels32F32);
  }
  return Status::ok();
}

Status prepare_transpose(PrepareContext& ctx) {
  const Tensor* w = ctx.constant(1);
  if (w == nullptr) return not_implemented("ortc.ConvTranspose with weights that are not constant");
  const bool is_float = w->dtype() == DType::kFloat32 || is_half(w->dtype());
  if (!is_float || w->dims().size() != 4 || w->element_count() == 0) {
    return invalid_graph("weights are ", dtype_name(w->dtype()), dims_to_string(w->dims()),
                         ", expected float32, float16 or bfloat16 of rank 4");
  }
  ConvTransposeNhwcParams params{};
  ASSIGN_OR_RETURN(params.transposed, transposed_from_attributes(ctx.node()));
  params.transposed.record_bytes = sizeof params;
  WindowParams& windows = params.transposed.windows;
  if (windows.rank == 0) {
    windows.rank = 2;
    std::fill_n(windows.stride, 2, 1);
    std::fill_n(windows.dilation, 2, 1);
  }
  for (size_t i = 0; i < 2 && windows.rank == 2; ++i) {
    if (windows.kernel[i] != 0 && windows.kernel[i] != w->dims()[i + 2]) {
      return invalid_graph("kernel_shape says ", windows.kernel[i], ", the weights have ",
                           w->dims()[i + 2]);
    }
    windows.kernel[i] = w->dims()[i + 2];
  }
  params.in_c = w->dims()[0];
  params.out_c = checked_mul(w->dims()[1], params.transposed.groups).value_or(0);
  RETURN_IF_ERROR(check_record(params));
  RETURN_IF_ERROR(pack(ctx, params, *w));
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

Result<Windows> windows_of(const ConvTransposeNhwcParams& p, std::span<const int64_t> x) {
  return place_transposed(p.transposed, x.subspan(1, 2), {p.transposed.windows.kernel, 2});
}

int64_t band_rows(const Windows& windows, int64_t columns) {
  const int64_t width = windows.axis[2].in;
  const double row = static_cast<double>(width) * static_cast<double>(columns);
  const auto rows = static_cast<int64_t>(static_cast<double>(kBandFloats) / row);
  return std::clamp<int64_t>(rows, 1, windows.axis[1].in);
}

std::optional<uint64_t> band_bytes(const Windows& windows, int64_t columns) {
  const auto pixels = checked_mul(band_rows(windows, columns), windows.axis[2].in);
  const auto floats = pixels ? checked_mul(*pixels, columns) : std::nullopt;
  const auto bytes =
      floats ? checked_mul(static_cast<uint64_t>(*floats), uint64_t{sizeof(float)}) : std::nullopt;
  return bytes ? checked_align_up(*bytes, 64) : std::nullopt;
}

// Behind the band, of each thread: a block of 16-bit weights as floats.
uint64_t room_bytes(const ConvTransposeNhwcParams& p) {
  return align_up(narrow_room(static_cast<size_t>(group_in(p))) * sizeof(float), 64);
}

bool is_depthwise(const ConvTransposeNhwcParams& p) {
  return group_in(p) == 1 && group_out(p) == 1 && p.in_c >= kDepthwiseMin;
}

std::optional<uint64_t> scratch_bytes(const ConvTransposeNhwcParams& p, const Windows& windows,
                                      bool is_half, int threads) {
  if (is_depthwise(p)) {  // the weights as [tap][channel], and those of one channel
    return static_cast<uint64_t>(*product_columns(p) * (p.in_c + 1)) * sizeof(float);
  }
  const auto band = band_bytes(windows, *product_columns(p));
  const auto rooms = slot_scratch(is_half ? room_bytes(p) : 0, threads);
  return band && rooms ? checked_add(*band, *rooms) : std::nullopt;
}

template <TypeMask kW>
Status bind_transpose(BindContext& ctx) {
  const auto* params = ctx.params<ConvTransposeNhwcParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 3));
  RETURN_IF_ERROR(check_type(ctx, 0, mask_of(DType::kFloat32)));
  RETURN_IF_ERROR(check_record(*params));
  RETURN_IF_ERROR(check_packed(ctx, 1, packed_floats(*params), kW));
  if (ctx.has_input(2)) RETURN_IF_ERROR(check_packed(ctx, 2, params->out_c));
  const auto x = ctx.input(0).dims();
  if (x.size() != 4 || x[3] != params->in_c) {
    return invalid_argument("the input has shape ", dims_to_string(x), ", expected [n,h,w,",
                            params->in_c, "]");
  }
  ASSIGN_OR_RETURN(const Windows windows, windows_of(*params, x));
  const auto scratch = scratch_bytes(*params, windows, kW == kHalfTypes, ctx.thread_count());
  if (!scratch) return invalid_argument("the convolution needs more scratch than there can be");
  ctx.set_scratch(*scratch);
  return ctx.set_output(0, DType::kFloat32,
                        {x[0], windows.axis[1].out, windows.axis[2].out, params->out_c});
}

// --- Run.

// The input pixels whose output place by column c of the kernel lies within the row: [begin, end),
// each at pixel * stride + shift.
struct Reach {
  int64_t begin, end, shift;
};

Reach reach_of(const WindowAxis& columns, int64_t c) {
  const int64_t shift = c * columns.dilation - columns.pad_begin;
  const int64_t begin = shift >= 0 ? 0 : (-shift + columns.stride - 1) / columns.stride;
  const int64_t end = std::min(
      columns.in, shift >= columns.out ? 0 : (columns.out - shift - 1) / columns.stride + 1);
  return {begin, end, shift};
}

// The input row that row `tap` of the kernel brings to an output row, or -1.
int64_t source_row(const WindowAxis& rows, int64_t row, int64_t tap) {
  const int64_t spread = row + rows.pad_begin - tap * rows.dilation;
  if (spread < 0 || spread % rows.stride != 0) return -1;
  const int64_t place = spread / rows.stride;
  return place < rows.in ? place : -1;
}

class DepthwiseRun {
 public:
  DepthwiseRun(const RunContext& ctx, const ConvTransposeNhwcParams& params, const Windows& windows)
      : ctx_(ctx),
        rows_(windows.axis[1]),
        columns_(windows.axis[2]),
        channels_(params.out_c),
        taps_(*product_columns(params)),
        vector_(vector_f32_kernels(ctx.isa())),
        weights_(reinterpret_cast<float*>(ctx.scratch())) {}

  void run() const {
    spread_weights();
    const int64_t work = columns_.in * channels_ * taps_ / std::max<int64_t>(1, rows_.stride);
    const int64_t grain = std::max<int64_t>(1, kAddGrain / std::max<int64_t>(1, work));
    ctx_.parallel_for(ctx_.input(0).dim(0) * rows_.out, grain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) sum_row(row / rows_.out, row % rows_.out);
    });
  }

 private:
  // Each channel's weights are a product's matrix of one row.
  void spread_weights() const {
    const ValueRef& packed = ctx_.input(1);
    const auto pitch = static_cast<int64_t>(packed_size(1, static_cast<size_t>(taps_)));
    float* own = weights_ + taps_ * channels_;
    for (int64_t c = 0; c < channels_; ++c) {
      const float* from = own;
      if (packed.dtype == DType::kFloat16) {
        widen(packed.as<Float16>() + c * pitch, taps_, own);
      } else if (packed.dtype == DType::kBfloat16) {
        widen(packed.as<Bfloat16>() + c * pitch, taps_, own);
      } else {
        from = packed.as<float>() + c * pitch;
      }
      for (int64_t tap = 0; tap < taps_; ++tap) weights_[tap * channels_ + c] = from[tap];
    }
  }

  void sum_row(int64_t image, int64_t row) const {
    const auto count = static_cast<size_t>(channels_);
    float* y =
        ctx_.output(0).as_mutable<float>() + (image * rows_.out + row) * columns_.out * channels_;
    if (ctx_.has_input(2)) {
      const float* bias = ctx_.input(2).as<float>();
      for (int64_t pixel = 0; pixel < columns_.out; ++pixel)
        std::copy_n(bias, count, y + pixel * channels_);
    } else {
      std::fill_n(y, columns_.out * channels_, 0.0f);
    }
    for (int64_t tap = 0; tap < rows_.kernel; ++tap) {
      const int64_t place = source_row(rows_, row, tap);
      if (place < 0) continue;
      const float* x =
          ctx_.input(0).as<float>() + (image * rows_.in + place) * columns_.in * channels_;
      const float* w = weights_ + tap * columns_.kernel * channels_;
      for (int64_t c = 0; c < columns_.kernel; ++c, w += channels_) {
        const auto [begin, end, shift] = reach_of(columns_, c);
        for (int64_t pixel = begin; pixel < end; ++pixel) {
          float* to = y + (pixel * columns_.stride + shift) * channels_;
          vector_.multiply_add(x + pixel * channels_, w, to, to, count);
        }
      }
    }
  }

  const RunContext& ctx_;
  const WindowAxis &rows_, &columns_;
  const int64_t channels_, taps_;
  const VectorF32Kernels& vector_;
  float* const weights_;
};

class TransposedRun {
 public:
  TransposedRun(const RunContext& ctx, const ConvTransposeNhwcParams& params,
                const Windows& windows)
      : ctx_(ctx),
        params_(params),
        rows_(windows.axis[1]),
        columns_(windows.axis[2]),
        channels_(group_out(params)),
        product_columns_(*product_columns(params)),
        band_rows_(band_rows(windows, product_columns_)),
        vector_(vector_f32_kernels(ctx.isa())),
        product_(reinterpret_cast<float*>(ctx.scratch())),
        rooms_(ctx.scratch() + band_bytes(windows, product_columns_).value_or(0)) {
    for (int64_t c = 0; c < std::min(columns_.kernel, kReaches); ++c) {
      reaches_[static_cast<size_t>(c)] = reach_of(columns_, c);
    }
  }

  void run() {
    const int64_t batch = ctx_.input(0).dim(0), groups = params_.transposed.groups;
    start_output();
    for (int64_t part = 0; part < batch * groups; ++part) {
      for (int64_t first = 0; first < rows_.in; first += band_rows_) {
        const int64_t end = std::min(rows_.in, first + band_rows_);
        multiply(part / groups, part % groups, first, end);
        add_band(part / groups, part % groups, first, end);
      }
    }
  }

 private:
  float* output_row(int64_t image, int64_t row) const {
    return ctx_.output(0).as_mutable<float>() +
           (image * rows_.out + row) * columns_.out * params_.out_c;
  }

  // The bias, or zero, everywhere.
  void start_output() const {
    const float* bias = ctx_.has_input(2) ? ctx_.input(2).as<float>() : nullptr;
    const int64_t size = params_.out_c;
    const int64_t grain = std::max<int64_t>(1, kAddGrain / std::max<int64_t>(1, size));
    ctx_.parallel_for(ctx_.output(0).element_count() / size, grain,
                      [&](int64_t begin, int64_t end) {
                        float* to = ctx_.output(0).as_mutable<float>() + begin * size;
                        const int64_t count = (end - begin) * size;
                        if (bias == nullptr || size == 1) {
                          std::fill_n(to, count, bias != nullptr ? *bias : 0.0f);
                        } else {
                          repeat_row(bias, size, 0, to, count);
                        }
                      });
  }

  void multiply(int64_t image, int64_t group, int64_t first, int64_t end) const {
    const int64_t depth = group_in(params_);
    GemmF32 gemm;
    gemm.a = ctx_.input(0).as<float>() + (image * rows_.in + first) * columns_.in * params_.in_c +
             group * depth;
    gemm.lda = static_cast<size_t>(params_.in_c);
    gemm.k = static_cast<size_t>(depth);
    gemm.n = gemm.ldc = static_cast<size_t>(product_columns_);
    set_weights(gemm, static_cast<size_t>(group) * packed_size(gemm.k, gemm.n));
    gemm.c = product_;
    const TileGrid grid =
        make_tile_grid((end - first) * columns_.in, static_cast<int64_t>(panel_count(gemm.n)),
                       depth, items_for_threads(ctx_.thread_count()));
    const GemmF32Kernels& kernels = gemm_f32_kernels(ctx_.isa());
    parallel_items(ctx_, ctx_.thread_count(), grid.items(), [&](int64_t slot, int64_t item) {
      GemmF32 own = gemm;
      if (own.narrow.data != nullptr) {
        std::byte* room = rooms_ + static_cast<uint64_t>(slot) * room_bytes(params_);
        own.narrow.room = reinterpret_cast<float*>(room);
      }
      kernels.tile(
          own, static_cast<size_t>(grid.row_begin(item)), static_cast<size_t>(grid.row_end(item)),
          static_cast<size_t>(grid.panel_begin(item)), static_cast<size_t>(grid.panel_end(item)));
    });
  }

  // From element `first` of the packed weights on.
  void set_weights(GemmF32& gemm, size_t first) const {
    const ValueRef& packed = ctx_.input(1);
    gemm.narrow = narrow_panels(packed, nullptr);
    if (gemm.narrow.data != nullptr) {
      gemm.narrow.data = static_cast<const uint16_t*>(packed.data) + first;
    } else {
      gemm.b = packed.as<float>() + first;
    }
  }

  // The output rows that input rows [first, end) reach.
  void add_band(int64_t image, int64_t group, int64_t first, int64_t end) const {
    const int64_t low = std::max<int64_t>(0, first * rows_.stride - rows_.pad_begin);
    const int64_t high =
        std::min(rows_.out, (end - 1) * rows_.stride - rows_.pad_begin + window_reach(rows_));
    const int64_t work = columns_.in * product_columns_ / std::max<int64_t>(1, rows_.stride);
    const int64_t grain = std::max<int64_t>(1, kAddGrain / std::max<int64_t>(1, work));
    ctx_.parallel_for(std::max<int64_t>(0, high - low), grain, [&](int64_t from, int64_t to) {
      for (int64_t row = low + from; row < low + to; ++row) {
        float* y = output_row(image, row) + group * channels_;
        for (int64_t tap = 0; tap < rows_.kernel; ++tap) {
          const int64_t place = source_row(rows_, row, tap);
          if (place >= first && place < end) add_row(place - first, tap, y);
        }
      }
    });
  }

  // What one input row of the band gives an output row by one row of the kernel.
  void add_row(int64_t band_row, int64_t tap, float* y) const {
    const float* from =
        product_ + band_row * columns_.in * product_columns_ + tap * columns_.kernel * channels_;
    for (int64_t c = 0; c < columns_.kernel; ++c, from += channels_) {
      const Reach reach = c < kReaches ? reaches_[static_cast<size_t>(c)] : reach_of(columns_, c);
      switch (channels_) {
        case 1:
          add_few<1>(reach, from, y);
          break;
        case 2:
          add_few<2>(reach, from, y);
          break;
        case 3:
          add_few<3>(reach, from, y);
          break;
        case 4:
          add_few<4>(reach, from, y);
          break;
        default:
          add_many(reach, from, y);
      }
    }
  }

  template <int64_t kChannels>
  void add_few(const Reach& reach, const float* x, float* y) const {
    const int64_t from_step = product_columns_, to_step = columns_.stride * params_.out_c;
    const float* __restrict from = x + reach.begin * from_step;
    float* __restrict to = y + reach.begin * to_step + reach.shift * params_.out_c;
    for (int64_t pixel = reach.begin; pixel < reach.end;
         ++pixel, from += from_step, to += to_step) {
      for (int64_t i = 0; i < kChannels; ++i) to[i] += from[i];
    }
  }

  void add_many(const Reach& reach, const float* x, float* y) const {
    for (int64_t pixel = reach.begin; pixel < reach.end; ++pixel) {
      const float* from = x + pixel * product_columns_;
      float* to = y + (pixel * columns_.stride + reach.shift) * params_.out_c;
      if (channels_ >= kShortRow) {
        vector_.add(to, from, to, static_cast<size_t>(channels_));
      } else {
        for (int64_t i = 0; i < channels_; ++i) to[i] += from[i];
      }
    }
  }

  const RunContext& ctx_;
  const ConvTransposeNhwcParams& params_;
  const WindowAxis &rows_, &columns_;
  const int64_t channels_, product_columns_, band_rows_;
  const VectorF32Kernels& vector_;
  float* const product_;
  std::byte* const rooms_;
  static constexpr int64_t kReaches = 16;  // that take no divisions for each row
  std::array<Reach, kReaches> reaches_;
};

Status run_transpose(RunContext& ctx) {
  if (ctx.output(0).element_count() == 0) return Status::ok();
  const auto& params = ctx.params<ConvTransposeNhwcParams>();
  ASSIGN_OR_RETURN(const Windows windows, windows_of(params, ctx.input(0).dims()));
  if (is_depthwise(params)) {
    DepthwiseRun(ctx, params, windows).run();
  } else {
    TransposedRun(ctx, params, windows).run();
  }
  return Status::ok();
}

}  // namespace

KernelTable conv_transpose_kernels() {
  static constexpr KernelRow rows[] = {
      {"ConvTranspose", kInternalDomain, 0, kLatestOpset, mask_of(DType::kFloat32),
       "conv_transpose_nhwc.f32", 1, kNoFlags, 0, prepare_transpose,
       bind_transpose<mask_of(DType::kFloat32)>, run_transpose, 1},
      {"ConvTranspose", kInternalDomain, 0, kLatestOpset, kHalfTypes, "conv_transpose_nhwc.half", 1,
       kNoFlags, 0, prepare_transpose, bind_transpose<kHalfTypes>, run_transpose, 1},
  };
  return rows;
}

}  // namespace ortc::cpu
