// SPDX-License-Identifier: MIT
//! Sparse tensors: the shape of a dense tensor, and those of its elements that are there.

use std::ops::Deref;
use std::os::raw::c_void;
use std::ptr::null;
use std::sync::Arc;

use ortc_sys as sys;

use super::{check_bytes, shape_ptr, Element, TensorType, Value};
use crate::call::Owned;
use crate::env::Kept;
use crate::error::{Error, Result};
use crate::text::{array, default_allocator, CTexts};
use crate::{ElementType, ErrorCode, SparseFormat, SparseIndices, ValueKind};

/// Where the values of a sparse tensor belong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Places {
    /// For each value its position in row-major order, or its row and column.
    Coo(Vec<i64>),
    /// Of a matrix, row by row: for each value its column, and for each row, and the end, the
    /// number of values before it.
    Csr {
        /// Columns.
        inner: Vec<i64>,
        /// Where each row starts, and the end.
        outer: Vec<i64>,
    },
    /// Blocks of values, and their rows and columns, counted as the program likes.
    Blocks {
        /// The shape of the indices: [2, n].
        shape: Vec<i64>,
        /// The coordinates.
        indices: Vec<i32>,
    },
}

/// A sparse tensor.
///
/// ```
/// use ortc::{Places, SparseTensor};
///
/// let tensor = SparseTensor::new([3, 3], [2], &[1.0f32, 2.0], &Places::Coo(vec![0, 4]))?;
/// assert_eq!(tensor.values::<f32>()?, [1.0, 2.0]);
/// assert_eq!(tensor.places()?, Places::Coo(vec![0, 4]));
/// # Ok::<(), ortc::Error>(())
/// ```
#[derive(Debug)]
pub struct SparseTensor(Value);

impl SparseTensor {
    /// A tensor with copies of values and places. `values_shape` is the shape of the values: their
    /// number, but for blocks.
    #[doc(alias = "OrtCreateSparseTensorAsOrtValue")]
    pub fn new<T: Element>(
        dense_shape: impl AsRef<[i64]>,
        values_shape: impl AsRef<[i64]>,
        values: &[T],
        places: &Places,
    ) -> Result<Self> {
        check_values(values_shape.as_ref(), values.len())?;
        let tensor = Self::allocate(dense_shape.as_ref(), T::TYPE)?;
        // SAFETY: as many values as the shape says.
        unsafe { tensor.fill(values_shape.as_ref(), values.as_ptr().cast(), places) }?;
        Ok(tensor)
    }

    /// A tensor with copies of texts.
    pub fn from_strings<S: AsRef<str>>(
        dense_shape: impl AsRef<[i64]>,
        values: &[S],
        places: &Places,
    ) -> Result<Self> {
        let tensor = Self::allocate(dense_shape.as_ref(), ElementType::String)?;
        let shape = [values.len() as i64];
        let values = CTexts::new(values)?;
        // SAFETY: as many texts as the shape says.
        unsafe { tensor.fill(&shape, values.as_ptr().cast(), places) }?;
        Ok(tensor)
    }

    /// A tensor over values and places, which it takes over. Nothing is copied.
    #[doc(alias = "OrtCreateSparseTensorWithValuesAsOrtValue")]
    pub fn from_vec<T: Element>(
        dense_shape: impl AsRef<[i64]>,
        values_shape: impl AsRef<[i64]>,
        mut values: Vec<T>,
        mut places: Places,
    ) -> Result<Self> {
        let (dense, shape) = (dense_shape.as_ref(), values_shape.as_ref());
        check_values(shape, values.len())?;
        // SAFETY: vectors do not move their elements, and the value keeps them.
        unsafe {
            let memory: *const sys::OrtMemoryInfo =
                get!(OrtAllocatorGetInfo(default_allocator()?))?;
            let value = get!(OrtCreateSparseTensorWithValuesAsOrtValue(
                memory,
                values.as_mut_ptr().cast::<c_void>(),
                shape_ptr(dense),
                dense.len(),
                shape_ptr(shape),
                shape.len(),
                T::TYPE.to_raw()
            ))?;
            let value = Owned::new(value);
            use_places(value.as_ptr(), &mut places)?;
            let kept: Kept = Arc::new((values, places));
            Ok(SparseTensor(Value::from_raw(value.into_raw(), Some(kept))))
        }
    }

