// SPDX-License-Identifier: MIT
// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear of every type and granularity against
// the formulas.
#include <cmath>

#include "providers/cpu/elements/small_integers.h"
#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

constexpr DType kIntegerTypes[] = {DType::kUint8, DType::kInt8, DType::kUint16, DType::kInt16,
                                   DType::kUint4, DType::kInt4, DType::kUint2,  DType::kInt2};

// A tensor of small integers from plain ones.
Tensor integers(DType dtype, Dims dims, const std::vector<int>& values) {
  Tensor tensor = Tensor::create(dtype, std::move(dims)).value();
  for (size_t i = 0; i < values.size(); ++i) {
    const int bits = dtype_bits(dtype);
    auto* bytes = static_cast<uint8_t*>(tensor.mutable_data());
    if (bits == 16) {
      static_cast<uint16_t*>(tensor.mutable_data())[i] = static_cast<uint16_t>(values[i]);
    } else {
      const size_t each = 8 / static_cast<size_t>(bits);
      const unsigned mask = (1u << bits) - 1;
      bytes[i / each] = static_cast<uint8_t>(
          bytes[i / each] | (static_cast<unsigned>(values[i]) & mask) << (i % each * size_t(bits)));
    }
  }
  return tensor;
}

int integer_code(float x, float scale, int zero, DType dtype) {
  const cpu::IntegerRange range = cpu::integer_range(dtype);
  const float v = std::nearbyint(x / scale) + static_cast<float>(zero);
  return static_cast<int>(std::fmin(std::fmax(v, float(range.lo)), float(range.hi)));
}

TEST(quantise_linear, every_type_rounds_half_to_even_and_saturates) {
  Random random(1);
  Tensor x = random.floats({3, 701});
  x.mutable_elements<float>()[5] = 1e9f;
  x.mutable_elements<float>()[6] = -1e9f;
  for (int i = 0; i < 40; ++i) x.mutable_elements<float>()[10 + i] = 0.125f * float(i - 20);
  for (const DType dtype : kIntegerTypes) {
    const int zero = dtype_bits(dtype) > 2 ? 3 : 1;
    const Tensor y =
        run_one({"QuantizeLinear", 21}, {x, f32s({}, {0.25f}), integers(dtype, {}, {zero})});
    CHECK_EQ(y.dtype(), dtype);
    const Tensor back =
        run_one({"DequantizeLinear", 21}, {y, f32s({}, {0.25f}), integers(dtype, {}, {zero})});
    for (int64_t i = 0; i < x.element_count(); ++i) {
      const int expected = integer_code(x.elements<float>()[size_t(i)], 0.25f, zero, dtype);
      CHECK_EQ(cpu::integer_at(dtype, y.data(), i), expected);
      CHECK_EQ(back.elements<float>()[size_t(i)], float(expected - zero) * 0.25f);
    }
  }
}

TEST(quantise_linear, scales_lie_along_an_axis_or_in_blocks) {
  Random random(2);
  const Dims dims = {3, 10, 4};
  const Tensor x = random.floats(dims);
  for (const int64_t axis : {0, 1, 2, -1}) {
    const auto at = static_cast<size_t>(axis < 0 ? axis + 3 : axis);
    for (const int64_t block : {0, 4}) {
      Dims scale_dims = {dims[at]};
      if (block != 0) {
        scale_dims = dims;
        scale_dims[at] = (dims[at] + block - 1) / block;
      }
      Tensor scale = random.floats(scale_dims);
      std::vector<int> zeros;
      for (float& s : scale.mutable_elements<float>()) {
        s = 0.02f + std::fabs(s) * 0.01f;
        zeros.push_back(static_cast<int>(random.between(-5, 5)));
      }
      const Tensor zero = integers(DType::kInt4, scale_dims, zeros);
      const std::vector<Attribute> attributes = {Attribute::of_int("axis", axis),
                                                 Attribute::of_int("block_size", block)};
      const Tensor y = run_one({"QuantizeLinear", 21, attributes}, {x, scale, zero});
      const Tensor back = run_one({"DequantizeLinear", 21, attributes}, {y, scale, zero});
      for (int64_t i = 0; i < x.element_count(); ++i) {
        Dims place = coordinates(i, dims);
        if (block != 0) place[at] /= block;
        const auto s = static_cast<size_t>(block != 0 ? index_at(place, scale_dims) : place[at]);
        const float factor = scale.elements<float>()[s];
        const int code =
            integer_code(x.elements<float>()[size_t(i)], factor, zeros[s], DType::kInt4);
        CHECK_EQ(cpu::integer_at(DType::kInt4, y.data(), i), code);
        CHECK_EQ(back.elements<float>()[size_t(i)], float(code - zeros[s]) * factor);
      }
    }
  }
}

