// SPDX-License-Identifier: MIT
// Attention by heads: com.microsoft's, ONNX's linear and flexible ones, and what comes before it.
#include "tests/differential/fuzzer/rows/parts.h"

namespace ortc::fuzz {
namespace {

struct Heads {
  int64_t batch, length, count, size;
  int64_t width() const { return count * size; }
};

Heads heads(Drawing& d) {
  return {d.chance().between(1, 2), d.chance().between(1, 5), d.chance().between(1, 3),
          pick(d, {1, 2, 4, 8})};
}

void attention(Drawing& d) {
  const Heads h = heads(d);
  const int64_t in = d.chance().between(1, 9);
  std::string mask;
  if (d.chance().one_in(3)) {
    mask = d.chance().one_in(2) ? d.either(DType::kInt32, {h.batch, h.length}, {Fill::kWhole, 1, 1})
                                : d.either(DType::kInt32, {h.batch},
                                           {Fill::kWhole, 1, static_cast<double>(h.length)});
  }
  d.add("Attention",
        {d.like(kT, {h.batch, h.length, in}), d.constant(kT, {in, 3 * h.width()}, kWeights),
         d.either(kT, {3 * h.width()}), mask},
        {of_int("num_heads", h.count),
         of_int("unidirectional", mask.empty() ? d.chance().between(0, 1) : 0)},
        kMs);
}

void q_attention(Drawing& d) {
  const Heads h = heads(d);
  const int64_t in = d.chance().between(1, 9);
  const DType a = d.chance().percent(75) ? DType::kUint8 : DType::kInt8,
              w = a == DType::kInt8 ? a : byte_type(d);
  const Dims each = d.chance().one_in(2) ? Dims{3 * h.width()} : Dims{};
  d.add("QAttention",
        {d.like(a, {h.batch, h.length, in}, byte_steps(a)),
         d.constant(w, {in, 3 * h.width()}, byte_steps(w)), d.constant(kT, {3 * h.width()}),
         byte_scale(d, 0.02), d.constant(kT, each, {Fill::kReal, 0.002, 0.01}), "",
         byte_point(d, a), byte_point(d, w, each)},
        {of_int("num_heads", h.count), of_int("unidirectional", d.chance().between(0, 1))}, kMs);
}

// A first prompt, or one more token behind a cache; queries in groups, by rotary places or none.
void grouped(Drawing& d) {
  const int64_t batch = d.chance().between(1, 2), groups = d.chance().between(1, 2),
                count = groups * d.chance().between(1, 3),
                past = d.chance().one_in(2) ? 0 : d.chance().between(1, 5);
  const int64_t length = past > 0 ? 1 : d.chance().between(1, 5), total = past + length;
  const bool has_rotary = d.chance().one_in(2);
  const int64_t size = has_rotary ? 16 : pick(d, {8, 16});
  const auto last = static_cast<double>(total - 1);
  const auto cache = [&] {
    return past > 0 ? d.like(kT, {batch, groups, past, size}) : std::string();
  };
  const auto angles = [&] {
    return has_rotary ? d.constant(kT, {8, size / 2}, {Fill::kReal, -1, 1}) : std::string();
  };
  const std::string past_key = cache(), past_value = cache(), cos = angles(), sin = angles();
  Attributes attributes{of_int("num_heads", count), of_int("kv_num_heads", groups),
                        of_int("do_rotary", has_rotary)};
  if (d.chance().one_in(3)) attributes.push_back(of_float("softcap", 2));
  if (d.chance().one_in(3)) attributes.push_back(of_int("local_window_size", 3));
  d.add_many("GroupQueryAttention",
             {d.like(kT, {batch, length, count * size}), d.like(kT, {batch, length, groups * size}),
              d.like(kT, {batch, length, groups * size}), past_key, past_value,
              d.input(DType::kInt32, {batch}, {Fill::kWhole, last, last}),
              d.constant(DType::kInt32, {}, {Fill::kWhole, last + 1, last + 1}), cos, sin},
             attributes, 3, kMs);
}

void decoder(Drawing& d) {
  const Heads h = heads(d);
  const int64_t past = d.chance().between(1, 5);
  const Dims row{h.batch, 1, h.width()}, cache{h.batch, h.count, past, h.size};
  d.add_many("DecoderMaskedMultiHeadAttention",
             {d.like(kT, row), d.like(kT, row), d.like(kT, row), "", "", d.like(kT, cache),
              d.like(kT, cache)},
             {of_int("num_heads", h.count)}, 3, kMs);
}

// Sequences without their padding: tokens in a row, where each came from, and where each begins.
struct Packed {
  int64_t tokens = 0;
  std::string offsets, starts;
};

Packed packed(Drawing& d) {
  const int64_t batch = d.chance().between(1, 3), length = d.chance().between(1, 4);
  Packed p;
  std::vector<double> places, padding, starts{0};
  for (int64_t b = 0; b < batch; ++b) {
    const int64_t used = d.chance().between(1, length);
    for (int64_t i = 0; i < length; ++i) {
      (i < used ? places : padding).push_back(static_cast<double>(b * length + i));
    }
    p.tokens += used;
    starts.push_back(static_cast<double>(p.tokens));
  }
  places.insert(places.end(), padding.begin(), padding.end());
  p.offsets = d.constant(tensor_of(DType::kInt32, {batch, length}, places));
  p.starts = d.constant(tensor_of(DType::kInt32, {batch + 1}, starts));
  return p;
}

void packed_heads(Drawing& d) {
  const Packed p = packed(d);
  const int64_t count = d.chance().between(1, 3), size = pick(d, {1, 2, 4, 8});
  const Dims rows{p.tokens, count * size};
  d.add("PackedMultiHeadAttention",
        {d.like(kT, rows), d.like(kT, rows), d.like(kT, rows),
         maybe(d, d.constant(kT, {3 * count * size})), p.offsets, p.starts},
        {of_int("num_heads", count)}, kMs);
}

void packed_attention(Drawing& d) {
  const Packed p = packed(d);
  const int64_t in = d.chance().between(1, 9), count = d.chance().between(1, 3),
                width = count * pick(d, {1, 2, 4, 8});
  d.add("PackedAttention",
        {d.like(kT, {p.tokens, in}), d.constant(kT, {in, 3 * width}, kWeights),
         d.constant(kT, {3 * width}), p.offsets, p.starts},
        {of_int("num_heads", count)}, kMs);
}

void gated_places(Drawing& d) {
  const Heads h = heads(d);
  d.add("GatedRelativePositionBias",
        {d.like(kT, {h.batch, h.length, h.width()}), d.constant(kT, {h.width()}),
         d.like(kT, {1, h.count, h.length, h.length}), d.constant(kT, {h.size, 8}, kWeights),
         d.constant(kT, {8}), d.constant(kT, {1, h.count, 1, 1})},
        {of_int("num_heads", h.count)}, kMs);
}

void places(Drawing& d) {
  const bool is_both = d.chance().one_in(2);
  const int64_t size = d.chance().between(1, 9);
  d.add("RelativePositionBias",
        {d.like(kT, {pick(d, {8, 32}), d.chance().between(1, 3)}), d.ints({size}), d.ints({size})},
        {of_int("is_bidirectional", is_both), of_int("max_distance", 20)}, kMs);
}

template <bool is_onnx>
void linear(Drawing& d) {
  const Heads h = heads(d);
  const std::string rule =
      pick(d, std::vector<std::string>{"linear", "gated", "delta", "gated_delta"});
  const Dims rows{h.batch, h.length, h.width()}, gates{h.batch, h.length, h.count};
  const Fill small{Fill::kReal, -0.6, 0.6};
  const std::string decay =
      rule.starts_with("gated") ? d.input(kT, gates, {Fill::kReal, -1, -0.1}) : "";
  const std::string beta =
      rule.ends_with("delta") ? d.input(kT, gates, {Fill::kReal, 0.1, 0.9}) : "";
  d.add_many("LinearAttention",
             {d.input(kT, rows, small), d.input(kT, rows, small), d.like(kT, rows),
              d.like(kT, {h.batch, h.count, h.size, h.size}), decay, beta},
             {of_int("q_num_heads", h.count), of_int("kv_num_heads", h.count),
              of_text("update_rule", rule)},
             2, is_onnx ? "" : kMs);
}

void linear_gate(Drawing& d) {
  const Dims dims{d.chance().between(1, 2), d.chance().between(1, 4), d.chance().between(1, 8)};
  d.add_many(
      "LinearAttentionGate",
      {d.like(kT, dims), d.constant(kT, {dims[2]}), d.constant(kT, {dims[2]}), d.like(kT, dims)},
      {}, 2, kMs);
}

void flexible(Drawing& d) {
  const Heads h = heads(d);
  const int64_t keys = d.chance().between(1, 6);
  d.add(
      "FlexAttention",
      {d.like(kT, {h.batch, h.count, h.length, h.size}),
       d.like(kT, {h.batch, h.count, keys, h.size}), d.like(kT, {h.batch, h.count, keys, h.size})},
      {}, "ai.onnx.preview");
}

void many_places(Drawing& d) {
  const int64_t batch = d.chance().between(1, 2), length = d.chance().between(1, 4),
                count = d.chance().between(1, 2);
  const Fill unit{Fill::kReal, -1, 1};
  d.add("MRotaryEmbedding",
        {d.like(kT, {batch, length, count * 8}),
         d.either(DType::kInt64, {3, batch, length}, whole_up_to(9)), d.constant(kT, {10, 4}, unit),
         d.constant(kT, {10, 4}, unit)},
        {of_ints("mrope_section", d.chance().one_in(2) ? std::vector<int64_t>{2, 1, 1}
                                                       : std::vector<int64_t>{1, 1, 2}),
         of_int("mrope_layout", d.chance().between(0, 1)),
         of_int("interleaved", d.chance().between(0, 1))},
        kMs);
}

void gemma_places(Drawing& d) {
  const Heads h = heads(d);
  const DType t = DType::kFloat16;
  const Dims dims{h.batch, h.count, h.length, h.size};
  d.add_many("GemmaRotaryEmbedding",
             {d.like(kT, {h.batch, h.length, h.size}), d.like(t, dims), d.like(t, dims),
              d.like(t, dims), d.like(t, dims)},
             {}, 2, kMs);
}

void causal_conv(Drawing& d) {
  const int64_t batch = d.chance().between(1, 2), channels = d.chance().between(1, 4),
                kernel = d.chance().between(2, 4);
  d.add_many("CausalConvWithState",
             {d.like(kT, {batch, channels, d.chance().between(1, 6)}),
              d.constant(kT, {channels, 1, kernel}, kWeights), maybe(d, d.constant(kT, {channels})),
              maybe(d, d.like(kT, {batch, channels, kernel - 1}))},
             {of_text("activation", d.chance().one_in(2) ? "silu" : "none")}, 2, kMs);
}

}  // namespace

std::vector<OperatorRow> ms_heads_rows() {
  return {
      {"Attention", kMs, 1, kPlain, 16, attention},
      {"QAttention", kMs, 1, kPlain, 16, q_attention},
      {"GroupQueryAttention", kMs, 1, kPlain, 16, grouped},
      {"DecoderMaskedMultiHeadAttention", kMs, 1, kOwnRules, 16, decoder},
      {"PackedMultiHeadAttention", kMs, 1, kOwnRules, 16, packed_heads},
      {"PackedAttention", kMs, 1, kOwnRules, 16, packed_attention},
      {"GatedRelativePositionBias", kMs, 1, kOwnRules, 16, gated_places},
      {"RelativePositionBias", kMs, 1, kExact | kOwnRules, 0, places},
      {"LinearAttention", kMs, 1, kPlain, 16, linear<false>},
      {"LinearAttention", "", 27, kOwnRules, 16, linear<true>},
      {"LinearAttentionGate", kMs, 1, kOwnRules, 16, linear_gate},
      {"FlexAttention", "ai.onnx.preview", 1, kOwnRules, 16, flexible},
      {"MRotaryEmbedding", kMs, 1, kOwnRules, 4, many_places},
      {"GemmaRotaryEmbedding", kMs, 1, kOwnRules, 4, gemma_places},
      {"CausalConvWithState", kMs, 1, kPlain, 8, causal_conv},
  };
}

}  // namespace ortc::fuzz
