// SPDX-License-Identifier: MIT
// Layers by the longest path, order by barycenters, and for x the places nearest to the neighbours
// that keep order and distance (isotonic regression by pooling). An edge that passes layers has a
// vertex in each, which takes part like a narrow box.

#include "tools/ortc/picture/layered_layout.h"

#include <algorithm>
#include <numeric>

namespace ortc::tool {
namespace {

constexpr double kGapX = 18, kGapY = 30, kPassing = 6;
constexpr int kOrderSweeps = 8, kPlaceSweeps = 12;
constexpr size_t kPassingMost = 20'000;  // vertices of long edges; longer ones are drawn straight

class Arranger {
 public:
  explicit Arranger(Layout& layout) : layout_(layout) {}

  void run() {
    find_layers();
    make_vertices();
    for (int sweep = 0; sweep < kOrderSweeps; ++sweep) order(sweep % 2 == 0);
    place_in_order();
    for (int sweep = 0; sweep < kPlaceSweeps; ++sweep) place(sweep % 2 == 0);
    place_layers();
    write_back();
  }

 private:
  struct Vertex {
    double half_width;
    size_t layer;
    double x = 0, position = 0;  // position: in its layer
    std::vector<size_t> above = {}, below = {};
    bool is_passing = false;
  };

  void find_layers() {
    auto& boxes = layout_.boxes;
    std::vector<std::vector<size_t>> readers(boxes.size());
    std::vector<size_t> read_count(boxes.size());
    for (const LayoutEdge& edge : layout_.edges) {
      readers[edge.from].push_back(edge.to);
      ++read_count[edge.to];
    }
    for (size_t i = 0; i < boxes.size(); ++i) {
      for (size_t reader : readers[i]) {
        boxes[reader].layer = std::max(boxes[reader].layer, boxes[i].layer + 1);
      }
    }
    // Inputs and the like stand near to who reads them first.
    for (size_t i = boxes.size(); i-- > 0;) {
      if (readers[i].size() <= read_count[i]) continue;
      size_t least = boxes[readers[i].front()].layer;
      for (size_t reader : readers[i]) least = std::min(least, boxes[reader].layer);
      boxes[i].layer = std::max(boxes[i].layer, least - 1);
    }
  }

  void connect(size_t upper, size_t lower) {
    vertices_[upper].below.push_back(lower);
    vertices_[lower].above.push_back(upper);
  }

  void make_vertices() {
    for (const LayoutBox& box : layout_.boxes) vertices_.push_back({box.width / 2, box.layer});
    for (const LayoutEdge& edge : layout_.edges) {
      std::vector<size_t> chain = {edge.from};
      const size_t first = layout_.boxes[edge.from].layer + 1, end = layout_.boxes[edge.to].layer;
      if (vertices_.size() + (end - first) < layout_.boxes.size() + kPassingMost) {
        for (size_t layer = first; layer < end; ++layer) {
          chain.push_back(vertices_.size());
          vertices_.push_back({kPassing / 2, layer});
          vertices_.back().is_passing = true;
        }
      }
      chain.push_back(edge.to);
      for (size_t i = 1; i < chain.size(); ++i) connect(chain[i - 1], chain[i]);
      chains_.push_back(std::move(chain));
    }
    size_t count = 0;
    for (const Vertex& vertex : vertices_) count = std::max(count, vertex.layer + 1);
    layers_.resize(count);
    for (size_t i = 0; i < vertices_.size(); ++i) layers_[vertices_[i].layer].push_back(i);
    for (const auto& layer : layers_) number(layer);
  }

  void number(const std::vector<size_t>& layer) {
    for (size_t i = 0; i < layer.size(); ++i) {
      vertices_[layer[i]].position = static_cast<double>(i);
    }
  }

  template <typename Visit>
  void sweep(bool is_downwards, Visit visit) {
    for (size_t i = 0; i < layers_.size(); ++i) {
      visit(layers_[is_downwards ? i : layers_.size() - 1 - i]);
    }
  }

