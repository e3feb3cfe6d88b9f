// SPDX-License-Identifier: MIT
// Elementwise families against loops written here: broadcasting, every edge of integer arithmetic,
// NaN, results that lie where an operand does.
#include <cmath>
#include <limits>

#include "providers/cpu/elements/float_rows.h"
#include "tests/providers/cpu/kernels/half_tensors.h"
#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

Dims wider(const Dims& a, const Dims& b) {
  Dims dims(std::max(a.size(), b.size()), 1);
  for (size_t i = 1; i <= dims.size(); ++i) {
    const int64_t x = i <= a.size() ? a[a.size() - i] : 1;
    const int64_t y = i <= b.size() ? b[b.size() - i] : 1;
    dims[dims.size() - i] = x == 1 ? y : x;
  }
  return dims;
}

void check_broadcast(const std::string& op, float (*f)(float, float), const Dims& a_dims,
                     const Dims& b_dims) {
  Random random(7);
  const Tensor a = random.floats(a_dims), b = random.floats(b_dims);
  const Tensor y = run_one({op}, {a, b});
  const Dims dims = wider(a_dims, b_dims);
  CHECK_EQ(y.dims(), dims);
  for (int64_t i = 0; i < y.element_count(); ++i) {
    const Dims at = coordinates(i, dims);
    const float expected = f(a.elements<float>()[static_cast<size_t>(index_at(at, a_dims))],
                             b.elements<float>()[static_cast<size_t>(index_at(at, b_dims))]);
    CHECK_EQ(y.elements<float>()[static_cast<size_t>(i)], expected);
  }
}

TEST(elementwise, broadcasts_like_numpy) {
  const std::pair<Dims, Dims> shapes[] = {{{}, {}},
                                          {{5}, {}},
                                          {{}, {3, 1}},
                                          {{1, 1}, {1}},
                                          {{2, 3, 4}, {4}},
                                          {{4}, {2, 3, 4}},
                                          {{2, 3, 4}, {3, 1}},
                                          {{7, 1, 5}, {6, 1}},
                                          {{2, 1, 3, 1}, {4, 1, 5}},
                                          {{0, 3}, {3}},
                                          {{2, 0}, {1}},
                                          {{3, 40000}, {40000}},
                                          {{3, 40000}, {3, 1}},
                                          {{1, 33333}, {3, 1}},
                                          {{257, 65}, {257, 65}},
                                          {{16, 8, 9, 9}, {8, 1, 1}},
                                          {{2, 5000, 7}, {2, 1, 7}},  // rows that are repeated
                                          {{1, 3}, {9, 700, 3}},
                                          {{6, 64}, {64}},
                                          {{4, 2, 5, 3}, {2, 1, 3}}};
  for (const auto& [a, b] : shapes) {
    check_broadcast(
        "Add", [](float x, float y) { return x + y; }, a, b);
    check_broadcast(
        "Sub", [](float x, float y) { return x - y; }, a, b);
    check_broadcast(
        "Mul", [](float x, float y) { return x * y; }, a, b);
    check_broadcast(
        "Div", [](float x, float y) { return x / y; }, a, b);
    check_broadcast(
        "Max", [](float x, float y) { return x > y ? x : y; }, a, b);
    check_broadcast(
        "Sum", [](float x, float y) { return x + y; }, a, b);
  }
}

TEST(elementwise, slopes_broadcast_to_what_they_weigh) {
  const auto leak = [](float x, float slope) { return x < 0 ? x * slope : x; };
  const Dims x = {3, 5, 67};
  for (const Dims& slopes :
       {Dims{}, Dims{1}, Dims{67}, Dims{5, 1}, Dims{3, 1, 67}, Dims{3, 5, 67}}) {
    check_broadcast("PRelu", leak, x, slopes);
  }
}

TEST(elementwise, refuses_shapes_that_do_not_broadcast) {
  Random random(1);
  CHECK_CODE(run_op({"Add"}, {random.floats({2, 3}), random.floats({2})}), Code::kInvalidArgument);
}

