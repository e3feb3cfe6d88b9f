// SPDX-License-Identifier: MIT
// How rows and panels of a product are cut into work items for threads. Results do not depend on
// the cut; its aim is that all threads end together and that an item is worth waking a thread for.
#pragma once

#include <cstdint>

namespace ortc::cpu {

struct TileGrid {
  int64_t rows = 0, panels = 0;  // of the whole product
  int64_t row_step = 1;          // items begin at multiples of it
  int64_t row_items = 0, panel_items = 0;

  int64_t items() const { return row_items * panel_items; }
  // Items next to each other share panels.
  int64_t row_begin(int64_t item) const {
    return begin(item % row_items, row_items, rows, row_step);
  }
  int64_t row_end(int64_t item) const {
    return begin(item % row_items + 1, row_items, rows, row_step);
  }
  int64_t panel_begin(int64_t item) const {
    return begin(item / row_items, panel_items, panels, 1);
  }
  int64_t panel_end(int64_t item) const {
    return begin(item / row_items + 1, panel_items, panels, 1);
  }

 private:
  // Where part i of `parts` begins, as even as whole steps allow.
  static int64_t begin(int64_t i, int64_t parts, int64_t count, int64_t step) {
    const int64_t steps = count / step + (count % step != 0 ? 1 : 0);
    const int64_t at = steps * i / parts * step;
    return at < count ? at : count;
  }
};

// `depth` is the length of the dot products. `items_wanted` 1 gives one item.
TileGrid make_tile_grid(int64_t rows, int64_t panels, int64_t depth, int64_t items_wanted);

// The same cut along its rows alone, with as many items for each thread, where the weights are not
// much more than the `row_elements` that are read and written: then a thread finds in its caches
// what it made in the step before.
TileGrid cut_by_rows(const TileGrid& grid, int64_t depth, int64_t row_elements, int threads);

// Work items that keep `threads` threads busy to the end.
constexpr int64_t items_for_threads(int threads) { return threads <= 1 ? 1 : 4 * threads; }
// Fewer for convolutions: each item finds the pixels of its windows for itself, and neighbouring
// lines share what they read.
constexpr int64_t conv_items_for_threads(int threads) { return threads <= 1 ? 1 : 2 * threads; }

}  // namespace ortc::cpu
