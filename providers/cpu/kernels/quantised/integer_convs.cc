// SPDX-License-Identifier: MIT
// ConvInteger and QLinearConv with any operands, one to three spatial axes, any groups. Images
// with constant weights become ortc.QConv before they come here.
//
//   acc = sum (x - x_zero) (w - w_zero)  [+ bias]
//   y = saturate(round(acc x_scale w_scale / y_scale) + y_zero), ties to even
//
// Of every group, weights are the left matrix of an int8 product (gemm_i8.h), a row a filter; a
// block of output pixels makes the columns of the right one, brought together line by line and
// packed. So the result has ONNX's layout, and threads divide the blocks.
//
// With strides of 1 the planes are filled up with padding first, to the extents that windows reach
// over. Pixels are counted along these: a line is a stretch of a plane then, and what lies between
// the rows of the result is computed and left out.
#include "providers/cpu/kernels/quantised/integer_convs.h"

#include <algorithm>
#include <cstring>

#include "providers/cpu/arith/gemm_i8/gemm_i8.h"
#include "providers/cpu/bind/thread_slots.h"
#include "providers/cpu/kernels/quantised/integer_operands.h"
#include "providers/cpu/products/product_i8.h"
#include "providers/cpu/windows/window.h"

namespace ortc::cpu {
namespace {

constexpr TypeMask kBytes = mask_of(DType::kUint8, DType::kInt8);
constexpr TypeMask kProductScales = mask_of(DType::kFloat32, DType::kFloat16, DType::kBfloat16);
constexpr int64_t kLineBytes = 96 * 1024;  // of the lines of a block: they stay near
constexpr int64_t kPixelsMax = 512, kColumns = static_cast<int64_t>(kPanelColumns);
constexpr int64_t kFiltersAtOnce = 48;  // whose sums wait to be rounded
constexpr int64_t kCopyGrain = 1 << 16;
constexpr double kFlatMax = 1.4;  // pixels that are computed for one of the result

struct IntegerConvParams {
  uint32_t record_bytes;
  uint32_t reserved;
  int64_t groups;
  WindowParams windows;
};
static_assert(sizeof(IntegerConvParams) == 152);

struct ConvInputs {
  size_t x, w, x_zero, w_zero;
  bool is_quantised;  // x_scale, w_scale, y_scale, y_zero and bias are inputs 1, 4, 6, 7 and 8
};
constexpr ConvInputs kConvInteger = {0, 1, 2, 3, false};
constexpr ConvInputs kQLinearConv = {0, 3, 2, 5, true};

// --- Bind.

// How the work is cut, a function of the shape alone, and where things lie in scratch: filters as
// uint8 in whole quads; then for each thread lines, panels and sums of a block.
struct Layout {
  int64_t depth = 0;                 // numbers of a window
  int64_t filters = 0;               // of a group
  int64_t pixels = 0;                // of a block
  bool is_flat = false;              // strides of 1
  int64_t extent[kSpatialMax] = {};  // of a filled up plane
  int64_t all_pixels = 0;            // of the result, with those between its rows
  uint64_t planes = 0;               // one image's
  uint64_t panels = 0, sums = 0;     // within a slot
  uint64_t slots = 0, slot_bytes = 0, all = 0;