// Rows of scales as they are, in parts and repeated; runs that are short and long; lines of blocks.
struct Granularity {
  Dims dims;
  int64_t axis, block;
};
const Granularity kGranularities[] = {
    {{5, 701}, 1, 0},     {{331, 3}, 1, 0},     {{7, 37, 5}, 1, 0},    {{4, 3, 67}, 1, 0},
    {{2, 600, 2}, 1, 0},  {{3, 90}, 1, 7},      {{3, 100}, 1, 32},     {{41, 67}, 0, 8},
    {{2, 50, 11}, 1, 16}, {{3, 7, 530}, 1, 2},  {{2, 3, 200}, 1, 2},   {{1, 1, 3}, 2, 0},
    {{9, 1, 130}, 1, 0},  {{2, 300, 31}, 1, 9}, {{3, 11, 2, 5}, 1, 4}, {{6, 64}, 0, 0},
};

void check_granularity(const Granularity& g, DType dtype, bool has_zero) {
  const auto axis = static_cast<size_t>(g.axis);
  Random random(static_cast<uint64_t>(g.dims[axis] + g.block));
  Tensor x = random.floats(g.dims);
  for (float& v : x.mutable_elements<float>()) v *= 3;
  x.mutable_elements<float>()[0] = kNan;
  x.mutable_elements<float>()[1] = -1e30f;
  Dims scale_dims = {g.dims[axis]};
  if (g.block != 0) {
    scale_dims = g.dims;
    scale_dims[axis] = (g.dims[axis] + g.block - 1) / g.block;
  }
  Tensor scale = random.floats(scale_dims);
  std::vector<int> zeros;
  const cpu::IntegerRange range = cpu::integer_range(dtype);
  for (float& s : scale.mutable_elements<float>()) {
    s = 0.02f + std::fabs(s) * 0.01f;
    zeros.push_back(static_cast<int>(random.between(range.lo, range.hi)));
  }
  const std::vector<Attribute> attributes = {
      Attribute::of_int("axis", g.axis), Attribute::of_int("block_size", g.block),
      Attribute::of_int("output_dtype", static_cast<int64_t>(dtype))};
  std::vector<Tensor> more = {scale};
  if (has_zero) more.push_back(integers(dtype, scale_dims, zeros));
  const auto with = [&](const Tensor& first) {
    std::vector<Tensor> inputs = more;
    inputs.insert(inputs.begin(), first);
    return inputs;
  };
  const Tensor y = run_one({"QuantizeLinear", 21, attributes}, with(x));
  const Tensor back = run_one({"DequantizeLinear", 21, {attributes[0], attributes[1]}}, with(y));
  for (int64_t i = 0; i < x.element_count(); ++i) {
    Dims place = coordinates(i, g.dims);
    if (g.block != 0) place[axis] /= g.block;
    const auto s = static_cast<size_t>(g.block != 0 ? index_at(place, scale_dims) : place[axis]);
    const float factor = scale.elements<float>()[s];
    const int zero = has_zero ? zeros[s] : 0;
    const int code = integer_code(x.elements<float>()[size_t(i)], factor, zero, dtype);
    CHECK_EQ(cpu::integer_at(dtype, y.data(), i), code);
    CHECK_EQ(back.elements<float>()[size_t(i)], float(code - zero) * factor);
  }
}

TEST(quantise_linear, granularities_of_every_type_follow_the_formulas) {
  for (const Granularity& g : kGranularities) {
    for (const DType dtype : kIntegerTypes) {
      for (const bool has_zero : {true, false}) check_granularity(g, dtype, has_zero);
    }
  }
}

