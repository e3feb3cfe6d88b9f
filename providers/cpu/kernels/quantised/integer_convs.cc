// SPDX-License-Identifier: MIT
// ConvInteger and QLinearConv with any operands, one to three spatial axes, any groups. Images
// with constant weights become ortc.QConv before they come here.
//
//   acc = sum (x - x_zero) (w - w_zero)  [+ bias]
//   y = saturate(round(acc x_scale w_scale / y_scale) + y_zero), ties to even
//
// Of every group, weights are the left matrix of an int8 product (gemm_i8.h), a row a filter; a
// block of output pixels makes the columns of the right one, a row of which is what a tap meets: a
// stretch of a plane (phase_planes.h). So the result has ONNX's layout, and threads divide the
// blocks. A few filters take these rows as they lie; for more they are packed.
//
// Pixels are counted along the planes: what lies between the rows of the result is computed and
// left out. Where that is much, stretches are brought together line by line first.
#include "providers/cpu/kernels/quantised/integer_convs.h"

#include <algorithm>
#include <cstring>

#include "providers/cpu/arith/gemm_i8/gemm_i8.h"
#include "providers/cpu/bind/thread_slots.h"
#include "providers/cpu/kernels/quantised/integer_operands.h"
#include "providers/cpu/kernels/quantised/phase_planes.h"
#include "providers/cpu/products/product_i8.h"
#include "providers/cpu/windows/window.h"

namespace ortc::cpu {
namespace {

constexpr TypeMask kBytes = mask_of(DType::kUint8, DType::kInt8);
constexpr TypeMask kProductScales = mask_of(DType::kFloat32, DType::kFloat16, DType::kBfloat16);
constexpr int64_t kLineBytes = 96 * 1024;  // of the lines of a block: they stay near
constexpr int64_t kPixelsMax = 512, kColumns = static_cast<int64_t>(kPanelColumns);
constexpr int64_t kFiltersAtOnce = 24;  // whose sums wait to be rounded or copied
constexpr int64_t kLineStep = 16;       // bytes that are copied at once
constexpr double kFlatMax = 1.4;        // pixels that are computed for one of the result

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
// uint8 in whole quads; planes of an image; where taps lie in them; then for each thread lines,
// panels, sums and rounded ones of a block.
struct Layout {
  int64_t depth = 0;     // numbers of a window
  int64_t filters = 0;   // of a group
  int64_t pixels = 0;    // of a block
  bool is_flat = false;  // pixels are counted along planes
  PhasePlanes planes;
  int64_t all_pixels = 0;                    // of the result, with those between its rows
  uint64_t first = 0, taps = 0;              // of the planes, of the taps
  uint64_t panels = 0, sums = 0, bytes = 0;  // within a slot
  uint64_t slots = 0, slot_bytes = 0, all = 0;

  int64_t width() const { return static_cast<int64_t>(quads(static_cast<size_t>(depth))) * 4; }
};

bool copies_filters(const ValueRef& w, const Layout& l) {
  return w.dtype == DType::kInt8 || l.depth % 4 != 0;
}

// False when planes are too large.
bool place_planes(const Windows& windows, Layout* l) {
  const auto& axis = windows.axis;
  l->all_pixels = windows.out_size();
  for (const bool copies : {false, true}) {
    const auto planes = place_phases(windows, copies);
    if (!planes) return false;
    l->planes = *planes;
    if (l->all_pixels == 0) return true;
    const int64_t pixels = planes->pixel(axis[0].out - 1, axis[1].out - 1, axis[2].out);
    l->is_flat = static_cast<double>(pixels) <= kFlatMax * static_cast<double>(l->all_pixels);
    if (!l->is_flat) continue;  // lines are copied by steps, which reads behind the image
    l->all_pixels = pixels;
    return true;
  }
  return true;
}

// Parts of scratch, one behind the other.
struct Parts {
  std::optional<uint64_t> end = 0;