  int64_t plane() const { return extent[0] * extent[1] * extent[2]; }
  int64_t width() const { return static_cast<int64_t>(quads(static_cast<size_t>(depth))) * 4; }
};

bool copies_filters(const ValueRef& w, const Layout& l) {
  return w.dtype == DType::kInt8 || l.depth % 4 != 0;
}

// Whether pixels are counted along filled up planes, which is not worth it where much lies between
// the rows. False when such a plane is too large.
bool place_planes(const Windows& windows, Layout* l) {
  const auto& axis = windows.axis;
  l->all_pixels = windows.out_size();
  const bool is_dense = axis[0].stride == 1 && axis[1].stride == 1 && axis[2].stride == 1;
  if (!is_dense || l->all_pixels == 0) return true;
  int64_t extent[kSpatialMax];
  for (size_t i = 0; i < kSpatialMax; ++i) extent[i] = axis[i].out + window_reach(axis[i]) - 1;
  const auto area = checked_mul(extent[1], extent[2]);
  if (!area || !checked_mul(*area, extent[0])) return false;
  const int64_t pixels = (axis[0].out - 1) * *area + (axis[1].out - 1) * extent[2] + axis[2].out;
  if (static_cast<double>(pixels) > kFlatMax * static_cast<double>(l->all_pixels)) return true;
  std::copy_n(extent, kSpatialMax, l->extent);
  l->all_pixels = pixels;
  l->is_flat = true;
  return true;
}

std::optional<Layout> layout_of(const ValueRef& w, const Windows& windows, int64_t groups,
                                int thread_count) {
  Layout l;
  const auto depth = checked_mul(w.dim(1), windows.taps());
  if (!depth || *depth > INT32_MAX / kPixelsMax) return std::nullopt;
  l.depth = *depth;
  l.filters = w.dim(0) / groups;
  const int64_t fitting = kLineBytes / l.width() / kColumns * kColumns;
  if (!place_planes(windows, &l)) return std::nullopt;
  const int64_t needed = (l.all_pixels + kColumns - 1) / kColumns * kColumns;
  l.pixels = std::clamp(std::min(fitting, needed), kColumns, kPixelsMax);
  const auto panels = static_cast<uint64_t>(l.pixels / kColumns);
  l.panels = align_up(static_cast<uint64_t>(l.width() * l.pixels), 64);
  l.sums = l.panels + panels * panel_bytes_i8(static_cast<size_t>(l.depth));
  l.slot_bytes = l.sums + static_cast<uint64_t>(kFiltersAtOnce * l.pixels) * 4;
  const auto filters =
      copies_filters(w, l) ? checked_mul(w.dim(0), l.width()) : std::optional<int64_t>(0);
  const auto slots = slot_scratch(l.slot_bytes, thread_count);
  if (!filters || !slots) return std::nullopt;
  l.slot_bytes = align_up(l.slot_bytes, 64);
  const auto channels = checked_mul(w.dim(1), groups);
  const auto planes = channels ? checked_mul(*channels, l.plane()) : std::nullopt;
  const auto begin = checked_align_up(static_cast<uint64_t>(*filters), 64);
  const auto end =
      begin && planes ? checked_add(*begin, static_cast<uint64_t>(*planes)) : std::nullopt;
  const auto first = end ? checked_align_up(*end, 64) : std::nullopt;
  const auto all = first ? checked_add(*first, *slots) : std::nullopt;
  if (!all) return std::nullopt;
  l.planes = *begin;
  l.slots = *first;
  l.all = *all;
  return l;
}

Status check_rounding(BindContext& ctx, int64_t filters) {
  RETURN_IF_ERROR(check_count(ctx, 1, 1, kProductScales));
  RETURN_IF_ERROR(check_count(ctx, 4, filters, kProductScales));
  RETURN_IF_ERROR(check_count(ctx, 6, 1, kProductScales));
  RETURN_IF_ERROR(check_count(ctx, 7, 1, kBytes));
  RETURN_IF_ERROR(check_type(ctx, 8, mask_of(DType::kInt32)));
  if (ctx.has_input(8) && (ctx.input(8).rank != 1 || ctx.input(8).dim(0) != filters)) {
    return invalid_argument("the bias has shape ", dims_to_string(ctx.input(8).dims()),
                            ", expected [", filters, "]");
  }
  return Status::ok();
}

template <const ConvInputs& at>
Status bind_conv(BindContext& ctx) {
  const auto* params = ctx.params<IntegerConvParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, at.is_quantised ? 8 : 2, at.is_quantised ? 9 : 4));
  RETURN_IF_ERROR(check_type(ctx, at.x, kBytes));
  RETURN_IF_ERROR(check_type(ctx, at.w, kBytes));
  RETURN_IF_ERROR(check_same_type(ctx, at.x_zero, at.x));
  RETURN_IF_ERROR(check_same_type(ctx, at.w_zero, at.w));
  const auto x = ctx.input(at.x).dims(), w = ctx.input(at.w).dims();
  const auto wide = x.size() >= 3 && w.size() == x.size() && params->groups >= 1
                        ? checked_mul(w[1], params->groups)
                        : std::nullopt;
  if (!wide || x[1] != *wide || w[0] < 1 || w[1] < 1 || w[0] % params->groups != 0) {
    return invalid_argument("input ", dims_to_string(x), " and weights ", dims_to_string(w),
                            " with ", params->groups, " groups do not fit");
  }
  ASSIGN_OR_RETURN(const Windows windows,
                   place_windows(params->windows, x.subspan(2), w.subspan(2)));
  RETURN_IF_ERROR(check_count(ctx, at.x_zero, 1, kBytes));
  RETURN_IF_ERROR(check_count(ctx, at.w_zero, w[0], kBytes));
  const auto layout = layout_of(ctx.input(at.w), windows, params->groups, ctx.thread_count());
  if (!layout) return invalid_argument("the convolution needs more scratch than there can be");
  ctx.set_scratch(layout->all);
  DimList dims;
  dims.push_back(x[0]);
  dims.push_back(w[0]);
  for (size_t i = 0; i < windows.rank; ++i) dims.push_back(windows.own_axis(i).out);
  if (!at.is_quantised) return ctx.set_output(0, DType::kInt32, dims);
  RETURN_IF_ERROR(check_rounding(ctx, w[0]));
  return ctx.set_output(0, ctx.input(7).dtype, dims);
}

