// SPDX-License-Identifier: MIT
// ortc.Gemm and ortc.Conv with weights of float16 and bfloat16: against loops in double precision,
// and bit for bit against float32 weights of the same numbers, at every instruction set level and
// on one, two and three threads.
#include <cmath>

#include "providers/cpu/arith/gemm_f32/gemm_f32.h"
#include "providers/cpu/elements/float_rows.h"
#include "tests/providers/cpu/arith/arith_testing.h"
#include "tests/providers/cpu/kernels/node_case.h"

namespace ortc::cpu {
namespace {

using testing::NodeCase;
using testing::random_tensor;

template <typename T>
Tensor narrowed(const Tensor& floats) {
  Tensor half = Tensor::create(kDTypeOf<T>, floats.dims()).value();
  narrow(floats.elements<float>().data(), floats.element_count(),
         static_cast<T*>(half.mutable_data()));
  return half;
}

template <typename T>
Tensor widened(const Tensor& half) {
  Tensor floats = Tensor::create(DType::kFloat32, half.dims()).value();
  widen(static_cast<const T*>(half.data()), half.element_count(),
        floats.mutable_elements<float>().data());
  return floats;
}

const NodeCase kGemm{"Gemm", std::string(kInternalDomain), 0};

// The product with T as weights has the bits of the same numbers as float32.
template <typename T>
void check_half_gemm(int64_t m, int64_t k, int64_t n, bool transposed) {
  NodeCase node = kGemm;
  node.attributes = {Attribute::of_int("transB", transposed ? 1 : 0)};
  const Tensor a = random_tensor({m, k}, 1), bias = random_tensor({n}, 3);
  const Tensor half = narrowed<T>(random_tensor(transposed ? Dims{n, k} : Dims{k, n}, 2));
  const Tensor wide = widened<T>(half);
  for (int level = 0; level <= static_cast<int>(host_isa()); ++level) {
    const auto isa = static_cast<Isa>(level);
    const auto expected = testing::evaluate(node, {a, wide, bias}, 1, isa);
    CHECK_OK(expected);
    for (const int threads : {1, 3}) {
      const auto found = testing::evaluate(node, {a, half, bias}, threads, isa);
      CHECK_OK(found);
      CHECK(testing::same_bytes((*found)[0], (*expected)[0]));
    }
  }
}

template <typename T>
void check_gemm_against_loops(int64_t m, int64_t k, int64_t n) {
  const Tensor a = random_tensor({m, k}, 5), half = narrowed<T>(random_tensor({k, n}, 6));
  const Tensor wide = widened<T>(half);
  std::vector<double> y(static_cast<size_t>(m * n));
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double& sum = y[static_cast<size_t>(i * n + j)];
      for (int64_t l = 0; l < k; ++l) {
        sum += static_cast<double>(a.elements<float>()[static_cast<size_t>(i * k + l)]) *
               wide.elements<float>()[static_cast<size_t>(l * n + j)];
      }
    }
  }
  // That of float32 weights: 2^-23 for each product and sum of numbers below 1.
  const double bound = 2e-7 * static_cast<double>(k) + 1e-6;
  testing::run_everywhere(kGemm, {a, half}, [&](const std::vector<Tensor>& outputs) {
    testing::check_close(outputs[0], {m, n}, y, 0, bound);
  });
}

TEST(half_weights, give_the_products_of_float_weights_at_odd_sizes) {
  for (int64_t size = 1; size <= 67; size += 2) {
    check_gemm_against_loops<Float16>(size, 19, 37);
    check_gemm_against_loops<Bfloat16>(3, size, 33);
    check_gemm_against_loops<Float16>(9, 31, size);
    check_half_gemm<Bfloat16>(size, 21, 35, false);
    check_half_gemm<Float16>(size, 33, 67, true);
    check_half_gemm<Float16>(1, size, size, true);
    check_half_gemm<Bfloat16>(13, size, 5, true);
  }
}

TEST(half_weights, give_the_products_of_float_weights_over_several_blocks) {
  for (const int64_t m : {1, 2, 9, 13, 24, 25, 260}) {
    check_half_gemm<Float16>(m, 1700, 70, false);
    check_half_gemm<Bfloat16>(m, 1537, 33, true);
  }
  check_half_gemm<Float16>(0, 8, 5, false);
}

// Every number that 16 bits can hold, subnormal ones and infinities too.
TEST(half_weights, are_widened_exactly) {
  constexpr int64_t kCount = 1 << 16;
  for (const DType dtype : {DType::kFloat16, DType::kBfloat16}) {
    Tensor half = Tensor::create(dtype, {1, kCount}).value();
    for (uint32_t i = 0; i < kCount; ++i) {
      static_cast<uint16_t*>(half.mutable_data())[i] = static_cast<uint16_t>(i);
    }
    const Tensor wide = dtype == DType::kFloat16 ? widened<Float16>(half) : widened<Bfloat16>(half);
    for (const int64_t rows : {1, 20}) {
      const std::vector<float> ones(static_cast<size_t>(rows), 1.0f);
      const Tensor a = Tensor::from<float>({rows, 1}, ones);
      testing::run_everywhere(kGemm, {a, half}, [&](const std::vector<Tensor>& outputs) {
        for (size_t i = 0; i < outputs[0].elements<float>().size(); ++i) {
          const float found = outputs[0].elements<float>()[i];
          const float expected = wide.elements<float>()[i % kCount];
          CHECK(found == expected || (std::isnan(found) && std::isnan(expected)));
        }
      });
    }
  }
}

