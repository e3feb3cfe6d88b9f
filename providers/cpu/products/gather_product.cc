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

// A slot's scratch: places of taps for one panel, then gathered panels.
std::optional<uint64_t> place_bytes(const GatherProduct& p) {
  return checked_mul(static_cast<uint64_t>(p.windows.taps()), kColumns * sizeof(int64_t));
}
std::optional<uint64_t> slot_bytes(const GatherProduct& p, const Division& d,
                                   size_t element_bytes) {
  const auto places = place_bytes(p);
  const auto depth = checked_mul(p.channels, p.windows.taps());
  const auto panel =
      depth ? checked_mul(static_cast<uint64_t>(*depth), kColumns * element_bytes) : std::nullopt;
  const auto gathered =
      panel ? checked_mul(*panel, static_cast<uint64_t>(d.panels_per_item)) : std::nullopt;
  const auto sum = places && gathered ? checked_add(*places, *gathered) : std::nullopt;
  return sum ? checked_align_up(*sum, 64) : std::nullopt;
}

// Where along one axis output position `o` finds tap `k`; -1 outside of the input.
int64_t place_on_axis(const WindowAxis& axis, bool transposed, int64_t o, int64_t k) {
  if (!transposed) {
    const int64_t place = o * axis.stride - axis.pad_begin + k * axis.dilation;
    return place < axis.in ? place : -1;
  }
  const int64_t spread = o + axis.pad_begin - k * axis.dilation;
  if (spread < 0 || spread % axis.stride != 0) return -1;
  const int64_t place = spread / axis.stride;
  return place < axis.in ? place : -1;
}

// places[tap * 32 + j] = where pixel first + j finds the tap in a channel of x, or -1.
void find_places(const GatherProduct& p, int64_t first, int64_t count, int64_t* places) {
  const auto& axis = p.windows.axis;
  for (int64_t j = 0; j < kColumns; ++j) {
    const int64_t pixel = first + std::min(j, count - 1);
    const int64_t out[] = {pixel / axis[2].out / axis[1].out, pixel / axis[2].out % axis[1].out,
                           pixel % axis[2].out};
    int64_t* to = places + j;
    for (int64_t a = 0; a < axis[0].kernel; ++a) {
      const int64_t x0 = place_on_axis(axis[0], p.transposed, out[0], a);
      for (int64_t b = 0; b < axis[1].kernel; ++b) {
        const int64_t x1 = place_on_axis(axis[1], p.transposed, out[1], b);
        for (int64_t c = 0; c < axis[2].kernel; ++c, to += kColumns) {
          const int64_t x2 = place_on_axis(axis[2], p.transposed, out[2], c);
          const bool is_inside = j < count && x0 >= 0 && x1 >= 0 && x2 >= 0;
          *to = is_inside ? (x0 * axis[1].in + x1) * axis[2].in + x2 : -1;
        }
      }
    }
  }
}

bool are_neighbours(const int64_t* places) {
  for (int64_t j = 0; j < kColumns; ++j) {
    if (places[j] < 0 || places[j] != places[0] + j) return false;
  }
  return true;
}

// panel[(channel * taps + tap) * 32 + j]
template <typename T>
void gather_panel(const GatherProduct& p, const T* x, const int64_t* places, T* panel) {
  const int64_t taps = p.windows.taps(), in_size = p.windows.in_size();
  for (int64_t tap = 0; tap < taps; ++tap, places += kColumns) {
    T* to = panel + tap * kColumns;
    const T* from = x;
    if (are_neighbours(places)) {
      for (int64_t c = 0; c < p.channels; ++c, from += in_size, to += taps * kColumns) {
        std::copy_n(from + places[0], kColumns, to);
      }
      continue;
    }
    for (int64_t c = 0; c < p.channels; ++c, from += in_size, to += taps * kColumns) {
      for (int64_t j = 0; j < kColumns; ++j) to[j] = places[j] >= 0 ? from[places[j]] : T(0);
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
  const uint64_t bytes_per_slot = *slot_bytes(p, d, sizeof(T));
  parallel_items(
      ctx, ctx.thread_count(), p.batch * p.groups * each, [&](int64_t slot, int64_t item) {
        std::byte* own = scratch + static_cast<uint64_t>(slot) * bytes_per_slot;
        auto* places = reinterpret_cast<int64_t*>(own);
        T* panels = reinterpret_cast<T*>(own + *place_bytes(p));
        const int64_t part = item / each, group = part % p.groups;
        const int64_t row = item % d.row_items * d.rows_per_item;
        const int64_t column = item % each / d.row_items * d.panels_per_item * kColumns;
        const int64_t end = std::min(out_size, column + d.panels_per_item * kColumns);
        for (int64_t at = column; at < end; at += kColumns) {
          find_places(p, at, std::min(kColumns, end - at), places);
          gather_panel(p, x + part * p.channels * in_size, places, panels + (at - column) * depth);
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
  const auto bytes = slot_bytes(product, divide(product, thread_count), element_bytes);
  return bytes ? checked_mul(*bytes, static_cast<uint64_t>(thread_count)) : std::nullopt;
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
