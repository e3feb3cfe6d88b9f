// SPDX-License-Identifier: MIT
// Values: what goes into a run and comes out of it. Here are those functions that fit all kinds,
// and tensors: dense, in row-major order. Sequences and maps: container.h; sparse tensors:
// sparse_tensor.h. A value has one owner; reading it from several threads is fine while none
// writes.
#pragma once

#include "ort_c/allocator.h"
#include "ort_c/type_info.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Makes a tensor over memory of the caller. Nothing is copied.
///
/// `info`        Borrowed for this call. Says what memory `p_data` is; usually from
///               OrtCreateCpuMemoryInfo().
/// `p_data`      Stays the caller's; must live and keep its place until the value is released. May
///               be NULL for a tensor without elements. Aligned as C aligns the element type: a
///               float to 4 bytes, an int64 and a double to 8.
/// `p_data_len`  Room at `p_data` in bytes, at least what shape and type need.
/// `shape`       Copied. Sizes of the dimensions; NULL for a scalar.
/// `shape_len`   How many, 0 for a scalar.
/// `type`        The element type; strings are not possible here.
/// `out`         A new object; give it back with OrtReleaseValue(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateTensorWithDataAsOrtValue(const OrtMemoryInfo* info, void* p_data,
                                                      size_t p_data_len, const int64_t* shape,
                                                      size_t shape_len,
                                                      ONNXTensorElementDataType type,
                                                      OrtValue** out);

/// Makes a tensor with memory of its own. Numbers start undefined, strings empty.
///
/// `allocator`  Gives the memory. One of the library is kept by the value; one of the program must
///              live as long as the value.
/// `shape`      Copied. Sizes of the dimensions; NULL for a scalar.
/// `shape_len`  How many, 0 for a scalar.
/// `type`       The element type.
/// `out`        A new object; give it back with OrtReleaseValue(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT, or RUNTIME_EXCEPTION when memory is short. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateTensorAsOrtValue(OrtAllocator* allocator, const int64_t* shape,
                                              size_t shape_len, ONNXTensorElementDataType type,
                                              OrtValue** out);

/// Makes a tensor over memory that the value takes over.
///
/// `deleter`     Its Free() ends `p_data` with the value. Kept like an allocator.
/// `p_data`      The value's from a success on; still the caller's after a failure.
/// `p_data_len`  Room at `p_data` in bytes, at least what shape and type need.
/// `shape`       Copied. Sizes of the dimensions; NULL for a scalar.
/// `shape_len`   How many, 0 for a scalar.
/// `type`        The element type; strings are not possible here.
/// `out`         A new object; give it back with OrtReleaseValue(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateTensorWithDataAndDeleterAsOrtValue(
    OrtAllocator* deleter, void* p_data, size_t p_data_len, const int64_t* shape, size_t shape_len,
    ONNXTensorElementDataType type, OrtValue** out);

/// Gives a value back. Memory of the caller is not touched.
///
/// `value`  Ends here. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseValue(OrtValue* value);

/// Shows the elements of a tensor for reading and writing.
///
/// `value`  Borrowed.
/// `out`    The first element; lives as long as the value. In memory of a device, which
///          OrtGetTensorMemoryInfo() tells, only the device may look there. NULL after a failure.
///
/// Fails with INVALID_ARGUMENT when there is no tensor or its elements are strings. One thread at a
/// time may write. Since 1.0.
ORTC_API OrtStatus* OrtGetTensorMutableData(OrtValue* value, void** out);

/// Shows the elements of a tensor for reading.
///
/// `value`  Borrowed.
/// `out`    The first element; lives as long as the value. In memory of a device, which
///          OrtGetTensorMemoryInfo() tells, only the device may look there. NULL after a failure.
///
/// Fails with INVALID_ARGUMENT when there is no tensor or its elements are strings. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtGetTensorData(const OrtValue* value, const void** out);

/// Shows one element of a tensor for reading and writing.
///
/// `value`                  Borrowed.
/// `location_values`        Its index in each dimension; NULL for a scalar.
/// `location_values_count`  How many; must be the number of dimensions.
/// `out`                    The element; lives as long as the value. NULL after a failure.
///
/// Fails with INVALID_ARGUMENT when there is no tensor, its elements are strings or smaller than a
/// byte, or the location is outside. One thread at a time may write. Since 1.0.
ORTC_API OrtStatus* OrtTensorAt(OrtValue* value, const int64_t* location_values,
                                size_t location_values_count, void** out);

