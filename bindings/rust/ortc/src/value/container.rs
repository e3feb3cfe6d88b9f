// SPDX-License-Identifier: MIT
//! Sequences and maps: values made of other values. They do not change once they were made.

use std::ops::Deref;
use std::os::raw::{c_int, c_void};

use super::{TypeInfo, Value};
use crate::error::{Error, Result};
use crate::memory::Allocator;
use crate::text::c_text;
use crate::{ErrorCode, ValueKind};

impl Value {
    /// A value that holds nothing: a sequence without elements, or an optional without content, of
    /// a type that is usually that of a session's input.
    #[doc(alias = "OrtCreateEmptyValue")]
    pub fn empty(type_info: &TypeInfo) -> Result<Self> {
        let info = type_info.create()?;
        // SAFETY: the type is borrowed for the call; a new value.
        unsafe {
            let value = get!(OrtCreateEmptyValue(info.as_ptr()))?;
            Ok(Value::from_raw(value, None))
        }
    }

    /// A value of a type that only the program knows. Always fails with `NotImplemented`: this
    /// library has no operators for such.
    #[doc(alias = "OrtCreateOpaqueValue")]
    pub fn opaque(domain: &str, type_name: &str, data: &[u8]) -> Result<Self> {
        let (domain, type_name) = (c_text(domain)?, c_text(type_name)?);
        // SAFETY: the data are borrowed for the call.
        unsafe {
            let (data, size) = (data.as_ptr().cast::<c_void>(), data.len());
            let value =
                get!(OrtCreateOpaqueValue(domain.as_ptr(), type_name.as_ptr(), data, size))?;
            Ok(Value::from_raw(value, None))
        }
    }

    /// Copies what is in a value of a type that only the program knows. Always fails with
    /// `NotImplemented`.
    #[doc(alias = "OrtGetOpaqueValue")]
    pub fn read_opaque(&self, domain: &str, type_name: &str, data: &mut [u8]) -> Result<()> {
        let (domain, type_name) = (c_text(domain)?, c_text(type_name)?);
        let (room, size) = (data.as_mut_ptr().cast(), data.len());
        // SAFETY: there is room for as many bytes.
        unsafe {
            let (domain, type_name) = (domain.as_ptr(), type_name.as_ptr());
            call!(OrtGetOpaqueValue(domain, type_name, self.as_ptr(), room, size))
        }
    }

    /// Copies of the elements of a sequence.
    ///
    /// Fails when the value is not a sequence.
    pub fn to_sequence(&self) -> Result<Vec<Value>> {
        self.check_kind(ValueKind::Sequence)?;
        (0..self.part_count()?).map(|index| self.part(index)).collect()
    }

    /// How many parts [`part`](Self::part) can give: the elements of a sequence; 2 of a map.
    #[doc(alias = "OrtGetValueCount")]
    pub(crate) fn part_count(&self) -> Result<usize> {
        // SAFETY: the value lives.
        unsafe { get!(OrtGetValueCount(self.as_ptr())) }
    }

    /// A copy of one part.
    #[doc(alias = "OrtGetValue")]
    pub(crate) fn part(&self, index: usize) -> Result<Value> {
        let allocator = Allocator::cpu()?;
        let index = c_int::try_from(index)
            .map_err(|_| Error::new(ErrorCode::InvalidArgument, format!("no part {index}")))?;
        // SAFETY: a new value in memory of the library.
        unsafe {
            let value = get!(OrtGetValue(self.as_ptr(), index, allocator.as_ptr()))?;
            Ok(Value::from_raw(value, None))
        }
    }

    #[doc(alias = "OrtCreateValue")]
    fn of_parts(parts: &[&Value], kind: ValueKind) -> Result<Value> {
        let parts: Vec<_> = parts.iter().map(|value| value.as_ptr() as *const _).collect();
        // SAFETY: the parts are copied; a new value.
        unsafe {
            let value = get!(OrtCreateValue(parts.as_ptr(), parts.len(), kind.to_raw()))?;
            Ok(Value::from_raw(value, None))
        }
    }

    fn of_kind(self, kind: ValueKind) -> Result<Value> {
        self.check_kind(kind).map(|()| self)
    }

    fn check_kind(&self, kind: ValueKind) -> Result<()> {
        let own = self.kind()?;
        if own == kind {
            return Ok(());
        }
        let message = format!("the value is {own:?}, not {kind:?}");
        Err(Error::new(ErrorCode::InvalidArgument, message))
    }
}

/// Values of one type in an order.
///
/// ```
/// use ortc::{Sequence, Tensor};
///
/// let (one, two) = (Tensor::scalar(1i64)?, Tensor::scalar(2i64)?);
/// let sequence = Sequence::new(&[&one, &two])?;
/// assert_eq!(sequence.len()?, 2);
/// assert_eq!(sequence.get(1)?.data::<i64>()?, [2]);
/// # Ok::<(), ortc::Error>(())
/// ```
#[derive(Debug)]
pub struct Sequence(Value);

impl Sequence {
    /// Copies tensors of one element type, or maps of one type; one or more. A sequence without
    /// elements: [`Value::empty`].
    pub fn new(elements: &[&Value]) -> Result<Self> {
        Value::of_parts(elements, ValueKind::Sequence).map(Sequence)
    }

    /// How many elements there are.
    pub fn len(&self) -> Result<usize> {
        self.0.part_count()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }

    /// A copy of an element.
    pub fn get(&self, index: usize) -> Result<Value> {
        self.0.part(index)
    }

    /// Copies of all elements.
    pub fn to_vec(&self) -> Result<Vec<Value>> {
        (0..self.len()?).map(|index| self.get(index)).collect()
    }

    /// The sequence as a value of any kind.
    pub fn into_value(self) -> Value {
        self.0
    }
}

/// Keys and their values.
///
/// ```
/// use ortc::{Map, Tensor};
///
/// let map = Map::new(
///     &*Tensor::from_vec([2], vec![7i64, 3])?,
///     &*Tensor::from_vec([2], vec![0.75f32, 0.25])?,
/// )?;
/// assert_eq!(map.keys()?.data::<i64>()?, [3, 7]);
/// assert_eq!(map.values()?.data::<f32>()?, [0.25, 0.75]);
/// # Ok::<(), ortc::Error>(())
/// ```
#[derive(Debug)]
pub struct Map(Value);

impl Map {
    /// Copies two tensors of one dimension and equal length: the keys, of i64 or texts, and their
    /// values, of i64, f32, f64 or texts. Of a key that stands there twice the first value counts.
    pub fn new(keys: &Value, values: &Value) -> Result<Self> {
        Value::of_parts(&[keys, values], ValueKind::Map).map(Map)
    }

    /// The keys as a tensor; they ascend.
    pub fn keys(&self) -> Result<Value> {
        self.0.part(0)
    }

    /// The values as a tensor, in the order of the keys.
    pub fn values(&self) -> Result<Value> {
        self.0.part(1)
    }

    /// The map as a value of any kind.
    pub fn into_value(self) -> Value {
        self.0
    }
}

macro_rules! kinds {
    ($($name:ident)*) => {$(
        impl Deref for $name {
            type Target = Value;

            fn deref(&self) -> &Value {
                &self.0
            }
        }

        impl TryFrom<Value> for $name {
            type Error = Error;

            /// Fails when the value is of another kind.
            fn try_from(value: Value) -> Result<Self> {
                value.of_kind(ValueKind::$name).map($name)
            }
        }

        impl From<$name> for Value {
            fn from(value: $name) -> Value {
                value.0
            }
        }
    )*};
}

kinds!(Sequence Map);
