// SPDX-License-Identifier: MIT
//! Values: what goes into a run and comes out of it.

mod container;
mod element;
mod half;
mod sparse;
mod strings;
mod tensor;
mod tensor_ref;
mod type_info;
mod view;

use std::fmt;
use std::mem::{align_of, size_of};
use std::os::raw::{c_int, c_void};
use std::ptr::null;

use ortc_sys as sys;

pub use container::{Map, Sequence};
pub use element::Element;
pub use half::{Bf16, F16};
pub use sparse::{Places, SparseTensor};
pub use tensor::Tensor;
pub use tensor_ref::{TensorRef, TensorRefMut, ValueMut};
pub use type_info::{Dimension, TensorType, TypeInfo};
pub use view::ValueView;

use crate::call::{Owned, Ref};
use crate::env::Kept;
use crate::error::{Error, Result};
use crate::memory::{Allocator, MemoryInfo};
use crate::text::array;
use crate::{DeviceMemoryType, ElementType, ErrorCode, MemoryDeviceType, ValueKind};

/// A value of any kind: a tensor, a sequence, a map, a sparse tensor, or an optional.
///
/// [`Tensor`], [`Sequence`], [`Map`] and [`SparseTensor`] are values whose kind is known; each may
/// be used where a `&Value` is wanted.
pub struct Value {
    handle: Owned<sys::OrtValue>,
    /// The memory under the value, unless the library keeps it.
    kept: Option<Kept>,
}

impl Value {
    /// # Safety
    /// `value` is new, and `kept` has all that its content lies in and the library does not keep.
    pub(crate) unsafe fn from_raw(value: *mut sys::OrtValue, kept: Option<Kept>) -> Self {
        // SAFETY: as the caller promises.
        let handle = unsafe { Owned::new(value) };
        Value { handle, kept }
    }

    /// # Safety
    /// `value` lives as long as `'a`, and nobody writes to it.
    pub(crate) unsafe fn borrow<'a>(value: *const sys::OrtValue) -> Ref<'a, Self> {
        // SAFETY: as the caller promises; a `Ref` never gives it back, and only reads.
        unsafe { Ref::new(Self::from_raw(value as *mut _, None)) }
    }

    pub(crate) fn as_ptr(&self) -> *mut sys::OrtValue {
        self.handle.as_ptr()
    }

    /// The object alone, for functions that take it over, and the memory under it.
    pub(crate) fn into_parts(self) -> (Owned<sys::OrtValue>, Option<Kept>) {
        (self.handle, self.kept)
    }

    /// A tensor in memory of an allocator, all zeros; of texts, all empty. In memory of a device,
    /// where this process may not look, the elements are undefined.
    #[doc(alias = "OrtCreateTensorAsOrtValue")]
    pub fn allocate(allocator: &Allocator, shape: &[i64], element: ElementType) -> Result<Self> {
        // SAFETY: the shape is copied; the value keeps an allocator that the library does not.
        let mut value = unsafe {
            let (dims, rank) = (shape_ptr(shape), shape.len());
            let value =
                get!(OrtCreateTensorAsOrtValue(allocator.as_ptr(), dims, rank, element.to_raw()))?;
            Value::from_raw(value, allocator.kept())
        };
        if element != ElementType::String && value.check_on_host().is_ok() {
            let (data, bytes) = (value.data_ptr_mut()?, value.byte_len()?);
            if bytes > 0 {
                // SAFETY: that many bytes are there, and nobody else has seen them.
                unsafe { data.cast::<u8>().write_bytes(0, bytes) };
            }
        }
        Ok(value)
    }

    /// A tensor with a copy of bytes, of any type but texts. Types below a byte are packed: two or
    /// four elements in one, the first lowest.
    #[doc(alias = "OrtCreateTensorAsOrtValue")]
    pub fn from_bytes(
        shape: impl AsRef<[i64]>,
        element: ElementType,
        bytes: &[u8],
    ) -> Result<Self> {
        let mut value = Value::allocate(&Allocator::cpu()?, shape.as_ref(), element)?;
        let own = value.bytes_mut()?;
        if own.len() != bytes.len() {
            let message = format!(
                "{} bytes for a tensor of shape {:?} and type {:?}, which has {}",
                bytes.len(),
                shape.as_ref(),
                element,
                own.len()
            );
            return Err(Error::new(ErrorCode::InvalidArgument, message));
        }
        own.copy_from_slice(bytes);
        Ok(value)
    }

