// SPDX-License-Identifier: MIT
// Attention over groups of heads: see the header.
#include "providers/cpu/kernels/attention/group_attend.h"

#include "providers/cpu/arith/gemm_f32/gemm_f32.h"
#include "providers/cpu/kernels/attention/group_cache.h"

namespace ortc::cpu {
namespace {

// y = exp(x - top) / (sum + exp(sink - top)): a sink is a score that weighs no value.
void softmax_with_sink(const VectorF32Kernels& vector, float sink, float* x, int64_t n) {
  const auto count = static_cast<size_t>(n);
  const float top = std::max(vector.maximum(x, count), sink);
  vector.sub_scalar(x, top, x, count);
  vector.exp(x, x, count);
  vector.mul_scalar(x, 1.0f / (vector.sum(x, count) + std::exp(sink - top)), x, count);
}

class Attention {
 public:
  Attention(const RunContext& ctx, const GroupParams& params, const GroupShape& s,
            const GroupAttendScratch& scratch, const GroupOperands& operands)
      : ctx_(ctx),
        params_(params),
        s_(s),
        scratch_(scratch),
        operands_(operands),
        vector_(vector_kernels(ctx)),
        scale_(params.scale != 0 ? params.scale : 1.0f / std::sqrt(static_cast<float>(s.size))) {}

  void run() const {
    const int64_t heads = s_.batch * s_.kv_heads;
    if (s_.is_few()) return attend_few();
    if (s_.is_float() && uses_whole_cache()) return attend({0, heads, s_.span});
    for (int64_t i = 0; i < heads; ++i) attend({i, 1, lengths(i / s_.kv_heads).keys});
  }

 private:
  GroupLengths lengths(int64_t b) const { return group_lengths(ctx_, s_, b); }
  float* scores() const { return scratch_at<float>(ctx_, scratch_.scores); }
  float* y() const { return scratch_at<float>(ctx_, scratch_.y); }
  int64_t head_bytes() const { return s_.rows() * s_.row_bytes(); }

  bool uses_whole_cache() const {
    bool all = s_.rows() == s_.span;
    for (int64_t b = 0; b < s_.batch; ++b) all = all && lengths(b).keys == s_.span;
    return all;
  }

  // --- Weights.

  struct Seen {
    int64_t begin, end;  // rows of the cache
  };
  Seen seen_by(const GroupLengths& n, int64_t t) const {
    const int64_t own = n.past + t + 1;
    const int64_t end = params_.is_causal != 0 ? std::min(own, n.keys) : n.keys;
    const int64_t begin = s_.window >= 0 ? std::clamp<int64_t>(own - s_.window, 0, end) : 0;
    return {begin, end};
  }

  void add_bias(int64_t b, int64_t h, int64_t t, int64_t place, float* scores, size_t n) const {
    if (!ctx_.has_input(kGroupBias)) return;
    const ValueRef& bias = ctx_.input(kGroupBias);
    const int64_t at = bias.dim(0) == 1 ? 0 : b, head = bias.dim(1) == 1 ? 0 : h;
    const int64_t row = (at * bias.dim(1) + head) * s_.queries + t;
    vector_.add(scores, bias.as<float>() + row * s_.total + place, scores, n);
  }

  // The output of scores has the keys of the sequence; those not seen are 0.
  void give_scores(GroupScores when, int64_t i, int64_t place, const float* seen, size_t n) const {
    if (static_cast<uint32_t>(when) != params_.scores || !ctx_.has_output(kGroupScores)) return;
    float* to = ctx_.output(kGroupScores).as_mutable<float>() + i * s_.total;
    std::fill_n(to, s_.total, 0.0f);
    std::copy_n(seen, n, to + place);
  }

