// SPDX-License-Identifier: MIT
// Movement of numbers of 4 and 2 bits beside the same movement of bytes that hold them.
#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

constexpr DType kPackedTypes[] = {DType::kInt4, DType::kUint4, DType::kInt2, DType::kUint2,
                                  DType::kFloat4E2M1};

Tensor packed_from(DType dtype, const Tensor& bytes) {
  Tensor packed = Tensor::create(dtype, bytes.dims()).value();
  auto* to = static_cast<unsigned char*>(packed.mutable_data());
  std::fill_n(to, packed.byte_size(), static_cast<unsigned char>(0));
  const int bits = dtype_bits(dtype);
  for (int64_t i = 0; i < bytes.element_count(); ++i) {
    const unsigned code = bytes.elements<uint8_t>()[static_cast<size_t>(i)];
    to[i * bits / 8] = static_cast<unsigned char>(to[i * bits / 8] | code << (i * bits % 8));
  }
  return packed;
}

// Codes of that many bits, a byte each.
Tensor codes(Random& random, const Dims& dims, int bits) {
  Tensor tensor = Tensor::create(DType::kUint8, dims).value();
  for (uint8_t& x : tensor.mutable_elements<uint8_t>()) {
    x = static_cast<uint8_t>(random.between(0, (1 << bits) - 1));
  }
  return tensor;
}

// Runs the operator on bytes and on each packed type; `rest` are inputs of other types.
void check_move(const Op& op, const std::vector<Dims>& shapes, const std::vector<Tensor>& rest,
                bool rest_first = false) {
  Random random(17);
  for (const DType dtype : kPackedTypes) {
    std::vector<Tensor> plain, packed;
    if (rest_first) plain = packed = rest;
    for (const Dims& dims : shapes) {
      plain.push_back(codes(random, dims, dtype_bits(dtype)));
      packed.push_back(packed_from(dtype, plain.back()));
    }
    if (!rest_first) {
      plain.insert(plain.end(), rest.begin(), rest.end());
      packed.insert(packed.end(), rest.begin(), rest.end());
    }
    const auto expected = run_op(op, plain);
    const auto found = run_op(op, packed);
    CHECK_OK(expected);
    CHECK_OK(found);
    for (size_t i = 0; i < expected->size(); ++i) {
      CHECK((*found)[i].dtype() == dtype);
      CHECK(same_bits((*found)[i], packed_from(dtype, (*expected)[i])));
      for (int64_t k = 0; k < (*expected)[i].element_count(); ++k) {
        CHECK_EQ(code_at((*found)[i], static_cast<size_t>(k)),
                 (*expected)[i].elements<uint8_t>()[static_cast<size_t>(k)]);
      }
    }
  }
}

TEST(packed_moves, give_what_bytes_give) {
  const Attribute axis = Attribute::of_int("axis", 1);
  check_move({"Transpose", 25, {Attribute::of_ints("perm", {2, 0, 1})}}, {{3, 5, 7}}, {});
  check_move({"Transpose", 25}, {{131, 257}}, {});
  check_move({"Slice", 25}, {{5, 7}},
             {int64s({1, 6}), int64s({4, -8}), int64s({0, 1}), int64s({1, -2})});
  check_move({"Gather", 25, {axis}}, {{3, 5}}, {int64s({4, -1, 0})});
  check_move({"GatherElements", 25, {axis}}, {{2, 5}},
             {tensor<int64_t>({2, 3}, {4, 0, 1, 2, 2, -5})});
  check_move({"GatherND", 25}, {{3, 5}}, {tensor<int64_t>({2, 2}, {2, 4, 0, 1})});
  check_move({"Concat", 25, {axis}}, {{3, 5}, {3, 2}, {3, 0}}, {});
  check_move({"Split", 25, {axis}, 3}, {{3, 9}}, {int64s({1, 3, 5})});
  check_move({"Pad", 25}, {{3, 5}}, {int64s({1, 0, -1, 3})});
  check_move({"Pad", 25, {Attribute::of_string("mode", "reflect")}}, {{3, 5}},
             {int64s({1, 2, 0, 3})});
  check_move({"Expand", 25}, {{3, 1}}, {int64s({2, 3, 5})});
  check_move({"Tile", 25}, {{3, 5}}, {int64s({2, 3})});
  Tensor condition = Tensor::create(DType::kBool, {5}).value();
  for (int i = 0; i < 5; ++i) static_cast<bool*>(condition.mutable_data())[i] = i % 2 == 0;
  check_move({"Where", 25}, {{3, 5}, {5}}, {condition}, true);
}

TEST(packed_moves, of_views_and_of_nothing) {
  check_move({"Reshape", 25}, {{3, 5}}, {int64s({5, -1})});
  check_move({"Squeeze", 25}, {{3, 1, 5}}, {int64s({1})});
  check_move({"Unsqueeze", 25}, {{3, 5}}, {int64s({0})});
  check_move({"Flatten", 25}, {{3, 5, 2}}, {});
  check_move({"Identity", 25}, {{3, 5}}, {});
  check_move({"Transpose", 25}, {{0, 5}}, {});
  check_move({"Gather", 25}, {{3, 5}}, {Tensor::create(DType::kInt64, {0}).value()});
  check_move({"Concat", 25, {Attribute::of_int("axis", 0)}}, {{0, 5}, {0, 5}}, {});
}

TEST(packed_moves, refuse_other_types_beside) {
  Random random(3);
  const Tensor bytes = codes(random, {3, 4}, 4);
  const Tensor four = packed_from(DType::kInt4, bytes), other = packed_from(DType::kUint4, bytes);
  const Op concat{"Concat", 25, {Attribute::of_int("axis", 0)}};
  CHECK_CODE(run_op(concat, {four, other}), Code::kInvalidGraph);
  CHECK_CODE(run_op(concat, {four, bytes}), Code::kInvalidGraph);
}

// As a damaged context may say: the numbers of 4 bits are the shape, of no elements.
TEST(packed_moves, refuse_to_move_something_else) {
  const Tensor data = int64s({1, 2, 3}), shape = Tensor::create(DType::kInt4, {0}).value();
  const ValueRef inputs[] = {ref_to(data), ref_to(shape)};
  size_t row_count = 0;
  for (const KernelTable& table : cpu::kernel_registry().tables()) {
    for (const KernelRow& row : table) {
      if (row.id != "expand.packed") continue;
      BindContext::Output output;
      output.wanted = true;
      BindContext bind(row.id, {}, inputs, {&output, 1}, 1, Isa::kGeneric);
      CHECK_CODE(row.bind(bind), Code::kInvalidGraph);
      ++row_count;
    }
  }
  CHECK_EQ(row_count, 1u);
}

// A constant of Pad has the type of the data.
TEST(packed_moves, pad_with_a_constant_of_their_own) {
  Random random(5);
  const Tensor bytes = codes(random, {3, 5}, 4), nine = tensor<uint8_t>({}, {9});
  const Op pad{"Pad", 25};
  const auto expected = run_op(pad, {bytes, int64s({0, 1, 1, 0}), nine});
  const auto found = run_op(pad, {packed_from(DType::kUint4, bytes), int64s({0, 1, 1, 0}),
                                  packed_from(DType::kUint4, nine)});
  CHECK_OK(expected);
  CHECK_OK(found);
  CHECK(same_bits((*found)[0], packed_from(DType::kUint4, (*expected)[0])));
}

}  // namespace
}  // namespace ortc::test
