// SPDX-License-Identifier: MIT
// ort_c/cxx: memory, numbers, types and values.
#include <array>
#include <cmath>
#include <limits>

#include "tests/api/cxx/cxx_testing.h"

using namespace ortc::test;

TEST(cxx_memory, is_described_and_handed_out) {
  const Ort::MemoryInfo cpu = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  CHECK_EQ(cpu.GetAllocatorName(), std::string("Cpu"));
  CHECK_EQ(cpu.GetAllocatorType(), OrtArenaAllocator);
  CHECK_EQ(cpu.GetDeviceType(), OrtMemoryInfoDeviceType_CPU);
  CHECK_EQ(cpu.GetMemoryType(), OrtMemTypeDefault);
  CHECK_EQ(cpu.GetDeviceMemoryType(), OrtDeviceMemoryType_DEFAULT);
  CHECK_EQ(cpu.GetDeviceId(), 0);
  CHECK_EQ(cpu.GetVendorId(), 0u);
  const Ort::MemoryInfo same("Cpu", OrtArenaAllocator, 0, OrtMemTypeDefault);
  const Ort::MemoryInfo other("Mine", OrtMemoryInfoDeviceType_GPU, 1, 2,
                              OrtDeviceMemoryType_DEFAULT, 0, OrtDeviceAllocator);
  CHECK(cpu == same && cpu == same.GetConst());
  CHECK(!(cpu == other));
  CHECK_THROWS(Ort::MemoryInfo("Nowhere", OrtArenaAllocator, 0, OrtMemTypeDefault),
               ORT_INVALID_ARGUMENT, "Nowhere");

  Ort::AllocatorWithDefaultOptions allocator;
  void* const block = allocator.Alloc(100);
  CHECK(block != nullptr);
  allocator.Free(block);
  Ort::MemoryAllocation first = allocator.GetAllocation(64);
  const Ort::MemoryAllocation second = std::move(first);
  CHECK_EQ(second.size(), size_t{64});
  CHECK_EQ(allocator.GetInfo().GetAllocatorName(), std::string("Cpu"));
  (void)allocator.GetStats();
}

TEST(cxx_memory, arenas_are_shared_through_the_environment) {
  Ort::Env env;
  const Ort::MemoryInfo cpu = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  const Ort::ArenaCfg arena({{"max_mem", 1 << 20}});
  CHECK_THROWS(Ort::ArenaCfg({{"no_such_key", 1}}), ORT_INVALID_ARGUMENT, "no_such_key");
  env.CreateAndRegisterAllocator(cpu, Ort::ArenaCfg(0, -1, -1, -1));
  env.UnregisterAllocator(cpu);
  env.CreateAndRegisterAllocatorV2("CPUExecutionProvider", cpu, {}, arena);
  CHECK(env.GetSharedAllocator(cpu) != nullptr);
  Ort::SessionOptions options;
  options.AddConfigEntry("session.use_env_allocators", "1");
  const Ort::Session session(env, data("matmul.onnx"), options);
  Ort::Allocator of_session(session, cpu);
  of_session.Free(of_session.Alloc(16));
  env.UnregisterAllocator(cpu);
}

TEST(cxx_numbers, of_16_bits_round_to_nearest_even) {
  const auto half = [](float value) { return Ort::Float16_t(value).val; };
  CHECK_EQ(half(1.0f), 0x3c00);
  CHECK_EQ(half(-2.0f), 0xc000);
  CHECK_EQ(half(65504.0f), 0x7bff);
  CHECK_EQ(half(65519.996f), 0x7bff);
  CHECK_EQ(half(65520.0f), 0x7c00);
  CHECK_EQ(half(1e30f), 0x7c00);
  CHECK_EQ(half(6.1035156e-05f), 0x0400);  // the least normal number
  CHECK_EQ(half(5.9604645e-08f), 0x0001);  // the least number
  CHECK_EQ(half(2.9802322e-08f), 0x0000);  // half of it: to even
  CHECK_EQ(half(2.9802326e-08f), 0x0001);
  CHECK_EQ(half(-1e-30f), 0x8000);
  CHECK_EQ(half(1.00048828125f), 0x3c00);  // between two: to even
  CHECK_EQ(half(1.00146484375f), 0x3c02);
  CHECK_EQ(Ort::BFloat16_t(1.0f).val, 0x3f80);
  CHECK_EQ(Ort::BFloat16_t(1.00390625f).val, 0x3f80);
  CHECK_EQ(Ort::BFloat16_t(1.01171875f).val, 0x3f82);
  CHECK_EQ(Ort::BFloat16_t(3.4e38f).val, 0x7f80);  // rounds over the greatest number
  CHECK(Ort::BFloat16_t(std::numeric_limits<float>::quiet_NaN()).IsNaN());
}