// --- Run.

// An output pixel by its axes.
struct Pixel {
  int64_t at[kSpatialMax];
};

// Runs are short: a row of a small image.
void copy_run(const uint8_t* from, int64_t n, uint8_t* to) {
  if (n < 16) {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i];
    return;
  }
  for (int64_t i = 0; i + 16 <= n; i += 16) std::memcpy(to + i, from + i, 16);
  std::memcpy(to + n - 16, from + n - 16, 16);
}

// The first of each of sixteen pairs.
void copy_evens(const uint8_t* pairs, uint8_t* to) {
  typedef uint8_t Bytes __attribute__((vector_size(16)));
  Bytes a, b;
  std::memcpy(&a, pairs, sizeof a);
  std::memcpy(&b, pairs + sizeof a, sizeof b);
  const Bytes evens =
      __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  std::memcpy(to, &evens, sizeof evens);
}

// Every step-th number, n in all; nothing behind the last is read.
void copy_steps(const uint8_t* from, int64_t step, int64_t n, uint8_t* to) {
  constexpr int64_t kAtOnce = 16;
  if (step == 1) return copy_run(from, n, to);
  int64_t i = 0;
  if (step == 2 && n > kAtOnce) {
    for (; i + kAtOnce < n; i += kAtOnce) copy_evens(from + 2 * i, to + i);
    i = n - 1 - kAtOnce;  // some of them once more
    copy_evens(from + 2 * i, to + i);
    i += kAtOnce;
  }
  for (; i < n; ++i) to[i] = from[i * step];
}

