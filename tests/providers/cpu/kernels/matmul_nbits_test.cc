// SPDX-License-Identifier: MIT
// MatMulNBits against sums in double precision: widths, blocks, zero points, groups, types.
#include <cmath>

#include "providers/cpu/elements/element.h"
#include "tests/providers/cpu/kernels/kernel_testing.h"
#include "tests/providers/cpu/kernels/node_case.h"

namespace ortc::test {
namespace {

enum class Zeros { kNone, kPacked, kFloats };

struct Form {
  int64_t bits = 4, block = 32, k = 70, n = 40;
  Zeros zeros = Zeros::kNone;
  bool has_bias = false;
  std::vector<int32_t> groups = {};
  int64_t level = 0;
  bool has_half = false;  // scales that float16 holds too

  int64_t blocks() const { return (k + block - 1) / block; }
  Op op() const {
    return {"MatMulNBits",
            1,
            {Attribute::of_int("K", k), Attribute::of_int("N", n), Attribute::of_int("bits", bits),
             Attribute::of_int("block_size", block), Attribute::of_int("accuracy_level", level)},
            1,
            "com.microsoft"};
  }
};

int number_at(const Tensor& tensor, int64_t row_bytes, int64_t row, int64_t i, int64_t bits) {
  const auto bytes = tensor.elements<uint8_t>();
  const int64_t at = i * bits;
  return bytes[size_t(row * row_bytes + at / 8)] >> at % 8 & ((1 << bits) - 1);
}

struct Weights {
  Form form;
  Tensor q, scale, zero, groups, bias;

  Weights(const Form& f, Random& random) : form(f) {
    q = random.bytes(DType::kUint8, {f.n, f.blocks(), f.block * f.bits / 8});
    scale = random.floats({f.n, f.blocks()});
    for (float& s : scale.mutable_elements<float>()) {
      s *= 0.3f / float(1 << f.bits);
      if (f.has_half) s = float(cpu::Float16(s));
    }
    const int64_t row = (f.blocks() * f.bits + 7) / 8;
    if (f.zeros == Zeros::kPacked) zero = random.bytes(DType::kUint8, {f.n, row});
    if (f.zeros == Zeros::kFloats) {
      zero = random.floats({f.n, f.blocks()});
      for (float& z : zero.mutable_elements<float>()) z = (z + 2) * float(1 << f.bits) / 4;
    }
    if (!f.groups.empty()) {
      groups = Tensor::from<int32_t>({static_cast<int64_t>(f.groups.size())}, f.groups);
    }
    if (f.has_bias) bias = random.floats({f.n});
  }