    /// How the places are given; `Undefined` before they are.
    #[doc(alias = "OrtGetSparseTensorFormat")]
    pub fn format(&self) -> Result<SparseFormat> {
        // SAFETY: the value lives.
        unsafe { get!(OrtGetSparseTensorFormat(self.0.as_ptr())) }.map(SparseFormat::from_raw)
    }

    /// Element type and shape of the values.
    pub fn values_type(&self) -> Result<TensorType> {
        self.0.sparse_values_type()
    }

    /// The values, without a copy. Texts: [`Value::strings`].
    #[doc(alias = "OrtGetSparseTensorValues")]
    pub fn values<T: Element>(&self) -> Result<&[T]> {
        let tensor = self.values_type()?;
        if tensor.element != T::TYPE {
            let message = format!("the values are of {:?}, not {:?}", tensor.element, T::TYPE);
            return Err(Error::new(ErrorCode::InvalidArgument, message));
        }
        let count = tensor.element_count().unwrap_or(0);
        // SAFETY: as many values are there as long as the value lives.
        unsafe {
            let first: *const c_void = get!(OrtGetSparseTensorValues(self.0.as_ptr()))?;
            let bytes = array(first.cast::<u8>(), count * std::mem::size_of::<T>());
            check_bytes::<T>(bytes)?;
            Ok(array(first.cast(), count))
        }
    }

    /// Element type and shape of one of the parts that say where the values belong.
    #[doc(alias = "OrtGetSparseTensorIndicesTypeShape")]
    pub fn indices_type(&self, part: SparseIndices) -> Result<TensorType> {
        // SAFETY: a new object, read before it ends.
        unsafe {
            let info = get!(OrtGetSparseTensorIndicesTypeShape(self.0.as_ptr(), part.to_raw()))?;
            let info: Owned<sys::OrtTensorTypeAndShapeInfo> = Owned::new(info);
            TensorType::read(info.as_ptr())
        }
    }

    /// Where the values belong, copied.
    ///
    /// Fails when that was not given.
    pub fn places(&self) -> Result<Places> {
        match self.format()? {
            SparseFormat::Coo => Ok(Places::Coo(self.indices(SparseIndices::Coo)?)),
            SparseFormat::Csrc => Ok(Places::Csr {
                inner: self.indices(SparseIndices::CsrInner)?,
                outer: self.indices(SparseIndices::CsrOuter)?,
            }),
            SparseFormat::BlockSparse => Ok(Places::Blocks {
                shape: self.indices_type(SparseIndices::BlockSparse)?.sizes(),
                indices: self.indices(SparseIndices::BlockSparse)?,
            }),
            other => {
                let message = format!("the places of a sparse tensor are {other:?}");
                Err(Error::new(ErrorCode::InvalidArgument, message))
            }
        }
    }

    /// The tensor as a value of any kind.
    pub fn into_value(self) -> Value {
        self.0
    }

    fn allocate(dense_shape: &[i64], element: ElementType) -> Result<Self> {
        // SAFETY: the shape is copied; a new value in memory of the library.
        unsafe {
            let value = get!(OrtCreateSparseTensorAsOrtValue(
                default_allocator()?,
                shape_ptr(dense_shape),
                dense_shape.len(),
                element.to_raw()
            ))?;
            Ok(SparseTensor(Value::from_raw(value, None)))
        }
    }

