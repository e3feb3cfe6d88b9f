// SPDX-License-Identifier: MIT
// GatherBlockQuantized against plain loops: every number of bits, packed and not, with and without
// zero points, along any axis.
#include "providers/cpu/elements/element.h"
#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

using Bits = std::vector<int>;

// Numbers of so many bits, `row` of them to a row of whole bytes; low bits first.
Tensor packed_rows(DType dtype, const Dims& dims, const Bits& codes, int bits, int64_t row) {
  Tensor tensor = Tensor::create(dtype, dims).value();
  auto* to = static_cast<unsigned char*>(tensor.mutable_data());
  std::fill_n(to, tensor.byte_size(), static_cast<unsigned char>(0));
  const int64_t row_bits = (row * bits + 7) / 8 * 8;
  for (int64_t i = 0; i < static_cast<int64_t>(codes.size()); ++i) {
    const int64_t at = i / row * row_bits + i % row * bits;
    const auto code = static_cast<unsigned>(codes[static_cast<size_t>(i)]) & ((1u << bits) - 1);
    to[at / 8] = static_cast<unsigned char>(to[at / 8] | code << (at % 8));
  }
  return tensor;
}

struct GatherCase {
  DType dtype = DType::kUint8;
  int bits = 4;
  Dims dims = {5, 64};  // of the numbers
  int64_t gather_axis = 0, quantize_axis = 1, block = 16;
  bool has_zeros = true;
  bool has_half = false;  // scales that float16 holds too
};

void check_gather(const GatherCase& c, const Tensor& indices) {
  Random random(7);
  const bool is_signed = c.dtype == DType::kInt4;
  const int low = is_signed ? -(1 << (c.bits - 1)) : 0, high = low + (1 << c.bits) - 1;
  const auto codes = [&](const Dims& dims) {
    Bits all(static_cast<size_t>(checked_element_count(dims).value()));
    for (int& code : all) code = static_cast<int>(random.between(low, high));
    return all;
  };
  const auto stored = [&](const Dims& dims, const Bits& all) {
    Dims held = dims;
    const int64_t each = c.dtype == DType::kUint8 ? 8 / c.bits : 1;
    held.back() = (held.back() + each - 1) / each;
    const auto row = c.dtype == DType::kUint8 ? dims.back() : static_cast<int64_t>(all.size());
    return packed_rows(c.dtype, held, all, c.bits, std::max<int64_t>(row, 1));
  };
  const auto q = static_cast<size_t>(c.quantize_axis), g = static_cast<size_t>(c.gather_axis);
  Dims blocks = c.dims;
  blocks[q] = (blocks[q] + c.block - 1) / c.block;
  const Bits numbers = codes(c.dims), zeros = codes(blocks);
  Tensor scales = random.floats(blocks);
  if (c.has_half) {
    for (float& s : scales.mutable_elements<float>()) s = float(cpu::Float16(s));
  }
  Dims y_dims(c.dims.begin(), c.dims.begin() + c.gather_axis);
  y_dims.insert(y_dims.end(), indices.dims().begin(), indices.dims().end());
  y_dims.insert(y_dims.end(), c.dims.begin() + c.gather_axis + 1, c.dims.end());
  std::vector<float> expected;
  const int64_t count = checked_element_count(y_dims).value();
  for (int64_t i = 0; i < count; ++i) {
    const Dims at = coordinates(i, y_dims);
    const auto depth = static_cast<int64_t>(indices.dims().size());
    const Dims place(at.begin() + c.gather_axis, at.begin() + c.gather_axis + depth);
    int64_t index =
        indices.elements<int64_t>()[static_cast<size_t>(index_at(place, indices.dims()))];
    if (index < 0) index += c.dims[g];
    if (index < 0 || index >= c.dims[g]) {
      expected.push_back(0);
      continue;
    }
    Dims from(at.begin(), at.begin() + c.gather_axis);
    from.push_back(index);
    from.insert(from.end(), at.begin() + c.gather_axis + depth, at.end());
    const auto number = numbers[static_cast<size_t>(index_at(from, c.dims))];
    from[q] /= c.block;
    const auto block = static_cast<size_t>(index_at(from, blocks));
    const int middle = c.dtype == DType::kUint8 ? 1 << (c.bits - 1) : 0;
    const int zero = c.has_zeros ? zeros[block] : middle;
    expected.push_back(static_cast<float>(number - zero) * scales.elements<float>()[block]);
  }
  const Op op{"GatherBlockQuantized",
              1,
              {Attribute::of_int("bits", c.bits), Attribute::of_int("gather_axis", c.gather_axis),
               Attribute::of_int("quantize_axis", c.quantize_axis),
               Attribute::of_int("block_size", c.block)},
              1,
              "com.microsoft"};
  const Tensor y = run_one(op, {stored(c.dims, numbers), indices, scales,
                                c.has_zeros ? stored(blocks, zeros) : Tensor()});
  CHECK(same_bits(y, Tensor::from<float>(y_dims, expected)));
}

