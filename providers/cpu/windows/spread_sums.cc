// SPDX-License-Identifier: MIT
// Sums of what is spread: see the header.
//
// Of a stride of s every s-th column of a line of y is a phase. A tap adds neighbours of x to
// neighbours of one phase, so sums are made phase beside phase and put in their columns at the end.
#include "providers/cpu/windows/spread_sums.h"

#include <algorithm>

#include "providers/cpu/arith/turn/turn.h"
#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/rows/fill_row.h"
#include "providers/cpu/bind/rows/nd_loop.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kAddGrain = 16384;  // additions that are worth a thread
constexpr int64_t kTogether = 256;    // elements of a phase that are summed up at once
constexpr int64_t kPhases = 4;        // that are summed up side by side
constexpr int64_t kFewTaps = 32;      // of a line, whose places are found once

// Column i of x is element first + i of a phase.
struct LineTap {
  int64_t phase, first;
};

LineTap line_tap(const WindowAxis& axis, int64_t tap) {
  const int64_t shift = tap * axis.dilation - axis.pad_begin;
  const int64_t phase = (shift % axis.stride + axis.stride) % axis.stride;
  return {phase, (shift - phase) / axis.stride};
}

// Where along an axis of x lies what a tap adds to `out` of y; -1: nowhere.
int64_t source_of(const WindowAxis& axis, int64_t out, int64_t tap) {
  const int64_t from = out + axis.pad_begin - tap * axis.dilation;
  if (from < 0) return -1;
  // Extents and padding have 31 bits, and so many are divided sooner.
  const auto place = static_cast<uint32_t>(from), stride = static_cast<uint32_t>(axis.stride);
  return place % stride == 0 && place / stride < axis.in ? int64_t{place / stride} : -1;
}

template <typename T>
class ChannelSums {
 public:
  ChannelSums(const Windows& windows, Isa isa)
      : depth_(windows.axis[0]),
        down_(windows.axis[1]),
        across_(windows.axis[2]),
        vector_(vector_f32_kernels(isa)),
        turn_(turn_of(isa, sizeof(T))) {
    for (int64_t k = 0; k < std::min(across_.kernel, kFewTaps); ++k) {
      taps_[static_cast<size_t>(k)] = line_tap(across_, k);
    }
    is_disjoint_ = is_disjoint(depth_) && is_disjoint(down_) && is_disjoint(across_);
    has_gaps_ = is_disjoint_ ? !(reaches_all(depth_) && reaches_all(down_) && reaches_all(across_))
                             : leaves_gaps(depth_) || leaves_gaps(down_) || leaves_gaps(across_);
  }

  void run(const T* spread, T bias, T* y) const {
    // Places that no tap reaches are written once.
    if (has_gaps_) fill_row(y, bias, depth_.out * down_.out * across_.out);
    if (is_disjoint_) return place_lines(spread, bias, y);
    for (int64_t slice = 0; slice < depth_.out; ++slice) {
      for (int64_t row = 0; row < down_.out; ++row, y += across_.out) {
        if (has_gaps_ && !(finds_something(depth_, slice) && finds_something(down_, row))) continue;
        for (int64_t phase = 0; phase < phases(); phase += kPhases) {
          sum_row(spread, bias, slice, row, phase, y);
        }
      }
    }
  }

 private:
  // Whether no two taps reach the same place.
  static bool is_disjoint(const WindowAxis& axis) {
    return (axis.kernel - 1) * axis.dilation < axis.stride;
  }
  // Whether taps that are disjoint reach all places, those of a pixel one behind the other.
  static bool is_dense(const WindowAxis& axis) {
    return axis.kernel == axis.stride && axis.dilation == 1 && axis.pad_begin == 0;
  }
  static bool reaches_all(const WindowAxis& axis) {
    return is_dense(axis) && axis.out <= axis.in * axis.stride;
  }

  // Lines of x, each to its columns of y.
  void place_lines(const T* x, T bias, T* y) const {
    const int64_t pixels = depth_.in * down_.in * across_.in;
    for (int64_t tap = 0; tap < depth_.kernel * down_.kernel; ++tap) {
      const T* taps = x + tap * across_.kernel * pixels;
      for (int64_t line = 0; line < depth_.in * down_.in; ++line, taps += across_.in) {
        const int64_t at = place_of(depth_, line / down_.in, tap / down_.kernel);
        const int64_t row = place_of(down_, line % down_.in, tap % down_.kernel);
        if (at < 0 || row < 0) continue;
        place_line(taps, pixels, bias, y + (at * down_.out + row) * across_.out);
      }
    }
  }

  // Where along an axis of y a tap reaches from a place of x; -1: nowhere.
  static int64_t place_of(const WindowAxis& axis, int64_t in, int64_t tap) {
    const int64_t at = in * axis.stride + tap * axis.dilation - axis.pad_begin;
    return at >= 0 && at < axis.out ? at : -1;
  }

  // A line of x by all taps of a row, which are so many elements apart.
  void place_line(const T* x, int64_t tap_step, T bias, T* y) const {
    const int64_t stride = across_.stride;
    int64_t done = 0;
    if (is_dense(across_)) {
      done = std::min(across_.in, across_.out / stride);
      turn_(x, static_cast<size_t>(tap_step), y, static_cast<size_t>(stride),
            static_cast<size_t>(stride), static_cast<size_t>(done));
      if (bias != 0) add_to_row(bias, y, done * stride);
    }
    for (int64_t k = 0; k < across_.kernel; ++k, x += tap_step) {
      const auto [phase, first] = tap_at(k);
      const int64_t last = phase < across_.out ? size_of(phase) - first : 0;
      const int64_t end = std::min(across_.in, last);
      for (int64_t i = std::max(done, -first); i < end; ++i) {
        y[(first + i) * stride + phase] = x[i] + bias;
      }
    }
  }