TEST(elementwise, integers_wrap_and_divide_towards_zero) {
  constexpr int32_t kLow = INT32_MIN;
  const Tensor a = tensor<int32_t>({4}, {kLow, 7, -7, INT32_MAX});
  const Tensor b = tensor<int32_t>({4}, {-1, -2, 2, 1});
  CHECK(holds<int32_t>(run_one({"Div"}, {a, b}), {4}, {kLow, -3, -3, INT32_MAX}));
  CHECK(holds<int32_t>(run_one({"Mod"}, {a, b}), {4}, {0, -1, 1, 0}));
  const Op fmod{"Mod", 18, {Attribute::of_int("fmod", 1)}};
  CHECK(holds<int32_t>(run_one(fmod, {a, b}), {4}, {0, 1, -1, 0}));
  CHECK(holds<int32_t>(run_one({"Add"}, {a, b}), {4}, {INT32_MAX, 5, -5, kLow}));
  CHECK(holds<int32_t>(run_one({"Abs"}, {a}), {4}, {kLow, 7, 7, INT32_MAX}));
  const Tensor c = tensor<uint16_t>({2}, {65535, 3});
  CHECK(holds<uint16_t>(run_one({"Mul"}, {c, c}), {2}, {1, 9}));
  const Tensor low8 = tensor<int8_t>({1}, {-128}), one8 = tensor<int8_t>({1}, {-1});
  CHECK(holds<int8_t>(run_one({"Div"}, {low8, one8}), {1}, {-128}));
}

TEST(elementwise, numbers_of_32_bits_are_divided_as_one_by_one) {
  Random random(12);
  for (int64_t n = 1; n <= 67; ++n) {
    Tensor a = random.bytes(DType::kInt32, {n}), b = random.bytes(DType::kInt32, {n});
    for (int64_t i = 0; i < n; ++i) {
      int32_t& divisor = b.mutable_elements<int32_t>()[static_cast<size_t>(i)];
      divisor >>= random.between(0, 31);
      if (divisor == 0) divisor = 1;
      if (i % 5 == 0) a.mutable_elements<int32_t>()[static_cast<size_t>(i)] = INT32_MIN;
      if (i % 7 == 0) divisor = -1;
    }
    const Tensor y = run_one({"Div"}, {a, b});
    for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
      const int64_t exact = int64_t{a.elements<int32_t>()[i]} / b.elements<int32_t>()[i];
      CHECK_EQ(y.elements<int32_t>()[i], static_cast<int32_t>(exact));
    }
    const Tensor squares = run_one({"Pow"}, {a, int64s({2})});
    for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
      const auto x = static_cast<uint32_t>(a.elements<int32_t>()[i]);
      CHECK_EQ(squares.elements<int32_t>()[i], static_cast<int32_t>(x * x));
    }
  }
}

TEST(elementwise, integer_division_by_zero_is_an_error) {
  const Tensor a = tensor<int64_t>({2}, {1, 2}), b = tensor<int64_t>({2}, {1, 0});
  CHECK_CODE(run_op({"Div"}, {a, b}), Code::kInvalidArgument);
  CHECK_CODE(run_op({"Mod"}, {a, b}), Code::kInvalidArgument);
}

TEST(elementwise, integer_powers_are_exact) {
  const Tensor a = tensor<int64_t>({5}, {3, -1, -1, 2, -2});
  const Tensor b = tensor<int64_t>({5}, {39, -3, -2, 62, 63});
  CHECK(holds<int64_t>(run_one({"Pow"}, {a, b}), {5},
                       {4052555153018976267, -1, 1, int64_t{1} << 62, INT64_MIN}));
}

TEST(elementwise, common_powers_are_those_of_the_library) {
  constexpr float kBases[] = {-kInf, -2.5f, -0.0f, 0, 1e-30f, 0.3f, 7, 3e15f, kInf};
  for (const float exponent : {0.5f, 1.0f, 2.0f, 3.0f, -1.5f}) {
    const Tensor y = run_one({"Pow"}, {Tensor::from<float>({9}, kBases), Tensor::scalar(exponent)});
    for (size_t i = 0; i < 9; ++i) {
      CHECK_NEAR(y.elements<float>()[i], std::pow(kBases[i], exponent), 3e-7, 1e-44);
      CHECK_EQ(std::signbit(y.elements<float>()[i]) && !std::isnan(y.elements<float>()[i]),
               std::signbit(std::pow(kBases[i], exponent)) &&
                   !std::isnan(std::pow(kBases[i], exponent)));
    }
  }
}

