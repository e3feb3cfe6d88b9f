// SPDX-License-Identifier: MIT
// SparseAttention (com.microsoft): causal attention over a cache, of which each query sees certain
// blocks of keys only:
//
//   y = softmax(scale q k^T) v    over the keys up to the query's own place, in blocks that the
//                                 layout of its head has for the block of that place
//
// Layouts are compressed rows of blocks: column indices [row[i], row[i + 1]) belong to row i, and
// head h has layout h % layouts. Several query heads share a head of keys. The new keys and values
// stand behind the ones before in the cache, whose rest stays as it was.
#include <algorithm>
#include <cmath>
#include <limits>

#include "providers/cpu/arith/gemm_f32/gemm_f32.h"
#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/kernels/attention/rotate.h"
#include "providers/cpu/microsoft_kernels.h"

namespace ortc::cpu {
namespace {

enum Input : size_t {
  kQuery,
  kKey,
  kValue,
  kPastKey,
  kPastValue,
  kRowIndices,
  kColumnIndices,
  kTotalLength,
  kKeyLengths,
  kCos,
  kSin,
  kInputCount
};
constexpr TypeMask kF32 = mask_of(DType::kFloat32), kI32 = mask_of(DType::kInt32);

struct SparseParams {
  uint32_t record_bytes;
  float scale;  // 0: 1 / sqrt(size)
  int64_t heads, key_heads, block;
  uint32_t rotates, alternates;
};
static_assert(sizeof(SparseParams) == 40);

Status prepare_sparse(PrepareContext& ctx) {
  const Node& node = ctx.node();
  SparseParams p{sizeof p,
                 node.float_attribute("scale", 0.0f),
                 node.int_attribute("num_heads", 0),
                 node.int_attribute("kv_num_heads", 0),
                 node.int_attribute("sparse_block_size", 0),
                 node.int_attribute("do_rotary", 0) == 1 ? 1u : 0u,
                 node.int_attribute("rotary_interleaved", 0) == 1 ? 1u : 0u};
  if (p.heads < 1 || p.key_heads < 1 || p.heads % p.key_heads != 0 || p.block < 1) {
    return invalid_graph(p.heads, " heads over ", p.key_heads, " heads of keys in blocks of ",
                         p.block);
  }
  ctx.set_params(p);
  return Status::ok();
}

struct SparseShape {
  int64_t batch, tokens, size, longest;  // of a head; of the cache
  int64_t layouts, rows, columns;        // of block indices: offsets and numbers of a layout
  int64_t query_stride, key_stride;      // of a token
  bool is_joint;                         // queries, keys and values of a token lie together
};

template <typename Context>
Result<SparseShape> sparse_shape(const Context& ctx, const SparseParams& p) {
  const auto refuse = [&ctx](std::string_view name, size_t i) {
    return invalid_argument(name, " has shape ", dims_to_string(ctx.input(i).dims()),
                            ", which does not fit");
  };
  const ValueRef &q = ctx.input(kQuery), &past = ctx.input(kPastKey),
                 &rows = ctx.input(kRowIndices), &columns = ctx.input(kColumnIndices);
  SparseShape s{};
  s.is_joint = !ctx.has_input(kKey);
  if (past.rank != 4 || past.dim(1) != p.key_heads) return refuse("past_key", kPastKey);
  s.size = past.dim(3), s.longest = past.dim(2);
  const int64_t heads = s.is_joint ? p.heads + 2 * p.key_heads : p.heads;
  const auto hidden = checked_mul(heads, s.size);
  if (q.rank != 3 || !hidden || q.dim(2) != *hidden || q.dim(0) != past.dim(0) || s.size < 1) {
    return refuse("query", kQuery);
  }
  s.batch = q.dim(0), s.tokens = q.dim(1), s.query_stride = q.dim(2);
  s.key_stride = s.is_joint ? s.query_stride : p.key_heads * s.size;
  for (const size_t i : {kKey, kValue}) {
    if (s.is_joint) continue;
    const ValueRef& k = ctx.input(i);
    const bool fits = ctx.has_input(i) && k.rank == 3 && k.dim(0) == s.batch &&
                      k.dim(1) == s.tokens && k.dim(2) == s.key_stride;
    if (!fits) return refuse("key or value", i);
  }
  if (!std::ranges::equal(ctx.input(kPastValue).dims(), past.dims())) {
    return refuse("past_value", kPastValue);
  }
  if (rows.rank != 2 || rows.dim(1) < 2 || rows.dim(0) < 1) {
    return refuse("block_row_indices", kRowIndices);
  }
  s.layouts = rows.dim(0), s.rows = rows.dim(1);
  if (columns.rank != 2 || columns.dim(0) != s.layouts) {
    return refuse("block_col_indices", kColumnIndices);
  }
  s.columns = columns.dim(1);
  if (ctx.input(kTotalLength).element_count() != 1) return refuse("total length", kTotalLength);
  const ValueRef& lengths = ctx.input(kKeyLengths);
  if (lengths.rank != 1 || lengths.dim(0) != s.batch) return refuse("key lengths", kKeyLengths);
  return s;
}

Status check_rotation(const BindContext& ctx, const SparseParams& p, const SparseShape& s) {
  if (p.rotates == 0) return Status::ok();
  const ValueRef &cos = ctx.input(kCos), &sin = ctx.input(kSin);
  const bool fits = ctx.has_input(kCos) && ctx.has_input(kSin) && cos.rank == 2 &&
                    std::ranges::equal(cos.dims(), sin.dims()) && cos.dim(1) <= s.size / 2;
  if (fits) return Status::ok();
  return invalid_argument("cos_cache ", dims_to_string(cos.dims()), " and sin_cache ",
                          dims_to_string(sin.dims()), " do not fit heads of ", s.size);
}

constexpr int64_t kRowsMax = 8;  // queries of a block, whose keys are read together

// For each head of an entry the scores and the turned queries of a few tokens and the sum of a part
// of the keys; keys go to the cache.
struct SparseScratch {
  ScratchPlan plan;
  uint64_t scores, queries, part;
};

SparseScratch lay_out(const SparseShape& s, const SparseParams& p) {
  SparseScratch at{};
  const auto heads = checked_mul(s.batch, p.heads);
  const auto each = [&](int64_t rows, int64_t size) {
    const auto lines = heads ? checked_mul(*heads, rows) : std::nullopt;
    return at.plan.add<float>(lines ? checked_mul(*lines, size).value_or(-1) : -1);
  };
  at.scores = each(std::min(kRowsMax, s.tokens), s.longest);
  at.queries = each(std::min(kRowsMax, s.tokens), s.size);
  at.part = each(1, s.size);
  return at;
}

Status bind_sparse(BindContext& ctx) {
  const auto* p = ctx.params<SparseParams>();
  if (p == nullptr) return ctx.bad_params();
  if (p->heads < 1 || p->key_heads < 1 || p->heads % p->key_heads != 0 || p->block < 1 ||
      p->heads > INT32_MAX || p->block > INT32_MAX) {
    return damaged_params(p->heads, " heads over ", p->key_heads, " heads of keys in blocks of ",
                          p->block);
  }
  RETURN_IF_ERROR(check_arity(ctx, 1, kInputCount, 3));
  for (const size_t i : {kQuery, kKey, kValue, kPastKey, kPastValue, kCos, kSin}) {
    RETURN_IF_ERROR(check_type(ctx, i, kF32));
  }
  for (size_t i = kPastKey; i <= kKeyLengths; ++i) {
    if (!ctx.has_input(i)) return invalid_argument("input ", i, " is missing");
    if (i >= kRowIndices) RETURN_IF_ERROR(check_type(ctx, i, kI32));
  }
  ASSIGN_OR_RETURN(const SparseShape s, sparse_shape(ctx, *p));
  RETURN_IF_ERROR(check_rotation(ctx, *p, s));
  RETURN_IF_ERROR(lay_out(s, *p).plan.declare(ctx));
  RETURN_IF_ERROR(ctx.set_output(0, DType::kFloat32, {s.batch, s.tokens, p->heads * s.size}));
  RETURN_IF_ERROR(ctx.set_output(1, DType::kFloat32, ctx.input(kPastKey).dims()));
  return ctx.set_output(2, DType::kFloat32, ctx.input(kPastValue).dims());
}

// --- Run.

class Sparse {
 public:
  Sparse(RunContext& ctx, const SparseShape& s)
      : ctx_(ctx),
        p_(ctx.params<SparseParams>()),
        s_(s),
        at_(lay_out(s, p_)),
        gemm_(gemm_f32_kernels(ctx.isa())),
        vector_(vector_f32_kernels(ctx.isa())),
        scale_(p_.scale != 0 ? p_.scale : 1.0f / std::sqrt(static_cast<float>(s.size))) {}

