// SPDX-License-Identifier: MIT
// Shapes of com.microsoft's operators of transformers.
#include "core/ops/infer.h"
#include "tests/core/ops/infer_testing.h"
#include "tests/core/optimise/test_graph.h"

using namespace ortc;
using namespace ortc::test;

namespace {

// One node of com.microsoft; inputs without shape are omitted.
struct OneNode {
  Graph graph{std::make_shared<OpsetImports>(OpsetImports{{"com.microsoft", 1}})};
  std::vector<ValueId> outputs;

  OneNode(std::string op, const std::vector<std::optional<Shape>>& shapes, size_t output_count,
          std::vector<Attribute> attributes, DType dtype = kFloat) {
    std::vector<ValueId> inputs;
    for (const auto& shape : shapes) {
      inputs.push_back(
          shape ? graph.add_value(str_cat("x", inputs.size()), Type::tensor(dtype, *shape)).value()
                : kNoValue);
      if (shape) graph.add_input(inputs.back());
    }
    for (size_t i = 0; i < output_count; ++i) {
      outputs.push_back(graph.add_value(str_cat("y", i)).value());
    }
    CHECK_OK(graph.add_node(std::move(op), "com.microsoft", "node", inputs, outputs,
                            std::move(attributes)));
  }
  std::string types() {
    CHECK_OK(infer_types(graph));
    std::string text;
    for (const ValueId id : outputs) {
      Type type = graph.value(id)->type;
      for (Dim& dim : *type.shape) {  // names that inference made up
        if (dim.symbol.size() > 1) dim = Dim::unknown();
      }
      text += type_to_string(type) + " ";
    }
    return text;
  }
  void fails(std::string_view text) {
    const Status status = infer_types(graph);
    CHECK_CODE(status, Code::kInvalidGraph);
    CHECK(std::string(status.message()).find(text) != std::string::npos);
  }
};

const std::vector<Attribute> kThreeHeads = {Attribute::of_int("num_heads", 3)};

}  // namespace

TEST(microsoft_infer, gives_embeddings_a_place_for_every_id) {
  OneNode node("EmbedLayerNormalization",
               {Shape{n(), of(5)},
                {},
                Shape{of(23), of(8)},
                Shape{of(9), of(8)},
                {},
                Shape{of(8)},
                Shape{of(8)}},
               3, {});
  CHECK_EQ(node.types(), "float32[n,5,8] int32[n] float32[n,5,8] ");
}

TEST(microsoft_infer, divides_the_weights_of_attention) {
  OneNode plain("Attention", {Shape{n(), of(5), of(7)}, Shape{of(7), of(36)}}, 2, kThreeHeads);
  CHECK_EQ(plain.types(), "float32[n,5,12] float32[2,n,3,5,4] ");
  auto sizes = kThreeHeads;
  sizes.push_back(Attribute::of_ints("qkv_hidden_sizes", {6, 6, 24}));
  OneNode uneven("Attention", {Shape{n(), of(5), of(7)}, Shape{of(7), of(36)}}, 1, sizes);
  CHECK_EQ(uneven.types(), "float32[n,5,24] ");
  OneNode past("Attention",
               {Shape{n(), of(5), of(7)},
                Shape{of(7), of(36)},
                {},
                {},
                Shape{of(2), n(), of(3), of(6), of(4)}},
               2, kThreeHeads);
  CHECK_EQ(past.types(), "float32[n,5,12] float32[2,n,3,11,4] ");
  OneNode odd("Attention", {Shape{n(), of(5), of(7)}, Shape{of(7), of(35)}}, 1, kThreeHeads);
  odd.fails("35 columns");
}

TEST(microsoft_infer, knows_every_form_of_queries_keys_and_values) {
  const Shape q{n(), of(5), of(12)};
  OneNode apart("MultiHeadAttention", {q, Shape{n(), of(6), of(12)}, Shape{n(), of(6), of(21)}}, 4,
                kThreeHeads);
  CHECK_EQ(apart.types(), "float32[n,5,21] float32[n,3,6,4] float32[n,3,6,7] float32[n,3,5,6] ");
  OneNode pairs("MultiHeadAttention", {q, Shape{n(), of(6), of(3), of(2), of(4)}}, 2, kThreeHeads);
  CHECK_EQ(pairs.types(), "float32[n,5,12] float32[n,3,6,4] ");
  OneNode together("MultiHeadAttention", {Shape{n(), of(5), of(3), of(3), of(4)}}, 2, kThreeHeads);
  CHECK_EQ(together.types(), "float32[n,5,12] float32[n,3,5,4] ");
  OneNode cross("MultiHeadAttention",
                {q, Shape{n(), of(3), of(6), of(4)}, Shape{n(), of(3), of(6), of(7)}}, 3,
                kThreeHeads);
  CHECK_EQ(cross.types(), "float32[n,5,21] float32[n,3,6,4] float32[n,3,6,7] ");
  OneNode past("MultiHeadAttention",
               {q,
                Shape{n(), of(6), of(12)},
                Shape{n(), of(6), of(12)},
                {},
                {},
                {},
                Shape{n(), of(3), of(2), of(4)},
                Shape{n(), of(3), of(2), of(4)}},
               2, kThreeHeads);
  CHECK_EQ(past.types(), "float32[n,5,12] float32[n,3,8,4] ");
  OneNode odd("MultiHeadAttention", {Shape{n(), of(5), of(13)}, Shape{n(), of(6), of(13)}, {}}, 1,
              kThreeHeads);
  odd.fails("not a multiple of 3 heads");
}

