// SPDX-License-Identifier: MIT
//! Tensors over memory of the program, for as long as that is borrowed; and values to be filled.

use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;

use ortc_sys as sys;

use super::tensor::over_memory;
use super::{Element, Tensor, Value};
use crate::error::Result;
use crate::ElementType;

/// A tensor over a slice, for reading. Nothing is copied.
///
/// ```
/// let numbers = [1i64, 2, 3];
/// let tensor = ortc::TensorRef::new([3], &numbers)?;
/// assert_eq!(tensor.data::<i64>()?.as_ptr(), numbers.as_ptr());
/// # Ok::<(), ortc::Error>(())
/// ```
#[derive(Debug)]
pub struct TensorRef<'a, T: Element> {
    value: Value,
    elements: PhantomData<&'a [T]>,
}

impl<'a, T: Element> TensorRef<'a, T> {
    /// Fails when the shape does not have as many elements.
    #[doc(alias = "OrtCreateTensorWithDataAsOrtValue")]
    pub fn new(shape: impl AsRef<[i64]>, elements: &'a [T]) -> Result<Self> {
        // Only read: there is no `&mut Value` of it.
        let data = elements.as_ptr() as *mut T;
        // SAFETY: the elements are borrowed as long as the value lives.
        let value = unsafe { over_memory(shape.as_ref(), data, elements.len(), None) }?;
        Ok(TensorRef { value, elements: PhantomData })
    }
}

impl<T: Element> Deref for TensorRef<'_, T> {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.value
    }
}

/// A tensor over a slice, for writing: results can go straight into it.
#[derive(Debug)]
pub struct TensorRefMut<'a, T: Element> {
    value: Value,
    elements: PhantomData<&'a mut [T]>,
}

impl<'a, T: Element> TensorRefMut<'a, T> {
    /// Fails when the shape does not have as many elements.
    #[doc(alias = "OrtCreateTensorWithDataAsOrtValue")]
    pub fn new(shape: impl AsRef<[i64]>, elements: &'a mut [T]) -> Result<Self> {
        let (data, count) = (elements.as_mut_ptr(), elements.len());
        // SAFETY: the elements are borrowed as long as the value lives.
        let value = unsafe { over_memory(shape.as_ref(), data, count, None) }?;
        Ok(TensorRefMut { value, elements: PhantomData })
    }
}

impl<T: Element> Deref for TensorRefMut<'_, T> {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.value
    }
}

/// A value that something is going to fill: made of `&mut` [`Value`], [`Tensor`] or
/// [`TensorRefMut`].
pub struct ValueMut<'a> {
    value: *mut sys::OrtValue,
    owner: PhantomData<&'a mut Value>,
}

// SAFETY: a mutable reference to a value, which may be sent.
unsafe impl Send for ValueMut<'_> {}
// SAFETY: as above, and a shared one only reads.
unsafe impl Sync for ValueMut<'_> {}

impl ValueMut<'_> {
    pub(crate) fn as_ptr(&self) -> *mut sys::OrtValue {
        self.value
    }

    /// The value between two fillings.
    pub(crate) fn value(&self) -> crate::call::Ref<'_, Value> {
        // SAFETY: borrowed from this one.
        unsafe { Value::borrow(self.value) }
    }

    /// The elements between two fillings.
    pub(crate) fn data_mut<T: Element>(&mut self) -> Result<&mut [T]> {
        // SAFETY: never dropped, and this is the only reference; the elements outlive it.
        let mut value = ManuallyDrop::new(unsafe { Value::from_raw(self.value, None) });
        let elements: *mut [T] = value.data_mut()?;
        // SAFETY: the elements live as long as the value that is borrowed.
        Ok(unsafe { &mut *elements })
    }

    /// After the filling: makes every byte of a tensor of bool one that Rust knows, since a model
    /// may have handed through what it had in a file.
    pub(crate) fn settle(&mut self) {
        // SAFETY: never dropped, and this is the only reference.
        let mut value = ManuallyDrop::new(unsafe { Value::from_raw(self.value, None) });
        if matches!(value.element_type(), Ok(ElementType::Bool)) {
            if let Ok(bytes) = value.bytes_mut() {
                bytes.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
            }
        }
    }
}

impl<'a> From<&'a mut Value> for ValueMut<'a> {
    fn from(value: &'a mut Value) -> Self {
        ValueMut { value: value.as_ptr(), owner: PhantomData }
    }
}

impl<'a, T: Element> From<&'a mut Tensor<T>> for ValueMut<'a> {
    fn from(tensor: &'a mut Tensor<T>) -> Self {
        tensor.value_mut().into()
    }
}

impl<'a, T: Element> From<&'a mut TensorRefMut<'_, T>> for ValueMut<'a> {
    fn from(tensor: &'a mut TensorRefMut<'_, T>) -> Self {
        (&mut tensor.value).into()
    }
}
