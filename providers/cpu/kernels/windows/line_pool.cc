// SPDX-License-Identifier: MIT
// Pools line by line: see the header. A thread's slot holds some lines, each as wide as the windows
// of an output line reach: they are joined one after the other before the first is read again, when
// it has long been written. Of images that fit the first cache all lines go together, end to end
// with their padding: windows that reach into the next line give results that nobody takes. In
// front of all slots stand the counts of taps by output column, 1 where there are none: such a sum
// is 0. A window that is the whole image is a row of its elements.
#include "providers/cpu/kernels/windows/line_pool.h"

#include <algorithm>
#include <bit>

#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/thread_slots.h"
#include "providers/cpu/kernels/windows/pool_lines_of.h"
#include "providers/cpu/kernels/windows/turned_pool.h"
#include "providers/cpu/kernels/windows/two_step_pool.h"

namespace ortc::cpu {
namespace {

// A padded line is written for each line that is read: beyond any pool there is, this is a file
// that wants memory.
constexpr int64_t kPaddingMost = int64_t{1} << 24;
constexpr int64_t kSlotElements = 2048;  // of lines that are joined together
constexpr int64_t kMostTogether = 16;
constexpr int64_t kTinyVolume = 100;  // elements: turned with others, whatever its windows
constexpr int64_t kItemWork = 32768;  // elements read that are worth an item of their own

// Elements between the first place of the first window and the last place of the last.
int64_t line_reach(const WindowAxis& axis) {
  return (axis.out - 1) * axis.stride + window_reach(axis);
}

uint64_t counts_bytes(const Windows& windows, size_t element_bytes) {
  return align_up(static_cast<uint64_t>(windows.axis[2].out) * element_bytes, 64);
}
uint64_t line_bytes(const Windows& windows, size_t element_bytes) {
  return align_up(static_cast<uint64_t>(line_reach(windows.axis[2])) * element_bytes, 64);
}

int64_t lines_together(const WindowAxis& axis) {
  return std::clamp<int64_t>(kSlotElements / std::max<int64_t>(line_reach(axis), 1), 1,
                             kMostTogether);
}

// Whether an image is one window, without padding.
bool is_one_window(const Windows& windows) {
  return std::ranges::all_of(windows.axis, [](const WindowAxis& axis) {
    return axis.out == 1 && axis.pad_begin == 0 && axis.dilation == 1 && axis.kernel == axis.in;
  });
}

// Whether the taps of all windows lie in the image: they are as many everywhere.
bool windows_are_inside(const Windows& windows) {
  return std::ranges::all_of(windows.axis, [](const WindowAxis& axis) {
    return axis.pad_begin == 0 && line_reach(axis) <= axis.in;
  });
}

// Elements from line to line of an image that is joined as a whole: of the image itself, or of one
// with padding. Windows stand at every so many elements of all lines, so a line of windows must
// begin at such a place.
int64_t image_pitch(const Windows& windows) {
  const WindowAxis &rows = windows.axis[1], &columns = windows.axis[2];
  if (windows_are_inside(windows)) return columns.in;
  int64_t pitch = line_reach(columns);
  while (pitch * rows.stride % columns.stride != 0) ++pitch;
  return pitch;
}
int64_t padded_image(const Windows& windows) {
  return line_reach(windows.axis[1]) * image_pitch(windows);
}

// Whether images are joined as a whole, those of a volume after its planes. What lies between lines
// of windows is joined for nothing.
bool takes_whole_images(const Windows& windows) {
  constexpr int64_t kReachMost = 64, kElementsMost = 4096, kStridedMost = 16;
  const WindowAxis &rows = windows.axis[1], &columns = windows.axis[2];
  const bool is_dense = rows.stride == 1 && columns.stride == 1;
  const bool is_small = rows.stride <= 2 && columns.stride <= 2 && columns.out <= kStridedMost;
  if (!is_dense && !is_small) return false;
  if (columns.in > kReachMost || line_reach(columns) > kReachMost) return false;
  const int64_t pitch = image_pitch(windows);
  return pitch * rows.stride % columns.stride == 0 && line_reach(rows) <= kElementsMost / pitch;
}

// Elements of a slot for such an image.
int64_t whole_slot(const Windows& windows) {
  const int64_t plane = is_flat(windows.axis[0]) ? 0 : windows.axis[1].in * windows.axis[2].in;
  return 3 * padded_image(windows) + plane;
}

template <typename T>
class LinePoolRun {
 public:
  LinePoolRun(const RunContext& ctx, const Windows& windows, const PoolOfLines<T>& pool)
      : ctx_(ctx),
        axis_(windows.axis),
        pool_(pool),
        kernels_(pool_lines_kernels(ctx.isa())),
        lines_(*pool.lines),
        counts_(reinterpret_cast<T*>(ctx.scratch())),
        slots_(reinterpret_cast<T*>(ctx.scratch() + counts_bytes(windows, sizeof(T)))),
        line_elements_(static_cast<int64_t>(line_bytes(windows, sizeof(T)) / sizeof(T))),
        together_(lines_together(windows.axis[2])),
        taps_(windows_are_inside(windows) ? windows.taps() : 0),
        is_one_window_(std::is_same_v<T, float> && is_one_window(windows)),
        whole_(takes_whole_images(windows)),
        pitch_(whole_ ? image_pitch(windows) : 0),
        image_elements_(whole_ ? padded_image(windows) : 0),
        slot_elements_(whole_ ? whole_slot(windows) : 0) {}

