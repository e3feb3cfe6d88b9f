// SPDX-License-Identifier: MIT
//! What a kernel is told of its node when it is made.

use std::fmt;
use std::os::raw::{c_char, c_int};
use std::ptr::{null, null_mut};

use ortc_sys as sys;

use super::FromAttribute;
use crate::call::{Owned, Ref};
use crate::env::Logger;
use crate::error::Result;
use crate::key_values::KeyValuePairs;
use crate::memory::Allocator;
use crate::text::c_text;
use crate::value::{TypeInfo, Value};
use crate::MemType;

/// The node that a kernel is made for. A copy may be kept: [`try_clone`](Self::try_clone).
pub struct KernelInfo(Owned<sys::OrtKernelInfo>);

impl KernelInfo {
    /// The name of the node, which may be empty.
    #[doc(alias = "OrtKernelInfo_GetNodeName")]
    pub fn node_name(&self) -> Result<String> {
        text_of(|out, size| {
            // SAFETY: there is room for as much as was said.
            unsafe { call!(OrtKernelInfo_GetNodeName(self.as_ptr(), out, size)) }
        })
    }

    /// The name of the operator.
    #[doc(alias = "OrtKernelInfo_GetOperatorType")]
    pub fn operator(&self) -> Result<String> {
        text_of(|out, size| {
            // SAFETY: there is room for as much as was said.
            unsafe { call!(OrtKernelInfo_GetOperatorType(self.as_ptr(), out, size)) }
        })
    }

    /// The domain of the operator.
    #[doc(alias = "OrtKernelInfo_GetOperatorDomain")]
    pub fn domain(&self) -> Result<String> {
        text_of(|out, size| {
            // SAFETY: there is room for as much as was said.
            unsafe { call!(OrtKernelInfo_GetOperatorDomain(self.as_ptr(), out, size)) }
        })
    }

    /// The opset version from which the operator is as it is.
    #[doc(alias = "OrtKernelInfo_GetOperatorSinceVersion")]
    pub fn since_version(&self) -> Result<i32> {
        // SAFETY: the node lives.
        unsafe { get!(OrtKernelInfo_GetOperatorSinceVersion(self.as_ptr())) }
    }

    /// How many inputs the node has, omitted ones included.
    #[doc(alias = "OrtKernelInfo_GetInputCount")]
    pub fn input_count(&self) -> Result<usize> {
        // SAFETY: the node lives.
        unsafe { get!(OrtKernelInfo_GetInputCount(self.as_ptr())) }
    }

    /// How many outputs the node has, omitted ones included.
    #[doc(alias = "OrtKernelInfo_GetOutputCount")]
    pub fn output_count(&self) -> Result<usize> {
        // SAFETY: the node lives.
        unsafe { get!(OrtKernelInfo_GetOutputCount(self.as_ptr())) }
    }

    /// The name of an input; empty for one that is omitted.
    #[doc(alias = "OrtKernelInfo_GetInputName")]
    pub fn input_name(&self, index: usize) -> Result<String> {
        text_of(|out, size| {
            // SAFETY: there is room for as much as was said.
            unsafe { call!(OrtKernelInfo_GetInputName(self.as_ptr(), index, out, size)) }
        })
    }

    /// The name of an output; empty for one that is omitted.
    #[doc(alias = "OrtKernelInfo_GetOutputName")]
    pub fn output_name(&self, index: usize) -> Result<String> {
        text_of(|out, size| {
            // SAFETY: there is room for as much as was said.
            unsafe { call!(OrtKernelInfo_GetOutputName(self.as_ptr(), index, out, size)) }
        })
    }

    /// The type of an input as far as the model tells it.
    ///
    /// Fails with `InvalidGraph` when the input is omitted or its type unknown.
    #[doc(alias = "OrtKernelInfo_GetInputTypeInfo")]
    pub fn input_type(&self, index: usize) -> Result<TypeInfo> {
        // SAFETY: a new object, read before it ends.
        unsafe {
            let info = Owned::new(get!(OrtKernelInfo_GetInputTypeInfo(self.as_ptr(), index))?);
            TypeInfo::read(info.as_ptr())
        }
    }

    /// The type of an output as far as the model tells it. Fails like
    /// [`input_type`](Self::input_type).
    #[doc(alias = "OrtKernelInfo_GetOutputTypeInfo")]
    pub fn output_type(&self, index: usize) -> Result<TypeInfo> {
        // SAFETY: a new object, read before it ends.
        unsafe {
            let info = Owned::new(get!(OrtKernelInfo_GetOutputTypeInfo(self.as_ptr(), index))?);
            TypeInfo::read(info.as_ptr())
        }
    }

