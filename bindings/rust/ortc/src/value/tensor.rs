// SPDX-License-Identifier: MIT
//! Dense tensors that own their elements.

use std::fmt;
use std::marker::PhantomData;
use std::mem::{align_of, size_of};
use std::ops::Deref;
use std::os::raw::c_void;
use std::sync::Arc;

use ortc_sys as sys;

use super::{element_count, shape_ptr, Element, Value};
use crate::env::Kept;
use crate::error::{Error, Result};
use crate::memory::{Allocator, Block};
use crate::text::default_allocator;
use crate::ErrorCode;

/// A dense tensor with elements of `T`, in row-major order.
///
/// ```
/// use ortc::Tensor;
///
/// let mut tensor = Tensor::from_vec([2, 3], vec![1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// tensor.data_mut()[0] = 7.0;
/// assert_eq!(tensor.shape()?, [2, 3]);
/// assert_eq!(tensor.data()[..3], [7.0, 2.0, 3.0]);
/// # Ok::<(), ortc::Error>(())
/// ```
pub struct Tensor<T: Element> {
    value: Value,
    element: PhantomData<T>,
}

impl<T: Element> Tensor<T> {
    /// A tensor over the elements of a vector. Nothing is copied.
    ///
    /// Fails when the shape does not have as many elements.
    #[doc(alias = "OrtCreateTensorWithDataAsOrtValue")]
    pub fn from_vec(shape: impl AsRef<[i64]>, mut elements: Vec<T>) -> Result<Self> {
        let (data, count) = (elements.as_mut_ptr(), elements.len());
        let kept: Kept = Arc::new(elements);
        // SAFETY: the vector does not move its elements, and the value keeps it.
        let value = unsafe { over_memory(shape.as_ref(), data, count, Some(kept)) }?;
        Ok(Self::of(value))
    }

    /// A tensor with a copy of elements, in memory of the library.
    #[doc(alias = "OrtCreateTensorAsOrtValue")]
    pub fn from_slice(shape: impl AsRef<[i64]>, elements: &[T]) -> Result<Self> {
        check_count(shape.as_ref(), elements.len())?;
        let mut tensor = Self::zeros(shape)?;
        tensor.data_mut().copy_from_slice(elements);
        Ok(tensor)
    }

    /// A tensor of zeros, in memory of the library.
    pub fn zeros(shape: impl AsRef<[i64]>) -> Result<Self> {
        Self::zeros_in(&Allocator::cpu()?, shape)
    }

    /// A tensor of zeros, in memory of an allocator.
    ///
    /// Fails for memory of a device, for which there is [`Value::allocate`].
    pub fn zeros_in(allocator: &Allocator, shape: impl AsRef<[i64]>) -> Result<Self> {
        Value::allocate(allocator, shape.as_ref(), T::TYPE)?.try_into()
    }

    /// A tensor without dimensions.
    pub fn scalar(element: T) -> Result<Self> {
        Self::from_slice([], &[element])
    }

    /// A tensor over a block of an allocator, which it takes over. Nothing is copied.
    ///
    /// Fails when the block is too small for the shape.
    ///
    /// # Safety
    /// The block was written to: as many values of `T` as the shape has elements.
    #[doc(alias = "OrtCreateTensorWithDataAndDeleterAsOrtValue")]
    pub unsafe fn from_block(shape: impl AsRef<[i64]>, block: Block) -> Result<Self> {
        let shape = shape.as_ref();
        if block.as_ptr() as usize % align_of::<T>() != 0 {
            let message = "the block is not aligned to the elements";
            return Err(Error::new(ErrorCode::InvalidArgument, message));
        }
        // SAFETY: the allocator is the block's; the value keeps it when the library does not.
        let value = unsafe {
            let value = get!(OrtCreateTensorWithDataAndDeleterAsOrtValue(
                block.allocator().as_ptr(),
                block.as_ptr().cast::<c_void>(),
                block.len(),
                shape_ptr(shape),
                shape.len(),
                T::TYPE.to_raw()
            ))?;
            Value::from_raw(value, block.allocator().kept())
        };
        block.forget();
        value.try_into()
    }