TEST(microsoft_infer, leaves_a_buffer_of_past_and_present_its_room) {
  const Shape row{n(), of(1), of(12)}, room{n(), of(3), of(9), of(4)}, one{of(1)};
  std::vector<Attribute> attributes = kThreeHeads;
  attributes.push_back(Attribute::of_int("past_present_share_buffer", 1));
  OneNode shares("DecoderMaskedMultiHeadAttention", {row, row, row, {}, {}, room, room, one}, 4,
                 attributes);
  CHECK_EQ(shares.types(), "float32[n,1,12] float32[n,3,9,4] float32[n,3,9,4] float32[n,3,1,?] ");
  OneNode odd("DecoderMaskedMultiHeadAttention", {row, row, row, {}, {}, room, room}, 4,
              attributes);
  odd.fails("needs past_sequence_length");
  OneNode heads("MultiHeadAttention", {row, row, row, {}, {}, {}, room, room, one}, 4, kThreeHeads);
  CHECK_EQ(heads.types(), "float32[n,1,12] float32[n,3,9,4] float32[n,3,9,4] float32[n,3,1,?] ");
}

TEST(microsoft_infer, gives_a_cache_the_key_heads) {
  const std::vector<Attribute> heads = {Attribute::of_int("num_heads", 4),
                                        Attribute::of_int("kv_num_heads", 2)};
  const Shape q{n(), of(5), of(24)}, k{n(), of(5), of(12)};
  OneNode apart("GroupQueryAttention", {q, k, k, {}, {}, Shape{n()}, Shape{of(1)}}, 3, heads);
  CHECK_EQ(apart.types(), "float32[n,5,24] float32[n,2,?,6] float32[n,2,?,6] ");
  OneNode packed("GroupQueryAttention",
                 {Shape{n(), of(5), of(48)}, {}, {}, {}, {}, Shape{n()}, Shape{of(1)}}, 1, heads);
  CHECK_EQ(packed.types(), "float32[n,5,24] ");
}

TEST(microsoft_infer, gives_a_cache_of_integers_rows_of_bytes) {
  const Shape q{n(), of(5), of(36)}, k{n(), of(5), of(18)};
  const auto types = [&](int64_t bits) {
    OneNode node("GroupQueryAttention", {q, k, k, {}, {}, Shape{n()}, Shape{of(1)}}, 4,
                 {Attribute::of_int("num_heads", 4), Attribute::of_int("kv_num_heads", 2),
                  Attribute::of_string("k_quant_type", "PER_TENSOR"),
                  Attribute::of_string("v_quant_type", "PER_TENSOR"),
                  Attribute::of_int("kv_cache_bit_width", bits)});
    return node.types();
  };
  CHECK_EQ(types(8), "float32[n,5,36] int8[n,2,?,9] int8[n,2,?,9] float32[n,4,5,?] ");
  CHECK_EQ(types(4), "float32[n,5,36] uint8[n,2,?,5] uint8[n,2,?,5] float32[n,4,5,?] ");
}

TEST(microsoft_infer, leaves_a_cache_that_slides_its_length) {
  const Shape q{n(), of(5), of(24)}, k{n(), of(5), of(12)}, past{n(), of(2), of(7), of(6)};
  OneNode node(
      "GroupQueryAttention", {q, k, k, past, past, Shape{n()}, Shape{of(1)}}, 3,
      {Attribute::of_int("num_heads", 4), Attribute::of_int("kv_num_heads", 2),
       Attribute::of_int("local_window_size", 4), Attribute::of_int("sliding_window_cache", 1)});
  CHECK_EQ(node.types(), "float32[n,5,24] float32[n,2,7,6] float32[n,2,7,6] ");
}

