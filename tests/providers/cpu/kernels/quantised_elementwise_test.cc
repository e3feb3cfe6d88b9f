// SPDX-License-Identifier: MIT
// Sums, products, tables and pools of quantised tensors against floats that are rounded.
#include <cmath>

#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

Tensor byte(DType dtype, int value) {
  Tensor tensor = Tensor::create(dtype, {}).value();
  *static_cast<uint8_t*>(tensor.mutable_data()) = static_cast<uint8_t>(value);
  return tensor;
}

void check_binary(const Op& op, DType dtype, const Dims& a_dims, const Dims& b_dims, int low,
                  int high) {
  Random random(static_cast<uint32_t>(a_dims.size() * 7 + b_dims.size()));
  const Tensor a = random.bytes(dtype, a_dims), b = random.bytes(dtype, b_dims);
  const Tensor y = run_one(op, {a, Tensor::scalar(0.02f), byte(dtype, 3), b, Tensor::scalar(0.05f),
                                byte(dtype, 9), Tensor::scalar(0.07f), byte(dtype, 20)});
  const bool is_add = op.type.find("Add") != std::string::npos;
  for (int64_t i = 0; i < y.element_count(); ++i) {
    const Dims place = coordinates(i, y.dims());
    const double p = (byte_at(a, index_at(place, a_dims)) - 3) * 0.02;
    const double q = (byte_at(b, index_at(place, b_dims)) - 9) * 0.05;
    const double v = std::nearbyint((is_add ? p + q : p * q) / 0.07) + 20;
    CHECK_NEAR(double(byte_at(y, i)), std::fmin(std::fmax(v, low), high), 0, 1);
  }
}

TEST(quantised_elementwise, sums_and_products_broadcast_and_saturate) {
  for (const char* type : {"QLinearAdd", "QLinearMul"}) {
    for (const DType dtype : {DType::kUint8, DType::kInt8}) {
      const int low = dtype == DType::kInt8 ? -128 : 0;
      const Op op{type, 1, {}, 1, "com.microsoft"};
      check_binary(op, dtype, {4, 100}, {4, 100}, low, low + 255);
      check_binary(op, dtype, {4, 100}, {100}, low, low + 255);
      check_binary(op, dtype, {}, {3, 1, 5}, low, low + 255);
      check_binary(op, dtype, {2, 3, 1}, {1, 5}, low, low + 255);
    }
  }
  check_binary(
      {"QAdd", 1, {Attribute::of_int("low", 20), Attribute::of_int("high", 60)}, 1, kOwnDomain},
      DType::kUint8, {4, 100}, {4, 100}, 20, 60);
}

TEST(quantised_elementwise, a_table_is_any_function) {
  Random random(3);
  const Tensor x = random.bytes(DType::kInt8, {7, 9}), table = random.bytes(DType::kUint8, {256});
  const Tensor y = run_one({"Lookup", 1, {}, 1, kOwnDomain}, {x, table});
  CHECK_EQ(y.dtype(), DType::kUint8);
  for (size_t i = 0; i < 63; ++i) {
    CHECK_EQ(y.elements<uint8_t>()[i],
             table.elements<uint8_t>()[static_cast<uint8_t>(x.elements<int8_t>()[i])]);
  }
}

TEST(quantised_elementwise, channels_last_maxima_are_those_of_onnx) {
  Random random(4);
  const std::vector<Attribute> attributes = {Attribute::of_ints("kernel_shape", {3, 2}),
                                             Attribute::of_ints("strides", {2, 1}),
                                             Attribute::of_ints("pads", {1, 0, 1, 1})};
  const auto last = Attribute::of_ints("perm", {0, 2, 3, 1});
  for (const DType dtype : {DType::kUint8, DType::kInt8}) {
    const Tensor x = random.bytes(dtype, {2, 37, 8, 5});
    const Tensor expected = run_one({"MaxPool", 12, attributes}, {x});
    const Tensor y = run_one({"MaxPool", 1, attributes, 1, kOwnDomain},
                             {run_one({"Transpose", 13, {last}}, {x})});
    CHECK(same_bits(y, run_one({"Transpose", 13, {last}}, {expected})));
  }
}

TEST(quantised_elementwise, averages_of_images_in_both_layouts) {
  Random random(5);
  for (const DType dtype : {DType::kUint8, DType::kInt8}) {
    const Tensor x = random.bytes(dtype, {2, 5, 7, 7});
    const std::vector<Tensor> rest = {Tensor::scalar(0.5f), byte(dtype, 4), Tensor::scalar(0.03f),
                                      byte(dtype, 60)};
    std::vector<Tensor> inputs = {x};
    inputs.insert(inputs.end(), rest.begin(), rest.end());
    const Tensor y = run_one({"QLinearGlobalAveragePool", 1, {}, 1, "com.microsoft"}, inputs);
    CHECK_EQ(y.dims(), (Dims{2, 5, 1, 1}));
    const int low = dtype == DType::kInt8 ? -128 : 0;
    for (int64_t i = 0; i < 10; ++i) {
      double sum = 0;
      for (int64_t p = 0; p < 49; ++p) sum += byte_at(x, i * 49 + p) - 4;
      const double v = std::nearbyint(sum / 49 * 0.5 / 0.03) + 60;
      CHECK_NEAR(double(byte_at(y, i)), std::fmin(std::fmax(v, low), low + 255), 0, 1);
    }
    inputs[0] = run_one({"Transpose", 13, {Attribute::of_ints("perm", {0, 2, 3, 1})}}, {x});
    const Tensor turned = run_one({"QGlobalAveragePool", 1, {}, 1, kOwnDomain}, inputs);
    CHECK(same_bits(turned.reshaped({2, 5, 1, 1}), y));
  }
}

// Sums of its bytes leave int32.
TEST(quantised_elementwise, averages_of_large_images_are_exact) {
  constexpr int64_t kSide = 3200;
  Tensor x = Tensor::create(DType::kUint8, {1, 1, kSide, kSide}).value();
  std::fill_n(static_cast<uint8_t*>(x.mutable_data()), kSide * kSide, uint8_t{253});
  const std::vector<Tensor> inputs = {x, Tensor::scalar(0.5f), byte(DType::kUint8, 3),
                                      Tensor::scalar(1.0f), byte(DType::kUint8, 0)};
  const Tensor y = run_one({"QLinearGlobalAveragePool", 1, {}, 1, "com.microsoft"}, inputs);
  CHECK_EQ(int{byte_at(y, 0)}, 125);
  std::vector<Tensor> turned = inputs;
  turned[0] = x.reshaped({1, kSide, kSide, 1});
  CHECK_EQ(int{byte_at(run_one({"QGlobalAveragePool", 1, {}, 1, kOwnDomain}, turned), 0)}, 125);
}

}  // namespace
}  // namespace ortc::test
