// SPDX-License-Identifier: MIT
// Finds keys in a column of them (int64, float64 or texts) that ascends and has each once; NaN,
// which equals NaN, comes last. Where a run looks up as many as the column has, it makes a table of
// the keys' places first; otherwise it halves the column.
#pragma once

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/bind/record_column.h"

namespace ortc::cpu {

class KeyIndex {
 public:
  static constexpr int64_t kPart = 256;  // elements that are looked up at a time
  static constexpr size_t kNone = SIZE_MAX;

  // Numbers that a table needs as scratch; 0 where there is none.
  static uint64_t room_for(const Column& keys, int64_t looked_up);

  // `slots`: room_for() numbers, which this writes.
  KeyIndex(const Column& keys, uint32_t* slots, uint64_t room);

  // The places of n <= kPart elements of x, from `begin` on, or kNone. Numbers are cast to the
  // keys' type.
  void find(const ValueRef& x, int64_t begin, int64_t n, size_t* places) const;

 private:
  template <typename Key>
  Key at(size_t i) const;
  template <typename Key>
  uint64_t slot_of(Key key) const;
  template <typename Key>
  void fill(uint32_t* slots);
  template <typename Key>
  size_t halve(Key key) const;
  template <typename Key>
  size_t look_up(Key key) const;
  template <typename Key>
  void find_numbers(const ValueRef& x, int64_t begin, int64_t n, size_t* places) const;

  const Column& keys_;
  const uint32_t* slots_;  // a place and one; 0: empty
  uint64_t room_;
  int shift_ = 0;
  uint64_t least_ = 0;
  bool is_dense_ = false;  // integers that lie close: the slot is the distance from the least
};

}  // namespace ortc::cpu
