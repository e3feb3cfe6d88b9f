// SPDX-License-Identifier: MIT
// EmbedLayerNormalization against plain loops.
#include <cmath>

#include "tests/providers/cpu/kernels/node_case.h"

namespace ortc::cpu {
namespace {

using testing::random_tensor;

constexpr int64_t kTexts = 3, kSequence = 5, kHidden = 19;

Tensor ids(const Dims& dims, int64_t below, int32_t seed) {
  Tensor tensor = Tensor::create(DType::kInt32, dims).value();
  int32_t x = seed;
  for (int32_t& id : tensor.mutable_elements<int32_t>()) {
    id = static_cast<int32_t>((x = (x * 37 + 11) % 1009) % below);
  }
  return tensor;
}

// input_ids, segment_ids, word, position, segment, gamma, beta, mask, position_ids
struct Inputs {
  std::vector<Tensor> all = {ids({kTexts, kSequence}, 23, 1), ids({kTexts, kSequence}, 2, 2),
                             random_tensor({23, kHidden}, 3), random_tensor({7, kHidden}, 4),
                             random_tensor({2, kHidden}, 5),  random_tensor({kHidden}, 6),
                             random_tensor({kHidden}, 7),     ids({kTexts, kSequence}, 2, 8),
                             ids({kTexts, kSequence}, 7, 9)};
};

testing::NodeCase node_case(float epsilon = 1e-3f) {
  return {"EmbedLayerNormalization",
          "com.microsoft",
          1,
          {Attribute::of_float("epsilon", epsilon), Attribute::of_int("mask_index_type", 1)},
          3};
}

struct EmbeddedRows {
  std::vector<double> y, sum;
  std::vector<int32_t> counts;
};

EmbeddedRows compute(const std::vector<Tensor>& in, double epsilon) {
  const auto row = [](const Tensor& table, int64_t i) {
    return table.elements<float>().data() + i * kHidden;
  };
  const auto id = [](const Tensor& tensor, int64_t i) { return tensor.elements<int32_t>()[i]; };
  EmbeddedRows e;
  for (int64_t b = 0; b < kTexts; ++b) {
    e.counts.push_back(0);
    for (int64_t s = 0; s < kSequence; ++s) {
      const int64_t i = b * kSequence + s;
      if (in[7].is_defined()) e.counts.back() += id(in[7], i) == 1 ? 1 : 0;
      int64_t place = s;
      if (in[8].is_defined()) place = id(in[8], in[8].dims()[0] == 1 ? s : i);
      std::vector<double> t;
      double mean = 0, variance = 0;
      for (int64_t j = 0; j < kHidden; ++j) {
        double x = double{row(in[2], id(in[0], i))[j]} + row(in[3], place)[j];
        if (in[4].is_defined()) x += row(in[4], in[1].is_defined() ? id(in[1], i) : 0)[j];
        t.push_back(x);
        mean += x / kHidden;
      }
      for (const double x : t) variance += (x - mean) * (x - mean) / kHidden;
      for (int64_t j = 0; j < kHidden; ++j) {
        e.sum.push_back(t[static_cast<size_t>(j)]);
        e.y.push_back((t[static_cast<size_t>(j)] - mean) / std::sqrt(variance + epsilon) *
                          row(in[5], 0)[j] +
                      row(in[6], 0)[j]);
      }
    }
  }
  return e;
}

void check_embedded(const std::vector<Tensor>& in) {
  const EmbeddedRows e = compute(in, 1e-3);
  testing::run_everywhere(node_case(), in, [&](const std::vector<Tensor>& found) {
    testing::check_close(found[0], {kTexts, kSequence, kHidden}, e.y, 1e-4, 1e-5);
    CHECK_EQ(found[1].dims(), Dims{kTexts});
    for (size_t b = 0; b < e.counts.size(); ++b) {
      CHECK_EQ(found[1].elements<int32_t>()[b], e.counts[b]);
    }
    testing::check_close(found[2], {kTexts, kSequence, kHidden}, e.sum, 1e-6, 1e-6);
  });
}

TEST(embed_layer_norm, adds_rows_of_three_tables_normalises_them_and_counts_the_mask) {
  check_embedded(Inputs().all);
}

TEST(embed_layer_norm, does_without_segments_mask_and_position_ids) {
  for (int left_out = 1; left_out < 16; ++left_out) {
    Inputs inputs;
    if ((left_out & 1) != 0) inputs.all[1] = Tensor();
    if ((left_out & 2) != 0) inputs.all[1] = inputs.all[4] = Tensor();
    if ((left_out & 4) != 0) inputs.all[7] = Tensor();
    if ((left_out & 8) != 0) inputs.all[8] = Tensor();
    check_embedded(inputs.all);
  }
  Inputs short_list;
  short_list.all[7] = short_list.all[8] = Tensor();
  const EmbeddedRows e = compute(short_list.all, 1e-12);
  short_list.all.resize(7);
  testing::run_everywhere(
      {"EmbedLayerNormalization", "com.microsoft", 1}, short_list.all,
      [&](const std::vector<Tensor>& found) {
        testing::check_close(found[0], {kTexts, kSequence, kHidden}, e.y, 1e-4, 1e-5);
      });
}

TEST(embed_layer_norm, repeats_one_row_of_position_ids) {
  Inputs inputs;
  inputs.all[8] = ids({1, kSequence}, 7, 4);
  check_embedded(inputs.all);
}

TEST(embed_layer_norm, computes_nothing_of_empty_batches_and_sequences) {
  for (const Dims& dims : {Dims{0, kSequence}, Dims{kTexts, 0}}) {
    Inputs inputs;
    for (const size_t i : {0, 1, 7, 8}) inputs.all[i] = Tensor::create(DType::kInt32, dims).value();
    testing::run_everywhere(node_case(), inputs.all, [&](const std::vector<Tensor>& found) {
      CHECK_EQ(found[0].dims(), (Dims{dims[0], dims[1], kHidden}));
      for (const int32_t count : found[1].elements<int32_t>()) CHECK_EQ(count, 0);
    });
  }
}

TEST(embed_layer_norm, refuses_ids_outside_the_tables) {
  const auto fails = [](size_t input, int32_t id, std::string_view expected) {
    Inputs inputs;
    inputs.all[input].mutable_elements<int32_t>()[4] = id;
    const auto found = testing::evaluate(node_case(), inputs.all, 2, host_isa());
    CHECK_CODE(found, Code::kInvalidArgument);
    CHECK(std::string(found.status().message()).find(expected) != std::string::npos);
  };
  fails(0, 23, "word_embedding has 23 rows, found id 23");
  fails(0, -1, "found id -1");
  fails(1, 2, "segment_embedding has 2 rows");
  fails(8, 7, "position_embedding has 7 rows");
  Inputs inputs;
  inputs.all[8] = Tensor();
  inputs.all[3] = random_tensor({4, kHidden}, 4);
  CHECK(!testing::evaluate(node_case(), inputs.all, 1, host_isa()).is_ok());
}

TEST(embed_layer_norm, refuses_shapes_that_do_not_fit_by_name) {
  const auto fails = [](size_t input, Tensor tensor, std::string_view name) {
    Inputs inputs;
    inputs.all[input] = std::move(tensor);
    const auto found = testing::evaluate(node_case(), inputs.all, 1, host_isa());
    CHECK(!found.is_ok());
    CHECK(std::string(found.status().message()).find(name) != std::string::npos);
  };
  fails(0, ids({kTexts * kSequence}, 3, 1), "input_ids have shape [15]");
  fails(1, ids({kTexts, 4}, 2, 1), "segment_ids");
  fails(3, random_tensor({7, kHidden + 1}, 1), "position_embedding");
  fails(4, Tensor(), "segment_ids without segment_embedding");
  fails(5, random_tensor({kHidden, 1}, 1), "gamma");
  fails(7, ids({1, kSequence}, 2, 1), "mask");
  fails(8, ids({2, kSequence}, 2, 1), "position_ids");
}

}  // namespace
}  // namespace ortc::cpu