TEST(cxx_numbers, of_16_bits_come_back_unchanged) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = Ort::Float16_t::FromBits(static_cast<uint16_t>(bits));
    const auto brain = Ort::BFloat16_t::FromBits(static_cast<uint16_t>(bits));
    CHECK_EQ(half.IsNaN(), std::isnan(half.ToFloat()));
    CHECK_EQ(brain.IsNaN(), std::isnan(brain.ToFloat()));
    if (!half.IsNaN()) CHECK_EQ(Ort::Float16_t(half.ToFloat()).val, bits);
    if (!brain.IsNaN()) CHECK_EQ(Ort::BFloat16_t(brain.ToFloat()).val, bits);
  }
}

TEST(cxx_numbers, of_16_bits_are_classified) {
  const auto of = [](uint16_t bits) { return Ort::Float16_t::FromBits(bits); };
  CHECK(of(0x7c00).IsPositiveInfinity() && of(0xfc00).IsNegativeInfinity());
  CHECK(of(0xfc00).IsInfinity() && !of(0xfc00).IsFinite() && !of(0x7c00).IsNormal());
  CHECK(of(0x0001).IsSubnormal() && !of(0x0000).IsSubnormal() && of(0x0400).IsNormal());
  CHECK(of(0x8000).IsNegative() && of(0x8000).IsNaNOrZero() && of(0x8000) == of(0));
  CHECK(of(0x7e00) != of(0x7e00) && of(0x3c00) < of(0x4000));
  CHECK(Ort::Float16_t::AreZero(of(0), of(0x8000)));
  CHECK_EQ(of(0xbc00).Abs().val, 0x3c00);
  CHECK_EQ(of(0x3c00).Negate().val, 0xbc00);
  CHECK_EQ(static_cast<float>(of(0x3c00)), 1.0f);
}

