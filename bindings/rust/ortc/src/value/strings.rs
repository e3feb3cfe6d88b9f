// SPDX-License-Identifier: MIT
//! Tensors of texts.

use std::os::raw::c_char;

use super::{element_count, Value};
use crate::error::{Error, Result};
use crate::memory::Allocator;
use crate::text::{c_text, CTexts};
use crate::{ElementType, ErrorCode};

impl Value {
    /// A tensor with copies of texts.
    ///
    /// ```
    /// let value = ortc::Value::from_strings([2], &["eins", "zwei"])?;
    /// assert_eq!(value.strings()?, ["eins", "zwei"]);
    /// # Ok::<(), ortc::Error>(())
    /// ```
    pub fn from_strings<S: AsRef<str>>(shape: impl AsRef<[i64]>, texts: &[S]) -> Result<Self> {
        let shape = shape.as_ref();
        if element_count(shape) != Some(texts.len()) {
            let message = format!("{} texts for a tensor of shape {:?}", texts.len(), shape);
            return Err(Error::new(ErrorCode::InvalidArgument, message));
        }
        let mut value = Value::allocate(&Allocator::cpu()?, shape, ElementType::String)?;
        value.set_strings(texts)?;
        Ok(value)
    }

    /// Sets all elements of a tensor of texts, in row-major order.
    ///
    /// Fails when there are not as many texts as elements.
    #[doc(alias = "OrtFillStringTensor")]
    pub fn set_strings<S: AsRef<str>>(&mut self, texts: &[S]) -> Result<()> {
        let count = self.element_count()?;
        if texts.len() != count {
            let message = format!("{} texts for a tensor of {count} elements", texts.len());
            return Err(Error::new(ErrorCode::InvalidArgument, message));
        }
        if texts.iter().any(|text| text.as_ref().contains('\0')) {
            let mut pairs = texts.iter().enumerate();
            return pairs.try_for_each(|(index, text)| self.set_string(index, text.as_ref()));
        }
        let texts = CTexts::new(texts)?;
        // SAFETY: as many texts as elements; they are copied.
        unsafe { call!(OrtFillStringTensor(self.as_ptr(), texts.as_ptr(), texts.len())) }
    }

    /// Sets one element of a tensor of texts, by its place in row-major order.
    #[doc(alias = "OrtFillStringTensorElement")]
    pub fn set_string(&mut self, index: usize, text: &str) -> Result<()> {
        if text.contains('\0') {
            return self.set_string_bytes(index, text.as_bytes());
        }
        let text = c_text(text)?;
        // SAFETY: the text is copied.
        unsafe { call!(OrtFillStringTensorElement(self.as_ptr(), text.as_ptr(), index)) }
    }

    /// Sets one element of a tensor of texts to any bytes.
    #[doc(alias = "OrtGetResizedStringTensorElementBuffer")]
    pub fn set_string_bytes(&mut self, index: usize, bytes: &[u8]) -> Result<()> {
        // SAFETY: the buffer has as many bytes and lives until the next change.
        unsafe {
            let buffer: *mut c_char =
                get!(OrtGetResizedStringTensorElementBuffer(self.as_ptr(), index, bytes.len()))?;
            if !bytes.is_empty() {
                buffer.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            }
        }
        Ok(())
    }

    /// All elements of a tensor of texts, dense or sparse, in row-major order.
    ///
    /// Fails when an element is not UTF-8; [`string_bytes`](Self::string_bytes) gives it then.
    #[doc(alias = "OrtGetStringTensorContent")]
    #[doc(alias = "OrtGetStringTensorDataLength")]
    pub fn strings(&self) -> Result<Vec<String>> {
        let count = self.string_count()?;
        // SAFETY: there is room for all bytes and for an offset of each element.
        let (bytes, mut ends) = unsafe {
            let size: usize = get!(OrtGetStringTensorDataLength(self.as_ptr()))?;
            let mut bytes = vec![0u8; size];
            let mut offsets = vec![0usize; count];
            call!(OrtGetStringTensorContent(
                self.as_ptr(),
                bytes.as_mut_ptr().cast(),
                size,
                offsets.as_mut_ptr(),
                count
            ))?;
            (bytes, offsets)
        };
        let starts = ends.clone();
        ends.push(bytes.len());
        let spans = starts.iter().zip(&ends[1..]);
        spans.enumerate().map(|(index, (start, end))| utf8(index, &bytes[*start..*end])).collect()
    }

    /// One element of a tensor of texts, by its place in row-major order.
    pub fn string(&self, index: usize) -> Result<String> {
        utf8(index, &self.string_bytes(index)?)
    }

    /// The bytes of one element of a tensor of texts.
    #[doc(alias = "OrtGetStringTensorElement")]
    #[doc(alias = "OrtGetStringTensorElementLength")]
    pub fn string_bytes(&self, index: usize) -> Result<Vec<u8>> {
        // SAFETY: there is room for as many bytes as the element has.
        unsafe {
            let size: usize = get!(OrtGetStringTensorElementLength(self.as_ptr(), index))?;
            let mut bytes = vec![0u8; size];
            let room = bytes.as_mut_ptr().cast();
            call!(OrtGetStringTensorElement(self.as_ptr(), size, index, room))?;
            Ok(bytes)
        }
    }

    /// Of a sparse tensor the values are its elements.
    fn string_count(&self) -> Result<usize> {
        if self.is_sparse_tensor()? {
            return Ok(self.sparse_values_type()?.element_count().unwrap_or(0));
        }
        self.element_count()
    }
}

fn utf8(index: usize, bytes: &[u8]) -> Result<String> {
    String::from_utf8(bytes.to_vec()).map_err(|error| {
        let message = format!("element {index} is not UTF-8: {}", error.utf8_error());
        Error::new(ErrorCode::InvalidArgument, message).with_source(error.into())
    })
}
