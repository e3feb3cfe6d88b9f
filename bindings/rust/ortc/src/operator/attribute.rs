// SPDX-License-Identifier: MIT
//! Attributes of a node, read when its kernel is made.

use std::ffi::CStr;
use std::os::raw::c_char;
use std::ptr::{null_mut, NonNull};

use super::kernel_info::{bytes_of, list_of};
use super::KernelInfo;
use crate::error::{Error, Result};
use crate::text::{array, default_allocator, taken_text};
use crate::value::Value;
use crate::ErrorCode;

/// What [`KernelInfo::attribute`] gives: `i64`, `f32`, `String`, `Vec<u8>` (the bytes of a text),
/// vectors of the first three, and [`Value`] for a tensor.
pub trait FromAttribute: Sized + sealed::Sealed {
    #[doc(hidden)]
    fn read(info: &KernelInfo, name: &CStr) -> Result<Self>;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! attributes {
    ($($type:ty: |$info:ident, $name:ident| $read:expr;)*) => {$(
        impl sealed::Sealed for $type {}
        impl FromAttribute for $type {
            fn read($info: &KernelInfo, $name: &CStr) -> Result<Self> {
                $read
            }
        }
    )*};
}

attributes! {
    // SAFETY: the node and the name live.
    i64: |info, name| unsafe {
        get!(OrtKernelInfoGetAttribute_int64(info.as_ptr(), name.as_ptr()))
    };
    // SAFETY: as above.
    f32: |info, name| unsafe {
        get!(OrtKernelInfoGetAttribute_float(info.as_ptr(), name.as_ptr()))
    };
    Vec<u8>: |info, name| bytes_of(|out, size| {
        // SAFETY: there is room for as much as was said.
        unsafe { call!(OrtKernelInfoGetAttribute_string(info.as_ptr(), name.as_ptr(), out, size)) }
    });
    String: |info, name| utf8(name, Vec::read(info, name)?);
    Vec<i64>: |info, name| list_of(|out, size| {
        let (info, name) = (info.as_ptr(), name.as_ptr());
        // SAFETY: as above.
        unsafe { call!(OrtKernelInfoGetAttributeArray_int64(info, name, out, size)) }
    });
    Vec<f32>: |info, name| list_of(|out, size| {
        let (info, name) = (info.as_ptr(), name.as_ptr());
        // SAFETY: as above.
        unsafe { call!(OrtKernelInfoGetAttributeArray_float(info, name, out, size)) }
    });
    Vec<String>: |info, name| texts(info, name);
    Value: |info, name| {
        let (info, name, allocator) = (info.as_ptr(), name.as_ptr(), default_allocator()?);
        // SAFETY: a new value in memory of the library.
        unsafe {
            let value = get!(OrtKernelInfoGetAttribute_tensor(info, name, allocator))?;
            Ok(Value::from_raw(value, None))
        }
    };
}

fn utf8(name: &CStr, bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let message = format!("the attribute {name:?} is not UTF-8: {}", error.utf8_error());
        Error::new(ErrorCode::InvalidArgument, message).with_source(error.into())
    })
}

#[doc(alias = "OrtKernelInfoGetAttributeArray_string")]
fn texts(info: &KernelInfo, name: &CStr) -> Result<Vec<String>> {
    let allocator = default_allocator()?;
    let (mut list, mut count): (*mut *mut c_char, usize) = (null_mut(), 0);
    // SAFETY: the list has `count` texts; it and they are ours, from this allocator.
    unsafe {
        call!(OrtKernelInfoGetAttributeArray_string(
            info.as_ptr(),
            name.as_ptr(),
            allocator,
            &mut list,
            &mut count
        ))?;
        let taken: Vec<_> = array(list, count).iter().map(|text| taken_text(*text)).collect();
        if let Some(list) = NonNull::new(list) {
            call!(OrtAllocatorFree(allocator, list.as_ptr().cast()))?;
        }
        taken.into_iter().map(|text| Ok(text?.unwrap_or_default())).collect()
    }
}