// Numbers of 8 bits times the scale of their column, within the rounding of one product more.
TEST(half_weights, of_8_bits_are_scaled_by_column) {
  for (int64_t m = 1; m <= 67; m += 3) {
    const int64_t k = m % 2 == 0 ? 1000 : 33, n = 67 - m / 2;
    const Tensor a = random_tensor({m, k}, 1), scales = random_tensor({n}, 2, 0.001f, 0.02f);
    const Tensor bias = random_tensor({n}, 3), seeds = random_tensor({k, n}, 4, -127, 127);
    Tensor b = Tensor::create(DType::kInt8, {k, n}).value();
    std::vector<double> y(static_cast<size_t>(m * n));
    for (int64_t i = 0; i < k * n; ++i) {
      b.mutable_elements<int8_t>()[static_cast<size_t>(i)] =
          static_cast<int8_t>(seeds.elements<float>()[static_cast<size_t>(i)]);
    }
    for (int64_t i = 0; i < m * n; ++i) {
      const auto column = static_cast<size_t>(i % n);
      double sum = 0;
      for (int64_t l = 0; l < k; ++l) {
        sum += static_cast<double>(a.elements<float>()[static_cast<size_t>(i / n * k + l)]) *
               b.elements<int8_t>()[static_cast<size_t>(l * n) + column];
      }
      y[static_cast<size_t>(i)] =
          std::max(0.0, sum * scales.elements<float>()[column] + bias.elements<float>()[column]);
    }
    NodeCase node = kGemm;
    node.attributes = {Attribute::of_string("activation", "Relu")};
    const double bound = (2e-7 * static_cast<double>(k) + 1e-6) * 127 * 0.02;
    testing::run_everywhere(node, {a, b, bias, Tensor(), scales},
                            [&](const std::vector<Tensor>& outputs) {
                              testing::check_close(outputs[0], {m, n}, y, 1e-6, bound);
                            });
  }
}

TEST(half_weights, of_other_sizes_than_the_record_says_are_refused) {
  struct Record {
    uint32_t record_bytes = 88, reserved = 0;
    int64_t k = 4, n = 5;
    std::byte epilogue[16] = {};
  } record;
  testing::RawBind bind;
  bind.id = "gemm.half";
  bind.set_params(record);
  bind.inputs = {random_tensor({3, 4}, 1), random_tensor({128}, 2)};
  CHECK_CODE(bind.bind(), Code::kInvalidGraph);  // float32
  bind.inputs[1] = narrowed<Float16>(random_tensor({127}, 2));
  CHECK_CODE(bind.bind(), Code::kInvalidGraph);
  bind.inputs[1] = narrowed<Float16>(random_tensor({128}, 2));
  bind.id = "gemm.f32";
  CHECK_CODE(bind.bind(), Code::kInvalidGraph);
}

// --- Convolutions.

struct ConvSizes {
  Dims x, w;  // channels last; in ONNX's layout
  int64_t group = 1, stride = 1, pad = 0;
  const char* op = "Conv";
};

template <typename T>
void check_half_conv(const ConvSizes& c) {
  const NodeCase node{
      c.op,
      std::string(kInternalDomain),
      0,
      {Attribute::of_int("group", c.group), Attribute::of_ints("strides", {c.stride, c.stride}),
       Attribute::of_ints("pads", {c.pad, c.pad, c.pad, c.pad}),
       Attribute::of_string("activation", "Relu")}};
  const Tensor x = random_tensor(c.x, 1), bias = random_tensor({c.w[0]}, 3);
  const Tensor half = narrowed<T>(random_tensor(c.w, 2));
  for (int level = 0; level <= static_cast<int>(host_isa()); ++level) {
    const auto isa = static_cast<Isa>(level);
    const auto expected = testing::evaluate(node, {x, widened<T>(half), bias}, 1, isa);
    CHECK_OK(expected);
    for (const int threads : {1, 3}) {
      const auto found = testing::evaluate(node, {x, half, bias}, threads, isa);
      CHECK_OK(found);
      CHECK(testing::same_bytes((*found)[0], (*expected)[0]));
    }
  }
}

void check_conv_of_both(const ConvSizes& c) {
  check_half_conv<Float16>(c);
  check_half_conv<Bfloat16>(c);
}

TEST(half_weights, give_the_convolutions_of_float_weights) {
  check_conv_of_both({{1, 14, 14, 64}, {32, 64, 1, 1}});           // in place
  check_conv_of_both({{1, 1, 1, 64}, {70, 64, 1, 1}});             // one pixel
  check_conv_of_both({{2, 9, 7, 33}, {40, 33, 3, 3}, 1, 1, 1});    // gathered
  check_conv_of_both({{1, 23, 21, 3}, {33, 3, 7, 7}, 1, 2, 3});    // whole kernel rows
  check_conv_of_both({{1, 6, 6, 300}, {48, 300, 3, 3}, 1, 1, 1});  // blocks that cut taps
  check_conv_of_both({{1, 10, 10, 64}, {96, 16, 3, 3}, 4, 1, 1});  // groups
  check_conv_of_both({{2, 9, 7, 33}, {40, 33, 3, 3}, 1, 1, 1, "WinogradConv"});
  for (int64_t size = 1; size <= 67; size += 6) {
    check_half_conv<Float16>({{1, 5, size, 17}, {9, 17, 3, 1}, 1, 1, 1});
    // Not of one filter for one channel: half_precision_test has those.
    check_half_conv<Bfloat16>({{1, 4, 5, size}, {std::max<int64_t>(size, 2), size, 3, 3}, 1, 1, 1});
  }
}

}  // namespace
}  // namespace ortc::cpu