TEST(elementwise, min_and_max_of_any_count_pass_nan_on) {
  const Tensor a = tensor<float>({3}, {1, kNan, 5}), b = tensor<float>({3}, {kNan, 2, 6});
  const Tensor c = tensor<float>({1}, {4});
  for (const char* op : {"Min", "Max"}) {
    const Tensor y = run_one({op}, {a, b, c});
    CHECK(std::isnan(y.elements<float>()[0]) && std::isnan(y.elements<float>()[1]));
    CHECK_EQ(y.elements<float>()[2], std::string_view(op) == "Min" ? 4.0f : 6.0f);
    for (const Tensor& pair : {run_one({op}, {a, b}), run_one({op}, {b, a})}) {
      CHECK(std::isnan(pair.elements<float>()[0]) && std::isnan(pair.elements<float>()[1]));
    }
    const Tensor nan = tensor<float>({}, {kNan});
    CHECK(std::isnan(run_one({op}, {c, nan}).elements<float>()[0]));
    CHECK(std::isnan(run_one({op}, {nan, c}).elements<float>()[0]));
  }
  CHECK(holds<float>(run_one({"Mean"}, {c, tensor<float>({2}, {1, 2}), c}), {2}, {3, 10.0f / 3}));
}

TEST(elementwise, shifts_beyond_the_width_give_zero) {
  const Tensor a = tensor<uint8_t>({3}, {255, 255, 255}), b = tensor<uint8_t>({3}, {1, 8, 200});
  const Op left{"BitShift", 18, {Attribute::of_string("direction", "LEFT")}};
  const Op right{"BitShift", 18, {Attribute::of_string("direction", "RIGHT")}};
  CHECK(holds<uint8_t>(run_one(left, {a, b}), {3}, {254, 0, 0}));
  CHECK(holds<uint8_t>(run_one(right, {a, b}), {3}, {127, 0, 0}));
  CHECK_CODE(run_op({"BitShift"}, {a, b}), Code::kInvalidGraph);
}

TEST(elementwise, comparisons_treat_nan_as_different) {
  const Tensor a = tensor<float>({3}, {1, kNan, 3}), b = tensor<float>({3}, {1, kNan, 2});
  CHECK(holds<bool>(run_one({"Equal"}, {a, b}), {3}, {true, false, false}));
  CHECK(holds<bool>(run_one({"GreaterOrEqual"}, {a, b}), {3}, {true, false, true}));
  CHECK(holds<bool>(run_one({"Less"}, {a, b}), {3}, {false, false, false}));
  CHECK(holds<bool>(run_one({"IsNaN"}, {a}), {3}, {false, true, false}));
}

Tensor halves(const std::vector<float>& values) {
  Tensor tensor = Tensor::create(DType::kFloat16, {static_cast<int64_t>(values.size())}).value();
  for (size_t i = 0; i < values.size(); ++i) {
    tensor.mutable_elements<uint16_t>().data()[i] = float_to_half(values[i]);
  }
  return tensor;
}

TEST(elementwise, float16_is_computed_in_float) {
  std::vector<float> a, b, sums;
  for (int i = 0; i < 2000; ++i) {
    a.push_back(static_cast<float>(i % 61) * 0.25f);
    b.push_back(static_cast<float>(i % 17) - 8);
    sums.push_back(a.back() + b.back());
  }
  CHECK(same_bits(run_one({"Add"}, {halves(a), halves(b)}), halves(sums)));
  for (size_t i = 0; i < a.size(); ++i) sums[i] = b[i] < 0 ? 0 : b[i];
  CHECK(same_bits(run_one({"Relu"}, {halves(b)}), halves(sums)));
}

TEST(elementwise, float16_rows_convert_like_single_numbers) {
  std::vector<cpu::Float16> halves(65536);
  std::vector<float> wide(65536);
  for (uint32_t i = 0; i < 65536; ++i) halves[i].bits = static_cast<uint16_t>(i);
  cpu::widen(halves.data(), 65533, wide.data());
  for (uint32_t i = 0; i < 65533; ++i) {
    const float expected = half_to_float(static_cast<uint16_t>(i));
    CHECK(std::isnan(expected) ? std::isnan(wide[i]) : wide[i] == expected);
  }
  Random random(9);
  for (int round = 0; round < 50; ++round) {
    for (float& x : wide) x = std::bit_cast<float>(static_cast<uint32_t>(random.engine()()));
    cpu::narrow(wide.data(), 65533, halves.data());
    for (uint32_t i = 0; i < 65533; ++i) CHECK_EQ(halves[i].bits, float_to_half(wide[i]));
  }
}

