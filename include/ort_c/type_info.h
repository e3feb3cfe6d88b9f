// SPDX-License-Identifier: MIT
// Types: the kind of a value; for tensors element type and shape, for sequences, maps and optionals
// the type of what is inside. A dimension is a size, or -1 when it is not known; then it may have a
// symbolic name.
#pragma once

#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Tells the kind of value that a type describes.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetOnnxTypeFromTypeInfo(const OrtTypeInfo* type_info, enum ONNXType* out);

/// Shows the tensor side of a type.
///
/// `type_info`  Borrowed.
/// `out`        Borrowed; lives as long as `type_info`. NULL when the type is not a tensor,
///              which is not a failure, and after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCastTypeInfoToTensorInfo(const OrtTypeInfo* type_info,
                                                const OrtTensorTypeAndShapeInfo** out);

/// Shows the map side of a type.
///
/// `type_info`  Borrowed.
/// `out`        Borrowed; lives as long as `type_info`. NULL when the type is not a map,
///              which is not a failure, and after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCastTypeInfoToMapTypeInfo(const OrtTypeInfo* type_info,
                                                 const OrtMapTypeInfo** out);

/// Shows the sequence side of a type.
///
/// `type_info`  Borrowed.
/// `out`        Borrowed; lives as long as `type_info`. NULL when the type is not a sequence,
///              which is not a failure, and after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCastTypeInfoToSequenceTypeInfo(const OrtTypeInfo* type_info,
                                                      const OrtSequenceTypeInfo** out);

/// Shows the optional side of a type. Types of models may be optional; a value's type never is.
///
/// `type_info`  Borrowed.
/// `out`        Borrowed; lives as long as `type_info`. NULL when the type is not an optional,
///              which is not a failure, and after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCastTypeInfoToOptionalTypeInfo(const OrtTypeInfo* type_info,
                                                      const OrtOptionalTypeInfo** out);

/// Tells the element type of a map's keys.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetMapKeyType(const OrtMapTypeInfo* map_type_info,
                                     enum ONNXTensorElementDataType* out);

/// Gives the type of a map's values.
///
/// `map_type_info`  Borrowed.
/// `type_info`      A new object; give it back with OrtReleaseTypeInfo(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetMapValueType(const OrtMapTypeInfo* map_type_info,
                                       OrtTypeInfo** type_info);

/// Gives the type of a sequence's elements.
///
/// `sequence_type_info`  Borrowed.
/// `type_info`           A new object; give it back with OrtReleaseTypeInfo(). NULL after a
///                       failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetSequenceElementType(const OrtSequenceTypeInfo* sequence_type_info,
                                              OrtTypeInfo** type_info);

/// Gives the type of what an optional may contain.
///
/// `optional_type_info`  Borrowed.
/// `out`                 A new object; give it back with OrtReleaseTypeInfo(). NULL after a
/// failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetOptionalContainedTypeInfo(const OrtOptionalTypeInfo* optional_type_info,
                                                    OrtTypeInfo** out);

/// Does nothing: what OrtCastTypeInfoToMapTypeInfo() shows belongs to the type.
///
/// Since 1.0.
ORTC_API void OrtReleaseMapTypeInfo(OrtMapTypeInfo* map_type_info);

/// Does nothing: what OrtCastTypeInfoToSequenceTypeInfo() shows belongs to the type.
///
/// Since 1.0.
ORTC_API void OrtReleaseSequenceTypeInfo(OrtSequenceTypeInfo* sequence_type_info);

/// Tells the denotation of a type, as "IMAGE"; empty when the model gives none.
///
/// `type_info`   Borrowed.
/// `denotation`  Borrowed; lives as long as `type_info`.
/// `len`         Its length in bytes.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetDenotationFromTypeInfo(const OrtTypeInfo* type_info,
                                                 const char** const denotation, size_t* len);

/// Gives a type back.
///
/// `type_info`  Ends here, and with it what was borrowed from it. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseTypeInfo(OrtTypeInfo* type_info);

// Element type and shape of a tensor.

/// Tells the element type.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetTensorElementType(const OrtTensorTypeAndShapeInfo* info,
                                            enum ONNXTensorElementDataType* out);

/// Says whether the shape is known at all. A scalar has a shape with no dimensions; a tensor of
/// unknown rank has none, and counts 0 dimensions as well.
///
/// Gives false when `info` is NULL. Thread-safe. Since 1.0.
ORTC_API bool OrtTensorTypeAndShape_HasShape(const OrtTensorTypeAndShapeInfo* info);

/// Counts the dimensions.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetDimensionsCount(const OrtTensorTypeAndShapeInfo* info, size_t* out);

/// Copies the dimensions, -1 for those that are not known.
///
/// `dim_values`         Filled.
/// `dim_values_length`  Room in elements; no more are copied than there are dimensions.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetDimensions(const OrtTensorTypeAndShapeInfo* info, int64_t* dim_values,
                                     size_t dim_values_length);

/// Shows the symbolic names of the dimensions, empty for those without one.
///
/// `dim_params`         Filled with texts that live as long as `info`.
/// `dim_params_length`  Room in elements; no more are given than there are dimensions.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetSymbolicDimensions(const OrtTensorTypeAndShapeInfo* info,
                                             const char* dim_params[], size_t dim_params_length);

/// Multiplies the dimensions.
///
/// `out`  The number of elements, 1 for a scalar; SIZE_MAX when a dimension is not known.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetTensorShapeElementCount(const OrtTensorTypeAndShapeInfo* info,
                                                  size_t* out);

/// Makes an empty description, to be filled by the three setters below.
///
/// `out`  A new object; give it back with OrtReleaseTensorTypeAndShapeInfo(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateTensorTypeAndShapeInfo(OrtTensorTypeAndShapeInfo** out);

/// Sets the element type.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtSetTensorElementType(OrtTensorTypeAndShapeInfo* info,
                                            enum ONNXTensorElementDataType type);

/// Sets the dimensions.
///
/// `dim_values`  Copied; -1 means not known.
/// `dim_count`   How many, 0 for a scalar.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtSetDimensions(OrtTensorTypeAndShapeInfo* info, const int64_t* dim_values,
                                     size_t dim_count);

/// Sets the symbolic names of the dimensions.
///
/// `dim_params`         Copied; NULL or an empty text for a dimension without name.
/// `dim_params_length`  How many.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtSetSymbolicDimensions(OrtTensorTypeAndShapeInfo* info,
                                             const char* dim_params[], size_t dim_params_length);

/// Gives a description back. Not for one that was borrowed from a type.
///
/// `info`  Ends here, and with it what was borrowed from it. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseTensorTypeAndShapeInfo(OrtTensorTypeAndShapeInfo* info);

#ifdef __cplusplus
}
#endif