// One number of each window: those that tap `tap` of the plane meets for `count` pixels from
// `first` on, `padding` outside.
void fill_line(const Windows& windows, const uint8_t* plane, const int64_t (&tap)[kSpatialMax],
               uint8_t padding, Pixel first, int64_t count, uint8_t* to) {
  const auto& axis = windows.axis;
  const auto place = [&](size_t i) {
    return first.at[i] * axis[i].stride - axis[i].pad_begin + tap[i] * axis[i].dilation;
  };
  const auto is_inside = [&](size_t i, int64_t v) { return v >= 0 && v < axis[i].in; };
  while (count > 0) {
    const int64_t run = std::min(count, axis[2].out - first.at[2]);
    const int64_t z = place(0), y = place(1), x = place(2);
    if (!is_inside(0, z) || !is_inside(1, y)) {
      std::memset(to, padding, static_cast<size_t>(run));
    } else {
      const uint8_t* row = plane + (z * axis[1].in + y) * axis[2].in;
      const int64_t step = axis[2].stride;
      const int64_t begin = std::clamp<int64_t>((step - 1 - x) / step, 0, run);
      const int64_t end = x >= axis[2].in
                              ? begin
                              : std::clamp<int64_t>((axis[2].in - 1 - x) / step + 1, begin, run);
      if (begin > 0) std::memset(to, padding, static_cast<size_t>(begin));
      copy_steps(row + x + begin * step, step, end - begin, to + begin);
      if (run > end) std::memset(to + end, padding, static_cast<size_t>(run - end));
    }
    to += run;
    count -= run;
    first.at[2] = 0;
    if (++first.at[1] == axis[1].out) {
      first.at[1] = 0;
      ++first.at[0];
    }
  }
}

template <const ConvInputs& at>
class Conv {
 public:
  Conv(const RunContext& ctx, const Windows& windows, int64_t groups, const Layout& layout)
      : ctx_(ctx),
        windows_(windows),
        l_(layout),
        groups_(groups),
        channels_(ctx.input(at.w).dim(1)),
        out_(windows.out_size()),
        kernels_(gemm_i8_kernels(ctx.isa())) {}

  void run() {
    copy_filters();
    const int64_t blocks = (l_.all_pixels + l_.pixels - 1) / l_.pixels;
    for (int64_t image = 0; image < ctx_.input(at.x).dim(0); ++image) {
      if (l_.is_flat) fill_planes(image);
      parallel_items(ctx_, ctx_.thread_count(), groups_ * blocks, [&](int64_t slot, int64_t item) {
        const int64_t q0 = item % blocks * l_.pixels;
        compute(ctx_.scratch() + l_.slots + static_cast<uint64_t>(slot) * l_.slot_bytes, image,
                item / blocks, q0, std::min(l_.pixels, l_.all_pixels - q0));
      });
    }
  }

 private:
  void copy_filters() {
    const ValueRef& w = ctx_.input(at.w);
    filters_ = w.as<uint8_t>();
    if (!copies_filters(w, l_)) return;
    auto* to = reinterpret_cast<uint8_t*>(ctx_.scratch());
    copy_left_rows(ctx_, w, l_.depth, to);
    filters_ = to;
  }

  // The planes of an image with padding around them.
  void fill_planes(int64_t image) {
    const auto& axis = windows_.axis;
    const int64_t channels = groups_ * channels_, size = l_.plane();
    const auto* x = ctx_.input(at.x).as<uint8_t>() + image * channels * windows_.in_size();
    auto* planes = reinterpret_cast<uint8_t*>(ctx_.scratch() + l_.planes);
    const int64_t grain = std::max<int64_t>(1, kCopyGrain / size);
    ctx_.parallel_for(channels, grain, [&](int64_t begin, int64_t end) {
      std::memset(planes + begin * size, zero_at(ctx_, at.x_zero, 0),
                  static_cast<size_t>((end - begin) * size));
      // What is there of the last axis.
      const int64_t to = axis[2].pad_begin;
      const int64_t count = std::min(axis[2].in, l_.extent[2] - to);
      for (int64_t row = begin * axis[0].in * axis[1].in; row < end * axis[0].in * axis[1].in;
           ++row) {
        const int64_t y = row % axis[1].in + axis[1].pad_begin;
        const int64_t z = row / axis[1].in % axis[0].in + axis[0].pad_begin;
        if (y >= l_.extent[1] || z >= l_.extent[0] || count <= 0) continue;
        const int64_t channel = row / axis[1].in / axis[0].in;
        copy_run(x + row * axis[2].in, count,
                 planes + channel * size + (z * l_.extent[1] + y) * l_.extent[2] + to);
      }
    });
    planes_ = planes;
  }

