// SPDX-License-Identifier: MIT
// The generator: see the header.
#include "tests/differential/fuzzer/generator.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace ortc::fuzz {
namespace {

constexpr int kAttempts = 10, kAttemptsWithOld = 4;  // of a card; the last ones with new inputs
constexpr uint64_t kCommonOf5 = 3;  // of five graphs, so many are of what most implementations have
constexpr uint64_t kCards[] = {8, 17, 12, 19, 10, 21, 14, 15};  // of graphs, in turn

// --- Dealing. Rows are dealt to graphs as cards are, so that each is drawn as often as any other:
// no card comes a second time before all of its deck have come once. What graph `index` gets
// follows from seed and index alone.

struct Hand {
  bool is_common = false;
  std::vector<size_t> rows;
};

// Graphs that are common have the rows that ONNX Runtime has; the others have all, and those that
// are not in the common deck so many times that they come as often as the rest.
std::vector<size_t> deck_of(bool is_common) {
  const auto& rows = operator_rows();
  std::vector<size_t> common, own;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].draw != nullptr) ((rows[i].flags & kOwnRules) != 0 ? own : common).push_back(i);
  }
  if (is_common) return common;
  constexpr double kShare = static_cast<double>(kCommonOf5) / 5;
  const auto c = static_cast<double>(common.size()), o = static_cast<double>(own.size());
  const auto times = std::max(1L, std::lround(c / ((1 - kShare) * c - kShare * o)));
  std::vector<size_t> deck = common;
  for (long i = 0; i < times; ++i) deck.insert(deck.end(), own.begin(), own.end());
  return deck;
}

void shuffle(std::vector<size_t>& cards, Chance chance) {
  for (size_t i = cards.size(); i-- > 1;) {
    std::swap(cards[i], cards[static_cast<size_t>(chance.between(0, static_cast<int64_t>(i)))]);
  }
}

Hand deal(uint64_t seed, uint64_t index) {
  static const std::vector<size_t> decks[] = {deck_of(false), deck_of(true)};
  Hand hand;
  hand.is_common = index % 5 < kCommonOf5;
  const std::vector<size_t>& deck = decks[hand.is_common ? 1 : 0];
  // How many of its kind came before, and how many cards they had.
  const uint64_t before = hand.is_common ? index / 5 * kCommonOf5 + index % 5
                                         : index / 5 * (5 - kCommonOf5) + index % 5 - kCommonOf5;
  const size_t turns = std::size(kCards);
  uint64_t first = before / turns * std::accumulate(kCards, kCards + turns, uint64_t{0});
  first += std::accumulate(kCards, kCards + before % turns, uint64_t{0});
  std::vector<size_t> cards;
  for (uint64_t place = first; place < first + kCards[before % turns]; ++place) {
    if (cards.empty() || place % deck.size() == 0) {
      cards = deck;
      shuffle(cards, Chance(~seed, place / deck.size() * 2 + (hand.is_common ? 1 : 0)));
    }
    hand.rows.push_back(cards[place % deck.size()]);
  }
  return hand;
}

// ONNX's opset of a graph: one of several, and new enough for its rows.
int64_t opset_for(const Hand& hand, Chance& chance) {
  static const std::vector<int64_t> kOpsets = {22, 22, 23, 23, 23, 24, 26, 28, 28},
                                    kCommonOpsets = {22, 22, 23, 23, 23, 24, 25, 26};
  int64_t opset = chance.of(hand.is_common ? kCommonOpsets : kOpsets);
  for (const size_t row : hand.rows) {
    if (operator_rows()[row].domain.empty()) {
      opset = std::max<int64_t>(opset, operator_rows()[row].since);
    }
  }
  return opset;
}

void draw_row(Drawing& drawing, const OperatorRow& row) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    drawing.start_again(attempt >= kAttemptsWithOld);
    row.draw(drawing);
    if (!drawing.has_failed()) return;
  }
}