  static void add_to_row(T bias, T* y, int64_t n) {
    for (int64_t i = 0; i < n; ++i) y[i] += bias;
  }

  int64_t phases() const { return std::min(across_.stride, across_.out); }

  // Of a stride that is longer than the kernel.
  static bool leaves_gaps(const WindowAxis& axis) { return axis.stride > axis.kernel; }

  static bool finds_something(const WindowAxis& axis, int64_t out) {
    for (int64_t tap = 0; tap < axis.kernel; ++tap) {
      if (source_of(axis, out, tap) >= 0) return true;
    }
    return false;
  }

  LineTap tap_at(int64_t k) const {
    return k < kFewTaps ? taps_[static_cast<size_t>(k)] : line_tap(across_, k);
  }

  // Elements of a phase up to the end of a line of y.
  int64_t size_of(int64_t phase) const { return (across_.out - phase - 1) / across_.stride + 1; }

  // Of a row of y, kPhases phases from one on.
  void sum_row(const T* spread, T bias, int64_t slice, int64_t row, int64_t phase, T* y) const {
    const int64_t count = std::min(kPhases, phases() - phase), size = size_of(phase);
    T sums[kPhases * kTogether];
    for (int64_t begin = 0; begin < size; begin += kTogether) {
      const int64_t n = std::min(kTogether, size - begin);
      for (int64_t p = 0; p < count; ++p) std::fill_n(sums + p * kTogether, n, bias);
      for (int64_t i = 0; i < depth_.kernel; ++i) {
        const int64_t from_slice = source_of(depth_, slice, i);
        for (int64_t j = 0; from_slice >= 0 && j < down_.kernel; ++j) {
          const int64_t from_row = source_of(down_, row, j);
          if (from_row < 0) continue;
          const int64_t line = from_slice * down_.in + from_row;
          const int64_t tap = (i * down_.kernel + j) * across_.kernel;
          add_line(spread, tap, line, phase, begin, n, sums);
        }
      }
      place(sums, phase, count, begin, n, y);
    }
  }

  // Elements [begin, begin + n) of phases from one on get what the taps from `tap` on have for them
  // in a line of x.
  void add_line(const T* spread, int64_t tap, int64_t line, int64_t phase, int64_t begin, int64_t n,
                T* sums) const {
    const int64_t pixels = depth_.in * down_.in * across_.in;
    const T* x = spread + tap * pixels + line * across_.in;
    for (int64_t k = 0; k < across_.kernel; ++k, x += pixels) {
      const LineTap at = tap_at(k);
      if (at.phase < phase || at.phase >= phase + kPhases) continue;
      const int64_t first = std::max<int64_t>(0, begin - at.first);
      const int64_t count = std::min(across_.in, begin + n - at.first) - first;
      if (count <= 0) continue;
      T* to = sums + (at.phase - phase) * kTogether + (first + at.first - begin);
      if constexpr (std::is_same_v<T, float>) {
        vector_.add(to, x + first, to, static_cast<size_t>(count));
      } else {
        for (int64_t i = 0; i < count; ++i) to[i] += x[first + i];
      }
    }
  }

  // Sums of phases to their columns.
  void place(const T* sums, int64_t phase, int64_t count, int64_t begin, int64_t n, T* y) const {
    const int64_t stride = across_.stride;
    T* to = y + begin * stride + phase;
    int64_t done = 0;
    if (count == stride) {  // what all of them have
      done = std::clamp<int64_t>(size_of(phase + count - 1) - begin, 0, n);
      turn_(sums, kTogether, to, static_cast<size_t>(stride), static_cast<size_t>(count),
            static_cast<size_t>(done));
    }
    for (int64_t p = 0; p < count; ++p) {
      const int64_t end = std::min(n, size_of(phase + p) - begin);
      for (int64_t k = done; k < end; ++k) to[k * stride + p] = sums[p * kTogether + k];
    }
  }

  const WindowAxis depth_, down_, across_;
  LineTap taps_[kFewTaps];
  bool is_disjoint_ = false, has_gaps_ = false;  // gaps: places that no tap adds to
  const VectorF32Kernels& vector_;
  const TurnKernels::Turn turn_;
};

template <typename T>
void sum_channels(const RunContext& ctx, const Windows& windows, const T* spread, const T* bias,
                  T* y, int64_t count) {
  const int64_t each = windows.taps() * windows.in_size(), out = windows.out_size();
  const ChannelSums<T> sums(windows, ctx.isa());
  const int64_t grain = std::max<int64_t>(1, kAddGrain / std::max<int64_t>(1, each));
  ctx.parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      sums.run(spread + i * each, bias != nullptr ? bias[i] : T(0), y + i * out);
    }
  });
}

}  // namespace

void sum_spread(const RunContext& ctx, const Windows& windows, const float* spread,
                const float* bias, float* y, int64_t count) {
  sum_channels(ctx, windows, spread, bias, y, count);
}

void sum_spread(const RunContext& ctx, const Windows& windows, const double* spread,
                const double* bias, double* y, int64_t count) {
  sum_channels(ctx, windows, spread, bias, y, count);
}

}  // namespace ortc::cpu
