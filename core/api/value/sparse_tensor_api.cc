// SPDX-License-Identifier: MIT
// ort_c/sparse_tensor.h: sparse tensors. A value's content is replaced as a whole whenever it
// changes, because other owners may hold the old one.
#include <algorithm>
#include <span>

#include "core/api/env/allocator.h"
#include "core/api/env/memory_info_handle.h"
#include "core/api/guard.h"
#include "core/api/value/element_type.h"
#include "core/api/value/tensor_form.h"
#include "core/api/value/type_info_handles.h"
#include "core/api/value/value_handle.h"
#include "ort_c/sparse_tensor.h"

namespace ortc::api {
namespace {

Result<SparseTensor> sparse_of(const OrtValue& value) {
  if (const SparseTensor* sparse = value.other.sparse()) return *sparse;
  return invalid_argument("the value holds no sparse tensor: it is ", describe(value.datum()));
}

ONNXTensorElementDataType type_of_values(const SparseTensor& sparse) {
  return element_type_of(sparse.dtype);
}

// One tensor over memory of the caller, or a copy of it.
Result<Tensor> part_of(const int64_t* shape, size_t shape_len, ONNXTensorElementDataType type,
                       const void* data, bool copies) {
  ASSIGN_OR_RETURN(TensorForm form, form_of(shape, shape_len, type));
  if (form.count != 0 && data == nullptr) {
    return invalid_argument("the data of ", form.count, " elements must not be NULL");
  }
  if (form.dtype == DType::kString) {
    if (!copies) return invalid_argument("strings of a sparse tensor are always copied");
    const auto* texts = static_cast<const char* const*>(data);
    std::vector<std::string> elements;
    for (int64_t i = 0; i < form.count; ++i) {
      if (texts[i] == nullptr) return invalid_argument("'values[", i, "]' must not be NULL");
      elements.emplace_back(texts[i]);
    }
    return Tensor::strings(std::move(form.dims), std::move(elements));
  }
  if (!copies) return view_of(std::move(form), data, nullptr);
  ASSIGN_OR_RETURN(Tensor copy, Tensor::create(form.dtype, std::move(form.dims)));
  copy_elements(copy.dtype(), copy.element_count(), data, copy.mutable_data());
  return copy;
}

Result<Tensor> indices_of(size_t count, const int64_t* data, bool copies) {
  if (count > INT64_MAX / 8) return invalid_argument("there are ", count, " indices");
  const auto size = static_cast<int64_t>(count);
  return part_of(&size, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, data, copies);
}

Status set_coo(SparseTensor& sparse, const int64_t* data, size_t count, bool copies) {
  const auto values = static_cast<size_t>(sparse.values.element_count());
  if (sparse.values.dims().size() != 1 || (count != values && count != 2 * values)) {
    return invalid_argument("values of shape ", dims_to_string(sparse.values.dims()), " need ",
                            values, " or ", 2 * values, " indices, found ", count);
  }
  const bool is_pairs = count != values;
  if (is_pairs && sparse.dims.size() != 2) {
    return invalid_argument("pairs of coordinates need a matrix, found shape ",
                            dims_to_string(sparse.dims));
  }
  ASSIGN_OR_RETURN(Tensor indices, indices_of(count, data, copies));
  const int64_t element_count = checked_element_count(sparse.dims).value_or(0);
  for (size_t i = 0; i < count; ++i) {
    const int64_t bound = is_pairs ? sparse.dims[i % 2] : element_count;
    if (data[i] < 0 || data[i] >= bound) {
      return invalid_argument("index ", i, " is ", data[i], ", expected 0 to ", bound - 1);
    }
  }
  if (is_pairs) indices = indices.reshaped({static_cast<int64_t>(values), 2});
  sparse.format = SparseFormat::kCoo;
  sparse.indices = {std::move(indices)};
  return {};
}

// Checks what says where rows start: from 0 to the number of values, never falling.
Status check_row_starts(const SparseTensor& sparse, const int64_t* outer, size_t count) {
  const int64_t values = sparse.values.element_count();
  for (size_t i = 0; i < count; ++i) {
    const int64_t lowest = i == 0 ? 0 : outer[i - 1];
    const bool is_end = i + 1 == count, is_begin = i == 0;
    if (outer[i] < lowest || outer[i] > values || (is_begin && outer[i] != 0) ||
        (is_end && outer[i] != values)) {
      return invalid_argument("outer index ", i, " is ", outer[i], "; they must ascend from 0 to ",
                              values);
    }
  }
  return {};
}

Status set_csr(SparseTensor& sparse, const int64_t* inner, size_t inner_count, const int64_t* outer,
               size_t outer_count, bool copies) {
  if (sparse.dims.size() != 2 || sparse.values.dims().size() != 1) {
    return invalid_argument("rows need a matrix and values in one dimension, found shapes ",
                            dims_to_string(sparse.dims), " and ",
                            dims_to_string(sparse.values.dims()));
  }
  const auto values = static_cast<size_t>(sparse.values.element_count());
  const auto rows = static_cast<size_t>(sparse.dims[0]);
  const bool is_empty = values == 0 && outer_count == 0;
  if (inner_count != values || (outer_count != rows + 1 && !is_empty)) {
    return invalid_argument(values, " values in ", rows, " rows need ", values, " inner and ",
                            rows + 1, " outer indices, found ", inner_count, " and ", outer_count);
  }
  std::vector<Tensor> parts(2);
  ASSIGN_OR_RETURN(parts[0], indices_of(inner_count, inner, copies));
  ASSIGN_OR_RETURN(parts[1], indices_of(outer_count, outer, copies));
  for (size_t i = 0; i < inner_count; ++i) {
    if (inner[i] < 0 || inner[i] >= sparse.dims[1]) {
      return invalid_argument("inner index ", i, " is ", inner[i], ", expected 0 to ",
                              sparse.dims[1] - 1);
    }
  }
  RETURN_IF_ERROR(check_row_starts(sparse, outer, outer_count));
  sparse.format = SparseFormat::kCsr;
  sparse.indices = std::move(parts);
  return {};
}

// Two coordinates for each block. The number of blocks is the first dim of the values or, as ONNX
// Runtime counts them, the product of the dims from the third on.
Status check_block_counts(const Tensor& values, const Dims& indices) {
  const Dims& dims = values.dims();
  if (values.element_count() == 0) {
    if (checked_element_count(indices) == 0) return {};
    return invalid_argument("a tensor without values has no blocks, found indices of shape ",
                            dims_to_string(indices));
  }
  int64_t inner = 1;
  for (size_t i = 2; i < dims.size(); ++i) inner *= dims[i];
  const int64_t first = dims.empty() ? inner : dims.front();
  if (indices.size() == 2 && indices[0] == 2 && (indices[1] == first || indices[1] == inner)) {
    return {};
  }
  return invalid_argument("blocks of shape ", dims_to_string(dims), " need indices of shape [2,",
                          first, "], found ", dims_to_string(indices));
}

// Whether blocks or elements are counted is the caller's choice: no coordinate passes the largest
// dim of the dense tensor either way.
Status check_block_indices(const SparseTensor& sparse, std::span<const int32_t> indices) {
  int64_t bound = 0;
  for (const int64_t dim : sparse.dims) bound = std::max(bound, dim);
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0 || indices[i] >= bound) {
      return invalid_argument("block index ", i, " is ", indices[i], ", expected 0 to ", bound - 1);
    }
  }
  return {};
}