  void order(bool is_downwards) {
    sweep(is_downwards, [&](std::vector<size_t>& layer) {
      std::vector<std::pair<double, size_t>> keys;
      for (size_t v : layer) {
        const auto& others = is_downwards ? vertices_[v].above : vertices_[v].below;
        double sum = 0;
        for (size_t other : others) sum += vertices_[other].position;
        keys.emplace_back(
            others.empty() ? vertices_[v].position : sum / static_cast<double>(others.size()), v);
      }
      std::stable_sort(keys.begin(), keys.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      for (size_t i = 0; i < keys.size(); ++i) layer[i] = keys[i].second;
      number(layer);
    });
  }

  void place_in_order() {
    for (const auto& layer : layers_) {
      double x = 0;
      for (size_t v : layer) {
        vertices_[v].x = x + vertices_[v].half_width;
        x += 2 * vertices_[v].half_width + kGapX;
      }
      for (size_t v : layer) vertices_[v].x -= (x - kGapX) / 2;
    }
  }

  // Where the vertex would like to be, and how much: edges that pass by shall be straight.
  std::pair<double, double> wish_of(const Vertex& vertex, bool is_downwards) const {
    const auto& first = is_downwards ? vertex.above : vertex.below;
    const auto& others = first.empty() ? (is_downwards ? vertex.below : vertex.above) : first;
    if (others.empty()) return {vertex.x, 0.1};
    double sum = 0, weight = 0;
    for (size_t other : others) {
      const double one = vertex.is_passing && vertices_[other].is_passing ? 4 : 1;
      sum += one * vertices_[other].x;
      weight += one;
    }
    return {sum / weight, first.empty() ? weight / 2 : weight};
  }

  void place(bool is_downwards) {
    sweep(is_downwards,
          [&](const std::vector<size_t>& layer) { place_layer(layer, is_downwards); });
  }

  void place_layer(const std::vector<size_t>& layer, bool is_downwards) {
    struct Pool {
      double sum, weight;
      size_t count;
      double mean() const { return sum / weight; }
    };
    std::vector<Pool> pools;
    std::vector<double> shifts;
    double shift = 0;
    for (size_t i = 0; i < layer.size(); ++i) {
      const Vertex& vertex = vertices_[layer[i]];
      if (i > 0) {
        const Vertex& left = vertices_[layer[i - 1]];
        const bool both_pass = left.is_passing && vertex.is_passing;
        shift += left.half_width + vertex.half_width + (both_pass ? kPassing : kGapX);
      }
      shifts.push_back(shift);
      const auto [wish, weight] = wish_of(vertex, is_downwards);
      pools.push_back({(wish - shift) * weight, weight, 1});
      while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
        const Pool last = pools.back();
        pools.pop_back();
        pools.back().sum += last.sum;
        pools.back().weight += last.weight;
        pools.back().count += last.count;
      }
    }
    size_t i = 0;
    for (const Pool& pool : pools) {
      for (size_t end = i + pool.count; i < end; ++i) {
        vertices_[layer[i]].x = pool.mean() + shifts[i];
      }
    }
  }

  void place_layers() {
    double y = 0;
    for (size_t layer = 0; layer < layers_.size(); ++layer) {
      double height = 0;
      for (size_t v : layers_[layer]) {
        if (!vertices_[v].is_passing) height = std::max(height, layout_.boxes[v].height);
      }
      middles_.push_back(y + height / 2);
      halves_.push_back(height / 2);
      y += height + kGapY;
    }
    layout_.height = layers_.empty() ? 0 : y - kGapY;
  }

  void write_back() {
    double left = 0, right = 0;
    for (size_t v = 0; v < vertices_.size(); ++v) {
      const Vertex& vertex = vertices_[v];
      left = v == 0 ? vertex.x - vertex.half_width : std::min(left, vertex.x - vertex.half_width);
      right = v == 0 ? vertex.x + vertex.half_width : std::max(right, vertex.x + vertex.half_width);
    }
    layout_.width = right - left;
    for (size_t i = 0; i < layout_.boxes.size(); ++i) {
      layout_.boxes[i].center = {vertices_[i].x - left, middles_[vertices_[i].layer]};
    }
    for (size_t i = 0; i < chains_.size(); ++i) {
      auto& points = layout_.edges[i].points;
      const auto& chain = chains_[i];
      const LayoutBox &from = layout_.boxes[chain.front()], &to = layout_.boxes[chain.back()];
      points = {{from.center.x, from.center.y + from.height / 2}};
      for (size_t at = 1; at + 1 < chain.size(); ++at) {
        const Vertex& vertex = vertices_[chain[at]];
        const double half = halves_[vertex.layer], middle = middles_[vertex.layer];
        points.push_back({vertex.x - left, middle - half});
        if (half > 0) points.push_back({vertex.x - left, middle + half});
      }
      points.push_back({to.center.x, to.center.y - to.height / 2});
    }
  }

  Layout& layout_;
  std::vector<Vertex> vertices_;  // those of boxes first
  std::vector<std::vector<size_t>> layers_, chains_;
  std::vector<double> middles_, halves_;  // of layers
};

}  // namespace

void arrange(Layout& layout) { Arranger(layout).run(); }

}  // namespace ortc::tool