  uint64_t add(std::optional<uint64_t> bytes) {
    const auto begin = end ? checked_align_up(*end, 64) : std::nullopt;
    end = begin && bytes ? checked_add(*begin, *bytes) : std::nullopt;
    return begin.value_or(0);
  }
};

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
  if (!l.is_flat) l.panels = align_up(static_cast<uint64_t>(l.depth * l.pixels + kLineStep), 64);
  l.sums = l.panels + panels * panel_bytes_i8(static_cast<size_t>(l.depth));
  l.bytes = l.sums + static_cast<uint64_t>(kFiltersAtOnce * l.pixels) * 4;
  l.slot_bytes = align_up(l.bytes + static_cast<uint64_t>(l.pixels), 64);
  const auto channels = checked_mul(w.dim(1), groups);
  const auto planes = channels ? checked_mul(*channels, l.planes.channel()) : std::nullopt;
  const auto filters = checked_mul(w.dim(0), l.width());
  if (!filters || !planes) return std::nullopt;
  Parts parts;
  parts.add(copies_filters(w, l) ? static_cast<uint64_t>(*filters) : 0);
  l.first = parts.add(l.planes.is_image ? 0
                                        : checked_add(static_cast<uint64_t>(*planes),
                                                      uint64_t{PhasePlanes::kSlack}));
  l.taps = parts.add(static_cast<uint64_t>(l.depth) * sizeof(ptrdiff_t));
  l.slots = parts.add(slot_scratch(l.slot_bytes, thread_count));
  if (!parts.end) return std::nullopt;
  l.all = *parts.end;
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

// Runs are short: a row of a small image.
template <typename T>
void copy_run(const T* from, int64_t n, T* to) {
  constexpr int64_t kAtOnce = kLineStep / static_cast<int64_t>(sizeof(T));
  if (n < kAtOnce) {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i];
    return;
  }
  for (int64_t i = 0; i + kAtOnce <= n; i += kAtOnce) std::memcpy(to + i, from + i, kLineStep);
  std::memcpy(to + n - kAtOnce, from + n - kAtOnce, kLineStep);
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
    place_taps();
    const int64_t blocks = (l_.all_pixels + l_.pixels - 1) / l_.pixels;
    for (int64_t image = 0; image < ctx_.input(at.x).dim(0); ++image) {
      bring_planes(image);
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

  // Where what the taps of a window meet lies, from a group's first channel on.
  void place_taps() {
    const auto& axis = windows_.axis;
    auto* to = reinterpret_cast<ptrdiff_t*>(ctx_.scratch() + l_.taps);
    taps_ = to;
    const int64_t each = windows_.taps();
    int64_t tap[kSpatialMax];
    for (tap[0] = 0; tap[0] < axis[0].kernel; ++tap[0]) {
      for (tap[1] = 0; tap[1] < axis[1].kernel; ++tap[1]) {
        for (tap[2] = 0; tap[2] < axis[2].kernel; ++tap[2]) {
          *to++ = l_.planes.place(windows_, tap);
        }
      }
    }
    for (int64_t i = each; i < l_.depth; ++i, ++to) *to = to[-each] + l_.planes.channel();
    last_ = *std::max_element(to - each, to);
  }

  void bring_planes(int64_t image) {
    const int64_t channels = groups_ * channels_;
    const ValueRef& x = ctx_.input(at.x);
    const uint8_t* from = x.as<uint8_t>() + image * channels * windows_.in_size();
    planes_ = from;
    end_ = x.as<uint8_t>() + x.element_count();
    if (l_.planes.is_image) return;
    auto* to = reinterpret_cast<uint8_t*>(ctx_.scratch() + l_.first);
    fill_phases(ctx_, l_.planes, windows_, from, channels,
                static_cast<uint8_t>(zero_at(ctx_, at.x_zero, 0)), to);
    planes_ = to;
    end_ = to + channels * l_.planes.channel() + PhasePlanes::kSlack;
  }

  // What a tap meets in `count` windows from q0 on; up to kLineStep bytes more are written.
  void copy_line(const uint8_t* tap, int64_t q0, int64_t count, uint8_t* to) const {
    const int64_t width = windows_.axis[2].out, height = windows_.axis[1].out;
    int64_t x = q0 % width, y = q0 / width % height, z = q0 / width / height;
    while (count > 0) {
      const int64_t run = std::min(count, width - x);
      const uint8_t* from = tap + l_.planes.pixel(z, y, x);
      for (int64_t i = 0; i < run; i += kLineStep) std::memcpy(to + i, from + i, kLineStep);
      to += run;
      count -= run;
      x = 0;
      if (++y == height) {
        y = 0;
        ++z;
      }
    }
  }

  // The windows of `count` pixels of a group from q0 on, as the right operand.
  PlainI8 windows_of(int64_t group, int64_t q0, int64_t count, uint8_t* lines) const {
    const uint8_t* planes = planes_ + group * channels_ * l_.planes.channel();
    PlainI8 b;
    b.k = static_cast<size_t>(l_.depth);
    b.flip = weight_flip(ctx_.input(at.x).dtype);
    b.zero = right_zero_at(ctx_, at.x, at.x_zero, 0);
    if (l_.is_flat) {
      b.b = planes + q0;
      b.offsets = taps_;
      b.last = last_;
      b.end = end_;
      return b;
    }
    for (int64_t i = 0; i < l_.depth; ++i) {
      copy_line(planes + taps_[i], q0, count, lines + i * l_.pixels);
    }
    b.b = lines;
    b.ldb = static_cast<size_t>(l_.pixels);
    b.end = lines + l_.depth * l_.pixels;
    return b;
  }

  void compute(std::byte* slot, int64_t image, int64_t group, int64_t q0, int64_t count) const {
    const PlainI8 b = windows_of(group, q0, count, reinterpret_cast<uint8_t*>(slot));
    GemmI8 gemm;
    gemm.lda = static_cast<size_t>(l_.width());
    gemm.has_b_zero = b.zero != 0;
    gemm.n = static_cast<size_t>(count);
    gemm.k = b.k;
    if (l_.filters > static_cast<int64_t>(kFewRowsI8)) {
      kernels_.pack_plain(b, 0, gemm.n, slot + l_.panels);
      gemm.b = slot + l_.panels;
    }
    const bool is_direct = !at.is_quantised && l_.all_pixels == out_;
    const int64_t first = group * l_.filters;
    for (int64_t m = 0; m < l_.filters; m += kFiltersAtOnce) {
      const int64_t end = std::min(l_.filters, m + kFiltersAtOnce);
      const int64_t y = (image * groups_ * l_.filters + first + m) * out_;
      auto* sums = reinterpret_cast<int32_t*>(slot + l_.sums);
      if (is_direct) {
        multiply(gemm, b, first + m, first + end, ctx_.output(0).as_mutable<int32_t>() + y + q0,
                 out_);
        continue;
      }
      multiply(gemm, b, first + m, first + end, sums, l_.pixels);
      auto* bytes = reinterpret_cast<uint8_t*>(slot + l_.bytes);
      for (int64_t row = 0; row < end - m; ++row) {
        int32_t* of_row = sums + row * l_.pixels;
        if (at.is_quantised) {
          round(first + m + row, of_row, count, bytes);
          store_row(bytes, q0, count, ctx_.output(0).as_mutable<uint8_t>() + y + row * out_);
        } else {
          store_row(of_row, q0, count, ctx_.output(0).as_mutable<int32_t>() + y + row * out_);
        }
      }
    }
  }

  // A filter's results of `count` pixels from q0 on, without those between the rows.
  template <typename T>
  void store_row(const T* from, int64_t q0, int64_t count, T* y) const {
    if (l_.all_pixels == out_) return copy_run(from, count, y + q0);
    const auto& axis = windows_.axis;
    const auto& extent = l_.planes.extent;
    int64_t column = q0 % extent[2], o1 = q0 / extent[2] % extent[1];
    int64_t o0 = q0 / extent[2] / extent[1];
    for (int64_t i = 0; i < count; column = 0) {
      const int64_t stop = std::min(count, i + extent[2] - column);  // of the plane's row
      const int64_t run = std::min(stop - i, axis[2].out - column);
      if (run > 0 && o1 < axis[1].out) {
        copy_run(from + i, run, y + (o0 * axis[1].out + o1) * axis[2].out + column);
      }
      i = stop;
      if (++o1 == extent[1]) {
        o1 = 0;
        ++o0;
      }
    }
  }

  // Filters [begin, end); those that follow each other and have one zero point at once.
  void multiply(GemmI8 gemm, const PlainI8& b, int64_t begin, int64_t end, int32_t* sums,
                int64_t step) const {
    gemm.ldc = static_cast<size_t>(step);
    for (int64_t m = begin; m < end;) {
      int64_t next = m + 1;
      gemm.a_zero = left_zero_at(ctx_, at.w, at.w_zero, m);
      while (next < end && left_zero_at(ctx_, at.w, at.w_zero, next) == gemm.a_zero) ++next;
      gemm.a = filters_ + m * l_.width();
      gemm.c = sums + (m - begin) * step;
      if (gemm.b != nullptr) {
        kernels_.tile(gemm, 0, static_cast<size_t>(next - m), 0, panel_count(gemm.n));
      } else {
        kernels_.multiply_plain(gemm, b, static_cast<size_t>(next - m), 0, gemm.n);
      }
      m = next;
    }
  }

  void round(int64_t filter, int32_t* sums, int64_t count, uint8_t* to) const {
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
        ctx_.output(0).dtype, to);
  }

  const RunContext& ctx_;
  const Windows& windows_;
  const Layout& l_;
  const int64_t groups_, channels_, out_;
  const GemmI8Kernels& kernels_;
  const uint8_t* filters_ = nullptr;
  const uint8_t *planes_ = nullptr, *end_ = nullptr;
  const ptrdiff_t* taps_ = nullptr;
  ptrdiff_t last_ = 0;
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