/// Tells how many bytes the elements of a tensor take; elements below a byte are packed.
///
/// `ort_value`  Borrowed.
/// `size`       In bytes. 0 after a failure.
///
/// Fails with INVALID_ARGUMENT when there is no tensor or its elements are strings. Thread-safe.
/// Since 1.0.
ORTC_API OrtStatus* OrtGetTensorSizeInBytes(const OrtValue* ort_value, size_t* size);

/// Gives element type and shape of a tensor; of a sparse one those of the dense tensor it stands
/// for.
///
/// `value`  Borrowed.
/// `out`    A new object; give it back with OrtReleaseTensorTypeAndShapeInfo(). NULL after a
///          failure.
///
/// Fails with INVALID_ARGUMENT when there is no tensor. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetTensorTypeAndShape(const OrtValue* value,
                                             OrtTensorTypeAndShapeInfo** out);

/// Shows element type and shape of a tensor, dense or sparse, without making anything.
///
/// `value`             Borrowed.
/// `elem_type`         The element type.
/// `shape_data`        Borrowed; lives as long as the value. May be NULL for a scalar.
/// `shape_data_count`  How many dimensions.
///
/// Fails with INVALID_ARGUMENT when there is no tensor. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetTensorElementTypeAndShapeDataReference(
    const OrtValue* value, ONNXTensorElementDataType* elem_type, const int64_t** shape_data,
    size_t* shape_data_count);

/// Gives the type of a value of any kind.
///
/// `value`  Borrowed.
/// `out`    A new object; give it back with OrtReleaseTypeInfo(). NULL after a failure and for a
///          value without content.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetTypeInfo(const OrtValue* value, OrtTypeInfo** out);

/// Tells the kind of a value. An optional is what it contains, or UNKNOWN without content.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetValueType(const OrtValue* value, enum ONNXType* out);

/// Says whether a value is a dense tensor.
///
/// `out`  1 or 0.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtIsTensor(const OrtValue* value, int* out);

/// Says whether there is content: an optional value may have none.
///
/// `out`  1 or 0.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtHasValue(const OrtValue* value, int* out);

/// Tells in which memory the elements of a tensor lie.
///
/// `value`     Borrowed.
/// `mem_info`  Borrowed; lives as long as the value. NULL after a failure.
///
/// Fails with INVALID_ARGUMENT when there is no tensor. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetTensorMemoryInfo(const OrtValue* value, const OrtMemoryInfo** mem_info);

// Tensors of strings. Texts are UTF-8. The functions that read take sparse tensors as well: their
// elements are the values. Sequences and maps are NOT_IMPLEMENTED here: take their parts.

/// Sets all elements.
///
/// `value`  Changed.
/// `s`      Copied. Texts that end in zero.
/// `s_len`  How many; must be the number of elements.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtFillStringTensor(OrtValue* value, const char* const* s, size_t s_len);

/// Sets one element.
///
/// `value`  Changed.
/// `s`      Copied. A text that ends in zero.
/// `index`  In row-major order.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtFillStringTensorElement(OrtValue* value, const char* s, size_t index);

/// Tells how many bytes all elements take together, without terminators.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetStringTensorDataLength(const OrtValue* value, size_t* len);

/// Copies all elements, one after the other and without terminators.
///
/// `value`        Borrowed.
/// `s`            Filled.
/// `s_len`        Room at `s` in bytes, at least OrtGetStringTensorDataLength().
/// `offsets`      Filled: where each element starts. An element ends where the next one starts.
/// `offsets_len`  Must be the number of elements.
///
/// Fails with INVALID_ARGUMENT, or FAIL when a length does not fit. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetStringTensorContent(const OrtValue* value, void* s, size_t s_len,
                                              size_t* offsets, size_t offsets_len);

/// Tells how many bytes one element takes, without terminator.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetStringTensorElementLength(const OrtValue* value, size_t index,
                                                    size_t* out);

/// Copies one element, without terminator.
///
/// `value`  Borrowed.
/// `s_len`  Room at `s` in bytes, at least OrtGetStringTensorElementLength().
/// `index`  In row-major order.
/// `s`      Filled.
///
/// Fails with INVALID_ARGUMENT, or FAIL when there is too little room. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetStringTensorElement(const OrtValue* value, size_t s_len, size_t index,
                                              void* s);

/// Gives one element a length and shows its bytes for writing.
///
/// `value`            Changed.
/// `index`            In row-major order.
/// `length_in_bytes`  The new length, without terminator. What was there stays up to it; new bytes
///                    are zero.
/// `buffer`           The bytes; lives until the element is set or resized again, or the value
/// ends.
///                    NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtGetResizedStringTensorElementBuffer(OrtValue* value, size_t index,
                                                           size_t length_in_bytes, char** buffer);

#ifdef __cplusplus
}
#endif