  double at(int64_t k, int64_t n) const {
    const int64_t group = form.groups.empty() ? k / form.block : form.groups[size_t(k)];
    const auto place = size_t(n * form.blocks() + group);
    const int64_t zero_row = (form.blocks() * form.bits + 7) / 8;
    const double middle = form.zeros == Zeros::kNone ? double(1 << (form.bits - 1))
                          : form.zeros == Zeros::kPacked
                              ? number_at(zero, zero_row, n, group, form.bits)
                              : double(zero.elements<float>()[place]);
    const int code = number_at(q, form.blocks() * form.block * form.bits / 8, n, k, form.bits);
    return (code - middle) * double(scale.elements<float>()[place]);
  }
};

// At level 4 each number of A is off by half of the block's largest / 127 at most; A is below 2.
void check_form(const Form& form, int64_t rows, Random& random) {
  const Weights w(form, random);
  const Tensor a = random.floats({rows, form.k});
  const auto y = run_op(form.op(), {a, w.q, w.scale, w.zero, w.groups, w.bias});
  CHECK_OK(y);
  CHECK_EQ(dims_to_string((*y)[0].dims()), dims_to_string(Dims{rows, form.n}));
  for (int64_t i = 0; i < rows * form.n; ++i) {
    double sum = form.has_bias ? double(w.bias.elements<float>()[size_t(i % form.n)]) : 0;
    double size = 0, far = 0;
    for (int64_t k = 0; k < form.k; ++k) {
      const double x = double(a.elements<float>()[size_t(i / form.n * form.k + k)]);
      sum += w.at(k, i % form.n) * x;
      size += std::fabs(w.at(k, i % form.n)) * 2;
      far = std::max(far, std::fabs(x));
    }
    // What takes a number from the middle of its range to its zero point is a difference of sums.
    const double most = (1 << form.bits) * 0.6 / (1 << form.bits) * double(form.k);
    const double atol = form.level == 4 ? size / 2 * far * 0.5 / 127 + 1e-6 : 4e-7 * (size + most);
    CHECK_NEAR(double((*y)[0].elements<float>()[size_t(i)]), sum, 0, atol);
  }
}

TEST(matmul_nbits, every_width_block_and_zero_point_agrees_with_float_sums) {
  Random random(6);
  for (const int64_t bits : {2, 4, 8}) {
    for (const int64_t block : {16, 32, 64, 128, 256}) {
      for (const Zeros zeros : {Zeros::kNone, Zeros::kPacked, Zeros::kFloats}) {
        const bool has_bias = block % 3 == 1;
        for (const int64_t level : {0, 4}) {
          check_form({bits, block, 150, 35, zeros, has_bias, {}, level}, 1, random);
          check_form({bits, block, 150, 35, zeros, has_bias, {}, level}, 19, random);
        }
      }
    }
  }
}

TEST(matmul_nbits, any_number_of_columns_and_rows_will_do) {
  Random random(7);
  for (const int64_t bits : {2, 4, 8}) {
    for (const int64_t n : {1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 67}) {
      check_form({bits, 32, 33 + n, n, Zeros::kPacked, true, {}, n % 2 * 4}, n % 3 * 3 + 1, random);
    }
  }
  for (const int64_t bits : {2, 4, 8}) {
    for (const Zeros zeros : {Zeros::kNone, Zeros::kPacked, Zeros::kFloats}) {
      for (const int64_t level : {0, 4}) {
        check_form({bits, 32, 77, 35, zeros, true, {}, level, true}, 1, random);
        check_form({bits, 32, 77, 35, zeros, true, {}, level, true}, 9, random);
      }
    }
  }
  // More rows than go together, deeper than a block of the float product.
  check_form({4, 32, 1700, 37, Zeros::kNone, true, {}, 0}, 250, random);
  check_form({4, 32, 100, 37, Zeros::kNone, true, {}, 4}, 270, random);
}

TEST(matmul_nbits, rounded_rows_give_the_same_alone_and_among_others) {
  Random random(9);
  const Form form{4, 32, 100, 37, Zeros::kPacked, true, {}, 4};
  const Weights w(form, random);
  const Tensor many = random.floats({11, form.k});
  const Tensor alone =
      Tensor::from<float>({1, form.k}, many.elements<float>().first(size_t(form.k)));
  const Op op = form.op();
  const cpu::testing::NodeCase node{op.type, "com.microsoft", 1, op.attributes, 1};
  for (int level = 0; level <= static_cast<int>(host_isa()); ++level) {
    const auto isa = static_cast<Isa>(level);
    const auto run = [&](const Tensor& a) {
      return cpu::testing::evaluate(node, {a, w.q, w.scale, w.zero, w.groups, w.bias}, 2, isa);
    };
    const auto one = run(alone), all = run(many);
    CHECK_OK(one);
    CHECK_OK(all);
    for (size_t j = 0; j < size_t(form.n); ++j) {
      CHECK_EQ((*one)[0].elements<float>()[j], (*all)[0].elements<float>()[j]);
    }
  }
}

TEST(matmul_nbits, g_idx_names_the_group_of_each_row) {
  Random random(8);
  const int64_t k = 100;
  std::vector<int32_t> by_blocks, turned, uneven(k, 2), padded;
  for (int32_t i = 0; i < k; ++i) {
    by_blocks.push_back(i / 32);
    turned.push_back(i % 4);  // 25 of each
    padded.push_back(3 - i % 4);
  }
  uneven[7] = 0;  // groups of 1, 0, 98 and 1
  uneven[8] = 3;
  padded.resize(128, 0);
  for (const auto& groups : {by_blocks, turned, uneven, padded}) {
    for (const int64_t bits : {2, 4, 8}) {
      for (const int64_t level : {0, 4}) {
        for (const int64_t rows : {1, 9}) {
          check_form({bits, 32, k, 21, Zeros::kPacked, true, groups, level}, rows, random);
        }
      }
    }
  }
}

template <typename T>
Tensor as(const Tensor& x) {
  if (!x.is_defined() || x.dtype() != DType::kFloat32) return x;
  Tensor y = Tensor::create(kDTypeOf<T>, x.dims()).value();
  for (size_t i = 0; i < x.elements<float>().size(); ++i) {
    static_cast<T*>(y.mutable_data())[i] = T(x.elements<float>()[i]);
  }
  return y;
}

template <typename T>
Tensor from(const Tensor& x) {
  if (!x.is_defined() || x.dtype() != kDTypeOf<T>) return x;
  Tensor y = Tensor::create(DType::kFloat32, x.dims()).value();
  for (size_t i = 0; i < y.elements<float>().size(); ++i) {
    y.mutable_elements<float>()[i] = static_cast<float>(static_cast<const T*>(x.data())[i]);
  }
  return y;
}

template <typename T>
void check_element_type() {
  Random random(9);
  for (const Zeros zeros : {Zeros::kNone, Zeros::kFloats}) {
    const Form form{8, 32, 70, 33, zeros, true, {}, 0};
    const Weights w(form, random);
    const Tensor a = random.floats({6, form.k});
    const std::vector<Tensor> narrow = {as<T>(a),      w.q,      as<T>(w.scale),
                                        as<T>(w.zero), w.groups, as<T>(w.bias)};
    std::vector<Tensor> wide;
    for (const Tensor& x : narrow) wide.push_back(from<T>(x));
    const auto found = run_op(form.op(), narrow);
    const auto expected = run_op(form.op(), wide);
    CHECK_OK(found);
    CHECK_OK(expected);
    CHECK(same_bits((*found)[0], as<T>((*expected)[0])));
  }
}

TEST(matmul_nbits, of_16_bits_is_the_float32_result_rounded_once) {
  check_element_type<cpu::Float16>();
  check_element_type<cpu::Bfloat16>();
}

TEST(matmul_nbits, says_what_does_not_fit) {
  Random random(10);
  const Form form{4, 32, 32, 4};
  const Weights w(form, random);
  const Tensor a = random.floats({1, 32});
  const auto code_of = [&](Op op, std::vector<Tensor> inputs) {
    const auto y = run_op(op, inputs);
    CHECK(!y.is_ok());
    return y.is_ok() ? Code::kOk : y.status().code();
  };
  Op op = form.op();
  op.attributes[2] = Attribute::of_int("bits", 3);
  CHECK(code_of(op, {a, w.q, w.scale}) == Code::kInvalidGraph);
  op = form.op();
  op.attributes[3] = Attribute::of_int("block_size", 48);
  CHECK(code_of(op, {a, w.q, w.scale}) == Code::kInvalidGraph);
  op = form.op();
  op.attributes.push_back(Attribute::of_int("weight_prepacked", 1));
  CHECK(code_of(op, {a, w.q, w.scale}) == Code::kNotImplemented);
  op = form.op();
  const auto bytes = [&](Dims dims) { return random.bytes(DType::kUint8, std::move(dims)); };
  CHECK(code_of(op, {a, bytes({4, 1, 8}), w.scale}) == Code::kInvalidGraph);
  CHECK(code_of(op, {a, w.q, random.floats({5})}) == Code::kInvalidGraph);
  CHECK(code_of(op, {a, w.q, w.scale, bytes({5})}) == Code::kInvalidGraph);
  const auto groups = [](std::vector<int32_t> values) {
    return Tensor::from<int32_t>({static_cast<int64_t>(values.size())}, values);
  };
  CHECK(code_of(op, {a, w.q, w.scale, {}, groups(std::vector<int32_t>(31))}) ==
        Code::kInvalidGraph);
  std::vector<int32_t> beyond(32);
  beyond[5] = 1;
  CHECK(code_of(op, {a, w.q, w.scale, {}, groups(beyond)}) == Code::kInvalidGraph);
  beyond[5] = -1;
  CHECK(code_of(op, {a, w.q, w.scale, {}, groups(beyond)}) == Code::kInvalidGraph);
  CHECK(code_of(op, {a, w.q, w.scale, {}, {}, random.floats({5})}) == Code::kInvalidArgument);
  CHECK(code_of(op, {random.floats({1, 31}), w.q, w.scale}) == Code::kInvalidArgument);
}

}  // namespace
}  // namespace ortc::test
