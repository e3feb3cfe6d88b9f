// SPDX-License-Identifier: MIT
// Sparse tensors: the shape of a dense tensor, and those of its elements that are there. Values and
// their places are either copied into the tensor (Fill) or stay where the caller has them (Use).
//
// Places by format: ORT_SPARSE_COO, for each value its position in row-major order ([n]) or its row
// and column ([n,2]); ORT_SPARSE_CSRC, for each value its column (inner) and for each row, and the
// end, the number of values before it (outer); ORT_SPARSE_BLOCK_SPARSE, for n blocks of values
// their rows and columns ([2,n]), counted as the caller likes.
#pragma once

#include "ort_c/allocator.h"
#include "ort_c/type_info.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Says whether a value is a sparse tensor.
///
/// `out`  1 or 0.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtIsSparseTensor(const OrtValue* value, int* out);

/// Makes an empty sparse tensor, for one of the Fill functions.
///
/// `allocator`        Borrowed for this call; must be of memory that the CPU can read. The library
///                    keeps the values in memory of its own.
/// `dense_shape`      Copied. Sizes of the dimensions of the dense tensor.
/// `dense_shape_len`  How many.
/// `type`             The element type.
/// `out`              A new object; give it back with OrtReleaseValue(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateSparseTensorAsOrtValue(OrtAllocator* allocator,
                                                    const int64_t* dense_shape,
                                                    size_t dense_shape_len,
                                                    ONNXTensorElementDataType type, OrtValue** out);

/// Gives a sparse tensor values at positions or coordinates. Replaces what was there.
///
/// `ort_value`         Changed.
/// `data_mem_info`     Borrowed for this call. Says what memory the values are in.
/// `values_shape`      Of the values: [n].
/// `values_shape_len`  1.
/// `values`            Copied. Numbers; for strings an array of texts that end in zero.
/// `indices_data`      Copied. Positions, or pairs of coordinates.
/// `indices_num`       n, or 2 * n for pairs.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtFillSparseTensorCoo(OrtValue* ort_value, const OrtMemoryInfo* data_mem_info,
                                           const int64_t* values_shape, size_t values_shape_len,
                                           const void* values, const int64_t* indices_data,
                                           size_t indices_num);

/// Gives a sparse matrix values in rows. Replaces what was there.
///
/// `ort_value`           Changed.
/// `data_mem_info`       Borrowed for this call. Says what memory the values are in.
/// `values_shape`        Of the values: [n].
/// `values_shape_len`    1.
/// `values`              Copied. Numbers; for strings an array of texts that end in zero.
/// `inner_indices_data`  Copied. Columns.
/// `inner_indices_num`   n.
/// `outer_indices_data`  Copied. Where each row starts, and the end.
/// `outer_indices_num`   The number of rows and 1.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtFillSparseTensorCsr(OrtValue* ort_value, const OrtMemoryInfo* data_mem_info,
                                           const int64_t* values_shape, size_t values_shape_len,
                                           const void* values, const int64_t* inner_indices_data,
                                           size_t inner_indices_num,
                                           const int64_t* outer_indices_data,
                                           size_t outer_indices_num);

/// Gives a sparse tensor values in blocks. Replaces what was there.
///
/// `ort_value`           Changed.
/// `data_mem_info`       Borrowed for this call. Says what memory the values are in.
/// `values_shape`        Of the values, blocks first: [n, ...].
/// `values_shape_len`    How many dimensions.
/// `values`              Copied. Numbers; for strings an array of texts that end in zero.
/// `indices_shape_data`  Of the indices: [2,n].
/// `indices_shape_len`   How many dimensions.
/// `indices_data`        Copied. None is less than 0 or passes the dense shape.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtFillSparseTensorBlockSparse(
    OrtValue* ort_value, const OrtMemoryInfo* data_mem_info, const int64_t* values_shape,
    size_t values_shape_len, const void* values, const int64_t* indices_shape_data,
    size_t indices_shape_len, const int32_t* indices_data);

