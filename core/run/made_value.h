// SPDX-License-Identifier: MIT
// A value that a run makes on its way, of a shape that was not known before: a tensor in memory of
// the arenas, its shape before its bytes; or a value of its own, where bytes are not all it is.
#pragma once

#include "core/base/datum.h"
#include "core/kernel/value_ref.h"
#include "core/run/arena_pool.h"

namespace ortc {

class MadeValue {
 public:
  MadeValue() = default;
  explicit MadeValue(Datum other) : other_(std::move(other)) {}

  // A tensor; not zeroed, unless it is of strings: then it is a value of its own.
  static Result<MadeValue> tensor(ArenaPool& arenas, DType dtype, std::span<const int64_t> dims);
  // One of `count` such tensors along a new first axis.
  static Result<MadeValue> rows(ArenaPool& arenas, DType dtype, int64_t count,
                                std::span<const int64_t> dims);

  bool is_none() const { return !is_in_arena() && other_.is_none(); }
  bool is_in_arena() const { return block_.data() != nullptr; }
  // Of a tensor in an arena wherever this object goes; of another value while it keeps its place.
  ValueRef ref() const;
  // none for a tensor in an arena.
  const Datum& other() const { return other_; }
  Datum take_other() { return std::move(other_); }
  // The first `count` of what the first axis counts. Only of a tensor in an arena.
  void cut(int64_t count) { reinterpret_cast<int64_t*>(block_.data())[0] = count; }
  void clear() { *this = MadeValue(); }

 private:
  static Result<MadeValue> make(ArenaPool& arenas, DType dtype, std::span<const int64_t> first,
                                std::span<const int64_t> dims);

  ArenaPool::Block block_;
  DType dtype_ = DType::kUndefined;
  uint32_t rank_ = 0;
  Datum other_;
};

}  // namespace ortc
