// SPDX-License-Identifier: MIT
// Convolutions as products with gathered input: see the header.
#include "providers/cpu/products/gather_product.h"

#include <algorithm>

#include "providers/cpu/arith/gemm_f32/gemm_f32.h"
#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/thread_slots.h"
#include "providers/cpu/products/tile_grid.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kColumns = kPanelColumns;
constexpr int64_t kGathered = 256 * 1024;  // aim for the gathered elements of one work item
constexpr int64_t kRowsMin = 48;           // fewer rows are not worth gathering again for
constexpr int64_t kItemWork = 1 << 18;     // multiplications that are worth an item of their own

constexpr int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

struct Division {
  int64_t panels_per_item, panel_items;
  int64_t rows_per_item, row_items;
};

Division divide(const GatherProduct& p, int thread_count) {
  const int64_t panels = divide_up(p.windows.out_size(), kColumns);
  const double work = static_cast<double>(p.rows) * static_cast<double>(p.depth()) *
                      static_cast<double>(p.windows.out_size()) *
                      static_cast<double>(p.batch * p.groups);
  const double worth =
      std::clamp(work / kItemWork, 1.0, static_cast<double>(items_for_threads(thread_count)));
  const int64_t each =
      divide_up(static_cast<int64_t>(worth), std::max<int64_t>(1, p.batch * p.groups));
  Division d{};
  d.panels_per_item = std::min(std::clamp<int64_t>(kGathered / kColumns / p.depth(), 1, panels),
                               divide_up(panels, std::min(each, panels)));
  d.panel_items = divide_up(panels, d.panels_per_item);
  const int64_t chunks = std::min(divide_up(each, d.panel_items), p.rows / kRowsMin);
  d.rows_per_item = chunks > 1 ? divide_up(p.rows, chunks) : p.rows;
  d.row_items = divide_up(p.rows, d.rows_per_item);
  return d;
}

// A slot's scratch: places of taps for one panel and of those of each axis, then gathered panels.
std::optional<uint64_t> place_bytes(const GatherProduct& p) {
  const auto& axis = p.windows.axis;
  const auto count =
      checked_add(p.windows.taps(), axis[0].kernel + axis[1].kernel + axis[2].kernel);
  return count ? checked_mul(static_cast<uint64_t>(*count), kColumns * sizeof(int64_t))
               : std::nullopt;
}

// Images and groups find the same places. Bytes of those of all panels, where they are few; else 0.
uint64_t shared_bytes(const GatherProduct& p) {
  constexpr uint64_t kMost = 256 * 1024;
  const auto panels = static_cast<uint64_t>(divide_up(p.windows.out_size(), kColumns));
  const auto each = place_bytes(p);
  const auto all = each ? checked_mul(*each, panels) : std::nullopt;
  return p.batch * p.groups > 1 && all && *all <= kMost ? *all : 0;
}

std::optional<uint64_t> slot_bytes(const GatherProduct& p, const Division& d,
                                   size_t element_bytes) {
  const auto places = shared_bytes(p) == 0 ? place_bytes(p) : uint64_t{0};
  const auto depth = checked_mul(p.channels, p.windows.taps());
  const auto panel =
      depth ? checked_mul(static_cast<uint64_t>(*depth), kColumns * element_bytes) : std::nullopt;
  const auto gathered =
      panel ? checked_mul(*panel, static_cast<uint64_t>(d.panels_per_item)) : std::nullopt;
  const auto sum = places && gathered ? checked_add(*places, *gathered) : std::nullopt;
  return sum ? checked_align_up(*sum, 64) : std::nullopt;
}

// Where along one axis output position `o` finds tap `k`, times `step`; kOutside of the input. Any
// sum of places with that is negative.
constexpr int64_t kOutside = INT64_MIN / 4;
int64_t place_on_axis(const WindowAxis& axis, bool transposed, int64_t o, int64_t k, int64_t step) {
  if (!transposed) {
    const int64_t place = o * axis.stride - axis.pad_begin + k * axis.dilation;
    return place >= 0 && place < axis.in ? place * step : kOutside;
  }
  const int64_t spread = o + axis.pad_begin - k * axis.dilation;
  if (spread < 0 || spread % axis.stride != 0) return kOutside;
  const int64_t place = spread / axis.stride;
  return place < axis.in ? place * step : kOutside;
}