/// Makes a sparse tensor over values of the caller, for one of the Use functions.
///
/// `info`              Borrowed for this call. Says what memory `p_data` is.
/// `p_data`            Stays the caller's, alive and in its place until the value is released.
/// `dense_shape`       Copied. Sizes of the dimensions of the dense tensor.
/// `dense_shape_len`   How many.
/// `values_shape`      Copied. Of the values.
/// `values_shape_len`  How many dimensions.
/// `type`              The element type; strings are not possible here.
/// `out`               A new object; give it back with OrtReleaseValue(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateSparseTensorWithValuesAsOrtValue(
    const OrtMemoryInfo* info, void* p_data, const int64_t* dense_shape, size_t dense_shape_len,
    const int64_t* values_shape, size_t values_shape_len, ONNXTensorElementDataType type,
    OrtValue** out);

/// Sets positions or coordinates for the values of a sparse tensor.
///
/// `ort_value`     Changed.
/// `indices_data`  Stays the caller's; must live and keep its place until the value is released.
/// `indices_num`   As many as values, or twice as many for pairs.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtUseCooIndices(OrtValue* ort_value, int64_t* indices_data,
                                     size_t indices_num);

/// Sets columns and row starts for the values of a sparse matrix.
///
/// `ort_value`   Changed.
/// `inner_data`  Stays the caller's; must live and keep its place until the value is released.
/// `inner_num`   As many as values.
/// `outer_data`  As `inner_data`.
/// `outer_num`   The number of rows and 1; 0 when there are no values.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtUseCsrIndices(OrtValue* ort_value, int64_t* inner_data, size_t inner_num,
                                     int64_t* outer_data, size_t outer_num);

/// Sets the coordinates of blocks.
///
/// `ort_value`          Changed.
/// `indices_shape`      Copied. Of the indices: [2,n] for n blocks of values.
/// `indices_shape_len`  How many dimensions.
/// `indices_data`       Stays the caller's; must live and keep its place until the value is
///                      released.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtUseBlockSparseIndices(OrtValue* ort_value, const int64_t* indices_shape,
                                             size_t indices_shape_len, int32_t* indices_data);

/// Tells the format; ORT_SPARSE_UNDEFINED before places were given.
///
/// Fails with INVALID_ARGUMENT when there is no sparse tensor. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetSparseTensorFormat(const OrtValue* ort_value, enum OrtSparseFormat* out);

/// Gives element type and shape of the values.
///
/// `ort_value`  Borrowed.
/// `out`        A new object; give it back with OrtReleaseTensorTypeAndShapeInfo(). NULL after a
///              failure.
///
/// Fails with INVALID_ARGUMENT when there is no sparse tensor. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetSparseTensorValuesTypeAndShape(const OrtValue* ort_value,
                                                         OrtTensorTypeAndShapeInfo** out);

/// Shows the values for reading. Texts are read by the functions for string tensors.
///
/// `ort_value`  Borrowed.
/// `out`        The first value; lives as long as the value. NULL after a failure.
///
/// Fails with INVALID_ARGUMENT when there is no sparse tensor or its values are strings.
/// Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetSparseTensorValues(const OrtValue* ort_value, const void** out);

/// Gives element type and shape of one of the parts that say where the values belong.
///
/// `ort_value`       Borrowed.
/// `indices_format`  Which; must be of the tensor's format.
/// `out`             A new object; give it back with OrtReleaseTensorTypeAndShapeInfo(). NULL after
///                   a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetSparseTensorIndicesTypeShape(const OrtValue* ort_value,
                                                       enum OrtSparseIndicesFormat indices_format,
                                                       OrtTensorTypeAndShapeInfo** out);

/// Shows one of the parts that say where the values belong: int64, of blocks int32.
///
/// `ort_value`       Borrowed.
/// `indices_format`  Which; must be of the tensor's format.
/// `num_indices`     How many elements.
/// `indices`         The first one; lives as long as the value. NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetSparseTensorIndices(const OrtValue* ort_value,
                                              enum OrtSparseIndicesFormat indices_format,
                                              size_t* num_indices, const void** indices);

#ifdef __cplusplus
}
#endif