  // The scores of row i of [B, heads, queries] over the first keys become weights.
  void weigh_row(int64_t i, float* row) const {
    const int64_t b = i / (s_.q_heads * s_.queries), h = i / s_.queries % s_.q_heads;
    const int64_t t = i % s_.queries;
    const GroupLengths n = lengths(b);
    const Seen keys = seen_by(n, t);
    float* seen = row + keys.begin;
    const auto count = static_cast<size_t>(keys.end - keys.begin);
    if (params_.softcap > 0) {
      vector_.div_scalar(seen, params_.softcap, seen, count);
      vector_.tanh(seen, seen, count);
      vector_.mul_scalar(seen, params_.softcap, seen, count);
    }
    const int64_t place = n.place + keys.begin;
    add_bias(b, h, t, place, seen, count);
    give_scores(GroupScores::kBeforeSoftmax, i, place, seen, count);
    if (ctx_.has_input(kGroupSink)) {
      softmax_with_sink(vector_, ctx_.input(kGroupSink).as<float>()[h], seen,
                        keys.end - keys.begin);
    } else if (params_.smooth != 0) {
      softmax_with_sink(vector_, 0.0f, seen, keys.end - keys.begin);
    } else if (count > 0) {
      softmax_row(vector_, seen, keys.end - keys.begin);
    }
    give_scores(GroupScores::kAfterSoftmax, i, place, seen, count);
    std::fill(row, seen, 0.0f);
    std::fill(row + keys.end, row + n.keys, 0.0f);
  }

  // --- Many queries.

  // `heads` key heads from `first` on, all over the same number of keys; the heads of the cache lie
  // rows() apart, so they go together only where all of it is in use.
  struct Part {
    int64_t first, heads, keys;
  };

  // The part's keys or values as floats.
  const float* floats_of(const std::byte* cache, const Part& part, uint64_t wide) const {
    const std::byte* head = cache + part.first * head_bytes();
    if (s_.is_float()) return reinterpret_cast<const float*>(head);
    float* to = scratch_at<float>(ctx_, wide);
    const IntRowKernels& ints = int_row_kernels(ctx_.isa(), s_.bits);
    const HeadDims dims{1, 1, part.keys, s_.size};
    ctx_.parallel_for(part.keys, dims.grain(), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        ints.widen(reinterpret_cast<const uint8_t*>(head + i * s_.row_bytes()),
                   static_cast<size_t>(s_.size), to + i * s_.size);
      }
    });
    return to;
  }

