// SPDX-License-Identifier: MIT
// Tables of keys: by hash, or of integers that lie close by their distance from the least.
#include "providers/cpu/bind/key_index.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/base/hash.h"
#include "providers/cpu/elements/convert.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu {
namespace {

// All bytes of a text of at most kShort, some of them twice. Most labels are such: of those neither
// the hash nor the comparison is worth a call.
constexpr size_t kShort = 16;
struct ShortText {
  uint64_t first = 0, last = 0;

  explicit ShortText(std::string_view text) {
    const size_t n = text.size();
    if (n >= 8) {
      std::memcpy(&first, text.data(), 8);
      std::memcpy(&last, text.data() + n - 8, 8);
    } else if (n >= 4) {
      std::memcpy(&first, text.data(), 4);
      std::memcpy(&last, text.data() + n - 4, 4);
    } else if (n > 0) {
      const auto byte = [&](size_t i) { return uint64_t{static_cast<unsigned char>(text[i])}; };
      first = byte(0) | byte(n / 2) << 8 | byte(n - 1) << 16;
    }
  }
  bool operator==(const ShortText&) const = default;
};

template <typename Key>
[[gnu::always_inline]] inline bool is_equal(Key a, Key b) {
  if constexpr (std::is_same_v<Key, double>) return a == b || (std::isnan(a) && std::isnan(b));
  if constexpr (std::is_same_v<Key, std::string_view>) {
    if (a.size() != b.size()) return false;
    if (a.size() <= kShort) return ShortText(a) == ShortText(b);
  }
  return a == b;
}
template <typename Key>
bool is_less(Key a, Key b) {
  if constexpr (std::is_same_v<Key, double>) return std::isnan(b) ? !std::isnan(a) : a < b;
  return a < b;
}

}  // namespace

uint64_t KeyIndex::room_for(const Column& keys, int64_t looked_up) {
  const bool is_many = static_cast<uint64_t>(looked_up) >= keys.count();
  return is_many && keys.count() != 0 ? std::bit_ceil(4 * uint64_t{keys.count()}) : 0;
}

KeyIndex::KeyIndex(const Column& keys, uint32_t* slots, uint64_t room)
    : keys_(keys), slots_(slots), room_(room) {
  if (room == 0) return;
  shift_ = 64 - std::countr_zero(room);
  std::fill_n(slots, room, uint32_t{0});
  if (keys.dtype() == DType::kString) {
    fill<std::string_view>(slots);
  } else if (keys.dtype() == DType::kFloat64) {
    fill<double>(slots);
  } else {
    int64_t least = at<int64_t>(0), most = least;  // nobody vouches for their order
    for (size_t i = 1; i < keys.count(); ++i) {
      least = std::min(least, at<int64_t>(i));
      most = std::max(most, at<int64_t>(i));
    }
    least_ = static_cast<uint64_t>(least);
    is_dense_ = static_cast<uint64_t>(most) - least_ < room;
    fill<int64_t>(slots);
  }
}

template <typename Key>
Key KeyIndex::at(size_t i) const {
  if constexpr (std::is_same_v<Key, std::string_view>) {
    return keys_.text(i);
  } else {
    return keys_.number<Key>(i);
  }
}

template <typename Key>
[[gnu::always_inline]] inline uint64_t KeyIndex::slot_of(Key key) const {
  constexpr uint64_t kOdd = 0x9E3779B97F4A7C15;  // spreads what differs in few bits
  if constexpr (std::is_same_v<Key, std::string_view>) {
    if (key.size() > kShort) return hash128(as_bytes(key)).low >> shift_;
    const ShortText text(key);
    uint64_t mixed = (text.first ^ key.size()) * kOdd;
    mixed = ((mixed ^ mixed >> 32) ^ text.last) * kOdd;
    return (mixed ^ mixed >> 32) * kOdd >> shift_;
  } else if constexpr (std::is_same_v<Key, double>) {
    const double one_of_equals = std::isnan(key) ? std::nan("") : key + 0.0;
    return std::bit_cast<uint64_t>(one_of_equals) * kOdd >> shift_;
  } else {
    const uint64_t distance = static_cast<uint64_t>(key) - least_;
    return is_dense_ ? distance : distance * kOdd >> shift_;
  }
}

template <typename Key>
void KeyIndex::fill(uint32_t* slots) {
  for (size_t i = 0; i < keys_.count(); ++i) {
    uint64_t slot = slot_of(at<Key>(i));
    while (slots[slot] != 0) slot = (slot + 1) & (room_ - 1);
    slots[slot] = static_cast<uint32_t>(i + 1);
  }
}

template <typename Key>
size_t KeyIndex::halve(Key key) const {
  size_t low = 0;
  for (size_t left = keys_.count(); left > 0;) {
    const size_t half = left / 2;
    const bool is_above = is_less(at<Key>(low + half), key);
    low = is_above ? low + half + 1 : low;
    left = is_above ? left - half - 1 : half;
  }
  return low < keys_.count() && is_equal(at<Key>(low), key) ? low : kNone;
}

template <typename Key>
size_t KeyIndex::look_up(Key key) const {
  if (room_ == 0) return halve(key);
  for (uint64_t slot = slot_of(key); slots_[slot] != 0; slot = (slot + 1) & (room_ - 1)) {
    const size_t place = slots_[slot] - 1;
    if (is_equal(at<Key>(place), key)) return place;
  }
  return kNone;
}

template <typename Key>
void KeyIndex::find_numbers(const ValueRef& x, int64_t begin, int64_t n, size_t* places) const {
  Key copies[kPart];
  const Key* keys = copies;
  if (x.dtype == kDTypeOf<Key>) {
    keys = x.as<Key>() + begin;
  } else {
    const auto* from = x.as<std::byte>() + begin * static_cast<int64_t>(element_bytes(x.dtype));
    convert_row(x.dtype, kDTypeOf<Key>)(from, copies, n);
  }
  if (is_dense_) {
    for (int64_t i = 0; i < n; ++i) {
      const uint64_t slot = slot_of(keys[i]);
      places[i] = size_t{slot < room_ ? slots_[slot] : 0} - 1;  // an empty one gives kNone
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) places[i] = look_up(keys[i]);
}

void KeyIndex::find(const ValueRef& x, int64_t begin, int64_t n, size_t* places) const {
  if (keys_.dtype() == DType::kFloat64) return find_numbers<double>(x, begin, n, places);
  if (keys_.dtype() != DType::kString) return find_numbers<int64_t>(x, begin, n, places);
  const std::string* texts = x.as<std::string>() + begin;
  for (int64_t i = 0; i < n; ++i) places[i] = look_up(std::string_view(texts[i]));
}

}  // namespace ortc::cpu
