// SPDX-License-Identifier: MIT
// What GroupQueryAttention's inputs are: its record, the sizes of its tensors, and how far into the
// cache each batch entry reaches.
//
// A cache of 8 or 4 bits has rows of bytes (providers/cpu/arith/int_rows):
// [B, key heads, P, bytes].
//
// A cache that slides is shorter than the sequence. Its C rows hold the last of the keys, without
// gaps, from row 0 on; a window of W of them is seen. Rows that no query will see stay until the
// cache is full; then C - W + 1 of them leave at once. So how many rows are in use is a function of
// the number of keys before.
#pragma once

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/arith/int_rows/int_rows.h"
#include "providers/cpu/kernels/attention/head_products.h"

namespace ortc::cpu {

enum GroupInput : size_t {
  kGroupQ,
  kGroupK,
  kGroupV,
  kGroupPastKey,
  kGroupPastValue,
  kGroupLengths,
  kGroupTotal,
  kGroupCos,
  kGroupSin,
  kGroupPositions,
  kGroupBias,
  kGroupSink,
  kGroupKScale,
  kGroupVScale,
  kGroupQNorm,
  kGroupKNorm,
  kGroupInputs
};
enum GroupOutput : size_t { kGroupY, kGroupPresentKey, kGroupPresentValue, kGroupScores };

enum class GroupScores : uint32_t { kNone, kBeforeSoftmax, kAfterSoftmax };  // the output wanted

struct GroupParams {
  uint32_t record_bytes;
  uint32_t is_causal, do_rotary, interleaved, smooth;
  float scale;    // 0: 1 / sqrt(size)
  float softcap;  // 0: none
  uint32_t bits;  // of a number of the cache: 32, 8 or 4
  int64_t q_heads, kv_heads;
  int64_t window;     // keys a query sees, its own included; -1: all
  uint32_t slides;    // the cache holds the window, not all keys
  uint32_t scores;    // GroupScores
  uint32_t channels;  // bit 0: keys have a scale for each column of each head; bit 1: values
  float epsilon;      // of the norms
};
static_assert(sizeof(GroupParams) == 72);

struct GroupShape {
  int64_t batch, q_heads, kv_heads, queries, size;
  int64_t added;  // keys that are new for each entry: as many as queries, or none
  // Lengths: of the cache given, of the longest entry, of the cache that results.
  int64_t past, total, present;
  int64_t span;    // most rows of a cache that queries look at
  int64_t half;    // pairs that are turned
  int64_t window;  // as in the record
  int bits;
  bool is_packed;  // queries, keys and values in one tensor
  bool slides;

  int64_t group() const { return q_heads / kv_heads; }
  bool is_prompt() const { return queries == total; }
  bool is_float() const { return bits == 32; }
  // A cache that slides and gets several tokens is put together elsewhere: its first new rows may
  // push out others that their own queries see.
  bool is_staged() const { return slides && queries > 1; }
  int64_t rows() const { return is_staged() ? span : present; }  // of the cache that is looked at
  // So few queries, as when tokens come one by one, that keys and values are read where they lie.
  // Integers are, for a token, however many heads share them: widening costs what their size saves.
  bool is_few() const { return group() * queries <= 8 || (!is_float() && queries == 1); }
  // Scores of a query lie so far apart: the scratch stays the same while tokens come one by one.
  int64_t score_room() const { return is_few() ? (span + 255) / 256 * 256 : span; }
  int64_t width() const {  // of a row of the cache, in elements of its type
    return is_float() ? size : static_cast<int64_t>(int_row_bytes(bits, size_t(size)));
  }
  int64_t row_bytes() const { return is_float() ? size * int64_t{sizeof(float)} : width(); }
  DType cache_type() const {
    return is_float() ? DType::kFloat32 : bits == 8 ? DType::kInt8 : DType::kUint8;
  }
  HeadSizes products(int64_t heads, int64_t keys) const {
    return {heads, group() * queries, keys, size, size};
  }
};

// OK where bind_group may believe the record.
Status check_group_params(const GroupParams& params);

template <typename Context>
Result<GroupShape> group_shape(const Context& ctx, const GroupParams& params);

// Shapes of inputs that say nothing about sizes, and the types of all.
Status check_group_types(const BindContext& ctx, const GroupParams& params);
Status check_group_rest(const BindContext& ctx, const GroupParams& params, const GroupShape& s);

// Rows of a cache, for one batch entry.
struct GroupLengths {
  int64_t keys;   // that queries look at, new ones included
  int64_t past;   // in front of the first query's own
  int64_t kept;   // taken from the cache given,
  int64_t from;   // from this row on
  int64_t place;  // in the sequence, of row 0
};
GroupLengths group_lengths(const RunContext& ctx, const GroupShape& s, int64_t b);
// Place of query t in the sequence.
int64_t group_place(const RunContext& ctx, const GroupShape& s, int64_t b, int64_t t);
// Rows of a cache that slides which are in use after `length` keys.
int64_t sliding_rows(const GroupShape& s, int64_t length);

Status check_group_lengths(const RunContext& ctx, const GroupParams& params, const GroupShape& s);

}  // namespace ortc::cpu
