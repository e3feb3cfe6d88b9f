// SPDX-License-Identifier: MIT
// Cutting products into work items: see the header.
#include "providers/cpu/products/tile_grid.h"

#include <algorithm>

#include "providers/cpu/arith/gemm_f32/gemm_f32.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kRowStep = 24;        // a multiple of every level's tile height
constexpr int64_t kRowsWanted = 240;    // rows that the arithmetic treats together
constexpr int64_t kItemWork = 1 << 18;  // multiplications that are worth an item of their own
// The same for few rows: such products wait for their weights, 256 KB of them here.
constexpr int64_t kFewRows = 4, kItemWorkOfFewRows = 1 << 16;

// Reading weights that every thread reads costs less than reading what another thread wrote: up to
// so many for each element of the rows.
constexpr double kWeightsOfRows = 3;
constexpr int64_t kRowsOfItem = 96;  // each item reads all weights

constexpr int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

}  // namespace

TileGrid make_tile_grid(int64_t rows, int64_t panels, int64_t depth, int64_t items_wanted) {
  TileGrid grid;
  grid.rows = rows;
  grid.panels = panels;
  grid.row_items = grid.panel_items = 1;
  if (rows <= 0 || panels <= 0) {
    grid.row_items = grid.panel_items = 0;
    return grid;
  }
  const double work = static_cast<double>(rows) * static_cast<double>(panels) *
                      static_cast<double>(kPanelColumns) *
                      static_cast<double>(std::max<int64_t>(depth, 1));
  const auto item_work = static_cast<double>(rows <= kFewRows ? kItemWorkOfFewRows : kItemWork);
  const double worth = std::min(work / item_work, static_cast<double>(items_wanted));
  const int64_t items = std::max<int64_t>(1, static_cast<int64_t>(worth));
  if (items == 1) return grid;
  // Rows are cut down to a block that the arithmetic treats together; then panels, then rows again.
  int64_t row_items = std::min(items, divide_up(rows, kRowsWanted));
  const int64_t panel_items = std::min(panels, divide_up(items, row_items));
  row_items = std::max(row_items, divide_up(items, panel_items));
  grid.row_step = kRowStep;
  grid.row_items = std::min(row_items, divide_up(rows, kRowStep));
  grid.panel_items = panel_items;
  return grid;
}

TileGrid cut_by_rows(const TileGrid& grid, int64_t depth, int64_t row_elements, int threads) {
  const double weights =
      static_cast<double>(grid.panels * kPanelColumns) * static_cast<double>(depth);
  const bool is_worth = grid.items() >= threads && grid.rows >= threads * kRowStep &&
                        weights <= kWeightsOfRows * static_cast<double>(row_elements);
  if (!is_worth) return grid;
  TileGrid by_rows = grid;
  const int64_t items = std::min(grid.items(), grid.rows / kRowsOfItem);
  by_rows.row_items = std::max<int64_t>(1, items / threads) * threads;
  by_rows.panel_items = 1;
  return by_rows;
}

}  // namespace ortc::cpu