  Status run() {
    is_prompt_ = *ctx_.input(kTotalLength).as<int32_t>() == s_.tokens;
    RETURN_IF_ERROR(check_lengths());
    RETURN_IF_ERROR(check_layouts());
    ctx_.parallel_for(s_.batch * p_.key_heads, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) fill_cache(i / p_.key_heads, i % p_.key_heads);
    });
    ctx_.parallel_for(s_.batch * p_.heads, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) run_head(i / p_.heads, i % p_.heads);
    });
    return Status::ok();
  }

 private:
  // Place of the entry's first new token.
  int64_t start(int64_t entry) const {
    return is_prompt_ ? 0 : ctx_.input(kKeyLengths).as<int32_t>()[entry] - s_.tokens;
  }

  Status check_lengths() const {
    const int64_t angles = p_.rotates != 0 ? ctx_.input(kCos).dim(0) : INT64_MAX;
    for (int64_t entry = 0; entry < s_.batch; ++entry) {
      const int64_t first = start(entry), end = first + s_.tokens;
      const int64_t blocks = (end + p_.block - 1) / p_.block;
      if (first < 0 || end > s_.longest || end > angles || blocks >= s_.rows) {
        return invalid_argument("entry ", entry, " has keys up to ", end, ", of ", s_.tokens,
                                " tokens, a cache of ", s_.longest, " and ", s_.rows - 1,
                                " rows of blocks of ", p_.block);
      }
    }
    return Status::ok();
  }

  Status check_layouts() const {
    const auto* rows = ctx_.input(kRowIndices).as<int32_t>();
    const auto* columns = ctx_.input(kColumnIndices).as<int32_t>();
    for (int64_t layout = 0; layout < s_.layouts; ++layout) {
      const int32_t* own = rows + layout * s_.rows;
      for (int64_t i = 0; i < s_.rows; ++i) {
        const bool is_ordered = i == 0 ? own[0] >= 0 : own[i] >= own[i - 1];
        if (!is_ordered || own[i] > s_.columns) {
          return invalid_argument("block_row_indices of layout ", layout, " hold ", own[i],
                                  " at place ", i, ", of ", s_.columns, " columns");
        }
      }
      for (int64_t i = own[0]; i < own[s_.rows - 1]; ++i) {
        const int32_t column = columns[layout * s_.columns + i];
        if (column < 0 || column >= s_.rows - 1) return index_out_of_range(column, s_.rows - 1);
      }
    }
    return Status::ok();
  }

  void turn(const float* x, int64_t place, float* y) const {
    if (p_.rotates == 0) {
      std::copy_n(x, s_.size, y);
      return;
    }
    const int64_t half = ctx_.input(kCos).dim(1);
    rotate(x, ctx_.input(kCos).as<float>() + place * half,
           ctx_.input(kSin).as<float>() + place * half, Rotation{s_.size, half, p_.alternates != 0},
           y);
  }

  // A token of a key head.
  const float* fed(size_t i, int64_t entry, int64_t head, int64_t token) const {
    const auto part = static_cast<int64_t>(i);
    const int64_t first = s_.is_joint ? p_.heads + (part - 1) * p_.key_heads : 0;
    return ctx_.input(s_.is_joint ? size_t{kQuery} : i).as<float>() +
           (entry * s_.tokens + token) * s_.key_stride + (first + head) * s_.size;
  }
  float* cache(size_t output, int64_t entry, int64_t head) const {
    return ctx_.output(output).as_mutable<float>() +
           (entry * p_.key_heads + head) * s_.longest * s_.size;
  }

  void fill_cache(int64_t entry, int64_t head) const {
    for (const size_t i : {kKey, kValue}) {
      float* to = cache(i, entry, head);
      const int64_t plane = s_.longest * s_.size;
      const float* past = ctx_.input(i + 2).as<float>() + (entry * p_.key_heads + head) * plane;
      if (past != to) std::copy_n(past, plane, to);
      for (int64_t t = 0; t < s_.tokens; ++t) {
        const int64_t place = start(entry) + t;
        const float* x = fed(i, entry, head, t);
        if (i == kKey) {
          turn(x, place, to + place * s_.size);
        } else {
          std::copy_n(x, s_.size, to + place * s_.size);
        }
      }
    }
  }

  // Queries of one block see the same blocks of keys.
  void run_head(int64_t entry, int64_t head) const {
    const int64_t line = entry * p_.heads + head, rows_max = std::min(kRowsMax, s_.tokens);
    Group g{entry,
            head,
            0,
            0,
            0,
            scratch_at<float>(ctx_, at_.scores) + line * rows_max * s_.longest,
            scratch_at<float>(ctx_, at_.queries) + line * rows_max * s_.size,
            scratch_at<float>(ctx_, at_.part) + line * s_.size};
    for (; g.first < s_.tokens; g.first += g.rows) {
      g.place = start(entry) + g.first;
      g.rows = std::min({kRowsMax, s_.tokens - g.first, p_.block - g.place % p_.block});
      run_group(g);
    }
  }

  // Tokens [first, first + rows), which stand from `place` on.
  struct Group {
    int64_t entry, head, first, rows, place;
    float *scores, *queries, *part;
  };

  void run_group(const Group& g) const {
    const int64_t key_head = g.head / (p_.heads / p_.key_heads);
    for (int64_t r = 0; r < g.rows; ++r) {
      const int64_t row = g.entry * s_.tokens + g.first + r;
      turn(ctx_.input(kQuery).as<float>() + row * s_.query_stride + g.head * s_.size, g.place + r,
           g.queries + r * s_.size);
    }
    score_keys(g, cache(1, g.entry, key_head));
    for (int64_t r = 0; r < g.rows; ++r) {
      float* scores = g.scores + r * s_.longest;
      const int64_t count = g.place + r + 1, row = g.entry * s_.tokens + g.first + r;
      vector_.softmax(scores, 1.0f, nullptr, scores, static_cast<size_t>(count));
      sum_values(scores, count, cache(2, g.entry, key_head), g.part,
                 ctx_.output(0).as_mutable<float>() + (row * p_.heads + g.head) * s_.size);
    }
  }

  // Of keys in other blocks the lowest float.
  void score_keys(const Group& g, const float* k) const {
    const int64_t seen = g.place + g.rows, layout = g.head % s_.layouts;  // by the last of them
    const int32_t* rows = ctx_.input(kRowIndices).as<int32_t>() + layout * s_.rows;
    const int32_t* columns = ctx_.input(kColumnIndices).as<int32_t>() + layout * s_.columns;
    const int64_t row = g.place / p_.block;
    // A row with as many blocks as a full one is full, whichever they are.
    const bool is_full = rows[row + 1] - rows[row] == row + 1;
    if (is_full) return score_run(g, k, 0, seen);
    for (int64_t r = 0; r < g.rows; ++r) {
      std::fill_n(g.scores + r * s_.longest, seen, std::numeric_limits<float>::lowest());
    }
    for (int64_t i = rows[row]; i < rows[row + 1]; ++i) {
      const int64_t first = columns[i] * p_.block;
      if (first < seen) score_run(g, k, first, std::min(first + p_.block, seen));
    }
  }

  void score_run(const Group& g, const float* k, int64_t first, int64_t end) const {
    const auto size = static_cast<size_t>(s_.size), stride = static_cast<size_t>(s_.longest);
    gemm_.dot_rows(g.queries, size, static_cast<size_t>(g.rows), k, size,
                   static_cast<size_t>(first), static_cast<size_t>(end), size, g.scores, stride);
    for (int64_t r = 0; r < g.rows; ++r) {
      float* scores = g.scores + r * s_.longest + first;
      vector_.mul_scalar(scores, scale_, scores, static_cast<size_t>(end - first));
    }
  }

  // y = weights v, of the blocks that have a weight; `part` is room for some of them.
  void sum_values(const float* weights, int64_t count, const float* v, float* part,
                  float* y) const {
    const auto size = static_cast<size_t>(s_.size);
    const auto has_weight = [&](int64_t first) {
      const auto end = weights + std::min(first + p_.block, count);
      return std::any_of(weights + first, end, [](float w) { return w != 0; });
    };
    std::fill_n(y, s_.size, 0.0f);
    for (int64_t first = 0, end = 0; first < count; first = end + p_.block) {
      for (end = first; end < count && has_weight(end);) end += p_.block;
      if (end == first) continue;
      const int64_t rows = std::min(end, count) - first;
      gemm_.row_times(weights + first, v + first * s_.size, size, 0, size,
                      static_cast<size_t>(rows), part);
      vector_.add(y, part, y, size);
    }
  }

  RunContext& ctx_;
  const SparseParams& p_;
  const SparseShape s_;
  const SparseScratch at_;
  const GemmF32Kernels& gemm_;
  const VectorF32Kernels& vector_;
  const float scale_;
  bool is_prompt_ = false;
};

Status run_sparse(RunContext& ctx) {
  ASSIGN_OR_RETURN(const SparseShape s, sparse_shape(ctx, ctx.params<SparseParams>()));
  return Sparse(ctx, s).run();
}

}  // namespace

KernelTable sparse_attention_kernels() {
  static constexpr KernelRow kSparseRow("SparseAttention", kMicrosoftDomain, 1, kLatestOpset, kF32,
                                        "sparse_attention.f32", 1, kNoFlags, 0, prepare_sparse,
                                        bind_sparse, run_sparse);
  static constexpr KernelRow rows[] = {
      kSparseRow,
      reduced_row<kSparseRow>("com.microsoft.SparseAttention.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