  void run(int64_t channels, const T* x, T* y) {
    if (is_one_window_) return run_rows(channels, x, y);
    count_taps();
    if (whole_) return run_images(channels, x, y);
    const int64_t lines = channels * axis_[0].out * axis_[1].out;
    const double work = static_cast<double>(axis_[2].in) *
                        static_cast<double>(axis_[0].kernel * axis_[1].kernel + 1);
    const auto each = static_cast<int64_t>(std::max(1.0, static_cast<double>(kItemWork) / work));
    parallel_items(ctx_, ctx_.thread_count(), (lines + each - 1) / each,
                   [&](int64_t slot, int64_t item) {
                     T* room = slots_ + slot * together_ * line_elements_;
                     const int64_t end = std::min(lines, (item + 1) * each);
                     some_lines(item * each, end, x, room, y);
                   });
  }

 private:
  void run_rows(int64_t channels, const T* x, T* y) const {
    if constexpr (std::is_same_v<T, float>) {
      const VectorF32Kernels& vector = vector_f32_kernels(ctx_.isa());
      const int64_t size = image_size();
      const auto count = static_cast<size_t>(size);
      const auto divisor = static_cast<float>(size);
      ctx_.parallel_for(
          channels, std::max<int64_t>(1, kItemWork / size), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
              const float* image = x + i * size;
              y[i] = pool_.kind == LinePool::kLargest ? vector.maximum(image, count)
                                                      : vector.sum(image, count) / divisor;
            }
          });
    }
  }

  // A slot has the padded image, its rows joined, its columns joined, and then the joined planes of
  // a volume.
  void run_images(int64_t channels, const T* x, T* y) {
    const int64_t out = axis_[1].out * axis_[2].out, images = channels * axis_[0].out;
    const double work = static_cast<double>(image_elements_) *
                        static_cast<double>(axis_[0].kernel + axis_[1].kernel + axis_[2].kernel);
    const auto each = static_cast<int64_t>(std::max(1.0, static_cast<double>(kItemWork) / work));
    parallel_items(
        ctx_, ctx_.thread_count(), (images + each - 1) / each, [&](int64_t slot, int64_t item) {
          T* padded = slots_ + slot * slot_elements_;
          if (taps_ == 0) std::fill_n(padded, image_elements_, pool_.neutral);
          const int64_t end = std::min(images, (item + 1) * each);
          for (int64_t i = item * each; i < end; ++i) {
            const Taps planes = taps_at(axis_[0], i % axis_[0].out);
            const T* image =
                plane_of(lines_, x + i / axis_[0].out * image_size(), axis_[1].in * axis_[2].in,
                         is_flat(axis_[0]), planes, padded + 3 * image_elements_);
            one_image(image, pool_.count_of(planes), padded, y + i * out);
            if (divides_together()) divide(y + i * out, out);
          }
        });
  }

  // Where there is no padding, the image is taken as it is.
  void one_image(const T* x, int64_t planes, T* padded, T* y) const {
    const WindowAxis &rows = axis_[1], &columns = axis_[2];
    T *windows = padded + image_elements_, *joined = windows + image_elements_;
    if (taps_ == 0) pad_image(x, padded);
    const int64_t last = (rows.out - 1) * rows.stride * pitch_;  // line of windows
    const int64_t line = rows.stride * pitch_ / columns.stride;
    lines_.join(taps_ == 0 ? padded : x, static_cast<size_t>(rows.dilation * pitch_),
                static_cast<size_t>(rows.kernel), false, windows,
                static_cast<size_t>(last + line_reach(columns)));
    lines_.window(windows, static_cast<size_t>(columns.kernel), static_cast<size_t>(columns.stride),
                  static_cast<size_t>(columns.dilation), joined,
                  static_cast<size_t>(last / columns.stride + columns.out));
    if (pool_.kind == LinePool::kLargest || divides_together()) {
      const auto out = static_cast<size_t>(columns.out);
      return lines_.move(joined, static_cast<size_t>(line), y, out, static_cast<size_t>(rows.out),
                         out);
    }
    for (int64_t row = 0; row < rows.out; ++row) {
      const T divisor = pool_.divisor_of(planes * pool_.count_of(taps_at(rows, row)));
      mean_line(joined + row * line, divisor, y + row * columns.out);
    }
  }