TEST(quantise_linear, differences_of_int32_wrap_around_beside_scales_of_an_axis) {
  constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
  const Tensor x = tensor<int32_t>({2, 2}, {kMin, 5, 16777217, -7});
  const std::vector<Tensor> inputs = {x, f32s({2}, {0.5f, 2.0f}),
                                      tensor<int32_t>({2}, {1, 16777217})};
  CHECK(holds<float>(run_one({"DequantizeLinear", 21}, inputs), {2, 2},
                     {1073741824.0f, -33554424.0f, 8388608.0f, -33554448.0f}));
}

TEST(quantise_linear, int32_is_dequantised_and_halves_are_taken) {
  const Tensor x = tensor<int32_t>({3}, {-1000000, 0, 7});
  CHECK(holds<float>(run_one({"DequantizeLinear", 13}, {x, f32s({}, {0.5f})}), {3},
                     {-500000.0f, 0.0f, 3.5f}));
  const Tensor half = run_one({"Cast", 13, {Attribute::of_int("to", 10)}},
                              {f32s({4}, {1.0f, -2.0f, 0.25f, 100.0f})});
  const Tensor scale = run_one({"Cast", 13, {Attribute::of_int("to", 10)}}, {f32s({}, {0.5f})});
  const Tensor y = run_one({"QuantizeLinear", 21}, {half, scale, tensor<int8_t>({}, {1})});
  CHECK(holds<int8_t>(y, {4}, {3, -3, 1, 127}));
  CHECK_EQ(run_one({"DequantizeLinear", 21}, {y, scale, tensor<int8_t>({}, {1})}).dtype(),
           DType::kFloat16);
}

TEST(quantise_linear, without_zero_point_the_attribute_or_uint8_says_the_type) {
  const Tensor x = f32s({2}, {-3.0f, 3.0f}), scale = f32s({}, {1.0f});
  CHECK(holds<uint8_t>(run_one({"QuantizeLinear", 13}, {x, scale}), {2}, {0, 3}));
  const auto int16 = Attribute::of_int("output_dtype", static_cast<int64_t>(DType::kInt16));
  CHECK(holds<int16_t>(run_one({"QuantizeLinear", 21, {int16}}, {x, scale}), {2}, {-3, 3}));
}

TEST(quantise_linear, what_does_not_fit_is_refused) {
  const Tensor x = f32s({2, 3}, {0, 1, 2, 3, 4, 5}), three = f32s({3}, {1, 1, 1});
  CHECK_CODE(run_op({"QuantizeLinear", 13, {Attribute::of_int("axis", 0)}}, {x, three}),
             Code::kInvalidArgument);
  CHECK_CODE(run_op({"QuantizeLinear", 13}, {x, three, tensor<uint8_t>({}, {1})}),
             Code::kInvalidArgument);
  const auto powers = Attribute::of_int("output_dtype", static_cast<int64_t>(DType::kFloat8E8M0));
  CHECK_CODE(run_op({"QuantizeLinear", 25, {powers}}, {x, f32s({}, {1.0f})}),
             Code::kNotImplemented);
}

TEST(dynamic_quantise_linear, the_range_holds_zero) {
  Random random(4);
  for (const float shift : {-10.0f, 0.0f, 10.0f}) {
    Tensor x = random.floats({513});
    float lo = 0, hi = 0;
    for (float& v : x.mutable_elements<float>()) {
      v += shift;
      lo = std::fmin(lo, v);
      hi = std::fmax(hi, v);
    }
    const auto y = run_op({"DynamicQuantizeLinear", 11, {}, 3}, {x});
    CHECK_OK(y);
    const float scale = (hi - lo) / 255.0f;
    const auto zero = static_cast<int>(std::nearbyint(-lo / scale));
    CHECK_EQ((*y)[1].elements<float>()[0], scale);
    CHECK_EQ(int{(*y)[2].elements<uint8_t>()[0]}, zero);
    for (size_t i = 0; i < 513; ++i) {
      CHECK_EQ(int{(*y)[0].elements<uint8_t>()[i]},
               integer_code(x.elements<float>()[i], scale, zero, DType::kUint8));
    }
  }
  const auto nothing = run_op({"DynamicQuantizeLinear", 11, {}, 3}, {f32s({2}, {0, 0})});
  CHECK_OK(nothing);
  CHECK(holds<uint8_t>((*nothing)[0], {2}, {0, 0}));
}

}  // namespace
}  // namespace ortc::test