    /// The elements, without a copy.
    pub fn data(&self) -> &[T] {
        self.value.data().expect("the type was checked when the tensor was made")
    }

    /// The elements for writing, without a copy.
    pub fn data_mut(&mut self) -> &mut [T] {
        self.value.data_mut().expect("the type was checked when the tensor was made")
    }

    /// The element at a place, given as an index in each dimension.
    ///
    /// Fails when the place is outside.
    #[doc(alias = "OrtTensorAt")]
    pub fn at_mut(&mut self, place: impl AsRef<[i64]>) -> Result<&mut T> {
        let place = place.as_ref();
        // SAFETY: the element lives as long as the value, which is borrowed for writing. Bools
        // were checked when the tensor was made.
        unsafe {
            let element: *mut c_void =
                get!(OrtTensorAt(self.value.as_ptr(), shape_ptr(place), place.len()))?;
            Ok(&mut *element.cast())
        }
    }

    /// The elements as a vector; without a copy when the tensor was made of one.
    pub fn into_vec(self) -> Vec<T> {
        let (handle, kept) = self.value.into_parts();
        let vector = kept.as_ref().map_or(false, |kept| kept.is::<Vec<T>>());
        if !vector {
            // SAFETY: the parts of a moment ago.
            let value = unsafe { Value::from_raw(handle.into_raw(), kept) };
            return Self::of(value).data().to_vec();
        }
        drop(handle);
        // A clone of the handle that keeps the vector may be with options or sessions.
        match kept.and_then(|kept| kept.downcast::<Vec<T>>().ok()).map(Arc::try_unwrap) {
            Some(Ok(vector)) => vector,
            Some(Err(shared)) => shared.to_vec(),
            None => Vec::new(),
        }
    }

    /// The tensor as a value of any kind.
    pub fn into_value(self) -> Value {
        self.value
    }

    pub(super) fn of(value: Value) -> Self {
        Tensor { value, element: PhantomData }
    }

    pub(super) fn value_mut(&mut self) -> &mut Value {
        &mut self.value
    }
}

/// A value over memory of the program.
///
/// # Safety
/// `data` has `count` elements that live as long as the value.
pub(super) unsafe fn over_memory<T: Element>(
    shape: &[i64],
    data: *mut T,
    count: usize,
    kept: Option<Kept>,
) -> Result<Value> {
    check_count(shape, count)?;
    // SAFETY: as the caller promises; the description of the CPU's memory is the allocator's.
    unsafe {
        let memory: *const sys::OrtMemoryInfo = get!(OrtAllocatorGetInfo(default_allocator()?))?;
        let value = get!(OrtCreateTensorWithDataAsOrtValue(
            memory,
            data.cast::<c_void>(),
            count * size_of::<T>(),
            shape_ptr(shape),
            shape.len(),
            T::TYPE.to_raw()
        ))?;
        Ok(Value::from_raw(value, kept))
    }
}

fn check_count(shape: &[i64], count: usize) -> Result<()> {
    if element_count(shape) == Some(count) {
        return Ok(());
    }
    let message = format!("{} elements for a tensor of shape {:?}", count, shape);
    Err(Error::new(ErrorCode::InvalidArgument, message))
}

impl<T: Element> Deref for Tensor<T> {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.value
    }
}

impl<T: Element> TryFrom<Value> for Tensor<T> {
    type Error = Error;

    /// Fails when the value is not a dense tensor of `T`.
    fn try_from(value: Value) -> Result<Self> {
        value.data::<T>()?;
        Ok(Self::of(value))
    }
}

impl<T: Element> From<Tensor<T>> for Value {
    fn from(tensor: Tensor<T>) -> Value {
        tensor.value
    }
}

impl<T: Element> From<Tensor<T>> for Arc<Value> {
    fn from(tensor: Tensor<T>) -> Arc<Value> {
        Arc::new(tensor.value)
    }
}

impl<T: Element + fmt::Debug> fmt::Debug for Tensor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tensor").field("shape", &self.shape()).field("data", &self.data()).finish()
    }
}
