// SPDX-License-Identifier: MIT
// Sequences and maps: values made of other values. They do not change once they were made. Values
// that hold nothing.
#pragma once

#include "ort_c/allocator.h"
#include "ort_c/type_info.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Makes a sequence or a map of other values.
///
/// `in`          Copied, elements and all: what is done to those values later does not matter.
///               For a sequence the elements: tensors of one element type, or maps of one type.
///               For a map two tensors of one dimension and equal length: the keys, of int64 or
///               string, and their values, of int64, float, double or string. Of a key that
///               stands there twice the first value counts.
/// `num_values`  How many, 1 or more; for a map 2.
/// `value_type`  ONNX_TYPE_SEQUENCE or ONNX_TYPE_MAP.
/// `out`         A new object; give it back with OrtReleaseValue(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT, or FAIL when the values do not fit together. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtCreateValue(const OrtValue* const* in, size_t num_values,
                                   enum ONNXType value_type, OrtValue** out);

/// Makes a value that holds nothing: a sequence without elements, or an optional without content.
///
/// `type_info`  Borrowed for this call. The type of a sequence of tensors or maps, or of an
///              optional; usually of a session's input.
/// `out`        A new object; give it back with OrtReleaseValue(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT, also for a type whose values always hold something. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtCreateEmptyValue(const OrtTypeInfo* type_info, OrtValue** out);

/// Counts what OrtGetValue() can give: the elements of a sequence; 2 for a map.
///
/// `value`  Borrowed.
/// `out`    0 after a failure.
///
/// Fails with INVALID_ARGUMENT, or FAIL when there is neither a sequence nor a map. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtGetValueCount(const OrtValue* value, size_t* out);

/// Gives a copy of one part of a sequence or a map.
///
/// `value`      Borrowed.
/// `index`      Of a sequence the element, from 0 on; of a map 0 for the tensor of keys, which
///              ascend, and 1 for that of values.
/// `allocator`  Gives the memory of numbers. One of the library is kept by the result; one of the
///              program must live as long.
/// `out`        A new object; give it back with OrtReleaseValue(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT; with FAIL for neither a sequence nor a map, and for a map without
/// such a part; with RUNTIME_EXCEPTION for a sequence without such a part. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetValue(const OrtValue* value, int index, OrtAllocator* allocator,
                                OrtValue** out);

/// Would make a value of a type that only the caller knows. This library has no operators for such.
///
/// `domain_name`          Not read.
/// `type_name`            Not read.
/// `data_container`       Not read.
/// `data_container_size`  Not read.
/// `out`                  NULL.
///
/// Fails with NOT_IMPLEMENTED, always. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateOpaqueValue(const char* domain_name, const char* type_name,
                                         const void* data_container, size_t data_container_size,
                                         OrtValue** out);

/// Would show a value of a type that only the caller knows. See OrtCreateOpaqueValue().
///
/// `domain_name`          Not read.
/// `type_name`            Not read.
/// `in`                   Not read.
/// `data_container`       Not written.
/// `data_container_size`  Not read.
///
/// Fails with NOT_IMPLEMENTED, always. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetOpaqueValue(const char* domain_name, const char* type_name,
                                      const OrtValue* in, void* data_container,
                                      size_t data_container_size);

#ifdef __cplusplus
}
#endif
