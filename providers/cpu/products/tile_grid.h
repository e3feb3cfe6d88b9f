// SPDX-License-Identifier: MIT
// How rows and panels of a product are cut into work items for threads. Results do not depend on
// the cut; its aim is that all threads end together and that an item is worth waking a thread for.
#pragma once

#include <cstdint>

namespace ortc::cpu {

struct TileGrid {
  int64_t rows = 0, panels = 0;  // of the whole product
  int64_t rows_per_item = 1, panels_per_item = 1;
  int64_t row_items = 0, panel_items = 0;

  int64_t items() const { return row_items * panel_items; }
  // Items next to each other share panels.
  int64_t row_begin(int64_t item) const { return item % row_items * rows_per_item; }
  int64_t row_end(int64_t item) const {
    const int64_t end = row_begin(item) + rows_per_item;
    return end < rows ? end : rows;
  }
  int64_t panel_begin(int64_t item) const { return item / row_items * panels_per_item; }
  int64_t panel_end(int64_t item) const {
    const int64_t end = panel_begin(item) + panels_per_item;
    return end < panels ? end : panels;
  }
};

// `depth` is the length of the dot products. `items_wanted` 1 gives one item.
TileGrid make_tile_grid(int64_t rows, int64_t panels, int64_t depth, int64_t items_wanted);

// Work items that keep `threads` threads busy to the end.
constexpr int64_t items_for_threads(int threads) { return threads <= 1 ? 1 : 4 * threads; }

}  // namespace ortc::cpu