TEST(elementwise, float16_rows_of_any_length_leave_what_is_behind_them) {
  constexpr size_t kMost = 70;
  for (size_t n = 0; n < kMost; ++n) {
    std::vector<cpu::Float16> halves(kMost), again(kMost);
    std::vector<float> wide(kMost, -1.0f);
    for (size_t i = 0; i < kMost; ++i) {
      halves[i].bits = float_to_half(static_cast<float>(i));
      again[i].bits = 0x1234;
    }
    cpu::widen(halves.data(), static_cast<int64_t>(n), wide.data());
    cpu::narrow(wide.data(), static_cast<int64_t>(n), again.data());
    for (size_t i = 0; i < kMost; ++i) {
      CHECK_EQ(wide[i], i < n ? static_cast<float>(i) : -1.0f);
      CHECK_EQ(int{again[i].bits}, i < n ? int{halves[i].bits} : 0x1234);
    }
  }
}

TEST(elementwise, many_tensors_of_one_shape_are_joined_from_the_first_on) {
  Random random(12);
  const Dims dims = {3, 1111};
  const std::vector<Tensor> x = {random.floats(dims), random.floats(dims), random.floats(dims),
                                 random.floats(dims)};
  for (size_t count = 2; count <= x.size(); ++count) {
    const std::vector<Tensor> inputs(x.begin(), x.begin() + static_cast<ptrdiff_t>(count));
    const Tensor sum = run_one({"Sum"}, inputs), mean = run_one({"Mean"}, inputs);
    const Tensor least = run_one({"Min"}, inputs), most = run_one({"Max"}, inputs);
    for (size_t i = 0; i < 3333; ++i) {
      float added = 0, low = kInf, high = -kInf;
      for (const Tensor& one : inputs) {
        const float v = one.elements<float>()[i];
        added = &one == &inputs[0] ? v : added + v;
        low = std::min(low, v);
        high = std::max(high, v);
      }
      CHECK_EQ(sum.elements<float>()[i], added);
      CHECK_EQ(mean.elements<float>()[i], added / static_cast<float>(count));
      CHECK_EQ(least.elements<float>()[i], low);
      CHECK_EQ(most.elements<float>()[i], high);
    }
  }
}

TEST(elementwise, results_may_lie_where_an_operand_does) {
  const std::pair<const char*, size_t> operators[] = {
      {"Add", 2}, {"Sub", 2}, {"Div", 2}, {"Max", 2}, {"PRelu", 2}, {"Sum", 3}, {"Mean", 3}};
  for (const auto& [op, count] : operators) {
    Random random(3);
    const Dims dims = {37, 129};
    for (size_t alias = 0; alias < count; ++alias) {
      std::vector<Tensor> inputs;
      for (size_t k = 0; k < count; ++k) inputs.push_back(random.floats(dims));
      const Tensor expected = run_one({op}, inputs);
      NodeGraph graph({op}, inputs);
      const KernelRow* row = cpu::kernel_registry().find(*graph.node);
      CHECK(row != nullptr && (row->flags & kInPlace) != 0);
      std::vector<ValueRef> refs;
      for (Tensor& x : inputs) refs.push_back({x.dtype(), 2, x.dims().data(), x.mutable_data()});
      ValueRef out = refs[alias];
      const RunContext::Host host{nullptr, host_isa()};
      RunContext run({}, refs, {&out, 1}, nullptr, host);
      CHECK_OK(row->run(run));
      CHECK(same_bits(inputs[alias], expected));
    }
  }
}

void check_unary(const Op& op, double (*f)(double), double rtol, double atol) {
  std::vector<float> values;
  for (int i = -400; i <= 400; ++i) values.push_back(static_cast<float>(i) * 0.0231f);
  const Tensor x = Tensor::from<float>({801}, values);
  const Tensor y = run_one(op, {x});
  for (size_t i = 0; i < values.size(); ++i) {
    CHECK_NEAR(y.elements<float>()[i], f(values[i]), rtol, atol);
  }
}

