// SPDX-License-Identifier: MIT
// ortc.RNN, ortc.GRU and ortc.LSTM, whose weights are packed: those of 16 bits give the bits of the
// same numbers in 32, at odd sizes and on one to five threads; broken records. What the cells
// compute is recurrent_test.cc's.
#include <cmath>
#include <limits>

#include "providers/cpu/elements/float_rows.h"
#include "tests/providers/cpu/kernels/node_case.h"

namespace ortc::cpu {
namespace {

using testing::NodeCase;
using testing::random_tensor;

struct Sizes {
  int64_t steps, batch, in, hidden;
};

template <typename T>
std::pair<Tensor, Tensor> half_and_wide(const Tensor& floats) {
  Tensor half = Tensor::create(kDTypeOf<T>, floats.dims()).value();
  Tensor wide = Tensor::create(DType::kFloat32, floats.dims()).value();
  auto* bits = static_cast<T*>(half.mutable_data());
  narrow(floats.elements<float>().data(), floats.element_count(), bits);
  widen(bits, floats.element_count(), wide.mutable_elements<float>().data());
  return {half, wide};
}

template <typename T>
void check_cell(const std::string& op, int64_t gates, const Sizes& s) {
  const NodeCase node{op,
                      std::string(kInternalDomain),
                      0,
                      {Attribute::of_int("hidden_size", s.hidden),
                       Attribute::of_string("direction", "bidirectional")},
                      2};
  const int64_t wide = gates * s.hidden;
  const auto [w, w32] = half_and_wide<T>(random_tensor({2, wide, s.in}, 2, -0.3f, 0.3f));
  const auto [r, r32] = half_and_wide<T>(random_tensor({2, wide, s.hidden}, 3, -0.3f, 0.3f));
  const Tensor x = random_tensor({s.steps, s.batch, s.in}, 1);
  const Tensor b = random_tensor({2, 2 * wide}, 4);
  for (int level = 0; level <= static_cast<int>(host_isa()); ++level) {
    const auto isa = static_cast<Isa>(level);
    const auto expected = testing::evaluate(node, {x, w32, r32, b}, 1, isa);
    CHECK_OK(expected);
    for (const int threads : {1, 2, 3, 5}) {
      for (const bool is_half : {false, true}) {
        const auto found =
            testing::evaluate(node, {x, is_half ? w : w32, is_half ? r : r32, b}, threads, isa);
        CHECK_OK(found);
        for (size_t i = 0; i < 2; ++i) {
          CHECK(testing::same_bytes((*found)[i], (*expected)[i]));
        }
      }
    }
  }
}

TEST(packed_recurrent, weights_of_16_bits_give_the_bits_of_the_same_numbers_in_32) {
  for (const auto& [op, gates] : {std::pair{"RNN", 1}, {"GRU", 3}, {"LSTM", 4}}) {
    for (int64_t size = 1; size <= 67; size += test::is_emulated() ? 33 : 11) {
      check_cell<Float16>(op, gates, {2, 3, 5, size});
      check_cell<Bfloat16>(op, gates, {3, 1, size, 9});
      check_cell<Float16>(op, gates,
                          {1, size, 7, 33});  // from 25 on, more rows than read as they are
    }
    check_cell<Float16>(op, gates, {31, 2, 900, 5});  // several blocks of depth
    check_cell<Bfloat16>(op, gates, {1, 26, 40, 800});
  }
}

// Integers [2, wide, columns] with scales [2, wide], and the floats that they stand for.
struct ByteWeights {
  Tensor numbers, scales, floats;

