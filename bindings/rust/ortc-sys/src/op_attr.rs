// SPDX-License-Identifier: MIT
//! `op_attr.h`. Attributes of nodes: read from a view (graph.h), or made for the model editor.

use std::os::raw::{c_char, c_int, c_void};

use crate::*;

extern "C" {
    /// Makes an attribute.
    pub fn OrtCreateOpAttr(
        name: *const c_char,
        data: *const c_void,
        len: c_int,
        type_: OrtOpAttrType,
        op_attr: *mut *mut OrtOpAttr,
    ) -> *mut OrtStatus;
    /// Gives back an attribute made with OrtCreateOpAttr().
    pub fn OrtReleaseOpAttr(op_attr: *mut OrtOpAttr);
    /// Copies the content of an attribute.
    pub fn OrtReadOpAttr(
        op_attr: *const OrtOpAttr,
        type_: OrtOpAttrType,
        data: *mut c_void,
        len: usize,
        out: *mut usize,
    ) -> *mut OrtStatus;
    /// Tells the attribute's type.
    pub fn OrtOpAttr_GetType(
        attribute: *const OrtOpAttr,
        type_: *mut OrtOpAttrType,
    ) -> *mut OrtStatus;
    /// Tells the attribute's name.
    pub fn OrtOpAttr_GetName(
        attribute: *const OrtOpAttr,
        name: *mut *const c_char,
    ) -> *mut OrtStatus;
    /// Gives the tensor of an attribute.
    pub fn OrtOpAttr_GetTensorAttributeAsOrtValue(
        attribute: *const OrtOpAttr,
        attr_tensor: *mut *mut OrtValue,
    ) -> *mut OrtStatus;
}