  void attend(const Part& part) const {
    const HeadSizes sizes = s_.products(part.heads, part.keys);
    float* to = scores() + part.first * sizes.rows * s_.span;
    multiply_heads(ctx_, score_product(sizes), operands_.q + part.first * sizes.rows * s_.size,
                   floats_of(operands_.keys, part, scratch_.wide_keys), scale_, to,
                   scratch_.products);
    const int64_t grain = std::max<int64_t>(1, kElementGrain / 2 / std::max<int64_t>(1, part.keys));
    ctx_.parallel_for(part.heads * sizes.rows, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        weigh_row(part.first * sizes.rows + i, to + i * part.keys);
      }
    });
    multiply_heads(ctx_, value_product(sizes), static_cast<const float*>(to),
                   floats_of(operands_.values, part, scratch_.wide_values), 1.0f,
                   y() + part.first * sizes.rows * s_.size, scratch_.products);
  }

  // --- Few queries.

  static constexpr int64_t kFewRows = 8;  // of a key head's queries, in one go

  // Row r of `rows` queries of a key head has its scores `score_room` behind those of row r - 1.
  struct Few {
    int64_t rows;
    size_t begin, end;  // keys that any of them sees
    const float* q;
    float *scores, *y;
  };

  void multiply_keys(const Few& few, const std::byte* keys) const {
    const auto size = static_cast<size_t>(s_.size), rows = static_cast<size_t>(few.rows);
    const auto room = static_cast<size_t>(s_.score_room());
    if (s_.is_float()) {
      gemm_f32_kernels(ctx_.isa())
          .dot_rows(few.q, size, rows, reinterpret_cast<const float*>(keys), size, few.begin,
                    few.end, size, few.scores, room);
    } else {
      const IntRowsF32 op{few.q, size,       rows, reinterpret_cast<const uint8_t*>(keys),
                          size,  few.scores, room};
      int_row_kernels(ctx_.isa(), s_.bits).dot(op, few.begin, few.end);
    }
  }

  void multiply_values(const Few& few, const std::byte* values) const {
    const auto size = static_cast<size_t>(s_.size), rows = static_cast<size_t>(few.rows);
    const auto room = static_cast<size_t>(s_.score_room());
    if (!s_.is_float()) {
      const IntRowsF32 op{few.scores, room,  rows, reinterpret_cast<const uint8_t*>(values),
                          size,       few.y, size};
      return int_row_kernels(ctx_.isa(), s_.bits).sum(op, few.begin, few.end);
    }
    const float* from = reinterpret_cast<const float*>(values) + few.begin * size;
    for (size_t r = 0; r < rows; ++r) {
      gemm_f32_kernels(ctx_.isa())
          .row_times(few.scores + r * room + few.begin, from, size, 0, size, few.end - few.begin,
                     few.y + r * size);
    }
  }

  // `rows` queries of key head i from row `first` on.
  void attend_rows(int64_t i, int64_t first, int64_t rows) const {
    const GroupLengths n = lengths(i / s_.kv_heads);
    const int64_t at = i * s_.group() * s_.queries + first, room = s_.score_room();
    // What the first query's window leaves out, all leave out.
    const int64_t begin =
        s_.window >= 0 ? std::clamp<int64_t>(n.past + 1 - s_.window, 0, n.keys) : 0;
    const Few few{rows,
                  static_cast<size_t>(begin),
                  static_cast<size_t>(n.keys),
                  operands_.q + at * s_.size,
                  scores() + at * room,
                  y() + at * s_.size};
    if (few.begin == few.end) {
      for (int64_t r = 0; r < rows; ++r) weigh_row(at + r, few.scores + r * room);
      std::fill_n(few.y, rows * s_.size, 0.0f);
      return;
    }
    multiply_keys(few, operands_.keys + i * head_bytes());
    for (int64_t r = 0; r < rows; ++r) {
      float* row = few.scores + r * room;
      vector_.mul_scalar(row + begin, scale_, row + begin, few.end - few.begin);
      weigh_row(at + r, row);
    }
    multiply_values(few, operands_.values + i * head_bytes());
  }

  void attend_few() const {
    const int64_t rows = s_.group() * s_.queries;
    const int64_t parts = (rows + kFewRows - 1) / kFewRows;  // of a key head
    const int64_t work = std::max<int64_t>(1, 2 * std::min(rows, kFewRows) * s_.span * s_.size);
    const int64_t grain = std::max<int64_t>(1, 8 * kElementGrain / work);
    ctx_.parallel_for(s_.batch * s_.kv_heads * parts, grain, [&](int64_t begin, int64_t end) {
      for (int64_t u = begin; u < end; ++u) {
        const int64_t first = u % parts * kFewRows;
        attend_rows(u / parts, first, std::min(kFewRows, rows - first));
      }
    });
  }

  const RunContext& ctx_;
  const GroupParams& params_;
  const GroupShape& s_;
  const GroupAttendScratch& scratch_;
  const GroupOperands& operands_;
  const VectorF32Kernels& vector_;
  const float scale_;
};

}  // namespace

GroupAttendScratch lay_out_group_attend(const GroupShape& s, int thread_count, ScratchPlan* plan) {
  const auto count = [](std::initializer_list<int64_t> dims) {
    const auto product = checked_element_count(std::span<const int64_t>(dims.begin(), dims.size()));
    return product ? *product : int64_t{-1};
  };
  GroupAttendScratch scratch{};
  scratch.scores = plan->add<float>(count({s.batch, s.q_heads, s.queries, s.score_room()}));
  scratch.y = plan->add<float>(count({s.batch, s.q_heads, s.queries, s.size}));
  const bool widens = !s.is_float() && !s.is_few();
  scratch.wide_keys = plan->add<float>(widens ? count({s.span, s.size}) : 0);
  scratch.wide_values = plan->add<float>(widens ? count({s.span, s.size}) : 0);
  const HeadSizes sizes = s.products(s.is_float() ? s.batch * s.kv_heads : 1, s.span);
  scratch.products =
      plan->add<std::byte>(s.is_few() ? 0 : head_product_scratch(sizes, thread_count));
  return scratch;
}

void run_group_attend(const RunContext& ctx, const GroupParams& params, const GroupShape& s,
                      const GroupAttendScratch& scratch, const GroupOperands& operands) {
  Attention(ctx, params, s, scratch, operands).run();
  float* y = scratch_at<float>(ctx, scratch.y);
  scale_group_rows(ctx, params, s, kGroupVScale, y);
  join_heads<float>(ctx, y, {s.batch, s.q_heads, s.queries, s.size},
                    ctx.output(kGroupY).as_mutable<float>());
}

}  // namespace ortc::cpu
