// SPDX-License-Identifier: MIT
//! `type_info.h`. Types: the kind of a value; for tensors element type and shape, for sequences,
//! maps and optionals the type of what is inside.

use std::os::raw::c_char;

use crate::*;

extern "C" {
    /// Tells the kind of value that a type describes.
    pub fn OrtGetOnnxTypeFromTypeInfo(
        type_info: *const OrtTypeInfo,
        out: *mut ONNXType,
    ) -> *mut OrtStatus;
    /// Shows the tensor side of a type.
    pub fn OrtCastTypeInfoToTensorInfo(
        type_info: *const OrtTypeInfo,
        out: *mut *const OrtTensorTypeAndShapeInfo,
    ) -> *mut OrtStatus;
    /// Shows the map side of a type.
    pub fn OrtCastTypeInfoToMapTypeInfo(
        type_info: *const OrtTypeInfo,
        out: *mut *const OrtMapTypeInfo,
    ) -> *mut OrtStatus;
    /// Shows the sequence side of a type.
    pub fn OrtCastTypeInfoToSequenceTypeInfo(
        type_info: *const OrtTypeInfo,
        out: *mut *const OrtSequenceTypeInfo,
    ) -> *mut OrtStatus;
    /// Shows the optional side of a type.
    pub fn OrtCastTypeInfoToOptionalTypeInfo(
        type_info: *const OrtTypeInfo,
        out: *mut *const OrtOptionalTypeInfo,
    ) -> *mut OrtStatus;
    /// Tells the element type of a map's keys.
    pub fn OrtGetMapKeyType(
        map_type_info: *const OrtMapTypeInfo,
        out: *mut ONNXTensorElementDataType,
    ) -> *mut OrtStatus;
    /// Gives the type of a map's values.
    pub fn OrtGetMapValueType(
        map_type_info: *const OrtMapTypeInfo,
        type_info: *mut *mut OrtTypeInfo,
    ) -> *mut OrtStatus;
    /// Gives the type of a sequence's elements.
    pub fn OrtGetSequenceElementType(
        sequence_type_info: *const OrtSequenceTypeInfo,
        type_info: *mut *mut OrtTypeInfo,
    ) -> *mut OrtStatus;
    /// Gives the type of what an optional may contain.
    pub fn OrtGetOptionalContainedTypeInfo(
        optional_type_info: *const OrtOptionalTypeInfo,
        out: *mut *mut OrtTypeInfo,
    ) -> *mut OrtStatus;
    /// Does nothing: what OrtCastTypeInfoToMapTypeInfo() shows belongs to the type.
    pub fn OrtReleaseMapTypeInfo(map_type_info: *mut OrtMapTypeInfo);
    /// Does nothing: what OrtCastTypeInfoToSequenceTypeInfo() shows belongs to the type.
    pub fn OrtReleaseSequenceTypeInfo(sequence_type_info: *mut OrtSequenceTypeInfo);
    /// Tells the denotation of a type, as "IMAGE"; empty when the model gives none.
    pub fn OrtGetDenotationFromTypeInfo(
        type_info: *const OrtTypeInfo,
        denotation: *mut *const c_char,
        len: *mut usize,
    ) -> *mut OrtStatus;
    /// Gives a type back.
    pub fn OrtReleaseTypeInfo(type_info: *mut OrtTypeInfo);
    /// Tells the element type.
    pub fn OrtGetTensorElementType(
        info: *const OrtTensorTypeAndShapeInfo,
        out: *mut ONNXTensorElementDataType,
    ) -> *mut OrtStatus;
    /// Says whether the shape is known at all.
    pub fn OrtTensorTypeAndShape_HasShape(info: *const OrtTensorTypeAndShapeInfo) -> bool;
    /// Counts the dimensions.
    pub fn OrtGetDimensionsCount(
        info: *const OrtTensorTypeAndShapeInfo,
        out: *mut usize,
    ) -> *mut OrtStatus;
    /// Copies the dimensions, -1 for those that are not known.
    pub fn OrtGetDimensions(
        info: *const OrtTensorTypeAndShapeInfo,
        dim_values: *mut i64,
        dim_values_length: usize,
    ) -> *mut OrtStatus;
    /// Shows the symbolic names of the dimensions, empty for those without one.
    pub fn OrtGetSymbolicDimensions(
        info: *const OrtTensorTypeAndShapeInfo,
        dim_params: *mut *const c_char,
        dim_params_length: usize,
    ) -> *mut OrtStatus;
    /// Multiplies the dimensions.
    pub fn OrtGetTensorShapeElementCount(
        info: *const OrtTensorTypeAndShapeInfo,
        out: *mut usize,
    ) -> *mut OrtStatus;
    /// Makes an empty description, to be filled by the three setters below.
    pub fn OrtCreateTensorTypeAndShapeInfo(
        out: *mut *mut OrtTensorTypeAndShapeInfo,
    ) -> *mut OrtStatus;
    /// Sets the element type.
    pub fn OrtSetTensorElementType(
        info: *mut OrtTensorTypeAndShapeInfo,
        type_: ONNXTensorElementDataType,
    ) -> *mut OrtStatus;
    /// Sets the dimensions.
    pub fn OrtSetDimensions(
        info: *mut OrtTensorTypeAndShapeInfo,
        dim_values: *const i64,
        dim_count: usize,
    ) -> *mut OrtStatus;
    /// Sets the symbolic names of the dimensions.
    pub fn OrtSetSymbolicDimensions(
        info: *mut OrtTensorTypeAndShapeInfo,
        dim_params: *mut *const c_char,
        dim_params_length: usize,
    ) -> *mut OrtStatus;
    /// Gives a description back.
    pub fn OrtReleaseTensorTypeAndShapeInfo(info: *mut OrtTensorTypeAndShapeInfo);
}
