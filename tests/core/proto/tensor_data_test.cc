// SPDX-License-Identifier: MIT
// Tensors of models: every element type from raw and typed fields, views, and what does not fit.

#include "tests/core/graph/wire_model.h"

using namespace ortc;
using namespace ortc::wire;

namespace {

Result<Tensor> read(const std::string& proto) {
  ASSIGN_OR_RETURN(auto model, import(wire::model(graph({}, {}, {}, {proto}))));
  return model->graph->value(model->graph->initializers().at(0))->initializer->tensor;
}

std::string packed(const std::vector<int64_t>& numbers) {
  std::string out;
  for (int64_t number : numbers) out += number_field(1, number).substr(1);
  return out;
}

template <typename T>
std::string raw_of(const std::vector<T>& elements) {
  return {reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T)};
}

std::string int32_data(const std::vector<int64_t>& numbers) { return field(5, packed(numbers)); }

}  // namespace

TEST(tensor_data, reads_raw_bytes_of_every_type) {
  for (int dtype = 1; dtype < kDTypeCount; ++dtype) {
    if (dtype == 8) continue;
    const auto size = dtype_bytes(static_cast<DType>(dtype), 3).value();
    auto found = read(tensor("w", dtype, {3}, raw(std::string(size, '\1'))));
    CHECK_OK(found);
    CHECK_EQ(found->byte_size(), size);
    CHECK_CODE(read(tensor("w", dtype, {3}, raw(std::string(size + 1, '\1')))),
               Code::kInvalidGraph);
    CHECK_CODE(read(tensor("w", dtype, {3}, "")), Code::kInvalidGraph);
    CHECK_OK(read(tensor("w", dtype, {3, 0}, "")));
  }
}

TEST(tensor_data, reads_typed_fields) {
  auto floats = read(tensor("w", 1, {2}, field(4, raw_of<float>({1.5f, -2}))));
  CHECK_OK(floats);
  CHECK_EQ(floats->elements<float>()[1], -2);
  auto doubles = read(tensor("w", 11, {1}, field(10, raw_of<double>({0.1}))));
  CHECK_OK(doubles);
  CHECK_EQ(doubles->elements<double>()[0], 0.1);
  auto complex = read(tensor("w", 14, {1}, field(4, raw_of<float>({3, 4}))));
  CHECK_OK(complex);
  CHECK_EQ(complex->byte_size(), 8u);
  auto int64s = read(tensor("w", 7, {3}, field(7, packed({-1, INT64_MIN, INT64_MAX}))));
  CHECK_OK(int64s);
  CHECK_EQ(int64s->elements<int64_t>()[0], -1);
  CHECK_EQ(int64s->elements<int64_t>()[1], INT64_MIN);
  auto uint32s = read(tensor("w", 12, {1}, field(11, packed({4000000000}))));
  CHECK_OK(uint32s);
  CHECK_EQ(uint32s->elements<uint32_t>()[0], 4000000000u);
  auto uint64s = read(tensor("w", 13, {1}, field(11, packed({-1}))));
  CHECK_OK(uint64s);
  CHECK_EQ(uint64s->elements<uint64_t>()[0], UINT64_MAX);
}

TEST(tensor_data, reads_small_types_from_int32_data) {
  auto int8s = read(tensor("w", 3, {2}, int32_data({-128, 127})));
  CHECK_OK(int8s);
  CHECK_EQ(int8s->elements<int8_t>()[0], -128);
  auto uint16s = read(tensor("w", 4, {1}, int32_data({65535})));
  CHECK_OK(uint16s);
  CHECK_EQ(uint16s->elements<uint16_t>()[0], 65535);
  auto halves = read(tensor("w", 10, {1}, int32_data({0x3c00})));
  CHECK_OK(halves);
  CHECK_EQ(halves->elements<uint16_t>()[0], 0x3c00);
  auto flags = read(tensor("w", 9, {3}, int32_data({0, 1, 7})));
  CHECK_OK(flags);
  CHECK_EQ(flags->elements<uint8_t>()[2], 1);
  auto int32s = read(tensor("w", 6, {1}, int32_data({INT32_MIN})));
  CHECK_OK(int32s);
  CHECK_EQ(int32s->elements<int32_t>()[0], INT32_MIN);
  auto int4s = read(tensor("w", 22, {3}, int32_data({0x21, 0x03})));
  CHECK_OK(int4s);
  CHECK_EQ(int4s->byte_size(), 2u);
  CHECK_EQ(int4s->elements<uint8_t>()[0], 0x21);
  auto int2s = read(tensor("w", 26, {5}, int32_data({0xe4, 1})));
  CHECK_OK(int2s);
  CHECK_EQ(int2s->byte_size(), 2u);
}