TEST(microsoft_infer, compares_weights_of_few_bits_with_the_attributes) {
  const auto attributes = [](int64_t bits, int64_t block) {
    return std::vector<Attribute>{Attribute::of_int("K", 70), Attribute::of_int("N", 20),
                                  Attribute::of_int("bits", bits),
                                  Attribute::of_int("block_size", block)};
  };
  const Shape a{n(), of(5), of(70)}, q{of(20), of(3), of(16)}, flat{of(60)}, bias{of(20)};
  OneNode fits("MatMulNBits", {a, q, flat, flat, Shape{of(96)}, bias}, 1, attributes(4, 32));
  CHECK_EQ(fits.types(), "float32[n,5,20] ");
  OneNode open("MatMulNBits", {a, Shape{n(), of(3), of(16)}, flat}, 1, attributes(4, 32));
  CHECK_EQ(open.types(), "float32[n,5,20] ");
  const auto fails = [&](const std::vector<std::optional<Shape>>& shapes, int64_t bits,
                         int64_t block, std::string_view text) {
    OneNode("MatMulNBits", shapes, 1, attributes(bits, block)).fails(text);
  };
  fails({a, q, flat}, 3, 32, "'bits' is 3");
  fails({a, q, flat}, 4, 48, "'block_size' is 48");
  fails({a, q, flat}, 8, 32, "input 1 has shape [20,3,16], expected [20,3,32]");
  fails({a, q, bias}, 4, 32, "input 2 has shape [20], expected [20,3]");
  fails({a, q, flat, bias}, 4, 32, "input 3 has shape [20], expected [20,3]");
  fails({a, q, flat, flat, flat}, 4, 32, "input 4 has shape [60], expected [70]");
  fails({a, q, flat, flat, Shape{of(70)}, flat}, 4, 32, "input 5 has shape [60], expected [20]");
  fails({Shape{of(1), of(71)}, q, flat}, 4, 32, "71 columns");
}

// X, W, R, nothing, nothing, nothing, nothing, nothing, QW, MW, V, M, nothing, AW
std::vector<std::optional<Shape>> attn_lstm_shapes(int64_t directions) {
  const Dim d = of(directions), steps = Dim::named("s");
  const std::optional<Shape> none;
  return {Shape{steps, n(), of(4)},
          Shape{d, of(12), of(11)},
          Shape{d, of(12), of(3)},
          none,
          none,
          none,
          none,
          none,
          Shape{d, of(3), of(2)},
          Shape{d, of(5), of(2)},
          Shape{d, of(2)},
          Shape{n(), of(6), of(5)},
          none,
          Shape{d, of(8), of(7)}};
}

TEST(microsoft_infer, gives_a_cell_with_attention_what_a_cell_has) {
  OneNode node("AttnLSTM", attn_lstm_shapes(2), 3,
               {Attribute::of_string("direction", "bidirectional")});
  CHECK_EQ(node.types(), "float32[s,2,n,3] float32[2,n,3] float32[2,n,3] ");
}

TEST(microsoft_infer, refuses_a_cell_whose_attention_does_not_fit) {
  auto shapes = attn_lstm_shapes(1);
  shapes[13].reset();  // a step sees 5 numbers then, not 7
  OneNode("AttnLSTM", shapes, 1, {}).fails("W is for 11 numbers, expected 9");
  shapes = attn_lstm_shapes(1);
  shapes[10] = Shape{of(1), of(3)};
  OneNode("AttnLSTM", shapes, 1, {}).fails("axis 1 of input 10 has 3 elements");
  shapes = attn_lstm_shapes(1);
  shapes[11].reset();
  OneNode("AttnLSTM", shapes, 1, {}).fails("input 11 of its attention is missing");
  OneNode("AttnLSTM", attn_lstm_shapes(2), 1, {}).fails("axis 0 of input 1 has 2 elements");
}

// A Scan that never runs knows its results' shape from this alone.
TEST(microsoft_infer, gathers_slices_of_the_shape_that_is_left) {
  OneNode node("GatherND", {Shape{n(), of(4), of(5)}, Shape{of(2), of(1)}}, 1, {});
  CHECK_EQ(node.types(), "float32[2,4,5] ");
  OneNode deep("GatherND", {Shape{of(4)}, Shape{of(2), of(3)}}, 1, {});
  deep.fails("indices of 3 numbers do not fit data of rank 1");
}

TEST(microsoft_infer, refuses_to_leave_out_inputs_that_are_not_optional) {
  OneNode("ExpandDims", {Shape{of(2)}, {}}, 1, {}).fails("input 1, 'axis', is left out");
  OneNode("Range", {Shape{}, {}}, 1, {}).fails("input 1, 'limit', is left out");
  OneNode("ComplexMul", {{}, Shape{of(2), of(2)}}, 1, {}).fails("input 0, 'A', is left out");
}

TEST(microsoft_infer, refuses_more_heads_than_can_be_counted) {
  OneNode("GroupQueryAttention",
          {Shape{of(1), of(1), of(8)}, {}, {}, {}, {}, Shape{of(1)}, Shape{}}, 1,
          {Attribute::of_int("num_heads", 2), Attribute::of_int("kv_num_heads", INT64_MAX)})
      .fails("attribute 'kv_num_heads' is 9223372036854775807");
}

TEST(microsoft_infer, counts_words_and_samples_of_the_largest_sizes) {
  OneNode words("BitmaskDropout", {Shape{of(INT64_MAX)}}, 2, {});
  CHECK_EQ(words.types(), "float32[9223372036854775807] uint32[288230376151711744] ");
  OneNode samples("Irfft", {Shape{of(INT64_MAX), of(2)}}, 1,
                  {Attribute::of_int("normalized", 0), Attribute::of_int("onesided", 1),
                   Attribute::of_int("signal_ndim", 1)});
  CHECK_EQ(samples.types(), "float32[?] ");
}