  void pad_image(const T* x, T* padded) const {
    const WindowAxis &rows = axis_[1], &columns = axis_[2];
    const int64_t inside_rows = std::clamp<int64_t>(line_reach(rows) - rows.pad_begin, 0, rows.in);
    const int64_t inside =
        std::clamp<int64_t>(line_reach(columns) - columns.pad_begin, 0, columns.in);
    lines_.move(x, static_cast<size_t>(columns.in),
                padded + rows.pad_begin * pitch_ + columns.pad_begin, static_cast<size_t>(pitch_),
                static_cast<size_t>(inside_rows), static_cast<size_t>(inside));
  }

  void count_taps() {
    if (pool_.kind == LinePool::kLargest) return;
    for (int64_t o = 0; o < axis_[2].out; ++o) {
      counts_[o] = pool_.divisor_of(pool_.count_of(taps_at(axis_[2], o)));
    }
  }
  bool divides_together() const {
    return std::is_same_v<T, float> && pool_.kind != LinePool::kLargest && taps_ > 0;
  }
  // n sums by the taps that all windows have. Powers of two have exact reciprocals.
  void divide([[maybe_unused]] T* y, [[maybe_unused]] int64_t n) const {
    if constexpr (std::is_same_v<T, float>) {
      const VectorF32Kernels& vector = vector_f32_kernels(ctx_.isa());
      const auto taps = static_cast<float>(taps_);
      if (std::has_single_bit(static_cast<uint64_t>(taps_))) {
        vector.mul_scalar(y, 1 / taps, y, static_cast<size_t>(n));
      } else {
        vector.div_scalar(y, taps, y, static_cast<size_t>(n));
      }
    }
  }
  void mean_line(const T* sums, [[maybe_unused]] T factor, T* y) const {
    [[maybe_unused]] const auto size = static_cast<size_t>(axis_[2].out);
    if constexpr (std::is_same_v<T, float>) kernels_.mean_f32(sums, counts_, factor, y, size);
    if constexpr (std::is_same_v<T, double>) kernels_.mean_f64(sums, counts_, factor, y, size);
  }

  // Lines [begin, end), counted over all images.
  void some_lines(int64_t begin, int64_t end, const T* x, T* room, T* y) const {
    const WindowAxis& columns = axis_[2];
    const int64_t reach = line_reach(columns);
    const int64_t inside = std::clamp<int64_t>(reach - columns.pad_begin, 0, columns.in);
    for (int64_t i = 0; i < together_; ++i) {  // what is beside the image stays
      std::fill_n(room + i * line_elements_, reach, pool_.neutral);
    }
    int64_t row = begin % axis_[1].out, plane = begin / axis_[1].out % axis_[0].out;
    const T* image = x + begin / axis_[1].out / axis_[0].out * image_size();
    for (int64_t at = begin; at < end; at += together_) {
      const int64_t count = std::min(together_, end - at);
      T factors[kMostTogether];
      for (int64_t i = 0; i < count; ++i) {
        T* joined = room + i * line_elements_ + columns.pad_begin;
        factors[i] = join_line(image, plane, row, joined, inside);
        if (++row < axis_[1].out) continue;
        row = 0;
        if (++plane < axis_[0].out) continue;
        plane = 0;
        image += image_size();
      }
      for (int64_t i = 0; i < count; ++i) {
        finish_line(room + i * line_elements_, factors[i], y + (at + i) * columns.out);
      }
      if (divides_together()) divide(y + at * columns.out, count * columns.out);
    }
  }

  int64_t image_size() const { return axis_[0].in * axis_[1].in * axis_[2].in; }

