// SPDX-License-Identifier: MIT
//! Types of values, as plain data.

use std::os::raw::c_char;
use std::ptr::null;

use ortc_sys as sys;

use super::shape_ptr;
use crate::call::Owned;
use crate::error::{Error, Result};
use crate::text::{array, text, CTexts};
use crate::{ElementType, ErrorCode, ValueKind};

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TypeInfo {
    /// A dense tensor.
    Tensor(TensorType),
    /// A sparse tensor: the type of the dense tensor it stands for.
    SparseTensor(TensorType),
    /// Values of one type in an order.
    Sequence(Box<TypeInfo>),
    /// Keys and their values.
    Map {
        /// The type of the keys.
        key: ElementType,
        /// The type of the values.
        value: Box<TypeInfo>,
    },
    /// A value that may have no content.
    Optional(Box<TypeInfo>),
    /// A kind that this crate has no form for.
    Other(ValueKind),
}

/// Element type and shape of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorType {
    /// The type of the elements.
    pub element: ElementType,
    /// The dimensions; none when not even their number is known. A scalar has a shape without
    /// dimensions.
    pub shape: Option<Vec<Dimension>>,
    /// What the tensor means, as "IMAGE"; empty when the model does not say.
    pub denotation: String,
}

/// A dimension of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dimension {
    /// A size.
    Fixed(i64),
    /// A size that a run decides, with a name.
    Named(String),
    /// A size that a run decides.
    Free,
}

impl TensorType {
    /// A type with fixed sizes; -1 stands for a size that a run decides.
    pub fn new(element: ElementType, shape: impl AsRef<[i64]>) -> Self {
        let dimension = |size: &i64| match *size {
            size if size >= 0 => Dimension::Fixed(size),
            _ => Dimension::Free,
        };
        let shape = Some(shape.as_ref().iter().map(dimension).collect());
        TensorType { element, shape, denotation: String::new() }
    }

    /// The sizes, -1 for those that a run decides; empty when nothing is known.
    pub fn sizes(&self) -> Vec<i64> {
        self.shape.iter().flatten().map(Dimension::size).collect()
    }

    /// The number of elements, when all sizes are known.
    pub fn element_count(&self) -> Option<usize> {
        self.shape.as_ref()?;
        super::element_count(&self.sizes())
    }

    /// # Safety
    /// `info` lives for the call.
    #[doc(alias = "OrtTensorTypeAndShape_HasShape")]
    pub(crate) unsafe fn read(info: *const sys::OrtTensorTypeAndShapeInfo) -> Result<Self> {
        // SAFETY: as the caller promises; arrays have the room that was asked for.
        unsafe {
            let element = ElementType::from_raw(get!(OrtGetTensorElementType(info))?);
            let mut shape = None;
            if sys::OrtTensorTypeAndShape_HasShape(info) {
                let rank: usize = get!(OrtGetDimensionsCount(info))?;
                let mut sizes = vec![0i64; rank];
                let mut names: Vec<*const c_char> = vec![null(); rank];
                call!(OrtGetDimensions(info, sizes.as_mut_ptr(), rank))?;
                call!(OrtGetSymbolicDimensions(info, names.as_mut_ptr(), rank))?;
                let pairs = sizes.into_iter().zip(names);
                shape = Some(pairs.map(|(size, name)| Dimension::new(size, text(name))).collect());
            }
            Ok(TensorType { element, shape, denotation: String::new() })
        }
    }

    #[doc(alias = "OrtCreateTensorTypeAndShapeInfo")]
    pub(crate) fn create(&self) -> Result<Owned<sys::OrtTensorTypeAndShapeInfo>> {
        // SAFETY: a new object; everything is copied.
        unsafe {
            let info = Owned::new(get!(OrtCreateTensorTypeAndShapeInfo())?);
            call!(OrtSetTensorElementType(info.as_ptr(), self.element.to_raw()))?;
            if let Some(shape) = &self.shape {
                let sizes = self.sizes();
                call!(OrtSetDimensions(info.as_ptr(), shape_ptr(&sizes), sizes.len()))?;
                if shape.iter().any(|dimension| !dimension.name().is_empty()) {
                    let names = CTexts::new(shape.iter().map(Dimension::name))?;
                    let (texts, count) = (names.as_ptr() as *mut _, names.len());
                    call!(OrtSetSymbolicDimensions(info.as_ptr(), texts, count))?;
                }
            }
            Ok(info)
        }
    }
}

impl Dimension {
    fn new(size: i64, name: String) -> Self {
        match size {
            size if size >= 0 => Dimension::Fixed(size),
            _ if name.is_empty() => Dimension::Free,
            _ => Dimension::Named(name),
        }
    }

    /// The size; -1 when a run decides it.
    pub fn size(&self) -> i64 {
        match self {
            Dimension::Fixed(size) => *size,
            _ => -1,
        }
    }