Status set_blocks(SparseTensor& sparse, const int64_t* shape, size_t shape_len, const int32_t* data,
                  bool copies) {
  ASSIGN_OR_RETURN(Tensor indices,
                   part_of(shape, shape_len, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32, data, copies));
  RETURN_IF_ERROR(check_block_counts(sparse.values, indices.dims()));
  RETURN_IF_ERROR(
      check_block_indices(sparse, {data, static_cast<size_t>(indices.element_count())}));
  sparse.format = SparseFormat::kBlockSparse;
  sparse.indices = {std::move(indices)};
  return {};
}

// Copies values into a sparse tensor and forgets where the old ones were.
Result<SparseTensor> filled(const OrtValue& value, const OrtMemoryInfo& memory,
                            const int64_t* shape, size_t shape_len, const void* values) {
  RETURN_IF_ERROR(check_host(memory));
  ASSIGN_OR_RETURN(SparseTensor sparse, sparse_of(value));
  ASSIGN_OR_RETURN(sparse.values, part_of(shape, shape_len, type_of_values(sparse), values, true));
  sparse.indices.clear();
  return sparse;
}

Result<const Tensor*> part_named(const OrtValue& value, const OrtSparseIndicesFormat& format) {
  const SparseTensor* sparse = value.other.sparse();
  if (sparse == nullptr) return sparse_of(value).status();
  const int32_t number = number_of(format);
  SparseFormat needed = SparseFormat::kUndefined;
  size_t index = 0;
  switch (number) {
    case ORT_SPARSE_COO_INDICES:
      needed = SparseFormat::kCoo;
      break;
    case ORT_SPARSE_CSR_OUTER_INDICES:
      index = 1;
      [[fallthrough]];
    case ORT_SPARSE_CSR_INNER_INDICES:
      needed = SparseFormat::kCsr;
      break;
    case ORT_SPARSE_BLOCK_SPARSE_INDICES:
      needed = SparseFormat::kBlockSparse;
      break;
    default:
      return invalid_argument("'indices_format' is ", number, ", which is not a format");
  }
  if (sparse->format != needed) {
    return invalid_argument("the sparse tensor has no indices of format ", number);
  }
  return &sparse->indices[index];
}

