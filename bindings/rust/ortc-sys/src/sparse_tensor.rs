// SPDX-License-Identifier: MIT
//! `sparse_tensor.h`. Sparse tensors: the shape of a dense tensor, and those of its elements that
//! are there.

use std::os::raw::{c_int, c_void};

use crate::*;

extern "C" {
    /// Says whether a value is a sparse tensor.
    pub fn OrtIsSparseTensor(value: *const OrtValue, out: *mut c_int) -> *mut OrtStatus;
    /// Makes an empty sparse tensor, for one of the Fill functions.
    pub fn OrtCreateSparseTensorAsOrtValue(
        allocator: *mut OrtAllocator,
        dense_shape: *const i64,
        dense_shape_len: usize,
        type_: ONNXTensorElementDataType,
        out: *mut *mut OrtValue,
    ) -> *mut OrtStatus;
    /// Gives a sparse tensor values at positions or coordinates.
    pub fn OrtFillSparseTensorCoo(
        ort_value: *mut OrtValue,
        data_mem_info: *const OrtMemoryInfo,
        values_shape: *const i64,
        values_shape_len: usize,
        values: *const c_void,
        indices_data: *const i64,
        indices_num: usize,
    ) -> *mut OrtStatus;
    /// Gives a sparse matrix values in rows.
    pub fn OrtFillSparseTensorCsr(
        ort_value: *mut OrtValue,
        data_mem_info: *const OrtMemoryInfo,
        values_shape: *const i64,
        values_shape_len: usize,
        values: *const c_void,
        inner_indices_data: *const i64,
        inner_indices_num: usize,
        outer_indices_data: *const i64,
        outer_indices_num: usize,
    ) -> *mut OrtStatus;
    /// Gives a sparse tensor values in blocks.
    pub fn OrtFillSparseTensorBlockSparse(
        ort_value: *mut OrtValue,
        data_mem_info: *const OrtMemoryInfo,
        values_shape: *const i64,
        values_shape_len: usize,
        values: *const c_void,
        indices_shape_data: *const i64,
        indices_shape_len: usize,
        indices_data: *const i32,
    ) -> *mut OrtStatus;
    /// Makes a sparse tensor over values of the caller, for one of the Use functions.
    pub fn OrtCreateSparseTensorWithValuesAsOrtValue(
        info: *const OrtMemoryInfo,
        p_data: *mut c_void,
        dense_shape: *const i64,
        dense_shape_len: usize,
        values_shape: *const i64,
        values_shape_len: usize,
        type_: ONNXTensorElementDataType,
        out: *mut *mut OrtValue,
    ) -> *mut OrtStatus;
    /// Sets positions or coordinates for the values of a sparse tensor.
    pub fn OrtUseCooIndices(
        ort_value: *mut OrtValue,
        indices_data: *mut i64,
        indices_num: usize,
    ) -> *mut OrtStatus;
    /// Sets columns and row starts for the values of a sparse matrix.
    pub fn OrtUseCsrIndices(
        ort_value: *mut OrtValue,
        inner_data: *mut i64,
        inner_num: usize,
        outer_data: *mut i64,
        outer_num: usize,
    ) -> *mut OrtStatus;
    /// Sets the coordinates of blocks.
    pub fn OrtUseBlockSparseIndices(
        ort_value: *mut OrtValue,
        indices_shape: *const i64,
        indices_shape_len: usize,
        indices_data: *mut i32,
    ) -> *mut OrtStatus;
    /// Tells the format; ORT_SPARSE_UNDEFINED before places were given.
    pub fn OrtGetSparseTensorFormat(
        ort_value: *const OrtValue,
        out: *mut OrtSparseFormat,
    ) -> *mut OrtStatus;
    /// Gives element type and shape of the values.
    pub fn OrtGetSparseTensorValuesTypeAndShape(
        ort_value: *const OrtValue,
        out: *mut *mut OrtTensorTypeAndShapeInfo,
    ) -> *mut OrtStatus;
    /// Shows the values for reading.
    pub fn OrtGetSparseTensorValues(
        ort_value: *const OrtValue,
        out: *mut *const c_void,
    ) -> *mut OrtStatus;
    /// Gives element type and shape of one of the parts that say where the values belong.
    pub fn OrtGetSparseTensorIndicesTypeShape(
        ort_value: *const OrtValue,
        indices_format: OrtSparseIndicesFormat,
        out: *mut *mut OrtTensorTypeAndShapeInfo,
    ) -> *mut OrtStatus;
    /// Shows one of the parts that say where the values belong: int64, of blocks int32.
    pub fn OrtGetSparseTensorIndices(
        ort_value: *const OrtValue,
        indices_format: OrtSparseIndicesFormat,
        num_indices: *mut usize,
        indices: *mut *const c_void,
    ) -> *mut OrtStatus;
}