// places[tap * 32 + j] = where pixel first + j finds the tap in a channel of x, or less than 0.
// Those of single axes, of which they are sums, come behind them.
void find_places(const GatherProduct& p, int64_t first, int64_t count, int64_t* places) {
  const auto& axis = p.windows.axis;
  int64_t* const slices = places + p.windows.taps() * kColumns;
  int64_t* const rows = slices + axis[0].kernel * kColumns;
  int64_t* const columns = rows + axis[1].kernel * kColumns;
  const auto find = [&](size_t at, int64_t o, int64_t step, int64_t* to) {
    for (int64_t k = 0; k < axis[at].kernel; ++k) {
      to[k * kColumns] = place_on_axis(axis[at], p.transposed, o, k, step);
    }
  };
  int64_t column = first % axis[2].out, row = first / axis[2].out % axis[1].out;
  int64_t slice = first / axis[2].out / axis[1].out;
  for (int64_t j = 0; j < kColumns; ++j) {  // behind the last pixel it comes once more
    find(0, slice, axis[1].in * axis[2].in, slices + j);
    find(1, row, axis[2].in, rows + j);
    find(2, column, 1, columns + j);
    if (j + 1 >= count || ++column < axis[2].out) continue;
    column = 0;
    if (++row == axis[1].out) row = 0, ++slice;
  }
  int64_t* to = places;
  for (int64_t a = 0; a < axis[0].kernel; ++a) {
    for (int64_t b = 0; b < axis[1].kernel; ++b) {
      for (int64_t c = 0; c < axis[2].kernel; ++c, to += kColumns) {
        for (int64_t j = 0; j < kColumns; ++j) {
          to[j] = slices[a * kColumns + j] + rows[b * kColumns + j] + columns[c * kColumns + j];
        }
      }
    }
  }
}

// The columns of a panel, among its first `count`, in which a tap is inside of x, and where.
struct Inside {
  int64_t count = 0;
  int64_t column[kColumns], place[kColumns];
  bool are_neighbours = true;

  Inside(const int64_t* places, int64_t columns) {
    for (int64_t j = 0; j < columns; ++j) {
      column[count] = j;
      place[count] = places[j];
      if (places[j] != places[0] + j) are_neighbours = false;
      if (places[j] >= 0) ++count;
    }
    if (count < kColumns) are_neighbours = false;
  }
};

template <typename T>
void gather_once(const T* x, const int64_t* places, int64_t count, T* to) {
  std::fill_n(to, kColumns, T(0));
  for (int64_t j = 0; j < count; ++j) {
    if (places[j] >= 0) to[j] = x[places[j]];
  }
}

// panel[(channel * taps + tap) * 32 + j]
template <typename T>
void gather_panel(const GatherProduct& p, const T* x, const int64_t* places, int64_t count,
                  T* panel) {
  const int64_t taps = p.windows.taps(), in_size = p.windows.in_size();
  for (int64_t tap = 0; tap < taps; ++tap, places += kColumns) {
    T* to = panel + tap * kColumns;
    if (p.channels == 1) {  // what is inside is not worth finding out for one
      gather_once(x, places, count, to);
      continue;
    }
    const Inside inside(places, count);
    const T* from = x;
    for (int64_t c = 0; c < p.channels; ++c, from += in_size, to += taps * kColumns) {
      if (inside.are_neighbours) {
        std::copy_n(from + inside.place[0], kColumns, to);
        continue;
      }
      if (inside.count < kColumns) std::fill_n(to, kColumns, T(0));
      for (int64_t i = 0; i < inside.count; ++i) to[inside.column[i]] = from[inside.place[i]];
    }
  }
}

// A rectangle of one group's result: rows of `w`, columns of gathered panels.
template <typename T>
struct Rectangle {
  const T* w;
  const T* panels;
  const T* bias;  // or null
  T* y;
  int64_t rows, columns, depth, y_ld;
};

void multiply(Isa isa, const Rectangle<float>& r) {
  GemmF32 gemm;
  gemm.a = r.w;
  gemm.lda = gemm.k = static_cast<size_t>(r.depth);
  gemm.b = r.panels;
  gemm.c = r.y;
  gemm.ldc = static_cast<size_t>(r.y_ld);
  gemm.n = static_cast<size_t>(r.columns);
  gemm_f32_kernels(isa).tile(gemm, 0, static_cast<size_t>(r.rows), 0, panel_count(gemm.n));
  if (r.bias == nullptr) return;
  const VectorF32Kernels& vector = vector_f32_kernels(isa);
  for (int64_t i = 0; i < r.rows; ++i) {
    float* row = r.y + i * r.y_ld;
    vector.add_scalar(row, r.bias[i], row, gemm.n);
  }
}