TEST(tensor_data, refuses_numbers_out_of_range) {
  CHECK_CODE(read(tensor("w", 3, {1}, int32_data({256}))), Code::kInvalidGraph);
  CHECK_CODE(read(tensor("w", 4, {1}, int32_data({70000}))), Code::kInvalidGraph);
  CHECK_CODE(read(tensor("w", 3, {1}, int32_data({-129}))), Code::kInvalidGraph);
  CHECK_CODE(read(tensor("w", 12, {1}, field(11, packed({1ll << 32})))), Code::kInvalidGraph);
}

TEST(tensor_data, gathers_single_elements_and_runs) {
  // One float alone, two packed, one alone, with another field in between.
  WireWriter single;
  single.add_float(4, 1);
  WireWriter last;
  last.add_float(4, 4);
  last.add_float(4, 5);
  const std::string data =
      bytes_of(single) + field(4, raw_of<float>({2, 3})) + field(12, "doc") + bytes_of(last);
  auto tensor = read(wire::tensor("w", 1, {5}, data));
  CHECK_OK(tensor);
  for (int i = 0; i < 5; ++i) CHECK_EQ(tensor->elements<float>()[static_cast<size_t>(i)], i + 1);
  auto numbers = read(
      wire::tensor("w", 7, {3}, number_field(7, 300) + number_field(7, -1) + number_field(7, 2)));
  CHECK_OK(numbers);
  CHECK_EQ(numbers->elements<int64_t>()[0], 300);
  CHECK_EQ(numbers->elements<int64_t>()[2], 2);
}

TEST(tensor_data, reads_strings_with_zeros_and_long_ones) {
  const std::string zero("a\0b", 3), long_text(5000, 'x');
  auto tensor =
      read(wire::tensor("w", 8, {3}, field(6, zero) + field(6, "") + field(6, long_text)));
  CHECK_OK(tensor);
  CHECK_EQ(tensor->string_elements()[0], zero);
  CHECK_EQ(tensor->string_elements()[1], "");
  CHECK_EQ(tensor->string_elements()[2], long_text);
  CHECK_CODE(read(wire::tensor("w", 8, {2}, field(6, "one"))), Code::kInvalidGraph);
  CHECK_CODE(read(wire::tensor("w", 8, {1}, raw("one"))), Code::kInvalidGraph);
}

TEST(tensor_data, refuses_impossible_types_and_shapes) {
  CHECK_CODE(read(tensor("w", 0, {1}, raw("abcd"))), Code::kInvalidGraph);
  CHECK_CODE(read(tensor("w", 27, {1}, raw("abcd"))), Code::kInvalidGraph);
  CHECK_CODE(read(tensor("w", 1, {-1}, raw("abcd"))), Code::kInvalidGraph);
  CHECK_CODE(read(tensor("w", 1, {1ll << 40, 1ll << 40}, raw("abcd"))), Code::kInvalidGraph);
  CHECK_CODE(read(tensor("w", 11, {1ll << 61}, raw("abcd"))), Code::kInvalidGraph);
  CHECK_CODE(read(tensor("w", 1, {1}, field(3, "") + raw("abcd"))), Code::kNotImplemented);
}

TEST(tensor_data, cleans_flags) {
  auto small = read(tensor("w", 9, {3}, raw(std::string("\0\1\7", 3))));
  CHECK_OK(small);
  CHECK_EQ(small->elements<uint8_t>()[2], 1);
  auto large = read(tensor("w", 9, {4096}, raw(std::string(4096, '\2'))));
  CHECK_OK(large);
  CHECK_EQ(large->elements<uint8_t>()[4095], 1);
}

TEST(tensor_data, views_aligned_bytes_and_copies_others) {
  // Four paddings of the name before the payload: one of them aligns it to a float.
  int views = 0;
  for (int padding = 0; padding < 4; ++padding) {
    const std::string proto = tensor(std::string(static_cast<size_t>(padding) + 1, 'w'), 1, {512},
                                     raw(std::string(2048, '\0')));
    const Blob source = Blob::from_string(model(graph({}, {}, {}, {proto})));
    auto imported = import_model_bytes(source, {});
    CHECK_OK(imported);
    const Graph& g = *(*imported)->graph;
    const Tensor& tensor = g.value(g.initializers()[0])->initializer->tensor;
    const auto* data = static_cast<const std::byte*>(tensor.data());
    CHECK_EQ(reinterpret_cast<uintptr_t>(data) % 4, 0u);
    views += data >= source.data() && data < source.data() + source.size();
  }
  CHECK_EQ(views, 1);
}