TEST(elementwise, functions_agree_with_double_precision) {
  check_unary(
      {"Exp"}, [](double x) { return std::exp(x); }, 1e-6, 0);
  check_unary(
      {"Log"}, [](double x) { return std::log(x); }, 1e-6, 1e-7);
  check_unary(
      {"Sqrt"}, [](double x) { return std::sqrt(x); }, 1e-6, 0);
  check_unary(
      {"Erf"}, [](double x) { return std::erf(x); }, 0, 3e-7);
  check_unary(
      {"Tanh"}, [](double x) { return std::tanh(x); }, 1e-6, 0);
  check_unary(
      {"Atan"}, [](double x) { return std::atan(x); }, 1e-6, 0);
  check_unary({"Sigmoid"}, plain_sigmoid, 1e-6, 0);
  check_unary(
      {"Softplus"}, [](double x) { return std::log1p(std::exp(x)); }, 1e-6, 0);
  check_unary(
      {"Mish"}, [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }, 2e-6, 1e-7);
  check_unary(
      {"Elu"}, [](double x) { return x < 0 ? std::expm1(x) : x; }, 1e-6, 0);
  check_unary(
      {"Gelu", 20}, [](double x) { return x * 0.5 * (1 + std::erf(x / std::sqrt(2.0))); }, 1e-5,
      1e-6);
  check_unary(
      {"QuickGelu", 1, {}, 1, "com.microsoft"},
      [](double x) { return x * plain_sigmoid(1.702f * x); }, 2e-6, 1e-7);
  check_unary(
      {"Round"}, [](double x) { return std::nearbyint(x); }, 0, 0);
}

// Rows that go several together, and rows that are longer than a stretch.
const Dims kBiasedRows[] = {{9, 700}, {70, 16}, {3, 513}, {1, 5}, {40, 1}, {0, 4}, {2, 0}};

TEST(elementwise, a_bias_goes_in_before_gelu) {
  for (const Dims& dims : kBiasedRows) {
    Random random(5);
    const Tensor x = random.floats(dims), bias = random.floats({dims[1]});
    const Tensor sum = run_one({"Add"}, {x, bias});
    const Op gelu{"Gelu", 20};
    CHECK(same_bits(run_one({"BiasGelu", 1, {}, 1, "com.microsoft"}, {x, bias}),
                    run_one(gelu, {sum})));
    const Op fast{"Gelu", 20, {Attribute::of_string("approximate", "tanh")}};
    CHECK(same_bits(run_one({"FastGelu", 1, {}, 1, "com.microsoft"}, {x, bias}),
                    run_one(fast, {sum})));
  }
}

template <typename T>
void check_biased_halves() {
  using cpu::testing::narrowed, cpu::testing::widened;
  for (const Dims& dims : kBiasedRows) {
    Random random(6);
    const Tensor x = narrowed<T>(random.floats(dims)), bias = narrowed<T>(random.floats({dims[1]}));
    const Op fast{"FastGelu", 1, {}, 1, "com.microsoft"};
    CHECK(same_bits(run_one(fast, {x, bias}),
                    narrowed<T>(run_one(fast, {widened<T>(x), widened<T>(bias)}))));
  }
}

TEST(elementwise, a_bias_of_half_precision_is_added_as_float) {
  check_biased_halves<cpu::Float16>();
  check_biased_halves<cpu::Bfloat16>();
}

TEST(elementwise, clip_keeps_nan_and_takes_bounds_from_either_place) {
  const Tensor x = tensor<float>({4}, {-kInf, kNan, 0.5f, 9});
  const Tensor low = tensor<float>({}, {-1}), high = tensor<float>({}, {1});
  const Tensor y = run_one({"Clip"}, {x, low, high});
  CHECK_EQ(y.elements<float>()[0], -1.0f);
  CHECK(std::isnan(y.elements<float>()[1]));
  CHECK_EQ(y.elements<float>()[3], 1.0f);
  const Op old{"Clip", 6, {Attribute::of_float("min", -1), Attribute::of_float("max", 1)}};
  CHECK(std::isnan(run_one(old, {x}).elements<float>()[1]));
  CHECK_EQ(run_one(old, {x}).elements<float>()[3], 1.0f);
  CHECK_EQ(run_one({"Clip"}, {x, Tensor(), high}).elements<float>()[2], 0.5f);
}