void multiply(Isa, const Rectangle<double>& r) {
  for (int64_t i = 0; i < r.rows; ++i) {
    for (int64_t j0 = 0; j0 < r.columns; j0 += kColumns) {
      const double* panel = r.panels + j0 * r.depth;
      double sums[kColumns] = {};
      for (int64_t k = 0; k < r.depth; ++k) {
        const double weight = r.w[i * r.depth + k];
        for (int64_t j = 0; j < kColumns; ++j) sums[j] += weight * panel[k * kColumns + j];
      }
      const double bias = r.bias != nullptr ? r.bias[i] : 0.0;
      for (int64_t j = 0; j < std::min(kColumns, r.columns - j0); ++j) {
        r.y[i * r.y_ld + j0 + j] = sums[j] + bias;
      }
    }
  }
}

template <typename T>
void run_items(const RunContext& ctx, const GatherProduct& p, const T* x, const T* w, const T* bias,
               T* y, std::byte* scratch) {
  const int64_t in_size = p.windows.in_size(), out_size = p.windows.out_size();
  if (out_size == 0) return;
  const Division d = divide(p, ctx.thread_count());
  const int64_t each = d.panel_items * d.row_items, depth = p.depth();
  const uint64_t bytes_per_slot = *slot_bytes(p, d, sizeof(T)), shared = shared_bytes(p);
  auto* all_places = reinterpret_cast<int64_t*>(scratch);
  const auto places_each = static_cast<int64_t>(*place_bytes(p) / sizeof(int64_t));
  const auto find = [&](int64_t at, int64_t* places) {
    find_places(p, at, std::min(kColumns, out_size - at), places);
  };
  for (int64_t at = 0; shared > 0 && at < out_size; at += kColumns) {
    find(at, all_places + at / kColumns * places_each);
  }
  parallel_items(
      ctx, ctx.thread_count(), p.batch * p.groups * each, [&](int64_t slot, int64_t item) {
        std::byte* own = scratch + shared + static_cast<uint64_t>(slot) * bytes_per_slot;
        auto* own_places = reinterpret_cast<int64_t*>(own);
        T* panels = reinterpret_cast<T*>(own + (shared > 0 ? 0 : *place_bytes(p)));
        const int64_t part = item / each, group = part % p.groups;
        const int64_t row = item % d.row_items * d.rows_per_item;
        const int64_t column = item % each / d.row_items * d.panels_per_item * kColumns;
        const int64_t end = std::min(out_size, column + d.panels_per_item * kColumns);
        for (int64_t at = column; at < end; at += kColumns) {
          int64_t* places = shared > 0 ? all_places + at / kColumns * places_each : own_places;
          if (shared == 0) find(at, places);
          gather_panel(p, x + part * p.channels * in_size, places, std::min(kColumns, end - at),
                       panels + (at - column) * depth);
        }
        const int64_t first = group * p.rows + row;
        multiply(
            ctx.isa(),
            Rectangle<T>{w + first * depth, panels, bias != nullptr ? bias + first : nullptr,
                         y + (part * p.rows + row) * out_size + column,
                         std::min(d.rows_per_item, p.rows - row), end - column, depth, out_size});
      });
}

}  // namespace

std::optional<uint64_t> gather_scratch(const GatherProduct& product, size_t element_bytes,
                                       int thread_count) {
  if (product.windows.out_size() == 0) return uint64_t{0};
  const auto slot = slot_bytes(product, divide(product, thread_count), element_bytes);
  const auto slots = slot ? checked_mul(*slot, static_cast<uint64_t>(thread_count)) : std::nullopt;
  return slots ? checked_add(*slots, shared_bytes(product)) : std::nullopt;
}

void run_gather_product(const RunContext& ctx, const GatherProduct& product, const float* x,
                        const float* w, const float* bias, float* y, std::byte* scratch) {
  run_items(ctx, product, x, w, bias, y, scratch);
}
void run_gather_product(const RunContext& ctx, const GatherProduct& product, const double* x,
                        const double* w, const double* bias, double* y, std::byte* scratch) {
  run_items(ctx, product, x, w, bias, y, scratch);
}

}  // namespace ortc::cpu
