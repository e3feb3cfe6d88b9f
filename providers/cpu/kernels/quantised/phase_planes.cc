// SPDX-License-Identifier: MIT
// Planes of phases: see the header.
#include "providers/cpu/kernels/quantised/phase_planes.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace ortc::cpu {
namespace {

constexpr int64_t kGrain = 1 << 16;  // bytes that one thread fills at a time

// Runs are short: a row of a small image.
void copy_run(const uint8_t* from, int64_t n, uint8_t* to) {
  if (n < 16) {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i];
    return;
  }
  for (int64_t i = 0; i + 16 <= n; i += 16) std::memcpy(to + i, from + i, 16);
  std::memcpy(to + n - 16, from + n - 16, 16);
}

// The first of each of sixteen pairs, or of eight.
void copy_evens(const uint8_t* pairs, uint8_t* to) {
  typedef uint8_t Bytes __attribute__((vector_size(16)));
  Bytes a, b;
  std::memcpy(&a, pairs, sizeof a);
  std::memcpy(&b, pairs + sizeof a, sizeof b);
  const Bytes evens =
      __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  std::memcpy(to, &evens, sizeof evens);
}
void copy_eight_evens(const uint8_t* pairs, uint8_t* to) {
  typedef uint8_t Bytes __attribute__((vector_size(16)));
  Bytes a;
  std::memcpy(&a, pairs, sizeof a);
  const Bytes evens =
      __builtin_shufflevector(a, a, 0, 2, 4, 6, 8, 10, 12, 14, 0, 2, 4, 6, 8, 10, 12, 14);
  std::memcpy(to, &evens, 8);
}

// Every step-th number, n in all; nothing behind the last is read.
void copy_steps(const uint8_t* from, int64_t step, int64_t n, uint8_t* to) {
  constexpr int64_t kMany = 16, kSome = 8;
  if (step == 1) return copy_run(from, n, to);
  int64_t i = 0;
  if (step == 2 && n > kMany) {
    for (; i + kMany < n; i += kMany) copy_evens(from + 2 * i, to + i);
    i = n - 1 - kMany;  // some of them once more
    copy_evens(from + 2 * i, to + i);
    i += kMany;
  } else if (step == 2 && n > kSome) {
    copy_eight_evens(from, to);
    i = n - 1 - kSome;
    copy_eight_evens(from + 2 * i, to + i);
    i += kSome;
  }
  for (; i < n; ++i) to[i] = from[i * step];
}

// Where a phase of an axis begins in the image, and which numbers of its line are there.
struct PhaseLine {
  int64_t first, begin, end;
};

PhaseLine phase_line(const WindowAxis& axis, int64_t phase, int64_t extent) {
  const int64_t step = axis.stride;
  const int64_t first = phase * axis.dilation % step - axis.pad_begin;
  const int64_t begin = first >= 0 ? 0 : std::min((step - 1 - first) / step, extent);
  const int64_t end =
      first >= axis.in ? begin : std::clamp((axis.in - 1 - first) / step + 1, begin, extent);
  return {first, begin, end};
}

struct PhaseLines {
  PhaseLine z, y, x;
};

PhaseLines phase_lines(const PhasePlanes& planes, const Windows& windows, int64_t phase) {
  const auto& axis = windows.axis;
  const int64_t of_x = phase % planes.phases[2], rest = phase / planes.phases[2];
  return {phase_line(axis[0], rest / planes.phases[1], planes.extent[0]),
          phase_line(axis[1], rest % planes.phases[1], planes.extent[1]),
          phase_line(axis[2], of_x, planes.extent[2])};
}

void fill_plane(const PhasePlanes& planes, const Windows& windows, const PhaseLines& lines,
                const uint8_t* x, uint8_t padding, uint8_t* to) {
  const auto& axis = windows.axis;
  const auto& [of_z, of_y, of_x] = lines;
  const int64_t width = planes.extent[2], step = axis[2].stride;
  for (int64_t z = 0; z < planes.extent[0]; ++z) {
    for (int64_t y = 0; y < planes.extent[1]; ++y, to += width) {
      if (z < of_z.begin || z >= of_z.end || y < of_y.begin || y >= of_y.end) {
        std::memset(to, padding, static_cast<size_t>(width));
        continue;
      }
      const int64_t row =
          (of_z.first + z * axis[0].stride) * axis[1].in + of_y.first + y * axis[1].stride;
      for (int64_t i = 0; i < of_x.begin; ++i) to[i] = padding;
      if (of_x.begin < of_x.end) {
        copy_steps(x + row * axis[2].in + of_x.first + of_x.begin * step, step,
                   of_x.end - of_x.begin, to + of_x.begin);
      }
      for (int64_t i = of_x.end; i < width; ++i) to[i] = padding;
    }
  }
}

}  // namespace

int64_t PhasePlanes::place(const Windows& windows, const int64_t (&tap)[kSpatialMax]) const {
  int64_t phase = 0, shift = 0;
  for (size_t i = 0; i < kSpatialMax; ++i) {
    phase = phase * phases[i] + tap[i] % phases[i];
    shift = shift * extent[i] + tap[i] * windows.axis[i].dilation / windows.axis[i].stride;
  }
  return phase * plane() + shift;
}

std::optional<PhasePlanes> place_phases(const Windows& windows, bool copies) {
  PhasePlanes planes;
  planes.is_image = !copies;
  for (const WindowAxis& axis : windows.axis) {
    planes.is_image = planes.is_image && axis.stride == 1 && axis.pad_begin == 0 &&
                      axis.out + window_reach(axis) - 1 <= axis.in;
  }
  int64_t bytes = 1;
  for (size_t i = 0; i < kSpatialMax; ++i) {
    const WindowAxis& axis = windows.axis[i];
    // Taps meet the same phases again and again.
    planes.phases[i] = std::min(axis.kernel, axis.stride / std::gcd(axis.stride, axis.dilation));
    planes.extent[i] =
        planes.is_image ? axis.in : axis.out + (axis.kernel - 1) * axis.dilation / axis.stride;
    const auto all = checked_mul(bytes, planes.phases[i]);
    const auto size = all ? checked_mul(*all, planes.extent[i]) : std::nullopt;
    if (!size) return std::nullopt;
    bytes = *size;
  }
  return planes;
}

void fill_phases(const RunContext& ctx, const PhasePlanes& planes, const Windows& windows,
                 const uint8_t* x, int64_t channels, uint8_t padding, uint8_t* to) {
  const int64_t size = planes.plane();
  if (size == 0) return;
  const int64_t phases = planes.channel() / size;
  const int64_t grain = std::max<int64_t>(1, kGrain / size);
  ctx.parallel_for(channels * phases, grain, [&](int64_t begin, int64_t end) {
    PhaseLines lines;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t phase = i / channels, channel = i % channels;
      if (i == begin || channel == 0) lines = phase_lines(planes, windows, phase);
      fill_plane(planes, windows, lines, x + channel * windows.in_size(), padding,
                 to + (channel * phases + phase) * size);
    }
  });
}

}  // namespace ortc::cpu
