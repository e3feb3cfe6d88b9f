// SPDX-License-Identifier: MIT
//! `value.h`. Values: what goes into a run and comes out of it.

use std::os::raw::{c_char, c_int, c_void};

use crate::*;

extern "C" {
    /// Makes a tensor over memory of the caller.
    pub fn OrtCreateTensorWithDataAsOrtValue(
        info: *const OrtMemoryInfo,
        p_data: *mut c_void,
        p_data_len: usize,
        shape: *const i64,
        shape_len: usize,
        type_: ONNXTensorElementDataType,
        out: *mut *mut OrtValue,
    ) -> *mut OrtStatus;
    /// Makes a tensor with memory of its own.
    pub fn OrtCreateTensorAsOrtValue(
        allocator: *mut OrtAllocator,
        shape: *const i64,
        shape_len: usize,
        type_: ONNXTensorElementDataType,
        out: *mut *mut OrtValue,
    ) -> *mut OrtStatus;
    /// Makes a tensor over memory that the value takes over.
    pub fn OrtCreateTensorWithDataAndDeleterAsOrtValue(
        deleter: *mut OrtAllocator,
        p_data: *mut c_void,
        p_data_len: usize,
        shape: *const i64,
        shape_len: usize,
        type_: ONNXTensorElementDataType,
        out: *mut *mut OrtValue,
    ) -> *mut OrtStatus;
    /// Gives a value back.
    pub fn OrtReleaseValue(value: *mut OrtValue);
    /// Shows the elements of a tensor for reading and writing.
    pub fn OrtGetTensorMutableData(value: *mut OrtValue, out: *mut *mut c_void) -> *mut OrtStatus;
    /// Shows the elements of a tensor for reading.
    pub fn OrtGetTensorData(value: *const OrtValue, out: *mut *const c_void) -> *mut OrtStatus;
    /// Shows one element of a tensor for reading and writing.
    pub fn OrtTensorAt(
        value: *mut OrtValue,
        location_values: *const i64,
        location_values_count: usize,
        out: *mut *mut c_void,
    ) -> *mut OrtStatus;
    /// Tells how many bytes the elements of a tensor take; elements below a byte are packed.
    pub fn OrtGetTensorSizeInBytes(ort_value: *const OrtValue, size: *mut usize) -> *mut OrtStatus;
    /// Gives element type and shape of a tensor; of a sparse one those of the dense tensor it
    /// stands for.
    pub fn OrtGetTensorTypeAndShape(
        value: *const OrtValue,
        out: *mut *mut OrtTensorTypeAndShapeInfo,
    ) -> *mut OrtStatus;
    /// Shows element type and shape of a tensor, dense or sparse, without making anything.
    pub fn OrtGetTensorElementTypeAndShapeDataReference(
        value: *const OrtValue,
        elem_type: *mut ONNXTensorElementDataType,
        shape_data: *mut *const i64,
        shape_data_count: *mut usize,
    ) -> *mut OrtStatus;
    /// Gives the type of a value of any kind.
    pub fn OrtGetTypeInfo(value: *const OrtValue, out: *mut *mut OrtTypeInfo) -> *mut OrtStatus;
    /// Tells the kind of a value.
    pub fn OrtGetValueType(value: *const OrtValue, out: *mut ONNXType) -> *mut OrtStatus;
    /// Says whether a value is a dense tensor.
    pub fn OrtIsTensor(value: *const OrtValue, out: *mut c_int) -> *mut OrtStatus;
    /// Says whether there is content: an optional value may have none.
    pub fn OrtHasValue(value: *const OrtValue, out: *mut c_int) -> *mut OrtStatus;
    /// Tells in which memory the elements of a tensor lie.
    pub fn OrtGetTensorMemoryInfo(
        value: *const OrtValue,
        mem_info: *mut *const OrtMemoryInfo,
    ) -> *mut OrtStatus;
    /// Sets all elements.
    pub fn OrtFillStringTensor(
        value: *mut OrtValue,
        s: *const *const c_char,
        s_len: usize,
    ) -> *mut OrtStatus;
    /// Sets one element.
    pub fn OrtFillStringTensorElement(
        value: *mut OrtValue,
        s: *const c_char,
        index: usize,
    ) -> *mut OrtStatus;
    /// Tells how many bytes all elements take together, without terminators.
    pub fn OrtGetStringTensorDataLength(value: *const OrtValue, len: *mut usize) -> *mut OrtStatus;
    /// Copies all elements, one after the other and without terminators.
    pub fn OrtGetStringTensorContent(
        value: *const OrtValue,
        s: *mut c_void,
        s_len: usize,
        offsets: *mut usize,
        offsets_len: usize,
    ) -> *mut OrtStatus;
    /// Tells how many bytes one element takes, without terminator.
    pub fn OrtGetStringTensorElementLength(
        value: *const OrtValue,
        index: usize,
        out: *mut usize,
    ) -> *mut OrtStatus;
    /// Copies one element, without terminator.
    pub fn OrtGetStringTensorElement(
        value: *const OrtValue,
        s_len: usize,
        index: usize,
        s: *mut c_void,
    ) -> *mut OrtStatus;
    /// Gives one element a length and shows its bytes for writing.
    pub fn OrtGetResizedStringTensorElementBuffer(
        value: *mut OrtValue,
        index: usize,
        length_in_bytes: usize,
        buffer: *mut *mut c_char,
    ) -> *mut OrtStatus;
}
