// SPDX-License-Identifier: MIT
// Pools that move by two: see the header. A slot has the rows of each line of windows, what means
// are divided by in each column, and the joined planes of a volume's windows.
#include "providers/cpu/kernels/windows/two_step_pool.h"

#include "providers/cpu/bind/thread_slots.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kJoinedMost = 16384;  // elements of a plane that is joined on its own
constexpr int64_t kLinesMost = 4096;    // of an image's windows, whose rows a slot has
constexpr int64_t kItemWork = 32768;    // elements read that are worth an item of their own

struct SlotPlaces {
  uint64_t counts, joined, end;
};
SlotPlaces slot_places(const Windows& windows) {
  const auto& axis = windows.axis;
  const auto rows = static_cast<uint64_t>(axis[1].out),
             columns = static_cast<uint64_t>(axis[2].out);
  const auto plane = static_cast<uint64_t>(is_flat(windows.axis[0]) ? 0 : axis[1].in * axis[2].in);
  SlotPlaces places{};
  places.counts = align_up(rows * sizeof(LineRows), 64);
  places.joined = places.counts + align_up(columns * sizeof(float), 64);
  places.end = places.joined + align_up(plane * sizeof(float), 64);
  return places;
}

class TwoStepPool {
 public:
  TwoStepPool(const Windows& windows, const PoolOfLines<float>& pool, const float* x, float* y)
      : axis_(windows.axis),
        pool_(pool),
        is_flat_(is_flat(windows.axis[0])),
        is_mean_(pool.kind != LinePool::kLargest),
        plane_(axis_[1].in * axis_[2].in),
        places_(slot_places(windows)),
        x_(x),
        y_(y) {}

  // Lines [begin, end) of windows, counted over all images; those of one plane in one go.
  void some_lines(int64_t begin, int64_t end, std::byte* slot) const {
    auto* lines = reinterpret_cast<LineRows*>(slot);
    auto* counts = reinterpret_cast<float*>(slot + places_.counts);
    auto* joined = reinterpret_cast<float*>(slot + places_.joined);
    place_lines(begin, std::min(end, begin + axis_[1].out), lines);
    int64_t counted = -1;  // planes that `counts` are of
    for (int64_t at = begin; at < end;) {
      const int64_t row = at % axis_[1].out, plane = at / axis_[1].out % axis_[0].out;
      const int64_t count = std::min(end - at, axis_[1].out - row);
      const float* image = x_ + at / axis_[1].out / axis_[0].out * axis_[0].in * plane_;
      const Taps planes = taps_at(axis_[0], plane);
      if (is_mean_ && counted != pool_.count_of(planes)) {
        counted = pool_.count_of(planes);
        count_columns(counted, counts);
      }
      join(plane_of(*pool_.lines, image, plane_, is_flat_, planes, joined), lines + row, count,
           counts, y_ + at * axis_[2].out);
      at += count;
    }
  }

 private:
  void place_lines(int64_t begin, int64_t end, LineRows* lines) const {
    for (int64_t at = begin; at < end; ++at) {
      const int64_t row = at % axis_[1].out;
      const Taps taps = taps_at(axis_[1], row);
      lines[row] = {taps.count > 0 ? static_cast<size_t>(taps.first * axis_[2].in) : 0,
                    static_cast<size_t>(taps.count), pool_.divisor_of(pool_.count_of(taps))};
    }
  }
  void count_columns(int64_t planes, float* counts) const {
    for (int64_t o = 0; o < axis_[2].out; ++o) {
      counts[o] = pool_.divisor_of(planes * pool_.count_of(taps_at(axis_[2], o)));
    }
  }
  void join(const float* image, const LineRows* lines, int64_t count, const float* counts,
            float* y) const {
    const WindowAxis &rows = axis_[1], &columns = axis_[2];
    pool_.lines->both(image, static_cast<size_t>(rows.dilation * columns.in), lines,
                      static_cast<size_t>(count), static_cast<size_t>(columns.in),
                      static_cast<size_t>(columns.pad_begin), static_cast<size_t>(columns.kernel),
                      is_mean_ ? counts : nullptr, y, static_cast<size_t>(columns.out));
  }

  const std::array<WindowAxis, kSpatialMax>& axis_;
  const PoolOfLines<float>& pool_;
  const bool is_flat_, is_mean_;
  const int64_t plane_;
  const SlotPlaces places_;
  const float* const x_;
  float* const y_;
};

}  // namespace

bool suits_two_step_pool(const Windows& windows) {
  const WindowAxis& columns = windows.axis[2];
  return columns.stride == 2 && columns.dilation == 1 && columns.kernel >= 2 &&
         columns.kernel <= 5 && windows.axis[1].out <= kLinesMost &&
         (is_flat(windows.axis[0]) || windows.axis[1].in * columns.in <= kJoinedMost);
}

uint64_t two_step_pool_slot(const Windows& windows) {
  return suits_two_step_pool(windows) ? slot_places(windows).end : 0;
}

void run_two_step_pool(const RunContext& ctx, const Windows& windows, int64_t channels,
                       const PoolOfLines<float>& pool, const float* x, float* y, std::byte* slots) {
  const TwoStepPool run(windows, pool, x, y);
  const uint64_t slot_bytes = two_step_pool_slot(windows);
  const auto& axis = windows.axis;
  // A plane of a volume is joined for as many of its lines as an item has: whole planes.
  const int64_t lines = channels * axis[0].out * axis[1].out;
  const int64_t unit = is_flat(windows.axis[0]) ? 1 : axis[1].out;
  const int64_t work = unit * axis[2].in * (axis[1].kernel + 1) +
                       (is_flat(windows.axis[0]) ? 0 : axis[0].kernel * axis[1].in * axis[2].in);
  const int64_t each = unit * std::max<int64_t>(1, kItemWork / std::max<int64_t>(work, 1));
  parallel_items(ctx, ctx.thread_count(), (lines + each - 1) / each,
                 [&](int64_t slot, int64_t item) {
                   run.some_lines(item * each, std::min(lines, (item + 1) * each),
                                  slots + static_cast<uint64_t>(slot) * slot_bytes);
                 });
}

}  // namespace ortc::cpu
