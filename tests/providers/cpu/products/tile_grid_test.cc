// SPDX-License-Identifier: MIT
// Work items of products: together they are the product, and threads get as many each.
#include "providers/cpu/products/tile_grid.h"

#include <vector>

#include "tests/support/test.h"

namespace ortc::cpu {
namespace {

// Every row and panel is in one item, and no item is empty.
void check_covers(const TileGrid& grid) {
  std::vector<int> seen(static_cast<size_t>(grid.rows * grid.panels));
  for (int64_t item = 0; item < grid.items(); ++item) {
    CHECK(grid.row_begin(item) < grid.row_end(item));
    CHECK(grid.panel_begin(item) < grid.panel_end(item));
    for (int64_t row = grid.row_begin(item); row < grid.row_end(item); ++row) {
      for (int64_t panel = grid.panel_begin(item); panel < grid.panel_end(item); ++panel) {
        ++seen[static_cast<size_t>(row * grid.panels + panel)];
      }
    }
  }
  for (const int times : seen) CHECK_EQ(times, 1);
}

TEST(tile_grid, covers_every_product_whatever_the_number_of_threads) {
  for (const int64_t rows : {1, 4, 23, 49, 196, 240, 241, 3136}) {
    for (const int64_t panels : {1, 2, 5, 32}) {
      for (const int64_t depth : {1, 64, 2048}) {
        for (const int threads : {1, 2, 3, 8}) {
          const TileGrid grid = make_tile_grid(rows, panels, depth, items_for_threads(threads));
          check_covers(grid);
          check_covers(cut_by_rows(grid, depth, rows * (depth + 32 * panels), threads));
        }
      }
    }
  }
}

TEST(tile_grid, is_empty_without_rows_or_panels) {
  CHECK_EQ(make_tile_grid(0, 3, 64, 8).items(), 0);
  CHECK_EQ(make_tile_grid(3, 0, 64, 8).items(), 0);
  CHECK_EQ(cut_by_rows(make_tile_grid(0, 3, 64, 8), 64, 0, 2).items(), 0);
}

// A layer of MobileNetV2: 14x14 pixels, 64 to 384 channels.
TEST(tile_grid, by_rows_gives_each_thread_as_many_items_of_whole_rows) {
  for (const int threads : {2, 3, 4}) {
    const TileGrid grid = make_tile_grid(196, 12, 64, conv_items_for_threads(threads));
    const TileGrid by_rows = cut_by_rows(grid, 64, 196 * (64 + 384), threads);
    CHECK_EQ(by_rows.panel_items, 1);
    CHECK_EQ(by_rows.row_items % threads, 0);
    CHECK(by_rows.row_items > 0);
  }
}

TEST(tile_grid, by_rows_stays_what_it_was_where_weights_are_many_or_rows_are_few) {
  const auto is_same = [](const TileGrid& a, const TileGrid& b) {
    return a.row_items == b.row_items && a.panel_items == b.panel_items;
  };
  const TileGrid wide = make_tile_grid(49, 16, 4608, 4);  // 7x7 pixels, 512 channels of 3x3
  CHECK(is_same(wide, cut_by_rows(wide, 4608, 49 * 1024, 2)));
  const TileGrid low = make_tile_grid(40, 12, 64, 4);
  CHECK(is_same(low, cut_by_rows(low, 64, 40 * 448, 2)));
}

}  // namespace
}  // namespace ortc::cpu