    /// The kind of the value. An optional is what it contains, or `Unknown` without content.
    #[doc(alias = "OrtGetValueType")]
    pub fn kind(&self) -> Result<ValueKind> {
        // SAFETY: the value lives.
        unsafe { get!(OrtGetValueType(self.as_ptr())) }.map(ValueKind::from_raw)
    }

    /// The type of the value; none without content.
    #[doc(alias = "OrtGetTypeInfo")]
    pub fn type_info(&self) -> Result<Option<TypeInfo>> {
        // SAFETY: a new object, or null.
        unsafe {
            let info: *mut sys::OrtTypeInfo = get!(OrtGetTypeInfo(self.as_ptr()))?;
            if info.is_null() {
                return Ok(None);
            }
            TypeInfo::read(Owned::new(info).as_ptr()).map(Some)
        }
    }

    /// Whether it is a dense tensor.
    #[doc(alias = "OrtIsTensor")]
    pub fn is_tensor(&self) -> Result<bool> {
        // SAFETY: the value lives.
        unsafe { get!(OrtIsTensor(self.as_ptr())) }.map(|is: c_int| is != 0)
    }

    /// Whether it is a sparse tensor.
    #[doc(alias = "OrtIsSparseTensor")]
    pub fn is_sparse_tensor(&self) -> Result<bool> {
        // SAFETY: the value lives.
        unsafe { get!(OrtIsSparseTensor(self.as_ptr())) }.map(|is: c_int| is != 0)
    }

    /// Whether there is content: an optional value may have none.
    #[doc(alias = "OrtHasValue")]
    pub fn has_content(&self) -> Result<bool> {
        // SAFETY: the value lives.
        unsafe { get!(OrtHasValue(self.as_ptr())) }.map(|has: c_int| has != 0)
    }

    /// Element type and shape of a tensor, dense or sparse, without making anything.
    #[doc(alias = "OrtGetTensorElementTypeAndShapeDataReference")]
    pub(crate) fn element_and_shape(&self) -> Result<(ElementType, &[i64])> {
        let (mut element, mut dims, mut rank) = (0, null(), 0);
        // SAFETY: the shape has `rank` sizes and lives as long as the value.
        unsafe {
            call!(OrtGetTensorElementTypeAndShapeDataReference(
                self.as_ptr(),
                &mut element,
                &mut dims,
                &mut rank
            ))?;
            Ok((ElementType::from_raw(element), array(dims, rank)))
        }
    }

    /// The element type of a tensor, dense or sparse.
    pub fn element_type(&self) -> Result<ElementType> {
        Ok(self.element_and_shape()?.0)
    }

    /// The sizes of the dimensions of a tensor; none for a scalar.
    pub fn shape(&self) -> Result<&[i64]> {
        Ok(self.element_and_shape()?.1)
    }

    /// The type of a tensor; of a sparse one that of the dense tensor it stands for.
    #[doc(alias = "OrtGetTensorTypeAndShape")]
    pub fn tensor_type(&self) -> Result<TensorType> {
        // SAFETY: a new object, read before it ends.
        unsafe {
            let info = Owned::new(get!(OrtGetTensorTypeAndShape(self.as_ptr()))?);
            TensorType::read(info.as_ptr())
        }
    }

    /// The number of elements of a tensor, 1 for a scalar.
    #[doc(alias = "OrtGetTensorShapeElementCount")]
    pub fn element_count(&self) -> Result<usize> {
        // SAFETY: a new object, read before it ends.
        unsafe {
            let info = Owned::new(get!(OrtGetTensorTypeAndShape(self.as_ptr()))?);
            get!(OrtGetTensorShapeElementCount(info.as_ptr()))
        }
    }

    /// How many bytes the elements of a tensor take; elements below a byte are packed.
    #[doc(alias = "OrtGetTensorSizeInBytes")]
    pub fn byte_len(&self) -> Result<usize> {
        // SAFETY: the value lives.
        unsafe { get!(OrtGetTensorSizeInBytes(self.as_ptr())) }
    }