    /// # Safety
    /// `values` has as many elements as `shape` says, of the tensor's type.
    #[doc(alias = "OrtFillSparseTensorCoo")]
    #[doc(alias = "OrtFillSparseTensorCsr")]
    #[doc(alias = "OrtFillSparseTensorBlockSparse")]
    unsafe fn fill(&self, shape: &[i64], values: *const c_void, places: &Places) -> Result<()> {
        let (value, dims, rank) = (self.0.as_ptr(), shape_ptr(shape), shape.len());
        // SAFETY: as the caller promises; everything is copied.
        unsafe {
            let memory: *const sys::OrtMemoryInfo =
                get!(OrtAllocatorGetInfo(default_allocator()?))?;
            match places {
                Places::Coo(indices) => call!(OrtFillSparseTensorCoo(
                    value,
                    memory,
                    dims,
                    rank,
                    values,
                    indices.as_ptr(),
                    indices.len()
                )),
                Places::Csr { inner, outer } => call!(OrtFillSparseTensorCsr(
                    value,
                    memory,
                    dims,
                    rank,
                    values,
                    inner.as_ptr(),
                    inner.len(),
                    outer.as_ptr(),
                    outer.len()
                )),
                Places::Blocks { shape, indices } => {
                    check_values(shape, indices.len())?;
                    call!(OrtFillSparseTensorBlockSparse(
                        value,
                        memory,
                        dims,
                        rank,
                        values,
                        shape_ptr(shape),
                        shape.len(),
                        indices.as_ptr()
                    ))
                }
            }
        }
    }

    #[doc(alias = "OrtGetSparseTensorIndices")]
    fn indices<I: Element>(&self, part: SparseIndices) -> Result<Vec<I>> {
        let element = self.indices_type(part)?.element;
        if element != I::TYPE {
            let message = format!("the indices are of {element:?}, not {:?}", I::TYPE);
            return Err(Error::new(ErrorCode::InvalidGraph, message));
        }
        let (mut count, mut first) = (0, null());
        // SAFETY: `count` indices of the type are there as long as the value lives.
        unsafe {
            let (value, part) = (self.0.as_ptr(), part.to_raw());
            call!(OrtGetSparseTensorIndices(value, part, &mut count, &mut first))?;
            Ok(array(first.cast(), count).to_vec())
        }
    }
}

impl Value {
    /// Element type and shape of the values of a sparse tensor.
    #[doc(alias = "OrtGetSparseTensorValuesTypeAndShape")]
    pub(super) fn sparse_values_type(&self) -> Result<TensorType> {
        // SAFETY: a new object, read before it ends.
        unsafe {
            let info = Owned::new(get!(OrtGetSparseTensorValuesTypeAndShape(self.as_ptr()))?);
            TensorType::read(info.as_ptr())
        }
    }
}

/// # Safety
/// `value` is a sparse tensor, and `places` keep their memory as long as that lives.
#[doc(alias = "OrtUseCooIndices")]
#[doc(alias = "OrtUseCsrIndices")]
#[doc(alias = "OrtUseBlockSparseIndices")]
unsafe fn use_places(value: *mut sys::OrtValue, places: &mut Places) -> Result<()> {
    // SAFETY: as the caller promises.
    unsafe {
        match places {
            Places::Coo(indices) => {
                call!(OrtUseCooIndices(value, indices.as_mut_ptr(), indices.len()))
            }
            Places::Csr { inner, outer } => call!(OrtUseCsrIndices(
                value,
                inner.as_mut_ptr(),
                inner.len(),
                outer.as_mut_ptr(),
                outer.len()
            )),
            Places::Blocks { shape, indices } => {
                check_values(shape, indices.len())?;
                let (dims, rank) = (shape_ptr(shape), shape.len());
                call!(OrtUseBlockSparseIndices(value, dims, rank, indices.as_mut_ptr()))
            }
        }
    }
}

fn check_values(shape: &[i64], count: usize) -> Result<()> {
    if super::element_count(shape) == Some(count) {
        return Ok(());
    }
    let message = format!("{} elements for the shape {:?}", count, shape);
    Err(Error::new(ErrorCode::InvalidArgument, message))
}

impl Deref for SparseTensor {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0
    }
}

impl TryFrom<Value> for SparseTensor {
    type Error = Error;

    /// Fails when the value is of another kind.
    fn try_from(value: Value) -> Result<Self> {
        match value.kind()? {
            ValueKind::SparseTensor => Ok(SparseTensor(value)),
            other => {
                let message = format!("the value is {other:?}, not SparseTensor");
                Err(Error::new(ErrorCode::InvalidArgument, message))
            }
        }
    }
}

impl From<SparseTensor> for Value {
    fn from(tensor: SparseTensor) -> Value {
        tensor.0
    }
}