std::set<std::string> read_names(const DrawnGraph& graph) {
  std::set<std::string> names;
  for (const DrawnNode& node : graph.nodes) {
    names.insert(node.inputs.begin(), node.inputs.end());
    names.insert(node.captured.begin(), node.captured.end());
  }
  return names;
}

// What nothing reads, mostly, and some of what is read: an output that others read keeps fusions
// away.
void choose_outputs(DrawnGraph& graph, Chance& chance) {
  const std::set<std::string> read = read_names(graph);
  for (const DrawnNode& node : graph.nodes) {
    for (const std::string& name : node.outputs) {
      if (name.empty() || !can_be_output(graph.values.at(name))) continue;
      if (chance.percent(read.count(name) != 0 ? 12 : 92)) graph.outputs.push_back(name);
    }
  }
  if (!graph.outputs.empty()) return;
  for (const DrawnNode& node : graph.nodes) {
    for (const std::string& name : node.outputs) {
      if (!name.empty() && can_be_output(graph.values.at(name))) graph.outputs = {name};
    }
  }
}

void keep(std::vector<std::string>& names, const std::set<std::string>& wanted) {
  std::erase_if(names, [&](const std::string& name) { return wanted.count(name) == 0; });
}

}  // namespace

void drop_unread(DrawnGraph& graph) {
  std::set<std::string> read(graph.outputs.begin(), graph.outputs.end());
  std::vector<DrawnNode> kept;
  std::set<std::string> ops;
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    const DrawnNode& node = graph.nodes[i];
    const bool is_read = std::ranges::any_of(
        node.outputs, [&](const std::string& name) { return read.count(name) != 0; });
    if (!is_read) continue;
    read.insert(node.inputs.begin(), node.inputs.end());
    read.insert(node.captured.begin(), node.captured.end());
    ops.insert(node.op);
    kept.push_back(node);
  }
  std::reverse(kept.begin(), kept.end());
  graph.nodes = std::move(kept);
  keep(graph.inputs, read);
  keep(graph.constants, read);
  std::erase_if(graph.functions, [&](const DrawnFunction& f) { return ops.count(f.name) == 0; });
}

Drawn draw_graph(const Reference& reference, uint64_t seed, uint64_t index) {
  const Hand hand = deal(seed, index);
  Chance chance(seed, index);
  Drawn drawn;
  DrawnGraph& graph = drawn.graph;
  graph.opset = opset_for(hand, chance);
  if (chance.one_in(2)) graph.symbolic_size = chance.between(2, 5);
  Drawing drawing(reference, graph, chance, hand.is_common);
  for (const size_t row : hand.rows) {
    if (graph.nodes.size() < kNodesMost) draw_row(drawing, operator_rows()[row]);
  }
  for (int i = 0; i < 20 && graph.nodes.size() < kNodesLeast; ++i) {
    draw_row(drawing, operator_rows()[chance.of(hand.rows)]);
  }
  drawn.refusals = drawing.refusals;
  choose_outputs(graph, chance);
  // Some graphs keep nodes that nothing reads.
  DrawnGraph pruned = graph;
  drop_unread(pruned);
  if (chance.one_in(2)) {
    graph = std::move(pruned);
  } else {
    const std::set<std::string> read = read_names(graph);
    keep(graph.inputs, read);
    keep(graph.constants, read);
  }
  return drawn;
}

DrawnGraph resized(const DrawnGraph& graph, int64_t size, Chance& chance) {
  DrawnGraph other = graph;
  for (const std::string& name : other.inputs) {
    DrawnValue& value = other.values[name];
    const Tensor* tensor = value.datum.tensor();
    if (tensor == nullptr) continue;
    Dims dims = tensor->dims();
    if (!dims.empty() && dims[0] == graph.symbolic_size) dims[0] = size;
    value.datum = filled(chance, tensor->dtype(), dims, value.fill);
  }
  return other;
}

}  // namespace ortc::fuzz