    /// In which memory the elements of a tensor lie.
    #[doc(alias = "OrtGetTensorMemoryInfo")]
    pub fn memory_info(&self) -> Result<Ref<'_, MemoryInfo>> {
        // SAFETY: the description lives as long as the value.
        unsafe {
            let info = get!(OrtGetTensorMemoryInfo(self.as_ptr()))?;
            Ok(MemoryInfo::borrow(info))
        }
    }

    /// The elements of a tensor, in row-major order and without a copy.
    ///
    /// Fails when it is not a tensor of `T`.
    #[doc(alias = "OrtGetTensorData")]
    pub fn data<T: Element>(&self) -> Result<&[T]> {
        self.check_element::<T>()?;
        let bytes = self.bytes()?;
        check_bytes::<T>(bytes)?;
        // SAFETY: aligned values of the type, as was checked; they live as long as the value.
        Ok(unsafe { array(bytes.as_ptr().cast(), bytes.len() / size_of::<T>()) })
    }

    /// The elements of a tensor for writing, in row-major order and without a copy.
    #[doc(alias = "OrtGetTensorMutableData")]
    pub fn data_mut<T: Element>(&mut self) -> Result<&mut [T]> {
        self.check_element::<T>()?;
        let bytes = self.bytes_mut()?;
        check_bytes::<T>(bytes)?;
        let (first, count) = (bytes.as_mut_ptr().cast(), bytes.len() / size_of::<T>());
        // SAFETY: as in `data`; no bytes are at an aligned address, too.
        Ok(unsafe { std::slice::from_raw_parts_mut(first, count) })
    }

    /// The bytes of a tensor of any type but texts.
    pub fn bytes(&self) -> Result<&[u8]> {
        let size = self.byte_len()?;
        self.check_on_host()?;
        // SAFETY: that many bytes are there as long as the value lives.
        unsafe {
            let data: *const c_void = get!(OrtGetTensorData(self.as_ptr()))?;
            Ok(if size == 0 { empty() } else { array(data.cast(), size) })
        }
    }

    /// The bytes of a tensor of any type but texts, for writing.
    pub fn bytes_mut(&mut self) -> Result<&mut [u8]> {
        let (data, size) = (self.data_ptr_mut()?, self.byte_len()?);
        self.check_on_host()?;
        if size == 0 {
            return Ok(empty_mut());
        }
        // SAFETY: as in `bytes`, and the value is borrowed for writing.
        Ok(unsafe { std::slice::from_raw_parts_mut(data.cast(), size) })
    }

    fn data_ptr_mut(&mut self) -> Result<*mut c_void> {
        // SAFETY: the value lives.
        unsafe { get!(OrtGetTensorMutableData(self.as_ptr())) }
    }

    fn check_on_host(&self) -> Result<()> {
        let memory = self.memory_info()?;
        if memory.device_type() == MemoryDeviceType::Cpu
            || memory.device_memory_type() == DeviceMemoryType::HostAccessible
        {
            return Ok(());
        }
        let text = "the tensor lies in memory of a device: copy it to one of the host first";
        Err(Error::new(ErrorCode::InvalidArgument, text))
    }

    fn check_element<T: Element>(&self) -> Result<()> {
        let element = self.element_type()?;
        if element == T::TYPE {
            return Ok(());
        }
        let message = format!("the tensor has elements of {element:?}, not {:?}", T::TYPE);
        Err(Error::new(ErrorCode::InvalidArgument, message))
    }
}

/// Whether bytes may be read as elements: foreign memory may not be aligned, and a bool is 0 or 1.
fn check_bytes<T: Element>(bytes: &[u8]) -> Result<()> {
    let problem = if bytes.as_ptr() as usize % align_of::<T>() != 0 {
        "the memory of the tensor is not aligned to its elements"
    } else if !T::are_valid(bytes) {
        "a tensor of bool has a byte that is neither 0 nor 1"
    } else {
        return Ok(());
    };
    Err(Error::new(ErrorCode::InvalidGraph, problem))
}

/// No bytes, at an address that suits each type.
fn empty() -> &'static [u8] {
    static NOTHING: [u64; 0] = [];
    // SAFETY: no bytes.
    unsafe { std::slice::from_raw_parts(NOTHING.as_ptr().cast(), 0) }
}

fn empty_mut() -> &'static mut [u8] {
    let aligned = std::ptr::NonNull::<u64>::dangling();
    // SAFETY: no bytes.
    unsafe { std::slice::from_raw_parts_mut(aligned.as_ptr().cast(), 0) }
}

/// A shape for C: null for a scalar.
pub(crate) fn shape_ptr(shape: &[i64]) -> *const i64 {
    if shape.is_empty() {
        null()
    } else {
        shape.as_ptr()
    }
}

/// The number of elements of a shape; none when it is negative or too large.
pub(crate) fn element_count(shape: &[i64]) -> Option<usize> {
    let mut sizes = shape.iter().map(|size| usize::try_from(*size).ok());
    sizes.try_fold(1usize, |count, size| count.checked_mul(size?))
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Value");
        match (self.kind(), self.element_and_shape()) {
            (_, Ok((element, shape))) => debug.field("element", &element).field("shape", &shape),
            (kind, _) => debug.field("kind", &kind),
        };
        debug.finish()
    }
}
