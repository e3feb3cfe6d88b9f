// SPDX-License-Identifier: MIT
// The cache of GroupQueryAttention: see the header.
#include "providers/cpu/kernels/attention/group_cache.h"

#include <cstring>

#include "providers/cpu/kernels/attention/rotate.h"

namespace ortc::cpu {
namespace {

struct Scales {
  const float* data = nullptr;  // of one head
  size_t step = 0;              // 0: one for all columns
};
Scales scales_of(const RunContext& ctx, const GroupParams& params, const GroupShape& s,
                 size_t input, int64_t head) {
  if (s.is_float()) return {};
  const auto* data = ctx.input(input).as<float>();
  const bool has_channels = (params.channels >> (input - kGroupKScale) & 1) != 0;
  return has_channels ? Scales{data + head * s.size, 1} : Scales{data, 0};
}

// Where the new rows of a head go: row `first(b)` of `rows`.
struct Place {
  int64_t heads, rows;
  size_t norm_input;
};

// Normalises and turns the heads of tokens by their places.
template <typename First>
void dress(const RunContext& ctx, const GroupParams& params, const GroupShape& s,
           const Place& place, float* to, First&& first) {
  const bool norms = ctx.has_input(place.norm_input), turns = params.do_rotary != 0;
  if ((!norms && !turns) || s.size == 0) return;
  const VectorF32Kernels& vector = vector_kernels(ctx);
  const float* weight = norms ? ctx.input(place.norm_input).as<float>() : nullptr;
  const auto *cos = turns ? ctx.input(kGroupCos).as<float>() : nullptr,
             *sin = turns ? ctx.input(kGroupSin).as<float>() : nullptr;
  const Rotation rotation{s.size, s.half, params.interleaved != 0};
  const HeadDims dims{s.batch, place.heads, s.queries, s.size};
  ctx.parallel_for(dims.rows(), dims.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t b = i / (place.heads * s.queries), h = i / s.queries % place.heads;
      const int64_t t = i % s.queries;
      float* x = to + ((b * place.heads + h) * place.rows + first(b) + t) * s.size;
      if (norms) {
        NormRowF32 row;
        row.x = row.y = x;
        row.scale = weight;
        row.n = static_cast<size_t>(s.size);
        row.epsilon = params.epsilon;
        vector.rms_norm(row);
      }
      if (!turns) continue;
      const int64_t at = group_place(ctx, s, b, t) * s.half;
      rotate(x, cos + at, sin + at, rotation, x);
    }
  });
}

// What is new for one head.
struct NewRows {
  const float* data;
  int64_t stride, count;
  Scales scales;  // of integers
};

void put_row(const GroupShape& s, const NewRows& rows, int64_t t, std::byte* to) {
  const float* x = rows.data + t * rows.stride;
  if (s.is_float()) {
    std::memcpy(to, x, static_cast<size_t>(s.row_bytes()));
  } else {
    quantise_int_row(x, rows.scales.data, rows.scales.step, static_cast<size_t>(s.size), s.bits,
                     reinterpret_cast<uint8_t*>(to));
  }
}

void clear_rows(const GroupShape& s, const GroupCache& cache, std::byte* head, int64_t used) {
  if (cache.past == cache.data || used >= cache.rows) return;
  std::memset(head + used * s.row_bytes(), 0,
              static_cast<size_t>((cache.rows - used) * s.row_bytes()));
}

void fill_head(const GroupShape& s, const GroupLengths& n, const GroupCache& cache, int64_t i,
               const NewRows& added) {
  std::byte* to = cache.data + i * cache.rows * s.row_bytes();
  if (n.kept > 0) {
    const std::byte* from = cache.past + (i * s.past + n.from) * s.row_bytes();
    if (from != to) std::memmove(to, from, static_cast<size_t>(n.kept * s.row_bytes()));
  }
  for (int64_t t = 0; t < added.count; ++t) {
    put_row(s, added, t, to + (n.kept + t) * s.row_bytes());
  }
  clear_rows(s, cache, to, n.kept + added.count);
}

// `rows(b, h)` gives what is new for a head.
template <typename Rows>
void fill(const RunContext& ctx, const GroupShape& s, const GroupCache& cache, Rows&& rows) {
  if (s.size == 0) return;
  ctx.parallel_for(s.batch * s.kv_heads, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t b = i / s.kv_heads;
      fill_head(s, group_lengths(ctx, s, b), cache, i, rows(b, i % s.kv_heads));
    }
  });
}

