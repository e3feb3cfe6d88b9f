// SPDX-License-Identifier: MIT
// Repetitions are found in the sequence of operators: a period p is where the sequence equals
// itself p nodes later.

#include "tools/ortc/picture/graph_parts.h"

#include <algorithm>
#include <map>

namespace ortc::tool {
namespace {

constexpr size_t kDrawnWhole = 120;       // nodes that need no parts
constexpr size_t kPartMost = 60;          // nodes of a part without a repetition
constexpr size_t kPartsMost = 150;        // parts of one picture
constexpr size_t kPeriodLeast = 5;        // nodes of a layer
constexpr size_t kWorkMost = 40'000'000;  // comparisons in the search for periods

struct Repetition {
  size_t begin = 0, period = 0, times = 0;
  size_t covered() const { return period * times; }
};

class Splitter {
 public:
  explicit Splitter(const ModelFacts& model) {
    std::map<std::string, uint32_t> known;
    for (const NodeFacts& node : model.nodes) {
      operators_.push_back(known.emplace(node.op, known.size()).first->second);
    }
    part_most_ = std::max(kPartMost, model.nodes.size() * 2 / kPartsMost);
  }

  std::vector<GraphPart> run(const ModelFacts& model) {
    size_t begin = 0;
    for (size_t i = 0; i < model.nodes.size(); ++i) {
      if (!model.nodes[i].is_context) continue;
      split(begin, i);
      parts_.push_back({i, i + 1});
      begin = i + 1;
    }
    split(begin, model.nodes.size());
    if (parts_.size() > 2 * kPartsMost) {
      parts_.clear();
      cut(0, model.nodes.size());
    }
    return std::move(parts_);
  }

 private:
  void split(size_t begin, size_t end) {
    const Repetition found = find_repetition(begin, end);
    if (found.times < 2) return cut(begin, end);
    cut(begin, found.begin);
    // So many layers that a part has to hold several.
    const size_t together = std::max<size_t>(1, found.times / (kPartsMost / 2));
    for (size_t i = 0; i < found.times; i += together) {
      const size_t last = std::min(i + together, found.times);
      std::string label = together == 1 ? "layer " : "layers ";
      label += std::to_string(i + 1);
      if (together != 1) label += " to " + std::to_string(last);
      parts_.push_back({found.begin + i * found.period, found.begin + last * found.period,
                        label + " of " + std::to_string(found.times)});
    }
    cut(found.begin + found.covered(), end);
  }

  void cut(size_t begin, size_t end) {
    if (begin == end) return;
    const size_t pieces = (end - begin + part_most_ - 1) / part_most_;
    const size_t size = (end - begin + pieces - 1) / pieces;
    for (size_t at = begin; at < end; at += size) parts_.push_back({at, std::min(at + size, end)});
  }

  // The one that covers most; of those about equal the one with the shortest period.
  Repetition find_repetition(size_t begin, size_t end) const {
    Repetition best;
    const size_t count = end - begin;
    const size_t period_most = std::min(count / 2, kWorkMost / std::max<size_t>(count, 1));
    for (size_t period = kPeriodLeast; period <= period_most; ++period) {
      const Repetition found = longest_run(begin, end, period);
      if (found.covered() > best.covered() + best.covered() / 10) best = found;
    }
    return best.covered() >= count / 4 ? best : Repetition();
  }

  Repetition longest_run(size_t begin, size_t end, size_t period) const {
    Repetition best;
    size_t run = 0;
    for (size_t i = begin; i + period < end; ++i) {
      run = operators_[i] == operators_[i + period] ? run + 1 : 0;
      const size_t times = run / period + 1;
      if (run >= period && times > best.times) best = {i + 1 - run, period, times};
    }
    return best;
  }

  std::vector<uint32_t> operators_;
  std::vector<GraphPart> parts_;
  size_t part_most_;
};

}  // namespace

std::vector<GraphPart> parts_of(const ModelFacts& model) {
  if (model.nodes.size() > kDrawnWhole) return Splitter(model).run(model);
  std::vector<GraphPart> parts;
  for (size_t i = 0; i < model.nodes.size(); ++i) parts.push_back({i, i + 1});
  return parts;
}

}  // namespace ortc::tool
