// SPDX-License-Identifier: MIT
// com.microsoft: int8 matrices in orders of bytes, cells over sequences, pools and attention whose
// masks say what counts.
#include <algorithm>

#include "tests/differential/fuzzer/rows/parts.h"

namespace ortc::fuzz {
namespace {

constexpr DType kI8 = DType::kInt8, kI32 = DType::kInt32;
const Fill kBytes{Fill::kWhole, -128, 127}, kSmall{Fill::kReal, -0.6, 0.6};

std::string step(Drawing& d) { return byte_scale(d, 0.1); }

// --- Matrices in rows (1) or columns (0).

Attributes orders(Drawing& d) {
  return {of_int("order_input", d.chance().between(0, 1)),
          of_int("order_output", d.chance().between(0, 1))};
}

void quantise(Drawing& d) {
  const DType t = d.chance().one_in(4) ? DType::kFloat16 : kT;
  d.add("QuantizeWithOrder", {d.like(t, d.dims(2, 4)), step(d)}, orders(d), kMs);
}

void dequantise(Drawing& d) {
  Attributes attributes = orders(d);
  const DType t = d.chance().one_in(4) ? DType::kFloat16 : kT;
  attributes.push_back(of_int("to", static_cast<int64_t>(t)));
  d.add("DequantizeWithOrder", {d.like(kI8, d.dims(2, 4), kBytes), step(d)}, attributes, kMs);
}

void gelu(Drawing& d) {
  const int64_t order = d.chance().between(0, 1);
  d.add("QOrderedGelu", {d.like(kI8, d.dims(2, 4), kBytes), step(d), step(d)},
        {of_int("order_X", order), of_int("order_Y", order)}, kMs);
}

void norm(Drawing& d) {
  Dims dims = d.dims(1, 2);
  dims.push_back(d.chance().between(2, 17));
  const int64_t size = dims.back();
  d.add("QOrderedLayerNormalization",
        {d.like(kI8, dims, kBytes), step(d), d.constant(kT, {size}, kAround1),
         maybe(d, d.constant(kT, {size})), step(d)},
        {of_int("axis", -1), of_float("epsilon", 0.01), of_int("order_X", 1), of_int("order_Y", 1)},
        kMs);
}

void product(Drawing& d) {
  const int64_t m = d.chance().between(1, 5), k = d.chance().between(1, 20),
                n = d.chance().between(1, 18);
  Dims left{m, k}, sum{m, n};
  if (d.chance().one_in(3)) {
    left.insert(left.begin(), d.chance().between(1, 3));
    sum.insert(sum.begin(), d.chance().one_in(2) ? 1 : left[0]);
  }
  const Dims each = d.chance().one_in(2) ? Dims{n} : Dims{};
  Names inputs{d.like(kI8, left, kBytes), byte_scale(d, 0.03), d.constant(kI8, {k, n}, kBytes),
               byte_scale(d, 0.03, each), byte_scale(d, 0.5)};
  if (d.chance().one_in(2)) {
    inputs.insert(inputs.end(), {"", d.like(kI8, sum, kBytes), step(d)});
  }
  d.add("QOrderedMatMul", inputs,
        {of_int("order_A", 1), of_int("order_B", 0), of_int("order_Y", 1)}, kMs);
}

// --- Cells.

struct Cell {
  int64_t steps, batch, size, hidden, ways;
  std::string direction;
};

Cell cell(Drawing& d) {
  Cell c{d.chance().between(1, 5),
         d.chance().between(1, 3),
         d.chance().between(1, 7),
         d.chance().between(1, 9),
         1,
         pick(d, std::vector<std::string>{"forward", "reverse", "bidirectional"})};
  c.ways = c.direction == "bidirectional" ? 2 : 1;
  return c;
}
Attributes attributes_of(const Cell& c) {
  return {of_int("hidden_size", c.hidden), of_text("direction", c.direction)};
}
std::string states(Drawing& d, const Cell& c) {
  return maybe(d, d.either(kT, {c.ways, c.batch, c.hidden}, kSmall));
}
std::string lengths(Drawing& d, int64_t batch, int64_t longest) {
  return d.either(kI32, {batch}, {Fill::kWhole, 1, static_cast<double>(longest)});
}

void quantised_lstm(Drawing& d) {
  const Cell c = cell(d);
  const DType t = byte_type(d);
  const Dims each = d.chance().one_in(2) ? Dims{c.ways, 4 * c.hidden} : Dims{c.ways};
  const Fill scales{Fill::kReal, 0.001, 0.006};
  Names inputs{d.like(kT, {c.steps, c.batch, c.size})};
  for (const int64_t rows : {c.size, c.hidden}) {
    inputs.push_back(d.constant(t, {c.ways, rows, 4 * c.hidden}, byte_steps(t)));
  }
  inputs.push_back(maybe(d, d.constant(kT, {c.ways, 8 * c.hidden}, kSmall)));
  inputs.push_back(maybe(d, lengths(d, c.batch, c.steps)));
  for (int i = 0; i < 2; ++i) inputs.push_back(states(d, c));
  inputs.push_back(maybe(d, d.constant(kT, {c.ways, 3 * c.hidden}, kSmall)));
  for (int i = 0; i < 2; ++i) {
    inputs.insert(inputs.end(), {d.constant(kT, each, scales), byte_point(d, t, each)});
  }
  d.add_many("DynamicQuantizeLSTM", inputs, attributes_of(c), 3, kMs,
             static_cast<unsigned>(d.chance().between(1, 7)));
}

// ONNX Runtime's ends the process where there is no Y.
void attn_lstm(Drawing& d) {
  const Cell c = cell(d);
  const int64_t depth = d.chance().between(1, 5), places = d.chance().between(1, 6),
                memory = d.chance().between(1, 7), seen = d.chance().between(1, 9);
  const bool has_weights = d.chance().one_in(2);
  const auto weights = [&](int64_t rows, int64_t columns) {
    return d.either(kT, {c.ways, rows, columns}, kSmall);
  };
  Names inputs{d.like(kT, {c.steps, c.batch, c.size}),
               weights(4 * c.hidden, c.size + (has_weights ? seen : memory)),
               weights(4 * c.hidden, c.hidden),
               maybe(d, d.either(kT, {c.ways, 8 * c.hidden}, kSmall)),
               maybe(d, lengths(d, c.batch, c.steps)),
               states(d, c),
               states(d, c),
               maybe(d, d.either(kT, {c.ways, 3 * c.hidden}, kSmall)),
               weights(c.hidden, depth),
               weights(memory, depth),
               d.either(kT, {c.ways, depth}, kSmall),
               d.like(kT, {c.batch, places, memory}),
               maybe(d, lengths(d, c.batch, places)),
               has_weights ? weights(memory + c.hidden, seen) : ""};
  Attributes attributes = attributes_of(c);
  if (d.chance().one_in(4)) attributes.push_back(of_float("clip", 0.5));
  if (d.chance().one_in(4)) attributes.push_back(of_int("input_forget", 1));
  d.add_many("AttnLSTM", inputs, attributes, 3, kMs,
             1u + 2 * static_cast<unsigned>(d.chance().between(0, 3)));
}

// --- What a mask lets count.

// A window without a place that counts gives the lowest number, which is too large for a result: so
// few places are masked.
void masked_pool(Drawing& d) {
  const int64_t axes = d.chance().between(1, 3);
  Dims dims{d.chance().between(1, 2), d.chance().between(1, 3)};
  std::vector<int64_t> kernel, strides, pads;
  for (int64_t i = 0; i < axes; ++i) {
    dims.push_back(d.chance().between(2, 7));
    kernel.push_back(d.chance().between(1, std::min<int64_t>(3, dims.back())));
    strides.push_back(d.chance().between(1, 2));
  }
  for (int64_t i = 0; i < 2 * axes; ++i) {
    pads.push_back(d.chance().between(0, kernel[static_cast<size_t>(i % axes)] - 1));
  }
  Dims mask = dims;
  if (d.chance().one_in(2)) mask[0] = mask[1] = 1;
  d.add("MaxpoolWithMask", {d.like(kT, dims), d.input(kI32, mask, whole_up_to(19))},
        {of_ints("kernel_shape", kernel), of_ints("strides", strides), of_ints("pads", pads)}, kMs);
}

// Blocks of keys that each block of queries sees, as compressed rows: its own, and some before it.
struct BlockRows {
  std::vector<double> rows, columns;
  int64_t widest;
};
BlockRows block_rows(Drawing& d, int64_t layouts, int64_t blocks) {
  BlockRows b{{}, {}, blocks * (blocks + 1) / 2};
  for (int64_t layout = 0; layout < layouts; ++layout) {
    double count = 0;
    b.rows.push_back(count);
    for (int64_t row = 0; row < blocks; ++row) {
      for (int64_t column = 0; column <= row; ++column) {
        if (column < row && d.chance().one_in(2)) continue;
        b.columns.push_back(static_cast<double>(column));
        ++count;
      }
      b.rows.push_back(count);
    }
    b.columns.resize(static_cast<size_t>((layout + 1) * b.widest), 0.0);
  }
  return b;
}

void sparse_attention(Drawing& d) {
  const int64_t batch = d.chance().between(1, 2), key_heads = d.chance().between(1, 2),
                heads = key_heads * d.chance().between(1, 2), size = pick(d, {2, 4, 8}),
                block = pick(d, {2, 4}), blocks = d.chance().between(1, 4),
                longest = block * blocks;
  const bool is_prompt = d.chance().one_in(2);
  const int64_t tokens = is_prompt ? d.chance().between(1, longest) : 1,
                total = is_prompt ? tokens : d.chance().between(1, longest),
                layouts = heads % 2 == 0 ? d.chance().between(1, 2) : 1;
  const bool is_joint = d.chance().one_in(3), turns = d.chance().one_in(2);
  const BlockRows b = block_rows(d, layouts, blocks);
  const std::string q =
      d.like(kT, {batch, tokens, (is_joint ? heads + 2 * key_heads : heads) * size});
  Names inputs{q};
  for (int i = 0; i < 2; ++i) {
    inputs.push_back(is_joint ? "" : d.like(kT, {batch, tokens, key_heads * size}));
  }
  for (int i = 0; i < 2; ++i) inputs.push_back(d.input(kT, {batch, key_heads, longest, size}));
  const auto low = static_cast<double>(tokens), high = static_cast<double>(total);
  inputs.insert(inputs.end(), {d.constant(tensor_of(kI32, {layouts, blocks + 1}, b.rows)),
                               d.constant(tensor_of(kI32, {layouts, b.widest}, b.columns)),
                               d.constant(tensor_of(kI32, {1}, {high})),
                               d.constant(kI32, {batch}, {Fill::kWhole, low, high})});
  for (int i = 0; i < 2 && turns; ++i) inputs.push_back(d.constant(kT, {longest, size / 2}));
  d.add_many("SparseAttention", inputs,
             {of_int("num_heads", heads), of_int("kv_num_heads", key_heads),
              of_int("sparse_block_size", block), of_int("do_rotary", turns ? 1 : 0),
              of_int("rotary_interleaved", d.chance().between(0, 1))},
             3, kMs);
}

}  // namespace

std::vector<OperatorRow> ms_ordered_rows() {
  return {
      {"QuantizeWithOrder", kMs, 1, kOneStep | kOwnRules, 0, quantise},
      {"DequantizeWithOrder", kMs, 1, kPlain | kOwnRules, 2, dequantise},
      {"QOrderedGelu", kMs, 1, kOneStep | kOwnRules, 0, gelu},
      {"QOrderedLayerNormalization", kMs, 1, kOneStep | kOwnRules, 0, norm},
      {"QOrderedMatMul", kMs, 1, kOneStep | kOwnRules, 0, product},
      {"DynamicQuantizeLSTM", kMs, 1, kPlain | kOwnRules, 16, quantised_lstm},
      {"AttnLSTM", kMs, 1, kPlain, 16, attn_lstm},
      {"MaxpoolWithMask", kMs, 1, kExact, 0, masked_pool},
      {"SparseAttention", kMs, 1, kPlain | kOwnRules, 16, sparse_attention},
  };
}

}  // namespace ortc::fuzz
