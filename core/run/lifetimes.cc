// SPDX-License-Identifier: MIT
// The memory plan: see the header.
//
// Placing the largest first packs networks almost without waste, while going step by step has taken
// up to twice as much. It asks which of the placed live at the same time; in networks that are few,
// however many buffers there are.
#include "core/run/lifetimes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "core/base/checked_math.h"

namespace ortc {
namespace {

// Of those that take a place, the largest first.
struct Item {
  uint64_t size;  // aligned
  uint32_t first, last;
  uint32_t buffer;
  uint64_t offset = 0;
  uint64_t end() const { return offset + size; }
};

// Pairs that live at the same time; with more, and more for each item, placing takes too long.
constexpr size_t kPairsMost = 64 * 1024, kPairsMostPerItem = 64;

// For each item the ones before it in the list that live at the same time.
class Neighbours {
 public:
  // `by_first`: numbers of items. Without all when is_complete() is false.
  Neighbours(std::span<const Item> items, std::span<const uint32_t> by_first)
      : begins_(items.size() + 1) {
    const size_t most = kPairsMost + kPairsMostPerItem * items.size();
    size_t count = 0;
    is_complete_ = for_each_pair(items, by_first, [&](uint32_t, uint32_t later) {
      ++begins_[later];
      return ++count <= most;
    });
    if (!is_complete_) return;
    size_t sum = 0;
    for (size_t& begin : begins_) begin = sum += begin;
    list_.resize(sum);
    for_each_pair(items, by_first, [&](uint32_t earlier, uint32_t later) {
      list_[--begins_[later]] = earlier;
      return true;
    });
  }

  bool is_complete() const { return is_complete_; }
  std::span<const uint32_t> of(size_t item) const {
    return {list_.data() + begins_[item], list_.data() + begins_[item + 1]};
  }

 private:
  template <typename Visit>
  static bool for_each_pair(std::span<const Item> items, std::span<const uint32_t> by_first,
                            Visit visit) {
    std::vector<uint32_t> alive;
    for (const uint32_t next : by_first) {
      std::erase_if(alive, [&](uint32_t i) { return items[i].last < items[next].first; });
      for (const uint32_t i : alive) {
        if (!visit(std::min(i, next), std::max(i, next))) return false;
      }
      alive.push_back(next);
    }
    return true;
  }

  std::vector<size_t> begins_;
  std::vector<uint32_t> list_;
  bool is_complete_ = false;
};

// False when the sum overflows.
bool place_largest_first(std::span<Item> items, const Neighbours& neighbours) {
  std::vector<std::pair<uint64_t, uint64_t>> taken;  // offset, end
  for (size_t i = 0; i < items.size(); ++i) {
    taken.clear();
    for (const uint32_t other : neighbours.of(i)) {
      taken.emplace_back(items[other].offset, items[other].end());
    }
    std::ranges::sort(taken);
    uint64_t offset = 0;
    for (const auto& [begin, end] : taken) {
      if (begin >= offset && begin - offset >= items[i].size) break;  // fits before it
      offset = std::max(offset, end);
    }
    if (!checked_add(offset, items[i].size)) return false;
    items[i].offset = offset;
  }
  return true;
}

// What is free below the end of all that was placed so far.
class Gaps {
 public:
  // The smallest one that is large enough, in part; or the end.
  std::optional<uint64_t> take(uint64_t size) {
    const auto found = by_size_.lower_bound({size, 0});
    if (found == by_size_.end()) {
      const auto end = checked_add(end_, size);
      if (!end) return std::nullopt;
      return std::exchange(end_, *end);
    }
    const auto [gap, offset] = *found;
    remove(by_offset_.find(offset));
    if (gap > size) add(offset + size, gap - size);
    return offset;
  }

  void give_back(uint64_t offset, uint64_t size) {
    auto next = by_offset_.lower_bound(offset);
    if (next != by_offset_.end() && next->first == offset + size) {
      size += next->second;
      next = remove(next);
    }
    if (next != by_offset_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == offset) {
        offset = before->first;
        size += before->second;
        remove(before);
      }
    }
    if (offset + size == end_) {
      end_ = offset;
    } else {
      add(offset, size);
    }
  }

 private:
  using ByOffset = std::map<uint64_t, uint64_t>;
  void add(uint64_t offset, uint64_t size) {
    by_offset_.emplace(offset, size);
    by_size_.emplace(size, offset);
  }
  ByOffset::iterator remove(ByOffset::iterator at) {
    by_size_.erase({at->second, at->first});
    return by_offset_.erase(at);
  }

  ByOffset by_offset_;
  std::set<std::pair<uint64_t, uint64_t>> by_size_;
  uint64_t end_ = 0;
};

// False when the sum overflows.
bool place_step_by_step(std::span<Item> items, std::span<const uint32_t> by_first) {
  std::vector<uint32_t> by_last(by_first.begin(), by_first.end());
  std::ranges::sort(by_last, {}, [&](uint32_t i) { return std::pair(items[i].last, i); });
  Gaps gaps;
  auto ended = by_last.begin();
  for (const uint32_t i : by_first) {
    for (; items[*ended].last < items[i].first; ++ended) {
      gaps.give_back(items[*ended].offset, items[*ended].size);
    }
    const auto offset = gaps.take(items[i].size);
    if (!offset) return false;
    items[i].offset = *offset;
  }
  return true;
}

}  // namespace

uint64_t plan_arena(std::vector<Lifetime>& buffers) {
  std::vector<Item> items;
  std::vector<uint32_t> by_first;
  for (uint32_t i = 0; i < buffers.size(); ++i) {
    buffers[i].offset = 0;
    if (buffers[i].size == 0) continue;
    const auto size = checked_align_up(buffers[i].size, 64);
    if (!size) return UINT64_MAX;
    by_first.push_back(static_cast<uint32_t>(items.size()));
    items.push_back({*size, buffers[i].first, std::max(buffers[i].first, buffers[i].last), i});
  }
  std::ranges::sort(items, {}, [&](const Item& item) {
    return std::pair(~buffers[item.buffer].size, item.buffer);
  });
  std::ranges::sort(by_first, {}, [&](uint32_t i) { return std::pair(items[i].first, i); });
  const Neighbours neighbours(items, by_first);
  const bool is_placed = neighbours.is_complete() ? place_largest_first(items, neighbours)
                                                  : place_step_by_step(items, by_first);
  if (!is_placed) return UINT64_MAX;
  uint64_t total = 0;
  for (const Item& item : items) {
    buffers[item.buffer].offset = item.offset;
    total = std::max(total, item.end());
  }
  return total;
}

}  // namespace ortc