TEST(gather_block_quantized, takes_rows_of_every_width) {
  const Tensor indices = tensor<int64_t>({2, 3}, {3, 0, 4, 1, 1, -1});
  for (const bool has_zeros : {true, false}) {
    for (const int bits : {2, 4, 8}) {
      check_gather({DType::kUint8, bits, {5, 64}, 0, 1, 16, has_zeros}, indices);
      check_gather({DType::kUint8, bits, {5, 64}, 0, 1, 16, has_zeros, true}, indices);
      check_gather({DType::kUint8, bits, {5, 40}, 0, 1, 32, has_zeros}, indices);
      check_gather({DType::kUint8, bits, {5, 3, 48}, 0, 2, 16, has_zeros}, indices);
      check_gather({DType::kUint8, bits, {5, 20, 8}, 0, 1, 16, has_zeros}, indices);
    }
    for (const DType dtype : {DType::kInt4, DType::kUint4}) {
      check_gather({dtype, 4, {5, 37}, 0, 1, 16, has_zeros}, indices);
      check_gather({dtype, 4, {3, 5, 33}, 1, 2, 16, has_zeros}, indices);
      check_gather({dtype, 4, {18, 5}, 1, 0, 16, has_zeros}, indices);
      check_gather({dtype, 4, {20, 3}, 0, 0, 16, has_zeros}, indices);
    }
  }
}

TEST(gather_block_quantized, gives_zeros_outside_and_nothing_of_nothing) {
  check_gather({}, tensor<int64_t>({3}, {5, -6, 2}));
  check_gather({}, tensor<int64_t>({}, {4}));
  check_gather({}, Tensor::create(DType::kInt64, {0}).value());
  check_gather({DType::kUint8, 4, {5, 0}}, int64s({1}));
}

TEST(gather_block_quantized, refuses_what_does_not_fit_by_name) {
  const auto fails = [](std::vector<Tensor> in, std::vector<Attribute> attributes, Code code,
                        std::string_view text) {
    const auto found =
        run_op({"GatherBlockQuantized", 1, std::move(attributes), 1, "com.microsoft"}, in);
    CHECK_CODE(found, code);
    CHECK(std::string(found.status().message()).find(text) != std::string::npos);
  };
  Random random(3);
  const Tensor data = random.bytes(DType::kUint8, {5, 32}), scales = random.floats({5, 4});
  const Attribute block = Attribute::of_int("block_size", 16);
  const auto attribute = [](const char* name, int64_t x) { return Attribute::of_int(name, x); };
  fails({data, int64s({1}), random.floats({5, 3})}, {block}, Code::kInvalidArgument, "scales has");
  fails({data, int64s({1}), scales, random.bytes(DType::kUint8, {5, 4})}, {block},
        Code::kInvalidArgument, "zero_points has");
  fails({data, int64s({1}), scales}, {block, attribute("bits", 3)}, Code::kInvalidGraph, "'bits'");
  fails({data, int64s({1}), scales}, {attribute("block_size", 24)}, Code::kInvalidGraph,
        "'block_size'");
  fails({data, int64s({1}), scales}, {block, attribute("gather_axis", 1)}, Code::kNotImplemented,
        "axis 1");
  fails({data, int64s({1}), scales}, {block, attribute("quantize_axis", 2)}, Code::kInvalidArgument,
        "axis 2");
}

}  // namespace
}  // namespace ortc::test