TEST(cxx_values, borrow_memory_of_the_program) {
  std::vector<float> numbers{1, 2, 3, 4, 5, 6};
  Ort::Value value = Ort::Value::CreateTensor<float>(numbers, {2, 3});
  CHECK(value.IsTensor() && value.HasValue() && !value.IsSparseTensor());
  CHECK(value.GetTensorData<float>() == numbers.data());
  CHECK(value.GetTensorRawData() == numbers.data());
  value.At<float>({1, 2}) = 60;
  CHECK_EQ(numbers[5], 60.0f);
  value.GetMutableTensorSpan<float>()[0] = 10;
  CHECK_EQ(value.GetTensorSpan<float>()[0], 10.0f);
  CHECK_EQ(value.GetTensorSizeInBytes(), size_t{24});
  const Ort::TensorTypeAndShapeInfo info = value.GetTensorTypeAndShapeInfo();
  CHECK(info.GetShape() == (std::vector<int64_t>{2, 3}));
  CHECK_EQ(info.GetElementCount(), size_t{6});
  CHECK_EQ(info.GetElementType(), ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  Ort::Value::Shape dims{nullptr, 0};
  value.GetTensorElementTypeAndShapeDataReference(type, dims);
  CHECK(type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT && dims.shape_len == 2 && dims.shape[1] == 3);
  CHECK_EQ(Ort::Value::CreateTensor<float>({}).GetTensorSpan<float>().size(), size_t{1});
  CHECK_EQ(Ort::Value::CreateTensor<float>({0, 4}).GetTensorSpan<float>().size(), size_t{0});
  CHECK_EQ(value.GetTensorMemoryInfo().GetAllocatorName(), std::string("Cpu"));
  CHECK_EQ(value.GetTypeInfo().GetONNXType(), ONNX_TYPE_TENSOR);
  CHECK(value.GetConst().GetTensorData<float>() == numbers.data());
  CHECK(value.GetUnowned().GetTensorMutableData<float>() == numbers.data());

  std::array<int64_t, 2> shape{3, 2};
  const Ort::Value again = Ort::Value::CreateTensor<float>(numbers, shape);
  CHECK(again.GetTensorTypeAndShapeInfo().GetShape() == (std::vector<int64_t>{3, 2}));
}

TEST(cxx_values, compare_the_element_type_where_spans_are_given) {
  Ort::Value value = Ort::Value::CreateTensor<int32_t>({2});
  CHECK_THROWS(value.GetTensorSpan<float>(), ORT_INVALID_ARGUMENT, "type 6, expected type 1");
  CHECK_THROWS(value.GetMutableTensorSpan<int64_t>(), ORT_INVALID_ARGUMENT, "type 6");
  CHECK_EQ(value.GetMutableTensorSpan<int32_t>().size(), size_t{2});
  Ort::Value half = Ort::Value::CreateTensor<Ort::Float16_t>({1});
  half.GetMutableTensorSpan<Ort::Float16_t>()[0] = Ort::Float16_t(0.5f);
  CHECK_EQ(half.GetTensorSpan<Ort::Float16_t>()[0].ToFloat(), 0.5f);
}

TEST(cxx_values, refuse_memory_that_is_too_small) {
  std::vector<float> numbers(5);
  CHECK_THROWS(Ort::Value::CreateTensor<float>(numbers, {2, 3}), ORT_INVALID_ARGUMENT, "");
  const Ort::MemoryInfo cpu = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  const int64_t shape[] = {2};
  // More bytes than a size_t counts: not a small number of them.
  CHECK_THROWS(Ort::Value::CreateTensor<float>(cpu, numbers.data(), SIZE_MAX / 2, shape, 1),
               ORT_INVALID_ARGUMENT, "elements");
  Ort::AllocatorWithDefaultOptions allocator;
  const std::array<int64_t, 1> negative{-1};
  const auto failed =
      Ort::Value::TryCreateTensor(allocator, negative, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
  CHECK_EQ(failed.GetStatus().GetErrorCode(), ORT_INVALID_ARGUMENT);
}

TEST(cxx_values, take_memory_over_from_an_allocator) {
  Ort::AllocatorWithDefaultOptions allocator;
  const int64_t shape[] = {4};
  void* const block = allocator.Alloc(16);
  const Ort::Value value =
      Ort::Value::CreateTensor(static_cast<OrtAllocator*>(allocator), block, 16, shape, 1,
                               ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
  CHECK(value.GetTensorRawData() == block);
}

TEST(cxx_values, hold_texts) {
  Ort::AllocatorWithDefaultOptions allocator;
  const int64_t shape[] = {3};
  Ort::Value value =
      Ort::Value::CreateTensor(allocator, shape, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
  value.FillStringTensor({"one", "", "three"});
  CHECK(value.GetStrings() == (std::vector<std::string>{"one", "", "three"}));
  value.FillStringTensorElement("two", 1);
  CHECK_EQ(value.GetStringTensorElement(1), std::string("two"));
  char* const buffer = value.GetResizedStringTensorElementBuffer(0, 2);
  buffer[0] = 'a';
  buffer[1] = 'b';
  CHECK_EQ(value.GetStringTensorElementLength(0), size_t{2});
  CHECK_EQ(value.GetStringTensorDataLength(), size_t{10});
  std::string all(10, ' ');
  std::array<size_t, 3> offsets{};
  value.GetStringTensorContent(all.data(), all.size(), offsets.data(), offsets.size());
  CHECK_EQ(all, std::string("abtwothree"));
  CHECK_EQ(offsets[2], size_t{5});
  CHECK_THROWS(value.FillStringTensor({"one"}), ORT_INVALID_ARGUMENT, "");
  CHECK_THROWS(value.GetStringTensorElement(3), ORT_INVALID_ARGUMENT, "");
}

TEST(cxx_values, hold_sequences_and_maps) {
  Ort::AllocatorWithDefaultOptions allocator;
  std::vector<Ort::Value> parts;
  parts.push_back(Ort::Value::CreateTensor<float>({1}));
  parts.push_back(Ort::Value::CreateTensor<float>({2}));
  const Ort::Value sequence = Ort::Value::CreateSequence(parts);
  parts.clear();
  CHECK(!sequence.IsTensor());
  CHECK_EQ(sequence.GetCount(), size_t{2});
  CHECK_EQ(sequence.GetValue(1, allocator).GetTensorSpan<float>().size(), size_t{2});
  CHECK_THROWS(sequence.GetValue(2, allocator), ORT_RUNTIME_EXCEPTION, "2 parts");
  const Ort::TypeInfo type = sequence.GetTypeInfo();
  const Ort::TypeInfo element = type.GetSequenceTypeInfo().GetSequenceElementType();
  CHECK_EQ(element.GetONNXType(), ONNX_TYPE_TENSOR);

  std::vector<int64_t> keys{7, 8};
  std::vector<float> values{70, 80};
  const Ort::Value map = Ort::Value::CreateMap(Ort::Value::CreateTensor<int64_t>(keys, {2}),
                                               Ort::Value::CreateTensor<float>(values, {2}));
  CHECK_EQ(map.GetCount(), size_t{2});
  const Ort::TypeInfo map_type = map.GetTypeInfo();
  CHECK_EQ(map_type.GetMapTypeInfo().GetMapKeyType(), ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64);
  CHECK_EQ(map_type.GetMapTypeInfo().GetMapValueType().GetONNXType(), ONNX_TYPE_TENSOR);
  CHECK_THROWS(Ort::Value::CreateOpaque("d", "t", 1), ORT_NOT_IMPLEMENTED, "");
}

TEST(cxx_values, hold_sparse_tensors) {
  const Ort::MemoryInfo cpu = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  Ort::AllocatorWithDefaultOptions allocator;
  const int64_t dense[] = {3, 3}, two[] = {2};
  std::vector<float> numbers{5, 6};
  std::vector<int64_t> places{1, 5};
  Ort::Value used =
      Ort::Value::CreateSparseTensor<float>(cpu, numbers.data(), {dense, 2}, {two, 1});
  used.UseCooIndices(places.data(), places.size());
  CHECK(used.IsSparseTensor());
  CHECK_EQ(used.GetSparseFormat(), ORT_SPARSE_COO);
  CHECK(used.GetSparseTensorValues<float>() == numbers.data());
  CHECK(used.GetSparseTensorValuesTypeAndShapeInfo().GetShape() == (std::vector<int64_t>{2}));
  size_t count = 0;
  CHECK_EQ(used.GetSparseTensorIndicesData<int64_t>(ORT_SPARSE_COO_INDICES, count)[1], 5);
  CHECK_EQ(count, size_t{2});
  CHECK_EQ(used.GetSparseTensorIndicesTypeShapeInfo(ORT_SPARSE_COO_INDICES).GetElementCount(),
           size_t{2});

  Ort::Value::OrtSparseValuesParam values{};
  values.values_shape = two;
  values.values_shape_len = 1;
  values.data.p_data = numbers.data();
  Ort::Value filled = Ort::Value::CreateSparseTensor<float>(allocator, {dense, 2});
  filled.FillSparseTensorCoo(cpu, values, places.data(), places.size());
  CHECK_EQ(filled.GetSparseTensorValues<float>()[1], 6.0f);

  const int64_t columns[] = {1, 2}, rows[] = {0, 1, 2, 2};
  Ort::Value csr = Ort::Value::CreateSparseTensor<float>(allocator, {dense, 2});
  csr.FillSparseTensorCsr(cpu, values, columns, 2, rows, 4);
  CHECK_EQ(csr.GetSparseFormat(), ORT_SPARSE_CSRC);
}

TEST(cxx_types, are_made_for_the_model_editor) {
  const std::vector<std::string> names{"n", ""};
  const Ort::TensorTypeAndShapeInfo tensor(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, {-1, 4}, &names);
  CHECK(tensor.HasShape());
  CHECK_EQ(std::string(tensor.GetConst().GetSymbolicDimensions()[0]), std::string("n"));
  const Ort::TypeInfo type = Ort::TypeInfo::CreateTensorInfo(tensor.GetConst());
  CHECK(type.GetTensorTypeAndShapeInfo().GetShape() == (std::vector<int64_t>{-1, 4}));
  CHECK(type.GetSequenceTypeInfo() == nullptr);
  CHECK(type.GetDenotation().empty());
  const Ort::TypeInfo sequence = Ort::TypeInfo::CreateSequenceTypeInfo(type.GetConst());
  CHECK_EQ(sequence.GetONNXType(), ONNX_TYPE_SEQUENCE);
  const Ort::TypeInfo optional = Ort::TypeInfo::CreateOptionalTypeInfo(type.GetConst());
  CHECK_EQ(optional.GetOptionalTypeInfo().GetOptionalElementType().GetONNXType(), ONNX_TYPE_TENSOR);
  const Ort::TypeInfo map =
      Ort::TypeInfo::CreateMapTypeInfo(ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, type.GetConst());
  CHECK_EQ(map.GetMapTypeInfo().GetMapKeyType(), ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
  CHECK_EQ(Ort::TypeInfo::CreateSparseTensorInfo(tensor.GetConst()).GetONNXType(),
           ONNX_TYPE_SPARSETENSOR);
}

TEST(cxx_values, can_be_empty) {
  const Ort::TensorTypeAndShapeInfo tensor(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, {2});
  const Ort::TypeInfo element = Ort::TypeInfo::CreateTensorInfo(tensor.GetConst());
  const Ort::TypeInfo sequence = Ort::TypeInfo::CreateSequenceTypeInfo(element.GetConst());
  const Ort::TypeInfo optional = Ort::TypeInfo::CreateOptionalTypeInfo(element.GetConst());
  const Ort::Value none = Ort::Value::CreateEmpty(sequence.GetConst());
  CHECK_EQ(none.GetValueType(), ONNX_TYPE_SEQUENCE);
  CHECK_EQ(none.GetCount(), size_t{0});
  const Ort::Value nothing = Ort::Value::CreateEmpty(optional.GetConst());
  CHECK(!nothing.HasValue());
  CHECK_EQ(nothing.GetValueType(), ONNX_TYPE_UNKNOWN);
  CHECK_THROWS(Ort::Value::CreateEmpty(element.GetConst()), ORT_INVALID_ARGUMENT, "");
}