OrtTensorTypeAndShapeInfo* info_of(const Tensor& tensor, DType dtype) {
  return new OrtTensorTypeAndShapeInfo(
      type_info_of(Type::tensor(dtype, shape_of(tensor.dims()))).tensor);
}

// A sparse tensor without places. `values` may be undefined: none yet.
Result<SparseTensor> empty_sparse(const int64_t* shape, size_t shape_len,
                                  const ONNXTensorElementDataType& type) {
  ASSIGN_OR_RETURN(TensorForm form, sparse_form_of(shape, shape_len, type));
  SparseTensor sparse;
  sparse.dtype = form.dtype;
  sparse.dims = std::move(form.dims);
  ASSIGN_OR_RETURN(sparse.values, Tensor::create(form.dtype, {0}));
  return sparse;
}

}  // namespace
}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtIsSparseTensor(const OrtValue* value, int* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(value);
    *out = value->other.sparse() != nullptr ? 1 : 0;
    return {};
  });
}

OrtStatus* OrtCreateSparseTensorAsOrtValue(OrtAllocator* allocator, const int64_t* dense_shape,
                                           size_t dense_shape_len, ONNXTensorElementDataType type,
                                           OrtValue** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(allocator);
    const OrtMemoryInfo* memory =
        allocator->Info != nullptr ? allocator->Info(allocator) : &api::cpu_memory();
    auto value = std::make_unique<OrtValue>();
    if (memory != nullptr) value->memory = *memory;
    RETURN_IF_ERROR(api::check_host(value->memory));
    ASSIGN_OR_RETURN(SparseTensor sparse, api::empty_sparse(dense_shape, dense_shape_len, type));
    value->other = Datum::of(std::move(sparse));
    *out = value.release();
    return {};
  });
}

OrtStatus* OrtFillSparseTensorCoo(OrtValue* ort_value, const OrtMemoryInfo* data_mem_info,
                                  const int64_t* values_shape, size_t values_shape_len,
                                  const void* values, const int64_t* indices_data,
                                  size_t indices_num) {
  return guard([&]() -> Status {
    ORTC_NEEDED(ort_value);
    ORTC_NEEDED(data_mem_info);
    ASSIGN_OR_RETURN(SparseTensor sparse, api::filled(*ort_value, *data_mem_info, values_shape,
                                                      values_shape_len, values));
    RETURN_IF_ERROR(api::set_coo(sparse, indices_data, indices_num, true));
    ort_value->other = Datum::of(std::move(sparse));
    return {};
  });
}

OrtStatus* OrtFillSparseTensorCsr(OrtValue* ort_value, const OrtMemoryInfo* data_mem_info,
                                  const int64_t* values_shape, size_t values_shape_len,
                                  const void* values, const int64_t* inner_indices_data,
                                  size_t inner_indices_num, const int64_t* outer_indices_data,
                                  size_t outer_indices_num) {
  return guard([&]() -> Status {
    ORTC_NEEDED(ort_value);
    ORTC_NEEDED(data_mem_info);
    ASSIGN_OR_RETURN(SparseTensor sparse, api::filled(*ort_value, *data_mem_info, values_shape,
                                                      values_shape_len, values));
    RETURN_IF_ERROR(api::set_csr(sparse, inner_indices_data, inner_indices_num, outer_indices_data,
                                 outer_indices_num, true));
    ort_value->other = Datum::of(std::move(sparse));
    return {};
  });
}

OrtStatus* OrtFillSparseTensorBlockSparse(OrtValue* ort_value, const OrtMemoryInfo* data_mem_info,
                                          const int64_t* values_shape, size_t values_shape_len,
                                          const void* values, const int64_t* indices_shape_data,
                                          size_t indices_shape_len, const int32_t* indices_data) {
  return guard([&]() -> Status {
    ORTC_NEEDED(ort_value);
    ORTC_NEEDED(data_mem_info);
    ASSIGN_OR_RETURN(SparseTensor sparse, api::filled(*ort_value, *data_mem_info, values_shape,
                                                      values_shape_len, values));
    RETURN_IF_ERROR(
        api::set_blocks(sparse, indices_shape_data, indices_shape_len, indices_data, true));
    ort_value->other = Datum::of(std::move(sparse));
    return {};
  });
}