  ByteWeights(int64_t wide, int64_t columns, uint64_t seed)
      : numbers(Tensor::create(DType::kInt8, {2, wide, columns}).value()),
        scales(random_tensor({2, wide}, seed, 0.0005f, 0.003f)),
        floats(random_tensor({2, wide, columns}, seed + 1, -128, 128)) {
    for (int64_t i = 0; i < floats.element_count(); ++i) {
      const auto at = static_cast<size_t>(i);
      float& number = floats.mutable_elements<float>()[at];
      numbers.mutable_elements<int8_t>()[at] = static_cast<int8_t>(number);
      number = static_cast<float>(static_cast<int8_t>(number)) *
               scales.elements<float>()[static_cast<size_t>(i / columns)];
    }
  }
};

// Rows are rounded to a 65000th of the largest, which sequences carry on.
void check_bytes(const Sizes& s, float start = 0.5f) {
  const NodeCase node{"LSTM",
                      std::string(kInternalDomain),
                      0,
                      {Attribute::of_int("hidden_size", s.hidden),
                       Attribute::of_string("direction", "bidirectional")},
                      3};
  const int64_t wide = 4 * s.hidden;
  const ByteWeights w(wide, s.in, 2), r(wide, s.hidden, 5);
  const Tensor x = random_tensor({s.steps, s.batch, s.in}, 1), b = random_tensor({2, 2 * wide}, 4);
  Tensor h = random_tensor({2, s.batch, s.hidden}, 7);
  h.mutable_elements<float>()[0] = start;
  const auto expected =
      testing::evaluate(node, {x, w.floats, r.floats, b, Tensor(), h}, 1, host_isa());
  CHECK_OK(expected);
  testing::run_everywhere(
      node, {x, w.numbers, r.numbers, b, Tensor(), h, Tensor(), Tensor(), w.scales, r.scales},
      [&](const std::vector<Tensor>& found) {
        for (size_t i = 0; i < found.size(); ++i) {
          const auto a = found[i].elements<float>(), e = (*expected)[i].elements<float>();
          CHECK_EQ(a.size(), e.size());
          for (size_t j = 0; j < a.size(); ++j) {
            const bool is_nan = std::isnan(e[j]);
            CHECK_EQ(std::isnan(a[j]), is_nan);
            if (!is_nan) CHECK_NEAR(a[j], e[j], 2e-4, 1e-4);
          }
        }
      });
}

TEST(packed_recurrent, weights_of_8_bits_give_what_the_numbers_give_that_they_stand_for) {
  for (int64_t size = 1; size <= 67; size += test::is_emulated() ? 33 : 6) {
    check_bytes({3, 2, 5, size});
    check_bytes({2, 1, size, 9});
    check_bytes({2, size, 7, 17});
  }
  check_bytes({20, 1, 40, 130});
  check_bytes({9, 7, 33, 11});
  check_bytes({2, 3, 4, 6}, std::numeric_limits<float>::quiet_NaN());
}

TEST(packed_recurrent, gives_what_the_cell_gives_whose_weights_lie_as_in_the_model) {
  for (const auto& [op, gates] : {std::pair{"RNN", 1}, {"GRU", 3}, {"LSTM", 4}}) {
    for (const auto& [steps, batch] : {std::pair<int64_t, int64_t>{1, 1}, {1, 3}, {4, 1}}) {
      const int64_t in = 9, hidden = 21, wide = gates * hidden;
      const std::vector<Attribute> attributes = {
          Attribute::of_int("hidden_size", hidden),
          Attribute::of_string("direction", "bidirectional")};
      const NodeCase plain{op, "", 14, attributes, 2};
      const NodeCase packed{op, std::string(kInternalDomain), 0, attributes, 2};
      // States that are not zero: a wrong weight shows.
      std::vector<Tensor> inputs = {
          random_tensor({steps, batch, in}, 1),
          random_tensor({2, wide, in}, 2, -0.3f, 0.3f),
          random_tensor({2, wide, hidden}, 3, -0.3f, 0.3f),
          random_tensor({2, 2 * wide}, 4),
          Tensor::from<int32_t>({batch}, std::vector<int32_t>(static_cast<size_t>(batch),
                                                              static_cast<int32_t>(steps))),
          random_tensor({2, batch, hidden}, 5)};
      if (std::string_view(op) == "LSTM") inputs.push_back(random_tensor({2, batch, hidden}, 6));
      const auto expected = testing::evaluate(plain, inputs, 1, host_isa());
      const auto found = testing::evaluate(packed, inputs, 2, host_isa());
      CHECK_OK(expected);
      CHECK_OK(found);
      for (size_t i = 0; i < 2; ++i) {
        const auto a = (*found)[i].elements<float>(), b = (*expected)[i].elements<float>();
        CHECK_EQ(a.size(), b.size());
        for (size_t j = 0; j < a.size(); ++j) CHECK_NEAR(a[j], b[j], 1e-5, 1e-6);
      }
    }
  }
}

TEST(packed_recurrent, refuses_weights_that_no_cell_has) {
  const NodeCase node{"LSTM", std::string(kInternalDomain), 0, {}, 1};
  const Tensor x = random_tensor({2, 1, 5}, 1), w = random_tensor({1, 12, 5}, 2);
  const Tensor r = random_tensor({1, 12, 3}, 3);
  const auto code = [&](const std::vector<Tensor>& inputs) {
    return testing::evaluate(node, inputs, 2, host_isa()).status().code();
  };
  CHECK_EQ(code({x, w, r}), Code::kOk);
  CHECK_EQ(code({x, w, random_tensor({1, 12, 4}, 3)}), Code::kInvalidGraph);
  CHECK_EQ(code({x, w, random_tensor({2, 12, 3}, 3)}), Code::kInvalidGraph);
  CHECK_EQ(code({x, random_tensor({12, 5}, 2), r}), Code::kInvalidGraph);
  CHECK_EQ(code({x, w, half_and_wide<Float16>(r).first}), Code::kInvalidGraph);
  CHECK_EQ(code({random_tensor({2, 1, 4}, 1), w, r}), Code::kInvalidArgument);
}

struct CellRecord {
  uint32_t record_bytes = 120, cell = 2, direction = 0, batch_first = 0, linear = 0, forget = 0;
  float clip = 0;
  struct {
    uint32_t kind = 0;
    float alpha = 0, beta = 0;
  } functions[6];
  uint32_t reserved = 0;
  int64_t in = 5, hidden = 3;
};
static_assert(sizeof(CellRecord) == 120);

TEST(packed_recurrent, bind_refuses_broken_records) {
  testing::RawBind raw{
      "lstm_packed.f32",
      {},
      {random_tensor({2, 1, 5}, 1), random_tensor({5 * 32}, 2), random_tensor({3 * 32}, 3)}};
  raw.set_params(CellRecord{});
  CHECK_OK(raw.bind());
  const auto refused = [&](const std::function<void(CellRecord&)>& change) {
    CellRecord record;
    change(record);
    raw.set_params(record);
    CHECK(!raw.bind().is_ok());
  };
  refused([](CellRecord& r) { r.in = 4; });
  refused([](CellRecord& r) { r.in = -5; });
  refused([](CellRecord& r) { r.hidden = 0; });
  refused([](CellRecord& r) { r.hidden = 9; });
  refused([](CellRecord& r) { r.hidden = int64_t{1} << 40; });
  refused([](CellRecord& r) { r.hidden = INT64_MAX; });
  refused([](CellRecord& r) { r.cell = 1; });
  refused([](CellRecord& r) { r.direction = 2; });
  refused([](CellRecord& r) { r.direction = 7; });
  refused([](CellRecord& r) { r.functions[0].kind = 99; });
  refused([](CellRecord& r) { r.clip = -1; });
  raw.set_params(CellRecord{});
  raw.inputs[2] = random_tensor({3 * 32 - 1}, 3);
  CHECK_CODE(raw.bind(), Code::kInvalidGraph);
  raw.inputs[2] = Tensor::create(DType::kFloat16, {3 * 32}).value();
  CHECK_CODE(raw.bind(), Code::kInvalidGraph);
  raw.id = "lstm_packed.half";
  CHECK_CODE(raw.bind(), Code::kInvalidGraph);
  raw.inputs[1] = Tensor::create(DType::kBfloat16, {5 * 32}).value();
  CHECK_CODE(raw.bind(), Code::kInvalidGraph);  // two types
  raw.inputs[1] = Tensor::create(DType::kFloat16, {5 * 32}).value();
  CHECK_OK(raw.bind());
  raw.set_params(uint32_t{120});
  CHECK_CODE(raw.bind(), Code::kInvalidGraph);
}

TEST(packed_recurrent, bind_refuses_broken_records_of_weights_of_8_bits) {
  const Tensor none = Tensor();
  const auto bytes = [](int64_t n) { return Tensor::create(DType::kInt8, {n}).value(); };
  testing::RawBind raw{
      "lstm_packed.i8",
      {},
      {random_tensor({2, 1, 5}, 1), bytes(256 + 8 * 32), bytes(256 + 4 * 32), none, none, none,
       none, none, random_tensor({1, 12}, 2), random_tensor({1, 12}, 3)}};
  raw.set_params(CellRecord{});
  CHECK_OK(raw.bind());
  const auto refused = [&](size_t i, const Tensor& tensor) {
    const Tensor before = raw.inputs[i];
    raw.inputs[i] = tensor;
    CHECK(!raw.bind().is_ok());
    raw.inputs[i] = before;
  };
  refused(1, bytes(5 * 32));
  refused(1, random_tensor({256 + 8 * 32}, 1));
  refused(2, bytes(4 * 32));
  refused(2, random_tensor({256 + 4 * 32}, 1));
  for (const size_t i : {8, 9}) {
    refused(i, none);
    refused(i, random_tensor({12}, 1));
    refused(i, random_tensor({2, 12}, 1));
    refused(i, bytes(12));
  }
  CellRecord record;
  record.hidden = INT32_MAX;
  raw.set_params(record);
  CHECK(!raw.bind().is_ok());
}

}  // namespace
}  // namespace ortc::cpu