  // The windows of `count` pixels of a group from q0 on, as columns.
  void pack_windows(int64_t image, int64_t group, int64_t q0, int64_t count, uint8_t* lines,
                    std::byte* panels) const {
    const auto& axis = windows_.axis;
    const auto padding = static_cast<uint8_t>(zero_at(ctx_, at.x_zero, 0));
    const Pixel first{
        {q0 / (axis[1].out * axis[2].out), q0 / axis[2].out % axis[1].out, q0 % axis[2].out}};
    const int64_t size = l_.is_flat ? l_.plane() : windows_.in_size();
    const uint8_t* x =
        l_.is_flat ? planes_ + group * channels_ * size
                   : ctx_.input(at.x).as<uint8_t>() + (image * groups_ + group) * channels_ * size;
    uint8_t* line = lines;
    for (int64_t c = 0; c < channels_; ++c, x += size) {
      int64_t tap[kSpatialMax];
      for (tap[0] = 0; tap[0] < axis[0].kernel; ++tap[0]) {
        for (tap[1] = 0; tap[1] < axis[1].kernel; ++tap[1]) {
          for (tap[2] = 0; tap[2] < axis[2].kernel; ++tap[2], line += l_.pixels) {
            if (l_.is_flat) {
              copy_run(x + q0 + flat_place(tap), count, line);
            } else {
              fill_line(windows_, x, tap, padding, first, count, line);
            }
          }
        }
      }
    }
    const bool is_unsigned = ctx_.input(at.x).dtype == DType::kUint8;
    kernels_.pack(lines, static_cast<size_t>(l_.pixels), false, static_cast<size_t>(l_.depth),
                  static_cast<size_t>(count), is_unsigned ? 0x80 : 0,
                  right_zero_at(ctx_, at.x, at.x_zero, 0), panels);
  }

  void compute(std::byte* slot, int64_t image, int64_t group, int64_t q0, int64_t count) const {
    std::byte* panels = slot + l_.panels;
    pack_windows(image, group, q0, count, reinterpret_cast<uint8_t*>(slot), panels);
    GemmI8 gemm;
    gemm.lda = static_cast<size_t>(l_.width());
    gemm.b = panels;
    gemm.has_b_zero = right_zero_at(ctx_, at.x, at.x_zero, 0) != 0;
    gemm.n = static_cast<size_t>(count);
    gemm.k = static_cast<size_t>(l_.depth);
    const int64_t first = group * l_.filters;
    for (int64_t m = 0; m < l_.filters; m += kFiltersAtOnce) {
      const int64_t end = std::min(l_.filters, m + kFiltersAtOnce);
      const int64_t y = (image * groups_ * l_.filters + first + m) * out_;
      auto* sums = reinterpret_cast<int32_t*>(slot + l_.sums);
      if (!at.is_quantised && !l_.is_flat) {
        multiply(gemm, first + m, first + end, ctx_.output(0).as_mutable<int32_t>() + y + q0, out_);
        continue;
      }
      multiply(gemm, first + m, first + end, sums, l_.pixels);
      for (int64_t row = 0; row < end - m; ++row) {
        store_row(first + m + row, sums + row * l_.pixels, q0, count, y + row * out_);
      }
    }
  }

  int64_t flat_place(const int64_t (&tap)[kSpatialMax]) const {
    const auto& axis = windows_.axis;
    return (tap[0] * axis[0].dilation * l_.extent[1] + tap[1] * axis[1].dilation) * l_.extent[2] +
           tap[2] * axis[2].dilation;
  }