TEST(elementwise, what_is_not_beyond_a_limit_is_zero_even_without_a_number) {
  const std::vector<float> numbers = {kNan, 0.2f, 2, kNan, 1, kInf, -kInf, 3, kNan};
  const Tensor x = f32s({9}, numbers);
  const Op threshold{"ThresholdedRelu", 22}, shrink{"Shrink", 9};
  CHECK(holds<float>(run_one(threshold, {x}), {9}, {0, 0, 2, 0, 0, kInf, 0, 3, 0}));
  CHECK(holds<float>(run_one(shrink, {x}), {9}, {0, 0, 2, 0, 1, kInf, -kInf, 3, 0}));
  for (const DType dtype : {DType::kFloat16, DType::kBfloat16, DType::kFloat64}) {
    const Op to{"Cast", 19, {Attribute::of_int("to", static_cast<int64_t>(dtype))}};
    const Op back{"Cast", 19, {Attribute::of_int("to", static_cast<int64_t>(DType::kFloat32))}};
    const Tensor typed = run_one(to, {x});
    CHECK(holds<float>(run_one(back, {run_one(threshold, {typed})}), {9},
                       {0, 0, 2, 0, 0, kInf, 0, 3, 0}));
    CHECK(holds<float>(run_one(back, {run_one(shrink, {typed})}), {9},
                       {0, 0, 2, 0, 1, kInf, -kInf, 3, 0}));
  }
}

TEST(elementwise, casts_truncate_round_and_test) {
  const Tensor x = tensor<float>({6}, {-1.9f, 2.5f, 300, 3e9f, kNan, 0});
  const auto cast = [&](DType to) {
    return Op{"Cast", 18, {Attribute::of_int("to", static_cast<int64_t>(to))}};
  };
  CHECK(holds<int32_t>(run_one(cast(DType::kInt32), {x}), {6},
                       {-1, 2, 300, INT32_MIN, INT32_MIN, 0}));
  CHECK(holds<int64_t>(run_one(cast(DType::kInt64), {x}), {6},
                       {-1, 2, 300, 3000000000, INT64_MIN, 0}));
  CHECK(holds<uint8_t>(run_one(cast(DType::kUint8), {x}), {6}, {255, 2, 44, 0, 0, 0}));
  CHECK(holds<bool>(run_one(cast(DType::kBool), {x}), {6}, {true, true, true, true, true, false}));
  CHECK_CODE(run_op(cast(DType::kComplex64), {x}), Code::kNotImplemented);
  const Tensor big = tensor<uint64_t>({1}, {UINT64_MAX - 2047});
  const Tensor back = run_one(cast(DType::kUint64), {run_one(cast(DType::kFloat64), {big})});
  CHECK(same_bits(back, big));
}

TEST(elementwise, where_broadcasts_three_operands) {
  const Tensor condition = tensor<bool>({2, 1}, {true, false});
  const Tensor a = tensor<int64_t>({3}, {1, 2, 3}), b = tensor<int64_t>({}, {9});
  CHECK(holds<int64_t>(run_one({"Where"}, {condition, a, b}), {2, 3}, {1, 2, 3, 9, 9, 9}));
}

TEST(elementwise, zero_to_a_negative_integer_is_infinity_cast_to_an_integer) {
  const Tensor a = int64s({0, 0, 2}), b = int64s({-1, 0, -3});
  CHECK(holds<int64_t>(run_one({"Pow"}, {a, b}), {3}, {INT64_MIN, 1, 0}));
  const Tensor narrow = tensor<int32_t>({1}, {0});
  CHECK(holds<int32_t>(run_one({"Pow"}, {narrow, int64s({-1})}), {1}, {INT32_MIN}));
  const Tensor floats = tensor<float>({1}, {-1});  // the same where the exponent is not an integer
  CHECK(holds<int32_t>(run_one({"Pow"}, {narrow, floats}), {1}, {INT32_MIN}));
}

}  // namespace
}  // namespace ortc::test
