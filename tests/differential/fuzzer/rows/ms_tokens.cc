// SPDX-License-Identifier: MIT
// com.microsoft: tokens, their tables, and experts that tokens are routed to.
#include "tests/differential/fuzzer/rows/parts.h"

namespace ortc::fuzz {
namespace {

void remove_padding(Drawing& d) {
  const int64_t batch = d.chance().between(1, 3), length = d.chance().between(1, 4);
  d.add_many("RemovePadding",
             {d.like(kT, {batch, length, d.chance().between(1, 5)}),
              d.constant(DType::kInt32, {batch}, {Fill::kWhole, 1, static_cast<double>(length)})},
             {}, 4, kMs);
}

void restore_padding(Drawing& d) {
  const int64_t batch = d.chance().between(1, 3), length = d.chance().between(1, 4);
  std::vector<double> places(static_cast<size_t>(batch * length));
  for (size_t i = 0; i < places.size(); ++i) places[i] = static_cast<double>(i);
  d.add("RestorePadding",
        {d.like(kT, {d.chance().between(1, batch * length), d.chance().between(1, 5)}),
         d.constant(tensor_of(DType::kInt32, {batch, length}, places))},
        {}, kMs);
}

// Forbidden tokens score minus infinity, which nothing else takes.
void n_grams(Drawing& d) {
  const int64_t batch = d.chance().between(1, 3), words = d.chance().between(3, 7);
  const std::string scores =
      d.add("NGramRepeatBlock",
            {d.input(DType::kInt64, {batch, d.chance().between(1, 6)}, whole_up_to(words - 1)),
             d.input(kT, {batch, words})},
            {of_int("ngram_size", d.chance().between(1, 3))}, kMs);
  d.add("Clip", {scores, d.scalar(kT, -10), d.scalar(kT, 10)});
}

void bifurcation(Drawing& d) {
  const Fill words = whole_up_to(4);
  const int64_t source = d.chance().between(2, 7), start = d.chance().between(0, source - 1);
  d.add_many("BifurcationDetector",
             {d.input(DType::kInt64, {source}, words),
              d.input(DType::kInt64, {d.chance().between(1, 3)}, words), d.ints({start}),
              d.input(DType::kInt64, {source - start + 1}, words)},
             {of_int("min_ngram_size", 1), of_int("max_ngram_size", 3)}, 2, kMs);
}

void time_warping(Drawing& d) {
  d.add("DynamicTimeWarping",
        {d.input(kT, {d.chance().between(1, 7), d.chance().between(1, 7)}, {Fill::kReal, 0, 4})},
        {}, kMs);
}

void words_by_letters(Drawing& d) {
  const int64_t letters = d.chance().between(3, 6), size = d.chance().between(1, 4),
                filters = d.chance().between(1, 4), wide = d.chance().between(1, 3);
  d.add("WordConvEmbedding",
        {d.input(DType::kInt32, {d.chance().between(1, 3), letters}, whole_up_to(6)),
         d.constant(kT, {filters, 1, wide, size}, kWeights), d.constant(kT, {filters}),
         d.constant(kT, {7, size})},
        {}, kMs);
}

void torch_embedding(Drawing& d) {
  const int64_t rows = d.chance().between(1, 7);
  d.add("TorchEmbedding",
        {d.either(kT, {rows, d.chance().between(1, 6)}),
         d.either(DType::kInt64, d.dims(1, 2), whole_up_to(rows - 1))},
        {}, kMs);
}

void embed(Drawing& d) {
  const int64_t batch = d.chance().between(1, 2), length = d.chance().between(1, 5),
                size = d.chance().between(2, 9);
  const bool has_segments = d.chance().one_in(2);
  const auto ids = [&](int64_t last) {
    return d.input(DType::kInt32, {batch, length}, whole_up_to(last));
  };
  const std::string segments = has_segments ? ids(1) : "";
  d.add_many("EmbedLayerNormalization",
             {ids(9), segments, d.constant(kT, {10, size}), d.constant(kT, {7, size}),
              has_segments ? d.constant(kT, {2, size}) : "", d.constant(kT, {size}, kAround1),
              d.constant(kT, {size}),
              maybe(d, d.constant(DType::kInt32, {batch, length}, {Fill::kWhole, 1, 1}))},
             {of_float("epsilon", 0.01)}, 2, kMs);
}

void q_embed(Drawing& d) {
  const int64_t batch = d.chance().between(1, 2), length = d.chance().between(1, 5),
                size = d.chance().between(2, 9);
  const DType t = DType::kUint8;
  const auto ids = [&](int64_t last) {
    return d.input(DType::kInt32, {batch, length}, whole_up_to(last));
  };
  Names inputs{ids(9), ids(1)};
  for (const Dims& dims : {Dims{10, size}, Dims{7, size}, Dims{2, size}, Dims{size}, Dims{size}}) {
    inputs.push_back(d.constant(t, dims, kAnyByte));
  }
  inputs.push_back(d.constant(DType::kInt32, {batch, length}, {Fill::kWhole, 1, 1}));
  for (int i = 0; i < 5; ++i) inputs.push_back(byte_scale(d, 0.05));
  for (int i = 0; i < 5; ++i) inputs.push_back(byte_point(d, t));
  d.add_many("QEmbedLayerNormalization", inputs, {of_float("epsilon", 0.01)}, 2, kMs);
}

void gather_blocks(Drawing& d) {
  const int64_t rows = d.chance().between(1, 6), block = pick(d, {16, 32}),
                blocks = d.chance().between(1, 2), bits = d.chance().one_in(3) ? 8 : 4;
  d.add("GatherBlockQuantized",
        {d.constant(DType::kUint8, {rows, block * blocks * bits / 8}, kAnyByte),
         d.input(d.chance().one_in(2) ? DType::kInt32 : DType::kInt64,
                 {d.chance().between(1, 3), d.chance().between(1, 3)}, whole_up_to(rows - 1)),
         d.constant(kT, {rows, blocks}, {Fill::kReal, 0.005, 0.1}),
         maybe(d, d.constant(DType::kUint8, {rows, (blocks * bits + 7) / 8}, kAnyByte))},
        {of_int("gather_axis", 0), of_int("quantize_axis", 1), of_int("block_size", block),
         of_int("bits", bits)},
        kMs);
}

void product_of_4_bits(Drawing& d) {
  const int64_t n = d.chance().between(1, 9), block = pick(d, {16, 32}),
                k = block * d.chance().between(1, 2);
  d.add(
      "MatMulBnb4",
      {d.like(kT, {d.chance().between(1, 4), k}), d.constant(DType::kUint8, {n * k / 2}, kAnyByte),
       d.constant(kT, {n * k / block}, kAround1)},
      {of_int("N", n), of_int("K", k), of_int("block_size", block),
       of_int("quant_type", d.chance().between(0, 1))},
      kMs);
}

void experts(Drawing& d) {
  const int64_t tokens = d.chance().between(1, 5), size = pick(d, {4, 6, 8}),
                count = d.chance().between(2, 4), inner = pick(d, {4, 8, 16});
  const std::string function =
      pick(d, std::vector<std::string>{"relu", "gelu", "silu", "identity"});
  d.add("MoE",
        {d.like(kT, {tokens, size}), d.input(kT, {tokens, count}),
         d.constant(kT, {count, inner, size}, kWeights), maybe(d, d.constant(kT, {count, inner})),
         d.constant(kT, {count, size, inner}, kWeights), maybe(d, d.constant(kT, {count, size}))},
        {of_text("activation_type", function), of_int("k", d.chance().between(1, 2)),
         of_int("normalize_routing_weights", d.chance().between(0, 1))},
        kMs);
}

void q_experts(Drawing& d) {
  const int64_t tokens = d.chance().between(1, 4), count = 3, size = 32,
                bits = d.chance().one_in(3) ? 8 : 4;
  const Dims weights{count, size, size * bits / 8}, scales{count, size};
  const Fill small{Fill::kReal, 0.002, bits == 8 ? 0.004 : 0.03};
  Names inputs{d.like(kT, {tokens, size}), d.input(kT, {tokens, count})};
  for (int i = 0; i < 2; ++i) {
    inputs.push_back(d.constant(DType::kUint8, weights, kAnyByte));
    inputs.push_back(d.constant(kT, scales, small));
    inputs.push_back(maybe(d, d.constant(kT, scales)));
  }
  d.add("QMoE", inputs,
        {of_text("activation_type", d.chance().one_in(2) ? "silu" : "relu"),
         of_int("k", d.chance().between(1, 2)), of_int("expert_weight_bits", bits),
         of_int("normalize_routing_weights", d.chance().between(0, 1))},
        kMs);
}

void tokenize(Drawing& d) {
  d.add("Tokenizer", {d.input(DType::kString, {d.chance().between(1, 4)})},
        {of_int("mark", d.chance().between(0, 1)),
         of_int("mincharnum", 1),
         of_text("pad_value", "#"),
         {"separators", std::vector<std::string>{d.chance().one_in(2) ? " " : ","}}},
        kMs);
}

}  // namespace

std::vector<OperatorRow> ms_tokens_rows() {
  return {
      {"RemovePadding", kMs, 1, kExact | kOwnRules, 0, remove_padding},
      {"RestorePadding", kMs, 1, kExact | kOwnRules, 0, restore_padding},
      {"NGramRepeatBlock", kMs, 1, kExact | kInfinite, 0, n_grams},
      {"BifurcationDetector", kMs, 1, kExact, 0, bifurcation},
      {"DynamicTimeWarping", kMs, 1, kExact, 0, time_warping},
      {"WordConvEmbedding", kMs, 1, kPlain, 16, words_by_letters},
      {"TorchEmbedding", kMs, 1, kExact | kOwnRules, 0, torch_embedding},
      {"EmbedLayerNormalization", kMs, 1, kPlain, 16, embed},
      {"QEmbedLayerNormalization", kMs, 1, kPlain, 16, q_embed},
      {"GatherBlockQuantized", kMs, 1, kPlain, 2, gather_blocks},
      {"MatMulBnb4", kMs, 1, kPlain, 16, product_of_4_bits},
      {"MoE", kMs, 1, kPlain, 32, experts},
      {"QMoE", kMs, 1, kPlain, 32, q_experts},
      {"Tokenizer", kMs, 1, kExact, 0, tokenize},
  };
}

}  // namespace ortc::fuzz