NewRows rows_of(const PackedHeads<float>& heads, const GroupShape& s, int64_t b, int64_t h) {
  const int64_t at = b * s.added * heads.row_stride + h * heads.head_stride;
  return {s.added > 0 ? heads.data + at : nullptr, heads.row_stride, s.added, {}};
}

}  // namespace

PackedHeads<float> group_heads(const RunContext& ctx, const GroupShape& s, int64_t part) {
  if (s.is_packed) {
    const int64_t before = part == 0 ? 0 : s.q_heads + (part - 1) * s.kv_heads;
    return {ctx.input(kGroupQ).as<float>() + before * s.size, (s.q_heads + 2 * s.kv_heads) * s.size,
            s.size};
  }
  const int64_t heads = part == 0 ? s.q_heads : s.kv_heads;
  return {ctx.input(static_cast<size_t>(part)).as<float>(), heads * s.size, s.size};
}

void scale_group_rows(const RunContext& ctx, const GroupParams& params, const GroupShape& s,
                      size_t scale_input, float* rows) {
  if (s.is_float() || s.size == 0) return;
  const VectorF32Kernels& vector = vector_kernels(ctx);
  const HeadDims dims{s.batch, s.q_heads, s.queries, s.size};
  const auto n = static_cast<size_t>(s.size);
  ctx.parallel_for(dims.rows(), dims.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t head = i / s.queries % s.q_heads / s.group();
      const Scales scales = scales_of(ctx, params, s, scale_input, head);
      float* row = rows + i * s.size;
      if (scales.step == 0) {
        vector.mul_scalar(row, *scales.data, row, n);
      } else {
        vector.mul(row, scales.data, row, n);
      }
    }
  });
}

void take_group_queries(const RunContext& ctx, const GroupParams& params, const GroupShape& s,
                        float* q) {
  split_heads(ctx, group_heads(ctx, s, 0), {s.batch, s.q_heads, s.queries, s.size}, q);
  dress(ctx, params, s, {s.q_heads, s.queries, kGroupQNorm}, q, [](int64_t) { return int64_t{0}; });
  scale_group_rows(ctx, params, s, kGroupKScale, q);
}

void fill_group_keys(const RunContext& ctx, const GroupParams& params, const GroupShape& s,
                     const GroupCache& cache, float* added) {
  const PackedHeads<float> heads = group_heads(ctx, s, 1);
  if (s.is_float()) {
    fill(ctx, s, cache, [&](int64_t b, int64_t h) { return rows_of(heads, s, b, h); });
    if (s.added == 0) return;
    dress(ctx, params, s, {s.kv_heads, cache.rows, kGroupKNorm},
          reinterpret_cast<float*>(cache.data),
          [&](int64_t b) { return group_lengths(ctx, s, b).past; });
    return;
  }
  if (s.added > 0) {
    split_heads(ctx, heads, {s.batch, s.kv_heads, s.queries, s.size}, added);
    dress(ctx, params, s, {s.kv_heads, s.queries, kGroupKNorm}, added,
          [](int64_t) { return int64_t{0}; });
  }
  fill(ctx, s, cache, [&](int64_t b, int64_t h) {
    const int64_t at = (b * s.kv_heads + h) * s.added * s.size;
    return NewRows{added + at, s.size, s.added, scales_of(ctx, params, s, kGroupKScale, h)};
  });
}

void fill_group_values(const RunContext& ctx, const GroupParams& params, const GroupShape& s,
                       const GroupCache& cache) {
  const PackedHeads<float> heads = group_heads(ctx, s, 2);
  fill(ctx, s, cache, [&](int64_t b, int64_t h) {
    NewRows rows = rows_of(heads, s, b, h);
    rows.scales = scales_of(ctx, params, s, kGroupVScale, h);
    return rows;
  });
}

void keep_window(const RunContext& ctx, const GroupShape& s, const std::byte* staged,
                 const GroupCache& present) {
  if (s.size == 0) return;
  ctx.parallel_for(s.batch * s.kv_heads, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const GroupLengths n = group_lengths(ctx, s, i / s.kv_heads);
      const int64_t rows = sliding_rows(s, n.place + n.keys);
      std::byte* to = present.data + i * present.rows * s.row_bytes();
      std::memcpy(to, staged + (i * s.rows() + n.keys - rows) * s.row_bytes(),
                  static_cast<size_t>(rows * s.row_bytes()));
      clear_rows(s, present, to, rows);
    }
  });
}

}  // namespace ortc::cpu
