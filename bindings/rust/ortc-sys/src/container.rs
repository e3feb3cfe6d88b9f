// SPDX-License-Identifier: MIT
//! `container.h`. Sequences and maps: values made of other values.

use std::os::raw::{c_char, c_int, c_void};

use crate::*;

extern "C" {
    /// Makes a sequence or a map of other values.
    pub fn OrtCreateValue(
        input: *const *const OrtValue,
        num_values: usize,
        value_type: ONNXType,
        out: *mut *mut OrtValue,
    ) -> *mut OrtStatus;
    /// Makes a value that holds nothing: a sequence without elements, or an optional without
    /// content.
    pub fn OrtCreateEmptyValue(
        type_info: *const OrtTypeInfo,
        out: *mut *mut OrtValue,
    ) -> *mut OrtStatus;
    /// Counts what OrtGetValue() can give: the elements of a sequence; 2 for a map.
    pub fn OrtGetValueCount(value: *const OrtValue, out: *mut usize) -> *mut OrtStatus;
    /// Gives a copy of one part of a sequence or a map.
    pub fn OrtGetValue(
        value: *const OrtValue,
        index: c_int,
        allocator: *mut OrtAllocator,
        out: *mut *mut OrtValue,
    ) -> *mut OrtStatus;
    /// Would make a value of a type that only the caller knows.
    pub fn OrtCreateOpaqueValue(
        domain_name: *const c_char,
        type_name: *const c_char,
        data_container: *const c_void,
        data_container_size: usize,
        out: *mut *mut OrtValue,
    ) -> *mut OrtStatus;
    /// Would show a value of a type that only the caller knows.
    pub fn OrtGetOpaqueValue(
        domain_name: *const c_char,
        type_name: *const c_char,
        input: *const OrtValue,
        data_container: *mut c_void,
        data_container_size: usize,
    ) -> *mut OrtStatus;
}
