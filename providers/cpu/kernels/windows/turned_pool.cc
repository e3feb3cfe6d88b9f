// SPDX-License-Identifier: MIT
// Pools of small images: see the header. A slot has some images, pixel by pixel, and their results.
#include "providers/cpu/kernels/windows/turned_pool.h"

#include <array>
#include <bit>

#include "providers/cpu/arith/turn/turn.h"
#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/thread_slots.h"

namespace ortc::cpu {
namespace {

// Elements, and columns of the output: lines of a volume's windows are joined in more calls.
constexpr int64_t kImageMost = 1024, kImageColumns = 8;
constexpr int64_t kVolumeMost = 400, kVolumeColumns = 9;
constexpr int64_t kTapsMost = 128, kVolumeTapsMost = 27;  // that are joined one by one
constexpr int64_t kFewImages = 8;                         // below: vectors would be empty
constexpr int64_t kLanes = 16, kImagesMost = 64;
constexpr int64_t kSlotBytes = 128 * 1024;  // aim
constexpr int64_t kItemWork = 32768;        // elements read that are worth an item of their own

bool are_small(const Windows& windows) {
  const bool is_volume = windows.axis[0].kernel > 1;
  const int64_t most = is_volume ? kVolumeMost : kImageMost;
  return windows.in_size() <= most && windows.out_size() <= most &&
         windows.taps() <= (is_volume ? kVolumeTapsMost : kTapsMost) &&
         windows.axis[2].out <= (is_volume ? kVolumeColumns : kImageColumns);
}

int64_t images_together(const Windows& windows) {
  constexpr auto kFloat = static_cast<int64_t>(sizeof(float));
  const int64_t bytes = (windows.in_size() + windows.out_size()) * kFloat;
  return std::clamp(kSlotBytes / bytes / kLanes * kLanes, kLanes, kImagesMost);
}

class TurnedPool {
 public:
  TurnedPool(const RunContext& ctx, const Windows& windows, const PoolOfLines<float>& pool)
      : vector_(vector_f32_kernels(ctx.isa())),
        windows_(windows),
        axis_(windows.axis),
        pool_(pool),
        turn_(turn_of(ctx.isa(), sizeof(float))) {
    for (int64_t o = 0; o < axis_[2].out; ++o) {
      columns_[static_cast<size_t>(o)] = taps_at(axis_[2], o);
    }
  }

  // `count` images, by a slot.
  void some_images(const float* x, int64_t count, float* slot, float* y) const {
    const auto n = static_cast<size_t>(count);
    const auto in = static_cast<size_t>(windows_.in_size());
    const auto out = static_cast<size_t>(windows_.out_size());
    float* const joined = slot + in * n;
    turn_(x, in, slot, n, n, in);
    float* to = joined;
    for (int64_t o = 0; o < axis_[0].out; ++o) {
      const Taps planes = taps_at(axis_[0], o);
      for (int64_t i = 0; i < axis_[1].out; ++i) {
        const Taps rows = taps_at(axis_[1], i);
        for (int64_t j = 0; j < axis_[2].out; ++j, to += n) {
          const Taps& columns = columns_[static_cast<size_t>(j)];
          join(slot, planes, rows, columns, to, n);
          if (pool_.kind == LinePool::kLargest) continue;
          divide(to, n, pool_.count_of(planes) * pool_.count_of(rows) * pool_.count_of(columns));
        }
      }
    }
    turn_(joined, n, y, out, out, n);
  }

 private:
  // One pixel of all images.
  void join(const float* x, const Taps& planes, const Taps& rows, const Taps& columns, float* y,
            size_t n) const {
    bool adds = false;
    for (int64_t a = 0; a < planes.count; ++a) {
      const int64_t plane = (planes.first + a * planes.dilation) * axis_[1].in;
      for (int64_t b = 0; b < rows.count; ++b) {
        const int64_t line = (plane + rows.first + b * rows.dilation) * axis_[2].in;
        pool_.lines->join(x + static_cast<size_t>(line + columns.first) * n,
                          static_cast<size_t>(columns.dilation) * n,
                          static_cast<size_t>(columns.count), adds, y, n);
        adds = true;
      }
    }
    if (!adds) std::fill_n(y, n, pool_.neutral);
  }

  // Powers of two have exact reciprocals.
  void divide(float* y, size_t n, int64_t count) const {
    const float divisor = pool_.divisor_of(count);
    if (std::has_single_bit(static_cast<uint64_t>(count))) {
      vector_.mul_scalar(y, 1 / divisor, y, n);
    } else {
      vector_.div_scalar(y, divisor, y, n);
    }
  }

  const VectorF32Kernels& vector_;
  const Windows& windows_;
  const std::array<WindowAxis, kSpatialMax>& axis_;
  const PoolOfLines<float>& pool_;
  const TurnKernels::Turn turn_;
  std::array<Taps, kVolumeColumns> columns_;
};

}  // namespace

bool suits_turned_pool(const Windows& windows, int64_t channels) {
  return channels >= kFewImages && are_small(windows);
}

uint64_t turned_pool_slot(const Windows& windows) {
  if (!are_small(windows)) return 0;
  const int64_t elements = (windows.in_size() + windows.out_size()) * images_together(windows);
  return align_up(static_cast<uint64_t>(elements) * sizeof(float), 64);
}

void run_turned_pool(const RunContext& ctx, const Windows& windows, int64_t channels,
                     const PoolOfLines<float>& pool, const float* x, float* y, std::byte* slots) {
  const TurnedPool run(ctx, windows, pool);
  const int64_t together = images_together(windows);
  const uint64_t slot_bytes = turned_pool_slot(windows);
  // Work items of whole blocks of images.
  const int64_t blocks = (channels + together - 1) / together;
  const int64_t work = windows.out_size() * windows.taps() * together;
  const int64_t each = std::max<int64_t>(1, kItemWork / work);
  parallel_items(
      ctx, ctx.thread_count(), (blocks + each - 1) / each, [&](int64_t slot, int64_t item) {
        float* room = reinterpret_cast<float*>(slots + static_cast<uint64_t>(slot) * slot_bytes);
        const int64_t end = std::min(blocks, (item + 1) * each);
        for (int64_t block = item * each; block < end; ++block) {
          const int64_t first = block * together;
          run.some_images(x + first * windows.in_size(), std::min(together, channels - first), room,
                          y + first * windows.out_size());
        }
      });
}

}  // namespace ortc::cpu
