// SPDX-License-Identifier: MIT
//! Outputs of a call, to be written in place.

use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;

use ortc_sys as sys;

use crate::error::Result;
use crate::value::{Element, Value, ValueMut};
use crate::ElementType;

/// A tensor of a call that the kernel fills. It does not give its [`Value`] for changing, since
/// that is the library's: another one cannot take its place.
pub struct KernelOutput<'a> {
    value: ManuallyDrop<Value>,
    call: PhantomData<&'a ()>,
}

impl KernelOutput<'_> {
    /// # Safety
    /// `value` is a tensor that lives as long as the result, which is the only one for it.
    pub(super) unsafe fn new(value: *mut sys::OrtValue) -> Result<Self> {
        // SAFETY: as the caller promises; it is never given back.
        let mut value = ManuallyDrop::new(unsafe { Value::from_raw(value, None) });
        if value.element_type()? == ElementType::Bool {
            value.bytes_mut()?.fill(0); // not every byte is a bool
        }
        Ok(KernelOutput { value, call: PhantomData })
    }

    /// The elements for writing, in row-major order and without a copy.
    ///
    /// Fails when it is not a tensor of `T`.
    pub fn data_mut<T: Element>(&mut self) -> Result<&mut [T]> {
        self.value.data_mut()
    }

    /// The bytes of a tensor of any type but texts, for writing.
    pub fn bytes_mut(&mut self) -> Result<&mut [u8]> {
        self.value.bytes_mut()
    }

    /// Sets all elements of a tensor of texts.
    pub fn set_strings<S: AsRef<str>>(&mut self, texts: &[S]) -> Result<()> {
        self.value.set_strings(texts)
    }

    /// Sets one element of a tensor of texts, by its place in row-major order.
    pub fn set_string(&mut self, index: usize, text: &str) -> Result<()> {
        self.value.set_string(index, text)
    }
}

impl Deref for KernelOutput<'_> {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.value
    }
}

impl<'a> From<&'a mut KernelOutput<'_>> for ValueMut<'a> {
    fn from(output: &'a mut KernelOutput<'_>) -> Self {
        (&mut *output.value).into()
    }
}

impl fmt::Debug for KernelOutput<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}