OrtStatus* OrtCreateSparseTensorWithValuesAsOrtValue(
    const OrtMemoryInfo* info, void* p_data, const int64_t* dense_shape, size_t dense_shape_len,
    const int64_t* values_shape, size_t values_shape_len, ONNXTensorElementDataType type,
    OrtValue** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(info);
    RETURN_IF_ERROR(api::check_host(*info));
    ASSIGN_OR_RETURN(SparseTensor sparse, api::empty_sparse(dense_shape, dense_shape_len, type));
    ASSIGN_OR_RETURN(sparse.values,
                     api::part_of(values_shape, values_shape_len, type, p_data, false));
    auto value = std::make_unique<OrtValue>();
    value->memory = *info;
    value->other = Datum::of(std::move(sparse));
    *out = value.release();
    return {};
  });
}

OrtStatus* OrtUseCooIndices(OrtValue* ort_value, int64_t* indices_data, size_t indices_num) {
  return guard([&]() -> Status {
    ORTC_NEEDED(ort_value);
    ASSIGN_OR_RETURN(SparseTensor sparse, api::sparse_of(*ort_value));
    RETURN_IF_ERROR(api::set_coo(sparse, indices_data, indices_num, false));
    ort_value->other = Datum::of(std::move(sparse));
    return {};
  });
}

OrtStatus* OrtUseCsrIndices(OrtValue* ort_value, int64_t* inner_data, size_t inner_num,
                            int64_t* outer_data, size_t outer_num) {
  return guard([&]() -> Status {
    ORTC_NEEDED(ort_value);
    ASSIGN_OR_RETURN(SparseTensor sparse, api::sparse_of(*ort_value));
    RETURN_IF_ERROR(api::set_csr(sparse, inner_data, inner_num, outer_data, outer_num, false));
    ort_value->other = Datum::of(std::move(sparse));
    return {};
  });
}

OrtStatus* OrtUseBlockSparseIndices(OrtValue* ort_value, const int64_t* indices_shape,
                                    size_t indices_shape_len, int32_t* indices_data) {
  return guard([&]() -> Status {
    ORTC_NEEDED(ort_value);
    ASSIGN_OR_RETURN(SparseTensor sparse, api::sparse_of(*ort_value));
    RETURN_IF_ERROR(api::set_blocks(sparse, indices_shape, indices_shape_len, indices_data, false));
    ort_value->other = Datum::of(std::move(sparse));
    return {};
  });
}

OrtStatus* OrtGetSparseTensorFormat(const OrtValue* ort_value, enum OrtSparseFormat* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(ort_value);
    ASSIGN_OR_RETURN(const SparseTensor sparse, api::sparse_of(*ort_value));
    switch (sparse.format) {
      case SparseFormat::kUndefined:
        break;
      case SparseFormat::kCoo:
        *out = ORT_SPARSE_COO;
        break;
      case SparseFormat::kCsr:
        *out = ORT_SPARSE_CSRC;
        break;
      case SparseFormat::kBlockSparse:
        *out = ORT_SPARSE_BLOCK_SPARSE;
        break;
    }
    return {};
  });
}

OrtStatus* OrtGetSparseTensorValuesTypeAndShape(const OrtValue* ort_value,
                                                OrtTensorTypeAndShapeInfo** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(ort_value);
    ASSIGN_OR_RETURN(const SparseTensor sparse, api::sparse_of(*ort_value));
    *out = api::info_of(sparse.values, sparse.dtype);
    return {};
  });
}

OrtStatus* OrtGetSparseTensorValues(const OrtValue* ort_value, const void** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(ort_value);
    ASSIGN_OR_RETURN(const SparseTensor sparse, api::sparse_of(*ort_value));
    if (sparse.dtype == DType::kString) {
      return invalid_argument("the values are strings; use the functions for string tensors");
    }
    *out = sparse.values.data();
    return {};
  });
}

OrtStatus* OrtGetSparseTensorIndicesTypeShape(const OrtValue* ort_value,
                                              enum OrtSparseIndicesFormat indices_format,
                                              OrtTensorTypeAndShapeInfo** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(ort_value);
    ASSIGN_OR_RETURN(const Tensor* part, api::part_named(*ort_value, indices_format));
    *out = api::info_of(*part, part->dtype());
    return {};
  });
}

OrtStatus* OrtGetSparseTensorIndices(const OrtValue* ort_value,
                                     enum OrtSparseIndicesFormat indices_format,
                                     size_t* num_indices, const void** indices) {
  return guard([&]() -> Status {
    api::empty_outs(num_indices, indices);
    ORTC_NEEDED(ort_value);
    ORTC_NEEDED(num_indices);
    ORTC_NEEDED(indices);
    ASSIGN_OR_RETURN(const Tensor* part, api::part_named(*ort_value, indices_format));
    *num_indices = static_cast<size_t>(part->element_count());
    *indices = part->data();
    return {};
  });
}

}  // extern "C"