  // The rows of a line's windows, and how many count for a mean.
  T join_line(const T* image, int64_t plane, int64_t row, T* joined, int64_t inside) const {
    const Taps planes = taps_at(axis_[0], plane), rows = taps_at(axis_[1], row);
    const int64_t width = axis_[2].in;
    if (inside > 0 && planes.count * rows.count == 0) {
      std::fill_n(joined, inside, pool_.neutral);
    }
    for (int64_t a = 0; inside > 0 && rows.count > 0 && a < planes.count; ++a) {
      const int64_t first = (planes.first + a * planes.dilation) * axis_[1].in + rows.first;
      lines_.join(image + first * width, static_cast<size_t>(rows.dilation * width),
                  static_cast<size_t>(rows.count), a > 0, joined, static_cast<size_t>(inside));
    }
    return pool_.kind == LinePool::kLargest
               ? T(0)
               : pool_.divisor_of(pool_.count_of(planes) * pool_.count_of(rows));
  }

  void finish_line(const T* line, T factor, T* y) const {
    const WindowAxis& columns = axis_[2];
    const auto size = static_cast<size_t>(columns.out);
    lines_.window(line, static_cast<size_t>(columns.kernel), static_cast<size_t>(columns.stride),
                  static_cast<size_t>(columns.dilation), y, size);
    if (pool_.kind != LinePool::kLargest && !divides_together()) mean_line(y, factor, y);
  }

  const RunContext& ctx_;
  const std::array<WindowAxis, kSpatialMax>& axis_;
  const PoolOfLines<T>& pool_;
  const PoolLinesKernels& kernels_;
  const PoolLines<T>& lines_;
  T* const counts_;
  T* const slots_;
  const int64_t line_elements_, together_;
  const int64_t taps_;  // of all windows; 0 where they differ
  const bool is_one_window_, whole_;
  const int64_t pitch_, image_elements_, slot_elements_;
};

}  // namespace

Result<uint64_t> line_pool_scratch(const Windows& windows, size_t element_bytes, int thread_count) {
  if (windows.out_size() == 0) return uint64_t{0};
  const WindowAxis& columns = windows.axis[2];
  const int64_t padding = line_reach(columns) - columns.in;
  if (padding > kPaddingMost) {
    return not_implemented("windows that reach ", padding, " elements beyond an axis of ",
                           columns.in, "; at most ", kPaddingMost, " are padded");
  }
  auto slot = checked_mul(line_bytes(windows, element_bytes),
                          static_cast<uint64_t>(lines_together(columns)));
  if (slot && takes_whole_images(windows)) {
    slot = std::max(*slot, static_cast<uint64_t>(whole_slot(windows)) * element_bytes);
  }
  if (slot) slot = std::max({*slot, turned_pool_slot(windows), two_step_pool_slot(windows)});
  const auto slots = slot ? slot_scratch(*slot, thread_count) : std::nullopt;
  const auto bytes =
      slots ? checked_add(*slots, counts_bytes(windows, element_bytes)) : std::nullopt;
  if (!bytes) return invalid_argument("the pool needs more scratch than there can be");
  return *bytes;
}

template <typename T>
void run_line_pool(const RunContext& ctx, const Windows& windows, int64_t channels, LinePool pool,
                   const T* x, T* y) {
  using Element = LineElement<T>;
  const PoolOfLines<Element> lines = pool_of_lines<T>(ctx.isa(), pool);
  const auto* from = reinterpret_cast<const Element*>(x);
  auto* to = reinterpret_cast<Element*>(y);
  if constexpr (std::is_same_v<T, float>) {
    const bool by_steps = suits_two_step_pool(windows) && windows.axis[0].kernel > 1 &&
                          windows.in_size() > kTinyVolume;
    if (suits_turned_pool(windows, channels) && !is_one_window(windows) && !by_steps) {
      return run_turned_pool(ctx, windows, channels, lines, from, to, ctx.scratch());
    }
    if (suits_two_step_pool(windows)) {
      return run_two_step_pool(ctx, windows, channels, lines, from, to, ctx.scratch());
    }
  }
  LinePoolRun<Element>(ctx, windows, lines).run(channels, from, to);
}

template void run_line_pool(const RunContext&, const Windows&, int64_t, LinePool, const float*,
                            float*);
template void run_line_pool(const RunContext&, const Windows&, int64_t, LinePool, const double*,
                            double*);
template void run_line_pool(const RunContext&, const Windows&, int64_t, LinePool, const int8_t*,
                            int8_t*);
template void run_line_pool(const RunContext&, const Windows&, int64_t, LinePool, const uint8_t*,
                            uint8_t*);
template void run_line_pool(const RunContext&, const Windows&, int64_t, LinePool, const Float16*,
                            Float16*);
template void run_line_pool(const RunContext&, const Windows&, int64_t, LinePool, const Bfloat16*,
                            Bfloat16*);

}  // namespace ortc::cpu