  // A filter's sums of `count` pixels from q0 on; its result begins at `y`.
  void store_row(int64_t filter, int32_t* sums, int64_t q0, int64_t count, int64_t y) const {
    if (!l_.is_flat) return store_run(filter, sums, count, y + q0);
    const auto& axis = windows_.axis;
    for (int64_t i = 0; i < count;) {
      const int64_t row = (q0 + i) / l_.extent[2], column = (q0 + i) % l_.extent[2];
      const int64_t stop = std::min(count, i + l_.extent[2] - column);  // of the plane's row
      const int64_t run = std::min(stop - i, axis[2].out - column);
      const int64_t o1 = row % l_.extent[1], o0 = row / l_.extent[1];
      if (run > 0 && o1 < axis[1].out) {
        store_run(filter, sums + i, run, y + (o0 * axis[1].out + o1) * axis[2].out + column);
      }
      i = stop;
    }
  }

  // Filters [begin, end); those that follow each other and have one zero point at once.
  void multiply(GemmI8 gemm, int64_t begin, int64_t end, int32_t* sums, int64_t step) const {
    gemm.ldc = static_cast<size_t>(step);
    for (int64_t m = begin; m < end;) {
      int64_t next = m + 1;
      gemm.a_zero = left_zero_at(ctx_, at.w, at.w_zero, m);
      while (next < end && left_zero_at(ctx_, at.w, at.w_zero, next) == gemm.a_zero) ++next;
      gemm.a = filters_ + m * l_.width();
      gemm.c = sums + (m - begin) * step;
      kernels_.tile(gemm, 0, static_cast<size_t>(next - m), 0, panel_count(gemm.n));
      m = next;
    }
  }

  void store_run(int64_t filter, int32_t* sums, int64_t count, int64_t y) const {
    if (!at.is_quantised) {
      std::copy_n(sums, count, ctx_.output(0).as_mutable<int32_t>() + y);
      return;
    }
    if (ctx_.has_input(8)) {
      const auto bias = static_cast<uint32_t>(ctx_.input(8).as<int32_t>()[filter]);
      for (int64_t i = 0; i < count; ++i) {
        sums[i] = static_cast<int32_t>(static_cast<uint32_t>(sums[i]) + bias);
      }
    }
    const float factor = product_scale_at(ctx_, 1, 0) * product_scale_at(ctx_, 4, filter) /
                         product_scale_at(ctx_, 6, 0);
    round_sums(
        sums, count, [factor](int64_t) { return factor; }, zero_at(ctx_, 7, 0),
        ctx_.output(0).dtype, ctx_.output(0).as_mutable<uint8_t>() + y);
  }

  const RunContext& ctx_;
  const Windows& windows_;
  const Layout& l_;
  const int64_t groups_, channels_, out_;
  const GemmI8Kernels& kernels_;
  const uint8_t* filters_ = nullptr;
  const uint8_t* planes_ = nullptr;
};

template <const ConvInputs& at>
Status run_conv(RunContext& ctx) {
  if (ctx.output(0).element_count() == 0) return Status::ok();
  const auto& params = ctx.params<IntegerConvParams>();
  const ValueRef &x = ctx.input(at.x), &w = ctx.input(at.w);
  ASSIGN_OR_RETURN(const Windows windows,
                   place_windows(params.windows, x.dims().subspan(2), w.dims().subspan(2)));
  const Layout layout = *layout_of(w, windows, params.groups, ctx.thread_count());
  Conv<at>(ctx, windows, params.groups, layout).run();
  return Status::ok();
}

}  // namespace

Status prepare_integer_conv(PrepareContext& ctx) {
  IntegerConvParams params{};
  params.record_bytes = sizeof params;
  params.groups = ctx.node().int_attribute("group", 1);
  ASSIGN_OR_RETURN(params.windows, windows_from_attributes(ctx.node()));
  ctx.set_params(params);
  return Status::ok();
}

Status bind_conv_integer(BindContext& ctx) { return bind_conv<kConvInteger>(ctx); }
Status run_conv_integer(RunContext& ctx) { return run_conv<kConvInteger>(ctx); }
Status bind_qlinear_conv(BindContext& ctx) { return bind_conv<kQLinearConv>(ctx); }
Status run_qlinear_conv(RunContext& ctx) { return run_conv<kQLinearConv>(ctx); }

}  // namespace ortc::cpu
