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

constexpr int64_t kImageMost = 1024, kColumnsMost = 8;  // elements, and columns of the output
constexpr int64_t kFewImages = 8;                        // below: vectors would be empty
constexpr int64_t kLanes = 16, kImagesMost = 64;
constexpr int64_t kSlotBytes = 128 * 1024;  // aim
constexpr int64_t kItemWork = 32768;       // elements read that are worth an item of their own

bool are_small(const Windows& windows) {
  return windows.in_size() <= kImageMost && windows.out_size() <= kImageMost &&
         windows.axis[2].out <= kColumnsMost;
}

int64_t images_together(const Windows& windows, size_t element_bytes) {
  const int64_t bytes =
      (windows.in_size() + windows.out_size()) * static_cast<int64_t>(element_bytes);
  return std::clamp(kSlotBytes / bytes / kLanes * kLanes, kLanes, kImagesMost);
}

template <typename T>
class TurnedPool {
 public:
  TurnedPool(const RunContext& ctx, const Windows& windows, const PoolOfLines<T>& pool)
      : vector_(vector_f32_kernels(ctx.isa())),
        windows_(windows),
        axis_(windows.axis),
        pool_(pool),
        turn_(turn_of(ctx.isa(), sizeof(T))) {
    for (int64_t o = 0; o < axis_[2].out; ++o) {
      columns_[static_cast<size_t>(o)] = taps_at(axis_[2], o);
    }
  }

  // `count` images, by a slot.
  void some_images(const T* x, int64_t count, T* slot, T* y) const {
    const auto n = static_cast<size_t>(count);
    const auto in = static_cast<size_t>(windows_.in_size());
    const auto out = static_cast<size_t>(windows_.out_size());
    T* const joined = slot + in * n;
    turn_(x, in, slot, n, n, in);
    T* to = joined;
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
  void join(const T* x, const Taps& planes, const Taps& rows, const Taps& columns, T* y,
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
  void divide(T* y, size_t n, int64_t count) const {
    const T divisor = pool_.divisor_of(count);
    if constexpr (std::is_same_v<T, float>) {
      if (!std::has_single_bit(static_cast<uint64_t>(count))) {
        return vector_.div_scalar(y, divisor, y, n);
      }
      return vector_.mul_scalar(y, 1 / divisor, y, n);
    } else {
      for (size_t i = 0; i < n; ++i) y[i] = static_cast<T>(y[i] / divisor);
    }
  }

  const VectorF32Kernels& vector_;
  const Windows& windows_;
  const std::array<WindowAxis, kSpatialMax>& axis_;
  const PoolOfLines<T>& pool_;
  const TurnKernels::Turn turn_;
  std::array<Taps, kColumnsMost> columns_;
};

}  // namespace

bool suits_turned_pool(const Windows& windows, int64_t channels) {
  return channels >= kFewImages && are_small(windows);
}

uint64_t turned_pool_slot(const Windows& windows, size_t element_bytes) {
  if (!are_small(windows)) return 0;
  const int64_t elements =
      (windows.in_size() + windows.out_size()) * images_together(windows, element_bytes);
  return align_up(static_cast<uint64_t>(elements) * element_bytes, 64);
}

template <typename T>
void run_turned_pool(const RunContext& ctx, const Windows& windows, int64_t channels,
                     const PoolOfLines<T>& pool, const T* x, T* y, std::byte* slots) {
  const TurnedPool<T> run(ctx, windows, pool);
  const int64_t together = images_together(windows, sizeof(T));
  const uint64_t slot_bytes = turned_pool_slot(windows, sizeof(T));
  // Work items of whole blocks of images.
  const int64_t blocks = (channels + together - 1) / together;
  const int64_t work = windows.out_size() * windows.taps() * together;
  const int64_t each = std::max<int64_t>(1, kItemWork / work);
  parallel_items(
      ctx, ctx.thread_count(), (blocks + each - 1) / each, [&](int64_t slot, int64_t item) {
        T* room = reinterpret_cast<T*>(slots + static_cast<uint64_t>(slot) * slot_bytes);
        const int64_t end = std::min(blocks, (item + 1) * each);
        for (int64_t block = item * each; block < end; ++block) {
          const int64_t first = block * together;
          run.some_images(x + first * windows.in_size(), std::min(together, channels - first), room,
                          y + first * windows.out_size());
        }
      });
}

template void run_turned_pool(const RunContext&, const Windows&, int64_t, const PoolOfLines<float>&,
                              const float*, float*, std::byte*);
template void run_turned_pool(const RunContext&, const Windows&, int64_t,
                              const PoolOfLines<double>&, const double*, double*, std::byte*);
template void run_turned_pool(const RunContext&, const Windows&, int64_t,
                              const PoolOfLines<int8_t>&, const int8_t*, int8_t*, std::byte*);
template void run_turned_pool(const RunContext&, const Windows&, int64_t,
                              const PoolOfLines<uint8_t>&, const uint8_t*, uint8_t*, std::byte*);
template void run_turned_pool(const RunContext&, const Windows&, int64_t,
                              const PoolOfLines<uint16_t>&, const uint16_t*, uint16_t*, std::byte*);

}  // namespace ortc::cpu