    fn name(&self) -> &str {
        match self {
            Dimension::Named(name) => name,
            _ => "",
        }
    }
}

impl TypeInfo {
    /// The type of a dense tensor; -1 in the shape stands for a size that a run decides.
    pub fn tensor(element: ElementType, shape: impl AsRef<[i64]>) -> Self {
        TypeInfo::Tensor(TensorType::new(element, shape))
    }

    /// Element type and shape, when it is a dense or a sparse tensor.
    pub fn as_tensor(&self) -> Option<&TensorType> {
        match self {
            TypeInfo::Tensor(tensor) | TypeInfo::SparseTensor(tensor) => Some(tensor),
            _ => None,
        }
    }

    /// # Safety
    /// `info` lives for the call.
    #[doc(alias = "OrtGetOnnxTypeFromTypeInfo")]
    pub(crate) unsafe fn read(info: *const sys::OrtTypeInfo) -> Result<Self> {
        // SAFETY: as the caller promises; what is borrowed from it lives as long.
        unsafe {
            let kind = ValueKind::from_raw(get!(OrtGetOnnxTypeFromTypeInfo(info))?);
            Ok(match kind {
                ValueKind::Tensor => TypeInfo::Tensor(read_tensor(info)?),
                ValueKind::SparseTensor => TypeInfo::SparseTensor(read_tensor(info)?),
                ValueKind::Sequence => {
                    let sequence = get!(OrtCastTypeInfoToSequenceTypeInfo(info))?;
                    let element = read_owned(get!(OrtGetSequenceElementType(sequence)))?;
                    // Does nothing here; ONNX Runtime's rule is that it comes back.
                    sys::OrtReleaseSequenceTypeInfo(sequence as *mut _);
                    TypeInfo::Sequence(element)
                }
                ValueKind::Map => {
                    let map = get!(OrtCastTypeInfoToMapTypeInfo(info))?;
                    let key = ElementType::from_raw(get!(OrtGetMapKeyType(map))?);
                    let value = read_owned(get!(OrtGetMapValueType(map)))?;
                    sys::OrtReleaseMapTypeInfo(map as *mut _); // as above
                    TypeInfo::Map { key, value }
                }
                ValueKind::Optional => {
                    let optional = get!(OrtCastTypeInfoToOptionalTypeInfo(info))?;
                    TypeInfo::Optional(read_owned(get!(OrtGetOptionalContainedTypeInfo(optional)))?)
                }
                other => TypeInfo::Other(other),
            })
        }
    }

    #[doc(alias = "OrtCreateTensorTypeInfo")]
    pub(crate) fn create(&self) -> Result<Owned<sys::OrtTypeInfo>> {
        // SAFETY: new objects; their parts are copied.
        unsafe {
            let info = match self {
                TypeInfo::Tensor(tensor) => {
                    get!(OrtCreateTensorTypeInfo(tensor.create()?.as_ptr()))
                }
                TypeInfo::SparseTensor(tensor) => {
                    get!(OrtCreateSparseTensorTypeInfo(tensor.create()?.as_ptr()))
                }
                TypeInfo::Sequence(element) => {
                    get!(OrtCreateSequenceTypeInfo(element.create()?.as_ptr()))
                }
                TypeInfo::Map { key, value } => {
                    get!(OrtCreateMapTypeInfo(key.to_raw(), value.create()?.as_ptr()))
                }
                TypeInfo::Optional(content) => {
                    get!(OrtCreateOptionalTypeInfo(content.create()?.as_ptr()))
                }
                TypeInfo::Other(kind) => {
                    let message = format!("a type of kind {kind:?} cannot be made");
                    Err(Error::new(ErrorCode::InvalidArgument, message))
                }
            };
            Ok(Owned::new(info?))
        }
    }
}

/// # Safety
/// `info` is of a tensor and lives for the call.
#[doc(alias = "OrtGetDenotationFromTypeInfo")]
unsafe fn read_tensor(info: *const sys::OrtTypeInfo) -> Result<TensorType> {
    let (mut denotation, mut len) = (null(), 0);
    // SAFETY: as the caller promises.
    unsafe {
        let mut tensor = TensorType::read(get!(OrtCastTypeInfoToTensorInfo(info))?)?;
        call!(OrtGetDenotationFromTypeInfo(info, &mut denotation, &mut len))?;
        let bytes = array(denotation.cast::<u8>(), len);
        tensor.denotation = String::from_utf8_lossy(bytes).into_owned();
        Ok(tensor)
    }
}

/// # Safety
/// `info` is new, and ends here.
unsafe fn read_owned(info: Result<*mut sys::OrtTypeInfo>) -> Result<Box<TypeInfo>> {
    // SAFETY: as the caller promises.
    unsafe { TypeInfo::read(Owned::new(info?).as_ptr()).map(Box::new) }
}
