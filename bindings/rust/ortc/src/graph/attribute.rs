// SPDX-License-Identifier: MIT
//! Attributes of nodes.

use std::os::raw::{c_int, c_void};
use std::ptr::null_mut;

use ortc_sys as sys;

use crate::call::{Owned, Ref};
use crate::error::{Error, Result};
use crate::text::{c_text, text, CTexts};
use crate::value::ValueView;
use crate::{ErrorCode, OpAttrType};

/// An attribute of a node: of a model's, or a new one.
pub struct OpAttribute(Owned<sys::OrtOpAttr>);

/// What an attribute holds. Graphs: [`Node::subgraphs`](super::Node::subgraphs); tensors:
/// [`OpAttribute::tensor`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AttributeValue {
    /// An integer.
    Int(i64),
    /// Integers.
    Ints(Vec<i64>),
    /// A number.
    Float(f32),
    /// Numbers.
    Floats(Vec<f32>),
    /// Any bytes; usually a text.
    String(Vec<u8>),
    /// Texts.
    Strings(Vec<String>),
}

impl From<&str> for AttributeValue {
    fn from(text: &str) -> Self {
        AttributeValue::String(text.as_bytes().to_vec())
    }
}

impl OpAttribute {
    /// A new attribute.
    ///
    /// ```
    /// use ortc::{AttributeValue, OpAttribute};
    ///
    /// let axes = OpAttribute::new("axes", &AttributeValue::Ints(vec![0, 2]))?;
    /// assert_eq!(axes.value()?, AttributeValue::Ints(vec![0, 2]));
    /// # Ok::<(), ortc::Error>(())
    /// ```
    #[doc(alias = "OrtCreateOpAttr")]
    pub fn new(name: &str, value: &AttributeValue) -> Result<Self> {
        let name = c_text(name)?;
        let texts;
        let (kind, data, len) = match value {
            AttributeValue::Int(int) => (OpAttrType::Int, int as *const i64 as *const c_void, 1),
            AttributeValue::Ints(ints) => (OpAttrType::Ints, ints.as_ptr().cast(), ints.len()),
            AttributeValue::Float(float) => {
                (OpAttrType::Float, float as *const f32 as *const c_void, 1)
            }
            AttributeValue::Floats(list) => (OpAttrType::Floats, list.as_ptr().cast(), list.len()),
            AttributeValue::String(text) => (OpAttrType::String, text.as_ptr().cast(), text.len()),
            AttributeValue::Strings(list) => {
                texts = CTexts::new(list)?;
                (OpAttrType::Strings, texts.as_ptr().cast(), texts.len())
            }
        };
        let len = c_int::try_from(len)
            .map_err(|_| Error::new(ErrorCode::InvalidArgument, format!("{len} elements")))?;
        // SAFETY: `len` elements of the type, which are copied; a new object.
        unsafe {
            get!(OrtCreateOpAttr(name.as_ptr(), data, len, kind.to_raw()))
                .map(|new| OpAttribute(Owned::new(new)))
        }
    }

    /// The attribute's name.
    #[doc(alias = "OrtOpAttr_GetName")]
    pub fn name(&self) -> Result<String> {
        // SAFETY: the text lives as long as the attribute.
        unsafe { get!(OrtOpAttr_GetName(self.as_ptr())).map(|name| text(name)) }
    }

    /// The attribute's type.
    #[doc(alias = "OrtOpAttr_GetType")]
    pub fn attribute_type(&self) -> Result<OpAttrType> {
        // SAFETY: the attribute lives.
        unsafe { get!(OrtOpAttr_GetType(self.as_ptr())) }.map(OpAttrType::from_raw)
    }

    /// What the attribute holds.
    ///
    /// Fails for graphs and tensors.
    pub fn value(&self) -> Result<AttributeValue> {
        let kind = self.attribute_type()?;
        match kind {
            OpAttrType::Int => self.read(kind).map(|list: Vec<i64>| AttributeValue::Int(list[0])),
            OpAttrType::Ints => self.read(kind).map(AttributeValue::Ints),
            OpAttrType::Float => {
                self.read(kind).map(|list: Vec<f32>| AttributeValue::Float(list[0]))
            }
            OpAttrType::Floats => self.read(kind).map(AttributeValue::Floats),
            OpAttrType::String => self.read(kind).map(AttributeValue::String),
            OpAttrType::Strings => {
                let bytes: Vec<u8> = self.read(kind)?;
                // Each text with its end mark.
                let texts = bytes.split_inclusive(|byte| *byte == 0);
                let text = |text: &[u8]| String::from_utf8_lossy(&text[..text.len() - 1]).into();
                Ok(AttributeValue::Strings(texts.map(text).collect()))
            }
            other => {
                let message = format!("the attribute is {other:?}");
                Err(Error::new(ErrorCode::InvalidArgument, message))
            }
        }
    }

    /// The tensor of an attribute.
    ///
    /// Fails when it is not one.
    #[doc(alias = "OrtOpAttr_GetTensorAttributeAsOrtValue")]
    pub fn tensor(&self) -> Result<ValueView<'_>> {
        // SAFETY: a new value over bytes of the model, which nobody writes to.
        unsafe {
            get!(OrtOpAttr_GetTensorAttributeAsOrtValue(self.as_ptr()))
                .map(|value| ValueView::from_raw(value))
        }
    }

    /// The content as elements of the type that `kind` has.
    #[doc(alias = "OrtReadOpAttr")]
    fn read<T: Copy + Default>(&self, kind: OpAttrType) -> Result<Vec<T>> {
        let (kind, width) = (kind.to_raw(), std::mem::size_of::<T>());
        let mut size = 0;
        // SAFETY: the first call asks for the room that the second one fills.
        unsafe {
            let too_small = sys::OrtReadOpAttr(self.as_ptr(), kind, null_mut(), 0, &mut size);
            sys::OrtReleaseStatus(too_small);
            let mut elements = vec![T::default(); size / width];
            let room = elements.as_mut_ptr().cast::<c_void>();
            call!(OrtReadOpAttr(self.as_ptr(), kind, room, elements.len() * width, &mut size))?;
            Ok(elements)
        }
    }

    /// # Safety
    /// `attribute` is null or lives as long as `'a`.
    pub(crate) unsafe fn borrow<'a>(attribute: *const sys::OrtOpAttr) -> Option<Ref<'a, Self>> {
        // SAFETY: as the caller promises; a `Ref` never gives it back.
        let owned = || unsafe { Ref::new(OpAttribute(Owned::new(attribute as *mut _))) };
        (!attribute.is_null()).then(owned)
    }

    pub(crate) fn as_ptr(&self) -> *mut sys::OrtOpAttr {
        self.0.as_ptr()
    }

    /// For who has taken the object over.
    pub(super) fn forget(self) {
        self.0.into_raw();
    }
}

impl std::fmt::Debug for OpAttribute {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpAttribute")
            .field("name", &self.name())
            .field("type", &self.attribute_type())
            .finish()
    }
}