    /// An input that is the same at every run; none when it is not.
    #[doc(alias = "OrtKernelInfoGetConstantInput_tensor")]
    pub fn constant_input(&self, index: usize) -> Result<Option<Ref<'_, Value>>> {
        let (mut is_constant, mut value): (c_int, _) = (0, null());
        // SAFETY: the value lives as long as the node's description.
        unsafe {
            call!(OrtKernelInfoGetConstantInput_tensor(
                self.as_ptr(),
                index,
                &mut is_constant,
                &mut value
            ))?;
            Ok((!value.is_null()).then(|| Value::borrow(value)))
        }
    }

    /// Reads an attribute.
    ///
    /// Fails with `Fail` when the node has none of that name and type.
    #[doc(alias = "OrtKernelInfoGetAttribute_float")]
    pub fn attribute<T: FromAttribute>(&self, name: &str) -> Result<T> {
        T::read(self, &c_text(name)?)
    }

    /// Reads an attribute that the node may do without. One of another type is a failure.
    pub fn optional_attribute<T: FromAttribute>(&self, name: &str) -> Result<Option<T>> {
        match self.attribute(name) {
            Ok(value) => Ok(Some(value)),
            Err(_) if !self.has_attribute(name) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether the node has an attribute of that name, of any type that can be read here.
    pub fn has_attribute(&self, name: &str) -> bool {
        self.attribute::<i64>(name).is_ok()
            || self.attribute::<f32>(name).is_ok()
            || self.attribute::<Vec<u8>>(name).is_ok()
            || self.attribute::<Vec<i64>>(name).is_ok()
            || self.attribute::<Vec<f32>>(name).is_ok()
            || self.attribute::<Vec<String>>(name).is_ok()
            || self.attribute::<Value>(name).is_ok()
    }

    /// The log of the session.
    #[doc(alias = "OrtKernelInfo_GetLogger")]
    pub fn logger(&self) -> Result<Logger<'_>> {
        // SAFETY: the logger lives as long as the node's description.
        unsafe {
            get!(OrtKernelInfo_GetLogger(self.as_ptr())).map(|logger| Logger::from_raw(logger))
        }
    }

    /// An allocator of the memory that the kernel works in.
    #[doc(alias = "OrtKernelInfoGetAllocator")]
    pub fn allocator(&self, memory: MemType) -> Result<Allocator> {
        // SAFETY: a new object.
        unsafe {
            let allocator = get!(OrtKernelInfoGetAllocator(self.as_ptr(), memory.to_raw()))?;
            Ok(Allocator::of_kernel(Owned::new(allocator)))
        }
    }

    /// The config entries of the session.
    #[doc(alias = "OrtKernelInfo_GetConfigEntries")]
    pub fn config_entries(&self) -> Result<KeyValuePairs> {
        // SAFETY: a new list.
        unsafe {
            get!(OrtKernelInfo_GetConfigEntries(self.as_ptr()))
                .map(|list| KeyValuePairs::from_raw(list))
        }
    }

    /// A copy that may be kept when the kernel was made.
    #[doc(alias = "OrtCopyKernelInfo")]
    #[doc(alias = "OrtReleaseKernelInfo")]
    pub fn try_clone(&self) -> Result<Self> {
        // SAFETY: a new object.
        unsafe { get!(OrtCopyKernelInfo(self.as_ptr())).map(|copy| KernelInfo(Owned::new(copy))) }
    }

    pub(super) fn as_ptr(&self) -> *const sys::OrtKernelInfo {
        self.0.as_ptr()
    }

    /// # Safety
    /// `info` lives as long as `'a`.
    pub(super) unsafe fn borrow<'a>(info: *const sys::OrtKernelInfo) -> Ref<'a, Self> {
        // SAFETY: as the caller promises; a `Ref` never gives it back.
        unsafe { Ref::new(KernelInfo(Owned::new(info as *mut _))) }
    }
}

impl fmt::Debug for KernelInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KernelInfo")
            .field("node_name", &self.node_name())
            .field("operator", &self.operator())
            .finish()
    }
}

/// The bytes of a text that a function copies, which is asked with null for the room.
pub(super) fn bytes_of(copy: impl Fn(*mut c_char, *mut usize) -> Result<()>) -> Result<Vec<u8>> {
    let mut bytes: Vec<u8> = list_of(|out: *mut u8, size| copy(out.cast(), size))?;
    bytes.pop(); // the end mark
    Ok(bytes)
}

/// The elements of a list that a function copies, which is asked with null for the room.
pub(super) fn list_of<T: Copy + Default>(
    copy: impl Fn(*mut T, *mut usize) -> Result<()>,
) -> Result<Vec<T>> {
    let mut size = 0;
    copy(null_mut(), &mut size)?;
    let mut list = vec![T::default(); size];
    copy(list.as_mut_ptr(), &mut size)?;
    Ok(list)
}

fn text_of(copy: impl Fn(*mut c_char, *mut usize) -> Result<()>) -> Result<String> {
    Ok(String::from_utf8_lossy(&bytes_of(copy)?).into_owned())
}
